//! Landmarks on ground of one price: true costs between a few far places and all cells.
//!
//! In: walkable bits as open as they get, a cell to begin with. Out: a bound of the cost from any cell to any
//! other. Holds: ways cost the same both ways round, so one cost a place serves for both; which cells have
//! costs is kept beside them, 64 to a word, so that blocked ground takes no room; the survey that makes them
//! goes on in slices, which change nothing but when it is done. Memory: 16 bytes a walkable cell of the part
//! that the first cell lies in, a quarter of a byte each other. Not here: which bounds hold after edits
//! (`alt_heuristic`).

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::even_flood::EvenFlood;
use crate::nav::cells::guess::LandmarkBounds;
use crate::nav::cells::layout::Unit;
use crate::nav::cells::raster::Window;
use crate::nav::landmarks::{CostStep, FarPlaces, LandmarkGoal, PLACES};

/// What ways cost in the mean, in per cent of the distance over open ground, from which on bounds pay. Below
/// it reading them costs more than it saves: scattered blocks come to 101 to 103, cities to 114 and more.
const WORTH_PERCENT: u64 = 104;

/// The same of the ways from the first cell alone: below it the places are not even looked for.
const HOPE_PERCENT: u64 = 102;

/// The cost to each place, rounded down. They fill a quarter of a line of the cache, of which reading them
/// should not touch two.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct EvenLanes([u16; PLACES]);

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct EvenLandmarks {
    step: CostStep,
    known: CellRanks,
    /// By rank.
    costs: Vec<EvenLanes>,
    is_worth: bool,
}

/// Bounds of the ways to one goal.
#[derive(Clone, Copy)]
pub(crate) struct EvenBounds<'a> {
    pub(super) landmarks: &'a EvenLandmarks,
    pub(super) goal: LandmarkGoal<u16, PLACES>,
}

impl LandmarkBounds for EvenBounds<'_> {
    #[inline(always)]
    fn bound(&self, cell: Cell, _id: u32) -> u32 {
        let Some(rank) = self.landmarks.known.rank(cell) else { return 0 };
        let EvenLanes(costs) = &self.landmarks.costs[rank];
        self.landmarks.step.cost(self.goal.bound(costs).into())
    }
}

impl EvenLandmarks {
    /// Whether ways cost so much more than the distance that searches gain by knowing it.
    pub(crate) fn are_worth_it(&self) -> bool {
        self.is_worth
    }

    /// What is known of a goal; None where no way led to the places.
    pub(crate) fn goal(&self, goal: Cell) -> Option<LandmarkGoal<u16, PLACES>> {
        let EvenLanes(kept) = self.costs[self.known.rank(goal)?];
        Some(LandmarkGoal {
            most: kept.map(|steps| steps.saturating_add(1)),
            least: kept.map(|steps| steps.saturating_sub(1)),
        })
    }

    /// Whether something is said of all open cells of a window.
    pub(crate) fn know_all(&self, window: Window, is_open: impl Fn(u32, u32) -> bool) -> bool {
        window.all_cells(|x, z| !is_open(x, z) || self.known.rank(Cell { x, z }).is_some())
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.costs[..]) + size_of_val(&self.known.words[..])
    }
}

/// Some cells of a map, numbered by row.
#[derive(Clone, Debug, Default)]
struct CellRanks {
    words_per_row: u32,
    words: Vec<RankWord>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RankWord {
    cells: u64,
    /// The rank of the first of them.
    first: u32,
}

impl CellRanks {
    /// Those of which something holds.
    fn new(bits: &Bits, holds: impl Fn(u32) -> bool) -> Self {
        let words_per_row = bits.width().div_ceil(64);
        let (mut words, mut first) = (Vec::new(), 0);
        for z in 0..bits.depth() {
            for word in 0..words_per_row {
                let (mut left, mut cells) = (bits.row_word(z, word as usize), 0u64);
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    cells |= u64::from(holds(z * bits.width() + 64 * word + bit)) << bit;
                }
                words.push(RankWord { cells, first });
                first += cells.count_ones();
            }
        }
        Self { words_per_row, words }
    }

    #[inline(always)]
    fn rank(&self, Cell { x, z }: Cell) -> Option<usize> {
        let word = self.words[(z * self.words_per_row + (x >> 6)) as usize];
        let bit = x & 63;
        let before = word.cells & ((1 << bit) - 1);
        (word.cells >> bit & 1 != 0).then(|| (word.first + before.count_ones()) as usize)
    }

