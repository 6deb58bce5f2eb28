//! Part of steps 7 to 9: the ground under each kind of body, found once a step.
//!
//! In: the map, the doors, bodies. Out: a footing for each. Holds: nobody goes through what is closed, or closed to it, whatever its
//! path was planned through. Cost: bodies of one radius without doors of their own share a footing.

use std::sync::Arc;

use crate::nav::{Footing, NavMap, PassRules, Traversal};
use crate::world::World;
use crate::world::character::Character;
use crate::world::door::Door;
use crate::world::walk::rules_among;

/// The footings of one step.
#[derive(Debug)]
pub(crate) struct Grounds<'a> {
    nav: &'a NavMap,
    doors: &'a [Door],
    has_rules: bool,
    kinds: Vec<Kind<'a>>,
}

#[derive(Debug)]
struct Kind<'a> {
    radius_m: f32,
    rules: Option<Arc<PassRules>>,
    footing: Footing<'a>,
}

impl<'a> Grounds<'a> {
    /// No footing yet.
    pub(crate) fn new(nav: &'a NavMap, doors: &'a [Door]) -> Self {
        Self { nav, doors, has_rules: has_rules(doors), kinds: Vec::new() }
    }

    /// The footings of kinds that were found before in this tick.
    pub(crate) fn again(nav: &'a NavMap, doors: &'a [Door], known: &[Traversal]) -> Self {
        let mut grounds = Self::new(nav, doors);
        for by in known {
            let (radius_m, rules) = (by.radius_m, by.rules.clone());
            grounds.kinds.push(Kind { radius_m, rules, footing: nav.footing(by) });
        }
        grounds
    }

    /// What the kinds are, for [`Grounds::again`].
    pub(crate) fn known(&self, out: &mut Vec<Traversal>) {
        out.clear();
        out.extend(self.kinds.iter().map(|kind| Traversal {
            radius_m: kind.radius_m,
            rules: kind.rules.clone(),
            ..Traversal::default()
        }));
    }

    /// The number of the kind of a body.
    pub(crate) fn kind(&mut self, who: &Character) -> u32 {
        let rules = if self.has_rules { rules_among(self.doors, Some(who)) } else { None };
        let radius_m = who.body.radius_m;
        let known = self.kinds.iter().position(|kind| kind.radius_m == radius_m && kind.rules == rules);
        let at = known.unwrap_or_else(|| {
            let by = Traversal { radius_m, rules: rules.clone(), ..Traversal::default() };
            self.kinds.push(Kind { radius_m, rules, footing: self.nav.footing(&by) });
            self.kinds.len() - 1
        });
        at as u32
    }

    /// The footing of a kind; the number must come from [`Grounds::kind`].
    pub(crate) fn footing(&self, kind: u32) -> &Footing<'a> {
        &self.kinds[kind as usize].footing
    }
}

fn has_rules(doors: &[Door]) -> bool {
    doors.iter().any(|door| !door.is_gone() && (door.one_way.is_some() || !door.teams.is_empty()))
}

/// Keeps what everybody alive needs of the map up to date, so that no step makes it anew. Cost: a glance at each.
pub(crate) fn prepare(world: &mut World) {
    let has_rules = has_rules(&world.doors);
    let mut seen: Vec<Traversal> = Vec::new();
    for (_, who) in world.characters.iter() {
        let radius_m = who.body.radius_m;
        if !has_rules && seen.iter().any(|by| by.radius_m == radius_m) {
            continue;
        }
        let rules = if has_rules { rules_among(&world.doors, Some(who)) } else { None };
        let by = Traversal { radius_m, rules, ..Traversal::default() };
        if !seen.contains(&by) {
            seen.push(by);
        }
    }
    for by in &seen {
        if !world.nav.is_prepared(by) {
            world.nav.prepare(by);
        }
    }
}
