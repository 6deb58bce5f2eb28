//! The arguments of every command.
//!
//! In: words of a command line. Out: one struct a command. Holds: every command has an example in its help;
//! mistakes in a single value are reported here, conflicts between files and values by the command. Not here:
//! access to the disk.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::script::state::profile::ProfileSetup;
use crate::shell::file_watcher::WatchMethod;
use crate::shell::output::General;
use crate::shell::profile_files::ProfileForm;
use crate::shell::shard::{ShardAsked, shard};
use crate::view::{Parts, PicturePart};

/// A gameplay runtime: Rust owns the map, the characters and the loop, Lua decides what the characters want.
#[derive(Debug, Parser)]
#[command(name = "walkon", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Example:\n  walkon run levels/courtyard.json\n\n\
    LEVEL is a path, or the name of a level of the project around the current folder; `-` reads it from stdin.\n\
    FILE is a path; `-` is stdout.\n\n\
    Exit codes:\n    \
    0  ok\n    \
    1  expectations failed\n    \
    2  usage\n    \
    3  level rejected\n    \
    4  script failed as it loaded or in init, or under --strict\n    \
    5  stopped by a limit or the watchdog, or a replay that differs\n    \
    6  input or output\n   \
    70  a bug of walkon\n  \
    130  interrupted (SIGINT), 143 terminated (SIGTERM)")]
pub struct Cli {
    #[command(flatten)]
    pub general: General,
    #[command(subcommand)]
    pub command: Command,
}

/// Reads the command line of the process.
///
/// # Errors
/// What is wrong with it; help and version, too.
pub fn parse() -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches()?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))
}

/// All commands. What begins like a number below zero is the value of the option before it, which says itself
/// what it takes.
fn command() -> clap::Command {
    with_negative_numbers(Cli::command())
}

fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let own = command.mut_args(|argument| {
        let takes_one = argument.get_long().is_some() && argument.get_action().takes_values();
        if takes_one { argument.allow_negative_numbers(true) } else { argument }
    });
    own.mut_subcommands(with_negative_numbers)
}

/// The form of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a new project: a level, a guard, a cinematic, a test, editor settings
    #[command(alias = "init")]
    New(NewArgs),
    /// Run a level headlessly, as fast as possible
    Run(RunArgs),
    /// Debug a level: the Debug Adapter Protocol on standard input and output
    Debug(DebugArgs),
    /// Run a level in real time; reload scripts and level as they are saved
    Watch(WatchArgs),
    /// Show a level in a browser: watch, play, inspect, rewind, look ahead, edit
    View(ViewArgs),
    /// Run levels with many seeds, over all cores
    Batch(BatchArgs),
    /// Run a trace again and name the first tick that differs
    Replay(ReplayArgs),
    /// Run level tests, each twice, and compare the hashes of every tick
    Test(TestArgs),
    /// Profile the scripts of a level: fuel and time, by behaviour, character, function or line
    Profile(ProfileCommandArgs),
    /// Check levels and scripts without running them
    Check(CheckArgs),
    /// Ask for one path, or answer a file of path queries
    Path(PathArgs),
    /// Draw the map, a tick of a run, or a search
    Draw(DrawArgs),
    /// Write the precomputed grid of a level beside it
    Bake(BakeArgs),
    /// Make a level from a map of the editor Tiled (.tmx, .tmj)
    Import(ImportArgs),
    /// Make, check and divide the graph of a level
    Graph(GraphArgs),
    /// Write editor definitions, for completing and checking scripts
    Types(TypesArgs),
    /// Print the JSON schema of levels
    Schema(SchemaArgs),
    /// Print the limits in force
    Limits(LimitsArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon new game && cd game && walkon check . && walkon test")]
pub struct NewArgs {
    /// The folder to make; it may exist while it is empty
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon run levels/courtyard.json\n  \
    walkon run courtyard --seconds 10 --seed 7 --format json\n  \
    walkon run courtyard --until rang --trace run.jsonl -- fast\n  \
    walkon run courtyard --save-at 600 ten.save && walkon run courtyard --from ten.save")]
pub struct RunArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// End after this many game seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "ticks")]
    pub seconds: Option<f64>,
    /// End after this many ticks
    #[arg(long, value_name = "N", value_parser = tick_count)]
    pub ticks: Option<u64>,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// End at this event; the run fails if it does not happen
    #[arg(long, value_name = "EVENT", value_parser = event_name)]
    pub until: Option<String>,
    /// A script fault ends and fails the run
    #[arg(long)]
    pub strict: bool,
    /// `max`, or a multiple of real time
    #[arg(long, value_name = "max|N", default_value = "max", value_parser = speed)]
    pub speed: SpeedChoice,
    /// Go on from a save game; --seconds and --ticks count from there
    #[arg(long, value_name = "SAVE", conflicts_with = "seed")]
    pub from: Option<PathBuf>,
    /// Save the game after that tick, as often as it is given
    #[arg(long, num_args = 2, value_names = ["TICK", "FILE"], action = ArgAction::Append)]
    pub save_at: Vec<String>,
    /// Write a trace, one fact a line; `-` for stdout, the result then goes to stderr
    #[arg(long, value_name = "FILE|-")]
    pub trace: Option<PathBuf>,
    /// In the trace, a hash every N ticks; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = interval)]
    pub hash_every: u64,
    /// In the trace, everybody's position every N ticks; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = interval)]
    pub positions: u64,
    /// In the trace, paths and neighbours every N ticks; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = interval)]
    pub detail: u64,
    /// Add a table with the cost of each step of the tick
    #[arg(long)]
    pub stats: bool,
    /// Threads for a large crowd; the level runs the same on any number of them
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub threads: NonZeroUsize,
    /// Wait for a debugger on this port of 127.0.0.1, and run under it; 0 for any that is free
    #[arg(long, value_name = "PORT", value_parser = port)]
    pub debug: Option<u16>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// What the scripts of a run cost, for other tools.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Write the cost of scripts: folded stacks (*.folded), speedscope (*.speedscope.json) or, for a single
    /// run and not for tests, a Chrome trace (*.json); `-` for stdout
    #[arg(long, value_name = "FILE|-")]
    pub profile: Option<PathBuf>,
    /// The form of the profile, if the name of its file does not give it
    #[arg(long, value_enum, value_name = "FORM", requires = "profile")]
    pub profile_form: Option<ProfileForm>,
    /// Sample the stack once in N safepoints, half as often after 1,024 samples; 1 for every line, and slower
    #[arg(
        long, value_name = "N", default_value_t = ProfileSetup::SAMPLE_EVERY, value_parser = safepoints,
        requires = "profile"
    )]
    pub profile_every: u32,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon profile levels/market.json\n  \
    walkon profile courtyard --by line --every 1\n\n\
    Fuel is counted, so it is the same on every machine; microseconds are those of this one.")]
