//! `walkon view`: shows a level in a browser, or on standard input and output.
//!
//! In: a level, its project, files that are saved. Out: the address of the page; a trace at the end. Holds:
//! it ends with a signal, or with the input of `--stdio`, and leaves nothing behind. Not here: the page
//! itself (the crate `walkon-view`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_shell::Watchdog;
use walkon_shell::project::{FoundLevel, find_level};
use walkon_shell::{CommandFailure, Exit};
use walkon_view::{
    CheckedLevel, DeskProject, LineStore, RunRecord, RunStart, Server, Speed, View, ViewSetup, WatchCalls,
};

use super::args::ViewArgs;
use super::run::Start;
use super::scenery;
use super::shell::{Shell, shown_path};
use crate::disk::Folder;
use crate::game::header::{Header, ProjectTexts, RunSetup};
use crate::game::headless::{self, Bound, Host, Onlooker};
use crate::game::inputs::{Input, LevelTexts};
use crate::game::recorder::RecordOptions;
use crate::game::tick::Tick;
use crate::level::{Diagnostic, Level, LevelError, LevelFile, Severity, code};
use crate::script::vm::fuel::Signals;
use crate::shell::interrupts::Interrupts;
use crate::shell::lint::Linted;
use crate::shell::output::{OutputFile, Results, is_stream, tell};
use crate::shell::scripts;
use crate::shell::spool::Spool;
use crate::shell::watch::{ProjectWatch, Remembering};
use crate::world::World;

/// Time between two looks at what was saved.
const LOOK_EVERY: Duration = Duration::from_millis(5);

pub(super) fn run(shell: &Shell, args: &ViewArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    refuse_streams(args)?;
    if args.trace.as_deref().is_some_and(is_stream) {
        *results = Results::stderr(&shell.general);
    }
    let found = Arc::new(find_level(&args.level)?);
    let level = shell.load(&found)?;
    let scripts = shell.scripts(&found, &level)?;
    let trace = args.trace.as_deref().map(|path| OutputFile::claim(path, &found.project.folder.files_read()));
    let trace = trace.transpose()?;
    let lines = trace
        .as_ref()
        .map(Spool::beside)
        .transpose()
        .map_err(|error| CommandFailure::io(format!("trace: no file for its lines: {error}")))?;
    let watch = ProjectWatch::open(&found, &scripts, &level.files, args.watching.method());
    let project = Arc::new(FoundProject::new(Arc::clone(&found)));
    let read = project.level(&BTreeMap::new()).map_err(CommandFailure::io)?;
    let start = RunStart { level: read.texts, scripts, seed: args.seed, args: args.args.clone() };
    let interrupts = Interrupts::listen();
    let signals = Arc::new(Signals::default());
    let settings = crate::level::spawn::settings(&level.def);
    let (call_ms, for_calls) = (settings.limits.watchdog_ms, interrupts.clone());
    let watch_calls: WatchCalls =
        Arc::new(move |flags| Box::new(Watchdog::start(flags, call_ms, for_calls.came())));
    let setup = ViewSetup {
        project: project.clone(),
        start,
        speed: Speed::Times(args.speed),
        is_playing: !args.paused,
        trace: lines.clone().map(|lines| Box::new(lines) as Box<dyn LineStore>),
        signals,
        watch: watch_calls,
        scenery: scenery::backdrop(&found, &level.def.navigation),
    };
    let mut view = View::begin(setup).map_err(|error| refused(shell, &found, args, error))?;
    if !args.stdio {
        let address = serve(shell, args, &found, &mut view)?;
        results.line(&address)?;
        results.flush()?;
        if args.open {
            open(&address);
        }
    }
    let is_over = Arc::new(AtomicBool::new(false));
    if args.stdio {
        view.speak(Arc::clone(&is_over)).map_err(CommandFailure::io)?;
    }
    look_on(&view, watch, &interrupts, &is_over);
    let record = view.end_run();
    if let (Some(trace), Some(lines)) = (trace, lines) {
        // What scripts do at the end has no time beyond a second; what is written has.
        let _time = interrupts.take_time();
        let header = header(&record).map_err(CommandFailure::io)?;
        trace.write_with(|out| {
            writeln!(out, "{header}")?;
            lines.write_to(out)
        })?;
    }
    view.end();
    let end = if record.disturbed_from.is_none() { Exit::Ok } else { Exit::Limit };
    Ok(interrupts.asked().unwrap_or(end))
}

/// A level by stdin cannot be viewed, nor can a trace go where `--stdio` speaks.
fn refuse_streams(args: &ViewArgs) -> Result<(), CommandFailure> {
    let what = if is_stream(&args.level) {
        "view: cannot save to stdin, expected a level file"
    } else if args.stdio && args.trace.as_deref().is_some_and(is_stream) {
        "view: --trace - cannot be used with --stdio, expected --trace FILE"
    } else {
        return Ok(());
    };
    Err(CommandFailure::usage(what))
}

