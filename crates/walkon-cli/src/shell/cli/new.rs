//! `walkon new`: creates a project.
//!
//! In: a folder. Out: the files of `scaffold`, written below it. Holds: a folder with anything in it is
//! refused before the first file is written; nothing is ever replaced; when a file cannot be written, those
//! written before it are removed again.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use walkon_shell::project::Project;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, NewArgs};
use super::types;
use crate::shell::output::Results;
use crate::shell::scaffold;

/// What the project is called when its folder has no name, as `/` has none.
const NAME: &str = "game";
/// Where the editor definitions lie, as `walkon types` puts them.
const TYPES: &str = "scripts/types";

pub(super) fn run(args: &NewArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    if args.folder.as_os_str().is_empty() {
        return Err(CommandFailure::usage("new: an empty name, expected the folder to make"));
    }
    make(&args.folder)?;
    let name = name_of(&args.folder);
    let mut files = scaffold::files(&name)
        .map_err(|error| CommandFailure::new(Exit::Bug, format!("the schema is not JSON: {error}")))?;
    write_all(&args.folder, &files)?;
    // They name the marks and doors of the level that stands there now.
    let project = Project::around(&args.folder)?;
    let definitions = types::definitions(&project)?.into_iter();
    let definitions: Vec<_> = definitions.map(|(file, text)| (format!("{TYPES}/{file}"), text)).collect();
    write_all(&args.folder, &definitions)?;
    files.extend(definitions);
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    match args.format {
        Format::Human => tell(&args.folder, &paths, results)?,
        Format::Json => {
            let json = serde_json::json!({ "name": name, "folder": args.folder.display().to_string(), "files": paths });
            results.line(&json.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// The folder, empty.
fn make(folder: &Path) -> Result<(), CommandFailure> {
    let failed = |error: std::io::Error| CommandFailure::io(format!("{}: {error}", folder.display()));
    match std::fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(CommandFailure::io(format!(
                "{}: it is not empty, expected an empty or a new folder",
                folder.display()
            ))
            .help("give the name of a folder that does not exist yet, such as \"game\"")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => std::fs::create_dir_all(folder).map_err(failed),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(CommandFailure::io(format!(
            "{}: it is a file, expected an empty or a new folder",
            folder.display()
        ))),
        Err(error) => Err(failed(error)),
    }
}

/// The name of the folder, which the project takes.
fn name_of(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    real.file_name().map_or_else(|| NAME.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn write_all(folder: &Path, files: &[(String, String)]) -> Result<(), CommandFailure> {
    let mut written: Vec<PathBuf> = Vec::new();
    for (path, text) in files {
        let path = folder.join(path);
        if let Err(error) = write(&path, text) {
            // Half a project is none. What cannot be removed either is no second reason to tell.
            for path in &written {
                let _ = std::fs::remove_file(path);
            }
            return Err(CommandFailure::io(format!("{}: {error}", path.display())));
        }
        written.push(path);
    }
    Ok(())
}

/// Writes a file that is not there yet.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

fn tell(folder: &Path, paths: &[&str], results: &mut Results) -> Result<(), CommandFailure> {
    results.report(&format!("{}: a level, a guard, a cinematic and their tests", folder.display()))?;
    for path in paths {
        results.report(&format!("  {path}"))?;
    }
    results.report("next:")?;
    if folder != Path::new(".") {
        results.report(&format!("  cd {}", folder.display()))?;
    }
    for command in ["check", "test", "watch levels/first.json"] {
        results.report(&format!("  walkon {command}"))?;
    }
    results.report(
        "for CI: .github/workflows/walkon.yml installs the published crate; set the repository variable",
    )?;
    results.report("  WALKON_SOURCE to other arguments of `cargo install`, such as `--git URL walkon`")?;
    Ok(())
}
