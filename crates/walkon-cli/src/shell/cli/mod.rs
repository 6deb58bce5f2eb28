//! The command line: one file a command.
//!
//! In: the arguments of the process. Out: results on stdout, everything else on stderr, an exit code. Holds:
//! a command runs on a thread with a stack of its own size (fault:H14); a closed pipe ends it quietly
//! (fault:H7); a panic is a bug of ours and ends with 70 (fault:H19). Not here: what commands do.

pub(super) mod args;
mod bake;
mod batch;
mod check;
mod completions;
mod debug;
mod draw;
mod graph;
mod import;
mod limits;
mod movingai;
mod new;
mod path;
mod profile;
mod replay;
mod run;
mod scenery;
mod schema;
mod test;
mod types;
#[cfg(feature = "view")]
mod view;
mod watch;

use std::collections::BTreeMap;
use std::process::ExitCode;

use walkon_shell::project::FoundLevel;
use walkon_shell::{CommandFailure, Exit, unresolved};

use self::args::{Cli, ColorWhen, Command, General};
use super::crash;
use super::output::{Results, tell};
use super::progress::{ProgressLine, ProgressWork};
use super::report::{ReportedFinding, Reporter, ShownFault};
use crate::base::suggestions::counted;
use crate::game::event::ScriptFault;
use crate::level::{Diagnostic, Level, LevelFile, Severity};
use crate::script::vm::files::ScriptTexts;

/// Stack of the thread that runs a command: enough for the deepest Lua, whatever the system's default is.
const STACK_BYTES: usize = 64 << 20;

/// Parses the arguments of the process, runs the command, and says how it ended.
#[must_use]
pub fn main() -> ExitCode {
    // Reading the command line takes more stack than a small limit leaves, so that is done there too.
    let command =
        std::thread::Builder::new().name("walkon".to_owned()).stack_size(STACK_BYTES).spawn(read_and_perform);
    let ended = match command.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        // The hook has written the report.
        Ok(Err(_)) => Exit::Bug,
        Err(error) => {
            tell(&format!("walkon: no thread for the command: {error}"));
            Exit::Io
        }
    };
    ExitCode::from(ended.code())
}

fn read_and_perform() -> Exit {
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and end well; nobody listening is no error.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Ok };
        }
    };
    start_log(&cli.general);
    crash::watch();
    write_to_the_limit();
    perform(cli)
}

/// A file that would grow beyond what the user may write (`ulimit -f`) is an error of writing, not the end of
/// the process.
fn write_to_the_limit() {
    #[cfg(unix)]
    {
        let seen = std::sync::Arc::default();
        if let Err(error) = signal_hook::flag::register(signal_hook::consts::signal::SIGXFSZ, seen) {
            log::warn!("files that grow too large end the process: {error}");
        }
    }
}

fn start_log(general: &General) {
    let level = match (general.quiet, general.verbose) {
        (true, _) => log::LevelFilter::Error,
        (false, 0) => log::LevelFilter::Warn,
        (false, 1) => log::LevelFilter::Info,
        (false, 2) => log::LevelFilter::Debug,
        (false, _) => log::LevelFilter::Trace,
    };
    let style = match general.color {
        ColorWhen::Auto => env_logger::WriteStyle::Auto,
        ColorWhen::Always => env_logger::WriteStyle::Always,
        ColorWhen::Never => env_logger::WriteStyle::Never,
    };
    // A second logger in one process is no reason to stop.
    let _ =
        env_logger::Builder::new().filter_level(level).write_style(style).format_timestamp(None).try_init();
}

fn perform(cli: Cli) -> Exit {
    let general = cli.general;
    let shell = Shell { report: Reporter::new(general.color), is_quiet: general.quiet, general };
    let mut results = Results::stdout(&shell.general);
    let ended = match cli.command {
        Command::New(args) => new::run(&args, &mut results),
        Command::Run(args) => run::run(&shell, &args),
        Command::Debug(args) => debug::run(&shell, &args),
        Command::Watch(args) => watch::run(&shell, &args),
        #[cfg(feature = "view")]
        Command::View(args) => view::run(&shell, &args, &mut results),
        #[cfg(not(feature = "view"))]
        Command::View(_) => {
            Err(CommandFailure::usage("view: this program was built without the feature `view`"))
        }
        Command::Batch(args) => batch::run(&shell, &args, &mut results),
        Command::Replay(args) => replay::run(&shell, &args, &mut results),
        Command::Test(args) => test::run(&shell, &args, &mut results),
        Command::Profile(args) => profile::run(&shell, &args, &mut results),
        Command::Check(args) => check::run(&shell, &args, &mut results),
        Command::Path(args) => path::run(&shell, &args, &mut results),
        Command::Draw(args) => draw::run(&shell, &args, &mut results),
        Command::Bake(args) => bake::run(&shell, &args, &mut results),
        Command::Import(args) => import::run(&shell, &args, &mut results),
        Command::Graph(args) => graph::run(&shell, &args.action, &mut results),
        Command::Types(args) => types::run(&args, &mut results),
        Command::Schema(_) => schema::run(&mut results),
        Command::Limits(args) => limits::run(&shell, &args, &mut results),
        Command::Completions(args) => completions::run(&args, &mut results),
    };
    // Results stand before what is said of their end.
    let flushed = results.flush();
    match ended.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => {
            if let Some(text) = shell.report.failure(&failure) {
                tell(&text);
            }
            failure.exit()
        }
    }
}

/// What commands share.
struct Shell {
    report: Reporter,
    is_quiet: bool,
    general: General,
}

