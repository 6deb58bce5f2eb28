//! Path smoothing: turns a way from cell to cell into a line, in slices.
//!
//! In: the cells of a way, where it begins and ends, straight lines on the map. Out: the points of a line
//! over it. Holds: every segment passes the exact test or joins two neighbours of the way; the line is no
//! more expensive than the way; slices change only when it ends; a line that is cut short still leads along
//! the way. Not here: the search (`plan`), how lines are pulled tight (`string_pulling`, `nav/smooth.rs`).

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::{self, Point};
use crate::base::ids::AreaId;
use crate::nav::cell::Cell;
use crate::nav::cells::agent_mask::RestOfMap;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::line_of_sight;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::string_pulling::{
    Knot, LOOK_EFFORT, PulledLine, RawPath, Rope, Tightening, WayTurn, run_length,
};
use crate::nav::cells::walkability::Passage;
use crate::nav::cells::weighted_ground::WeightedGround;
use crate::nav::node::NodeId;
use crate::nav::path::{Crossing, Path};
use crate::nav::smooth::{Effort, LineTests, Smoothing, SmoothingBill};

/// Over ground of several prices so many places ahead are looked at, so that the cost grows with the length
/// of the way and no faster.
const AHEAD: usize = 64;

/// Nodes of a way that are gone over for its turns before it is asked whether to stop.
const NODES_AT_ONCE: usize = if cfg!(test) { 2 } else { 1024 };

/// A line over a way as far as it is made.
#[derive(Clone, Debug)]
pub(crate) struct CellLine {
    way: FoundWay,
    turns: Vec<WayTurn>,
    stage: SmoothingStage,
    bill: SmoothingBill,
}

/// What is done next.
#[derive(Clone, Debug)]
enum SmoothingStage {
    /// Gone over for its turns, up to this node.
    Turns(usize),
    /// Pulled along the cells; that is all on even ground.
    Pull(PulledLine),
    /// Past doors the pulled line is taken where it costs no more than the turns of the way, second.
    Weigh([WeighedLine; 2]),
    Priced(Box<PricedLine>),
    Measure(MeasuredLine),
}

/// A line and what it costs, as far as it was asked.
#[derive(Clone, Debug, Default)]
struct WeighedLine {
    line: Vec<Knot>,
    done: usize,
    price: u64,
}

/// The line itself, and what is known of it so far.
#[derive(Clone, Debug, Default)]
struct MeasuredLine {
    points: Vec<Vec3>,
    done: usize,
    length_m: f64,
    cost_m: f64,
    crossings: Crossings,
}

/// The closed areas that a line goes through, joined where one follows on itself.
#[derive(Clone, Debug, Default)]
struct Crossings {
    found: Vec<Crossing>,
    length_m: f64,
}

/// A line over ground of several prices as far as it is made: the cheaper of two. The one leaves out turns of
/// the way, the other looks at every cell of it: neither is always the cheaper.
#[derive(Clone, Debug, Default)]
struct PricedLine {
    turns: Smoothing,
    ahead: LookAhead,
    /// The line that looked ahead, once it did.
    further: Option<Smoothing>,
    /// Both, turns first, once they are smooth.
    pulled: Vec<(WeighedLine, Tightening)>,
}

/// From each place of a way the furthest one in line of sight to which a straight line costs no more than the
/// way between.
#[derive(Clone, Debug, Default)]
struct LookAhead {
    points: Vec<Vec3>,
    at: usize,
    /// By place what the way costs up to there, as far as it was asked.
    spent: Vec<u64>,
}

/// Straight lines on a map.
pub(crate) struct StraightLines<'a> {
    pub(crate) map: &'a CellMap,
    pub(crate) ground: &'a WeightedGround<'a>,
    /// Without the cells on which others stand.
    pub(crate) rest: Option<RestOfMap<'a>>,
    /// The closed areas that may be gone through.
    pub(crate) passage: Option<&'a Passage>,
    /// What is looked at is counted here.
    pub(crate) effort: &'a Effort,
}

