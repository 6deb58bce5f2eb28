//! Level files and Tiled maps: what is read, what is refused and with which words.

pub mod catalogue;
pub mod level_faults;
pub mod level_load;
pub mod level_tests;
pub mod levels;
pub mod tiled;
pub mod tiled_properties;
