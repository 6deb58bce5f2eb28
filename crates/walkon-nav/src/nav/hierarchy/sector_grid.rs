//! Sectors, the gates between them, and the costs from gate to gate within each.
//!
//! In: ground of one layout, then the parts of it that changed. Out: gates and costs between them, for
//! searches (`gates`). Holds: the gates of a border follow from the cells on both its sides alone, so both
//! sectors know the same; the data of a sector follow from its own cells and those along its borders. A
//! border of many openings keeps the first eight gates: if that divides joined ground, no way is found here.
//! Memory: about a byte a cell. Cost: making a sector takes one flood of it for each gate; one that is like
//! another, or like it was, takes a look at its cells.

use std::collections::BTreeMap;

use crate::base::hash::StateHash;
use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;
use crate::nav::cells::layout::{Rates, StepKind, Unit};
use crate::nav::cells::{FACTOR_ONE, WeightedGround};
use crate::nav::hierarchy::table::{CellTable, SIDE};
use crate::nav::search_state::Flow;

/// An opening has a gate for every so many cells. Twice as many would make a fourth of the costs to keep and
/// half the floods, and routes 2 % more expensive.
const SPACING: u32 = 8;
/// Gates of one border at most.
const SLOTS: u32 = 8;
/// Node ids a sector takes: its gates by side, east, south, west, north, then along the side.
pub(crate) const NODES: u32 = 4 * SLOTS;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct SectorGrid {
    unit: Unit,
    /// Cells.
    width: u32,
    depth: u32,
    across: u32,
    down: u32,
    sectors: Vec<Sector>,
    /// By sector, the hash of the cells that it follows from.
    contents: Vec<u64>,
}

/// Sectors just made, by the hash of the cells that they follow from: much ground is alike. `Default` has
/// none.
type AlikeSectors = BTreeMap<u64, u32>;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sector {
    /// In the order of their slots.
    pub(crate) gates: Vec<Gate>,
    /// By bit: whether a slot has a gate.
    slots: u32,
    /// From gate to gate within the sector and out by it, row by row; `u32::MAX` for no way.
    costs: Vec<u32>,
}

/// A way out of a sector: a cell of it, and the one beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gate {
    pub(crate) slot: u8,
    /// How far along its side it lies.
    along: u8,
    /// What the step out costs.
    pub(crate) toll: u32,
}

impl Sector {
    fn new(gates: Vec<Gate>, costs: Vec<u32>) -> Self {
        let slots = gates.iter().fold(0, |slots, gate| slots | 1 << gate.slot);
        Self { gates, slots, costs }
    }

    /// The place of the gate of a slot in the list.
    #[inline(always)]
    pub(crate) fn place(&self, slot: u32) -> Option<usize> {
        (self.slots >> slot & 1 != 0).then(|| (self.slots & ((1 << slot) - 1)).count_ones() as usize)
    }

    /// By bit: whether a slot has a gate.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// What it costs to leave by each gate after coming in by one.
    #[inline(always)]
    pub(crate) fn costs(&self, place: usize) -> &[u32] {
        let count = self.gates.len();
        &self.costs[place * count..(place + 1) * count]
    }

    /// What it costs from gate to gate without leaving, whichever way round that is cheaper; None for no way.
    pub(crate) fn least(&self, a: usize, b: usize) -> Option<u32> {
        let cost = |from: usize, to: usize| match self.costs(from)[to] {
            u32::MAX => u32::MAX,
            cost => cost - self.gates[to].toll,
        };
        Some(cost(a, b).min(cost(b, a))).filter(|&cost| cost != u32::MAX)
    }
}

impl SectorGrid {
    /// Cost: a flood of a sector for each of its gates, for all sectors that differ.
    pub(crate) fn new(ground: &WeightedGround) -> Self {
        let mut all = Self::unmade(ground);
        let (mut table, mut alike) = (CellTable::default(), AlikeSectors::default());
        for sector in 0..all.across * all.down {
            all.contents[sector as usize] = all.content(ground, sector);
            all.sectors[sector as usize] = all.make(ground, sector, &mut table, &mut alike);
        }
        all
    }

    /// The sectors of a map, all without gates, to be made again.
    pub(crate) fn unmade(ground: &WeightedGround) -> Self {
        let (width, depth) = (ground.bits.width(), ground.bits.depth());
        let (across, down) = (width.div_ceil(SIDE), depth.div_ceil(SIDE));
        let count = (across * down) as usize;
        let (sectors, contents) = (vec![Sector::default(); count], vec![0; count]);
        Self { unit: ground.unit, width, depth, across, down, sectors, contents }
    }

    /// Whether costs are counted as they were when these were made.
    pub(crate) fn is_in(&self, unit: Unit) -> bool {
        self.unit == unit
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        let of = |sector: &Sector| {
            size_of::<Sector>() + size_of_val(&sector.gates[..]) + size_of_val(&sector.costs[..])
        };
        size_of_val(&self.contents[..]) + self.sectors.iter().map(of).sum::<usize>()
    }

