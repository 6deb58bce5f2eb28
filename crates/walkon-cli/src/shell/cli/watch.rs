//! `walkon watch`: runs a level in real time, and reloads its scripts and level file as they are saved.
//!
//! In: a level, its project, the clock. Out: a line for each notable event; reloads with their durations; a
//! broken edit once, in place; the findings of `check` in saved files; a trace that carries the texts it
//! began with. Holds: a text with an error found by `check`, which the running one does not have, is held
//! back until it is fixed, with the files that need it and a level that does not fit its scripts; ticks have
//! a fixed length; after a pause a few are caught up, and the rest is dropped and reported (fault:G21);
//! changes take effect in the next tick (fault:E18). Not here: the reload (`game`), when files are read
//! (`shell::debounce`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_shell::Watchdog;
use walkon_shell::project::{FoundLevel, find_level};
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, WatchArgs};
use super::run::{ScriptTextMap, Session};
use super::shell::{Shell, shown_path};
use crate::base::hash;
use crate::base::suggestions::counted;
use crate::base::threads::Threads;
use crate::base::time::TickRate;
use crate::game::event::{Event, ScriptFault};
use crate::game::fixed_timestep::FixedTimestep;
use crate::game::header::{Header, ProjectTexts, RunSetup};
use crate::game::headless::{self, Bound, Host, Onlooker};
use crate::game::inputs::{Input, LevelTexts, Reload};
use crate::game::line::JsonLine;
use crate::game::log_text;
use crate::game::recorder::{RecordOptions, Recorder};
use crate::game::tick::Tick;
use crate::game::tick_notes::ReloadNote;
use crate::game::{Game, Setup};
use crate::level::{Diagnostic, Level, LevelError, LevelFile, Severity, Span, code};
use crate::script::vm::fuel::Signals;
use crate::shell::crash;
use crate::shell::lint::{LevelOutline, Linted};
use crate::shell::output::{is_stream, tell};
use crate::shell::trace::Trace;
use crate::shell::watch::{Changed, ProjectWatch, in_milliseconds};
use crate::shell::{params, scripts};
use crate::world::World;
use crate::world::event::LogLine;

/// Longest sleep: signals are heard that soon.
const NAP_MAX: Duration = Duration::from_millis(20);
/// Ticks of a run without a bound: as many as a trace can count exactly.
const TICKS_MAX: u64 = (1 << 53) - 1;

pub(super) fn run(shell: &Shell, args: &WatchArgs) -> Result<Exit, CommandFailure> {
    if is_stream(&args.level) {
        return Err(CommandFailure::usage("watch: cannot watch stdin, expected a level file"));
    }
    let found = find_level(&args.level)?;
    let level = shell.load(&found)?;
    let texts = shell.scripts(&found, &level)?;
    let inputs = found.project.folder.files_read();
    let trace = args.trace.as_deref().map(|path| Trace::open(path, &inputs)).transpose()?;
    let mut session = Session::open(shell, &found, &texts, args.format, trace);
    let rate = TickRate::new(level.def.tick_rate).unwrap_or_default();
    let ticks_max = args.seconds.map_or(TICKS_MAX, |seconds| rate.ticks(seconds));
    let bound = Bound { ticks_max, until: None, is_strict: false };
    let settings = crate::level::spawn::settings(&level.def);
    crash::begin(&shown_path(&found, &found.path), level.hash(), args.seed.unwrap_or(level.def.seed));
    let watch = ProjectWatch::open(&found, &texts, &level.files, args.watching.method());
    let outline = scripts::outline_of(found.path.clone(), &level.def, &level.resolved);
    let level_files = level.files.iter().map(|file| (file.path.clone(), file.hash)).collect_map();
    session.header(&header_of(args, &found, &level, &texts, &bound))?;
    let signals = Arc::new(Signals::default());
    let setup = Setup {
        scripts: texts,
        seed: args.seed,
        args: args.args.clone(),
        recorder: Recorder::new(recording_of(args)),
        signals: Arc::clone(&signals),
        threads: Threads::new(args.threads),
        ..Setup::default()
    };
    let watchdog = Watchdog::start(signals, settings.limits.watchdog_ms, session.interrupts.came());
    let mut game = match Game::load(level, setup) {
        Ok(game) => game,
        Err(error) => return Err(session.not_begun(None, 0, &error.into())),
    };
    if !shell.is_quiet {
        tell(&format!(
            "watching {}; save a script or the level to reload it",
            shown_path(&found, &found.path)
        ));
    }
    let now = Instant::now();
    let mut live = Live {
        session,
        watch,
        pace: FixedTimestep::new(rate, args.speed),
        seen: now,
        due: 0,
        under_way: None,
        outline,
        offered: BTreeMap::new(),
        offered_level: None,
        level: level_files,
        held: HeldBack::default(),
        is_broken: false,
    };
    let report = headless::run_hosted(&mut game, &bound, &mut live);
    drop(watchdog);
    live.session.end(&report, now.elapsed(), &[])
}

