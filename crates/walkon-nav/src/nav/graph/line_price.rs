//! The cost of a straight line over links.
//!
//! In: what links are to a body, once; lines after that. Out: millimetres, each at the price of the cheapest
//! open link that holds it there. Holds: a line along links costs no more than they do; a point that several
//! links share is no stretch of any; a stretch that no link holds costs its length. Not here: whether a line
//! is clear (`ground_query`), doors on the way (`plan`).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::Segment;
use crate::base::ordered;
use crate::nav::Traversal;
use crate::nav::graph::GraphGroundQuery;
use crate::nav::graph::climb::STEP_M;
use crate::nav::graph::lookup::{is_upright, note_look};
use crate::nav::graph::map::{LinkPassage, PointGraph};
use crate::nav::smooth::Effort;

/// Finding what part of a line a link holds.
const STRETCH_EFFORT: u64 = 96;

/// The prices of lines to one kind of bodies.
#[derive(Clone, Copy)]
pub(crate) struct LinePrices<'a> {
    ground: &'a GraphGroundQuery<'a>,
    passages: &'a [LinkPassage],
    /// Whether a metre costs the same everywhere.
    is_even: bool,
}

/// Where a link begins to hold a line, or ends to.
#[derive(Clone, Copy, Debug)]
struct PriceChange {
    /// How far along the line, 0 to 1.
    part: f64,
    /// The bits of the price of a metre: in the order of the prices.
    factor: u32,
    /// 1 where it begins, -1 where it ends.
    count: i32,
}

impl<'a> LinePrices<'a> {
    /// Prices by what links are to a body, by the number of the set of areas across them.
    pub(crate) fn new(ground: &'a GraphGroundQuery<'a>, passages: &'a [LinkPassage]) -> Self {
        let is_even = |passage: &LinkPassage| !matches!(passage, LinkPassage::Open(factor) if *factor != 1.0);
        Self { ground, passages, is_even: passages.iter().all(is_even) }
    }

    /// What a line costs whose ends are at the height of the ground, millimetres. Cost: the links in the
    /// squares that it comes through.
    pub(crate) fn mm(self, line: Segment<Vec3>, effort: &Effort) -> f64 {
        let length_mm = f64::from(line.from.distance(line.to)) * 1000.0;
        if self.is_even || length_mm == 0.0 { length_mm } else { length_mm * self.factor(line, effort) }
    }

    /// What a metre of a line costs in the mean.
    fn factor(self, line: Segment<Vec3>, effort: &Effort) -> f64 {
        let map = self.ground.map();
        let mut near = Vec::new();
        map.lookup().along_at(line, 0.0, &mut near, effort);
        let mut ends = Vec::new();
        for &link in &near {
            note_look();
            let LinkPassage::Open(factor) = self.passages[map.set_across(link) as usize] else { continue };
            effort.add(STRETCH_EFFORT);
            for [enter, leave] in self.ground.level_parts(line, link) {
                let end = |part, count| PriceChange { part, factor: factor.to_bits(), count };
                ends.extend([end(enter, 1), end(leave, -1)]);
            }
        }
        least_sum(ends)
    }
}

/// What the whole of a line costs of which links hold stretches, each part at the least of their prices.
fn least_sum(mut ends: Vec<PriceChange>) -> f64 {
    ordered::sort_by(&mut ends, |a, b| a.part.total_cmp(&b.part));
    let (mut sum, mut done) = (0.0, 0.0);
    let mut here: BTreeMap<u32, i32> = BTreeMap::new();
    let price = |here: &BTreeMap<u32, i32>| {
        let least = here.iter().find(|(_, count)| **count > 0);
        least.map_or(1.0, |(&factor, _)| f64::from(f32::from_bits(factor)))
    };
    for end in ends {
        sum += (end.part - done) * price(&here);
        done = end.part;
        *here.entry(end.factor).or_insert(0) += end.count;
    }
    sum + (1.0 - done) * price(&here)
}

impl GraphGroundQuery<'_> {
    /// The parts of a line that a link holds at its height, a step more or less. The height of the line is
    /// that of its ends and between them.
    pub(crate) fn level_parts(&self, line: Segment<Vec3>, link: u32) -> Vec<[f64; 2]> {
        let Some([enter, leave]) = self.cover(line, link) else { return Vec::new() };
        let Segment { from, to } = line;
        let [a, b] = self.map().net().places(link);
        let (low, high) = (a.y.min(b.y), a.y.max(b.y));
        let (least, most) = (from.y.min(to.y), from.y.max(to.y));
        if high.max(most) - low.min(least) <= STEP_M {
            return vec![[enter, leave]];
        }
        if low > most + STEP_M || high < least - STEP_M {
            return Vec::new();
        }
        let bends = match is_upright([a, b]) {
            true => [low, high].map(|y| f64::from(y - from.y) / f64::from(to.y - from.y)).to_vec(),
            false => self.ends_beside(line, link),
        };
        let mut knots: Vec<f64> = bends.into_iter().filter(|part| enter < *part && *part < leave).collect();
        knots.extend([enter, leave]);
        ordered::sort_by(&mut knots, f64::total_cmp);
        let over = |part: f64| {
            let place = from.lerp(to, part as f32);
            f64::from(self.height(link, place)) - f64::from(place.y)
        };
        let stretches = knots.windows(2).map(|pair| [pair[0], pair[1]]);
        stretches.filter_map(|[one, two]| within_step([one, two], [over(one), over(two)])).collect()
    }
}

/// The part of a stretch in which what rises evenly from one height to another is within a step of 0.
fn within_step([from, to]: [f64; 2], [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    let step_m = f64::from(STEP_M);
    let rise = high - low;
    if rise == 0.0 {
        return (low.abs() <= step_m).then_some([from, to]);
    }
    let at = |height: f64| (height - low) / rise;
    let (one, two) = (at(-step_m), at(step_m));
    let (enter, leave) = (one.min(two).max(0.0), one.max(two).min(1.0));
    (enter < leave).then(|| [enter, leave].map(|part| from + (to - from) * part))
}

impl PointGraph {
    /// What a line costs that is clear, millimetres.
    pub(crate) fn line_mm(&self, line: Segment<Vec3>, by: &Traversal, effort: &Effort) -> f64 {
        let ground = GraphGroundQuery::new(self, by);
        let passages = if self.is_plain() && by.areas.is_none() { Vec::new() } else { self.passages(by) };
        LinePrices::new(&ground, &passages).mm(line, effort)
    }
}