pub struct ProfileCommandArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// The kind of rows
    #[arg(long, value_enum, default_value_t)]
    pub by: ProfileRows,
    /// Rows to show, the most expensive first [default: 20; in JSON, all]
    #[arg(long, value_name = "N", value_parser = count)]
    pub top: Option<usize>,
    /// Sample the stack once in N safepoints, half as often after 1,024 samples; 1 for every line, and slower
    #[arg(long, value_name = "N", default_value_t = ProfileSetup::SAMPLE_EVERY, value_parser = safepoints)]
    pub every: u32,
    /// End after this many game seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "ticks")]
    pub seconds: Option<f64>,
    /// End after this many ticks
    #[arg(long, value_name = "N", value_parser = tick_count)]
    pub ticks: Option<u64>,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// The rows of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileRows {
    /// A file that characters, the level or a scene run
    #[default]
    Behaviour,
    /// A character with its file
    Character,
    /// A callback of a character
    Callback,
    /// A function, without the functions that it calls
    Function,
    /// A line
    Line,
}

impl ProfileRows {
    /// What stands above the first column.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Behaviour => "behaviour",
            Self::Character => "character",
            Self::Callback => "callback",
            Self::Function => "function",
            Self::Line => "line",
        }
    }

    /// Whether looks at the stack tell it, so that only its fuel is known.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        matches!(self, Self::Function | Self::Line)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon debug levels/courtyard.json\n\n\
    For editors, which start it themselves; docs/debugging.md says how. The run comes to the same hash as \
    `walkon run`. What is saved meanwhile is taken in. To debug a run in a terminal, or tests: `run --debug PORT`, \
    `test --debug PORT`.")]
pub struct DebugArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// End after this many game seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "ticks")]
    pub seconds: Option<f64>,
    /// End after this many ticks
    #[arg(long, value_name = "N", value_parser = tick_count)]
    pub ticks: Option<u64>,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// End at this event; the run fails if it does not happen
    #[arg(long, value_name = "EVENT", value_parser = event_name)]
    pub until: Option<String>,
    /// `max`, or a multiple of real time
    #[arg(long, value_name = "max|N", default_value = "max", value_parser = speed)]
    pub speed: SpeedChoice,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// How changes of files are noticed.
#[derive(Args, Clone, Copy, Debug)]
pub struct WatchingArgs {
    /// Poll the files instead of waiting for events of the system
    #[arg(long)]
    pub poll: bool,
}

impl WatchingArgs {
    /// What was asked for.
    pub fn method(self) -> WatchMethod {
        if self.poll { WatchMethod::Polling } else { WatchMethod::System }
    }
}

/// Largest seed: the largest whole number that JSON and Lua hold exactly.
const SEED_MAX: u64 = (1 << 53) - 1;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon watch levels/courtyard.json\n\n\
    Save a script or the level, and it takes effect in the running level. A mistake is shown once, and the old \
    version runs on until it is mended. Ctrl-C ends it with a summary.")]
