//! A level in Bevy without a window: the courtyard for a minute of game time, as fast as it goes.
//!
//! `cargo run --release --example headless [ROOT LEVEL TICKS]` prints what is said, and the hash of the state: that of
//! `walkon run`.

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, AssetServer};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use walkon_bevy::walkon::CueKind;
use walkon_bevy::{CueAsked, Games, Happened, LevelReady, LevelRefused, Walker, WalkonLevel, WalkonPlugin};

/// The level to run, and for how long.
#[derive(Resource)]
struct Asked {
    level: String,
    ticks: u64,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| "../..".to_owned());
    let level = arguments.next().unwrap_or_else(|| "levels/courtyard.json".to_owned());
    let ticks = arguments.next().and_then(|ticks| ticks.parse().ok()).unwrap_or(3600);
    App::new()
        .add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin))
        .add_plugins(AssetPlugin { file_path: root.clone(), ..AssetPlugin::default() })
        .add_plugins(WalkonPlugin::at(root))
        .insert_resource(Asked { level, ticks })
        // Every turn of the app is one tick; with a window it would be the time that has passed.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(bevy_app::ScheduleRunnerPlugin::default())
        .add_systems(Startup, begin)
        .add_systems(Update, (tell, finish).chain())
        .run();
}

fn begin(mut commands: Commands, assets: Res<AssetServer>, asked: Res<Asked>) {
    let level = assets.load(asked.level.clone());
    // As `walkon run` does: choices take their default.
    commands.spawn(WalkonLevel { seed: Some(1), is_interactive: false, ..WalkonLevel::new(level) });
}

fn tell(
    mut ready: MessageReader<LevelReady>,
    mut refused: MessageReader<LevelRefused>,
    mut cues: MessageReader<CueAsked>,
    walkers: Query<(&Walker, &Transform)>,
    fixed: Res<Time<Fixed>>,
) {
    for _ in ready.read() {
        for (walker, place) in &walkers {
            println!("{} stands at {:.1}, {:.1}", walker.name, place.translation.x, place.translation.z);
        }
    }
    if let Some(told) = refused.read().next() {
        eprintln!("{}:{}: {}", told.problem.file, told.problem.line, told.problem.message);
        std::process::exit(3);
    }
    for asked in cues.read() {
        if let CueKind::Said { character, line, .. } = &asked.cue.kind {
            println!("{:6.2} s  {character}: \"{line}\"", fixed.elapsed_secs());
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "a system names what it uses")]
fn finish(
    games: NonSend<Games>,
    levels: Query<Entity, With<WalkonLevel>>,
    mut happened: MessageReader<Happened>,
    mut told: Local<usize>,
    asked: Res<Asked>,
    mut exit: MessageWriter<AppExit>,
) {
    *told += happened.read().count();
    for level in &levels {
        let Some(live) = games.get(level) else { continue };
        let tick = live.game().world().tick().0;
        if tick >= asked.ticks {
            println!("{} events in {tick} ticks, hash {:016x}", *told, live.game().fingerprint().whole());
            exit.write(AppExit::Success);
        }
    }
}
