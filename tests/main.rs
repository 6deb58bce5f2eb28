//! The one integration binary: laws, levels, scripts, the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod batch;
mod behaviours;
mod boards;
mod catalogue;
mod cli;
mod crowd_laws;
mod crowd_shown;
mod docs;
mod door_rules;
mod fixture;
mod following;
mod hostile_world;
#[allow(dead_code, reason = "the benchmark uses more of it")]
mod invariants;
mod level_faults;
mod level_load;
mod level_tests;
mod levels;
mod lint;
mod map_laws;
mod model;
mod nav_laws;
mod nav_others;
mod nav_published;
mod nav_sight;
mod own_areas;
mod rates;
mod readme;
mod reload;
mod reload_levels;
mod reload_scenes;
mod replay;
mod rounds;
mod samples;
mod sandbox;
mod scaffold;
mod scenes;
mod script_api;
mod script_flow;
mod settle_matrix;
mod tasks;
mod tidy;
mod trees;
mod walks;
