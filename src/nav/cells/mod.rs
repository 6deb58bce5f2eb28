//! Uniform grids of cells: storage and the kernels that search it.
//!
//! A cell (x, z) of a map `width` cells wide has the id `z * width + x` everywhere.

pub mod bits;

pub use bits::Bits;
