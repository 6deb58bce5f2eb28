//! Finding ways: maps, searches over them, and the paths that come out.
//!
//! Pure: (map, traversal, request, allowance) in, outcome out. Knows no characters, no time, no Lua,
//! no files and no log.

pub mod cells;
pub mod space;
pub mod traversal;

pub use space::{Graph, Location, NodeId, Portal, Revision, Space};
pub use traversal::Traversal;
