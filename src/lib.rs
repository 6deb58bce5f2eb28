//! walkon: a gameplay runtime in which Rust owns the navigation map, the characters and the
//! fixed-step loop, and Lua decides what the characters want.
//!
//! Everything that a game needs stands at the root of this crate. A level comes from texts ([`load`]), a
//! [`Game`] runs it tick by tick ([`Game::tick`]), and each [`Tick`] says what happened ([`Event`]) and what
//! scenes ask for ([`Cue`]).
//!
//! ```
//! use std::collections::BTreeMap;
//! use walkon::{Event, Game, Input, MemorySource, Setup, Spawn, load};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let level = r#"{
//!   "name": "yard",
//!   "navigation": { "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }] },
//!   "characters": [{ "name": "anna", "position": [2, 6] }],
//!   "script": "yard.lua"
//! }"#;
//! let script = r#"
//! function onStart()
//!   event.on("bell", function() world.character("anna"):walkTo(12, 6) end)
//! end
//! "#;
//! let level = load("yard.json", &MemorySource::new().with("yard.json", level))?;
//! let scripts = BTreeMap::from([("yard.lua".to_owned(), script.to_owned())]);
//! let mut game = Game::load(level, Setup { scripts, ..Setup::default() })?;
//!
//! let mut tick = game.tick(&[Input::event("bell")]);
//! while tick.settled().next().is_none() {
//!     tick = game.tick(&[]);
//! }
//! let anna = game.character("anna").ok_or("there is no anna")?;
//! for event in &tick.events {
//!     if let Event::WalkSettled(result) = event {
//!         assert!(result.is_ok() && result.journey.character == anna);
//!     }
//! }
//! let [x, _, _] = game.pose(anna).ok_or("anna was removed")?.position;
//! assert!((x - 12.0).abs() <= 0.05, "a walk ends within `walkThreshold` of its goal: {x}");
//! # Ok(())
//! # }
//! ```
//!
//! That list is the whole promise to hosts. Tools of this project use the modules behind it, which are not
//! shown here. Navigation by itself is the crate `walkon-nav`. Places cross the border as `[f32; 3]` in
//! metres; with the feature `mint` vectors of other libraries are taken as well.

#![deny(unsafe_code)]

#[doc(hidden)]
pub mod disk;
#[doc(hidden)]
pub mod example;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod level;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
pub mod sim;
#[doc(hidden)]
pub mod view;
#[doc(hidden)]
pub mod world;

#[doc(hidden)]
pub use glam;
#[doc(hidden)]
pub use walkon_nav::{base, crowd, nav};

// Levels.
pub use disk::Folder;
pub use level::{
    Diagnostic, FileSource, Level, LevelDef, LevelError, LevelFile, Located, MemorySource, PathError,
    Resolved, Severity, SourceError, Span, load,
};

// Games and their ticks.
pub use game::event::{Event, ScriptFault};
pub use game::find::Found;
pub use game::fixed_timestep::{DueTicks, FixedTimestep};
pub use game::header::{Header as TraceHeader, ProjectTexts, RunSetup};
pub use game::headless::{Bound, Host, Onlooker, Report, RunEnd, run as run_headless};
pub use game::host::Pose;
pub use game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport, LevelTexts, Reload};
pub use game::inspect::Inspected;
pub use game::recorder::{CrowdCounts, RecordOptions, Recorder, ReloadNote};
pub use game::recording::{EndLine, ReadError, Recording};
pub use game::replay::{Difference, HashDifference, ReplayResult, What as DifferenceKind, replay};
pub use game::roster::{Row, Stance};
pub use game::save::{RestoreError, SaveError, SaveHeader};
pub use game::tick::Tick;
pub use game::{Game, LevelOutcome, Setup, StartError, TickStep};
pub use script::host::reload::ReloadError;
pub use script::state::profile::report::CallKey;
pub use script::state::profile::{Profile, ProfileSetup, Stopwatch, Use, Who as ProfiledCaller};
pub use script::vm::VmError;
pub use script::vm::fault::CallFailure;
pub use script::vm::files::FileError;
pub use script::vm::fuel::Signals;

// Debuggers.
pub use game::debugging::EVENT_NAMES;
pub use script::debug::{
    Asking, BreakpointState, BreakpointWish, DebugClient, DebugFrame, DebugOrder, DebugScope, DebugThread,
    Debugger, FaultStops, HitRule, Page, PagePart, Paused, StopReason, Variable,
};

// What events speak of.
pub use base::ids::{AreaId, CharacterId, DoorId, RegionId, WalkId};
pub use base::threads::Threads;
pub use base::time::{Tick as TickNumber, TickRate};
pub use base::value::{Plain, PlainKey};
pub use world::cue::{Cue, CueKind};
pub use world::door::{DoorSignal, DoorState};
pub use world::event::{EvaluationFailure, LogLine, ReloadedFile, SwitchedOff};
pub use world::outcome::{Blocker, Journey, Reason, Status, WalkResult};
pub use world::region::CrossingKind;
pub use world::scratch::PathCounts;
pub use world::state_hash::WorldHash;
pub use world::walk::Ask;
pub use world::walks::WalkCounts;

// What a game asks for.
pub use world::World;
pub use world::character::Gait;
pub use world::door::DoorPolicy;
pub use world::goal::Goal;
pub use world::ops::OpError;
pub use world::ops::characters::Spawn;
pub use world::walk::{AcceptEnd, Crowd, LookTarget, Tells, WalkOptions, WalkPace};

// The map.
pub use glam::Vec3;
pub use nav::{
    Accept, Disc, LayerChange, LinkAction, LinkActions, NavMap, Others, OwnArea, PassRules, Path, PathAnswer,
    PathFailure, PathQuery, PathStatus, Revision, Search, Traversal,
};