pub struct WatchArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// End after this many game seconds; without it, at Ctrl-C or when the level finishes
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// A multiple of real time
    #[arg(long, value_name = "X", default_value = "1", value_parser = times)]
    pub speed: f64,
    #[command(flatten)]
    pub watching: WatchingArgs,
    /// Threads for a large crowd; the level runs the same on any number of them
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub threads: NonZeroUsize,
    /// Write a trace, which carries the texts it began with; `-` for stdout
    #[arg(long, value_name = "FILE|-")]
    pub trace: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon view levels/courtyard.json --open\n  \
    walkon view courtyard --port 7000 --paused\n\n\
    Serves one page on 127.0.0.1 and prints its address, until the process is interrupted. What is saved in the \
    project is taken in at once. docs/protocol.md has the protocol that the page speaks; --stdio speaks it on \
    standard input and output, a message a line, and ends with its input.")]
pub struct ViewArgs {
    /// The level: a path or a name
    #[arg(value_name = "LEVEL")]
    pub level: PathBuf,
    /// The port of the page; any that is free by default
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = port)]
    pub port: u16,
    /// Open the page in the browser of this system
    #[arg(long, conflicts_with = "stdio")]
    pub open: bool,
    /// Speak the protocol of the page on standard input and output
    #[arg(long)]
    pub stdio: bool,
    /// Begin paused at tick 0
    #[arg(long)]
    pub paused: bool,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// A multiple of real time
    #[arg(long, value_name = "X", default_value = "1", value_parser = times)]
    pub speed: f64,
    #[command(flatten)]
    pub watching: WatchingArgs,
    /// Write a trace of the whole session at its end: `replay` runs it again
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon batch levels/courtyard.json --seeds 1..100\n  \
    walkon batch courtyard house --seeds 1..1000 --shard 2/4 > part-2.jsonl\n  \
    walkon batch --merge part-*.jsonl --seeds 1..1000 > results.jsonl\n\n\
    On stdout stands one line of `walkon run --format json` for each level and seed, in order; on stderr a table of \
    measures. Ends with the highest code of its runs.\n\n\
    `--shard auto` is the part of a pod of a Kubernetes indexed Job (JOB_COMPLETION_INDEX, counted from 0; give the \
    completions as auto/N or as WALKON_SHARDS) or of a task of a Slurm array (SLURM_ARRAY_TASK_ID, counted from \
    SLURM_ARRAY_TASK_MIN by the step of the array, of SLURM_ARRAY_TASK_COUNT; with auto/N counted from 0).\n\n\
    `--merge` joins the rows of shards. It ends with 1, and prints no row, when a level lacks a seed or has one \
    twice, and with 5 when two rows of one run have different hashes.")]
pub struct BatchArgs {
    /// The levels: paths or names; with --merge, the files of rows
    #[arg(required = true, value_name = "LEVEL")]
    pub levels: Vec<PathBuf>,
    /// End each run after this many game seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "ticks")]
    pub seconds: Option<f64>,
    /// End each run after this many ticks
    #[arg(long, value_name = "N", value_parser = tick_count)]
    pub ticks: Option<u64>,
    /// Seeds from A to B, both included
    #[arg(long, value_name = "A..B", value_parser = seeds, required_unless_present = "merge")]
    #[arg(allow_hyphen_values = true)]
    pub seeds: Option<RangeInclusive<u64>>,
    /// End a run at this event; it fails if that does not happen
    #[arg(long, value_name = "EVENT", value_parser = event_name)]
    pub until: Option<String>,
    /// A script fault ends and fails a run
    #[arg(long)]
    pub strict: bool,
    /// Only the I-th of N parts of the runs, for many machines; `auto`: the part of this machine
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = shard)]
    pub shard: ShardAsked,
    /// Join the rows of all shards
    #[arg(long, conflicts_with_all = ["seconds", "ticks", "until", "strict", "shard", "jobs", "args"])]
    pub merge: bool,
    /// Runs at the same time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// The arguments that scripts read as level.args
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon run courtyard --trace run.jsonl\n  walkon replay run.jsonl\n\n\
    Ends with 0 when nothing differs, with 5 when a fact or a hash does, and with 3 when the trace belongs to \
    another version of walkon, of the level or of a script. A trace that is cut is replayed to its last whole line.")]
