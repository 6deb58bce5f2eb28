//! Laws over generated cases, and laws of the source tree itself.

pub mod fuzzed;
pub mod invariant_tests;
pub mod keys;
pub mod knots;
pub mod left_out;
pub mod licences;
pub mod model;
pub mod names;
pub mod parameters;
pub mod settle_matrix;
pub mod tidy;
