//! `walkon import`: a map of the editor Tiled as a level file, and what became of its layers.

use std::ffi::OsStr;
use std::path::Path;

use walkon_shell::project::file_at;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, ImportArgs};
use super::shell::{Shell, refusal, shown_path};
use crate::level::tiled::{self, Counts, TiledOptions, TiledReport};
use crate::level::{Diagnostic, LevelError, Located, MemorySource, code};
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
    let text = tiled::text(&imported.tiled.def);
    if let Err(error) = load_again(&args.out, &text) {
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
                object.insert("notes".to_owned(), notes(&imported.diagnostics).into());
            }
            results.line(&json.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// Loads what is to be written: a level that does not load is of no use.
fn load_again(out: &Path, text: &str) -> Result<(), LevelError> {
    let name = out.file_name().and_then(OsStr::to_str).filter(|_| !is_stream(out)).unwrap_or("level.json");
    let source = MemorySource::new().with(name, text);
    crate::level::load(name, &source).map(drop)
}

/// What there is to say of properties: their values and their names.
fn notes(found: &[Diagnostic]) -> Vec<String> {
    let about = found.iter().filter(|found| found.code == code::PROPERTY);
    about
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
