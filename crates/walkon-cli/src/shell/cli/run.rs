//! `walkon run`: runs a level from its first tick to its end.
//!
//! In: a level, its scripts, a bound. Out: a line for each notable event and a summary, or one JSON object; a
//! trace. Holds: everything that can be refused is refused before tick 0; a signal ends the run between two
//! ticks and the trace says so (fault:H5). Not here: the rules of the tick (`game`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use walkon_runtime::base::ordered;
use walkon_shell::Watchdog;
use walkon_shell::project::{FoundLevel, find_level};
use walkon_shell::{CommandFailure, Exit, RunBound, exit_of, row};

use super::args::{Format, RunArgs, SpeedChoice};
use super::shell::{Shell, shown_path};
use crate::base::suggestions::{self, counted};
use crate::base::threads::Threads;
use crate::base::time::TickRate;
use crate::game::event::ScriptFault;
use crate::game::header::{Header, RunSetup};
use crate::game::headless::{self, Bound, Host, Onlooker, Report, RunEnd};
use crate::game::inputs::Input;
use crate::game::line::JsonLine;
use crate::game::recorder::{RecordOptions, Recorder};
use crate::game::recording::Recording;
use crate::game::save::{RestoreError, SaveHeader};
use crate::game::tick::Tick;
use crate::game::{Game, Setup, StartError, TickStep};
use crate::level::Level;
use crate::script::check;
use crate::script::state::profile::ProfileSetup;
use crate::script::vm::fault::FaultKind;
use crate::script::vm::fuel::Signals;
use crate::shell::crash;
use crate::shell::debug::Connection;
use crate::shell::file_watcher::WatchMethod;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::{AskedOutput, Results, Tone, is_stream, refuse_shared, tell};
use crate::shell::params::ParamPlaces;
use crate::shell::profiling::Profiling;
use crate::shell::progress::{ProgressLine, ProgressWork};
use crate::shell::report::clean;
use crate::shell::saves::{self, Saves};
use crate::shell::trace::Trace;
use crate::shell::watch::ProjectWatch;
use crate::world::World;
use crate::world::settings::Settings;

/// Faults that are shown with their line.
const FAULTS_TOLD_MAX: usize = 20;
/// Script texts by path below the script folders.
pub(super) type ScriptTextMap = std::collections::BTreeMap<String, String>;
/// How far a run in real time may fall behind before it gives up catching up.
const BEHIND_MAX: Duration = Duration::from_millis(250);

pub(super) fn run(shell: &Shell, args: &RunArgs) -> Result<Exit, CommandFailure> {
    perform(shell, args, args.debug.map(DebugWay::Port))
}

/// How a debugger comes to a run.
pub(super) enum DebugWay {
    /// It is there: what is told of the run goes to it, and to stderr.
    Here(Arc<Connection>),
    /// It connects to this port.
    Port(u16),
}

impl DebugWay {
    fn connect(self, session: &mut Session<'_>) -> Result<Arc<Connection>, CommandFailure> {
        match self {
            Self::Here(client) => {
                session.results = Results::stderr(&session.shell.general);
                session.tells_client_alone = true;
                Ok(client)
            }
            Self::Port(port) => Connection::listen(port, session.interrupts.clone()),
        }
    }
}

/// What a run begins with, and where it ends.
struct RunPlan {
    /// Its first tick.
    first: u64,
    rate: TickRate,
    seed: u64,
    bound: Bound,
    settings: Settings,
    /// The save game that it goes on from.
    save: Option<Vec<u8>>,
}

impl RunPlan {
    /// What the options of a run, its save game and its level say of it, in this order.
    fn of(args: &RunArgs, found: &FoundLevel, level: &Level) -> Result<Self, CommandFailure> {
        let save = args.from.as_deref().map(|path| begin_from(path, found)).transpose()?;
        let (first, rate, seed) = match &save {
            Some((header, _)) => (header.tick, header.tick_rate, header.seed),
            None => (0, level.def.tick_rate, level.def.seed),
        };
        let rate = TickRate::new(rate).unwrap_or_default();
        Ok(Self {
            first,
            rate,
            seed: args.seed.unwrap_or(seed),
            bound: bound_of(args, rate, first),
            settings: crate::level::spawn::settings(&level.def),
            save: save.map(|(_, bytes)| bytes),
        })
    }
}

