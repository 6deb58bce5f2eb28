//! Navigation meshes: convex polygons, what they are made from, and the searches over them.
//!
//! In: polygons as authored, or areas and obstacles; edits, queries. Out: `NavMesh`, the backend on polygons.
//! Holds: the ground is to the left of every edge, x turned towards z being left. Two halves: a surface and the questions to it
//! (`surface`, `tree`, `locate`, `walk`, `taut`, `corridor`) know polygons alone; the map (`raw`, `arrange`, `keepout`, `build`, `prices`,
//! `map`, `start`, `plan`, `footing`, `random`) knows where they come from and who walks on them.

mod arrange;
mod build;
mod compare;
mod corridor;
mod footing;
mod gates;
mod keepout;
mod locate;
mod map;
mod plan;
mod prices;
mod random;
pub mod raw;
mod sheets;
mod show;
mod start;
mod surface;
mod taut;
mod tree;
mod walk;
mod waypoints;

pub use compare::Compared;
pub(crate) use footing::MeshFooting;
pub use map::{AREAS_MAX, Avoidance, MeshSource, MeshSourceError, NavMesh};
pub(crate) use plan::{Plan, Scratch};
pub use raw::{Checked, MeshError, RawMesh};
pub use show::{Corner, Patch};

#[cfg(test)]
mod tests;
