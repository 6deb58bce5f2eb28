//! Threads: the same world, to the bit, on any number of them.
//!
//! Goal: inv:D1 for levels that share the crowd out. Method: random crowds in rooms with doors, on a grid and
//! on a mesh, at random rates, some of them in heaps; people of several sizes go to places and to one
//! another, some wait at doors and some pass through others, doors move, areas close, and people are put
//! elsewhere. The same level runs on 1, 2, 3 and 8 threads from the first row on, and has equal hashes in
//! every tick.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::base::threads::Threads;
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::Recorder;
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::World;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::door::{DoorAim, DoorPolicy};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::areas;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::doors::{self, DoorSpeed};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{AcceptEnd, Crowd, WalkOptions};

use crate::long_form::number;

const COUNTS: [usize; 4] = [1, 2, 3, 8];
/// The side of the level, metres.
const SIDE_M: f64 = 24.0;

/// What a run is made of.
#[derive(Clone, Copy, Debug)]
struct Case {
    kind: &'static str,
    rate: u32,
    people: usize,
    budget_expansions: u32,
    seed: u64,
}

/// Two rooms with a pillar each, two doorways with doors and one that is an area alone.
fn level(case: &Case) -> String {
    let Case { kind, rate, budget_expansions, .. } = case;
    format!(
        r#"{{ "tickRate": {rate}, "pathBudget": {budget_expansions},
        "navigation": {{ "kind": "{kind}", "agentRadius": 0.3, "objectPadding": 0.0,
          "areas": [
            {{ "name": "left", "polygon": [[0,0],[11,0],[11,24],[0,24]] }},
            {{ "name": "north", "polygon": [[11,3],[12,3],[12,5],[11,5]] }},
            {{ "name": "middle", "polygon": [[11,11],[12,11],[12,14],[11,14]] }},
            {{ "name": "south", "polygon": [[11,20],[12,20],[12,21.5],[11,21.5]] }},
            {{ "name": "right", "polygon": [[12,0],[24,0],[24,24],[12,24]] }} ],
          "obstacles": [
            {{ "name": "pillar", "polygon": [[5,10],[7,10],[7,13],[5,13]] }},
            {{ "name": "bench", "polygon": [[16,6],[20,6],[20,7],[16,7]] }} ] }},
        "doors": [
          {{ "name": "north", "area": "north", "open": true, "seconds": 0.3 }},
          {{ "name": "south", "area": "south", "seconds": 0.5 }} ] }}"#
    )
}

fn place(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.float(0.5, SIDE_M - 0.5) as f32, 0.0, rng.float(0.5, SIDE_M - 0.5) as f32)
}

/// The level of a case with its people, on so many threads.
fn game(case: &Case, threads: usize) -> Game {
    let text = level(case);
    let source = MemorySource::new().with("threads.json", text.as_str());
    let loaded = load("threads.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let mut game = Game::new(spawn::build(loaded, None).world, Recorder::default());
    game.set_threads(Threads::new(NonZeroUsize::new(threads).unwrap()).from_rows(0));
    let mut rng = Rng::stream(case.seed, "people");
    let heap = place(&mut rng);
    for index in 0..case.people {
        // One in four begins in a heap.
        let at = if index % 4 == 0 { heap } else { place(&mut rng) };
        let mut person = Spawn::new(format!("p{index}"), at);
        person.radius_m = [0.2, 0.25, 0.3, 0.3][rng.int(0, 3) as usize];
        person.gait.walk_mps = rng.float(0.6, 3.0) as f32;
        characters::spawn(game.world_mut(), person).unwrap();
    }
    game
}

/// What happens between two ticks: the same in every run, as long as the worlds are the same.
fn meddle(world: &mut World, rng: &mut Rng) {
    let ids: Vec<CharacterId> = world.characters().map(|(id, _)| id).collect();
    for _ in 0..ids.len() / 16 + 1 {
        let character = ids[rng.int(0, ids.len() as i64 - 1) as usize];
        let other = ids[rng.int(0, ids.len() as i64 - 1) as usize];
        let aim = place(rng);
        let goal = if rng.unit() < 0.2 { Goal::Character(other) } else { Goal::Point(aim) };
        let mut options = WalkOptions::at(world.rate());
        options.doors = [None, Some(DoorPolicy::Open), Some(DoorPolicy::Wait)][rng.int(0, 2) as usize];
        options.crowd = if rng.unit() < 0.1 { Crowd::Ghost } else { Crowd::Push };
        options.accept = [AcceptEnd::Near, AcceptEnd::Exact][rng.int(0, 1) as usize];
        walk_to(world, WalkOrder { character, goal, options, owner: Owner::HOST }).ok();
    }
    match rng.int(0, 19) {
        0 => {
            let door = world.find_door(["north", "south"][rng.int(0, 1) as usize]).unwrap();
            let speed = if rng.unit() < 0.5 { DoorSpeed::Instant } else { DoorSpeed::Usual };
            doors::set(world, door, DoorAim::of(rng.unit() < 0.5), speed);
        }
        1 => {
            let area = world.find_area("middle").unwrap();
            areas::set_available(world, area, Availability::of(rng.unit() < 0.5)).unwrap();
        }
        _ => {}
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let kinds = prop::sample::select(vec!["grid", "mesh"]);
    let rates = prop::sample::select(vec![30u32, 60]);
    let budgets = prop::sample::select(vec![200u32, 5_000]);
    (kinds, rates, 20usize..140, budgets, any::<u64>()).prop_map(
        |(kind, rate, people, budget_expansions, seed)| Case { kind, rate, people, budget_expansions, seed },
    )
}

/// Runs a case on all numbers of threads; how many are under way at the end, and how many arrived.
fn run(case: &Case, ticks: u64) -> (usize, u64) {
    let mut games = COUNTS.map(|count| (game(case, count), Rng::stream(case.seed, "meddling")));
    for tick in 0..ticks {
        let hashes = games.each_mut().map(|(game, rng)| {
            if tick % 4 == 0 {
                meddle(game.world_mut(), rng);
            }
            game.tick(&[]);
            game.fingerprint()
        });
        for (count, hash) in COUNTS.iter().zip(&hashes) {
            assert_eq!(*hash, hashes[0], "{count} threads in tick {tick} of {case:?}");
        }
    }
    let world = games[0].0.world();
    let moving = world.characters().filter(|(_, person)| person.is_moving).count();
    (moving, world.walk_counts().arrived)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number("THREAD_CASES", 2), ..ProptestConfig::default() })]
    #[test]
    fn a_crowd_is_the_same_on_any_number_of_threads(case in cases()) {
        let (moving, _) = run(&case, 180);
        prop_assert!(moving > case.people / 8, "{moving} are under way");
    }
}

#[test]
fn people_arrive_and_the_crowd_is_the_same_on_any_number_of_threads() {
    for kind in ["grid", "mesh"] {
        let case = Case { kind, rate: 60, people: 100, budget_expansions: 5_000, seed: 7 };
        let (moving, arrived) = run(&case, 600);
        assert!(moving > 20 && arrived > 20, "{kind}: {moving} are under way, {arrived} have arrived");
    }
}