/// Runs a level, under a debugger if there is one.
pub(super) fn perform(
    shell: &Shell,
    args: &RunArgs,
    debug: Option<DebugWay>,
) -> Result<Exit, CommandFailure> {
    let found = find_level(&args.level)?;
    let level = shell.load(&found)?;
    let scripts = shell.scripts(&found, &level)?;
    refuse_shared(&outputs_of(args))?;
    let inputs = inputs_of(args, &found);
    let profiling = Profiling::asked(&args.profile, &inputs)?;
    let plan = RunPlan::of(args, &found, &level)?;
    let saves = Saves::of(&args.save_at, plan.first, &inputs)?;
    let trace = args.trace.as_deref().map(|path| Trace::open(path, &inputs)).transpose()?;
    let mut session = Session::open(shell, &found, &scripts, args.format, trace);
    if profiling.as_ref().is_some_and(Profiling::is_stdout) {
        session.results = Results::stderr(&shell.general);
    }
    let client = debug.map(|way| way.connect(&mut session)).transpose()?;
    session.client = client.clone();
    session.prepare(args, &level, &plan)?;
    let changes = client.is_some() && !is_stream(&args.level);
    let changes = changes.then(|| ProjectWatch::open(&found, &scripts, &level.files, WatchMethod::System));
    let signals = Arc::new(Signals::default());
    let debugger = client.as_ref().map(|client| {
        let places = found.project.script_places(scripts.keys(), &found.path);
        client.debugger(places, Arc::clone(&signals))
    });
    let setup = Setup {
        scripts,
        seed: args.seed,
        args: args.args.clone(),
        recorder: Recorder::new(recording_of(args)),
        signals: Arc::clone(&signals),
        threads: Threads::new(args.threads),
        debugger,
        profile: profiling.as_ref().map(Profiling::setup),
        ..Setup::default()
    };
    let watchdog = Watchdog::start(signals, plan.settings.limits.watchdog_ms, session.interrupts.came());
    let loading = Instant::now();
    let mut game = match load_or_restore(level, setup, plan.save.as_deref()) {
        Ok(game) => game,
        Err(error) => {
            let failure = session.not_begun(args.from.as_deref(), plan.first, &error);
            return ended(client.as_deref(), Err(failure));
        }
    };
    let clock = StepClock { is_on: args.stats, ..StepClock::new(loading.elapsed()) };
    let exit = play(&mut game, &plan.bound, RunHost { session, clock, profiling, changes, saves });
    drop(watchdog);
    ended(client.as_deref(), exit)
}

/// A game from the beginning of its level, or from a save game.
fn load_or_restore(level: Level, setup: Setup, save: Option<&[u8]>) -> Result<Game, RestoreError> {
    match save {
        None => Ok(Game::load(level, setup)?),
        Some(bytes) => Game::restore(level, setup, bytes),
    }
}

/// The files that the options of a run name for its results.
fn outputs_of(args: &RunArgs) -> Vec<AskedOutput<'_>> {
    let trace = args.trace.iter().map(|path| AskedOutput { option: "--trace", path });
    let profile = args.profile.profile.iter().map(|path| AskedOutput { option: "--profile", path });
    let saves = saves::files(&args.save_at).map(|path| AskedOutput { option: "--save-at", path });
    trace.chain(profile).chain(saves).collect()
}

/// The files that a run reads, without links.
fn inputs_of(args: &RunArgs, found: &FoundLevel) -> Vec<PathBuf> {
    let from = args.from.as_deref().and_then(|path| path.canonicalize().ok());
    found.project.folder.files_read().into_iter().chain(from).collect()
}

/// Where a run ends, counted from the first tick of the level; it begins in tick `first`.
fn bound_of(args: &RunArgs, rate: TickRate, first: u64) -> Bound {
    let bound = RunBound {
        ticks: args.ticks,
        seconds: args.seconds,
        until: args.until.clone(),
        is_strict: args.strict,
    };
    let mut bound = bound.at(rate);
    bound.ticks_max = bound.ticks_max.saturating_add(first);
    bound
}

/// What is written of a run.
fn recording_of(args: &RunArgs) -> RecordOptions {
    RecordOptions {
        trace: args.trace.is_some(),
        hash_every: args.hash_every,
        positions_every: args.positions,
        detail_every: args.detail,
        sentences: args.format == Format::Human,
    }
}