pub struct ReplayArgs {
    /// The trace: a file that `run --trace` or `watch --trace` has written; `-` for stdin
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  walkon check levels/courtyard.json\n  walkon check levels scripts --format json"
)]
pub struct CheckArgs {
    /// Levels, scripts, or folders of both; the project around the current folder by default
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon test\n  \
    walkon test scripts/crypt_test.lua --filter vault --seed 7\n  \
    walkon test scripts --keep-going --junit results.xml --format json")]
pub struct TestArgs {
    /// Files of tests, or folders; the script folders of the project by default
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Run every test with this seed in place of its own
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Only tests with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Go on with a file after its first failure
    #[arg(long)]
    pub keep_going: bool,
    /// Tests, and seeds of them, that are run at the same time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Wait for a debugger on this port of 127.0.0.1, and run one test after another under it; 0 for any that
    /// is free
    #[arg(long, value_name = "PORT", value_parser = port, conflicts_with = "jobs")]
    pub debug: Option<u16>,
    /// Write the results as JUnit XML; `-` for stdout, all else then goes to stderr
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write over a file that is not JUnit XML
    #[arg(long, requires = "junit")]
    pub force: bool,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon path levels/courtyard.json --from 3,3 --to 17,9\n  \
    walkon path courtyard --from 3,3 --to 17,9 --out search.svg\n  \
    walkon path --map arena.map --scen arena.map.scen --every 10")]
pub struct PathArgs {
    /// The level: a path or a name
    #[arg(required_unless_present = "map")]
    pub level: Option<PathBuf>,
    /// Where the path begins, metres
    #[arg(long, value_name = "X,Z", value_parser = place, allow_hyphen_values = true, required_unless_present = "map")]
    pub from: Option<PlaceArg>,
    /// Where it ends, metres
    #[arg(long, value_name = "X,Z", value_parser = place, allow_hyphen_values = true, required_unless_present = "map")]
    pub to: Option<PlaceArg>,
    /// Half the width of the body, metres
    #[arg(long, value_name = "R", default_value_t = 0.35, value_parser = radius)]
    pub radius: f32,
    /// Layer of a tile map where the path begins; the first by default
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Layer where it ends; the one where it begins by default
    #[arg(long, value_name = "NAME")]
    pub to_layer: Option<String>,
    /// The centres of the cells instead of the smoothed path
    #[arg(long)]
    pub raw: bool,
    /// Draw the search into this file (.png, .svg, .txt); `-` for text on stdout, the result then goes to
    /// stderr
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A MovingAI map, with --scen
    #[arg(long, value_name = "FILE", requires = "scen", conflicts_with_all = ["level", "from", "to", "out", "raw", "layer", "to_layer"])]
    pub map: Option<PathBuf>,
    /// Queries for it, with the costs they should have
    #[arg(long, value_name = "FILE", requires = "map")]
    pub scen: Option<PathBuf>,
    /// Answer every Nth query only
    #[arg(long, value_name = "N", default_value_t = 1, requires = "scen", value_parser = every)]
    pub every: u64,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon draw levels/courtyard.json\n  \
    walkon draw courtyard --tick 300 --out courtyard.png\n  \
    walkon draw courtyard --from 3,3 --to 32,6 --out search.svg\n  \
    walkon draw courtyard --gif courtyard.gif --ticks 0..900\n  \
    walkon draw run.jsonl --gif run.gif --every 6\n\n\
    Layers: cells, areas, links, doors, regions, watches, routes, marks, paths, requests, characters, obstacles, \
    steering, nudges, replans, names; \"all\" is the default.")]
pub struct DrawArgs {
    /// The level: a path or a name; or a trace, whose run is drawn
    #[arg(value_name = "LEVEL|TRACE")]
    pub level: PathBuf,
    /// Run the level up to this tick; 0 is the level as loaded [default: 0; of a trace its last]
    #[arg(long, value_name = "N", value_parser = tick_count)]
    pub tick: Option<u64>,
    /// Seed of every random stream; the level's own by default
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Draw a search that begins here, metres
    #[arg(long, value_name = "X,Z", value_parser = place, allow_hyphen_values = true, requires = "to")]
    pub from: Option<PlaceArg>,
    /// Draw a search that ends here, metres
    #[arg(long, value_name = "X,Z", value_parser = place, allow_hyphen_values = true, requires = "from")]
    pub to: Option<PlaceArg>,
    /// Layer of a tile map; `all` shows every one, below one another
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Layer where a search ends; the one where it begins by default
    #[arg(long, value_name = "NAME", requires = "to")]
    pub to_layer: Option<String>,
    /// Layers to show, by name, separated by commas; with `obstacles`, a search goes around standing
    /// characters
    #[arg(long, value_name = "LIST", value_parser = layers)]
    pub layers: Option<Parts>,
    /// Pixels per metre (text: characters per metre, one a cell at most)
    #[arg(long, value_name = "PX", value_parser = scale)]
    pub scale: Option<f64>,
    /// The viewpoint, for graphs and meshes with several floors
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// The file to write (.png, .svg, .txt); text on stdout by default, and for `-`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write an animation of a run into this file (.gif); `-` for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "tick", "from", "to"])]
    pub gif: Option<PathBuf>,
    /// First and last tick of the animation [default: the first ten seconds, of a trace all of it]
    #[arg(long, value_name = "A..B", value_parser = ticks, requires = "gif")]
    pub ticks: Option<RangeInclusive<u64>>,
    /// Ticks from one frame to the next [default: as many as pass in one at --fps]
    #[arg(long, value_name = "N", requires = "gif", value_parser = every)]
    pub every: Option<u64>,
    /// Frames a second, 1 to 50: about so many, in real time [default: 20]; with --every at any speed
    #[arg(long, value_name = "N", requires = "gif", value_parser = fps)]
    pub fps: Option<f64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon bake levels/courtyard.json      writes levels/courtyard.grid.txt")]
pub struct BakeArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// Layer of a tile map, where it has several
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  walkon graph generate levels/tower.json      makes levels/paths/tower.graph.json\n  \
    walkon graph islands tower --remove 20\n  \
    walkon graph partition tower --name hall --from 2,0,2 --within 8\n  \
    walkon graph bake tower      writes the compact form that levels load"
)]
pub struct GraphArgs {
    #[command(subcommand)]
    pub action: GraphCommand,
}