    /// All of them, by rank.
    fn cells(&self, width: u32) -> impl Iterator<Item = u32> + '_ {
        let row = move |at: usize| (at as u32 / self.words_per_row, at as u32 % self.words_per_row);
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let (z, word_of_row) = row(at);
            let rest = |left: &u64| (*left != 0).then(|| *left & (*left - 1)).filter(|left| *left != 0);
            std::iter::successors((word.cells != 0).then_some(word.cells), rest)
                .map(move |left| z * width + 64 * word_of_row + left.trailing_zeros())
        })
    }
}

/// Landmarks in the making.
#[derive(Clone, Debug)]
pub(crate) struct EvenSurvey {
    bits: Bits,
    flood: EvenFlood,
    /// Reached by the first flood.
    known: CellRanks,
    places: FarPlaces,
    /// By place and rank.
    tables: Vec<Vec<u32>>,
    /// Sums of the costs between places and cells, and of their distances.
    sums: [u64; 2],
    /// What ways from the first cell cost, in per cent of the distance, below which it ends without a place.
    hope_percent: u64,
}

impl EvenSurvey {
    /// Begins to look at the part of some cells that one of them lies in.
    pub(crate) fn begin(bits: &Bits, unit: Unit, seed: NodeId) -> Self {
        Self {
            bits: bits.clone(),
            flood: EvenFlood::begin(bits, unit, seed.0),
            known: CellRanks::default(),
            places: FarPlaces::from_table(Vec::new()),
            tables: Vec::new(),
            sums: [0; 2],
            hope_percent: 0,
        }
    }

    /// The same, but it ends with its first flood where that says that bounds will not pay: the landmarks are
    /// empty then, and not worth it. Cost of such ground: one flood.
    pub(crate) fn giving_up(self) -> Self {
        Self { hope_percent: HOPE_PERCENT, ..self }
    }

    /// Goes on until it is done or has spent `allowance` expansions; the landmarks once it is done, and what
    /// was spent. Cost: nine floods in all, one where it gives up.
    pub(crate) fn step(&mut self, allowance: u32) -> (Option<EvenLandmarks>, u32) {
        let mut spent = 0;
        // Bounded by the allowance, and by the floods.
        while spent < allowance {
            let (is_over, flooded) = self.flood.step(&self.bits, allowance - spent);
            spent += flooded;
            if is_over {
                spent += 1;
                if self.end_flood() {
                    return (Some(self.landmarks()), spent);
                }
            }
        }
        (None, spent)
    }

    /// Whether all open cells of a window were so when it began.
    pub(crate) fn looks_at_all(&self, window: Window, is_open: impl Fn(u32, u32) -> bool) -> bool {
        window.all_cells(|x, z| !is_open(x, z) || self.bits.get(x, z))
    }

    /// All at once.
    pub(crate) fn finish(mut self) -> EvenLandmarks {
        loop {
            if let (Some(landmarks), _) = self.step(u32::MAX) {
                return landmarks;
            }
        }
    }

    /// Takes in what a flood has found and begins the next; whether there is none.
    fn end_flood(&mut self) -> bool {
        let is_first = self.known.words.is_empty();
        if is_first {
            self.known = CellRanks::new(&self.bits, |id| self.flood.cost(id).is_some());
        }
        let width = self.bits.width();
        let cost = |id: u32| self.flood.cost(id).unwrap_or(u32::MAX);
        let table: Vec<u32> = self.known.cells(width).map(cost).collect();
        let [costs, distances] = self.compare(&table);
        if is_first {
            if costs * 100 < distances * self.hope_percent {
                return true;
            }
            self.places = FarPlaces::from_table(table);
        } else {
            self.sums[0] += costs;
            self.sums[1] += distances;
            self.places.add(&table);
            self.tables.push(table);
        }
        if self.tables.len() == PLACES || self.places.is_empty() {
            return true;
        }
        let furthest = self.known.cells(width).nth(self.places.furthest()).unwrap_or(0);
        self.flood.restart(&self.bits, furthest);
        false
    }

    /// The sums of the costs from a place to all cells, and of the distances.
    fn compare(&self, table: &[u32]) -> [u64; 2] {
        let (width, norm) = (self.bits.width(), self.flood.norm(&self.bits));
        let cell = |id: u32| Cell { x: id % width, z: id / width };
        let place = cell(self.flood.first());
        let distance = |id: u32| u64::from(norm.between(place, cell(id)));
        [table.iter().map(|cost| u64::from(*cost)).sum(), self.known.cells(width).map(distance).sum()]
    }