/// Why a level did not start, with the offending line where `run` would show it.
fn refused(shell: &Shell, found: &FoundLevel, args: &ViewArgs, error: String) -> CommandFailure {
    let again = || {
        let level = crate::level::load(&found.path, &found.project.folder).ok()?;
        let scripts = found.project.scripts(&found.path).ok()?;
        let start = Start { scripts, seed: args.seed, args: args.args.clone(), from: None };
        super::run::game(shell, found, level, start).err()
    };
    again().unwrap_or_else(|| CommandFailure::new(Exit::Script, error))
}

/// Serves the page; its address.
fn serve(
    shell: &Shell,
    args: &ViewArgs,
    found: &FoundLevel,
    view: &mut View,
) -> Result<String, CommandFailure> {
    let refused = |error: std::io::Error| CommandFailure::io(format!("127.0.0.1:{}: {error}", args.port));
    let server = Server::bind(args.port, token()?).map_err(refused)?;
    let address = server.address();
    view.serve(server).map_err(CommandFailure::io)?;
    if !shell.is_quiet {
        tell(&format!("{} is shown at", shown_path(found, &found.path)));
    }
    Ok(address)
}

/// Hands over what is saved until a signal comes, or the input of `--stdio` ends.
fn look_on(view: &View, mut watch: ProjectWatch<'_>, interrupts: &Interrupts, is_over: &AtomicBool) {
    while interrupts.asked().is_none() && !is_over.load(Ordering::Relaxed) {
        if let Some(changed) = watch.poll() {
            view.saved(changed.reload);
        }
        for warning in watch.take_warnings() {
            tell(&format!("warning: {warning}"));
            view.warn(&warning);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Sixteen bytes that nobody can guess, as hexadecimal digits.
fn token() -> Result<String, CommandFailure> {
    let mut bytes = [0_u8; 16];
    let read = std::fs::File::open("/dev/urandom")
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut bytes));
    if let Err(error) = read {
        log::debug!("/dev/urandom: {error}; the token is made of the hashes of this process");
        bytes = hashed_token();
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// From the keys that the standard library draws for its hash maps, which come from the system.
fn hashed_token() -> [u8; 16] {
    use std::hash::{BuildHasher, RandomState};
    let halves = [RandomState::new().hash_one(0_u8), RandomState::new().hash_one(1_u8)];
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&halves[0].to_le_bytes());
    bytes[8..].copy_from_slice(&halves[1].to_le_bytes());
    bytes
}

/// Opens an address in the browser of this system.
fn open(address: &str) {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    if let Err(error) = std::process::Command::new(program).args(first).arg(address).spawn() {
        tell(&format!("warning: {program}: {error}; open the address by hand"));
    }
}

/// The project around the level.
struct FoundProject {
    found: Arc<FoundLevel>,
    /// What was found in the scripts when they were looked at last: looking at all of them takes longer than
    /// an edit of the level may take.
    looked_at: Mutex<Option<LintedTexts>>,
}

/// Scripts, and what was found in them.
struct LintedTexts {
    /// By path below the script folders.
    texts: BTreeMap<String, String>,
    linted: Arc<Linted>,
}

impl DeskProject for FoundProject {
    fn level(&self, laid: &BTreeMap<String, String>) -> Result<CheckedLevel, String> {
        let (texts, loaded) = self.loaded(laid)?;
        Ok(match loaded {
            Ok(level) => {
                let wrong = self.against_scripts(&level, laid);
                // What is wrong with parameters is told and can be mended one after the other.
                let is_playable = wrong.iter().all(|one| one.code != code::UNRESOLVED);
                CheckedLevel { texts, diagnostics: [level.diagnostics, wrong].concat(), is_playable }
            }
            Err(error) => CheckedLevel { texts, diagnostics: error.diagnostics, is_playable: false },
        })
    }

    fn scripts(&self) -> Result<BTreeMap<String, String>, String> {
        self.found.project.scripts(&self.found.path).map_err(|failure| match failure {
            CommandFailure::Message { message, .. } => message,
            _ => "the scripts of the project cannot be read".to_owned(),
        })
    }

    fn check(&self, laid: &BTreeMap<String, String>) -> Result<Vec<Diagnostic>, String> {
        let texts = self.scripts_with(laid);
        // What levels name belongs to it as well, and may be otherwise by now.
        let linted = self.look_at(&texts, &mut self.looked_at());
        let mut found = match self.loaded(laid)?.1 {
            Ok(level) => {
                let wrong = self.against_scripts(&level, laid);
                let report = crate::level::report(&level);
                [level.diagnostics, wrong, report].concat()
            }
            Err(error) => error.diagnostics,
        };
        for (name, text) in &texts {
            // Of what does not compile nothing else is known.
            let all = match scripts::syntax(name, text) {
                Some(mistake) => vec![mistake],
                None => linted.scripts.get(name).cloned().unwrap_or_default(),
            };
            found.extend(all.into_iter().filter_map(|one| self.placed(name, one)));
        }
        found.retain(|one| one.severity != Severity::Note);
        Ok(found)
    }

    fn script_path(&self, name: &str) -> Option<String> {
        self.found.project.script_path(name, &self.found.path)
    }

    fn folder(&self) -> &Folder {
        &self.found.project.folder
    }

    fn trace(
        &self,
        record: &RunRecord,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<String>, String> {
        SessionTrace { record, lines: Vec::new(), goes_on, is_called_off: false }.written()
    }
}

impl FoundProject {
    fn new(found: Arc<FoundLevel>) -> Self {
        Self { found, looked_at: Mutex::default() }
    }

    /// The texts of the level with some of them replaced, and what loading them comes to.
    fn loaded(
        &self,
        laid: &BTreeMap<String, String>,
    ) -> Result<(LevelTexts, Result<Level, LevelError>), String> {
        let source = Remembering::new(&self.found.project.folder, laid);
        let loaded = crate::level::load(&self.found.path, &source);
        let texts = LevelTexts { path: self.found.path.clone(), files: source.into_files() };
        if !texts.files.contains_key(&texts.path) {
            return Err(format!("{} cannot be read", texts.path));
        }
        Ok((texts, loaded))
    }

    /// All scripts by path below the script folders, with some texts by path below the root in place of those
    /// on disk.
    fn scripts_with(&self, laid: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut texts = self.scripts().unwrap_or_default();
        for (name, text) in &mut texts {
            if let Some(laid) = self.script_path(name).and_then(|path| laid.get(&path)) {
                text.clone_from(laid);
            }
        }
        texts
    }

    /// What is wrong between a level and the scripts.
    fn against_scripts(&self, level: &Level, laid: &BTreeMap<String, String>) -> Vec<Diagnostic> {
        let texts = self.scripts_with(laid);
        let Ok(known) = super::shell::script_texts(&texts) else { return Vec::new() };
        super::check::against_scripts(&self.found.project, level, &known, &self.linted(&texts))
    }

    /// What was found in these scripts.
    fn linted(&self, texts: &BTreeMap<String, String>) -> Arc<Linted> {
        let mut kept = self.looked_at();
        match kept.as_ref().filter(|kept| kept.texts == *texts) {
            Some(kept) => Arc::clone(&kept.linted),
            None => self.look_at(texts, &mut kept),
        }
    }

    fn looked_at(&self) -> MutexGuard<'_, Option<LintedTexts>> {
        self.looked_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_at(&self, texts: &BTreeMap<String, String>, kept: &mut Option<LintedTexts>) -> Arc<Linted> {
        let linted = scripts::linted(&self.found.project, texts, &self.found.path);
        let linted = Arc::new(linted.unwrap_or_default());
        *kept = Some(LintedTexts { texts: texts.clone(), linted: Arc::clone(&linted) });
        linted
    }

    fn placed(&self, name: &str, finding: Diagnostic) -> Option<Diagnostic> {
        let path = self.script_path(name)?;
        Some(Diagnostic { path, ..finding })
    }
}

/// What a trace of a view has of each tick.
const RECORDING: RecordOptions =
    RecordOptions { trace: true, hash_every: 1, positions_every: 0, detail_every: 0, sentences: false };

fn bound_of(record: &RunRecord) -> Bound {
    Bound { ticks_max: record.tick, until: None, is_strict: false }
}

/// The first line of the trace of a run that was viewed, with the texts that it began with.
fn header(record: &RunRecord) -> Result<String, String> {
    let start = &record.start;
    let level = start.level()?;
    let settings = crate::level::spawn::settings(&level.def);
    let setup = RunSetup {
        level_file: &start.level.path,
        seed: start.seed.unwrap_or(level.def.seed),
        bound: bound_of(record),
        args: start.args.clone(),
        options: RECORDING,
    };
    let text = |file: &LevelFile| (file.path.clone(), file.text.clone());
    let files = level.files.iter().map(text).collect_map();
    let texts = ProjectTexts { scripts: start.scripts.clone(), files };
    let header = Header::of(&level, &start.scripts, super::limits::by_name(&settings), setup);
    Ok(Header { texts: Some(texts), ..header }.line())
}

/// The trace of a run that was viewed: it is run again and written down.
struct SessionTrace<'a> {
    record: &'a RunRecord,
    lines: Vec<String>,
    /// Hears each tick, and says whether the trace is still wanted.
    goes_on: &'a mut dyn FnMut(u64) -> bool,
    is_called_off: bool,
}

impl SessionTrace<'_> {
    /// The trace; none where it was called off.
    fn written(mut self) -> Result<Option<String>, String> {
        self.lines.push(header(self.record)?);
        let mut game = self.record.start.begin_recorded(Arc::default(), RECORDING)?;
        let report = headless::run_hosted(&mut game, &bound_of(self.record), &mut self);
        self.lines.push(report.last_line());
        Ok((!self.is_called_off).then(|| self.lines.join("\n") + "\n"))
    }
}

impl Host for SessionTrace<'_> {
    fn inputs(&mut self, _: &World, tick: u64) -> Vec<Input> {
        self.record.inputs_for(tick)
    }

    fn watch(&mut self, _: &World, recorded: &Tick) -> Onlooker {
        self.lines.extend(recorded.lines.iter().cloned());
        if (self.goes_on)(recorded.number) {
            return Onlooker::GoOn;
        }
        self.is_called_off = true;
        Onlooker::Stop
    }
}
