//! What a save game may leave out.

use super::*;
use crate::level::spawn;
use crate::level::{MemorySource, load};
use crate::world::goal::Goal;
use crate::world::ops::doors::{self, DoorSpeed};
use crate::world::ops::walks::{WalkOrder, walk_to};
use crate::world::owner::Owner;
use crate::world::scratch::Scratch;
use crate::world::walk::WalkOptions;

/// Two rooms with a door between them, and people on both sides of it.
fn two_rooms() -> World {
    let people: Vec<String> = (0..16)
        .map(|at| {
            let (x, z) = (if at % 2 == 0 { 2.0 } else { 12.0 } + f64::from(at / 4), 2.0 + f64::from(at % 4));
            format!(r#"{{ "name": "p{at}", "position": [{x:?}, {z:?}] }}"#)
        })
        .collect();
    let text = format!(
        r#"{{
            "seed": 3,
            "navigation": {{
                "kind": "grid", "cellSize": 0.25, "agentRadius": 0.35,
                "areas": [
                    {{ "name": "left", "polygon": [[0, 0], [9, 0], [9, 8], [0, 8]] }},
                    {{ "name": "doorway", "polygon": [[9, 3], [9.5, 3], [9.5, 5], [9, 5]] }},
                    {{ "name": "right", "polygon": [[9.5, 0], [18, 0], [18, 8], [9.5, 8]] }}
                ]
            }},
            "doors": [ {{ "name": "gate", "area": "doorway" }} ],
            "characters": [ {} ]
        }}"#,
        people.join(",")
    );
    let source = MemorySource::new().with("a.json", text.into_bytes());
    let mut world = spawn::build(load("a.json", &source).expect("a level"), None).world;
    // So little that searches are under way between ticks.
    world.settings.path_budget = 40;
    world
}

/// A round of orders: everybody goes to where somebody of the other room stands, and the door moves.
fn order(world: &mut World, round: u64) {
    let ids = world.characters.ids().to_vec();
    for (at, &character) in ids.iter().enumerate() {
        let other = ids[(at + 2 * round as usize + 1) % ids.len()];
        let goal = match (at as u64 + round) % 3 {
            0 => Goal::Character(other),
            _ => Goal::Point(world.characters.get(other).expect("it is there").body.position),
        };
        let options = WalkOptions::at(world.rate());
        walk_to(world, WalkOrder { character, goal, options, owner: Owner::HOST }).expect("all are there");
    }
    let door = world.find_door("gate").expect("the door is there");
    doors::set(world, door, round % 3 != 1, DoorSpeed::Usual);
}

#[test]
fn a_world_whose_scratch_was_thrown_away_goes_on_in_the_same_way() {
    let mut kept = Game::new(two_rooms(), Recorder::default());
    let mut lost = Game::new(two_rooms(), Recorder::default());
    let mut searching = 0;
    for tick in 0..1200_u64 {
        if tick.is_multiple_of(150) {
            order(&mut kept.world, tick / 150);
            order(&mut lost.world, tick / 150);
        }
        kept.tick(&[]);
        searching += u64::from(lost.world.paths.requests.waiting() > 0);
        lost.world.scratch = Scratch::default();
        lost.world.make_room();
        lost.tick(&[]);
        assert_eq!(kept.fingerprint(), lost.fingerprint(), "tick {tick}");
    }
    assert!(searching > 5, "searches were under way in {searching} ticks");
    let counts = kept.world.walk_counts();
    assert!(counts.arrived > 20 && counts.cancelled > 20, "{counts:?}");
    assert!(kept.world.path_counts().requests > lost.world.path_counts().requests, "it was thrown away");
}
