//! Tiles of a map of Tiled, painted where they stand.
//!
//! In: the text of a map, cells, the id of a tile. Out: the tile layers, the tiles there are; the text with
//! those cells changed and nothing else, in the encoding that the layer has. Holds: a layer whose cells
//! cannot be written as they are is refused in words. Not here: whether the map still loads.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;

use super::data::{self, CellEncoding};
use super::files::Import;
use super::place::MapPlacement;
use super::raw::{PropertyValue, RawContent, RawMap, RawTile, RawTileset};
use super::tree::Element;
use super::{read, tmj, xml};
use crate::base::ordered::CollectOrdered;
use crate::level::base64;
use crate::level::diagnostic::Findings;
use crate::level::json::FILE_BYTES_MAX;
use crate::level::source::FileSource;
use crate::level::tiled::TiledOptions;

/// Most cells of a layer that is painted.
const CELLS_MAX: usize = 16 << 20;
/// Most tiles of a palette.
const TILES_MAX: usize = 1 << 16;

/// The tile layers of a map, as they lie in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileLayers {
    /// `orthogonal`, `isometric`, `staggered` or `hexagonal`.
    pub orientation: String,
    /// `x` or `y`, where rows or columns are shifted.
    pub stagger_axis: String,
    /// `odd` or `even`: those that are shifted.
    pub stagger_index: String,
    /// Columns of the map.
    pub columns: usize,
    /// In the order of the file, groups opened.
    pub layers: Vec<TileLayer>,
}

/// A layer of tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileLayer {
    /// Its name.
    pub name: String,
    /// The id of the tile of each cell, row by row; 0 for none. The upper bits say how it is turned.
    pub cells: Vec<u32>,
}

/// What there is to paint with, and where what is painted is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// Tiles of all tilesets by their id on the map, at most 65,536, with their class and properties in
    /// words. Of a tileset that does not say how many it has, those of which it says something and those that
    /// the map shows.
    pub tiles: Vec<(u32, String)>,
    /// Of each tile layer, how far it is drawn from its place, in widths and heights of a tile.
    pub offsets: Vec<[f64; 2]>,
}

/// A layer with the place of its cells.
struct PlacedLayer<'e, 'a> {
    name: &'e str,
    data: &'e Element<'a>,
    form: CellEncoding<'e>,
}

/// The tile layers of the map at that path.
///
/// # Errors
/// Why they cannot be painted.
pub fn layers(path: &str, text: &str) -> Result<TileLayers, String> {
    let root = root(path, text)?;
    let (columns, count) = size(&root)?;
    let mut all = TileLayers {
        orientation: root.value("orientation").to_owned(),
        stagger_axis: root.value("staggeraxis").to_owned(),
        stagger_index: root.value("staggerindex").to_owned(),
        columns,
        layers: Vec::new(),
    };
    for found in found(&root) {
        let cells = cells(&found, count)?;
        all.layers.push(TileLayer { name: found.name.to_owned(), cells });
    }
    Ok(all)
}

/// The palette of the map at that path of a source; an empty one where it cannot be read.
#[must_use]
pub fn palette(path: &str, source: &dyn FileSource) -> Palette {
    let mut findings = Findings::default();
    let Ok(bytes) = source.read(path, FILE_BYTES_MAX) else { return Palette::default() };
    let mut import = Import::new(&mut findings, source);
    let Some(map) = import.parsed(path, &bytes, read::map) else { return Palette::default() };
    let mut palette = Palette::default();
    for (first, tileset) in &map.tilesets {
        let words = |id: u32| tileset.about(id).map_or_else(String::new, |tile| in_words(tile));
        let room = TILES_MAX - palette.tiles.len();
        let ids: Vec<u32> = if tileset.is_counted() {
            (0..tileset.tiles_max).take(room).collect()
        } else {
            known(&map, tileset).into_iter().take(room).collect()
        };
        palette.tiles.extend(ids.into_iter().map(|id| (first.saturating_add(id), words(id))));
    }
    let place = MapPlacement::new(&map, &TiledOptions::default());
    for layer in &map.layers {
        if matches!(layer.content, RawContent::Tiles { .. }) {
            palette.offsets.push(place.offset_tiles(layer.offset_px));
        }
    }
    palette
}