/// Runs a level that has begun to its end, and tells how it went.
fn play(game: &mut Game, bound: &Bound, mut host: RunHost<'_>) -> Result<Exit, CommandFailure> {
    let began = Instant::now();
    let report = headless::run_hosted(game, bound, &mut host);
    let wall = began.elapsed();
    let RunHost { session, clock, profiling, mut saves, .. } = host;
    saves.end();
    let _time = profiling.is_some().then(|| session.interrupts.take_time());
    if let (Some(profiling), Some(profile)) = (&profiling, game.profile()) {
        profiling.write(&report.level, &profile)?;
    }
    let exit = session.end(&report, wall, &clock.stats(&report))?;
    Ok(if saves.is_broken && exit == Exit::Ok { Exit::Io } else { exit })
}

/// Tells a debugger that the run is over. What it has ended itself has ended well, unless a signal asked for
/// the end as well.
fn ended(client: Option<&Connection>, outcome: Result<Exit, CommandFailure>) -> Result<Exit, CommandFailure> {
    let Some(client) = client else { return outcome };
    let exit = outcome.as_ref().map_or_else(CommandFailure::exit, |exit| *exit);
    if !client.is_ending() || exit != Exit::Interrupted {
        client.finish(exit.code());
        return outcome;
    }
    let exit = client.interrupted_as_it_left().unwrap_or(Exit::Ok);
    client.finish(exit.code());
    Ok(exit)
}

/// The host of a run: looks on, times the steps, saves the game, and under a debugger takes in files that
/// were saved.
struct RunHost<'a> {
    session: Session<'a>,
    clock: StepClock,
    profiling: Option<Profiling>,
    changes: Option<ProjectWatch<'a>>,
    saves: Saves,
}

impl Host for RunHost<'_> {
    fn inputs(&mut self, _: &World, _: u64) -> Vec<Input> {
        let changed = self.changes.as_mut().and_then(ProjectWatch::poll);
        changed.map(|changed| vec![Input::Reload(changed.reload)]).unwrap_or_default()
    }

    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        self.session.watch(world, recorded)
    }

    fn between(&mut self, game: &Game) {
        self.saves.after(game);
    }

    fn done(&mut self, step: TickStep) {
        self.clock.done(step);
        if let Some(profiling) = &mut self.profiling {
            profiling.done(step);
        }
    }
}

/// The save game that a run begins from, and what stands in front of it.
fn begin_from(path: &Path, found: &FoundLevel) -> Result<(SaveHeader, Vec<u8>), CommandFailure> {
    let bytes = saves::read(path)?;
    let header = SaveHeader::read(&bytes).map_err(|error| {
        let failure = CommandFailure::io(format!("save {}: {error}", path.display()));
        failure.help("name a file that `walkon run --save-at` or Game::save has written")
    })?;
    log::debug!("save {}: level {:?}, for {}", path.display(), header.level, found.path);
    Ok((header, bytes))
}

/// The scripts of a level could not be started: said with the line of the script where it is known.
fn not_started(
    shell: &Shell,
    found: &FoundLevel,
    texts: &ScriptTextMap,
    error: &StartError,
) -> CommandFailure {
    if error.parameter().is_some()
        && let Ok(level) = crate::level::load(&found.path, &found.project.folder)
    {
        let places = ParamPlaces::of(&level);
        if let Some(diagnostic) = places.refused(error) {
            shell.show(found, &[diagnostic], places.files());
            return CommandFailure::Told(Exit::Level);
        }
    }
    let Some((load, owner)) = error.failure() else {
        return CommandFailure::new(Exit::Script, error.to_string());
    };
    let note = ScriptFault {
        file: load.file.clone(),
        line: load.line,
        message: load.message.clone(),
        traceback: load.traceback.clone(),
        owner: owner.to_owned(),
        callback: if owner.is_empty() { String::new() } else { "init".to_owned() },
    };
    tell(&shell.fault(found, texts, &note));
    CommandFailure::Told(Exit::Script)
}

/// What each step of the tick cost, in real time.
struct StepClock {
    is_on: bool,
    /// Before the first tick.
    loading: Duration,
    last: Instant,
    spent: [Duration; TickStep::ALL.len()],
    /// Ticks that have begun.
    ticks: u64,
    /// Of the tick under way, by step and in all.
    tick: Spent,
    /// Of the tick that took longest, with its number.
    slowest: (Spent, u64),
}

/// What one tick cost.
#[derive(Clone, Copy, Default)]
struct Spent {
    whole: Duration,
    steps: [Duration; TickStep::ALL.len()],
}

