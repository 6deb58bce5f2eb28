//! A* over tiles, on any layout and on ground of any price, on the bucket queue.
//!
//! In: walkable bits and the shape of their cells, a factor a cell, gates that cost extra to enter. Out: a
//! `Search` that found the cheapest way. Holds: a step costs the distance of the centres times the factor of
//! the cell it enters; entering a gate from outside it adds the gate's own cost once; the heuristic is
//! admissible, so costs are optimal. A cell is expanded in all directions at once: which of its neighbours it
//! improves is found without a branch for each, and few are, since most were reached more cheaply. Nothing is
//! pruned; on ground of many prices that saves less than finding out costs. Charge: 1 an expansion. Memory: 8
//! bytes a cell. Not here: even plain squares (`weighted_astar`, `jump`), which know more of theirs. Source:
//! Hart, Nilsson and Raphael 1968; records and the loop over neighbours are ours.

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::even_landmarks::EvenBounds;
use crate::nav::cells::guess::{Distance, Guess, Guide, Nowhere};
use crate::nav::cells::lattice::{LEGAL_FOUR, LEGAL_SIX, StepRates, Strides};
use crate::nav::cells::layout::{Columns, FACTOR_ONE, LEGAL, Neighbours, OFFSETS};
use crate::nav::cells::priced_landmarks::PricedBounds;
use crate::nav::cells::weighted_ground::{Extra, WeightedGround};
use crate::nav::search::Search;
use crate::nav::search_state::{Ends, Flow, Kernel, SearchStep};

/// A neighbourhood.
trait Neighbourhood: Copy {
    /// Its directions.
    const DIRECTIONS: &'static [usize];
    /// Legal steps by what lies around.
    const LEGAL: &'static [u8; 256];
    /// Whether steps across corners touch the cells beside them.
    const HAS_CORNERS: bool;
}

#[derive(Clone, Copy)]
struct Eight;
#[derive(Clone, Copy)]
struct FourNeighbours;
#[derive(Clone, Copy)]
struct Six;

impl Neighbourhood for Eight {
    const DIRECTIONS: &'static [usize] = &[0, 1, 2, 3, 4, 5, 6, 7];
    const LEGAL: &'static [u8; 256] = &LEGAL;
    const HAS_CORNERS: bool = true;
}

impl Neighbourhood for FourNeighbours {
    const DIRECTIONS: &'static [usize] = &[0, 2, 4, 6];
    const LEGAL: &'static [u8; 256] = &LEGAL_FOUR;
    const HAS_CORNERS: bool = false;
}

impl Neighbourhood for Six {
    const DIRECTIONS: &'static [usize] = &[0, 2, 3, 4, 6, 7];
    const LEGAL: &'static [u8; 256] = &LEGAL_SIX;
    const HAS_CORNERS: bool = false;
}

/// What steps cost: one type each, so that the common cases pay for nothing they do not use.
trait StepCosts: Copy {
    /// The cost of a step; anything when it leads off the map.
    fn cost(&self, from: u32, to: u32, direction: usize) -> u32;
    /// Legal steps that touch a gate across a corner which they neither leave nor enter.
    fn brushing(&self, _from: u32, _around: u8, _width: i32) -> u8 {
        0
    }
}

/// All ground costs the same.
#[derive(Clone, Copy)]
struct EvenTiles(Strides);

impl StepCosts for EvenTiles {
    #[inline(always)]
    fn cost(&self, _from: u32, _to: u32, direction: usize) -> u32 {
        self.0.length(direction)
    }
}

/// Factors of the cell that a step enters, where all steps are equally long or not. Without factors all
/// ground costs the same.
#[derive(Clone, Copy)]
struct Factors<'a, const EQUAL: bool>(StepRates, &'a [u16]);

impl<const EQUAL: bool> StepCosts for Factors<'_, EQUAL> {
    #[inline(always)]
    fn cost(&self, _from: u32, to: u32, direction: usize) -> u32 {
        let factor = self.1.get(to as usize).copied().unwrap_or(FACTOR_ONE);
        self.0.cost(if EQUAL { 0 } else { direction }, factor)
    }
}

