//! Games behind handles.
//!
//! In: a level, inputs as JSON, saves, room for results. Out: events as JSON lines, places as numbers, rows, saves. Holds: one game,
//! one thread; after a panic a game answers `Bug` to everything and can only be freed. Not here: what inputs and
//! events look like (docs/traces.md).

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::Deserialize;
use walkon::{RecordOptions, Signals, Threads, Tick};
use walkon_shell::{LiveGame, PoseRow, Problem, ProblemKind, StartSetup, StopWish, ThreadBound};

use crate::border::{self, WalkonBuffer, WalkonText, bytes, fill, handle, put, room};
use crate::level::{BoundText, WalkonLevel};
use crate::status::{Failure, WalkonStatus};

/// A game. Belongs to the thread that started it; freed there with `walkon_game_free`.
#[derive(Debug)]
pub struct WalkonGame {
    running: ThreadBound<Running>,
}

/// Where a character is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WalkonPose {
    /// The point on the ground below its middle, metres.
    pub position: [f32; 3],
    /// Which way it looks, radians about +y: 0 along +z, pi/2 along +x.
    pub facing: f32,
    /// Metres a second.
    pub speed: f32,
}

// The rows of the library lie as those of the header do.
const _: () = assert!(
    size_of::<WalkonPose>() == size_of::<PoseRow>() && align_of::<WalkonPose>() == align_of::<PoseRow>()
);

#[derive(Debug)]
struct Running {
    live: LiveGame,
    /// The lines of the last tick, each with its line break.
    events: String,
    row: Option<String>,
}

/// Most threads that a game shares its work out to, as in the program.
const THREADS_MAX: usize = 64;

/// How a game starts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SetupText {
    seed: Option<u64>,
    args: Vec<String>,
    /// Whether choices wait for an answer.
    interactive: bool,
    /// Whether events are wanted.
    events: bool,
    threads: NonZeroUsize,
}

impl Default for SetupText {
    fn default() -> Self {
        Self { seed: None, args: Vec::new(), interactive: false, events: true, threads: NonZeroUsize::MIN }
    }
}

impl SetupText {
    fn read(text: &str) -> Result<StartSetup, Failure> {
        let Self { seed, args, interactive, events, threads } = border::json(text, "setup")?;
        let wrong = |why| Failure::new(WalkonStatus::BadJson, format!("setup: {why}"));
        if threads.get() > THREADS_MAX {
            return Err(wrong(format!("threads are 1 to {THREADS_MAX}")));
        }
        let seed = seed.map(walkon_shell::checked_seed).transpose().map_err(wrong)?;
        Ok(StartSetup {
            seed,
            args,
            record: RecordOptions { trace: events, ..RecordOptions::default() },
            signals: Arc::new(Signals::default()),
            is_interactive: interactive,
            threads: Threads::new(threads),
        })
    }
}

impl Running {
    fn told(&mut self, tick: &Tick) {
        self.events.clear();
        for line in &tick.lines {
            self.events.push_str(line);
            self.events.push('\n');
        }
    }
}

/// Works with a game on its own thread.
///
/// # Safety
/// `game` is null, or a game that was not freed.
unsafe fn with(
    game: *const WalkonGame,
    work: impl FnOnce(&mut Running) -> Result<(), Failure>,
) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let game = unsafe { handle(game, "game") }?;
        game.running.with(work)?
    })
}

/// Starts a level: behaviours are attached, `onStart` has run. `setup` is an object with `seed`, `args`, `interactive`
/// (choices wait for an answer), `events` (whether ticks tell what happened, true) and `threads`, or nothing. Errors:
/// `NullPointer`, `NotUtf8`, `BadJson`, `ScriptFailed`, `Bug`.
///
/// # Safety
/// `level` is a level that was not freed, `setup` a text, `game` has room for one handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_start(
    level: *const WalkonLevel,
    setup: WalkonText,
    game: *mut *mut WalkonGame,
) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let (level, setup) = unsafe { (handle(level, "level")?, setup.read("setup")?) };
        if game.is_null() {
            return Err(Failure::new(WalkonStatus::NullPointer, "game is a null pointer"));
        }
        let with = SetupText::read(setup)?;
        let live = LiveGame::start(&level.text, level.built.clone(), with).map_err(Problem::from)?;
        // SAFETY: as the caller promises.
        unsafe { put(game, handed(live), "game") }
    })
}