    /// The sectors in which cells that changed have a part, in order: cells from `first` on, up to `end`,
    /// exclusive.
    pub(crate) fn touched(&self, ground: &WeightedGround, changed: &[CellRect]) -> Vec<u32> {
        let mut touched = Vec::new();
        for part in changed.iter().filter(|part| part.first.x < part.end.x && part.first.z < part.end.z) {
            // Cells on a border have a part in the gates of the sector beyond.
            let part = part.grown(1, ground);
            for z in part.first.z / SIDE..=(part.end.z - 1) / SIDE {
                touched.extend((part.first.x / SIDE..=(part.end.x - 1) / SIDE).map(|x| z * self.across + x));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// Makes sectors again, each once; those that are no more what they were.
    pub(crate) fn redo(&mut self, ground: &WeightedGround, sectors: &[u32]) -> Vec<u32> {
        let mut changed = sectors.to_vec();
        let (mut table, mut alike) = (CellTable::default(), AlikeSectors::default());
        changed.retain(|&sector| {
            let (at, content) = (sector as usize, self.content(ground, sector));
            if content == self.contents[at] {
                return false;
            }
            self.contents[at] = content;
            let new = self.make(ground, sector, &mut table, &mut alike);
            let has_changed = self.sectors[at] != new;
            self.sectors[at] = new;
            has_changed
        });
        changed
    }

    /// The hash of what a sector follows from: its cells and those along its borders.
    fn content(&self, ground: &WeightedGround, sector: u32) -> u64 {
        let CellRect { first, end } = self.part(sector);
        let (width, depth) = (ground.bits.width(), ground.bits.depth());
        let price = |x: u32, z: u32| {
            // What lies beyond the map is closed.
            let is_open = x < width && z < depth && ground.bits.get(x, z);
            let factor = || ground.factor.get((z * width + x) as usize).copied().unwrap_or(FACTOR_ONE);
            if is_open { u32::from(factor()) + 1 } else { 0 }
        };
        let mut hash = StateHash::default();
        for z in 0..end.z - first.z + 2 {
            for x in (0..end.x - first.x + 2).step_by(2) {
                let [left, right] =
                    [x, x + 1].map(|x| price((first.x + x).wrapping_sub(1), (first.z + z).wrapping_sub(1)));
                hash.pair(left, right);
            }
        }
        hash.pair(end.x - first.x, end.z - first.z).finish()
    }

    /// Makes a sector, of which the hash of the content is known.
    fn make(
        &self,
        ground: &WeightedGround,
        sector: u32,
        table: &mut CellTable,
        alike: &mut AlikeSectors,
    ) -> Sector {
        let content = self.contents[sector as usize];
        if let Some(&other) = alike.get(&content) {
            return self.sectors[other as usize].clone();
        }
        alike.insert(content, sector);
        let part = self.part(sector);
        let gates: Vec<Gate> = (0..4).flat_map(|side| self.gates(ground, sector, side)).collect();
        let mut costs = Vec::with_capacity(gates.len() * gates.len());
        if !gates.is_empty() {
            table.lay_out(ground, part);
        }
        for from in &gates {
            table.flood(self.inner(sector, *from), Flow::From);
            let out = |gate: &Gate| table.cost(self.inner(sector, *gate)).saturating_add(gate.toll);
            costs.extend(gates.iter().map(out));
        }
        Sector::new(gates, costs)
    }

    /// All of them, row by row.
    pub(crate) fn all(&self) -> &[Sector] {
        &self.sectors
    }

    /// The cells of a sector.
    pub(crate) fn part(&self, sector: u32) -> CellRect {
        let first = Cell { x: sector % self.across * SIDE, z: sector / self.across * SIDE };
        let end = Cell { x: (first.x + SIDE).min(self.width), z: (first.z + SIDE).min(self.depth) };
        CellRect { first, end }
    }

    /// The sector that holds a cell.
    pub(crate) fn sector(&self, Cell { x, z }: Cell) -> u32 {
        z / SIDE * self.across + x / SIDE
    }

    fn beyond(&self, sector: u32, side: u32) -> Option<u32> {
        let (x, z) = (sector % self.across, sector / self.across);
        match side {
            0 => (x + 1 < self.across).then(|| sector + 1),
            1 => (z + 1 < self.down).then(|| sector + self.across),
            2 => (x > 0).then(|| sector - 1),
            _ => (z > 0).then(|| sector - self.across),
        }
    }

    /// The node of a gate seen from the other side. Only where there is one.
    #[inline(always)]
    pub(crate) fn across(&self, sector: u32, gate: Gate) -> u32 {
        let slot = u32::from(gate.slot);
        let beyond = match slot / SLOTS {
            0 => sector + 1,
            1 => sector + self.across,
            2 => sector.wrapping_sub(1),
            _ => sector.wrapping_sub(self.across),
        };
        beyond.wrapping_mul(NODES) | (slot ^ (2 * SLOTS))
    }

    /// The gate of a node, and its place among those of its sector.
    pub(crate) fn gate(&self, node: u32) -> Option<(usize, Gate)> {
        let holds = self.sectors.get((node / NODES) as usize)?;
        let place = holds.place(node % NODES)?;
        Some((place, holds.gates[place]))
    }

    /// The cell of a sector by which one leaves it.
    #[inline(always)]
    pub(crate) fn inner(&self, sector: u32, gate: Gate) -> Cell {
        let (part, along) = (self.part(sector), u32::from(gate.along));
        match u32::from(gate.slot) / SLOTS {
            0 => Cell { x: part.end.x - 1, z: part.first.z + along },
            1 => Cell { x: part.first.x + along, z: part.end.z - 1 },
            2 => Cell { x: part.first.x, z: part.first.z + along },
            _ => Cell { x: part.first.x + along, z: part.first.z },
        }
    }

    /// The cell beyond.
    #[inline(always)]
    pub(crate) fn outer(&self, sector: u32, gate: Gate) -> Cell {
        let Cell { x, z } = self.inner(sector, gate);
        match u32::from(gate.slot) / SLOTS {
            0 => Cell { x: x + 1, z },
            1 => Cell { x, z: z + 1 },
            2 => Cell { x: x.wrapping_sub(1), z },
            _ => Cell { x, z: z.wrapping_sub(1) },
        }
    }

    /// What it costs at least to pass a gate, whichever way round.
    pub(crate) fn least_toll(&self, sector: u32, gate: Gate) -> u32 {
        let back = self.gate(self.across(sector, gate));
        back.map_or(gate.toll, |(_, back)| gate.toll.min(back.toll))
    }

    /// The gates of one side: for every opening, evenly spread, where crossing is cheapest.
    fn gates(&self, ground: &WeightedGround, sector: u32, side: u32) -> Vec<Gate> {
        let mut gates = Vec::new();
        if self.beyond(sector, side).is_none() {
            return gates;
        }
        let CellRect { first, end } = self.part(sector);
        let pair = |at: u32| match side {
            0 => [end.x - 1, end.x].map(|x| Cell { x, z: at }),
            1 => [end.z - 1, end.z].map(|z| Cell { x: at, z }),
            2 => [first.x, first.x - 1].map(|x| Cell { x, z: at }),
            _ => [first.z, first.z - 1].map(|z| Cell { x: at, z }),
        };
        let range = if side & 1 == 0 { first.z..end.z } else { first.x..end.x };
        let rates = Rates::new(ground.unit);
        let toll = |Cell { x, z }: Cell| {
            ground.step(&rates, (z * ground.bits.width() + x) as usize, StepKind::Straight)
        };
        let is_open = |at: u32| pair(at).into_iter().all(|Cell { x, z }| ground.bits.get(x, z));
        let mut at = range.start;
        while at < range.end {
            let run = (at..range.end).take_while(|&at| is_open(at)).count() as u32;
            let pieces = run.div_ceil(SPACING);
            for piece in 0..pieces {
                let (low, high) = (at + piece * run / pieces, at + (piece + 1) * run / pieces);
                let rank = |&at: &u32| {
                    let [inner, outer] = pair(at);
                    (u64::from(toll(inner)) + u64::from(toll(outer)), (2 * at + 1).abs_diff(low + high), at)
                };
                let Some(best) = (low..high).min_by_key(rank) else { continue };
                if gates.len() < SLOTS as usize {
                    let slot = (side * SLOTS) as u8 + gates.len() as u8;
                    let along = (best - range.start) as u8;
                    gates.push(Gate { slot, along, toll: toll(pair(best)[1]) });
                }
            }
            at += run + 1;
        }
        gates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::cells::Bits;

    #[test]
    fn a_sector_like_another_is_what_it_would_be_if_it_were_made_by_itself() {
        let mut rng = Rng::stream(3, "alike");
        let mut alike_count = 0;
        for round in 0..6 {
            let size = (rng.int(33, 200) as u32, rng.int(33, 200) as u32);
            let (mut bits, mut factor) = (Bits::new(size.0, size.1), Vec::new());
            for (z, x) in (0..size.1).flat_map(|z| (0..size.0).map(move |x| (z, x))) {
                // The same pattern in all sectors, and a few cells by chance.
                let is_odd = rng.chance(0.000_3);
                bits.set(x, z, (x % SIDE + z % SIDE * 5) % 7 != round || is_odd);
                factor.push(FACTOR_ONE + (x % SIDE / 9) as u16 * 50 + u16::from(is_odd));
            }
            let unit = Unit::for_map(u64::from(size.0 * size.1), 3 * FACTOR_ONE);
            let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
            let all = SectorGrid::new(&ground);
            let mut table = CellTable::default();
            for sector in 0..all.across * all.down {
                let alone = all.make(&ground, sector, &mut table, &mut AlikeSectors::default());
                assert!(alone == all.sectors[sector as usize], "round {round}: sector {sector}");
            }
            let mut contents = all.contents.clone();
            contents.sort_unstable();
            contents.dedup();
            alike_count += all.contents.len() - contents.len();
        }
        assert!(alike_count > 20, "{alike_count} are like another");
    }
}
