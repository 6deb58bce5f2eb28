//! Part of steps 7 to 9: looks up the ground under each kind of body, once a step.
//!
//! In: the map, the doors, bodies. Out: a ground query for each kind. Holds: no body goes through what is
//! closed, or closed to it, whatever its path was planned through. Cost: bodies that the map does not tell
//! apart, and that the same doors admit, share a query; which it is takes a glance at the doors that are for
//! some only, and a look-up.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::threads::Threads;
use crate::nav::{GroundQuery, NavMap, PassRules, Traversal};
use crate::world::asker::pass_rules;
use crate::world::character::{Character, Characters};
use crate::world::door::Door;
use crate::world::map::LevelMap;
use crate::world::scene_fast_forward::Cast;

/// The ground queries of one step.
#[derive(Debug)]
pub(crate) struct GroundQueries<'a> {
    nav: &'a NavMap,
    rules: Rules<'a>,
    /// By class of body, layer and number of the rules.
    numbers: BTreeMap<(u64, u8, u32), u32>,
    /// The body asked for last: most are like the one before.
    last: Option<((u32, u8, u32), u32)>,
    kinds: Vec<BodyKind<'a>>,
}

#[derive(Debug)]
struct BodyKind<'a> {
    by: Traversal,
    ground: GroundQuery<'a>,
}

impl<'a> GroundQueries<'a> {
    /// No query yet.
    pub(crate) fn new(map: &'a LevelMap) -> Self {
        Self {
            nav: &map.nav,
            rules: Rules::of(&map.doors),
            numbers: BTreeMap::new(),
            last: None,
            kinds: Vec::new(),
        }
    }

    /// The queries of kinds that were found before in this tick.
    pub(crate) fn again(map: &'a LevelMap, known: &[Traversal]) -> Self {
        let mut grounds = Self::new(map);
        let kind = |by: &Traversal| BodyKind { by: by.clone(), ground: map.nav.footing(by) };
        grounds.kinds.extend(known.iter().map(kind));
        grounds
    }

    /// What the kinds are, for [`GroundQueries::again`].
    pub(crate) fn known(&self, out: &mut Vec<Traversal>) {
        out.clear();
        out.extend(self.kinds.iter().map(|kind| kind.by.clone()));
    }

    /// The number of the kind of a body.
    pub(crate) fn kind(&mut self, who: &Character) -> u32 {
        self.kind_of(who.body.radius_m, who.layer, || Some(who))
    }

    /// The same for a body so wide and on that layer, without a look at the character where no door tells
    /// characters apart.
    pub(crate) fn kind_of<'b>(
        &mut self,
        radius_m: f32,
        layer: u8,
        who: impl FnOnce() -> Option<&'b Character>,
    ) -> u32 {
        let rules = if self.rules.is_any { who().map_or(0, |who| self.rules.number(who)) } else { 0 };
        let body = (radius_m.to_bits(), layer, rules);
        if let Some((_, number)) = self.last.filter(|last| last.0 == body) {
            return number;
        }
        let class = self.nav.body_class(radius_m);
        let number = *self.numbers.entry((class, layer, rules)).or_insert_with(|| {
            let by = Traversal { radius_m, layer, rules: self.rules.get(rules), ..Traversal::default() };
            let ground = self.nav.footing(&by);
            self.kinds.push(BodyKind { by, ground });
            self.kinds.len() as u32 - 1
        });
        self.last = Some((body, number));
        number
    }

    /// The query of a kind; the number must come from [`GroundQueries::kind`].
    pub(crate) fn query(&self, kind: u32) -> &GroundQuery<'a> {
        &self.kinds[kind as usize].ground
    }
}

/// The rules of doors with teams or with one direction, for the characters that were asked about: made once
/// for all characters that the same doors admit.
#[derive(Debug)]
struct Rules<'a> {
    doors: &'a [Door],
    /// Those that do not admit every character.
    choosy: Vec<&'a Door>,
    is_any: bool,
    /// By the choosy doors that admit, as bits.
    numbers: BTreeMap<Vec<u64>, u32>,
    made: Vec<Option<Arc<PassRules>>>,
    admitted: Vec<u64>,
}

impl<'a> Rules<'a> {
    fn of(doors: &'a [Door]) -> Self {
        let choosy = doors.iter().filter(|door| !door.is_gone() && !door.teams.is_empty()).collect();
        let is_any =
            doors.iter().any(|door| !door.is_gone() && (door.one_way.is_some() || !door.teams.is_empty()));
        Self { doors, choosy, is_any, numbers: BTreeMap::new(), made: vec![None], admitted: Vec::new() }
    }

    /// The number of the rules for a character; 0 for none.
    fn number(&mut self, who: &Character) -> u32 {
        if !self.is_any {
            return 0;
        }
        self.admitted.clear();
        for doors in self.choosy.chunks(64) {
            let bits = doors.iter().enumerate().map(|(at, door)| u64::from(door.admits(&who.tags)) << at);
            self.admitted.push(bits.sum());
        }
        if let Some(&number) = self.numbers.get(&self.admitted) {
            return number;
        }
        let number = self.made.len() as u32;
        self.made.push(pass_rules(self.doors, Some(&who.tags)));
        self.numbers.insert(self.admitted.clone(), number);
        number
    }

    fn get(&self, number: u32) -> Option<Arc<PassRules>> {
        self.made.get(number as usize).cloned().flatten()
    }
}

/// Keeps what every character alive that a step looks at needs of the map up to date, and what a body without
/// width does that only asks, so that no step makes it again, nor a script. Cost: a glance at each.
pub(crate) fn prepare(map: &mut LevelMap, characters: &Characters, cast: Option<&Cast>, threads: Threads) {
    let mut rules = Rules::of(&map.doors);
    let mut seen: BTreeMap<(u64, u8, u32), Traversal> = BTreeMap::new();
    let ids = Cast::looked_at(cast, characters);
    let asks_all = rules.is_any;
    let build = |id| characters.alive(id).map(|who| (who.body.radius_m.to_bits(), who.layer));
    // Most are like the first.
    let first = ids.first().copied();
    let first_build = first.and_then(build);
    let is_other = |id| asks_all || Some(id) == first || build(id) != first_build;
    let mut last = None;
    for who in threads.filter(ids, is_other).into_iter().filter_map(|id| characters.alive(id)) {
        let (radius_m, layer, number) = (who.body.radius_m, who.layer, rules.number(who));
        let body = (radius_m.to_bits(), layer, number);
        if last.replace(body) == Some(body) {
            continue;
        }
        let kind = (map.nav.body_class(radius_m), layer, number);
        seen.entry(kind).or_insert_with(|| Traversal {
            radius_m,
            layer,
            rules: rules.get(number),
            ..Traversal::default()
        });
    }
    map.nav.keep_body_classes(seen.len());
    for by in seen.values().chain([&Traversal::default()]) {
        if !map.nav.is_prepared(by) {
            map.nav.prepare(by);
        }
    }
}

#[cfg(test)]
mod tests;
