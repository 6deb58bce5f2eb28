//! `walkon import`: imports a map of the editor Tiled as a level file, with a report on its layers.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use walkon_shell::project::{FoundLevel, file_at};
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, ImportArgs};
use super::shell::{Shell, refusal, script_texts, shown_path};
use crate::base::suggestions::counted;
use crate::level::tiled::{self, Counts, Imported, TiledOptions, TiledReport};
use crate::level::{Diagnostic, FILE_BYTES_MAX, LevelError, Located, MemorySource, Severity, Span, code};
use crate::shell::output::{OutputFile, Results, is_stream};

pub(super) fn run(shell: &Shell, args: &ImportArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let found = file_at(&args.map)?;
    if !tiled::is_tiled(&found.path) && !tiled::is_world(&found.path) {
        let message =
            format!("{}: expected a map of Tiled, whose name ends in .tmx or .tmj", args.map.display());
        return Err(CommandFailure::usage(message));
    }
    let is_level = |extension: &OsStr| extension.eq_ignore_ascii_case("json");
    if !is_stream(&args.out) && !args.out.extension().is_some_and(is_level) {
        let named = args.out.with_extension("json");
        let message = format!(
            "{}: expected the name of a level, which ends in .json, such as {}",
            args.out.display(),
            named.display()
        );
        return Err(CommandFailure::usage(message));
    }
    let options = TiledOptions {
        metres_per_pixel: args.metres_per_pixel,
        is_flipped: args.flip,
        types: args.types.clone().map(|types| Located { value: types, ..Located::default() }),
        ..TiledOptions::default()
    };
    let imported = match tiled::import(&found.path, &found.project.folder, &options) {
        Ok(imported) => imported,
        Err(error) => {
            shell.show(&found, &error.diagnostics, &error.files);
            return Err(CommandFailure::Told(refusal(&error)));
        }
    };
    shell.show(&found, &imported.diagnostics, &imported.files);
    let missing = missing_scripts(&found, &imported);
    shell.show(&found, &missing, &imported.files);
    let text = tiled::text(&imported.tiled.def);
    refuse_large(&args.out, &text)?;
    if let Err(error) = load_all(&found, &options, &args.out, &text) {
        shell.show(&found, &error.diagnostics, &error.files);
        return Err(CommandFailure::Told(refusal(&error)));
    }
    let may_go: fn(&[u8]) -> bool = if args.force { |_| true } else { |_| false };
    let target = OutputFile::claim_over(&args.out, &found.project.folder.files_read(), may_go)?;
    if target.is_stdout() {
        *results = Results::stderr(&shell.general);
    }
    target.write(text.as_bytes())?;
    let (map, level) = (shown_path(&found, &found.path), args.out.display().to_string());
    match args.format {
        Format::Human => {
            lines(&imported.tiled.report, &map, &level).iter().try_for_each(|line| results.report(line))?;
            notes(&imported.diagnostics)
                .iter()
                .try_for_each(|note| results.report(&format!("note: {note}")))?;
        }
        Format::Json => {
            let mut json = serde_json::to_value(&imported.tiled.report).unwrap_or_default();
            if let Some(object) = json.as_object_mut() {
                object.insert("map".to_owned(), map.into());
                object.insert("level".to_owned(), level.into());
                let told = [notes(&imported.diagnostics), in_words(&missing)].concat();
                object.insert("notes".to_owned(), told.into());
            }
            results.line(&json.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// Loads the map as a level, whose mistakes have places in the map, then what is to be written: a level that
/// does not load is of no use.
fn load_all(found: &FoundLevel, options: &TiledOptions, out: &Path, text: &str) -> Result<(), LevelError> {
    crate::level::load_map(&found.path, &found.project.folder, options)?;
    let name = out.file_name().and_then(OsStr::to_str).filter(|_| !is_stream(out)).unwrap_or("level.json");
    let source = MemorySource::new().with(name, text);
    crate::level::load(name, &source).map(drop)
}

/// The failure of a level that would have more bytes than one may have.
fn refuse_large(out: &Path, text: &str) -> Result<(), CommandFailure> {
    if text.len() as u64 <= FILE_BYTES_MAX {
        return Ok(());
    }
    Err(CommandFailure::usage(format!(
        "{}: the level would have {} bytes, the limit is {FILE_BYTES_MAX}; write a level that names the map in place \
         of it: {{ \"navigation\": {{ \"kind\": \"tiled\", \"file\": ... }} }}",
        out.display(),
        text.len()
    )))
}

/// Warnings of scripts that the map or a character of it names and the project of the map does not have, one
/// for each name. They may be written later.
fn missing_scripts(found: &FoundLevel, imported: &Imported) -> Vec<Diagnostic> {
    let texts = found.project.scripts(&found.path).ok().and_then(|texts| script_texts(&texts).ok());
    let Some(texts) = texts else { return Vec::new() };
    let def = &imported.tiled.def;
    let of_map = def.script.iter().map(|name| ("the map".to_owned(), name));
    let of_objects = def.characters.iter().filter_map(|own| {
        let name = own.behaviour.as_ref()?;
        Some((format!("object \"{}\"", own.name.value), name))
    });
    let named: Vec<_> = of_map.chain(of_objects).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    named.iter().for_each(|(_, name)| *counts.entry(&name.value).or_default() += 1);
    let missing = named.iter().filter_map(|(owner, name)| {
        let error = texts.resolve(&name.value).err()?.to_string();
        let others = counts.remove(name.value.as_str())? - 1;
        let owner = match others {
            0 => owner.clone(),
            _ => format!("{owner} and {}", counted(others as u64, "other")),
        };
        let (what, advice) = error.split_once("; ").map_or((error.as_str(), None), |(a, b)| (a, Some(b)));
        let warning = warning_at(imported, name.span, format!("{owner}: {what}"))?;
        Some(Diagnostic { help: advice.map(str::to_owned).or_else(|| found.project.unmarked()), ..warning })
    });
    missing.collect()
}

/// A warning of a name that leads nowhere, at its place in a file of a map.
fn warning_at(imported: &Imported, span: Span, message: String) -> Option<Diagnostic> {
    let file = imported.files.get(usize::from(span.file))?;
    let (line, column) = file.position(span.start);
    Some(Diagnostic {
        code: code::UNRESOLVED,
        severity: Severity::Warning,
        path: file.path.clone(),
        line,
        column,
        pointer: String::new(),
        message,
        help: None,
        span,
    })
}

/// What there is to say of properties: their values and their names.
fn notes(found: &[Diagnostic]) -> Vec<String> {
    in_words(found.iter().filter(|found| found.code == code::PROPERTY))
}

fn in_words<'a>(found: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<String> {
    found
        .into_iter()
        .map(|found| match &found.help {
            Some(help) => format!("{}; {help}", found.message),
            None => found.message.clone(),
        })
        .collect()
}

/// The report for people: a line a layer, then all together.
fn lines(report: &TiledReport, map: &str, level: &str) -> Vec<String> {
    let numbers =
        |counts: &Counts| format!("{:>9} {:>9} {:>9}", counts.navigable, counts.blocked, counts.border);
    let infinite = if report.infinite { "infinite, " } else { "" };
    let mut lines = vec![
        format!(
            "{map} -> {level}: {infinite}{}, {} x {} tiles of {} x {} pixels",
            report.orientation, report.width, report.height, report.tile_width_px, report.tile_height_px
        ),
        format!(
            "{:<28} {:<9} {:<11} {:>9} {:>9} {:>9} {:>9}",
            "layer", "role", "on", "filled", "navigable", "blocked", "border"
        ),
    ];
    for layer in &report.layers {
        lines.push(format!(
            "{:<28} {:<9} {:<11} {:>9} {}",
            layer.name,
            layer.role,
            layer.on,
            layer.filled,
            numbers(&layer.counts)
        ));
    }
    lines.push(format!("{:<60} {}", "in total", numbers(&report.total)));
    for left_out in &report.left_out {
        let times = if left_out.count == 1 { String::new() } else { format!(" ({} times)", left_out.count) };
        lines.push(format!("left out: {}{times}", left_out.what));
    }
    lines.extend(all_walkable(report));
    lines
}

/// What there is to say of a map none of whose layers says where one can walk.
fn all_walkable(report: &TiledReport) -> Option<String> {
    let says = |role: &str| role == "walkable" || role == "obstacle";
    let cells = if report.infinite { "every painted cell" } else { "every cell" };
    (!report.layers.iter().any(|layer| says(layer.role))).then(|| {
        format!(
            "note: no layer has the property isTilesetWalkable: {cells} can be walked on, unless its tile says \
             otherwise; give it true for ground, false for walls"
        )
    })
}
