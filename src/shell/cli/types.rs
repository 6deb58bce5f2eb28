//! `walkon types`: what editors complete and check scripts with.

use std::path::Path;

use super::args::TypesArgs;
use super::exit::{Exit, Failure};
use crate::script::types;
use crate::shell::output::{Results, Target};
use crate::shell::project::Project;

pub(super) fn run(args: &TypesArgs, results: &mut Results) -> Result<Exit, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            let project = Project::around(Path::new("."))?;
            let scripts = project.script_folders.first().map_or(".", String::as_str);
            project.folder.root().join(scripts).join("types")
        }
    };
    let failed = |error: std::io::Error| Failure::io(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let files = types::files();
    // All of them are seen to be writable before the first is replaced.
    let targets: Result<Vec<_>, _> =
        files.iter().map(|(name, _)| Target::claim(&folder.join(name), &[])).collect();
    for (target, (_, text)) in targets?.iter().zip(&files) {
        target.write(text.as_bytes())?;
        results.line(&target.path().display().to_string())?;
    }
    Ok(Exit::Ok)
}
