//! Tick rates: 30, 60 and 120 a second tell the same story (seed:F3, fault:G22).
//!
//! Method: several levels, from a character alone to jams at a doorway; at each rate everybody arrives at the
//! same time, to the step, by a way of the same length, to the bit: the crowd moves in steps of a thirtieth
//! of a second whatever the rate.

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::time::TickRate;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::character::Character;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{self, WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{LookTarget, WalkOptions};

/// The rates, slowest first.
const RATES: [u32; 3] = [30, 60, 120];

const FIELD: &str =
    r#""navigation": { "areas": [ { "name": "field", "polygon": [[0,0],[40,0],[40,40],[0,40]] } ] }"#;

const PILLARS: &str = r#""navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
  "areas": [ { "name": "field", "polygon": [[0,0],[40,0],[40,40],[0,40]] } ],
  "obstacles": [
    { "name": "a", "polygon": [[8,8],[12,8],[12,12],[8,12]] },
    { "name": "b", "polygon": [[18,4],[20,4],[20,30],[18,30]] },
    { "name": "c", "polygon": [[26,20],[38,20],[38,22],[26,22]] } ] }"#;

const ROOMS: &str = r#""navigation": { "agentRadius": 0.35, "areas": [
  { "name": "left", "polygon": [[0,0],[16,0],[16,40],[0,40]] },
  { "name": "doorway", "polygon": [[16,18],[17.2,18],[17.2,20.4],[16,20.4]] },
  { "name": "right", "polygon": [[17.2,0],[40,0],[40,40],[17.2,40]] } ] }"#;

/// Who walks, from where to where, how fast.
type Errand = ((f32, f32), (f32, f32), f32);

/// An arrival: who, seconds, metres.
#[derive(Debug)]
struct Arrival {
    who: String,
    at_s: f64,
    length_m: f64,
}

/// A level at a rate, with nobody in it, that tells what happens.
fn game(level: &str, rate: u32) -> Game {
    let json = format!("{{ \"tickRate\": {rate}, {level} }}");
    let source = MemorySource::new().with("rate.json", json.as_str());
    let loaded = load("rate.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    Game::new(spawn::build(loaded, None).world, Recorder::new(options))
}

fn arrivals(level: &str, rate: u32, errands: &[Errand]) -> Vec<Arrival> {
    let mut game = game(level, rate);
    for (index, &(from, to, speed_mps)) in errands.iter().enumerate() {
        send(&mut game, index, (from, to), speed_mps);
    }
    let mut found = Vec::new();
    for _ in 0..90 * rate {
        let recorded = game.tick(&[]);
        let at_s = game.world().rate().seconds(game.world().tick());
        for line in recorded.lines.iter().filter(|line| line.contains("walkSettled")) {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            // Beside a character that came to the same place, or on it.
            assert_eq!(&fact["status"], "arrived", "{line}");
            let who = fact["character"].as_str().unwrap().to_owned();
            found.push(Arrival { who, at_s, length_m: fact["travelled"].as_f64().unwrap() });
        }
        if found.len() == errands.len() {
            return found;
        }
    }
    panic!("at {rate} a second only {found:?} arrived");
}

fn send(game: &mut Game, index: usize, (from, to): ((f32, f32), (f32, f32)), speed_mps: f32) {
    let at = |(x, z): (f32, f32)| Vec3::new(x, 0.0, z);
    let mut person = Spawn::new(format!("c{index}"), at(from));
    person.gait.walk_mps = speed_mps;
    let character: CharacterId = characters::spawn(game.world_mut(), person).unwrap().unwrap();
    let options = WalkOptions::at(game.world().rate());
    let order = WalkOrder { character, goal: Goal::Point(at(to)), options, owner: Owner::HOST };
    walk_to(game.world_mut(), order).unwrap();
}

#[test]
fn seed_f3_and_g22_a_lone_walker_arrives_within_a_frame_at_every_rate() {
    for level in [FIELD, PILLARS, ROOMS] {
        for errand in [
            ((4.0, 4.0), (36.0, 33.0), 1.4),
            ((3.0, 35.0), (30.0, 6.0), 4.0),
            ((5.0, 20.0), (37.0, 17.5), 0.7),
        ] {
            let runs: Vec<Arrival> =
                RATES.iter().map(|&rate| arrivals(level, rate, &[errand]).remove(0)).collect();
            for run in &runs {
                assert!((run.at_s - runs[0].at_s).abs() <= 1.0 / 30.0 + 1e-9, "{level}: {runs:?}");
                assert!((run.length_m / runs[0].length_m - 1.0).abs() < 0.01, "{level}: {runs:?}");
            }
        }
    }
}

#[test]
fn at_rates_that_thirty_does_not_divide_a_lone_walker_arrives_within_two_steps_too() {
    for level in [FIELD, PILLARS, ROOMS] {
        let errand = ((4.0, 4.0), (36.0, 33.0), 1.4);
        let usual = arrivals(level, 60, &[errand]).remove(0);
        for rate in [10, 25, 45, 50, 75, 100, 144, 240] {
            let run = arrivals(level, rate, &[errand]).remove(0);
            let steps_s = 2.0 * f64::from(TickRate::new(rate).unwrap().step_seconds()) + 1.0 / 30.0;
            assert!(
                (run.at_s - usual.at_s).abs() <= steps_s + 1e-6,
                "{rate}, {level}: {run:?} and {usual:?}"
            );
            assert!(
                (run.length_m / usual.length_m - 1.0).abs() < 0.01,
                "{rate}, {level}: {run:?} and {usual:?}"
            );
        }
    }
}

#[test]
fn seed_f3_and_g22_pairs_who_cross_arrive_in_the_same_order_at_every_rate() {
    // Four pairs, each crossing at a place of its own; everybody needs a second and a half more than the one
    // before.
    let errands: Vec<Errand> = (0..4_u8)
        .flat_map(|pair| {
            let (middle, far_m) = (5.0 + 10.0 * f32::from(pair), 4.0 + 4.2 * f32::from(pair));
            let along = ((middle - 4.0, 6.0), (middle + 0.5, 6.0 + far_m), 1.4);
            let across = ((middle, 2.0), (middle - 3.0, 8.1 + far_m), 1.4);
            [along, across]
        })
        .collect();
    let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(FIELD, rate, &errands)).collect();
    check_same(&runs);
}