/// What is written of a level that is watched.
fn recording_of(args: &WatchArgs) -> RecordOptions {
    RecordOptions {
        trace: args.trace.is_some(),
        hash_every: 1,
        sentences: args.format == Format::Human,
        ..RecordOptions::default()
    }
}

/// The first line of the trace, with the texts that the level begins with.
fn header_of(
    args: &WatchArgs,
    found: &FoundLevel,
    level: &Level,
    texts: &ScriptTextMap,
    bound: &Bound,
) -> Header {
    let made = RunSetup {
        level_file: &found.path,
        seed: args.seed.unwrap_or(level.def.seed),
        bound: bound.clone(),
        args: args.args.clone(),
        options: recording_of(args),
    };
    let limits = super::limits::by_name(&crate::level::spawn::settings(&level.def));
    let files = level.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect_map();
    let begun = ProjectTexts { scripts: texts.clone(), files };
    Header { texts: Some(begun), ..Header::of(level, texts, limits, made) }
}

/// A level under way in real time.
struct Live<'a> {
    session: Session<'a>,
    watch: ProjectWatch<'a>,
    pace: FixedTimestep,
    /// When time was last taken in.
    seen: Instant,
    /// Ticks that are due now.
    due: u32,
    /// The reload of this tick.
    under_way: Option<UnderWay>,
    /// What scripts can name of the level as it runs.
    outline: LevelOutline,
    /// Texts of scripts that were offered, and refused so far.
    offered: BTreeMap<String, String>,
    /// The level that was, too, where it is not the one that runs.
    offered_level: Option<OfferedLevel>,
    /// Hash of each file of the level as it runs.
    level: BTreeMap<String, u64>,
    /// What was saved and not handed over, because of mistakes in it.
    held: HeldBack,
    /// Whether the last reload was refused.
    is_broken: bool,
}

/// A level that was offered, and refused so far: it may come with a script that is saved later.
struct OfferedLevel {
    /// Hash of each of its files.
    files: BTreeMap<String, u64>,
    /// What scripts can name of it.
    outline: Option<LevelOutline>,
}

/// What was saved, with mistakes.
#[derive(Default)]
struct HeldBack {
    reload: Reload,
    /// The level of it, as it would be.
    level: Option<Box<Level>>,
}

/// What was saved against what runs.
struct SavedTexts<'a> {
    /// All scripts as they would be, by path below the script folders.
    texts: &'a BTreeMap<String, String>,
    /// What `check` finds in them.
    linted: &'a Linted,
    /// Mistakes in the scripts as they run.
    running: &'a BTreeSet<MistakeKey>,
    reload: &'a Reload,
}

