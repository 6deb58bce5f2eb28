//! Columns over everybody who takes up room, for steps 8 and 9 of one tick.
//!
//! Holds: one row for each, in order of creation; nothing in here outlasts the tick but the buffers, so none of it is part of the
//! state. Not here: what is done with them (`sim::avoid`, `sim::integrate`).

use glam::Vec2;
use slotmap::SecondaryMap;

use crate::base::ids::CharacterId;
use crate::base::near::Near;
use crate::crowd::avoid::{Avoider, Walker};
use crate::crowd::resolve::{self, Resolver};
use crate::nav::Traversal;

/// Everybody who takes up room in this tick.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Who.
    pub ids: Vec<CharacterId>,
    /// The row of each.
    pub rows: SecondaryMap<CharacterId, u32>,
    /// The kind of ground under each (`sim::grounds`).
    pub kinds: Vec<u32>,
    /// What the kinds are.
    pub known: Vec<Traversal>,
    /// The move of each who is under way.
    pub movers: SecondaryMap<CharacterId, u32>,
    /// As avoidance sees them.
    pub walkers: Vec<Walker>,
    /// The velocity that avoidance gives each, metres a second.
    pub velocities: Vec<Vec2>,
    /// Where each began the tick.
    pub began: Vec<Vec2>,
    /// As pushing sees them.
    pub columns: resolve::Bodies,
    /// Chooses velocities.
    pub avoider: Avoider,
    /// Pushes apart.
    pub resolver: Resolver,
    /// Everybody by place once they have been pushed apart, where somebody is held up.
    pub after: Near,
}

impl Bodies {
    /// Forgets everybody and keeps the buffers.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.rows.clear();
        self.movers.clear();
        self.kinds.clear();
        self.known.clear();
        self.walkers.clear();
        self.velocities.clear();
        self.began.clear();
        self.columns.clear();
    }
}