/// What is done with a graph.
#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Find points on the floors of the level's scene and link them
    #[command(
        after_help = "Example:\n  walkon graph generate levels/tower.json      makes levels/paths/tower.graph.json"
    )]
    Generate(GraphLevelArgs),
    /// Link the points again: by distance and slope, without what the scene blocks
    #[command(after_help = "Example:\n  walkon graph link tower")]
    Link(GraphLevelArgs),
    /// Change points and links by hand
    Edit(GraphEditArgs),
    /// List unconnected islands; remove or join them
    Islands(GraphIslandsArgs),
    /// Divide the graph into named parts
    Partition(GraphPartitionArgs),
    /// Work out the ways between parts and write the compact form
    #[command(
        after_help = "Example:\n  walkon graph bake tower      writes the compact form that levels load"
    )]
    Bake(GraphLevelArgs),
    /// Find a way from one place to another
    Path(GraphPathArgs),
    /// Draw points, links, islands and parts
    Draw(GraphDrawArgs),
}

#[derive(Debug, Args)]
pub struct GraphLevelArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  walkon graph edit tower --add 2,0,3 --link 4,17 --unlink 4,5 --remove 9\n\n\
    Edits are carried out in this order: adds, moves, links, unlinks, removes (the highest number first)."
)]
pub struct GraphEditArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// A point to add, numbered after the last
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub add: Vec<PlaceArg>,
    /// A point to move
    #[arg(long = "move", value_name = "N=X,Y,Z", value_parser = moved, allow_hyphen_values = true)]
    pub moves: Vec<(u32, PlaceArg)>,
    /// A link to add
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub link: Vec<[u32; 2]>,
    /// A link to remove
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub unlink: Vec<[u32; 2]>,
    /// A point to remove, with its links
    #[arg(long, value_name = "N", value_parser = point_number)]
    pub remove: Vec<u32>,
    /// Take back the edits of the last call
    #[arg(long, conflicts_with_all = ["add", "moves", "link", "unlink", "remove"])]
    pub undo: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  walkon graph islands tower\n  walkon graph islands tower --remove 20\n  \
    walkon graph islands tower --stitch"
)]
pub struct GraphIslandsArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// Remove the islands of at most this many points
    #[arg(long, value_name = "POINTS", value_parser = one_or_more, conflicts_with = "stitch")]
    pub remove: Option<usize>,
    /// Remove the island of this number, as listed
    #[arg(long, value_name = "NUMBER", value_parser = one_or_more, conflicts_with_all = ["stitch", "remove"])]
    pub remove_island: Option<usize>,
    /// Join each island to the main group by the shortest link
    #[arg(long)]
    pub stitch: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon graph partition tower --name hall --from 2,0,2 --within 8\n  \
    walkon graph partition tower --auto 400\n  walkon graph partition tower --clear")]
