//! What calls come to, and what was wrong with the last one.
//!
//! In: failures. Out: a status, a text and an object for each thread. Holds: the text is that of the last call of
//! this thread that failed, until another fails. Not here: which failure is which status (`border`).

use std::cell::RefCell;
use std::ffi::c_char;

use walkon_shell::{BorrowError, GameEndedError, Problem, ProblemKind};

use crate::border::{self, WalkonBuffer, fill};

/// What a call came to. Numbers are only ever added.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkonStatus {
    /// Done.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// Bytes that should be text are not UTF-8.
    NotUtf8 = 2,
    /// A text is not the JSON that it should be.
    BadJson = 3,
    /// There is not enough room; the length that is needed was written.
    TooSmall = 4,
    /// Something was not found, or could not be read.
    Io = 5,
    /// The level was refused; `walkon_last_problem` has every diagnostic.
    LevelRefused = 6,
    /// A script failed as the level started; `walkon_last_problem` has file and line.
    ScriptFailed = 7,
    /// The game belongs to another thread.
    WrongThread = 8,
    /// The game has ended.
    Ended = 9,
    /// No character or door has that name.
    UnknownName = 10,
    /// What was asked for cannot be done, and has changed nothing.
    Refused = 11,
    /// There is nothing there yet: no row before the first run, no outcome before the level said one.
    Nothing = 12,
    /// The game cannot be saved now, or the bytes are no save game that fits this level; `walkon_last_problem` has the
    /// script and the line, when it is one.
    SaveRefused = 13,
    /// A bug of walkon. The game can only be freed.
    Bug = 70,
}

impl WalkonStatus {
    const NAMES: [(Self, &'static std::ffi::CStr); 15] = [
        (Self::Ok, c"ok"),
        (Self::NullPointer, c"nullPointer"),
        (Self::NotUtf8, c"notUtf8"),
        (Self::BadJson, c"badJson"),
        (Self::TooSmall, c"tooSmall"),
        (Self::Io, c"io"),
        (Self::LevelRefused, c"levelRefused"),
        (Self::ScriptFailed, c"scriptFailed"),
        (Self::WrongThread, c"wrongThread"),
        (Self::Ended, c"ended"),
        (Self::UnknownName, c"unknownName"),
        (Self::Refused, c"refused"),
        (Self::Nothing, c"nothing"),
        (Self::SaveRefused, c"saveRefused"),
        (Self::Bug, c"bug"),
    ];
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: WalkonStatus,
    pub message: String,
    /// The whole of it as JSON, where there is more than a sentence.
    pub problem: Option<String>,
}

impl Failure {
    pub fn new(status: WalkonStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), problem: None }
    }
}

impl From<BorrowError> for Failure {
    fn from(error: BorrowError) -> Self {
        let status = match error {
            BorrowError::OtherThread => WalkonStatus::WrongThread,
            BorrowError::InUse | BorrowError::Broken => WalkonStatus::Bug,
        };
        Self::new(status, format!("game: {error}"))
    }
}

impl From<GameEndedError> for Failure {
    fn from(error: GameEndedError) -> Self {
        Self::new(WalkonStatus::Ended, error.to_string())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let status = match problem.kind {
            ProblemKind::Io => WalkonStatus::Io,
            ProblemKind::Level => WalkonStatus::LevelRefused,
            ProblemKind::Script => WalkonStatus::ScriptFailed,
            ProblemKind::Save => WalkonStatus::SaveRefused,
        };
        Self { status, message: problem.message.clone(), problem: Some(problem.json()) }
    }
}

thread_local! {
    static LAST: RefCell<(String, String)> = const { RefCell::new((String::new(), String::new())) };
}

/// Keeps what was wrong for this thread.
pub(crate) fn keep(failure: &Failure) {
    // A thread that ends, and has let go what was kept for it, keeps no more.
    let _ = LAST.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = (failure.message.clone(), failure.problem.clone().unwrap_or_default());
        }
    });
}

/// What was kept for this thread: a sentence, and an object or nothing. Both are empty in a thread that ends.
fn last() -> (String, String) {
    let copied = LAST.try_with(|last| last.try_borrow().map(|last| last.clone()).unwrap_or_default());
    copied.unwrap_or_default()
}

/// The version of the library, such as `0.1.0`; ends with a zero byte and is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn walkon_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The word for a status, `bug` for a number that is none; ends with a zero byte and is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn walkon_status_name(status: i32) -> *const c_char {
    let named = WalkonStatus::NAMES.iter().find(|(own, _)| *own as i32 == status);
    named.map_or(c"bug".as_ptr(), |(_, name)| name.as_ptr())
}

/// What was wrong with the last call of this thread that failed: a sentence, without a zero byte. Errors:
/// `NullPointer`, `TooSmall`.
///
/// # Safety
/// `out` is a buffer with the room that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_last_error(out: *mut WalkonBuffer) -> WalkonStatus {
    // SAFETY: as the caller promises.
    border::quietly(|| unsafe { fill(out, last().0.as_bytes()) })
}

/// The same as an object with `kind`, `message`, `help`, `file`, `line`, `column`, `traceback` and `diagnostics`, for
/// `Io`, `LevelRefused`, `ScriptFailed` and `SaveRefused`. Errors: `NullPointer`, `TooSmall`; `Nothing` after other failures.
///
/// # Safety
/// As for `walkon_last_error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_last_problem(out: *mut WalkonBuffer) -> WalkonStatus {
    border::quietly(|| {
        let (_, text) = last();
        if text.is_empty() {
            return Err(Failure::new(WalkonStatus::Nothing, "the last failure is a sentence only"));
        }
        // SAFETY: as the caller promises.
        unsafe { fill(out, text.as_bytes()) }
    })
}
