//! What the plugin promises: one hash, entities that follow characters, inputs, reloads, refusals.

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
    Games, Happened, LevelAsset, LevelRefused, PoseNow, SayExt, Walker, WalkonLevel, WalkonPlugin,
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
    let place = |told: &LevelRefused| format!("{}:{}", told.problem.file, told.problem.line);
    heard.1.extend(refused.read().map(place));
}

impl Stage {
    fn at(root: &Path) -> Self {
        let mut app = App::new();
        let file_path = root.to_str().unwrap().to_owned();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin))
            .add_plugins(AssetPlugin { file_path, ..AssetPlugin::default() })
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
    assert_eq!(stage.app.world().resource::<Heard>().1, ["yard.lua:2"]);
    let assets = stage.app.world().resource::<Assets<LevelAsset>>();
    assert_eq!(assets.len(), 1);
}