/// A way that a search found.
#[derive(Clone, Debug)]
pub(crate) struct FoundWay {
    pub(crate) nodes: Vec<NodeId>,
    /// Where the line over it begins and ends.
    pub(crate) ends: [Vec3; 2],
    /// Where the body stands, when it has to be led to where the line begins.
    pub(crate) led_from: Option<Vec3>,
    /// What the search was charged.
    pub(crate) expansions: u32,
}

impl CellLine {
    pub(crate) fn new(lines: &StraightLines, way: FoundWay) -> Self {
        let mut line = Self {
            bill: SmoothingBill::after(way.expansions),
            turns: Vec::new(),
            stage: SmoothingStage::Turns(0),
            way,
        };
        let (nodes, [start, end]) = (&line.way.nodes, line.way.ends);
        let is_straight = || lines.is_clear(lines.map.to_cells(start), lines.map.to_cells(end));
        if start == end {
            line.stage = line.way.measure(vec![start]);
        } else if !lines.is_uneven() && is_straight() || nodes.len() <= 1 {
            line.stage = line.way.measure(vec![start, end]);
        }
        line
    }

    /// What it is charged.
    pub(crate) fn bill(&self) -> SmoothingBill {
        self.bill
    }

    /// Takes in what a slice came to.
    pub(crate) fn charge(&mut self, slice: &Effort) {
        self.bill.take(slice);
    }

    /// Goes on until the line is smooth, or the effort is spent; whether it is smooth.
    pub(crate) fn step(&mut self, lines: &StraightLines) -> bool {
        let clear_at = |from: Point, to: Point| lines.is_clear(from, to);
        let middle = |cell: Cell| lines.knot(lines.map.centre(cell));
        let (bits, effort) = (lines.ground.bits, lines.effort);
        match lines.rest {
            None => self.step_over(lines, &Rope::new(bits, &clear_at, &middle, effort)),
            Some(rest) => self.step_over(lines, &Rope::new(rest, &clear_at, &middle, effort)),
        }
    }

    fn step_over(&mut self, lines: &StraightLines, rope: &Rope<impl Cells>) -> bool {
        let (found, ends) = (&self.way, self.way.ends);
        let place = |at: usize| lines.place(&found.nodes, ends, at);
        // Bounded by the stages: each round ends one.
        loop {
            let next = match &mut self.stage {
                SmoothingStage::Turns(at) => {
                    if !lines.find_turns(&found.nodes, &place, at, &mut self.turns) {
                        return false;
                    }
                    match lines.ground.factor.is_empty() {
                        true => SmoothingStage::Pull(PulledLine::default()),
                        false => priced(&self.turns),
                    }
                }
                SmoothingStage::Pull(pulled) => {
                    let way = RawPath { place: &place, turns: &self.turns };
                    if !rope.pull(&way, pulled) {
                        return false;
                    }
                    let line = std::mem::take(pulled).line(&self.turns);
                    match lines.is_uneven() {
                        true => {
                            let turns = self.turns.iter().map(|turn| turn.knot).collect();
                            SmoothingStage::Weigh([line, turns].map(WeighedLine::of))
                        }
                        false => found.measure(points(line)),
                    }
                }
                SmoothingStage::Weigh(weighed) => {
                    if !weighed.iter_mut().all(|line| line.step(lines, ends[0])) {
                        return false;
                    }
                    let [line, turns] = weighed;
                    match line.price <= turns.price {
                        true => found.measure(points(std::mem::take(&mut line.line))),
                        false => priced(&self.turns),
                    }
                }
                SmoothingStage::Priced(line) => {
                    let way = RawPath { place: &place, turns: &self.turns };
                    if !line.step(lines, rope, &way, ends[0]) {
                        return false;
                    }
                    found.measure(points(line.cheaper()))
                }
                SmoothingStage::Measure(line) => return line.step(lines),
            };
            self.stage = next;
        }
    }