/// Starts a level as it was saved: `save` are the bytes of `walkon_game_save`, written here or elsewhere, `setup` is as
/// for `walkon_game_start`; the seed is that of the save, and so are `args` when none are given. The code of scripts
/// begins in the first tick, which counts on from the save. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `SaveRefused`
/// (the bytes are no save game that this version reads, or do not fit level and scripts), `ScriptFailed`, `Bug`.
///
/// # Safety
/// `level` is a level that was not freed, `setup` a text, `length` bytes can be read at `save`, `game` has room for one
/// handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_restore(
    level: *const WalkonLevel,
    setup: WalkonText,
    save: *const u8,
    length: usize,
    game: *mut *mut WalkonGame,
) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let (level, setup) = unsafe { (handle(level, "level")?, setup.read("setup")?) };
        // SAFETY: as the caller promises.
        let save = unsafe { bytes(save, length, "save") }?;
        if game.is_null() {
            return Err(Failure::new(WalkonStatus::NullPointer, "game is a null pointer"));
        }
        let with = SetupText::read(setup)?;
        let live = LiveGame::restore(&level.text, level.built.clone(), with, save).map_err(Problem::from)?;
        // SAFETY: as the caller promises.
        unsafe { put(game, handed(live), "game") }
    })
}

/// Writes the whole game as bytes, between two ticks; `walkon_game_restore` makes it again. It changes nothing. A save
/// is made again when there was too little room. Errors: `NullPointer`, `TooSmall`, `SaveRefused` (the game has ended,
/// or a scene is under way that does not say `resumable = true`), `WrongThread`, `Bug`.
///
/// # Safety
/// As for `walkon_game_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_save(game: *mut WalkonGame, out: *mut WalkonBuffer) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let saved = running.live.save();
            fill(out, &saved.map_err(|error| Problem::new(ProblemKind::Save, error.to_string()))?)
        })
    }
}

/// A handle for the caller.
fn handed(live: LiveGame) -> *mut WalkonGame {
    let running = Running { live, events: String::new(), row: None };
    Box::into_raw(Box::new(WalkonGame { running: ThreadBound::new(running) }))
}

/// Frees a game; null is nothing. Errors: `WrongThread`, and then the game is as it was.
///
/// # Safety
/// `game` is null, or was made by this library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_free(game: *mut WalkonGame) -> WalkonStatus {
    if game.is_null() {
        return WalkonStatus::Ok;
    }
    border::run(|| {
        // SAFETY: as the caller promises.
        if !unsafe { handle(game, "game") }?.running.is_home() {
            return Err(walkon_shell::BorrowError::OtherThread.into());
        }
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(game) });
        Ok(())
    })
}

/// Advances a game by one tick. `inputs` are an object or a list of objects, each with the fields that its line in a
/// trace has, or nothing. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `WrongThread`, `Ended`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `inputs` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_tick(game: *mut WalkonGame, inputs: WalkonText) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let inputs = match inputs.read("inputs")? {
                blank if blank.trim().is_empty() => Vec::new(),
                json => running
                    .live
                    .game()
                    .read_inputs(json)
                    .map_err(|why| Failure::new(WalkonStatus::BadJson, format!("inputs: {why}")))?,
            };
            let tick = running.live.tick(&inputs)?;
            running.told(&tick);
            Ok(())
        })
    }
}

/// Writes what happened in the last tick: one JSON object a line, as traces have them. Errors: `NullPointer`,
/// `TooSmall`, `WrongThread`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `out` a buffer with the room that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_events(game: *mut WalkonGame, out: *mut WalkonBuffer) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe { with(game, |running| fill(out, running.events.as_bytes())) }
}

