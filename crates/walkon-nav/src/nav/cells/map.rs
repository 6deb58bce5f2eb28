//! The map of cells: terrain, the state of its areas, and everything derived from them, kept up to date.
//!
//! In: a source once, then edits, a set a tick. Out: answers about points, and what searches walk on. Holds:
//! after any edits everything but the revision equals a map built again from the same state, bit for bit; one
//! revision a set of edits. Not here: finding paths (`plan`), where a body off the map may begin (`start`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::{self, Bounds, Point};
use crate::base::hash::StateHash;
use crate::base::hash::mix;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;
use crate::nav::cells::clearance::RadiusClass;
use crate::nav::cells::custom_costs::{CostsKey, CustomCosts, SharedGround};
use crate::nav::cells::far_ground::{FarGround, FarWays, PRICED_CELLS};
use crate::nav::cells::gated_ground::{GatedGround, GatesKey};
use crate::nav::cells::guess::{Guess, Nowhere};
use crate::nav::cells::lattice::{Norm, Strides};
use crate::nav::cells::raster::Window;
use crate::nav::cells::source::{CellMapError, CellSource, GridSource, MapFrame};
use crate::nav::cells::terrain::{CellTerrain, TileState};
use crate::nav::cells::view::CellView;
use crate::nav::cells::walkability::{Passage, Walkability};
use crate::nav::cells::{Bits, Extra, FACTOR_ONE, Unit, WeightedGround, fixed_factor};
use crate::nav::edits::{AreaState, AreaStates, clamp_factor};
use crate::nav::hierarchy::Sectors;
use crate::nav::{AreaEdit, Backend, Island, MapChange, NodeId, SingleTile, TileEdit, Traversal};

mod backend;
mod obstacles;

/// Classes of radius, and sets of doors, that are kept up to date; beyond this the one not used for longest
/// is dropped.
const KEPT_MAX: usize = 12;
/// Whether ground of several factors is searched by sectors and gates: faster on large maps, at a few per
/// cent more cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HierarchyUse {
    /// On maps too large for anything better.
    #[default]
    Auto,
    /// On all maps whose layout allows it.
    On,
    /// Never: all costs are optimal, whatever they take.
    Off,
}

/// How a way is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Jump points: all ground costs the same. Exact.
    Jump,
    /// From cell to cell, by landmarks where there are some. Exact.
    Weighted,
    /// By sectors and gates, within a few per cent; from cell to cell where the ends are near each other,
    /// where others stand in the way, and where gates do not lead.
    Gates,
}

/// What is known of the least costs of ways for a body.
#[derive(Clone, Debug)]
pub(crate) struct LegBounds {
    /// No ground is cheaper.
    factor: f64,
    /// No step costs less.
    step: u32,
    far: Option<FarWays>,
}

/// A navigation map on a uniform grid. `Default` has no cells.
#[derive(Clone, Debug)]
pub struct CellMap {
    pub(super) terrain: Arc<CellTerrain>,
    /// Paddings the map was built with, metres: agent radius, objects, boundary.
    paddings_m: [f64; 3],
    pub(super) states: AreaStates,
    base: Arc<Walkability>,
    wider: Vec<Arc<Walkability>>,
    passages: Vec<Arc<Passage>>,
    /// What walkers with areas of their own make of the map as it is; none after a change.
    variants: Vec<CustomCosts>,
    /// The same of walkers to which areas have a direction.
    gated: Vec<(GatesKey, Arc<GatedGround>)>,
    /// Kinds of bodies there is to be room for.
    kinds: usize,
    /// By cell; empty when all are 1.
    factors: Vec<u16>,
    cheapest: u16,
    unit: Unit,
    /// Made when the map is prepared for a kind of body. Costs do not hang on it, but which of several ways
    /// is found may.
    far: FarGround,
    hierarchy: HierarchyUse,
    /// Made when the map is prepared for a kind of body on ground that wants them, and kept up to date.
    sectors: Option<Arc<Sectors>>,
    /// Whether what far ways need was made since it was last forgotten.
    is_far_ready: bool,
    /// Whether the map is in use, so that a tick has no time to make all sectors.
    has_begun: bool,
    revision: u64,
    /// Of cells and factors at first.
    start_hash: u64,
    /// Sum over the areas and cells that are not as at first.
    edit_hash: u64,
    /// Cells that were edited, as they were at first.
    edited: BTreeMap<u32, TileState>,
}

impl Default for CellMap {
    fn default() -> Self {
        Self::new(CellTerrain::default(), Vec::new(), [0.45, 0.25, 0.0])
    }
}

/// What a set of edits did to a cell.
struct CellChange {
    id: u32,
    was: TileState,
    is: TileState,
    window: Window,
}

