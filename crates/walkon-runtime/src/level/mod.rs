//! Levels: reads bytes into a map with everything on it; every mistake has a name and a place.
//!
//! In: the bytes of a level, and a [`FileSource`] for the files it names. Out: a [`LevelDef`], its names
//! resolved, its navigation map, and a list of [`Diagnostic`]s. Holds: no bytes make it panic or allocate
//! without bound; a level is refused only for what cannot be built, and then for everything at once. Not
//! here: opening files (`shell/disk`), characters and doors that live (`world`), scripts.

mod action_links;
mod actions;
mod areas;
mod ascii;
mod bake;
pub mod base64;
mod cell_sizes;
mod choices;
mod def;
mod diagnostic;
mod drawing;
mod forms;
pub mod graph;
mod json;
mod load;
mod loaded;
mod manual;
mod mesh;
mod meshfile;
pub mod movingai;
mod numbers;
mod object;
mod ordered_json;
pub mod plain_data;
mod polygon;
mod read;
mod report;
mod resolve;
pub mod scene;
mod schema;
mod settings;
mod source;
pub mod spawn;
mod textgrid;
mod tile_forms;
mod tile_layout;
pub mod tiled;
mod tiles;

#[cfg(test)]
mod tests;

pub use bake::{SNAP_M, text_grid};
pub use def::{
    AreaDef, AsciiDef, CHARACTERS_MAX, CellSizes, CharacterDef, DoorDef, DoorHabit, GridDef, Heading,
    Hierarchy, LayerDef, LegendDef, LevelDef, LinkDef, LinkEnd, MARKS_MAX, MapFileDef, MapForm, MarkDef,
    NavigationDef, POLYGONS_MAX, PlaceDef, Position, Projection, PropsDef, RegionDef, RegionOutline,
    RouteDef, StaggerAxis, StaggerIndex, StopDef, TileLayout, TileLegendDef, TilesDef,
};
pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, LevelFile, Located, Severity, Span, code};
pub use forms::{PARAMS_BYTES_MAX, POINTS_MAX, ROWS_MAX, TAGS_MAX};
pub use json::{DEPTH_MAX, FILE_BYTES_MAX, NAME_BYTES_MAX};
pub use load::{graph_level, load, load_map, outline};
pub use loaded::{Level, LevelError};
pub use manual::manual;
pub use mesh::MeshDef;
pub use meshfile::{MeshFile, MeshFileError, from_mesh, from_obj};
pub use numbers::{METRES_PER_PIXEL, Number, RADIUS};
pub use read::{ReadOutcome, read};
pub use report::{DoorJoin, door_joins, report};
pub use resolve::{NamedArea, NamedMark, NamedRoute, Resolved, radians, world};
pub use schema::schema;
pub use settings::{CrowdDef, Limits};
pub use source::{FileSource, MemorySource, PATH_BYTES_MAX, PathError, SourceError, checked_path, stem};
pub use textgrid::TextGrid;