    fn landmarks(&mut self) -> EvenLandmarks {
        let step = CostStep::for_tables(&self.tables, u16::MAX.into());
        let count = self.tables.first().map_or(0, Vec::len);
        let lanes = |rank: usize| {
            EvenLanes(std::array::from_fn(|place| {
                self.tables.get(place).map_or(0, |table| step.down(table[rank].into()) as u16)
            }))
        };
        let costs = (0..count).map(lanes).collect();
        let is_worth = self.sums[0] * 100 > self.sums[1] * WORTH_PERCENT;
        EvenLandmarks { step, known: std::mem::take(&mut self.known), costs, is_worth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn ranks_number_the_cells_by_row() {
        let mut rng = Rng::stream(7, "ranks");
        for (width, depth) in [(1, 1), (63, 4), (64, 3), (65, 5), (200, 7)] {
            let mut bits = Bits::new(width, depth);
            let all: Vec<u32> = (0..width * depth).filter(|_| rng.chance(0.6)).collect();
            all.iter().for_each(|id| bits.set(id % width, id / width, true));
            let ranks = CellRanks::new(&bits, |id| id % 3 != 0);
            let known: Vec<u32> = all.into_iter().filter(|id| id % 3 != 0).collect();
            assert_eq!(ranks.cells(width).collect::<Vec<_>>(), known);
            for id in 0..width * depth {
                let rank = known.binary_search(&id).ok();
                assert_eq!(
                    ranks.rank(Cell { x: id % width, z: id / width }),
                    rank,
                    "{id} of {width} x {depth}"
                );
            }
        }
    }

    #[test]
    fn a_survey_in_slices_comes_to_the_same() {
        let mut rng = Rng::stream(8, "surveys");
        for _ in 0..6 {
            let mut bits = Bits::new(70, 50);
            (0..3500).for_each(|id| bits.set(id % 70, id / 70, rng.chance(0.8)));
            bits.set(30, 20, true);
            let (unit, seed) = (Unit::default(), NodeId(20 * 70 + 30));
            let whole = EvenSurvey::begin(&bits, unit, seed).finish();
            let mut survey = EvenSurvey::begin(&bits, unit, seed);
            let mut sliced = None;
            while sliced.is_none() {
                let allowance = 1 + rng.below(400) as u32;
                let (landmarks, spent) = survey.step(allowance);
                assert!(spent <= allowance + 1);
                sliced = landmarks;
            }
            let kept = |landmarks: &EvenLandmarks| -> Vec<[u16; PLACES]> {
                landmarks.costs.iter().map(|lanes| lanes.0).collect()
            };
            assert_eq!(sliced.as_ref().map(kept), Some(kept(&whole)));
        }
    }

    #[test]
    fn surveys_give_up_only_where_landmarks_are_not_worth_it() {
        let mut rng = Rng::stream(9, "hope");
        let (side, mut given_up, mut kept) = (100, 0, 0);
        for round in 0..60 {
            let mut bits = Bits::new(side, side);
            let open = if round % 2 == 0 { 0.98 } else { 0.6 + 0.01 * f64::from(round / 2) };
            (0..side * side).for_each(|id| bits.set(id % side, id / side, rng.chance(open)));
            // Walls with a gap now and then, as streets have them.
            for wall in (8..side).step_by(8).filter(|_| round % 3 == 0) {
                let gap = rng.below(u64::from(side)) as u32;
                (0..side).filter(|at| *at != gap).for_each(|at| bits.set(wall, at, false));
                bits.set(wall, gap, true);
            }
            bits.set(0, 0, true);
            let begin = || EvenSurvey::begin(&bits, Unit::default(), NodeId(0));
            let (whole, hopeful) = (begin().finish(), begin().giving_up().finish());
            // As large as maps are for which landmarks are made.
            if whole.costs.len() < 4096 {
                continue;
            }
            if hopeful.costs.is_empty() {
                given_up += 1;
                assert!(!whole.is_worth && !hopeful.is_worth, "round {round}");
            } else {
                kept += usize::from(hopeful.is_worth);
                assert_eq!(hopeful.is_worth, whole.is_worth, "round {round}");
            }
        }
        assert!(given_up > 10 && kept > 10, "{given_up} {kept}");
    }
}