#[test]
fn seed_f3_and_g22_a_file_through_a_doorway_arrives_in_the_same_order_at_every_rate() {
    let errands: Vec<Errand> = (0..6_u8)
        .map(|index| {
            (
                (12.0 - 1.6 * f32::from(index), 19.0),
                (38.0 - 2.0 * f32::from(index), 8.0 + 4.0 * f32::from(index)),
                1.4,
            )
        })
        .collect();
    let mut sorted = errands;
    // The nearest goal for the first in the file, so that the order of arrival is that of the file.
    for (index, errand) in sorted.iter_mut().enumerate() {
        errand.1 = (22.0, 12.0 + 3.0 * index as f32);
    }
    let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(ROOMS, rate, &sorted)).collect();
    check_same(&runs);
}

/// The part after the point: a number from 0 to 1.
fn part(number: f32) -> f32 {
    number - number.floor()
}

#[test]
fn seed_f3_and_g22_thirty_who_cross_everywhere_arrive_in_the_same_order_at_every_rate() {
    for first in [0_u16, 100, 200] {
        // Places and goals that lie evenly over the field, in no pattern (the plastic number), and speeds
        // that differ.
        let place = |at: f32, shift: (f32, f32)| {
            (2.0 + 36.0 * part(0.754_877_7 * at + shift.0), 2.0 + 36.0 * part(0.569_840_3 * at + shift.1))
        };
        let errands: Vec<Errand> = (0..30_u16)
            .map(|index| {
                let at = f32::from(first + index);
                let speed_mps = 1.0 + 0.6 * part(0.618_034 * f32::from(index));
                (place(at, (0.0, 0.0)), place(at, (0.5, 0.45)), speed_mps)
            })
            .collect();
        let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(FIELD, rate, &errands)).collect();
        check_same(&runs);
    }
}