pub struct GraphPartitionArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// The part to make or to add to
    #[arg(long, value_name = "NAME", requires = "from", conflicts_with_all = ["auto", "clear"])]
    pub name: Option<String>,
    /// Where it grows from, metres
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, requires = "within")]
    pub from: Option<PlaceArg>,
    /// How far it grows along links, metres
    #[arg(long, value_name = "M", value_parser = metres, requires = "name")]
    pub within: Option<f64>,
    /// Divide the remaining points into parts of about this many
    #[arg(long, value_name = "POINTS", value_parser = one_or_more, conflicts_with = "clear")]
    pub auto: Option<usize>,
    /// Remove all parts
    #[arg(long)]
    pub clear: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  walkon graph path tower --from 1,0,1 --to 1,3,8 --out way.png --view oblique"
)]
pub struct GraphPathArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// Where the way begins, metres
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub from: PlaceArg,
    /// Where it ends, metres
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub to: PlaceArg,
    /// Half the width of the body, metres; by default 0.35, or what the links have room for when that is less
    #[arg(long, value_name = "R", value_parser = radius)]
    pub radius: Option<f32>,
    /// The viewpoint
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// Draw it into this file (.png, .svg, .txt)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon graph draw tower --out tower.png --view oblique")]
pub struct GraphDrawArgs {
    /// The level: a path or a name
    pub level: PathBuf,
    /// Pixels per metre (text: characters per metre, one a cell at most)
    #[arg(long, value_name = "PX", value_parser = scale)]
    pub scale: Option<f64>,
    /// The viewpoint
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// The file to write (.png, .svg, .txt); text on stdout by default, and for `-`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Where a map is looked at from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// From above
    #[default]
    Top,
    /// From the side and above: height is up
    Oblique,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon types --out scripts/types")]
pub struct TypesArgs {
    /// Folder to write into [default: `types` of the first script folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon import levels/tavern.tmx -o levels/tavern.json")]
pub struct ImportArgs {
    /// The map: a .tmx or .tmj file
    #[arg(value_name = "FILE")]
    pub map: PathBuf,
    /// The level to write; `-` for stdout, the report then goes to stderr
    #[arg(short, long, value_name = "LEVEL")]
    pub out: PathBuf,
    /// Write over an existing level
    #[arg(long)]
    pub force: bool,
    /// Metres of a pixel; by default a tile is one metre wide
    #[arg(long, value_name = "M", value_parser = metres_per_pixel)]
    pub metres_per_pixel: Option<f64>,
    /// Mirror the map: the top of the picture lies at the largest z
    #[arg(long)]
    pub flip: bool,
    /// The file of types that gives classes their defaults, relative to the map [default: objecttypes.xml or
    /// .json]
    #[arg(long, value_name = "FILE")]
    pub types: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  walkon schema > level.schema.json")]
pub struct SchemaArgs {}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  walkon limits\n  walkon limits courtyard --format json")]
pub struct LimitsArgs {
    /// A level that sets limits of its own
    pub level: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  walkon completions bash > ~/.local/share/bash-completion/completions/walkon"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// A place as typed: `X,Z` or `X,Y,Z`, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceArg {
    /// Metres.
    pub x: f64,
    /// Metres; given on 3-D maps only.
    pub y: Option<f64>,
    /// Metres.
    pub z: f64,
}

/// How fast a run goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpeedChoice {
    /// As fast as it can.
    Max,
    /// This many game seconds a second.
    Times(f64),
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|value| value.is_finite())
}

fn place(text: &str) -> Result<PlaceArg, String> {
    let numbers = text.split(',').map(finite).collect::<Option<Vec<_>>>().unwrap_or_default();
    if let Some(far) = numbers.iter().find(|value| value.abs() > 1e6) {
        return Err(format!("{far} m is farther than 1e6 m from the origin"));
    }
    match numbers[..] {
        [x, z] => Ok(PlaceArg { x, y: None, z }),
        [x, y, z] => Ok(PlaceArg { x, y: Some(y), z }),
        _ => Err("expected X,Z in metres, as in 3,4.5".to_owned()),
    }
}

fn pair(text: &str) -> Result<[u32; 2], String> {
    let ends = text.split_once(',').map(|(a, b)| [a, b].map(|end| end.trim().parse::<u32>()));
    match ends {
        Some([Ok(a), Ok(b)]) => Ok([a, b]),
        _ => Err("expected the numbers of two points, as in 4,17".to_owned()),
    }
}

fn moved(text: &str) -> Result<(u32, PlaceArg), String> {
    let expected = || "expected the number of a point and its place, as in 4=1,0,2".to_owned();
    let (number, to) = text.split_once('=').ok_or_else(expected)?;
    Ok((number.trim().parse().map_err(|_| expected())?, place(to)?))
}

fn metres(text: &str) -> Result<f64, String> {
    within(text, 0.0..=1e6, "metres")
}

fn seconds(text: &str) -> Result<f64, String> {
    within(text, 0.0..=1e9, "seconds")
}

fn radius(text: &str) -> Result<f32, String> {
    within(text, 0.0..=100.0, "metres").map(|value| value as f32)
}

fn scale(text: &str) -> Result<f64, String> {
    let value = finite(text).filter(|value| *value > 0.0);
    value.ok_or_else(|| "expected a number of pixels per metre above 0".to_owned())
}

fn within(text: &str, range: RangeInclusive<f64>, unit: &str) -> Result<f64, String> {
    let value = finite(text).filter(|value| range.contains(value));
    value.ok_or_else(|| format!("expected {} to {} {unit}", range.start(), range.end()))
}

/// A multiple of real time.
fn multiple(text: &str) -> Option<f64> {
    finite(text).filter(|times| (0.001..=1000.0).contains(times))
}

fn speed(text: &str) -> Result<SpeedChoice, String> {
    let times = multiple(text).map(SpeedChoice::Times);
    let speed = if text == "max" { Some(SpeedChoice::Max) } else { times };
    speed.ok_or_else(|| "expected max, or a multiple of real time from 0.001 to 1000".to_owned())
}

fn times(text: &str) -> Result<f64, String> {
    multiple(text).ok_or_else(|| "expected a multiple of real time from 0.001 to 1000".to_owned())
}

fn whole<N>(text: &str, range: RangeInclusive<N>) -> Result<N, String>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
}

fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0..=SEED_MAX)
}

/// One in so many; 0 for none.
fn interval(text: &str) -> Result<u64, String> {
    whole(text, 0..=u64::MAX)
}

/// One in so many.
fn every(text: &str) -> Result<u64, String> {
    whole(text, 1..=u64::MAX)
}

/// The name of an event: scripts choose such names, so any will do but none at all.
fn event_name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty, expected the name of an event".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

fn safepoints(text: &str) -> Result<u32, String> {
    whole(text, 1..=u32::MAX)
}

fn count(text: &str) -> Result<usize, String> {
    whole(text, 0..=usize::MAX)
}

fn one_or_more(text: &str) -> Result<usize, String> {
    whole(text, 1..=usize::MAX)
}