impl CellView {
    /// Whether all ground costs the same.
    pub(super) fn is_even(&self, map: &CellMap) -> bool {
        self.paint.as_ref().map_or(&map.factors, |paint| &paint.factors).is_empty()
    }

    /// What a step costs.
    pub(super) fn unit(&self, map: &CellMap) -> Unit {
        self.paint.as_ref().map_or(map.unit, |paint| paint.unit)
    }

    /// What ways cost over open ground of factor one.
    pub(super) fn guess(&self, map: &CellMap) -> Norm {
        let shape = self.bits().shape();
        Strides::new(self.unit(map), shape).norm(shape.neighbours, FACTOR_ONE)
    }
}

impl CellMap {
    /// Cuts a grid from polygons. Cost: a pass over the cells, and one over the edges.
    ///
    /// # Errors
    /// A size or a number beyond its limit, before anything large is allocated.
    pub fn from_grid(source: &GridSource) -> Result<Self, CellMapError> {
        let (terrain, states) = CellTerrain::from_grid(source)?;
        let paddings_m = [source.agent_radius_m, source.object_padding_m, source.boundary_padding_m];
        Ok(Self::new(terrain, states, paddings_m))
    }

    /// Takes a grid cell by cell.
    ///
    /// # Errors
    /// A size beyond its limit, or lists that do not have one entry a cell.
    pub fn from_cells(source: &CellSource) -> Result<Self, CellMapError> {
        let (terrain, states) = CellTerrain::from_cells(source)?;
        let paddings_m = [source.agent_radius_m, source.object_padding_m, source.boundary_padding_m];
        Ok(Self::new(terrain, states, paddings_m))
    }

    fn new(terrain: CellTerrain, states: Vec<AreaState>, paddings_m: [f64; 3]) -> Self {
        let base = Arc::new(Walkability::base(&terrain, &states));
        let mut map = Self {
            terrain: Arc::new(terrain),
            paddings_m,
            states: AreaStates::new(states),
            base,
            wider: Vec::new(),
            passages: Vec::new(),
            variants: Vec::new(),
            gated: Vec::new(),
            kinds: 0,
            factors: Vec::new(),
            cheapest: FACTOR_ONE,
            unit: Unit::default(),
            far: FarGround::default(),
            hierarchy: HierarchyUse::default(),
            sectors: None,
            has_begun: false,
            is_far_ready: false,
            revision: 0,
            start_hash: 0,
            edit_hash: 0,
            edited: BTreeMap::new(),
        };
        map.repaint(&[], &mut MapChange::default());
        map.start_hash = map.terrain.hash(&map.base.bare, &map.factors);
        map
    }

    /// Where the cells lie.
    #[must_use]
    pub fn frame(&self) -> &MapFrame {
        &self.terrain.frame
    }

    /// Half-width of the bodies that the cells already allow for, metres.
    #[must_use]
    pub fn agent_radius_m(&self) -> f64 {
        self.paddings_m[0]
    }

    /// Extra distance kept from obstacles, metres.
    #[must_use]
    pub fn object_padding_m(&self) -> f64 {
        self.paddings_m[1]
    }

    /// Distance kept from the outer edge of the areas, metres.
    #[must_use]
    pub fn boundary_padding_m(&self) -> f64 {
        self.paddings_m[2]
    }

    /// Whether a body of the map's own radius can stand on a cell; false beyond the map.
    #[must_use]
    pub fn walkable(&self, x: u32, z: u32) -> bool {
        self.base.bare.at(i64::from(x), i64::from(z))
    }

    /// Whether a cell is a wall by itself, whatever areas it belongs to.
    #[must_use]
    pub fn is_wall(&self, x: u32, z: u32) -> bool {
        self.terrain.is_solid(x, z)
    }

    /// All cells on which a body of the map's own radius can stand.
    #[must_use]
    pub fn bits(&self) -> &Bits {
        &self.base.bare
    }

    /// Cost of a metre in a cell over a metre of plain ground, to 0.002; 1 beyond the map.
    #[must_use]
    pub fn factor_at(&self, x: u32, z: u32) -> f32 {
        let cell = (z as usize) * self.frame().width as usize + x as usize;
        let inside = x < self.frame().width;
        let factor = self.factors.get(cell).filter(|_| inside).copied().unwrap_or(FACTOR_ONE);
        f32::from(factor) / f32::from(FACTOR_ONE)
    }

