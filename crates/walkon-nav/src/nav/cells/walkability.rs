//! The walkable cells for bodies of one width, and the cells that closed areas would add.
//!
//! In: the terrain and a state of its areas. Out: bits, component labels and doors, kept up to date window by
//! window. Holds: everything here follows from terrain and state alone, whatever was edited in between.

use std::sync::Arc;

use crate::base::ids::AreaId;
use crate::nav::ConnectedComponents;
use crate::nav::cells::clearance::{self, RadiusClass};
use crate::nav::cells::doors::CellDoors;
use crate::nav::cells::raster::{Spans, Window};
use crate::nav::cells::strong_components::StrongComponents;
use crate::nav::cells::terrain::CellTerrain;
use crate::nav::cells::{Bits, MapFrame, SearchStrategy};
use crate::nav::edits::AreaState;

/// Which cells bodies of one class can use.
#[derive(Clone, Debug)]
pub(crate) struct Walkability {
    pub(crate) class: RadiusClass,
    /// Areas that count as unavailable for it, sorted.
    pub(crate) barred: Vec<AreaId>,
    /// As things are.
    pub(crate) bare: Bits,
    /// With all areas available.
    pub(crate) open: Bits,
    pub(crate) labels: ConnectedComponents,
    /// What separates the two.
    pub(crate) doors: CellDoors,
    /// Of `bare`, where cells may not be left in every direction.
    pub(crate) rooms: Option<StrongComponents>,
    pub(crate) strategy: SearchStrategy,
}

impl Walkability {
    /// The class of the map itself.
    pub(crate) fn base(terrain: &CellTerrain, states: &[AreaState]) -> Self {
        let bare = terrain.walkable(|at| states[at].available);
        let open = terrain.walkable(|at| at < terrain.area_count() || states[at].available);
        Self::new(RadiusClass::default(), terrain, states, bare, open)
    }

    /// A wider class, from that of the map itself.
    pub(crate) fn wider(
        class: RadiusClass,
        terrain: &CellTerrain,
        states: &[AreaState],
        base: &Self,
    ) -> Self {
        let eroded = |bits| clearance::eroded(bits, class);
        Self::new(class, terrain, states, eroded(&base.bare), eroded(&base.open))
    }

    /// Of any class, for bodies that some available areas are not for. `states` are as those bodies see them.
    pub(crate) fn barred(
        class: RadiusClass,
        barred: Vec<AreaId>,
        terrain: &CellTerrain,
        states: &[AreaState],
    ) -> Self {
        let base = Self::base(terrain, states);
        let walkability = if class.is_base() { base } else { Self::wider(class, terrain, states, &base) };
        Self { barred, ..walkability }
    }

    fn new(class: RadiusClass, terrain: &CellTerrain, states: &[AreaState], bare: Bits, open: Bits) -> Self {
        let labels = ConnectedComponents::default();
        let (barred, strategy) = (Vec::new(), SearchStrategy::of(&bare));
        let mut walkability =
            Self { class, barred, strategy, bare, open, labels, doors: CellDoors::default(), rooms: None };
        walkability.relabel(terrain, states);
        walkability
    }

    /// Finds components and doors again, after its bits changed.
    pub(crate) fn relabel(&mut self, terrain: &CellTerrain, states: &[AreaState]) {
        self.labels = ConnectedComponents::of(&self.bare);
        self.rooms = StrongComponents::of(&self.bare, terrain.exits());
        self.strategy = SearchStrategy::of(&self.bare);
        let shut: Vec<u32> =
            (0..terrain.area_count() as u32).filter(|&area| !states[area as usize].available).collect();
        self.doors = CellDoors::of(terrain, &shut, &self.bare, &self.open, &self.labels);
    }

    /// The same without the cells of some areas.
    pub(crate) fn without(&self, cut: &[&Spans], terrain: &CellTerrain, states: &[AreaState]) -> Self {
        let mut rest = self.clone();
        for spans in cut {
            clear(&mut rest.bare, spans);
            clear(&mut rest.open, spans);
        }
        rest.relabel(terrain, states);
        rest
    }

    /// Takes over a window that changed in the base class.
    pub(crate) fn follow(&mut self, base: &Self, window: Window, frame: &MapFrame) {
        let window = window.grown(self.class.reach_cells(frame.tiling.shape()), frame);
        clearance::erode(&base.bare, self.class, window, &mut self.bare);
        clearance::erode(&base.open, self.class, window, &mut self.open);
    }
}

