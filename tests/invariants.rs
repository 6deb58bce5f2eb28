//! The judge of a run: looks at the world after every tick and writes down what may not be.
//!
//! In: the world between ticks, the trace lines of the tick. Out: breaches of inv:N1 to N6, L1 and T1, and
//! figures: who overlapped for how long. Method: questions any host could ask, plus neighbours by a grid of
//! its own and counts of its own; of the product it trusts only the exact test of a straight line, which has
//! oracles elsewhere. Not here: what a level is for. Used by the soak, by the SteerBench cases and by their
//! benchmark.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::{NavMap, Traversal};
use walkon_runtime::world::World;
use walkon_runtime::world::character::{Character, Displaced};
use walkon_runtime::world::walk::{Crowd, Walk};

/// The part of the smaller radius that two bodies may overlap by.
pub const OVERLAP_SHARE: f32 = 0.05;
/// What pushing may add to a step, metres.
pub const PUSH_MAX_M: f32 = 0.25;
/// How far one may go on ground that went away, metres: the furthest that a start is led back from.
const LEAVING_M: f32 = 8.0;
/// Breaches that are kept in words; the others are counted.
const KEPT: usize = 50;
/// What rounding may add to a distance, metres.
const ROUNDING_M: f32 = 1e-3;

/// Something that may not be.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// The invariant, such as `N2`.
    pub law: &'static str,
    /// The tick in which it was seen.
    pub tick: u64,
    /// Who, where, by how much.
    pub what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "tick {}: inv:{} {}", self.tick, self.law, self.what)
    }
}

/// What is remembered of a character from tick to tick.
#[derive(Clone, Debug)]
struct Seen {
    position: Vec3,
    speed_max_mps: f32,
    /// Metres gone since the ground went away below it.
    off_ground_m: f32,
}

/// A pair of bodies that overlaps, or did.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// Ticks in a row, up to the last one seen.
    run: u64,
    /// The last tick seen.
    last: u64,
    /// All ticks together.
    sum: u64,
}

/// A body as the grid sees it.
#[derive(Clone, Copy)]
struct Disc {
    serial: u32,
    x: f32,
    z: f32,
    radius_m: f32,
}

/// Looks at one run from its beginning to its end.
pub struct Judge {
    /// Longest time in a row that two bodies may overlap, seconds.
    overlap_max_s: f64,
    /// By serial.
    seen: Vec<Option<Seen>>,
    /// How near each open walk has to come, by its serial.
    radii_m: BTreeMap<u64, f32>,
    settled: BTreeSet<u64>,
    overlaps: BTreeMap<(u32, u32), Overlap>,
    ticks: u64,
    breaches: Vec<Breach>,
    counts: BTreeMap<&'static str, u64>,
    /// Longest time that one pair overlapped, in ticks, and which pair.
    worst_run: (u64, (u32, u32)),
    /// Deepest overlap seen, as a part of the smaller radius.
    deepest: f32,
}

impl Judge {
    /// A judge of a world that has not begun; pairs may overlap for `overlap_max_s` seconds in a row.
    pub fn new(world: &World, overlap_max_s: f64) -> Self {
        let mut judge = Self {
            overlap_max_s,
            seen: Vec::new(),
            radii_m: BTreeMap::new(),
            settled: BTreeSet::new(),
            overlaps: BTreeMap::new(),
            ticks: 0,
            breaches: Vec::new(),
            counts: BTreeMap::new(),
            worst_run: (0, (0, 0)),
            deepest: 0.0,
        };
        for (_, character) in world.characters() {
            judge.remember(world, character, 0.0);
        }
        judge
    }

    /// Looks at the world after a tick; `lines` are the trace lines of that tick.
    pub fn look(&mut self, world: &World, lines: &[String]) {
        self.ticks += 1;
        let mut discs = Vec::with_capacity(world.character_count());
        for (_, character) in world.characters() {
            self.body(world, character);
            let body = &character.body;
            if !is_ghost(world, character) {
                let (x, z) = (body.position.x, body.position.z);
                discs.push(Disc { serial: character.serial, x, z, radius_m: body.radius_m });
            }
        }
        self.bodies(world, &discs);
        self.ends(world, lines);
        self.budget(world);
    }