impl Shell {
    /// A bar for long work.
    fn progress(&self, work: ProgressWork<'_>) -> ProgressLine {
        if self.is_quiet { ProgressLine::hidden(work) } else { ProgressLine::new(work) }
    }

    /// Says more, to those who asked for it.
    fn more(&self, words: impl FnOnce() -> String) {
        if self.general.verbose > 0 {
            tell(&words());
        }
    }

    /// Reads and builds a level; what is wrong with it is shown.
    fn load(&self, found: &FoundLevel) -> Result<Level, CommandFailure> {
        let began = std::time::Instant::now();
        match crate::level::load(&found.path, &found.project.folder) {
            Ok(level) => {
                self.show(found, &level.diagnostics, &level.files);
                self.more(|| loaded(found, &level, began.elapsed()));
                Ok(level)
            }
            Err(error) => {
                self.show(found, &error.diagnostics, &error.files);
                Err(CommandFailure::Told(refusal(&error)))
            }
        }
    }

    /// The scripts of a level; names in the level that mean none are shown, and refuse it (fault:F19).
    fn scripts(&self, found: &FoundLevel, level: &Level) -> Result<BTreeMap<String, String>, CommandFailure> {
        let texts = found.project.scripts(&found.path)?;
        let known = script_texts(&texts)?;
        let unresolved = unresolved(Some(&found.project), level, &known);
        if unresolved.is_empty() {
            self.more(|| format!("read {}", counted(texts.len() as u64, "script")));
            return Ok(texts);
        }
        self.show(found, &unresolved, &level.files);
        Err(CommandFailure::Told(Exit::Level))
    }

    /// Shows diagnostics on stderr; warnings and notes only to those who did not ask for quiet.
    fn show(&self, found: &FoundLevel, diagnostics: &[Diagnostic], files: &[LevelFile]) {
        for diagnostic in diagnostics {
            let is_shown = match diagnostic.severity {
                Severity::Error => true,
                Severity::Warning => !self.is_quiet,
                // What was left out is part of the errors; other notes are for `check`.
                Severity::Note => diagnostic.code == crate::level::code::MORE || self.general.verbose > 0,
            };
            if is_shown {
                tell(&self.rendered(found, diagnostic, files));
            }
        }
    }

    /// A fault of a script with its line.
    fn fault(&self, found: &FoundLevel, texts: &BTreeMap<String, String>, fault: &ScriptFault) -> String {
        let text = texts.get(&fault.file).map_or("", String::as_str);
        let place = found.project.script_path(&fault.file, &found.path);
        let path = place.map_or_else(|| fault.file.clone(), |path| shown_path(found, &path));
        // The place stands above the line already.
        let message = fault.message.strip_prefix(&format!("{}:{}: ", fault.file, fault.line));
        let whose = [fault.owner.as_str(), fault.callback.as_str()].join(" ");
        let frames =
            if fault.traceback.lines().count() > 1 { fault.traceback.lines().collect() } else { Vec::new() };
        self.report.fault(
            &ShownFault {
                message: message.unwrap_or(&fault.message),
                path: &path,
                line: fault.line,
                whose: whose.trim(),
                frames: &frames,
            },
            text,
        )
    }

    /// A diagnostic with its line.
    fn rendered(&self, found: &FoundLevel, diagnostic: &Diagnostic, files: &[LevelFile]) -> String {
        let text =
            files.iter().find(|file| file.path == diagnostic.path).map_or("", |file| file.text.as_str());
        let path = shown_path(found, &diagnostic.path);
        let mut hinted = diagnostic.clone();
        hint_at_root(found, std::slice::from_mut(&mut hinted));
        self.report.finding(&ReportedFinding::of(&hinted, &path, text), text)
    }
}

/// A level that was read, for those who want to know more.
fn loaded(found: &FoundLevel, level: &Level, took: std::time::Duration) -> String {
    format!(
        "read {} of the project {}: {}, {}, {}, in {:.1} ms",
        shown_path(found, &found.path),
        found.project.folder.root().display(),
        counted(level.files.len() as u64, "file"),
        counted(level.def.characters.len() as u64, "character"),
        counted(level.def.doors.len() as u64, "door"),
        took.as_secs_f64() * 1e3
    )
}

/// Texts by the names that scripts have for one another.
fn script_texts(texts: &BTreeMap<String, String>) -> Result<ScriptTexts, CommandFailure> {
    let files = texts.iter().map(|(path, text)| (path.clone(), text.clone()));
    ScriptTexts::new(files).map_err(|error| CommandFailure::new(Exit::Script, error.to_string()))
}

/// Says of a file that lies outside, or is not there, that nobody marked the root.
fn hint_at_root(found: &FoundLevel, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let says = |part: &str| diagnostic.message.contains(part);
        if says("leads out of the project") || says("outside the project") {
            diagnostic.help = found.project.unmarked().or_else(|| diagnostic.help.take());
        } else if says("cannot be read") {
            diagnostic.help = diagnostic.help.take().or_else(|| found.project.unmarked());
        }
    }
}

/// The code for a level that was refused: 6 when its own file or one it names could not be read by the
/// system.
fn refusal(error: &crate::level::LevelError) -> Exit {
    match error.source {
        Some(crate::level::SourceError::Failed(_)) => Exit::Io,
        _ => Exit::Level,
    }
}

/// A file of a project as people find it: from the current folder when it lies below, else from the root.
fn shown_path(found: &FoundLevel, path: &str) -> String {
    let whole = found.project.folder.root().join(path);
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    match here.ok().and_then(|here| whole.strip_prefix(here).ok().map(std::path::Path::to_path_buf)) {
        Some(short) if !short.as_os_str().is_empty() => short.display().to_string(),
        _ => whole.display().to_string(),
    }
}
