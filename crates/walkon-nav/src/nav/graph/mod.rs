//! Graphs of points and links in space: made from a scene, linked, checked, divided.
//!
//! In: solids, boxes, options; or points and links as authored. Out: a `Draft`, which is what people edit and files hold. Holds: a
//! point is known by its place in the list; links are pairs of points, the lower first, sorted, and go both ways. Not
//! here: files (`level/graph`), pictures (`view`), commands (`shell`).
//! Source: seed 003.

pub mod draft;
mod finder;
mod footing;
pub mod generate;
pub mod islands;
mod labels;
mod landmarks;
pub mod link;
mod lookup;
pub mod map;
pub mod net;
mod plan;
pub mod routes;
pub mod spaces;
mod spread;
mod strip;

pub use draft::{Draft, DraftEdit, DraftError, LINKS_MAX, POINTS_MAX, Part};
pub(crate) use footing::GraphFooting;
pub use generate::{Floors, GenerateOptions, Generated, SceneBox, generate};
pub use islands::{Group, groups};
pub use link::{LinkOptions, LinkReport, blocked_links, link};
pub use map::{GraphArea, GraphSource, PointGraph};
pub use net::{Net, NetStep};
pub(crate) use plan::GraphPlan;
pub(crate) use routes::Scratch;
pub use routes::{How, Measured, Route, Routes};
pub use spaces::{carry_parts, divide, grow};
