//! The one integration binary: laws, levels, scripts, the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod cli;
mod crowd;
mod debugger;
mod fixture;
#[allow(dead_code, reason = "the benchmark uses more of it")]
mod invariants;
mod laws;
mod level;
mod long_form;
mod nav;
mod place;
mod saving;
mod script;
mod view;
mod when_at_hand;
