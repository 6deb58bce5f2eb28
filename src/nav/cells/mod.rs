//! Uniform grids of cells: storage and the kernels that search it.
//!
//! A cell (x, z) of a map `width` cells wide has the id `z * width + x` everywhere.

pub mod bits;
pub mod jump;
pub mod layout;
pub mod sight;
pub mod weighted;

pub use bits::Bits;
pub use jump::Pace;
pub use layout::{FACTOR_ONE, Unit, fixed_factor};
pub use weighted::{Extra, Ground};
