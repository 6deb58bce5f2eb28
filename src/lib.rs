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
//! A game stays on the thread that made it: [`Game`] and [`Setup`] are not `Send`, because scripts share what
//! they keep and a debugger or a stopwatch may be of one thread. Make the game on the thread that is to run
//! it, and send that thread inputs; [`Game::set_threads`] spreads the crowd over several by itself.
//!
//! Ids ([`CharacterId`], [`DoorId`], [`AreaId`] and the like) are numbers within one game. A game takes the
//! id of another one for its own when it has something of that number: a host of several games keeps their
//! ids apart.
//!
//! The list below is the whole promise to hosts. What stands behind it is the crate `walkon-runtime`: the
//! tools of this project use its modules, and it promises nothing. Navigation by itself is the crate
//! `walkon-nav`. Poses and inputs have places as `[f32; 3]` in metres, and verbs take them; a [`Spawn`], a
//! [`Goal`], the options of walks and the map have [`Vec3`]. With the feature `mint` vectors of other
//! libraries are taken as well. A game leaves the program out:
//! `walkon = { version = "0.1", default-features = false }`.

#![deny(unsafe_code)]

// Levels.
#[doc(inline)]
pub use walkon_runtime::disk::{Folder, ListingLimits};
#[doc(inline)]
pub use walkon_runtime::level::{
    CharacterDef, Diagnostic, DoorDef, FileSource, Level, LevelDef, LevelError, LevelFile, Located,
    MemorySource, PathError, Resolved, Severity, SourceError, Span, load,
};

// Games and their ticks.
#[doc(inline)]
pub use walkon_runtime::game::event::{Event, ScriptFault};
#[doc(inline)]
pub use walkon_runtime::game::find::Found;
#[doc(inline)]
pub use walkon_runtime::game::fixed_timestep::{DueTicks, FixedTimestep};
#[doc(inline)]
pub use walkon_runtime::game::header::{Header as TraceHeader, ProjectTexts, RunSetup};
#[doc(inline)]
pub use walkon_runtime::game::headless::{
    Bound, Host, Onlooker, Report, RunEnd, end as end_run, run as run_headless, run_hosted,
};
#[doc(inline)]
pub use walkon_runtime::game::host::Pose;
#[doc(inline)]
pub use walkon_runtime::game::inputs::{
    DoorCommand, Input, InputGoal, InputSpawn, InputTeleport, LevelTexts, Reload,
};
#[doc(inline)]
pub use walkon_runtime::game::inspect::Inspected;
#[doc(inline)]
pub use walkon_runtime::game::recorder::{RecordOptions, Recorder};
#[doc(inline)]
pub use walkon_runtime::game::recording::{ReadError, Recording};
#[doc(inline)]
pub use walkon_runtime::game::replay::{Difference, DifferenceKind, HashDifference, ReplayResult, replay};
#[doc(inline)]
pub use walkon_runtime::game::roster::{Row, Stance};
#[doc(inline)]
pub use walkon_runtime::game::save::{RestoreError, SaveError, SaveHeader};
#[doc(inline)]
pub use walkon_runtime::game::tick::Tick;
#[doc(inline)]
pub use walkon_runtime::game::tick_notes::{CrowdCounts, ReloadNote};
#[doc(inline)]
pub use walkon_runtime::game::{Game, LevelOutcome, Setup, StartError, TickStep};
#[doc(inline)]
pub use walkon_runtime::script::host::reload::ReloadError;
#[doc(inline)]
pub use walkon_runtime::script::state::profile::report::CallKey;
#[doc(inline)]
pub use walkon_runtime::script::state::profile::{
    Profile, ProfileSetup, Stopwatch, Use, Who as ProfiledCaller,
};
#[doc(inline)]
pub use walkon_runtime::script::vm::VmError;
#[doc(inline)]
pub use walkon_runtime::script::vm::fault::{CallFailure, FaultKind};
#[doc(inline)]
pub use walkon_runtime::script::vm::files::FileError;
#[doc(inline)]
pub use walkon_runtime::script::vm::fuel::Signals;

// Debuggers; what one of them says and hears is in [`debug`].
#[doc(inline)]
pub use walkon_runtime::script::debug::Debugger;

// What events speak of.
#[doc(inline)]
pub use walkon_runtime::base::ids::{AreaId, CharacterId, DoorId, RegionId, WalkId};
#[doc(inline)]
pub use walkon_runtime::base::threads::Threads;
#[doc(inline)]
pub use walkon_runtime::base::time::{TickNumber, TickRate};
#[doc(inline)]
pub use walkon_runtime::base::value::{Plain, PlainKey};
#[doc(inline)]
pub use walkon_runtime::world::cue::{Cue, CueKind};
#[doc(inline)]
pub use walkon_runtime::world::door::{DoorSignal, DoorState};
#[doc(inline)]
pub use walkon_runtime::world::event::{EvaluationFailure, LogLine, ReloadedFile, SwitchedOff};
#[doc(inline)]
pub use walkon_runtime::world::outcome::{Blocker, Journey, Reason, Status, WalkResult};
#[doc(inline)]
pub use walkon_runtime::world::region::CrossingKind;
#[doc(inline)]
pub use walkon_runtime::world::state_hash::WorldHash;
#[doc(inline)]
pub use walkon_runtime::world::walk::Ask;

// What a game asks for.
#[doc(inline)]
pub use walkon_runtime::world::World;
#[doc(inline)]
pub use walkon_runtime::world::area::Area;
#[doc(inline)]
pub use walkon_runtime::world::character::{Body, Character, Gait};
#[doc(inline)]
pub use walkon_runtime::world::door::{Door, DoorPolicy};
#[doc(inline)]
pub use walkon_runtime::world::goal::Goal;
#[doc(inline)]
pub use walkon_runtime::world::ops::OpError;
#[doc(inline)]
pub use walkon_runtime::world::ops::characters::Spawn;
#[doc(inline)]
pub use walkon_runtime::world::place::Mark;
#[doc(inline)]
pub use walkon_runtime::world::region::Region;
#[doc(inline)]
pub use walkon_runtime::world::scratch::PathCounts;
#[doc(inline)]
pub use walkon_runtime::world::settings::Settings;
#[doc(inline)]
pub use walkon_runtime::world::tiles::Tiles;
#[doc(inline)]
pub use walkon_runtime::world::walk::{AcceptEnd, Crowd, LookTarget, Tells, Walk, WalkOptions, WalkPace};
#[doc(inline)]
pub use walkon_runtime::world::walks::WalkCounts;

// The map.
#[doc(inline)]
pub use walkon_runtime::base::rng::Rng;
#[doc(inline)]
pub use walkon_runtime::glam::Vec3;
#[doc(inline)]
pub use walkon_runtime::nav::{
    Accept, Disc, LayerChange, LayerPoint, LinkAction, LinkActions, Location, NavMap, Others, PassRules,
    Path, PathAnswer, PathFailure, PathQuery, PathStatus, RandomPoint, Reach, Revision, Search, Traversal,
};

/// What a debugger of scripts says and hears: for tools, beside what a game needs.
pub mod debug {
    #[doc(inline)]
    pub use walkon_runtime::script::debug::{
        Asking, BreakpointState, BreakpointWish, DebugClient, DebugFrame, DebugOrder, DebugScope,
        DebugThread, FaultStops, HitRule, Page, PagePart, Paused, StopReason, Variable,
    };
}
