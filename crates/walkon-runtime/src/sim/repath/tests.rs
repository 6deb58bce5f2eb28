//! How often walks ask because of others.

use super::*;
use crate::base::rng::Rng;
use crate::crowd::follow::Cursor;
use crate::nav::Path;
use crate::world::World;
use crate::world::fixture::someone;
use crate::world::ops::characters::{hold, recheck_plans_around};
use crate::world::ops::walks::{WalkOrder, walk_to};
use crate::world::owner::Owner;
use crate::world::walk::WalkOptions;

#[test]
fn a_body_led_off_its_way_asks_once_in_the_cooldown() {
    let mut scene = crate::world::fixture::sample();
    let cooldown = scene.world.settings.crowd.replan_cooldown_ticks(scene.world.clock.rate);
    assert!(cooldown > 10);
    let mut asked = Vec::new();
    for tick in (100..100 + 2 * cooldown).step_by(scene.world.clock.rate.ticks_per_step() as usize) {
        scene.world.clock.tick = crate::base::time::TickNumber(tick);
        scene.world.walks[scene.walk].ask = None;
        let World { clock, settings, characters, walks, .. } = &mut scene.world;
        let walker = characters.get_mut(scene.one).expect("it is there");
        ask_when_lost(clock, &settings.crowd, &mut walks[scene.walk], walker);
        if scene.world.walks[scene.walk].ask == Some(Ask::Crowd) {
            asked.push(tick);
        }
    }
    assert_eq!(asked, [100, 100 + cooldown]);
}

/// Some stand, others walk across the same ground on ways of a few legs.
fn crossing(standing: u32, walking: u32, side_m: f64, rng: &mut Rng) -> World {
    let mut world = World::default();
    let mut place = || Vec3::new(rng.float(0.0, side_m) as f32, 0.0, rng.float(0.0, side_m) as f32);
    for at in 0..standing + walking {
        let mut who = someone(1, &format!("c{at}"), place());
        // They stood before, and plans have been told.
        who.replan.from = who.body.position;
        who.replan.stood = at < standing;
        let id = world.characters.insert(|serial| Character { serial, ..who });
        if at < standing {
            continue;
        }
        let from = world.characters.get(id).expect("it is there").body.position;
        let points = vec![from, place(), place(), place()];
        let (goal, options) = (Goal::Point(points[3]), WalkOptions::at(world.clock.rate));
        let order = WalkOrder { character: id, goal, options, owner: Owner::HOST };
        let walk = walk_to(&mut world, order).expect("it is there");
        let path = Path { points, whole: true, ..Path::default() };
        let walk = &mut world.walks[walk];
        walk.following =
            Some(Following { cursor: Cursor::at_start(&path), path: path.into(), trouble: None });
        (walk.phase, walk.ask) = (Phase::Moving, None);
    }
    world.characters.take_departed();
    world
}

#[test]
fn walks_are_compared_with_those_beside_their_ways_whom_a_scene_takes() {
    let mut rng = Rng::stream(1, "taken");
    let (mut narrowed, mut free) = (0, 0);
    for (standing, walking, side_m) in [(40, 20, 60.0), (1000, 200, 3000.0)] {
        let mut world = crossing(standing, walking, side_m, &mut rng);
        let everyone: Vec<CharacterId> = world.characters.ids().to_vec();
        for &id in everyone.iter().take(standing as usize) {
            hold(&mut world, id, "scene", Owner::HOST).expect("nobody holds it");
            recheck_plans_around(&mut world, id);
        }
        let World { settings, characters, walks, map, .. } = &mut world;
        let changes = notice_all(characters, None, walks, &settings.crowd, Threads::default());
        let marks = changes.marks(&settings.crowd, map.nav.node_m());
        assert_eq!(marks.kept.len(), standing as usize);
        let leaders = &Leaders::default();
        let people = People { characters, walks, crowd: &settings.crowd, leaders };
        let (mut most, mut all) = (0, 0);
        for walk in walks.iter() {
            let walker = characters.get(walk.character).expect("it is there");
            let off = keep_off(&map.nav, walker);
            let kept = marks.kept.iter().filter_map(|&id| characters.get(id));
            let discs: Vec<Disc> = kept.map(|who| people.whole_disc_of(who, walk.aim, off)).collect();
            let place = walker.body.position;
            compared::take();
            let expected = is_blocked(&map.nav, walk, place, Traversal::default, &discs);
            all += compared::take();
            let found = is_narrowed(people, &map.nav, walk, Traversal::default, &marks);
            most += compared::take();
            assert_eq!(found, expected);
            if found { narrowed += 1 } else { free += 1 }
        }
        assert!(standing < 100 || most * 50 < all, "{most} of {all}");
    }
    assert!(narrowed > 20 && free > 20, "{narrowed} {free}");
}