/// What `check` finds in a save.
#[derive(Default)]
struct SaveFindings {
    /// In the scripts of it, mistakes or not.
    in_scripts: Vec<ScriptFinding>,
    /// Mistakes of syntax in them.
    broken: Vec<ScriptFinding>,
    /// Scripts of it with mistakes that the running ones have not.
    wrong: BTreeSet<String>,
    /// Mistakes in the level of it.
    in_level: Vec<Diagnostic>,
    level_files: Vec<LevelFile>,
    /// Mistakes that the level of it makes in scripts that were not saved.
    beside_level: Vec<ScriptFinding>,
    /// Scripts that each script requires while it loads.
    required: BTreeMap<String, BTreeSet<String>>,
}

impl SaveFindings {
    /// Whether the save is to be held back.
    fn has_mistakes(&self) -> bool {
        !(self.wrong.is_empty() && self.in_level.is_empty() && self.beside_level.is_empty())
    }

    /// Whether these scripts need one of those, themselves or through others.
    fn need(&self, scripts: &ChangedScripts, those: &ChangedScripts) -> bool {
        let mut needed: BTreeSet<&String> = scripts.keys().collect_set();
        let mut next: Vec<&String> = needed.iter().copied().collect();
        // Bounded by the number of files: each is looked at once.
        while let Some(name) = next.pop() {
            let required = self.required.get(name).into_iter().flatten();
            next.extend(required.filter(|file| needed.insert(file)));
        }
        needed.iter().any(|name| those.contains_key(*name) && !scripts.contains_key(*name))
    }
}

/// Scripts that were saved or deleted, with their texts.
type ChangedScripts = BTreeMap<String, Option<String>>;

/// What a save is looked at over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SaveBase {
    /// The files as they are by now.
    Disk,
    /// What runs.
    Running,
}

/// What a save is looked at against.
struct BeforeSave {
    /// All scripts on disk, by path below the script folders.
    disk: BTreeMap<String, String>,
    /// Mistakes in the scripts as they run.
    running: BTreeSet<MistakeKey>,
}

/// Something that `check` finds in a script.
struct ScriptFinding {
    /// Its path below the script folders.
    name: String,
    /// What it is by now.
    text: String,
    finding: Diagnostic,
}

impl ScriptFinding {
    fn new(name: &str, text: &str, finding: Diagnostic) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), finding }
    }
}

/// A mistake wherever its line is by now: its script, its code, its message.
type MistakeKey = (String, &'static str, String);

/// A reload that was handed to the game.
struct UnderWay {
    since: Instant,
    /// What is wrong with the level by itself.
    refused: Option<LevelError>,
    /// The level that was handed over.
    level: Option<LevelTexts>,
}

impl Host for Live<'_> {
    fn inputs(&mut self, world: &World, _: u64) -> Vec<Input> {
        self.wait(world);
        let polled = self.watch.poll();
        self.watch.take_warnings().iter().for_each(|warning| tell(&format!("warning: {warning}")));
        let Some(Changed { reload, since, level, refused }) = polled else { return Vec::new() };
        let held = std::mem::take(&mut self.held);
        let was_held = !held.reload.is_empty();
        let Some(HeldBack { mut reload, level }) = self.let_through(held, HeldBack { reload, level }) else {
            self.is_broken = true;
            self.session.sentence(world, "reload refused; the old version runs on");
            self.session.flush();
            self.watch.offer_again(self.refused());
            return Vec::new();
        };
        if was_held {
            self.leave_out_what_runs(&mut reload);
        }
        if was_held && reload.is_empty() {
            let refused = self.refused();
            self.is_broken = !refused.is_empty();
            let end = if self.is_broken { still_refused(&refused) } else { ", mended".to_owned() };
            self.session.sentence(world, &format!("saved as it runs{end}"));
            self.session.flush();
            return Vec::new();
        }
        for (path, text) in &reload.scripts {
            match text {
                Some(text) => _ = self.offered.insert(path.clone(), text.clone()),
                None => _ = self.offered.remove(path),
            }
        }
        if let Some(texts) = &reload.level {
            let outline = level
                .map(|level| scripts::outline_of(self.outline.path.clone(), &level.def, &level.resolved));
            let offered = OfferedLevel { files: hashes_of(texts), outline };
            self.offered_level = (!self.is_level_that_runs(texts)).then_some(offered);
        }
        self.under_way = Some(UnderWay { since, refused, level: reload.level.clone() });
        vec![Input::Reload(reload)]
    }

    fn is_over(&self) -> bool {
        self.session.is_stopping()
    }

    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        if recorded.reloads.is_empty() {
            let next = self.session.watch(world, recorded);
            if !recorded.sentences.is_empty() {
                self.session.flush();
            }
            return next;
        }
        // What is told of a reload is told here, with its time and its line, and before what the new code
        // does.
        let more: Vec<&LogLine> = recorded.events.iter().filter_map(further_mistake).collect();
        recorded.reloads.iter().for_each(|reload| self.told(world, reload, &more));
        let mut rest = recorded.clone();
        let reloaded = recorded.reloads.iter().map(|note| log_text::reloaded(note, "", ""));
        let mistakes = recorded.events.iter().filter(|event| further_mistake(event).is_some());
        let mistakes = mistakes.filter_map(|event| log_text::sentence(world, event));
        let told: Vec<String> = reloaded.chain(mistakes).collect();
        rest.sentences.retain(|sentence| !sentence.starts_with("reload") && !told.contains(sentence));
        let next = self.session.watch(world, &rest);
        self.session.flush();
        self.watch.offer_again(self.refused());
        next
    }
}