    /// Follows a tick without looking at every body: ends of walks and the path budget only. It costs a tenth
    /// of `look`, and `look` may go on in any later tick.
    pub fn follow(&mut self, world: &World, lines: &[String]) {
        self.ticks += 1;
        for (_, character) in world.characters() {
            self.remember(world, character, 0.0);
        }
        self.ends(world, lines);
        self.budget(world);
    }

    /// What holds once the level has ended: every accepted walk settled, once.
    pub fn end(&mut self, world: &World, lines: &[String]) {
        self.ends(world, lines);
        let counts = world.walk_counts();
        let settled = counts.arrived + counts.partial + counts.blocked + counts.cancelled;
        if counts.accepted != settled {
            self.breach(world, "T1", format!("{} walks accepted, {settled} settled", counts.accepted));
        }
    }

    /// The first breaches, in words.
    pub fn breaches(&self) -> &[Breach] {
        &self.breaches
    }

    /// How often each invariant was broken, by invariant.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// How often an invariant was broken.
    pub fn count(&self, law: &str) -> u64 {
        self.counts.get(law).copied().unwrap_or(0)
    }

    /// The longest time in a row that two bodies overlapped, ticks, and the serials of the two.
    pub fn worst_overlap(&self) -> (u64, (u32, u32)) {
        self.worst_run
    }

    /// The longest time that two bodies overlapped in all, ticks.
    pub fn worst_overlap_sum(&self) -> u64 {
        self.overlaps.values().map(|overlap| overlap.sum).max().unwrap_or(0)
    }

    /// The deepest overlap, as a part of the smaller radius.
    pub fn deepest(&self) -> f32 {
        self.deepest
    }

    /// Fails with what was broken, if anything was.
    pub fn assert_clean(&self, name: &str) {
        let words: Vec<String> = self.breaches.iter().take(10).map(ToString::to_string).collect();
        assert!(self.counts.is_empty(), "{name}: {:?}\n{}", self.counts, words.join("\n"));
    }

    fn breach(&mut self, world: &World, law: &'static str, what: String) {
        *self.counts.entry(law).or_default() += 1;
        if self.breaches.len() < KEPT {
            self.breaches.push(Breach { law, tick: world.tick().0, what });
        }
    }

    /// One character: finite, on the ground, no further than it can, nothing crossed.
    fn body(&mut self, world: &World, character: &Character) {
        let body = &character.body;
        let (name, at) = (&character.name, body.position);
        let numbers =
            [at.x, at.y, at.z, body.velocity.x, body.velocity.z, character.facing_rad, body.radius_m];
        if numbers.iter().any(|number| !number.is_finite()) {
            self.breach(world, "N3", format!("{name}: {numbers:?}"));
            return;
        }
        let before = self.seen.get(character.serial as usize).cloned().flatten();
        let put = character.displaced != Displaced::No;
        let (speed_max_mps, is_known) = match &before {
            Some(before) => (before.speed_max_mps.max(speed_max_mps(world, character)), true),
            None => (0.0, false),
        };
        let by = Traversal { radius_m: body.radius_m, ..Traversal::default() };
        let on_ground = world.nav().is_walkable(at, &by);
        let mut off_ground_m = 0.0;
        if let (Some(before), true, false) = (before, is_known, put) {
            let gone_m = flat(before.position, at);
            let most_m = speed_max_mps * world.rate().tick_seconds() + PUSH_MAX_M + ROUNDING_M;
            if gone_m > most_m {
                self.breach(world, "N4", format!("{name} went {gone_m:.3} m in a tick, at most {most_m:.3}"));
            }
            // A character that stood on ground that went away may leave it, and has not left it within a
            // second or two.
            let could_stand = world.nav().is_walkable(before.position, &by);
            off_ground_m = if on_ground { 0.0 } else { before.off_ground_m + gone_m };
            if !on_ground && (could_stand || off_ground_m > LEAVING_M) {
                self.breach(world, "N1", format!("{name} at {} from {}", place(at), place(before.position)));
            } else if gone_m > 0.0
                && could_stand
                && !is_clear(world.nav(), &by, (before.position, at), most_m)
            {
                let what =
                    format!("{name} crossed something from {} to {}", place(before.position), place(at));
                self.breach(world, "N2", what);
            }
        }
        self.remember(world, character, off_ground_m);
    }

