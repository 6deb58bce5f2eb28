//! Who is asking for a way: the size of the body and what it may plan through.

use std::sync::Arc;

use crate::base::ids::AreaId;

/// What an area is to somebody: None, it is shunned like a wall; else what a metre in it costs, in place of its factor.
pub type OwnArea = (AreaId, Option<f32>);

/// Who is asking: two traversals that are equal get equal answers from equal maps.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Traversal {
    /// Half the width the body needs, metres.
    pub radius_m: f32,
    /// Areas that may be planned through although they are not available (closed doors that it can open or
    /// wait for), sorted by id, each with the metres that opening it adds to the path, once per crossing.
    pub through: Option<Arc<[(AreaId, f32)]>>,
    /// Areas that are not to it what they are to others, sorted by id, each once. A cell belongs to every area around its
    /// centre: one of a shunned area is a wall whatever else it belongs to.
    pub areas: Option<Arc<[OwnArea]>>,
}