/// Runs a game to a bound, counted from its start or its save, and ends it; `walkon_game_row` has what came of it. `bound` is
/// as for `walkon_level_run`, without `args`. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `WrongThread`, `Ended`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `bound` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_run(game: *mut WalkonGame, bound: WalkonText) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let (bound, args) = BoundText::read(bound.read("bound")?)?;
            if !args.is_empty() {
                let late = "bound: args belong to walkon_game_start, the level has begun";
                return Err(Failure::new(WalkonStatus::BadJson, late));
            }
            let mut last = Tick::default();
            let (_, row) = running.live.run(&bound, &StopWish::never(), &mut |tick| last = tick.clone())?;
            running.told(&last);
            running.row = Some(row);
            Ok(())
        })
    }
}

/// Writes the row of the run: the line of `walkon run --format json`. Errors: `NullPointer`, `TooSmall`, `WrongThread`,
/// `Bug`; `Nothing` before `walkon_game_run`.
///
/// # Safety
/// As for `walkon_game_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_row(game: *mut WalkonGame, out: *mut WalkonBuffer) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let nothing = || {
                Failure::new(WalkonStatus::Nothing, "the game was not run, expected walkon_game_run first")
            };
            fill(out, running.row.as_ref().ok_or_else(nothing)?.as_bytes())
        })
    }
}

/// Ends a game: every open walk settles, and `walkon_game_events` has what happened then. Errors: `NullPointer`,
/// `WrongThread`, `Ended`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_end(game: *mut WalkonGame) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let last = running.live.end()?;
            running.told(&last);
            Ok(())
        })
    }
}

/// Writes the number of the last tick, 0 before the first. Errors: `NullPointer`, `WrongThread`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `tick` has room for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_tick_number(game: *mut WalkonGame, tick: *mut u64) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe { with(game, |running| put(tick, running.live.game().world().tick().0, "tick")) }
}

/// Writes the hash of the state: the same in every process that runs the same level, scripts, seed and inputs. Errors:
/// `NullPointer`, `WrongThread`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `hash` has room for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_hash(game: *mut WalkonGame, hash: *mut u64) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe { with(game, |running| put(hash, running.live.game().fingerprint().whole(), "hash")) }
}

/// Writes 1 when the level's script has finished it well, 0 when badly. Errors: `NullPointer`, `WrongThread`, `Bug`;
/// `Nothing` while it has not.
///
/// # Safety
/// `game` is a game that was not freed, `ok` has room for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_outcome(game: *mut WalkonGame, ok: *mut u8) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let nothing = || Failure::new(WalkonStatus::Nothing, "the level has not finished");
            let outcome = running.live.game().outcome().ok_or_else(nothing)?;
            put(ok, u8::from(outcome.ok), "ok")
        })
    }
}

/// Writes how many characters there are. Errors: `NullPointer`, `WrongThread`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `count` has room for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_character_count(
    game: *mut WalkonGame,
    count: *mut usize,
) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe { with(game, |running| put(count, running.live.character_count(), "count")) }
}

/// Writes the names of the characters in order of creation, one a line: those of the rows of `walkon_game_positions`.
/// Errors: `NullPointer`, `TooSmall`, `WrongThread`, `Bug`.
///
/// # Safety
/// As for `walkon_game_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_names(game: *mut WalkonGame, out: *mut WalkonBuffer) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let mut names = String::new();
            running.live.names().for_each(|name| {
                names.push_str(name);
                names.push('\n');
            });
            fill(out, names.as_bytes())
        })
    }
}

