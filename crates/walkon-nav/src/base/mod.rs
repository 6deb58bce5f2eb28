//! Types and functions that every layer shares: ids, time, random numbers, hashing, costs, plane geometry,
//! threads.
//!
//! In: nothing. Out: small value types. Holds: no game, no map, no script is known here; a word
//! belongs here only when three modules use it.

pub mod bytes;
pub mod cost;
pub(crate) mod disjoint_sets;
pub mod geom;
pub mod hash;
pub mod ids;
pub mod line_lookup;
pub mod ordered;
pub mod prefetch;
pub mod rng;
pub mod spatial_hash;
pub mod suggestions;
pub mod threads;
pub mod time;
pub mod trig;
pub mod value;
