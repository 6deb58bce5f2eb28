//! What the plugin promises: one hash, entities that follow characters, inputs, saves, reloads, refusals.

#![allow(clippy::disallowed_methods, reason = "a test that writes files")]

use std::path::Path;
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, AssetServer, Assets};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use walkon_bevy::walkon::{Event, Input, InputGoal};
use walkon_bevy::{
    Games, Happened, LevelAsset, LevelRefused, PoseNow, RestoreExt, SayExt, Walker, WalkonLevel, WalkonPlugin,
};

const LEVEL: &str = r#"{ "name": "yard", "script": "yard.lua", "marks": { "bench": [17, 9] },
  "navigation": { "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }] },
  "characters": [{ "name": "anna", "position": [2, 6] }] }"#;
const SCRIPT: &str =
    "function onStart() event.on('bell', function() event.emit('rung', { version = 1 }) end) end";

/// An app whose every update is one tick, and everything that happened in it.
struct Stage {
    app: App,
}

#[derive(Resource, Default)]
struct Heard(Vec<Event>, Vec<String>);

fn hear(
    mut heard: ResMut<Heard>,
    mut told: MessageReader<Happened>,
    mut refused: MessageReader<LevelRefused>,
) {
    heard.0.extend(told.read().map(|told| told.event.clone()));
    let place = |told: &LevelRefused| {
        format!("{}:{}: {}", told.problem.file, told.problem.line, told.problem.message)
    };
    heard.1.extend(refused.read().map(place));
}

impl Stage {
    fn at(root: &Path) -> Self {
        Self::watching(root, false)
    }

    fn watching(root: &Path, watches: bool) -> Self {
        let mut app = App::new();
        let file_path = root.to_str().unwrap().to_owned();
        let watch_for_changes_override = Some(watches);
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin))
            .add_plugins(AssetPlugin { file_path, watch_for_changes_override, ..AssetPlugin::default() })
            .add_plugins(WalkonPlugin::at(root))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .init_resource::<Heard>()
            .add_systems(Last, hear);
        app.finish();
        app.cleanup();
        Self { app }
    }

    fn load(&mut self, path: &str) -> Entity {
        let handle = self.app.world().resource::<AssetServer>().load(path.to_owned());
        self.app.world_mut().spawn(WalkonLevel { seed: Some(1), ..WalkonLevel::new(handle) }).id()
    }

    fn tick(&self, level: Entity) -> u64 {
        let games = self.app.world().non_send::<Games>();
        games.get(level).map_or(0, |live| live.game().world().tick().0)
    }

    /// Goes on until something is so, at most so many updates; assets come in their own time.
    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..20_000 {
            if is_so(self) {
                return;
            }
            self.app.update();
            std::thread::sleep(Duration::from_micros(200));
        }
        panic!("never: {what}");
    }

    fn say(&mut self, level: Entity, input: Input) {
        self.app.world_mut().commands().entity(level).say(input);
        self.app.world_mut().flush();
    }

    fn has(&self, name: &str) -> bool {
        self.app.world().resource::<Heard>().0.iter().any(|event| event.name() == Some(name))
    }

    fn refused(&self) -> Vec<String> {
        self.app.world().resource::<Heard>().1.clone()
    }

    fn hash(&self, level: Entity) -> u64 {
        self.app.world().non_send::<Games>().get(level).unwrap().game().fingerprint().whole()
    }

    fn updates(&mut self, count: usize) {
        (0..count).for_each(|_| self.app.update());
    }

    /// From now on an update is less than a tick.
    fn slowly(&mut self) {
        let eight = TimeUpdateStrategy::ManualDuration(Duration::from_micros(8_000));
        self.app.world_mut().insert_resource(eight);
    }

    fn walkers(&mut self) -> Vec<(String, Transform)> {
        let mut query = self.app.world_mut().query::<(&Walker, &Transform)>();
        query.iter(self.app.world()).map(|(walker, place)| (walker.name.clone(), *place)).collect()
    }
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("walkon.json", "{}");
    write("levels/yard.json", LEVEL);
    write("scripts/yard.lua", SCRIPT);
    folder
}

