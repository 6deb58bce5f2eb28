//! Who asks for a way: the size of its body, what it may plan through, and where it may not pass.
//!
//! In: a body, areas, rules, actions. Out: one value for all questions of an asker. Holds: lists are sorted
//! by id, so equal askers compare equal. Not here: doors and keys, which the caller turns into areas.

use std::sync::Arc;

use glam::Vec3;

use crate::base::ids::AreaId;

/// What an area is to one asker. None: it is shunned like a wall; else what a metre in it costs, in place of
/// its factor: the nearest in [`FACTOR_RANGE`](crate::nav::FACTOR_RANGE), and 1 for what is not a number.
pub type OwnArea = (AreaId, Option<f32>);

/// The asker of a way. Equal traversals get equal answers from equal maps.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Traversal {
    /// Half the width the body needs, metres.
    pub radius_m: f32,
    /// Areas that may be planned through although they are not available (closed doors that it can open or
    /// wait for), sorted by id, each with the metres that opening it adds to the path, once per crossing.
    pub through: Option<Arc<[(AreaId, f32)]>>,
    /// Areas that it treats in its own way, sorted by id, each once. A cell belongs to every area around its
    /// centre: one of a shunned area is a wall whatever else it belongs to.
    pub areas: Option<Arc<[OwnArea]>>,
    /// The layer it walks on; 0 on maps without layers.
    pub layer: u8,
    /// Where it may not pass although the ground is there; None when there is no such place.
    pub rules: Option<Arc<PassRules>>,
    /// The links with an action that it can take.
    pub actions: LinkActions,
}

/// What has to be done to get over a link, by number: climb, jump, swim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkAction(pub u8);

/// The actions that an asker can do. By default all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkActions {
    /// The actions that it cannot do, as bits.
    barred: u32,
}

impl LinkActions {
    /// All of them.
    pub const ALL: Self = Self { barred: 0 };
    /// Actions are numbered below this.
    pub const COUNT_MAX: usize = 32;

    /// The actions for which `is_able` says yes.
    #[must_use]
    pub fn those(mut is_able: impl FnMut(LinkAction) -> bool) -> Self {
        let bits = (0..Self::COUNT_MAX as u8).filter(|&action| !is_able(LinkAction(action)));
        Self { barred: bits.fold(0, |barred, action| barred | 1 << action) }
    }

    /// The actions that it cannot do, as bits.
    pub(crate) fn barred(self) -> u32 {
        self.barred
    }

    /// Whether a link may be taken that needs this action, or none.
    #[must_use]
    pub fn allow(self, action: Option<LinkAction>) -> bool {
        action.is_none_or(|action| self.barred.checked_shr(action.0.into()).unwrap_or(1) & 1 == 0)
    }
}

/// Available ground that is not for every body, or not for every direction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PassRules {
    /// Areas that count as unavailable, sorted by id; none of them is planned `through`.
    pub barred: Vec<AreaId>,
    /// Areas that may be crossed in one direction only.
    pub one_way: Vec<OneWay>,
}

/// An area that may be crossed in one direction only: against it nobody passes the line through its middle
/// that lies square to the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneWay {
    /// The area.
    pub area: AreaId,
    /// Its middle, world metres.
    pub middle: Vec3,
    /// The direction on the ground, along x and z; of any length but 0.
    pub direction: [f32; 2],
}

/// Where a line goes the wrong way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WrongWay {
    pub(crate) area: AreaId,
    /// Between 0 at the beginning of the line and 1 at its end.
    pub(crate) part: f32,
}

impl WrongWay {
    /// The point of the line a finger's breadth before that.
    pub(crate) fn before(self, from: Vec3, to: Vec3) -> Vec3 {
        point_before(self.part, from, to)
    }
}

impl OneWay {
    /// How far a point lies beyond the middle, in the direction; its length does not matter.
    fn beyond(&self, point: Vec3) -> f64 {
        let (dx, dz) = (f64::from(point.x - self.middle.x), f64::from(point.z - self.middle.z));
        dx * f64::from(self.direction[0]) + dz * f64::from(self.direction[1])
    }

