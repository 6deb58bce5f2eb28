//! Names of the events of the runtime, for scripts, hosts and traces: the one list of them.

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

/// What traces tell, and no script hears.
pub const TOLD_ONLY: [&str; 10] =
    ["walkStarted", "replanned", "nudged", "said", "choice", "camera", "cue", "log", "notice", "input"];

/// An event of the runtime that scripts hear, and cannot emit.
#[derive(Clone, Copy, Debug)]
pub struct HeardEvent {
    /// What it is called.
    pub name: &'static str,
    /// The Luau type of what listeners are given.
    pub payload: &'static str,
    /// What has happened.
    pub doc: &'static str,
}

const fn heard(name: &'static str, payload: &'static str, doc: &'static str) -> HeardEvent {
    HeardEvent { name, payload, doc }
}

/// Those that scripts hear, and cannot emit.
pub const HEARD: [HeardEvent; 12] = [
    heard(SPAWNED, "{ character: Character, name: string, position: vector }", "A character has appeared."),
    heard(DESPAWNED, "{ character: Character, name: string, position: vector }", "A character was removed."),
    heard(WALK_SETTLED, "WalkResult", "A walk has ended, of any owner."),
    heard(
        DOOR_CHANGED,
        "{ door: Door, state: string, locked: boolean, by: Character? }",
        "A door is in another state, or was locked or unlocked; `by` is a character that opened or closed it on its way.",
    ),
    heard(
        AREA_CHANGED,
        "{ area: string, available: boolean, cost: number }",
        "An area was switched on or off, or costs something else.",
    ),
    heard(CLOCK_CHANGED, "nil", "A script has set the clock of the level."),
    heard(MAP_REVISION, "{ revision: number }", "The map has taken its edits."),
    heard(
        CINEMATIC_STARTED,
        "{ name: string, locks: {string} }",
        "A scene has begun; `locks` are those of its definition, such as `\"input\"`.",
    ),
    heard(CINEMATIC_ENDED, "SceneInfo", "A scene has ended, however it did."),
    heard(RELOADED, "{ files: {string} }", "Changed files have taken effect."),
    heard(
        RELOAD_REFUSED,
        "{ file: string, line: number, message: string }",
        "Changed files were refused: the old ones run on.",
    ),
    heard(
        SCRIPT_FAULT,
        "{ kind: string, message: string, traceback: string, file: string, line: number, owner: string, character: Character?, callback: string, tick: number, step: number, strikes: number }",
        "A call of a script has ended with a fault. `kind` is `error`: an error that no `pcall` caught; `fuel`: it took more steps than a call may; `memory`: it needed more memory than the scripts of a level have; `data`: something that has to be plain data is none; or `watchdog`: it ran for too long by the clock.",
    ),
];

/// Whether it is an event of the runtime that scripts hear.
#[must_use]
pub fn is_heard(name: &str) -> bool {
    HEARD.iter().any(|event| event.name == name)
}