#[test]
fn the_courtyard_has_the_hash_of_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let golden = std::fs::read_to_string(root.join("tests/golden/courtyard.txt")).unwrap();
    let golden = golden.rsplit("\"hash\":\"").next().unwrap()[..16].to_owned();
    let mut stage = Stage::at(&root);
    let handle = stage.app.world().resource::<AssetServer>().load("levels/courtyard.json");
    let level = WalkonLevel { seed: Some(1), is_interactive: false, ..WalkonLevel::new(handle) };
    let level = stage.app.world_mut().spawn(level).id();
    stage.until("the level is there", |stage| stage.tick(level) > 0);
    while stage.tick(level) < 3600 {
        stage.app.update();
    }
    let games = stage.app.world().non_send::<Games>();
    let hash = games.get(level).unwrap().game().fingerprint().whole();
    assert_eq!(format!("{hash:016x}"), golden);
}

#[test]
fn characters_are_entities_that_move_and_go_with_them() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("anna is there", |stage| stage.tick(level) > 0);
    let walkers = stage.walkers();
    assert_eq!((walkers.len(), walkers[0].0.as_str()), (1, "anna"));
    assert!((walkers[0].1.translation.x - 2.0).abs() < 0.1 && walkers[0].1.translation.z == 6.0);
    stage.say(level, Input::Walk { character: "anna".to_owned(), to: InputGoal::Named("bench".to_owned()) });
    stage.until("anna came", |stage| stage.has("walkSettled"));
    stage.app.update();
    let (_, place) = stage.walkers().remove(0);
    assert!((place.translation.x - 17.0).abs() < 0.1 && (place.translation.z - 9.0).abs() < 0.1, "{place:?}");
    stage.say(level, Input::Remove { character: "anna".to_owned() });
    stage.until("anna left", |stage| stage.has("despawned"));
    stage.app.update();
    assert_eq!(stage.walkers(), []);
    stage.app.world_mut().despawn(level);
    stage.app.update();
    assert!(stage.app.world().non_send::<Games>().get(level).is_none(), "the game goes with its entity");
}

#[test]
fn between_two_ticks_everybody_is_drawn_on_the_way() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("anna is there", |stage| stage.tick(level) > 0);
    stage.say(level, Input::Walk { character: "anna".to_owned(), to: InputGoal::Named("bench".to_owned()) });
    (0..60).for_each(|_| stage.app.update());
    let world = stage.app.world_mut();
    world.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(8_000)));
    let mut drawn = Vec::new();
    for _ in 0..12 {
        stage.app.update();
        let world = stage.app.world_mut();
        let mut query = world.query::<(&PoseNow, &Transform)>();
        let (now, place) = query.single(world).unwrap();
        drawn.push((place.translation.x, now.0.position[0]));
    }
    assert!(drawn.is_sorted_by(|one, next| one.0 < next.0), "{drawn:?}");
    assert!(drawn.iter().all(|(drawn, now)| drawn <= now), "{drawn:?}");
    let ticks = drawn.windows(2).filter(|two| two[0].1 != two[1].1).count();
    assert!((4..=7).contains(&ticks), "eight milliseconds are half a tick: {ticks}");
}

#[test]
fn what_is_saved_is_taken_in_while_the_game_goes_on() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("the level is there", |stage| stage.tick(level) > 5);
    let saved = SCRIPT.replace("version = 1", "version = 2");
    std::fs::write(folder.path().join("scripts/yard.lua"), saved).unwrap();
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    stage.until("it was reloaded", |stage| stage.has("reloaded"));
    assert!(stage.tick(level) > 5, "the same game");
    stage.say(level, Input::event("bell"));
    stage.until("the bell rang", |stage| stage.has("rung"));
    let heard = format!("{:?}", stage.app.world().resource::<Heard>().0);
    assert!(heard.contains("Number(2.0)") && !heard.contains("Number(1.0)"), "{heard}");
    std::fs::write(folder.path().join("levels/yard.json"), LEVEL.replace("[17, 9]", "[3, 9]")).unwrap();
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    stage.until("the bench was moved", |stage| {
        let games = stage.app.world().non_send::<Games>();
        games.get(level).and_then(|live| live.game().mark("bench")).is_some_and(|bench| bench[0] == 3.0)
    });
}

