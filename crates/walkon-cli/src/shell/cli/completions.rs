//! `walkon completions`: writes shell completions.

use clap::CommandFactory;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Cli, CompletionsArgs};
use crate::shell::output::Results;

pub(super) fn run(args: &CompletionsArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "walkon", &mut script);
    results.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
