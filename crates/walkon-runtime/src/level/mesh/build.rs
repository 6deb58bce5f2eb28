//! Builds the navigation mesh of a level from the polygons of its areas.
//!
//! In: a [`LevelDef`] with its names resolved. Out: the shapes that grids and meshes are cut from; a
//! [`NavMesh`], or findings that say why there is none. Not here: whether polygons fit together
//! (`nav::mesh`).

use super::{MeshDef, MeshFormat, form_of};
use crate::level::def::{AreaDef, GridDef, LevelDef, NavigationDef};
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::resolve::{NamedArea, Resolved};
use crate::nav::cells::{AreaShape, GridSource};
use crate::nav::{MeshSource, MeshSourceError, NavMesh, RawMesh};

/// How to find in an OBJ what a message numbers.
const OBJ_NUMBERS: &str =
    "polygons and vertices are counted from 0 here, in the order of the file, where OBJ counts from 1";

/// The shapes of a map of polygons.
pub(crate) fn grid_source(grid: &GridDef, resolved: &Resolved) -> GridSource {
    let shape = |(area, state): (&AreaDef, &NamedArea)| AreaShape {
        polygon: area.polygon.clone(),
        available: state.available,
        factor: state.cost,
    };
    let (own, holes) = resolved.areas.split_at(grid.areas.len().min(resolved.areas.len()));
    GridSource {
        cell_size_m: grid.sizes.cell_size_m,
        agent_radius_m: grid.sizes.agent_radius_m,
        object_padding_m: grid.sizes.object_padding_m,
        boundary_padding_m: grid.sizes.boundary_padding_m,
        floor_y_m: grid.sizes.floor_y_m,
        areas: grid.areas.iter().zip(own).map(shape).collect(),
        obstacles: grid.obstacles.iter().zip(holes).map(shape).collect(),
    }
}

/// The mesh of a level, or findings that say why there is none.
pub(crate) fn build(
    findings: &mut Findings,
    def: &LevelDef,
    mesh: &MeshDef,
    resolved: &Resolved,
) -> Option<NavMesh> {
    let NavigationDef::Grid(grid) = &def.navigation else { return None };
    let place = match &mesh.file {
        Some(_) => Span::new(findings.last_file(), 0, 0),
        None => grid.span,
    };
    let ground = match mesh.polygons.as_ref().map(RawMesh::check) {
        None if mesh.file.is_some() => return None, // The file was refused where it was read.
        None => None,
        Some(Ok(checked)) => Some(checked),
        Some(Err(error)) => {
            let line = error.polygon().and_then(|polygon| mesh.polygon_lines.get(polygon));
            let place = line.map_or(place, |&line| findings.line(findings.last_file(), line as usize));
            let is_obj = mesh.file.as_ref().is_some_and(|file| form_of(&file.value) == Some(MeshFormat::Obj));
            findings.error(|| {
                let found =
                    PendingDiagnostic::new(code::MESH, place, error.to_string()).at(grid.pointer.as_str());
                if is_obj { found.help(OBJ_NUMBERS) } else { found }
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
    let source = grid_source(grid, resolved);
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