#[test]
fn a_level_that_cannot_start_says_where() {
    let folder = project();
    std::fs::write(folder.path().join("scripts/yard.lua"), "local x = nil\nx.y = 1").unwrap();
    let mut stage = Stage::at(folder.path());
    stage.load("levels/yard.json");
    stage.until("it was refused", |stage| !stage.app.world().resource::<Heard>().1.is_empty());
    let told = stage.refused();
    assert!(told.len() == 1 && told[0].starts_with("yard.lua:2: "), "{told:?}");
    let assets = stage.app.world().resource::<Assets<LevelAsset>>();
    assert_eq!(assets.len(), 1);
}

#[test]
fn a_level_file_that_is_no_level_says_where_and_a_game_under_way_goes_on() {
    let folder = project();
    let path = folder.path().join("levels/yard.json");
    std::fs::write(&path, LEVEL.replace("\"marks\"", "\"makrs\"")).unwrap();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    let none = stage.load("levels/none.json");
    stage.until("both were refused", |stage| stage.refused().len() == 2);
    stage.updates(5);
    let mut told = stage.refused();
    told.sort();
    assert_eq!(told.len(), 2, "each is told once: {told:?}");
    assert!(told[0].starts_with(":0: ") && told[0].contains("none.json"), "{told:?}");
    assert!(told[1].starts_with("levels/yard.json:1: ") && told[1].contains("makrs"), "{told:?}");
    stage.app.world_mut().despawn(none);
    std::fs::write(&path, LEVEL).unwrap();
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    stage.until("it is a level now", |stage| stage.tick(level) > 3);
    std::fs::write(&path, "{").unwrap();
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    stage.until("it is none again", |stage| stage.refused().len() == 3);
    let before = stage.tick(level);
    stage.updates(5);
    assert_eq!((stage.tick(level), stage.refused().len()), (before + 5, 3));
}

#[test]
fn another_level_begins_another_game_and_none_is_none() {
    let folder = project();
    let other = LEVEL.replace("anna", "bert").replace("\"yard\", \"script", "\"field\", \"script");
    std::fs::write(folder.path().join("levels/field.json"), other).unwrap();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("it has begun", |stage| stage.tick(level) > 20);
    let names = |stage: &mut Stage| stage.walkers().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let asked = stage.app.world_mut().entity_mut(level).take::<WalkonLevel>().unwrap();
    stage.app.update();
    assert_eq!((stage.tick(level), names(&mut stage)), (0, vec![]), "without the component nothing is there");
    stage.app.world_mut().entity_mut(level).insert(asked.clone());
    stage.until("it has begun again", |stage| stage.tick(level) > 20);
    assert_eq!(names(&mut stage), ["anna"]);
    // Within one update.
    stage.app.world_mut().entity_mut(level).remove::<WalkonLevel>().insert(asked);
    stage.app.update();
    assert_eq!(stage.tick(level), 1);
    let handle = stage.app.world().resource::<AssetServer>().load("levels/field.json");
    stage.app.world_mut().get_mut::<WalkonLevel>(level).unwrap().level = handle;
    stage.until("bert is there", |stage| stage.tick(level) > 20);
    stage.updates(2);
    assert_eq!(names(&mut stage), ["bert"]);
    // A change to the same changes nothing.
    stage.app.world_mut().get_mut::<WalkonLevel>(level).unwrap().seed = Some(1);
    stage.updates(2);
    assert!(stage.tick(level) > 20);
    stage.app.world_mut().get_mut::<WalkonLevel>(level).unwrap().seed = Some(2);
    stage.app.update();
    assert_eq!(stage.tick(level), 1, "another seed is another game");
}

#[test]
fn a_level_goes_back_to_its_save_and_goes_on_alike() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("anna is there", |stage| stage.tick(level) > 0);
    let walk = Input::Walk { character: "anna".to_owned(), to: InputGoal::Named("bench".to_owned()) };
    stage.say(level, walk);
    stage.updates(60);
    let tick = stage.tick(level);
    let save: std::sync::Arc<[u8]> =
        stage.app.world().non_send::<Games>().get(level).unwrap().save().unwrap().into();
    stage.updates(100);
    // The same save twice.
    let mut hashes = Vec::new();
    for _ in 0..2 {
        stage.app.world_mut().commands().entity(level).restore(save.clone());
        stage.app.world_mut().flush();
        stage.app.update();
        assert_eq!(stage.tick(level), tick + 1, "the update has a tick");
        stage.updates(99);
        assert_eq!((stage.tick(level), stage.walkers().len()), (tick + 100, 1));
        hashes.push(stage.hash(level));
    }
    assert_eq!(hashes[0], hashes[1]);
    stage.app.world_mut().commands().entity(level).restore(save[..40].to_vec());
    stage.app.world_mut().flush();
    stage.updates(2);
    let told = stage.refused();
    assert!(told.len() == 1 && told[0].contains("the save game cannot be read"), "{told:?}");
    let again =
        WalkonLevel { save: Some(save), ..stage.app.world().get::<WalkonLevel>(level).unwrap().clone() };
    let other = stage.app.world_mut().spawn(again).id();
    stage.app.update();
    assert_eq!(stage.tick(other), tick + 1, "a level may begin with a save");
}

