//! Parses JSON into [`LevelDef`]: reads every key, fills in every default, reports every mistake at once.
//!
//! In: bytes and the name they were found under. Out: the level, or none, with the list of mistakes. Holds:
//! never panics on any bytes; a part that cannot be read is left out and the rest is read on. Not here: which
//! keys there are (`def`), names that lead nowhere (`resolve`), maps (`bake`).

use super::def::*;
use super::diagnostic::{Diagnostic, Findings, code};
use super::forms::{Place, choice};
use super::graph::GraphDef;
use super::json::{Fields, JsonPath, JsonReader, JsonValue};
use super::mesh::{MeshDef, MeshKeys};
use super::object::{Form as _, Object};
use super::source::stem;
use super::{bake, resolve, textgrid};
use crate::nav::RawMesh;

/// The result of reading a level.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOutcome {
    /// The level; none when there is an error.
    pub def: Option<LevelDef>,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a level, a bare polygon config or (by the suffix `.txt`) a text grid. `name` is the path it was
/// found under: it stands in the diagnostics and names a level that has no name. Maps in other files are
/// not opened; `load` does that.
#[must_use]
pub fn read(bytes: &[u8], name: &str) -> ReadOutcome {
    let mut findings = Findings::default();
    let def = read_level(&mut findings, name, bytes);
    if let Some(def) = &def {
        let resolved = resolve::resolve(&mut findings, def);
        bake::check_size(&mut findings, def, &resolved);
    }
    let failed = findings.has_errors();
    ReadOutcome { def: def.filter(|_| !failed), diagnostics: findings.take() }
}

/// The same into `findings`, with whatever could be read even where there are errors.
pub(crate) fn read_level(findings: &mut Findings, name: &str, bytes: &[u8]) -> Option<LevelDef> {
    let file = findings.add_file(name, bytes);
    let mut reader = JsonReader::new(findings, file);
    let (text, base) = reader.decoded(bytes)?;
    if is_text_grid(name) {
        let grid = textgrid::parse(&mut reader, text, base)?;
        return Some(LevelDef::of_map(stem(name), NavigationDef::TextGrid(Box::new(grid))));
    }
    let root = reader.root(text, base)?;
    let node = JsonValue { text: root.text, at: root.at, place: &JsonPath::Root };
    let fields = reader.any_fields(node)?;
    if fields.has("areas") && !fields.has("navigation") {
        return Some(LevelDef::of_map(stem(name), reader.grid(&fields)));
    }
    reader.level(&fields, stem(name))
}

/// A map file that a level names, into `findings`.
pub(crate) fn read_map(
    findings: &mut Findings,
    path: &str,
    bytes: &[u8],
    form: MapForm,
) -> Option<NavigationDef> {
    let file = findings.add_file(path, bytes);
    let mut reader = JsonReader::new(findings, file);
    let (text, base) = reader.decoded(bytes)?;
    if form == MapForm::TextGrid {
        return Some(NavigationDef::TextGrid(Box::new(textgrid::parse(&mut reader, text, base)?)));
    }
    let root = reader.root(text, base)?;
    let fields = reader.any_fields(JsonValue { text: root.text, at: root.at, place: &JsonPath::Root })?;
    Some(reader.grid(&fields))
}

fn is_text_grid(name: &str) -> bool {
    name.len() >= 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".txt")
}

