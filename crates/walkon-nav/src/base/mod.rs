//! Words that every layer shares: ids, time, random numbers, hashing, costs, plane geometry.
//!
//! In: nothing. Out: small value types. Holds: no game, no map, no script is known here; a word
//! belongs here only when three modules use it.

pub mod cost;
pub mod geom;
pub mod hash;
pub mod ids;
pub mod near;
pub mod plain;
pub mod rng;
pub mod time;
pub mod trig;
pub mod words;
