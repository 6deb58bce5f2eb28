//! Levels of the kind `mesh`: the keys, the files, the map.
//!
//! In: the text of a level and of the file that it names. Out: a [`MeshDef`], and the [`NavMesh`] of a level,
//! or findings that say why there is none. Holds: the keys of a grid mean the same here, so that a level
//! changes kind by one word. Not here: the forms of the files (`meshfile`), whether polygons fit together
//! (`nav::mesh`).

use super::bake;
use super::def::{GridDef, LevelDef, MeshDef, NavigationDef};
use super::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use super::graph::HEIGHTS;
use super::json::{Fields, JsonReader, JsonValue};
use super::meshfile::{from_mesh, from_obj};
use super::read::{GRID_KEYS, SIZE_KEYS};
use super::resolve::Resolved;
use crate::nav::{Avoidance, MeshSource, MeshSourceError, NavMesh, RawMesh};

/// The keys that a mesh has beside those of a grid.
const MESH_KEYS: &[&str] = &["file", "vertices", "polygons", "avoidance"];
/// Corners of one polygon that stands in a level.
const RING_MAX: usize = 1_000;
/// Vertices or polygons that stand in a level; more belong into a file.
const INLINE_MAX: usize = 100_000;

impl JsonReader<'_> {
    /// A map of the kind `mesh`: polygons from a file or in place, or the areas alone.
    pub(super) fn mesh(&mut self, fields: &Fields<'_, '_>) -> GridDef {
        self.know(fields, &[GRID_KEYS, SIZE_KEYS, MESH_KEYS].concat());
        let mut mesh = MeshDef::default();
        let has_own = fields.has("file") || fields.has("vertices") || fields.has("polygons");
        if fields.has("file") {
            mesh.file = self.required(fields, "file", Self::mesh_path);
            for key in ["vertices", "polygons"] {
                let _ = self.optional(fields, key, |reader, node| -> Option<()> {
                    reader.error(code::CHOICE, node, "stands beside file, expected one or the other");
                    None
                });
            }
        } else if has_own {
            let vertices = self.required(fields, "vertices", |r, n| r.list(n, INLINE_MAX, Self::vertex));
            let polygons = self.required(fields, "polygons", |r, n| r.list(n, INLINE_MAX, Self::ring));
            mesh.polygons = vertices.zip(polygons).map(|(vertices, polygons)| RawMesh { vertices, polygons });
        } else if !fields.has("areas") {
            let _ = self.required(fields, "areas", |_, _| Some(()));
        }
        const WAYS: &[(&str, Avoidance)] =
            &[("radius", Avoidance::Radius), ("waypoints", Avoidance::Waypoints)];
        mesh.avoidance = self.optional(fields, "avoidance", |r, n| r.choice(n, WAYS)).unwrap_or_default();
        let mut grid = self.areas_and_obstacles(fields, HEIGHTS);
        if has_own && !fields.has("agentRadius") {
            // Polygons as authored allow for nobody: every body keeps its own radius.
            grid.sizes.agent_radius_m = 0.0;
        }
        GridDef { mesh: Some(mesh), ..grid }
    }

    fn mesh_path(&mut self, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        let file = self.path(node)?;
        if form_of(&file.value).is_none() {
            self.error(
                code::CHOICE,
                node,
                format!("is {}, expected a file ending in .mesh or .obj", node.text),
            );
            return None;
        }
        Some(file)
    }

    /// `[x, z]`, or `[x, y, z]`.
    fn vertex(&mut self, node: JsonValue<'_, '_>) -> Option<[f64; 3]> {
        let numbers = self.coordinates(node, "a vertex [x, z] or [x, y, z]", &[2, 3])?;
        Some(match numbers[..] {
            [x, y, z] => [x, y, z],
            _ => [numbers[0], 0.0, numbers[1]],
        })
    }

    /// The places of the corners of a polygon.
    fn ring(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<u32>> {
        self.list(node, RING_MAX, |reader, node| {
            let value = reader.finite(node, "the number of a vertex, from 0")?;
            let whole = (0.0..4e9).contains(&value) && value == value.trunc();
            if !whole {
                reader.error(
                    code::RANGE,
                    node,
                    format!("is {value}, expected the number of a vertex, from 0"),
                );
            }
            whole.then_some(value as u32)
        })
    }
}