#[test]
fn seed_f3_and_g22_six_who_meet_in_the_middle_arrive_in_the_same_order_at_every_rate() {
    for turn_rad in [0.0_f32, 0.1, 0.2, 0.3] {
        let errands: Vec<Errand> = (0..6_u8)
            .map(|index| {
                let angle_rad = std::f32::consts::TAU * f32::from(index) / 6.0 + turn_rad;
                let (x, z) = (10.0 * angle_rad.cos(), 10.0 * angle_rad.sin());
                ((20.0 + x, 20.0 + z), (20.0 - x, 20.0 - z), 1.3 + 0.02 * f32::from(index))
            })
            .collect();
        let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(FIELD, rate, &errands)).collect();
        check_same(&runs);
    }
}

#[test]
fn seed_f3_and_g22_crowds_through_one_point_arrive_in_the_same_order_at_every_rate() {
    for count in [12_u16, 24] {
        let errands: Vec<Errand> = (0..count)
            .map(|index| {
                let angle_rad = std::f32::consts::TAU * f32::from(index) / f32::from(count);
                let (x, z) = (12.0 * angle_rad.cos(), 12.0 * angle_rad.sin());
                ((20.0 + x, 20.0 + z), (20.0 - x, 20.0 - z), 1.4)
            })
            .collect();
        let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(FIELD, rate, &errands)).collect();
        check_same(&runs);
    }
}

#[test]
fn seed_f3_and_g22_a_jam_at_a_doorway_clears_in_the_same_order_at_every_rate() {
    // Twenty from the left and eight from the right through 2.4 m.
    let to_right = (0..20_u16).map(|index| {
        let (column, row) = (f32::from(index % 4), f32::from(index / 4));
        ((6.0 + 1.2 * column, 14.0 + 2.4 * row), (36.0 - 1.5 * column, 8.0 + 5.0 * row), 1.4)
    });
    let to_left = (0..8_u16).map(|index| {
        let row = f32::from(index);
        ((24.0 + 0.8 * row, 16.0 + 1.1 * row), (4.0, 4.0 + 4.0 * row), 1.3)
    });
    let errands: Vec<Errand> = to_right.chain(to_left).collect();
    let runs: Vec<Vec<Arrival>> = RATES.iter().map(|&rate| arrivals(ROOMS, rate, &errands)).collect();
    check_same(&runs);
}

