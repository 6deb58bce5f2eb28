//! Several grids of cells above one another, joined by links: ground, sky, underground, decks of a ship.
//!
//! In: a grid for each layer, stairs between them. Out: `Layers`, a backend of its own. Holds: layers are
//! independent, each with its own revision; the asking body walks on one, and every question but the one for
//! ways goes to that layer; ways lead over links. Here a path goes from grid to grid (`plan`), what is
//! reached is (`map`), and doors are in the way (`doors_between`); ways within a grid are its own (`cells`).

mod doors_between;
mod map;
mod plan;

pub use map::{LAYERS_MAX, Layers, LayersError};
pub(crate) use plan::LayersPlan;

#[cfg(test)]
mod tests;