impl StepClock {
    fn new(loading: Duration) -> Self {
        Self {
            is_on: false,
            loading,
            last: Instant::now(),
            spent: [Duration::ZERO; TickStep::ALL.len()],
            ticks: 0,
            tick: Spent::default(),
            slowest: (Spent::default(), 0),
        }
    }

    fn done(&mut self, step: TickStep) {
        if !self.is_on {
            return;
        }
        let now = Instant::now();
        // What lies between two ticks is the onlooker's and counts for nobody.
        if step == TickStep::Inputs {
            (self.tick, self.ticks) = (Spent::default(), self.ticks + 1);
        } else {
            let took = now - self.last;
            self.spent[step as usize] += took;
            self.tick.steps[step as usize] += took;
            self.tick.whole += took;
            if self.tick.whole > self.slowest.0.whole {
                self.slowest = (self.tick, self.ticks);
            }
        }
        self.last = now;
    }

    /// What `--stats` adds: what walkers did because of others, and the cost of each step.
    fn stats(&self, report: &Report) -> Vec<String> {
        if !self.is_on {
            return Vec::new();
        }
        let Report { crowd, paths, .. } = report;
        let replans = format!(
            "  replans {}: {} for doors, {} for the map, {} for others, {} for targets; {} of searches",
            crowd.replans(),
            crowd.for_doors,
            crowd.for_map,
            crowd.for_crowd,
            crowd.for_target,
            counted(paths.restarts, "restart")
        );
        let nudges = format!("  nudges  {} aside", counted(crowd.nudges, "step"));
        let loading = format!(
            "  loading {:.1} ms for the world, the memory of its searches and its scripts",
            self.loading.as_secs_f64() * 1e3
        );
        [loading, self.slowest(), replans, nudges].into_iter().chain(self.table(report.ticks)).collect()
    }

    /// The tick that took longest, and the steps that took most of it.
    fn slowest(&self) -> String {
        /// Steps that are named.
        const NAMED: usize = 3;
        let (spent, tick) = &self.slowest;
        let mut steps = TickStep::ALL.map(|step| (spent.steps[step as usize], step.name()));
        ordered::sort_by_key(&mut steps, |&(took, _)| std::cmp::Reverse(took));
        let steps = steps[..NAMED].iter().filter(|(took, _)| *took > Duration::ZERO);
        let steps: Vec<String> =
            steps.map(|(took, name)| format!("{name} {:.1}", took.as_secs_f64() * 1e3)).collect();
        let whole_ms = spent.whole.as_secs_f64() * 1e3;
        format!("  slowest tick {tick}: {whole_ms:.1} ms, of these {}", steps.join(", "))
    }

    /// Microseconds a tick and share, by step.
    fn table(&self, ticks: u64) -> Vec<String> {
        let whole = self.spent.iter().sum::<Duration>().as_secs_f64().max(1e-12);
        let mut table = vec![format!("  {:<16} {:>12} {:>7}", "step", "us a tick", "share")];
        for step in TickStep::ALL {
            let spent = self.spent[step as usize].as_secs_f64();
            let each = spent * 1e6 / ticks.max(1) as f64;
            table.push(format!("  {:<16} {each:>12.2} {:>6.1}%", step.name(), spent / whole * 100.0));
        }
        table
    }
}

/// What a run that is drawn begins with.
pub(super) struct Start {
    pub scripts: ScriptTextMap,
    pub seed: Option<u64>,
    pub args: Vec<String>,
    /// The save game that it begins from.
    pub from: Option<Vec<u8>>,
}

/// A level at tick 0, its scripts started; for pictures.
pub(super) fn game(
    shell: &Shell,
    found: &FoundLevel,
    level: Level,
    start: Start,
) -> Result<Game, CommandFailure> {
    game_with(shell, found, level, start, None)
}

/// The same, with what is to be profiled.
pub(super) fn game_with(
    shell: &Shell,
    found: &FoundLevel,
    level: Level,
    Start { scripts, seed, args, from }: Start,
    profile: Option<ProfileSetup>,
) -> Result<Game, CommandFailure> {
    let recorder = Recorder::new(RecordOptions { sentences: true, ..RecordOptions::default() });
    let setup = Setup { scripts: scripts.clone(), seed, args, recorder, profile, ..Setup::default() };
    let made = load_or_restore(level, setup, from.as_deref());
    let mut game = made.map_err(|error| match error {
        RestoreError::Start(error) => not_started(shell, found, &scripts, &error),
        other => CommandFailure::new(Exit::Script, other.to_string()),
    })?;
    game.start_facts();
    Ok(game)
}