fn port(text: &str) -> Result<u16, String> {
    whole(text, 0..=u16::MAX)
}

fn point_number(text: &str) -> Result<u32, String> {
    whole(text, 0..=u32::MAX)
}

/// Most runs of one batch.
const SEEDS_MAX: u64 = 10_000_000;

fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let expected =
        || format!("expected two whole numbers A..B from 0 to {SEED_MAX} with A <= B, as in 1..100");
    let (first, last) = text.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| expected());
    let (first, last) = (number(first)?, number(last)?);
    if first > last || last > SEED_MAX {
        return Err(expected());
    }
    if last - first >= SEEDS_MAX {
        return Err(format!("more than {SEEDS_MAX} seeds"));
    }
    Ok(first..=last)
}

fn tick_count(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("expected a whole number of ticks from 0 to {}", u64::MAX))
}

fn ticks(text: &str) -> Result<RangeInclusive<u64>, String> {
    let ends = text.split_once("..").and_then(|(first, last)| {
        Some((first.trim().parse::<u64>().ok()?, last.trim().parse::<u64>().ok()?))
    });
    match ends {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err(format!("expected two whole numbers A..B from 0 to {} with A <= B, as in 0..600", u64::MAX)),
    }
}

fn fps(text: &str) -> Result<f64, String> {
    within(text, 1.0..=50.0, "frames a second")
}

fn metres_per_pixel(text: &str) -> Result<f64, String> {
    let range = crate::level::METRES_PER_PIXEL;
    within(text, range.min..=range.max, "metres")
}

fn layers(text: &str) -> Result<Parts, String> {
    let mut parts = Parts::NONE;
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        if word == "all" {
            return Ok(Parts::all());
        }
        let part = PicturePart::ALL.into_iter().find(|part| part.name() == word);
        parts = parts.with(part.ok_or_else(|| unknown_layer(word))?);
    }
    Ok(parts)
}

fn unknown_layer(word: &str) -> String {
    let names = PicturePart::ALL.map(PicturePart::name);
    match crate::base::suggestions::nearest(word, names) {
        Some(near) => format!("unknown layer \"{word}\"; did you mean \"{near}\"?"),
        None => format!("unknown layer \"{word}\", expected one of {}, all", names.join(", ")),
    }
}

/// Threads of a level, at most: each wants a stack and a core.
const THREADS_MAX: usize = 64;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let last = NonZeroUsize::new(THREADS_MAX).unwrap_or(NonZeroUsize::MIN);
    whole(text, NonZeroUsize::MIN..=last)
}