impl Live<'_> {
    /// Sleeps until a tick is due.
    fn wait(&mut self, world: &World) {
        while self.due == 0 && !self.session.is_stopping() {
            let now = Instant::now();
            let steps = self.pace.advance((now - self.seen).as_secs_f64());
            self.seen = now;
            self.due = steps.ticks;
            if steps.dropped > 0 {
                let line = JsonLine::fact(world.tick().0, "notice")
                    .text("what", "timeDropped")
                    .count("count", steps.dropped);
                self.session.trace_line(&line.finish());
                self.session.sentence(
                    world,
                    &format!("{} late: this machine does not keep up", counted(steps.dropped, "tick")),
                );
            }
            if self.due == 0 {
                let wait = Duration::from_secs_f64(self.pace.wait_seconds());
                std::thread::sleep(wait.clamp(Duration::from_micros(100), NAP_MAX));
            }
        }
        self.due = self.due.saturating_sub(1);
    }

    /// What of a save is handed over: all of it, with what was held back before, once there is no mistake in
    /// it that the running texts have not, which would only show when the line runs, and end what runs it.
    /// Else what was saved now alone, when the mistakes are in other files and it needs none of those. What
    /// is not handed over is held back. Shows what `check` finds in what it looks at.
    fn let_through(&mut self, held: HeldBack, saved: HeldBack) -> Option<HeldBack> {
        let mut all = held.reload.clone();
        all.scripts.extend(saved.reload.scripts.clone());
        if saved.reload.level.is_some() {
            all.level.clone_from(&saved.reload.level);
        }
        let is_new_level = saved.reload.level.is_some();
        let level = if is_new_level { saved.level.as_deref() } else { held.level.as_deref() };
        let before = self.before_save();
        let found = before.as_ref().map(|before| self.look_through(&all, level, SaveBase::Disk, before));
        let found = found.unwrap_or_default();
        let before = before.filter(|_| found.has_mistakes());
        let spared = before.and_then(|before| self.alone(&held, &saved, &before));
        if let Some(alone) = spared {
            self.show(&alone);
            let scripts = held.reload.scripts.into_iter();
            let scripts = scripts.filter(|(path, _)| !saved.reload.scripts.contains_key(path)).collect_map();
            let level = held.reload.level.filter(|_| !is_new_level);
            self.held =
                HeldBack { reload: Reload { scripts, level }, level: held.level.filter(|_| !is_new_level) };
            return Some(saved);
        }
        self.show(&found);
        let level = if is_new_level { saved.level } else { held.level };
        let all = HeldBack { reload: all, level };
        if found.has_mistakes() {
            self.held = all;
            return None;
        }
        Some(all)
    }

    /// What `check` finds in what was saved where nothing that is held back is there, if it can be handed
    /// over without that: it has no mistake then, and needs no script that is held back.
    fn alone(&self, held: &HeldBack, saved: &HeldBack, before: &BeforeSave) -> Option<SaveFindings> {
        let alone = self.look_through(&saved.reload, saved.level.as_deref(), SaveBase::Running, before);
        let is_spared = !alone.has_mistakes() && !alone.need(&saved.reload.scripts, &held.reload.scripts);
        is_spared.then_some(alone)
    }

    /// What `check` finds in the scripts that were saved, and between them and the level that was saved.
    fn look_through(
        &self,
        reload: &Reload,
        level: Option<&Level>,
        base: SaveBase,
        before: &BeforeSave,
    ) -> SaveFindings {
        let mut found = SaveFindings::default();
        let project = &self.session.found.project;
        let (mut texts, running) = (before.disk.clone(), &before.running);
        if base == SaveBase::Running {
            texts.extend(self.session.texts.clone());
        }
        for (name, text) in &reload.scripts {
            match text {
                Some(text) => _ = texts.insert(name.clone(), text.clone()),
                None => _ = texts.remove(name),
            }
        }
        let path = &self.session.found.path;
        let outline = level.map(|level| scripts::outline_of(path.clone(), &level.def, &level.resolved));
        let linted = match base {
            SaveBase::Disk => scripts::linted(project, &texts, path),
            SaveBase::Running => {
                scripts::linted_as_it_runs(project, &texts, outline.as_ref().unwrap_or(&self.outline))
            }
        };
        let Ok(linted) = linted else { return found };
        for (name, text) in &reload.scripts {
            let Some(text) = text else { continue };
            for finding in linted.scripts.get(name).into_iter().flatten() {
                if finding.severity == Severity::Error && !running.contains(&key(name, finding)) {
                    found.wrong.insert(name.clone());
                }
                found.in_scripts.push(ScriptFinding::new(name, text, finding.clone()));
            }
            // Mistakes of syntax are the game's to refuse, because the trace has them, unless there are
            // others.
            let broken = scripts::syntax(name, text);
            found.broken.extend(broken.map(|mistake| ScriptFinding::new(name, text, mistake)));
        }
        if let Some(level) = level {
            let saved = SavedTexts { texts: &texts, linted: &linted, running, reload };
            self.does_not_fit(level, &saved, &mut found);
        }
        found.required = linted.required;
        found
    }

    /// Shows what was found in a save: mistakes of syntax only beside others.
    fn show(&self, found: &SaveFindings) {
        let in_scripts = |all: &[ScriptFinding]| {
            all.iter().for_each(|one| self.show_in_script(&one.name, &one.text, &one.finding));
        };
        in_scripts(&found.in_scripts);
        self.session.shell.show(self.session.found, &found.in_level, &found.level_files);
        in_scripts(&found.beside_level);
        if found.has_mistakes() {
            in_scripts(&found.broken);
        }
    }

    /// Shows a finding in a script, which has this text by now.
    fn show_in_script(&self, name: &str, text: &str, finding: &Diagnostic) {
        let found = self.session.found;
        let path = found.project.script_path(name, &found.path).unwrap_or_else(|| name.to_owned());
        let file = LevelFile::new(&path, text.as_bytes());
        let placed = Diagnostic { path, ..finding.clone() };
        self.session.shell.show(found, &[placed], std::slice::from_ref(&file));
    }

    /// What a save is looked at against; nothing where the files cannot be read.
    fn before_save(&self) -> Option<BeforeSave> {
        let found = self.session.found;
        let disk = found.project.scripts(&found.path).ok()?;
        let running = self.running_mistakes(&disk);
        Some(BeforeSave { disk, running })
    }

    /// Mistakes in the scripts as they run, `texts` being those on disk.
    fn running_mistakes(&self, texts: &BTreeMap<String, String>) -> BTreeSet<MistakeKey> {
        let mut texts = texts.clone();
        texts.extend(self.session.texts.clone());
        let project = &self.session.found.project;
        let Ok(linted) = scripts::linted_as_it_runs(project, &texts, &self.outline) else {
            return BTreeSet::new();
        };
        linted.scripts.iter().flat_map(|(name, all)| all.iter().map(|one| key(name, one))).collect_set()
    }

    /// What is wrong between a level that was saved and the scripts: parameters that its behaviours do not
    /// take, and names that scripts that were not saved ask for in vain.
    fn does_not_fit(&self, level: &Level, saved: &SavedTexts<'_>, found: &mut SaveFindings) {
        let known = super::shell::script_texts(saved.texts);
        found.in_level =
            known.map_or_else(|_| Vec::new(), |known| params::mistakes(level, &known, saved.linted));
        found.level_files.clone_from(&level.files);
        let used = saved.linted.used.get(&self.session.found.path).into_iter().flatten();
        for name in used.filter(|name| !saved.reload.scripts.contains_key(*name)) {
            let (Some(text), Some(findings)) = (saved.texts.get(name), saved.linted.scripts.get(name)) else {
                continue;
            };
            let is_new = |finding: &&Diagnostic| {
                finding.severity == Severity::Error && !saved.running.contains(&key(name, finding))
            };
            let findings = findings.iter().filter(is_new).cloned();
            found.beside_level.extend(findings.map(|finding| ScriptFinding::new(name, text, finding)));
        }
    }

    /// Leaves out files that were held back and are saved again as they run: the game never heard of them.
    fn leave_out_what_runs(&self, reload: &mut Reload) {
        let running = &self.session.texts;
        let is_news = |path: &String, text: &Option<String>| {
            self.offered.contains_key(path) || running.get(path) != text.as_ref()
        };
        reload.scripts.retain(|path, text| is_news(path, text));
        if self.offered_level.is_none() {
            reload.level.take_if(|level| self.is_level_that_runs(level));
        }
    }

    fn is_level_that_runs(&self, level: &LevelTexts) -> bool {
        hashes_of(level) == self.level
    }

    /// The files that were offered and are not as they run, and those that are held back.
    fn refused(&self) -> Vec<String> {
        let running = &self.session.texts;
        let offered = self.offered.iter().filter(|(path, text)| running.get(*path) != Some(*text));
        let offered = offered.map(|(path, _)| path);
        let scripts: BTreeSet<&String> = offered.chain(self.held.reload.scripts.keys()).collect_set();
        let is_level_refused = self.offered_level.is_some() || self.held.reload.level.is_some();
        let level = is_level_refused.then(|| self.session.found.path.clone());
        scripts.into_iter().cloned().chain(level).collect()
    }

    /// The files that were offered before, and that a reload which took effect has left out.
    fn refused_after(&mut self, reload: &ReloadNote) -> Vec<String> {
        for file in &reload.files {
            if let Some(text) = self.offered.remove(file) {
                self.session.texts.insert(file.clone(), text);
            }
        }
        // One that was saved as it runs is mended, too.
        let running = &self.session.texts;
        self.offered.retain(|path, text| running.get(path) != Some(text));
        self.refused()
    }

    /// Shows a mistake for which a reload was refused, in place.
    fn show_fault(&self, fault: &ScriptFault) {
        let mut texts = self.session.texts.clone();
        texts.extend(self.offered.clone());
        tell(&self.session.shell.fault(self.session.found, &texts, fault));
    }

    /// Says what became of a reload; `more` are further mistakes for which it was refused.
    fn told(&mut self, world: &World, reload: &ReloadNote, more: &[&LogLine]) {
        let under_way = self.under_way.take();
        let Some(fault) = &reload.refused else {
            let since = under_way.as_ref().map(|it| it.since);
            let time = since.map_or_else(String::new, |since| format!(" in {}", in_milliseconds(since)));
            if reload.files.contains(&self.session.found.path)
                && let Some(OfferedLevel { files, outline }) = self.offered_level.take()
            {
                self.level = files;
                self.outline = outline.unwrap_or_else(|| self.outline.clone());
            }
            let refused = self.refused_after(reload);
            let mends = refused.is_empty() && reload.mends() && std::mem::take(&mut self.is_broken);
            let mended = if mends { ", mended" } else { "" };
            self.session.show_faults_again();
            let mut sentence = log_text::reloaded(reload, &time, mended);
            if !refused.is_empty() {
                sentence.push_str(&still_refused(&refused));
            }
            self.session.sentence(world, &sentence);
            return;
        };
        self.is_broken = true;
        let (level, refused) = under_way.map_or((None, None), |it| (it.level, it.refused));
        let level = level.and_then(|level| in_level(level.files.get(&fault.file)?, fault));
        match (refused, level) {
            (Some(level), _) => self.session.shell.show(self.session.found, &level.diagnostics, &level.files),
            (None, Some((diagnostic, file))) => {
                self.session.shell.show(self.session.found, &[diagnostic], &[file]);
            }
            (None, None) => self.show_fault(fault),
        }
        for LogLine { file, line, message, .. } in more {
            let (file, message) = (file.clone(), message.clone());
            self.show_fault(&ScriptFault { file, line: *line, message, ..ScriptFault::default() });
        }
        self.session.sentence(world, "reload refused; the old version runs on");
    }
}

