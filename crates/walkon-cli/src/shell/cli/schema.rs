//! `walkon schema`: prints the JSON schema of levels.

use walkon_shell::{CommandFailure, Exit};

use crate::shell::output::Results;

pub(super) fn run(results: &mut Results) -> Result<Exit, CommandFailure> {
    let schema = serde_json::to_string_pretty(&crate::level::schema());
    let schema =
        schema.map_err(|error| CommandFailure::new(Exit::Bug, format!("the schema is not JSON: {error}")))?;
    results.line(&schema)?;
    Ok(Exit::Ok)
}