/// The tiles that a set is known to have which does not say how many it has: those of which it says
/// something, and those that the map shows. To offer every id would leave no room for other sets.
fn known(map: &RawMap, tileset: &RawTileset) -> BTreeSet<u32> {
    let mut ids: BTreeSet<u32> = tileset.tiles.iter().map(|tile| tile.id).collect_set();
    for layer in &map.layers {
        let RawContent::Tiles { gids, .. } = &layer.content else { continue };
        let shown = gids.iter().filter_map(|gid| map.tile(*gid));
        ids.extend(shown.filter(|(set, _)| std::ptr::eq(*set, tileset)).map(|(_, id)| id));
    }
    ids
}

/// The class of a tile and what its author says of it.
fn in_words(tile: &RawTile) -> String {
    let value = |value: &PropertyValue| match value {
        PropertyValue::Text(text) => Some(text.clone()),
        PropertyValue::Number(number) => Some(number.to_string()),
        PropertyValue::Truth(truth) => Some(truth.to_string()),
        PropertyValue::Object(_) | PropertyValue::Class(_) => None,
    };
    let said =
        tile.properties.0.iter().filter_map(|one| Some(format!("{} {}", one.name, value(&one.value)?)));
    let class = Some(tile.class.clone()).filter(|class| !class.is_empty());
    class.into_iter().chain(said).collect::<Vec<_>>().join(", ")
}

/// The text of a map with a tile in some cells of a layer, `[column, row]` from 0.
///
/// # Errors
/// Why nothing was painted.
pub fn painted(
    path: &str,
    text: &str,
    layer: usize,
    cells: &[[u32; 2]],
    tile: u32,
) -> Result<String, String> {
    let (plain, before) = without_mark(text);
    let root = root(path, text)?;
    let (columns, count) = size(&root)?;
    let all = found(&root);
    let Some(found) = all.get(layer) else {
        return Err(format!(
            "there is no layer {layer}: the map has {} tile layers, counted from 0",
            all.len()
        ));
    };
    let mut places = Vec::with_capacity(cells.len());
    for [column, row] in cells {
        let at = *row as usize * columns + *column as usize;
        if *column as usize >= columns || at >= count {
            let rows = count / columns.max(1);
            return Err(format!(
                "there is no cell in column {column} of row {row}: the map has {columns} columns and {rows} rows"
            ));
        }
        places.push(at);
    }
    places.sort_unstable();
    places.dedup();
    let Cow::Borrowed(own) = found.data.text else {
        return Err(written_otherwise(found.name, "in a way that is not kept"));
    };
    let from = found.data.text_at as usize;
    let new = match found.form.encoding {
        "csv" | "" => with_words(own, &places, tile),
        _ => {
            let mut all = self::cells(found, count)?;
            let is_same = places.iter().all(|at| all[*at] == tile);
            places.iter().for_each(|at| all[*at] = tile);
            let bytes: Vec<u8> = all.iter().flat_map(|cell| cell.to_le_bytes()).collect();
            let packed = packed(found, &bytes)?;
            // What is packed again has other bytes, however little its cells say.
            if is_same {
                return Ok(text.to_owned());
            }
            own.replacen(own.trim(), &base64::text_of(&packed), 1)
        }
    };
    Ok([before, &plain[..from], &new, &plain[from + own.len()..]].concat())
}

fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{FEFF}') {
        Some(plain) => (plain, "\u{FEFF}"),
        None => (text, ""),
    }
}

fn root<'a>(path: &str, text: &'a str) -> Result<Element<'a>, String> {
    let (plain, _) = without_mark(text);
    let mut findings = Findings::default();
    let read = if plain.trim_start().starts_with('<') {
        xml::parse(&mut findings, 0, plain, 0)
    } else {
        tmj::parse(&mut findings, 0, plain, 0)
    };
    let root = read.ok_or_else(|| format!("{path} cannot be read"))?;
    if root.name != "map" {
        return Err(format!("{path} is not a map of Tiled"));
    }
    if matches!(root.value("infinite"), "1" | "true") {
        return Err(
            "an infinite map cannot be painted here: edit it in Tiled; the level takes in saved changes"
                .to_owned(),
        );
    }
    Ok(root)
}

