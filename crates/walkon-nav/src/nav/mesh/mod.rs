//! Navigation meshes: convex polygons, their sources, and the searches over them.
//!
//! In: polygons as authored, or areas and obstacles; edits, queries. Out: `NavMesh`, the backend on polygons.
//! Holds: the ground is to the left of every edge, x turned towards z being left. Two halves: a surface and
//! the questions to it (`topology`, `topology_patch`, `tree`, `locate`, `walk`, `polyanya`, `corridor`) know
//! polygons alone; the map (`raw`, `triangulate`, `floor_layers`, `wall_offset`, `build`, `carve`,
//! `local_view`, `groups`, `kept_pieces`, `traversal_cost`, `map`, `start`, `plan`, `ground_query`, `random`)
//! knows where they come from and what walks on them.

mod build;
mod carve;
mod compare;
mod corridor;
mod floor_layers;
mod ground_query;
mod groups;
mod kept_pieces;
mod local_view;
mod locate;
mod map;
mod plan;
mod polyanya;
mod polygon;
mod random;
pub mod raw;
mod scratch;
mod show;
mod sight;
mod start;
mod topology;
mod topology_patch;
mod traversal_cost;
mod tree;
mod triangulate;
mod walk;
mod wall_offset;
mod waypoints;

pub use compare::Compared;
pub(crate) use ground_query::MeshGroundQuery;
pub use map::{AREAS_MAX, Avoidance, MeshSource, MeshSourceError, NavMesh};
pub use raw::{CheckedMesh, MeshError, RawMesh};
pub(crate) use scratch::MeshScratch;
pub use show::{Corner, Patch};

#[cfg(test)]
mod tests;