    /// A cell by itself, whatever lies there; None beyond the map.
    #[must_use]
    pub fn tile(&self, x: u32, z: u32) -> Option<SingleTile> {
        let inside = x < self.frame().width && z < self.frame().depth;
        let TileState { walkable, factor, leave } = inside.then(|| self.terrain.tile(x, z))?;
        Some(SingleTile { walkable, factor: f32::from(factor) / f32::from(FACTOR_ONE), leave })
    }

    /// Cells that are not as at first, and what they are.
    pub fn edited_cells(&self) -> impl Iterator<Item = ([u32; 2], SingleTile)> + '_ {
        self.edited.iter().filter_map(|(&id, was)| {
            let (x, z) = (id % self.frame().width, id / self.frame().width);
            (self.terrain.tile(x, z) != *was).then(|| Some(([x, z], self.tile(x, z)?))).flatten()
        })
    }

    /// Number of areas; ids from here on are obstacles.
    #[must_use]
    pub fn area_count(&self) -> usize {
        self.terrain.area_count()
    }

    /// The polygon that an area or obstacle was cut from; None where it was given cell by cell.
    #[must_use]
    pub fn area_outline(&self, area: AreaId) -> Option<&[Point]> {
        self.terrain.outlines().get(area.index()).map(|outline| outline.polygon.as_slice())
    }

    /// The cells that an area owns, walkable or not, as rows: z, first x and the x after the last; in order
    /// of z, then x. Nothing for obstacles.
    pub fn area_runs(&self, area: AreaId) -> impl Iterator<Item = (u32, [u32; 2])> + '_ {
        let spans = self.terrain.area(area.index());
        spans
            .into_iter()
            .flat_map(|spans| spans.rows().flat_map(|z| spans.row(z).iter().map(move |run| (z, *run))))
    }

    pub(super) fn class(&self, by: &Traversal) -> RadiusClass {
        RadiusClass::of(self.frame(), f64::from(by.radius_m), self.agent_radius_m())
    }

    /// The areas of a traversal that it plans through just now, when there are any.
    pub(super) fn through<'a>(&self, by: &'a Traversal) -> Option<&'a Arc<[(AreaId, f32)]>> {
        let shut = |area: AreaId| {
            area.index() < self.area_count()
                && self.states.get(area.index()).is_some_and(|state| !state.available)
        };
        by.through.as_ref().filter(|list| list.iter().any(|(area, _)| shut(*area)))
    }

    fn kept_walkability(&self, class: RadiusClass, barred: &[AreaId]) -> Option<&Arc<Walkability>> {
        if class.is_base() && barred.is_empty() {
            return Some(&self.base);
        }
        self.wider.iter().find(|walkability| walkability.class == class && walkability.barred == barred)
    }

    fn kept_passage(&self, class: RadiusClass, by: &Traversal) -> Option<&Arc<Passage>> {
        let through = by.through.as_deref().unwrap_or(&[]);
        self.passages.iter().find(|passage| passage.is_for(class, by.barred(), through))
    }

    /// What a traversal that would open doors can use without opening any, where that is kept: it answers
    /// most questions about it, and the cells behind its doors may take a pass over the map.
    pub(super) fn bare_view(&self, by: &Traversal) -> Option<CellView> {
        if by.areas.is_some() || self.through(by).is_none() {
            return None;
        }
        let walkability = self.kept_walkability(self.class(by), by.barred())?;
        Some(CellView { walkability: Arc::clone(walkability), passage: None, paint: None })
    }

    /// The areas as they are to a body that may not enter some of them.
    fn states_for(&self, barred: &[AreaId]) -> Cow<'_, [AreaState]> {
        if barred.is_empty() {
            return Cow::Borrowed(&self.states);
        }
        let mut states = self.states.to_vec();
        for area in barred.iter().filter(|area| area.index() < self.area_count()) {
            states[area.index()].available = false;
        }
        Cow::Owned(states)
    }

    fn make_walkability(&self, class: RadiusClass, barred: &[AreaId]) -> Walkability {
        if barred.is_empty() {
            return Walkability::wider(class, &self.terrain, &self.states, &self.base);
        }
        Walkability::barred(class, barred.to_vec(), &self.terrain, &self.states_for(barred))
    }

    fn make_passage(&self, walkability: &Walkability, by: &Traversal) -> Passage {
        let through = by.through.iter().flat_map(|list| list.iter()).map(|(area, _)| *area).collect();
        Passage::new(walkability, through, &self.terrain, &self.states_for(by.barred()))
    }

    fn prepare_plain(&mut self, by: &Traversal) {
        let class = self.class(by);
        if !class.is_base() && (by.through.is_some() || by.areas.is_some() || !by.barred().is_empty()) {
            // Asked for when a body turns out to be too wide.
            self.prepare(&Traversal { radius_m: 0.0, ..by.clone() });
        }
        let is_own =
            |walkability: &Arc<Walkability>| walkability.class == class && walkability.barred == by.barred();
        if let Some(at) = self.wider.iter().position(is_own) {
            self.wider[at..].rotate_left(1);
        } else if !class.is_base() || !by.barred().is_empty() {
            let walkability = Arc::new(self.make_walkability(class, by.barred()));
            keep(&mut self.wider, KEPT_MAX.saturating_add(self.kinds), walkability);
        }
        let Some(list) = by.through.as_ref().filter(|list| !list.is_empty()) else { return };
        let kept = self.passages.iter().position(|passage| passage.is_for(class, by.barred(), list));
        if let Some(at) = kept {
            self.passages[at..].rotate_left(1);
        } else {
            let walkability = self.walkability(class, by.barred());
            let passage = Arc::new(self.make_passage(&walkability, by));
            keep(&mut self.passages, KEPT_MAX, passage);
        }
    }

    fn walkability(&self, class: RadiusClass, barred: &[AreaId]) -> Arc<Walkability> {
        let kept = self.kept_walkability(class, barred).cloned();
        kept.unwrap_or_else(|| Arc::new(self.make_walkability(class, barred)))
    }

    /// What a traversal can use. Cost: nothing to speak of when it was prepared, else a pass over the map.
    pub(crate) fn view(&self, by: &Traversal) -> CellView {
        if by.areas.is_none() {
            return self.plain_view(by);
        }
        let key = self.costs_key(by);
        let kept = self.variants.iter().find(|variant| variant.key == key);
        kept.map_or_else(|| self.custom_costs(key, by).view, |variant| variant.view.clone())
    }

    /// What bodies share that have the same areas of their own.
    fn costs_key(&self, by: &Traversal) -> CostsKey {
        let through = self.through(by).map_or(&[][..], |list| list);
        CostsKey {
            class: self.class(by),
            through: through.iter().map(|(area, _)| *area).collect(),
            areas: by.areas.clone(),
            barred: by.barred().to_vec(),
        }
    }

    /// What bodies share to which areas have a direction; None where none has.
    fn gates_key(&self, by: &Traversal) -> Option<GatesKey> {
        let one_way = by.one_way();
        (!one_way.is_empty()).then(|| GatesKey { costs: self.costs_key(by), one_way: one_way.to_vec() })
    }

    /// What can be walked on past areas with a direction, for a traversal whose view this is. Cost: nothing
    /// to speak of when it was prepared ([`Backend::prepare_reach`]), or no area has one.
    pub(crate) fn gated_ground(&self, view: CellView, by: &Traversal) -> Arc<GatedGround> {
        let key = self.gates_key(by);
        let kept = key.and_then(|key| self.gated.iter().find(|(own, _)| *own == key));
        kept.map_or_else(|| Arc::new(self.make_gated(view, by)), |(_, ground)| Arc::clone(ground))
    }

    fn make_gated(&self, view: CellView, by: &Traversal) -> GatedGround {
        match by.walled() {
            Some(walled) => GatedGround::new(&self.terrain, &view, self.view(&walled), by),
            None => GatedGround::plain(view),
        }
    }

    fn custom_costs(&self, key: CostsKey, by: &Traversal) -> CustomCosts {
        let without_barred = self.states_for(by.barred());
        let ground =
            SharedGround { terrain: &self.terrain, states: &self.states, without_barred: &without_barred };
        CustomCosts::new(key, self.plain_view(by), &ground)
    }

    /// The same with all areas as they are.
    fn plain_view(&self, by: &Traversal) -> CellView {
        let class = self.class(by);
        let walkability = self.walkability(class, by.barred());
        let passage = self.through(by).map(|_| {
            let kept = self.kept_passage(class, by).cloned();
            kept.unwrap_or_else(|| Arc::new(self.make_passage(&walkability, by)))
        });
        CellView { walkability, passage, paint: None }
    }

    /// What opening each area of a traversal adds, in the unit of the map, by gate.
    pub(super) fn tolls(&self, by: &Traversal, unit: Unit) -> Vec<u32> {
        let toll = |metres: f32| {
            let cost = f64::from(metres) / self.frame().cell_size_m * f64::from(unit.straight);
            // The cast saturates: a price without limit is no way through.
            cost.max(0.0).round() as u32
        };
        let list = self.through(by).map_or(&[][..], |list| list);
        std::iter::once(0).chain(list.iter().map(|(_, metres)| toll(*metres))).collect()
    }

    /// What a search walks on.
    pub(super) fn ground<'a>(&'a self, view: &'a CellView, tolls: &'a [u32]) -> WeightedGround<'a> {
        let (factor, cheapest, unit) = match &view.paint {
            None => (&self.factors, self.cheapest, self.unit),
            Some(paint) => (&paint.factors, paint.cheapest, paint.unit),
        };
        WeightedGround {
            exits: self.terrain.exits().steps(),
            bits: view.bits(),
            factor,
            cheapest,
            unit,
            extra: view.passage.as_ref().map(|passage| Extra { gate: &passage.gate, cost: tolls }),
            far: None,
        }
    }

    /// What holds of far ways for every body to which no ground is cheaper than to the map itself.
    pub(super) fn far_ways(&self, view: &CellView) -> Option<FarWays> {
        // Ways by sectors do not need it, and where those do not lead the way must not hang on when it was
        // made.
        let has_none = view.paint.is_some() || self.sectors_for(view).is_some();
        if has_none { None } else { self.far.known(self.frame()) }
    }

    /// Makes what far ways need, if it is not there.
    fn prepare_far(&mut self) {
        if self.is_far_ready {
            return;
        }
        self.make_sectors();
        self.has_begun = true;
        let mut far = std::mem::take(&mut self.far);
        far.prepare(&self.widest(), &self.base.labels);
        (self.far, self.is_far_ready) = (far, true);
    }

    /// Makes sectors where there are none and ways would need them: once the map is in use, in turns.
    fn make_sectors(&mut self) {
        if self.sectors.is_none() && self.wants_sectors() && !self.factors.is_empty() {
            let ground = self.even_handed();
            let sectors = if self.has_begun { Sectors::in_turns(&ground) } else { Sectors::new(&ground) };
            self.sectors = Some(Arc::new(sectors));
        }
    }

    /// Changes the sectors that there are, by the ground as most walk on it.
    pub(super) fn change_sectors(&mut self, change: impl FnOnce(&mut Sectors, &WeightedGround)) {
        if let Some(mut sectors) = self.sectors.take() {
            change(Arc::make_mut(&mut sectors), &self.even_handed());
            self.sectors = Some(sectors);
        }
    }

    /// Goes on with what makes far ways fast, for so many expansions at most; what it took. Sectors have
    /// their turn whatever is allowed: without them each search takes more.
    pub(super) fn precompute_far(&mut self, allowance: u32) -> u32 {
        if self.sectors.as_ref().is_some_and(|sectors| !sectors.are_ready()) {
            self.change_sectors(Sectors::take_turn);
        }
        let mut far = std::mem::take(&mut self.far);
        let spent = far.precompute_idle(&self.widest(), &self.base.labels, allowance);
        self.far = far;
        spent
    }

    /// The same map with landmarks whether they pay or not.
    #[cfg(test)]
    pub(crate) fn with_landmarks_anywhere(self) -> Self {
        Self { far: FarGround::anywhere(), ..self }
    }

    /// Whether ground of several factors may be searched by sectors, from now on. They are made when the map
    /// is next prepared for a kind of body ([`CellMap::prepare`]). Cost: nothing; making them takes about 0.4
    /// microseconds a cell.
    pub fn set_hierarchy(&mut self, hierarchy: HierarchyUse) {
        self.hierarchy = hierarchy;
        (self.is_far_ready, self.has_begun) = (false, false);
        if !self.wants_sectors() {
            self.sectors = None;
        }
    }

    /// How a way for a body is searched for, as the map is prepared now.
    #[must_use]
    pub fn method(&self, by: &Traversal) -> Method {
        let view = self.view(by);
        match self.sectors_for(&view) {
            _ if view.is_even(self) && view.passage.is_none() => Method::Jump,
            Some(_) => Method::Gates,
            None => Method::Weighted,
        }
    }

    /// Memory of the sectors and gates, bytes; 0 while there are none.
    #[must_use]
    pub fn hierarchy_bytes(&self) -> usize {
        self.sectors.as_ref().map_or(0, |sectors| sectors.bytes())
    }

    fn wants_sectors(&self) -> bool {
        let labels = &self.base.labels;
        let largest = (0..labels.count()).map(|label| labels.cells(label)).max().unwrap_or(0);
        let is_wanted = match self.hierarchy {
            HierarchyUse::Off => false,
            HierarchyUse::On => true,
            HierarchyUse::Auto => largest > *PRICED_CELLS.end(),
        };
        is_wanted && self.base.bare.shape().is_plain()
    }

    /// The sectors, for bodies to which the map is what it is to most; None while some wait to be made.
    pub(super) fn sectors_for(&self, view: &CellView) -> Option<&Sectors> {
        let is_common = Arc::ptr_eq(&view.walkability, &self.base) && view.passage.is_none();
        let is_common = is_common && view.paint.is_none() && !view.is_directed();
        let are_ready = |sectors: &&Sectors| sectors.are_ready();
        self.sectors.as_deref().filter(|_| is_common && !self.factors.is_empty()).filter(are_ready)
    }

    /// The ground as most walk on it.
    fn even_handed(&self) -> WeightedGround<'_> {
        WeightedGround {
            bits: &self.base.bare,
            factor: &self.factors,
            cheapest: self.cheapest,
            unit: self.unit,
            extra: None,
            far: None,
            exits: &[],
        }
    }

    /// Brings the sectors up to date after changes within some windows, or begins them.
    fn redo_sectors(&mut self, windows: impl Iterator<Item = Window>) {
        if self.sectors.is_none() && self.has_begun {
            return self.make_sectors();
        }
        let parts: Vec<CellRect> = windows.map(Window::rect).collect();
        self.change_sectors(|sectors, ground| sectors.redo(ground, &parts));
    }

    /// The ground of the map with all areas open.
    fn widest(&self) -> WeightedGround<'_> {
        WeightedGround { bits: &self.base.open, ..self.even_handed() }
    }

    /// Forgets bounds that were counted in another unit.
    fn forget_far(&mut self) {
        self.far.forget();
        self.sectors = None;
        self.is_far_ready = false;
    }

    /// The least that a way between two points can cost a body, metres of plain ground.
    pub(crate) fn least_m(&self, bounds: &LegBounds, from: Vec3, to: Vec3) -> f64 {
        let middle = |point| self.node_centre(point).unwrap_or(point);
        // Step costs are rounded: a little less.
        let straight_m = f64::from(geom::flat_distance(middle(from), middle(to))) * bounds.factor * 0.999;
        let known_m = match (&bounds.far, self.cell_of(from), self.cell_of(to)) {
            (Some(far), Some(from), Some(to)) => {
                self.metres(self.least_by_landmarks(far, bounds.step, [from, to]))
            }
            _ => 0.0,
        };
        straight_m.max(known_m * 0.999_999)
    }

    /// What is known of the least costs of ways for a body.
    pub(crate) fn leg_bounds(&self, by: &Traversal) -> LegBounds {
        let factor = f64::from(self.cheapest_factor_for(by.areas.as_deref()));
        let view = self.view(by);
        LegBounds { factor, step: self.ground(&view, &[]).norm().least_of_step(), far: self.far_ways(&view) }
    }

    fn least_by_landmarks(&self, far: &FarWays, step: u32, [from, to]: [Cell; 2]) -> Cost {
        let (known, id) = (far.bounds(), self.node(from).0);
        let goal = known.goal(self.unit, to, step);
        let even = || Some(known.even_guide(&goal, Nowhere, step)?.to_go(from, id));
        let priced = || Some(known.priced_guide(&goal, Nowhere, step)?.to_go(from, id));
        Cost(even().or_else(priced).unwrap_or(0))
    }

    /// A position in cells.
    #[inline]
    pub(crate) fn to_cells(&self, point: Vec3) -> Point {
        self.frame().to_cells(geom::ground(point))
    }

    pub(crate) fn cell_of(&self, point: Vec3) -> Option<Cell> {
        self.frame().cell_holding(geom::ground(point))
    }

    /// The middle of a cell on the floor.
    pub(crate) fn centre(&self, cell: Cell) -> Vec3 {
        self.terrain.centre(cell)
    }

    /// The same place on the floor.
    pub(crate) fn floored(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.x, self.frame().floor_y_m as f32, point.z)
    }

    pub(super) fn node(&self, Cell { x, z }: Cell) -> NodeId {
        NodeId(z * self.frame().width + x)
    }

    /// Mixes in all but the revision.
    pub(crate) fn hash_state(&self, hash: &mut StateHash) {
        hash.word(self.start_hash).word(self.edit_hash);
    }

    /// Whether a straight line crosses a one-way area, or the edge of a cell, in a direction that is
    /// forbidden.
    pub(super) fn goes_wrong(&self, from: Vec3, to: Vec3, by: &Traversal) -> bool {
        self.wrong_way(from, to, by).is_some()
            || !self.terrain.exits().is_clear(self.to_cells(from), self.to_cells(to))
    }

    /// Parts that are entered and never left, because cells may not be left in every direction, the largest
    /// first (fault:F36). What is larger than all that leads there is no trap but the place that one belongs
    /// to.
    #[must_use]
    pub fn traps(&self) -> Vec<Island> {
        let Some(rooms) = &self.base.rooms else { return Vec::new() };
        let groups = rooms.traps();
        let mut parts: BTreeMap<u32, (u64, Window, Cell)> = BTreeMap::new();
        for run in rooms.labels().runs() {
            let Some(group) = groups[run.label as usize] else { continue };
            let row = Window { first_x: run.first_x, end_x: run.end_x, first_z: run.z, end_z: run.z + 1 };
            let part = parts.entry(group).or_insert((0, row, Cell { x: run.first_x, z: run.z }));
            (part.0, part.1) = (part.0 + u64::from(run.end_x - run.first_x), part.1.union(row));
        }
        let is_small = |cells: u64, Cell { x, z }: Cell| {
            let around = self.base.labels.label(x, z).map_or(0, |label| self.base.labels.cells(label));
            cells * 2 <= around
        };
        let mut traps: Vec<Island> = parts
            .into_values()
            .filter(|&(cells, _, first)| is_small(cells, first))
            .map(|(cells, window, first)| Island {
                cells: cells as u32,
                bounds: window.bounds(self.frame()),
                sample: self.centre(first),
            })
            .collect();
        ordered::sort_by_key(&mut traps, |trap| std::cmp::Reverse(trap.cells));
        traps
    }

    /// Edits a cell, and keeps what it was before this set of edits.
    fn note_tile(&mut self, edit: &TileEdit, before: &mut BTreeMap<u32, TileState>) {
        let [x, z] = edit.cell;
        if edit.layer != 0 || x >= self.frame().width || z >= self.frame().depth {
            return;
        }
        let was = self.terrain.tile(x, z);
        let factor = edit.factor.filter(|factor| factor.is_finite());
        let factor = factor.map(|factor| fixed_factor(clamp_factor(factor)));
        let is = TileState {
            walkable: edit.walkable.unwrap_or(was.walkable),
            factor: factor.unwrap_or(was.factor),
            leave: edit.leave.unwrap_or(was.leave),
        };
        if is != was {
            let id = self.node(Cell { x, z }).0;
            before.entry(id).or_insert(was);
            self.edited.entry(id).or_insert(was);
            Arc::make_mut(&mut self.terrain).set_tile(x, z, is);
        }
    }

    /// What a set of edits did to a cell; None when it is as it was.
    fn tile_change(&self, id: u32, was: TileState) -> Option<CellChange> {
        let (x, z) = (id % self.frame().width, id / self.frame().width);
        let is = self.terrain.tile(x, z);
        let window = Window { first_x: x, end_x: x + 1, first_z: z, end_z: z + 1 };
        (is != was).then_some(CellChange { id, was, is, window })
    }

    fn note(&mut self, edit: &AreaEdit) {
        let is_area = edit.area.index() < self.area_count();
        let Some(state) = self.states.get_mut(edit.area.index()) else { return };
        if is_area { state.edit_area(edit) } else { state.edit_obstacle(edit) }
    }

    /// Redoes the cells within windows where areas, obstacles or cells came or went, and all that follows
    /// from them and from directions that have changed.
    fn toggle(&mut self, windows: &[Window], change: &mut MapChange) {
        let terrain = self.terrain.clone();
        let base = Arc::make_mut(&mut self.base);
        let mut wider_open = Vec::new();
        for &window in windows {
            let states = &self.states;
            redo(&terrain, window, |at| states[at].available, &mut base.bare, change);
            let open = |at: usize| at < terrain.area_count() || states[at].available;
            // Not part of the change: it is about what can be walked on.
            let mut unseen = MapChange::default();
            redo(&terrain, window, open, &mut base.open, &mut unseen);
            wider_open.extend(unseen.opened.then_some(window));
        }
        base.relabel(&terrain, &self.states);
        for window in wider_open {
            self.far.note_opened(window, &self.base.open, &terrain.frame);
        }
        let mut wider = std::mem::take(&mut self.wider);
        for walkability in &mut wider {
            if !walkability.barred.is_empty() {
                *walkability = Arc::new(self.make_walkability(walkability.class, &walkability.barred));
                continue;
            }
            let walkability = Arc::make_mut(walkability);
            windows.iter().for_each(|&window| walkability.follow(&self.base, window, &terrain.frame));
            walkability.relabel(&terrain, &self.states);
        }
        self.wider = wider;
        let mut passages = std::mem::take(&mut self.passages);
        // A passage whose class was dropped is dropped with it.
        passages.retain(|passage| self.kept_walkability(passage.class, &passage.barred).is_some());
        for passage in &mut passages {
            let walkability = self.walkability(passage.class, &passage.barred);
            let states = self.states_for(&passage.barred);
            let passage = Arc::make_mut(passage);
            windows.iter().for_each(|&window| passage.redo(window, &terrain, &states));
            passage.relink(&walkability, &terrain, &states);
        }
        self.passages = passages;
    }

    /// Brings the factors up to date after changes within some windows, and notes where cells changed theirs.
    fn repaint(&mut self, windows: &[Window], change: &mut MapChange) {
        let terrain = self.terrain.clone();
        let mut recost = |window: &Window| {
            change.recosted = true;
            change.touch(window.bounds(&terrain.frame));
        };
        if !terrain.is_weighted(&self.states) {
            if !self.factors.is_empty() {
                windows.iter().for_each(recost);
                // Landmarks are made again in slices, if there were any.
                let was_ready = self.is_far_ready;
                self.forget_far();
                self.is_far_ready = was_ready;
            }
            self.factors.clear();
            (self.cheapest, self.unit) = (FACTOR_ONE, terrain.unit_for(1.0));
            return;
        }
        let (cheapest, costliest) = terrain.factor_range(&self.states);
        let unit = terrain.unit_for(costliest);
        if unit != self.unit {
            self.forget_far();
        }
        (self.cheapest, self.unit) = (fixed_factor(cheapest), unit);
        if self.factors.is_empty() {
            self.forget_far();
            self.factors.resize(terrain.frame.cell_count() as usize, FACTOR_ONE);
            terrain.paint_factors(Window::all(&terrain.frame), &self.states, &mut self.factors);
            windows.iter().for_each(recost);
            return;
        }
        for window in windows {
            if terrain.paint_factors(*window, &self.states, &mut self.factors) {
                self.far.note_costs(*window, &self.factors, &terrain.frame);
                recost(window);
            }
        }
    }
}

