//! `walkon types`: writes editor definitions for completing and checking scripts.

use std::path::Path;

use walkon_shell::project::Project;
use walkon_shell::{CommandFailure, Exit};

use super::args::TypesArgs;
use crate::script::types::{self, ProjectNames};
use crate::shell::output::{OutputFile, Results};
use crate::shell::scripts;

pub(super) fn run(args: &TypesArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let project = Project::around(Path::new("."))?;
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            let scripts = project.script_folders.first().map_or(".", String::as_str);
            project.folder.root().join(scripts).join("types")
        }
    };
    let failed = |error: std::io::Error| CommandFailure::io(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let files = definitions(&project)?;
    // All of them are seen to be writable before the first is replaced.
    let targets: Result<Vec<_>, _> =
        files.iter().map(|(name, _)| OutputFile::claim(&folder.join(name), &[])).collect();
    for (target, (_, text)) in targets?.iter().zip(&files) {
        target.write(text.as_bytes())?;
        results.report(&target.path().display().to_string())?;
    }
    Ok(Exit::Ok)
}

/// The definitions that know the names of a project: file and text.
pub(super) fn definitions(project: &Project) -> Result<Vec<(&'static str, String)>, CommandFailure> {
    Ok(types::files(&names(project)?))
}

/// Names of everything in a project. A kind of name that scripts make up as they run has no list.
fn names(project: &Project) -> Result<ProjectNames, CommandFailure> {
    if !project.is_marked {
        return Ok(ProjectNames::new());
    }
    let linted = scripts::linted(project, &project.scripts("")?, "")?;
    let mut names = linted.names.0;
    names.retain(|kind, _| !linted.open.contains(kind));
    Ok(names)
}