#[test]
fn who_is_put_somewhere_is_drawn_there_and_nobody_moves_after_the_end() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let level = stage.load("levels/yard.json");
    stage.until("anna is there", |stage| stage.tick(level) > 0);
    stage.slowly();
    let at = [15.0, 0.0, 3.0];
    let teleport =
        walkon_bevy::walkon::InputTeleport { character: "anna".to_owned(), to: at, facing_rad: None };
    stage.say(level, Input::Teleport(teleport));
    for _ in 0..8 {
        stage.app.update();
        let (_, place) = stage.walkers().remove(0);
        assert!([2.0, 15.0].contains(&place.translation.x), "on the way: {place:?}");
    }
    assert_eq!(stage.walkers()[0].1.translation.to_array(), at);
    stage.say(level, Input::Walk { character: "anna".to_owned(), to: InputGoal::Named("bench".to_owned()) });
    stage.updates(60);
    stage.app.world_mut().non_send_mut::<Games>().get_mut(level).unwrap().end().unwrap();
    stage.updates(4);
    let there = stage.walkers();
    assert!(there[0].1.translation.z > 3.2, "{there:?}");
    for _ in 0..8 {
        stage.app.update();
        assert_eq!(stage.walkers(), there);
    }
}

#[test]
fn what_was_refused_is_taken_in_with_the_next_change() {
    let folder = project();
    let mut stage = Stage::at(folder.path());
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join("scripts").join(name), text).unwrap();
    let more = "return { version = 1 }";
    write("more.lua", more);
    let script =
        "function onStart() event.on('bell', function() event.emit('rung', require('more')) end) end";
    write("yard.lua", script);
    let level = stage.load("levels/yard.json");
    stage.until("the level is there", |stage| stage.tick(level) > 5);
    // Both are saved, and one of them is no script: neither is taken.
    write("more.lua", "return { version = 2 }");
    write("yard.lua", "function onStart(");
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    let refused = |stage: &Stage| {
        let heard = &stage.app.world().resource::<Heard>().0;
        heard.iter().any(|event| matches!(event, Event::ReloadRefused { .. }))
    };
    stage.until("it was refused", refused);
    // The other one is as the game has it again, and the first, which was saved before, comes with it.
    write("yard.lua", script);
    stage.app.world().resource::<AssetServer>().reload("levels/yard.json");
    stage.until("it was reloaded", |stage| stage.has("reloaded"));
    stage.say(level, Input::event("bell"));
    stage.until("the bell rang", |stage| stage.has("rung"));
    let heard = format!("{:?}", stage.app.world().resource::<Heard>().0);
    assert!(heard.contains("Number(2.0)") && !heard.contains("Number(1.0)"), "{heard}");
}

#[test]
fn a_script_that_is_saved_is_taken_in_by_itself() {
    let folder = project();
    let root = folder.path().canonicalize().unwrap();
    let mut stage = Stage::watching(&root, true);
    let level = stage.load("levels/yard.json");
    stage.until("the level is there", |stage| stage.tick(level) > 5);
    std::fs::write(root.join("scripts/yard.lua"), SCRIPT.replace("version = 1", "version = 2")).unwrap();
    stage.until("it was reloaded", |stage| stage.has("reloaded"));
    stage.say(level, Input::event("bell"));
    stage.until("the bell rang", |stage| stage.has("rung"));
    let heard = format!("{:?}", stage.app.world().resource::<Heard>().0);
    assert!(heard.contains("Number(2.0)"), "{heard}");
}