impl JsonReader<'_> {
    fn level(&mut self, fields: &Fields<'_, '_>, default_name: &str) -> Option<LevelDef> {
        self.know(fields, &LevelDef::names());
        let mut def = LevelDef::read(self, fields)?;
        if def.name.is_empty() {
            default_name.clone_into(&mut def.name);
        }
        let (count, count_max) = (def.characters.len(), def.limits.characters as usize);
        if count > count_max {
            let place = JsonPath::Key(fields.node.place, "characters");
            if let Some(list) = fields.value("characters", &place) {
                let what = format!("has {count} entries, the limit is {count_max} (limits.characters)");
                self.error(code::LIMIT, list, what);
            }
        }
        Some(def)
    }

    pub(super) fn navigation(&mut self, node: JsonValue<'_, '_>) -> Option<NavigationDef> {
        if node.text.starts_with('"') {
            return self.map_file(node).map(NavigationDef::File);
        }
        if !node.text.starts_with('{') {
            self.text(node, "an object or the name of a map file");
            return None;
        }
        let fields = &self.any_fields(node)?;
        match self.kind(fields)? {
            MapKind::Grid => Some(self.grid(fields)),
            MapKind::Ascii => self.known::<AsciiDef>(fields).map(NavigationDef::Ascii),
            MapKind::Graph => {
                self.known::<GraphDef>(fields).map(|graph| NavigationDef::Graph(Box::new(graph)))
            }
            MapKind::Tiles => {
                self.known::<TilesDef>(fields).map(|tiles| NavigationDef::Tiles(Box::new(tiles)))
            }
            MapKind::Tiled => self.known::<TiledKeys>(fields).map(|map| NavigationDef::File(map.into())),
            MapKind::Mesh => Some(NavigationDef::Grid(self.mesh(fields))),
            MapKind::TextGrid => self.known::<TextGridKeys>(fields).map(|map| {
                NavigationDef::File(MapFileDef {
                    file: map.file,
                    form: MapForm::TextGrid,
                    ..MapFileDef::default()
                })
            }),
        }
    }

    /// The kind of map; a grid when nothing is said. None after an error.
    fn kind(&mut self, fields: &Fields<'_, '_>) -> Option<MapKind> {
        if !fields.has("kind") {
            return Some(MapKind::Grid);
        }
        self.optional(fields, "kind", |reader, node| choice::<MapKind>().read(reader, node))
    }

    fn map_file(&mut self, node: JsonValue<'_, '_>) -> Option<MapFileDef> {
        let file = self.path(node)?;
        let lower = file.value.to_ascii_lowercase();
        let form = match () {
            () if lower.ends_with(".txt") => MapForm::TextGrid,
            () if lower.ends_with(".json") => MapForm::Grid,
            () if super::tiled::is_tiled(&lower) => MapForm::Tiled,
            () => {
                self.error(
                    code::CHOICE,
                    node,
                    format!("is {}, expected a file ending in .json, .txt, .tmx or .tmj", node.text),
                );
                return None;
            }
        };
        Some(MapFileDef { file, form, tiled: TiledOptions::default() })
    }

    /// An object whose keys are those of its declaration.
    fn known<T: Object>(&mut self, fields: &Fields<'_, '_>) -> Option<T> {
        self.know(fields, &T::names());
        T::read(self, fields)
    }

    fn grid(&mut self, fields: &Fields<'_, '_>) -> NavigationDef {
        self.know(fields, &[GridDef::names().as_slice(), &CONFIG_KEYS].concat());
        NavigationDef::Grid(GridDef::read(self, fields).unwrap_or_default())
    }

    pub(super) fn place(&mut self, node: JsonValue<'_, '_>, expected: &str) -> Option<PlaceDef> {
        if node.text.starts_with('[') {
            return Place.read(self, node).map(|position| PlaceDef { position, ..PlaceDef::default() });
        }
        if !node.text.starts_with('{') {
            self.items(node, expected, 0);
            return None;
        }
        self.object(node)
    }

    /// A map of the kind `mesh`: polygons from a file or in place, or the areas alone.
    fn mesh(&mut self, fields: &Fields<'_, '_>) -> GridDef {
        self.know(fields, &[MeshKeys::names().as_slice(), &CONFIG_KEYS].concat());
        let mut keys = MeshKeys::read(self, fields).unwrap_or_default();
        for key in keys.beside_file {
            let place = JsonPath::Key(fields.node.place, key);
            if let Some(value) = fields.value(key, &place) {
                self.error(code::CHOICE, value, "stands beside file, expected one or the other");
            }
        }
        if keys.is_authored && !keys.has_radius {
            // Polygons as authored allow for nobody: every body keeps its own radius.
            keys.sizes.agent_radius_m = 0.0;
        }
        let polygons = keys.vertices.zip(keys.polygons);
        let polygons = polygons.map(|(vertices, polygons)| RawMesh { vertices, polygons });
        GridDef {
            areas: keys.areas,
            obstacles: keys.obstacles,
            sizes: keys.sizes,
            pointer: fields.node.place.pointer(),
            span: self.span(fields.node),
            mesh: Some(MeshDef {
                file: keys.file,
                polygons,
                polygon_lines: Vec::new(),
                avoidance: keys.avoidance,
                action_links: keys.action_links,
            }),
        }
    }
}