/// Writes where everybody is, in order of creation: x, y and z of each in metres, as far as there is room for
/// `capacity` characters, and how many there are. Errors: `NullPointer`, `WrongThread`, `Bug`; `TooSmall` when there are
/// more than `capacity`, whose places are written.
///
/// # Safety
/// `game` is a game that was not freed, `xyz` has room for three times `capacity` numbers, `count` for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_positions(
    game: *mut WalkonGame,
    xyz: *mut f32,
    capacity: usize,
    count: *mut usize,
) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let written = running.live.character_count().min(capacity);
            let room = room(xyz, 3 * written, "xyz")?;
            let all = running.live.positions(room);
            put(count, all, "count")?;
            fits(all, capacity)
        })
    }
}

/// The same with which way everybody looks and how fast they are. Errors: as `walkon_game_positions`.
///
/// # Safety
/// `game` is a game that was not freed, `poses` has room for `capacity` of them, `count` for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_poses(
    game: *mut WalkonGame,
    poses: *mut WalkonPose,
    capacity: usize,
    count: *mut usize,
) -> WalkonStatus {
    // SAFETY: as the caller promises; a row of the library lies as a pose of the header does.
    unsafe {
        with(game, |running| {
            let written = running.live.character_count().min(capacity);
            let room = room(poses.cast::<PoseRow>(), written, "poses")?;
            let all = running.live.poses(room);
            put(count, all, "count")?;
            fits(all, capacity)
        })
    }
}

fn fits(all: usize, capacity: usize) -> Result<(), Failure> {
    if all <= capacity {
        return Ok(());
    }
    let what = format!("there is room for {capacity} characters, and there are {all}");
    Err(Failure::new(WalkonStatus::TooSmall, what))
}

/// Sends a character to a place from the next tick on and writes the number of the walk, which is in its events.
/// Errors: `NullPointer`, `NotUtf8`, `UnknownName`, `Refused`, `WrongThread`, `Ended`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `name` a text, `to` three numbers, `walk` room for one number or
/// is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_walk(
    game: *mut WalkonGame,
    name: WalkonText,
    to: *const f32,
    walk: *mut u64,
) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let character = named(running, name.read("name")?)?;
            let to = handle(to.cast::<[f32; 3]>(), "to")?;
            if to.iter().any(|number| !number.is_finite()) {
                return Err(Failure::new(WalkonStatus::Refused, "to: expected finite numbers of metres"));
            }
            let refused = |error: walkon::OpError| Failure::new(WalkonStatus::Refused, error.to_string());
            let number = running.live.game_mut()?.walk_to(character, *to).map_err(refused)?;
            if walk.is_null() { Ok(()) } else { put(walk, number, "walk") }
        })
    }
}

/// Stops the walk of a character, if it has one. Errors: `NullPointer`, `NotUtf8`, `UnknownName`, `WrongThread`, `Ended`,
/// `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `name` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_stop(game: *mut WalkonGame, name: WalkonText) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let character = named(running, name.read("name")?)?;
            running.live.game_mut()?.stop(character);
            Ok(())
        })
    }
}

fn named(running: &Running, name: &str) -> Result<walkon::CharacterId, Failure> {
    running.live.character(name).map_err(|why| Failure::new(WalkonStatus::UnknownName, why))
}

/// Wishes a door open (1) or closed (0). A locked door stays closed, a doorway has to be clear. Errors: `NullPointer`,
/// `NotUtf8`, `UnknownName`, `WrongThread`, `Ended`, `Bug`.
///
/// # Safety
/// `game` is a game that was not freed, `name` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_game_door(game: *mut WalkonGame, name: WalkonText, open: u8) -> WalkonStatus {
    // SAFETY: as the caller promises.
    unsafe {
        with(game, |running| {
            let name = name.read("name")?;
            let unknown = || Failure::new(WalkonStatus::UnknownName, format!("unknown door \"{name}\""));
            let door = running.live.game().door(name).ok_or_else(unknown)?;
            let game = running.live.game_mut()?;
            let moved = if open == 0 { game.close_door(door) } else { game.open_door(door) };
            moved.map_err(|error| Failure::new(WalkonStatus::Refused, error.to_string()))
        })
    }
}
