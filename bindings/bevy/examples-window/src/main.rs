//! A level in a window: characters are capsules that walk about, what is said stands in the title, the space bar
//! answers choices, and a script that is saved is taken in while the level runs.
//!
//! `cargo run --release -- [ROOT LEVEL]` here.

use std::path::PathBuf;

use bevy::prelude::*;
use walkon_bevy::walkon::{CueKind, Input};
use walkon_bevy::{CueAsked, LevelRefused, SayExt, Walker, WalkonLevel, WalkonPlugin};

/// Height and radius of a capsule, metres.
const TALL_M: f32 = 1.7;
const WIDE_M: f32 = 0.3;

/// The level to show.
#[derive(Resource)]
struct Asked(String);

/// The choice that waits for an answer: of which level, its id, the options.
#[derive(Resource, Default)]
struct Waits(Option<(Entity, String, Vec<String>)>);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root =
        arguments.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../..").to_owned());
    let root = PathBuf::from(&root).canonicalize().unwrap_or_else(|_| root.into());
    let level = arguments.next().unwrap_or_else(|| "levels/courtyard.json".to_owned());
    let file_path = root.to_string_lossy().into_owned();
    App::new()
        .add_plugins(DefaultPlugins.set(AssetPlugin { file_path, ..default() }))
        .add_plugins(WalkonPlugin::at(root))
        .insert_resource(Asked(level))
        .init_resource::<Waits>()
        .add_systems(Startup, begin)
        .add_systems(Update, (dress, show, answer).chain())
        .run();
}

fn begin(
    mut commands: Commands,
    assets: Res<AssetServer>,
    asked: Res<Asked>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    commands.spawn((WalkonLevel::new(assets.load(asked.0.clone())), Visibility::default()));
    let middle = Vec3::new(12.0, 0.0, 8.0);
    let eye = Transform::from_translation(middle + Vec3::new(0.0, 20.0, 18.0));
    commands.spawn((Camera3d::default(), eye.looking_at(middle, Vec3::Y)));
    let sun = Transform::from_xyz(4.0, 12.0, 6.0);
    commands.spawn((DirectionalLight::default(), sun.looking_at(Vec3::ZERO, Vec3::Y)));
    let ground = meshes.add(Plane3d::default().mesh().size(40.0, 40.0));
    let grey = materials.add(Color::srgb(0.35, 0.38, 0.35));
    commands.spawn((Mesh3d(ground), MeshMaterial3d(grey), Transform::from_translation(middle)));
}

/// Everybody who appears gets a body, and a nose that shows where it looks.
fn dress(
    mut commands: Commands,
    appeared: Query<Entity, Added<Walker>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for walker in &appeared {
        let body = meshes.add(Capsule3d::new(WIDE_M, TALL_M - 2.0 * WIDE_M));
        let nose = meshes.add(Cuboid::new(0.1, 0.1, 0.3));
        let hue = materials.add(Color::hsl((walker.index_u32() * 67 % 360) as f32, 0.6, 0.5));
        let parts = [(body, Vec3::Y * TALL_M / 2.0), (nose, Vec3::new(0.0, 0.85 * TALL_M, WIDE_M))];
        commands.entity(walker).insert(Visibility::default()).with_children(|walker| {
            for (mesh, at) in parts {
                walker.spawn((Mesh3d(mesh), MeshMaterial3d(hue.clone()), Transform::from_translation(at)));
            }
        });
    }
}

/// What is said, asked or wrong stands in the title.
fn show(
    mut cues: MessageReader<CueAsked>,
    mut refused: MessageReader<LevelRefused>,
    mut waits: ResMut<Waits>,
    mut windows: Query<&mut Window>,
) {
    let mut title = None;
    for told in refused.read() {
        title = Some(format!("{}:{}: {}", told.problem.file, told.problem.line, told.problem.message));
    }
    for asked in cues.read() {
        match &asked.cue.kind {
            CueKind::Said { character, line, .. } => title = Some(format!("{character}: {line}")),
            CueKind::Choice { id, options, answer: None } => {
                title = Some(format!("{id}: {} (space takes the first)", options.join(", ")));
                waits.0 = Some((asked.level, id.clone(), options.clone()));
            }
            _ => {}
        }
    }
    if let (Some(title), Ok(mut window)) = (title, windows.single_mut()) {
        window.title = title;
    }
}

fn answer(mut commands: Commands, keys: Res<ButtonInput<KeyCode>>, mut waits: ResMut<Waits>) {
    if !keys.just_pressed(KeyCode::Space) {
        return;
    }
    if let Some((level, id, options)) = waits.0.take()
        && let Some(option) = options.into_iter().next()
    {
        commands.entity(level).say(Input::Answer { id, option });
    }
}