/// What a mesh file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeshFormat {
    Mesh,
    Obj,
}

fn form_of(path: &str) -> Option<MeshFormat> {
    let lower = path.to_ascii_lowercase();
    match lower.rsplit_once('.')?.1 {
        "mesh" => Some(MeshFormat::Mesh),
        "obj" => Some(MeshFormat::Obj),
        _ => None,
    }
}

/// The polygons of a mesh file that a level names, into `findings`.
pub(super) fn read(findings: &mut Findings, path: &str, bytes: &[u8]) -> Option<RawMesh> {
    let file = findings.add_file(path, bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings
            .error(|| PendingDiagnostic::new(code::ENCODING, Span::new(file, 0, 0), "the file is not UTF-8"));
        return None;
    };
    let parsed = if form_of(path) == Some(MeshFormat::Obj) { from_obj(text) } else { from_mesh(text) };
    match parsed {
        Ok(mesh) => Some(mesh),
        Err(error) => {
            let start = text.split_inclusive('\n').take(error.line.saturating_sub(1)).map(str::len).sum();
            let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
            findings.error(|| {
                PendingDiagnostic::new(code::MESH, Span::new(file, start, end), error.message.clone())
            });
            None
        }
    }
}

/// The mesh of a level, or findings that say why there is none.
pub(super) fn build(
    findings: &mut Findings,
    def: &LevelDef,
    (mesh, resolved): (&MeshDef, &Resolved),
) -> Option<NavMesh> {
    let NavigationDef::Grid(grid) = &def.navigation else { return None };
    let place = match &mesh.file {
        Some(_) => Span::new(bake::last_file(findings), 0, 0),
        None => grid.span,
    };
    let ground = match mesh.polygons.as_ref().map(RawMesh::check) {
        None if mesh.file.is_some() => return None, // The file was refused where it was read.
        None => None,
        Some(Ok(checked)) => Some(checked),
        Some(Err(error)) => {
            findings.error(|| {
                PendingDiagnostic::new(code::MESH, place, error.to_string()).at(grid.pointer.as_str())
            });
            return None;
        }
    };
    if let Some(turned) = ground.as_ref().map(|checked| checked.turned).filter(|turned| *turned > 0) {
        findings.note(|| {
            let message = format!("{turned} polygons were the wrong way round and have been turned");
            PendingDiagnostic::new(code::MESH, place, message).at(grid.pointer.as_str())
        });
    }
    let source = bake::grid_source(grid, resolved);
    let any_height_m = [f64::NEG_INFINITY, f64::INFINITY];
    let shapes = grid.areas.iter().chain(&grid.obstacles);
    let source = MeshSource {
        heights_m: shapes.map(|shape| shape.heights_m.unwrap_or(any_height_m)).collect(),
        ground,
        areas: source.areas,
        obstacles: source.obstacles,
        agent_radius_m: source.agent_radius_m,
        object_padding_m: source.object_padding_m,
        boundary_padding_m: source.boundary_padding_m,
        floor_y_m: source.floor_y_m,
        avoidance: mesh.avoidance,
    };
    match NavMesh::new(&source) {
        Ok(mesh) => Some(mesh),
        Err(error) => {
            let code = match error {
                MeshSourceError::Coordinate { .. } => code::EXTENT,
                MeshSourceError::TooMany { .. } => code::LIMIT,
                _ => code::RANGE,
            };
            findings.error(|| {
                PendingDiagnostic::new(code, grid.span, error.to_string()).at(grid.pointer.as_str())
            });
            None
        }
    }
}