/// Factors of the cell that a step leaves: for floods towards a cell, which go against the steps.
#[derive(Clone, Copy)]
struct Leaving<'a>(StepRates, &'a [u16]);

impl StepCosts for Leaving<'_> {
    #[inline(always)]
    fn cost(&self, from: u32, _to: u32, direction: usize) -> u32 {
        self.0.cost(direction, self.1[from as usize])
    }
}

/// What entering gates costs besides.
#[derive(Clone, Copy)]
struct GateCosts<'a>(Factors<'a, false>, Extra<'a>);

impl StepCosts for GateCosts<'_> {
    #[inline(always)]
    fn cost(&self, from: u32, to: u32, direction: usize) -> u32 {
        let is_on_map = (to as usize) < self.1.gate.len();
        let toll = if is_on_map { self.1.toll(from as usize, to as usize) } else { 0 };
        self.0.cost(from, to, direction).saturating_add(toll)
    }

    fn brushing(&self, from: u32, around: u8, width: i32) -> u8 {
        let gate = |direction: usize| {
            let (dx, dz) = OFFSETS[direction];
            let at = from.wrapping_add_signed(dx + dz * width) as usize;
            if around >> direction & 1 != 0 { self.1.gate[at] } else { 0 }
        };
        let own = self.1.gate[from as usize];
        let touches = |corner: usize, side: usize| ![0, own, gate(corner)].contains(&gate(side));
        [1, 3, 5, 7]
            .into_iter()
            .filter(|&corner| touches(corner, corner - 1) || touches(corner, (corner + 1) & 7))
            .fold(0, |all, corner| all | 1 << corner)
    }
}

/// What is guessed of the ways to the goal.
#[derive(Clone, Copy)]
enum TileGuess<'a> {
    /// What landmarks and the distance say where all ground costs the same.
    Even(Guide<'a, EvenBounds<'a>, Distance>),
    /// The same where it does not.
    Priced(Guide<'a, PricedBounds<'a>, Distance>),
    Distance(Distance),
}

impl Guess for TileGuess<'_> {
    #[inline(always)]
    fn to_go(&self, cell: Cell, id: u32) -> u32 {
        match self {
            Self::Even(guide) => guide.to_go(cell, id),
            Self::Priced(guide) => guide.to_go(cell, id),
            Self::Distance(distance) => distance.to_go(cell, id),
        }
    }
}

/// A cell whose steps are taken, and what it costs to come there.
#[derive(Clone, Copy)]
struct ClaimedCell {
    id: u32,
    cost: u32,
}

impl Search {
    /// Begins a search over tiles. A start or goal that is not walkable exhausts it at once.
    pub(crate) fn begin_tiles(&mut self, cells: impl Cells, ground: &WeightedGround, ends: Ends) {
        self.make_ready(cells, ground, ends);
        let is_open = |Cell { x, z }: Cell| cells.is_open(x, z);
        if self.state != SearchStep::Exhausted
            && !(is_open(self.split(ends.start)) && is_open(self.goal_cell))
        {
            self.state = SearchStep::Exhausted;
        }
        if self.state != SearchStep::Running {
            return;
        }
        let (distance, step) = (self.distance(), self.norm.least_of_step());
        self.far = ground.far.map_or_else(Default::default, |far| far.goal(ground.unit, distance.goal, step));
        match self.guess(ground) {
            TileGuess::Even(guide) => self.wait_at(ends.start, guide),
            TileGuess::Priced(guide) => self.wait_at(ends.start, guide),
            TileGuess::Distance(distance) => self.wait_at(ends.start, distance),
        }
    }

