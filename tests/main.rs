//! The one integration binary: laws, levels, scripts, the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod level_faults;
mod level_load;
mod nav_laws;
mod nav_published;
mod nav_sight;