/// Runs a game up to a tick, unless the process is asked to stop, with what the host said in the trace;
/// `reached` hears of each tick and what happened in it. Gives the tick in which a run would have ended
/// before that, because its script called `level.finish`.
pub(super) fn run_to(
    game: &mut Game,
    tick: u64,
    trace: Option<&Recording<'_>>,
    interrupts: &Interrupts,
    mut reached: impl FnMut(u64, Tick),
) -> Result<Option<u64>, CommandFailure> {
    let mut finished = None;
    // Bounded by the tick that was asked for.
    while game.world().tick().0 < tick {
        if finished.is_none() && game.outcome().is_some() {
            finished = Some(game.world().tick().0);
        }
        let next = game.world().tick().0 + 1;
        let inputs = trace.map_or_else(Vec::new, |trace| trace.inputs_for(game.world(), next));
        let recorded = game.tick(&inputs);
        reached(next, recorded);
        if let Some(exit) = interrupts.asked() {
            return Err(CommandFailure::Told(exit));
        }
    }
    Ok(finished)
}

/// A run under way: what it tells, and where.
pub(super) struct Session<'a> {
    pub shell: &'a Shell,
    pub found: &'a FoundLevel,
    /// Texts of scripts as they run.
    pub texts: ScriptTextMap,
    results: Results,
    trace: Option<Trace>,
    format: Format,
    pace: RunSpeed,
    faults_told: usize,
    bar: Option<ProgressLine>,
    /// Faults that were shown since the code changed, and how often each happened.
    shown: std::collections::BTreeMap<FaultPlace, u64>,
    /// Their sentences, each of which is told once.
    told: std::collections::BTreeSet<String>,
    /// The event that the run waits for.
    awaited: Option<AwaitedEvent>,
    pub interrupts: Interrupts,
    /// A debugger, which is told what people are told.
    client: Option<Arc<Connection>>,
    /// Nobody else reads what happens.
    tells_client_alone: bool,
    /// Why results are written no more: a closed pipe, a full disk.
    cut: Option<CommandFailure>,
}

/// The event of `--until`, and the names of those that came.
struct AwaitedEvent {
    name: String,
    others: std::collections::BTreeSet<String>,
}

impl AwaitedEvent {
    /// Names that are kept, for a suggestion.
    const OTHERS_MAX: usize = 1_000;

    fn hear(&mut self, recorded: &Tick) {
        for name in recorded.names() {
            if self.others.len() < Self::OTHERS_MAX && !self.others.contains(name) {
                self.others.insert(name.to_owned());
            }
        }
    }

    /// What is wrong when the run has ended without it.
    fn missed(&self) -> String {
        // A run ends at those of regions.
        if check::host_events().any(|(name, heard)| name == self.name && heard.is_none()) {
            let name = &self.name;
            return format!(
                "the event \"{name}\" of --until did not happen: \"{name}\" of traces is told to hosts alone; have \
                 a script emit an event"
            );
        }
        let known = || check::runtime_events().chain(self.others.iter().map(String::as_str));
        let is_known = known().any(|name| name == self.name);
        let hint = if is_known { None } else { suggestions::did_you_mean(&self.name, known()) };
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        format!("the event \"{}\" of --until did not happen{hint}", self.name)
    }
}

/// File, line and message of a fault.
type FaultPlace = (String, u32, String);

impl<'a> Session<'a> {
    /// A run that has not begun: signals are heard from here on.
    pub fn open(
        shell: &'a Shell,
        found: &'a FoundLevel,
        texts: &ScriptTextMap,
        format: Format,
        trace: Option<Trace>,
    ) -> Self {
        let interrupts = Interrupts::listen();
        let to_stdout = trace.as_ref().is_some_and(Trace::is_stdout);
        Self {
            shell,
            found,
            texts: texts.clone(),
            results: if to_stdout {
                Results::stderr(&shell.general)
            } else {
                Results::stdout(&shell.general)
            },
            trace,
            format,
            pace: RunSpeed::new(SpeedChoice::Max, TickRate::DEFAULT),
            faults_told: 0,
            bar: None,
            shown: std::collections::BTreeMap::new(),
            told: std::collections::BTreeSet::new(),
            awaited: None,
            interrupts,
            client: None,
            tells_client_alone: false,
            cut: None,
        }
    }

