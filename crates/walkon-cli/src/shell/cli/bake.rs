//! `walkon bake`: writes the precomputed grid of a level beside it.

use walkon_shell::project::find_level;
use walkon_shell::{CommandFailure, Exit};

use super::args::{BakeArgs, Format};
use super::path_question::layer_among;
use super::shell::{Shell, shown_path};
use crate::level::{Level, NavigationDef};
use crate::shell::output::{OutputFile, Results};

pub(super) fn run(shell: &Shell, args: &BakeArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let found = find_level(&args.level)?;
    let level = shell.load(&found)?;
    let layer = layer_of(&level, &found.path, args.layer.as_deref())?;
    let Some(grid) = crate::level::text_grid(&level, layer) else {
        let what = match &level.def.navigation {
            NavigationDef::Tiles(tiles) => format!("tiles of layout {}", tiles.layout.name()),
            _ => "no cells".to_owned(),
        };
        let expected = "expected square cells with eight neighbours to bake";
        return Err(CommandFailure::new(
            Exit::Level,
            format!("{}: its map has {what}, {expected}", found.path),
        ));
    };
    let path = grid_path(&found.path, args.layer.as_deref());
    let target =
        OutputFile::claim(&found.project.folder.root().join(&path), &found.project.folder.files_read())?;
    target.write(grid.text().as_bytes())?;
    let shown = shown_path(&found, &path);
    let walkable = grid.walkable.iter().filter(|walkable| **walkable).count();
    match args.format {
        Format::Human => results.report(&format!(
            "{shown}: {} x {} cells of {} m, {walkable} walkable; costs, areas and doors are not in it",
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

/// The layer to bake: the one that is named, or the only one.
fn layer_of(level: &Level, path: &str, name: Option<&str>) -> Result<u8, CommandFailure> {
    let names: Vec<&str> = match &level.def.navigation {
        NavigationDef::Tiles(tiles) => tiles.layers.iter().map(|layer| layer.name.value.as_str()).collect(),
        _ => Vec::new(),
    };
    match name {
        Some(name) => layer_among(&names, "--layer", name),
        None if names.len() > 1 => {
            let message = format!("{path}: its map has {} layers, expected --layer", names.len());
            Err(CommandFailure::usage(message).help(format!("of {}", names.join(", "))))
        }
        None => Ok(0),
    }
}

/// `levels/yard.json` to `levels/yard.grid.txt`, the layer `sky` of it to `levels/yard.sky.grid.txt`.
fn grid_path(level: &str, layer: Option<&str>) -> String {
    let (folder, file) = level.rsplit_once('/').map_or(("", level), |(folder, file)| (folder, file));
    let stem = file.strip_suffix(".json").unwrap_or(file);
    // A name may hold what no file name may.
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    let layer =
        layer.map_or_else(String::new, |name| format!(".{}", name.chars().map(plain).collect::<String>()));
    let name = format!("{stem}{layer}.grid.txt");
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}
