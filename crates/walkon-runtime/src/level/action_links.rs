//! Links with an action, as levels of graphs and meshes write them.
//!
//! In: the list `actionLinks`. Out: its entries. Not here: links of tile maps (`def`), what becomes of them
//! (`actions`).

use super::diagnostic::{Located, Span};
use super::forms::{At, Place, Position, Truth, Word, each};
use super::numbers;
use super::object::{Form, object};
use crate::nav::LINKS_MAX;

object! {
    (reader, fields)
    /// A way over what nobody walks, such as a gap that some jump.
    pub struct ActionLinkDef as "ActionLink" {
        /// Where it begins, on the ground.
        "from" => from: Located<Position> [required At(Place)];
        /// Where it ends, on the ground.
        "to" => to: Located<Position> [required At(Place)];
        /// Whether it may be taken backwards.
        "bothWays" => both_ways: bool [or true, Truth];
        /// What taking it costs, in metres of plain ground.
        "cost" => cost_m: f64 [numbers::LINK_COST];
        /// What has to be done to get over it, such as "climb": only characters with a tag of that name take
        /// it.
        "action" => action: String [required Word];
    }
    plus {
        /// Where it is written.
        span: Span = reader.span(fields.node);
    }
}

/// A list of them.
pub(super) fn list() -> impl Form<Value = Vec<ActionLinkDef>> {
    each::<ActionLinkDef>(LINKS_MAX)
}