    /// Makes ready to tell of a run: what it waits for, how fast it goes, the first line of its trace.
    fn prepare(&mut self, args: &RunArgs, level: &Level, plan: &RunPlan) -> Result<(), CommandFailure> {
        let RunPlan { rate, seed, bound, settings, save, .. } = plan;
        let ticks = bound.ticks_max;
        crash::begin(&shown_path(self.found, &self.found.path), level.hash(), *seed);
        self.pace = RunSpeed::new(args.speed, *rate);
        self.awaited = args.until.clone().map(|name| AwaitedEvent { name, others: Default::default() });
        self.bar = Some(self.shell.progress(ProgressWork { name: "running", unit: "ticks", all: ticks }));
        self.shell.more(|| {
            let rate = counted(rate.per_second().into(), "tick");
            format!("seed {seed}, {rate} a second, at most {ticks}")
        });
        let made = RunSetup {
            level_file: &self.found.path,
            seed: *seed,
            bound: bound.clone(),
            args: args.args.clone(),
            options: recording_of(args),
        };
        let header = Header::of(level, &self.texts, super::limits::by_name(settings), made);
        self.header(&Header { from: save.clone(), ..header })
    }

    /// Writes the first line of the trace, if there is one.
    pub fn header(&mut self, header: &Header) -> Result<(), CommandFailure> {
        self.trace.as_mut().map_or(Ok(()), |trace| trace.header(&header.line()))
    }

    /// The code has changed: what it does wrong is news again.
    pub fn show_faults_again(&mut self) {
        self.count_faults();
        self.faults_told = 0;
        self.told.clear();
    }

    /// Says of each fault that happened again how often it did, and begins to count again.
    fn count_faults(&mut self) {
        for ((_, _, message), count) in std::mem::take(&mut self.shown) {
            if count > 1 {
                tell(&format!("{} times: {}", count, clean(&message)));
            }
        }
    }

    /// Whether a sentence is to be told: that of a fault is once.
    fn is_news(&mut self, sentence: &str) -> bool {
        !sentence.starts_with("fault in ")
            || self.told.len() < FAULTS_TOLD_MAX && self.told.insert(sentence.to_owned())
    }

    /// Notes what became of a result; the first failure counts.
    fn note(&mut self, told: Result<(), CommandFailure>) {
        self.cut = self.cut.take().or(told.err());
    }

    /// Tells a sentence about the level's time. One line each, whatever a script wrote: a break in its text
    /// would begin a line of its choosing.
    fn tell_at(&mut self, seconds: f64, sentence: &str) {
        let time = self.results.paint(Tone::Faint, &format!("{seconds:8.2} s"));
        let told = self.results.line(&format!("{time}  {}", clean(sentence)));
        self.note(told);
    }

    /// Whether the run is to end.
    pub fn is_stopping(&self) -> bool {
        self.cut.is_some() || self.interrupts.asked().is_some()
    }

    /// Tells a sentence about the level's time, at once.
    pub fn sentence(&mut self, world: &World, sentence: &str) {
        if self.format == Format::Human && !self.shell.is_quiet {
            self.tell_at(world.rate().seconds(world.tick()), sentence);
            self.flush();
        }
    }

    /// Writes a line into the trace, if there is one: also what the game knows nothing of.
    pub fn trace_line(&mut self, line: &str) {
        if self.trace.as_mut().is_some_and(|trace| !trace.line(line)) {
            self.note(Err(CommandFailure::Closed));
        }
    }

    /// Hands the output so far to the system, for readers that follow it.
    pub fn flush(&mut self) {
        let told = self.results.flush();
        self.note(told);
    }