    fn remember(&mut self, world: &World, character: &Character, off_ground_m: f32) {
        let index = character.serial as usize;
        if self.seen.len() <= index {
            self.seen.resize(index + 1, None);
        }
        let speed_max_mps = speed_max_mps(world, character);
        let position = character.body.position;
        self.seen[index] = Some(Seen { position, speed_max_mps, off_ground_m });
        if let Some(walk) = character.walk.and_then(|id| world.walk(id)).filter(|walk| walk.is_open()) {
            self.radii_m.insert(walk.serial, walk.radius_m(&world.settings().crowd));
        }
    }

    /// Every pair that overlaps, by a grid of cells as wide as two bodies.
    fn bodies(&mut self, world: &World, discs: &[Disc]) {
        let now = world.tick().0;
        let most = (self.overlap_max_s * f64::from(world.rate().per_second())).round() as u64;
        for (pair, share) in overlapping(discs) {
            self.deepest = self.deepest.max(share);
            let overlap = self.overlaps.entry(pair).or_default();
            overlap.run = if overlap.last + 1 == now { overlap.run + 1 } else { 1 };
            overlap.last = now;
            overlap.sum += 1;
            let run = overlap.run;
            if run > self.worst_run.0 {
                self.worst_run = (run, pair);
            }
            // Told once for each time two bodies stay in one another.
            if run == most + 1 {
                let at =
                    self.seen[pair.0 as usize].as_ref().map_or(String::new(), |seen| place(seen.position));
                let what = format!("bodies {} and {} overlap by {share:.2} at {at}", pair.0, pair.1);
                self.breach(world, "N6", what);
            }
        }
    }

    /// Walks that settled in this tick: once each, and near enough when they say so.
    fn ends(&mut self, world: &World, lines: &[String]) {
        for line in lines.iter().filter(|line| line.contains("\"e\":\"walkSettled\"")) {
            let Ok(fact) = serde_json::from_str::<serde_json::Value>(line) else {
                self.breach(world, "T1", format!("a line that is not JSON: {line}"));
                continue;
            };
            let serial = fact["walk"].as_u64().unwrap_or(0);
            let who = fact["character"].as_str().unwrap_or("").to_owned();
            if !self.settled.insert(serial) {
                self.breach(world, "T1", format!("walk {serial} of {who} settled twice"));
            }
            let radius_m = self.radii_m.remove(&serial);
            let has_come = fact["status"] == "arrived" && fact["reason"] == "reached";
            if let (Some(radius_m), true) = (radius_m, has_come) {
                let left_m = flat(point(&fact["position"]), point(&fact["goal"]));
                if left_m > radius_m + ROUNDING_M {
                    self.breach(
                        world,
                        "N5",
                        format!("{who} arrived {left_m:.3} m from the goal, not {radius_m:.3}"),
                    );
                }
            }
        }
    }

    /// What searching cost since the last tick: a pop is never cut, so a tick may overrun, and the next pays
    /// for it.
    fn budget(&mut self, world: &World) {
        let (spent, budget) = (world.path_counts().expansions, u64::from(world.settings().path_budget));
        let whole = self.ticks * budget;
        if spent > whole {
            self.breach(world, "L1", format!("{spent} expansions in {} ticks of {budget}", self.ticks));
        }
    }
}

/// Pairs that overlap by more than the share, by serial, with the overlap as a part of the smaller radius.
pub fn overlapping_in(world: &World) -> Vec<((u32, u32), f32)> {
    let bodies = world.characters().map(|(_, character)| {
        let at = character.body.position;
        Disc { serial: character.serial, x: at.x, z: at.z, radius_m: character.body.radius_m }
    });
    overlapping(&bodies.collect::<Vec<_>>())
}

