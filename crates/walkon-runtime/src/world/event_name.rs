//! What the events of the runtime are called, for scripts, hosts and traces: the one list of these words.

/// A character appeared.
pub const SPAWNED: &str = "spawned";
/// A character was removed.
pub const DESPAWNED: &str = "despawned";
/// A walk ended.
pub const WALK_SETTLED: &str = "walkSettled";
/// A door entered a state, or its lock changed.
pub const DOOR_CHANGED: &str = "doorChanged";
/// An area was toggled or priced.
pub const AREA_CHANGED: &str = "areaChanged";
/// A script has set the clock of the level.
pub const CLOCK_CHANGED: &str = "clockChanged";
/// The map took its edits.
pub const MAP_REVISION: &str = "mapRevision";
/// A scene began.
pub const CINEMATIC_STARTED: &str = "cinematicStarted";
/// A scene ended.
pub const CINEMATIC_ENDED: &str = "cinematicEnded";
/// Changed texts took effect.
pub const RELOADED: &str = "reloaded";
/// Changed texts were refused.
pub const RELOAD_REFUSED: &str = "reloadRefused";
/// A script faulted.
pub const SCRIPT_FAULT: &str = "scriptFault";
/// A walk has come to a link that needs an action.
pub const LINK_BEGUN: &str = "linkBegun";
/// The code of an owner was switched off.
pub const SWITCHED_OFF: &str = "switchedOff";
/// Somebody came into a region of the level.
pub const REGION_ENTERED: &str = "regionEntered";
/// Somebody left a region of the level.
pub const REGION_LEFT: &str = "regionLeft";
/// An input could not be carried out.
pub const INPUT_REFUSED: &str = "inputRefused";
/// A text of the host was evaluated.
pub const EVALUATED: &str = "evaluated";

/// Those that scripts hear, and cannot emit.
pub const HEARD: [&str; 12] = [
    SPAWNED,
    DESPAWNED,
    WALK_SETTLED,
    DOOR_CHANGED,
    AREA_CHANGED,
    CLOCK_CHANGED,
    MAP_REVISION,
    CINEMATIC_STARTED,
    CINEMATIC_ENDED,
    RELOADED,
    RELOAD_REFUSED,
    SCRIPT_FAULT,
];