    /// Tells what happened in a tick, and whether to go on.
    pub fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        let tick = world.tick().0;
        crash::at_tick(tick);
        for line in &recorded.lines {
            crash::fact(line);
            self.trace_line(line);
        }
        if let Some(trace) = &mut self.trace {
            trace.breathe();
        }
        for fault in recorded.faults() {
            self.fault(fault);
        }
        if let Some(awaited) = &mut self.awaited {
            awaited.hear(recorded);
        }
        if !self.shell.is_quiet && !self.tells_client_alone {
            let seconds = world.rate().seconds(world.tick());
            for sentence in &recorded.sentences {
                if self.is_news(sentence) {
                    self.tell_at(seconds, sentence);
                }
            }
        }
        if let Some(client) = &self.client {
            let seconds = world.rate().seconds(world.tick());
            for sentence in &recorded.sentences {
                client.output("stdout", &format!("{seconds:8.2} s  {}", clean(sentence)));
            }
        }
        if let Some(bar) = &mut self.bar {
            bar.reach(tick);
        }
        let interrupts = &self.interrupts;
        self.pace.wait(tick, || interrupts.asked().is_some());
        if self.pace.is_slow() {
            self.flush();
        }
        let is_ended = self.client.as_ref().is_some_and(|client| client.is_ending());
        if self.cut.is_some() || is_ended || self.interrupts.asked().is_some() {
            Onlooker::Stop
        } else {
            Onlooker::GoOn
        }
    }

    /// The level did not begin with its tick `first`, or not go on from a save game: by a mistake, or
    /// because a signal or a debugger cut the loading of its scripts short (fault:H6). A mistake that a
    /// script made by itself stays its own, also when a signal comes in the same moment.
    pub fn not_begun(mut self, save: Option<&Path>, first: u64, error: &RestoreError) -> CommandFailure {
        if error.fault_kind() != Some(FaultKind::Stopped) {
            return self.mistaken(save, error);
        }
        if let Some(mut trace) = self.trace.take() {
            let end = JsonLine::default().count("t", first).text("end", RunEnd::Signal.name());
            trace.line(&end.flag("ok", false).finish());
            trace.finish();
        }
        CommandFailure::Told(self.interrupts.asked().unwrap_or(Exit::Interrupted))
    }

    fn mistaken(&self, save: Option<&Path>, error: &RestoreError) -> CommandFailure {
        if let Some(client) = &self.client {
            client.output("stderr", &clean(&error.to_string()));
        }
        let exit = match error {
            RestoreError::Start(error) => return not_started(self.shell, self.found, &self.texts, error),
            RestoreError::Bytes(_) | RestoreError::OtherForm { .. } | RestoreError::OtherLevel { .. } => {
                Exit::Io
            }
            RestoreError::Scripts(_) => Exit::Script,
        };
        let name = save.map(|path| path.display().to_string()).unwrap_or_default();
        CommandFailure::new(exit, format!("save {name}: {error}"))
    }

    /// Shows a fault with its line, on stderr, once; after many of them they are only counted.
    fn fault(&mut self, fault: &ScriptFault) {
        let place = (fault.file.clone(), fault.line, fault.message.clone());
        // Messages may differ without end: only those are counted that were shown.
        let is_full = self.faults_told > FAULTS_TOLD_MAX;
        match self.shown.get_mut(&place) {
            Some(count) => {
                *count += 1;
                return;
            }
            None if is_full => return,
            None => self.shown.insert(place, 1),
        };
        self.faults_told += 1;
        if self.faults_told <= FAULTS_TOLD_MAX || self.shell.general.verbose > 0 {
            tell(&self.shell.fault(self.found, &self.texts, fault));
        } else if self.faults_told == FAULTS_TOLD_MAX + 1 {
            tell("more faults follow; they are counted in the result");
        }
    }

    /// Tells what the run came to; `table` stands below it.
    pub fn end(mut self, report: &Report, wall: Duration, table: &[String]) -> Result<Exit, CommandFailure> {
        self.bar = None;
        let mut exit = exit_of(report);
        if report.ended == RunEnd::Signal
            && let Some(asked) = self.interrupts.asked()
        {
            exit = asked;
        }
        if let Some(mut trace) = self.trace.take() {
            trace.line(&report.last_line());
            if !trace.finish() {
                exit = Exit::Io;
            }
        }
        if let Some(failure) = self.cut.take() {
            return Err(failure);
        }
        self.count_faults();
        let awaited = self.awaited.take().filter(|_| report.ended == RunEnd::Bound);
        let missed = awaited.map(|awaited| awaited.missed());
        let summary = summary(report, wall, missed.as_deref(), &self.results);
        if let Some(client) = &self.client {
            client.output("console", &summary);
        }
        match self.format {
            Format::Json => {
                self.results.line(&row(report, wall))?;
                missed.iter().for_each(|missed| tell(&format!("error: {}", clean(missed))));
            }
            // With errors only, the one line that says what was wrong is all that is shown.
            Format::Human if exit == Exit::Ok || !self.shell.is_quiet => self.results.report(&summary)?,
            Format::Human => self.results.line(summary.lines().next().unwrap_or_default())?,
        }
        for line in table {
            // Beside a JSON result the table goes to stderr, so that what is piped stays one object.
            match self.format {
                Format::Human => self.results.line(line)?,
                Format::Json => tell(line),
            }
        }
        self.results.flush()?;
        Ok(exit)
    }
}