/// Which cells bodies of one class can use when some areas count as available.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    pub(crate) class: RadiusClass,
    /// Areas that count as unavailable, sorted; none of them in `through`.
    pub(crate) barred: Vec<AreaId>,
    /// The areas, sorted; also those that are available just now.
    pub(crate) through: Arc<[AreaId]>,
    /// In the class of the map itself.
    ground: Bits,
    /// In its own class; empty when that is the map's.
    narrow: Bits,
    pub(crate) doors: CellDoors,
    /// Of its cells, where they may not be left in every direction.
    pub(crate) rooms: Option<StrongComponents>,
    /// By cell: 0, or one more than the place in `through` of the area that opens it.
    pub(crate) gate: Vec<u16>,
}

impl Passage {
    pub(crate) fn new(
        walkability: &Walkability,
        through: Arc<[AreaId]>,
        terrain: &CellTerrain,
        states: &[AreaState],
    ) -> Self {
        let ground = terrain.walkable(|at| is_open(&through, terrain, states, at));
        let mut narrow = Bits::default();
        if !walkability.class.is_base() {
            narrow = clearance::eroded(&ground, walkability.class);
        }
        let gate = vec![0; terrain.frame.cell_count() as usize];
        let doors = CellDoors::default();
        let (class, barred) = (walkability.class, walkability.barred.clone());
        let mut passage = Self { class, barred, through, ground, narrow, doors, rooms: None, gate };
        passage.relink(walkability, terrain, states);
        passage
    }

    /// The same without the cells of some areas; `walkability` is without them already.
    pub(crate) fn without(
        &self,
        cut: &[&Spans],
        walkability: &Walkability,
        terrain: &CellTerrain,
        states: &[AreaState],
    ) -> Self {
        let mut rest = self.clone();
        for spans in cut {
            clear(&mut rest.ground, spans);
            if !rest.class.is_base() {
                clear(&mut rest.narrow, spans);
            }
        }
        rest.relink(walkability, terrain, states);
        rest
    }

    /// Whether it serves bodies of a class that go through these doors.
    pub(crate) fn is_for(&self, class: RadiusClass, barred: &[AreaId], through: &[(AreaId, f32)]) -> bool {
        self.class == class
            && self.barred == barred
            && self.through.iter().eq(through.iter().map(|(area, _)| area))
    }

    /// The cells that can be planned through.
    pub(crate) fn bits(&self) -> &Bits {
        if self.class.is_base() { &self.ground } else { &self.narrow }
    }

    /// Redoes a window after an edit.
    pub(crate) fn redo(&mut self, window: Window, terrain: &CellTerrain, states: &[AreaState]) {
        let mut sheet = terrain.sheet(window, |at| is_open(&self.through, terrain, states, at));
        for z in window.first_z..window.end_z {
            self.ground.replace_row(z, window.words().start, sheet.walkable_row(z));
        }
        if !self.class.is_base() {
            let window = window.grown(self.class.reach_cells(terrain.frame.tiling.shape()), &terrain.frame);
            clearance::erode(&self.ground, self.class, window, &mut self.narrow);
        }
    }

    /// Finds doors and gates again, after bits or labels changed.
    pub(crate) fn relink(&mut self, walkability: &Walkability, terrain: &CellTerrain, states: &[AreaState]) {
        let width = terrain.frame.width;
        let cells = |z: u32, from: u32, to: u32| (z * width + from) as usize..(z * width + to) as usize;
        for run in self.doors.runs() {
            self.gate[cells(run.z, run.from, run.to)].fill(0);
        }
        let shut = self.through.iter().map(|area| area.0);
        let shut: Vec<u32> = shut
            .filter(|&area| (area as usize) < terrain.area_count() && !states[area as usize].available)
            .collect();
        self.doors = CellDoors::of(terrain, &shut, &walkability.bare, self.bits(), &walkability.labels);
        self.rooms = StrongComponents::of(self.bits(), terrain.exits());
        for run in self.doors.runs() {
            if let Ok(at) = self.through.binary_search(&AreaId(run.area)) {
                self.gate[cells(run.z, run.from, run.to)].fill(at as u16 + 1);
            }
        }
    }
}

/// Whether an area or obstacle is there, or is an area that counts as available for bodies that may go
/// through it.
fn is_open(through: &[AreaId], terrain: &CellTerrain, states: &[AreaState], at: usize) -> bool {
    states[at].available || at < terrain.area_count() && through.binary_search(&AreaId(at as u32)).is_ok()
}

/// Blocks the cells of an area.
fn clear(bits: &mut Bits, spans: &Spans) {
    for z in spans.rows() {
        for &[from, to] in spans.row(z).iter().filter(|[from, to]| from < to) {
            let (first, last) = ((from / 64) as usize, ((to - 1) / 64) as usize);
            for word in first..=last {
                let low = if word == first { !0 << (from % 64) } else { !0 };
                let high = if word == last { !0 >> (63 - (to - 1) % 64) } else { !0 };
                bits.replace_row(z, word, &[bits.row_word(z, word) & !(low & high)]);
            }
        }
    }
}