    /// The path that the line is; where it is not smooth yet, the way is kept as it was.
    pub(crate) fn path(self, lines: &StraightLines) -> Path {
        let mut line = match self.stage {
            SmoothingStage::Turns(_) => {
                let places = 0..self.way.nodes.len() + 2;
                let place = |at: usize| lines.place(&self.way.nodes, self.way.ends, at);
                self.way.measured(points(places.map(place).collect()))
            }
            SmoothingStage::Pull(pulled) => self.way.measured(points(pulled.line(&self.turns))),
            SmoothingStage::Weigh([line, _]) => self.way.measured(points(line.line)),
            SmoothingStage::Priced(line) => self.way.measured(line.unfinished()),
            SmoothingStage::Measure(line) => line,
        };
        while line.done + 1 < line.points.len() {
            line.add_next(lines);
        }
        Path {
            points: line.points,
            length_m: line.length_m as f32,
            cost_m: line.cost_m as f32,
            crossings: line.crossings.found,
            ..Path::default()
        }
    }
}

impl FoundWay {
    fn measure(&self, points: Vec<Vec3>) -> SmoothingStage {
        SmoothingStage::Measure(self.measured(points))
    }

    /// A line over it, to be measured from where the body stands.
    fn measured(&self, mut points: Vec<Vec3>) -> MeasuredLine {
        if let Some(from) = self.led_from {
            points.insert(0, from);
        }
        MeasuredLine { points, ..MeasuredLine::default() }
    }
}

fn priced(turns: &[WayTurn]) -> SmoothingStage {
    let turns = Smoothing::of(points(turns.iter().map(|turn| turn.knot).collect()));
    SmoothingStage::Priced(Box::new(PricedLine { turns, ..PricedLine::default() }))
}

impl WeighedLine {
    fn of(line: Vec<Knot>) -> Self {
        Self { line, ..Self::default() }
    }

    /// Goes on until it is known what the line costs, or the effort is spent; whether it is known.
    fn step(&mut self, lines: &StraightLines, start: Vec3) -> bool {
        while self.done + 1 < self.line.len() {
            if lines.effort.is_spent() {
                return false;
            }
            self.price += lines.price(self.line[self.done].place, self.line[self.done + 1].place, start);
            self.done += 1;
        }
        true
    }
}

impl MeasuredLine {
    /// Goes on until the line is measured, or the effort is spent; whether it is measured.
    fn step(&mut self, lines: &StraightLines) -> bool {
        while self.done + 1 < self.points.len() {
            if lines.effort.is_spent() {
                return false;
            }
            self.add_next(lines);
        }
        true
    }

    fn add_next(&mut self, lines: &StraightLines) {
        let [from, to] = [self.points[self.done], self.points[self.done + 1]];
        let (a, b) = (geom::ground(from), geom::ground(to));
        let length_m = geom::segment_distance_sq(a, b, b).sqrt();
        self.length_m += length_m;
        self.cost_m += if lines.is_uneven() { lines.metres(lines.cost(from, to)) } else { length_m };
        if let Some(passage) = lines.passage {
            self.crossings.add(lines, passage, [from, to]);
        }
        lines.look_along(lines.map.to_cells(from), lines.map.to_cells(to));
        self.done += 1;
    }
}

impl Crossings {
    fn add(&mut self, lines: &StraightLines, passage: &Passage, [from, to]: [Vec3; 2]) {
        let (map, start_m) = (lines.map, self.length_m);
        let shape = map.frame().tiling.shape();
        let length_m = f64::from(geom::flat_distance(from, to));
        for touch in line_of_sight::touched(shape, map.to_cells(from), map.to_cells(to)) {
            let cell = u32::try_from(touch.x).ok().zip(u32::try_from(touch.z).ok());
            let area = cell.and_then(|(x, z)| passage.doors.area_at(x, z));
            let Some(area) = area.map(AreaId) else { continue };
            let [enter_m, leave_m] =
                [touch.enter, touch.leave].map(|part| (start_m + part * length_m) as f32);
            let cell_m = map.frame().cell_size_m as f32;
            match self.found.last_mut() {
                // Within a cell of where it was left: the line only grazed what lies beside the door.
                Some(last) if last.area == area && enter_m <= last.leave_m + cell_m => last.leave_m = leave_m,
                _ => self.found.push(Crossing { area, enter_m, leave_m }),
            }
        }
        self.length_m += length_m;
    }
}

