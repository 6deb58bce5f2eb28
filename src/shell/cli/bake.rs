//! `walkon bake`: the precomputed grid of a level, beside it.

use super::args::{BakeArgs, Format};
use super::exit::{Exit, Failure};
use super::{Shell, shown_path};
use crate::shell::output::{Results, Target};
use crate::shell::project::find_level;

pub(super) fn run(shell: &Shell, args: &BakeArgs, results: &mut Results) -> Result<Exit, Failure> {
    let found = find_level(&args.level)?;
    let level = shell.load(&found)?;
    let Some(grid) = crate::level::text_grid(&level) else {
        let message = format!("{}: its map has no cells, expected a map of cells to bake", found.path);
        return Err(Failure::new(Exit::Level, message));
    };
    let path = grid_path(&found.path);
    let target = Target::claim(&found.project.folder.root().join(&path), &found.project.folder.files_read())?;
    target.write(grid.text().as_bytes())?;
    let shown = shown_path(&found, &path);
    let walkable = grid.walkable.iter().filter(|walkable| **walkable).count();
    match args.format {
        Format::Human => results.line(&format!(
            "{shown}: {} x {} cells of {} m, {walkable} walkable",
            grid.width, grid.depth, grid.sizes.cell_size_m
        ))?,
        Format::Json => {
            let (width, depth) = (grid.width, grid.depth);
            let json = serde_json::json!({ "file": shown, "gridWidth": width, "gridDepth": depth, "walkable": walkable });
            results.line(&json.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// `levels/yard.json` to `levels/yard.grid.txt`.
fn grid_path(level: &str) -> String {
    let (folder, file) = level.rsplit_once('/').map_or(("", level), |(folder, file)| (folder, file));
    let stem = file.strip_suffix(".json").unwrap_or(file);
    if folder.is_empty() { format!("{stem}.grid.txt") } else { format!("{folder}/{stem}.grid.txt") }
}