    /// Whether a point lies before the middle, in the direction, or beside it.
    pub(crate) fn is_before(&self, point: Vec3) -> bool {
        self.beyond(point) <= 0.0
    }

    /// The place so many metres before a point, against the direction.
    pub(crate) fn before(&self, point: Vec3, away_m: f32) -> Vec3 {
        let [x, z] = self.direction;
        point - Vec3::new(x, 0.0, z).normalize_or_zero() * away_m
    }

    /// Where a straight line crosses it the wrong way, if it does.
    pub(crate) fn crossed(
        &self,
        from: Vec3,
        to: Vec3,
        holds: impl Fn(AreaId, Vec3) -> bool,
    ) -> Option<WrongWay> {
        let (before, after) = (self.beyond(from), self.beyond(to));
        if before <= 0.0 || after > 0.0 {
            return None;
        }
        let part = (before / (before - after)) as f32;
        holds(self.area, from.lerp(to, part)).then_some(WrongWay { area: self.area, part })
    }
}

impl Traversal {
    /// Areas that count as unavailable, sorted by id.
    #[must_use]
    pub fn barred(&self) -> &[AreaId] {
        self.rules.as_ref().map_or(&[], |rules| rules.barred.as_slice())
    }

    /// Areas that may be crossed in one direction only.
    #[must_use]
    pub fn one_way(&self) -> &[OneWay] {
        self.rules.as_ref().map_or(&[], |rules| rules.one_way.as_slice())
    }

    /// The same body, for which areas with a direction are walls; None when there are none.
    #[must_use]
    pub fn walled(&self) -> Option<Self> {
        let gates: Vec<AreaId> = self.one_way().iter().map(|gate| gate.area).collect();
        (!gates.is_empty()).then(|| self.barring(&gates))
    }

    /// The first one-way area that a straight line crosses the wrong way. `holds` says whether an area holds
    /// a point. Only the line through the middle of an area counts, so one may step into it from either side
    /// and turn back.
    pub(crate) fn wrong_way(
        &self,
        from: Vec3,
        to: Vec3,
        holds: impl Fn(AreaId, Vec3) -> bool,
    ) -> Option<WrongWay> {
        let crossed = self.one_way().iter().filter_map(|gate| gate.crossed(from, to, &holds));
        crossed.min_by(|a, b| a.part.total_cmp(&b.part))
    }

    /// The first area that a way of straight lines crosses the wrong way.
    pub(crate) fn wrong_way_along(
        &self,
        points: &[Vec3],
        holds: impl Fn(AreaId, Vec3) -> bool,
    ) -> Option<AreaId> {
        if self.one_way().is_empty() {
            return None;
        }
        points.windows(2).find_map(|pair| self.wrong_way(pair[0], pair[1], &holds)).map(|found| found.area)
    }

    /// The same body, for which more areas are walls. Cost: the areas that are told of.
    #[must_use]
    pub fn barring(&self, areas: &[AreaId]) -> Self {
        let mut barred = [self.barred(), areas].concat();
        barred.sort_unstable();
        barred.dedup();
        let is_free = |area: AreaId| barred.binary_search(&area).is_err();
        let through = self.through.iter().flat_map(|list| list.iter());
        let through: Arc<[(AreaId, f32)]> = through.filter(|(area, _)| is_free(*area)).copied().collect();
        let one_way = self.one_way().iter().filter(|gate| is_free(gate.area)).copied().collect();
        Self {
            through: (!through.is_empty()).then_some(through),
            rules: Some(Arc::new(PassRules { barred, one_way })),
            ..self.clone()
        }
    }
}

/// A point of a line: a finger's breadth, at most, before the part of it at which something may not be
/// crossed.
pub(crate) fn point_before(part: f32, from: Vec3, to: Vec3) -> Vec3 {
    /// A thousandth of the line, and no more than so many metres.
    const BACK: [f32; 2] = [1e-3, 0.01];
    let back = BACK[0].min(BACK[1] / from.distance(to));
    from.lerp(to, (part - back).max(0.0))
}