/// The places of knots, none twice in a row.
fn points(line: Vec<Knot>) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = line.into_iter().map(|knot| knot.place).collect();
    points.dedup();
    points
}

impl PricedLine {
    /// Goes on until both lines are pulled, or the effort is spent; whether they are.
    fn step(
        &mut self,
        straight: &StraightLines,
        rope: &Rope<impl Cells>,
        way: &RawPath,
        start: Vec3,
    ) -> bool {
        let effort = straight.effort;
        let map = straight.map;
        let clear = |from: Vec3, to: Vec3| straight.is_clear(map.to_cells(from), map.to_cells(to));
        let cost = |from: Vec3, to: Vec3| straight.price(from, to, start);
        let lines = LineTests { clear: &clear, cost: Some(&cost) };
        if !self.turns.step(&lines, effort) {
            return false;
        }
        if self.further.is_none() && self.ahead.step(way, &lines, effort) {
            self.further = Some(Smoothing::of(std::mem::take(&mut self.ahead.points)));
        }
        let Some(further) = &mut self.further else { return false };
        if !further.step(&lines, effort) {
            return false;
        }
        if self.pulled.is_empty() {
            self.pulled = [std::mem::take(&mut self.turns), std::mem::take(further)]
                .map(|line| line.line().into_iter().map(|place| straight.knot(place)).collect())
                .map(|line: Vec<Knot>| (Tightening::of(&line), line))
                .map(|(tightening, line)| (WeighedLine::of(line), tightening))
                .into();
        }
        self.pulled.iter_mut().all(|(weighed, tightening)| {
            let is_tight = rope.tighten(&mut weighed.line, tightening, |three, corners| {
                let around: Vec<Knot> =
                    [three[0]].into_iter().chain(corners.iter().copied()).chain([three[2]]).collect();
                straight.price_along(&around, start) <= straight.price_along(&three, start)
            });
            is_tight && weighed.step(straight, start)
        })
    }

    /// The cheaper of the two lines, that over turns where they cost the same.
    fn cheaper(&mut self) -> Vec<Knot> {
        let lines = std::mem::take(&mut self.pulled).into_iter().map(|(weighed, _)| weighed);
        lines.min_by_key(|weighed| weighed.price).unwrap_or_default().line
    }

    /// The line over turns as far as it is smooth.
    fn unfinished(self) -> Vec<Vec3> {
        match self.pulled.into_iter().next() {
            Some((weighed, _)) => points(weighed.line),
            None => self.turns.line(),
        }
    }
}

impl LookAhead {
    /// Goes on until the last place is reached, or the effort is spent; whether it is reached.
    fn step(&mut self, way: &RawPath, lines: &LineTests, effort: &Effort) -> bool {
        let last = way.turns.last().map_or(0, |turn| turn.index);
        let place = |index: usize| (way.place)(index).place;
        if self.points.is_empty() {
            self.points.push(place(0));
            self.spent.push(0);
        }
        // Bounded by the places: each round takes a later one.
        while self.at < last {
            if effort.is_spent() {
                return false;
            }
            let (at, end) = (self.at, last.min(self.at + AHEAD));
            for next in self.spent.len()..=end {
                self.spent.push(self.spent[next - 1] + lines.price(place(next - 1), place(next)));
            }
            let (here, spent) = (place(at), &self.spent);
            let is_cheap = |&to: &usize| lines.shortcut(here, place(to), spent[to] - spent[at]).is_some();
            self.at = (at + 2..=end).rev().find(is_cheap).unwrap_or(at + 1);
            self.points.push(place(self.at));
        }
        self.points.dedup();
        true
    }
}

