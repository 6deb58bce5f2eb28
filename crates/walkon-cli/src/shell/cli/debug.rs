//! `walkon debug`: runs a level under the debugger that started the program.
//!
//! In: a level, requests on standard input. Out: answers and events on standard output, everything else on
//! stderr. Holds: if a level cannot be run, the answer to `launch` says why. Not here: the run (`run`), the
//! protocol (`shell::debug`).

use std::num::NonZeroUsize;

use walkon_shell::project::find_level;
use walkon_shell::{CommandFailure, Exit};

use super::args::{DebugArgs, Format, ProfileArgs, RunArgs};
use super::run::{self, DebugWay};
use super::shell::Shell;
use crate::script::state::profile::ProfileSetup;
use crate::shell::debug::Connection;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::is_stream;

pub(super) fn run(shell: &Shell, args: &DebugArgs) -> Result<Exit, CommandFailure> {
    if is_stream(&args.level) {
        return Err(CommandFailure::usage("debug: expected a level in a file: requests come by stdin"));
    }
    let client = Connection::stdio(Interrupts::listen());
    // What is wrong with the level is looked for first: once the run has begun, the client is told by it.
    let begun = find_level(&args.level).and_then(|found| {
        let level = shell.load(&found)?;
        shell.scripts(&found, &level)
    });
    if let Err(failure) = begun {
        let why = match &failure {
            CommandFailure::Message { message, .. } => message.clone(),
            _ => format!("the level was refused; run: walkon check {}", args.level.display()),
        };
        client.refuse(&why);
        return Err(failure);
    }
    let run = RunArgs {
        level: args.level.clone(),
        seconds: args.seconds,
        ticks: args.ticks,
        seed: args.seed,
        until: args.until.clone(),
        strict: false,
        speed: args.speed,
        trace: None,
        from: None,
        save_at: Vec::new(),
        hash_every: 1,
        positions: 0,
        detail: 0,
        stats: false,
        threads: NonZeroUsize::MIN,
        debug: None,
        profile: ProfileArgs { profile: None, profile_form: None, profile_every: ProfileSetup::SAMPLE_EVERY },
        format: Format::Human,
        args: args.args.clone(),
    };
    run::perform(shell, &run, Some(DebugWay::Here(client)))
}
