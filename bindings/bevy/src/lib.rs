//! walkon for Bevy: levels as assets, characters as entities, what happens as messages.
//!
//! In: a level entity ([`WalkonLevel`]), inputs ([`SayExt`]). Out: a child entity for each character with a `Transform`
//! between two ticks, messages ([`Happened`], [`CueAsked`], [`LevelRefused`]). Holds: ticks run in Bevy's fixed schedule,
//! at the tick rate of the level, and nowhere else, so a level has the hash that `walkon run` has; a file that is
//! saved is taken in while the game goes on. Not here: what a level does (`walkon`), what anything looks like.
//!
//! ```no_run
//! use bevy_app::{ScheduleRunnerPlugin, prelude::*};
//! use bevy_asset::{AssetPlugin, AssetServer};
//! use bevy_ecs::prelude::*;
//! use walkon_bevy::{Happened, SayExt, WalkonLevel, WalkonPlugin};
//! use walkon::{Event, Input};
//!
//! fn main() {
//!     App::new()
//!         .add_plugins(ScheduleRunnerPlugin::run_loop(std::time::Duration::from_millis(8)))
//!         .add_plugins((TaskPoolPlugin::default(), bevy_time::TimePlugin, bevy_transform::TransformPlugin))
//!         .add_plugins(AssetPlugin { file_path: "project".to_owned(), ..Default::default() })
//!         .add_plugins(WalkonPlugin::at("project"))
//!         .add_systems(Startup, |mut commands: Commands, assets: Res<AssetServer>| {
//!             let level = WalkonLevel { seed: Some(1), ..WalkonLevel::new(assets.load("levels/courtyard.json")) };
//!             commands.spawn(level).say(Input::event("bell"));
//!         })
//!         .add_systems(Update, |mut happened: MessageReader<Happened>| {
//!             for told in happened.read() {
//!                 if let Event::WalkSettled(result) = &told.event {
//!                     println!("a walk ended: {}", result.reason().name());
//!                 }
//!             }
//!         })
//!         .run();
//! }
//! ```

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

mod asset;
mod game;
mod poses;
mod say;

use std::path::PathBuf;

use bevy_app::prelude::*;
use bevy_asset::{AssetApp, AssetEventSystems};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::IntoScheduleConfigs;

pub use asset::{LevelAsset, LevelLoadError};
pub use game::{CueAsked, Games, Happened, LevelReady, LevelRefused, Waiting, Walker, WalkonLevel};
pub use poses::{PoseBefore, PoseNow};
pub use say::{RestoreExt, SayExt};
pub use walkon;
pub use walkon_shell::{LiveGame, Problem, ProblemKind};

/// Where in `FixedUpdate` levels take their tick: systems that say something to a level come before, those that look at
/// what became of it after.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WalkonTick;

/// Runs levels of walkon. Needs the plugins of time, of assets and of transforms.
#[derive(Clone, Debug)]
pub struct WalkonPlugin {
    /// The folder of assets, which is the root of a project of walkon, or has some below it.
    pub root: PathBuf,
}

impl WalkonPlugin {
    /// Levels below this folder: the `file_path` of the asset plugin.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Plugin for WalkonPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<LevelAsset>()
            .register_asset_loader(asset::LevelLoader::at(self.root.clone()))
            .add_message::<Happened>()
            .add_message::<CueAsked>()
            .add_message::<LevelReady>()
            .add_message::<LevelRefused>()
            .init_non_send::<Games>()
            .add_systems(
                PreUpdate,
                (game::start, game::reload, game::forget).chain().after(AssetEventSystems),
            )
            .add_systems(FixedUpdate, game::tick.in_set(WalkonTick))
            .add_systems(RunFixedMainLoop, poses::place.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop));
    }
}