fn size(root: &Element<'_>) -> Result<(usize, usize), String> {
    let side = |name: &str| root.value(name).parse::<usize>().map_err(|_| format!("the map has no {name}"));
    let (columns, rows) = (side("width")?, side("height")?);
    match columns.checked_mul(rows).filter(|count| *count > 0 && *count <= CELLS_MAX) {
        Some(count) => Ok((columns, count)),
        None => Err(format!("a map of {columns} x {rows} cells cannot be painted")),
    }
}

/// The tile layers in their order, those in groups as well.
fn found<'e, 'a>(root: &'e Element<'a>) -> Vec<PlacedLayer<'e, 'a>> {
    let mut layers = Vec::new();
    let mut open: Vec<&Element<'a>> = root.children.iter().rev().collect();
    // Bounded by the elements of the file.
    while let Some(element) = open.pop() {
        if element.name == "group" {
            open.extend(element.children.iter().rev());
        } else if element.name == "layer"
            && let Some(data) = element.child("data")
        {
            let stated =
                |name| if data.attribute(name).is_some() { data.value(name) } else { element.value(name) };
            let form = CellEncoding { encoding: stated("encoding"), compression: stated("compression") };
            layers.push(PlacedLayer { name: element.value("name"), data, form });
        }
    }
    layers
}

fn cells(found: &PlacedLayer<'_, '_>, count: usize) -> Result<Vec<u32>, String> {
    data::decode(&found.data.text, found.form, count)
        .map_err(|broken| format!("layer \"{}\" {}", found.name, broken.what))
}

/// Numbers between commas, some of them replaced.
fn with_words(text: &str, places: &[usize], tile: u32) -> String {
    let mut places = places.iter().copied().peekable();
    let mut new = String::with_capacity(text.len() + 8);
    let mut number = 0;
    for (at, piece) in text.split(',').enumerate() {
        if at > 0 {
            new.push(',');
        }
        let word = piece.trim();
        if !word.is_empty() && places.next_if_eq(&number).is_some() {
            let from = piece.len() - piece.trim_start().len();
            new.push_str(&piece[..from]);
            new.push_str(&tile.to_string());
            new.push_str(&piece[from + word.len()..]);
        } else {
            new.push_str(piece);
        }
        number += usize::from(!word.is_empty());
    }
    new
}

fn packed(found: &PlacedLayer<'_, '_>, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("layer \"{}\" cannot be written: {error}", found.name);
    match found.form.compression {
        "" => Ok(bytes.to_vec()),
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(failed)
        }
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(failed)
        }
        other => Err(written_otherwise(found.name, &format!("with the compression {other}"))),
    }
}

fn written_otherwise(name: &str, how: &str) -> String {
    format!(
        "layer \"{name}\" cannot be painted, because its cells are written {how}: let Tiled save the map with the \
         tile layer format CSV, or base64 with zlib or gzip"
    )
}

#[cfg(test)]
mod tests {
    use super::{layers, painted};

    const TAVERN: &str = include_str!("../../../../../levels/tavern.tmx");

    #[test]
    fn cells_are_painted_in_the_encoding_of_their_layer_and_nothing_else_changes() {
        let before = layers("tavern.tmx", TAVERN).unwrap();
        assert_eq!((before.columns, before.layers[0].name.as_str()), (24, "floor"));
        for layer in 0..before.layers.len() {
            let text = painted("tavern.tmx", TAVERN, layer, &[[2, 1], [23, 13], [2, 1]], 5).unwrap();
            let mut expected = before.clone();
            for at in [24 + 2, 13 * 24 + 23] {
                expected.layers[layer].cells[at] = 5;
            }
            assert_eq!(layers("tavern.tmx", &text).unwrap(), expected);
            let outside = |text: &str| {
                let lines = text.lines().map(str::to_owned);
                lines.filter(|line| line.contains('<')).collect::<Vec<_>>()
            };
            assert_eq!(outside(&text), outside(TAVERN));
            // What it was comes back by painting it back.
            let cells = &before.layers[layer].cells;
            let back = painted("tavern.tmx", &text, layer, &[[2, 1]], cells[26]).unwrap();
            let back = painted("tavern.tmx", &back, layer, &[[23, 13]], cells[13 * 24 + 23]).unwrap();
            assert_eq!(layers("tavern.tmx", &back).unwrap(), before);
        }
        let csv = painted("tavern.tmx", TAVERN, 0, &[[6, 2]], 12).unwrap();
        assert_eq!(csv, TAVERN.replacen("3,3,3,3,3,3,1,1,1", "3,3,3,3,3,3,12,1,1", 1));
    }