/// Adds to a list of what is kept up to date, last used last; the first makes room.
fn keep<T>(list: &mut Vec<T>, most: usize, entry: T) {
    if list.len() >= most {
        list.remove(0);
    }
    list.push(entry);
}

/// Reads a window again and notes what that changed.
fn redo(
    terrain: &CellTerrain,
    window: Window,
    available: impl Fn(usize) -> bool,
    bits: &mut Bits,
    change: &mut MapChange,
) {
    let first_word = window.words().start;
    let mut bounds = Bounds::EMPTY;
    let mut sheet = terrain.sheet(window, available);
    for z in window.first_z..window.end_z {
        let row = sheet.walkable_row(z);
        // Words reach beyond the window, and another edit of the same tick may have changed cells there.
        let mut changed = Window { first_x: u32::MAX, end_x: 0, first_z: z, end_z: z + 1 };
        for (word, &new) in (first_word..).zip(row) {
            let differ = new ^ bits.row_word(z, word);
            if differ != 0 {
                change.opened |= new & differ != 0;
                change.closed |= !new & differ != 0;
                changed.first_x = changed.first_x.min(64 * word as u32 + differ.trailing_zeros());
                changed.end_x = 64 * (word as u32 + 1) - differ.leading_zeros();
            }
        }
        if changed.end_x > 0 {
            bits.replace_row(z, first_word, row);
            bounds = bounds.union(changed.bounds(&terrain.frame));
        }
    }
    change.touch(bounds);
}

