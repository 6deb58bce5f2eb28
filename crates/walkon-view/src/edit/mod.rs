//! Edits the text of a level in place, and leaves everything else as it is.
//!
//! In: the texts of a level, changes of a client. Out: new texts, a history, the findings of `check`. Holds:
//! unchanged text survives byte for byte; text that another program wrote meanwhile is never lost. Not here:
//! the protocol, the running level.

pub mod document;
pub mod expectations;
pub mod graph;
pub mod json;
mod layout;
pub mod merge;
pub mod paint;
pub mod patch;
pub mod save;
mod span;

pub use document::{
    Applied, Aside, Checked, Conflict, DiskChange, Document, DocumentSaveError, EditError, Overlaid,
    Resolution, Save, StepLabel, Surroundings, Texts,
};
pub use expectations::{
    Doors, Expectation, ExpectationError, ExpectationRow, Expectations, PathEnd, ask_world,
};
pub use graph::{CompactFile, GraphAction, GraphActionError, GraphDone, act, graph_files};
pub use json::Json;
pub use merge::merge;
pub use paint::{GridPlace, PaintError, grid_place, paint};
pub use patch::{Change, PatchError, PatchKind, below, patch};
pub use save::{FileWriteError, remove_below, save_beside, save_over};
pub use span::value_span;