    #[test]
    fn a_map_on_which_no_cell_changes_keeps_its_text() {
        let count = layers("tavern.tmx", TAVERN).unwrap().layers.len();
        let packed = |bytes: &[u8], compression| {
            let packed = crate::level::base64::text_of(bytes);
            format!(
                "<map width=\"2\" height=\"1\"><layer name=\"a\"><data encoding=\"base64\" \
                 compression=\"{compression}\">\n {packed}\n</data></layer></map>"
            )
        };
        let mut stored = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
        std::io::Write::write_all(&mut stored, &[7, 0, 0, 0, 7, 0, 0, 0]).unwrap();
        let zlib = packed(&stored.finish().unwrap(), "zlib");
        let spaced = packed(&[7, 0, 0, 0, 7, 0, 0, 0], "");
        for (text, layers) in [(TAVERN, count), (zlib.as_str(), 1), (spaced.as_str(), 1)] {
            for layer in 0..layers {
                let before = super::layers("a.tmx", text).unwrap();
                let tile = before.layers[layer].cells[0];
                assert_eq!(painted("a.tmx", text, layer, &[], 5).unwrap(), text);
                assert_eq!(painted("a.tmx", text, layer, &[[0, 0], [0, 0]], tile).unwrap(), text);
            }
        }
        let new = painted("a.tmx", &zlib, 0, &[[0, 0], [1, 0]], 8).unwrap();
        assert_eq!(super::layers("a.tmx", &new).unwrap().layers[0].cells, [8, 8]);
        assert!(painted("a.tmx", &zlib, 0, &[[2, 0]], 7).is_err(), "cells outside are refused all the same");
    }

    #[test]
    fn lists_of_json_are_painted_by_span_and_the_rest_is_refused_in_words() {
        let text = "\u{FEFF}{ \"type\": \"map\", \"width\": 2, \"height\": 2, \"orientation\": \"orthogonal\", \"layers\": [\n  \
                    { \"type\": \"group\", \"layers\": [{ \"type\": \"tilelayer\", \"name\": \"a\", \"width\": 2, \"height\": 2, \
                    \"data\": [1, 2,\n 3 , 4] }] } ] }";
        let new = painted("a.tmj", text, 0, &[[0, 1], [1, 0]], 10).unwrap();
        assert_eq!(new, text.replace("[1, 2,\n 3 , 4]", "[1, 10,\n 10 , 4]"));
        let refused = |text: &str, layer, cell| painted("a.tmj", text, layer, &[cell], 1).unwrap_err();
        assert!(refused(text, 1, [0, 0]).contains("has 1 tile layers"), "{}", refused(text, 1, [0, 0]));
        assert!(refused(text, 0, [2, 0]).contains("2 columns and 2 rows"));
        assert!(
            refused(
                &text.replace(
                    "\"width\": 2, \"height\": 2, \"or",
                    "\"infinite\": true, \"width\": 2, \"height\": 2, \"or"
                ),
                0,
                [0, 0]
            )
            .contains("infinite")
        );
        let packed = text.replace(
            "[1, 2,\n 3 , 4]",
            "\"KLUv/SAQgQAAAQAAAAIAAAADAAAABAAAAA==\", \"encoding\": \"base64\", \"compression\": \"zstd\"",
        );
        assert!(refused(&packed, 0, [0, 0]).contains("compression zstd"), "{}", refused(&packed, 0, [0, 0]));
        let elements = "<map width=\"2\" height=\"1\"><layer name=\"a\"><data><tile gid=\"1\"/><tile/></data></layer></map>";
        assert!(refused(elements, 0, [0, 0]).contains("let Tiled save"), "{}", refused(elements, 0, [0, 0]));
        assert!(painted("a.tmx", "<svg/>", 0, &[], 1).is_err() && painted("a.tmx", "{", 0, &[], 1).is_err());
    }
}
