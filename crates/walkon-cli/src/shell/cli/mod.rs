//! The command line: one file for each command.
//!
//! In: the arguments of the process. Out: results on stdout, everything else on stderr, an exit code. Holds:
//! a command runs on a thread with a stack of its own size (fault:H14); a closed pipe ends it quietly
//! (fault:H7); a panic is a bug in walkon and ends with 70 (fault:H19). Not here: the commands themselves.

pub(super) mod args;
mod bake;
mod batch;
mod canvas;
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
mod path_question;
mod profile;
mod replay;
mod run;
mod scenery;
mod schema;
mod shell;
mod test;
mod types;
#[cfg(feature = "view")]
mod view;
mod watch;

use std::process::ExitCode;

use walkon_shell::Exit;

use self::args::{Cli, Command};
use self::shell::Shell;
use super::crash;
use super::output::{ColorWhen, General, Results, tell};
use super::report::Reporter;

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
            // Help and version go to stdout and end well; nobody listening is no error, a full disk is one.
            let printed = error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
            return match printed {
                _ if error.use_stderr() => Exit::Usage,
                Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
                    tell(&format!("error: standard output: {failed}"));
                    Exit::Io
                }
                _ => Exit::Ok,
            };
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
    let mut log = env_logger::Builder::new();
    log.filter_level(level).write_style(style).format_timestamp(None);
    if general.verbose == 0 {
        // What libraries say is of use to nobody who only runs a level.
        log.filter_level(log::LevelFilter::Off).filter_module("walkon", level);
    }
    // A second logger in one process is no reason to stop.
    let _ = log.try_init();
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
