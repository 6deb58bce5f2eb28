//! Graphs of points and links in space: made from a scene, linked, checked, divided.
//!
//! In: solids, boxes, options; or points and links as authored. Out: a `EditableGraph`, which is what people
//! edit and files hold. Holds: a point is known by its place in the list; links are pairs of points, the
//! lower first, sorted, and go both ways. Not here: files (`level/graph`), pictures (`view`), commands
//! (`shell`). Source: seed 003.

pub mod adjacency;
mod alt_heuristic;
mod astar;
pub(crate) mod climb;
mod connected_components;
mod dijkstra;
pub mod editable_graph;
mod footing;
pub mod generate;
mod ground_query;
pub mod islands;
mod line_price;
pub mod link;
mod link_lengths;
pub mod link_rows;
mod lookup;
pub mod map;
pub mod partition;
mod plan;
pub mod precomputed_routes;
mod scratch;
mod sight;
mod strip;

pub use adjacency::Adjacency;
pub use editable_graph::{EditableGraph, GraphPart, LINKS_MAX, POINTS_MAX, PointEdit, PointEditError};
pub use generate::{Floors, GenerateOptions, Generated, SceneBox, generate};
pub(crate) use ground_query::GraphGroundQuery;
pub use islands::{LinkedGroup, groups};
pub use link::{LinkOptions, LinkReport, blocked_links, link};
pub use link_rows::{AdjacentPoint, LinkRows};
pub use map::{GraphArea, GraphSource, PointGraph, WIDTH_MAX_M};
pub use partition::{carry_parts, divide, grow};
pub use precomputed_routes::{FoundRoute, Measured, PrecomputedRoutes, RouteSource};
pub(crate) use scratch::GraphScratch;
