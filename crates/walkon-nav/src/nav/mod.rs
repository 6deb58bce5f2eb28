//! Path-finding: maps, searches over them, and the paths that come out.
//!
//! In: a map, a traversal, a request, an allowance. Out: an outcome. Never: characters, time, Lua, files, a
//! log.

pub mod backend;
mod buckets;
mod cell;
mod cell_rect;
pub mod cells;
pub mod connected_components;
pub mod edits;
pub mod graph;
pub mod ground_query;
mod hierarchy;
mod landmarks;
pub mod layers;
mod link_search;
mod linked;
pub mod links;
pub mod map;
pub mod mesh;
pub mod node;
pub mod open_ground;
pub mod path;
mod plan;
mod reached_labels;
pub mod requests;
mod saved;
pub mod search;
pub mod search_state;
pub mod sight;
mod smooth;
pub mod solids;
pub mod traversal;

pub use backend::Backend;
pub use cells::{
    AreaShape, CellArea, CellMap, CellMapError, CellSource, GridSource, Layout, MapFrame, Stagger, TileGrid,
    Tiling, grid_frame,
};
pub use connected_components::{CellRun, ConnectedComponents};
pub use edits::{AreaEdit, ChangedPart, FACTOR_RANGE, GraphEdit, MapChange, NavEdit, SingleTile, TileEdit};
pub use ground_query::{GroundQuery, NearbyLines};
pub use layers::{LAYERS_MAX, Layers, LayersError};
pub use links::{LINKS_MAX, LayerLink, Links};
pub use map::NavMap;
pub use mesh::{Avoidance, MeshError, MeshSource, MeshSourceError, NavMesh, RawMesh};
pub use node::{LayerPoint, Location, NodeId, Revision};
pub use open_ground::OpenGround;
pub use path::{
    Accept, Crossing, Disc, Island, LayerChange, Others, Path, PathAnswer, PathFailure, PathQuery,
    PathStatus, RandomPoint, Reach, SearchRecord,
};
pub use requests::{PathRequests, RequestProgress};
pub use search::Search;
pub use search_state::{Ends, SearchLog, SearchStep};
pub use sight::{Look, Veil};
pub use traversal::{LinkAction, LinkActions, OneWay, OwnArea, PassRules, Traversal};

#[cfg(test)]
mod tests;
