//! A level in a window: its map from above, its characters as discs in the colours of `walkon draw`, what is said in
//! the title. A level or script that is saved is taken in while it runs.
//!
//! `cargo run --release -- [ROOT LEVEL] [--seconds N]` here. The space bar pauses, 1 to 9 answer a choice, Escape closes;
//! with `--seconds` the window closes by itself.
//!
//! Bevy has the window, its keys and the loop (`bevy_window`, `bevy_input`, `bevy_winit`); `paint` has the pixels, in
//! place of Bevy's renderer. A game that draws with `DefaultPlugins` keeps everything here but `paint`, and gives each
//! new `Walker` a mesh instead.

mod paint;

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, AssetServer};
use bevy_ecs::prelude::*;
use bevy_input::InputPlugin;
use bevy_input::prelude::*;
use bevy_time::{Real, Time, TimePlugin, Virtual};
use bevy_transform::TransformPlugin;
use bevy_window::{Window, WindowPlugin};
use bevy_winit::{UpdateMode, WinitPlugin, WinitSettings};
use walkon_bevy::walkon::{CueKind, Input};
use walkon_bevy::{CueAsked, Games, LevelReady, LevelRefused, SayExt, WalkonLevel, WalkonPlugin};

/// How often the picture is drawn.
const FRAME: Duration = Duration::from_micros(16_667);

/// The keys that answer a choice, in the order of its options.
const DIGITS: [KeyCode; 9] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];

/// What stands on the command line.
#[derive(Resource)]
struct Asked {
    level: String,
    /// After how many seconds the window closes.
    seconds: Option<f32>,
}

/// The choice that waits for an answer.
#[derive(Resource, Default)]
struct OpenChoice(Option<Choice>);

struct Choice {
    level: Entity,
    id: String,
    options: Vec<String>,
}

fn main() -> AppExit {
    let (mut places, mut seconds) = (Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
        } else {
            places.push(argument);
        }
    }
    let mut places = places.into_iter();
    let root = places.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../..").to_owned());
    let level = places.next().unwrap_or_else(|| "levels/courtyard.json".to_owned());
    let window = Window { title: level.clone(), resolution: (960, 600).into(), ..Window::default() };
    // Pixels are drawn by the processor here: no more often than they are shown.
    let mode = UpdateMode::reactive_low_power(FRAME);
    App::new()
        // With all of Bevy, these are `DefaultPlugins`.
        .add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, InputPlugin))
        .add_plugins(AssetPlugin { file_path: root.clone(), ..AssetPlugin::default() })
        .add_plugins(WindowPlugin { primary_window: Some(window), ..WindowPlugin::default() })
        .add_plugins((bevy_a11y::AccessibilityPlugin, WinitPlugin::default()))
        .insert_resource(WinitSettings { focused_mode: mode, unfocused_mode: mode })
        .add_plugins((WalkonPlugin::at(root), paint::PaintPlugin))
        .insert_resource(Asked { level, seconds })
        .init_resource::<OpenChoice>()
        .add_systems(Startup, begin)
        .add_systems(Update, (hear_keys, show, finish).chain())
        .run()
}

fn begin(mut commands: Commands, assets: Res<AssetServer>, asked: Res<Asked>) {
    commands.spawn(WalkonLevel::new(assets.load(asked.level.clone())));
}

/// What is said, asked or wrong stands in the title.
fn show(
    mut ready: MessageReader<LevelReady>,
    mut refused: MessageReader<LevelRefused>,
    mut cues: MessageReader<CueAsked>,
    mut choice: ResMut<OpenChoice>,
    mut windows: Query<&mut Window>,
    games: NonSend<Games>,
) {
    let mut titles = Vec::new();
    for begun in ready.read() {
        let name = games.get(begun.level).map(|live| live.game().world().level_name().to_owned());
        titles.extend(name);
    }
    for told in refused.read() {
        titles.push(format!("{}:{}: {}", told.problem.file, told.problem.line, told.problem.message));
    }
    for asked in cues.read() {
        match &asked.cue.kind {
            CueKind::Said { character, line, .. } => titles.push(format!("{character}: {line}")),
            CueKind::Choice { id, options, answer: None } => {
                let numbered = options.iter().zip(1..).map(|(option, key)| format!("{key} {option}"));
                titles.push(format!("{id}: {}", numbered.collect::<Vec<_>>().join(", ")));
                choice.0 = Some(Choice { level: asked.level, id: id.clone(), options: options.clone() });
            }
            _ => {}
        }
    }
    titles.iter().for_each(|title| println!("{title}"));
    if let (Some(title), Ok(mut window)) = (titles.pop(), windows.single_mut()) {
        window.title = title;
    }
}

fn hear_keys(
    keys: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    mut choice: ResMut<OpenChoice>,
    mut time: ResMut<Time<Virtual>>,
    mut exit: MessageWriter<AppExit>,
) {
    if keys.just_pressed(KeyCode::Escape) {
        exit.write(AppExit::Success);
    }
    // Ticks are taken in the fixed schedule, which stands still with the virtual clock.
    if keys.just_pressed(KeyCode::Space) {
        if time.is_paused() {
            time.unpause()
        } else {
            time.pause()
        }
        println!("{}", if time.is_paused() { "paused" } else { "goes on" });
    }
    let pressed = DIGITS.iter().position(|digit| keys.just_pressed(*digit));
    let answer = pressed.zip(choice.0.as_ref()).and_then(|(index, open)| {
        let option = open.options.get(index)?.clone();
        Some((open.level, Input::Answer { id: open.id.clone(), option }))
    });
    if let Some((level, answer)) = answer {
        choice.0 = None;
        commands.entity(level).say(answer);
    }
}

fn finish(
    asked: Res<Asked>,
    time: Res<Time<Real>>,
    games: NonSend<Games>,
    levels: Query<Entity, With<WalkonLevel>>,
    mut exit: MessageWriter<AppExit>,
) {
    if asked.seconds.is_some_and(|seconds| time.elapsed_secs() >= seconds) {
        for live in levels.iter().filter_map(|level| games.get(level)) {
            println!("closed after {} ticks", live.game().world().tick().0);
        }
        exit.write(AppExit::Success);
    }
}