/// Law: patrols and walks about that stand for drawn times do the same at every rate, to the bit.
#[test]
fn pauses_that_are_drawn_last_as_long_at_every_rate() {
    const SECONDS: u64 = 30;
    let verbs = [
        "one:patrol({ vector.create(6, 0, 6), vector.create(34, 0, 7), vector.create(20, 0, 30) }, { pause = { 0.2, 2 } })",
        "one:wander({ within = 8, pause = { 0.1, 1 } })",
        "one:patrol({ vector.create(6, 0, 6), vector.create(12, 0, 7) }, { pause = 0.37 })",
    ];
    for (seed, verb) in (1..4).flat_map(|seed| verbs.map(|verb| (seed, verb))) {
        let places = |rate: u32| -> Vec<Vec3> {
            let people: Vec<String> = (0..4)
                .map(|at| format!(r#"{{ "name": "c{at}", "position": [{}, {}] }}"#, 8 + 7 * at, 10 + 5 * at))
                .collect();
            let level = format!(
                r#"{{ "tickRate": {rate}, "seed": {seed}, "script": "level.lua", {FIELD}, "characters": [ {} ] }}"#,
                people.join(",")
            );
            let source = MemorySource::new().with("rate.json", level);
            let loaded = load("rate.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
            let script = format!("function onStart() for _, one in world.characters() do {verb} end end");
            let scripts = [("level.lua".to_owned(), script)].into();
            let mut game = Game::load(loaded, Setup { scripts, ..Setup::default() }).unwrap();
            let mut places = Vec::new();
            for tick in 1..=SECONDS * u64::from(rate) {
                game.tick(&[]);
                if tick % u64::from(rate / 30) == 0 {
                    places.extend(game.world().characters().map(|(_, one)| one.body.position));
                }
            }
            places
        };
        let slow = places(30);
        for rate in [60, 120] {
            let step = places(rate).iter().zip(&slow).position(|(one, other)| one != other);
            assert_eq!(step.map(|at| at / 4), None, "seed {seed}, {rate} a second: {verb}");
        }
    }
}

/// A game at a rate in which a character has set out across the field.
fn one_under_way(rate: u32) -> Game {
    let mut game = game(FIELD, rate);
    send(&mut game, 0, ((4.0, 4.0), (30.0, 21.0)), 1.4);
    game
}

/// The only character there is.
fn walker(game: &Game) -> (CharacterId, Character) {
    game.world().characters().next().map(|(id, walker)| (id, walker.clone())).unwrap()
}

#[test]
fn between_two_steps_everybody_is_shown_on_its_way_and_where_it_steps_to_at_the_end() {
    let (mut slow, mut fast) = (one_under_way(30), one_under_way(120));
    for _ in 0..90 {
        let before = walker(&slow).1;
        slow.tick(&[]);
        let after = walker(&slow).1;
        for quarter in 1..=4_u8 {
            fast.tick(&[]);
            let shown = walker(&fast).1;
            let part = f32::from(quarter) / 4.0;
            let expected = before.body.position.lerp(after.body.position, part);
            assert!((shown.body.position - expected).length() < 1e-5, "{quarter} quarters of a step");
            assert_eq!(shown.body.velocity, after.body.velocity);
        }
        let landed = walker(&fast).1;
        assert_eq!((landed.body, landed.facing_rad), (after.body, after.facing_rad), "to the bit");
    }
}

#[test]
fn who_is_stopped_or_put_elsewhere_between_two_steps_stays_there() {
    for between in 1..=3 {
        let mut stopped = one_under_way(120);
        let mut moved = one_under_way(120);
        for _ in 0..40 + between {
            stopped.tick(&[]);
            moved.tick(&[]);
        }
        let (id, there) = walker(&stopped);
        assert!(there.body.position.x > 4.1, "under way");
        assert!(walks::stop(stopped.world_mut(), there.walk.unwrap()));
        characters::teleport(moved.world_mut(), id, Vec3::new(20.0, 0.0, 30.0), None).unwrap();
        let put = walker(&moved).1.body.position;
        for tick in 0..4 - between {
            stopped.tick(&[]);
            moved.tick(&[]);
            assert_eq!(walker(&stopped).1.body.position, there.body.position, "stopped, {tick}");
            assert_eq!(walker(&moved).1.body.position, put, "teleported, {tick}");
        }
        // The step that begins next is the first from there.
        moved.tick(&[]);
        assert!((walker(&moved).1.body.position - put).length() < 0.02);
    }
}

#[test]
fn a_turn_made_while_others_push_is_not_undone() {
    let mut game = game(FIELD, 120);
    for (index, x) in [10.0, 10.3].into_iter().enumerate() {
        let person = Spawn::new(format!("c{index}"), Vec3::new(x, 0.0, 10.0));
        characters::spawn(game.world_mut(), person).unwrap().unwrap();
    }
    let id = walker(&game).0;
    characters::face(game.world_mut(), id, LookTarget::Angle(0.05)).unwrap();
    for _ in 0..12 {
        game.tick(&[]);
    }
    let after = walker(&game).1;
    assert!(after.body.position.x < 9.99, "it was pushed: {:?}", after.body);
    assert!((after.facing_rad - 0.05).abs() < 1e-4 && after.turn.is_none(), "{}", after.facing_rad);
}

/// The same people at the same times by ways of the same length, to the bit.
fn check_same(runs: &[Vec<Arrival>]) {
    for (run, rate) in runs.iter().zip(RATES) {
        assert_eq!(run.len(), runs[0].len());
        for (arrival, first) in run.iter().zip(&runs[0]) {
            assert_eq!(arrival.who, first.who, "at {rate} a second: {arrival:?} and {first:?}");
            assert!(
                (arrival.at_s - first.at_s).abs() < 1e-9,
                "at {rate} a second: {arrival:?} and {first:?}"
            );
            assert!(arrival.length_m == first.length_m, "at {rate} a second: {arrival:?} and {first:?}");
        }
    }
}
