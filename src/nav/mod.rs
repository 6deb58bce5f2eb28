//! Finding ways: maps, searches over them, and the paths that come out.
//!
//! Pure: (map, traversal, request, allowance) in, outcome out. Knows no characters, no time, no Lua,
//! no files and no log.

mod buckets;
pub mod cells;
pub mod components;
pub mod search;
pub mod space;
pub mod traversal;

pub use components::{Kept, Labels, Run};
pub use search::{Ends, Search, Step, Watch};
pub use space::{Graph, Location, NodeId, Portal, Revision, Space};
pub use traversal::Traversal;