fn overlapping(discs: &[Disc]) -> Vec<((u32, u32), f32)> {
    let widest_m = discs.iter().map(|disc| disc.radius_m).fold(0.05, f32::max);
    let cell = |along: f32| (along / (2.0 * widest_m)).floor() as i32;
    let mut sorted: Vec<(i32, i32, Disc)> =
        discs.iter().map(|&disc| (cell(disc.z), cell(disc.x), disc)).collect();
    sorted.sort_by_key(|one| (one.0, one.1, one.2.serial));
    let mut rows: BTreeMap<i32, (usize, usize)> = BTreeMap::new();
    for (index, entry) in sorted.iter().enumerate() {
        rows.entry(entry.0).or_insert((index, index)).1 = index + 1;
    }
    let mut found = Vec::new();
    for row in rows.keys() {
        for other_row in [*row, row + 1] {
            let (Some(&(from, to)), Some(&(low, high))) = (rows.get(row), rows.get(&other_row)) else {
                continue;
            };
            let mut first = low;
            for index in from..to {
                let one = &sorted[index];
                while first < high && sorted[first].1 < one.1 - 1 {
                    first += 1;
                }
                let start = if other_row == *row { index + 1 } else { first };
                for other in sorted[start..high].iter().take_while(|other| other.1 <= one.1 + 1) {
                    found.extend(overlap(&one.2, &other.2));
                }
            }
        }
    }
    found.sort_by_key(|(pair, _)| *pair);
    found
}

fn overlap(one: &Disc, other: &Disc) -> Option<((u32, u32), f32)> {
    let apart_m_sq = (one.x - other.x).powi(2) + (one.z - other.z).powi(2);
    let (sum_m, smaller_m) = (one.radius_m + other.radius_m, one.radius_m.min(other.radius_m));
    let allowed_m = sum_m - OVERLAP_SHARE * smaller_m;
    let is_over = apart_m_sq < allowed_m * allowed_m;
    let pair = (one.serial.min(other.serial), one.serial.max(other.serial));
    is_over.then(|| (pair, (sum_m - apart_m_sq.sqrt()) / smaller_m))
}

/// Whether a body may have gone from one place to another in a tick: straight, or round one corner of its
/// path, which is the middle of a cell or a place of its own that lies on the way.
fn is_clear(map: &NavMap, by: &Traversal, (from, to): (Vec3, Vec3), most_m: f32) -> bool {
    if map.straight(from, to, by).is_some() {
        return true;
    }
    let step_m = map.cells().map_or(0.2, |cells| cells.frame().cell_size_m as f32);
    let reach = (most_m / step_m).ceil() as i32 + 1;
    let offsets = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |z| (x, z)));
    offsets
        .filter_map(|(x, z)| map.node_centre(from + Vec3::new(x as f32 * step_m, 0.0, z as f32 * step_m)))
        .any(|corner| {
            let is_short = flat(from, corner) + flat(corner, to) <= most_m;
            is_short && map.straight(from, corner, by).is_some() && map.straight(corner, to, by).is_some()
        })
}

fn is_ghost(world: &World, character: &Character) -> bool {
    open_walk(world, character).is_some_and(|walk| walk.options.crowd == Crowd::Ghost)
}

fn open_walk<'w>(world: &'w World, character: &Character) -> Option<&'w Walk> {
    character.walk.and_then(|id| world.walk(id))
}

fn speed_max_mps(world: &World, character: &Character) -> f32 {
    let gait = character.gait.walk_mps;
    open_walk(world, character).map_or(gait, |walk| walk.speed_mps(character).max(gait))
}

fn flat(from: Vec3, to: Vec3) -> f32 {
    ((to.x - from.x).powi(2) + (to.z - from.z).powi(2)).sqrt()
}

fn place(at: Vec3) -> String {
    format!("({:.3}, {:.3})", at.x, at.z)
}

fn point(value: &serde_json::Value) -> Vec3 {
    let number = |index: usize| value[index].as_f64().unwrap_or(f64::NAN) as f32;
    Vec3::new(number(0), 0.0, number(1))
}
