//! `walkon replay`: replays a trace, and reports where it differs.
//!
//! In: a trace; the project it is of, around it or around the current folder. Out: that nothing differs, or
//! the first line and the first hash that do. Holds: version, level, scripts and limits are compared with the
//! trace before anything runs. Not here: comparing lines (`game::replay`).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use walkon_shell::Watchdog;
use walkon_shell::project::{FoundLevel, Project};
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, ReplayArgs};
use super::limits;
use super::shell::{Shell, script_texts};
use crate::disk;
use crate::game::header::{Header, ProjectTexts, RunSetup};
use crate::game::line::{JsonLine, quoted};
use crate::game::recording::Recording;
use crate::game::replay::{Difference, DifferenceKind, ReplayResult, replay};
use crate::level::spawn::settings;
use crate::level::{Level, MemorySource, SourceError};
use crate::script::vm::files::FileError;
use crate::script::vm::fuel::Signals;
use crate::shell::crash;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::{Results, is_stream, tell};
use crate::shell::progress::ProgressWork;
use crate::shell::report::clean;

/// Most characters of a line or a value that are shown.
const SHOWN_MAX: usize = 200;

pub(super) fn run(shell: &Shell, args: &ReplayArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let name = args.trace.display().to_string();
    let text = text_of(&args.trace)?;
    let recording = read(&args.trace, &text)?;
    let header = &recording.header;
    let (level, scripts) = level_of(shell, &args.trace, &recording)?;
    let settings = settings(&level.def);
    crash::begin(&header.level_file, header.level_hash, header.seed);
    let signals = Arc::new(Signals::default());
    let interrupts = Interrupts::listen();
    let watchdog = Watchdog::start(Arc::clone(&signals), settings.limits.watchdog_ms, interrupts.came());
    let mut bar =
        shell.progress(ProgressWork { name: "replaying", unit: "ticks", all: recording.last_tick() });
    let mut ticks = 0;
    let mut is_stopped = || {
        ticks += 1;
        bar.reach(ticks);
        interrupts.asked().is_some()
    };
    let verdict = replay(&recording, level, scripts, signals, &mut is_stopped)
        .map_err(|error| CommandFailure::new(Exit::Script, error.to_string()))?;
    drop(bar);
    drop(watchdog);
    if let Some(exit) = interrupts.asked() {
        return Err(CommandFailure::Told(exit));
    }
    if verdict.is_cut && !shell.is_quiet {
        tell(&cut(&name, &recording));
    }
    match args.format {
        Format::Json => results.line(&json(&verdict))?,
        Format::Human if verdict.is_same() => results.report(&told(&name, &recording, &verdict))?,
        Format::Human => results.line(&told(&name, &recording, &verdict))?,
    }
    Ok(if verdict.is_same() { Exit::Ok } else { Exit::Limit })
}

/// The text of a trace. A byte that is no text any more is shown where it stands, as a line that differs.
pub(super) fn text_of(path: &Path) -> Result<String, CommandFailure> {
    let bytes = bytes_of(path).map_err(|error| CommandFailure::io(format!("{}: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A trace, from its text.
pub(super) fn read<'a>(path: &Path, text: &'a str) -> Result<Recording<'a>, CommandFailure> {
    Recording::read(text).map_err(|error| {
        let failure = CommandFailure::io(format!("{}: {error}", path.display()));
        failure.help("name a file that `walkon run --trace` has written")
    })
}

/// The level and the scripts of a trace, which are those it was made with.
pub(super) fn level_of(
    shell: &Shell,
    path: &Path,
    recording: &Recording<'_>,
) -> Result<(Level, BTreeMap<String, String>), CommandFailure> {
    let header = &recording.header;
    let (level, scripts) = match &header.texts {
        Some(texts) => carried(texts, header)?,
        None => from_disk(shell, path, header)?,
    };
    let settings = settings(&level.def);
    let here = Header::of(&level, &scripts, limits::by_name(&settings), of_the_trace(header));
    // What was added since is no part of that run.
    let mut known = scripts.clone();
    known.retain(|path, _| header.scripts.contains_key(path));
    match header.refusal(&here).or_else(|| script_left_out(&level, &scripts, &known)) {
        Some(why) => {
            let failure = CommandFailure::new(Exit::Level, format!("{}: {why}", path.display()));
            Err(failure.help("replay it with the program and the files it was made with"))
        }
        None => Ok((level, known)),
    }
}

/// Why a trace that knows these scripts is not of this level: a name in the level means a script of the
/// project and none of those.
fn script_left_out(
    level: &Level,
    scripts: &BTreeMap<String, String>,
    known: &BTreeMap<String, String>,
) -> Option<String> {
    let (scripts, known) = (script_texts(scripts).ok()?, script_texts(known).ok()?);
    let is_unknown = |name: &str| matches!(known.resolve(name), Err(FileError::Unknown { .. }));
    let mut names = level.def.scripts().map(|name| name.value.as_str());
    let name = names.find(|name| is_unknown(name) && scripts.resolve(name).is_ok())?;
    Some(format!("it does not list the script {}, which its level names", quoted(name)))
}

/// The bytes of a file, or of stdin.
fn bytes_of(path: &Path) -> Result<Vec<u8>, SourceError> {
    /// Largest trace; it is read whole.
    const TRACE_BYTES_MAX: u64 = 1 << 30;
    if !is_stream(path) {
        return disk::read_regular(path, TRACE_BYTES_MAX);
    }
    disk::read_up_to(std::io::stdin().lock(), TRACE_BYTES_MAX)
}

/// The options that the trace itself names.
fn of_the_trace(header: &Header) -> RunSetup<'_> {
    RunSetup {
        level_file: &header.level_file,
        seed: header.seed,
        bound: header.bound.clone(),
        args: header.args.clone(),
        options: header.options,
    }
}

/// The level and the scripts that the trace carries along.
fn carried(
    texts: &ProjectTexts,
    header: &Header,
) -> Result<(Level, BTreeMap<String, String>), CommandFailure> {
    let files = texts.files.iter();
    let source = files.fold(MemorySource::new(), |source, (path, text)| source.with(path, text.as_bytes()));
    let level = crate::level::load(&header.level_file, &source)
        .map_err(|error| CommandFailure::new(Exit::Level, format!("the level in the trace: {}", error)))?;
    Ok((level, texts.scripts.clone()))
}

/// The level and the scripts of the project that the trace belongs to.
fn from_disk(
    shell: &Shell,
    trace: &Path,
    header: &Header,
) -> Result<(Level, BTreeMap<String, String>), CommandFailure> {
    let beside = trace.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let has_level = |project: &Project| project.folder.root().join(&header.level_file).is_file();
    let around = [beside, Path::new(".")].into_iter().filter_map(|folder| Project::around(folder).ok());
    let Some(project) = around.into_iter().find(has_level) else {
        let missing = format!(
            "{}: it is of the level {}, which lies neither in the project around it nor around the current folder",
            trace.display(),
            quoted(&header.level_file)
        );
        return Err(CommandFailure::new(Exit::Level, missing).help("run this in the folder of the project"));
    };
    let found = FoundLevel { project, path: header.level_file.clone() };
    let level = shell.load(&found)?;
    let scripts = found.project.scripts(&found.path)?;
    Ok((level, scripts))
}

fn cut(name: &str, recording: &Recording<'_>) -> String {
    if let Some(tick) = recording.cut_short {
        return format!(
            "warning: {name}: a signal ended the run while scripts ran in tick {tick}: replayed up to the tick before"
        );
    }
    let lines = recording.lines.len() + 1;
    let torn = match recording.torn_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} bytes of a torn line left out"),
    };
    format!("warning: {name}: the trace is cut: replayed up to its last whole line, {lines}{torn}")
}