    /// What is guessed of the ways to the goal; the same as long as the search goes on.
    fn guess<'a>(&self, ground: &WeightedGround<'a>) -> TileGuess<'a> {
        let (distance, step) = (self.distance(), self.norm.least_of_step());
        let guess = ground.far.and_then(|known| match ground.factor.is_empty() {
            true => known.even_guide(&self.far, distance, step).map(TileGuess::Even),
            false => known.priced_guide(&self.far, distance, step).map(TileGuess::Priced),
        });
        guess.unwrap_or(TileGuess::Distance(distance))
    }

    fn make_ready(&mut self, cells: impl Cells, ground: &WeightedGround, ends: Ends) {
        let bits = cells.bits();
        let count = u64::from(bits.width()) * u64::from(bits.depth());
        assert!(count <= 1 << 24, "cell maps hold 2^24 cells at most, this one {count}");
        self.begin(Kernel::Tiles, count as u32, ends);
        self.queue.reset(0, 0);
        self.marks.begin(bits, self.generation);
        self.columns = Columns::new(bits.width());
        self.goal_cell = self.split(ends.goal);
        self.norm = ground.norm();
    }

    fn split(&self, node: NodeId) -> Cell {
        self.columns.split(node.0)
    }

    fn distance(&self) -> Distance {
        Distance { norm: self.norm, goal: self.goal_cell }
    }

    fn wait_at<G: Guess>(&mut self, start: NodeId, guess: G) {
        let least = guess.to_go(self.split(start), start.0);
        self.queue.reset(least, self.norm.shortest().max(1).ilog2().saturating_sub(G::BUCKET_BITS));
        self.marks.set(start.0, 0, 0);
        self.queue.push(least, start.0);
    }

    /// Goes from a cell to all others over ground without gates, or from all others to it, directions aside.
    pub(crate) fn flood_tiles(&mut self, ground: &WeightedGround, cell: NodeId, flow: Flow) {
        self.make_ready(ground.bits, ground, Ends { start: cell, goal: cell });
        (self.state, self.best, self.ends.goal) = (SearchStep::Running, u32::MAX, NodeId(u32::MAX));
        self.wait_at(cell, Nowhere);
        let strides = Strides::new(ground.unit, ground.bits.shape());
        let (rates, factor, all) = (strides.rates(), ground.factor, ground.bits);
        let _ = match flow {
            Flow::To if !factor.is_empty() => {
                self.run_in(all, &[], Leaving(rates, factor), Nowhere, u32::MAX)
            }
            Flow::To | Flow::From => {
                self.run_in(all, &[], Factors::<false>(rates, factor), Nowhere, u32::MAX)
            }
        };
    }

    /// What the last flood found between its cell and another; None where there is no way.
    pub(crate) fn flooded(&self, id: NodeId) -> Option<u32> {
        self.marks.cost(id.0)
    }

    /// Goes on with a search over tiles until it ends or has spent `allowance` expansions.
    pub(crate) fn step_tiles(
        &mut self,
        cells: impl Cells,
        ground: &WeightedGround,
        allowance: u32,
    ) -> SearchStep {
        let strides = Strides::new(ground.unit, cells.bits().shape());
        let (guess, exits) = (self.guess(ground), ground.exits);
        if let Some(extra) = ground.extra {
            let prices = GateCosts(Factors(strides.rates(), ground.factor), extra);
            // Gates are rare: which guess it is, is asked at every cell.
            return self.run_in(cells, exits, prices, guess, allowance);
        }
        match guess {
            TileGuess::Even(guide) => self.run_in(cells, exits, EvenTiles(strides), guide, allowance),
            TileGuess::Priced(guide) => self.run_priced(cells, ground, guide, allowance),
            TileGuess::Distance(distance) => match ground.factor.is_empty() {
                true => self.run_in(cells, exits, EvenTiles(strides), distance, allowance),
                false => self.run_priced(cells, ground, distance, allowance),
            },
        }
    }

    /// Goes on over ground of several factors, without gates.
    fn run_priced(
        &mut self,
        cells: impl Cells,
        ground: &WeightedGround,
        guess: impl Guess,
        allowance: u32,
    ) -> SearchStep {
        let shape = cells.bits().shape();
        let strides = Strides::new(ground.unit, shape);
        let (rates, factor, exits) = (strides.rates(), ground.factor, ground.exits);
        match shape.neighbours {
            // Of eight steps, those across corners are longer.
            Neighbours::Four if strides.are_equal(Neighbours::Four) => {
                let prices = Factors::<true>(rates, factor);
                self.run_tiles::<FourNeighbours>(cells, exits, prices, guess, allowance)
            }
            Neighbours::Six if strides.are_equal(Neighbours::Six) => {
                let prices = Factors::<true>(rates, factor);
                self.run_tiles::<Six>(cells, exits, prices, guess, allowance)
            }
            _ => self.run_in(cells, exits, Factors::<false>(rates, factor), guess, allowance),
        }
    }

    fn run_in(
        &mut self,
        cells: impl Cells,
        exits: &[u16],
        prices: impl StepCosts,
        guess: impl Guess,
        allowance: u32,
    ) -> SearchStep {
        match cells.bits().shape().neighbours {
            Neighbours::Eight => self.run_tiles::<Eight>(cells, exits, prices, guess, allowance),
            Neighbours::Four => self.run_tiles::<FourNeighbours>(cells, exits, prices, guess, allowance),
            Neighbours::Six => self.run_tiles::<Six>(cells, exits, prices, guess, allowance),
        }
    }

    fn run_tiles<R: Neighbourhood>(
        &mut self,
        cells: impl Cells,
        exits: &[u16],
        prices: impl StepCosts,
        guess: impl Guess,
        allowance: u32,
    ) -> SearchStep {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by an entry for every improvement of a cell.
        while self.state == SearchStep::Running && self.spent < stop_at {
            let Some((least, id)) = self.queue.pop_below(self.best) else { return self.finish() };
            // An entry of a cell that was improved since, or expanded, is stale.
            let Some(cost) = self.marks.claim(id) else { continue };
            if least < self.best {
                self.expand::<R>(cells, exits, prices, guess, ClaimedCell { id, cost });
                self.charge(id, 1);
            }
        }
        self.state
    }

    /// Takes all steps from a cell that lead anywhere more cheaply than is known.
    #[inline(always)]
    fn expand<R: Neighbourhood>(
        &mut self,
        cells: impl Cells,
        exits: &[u16],
        prices: impl StepCosts,
        guess: impl Guess,
        ClaimedCell { id, cost }: ClaimedCell,
    ) {
        let Cell { x, z } = self.columns.split(id);
        let width = self.columns.width() as i32;
        let around = cells.around(Cell { x, z }, id);
        let mut steps = R::LEGAL[around as usize];
        if let Some(&exits) = exits.get(id as usize) {
            steps &= !(exits as u8);
        }
        if R::HAS_CORNERS {
            steps &= !prices.brushing(id, around, width);
        }
        let (mut better, mut costs) = (0, [0; 8]);
        for &direction in R::DIRECTIONS {
            let (dx, dz) = OFFSETS[direction];
            let to = id.wrapping_add_signed(dx + dz * width);
            costs[direction] = cost.saturating_add(prices.cost(id, to, direction));
            better |= u8::from(self.marks.improves(to, costs[direction])) << direction;
        }
        let mut left = better & steps;
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let (dx, dz) = OFFSETS[direction];
            let to = id.wrapping_add_signed(dx + dz * width);
            let cell = Cell { x: x.wrapping_add_signed(dx), z: z.wrapping_add_signed(dz) };
            let least = costs[direction].saturating_add(guess.to_go(cell, to));
            if least >= self.best {
                continue;
            }
            self.marks.set(to, costs[direction], direction);
            if to == self.ends.goal.0 {
                self.best = costs[direction];
            } else {
                self.queue.push(least, to);
            }
        }
    }
}

#[cfg(test)]
mod tests;
