//! The verbs of a host: what cannot be wished changes nothing, and a save between any two of them goes on.
//!
//! Method: every verb on every kind of map is given every number that is none or beyond its range; random
//! verbs between ticks are saved after each, and the save is compared with the game that goes on.

use super::*;
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::rng::Rng;
use crate::base::value::Plain;
use crate::game::event::Event;
use crate::game::header::{Header, RunSetup};
use crate::game::headless::{self, Bound, Onlooker, RunEnd};
use crate::game::inputs::{DoorCommand, InputGoal, InputSpawn, InputTeleport};
use crate::game::recording::Recording;
use crate::game::replay::replay;
use crate::world::character::Gait;
use crate::world::cue::CueKind;
use crate::world::ops::OpError;
use crate::world::ops::characters::Spawn;
use crate::world::walk::{LookTarget, WalkPace};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// Levels on every kind of map, each with `anna` and `ben` on it.
fn levels() -> Vec<(&'static str, String)> {
    let people = r#""characters": [ { "name": "anna", "position": [2.5, 2.5] },
        { "name": "ben", "position": [5.5, 2.5] } ]"#;
    let areas = r#""areas": [
        { "name": "yard", "polygon": [[0, 0], [9, 0], [9, 6], [0, 6]] },
        { "name": "doorway", "polygon": [[9, 2], [10, 2], [10, 4], [9, 4]] },
        { "name": "hall", "polygon": [[10, 0], [19, 0], [19, 6], [10, 6]] } ]"#;
    let doors = r#""doors": [ { "name": "gate", "area": "doorway", "seconds": 0.2 } ],"#;
    let ascii =
        r#""rows": [ "............", "............", "............", "............", "............" ]"#;
    let tiles = |layout: &str| {
        format!(r#""kind": "tiles", "layout": "{layout}", "layers": [ {{ "name": "ground", {ascii} }} ]"#)
    };
    let level = |navigation: &str, doors: &str| {
        format!(r#"{{ "name": "a", "seed": 3, "navigation": {{ {navigation} }}, {doors} {people} }}"#)
    };
    vec![
        ("grid", level(&format!(r#""kind": "grid", "cellSize": 0.25, {areas}"#), doors)),
        ("mesh", level(&format!(r#""kind": "mesh", {areas}"#), doors)),
        ("ascii", level(&format!(r#""kind": "ascii", "cellSize": 1.0, {ascii}"#), "")),
        ("squares", level(&tiles("square8"), "")),
        ("hexagons", level(&tiles("hexPointy"), "")),
        ("diamonds", level(&tiles("staggered"), "")),
    ]
}

fn level(text: &str) -> Level {
    let source = MemorySource::new().with("a.json", text.as_bytes().to_vec());
    load("a.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"))
}

fn game(text: &str) -> Game {
    Game::load(level(text), Setup::default()).expect("a level without scripts starts")
}

/// What a verb of the host came to.
type VerbResult = Result<(), OpError>;
/// A wish of a character.
type VerbWish = Box<dyn Fn(&mut Game, CharacterId) -> VerbResult>;
/// A wish that no level can grant, by the word that names the number in its error.
type BadWish = (&'static str, VerbWish);

/// Places of which one number is none, or lies too far away.
fn bad_places() -> Vec<[f32; 3]> {
    let bad = [NAN, INF, -INF, 1e7, -1e30];
    bad.iter().flat_map(|&bad| [[bad, 0.0, 1.5], [1.5, bad, 1.5], [1.5, 0.0, bad]]).collect()
}

fn bad_angles() -> [f32; 4] {
    [NAN, INF, -INF, 1e9]
}

fn with_options(change: impl Fn(&mut WalkOptions) + 'static) -> VerbWish {
    Box::new(move |game, who| {
        let mut options = WalkOptions::at(game.rate());
        change(&mut options);
        game.walk_with(who, [4.5, 0.0, 2.5], options).map(drop)
    })
}

fn with_spawn(change: impl Fn(&mut Spawn) + 'static) -> VerbWish {
    Box::new(move |game, _| {
        let mut spawn = Spawn::new("newcomer", [4.5, 0.0, 2.5]);
        change(&mut spawn);
        game.add_character(spawn).map(drop)
    })
}

fn bad_wishes() -> Vec<BadWish> {
    let mut wishes: Vec<BadWish> = Vec::new();
    for place in bad_places() {
        wishes.push(("goal", Box::new(move |game, who| game.walk_to(who, place).map(drop))));
        wishes.push(("via", with_options(move |options| *options = options.clone().passing([place]))));
        wishes.push(("face", with_options(move |options| options.face = Some(LookTarget::point(place)))));
        wishes.push(("place", Box::new(move |game, who| game.teleport(who, place, None).map(drop))));
        wishes.push(("position", with_spawn(move |spawn| spawn.position = place.into())));
        wishes.push(("place", Box::new(move |game, _| game.add_block("barrel", place, 1.0, 0))));
    }
    for angle in bad_angles() {
        wishes.push(("face", with_options(move |options| options.face = Some(LookTarget::Angle(angle)))));
        wishes.push((
            "facing",
            Box::new(move |game, who| game.teleport(who, [4.5, 0.0, 2.5], Some(angle)).map(drop)),
        ));
        wishes.push(("facing", with_spawn(move |spawn| spawn.facing_rad = angle)));
    }
    for number in [NAN, INF, -INF, -1.0, 1e30] {
        wishes.push(("speed", with_options(move |options| options.pace = WalkPace::Speed(number))));
        wishes.push(("radius", with_options(move |options| options.radius_m = Some(number))));
        wishes.push((
            "factor",
            with_options(move |options| {
                options.areas = Some([(AreaId(0), Some(number))].into());
            }),
        ));
        wishes.push(("radius", with_spawn(move |spawn| spawn.radius_m = number)));
        wishes.push(("height", with_spawn(move |spawn| spawn.height_m = number)));
        let gait = Gait::default();
        wishes.push(("walkSpeed", with_spawn(move |spawn| spawn.gait = Gait { walk_mps: number, ..gait })));
        wishes.push(("runSpeed", with_spawn(move |spawn| spawn.gait = Gait { run_mps: number, ..gait })));
        wishes.push((
            "rotationSpeed",
            with_spawn(move |spawn| spawn.gait = Gait { turn_radps: number, ..gait }),
        ));
    }
    for place in bad_places() {
        wishes.push(("face", Box::new(move |game, who| game.face(who, LookTarget::point(place)))));
    }
    for number in [NAN, INF, -1.0, 0.0, 1e30] {
        wishes.push(("walkSpeed", Box::new(move |game, who| game.set_speeds(who, number, 2.0))));
        wishes.push(("runSpeed", Box::new(move |game, who| game.set_speeds(who, 2.0, number))));
        wishes.push(("factor", Box::new(move |game, _| game.set_area_cost(AreaId(0), number))));
    }
    wishes.push(("area", Box::new(|game, _| game.set_area_cost(AreaId(900), 2.0))));
    wishes.push(("name", Box::new(|game, who| game.play(who, ""))));
    for number in [NAN, INF, -1.0, 0.0, 51.0] {
        wishes.push(("radius", Box::new(move |game, _| game.add_block("barrel", [1.0; 3], number, 0))));
    }
    wishes.push(("layer", Box::new(|game, _| game.add_block("barrel", [1.0; 3], 1.0, 200))));
    wishes.push(("name", Box::new(|game, _| game.add_block("", [1.0; 3], 1.0, 0))));
    wishes.push(("area", Box::new(|game, _| game.enable_area(AreaId(900)).map(drop))));
    wishes.push(("area", Box::new(|game, _| game.disable_area(AreaId(900)).map(drop))));
    wishes.push(("door", Box::new(|game, _| game.lock_door(DoorId(99), None))));
    wishes.push(("patience", with_options(|options| options.patience_ticks = u64::MAX)));
    wishes.push(("timeout", with_options(|options| options.timeout_ticks = Some(u64::MAX))));
    wishes.push(("layer", with_options(|options| options.layer = Some(200))));
    wishes.push(("layer", with_spawn(|spawn| spawn.layer = 200)));
    wishes.push(("area", with_options(|options| options.areas = Some([(AreaId(900), None)].into()))));
    wishes.push((
        "areas",
        with_options(|options| {
            options.areas = Some([(AreaId(0), None), (AreaId(0), None)].into());
        }),
    ));
    wishes.push(("name", with_spawn(|spawn| spawn.name = "a\nb".to_owned())));
    wishes.push(("door", Box::new(|game, who| game.walk_to(who, DoorId(99)).map(drop))));
    wishes.push(("door", Box::new(|game, _| game.open_door(DoorId(99)))));
    wishes.push(("door", Box::new(|game, _| game.close_door(DoorId(99)))));
    wishes
}

#[test]
fn a_verb_of_the_host_that_is_given_no_number_changes_nothing_and_says_what_is_expected() {
    for (kind, text) in levels() {
        let mut game = game(&text);
        let anna = game.character("anna").expect("she is there");
        game.walk_to(anna, [7.5, 0.0, 2.5]).expect("she walks");
        game.tick(&[]);
        let before = game.save().expect("it can be saved");
        for (at, (what, wish)) in bad_wishes().into_iter().enumerate() {
            if what == "factor" && !matches!(kind, "grid" | "mesh") {
                continue; // no areas: see "area"
            }
            let refused = wish(&mut game, anna).expect_err(&format!("{kind}: wish {at} about {what}"));
            let told = refused.to_string();
            assert!(told.contains(what), "{kind}: {what} is named: {told}");
            assert!(told.contains("expected") || told.contains("not of this level"), "{kind}: {told}");
            assert_eq!(game.save().as_ref(), Ok(&before), "{kind}: wish {at} changes nothing: {told}");
        }
        Game::restore(level(&text), Setup::default(), &before).expect("it can be loaded");
    }
}

#[test]
fn inputs_are_refused_for_the_same_reasons_as_verbs() {
    for (kind, text) in levels() {
        let mut game = game(&text);
        let anna = || "anna".to_owned();
        for place in bad_places() {
            let teleport = InputTeleport { character: anna(), to: place, facing_rad: None };
            let spawn = InputSpawn { name: "new".to_owned(), at: place, ..InputSpawn::default() };
            let walk = Input::Walk { character: anna(), to: InputGoal::Point(place) };
            for input in [walk, Input::Teleport(teleport), Input::Spawn(spawn)] {
                let tick = game.tick(std::slice::from_ref(&input));
                let is_told = |event: &Event| matches!(event, Event::InputRefused { why, .. } if why.contains("expected"));
                assert!(tick.events.iter().any(is_told), "{kind}: {input:?}: {:?}", tick.events);
            }
        }
        for angle in bad_angles() {
            let to = [2.5, 0.0, 2.5];
            let input = Input::Teleport(InputTeleport { character: anna(), to, facing_rad: Some(angle) });
            let tick = game.tick(&[input]);
            assert!(tick.events.iter().any(|event| matches!(event, Event::InputRefused { .. })), "{kind}");
        }
        let bytes = game.save().expect("it can be saved");
        Game::restore(level(&text), Setup::default(), &bytes).expect("it can be loaded");
    }
}

#[test]
fn a_number_of_an_error_is_shown_as_it_was_written() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let thin = Spawn { radius_m: 0.04, ..Spawn::new("newcomer", [4.5, 0.0, 2.5]) };
    let told = game.add_character(thin).expect_err("it is too thin").to_string();
    assert_eq!(told, "radius is 0.04, expected 0.05 to 10");
    for (name, shown) in [
        ("", "the name is empty"),
        ("a\nb", "the name \"a\\nb\" has a control character"),
        (&"x".repeat(129), "the name \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\" has 129 bytes"),
    ] {
        let told = game.add_character(Spawn::new(name, [4.5, 0.0, 2.5])).expect_err("no name").to_string();
        assert_eq!(told, format!("{shown}, expected 1 to 128 bytes without control characters"));
    }
}

#[test]
fn a_level_has_one_player_and_locks_take_names() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let player = |name: &str| Spawn { is_player: true, ..Spawn::new(name, [4.5, 0.0, 2.5]) };
    if let Some(own) = game.world().player() {
        game.remove_character(own).expect("it is removed");
        game.tick(&[]);
    }
    let first = game.add_character(player("first")).expect("it appears").expect("there is ground");
    let told = game.add_character(player("second")).expect_err("there is one").to_string();
    assert_eq!(told, "the level has a player, \"first\", and one at most; remove it first");
    game.remove_character(first).expect("it is removed");
    assert!(game.add_character(player("second")).is_ok());
    let door = game.door("gate").expect("a door");
    for key in ["", "\0", &"y".repeat(129)] {
        assert!(matches!(game.lock_door(door, Some(key)), Err(OpError::BadName(_))), "{key:?}");
    }
    assert!(game.lock_door(door, Some("iron")).is_ok());
}

#[test]
fn a_name_is_known_in_the_tick_that_removes_it_however_many_were_removed_before() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let boss = game.poses().next().expect("somebody").character;
    let name = game.name_of(boss).to_owned();
    for _ in 0..5 {
        let spawn = |at: u32| Spawn::new(format!("extra{at}"), [4.5, 0.0, 2.5]);
        let extras: Vec<_> = (0..900).filter_map(|at| game.add_character(spawn(at)).expect("room")).collect();
        extras.into_iter().for_each(|extra| game.remove_character(extra).expect("it is there"));
        game.tick(&[]);
    }
    game.remove_character(boss).expect("it is there");
    game.tick(&[]);
    assert_eq!(game.name_of(boss), name);
    assert!(matches!(game.walk_to(boss, [1.0; 3]), Err(OpError::Gone { .. })));
}

#[test]
fn a_game_that_has_ended_is_run_no_further() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let mut run_to = |ticks_max: u64| {
        let mut looks = 0;
        let bound = Bound { ticks_max, until: None, is_strict: false };
        let report = headless::run(&mut game, &bound, |_, _| {
            looks += 1;
            Onlooker::GoOn
        });
        (report.ticks, report.ended, looks)
    };
    assert_eq!(run_to(5), (5, RunEnd::Bound, 7));
    assert_eq!(run_to(50), (5, RunEnd::Bound, 2));
}

/// One random verb of the host.
fn verb(game: &mut Game, rng: &mut Rng) {
    let everybody: Vec<CharacterId> = game.poses().map(|pose| pose.character).collect();
    let mut below = |count: usize| rng.below(count.max(1) as u64) as usize;
    let place = |x: usize, z: usize| [0.5 + x as f32, 0.0, 0.5 + z as f32];
    let somewhere = place(below(8), below(5));
    let Some(&who) = everybody.get(below(everybody.len())) else { return };
    let other = everybody[below(everybody.len())];
    match below(17) {
        0 | 1 => _ = game.walk_to(who, somewhere).expect("it walks"),
        2 => _ = game.walk_to(who, other).expect("it walks"),
        3 => _ = game.stop(who),
        4 => _ = game.teleport(who, somewhere, Some(1.0)).expect("it is put there"),
        5 if everybody.len() > 1 => game.remove_character(who).expect("it is removed"),
        6 => {
            let spawn = Spawn::new(format!("new{}", below(1 << 40)), somewhere);
            let _ = game.add_character(spawn).expect("it appears");
        }
        7 => game.face(who, LookTarget::point(somewhere)).expect("it turns"),
        8 => game.play(who, ["wave", "nod"][below(2)]).expect("it plays"),
        9 => game.set_speeds(who, 1.0 + below(3) as f32, 4.0).expect("it is as fast"),
        13 => _ = game.add_block(["barrel", "tree"][below(2)], somewhere, 0.3 + below(2) as f32, 0),
        14 => _ = game.remove_block(["barrel", "tree"][below(2)]),
        15 => _ = game.area("hall").map(|hall| game.disable_area(hall)),
        16 => _ = game.area("hall").map(|hall| game.enable_area(hall)),
        10 => _ = game.door("gate").map(|door| game.lock_door(door, Some("iron"))),
        11 => _ = game.door("gate").map(|door| game.open_door(door)),
        _ => _ = game.door("gate").map(|door| game.close_door(door)),
    }
}

/// What a tick tells, but for the characters that a load tells of at its start.
fn told(tick: Tick) -> Vec<Event> {
    tick.events.into_iter().filter(|event| !matches!(event, Event::Spawned { .. })).collect()
}

/// Hashes of people, doors and the map; searches are asked again, so what is hashed of walks may differ.
fn state(game: &Game) -> [u64; 3] {
    let hash = game.fingerprint();
    [hash.characters, hash.doors, hash.map]
}

#[test]
fn a_save_between_verbs_and_ticks_is_loaded_and_goes_on_as_the_game_does() {
    for (kind, text) in levels() {
        let mut rng = Rng::stream(11, kind);
        let mut game = game(&text);
        let _ = game.start_facts();
        for round in 0..40 {
            for _ in 0..rng.below(4) {
                verb(&mut game, &mut rng);
            }
            let bytes = game.save().expect("it can be saved");
            let again = || Game::restore(level(&text), Setup::default(), &bytes);
            let mut loaded = again().unwrap_or_else(|refused| panic!("{kind} {round}: {refused}"));
            assert_eq!(loaded.save().as_ref(), Ok(&bytes), "{kind} {round}: a load saves what was saved");
            assert_eq!(state(&loaded), state(&game), "{kind} {round}");
            // Of the start a load tells who is there, and nothing else.
            if round % 2 == 0 {
                let start = loaded.start_facts().events;
                assert!(start.iter().all(|event| matches!(event, Event::Spawned { .. })), "{start:?}");
            }
            for _ in 0..1 + rng.below(20) {
                assert_eq!(told(loaded.tick(&[])), told(game.tick(&[])), "{kind} {round}");
                assert_eq!(state(&loaded), state(&game), "{kind} {round}");
            }
        }
    }
}

#[test]
fn a_save_after_a_verb_keeps_the_end_of_the_walk_for_the_host() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let anna = game.character("anna").expect("she is there");
    let walk = game.walk_to(anna, [7.5, 0.0, 2.5]).expect("she walks");
    game.tick(&[]);
    game.remove_character(anna).expect("she is removed");
    for dropped in [3, u64::MAX] {
        game.note_time(fixed_timestep::DueTicks { dropped, ..Default::default() });
    }
    let bytes = game.save().expect("it can be saved");
    let mut loaded = Game::restore(level(&text), Setup::default(), &bytes).expect("it is loaded");
    let _ = loaded.start_facts();
    let tick = loaded.tick(&[]);
    assert!(tick.settled().any(|result| result.journey.walk == walk), "{:?}", tick.events);
    assert!(tick.events.iter().any(|event| matches!(event, Event::Despawned { .. })), "{:?}", tick.events);
    assert!(tick.events.iter().any(|event| matches!(event, Event::Notice { count: 3, .. })));
}

#[test]
fn time_that_is_no_number_is_told_once_however_often_it_is_noted() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    for _ in 0..1000 {
        game.note_time(fixed_timestep::DueTicks { is_ignored: true, ..Default::default() });
    }
    let notices = |tick: &Tick| tick.events.iter().filter(|it| matches!(it, Event::Notice { .. })).count();
    assert_eq!(notices(&game.tick(&[])), 1);
    assert_eq!(notices(&game.tick(&[])), 0);
}

#[test]
fn a_door_that_an_edit_took_away_is_no_goal_and_takes_no_orders() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let (anna, gate) = (game.character("anna").expect("she"), game.door("gate").expect("the gate"));
    let doors = r#""doors": [ { "name": "gate", "area": "doorway", "seconds": 0.2 } ],"#;
    let files = BTreeMap::from([("a.json".to_owned(), text.replace(doors, "").into_bytes())]);
    let level = Some(crate::game::inputs::LevelTexts { path: "a.json".to_owned(), files });
    game.tick(&[Input::Reload(Reload { scripts: BTreeMap::new(), level })]);
    assert_eq!(game.door("gate"), None, "the edit took it away");
    for refused in [game.walk_to(anna, gate).map(drop), game.open_door(gate), game.close_door(gate)] {
        assert!(matches!(refused, Err(OpError::DoorGone { .. })), "{refused:?}");
    }
}

#[test]
fn after_the_end_verbs_are_refused_and_ticks_change_nothing() {
    let yard = crate::example::game().expect("the example");
    for mut game in [game(&levels().swap_remove(0).1), yard] {
        let anna = game.character("anna").expect("she is there");
        let walk = game.walk_to(anna, [7.5, 0.0, 2.5]).expect("she walks");
        game.tick(&[]);
        assert!(!game.has_ended());
        assert!(game.end().settled().any(|result| result.journey.walk == walk));
        assert!(game.has_ended());
        let (hash, number) = (game.fingerprint(), game.world().tick().0);
        let refused = [
            game.walk_to(anna, [4.5, 0.0, 2.5]).map(drop),
            game.add_character(Spawn::new("newcomer", [4.5, 0.0, 2.5])).map(drop),
            game.teleport(anna, [4.5, 0.0, 2.5], None).map(drop),
            game.remove_character(anna),
            game.open_door(DoorId(0)),
            game.close_door(DoorId(0)),
            game.add_block("barrel", [4.5, 0.0, 2.5], 1.0, 0),
            game.remove_block("barrel"),
            game.disable_area(AreaId(0)).map(drop),
        ];
        for answer in refused {
            assert_eq!(answer, Err(OpError::Ended));
        }
        assert!(!game.stop(anna));
        let input = Input::Door { door: "gate".to_owned(), order: DoorCommand::Open };
        let tick = game.tick(&[Input::event("bell"), input]);
        let kinds: Vec<&str> = tick
            .events
            .iter()
            .map(|event| match event {
                Event::InputRefused { what, why } if why == "the level has ended" => *what,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["event", "door"]);
        assert_eq!((tick.number, game.fingerprint()), (number, hash), "a tick after the end changes nothing");
        assert_eq!(game.end().events, [], "it ends once");
    }
}

#[test]
fn who_was_removed_has_no_pose_and_no_animation_at_once() {
    let (_, text) = levels().swap_remove(0);
    let mut game = game(&text);
    let anna = game.character("anna").expect("she is there");
    assert!(game.pose(anna).is_some() && !game.animation(anna).is_empty());
    game.remove_character(anna).expect("she is removed");
    assert_eq!((game.pose(anna), game.animation(anna)), (None, ""));
}

/// Why the input is refused; panics when it is not.
fn refusal(game: &mut Game, input: Input) -> String {
    let tick = game.tick(std::slice::from_ref(&input));
    let mut refusals = tick.events.iter().filter_map(|event| match event {
        Event::InputRefused { why, .. } => Some(why.clone()),
        _ => None,
    });
    refusals.next().unwrap_or_else(|| panic!("{} is taken: {:?}", input.kind(), tick.events))
}

#[test]
fn an_event_of_the_host_passes_by_the_rules_for_scripts() {
    let mut game = crate::example::game().expect("the example");
    let event = |name: &str, payload: Plain| Input::Event { name: name.to_owned(), payload: Some(payload) };
    let deep = (0..33).fold(Plain::Bool(true), |inner, _| Plain::List(vec![inner]));
    let half = Plain::Text("x".repeat(130 * 1024));
    for (input, why) in [
        (Input::event("walkSettled"), "\"walkSettled\" is an event of the runtime; choose another name"),
        (Input::event(""), "the name is empty, expected 1 to 128 bytes without control characters"),
        (event("bell", Plain::Number(f64::NAN)), "payload is not a finite number, expected plain data"),
        (
            event("bell", Plain::map([("a", Plain::List(vec![Plain::Number(f64::INFINITY)]))])),
            "payload.a[1] is not a finite number, expected plain data",
        ),
        (
            event("bell", Plain::List(vec![Plain::Bool(true), Plain::Vector(glam::Vec3::splat(NAN))])),
            "payload[2] is not a finite number, expected plain data",
        ),
        (
            event("bell", deep),
            &format!("payload{} is deeper than 32 tables, expected plain data", "[1]".repeat(32)),
        ),
        (
            event("bell", Plain::List(vec![half.clone(), half.clone()])),
            "payload is larger than 256 KiB, the most allowed",
        ),
        (
            event("bell", Plain::List(vec![Plain::Bool(true); 20_000])),
            "payload is larger than 256 KiB, the most allowed",
        ),
    ] {
        assert_eq!(refusal(&mut game, input), why);
    }
    let fine = (0..32).fold(Plain::Bool(true), |inner, _| Plain::List(vec![inner]));
    for payload in [fine, half, Plain::List(vec![Plain::Number(1.0); 1000])] {
        let tick = game.tick(&[event("bell", payload)]);
        let is_told = |event: &Event| matches!(event, Event::Input { .. });
        assert!(tick.events.iter().any(is_told), "{:?}", tick.events);
        assert_eq!(game.fault_count(), 0);
    }
}

#[test]
fn a_reload_under_a_path_of_no_script_is_refused() {
    let mut game = crate::example::game().expect("the example");
    let reload = |path: &str, text: Option<&str>| {
        let scripts = BTreeMap::from([(path.to_owned(), text.map(str::to_owned))]);
        Input::Reload(Reload { scripts, level: None })
    };
    let wrong = reload("cinematics/meeting", Some("return {"));
    let expected = "\"cinematics/meeting\" is not the path of a script, expected one that ends in .lua or .luau; \
        did you mean \"cinematics/meeting.lua\"?";
    assert_eq!(refusal(&mut game, wrong), expected);
    let gone = reload("yrad.lua", None);
    let expected = "there is no script \"yrad.lua\" to be deleted; did you mean \"yard.lua\"?";
    assert_eq!(refusal(&mut game, gone), expected);
    assert_eq!(game.reload_count(), 0);
    for (path, text) in [("yard.lua", Some("function onStart() end")), ("yard.lua", None)] {
        let tick = game.tick(&[reload(path, text)]);
        assert!(tick.events.iter().any(|event| matches!(event, Event::Reloaded { .. })), "{:?}", tick.events);
    }
    // Definitions for editors lie beside scripts, and are none.
    assert_eq!(game.tick(&[reload("types/walkon.d.luau", Some("declare"))]).events, []);
}

#[test]
fn a_recorded_game_whose_choices_waited_from_the_start_is_replayed() {
    let (level, scripts) = (crate::example::level().expect("it is right"), crate::example::scripts());
    let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
    let bound = Bound { ticks_max: 40, until: None, is_strict: false };
    let run = RunSetup { level_file: "yard.json", seed: 7, bound: bound.clone(), args: Vec::new(), options };
    let header = Header::of(&level, &scripts, BTreeMap::new(), run);
    let header = Header { is_interactive: true, ..header };
    assert_eq!(Header::read(&header.line()), Ok(header.clone()));
    let recorder = Recorder::new(options);
    let setup =
        Setup { scripts: scripts.clone(), seed: Some(7), recorder, is_interactive: true, ..Setup::default() };
    let mut game = Game::load(level.clone(), setup).expect("it starts");
    let mut trace = vec![header.line()];
    trace.extend(game.start_facts().lines);
    for tick in 1..=40 {
        let inputs = match tick {
            5 => vec![Input::event("bell")],
            20 => vec![Input::answer("well", "yes")],
            _ => Vec::new(),
        };
        trace.extend(game.tick(&inputs).lines);
    }
    let text = trace.join("\n") + "\n";
    let recording = Recording::read(&text).expect("it is a trace");
    let replayed = replay(&recording, level, scripts, Arc::default(), &mut || false).expect("it starts");
    assert!(replayed.is_same() && replayed.hashes == 40, "{replayed:?}");
}

/// Words that are no name, and how they are told of.
fn bad_names() -> [(String, &'static str); 5] {
    [
        (String::new(), "is empty"),
        ("a\nb".to_owned(), "has a control character"),
        ("a\u{0}".to_owned(), "has a control character"),
        ("x".repeat(129), "has 129 bytes"),
        ("y".repeat(50_000_000), "has 50000000 bytes"),
    ]
}

#[test]
fn tags_of_the_host_are_those_that_a_level_may_have() {
    let (_, text) = levels().swap_remove(0);
    let many = |count: usize| (0..count).map(|at| format!("tag{at}")).collect::<Vec<_>>();
    let lists = bad_names().map(|(tag, what)| (vec!["fine".to_owned(), tag], what));
    let lists = lists.into_iter().chain([65, 300_000].map(|count| (many(count), "tags has")));
    let mut game = game(&text);
    let before = game.save().expect("it can be saved");
    for (tags, what) in lists.clone() {
        let spawn = Spawn { tags, ..Spawn::new("newcomer", [4.5, 0.0, 2.5]) };
        let told = game.add_character(spawn).expect_err("they are no tags").to_string();
        assert!(told.contains(what) && told.contains("expected") && told.len() < 200, "{told}");
        assert_eq!(game.save().as_ref(), Ok(&before), "{told}");
    }
    for (tags, what) in lists {
        let at = [4.5, 0.0, 2.5];
        let input =
            Input::Spawn(InputSpawn { name: "newcomer".to_owned(), at, tags, ..InputSpawn::default() });
        let told = refusal(&mut game, input);
        assert!(told.contains(what) && game.character("newcomer").is_none(), "{told}");
    }
    // A level of what the host has made, as it would be written, is one.
    let fine = Spawn { tags: many(64), ..Spawn::new("newcomer", [4.5, 0.0, 2.5]) };
    let newcomer = game.add_character(fine).expect("64 are fine").expect("there is ground");
    assert_eq!(game.world().character(newcomer).map(|one| one.tags.len()), Some(65));
    let bytes = game.save().expect("it can be saved");
    Game::restore(level(&text), Setup::default(), &bytes).expect("it can be loaded");
}

#[test]
fn an_answer_that_no_choice_can_offer_is_refused() {
    let mut game = crate::example::game().expect("the example");
    let state = game.save().expect("it can be saved").len();
    for (id, what) in bad_names() {
        let told = refusal(&mut game, Input::answer(&id, "yes"));
        assert!(told.contains(what) && told.len() < 200, "{told}");
    }
    for option in [String::new(), "x".repeat(257), "y".repeat(50_000_000)] {
        let told = refusal(&mut game, Input::answer("well", &option));
        assert_eq!(told, format!("the option has {} bytes, expected 1 to 256", option.len()));
    }
    assert!(game.save().expect("it can be saved").len() < state + 100, "nothing of them is kept");
    // The longest that a choice can have.
    let tick = game.tick(&[Input::answer(&"x".repeat(128), &"y".repeat(256))]);
    assert_eq!(tick.events, []);
}

#[test]
fn answers_are_kept_up_to_a_limit_and_the_choice_under_way_is_always_answered() {
    let mut game = crate::example::game().expect("the example");
    game.tick(&[]);
    let longest = "y".repeat(256);
    let answers: Vec<_> = (0..4096).map(|at| Input::answer(&format!("{at:0>128}"), &longest)).collect();
    assert_eq!(game.tick(&answers).events, [], "so many are kept");
    let full = game.save().expect("it can be saved");
    assert!(full.len() < 4096 * 400 + 10_000, "{} bytes", full.len());
    // One more is refused while nobody asks; others may change.
    let most = "answers to 4096 choices are kept already, the most allowed";
    assert_eq!(refusal(&mut game, Input::answer("well", "yes")), most);
    assert_eq!(game.tick(&[Input::answer(&format!("{:0>128}", 7), "no")]).events, []);
    // Twice, since it is not kept.
    for _ in 0..2 {
        let mut tick = game.tick(&[Input::event("bell")]);
        assert!(tick.cues().any(|cue| matches!(cue.kind, CueKind::Choice { answer: None, .. })));
        tick = game.tick(&[Input::answer("well", "yes")]);
        let refused = |event: &Event| matches!(event, Event::InputRefused { .. });
        assert!(!tick.events.iter().any(refused) && tick.has("answered"), "{:?}", tick.events);
    }
    let setup = Setup { scripts: crate::example::scripts(), ..Setup::default() };
    Game::restore(crate::example::level().expect("it is right"), setup, &full).expect("it can be loaded");
}

#[test]
fn the_report_of_another_run_counts_what_the_first_one_counted() {
    let (_, text) = levels().swap_remove(0);
    let bound = Bound { ticks_max: 50, until: None, is_strict: false };
    for ahead in [0, 7] {
        let mut game = game(&text);
        for _ in 0..ahead {
            game.tick(&[]);
        }
        let first = headless::run(&mut game, &bound, |_, _| Onlooker::GoOn);
        assert_eq!((first.ticks, first.last_tick.0, first.ended), (50, 50, RunEnd::Bound));
        assert_eq!(headless::run(&mut game, &bound, |_, _| Onlooker::GoOn), first);
    }
}