fn speed_of(report: &Report, wall: Duration) -> f64 {
    report.seconds / wall.as_secs_f64().max(1e-9)
}

/// How many of those that were switched off the summary names: a crowd may share one faulty behaviour.
const SWITCHED_OFF_SHOWN: usize = 10;

fn summary(report: &Report, wall: Duration, missed: Option<&str>, results: &Results) -> String {
    let Report { walks, paths, .. } = report;
    let judged = if report.ok { "ok" } else { "not ok" };
    let judged = match report.faults {
        0 if report.ok => results.paint(Tone::Good, judged),
        0 => results.paint(Tone::Bad, judged),
        // A reader that stops at "ok" has read this.
        faults => results.paint(
            if report.ok { Tone::Odd } else { Tone::Bad },
            &format!("{judged} with {}", counted(faults, "fault")),
        ),
    };
    let note = report.note.as_deref().or(missed);
    let note = note.map_or_else(String::new, |note| format!(": {}", clean(note)));
    let mut text = format!(
        "{}: {:.1} s ({} ticks) in {:.3} s, {:.0} times real time; ended by {}, {judged}{note}\n",
        clean(&report.level),
        report.seconds,
        report.ticks,
        wall.as_secs_f64(),
        speed_of(report, wall),
        report.ended.name(),
    );
    text.push_str(&format!(
        "  walks   {} accepted: {} arrived, {} partial, {} blocked, {} cancelled\n",
        walks.accepted, walks.arrived, walks.partial, walks.blocked, walks.cancelled
    ));
    text.push_str(&format!(
        "  paths   {} requests, {} expansions, at most {} in a tick\n",
        paths.requests, paths.expansions, paths.max_per_tick
    ));
    for off in report.switched_off.iter().take(SWITCHED_OFF_SHOWN) {
        let line = format!("  off     {}, after its faults; {}", clean(&off.owner), clean(&off.again));
        text.push_str(&results.paint(Tone::Odd, &line));
        text.push('\n');
    }
    let more = report.switched_off.len().saturating_sub(SWITCHED_OFF_SHOWN);
    if more > 0 {
        let line = format!("  off     {more} more after their faults; --format json names them all");
        text.push_str(&results.paint(Tone::Odd, &line));
        text.push('\n');
    }
    for (name, value) in &report.measures {
        text.push_str(&format!("  measure {} = {value}\n", clean(name)));
    }
    let repeatable = if report.is_reproducible {
        ""
    } else {
        ", not repeatable: the watchdog or a debugger has changed it"
    };
    text.push_str(&format!(
        "  state   {}, {}, hash {:016x}{repeatable}",
        counted(report.characters as u64, "character"),
        counted(report.faults, "fault"),
        report.hash
    ));
    text
}

/// Longest sleep: signals are heard that soon.
const NAP_MAX: Duration = Duration::from_millis(50);

/// Keeps a run at its speed.
struct RunSpeed {
    tick: Option<Duration>,
    next: Instant,
}

impl RunSpeed {
    fn new(speed: SpeedChoice, rate: TickRate) -> Self {
        let tick = match speed {
            SpeedChoice::Max => None,
            SpeedChoice::Times(times) => {
                Some(Duration::from_secs_f64(1.0 / (f64::from(rate.per_second()) * times)))
            }
        };
        Self { tick, next: Instant::now() }
    }

    fn is_slow(&self) -> bool {
        self.tick.is_some()
    }

    /// Waits until the tick is due, or `is_over`.
    fn wait(&mut self, tick: u64, is_over: impl Fn() -> bool) {
        let Some(length) = self.tick else { return };
        let now = Instant::now();
        if tick == 0 || now > self.next + BEHIND_MAX {
            self.next = now;
        }
        while let Some(left) = self.next.checked_duration_since(Instant::now()) {
            if left.is_zero() || is_over() {
                break;
            }
            std::thread::sleep(left.min(NAP_MAX));
        }
        self.next += length;
    }
}