/// The same for a cell.
fn tile_hash(id: u32, state: &TileState, initial: &TileState) -> u64 {
    if state == initial {
        return 0;
    }
    let value = u64::from(state.factor) << 9 | u64::from(state.leave) << 1 | u64::from(state.walkable);
    mix(mix(u64::from(id) | 1 << 32) ^ value)
}

#[cfg(test)]
impl CellMap {
    /// How an area was at first: whether it was available, and its factor.
    pub(crate) fn initial_state(&self, area: AreaId) -> (bool, f32) {
        let state = self.states.initial(area);
        (state.available, state.factor)
    }

    /// Everything that follows from terrain and state, for comparing an edited map with one built again.
    pub(crate) fn derived(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let walkability = |s: &Arc<Walkability>| {
            let labels: Vec<_> = s.labels.runs().collect();
            let rooms = s.rooms.clone();
            (s.class, s.bare.clone(), s.open.clone(), labels, s.doors.clone(), rooms)
        };
        let passage = |p: &Arc<Passage>| {
            (p.class, p.through.clone(), p.bits().clone(), p.doors.clone(), p.gate.clone(), p.rooms.clone())
        };
        let kept: Vec<_> = std::iter::once(&self.base).chain(&self.wider).map(walkability).collect();
        let passages: Vec<_> = self.passages.iter().map(passage).collect();
        let exits = self.terrain.exits().clone();
        (kept, passages, self.factors.clone(), exits, self.cheapest, self.unit, self.edit_hash)
    }
}

#[cfg(test)]
mod tests;
