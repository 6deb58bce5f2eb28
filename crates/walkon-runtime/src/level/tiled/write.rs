//! Writes a level as the text of a level file.
//!
//! In: a [`LevelDef`] that came from a map of Tiled. Out: JSON that reads back to the same level. Holds:
//! values that equal their default are left out; keys stand in the order of their declaration; numbers are
//! the shortest text that reads back equal. Not here: where the text goes (`shell`).

use crate::level::def::LevelDef;
use crate::level::object::written;

/// The text of a level file. Maps of other kinds than those that Tiled makes are left out.
#[must_use]
pub fn text(def: &LevelDef) -> String {
    written(def).text()
}