fn told(name: &str, recording: &Recording<'_>, verdict: &ReplayResult) -> String {
    let level = clean(&recording.header.level);
    let Some(found) = &verdict.difference else {
        return format!(
            "{level}: the same in {} ticks: {} lines, {} hashes; hash {:016x}",
            verdict.ticks, verdict.lines, verdict.hashes, verdict.hash
        );
    };
    let mut text = format!("{name}:{}: differs at tick {}: {}", found.line, found.tick, difference(found));
    match &verdict.hash_difference {
        Some(hash) => text.push_str(&format!(
            "\n  the first hash that differs is of tick {}{}: expected {}, got {}",
            hash.tick,
            if hash.parts.is_empty() { String::new() } else { format!(", in {}", hash.parts.join(", ")) },
            hash.expected,
            hash.got
        )),
        None => text.push_str("\n  no hash differs: the state is the same, the text of the trace is not"),
    }
    if let Some((tick, why)) = verdict.because {
        text.push_str(&format!("\n  tick {tick} cannot be repeated: {why}"));
    }
    text
}

fn difference(found: &Difference) -> String {
    let expected = found.expected.as_deref().map(shown).unwrap_or_default();
    let got = found.got.as_deref().map(shown).unwrap_or_default();
    match &found.what {
        DifferenceKind::Field { field, expected: there, got: here } => {
            let (there, here) = (shown(there), shown(here));
            format!("{}: expected {there}, got {here}\n  in {expected}", clean(field))
        }
        DifferenceKind::Extra => format!("the trace has a line that the replay has not\n  {expected}"),
        DifferenceKind::Missing => format!("the replay has a line that the trace has not\n  {got}"),
        DifferenceKind::Unreadable => {
            format!("the line is not JSON\n  expected {expected}\n  got      {got}")
        }
        DifferenceKind::Other => format!("another line\n  expected {expected}\n  got      {got}"),
    }
}

fn shown(text: &str) -> String {
    let text = clean(text);
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn json(verdict: &ReplayResult) -> String {
    let line = JsonLine::default()
        .flag("same", verdict.is_same())
        .flag("cut", verdict.is_cut)
        .count("ticks", verdict.ticks)
        .count("lines", verdict.lines as u64)
        .count("hashes", verdict.hashes)
        .hash("hash", verdict.hash);
    let line = match &verdict.difference {
        Some(found) => line.raw("difference", &difference_json(found)),
        None => line,
    };
    let line = match &verdict.hash_difference {
        Some(hash) => {
            let parts: Vec<String> = hash.parts.iter().map(|part| quoted(part)).collect();
            let found = JsonLine::default()
                .count("tick", hash.tick)
                .raw("parts", &format!("[{}]", parts.join(",")))
                .text("expected", &hash.expected)
                .text("got", &hash.got);
            line.raw("hashDifference", &found.finish())
        }
        None => line,
    };
    line.maybe_text("because", verdict.because.map(|(_, why)| why)).finish()
}

fn difference_json(found: &Difference) -> String {
    let kind = match &found.what {
        DifferenceKind::Field { .. } => "field",
        DifferenceKind::Extra => "extra",
        DifferenceKind::Missing => "missing",
        DifferenceKind::Unreadable => "unreadable",
        DifferenceKind::Other => "other",
    };
    let line =
        JsonLine::default().count("tick", found.tick).count("line", found.line as u64).text("kind", kind);
    let line = match &found.what {
        DifferenceKind::Field { field, expected, got } => {
            line.text("field", field).raw("expected", expected).raw("got", got)
        }
        _ => line,
    };
    let line = line.maybe_text("expectedLine", found.expected.as_deref());
    line.maybe_text("gotLine", found.got.as_deref()).finish()
}
