//! What scripts see: the bindings, behaviours, scenes, tasks, reloads, and hostile code.

pub mod attacks;
pub mod behaviours;
pub mod boards;
pub mod host_inputs;
pub mod hostile_world;
pub mod inspection;
pub mod libraries;
pub mod places_of_errors;
pub mod profiles;
pub mod reload;
pub mod reload_levels;
pub mod reload_scenes;
pub mod runtime_events;
pub mod samples;
pub mod sandbox;
pub mod scenes;
pub mod schedules;
pub mod script_api;
pub mod script_flow;
pub mod senses;
pub mod skipped_watches;
pub mod tasks;
pub mod trees;