impl StraightLines<'_> {
    /// Whether anything costs more than its length.
    fn is_uneven(&self) -> bool {
        !self.ground.factor.is_empty() || self.ground.extra.is_some()
    }

    fn knot(&self, place: Vec3) -> Knot {
        Knot { place, at: self.map.to_cells(place) }
    }

    /// Counts what looking along a line costs.
    fn look_along(&self, from: Point, to: Point) {
        let [dx, dz] = [0, 1].map(|axis| (to[axis] - from[axis]).abs());
        self.effort.add(LOOK_EFFORT + dx.max(dz) as u64);
    }

    /// Whether a body can walk straight between two points, in cells, past the bodies in the way.
    fn is_clear(&self, from: Point, to: Point) -> bool {
        self.look_along(from, to);
        let is_clear = match self.rest {
            None => line_of_sight::clear(self.ground.bits, from, to),
            Some(rest) => line_of_sight::clear_over(rest, from, to),
        };
        is_clear && self.map.terrain.exits().is_clear(from, to)
    }

    /// A place of a way from `start` through the nodes to `end`, by its number.
    fn place(&self, nodes: &[NodeId], [start, end]: [Vec3; 2], at: usize) -> Knot {
        let width = self.map.frame().width;
        let place = match at {
            0 => start,
            _ if at > nodes.len() => end,
            _ => self.map.centre(Cell { x: nodes[at - 1].0 % width, z: nodes[at - 1].0 / width }),
        };
        Knot { place, at: self.map.to_cells(place) }
    }

    /// Goes on from a node to find where a way turns, its ends included, until all nodes are gone over or the
    /// effort is spent; whether all are.
    fn find_turns(
        &self,
        nodes: &[NodeId],
        place: &impl Fn(usize) -> Knot,
        at: &mut usize,
        turns: &mut Vec<WayTurn>,
    ) -> bool {
        let shape = self.ground.bits.shape();
        let mut add = |index: usize| {
            let knot = place(index);
            let walked = turns.last().map_or(0.0, |before| {
                let [dx, dz] = [0, 1].map(|axis| knot.at[axis] - before.knot.at[axis]);
                before.walked + run_length(shape, [dx, dz])
            });
            turns.push(WayTurn { index, knot, walked });
        };
        if *at == 0 {
            // The start comes before the first cell.
            add(0);
            add(1);
            *at = 1;
        }
        let step = |at: usize| nodes[at].0.wrapping_sub(nodes[at - 1].0);
        // Bounded by the nodes: each round goes over some.
        while *at + 1 < nodes.len() {
            if self.effort.is_spent() {
                return false;
            }
            let end = (*at + NODES_AT_ONCE).min(nodes.len() - 1);
            for node in *at..end {
                if step(node + 1) != step(node) {
                    self.effort.add(LOOK_EFFORT);
                    add(node + 1);
                }
            }
            self.effort.add((end - *at) as u64);
            *at = end;
        }
        add(nodes.len());
        add(nodes.len() + 1);
        true
    }

    /// What a line costs.
    fn price_along(&self, line: &[Knot], start: Vec3) -> u64 {
        line.windows(2).map(|pair| self.price(pair[0].place, pair[1].place, start)).sum()
    }

    /// What a straight line costs; only `start` may have been moved from where nobody can walk, all other
    /// lines are clear.
    fn price(&self, from: Vec3, to: Vec3, start: Vec3) -> u64 {
        self.look_along(self.map.to_cells(from), self.map.to_cells(to));
        let known = if from == start { None } else { self.cost_of_clear(from, to) };
        u64::from(known.unwrap_or_else(|| self.cost(from, to)).0)
    }

    /// What a straight line costs; the length where it is not clear, from a start that had to be moved.
    fn cost(&self, from: Vec3, to: Vec3) -> Cost {
        let (start, end) = (self.map.to_cells(from), self.map.to_cells(to));
        line_of_sight::cost(self.ground, start, end).unwrap_or_else(|| {
            let metric = self.ground.bits.shape().metric;
            let length = libm::sqrt(metric.length_sq(end[0] - start[0], end[1] - start[1]));
            Cost((length * f64::from(self.ground.unit.straight)) as u32)
        })
    }

    /// The same of a line known to be clear.
    fn cost_of_clear(&self, from: Vec3, to: Vec3) -> Option<Cost> {
        line_of_sight::cost_of_clear(self.ground, self.map.to_cells(from), self.map.to_cells(to))
    }

    /// A cost in metres of plain ground.
    pub(crate) fn metres(&self, cost: Cost) -> f64 {
        f64::from(cost.0) / f64::from(self.ground.unit.straight) * self.map.frame().cell_size_m
    }
}