/// The end of a sentence about a save that leaves files out.
fn still_refused(files: &[String]) -> String {
    format!("; still refused: {}", files.join(", "))
}

fn hashes_of(level: &LevelTexts) -> BTreeMap<String, u64> {
    level.files.iter().map(|(path, bytes)| (path.clone(), hash::of_bytes(bytes))).collect_map()
}

/// A mistake for which a reload was refused, beside the first.
fn further_mistake(event: &Event) -> Option<&LogLine> {
    match event {
        Event::Logged(line) if line.owner == log_text::RELOAD && line.level == "error" => Some(line),
        _ => None,
    }
}

/// What makes a finding the same after lines moved.
fn key(script: &str, finding: &Diagnostic) -> MistakeKey {
    (script.to_owned(), finding.code, finding.message.clone())
}

/// What the scripts refuse in a file of the level, as `check` shows it: the message begins with line and
/// column.
fn in_level(bytes: &[u8], fault: &ScriptFault) -> Option<(Diagnostic, LevelFile)> {
    let file = LevelFile::new(&fault.file, bytes);
    let place = format!("{}:{}:", fault.file, fault.line);
    let (column, sentence) = fault.message.strip_prefix(&place)?.split_once(": ")?;
    let column: u32 = column.parse().ok()?;
    let (message, help) = match sentence.split_once("; ") {
        Some((message, help)) => (message, Some(help.to_owned())),
        None => (sentence, None),
    };
    let code = if message.starts_with("character ") { code::PARAMS } else { code::UNRESOLVED };
    let before: usize =
        file.text.split_inclusive('\n').take((fault.line.max(1) - 1) as usize).map(str::len).sum();
    let line = file.text.get(before..)?.lines().next().unwrap_or_default();
    let start = before + line.chars().take((column.max(1) - 1) as usize).map(char::len_utf8).sum::<usize>();
    let diagnostic = Diagnostic {
        code,
        severity: Severity::Error,
        path: fault.file.clone(),
        line: fault.line,
        column,
        pointer: String::new(),
        message: message.to_owned(),
        help,
        span: Span::new(0, start, start + value_length(file.text.get(start..)?)),
    };
    Some((diagnostic, file))
}

/// Bytes of the JSON value that a text begins with, as far as one line shows it.
fn value_length(text: &str) -> usize {
    let end = match text.strip_prefix('"') {
        Some(inside) => inside.find('"').map(|end| end + 2),
        None => text.find([',', '}', ']', '\n']),
    };
    end.unwrap_or(1)
}