fn jobs(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024)
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_definitions_fit_together_and_every_command_shows_an_example() {
        command().debug_assert();
        each(&command(), &["walkon"], &mut |own, path| {
            let help = own.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("\n  {} ", path.join(" "))), "{path:?} has no example");
        });
    }

    fn each(command: &clap::Command, path: &[&str], look: &mut dyn FnMut(&clap::Command, &[&str])) {
        look(command, path);
        for own in command.get_subcommands() {
            each(own, &[path, &[own.get_name()]].concat(), look);
        }
    }

    #[test]
    fn a_paragraph_of_help_is_one_line_that_the_terminal_breaks() {
        each(&command(), &["walkon"], &mut |own, path| {
            let help = own.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = help.lines().collect();
            for pair in lines.windows(2) {
                let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
                let is_broken = pair.iter().all(|line| is_prose(line)) && !pair[0].ends_with(['.', ':']);
                assert!(!is_broken, "{path:?}: {pair:?}");
            }
        });
    }

    #[test]
    fn a_project_is_made_by_the_word_of_other_tools_as_well() {
        let made = Cli::try_parse_from(["walkon", "init", "castle"]).unwrap();
        assert!(matches!(made.command, Command::New(_)));
    }

    #[test]
    fn a_value_that_is_none_is_told_what_was_expected() {
        let mut refused = 0;
        each(&command(), &["walkon"], &mut |own, path| {
            for option in own.get_arguments().filter_map(clap::Arg::get_long) {
                let option = format!("--{option}");
                let words = [path, &[option.as_str(), "~!", "~!"]].concat();
                let Err(error) = command().try_get_matches_from(words) else { continue };
                if error.kind() == clap::error::ErrorKind::ValueValidation {
                    refused += 1;
                    assert!(error.to_string().contains("expected "), "{path:?} {option}: {error}");
                }
            }
        });
        assert!(refused > 40, "{refused}");
    }

    /// Options that several commands have, in the one order in which help shows them.
    const ORDER: [&str; 15] = [
        "seconds", "seed", "seeds", "until", "strict", "speed", "from", "to", "layer", "to-layer", "scale",
        "view", "trace", "out", "format",
    ];

    fn is_in_order(command: &clap::Command) {
        let shown = command.get_arguments().filter_map(clap::Arg::get_long);
        let places: Vec<(usize, &str)> =
            shown.filter_map(|name| Some((ORDER.iter().position(|own| *own == name)?, name))).collect();
        assert!(places.is_sorted(), "{}: {places:?}", command.get_name());
        let last = command.get_arguments().filter(|argument| argument.get_long().is_some()).last();
        let last = last.and_then(clap::Arg::get_long);
        let has_format = places.iter().any(|(_, name)| *name == "format");
        assert!(!has_format || last == Some("format"), "{}: {last:?}", command.get_name());
        command.get_subcommands().for_each(is_in_order);
    }

    #[test]
    fn help_shows_the_same_options_in_the_same_order() {
        Cli::command().get_subcommands().for_each(is_in_order);
    }

    #[test]
    fn numbers_below_zero_are_values_of_options_that_take_numbers() {
        command().debug_assert();
        let refused = |words: &[&str]| {
            let all = ["walkon"].iter().chain(words);
            command().try_get_matches_from(all).unwrap_err().to_string()
        };
        for (words, why) in [
            (&["run", "a", "--seconds", "-1"] as &[&str], "expected 0 to 1000000000 seconds"),
            (
                &["run", "a", "--ticks", "-5"],
                "expected a whole number of ticks from 0 to 18446744073709551615",
            ),
            (&["path", "a", "--from", "1,1", "--to", "2,2", "--radius", "-1"], "expected 0 to 100 metres"),
            (&["graph", "partition", "a", "--name", "b", "--from", "1,1,1", "--within", "-2"], "metres"),
        ] {
            let error = refused(words);
            assert!(error.contains(why) && !error.contains("to pass"), "{words:?}: {error}");
        }
        let words = ["walkon", "path", "a", "--from", "-1,2", "--to", "-3,-4"];
        assert!(command().try_get_matches_from(words).is_ok());
    }

    /// Options of which zero means something.
    const MAY_BE_ZERO: [&str; 13] = [
        "seconds",    // the level as it begins
        "ticks",      // the same
        "tick",       // the same
        "seed",       // a seed like any other
        "port",       // any that is free
        "debug",      // the same
        "hash-every", // none
        "positions",  // none
        "detail",     // none
        "top",        // the sum alone
        "radius",     // a body without width
        "within",     // the point itself
        "remove",     // of `graph edit`: the number of a point
    ];

    #[test]
    fn numbers_that_mean_nothing_are_refused_by_every_option() {
        let mut seen = 0;
        each(&command(), &["walkon"], &mut |own, path| {
            for option in own.get_arguments().filter_map(clap::Arg::get_long) {
                let is_refused = |value: &str| {
                    let word = format!("--{option}={value}");
                    let result = command().try_get_matches_from([path, &[word.as_str()]].concat());
                    let kinds = [ErrorKind::ValueValidation, ErrorKind::InvalidValue];
                    result.is_err_and(|error| kinds.contains(&error.kind()))
                };
                if is_refused("1") || !is_refused("~!") {
                    continue; // It takes no single number.
                }
                seen += 1;
                for value in ["-1", "-0.5", "nan", "NaN", "inf", "-inf", "infinity", "1e999", "", " "] {
                    assert!(is_refused(value), "{path:?} --{option} \"{value}\" is taken");
                }
                let may_be_zero = MAY_BE_ZERO.contains(&option) && path.last() != Some(&"islands");
                assert_eq!(is_refused("0"), !may_be_zero, "{path:?} --{option} 0");
            }
        });
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn seeds_are_a_range_with_both_ends() {
        assert_eq!(seeds("3..5"), Ok(3..=5));
        assert_eq!(seeds("7..7"), Ok(7..=7));
        for text in ["", "1", "5..3", "1..x", "-1..2", "0..9007199254740993", "0..99999999"] {
            assert!(seeds(text).is_err(), "{text}");
        }
        let far = seeds("9007199254740990..9007199254740993").unwrap_err();
        assert!(far.contains("from 0 to 9007199254740991 with A <= B"), "{far}");
        let far = tick_count("18446744073709551616").unwrap_err();
        assert!(far.contains("from 0 to 18446744073709551615"), "{far}");
    }

    #[test]
    fn layers_are_a_list_of_known_words() {
        let two = Parts::NONE.with(PicturePart::Paths).with(PicturePart::Cells);
        assert_eq!(layers("paths, cells"), Ok(two));
        assert_eq!(layers("paths,all"), Ok(Parts::all()));
        assert_eq!(layers(""), Ok(Parts::NONE));
        assert_eq!(layers("pahts").unwrap_err(), "unknown layer \"pahts\"; did you mean \"paths\"?");
        assert_eq!(ticks("0..600"), Ok(0..=600));
        assert!(ticks("5..4").is_err() && ticks("1").is_err() && fps("0.5").is_err() && fps("51").is_err());
    }

    #[test]
    fn places_are_two_or_three_finite_numbers() {
        assert_eq!(place("-1, 2.5"), Ok(PlaceArg { x: -1.0, y: None, z: 2.5 }));
        assert_eq!(place("1,2,3"), Ok(PlaceArg { x: 1.0, y: Some(2.0), z: 3.0 }));
        for text in ["", "1", "1,2,3,4", "1,nan", "1,inf", "a,b", "1,2e7"] {
            assert!(place(text).is_err(), "{text}");
        }
    }
}
