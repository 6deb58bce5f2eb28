//! `walkon schema`: the JSON schema of levels.

use super::exit::{Exit, Failure};
use crate::shell::output::Results;

pub(super) fn run(results: &mut Results) -> Result<Exit, Failure> {
    let schema = serde_json::to_string_pretty(&crate::level::schema());
    let schema =
        schema.map_err(|error| Failure::new(Exit::Bug, format!("the schema is no JSON: {error}")))?;
    results.line(&schema)?;
    Ok(Exit::Ok)
}
