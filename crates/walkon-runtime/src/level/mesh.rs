//! Levels of the kind `mesh`: the keys, the files, the map.
//!
//! In: the text of a level and of the file that it names. Out: a [`MeshDef`], and the [`NavMesh`] of a level,
//! or findings that say why there is none. Holds: the keys of a grid mean the same here, so that a level
//! changes kind by one word. Not here: the forms of the files (`meshfile`), whether polygons fit together
//! (`nav::mesh`).

pub(crate) mod build;

use serde_json::Value;

use super::action_links::{self, ActionLinkDef};
use super::areas::{AreaDef, Areas, FloorArea};
use super::cell_sizes::CellSizes;
use super::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use super::forms::{FileName, List, OneOf, double, list, natural};
use super::json::{Fields, JsonReader, JsonValue};
use super::meshfile::{MeshFile, from_mesh, from_obj};
use super::object::{Form, SchemaParts, object};
use crate::nav::{Avoidance, RawMesh};

/// Corners of one polygon that stands in a level.
const RING_MAX: usize = 1_000;
/// Vertices or polygons that stand in a level; more belong into a file.
const INLINE_MAX: usize = 100_000;
/// The keys with which a mesh has polygons of its own.
const POLYGON_KEYS: [&str; 3] = ["file", "vertices", "polygons"];
/// How wider characters keep off walls.
const WAYS: &[(&str, Avoidance)] = &[("radius", Avoidance::Radius), ("waypoints", Avoidance::Waypoints)];

/// A navigation mesh: the areas and obstacles beside it, on polygons of its own or alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshDef {
    /// The file that holds the polygons; None where they stand in the level, or where the areas are the
    /// ground.
    pub file: Option<Located<String>>,
    /// The polygons; None where the areas are the ground, and until the file is read.
    pub polygons: Option<RawMesh>,
    /// The line of each polygon in that file, from 1; empty where they stand in the level.
    pub polygon_lines: Vec<u32>,
    /// How wider bodies keep off walls.
    pub avoidance: Avoidance,
    /// Ways over gaps in the ground, for characters that can take them.
    pub action_links: Vec<ActionLinkDef>,
}

object! {
    (reader, fields)
    /// Convex polygons: of a file, in place, or made of areas and obstacles.
    pub(crate) struct MeshKeys as "MeshKeys" {
        /// A file of polygons, `.mesh` or `.obj`, relative to the level.
        "file" => file: Option<Located<String>> [optional MeshFileName];
        /// Corners of polygons, `[x, z]` or `[x, y, z]`, metres.
        "vertices" => vertices: Option<Vec<[f64; 3]>> [when is_inline, List(Vertex, INLINE_MAX)];
        /// Polygons by the numbers of their corners, from 0, each convex.
        "polygons" => polygons: Option<Vec<Vec<u32>>> [when is_inline, List(CornerRing, INLINE_MAX)];
        /// How wider characters keep off walls: "radius" narrows the ground, "waypoints" moves the corners of
        /// paths.
        "avoidance" => avoidance: Avoidance [else Avoidance::default(), OneOf(WAYS)];
        /// Ground to walk on; beside polygons, ground that can be made unavailable or expensive.
        "areas" => areas: Vec<AreaDef> [by reader.mesh_areas(fields, "areas"), Areas::<FloorArea>::filled()];
        /// Ground taken away again.
        "obstacles" => obstacles: Vec<AreaDef> [else Vec::new(), Areas::<FloorArea>::obstacles()];
        /// Ways over what no ground joins, for characters that can take them.
        "actionLinks" => action_links: Vec<ActionLinkDef> [else Vec::new(), action_links::list()];
        "" => sizes: CellSizes [flat CellSizes];
    }
    from {
        /// Always "mesh".
        "kind" => kind [kind "mesh"];
    }
    given {
        /// Whether its polygons stand in the level, in part at least.
        is_inline: bool = fields.has_any(&["vertices", "polygons"]) && !fields.has("file");
        /// Whether it has polygons of its own.
        is_authored: bool = fields.has_any(&POLYGON_KEYS);
        /// Which keys of polygons stand beside a file.
        beside_file: Vec<&'static str> = match fields.has("file") {
            true => ["vertices", "polygons"].into_iter().filter(|key| fields.has(key)).collect(),
            false => Vec::new(),
        };
        /// Whether it says what bodies it allows for.
        has_radius: bool = fields.has("agentRadius");
    }
}

impl JsonReader<'_> {
    /// The areas, which must be there when they are the ground: where there are no polygons.
    fn mesh_areas(&mut self, fields: &Fields<'_, '_>, key: &'static str) -> Vec<AreaDef> {
        let areas = Areas::<FloorArea>::filled();
        let list = match fields.has_any(&POLYGON_KEYS) {
            true => self.optional(fields, key, |reader, node| areas.read(reader, node)),
            false => self.required(fields, key, |reader, node| areas.read(reader, node)),
        };
        list.unwrap_or_default()
    }
}

/// The name of a file that holds polygons.
struct MeshFileName;

impl Form for MeshFileName {
    type Value = Located<String>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        let file = reader.path(node)?;
        if form_of(&file.value).is_none() {
            let what = format!("is {}, expected a file ending in .mesh or .obj", node.text);
            reader.error(code::CHOICE, node, what);
            return None;
        }
        Some(file)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        FileName.schema(parts)
    }
}

/// `[x, z]`, or `[x, y, z]`.
struct Vertex;

impl Form for Vertex {
    type Value = [f64; 3];

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<[f64; 3]> {
        let numbers = reader.coordinates(node, "a vertex [x, z] or [x, y, z]", &[2, 3])?;
        Some(match numbers[..] {
            [x, y, z] => [x, y, z],
            _ => [numbers[0], 0.0, numbers[1]],
        })
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        list(double())
    }
}

/// The places of the corners of a polygon.
struct CornerRing;

impl Form for CornerRing {
    type Value = Vec<u32>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<u32>> {
        reader.list(node, RING_MAX, |reader, node| {
            let value = reader.finite(node, "the number of a vertex, from 0")?;
            let whole = (0.0..4e9).contains(&value) && value == value.trunc();
            if !whole {
                let what = format!("is {value}, expected the number of a vertex, from 0");
                reader.error(code::RANGE, node, what);
            }
            whole.then_some(value as u32)
        })
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        list(natural())
    }
}

/// What a mesh file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeshFormat {
    Mesh,
    Obj,
}

/// The form of a mesh file, by its name.
pub(super) fn form_of(path: &str) -> Option<MeshFormat> {
    let lower = path.to_ascii_lowercase();
    match lower.rsplit_once('.')?.1 {
        "mesh" => Some(MeshFormat::Mesh),
        "obj" => Some(MeshFormat::Obj),
        _ => None,
    }
}

/// The polygons of a mesh file that a level names, into `findings`.
pub(super) fn read(findings: &mut Findings, path: &str, bytes: &[u8]) -> Option<MeshFile> {
    let file = findings.add_file(path, bytes);
    let parsed = match form_of(path) {
        Some(MeshFormat::Obj) => from_obj(bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => from_mesh(text),
            Err(_) => {
                let place = Span::new(file, 0, 0);
                findings.error(|| PendingDiagnostic::new(code::ENCODING, place, "the file is not UTF-8"));
                return None;
            }
        },
    };
    parsed
        .map_err(|error| {
            let place = findings.line(file, error.line);
            findings.error(|| PendingDiagnostic::new(code::MESH, place, error.message.clone()));
        })
        .ok()
}
