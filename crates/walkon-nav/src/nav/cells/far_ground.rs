//! The landmarks of a map, kept up to date with its edits.
//!
//! In: the ground when a kind of body is prepared for, then what edits open or make cheaper, and allowances.
//! Out: lower bounds that a search may use. Holds: bounds hold on the map as it is; the set of landmarks
//! follows from the edits and the allowances alone; a plan keeps the ones it began with. Once ground that all
//! costs the same has opened, its landmarks are made again in slices, and until then bounds allow for ways
//! over what opened. On ground of several factors they are made again only when costs are counted in another
//! unit, a flood at a time once its cells are paid for, and searches do without until then; bounds allow for
//! ground that is cheaper than it was, as long as it is.
//! Not here: the bounds themselves (`alt_heuristic`), which bodies get them (`map`).

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::nav::cells::Bits;
use crate::nav::cells::alt_heuristic::{AltHeuristic, CellLandmarks};
use crate::nav::cells::even_landmarks::EvenSurvey;
use crate::nav::cells::priced_landmarks::PricedSurvey;
use crate::nav::cells::raster::Window;
use crate::nav::cells::source::MapFrame;
use crate::nav::cells::weighted_ground::{WeightedGround, flood_of};
use crate::nav::landmarks::ChangedGround;
use crate::nav::{ConnectedComponents, NodeId};

/// Cells of the largest part of a map of several factors for which landmarks are made. Smaller ones are
/// searched before they would pay; on larger ones they take too long to make, and too much memory (150 ms and
/// 8 MB at 2^18 cells).
pub(super) const PRICED_CELLS: RangeInclusive<u64> = 1024..=1 << 19;
/// The same where all ground costs the same: 80 ms and 4 MB at 2^18 cells. Below, ways are so short that
/// reading bounds takes as long as they save.
const EVEN_CELLS: RangeInclusive<u64> = 4096..=1 << 19;

/// Which ground gets landmarks. `Default`: where they pay.
#[derive(Clone, Debug)]
struct LandmarkRule {
    /// Cells of the largest part where all ground costs the same.
    even_cells: RangeInclusive<u64>,
    /// The same on ground of several factors.
    priced_cells: RangeInclusive<u64>,
    /// Whether those that do not help searches are given up.
    gives_up: bool,
}

impl Default for LandmarkRule {
    fn default() -> Self {
        Self { even_cells: EVEN_CELLS, priced_cells: PRICED_CELLS, gives_up: true }
    }
}

impl LandmarkRule {
    /// A cell of the largest part, if that is of a size that pays.
    fn seed(&self, ground: &WeightedGround, labels: &ConnectedComponents) -> Option<NodeId> {
        let largest = (0..labels.count()).max_by_key(|&label| labels.cells(label))?;
        let sizes = if ground.factor.is_empty() { &self.even_cells } else { &self.priced_cells };
        let first = labels.runs().find(|run| run.label == largest)?;
        sizes.contains(&labels.cells(largest)).then(|| NodeId(first.z * ground.bits.width() + first.first_x))
    }

    /// Begins to look at ground that all costs the same.
    fn survey(&self, ground: &WeightedGround, seed: NodeId) -> EvenSurvey {
        let survey = EvenSurvey::begin(ground.bits, ground.unit, seed);
        if self.gives_up { survey.giving_up() } else { survey }
    }

    /// Whether landmarks are kept.
    fn keeps(&self, landmarks: &CellLandmarks) -> bool {
        !self.gives_up || landmarks.are_worth_it()
    }
}

/// See the module. `Default` has no landmarks.
#[derive(Clone, Debug, Default)]
pub(crate) struct FarGround {
    rule: LandmarkRule,
    landmarks: Option<Arc<CellLandmarks>>,
    /// Where ground is cheaper than when they were made: cells that opened, and those with a smaller factor.
    cheaper: Arc<ChangedGround>,
    /// Where cells opened since.
    opened: ChangedGround,
    /// On ground of several factors, the factors by cell when they were made.
    factors: Arc<[u16]>,
    /// Where factors are smaller now.
    recosted: Vec<Window>,
    survey: Option<Box<Survey>>,
    /// On ground of several factors.
    priced: Option<Box<SlicedSurvey>>,
    /// Whether they were asked for.
    is_wanted: bool,
    /// Whether they were found not to help.
    are_useless: bool,
}

/// Landmarks in the making.
#[derive(Clone, Debug)]
struct Survey {
    work: EvenSurvey,
    /// Where cells opened since it began.
    cheaper: ChangedGround,
}

/// Landmarks of ground of several factors in the making.
#[derive(Clone, Debug)]
struct SlicedSurvey {
    work: PricedSurvey,
    /// Expansions that the next flood has so far.
    saved_up: u64,
}

/// What is known of far ways, for as long as a plan needs it.
#[derive(Clone, Debug)]
pub(crate) struct FarWays {
    landmarks: Arc<CellLandmarks>,
    cheaper: Arc<ChangedGround>,
}

impl FarWays {
    /// The bounds that it gives.
    pub(crate) fn bounds(&self) -> AltHeuristic<'_> {
        AltHeuristic::new(&self.landmarks, &self.cheaper)
    }
}

impl FarGround {
    /// With landmarks on ground of any size, though they do not help: small maps test what they do.
    #[cfg(test)]
    pub(crate) fn anywhere() -> Self {
        let any = 1..=u64::MAX;
        let rule = LandmarkRule { even_cells: any.clone(), priced_cells: any, gives_up: false };
        Self { rule, ..Self::default() }
    }

    /// What is known now; None when so much has changed since that it would not help.
    pub(crate) fn known(&self, frame: &MapFrame) -> Option<FarWays> {
        let landmarks = self.landmarks.as_ref()?;
        let is_vague = 2 * self.cheaper.area() > u64::from(frame.cell_count());
        let (landmarks, cheaper) = (Arc::clone(landmarks), Arc::clone(&self.cheaper));
        (!is_vague).then_some(FarWays { landmarks, cheaper })
    }

    /// Makes landmarks at once where there are none. `ground`: with all areas open, so that doors change
    /// nothing, and without directions: ways with them are no cheaper.
    pub(crate) fn prepare(&mut self, ground: &WeightedGround, labels: &ConnectedComponents) {
        let is_first = !std::mem::replace(&mut self.is_wanted, true);
        // Once a level runs, a tick has no time for all floods over ground of several factors.
        if self.landmarks.is_none() && !self.are_useless && (is_first || ground.factor.is_empty()) {
            let make = |seed| match ground.factor.is_empty() {
                true => CellLandmarks::surveyed(self.rule.survey(ground, seed).finish(), ground.unit),
                false => CellLandmarks::of(ground, seed),
            };
            let landmarks = self.rule.seed(ground, labels).map(make);
            self.take(landmarks, ChangedGround::default());
            self.factors = ground.factor.into();
        }
    }

    /// Goes on making them again where that would help, for so many expansions at most; what it took.
    pub(crate) fn precompute_idle(
        &mut self,
        ground: &WeightedGround,
        labels: &ConnectedComponents,
        allowance: u32,
    ) -> u32 {
        if !self.is_wanted || self.are_useless || allowance == 0 {
            return 0;
        }
        if !ground.factor.is_empty() {
            return self.survey_priced(ground, labels, allowance);
        }
        let mut survey = match self.survey.take() {
            Some(survey) => survey,
            None if self.landmarks.is_some() && self.cheaper.is_empty() => return 0,
            None => {
                let Some(seed) = self.seed_or_give_up(ground, labels) else { return 0 };
                let work = self.rule.survey(ground, seed);
                Box::new(Survey { work, cheaper: ChangedGround::default() })
            }
        };
        let (landmarks, spent) = survey.work.step(allowance);
        match landmarks {
            Some(landmarks) => {
                self.take(Some(CellLandmarks::surveyed(landmarks, ground.unit)), survey.cheaper);
            }
            None => self.survey = Some(survey),
        }
        spent
    }

    /// Where landmarks are begun. None where the ground is of no size for them, and then none are tried
    /// again.
    fn seed_or_give_up(&mut self, ground: &WeightedGround, labels: &ConnectedComponents) -> Option<NodeId> {
        let seed = self.rule.seed(ground, labels);
        if seed.is_none() {
            self.take(None, ChangedGround::default());
        }
        seed
    }

    /// The same on ground of several factors. What changes there meanwhile begins it again.
    fn survey_priced(
        &mut self,
        ground: &WeightedGround,
        labels: &ConnectedComponents,
        allowance: u32,
    ) -> u32 {
        if self.landmarks.is_some() {
            return 0;
        }
        let mut survey = match self.priced.take() {
            Some(survey) => survey,
            None => {
                let Some(seed) = self.seed_or_give_up(ground, labels) else { return 0 };
                let work = PricedSurvey::begin(ground.bits.width(), seed);
                Box::new(SlicedSurvey { work, saved_up: 0 })
            }
        };
        survey.saved_up += u64::from(allowance);
        if survey.saved_up >= u64::from(ground.bits.width()) * u64::from(ground.bits.depth()) {
            survey.saved_up = 0;
            if let Some(landmarks) = survey.work.flood(flood_of(ground)) {
                self.take(Some(CellLandmarks::priced(landmarks, ground.unit)), ChangedGround::default());
                self.factors = ground.factor.into();
                return allowance;
            }
        }
        self.priced = Some(survey);
        allowance
    }

    /// Takes landmarks that were just made, unless they do not help.
    fn take(&mut self, landmarks: Option<CellLandmarks>, cheaper: ChangedGround) {
        let landmarks = landmarks.filter(|landmarks| self.rule.keeps(landmarks));
        self.are_useless = landmarks.is_none();
        (self.landmarks, self.opened, self.survey) = (landmarks.map(Arc::new), cheaper, None);
        self.recosted.clear();
        self.priced = None;
        self.cheaper = Arc::new(self.opened.clone());
    }

    /// Notes that cells of a window have opened. Those that were open when landmarks were made are known to
    /// them.
    pub(crate) fn note_opened(&mut self, window: Window, open: &Bits, frame: &MapFrame) {
        let part = window.grown(1, frame).rect();
        let is_open = |x: u32, z: u32| open.get(x, z);
        self.priced = None;
        if self.landmarks.as_ref().is_some_and(|landmarks| !landmarks.know_all(window, is_open)) {
            self.opened.add(part);
            Arc::make_mut(&mut self.cheaper).add(part);
        }
        if let Some(survey) = self.survey.as_mut().filter(|survey| !survey.work.looks_at_all(window, is_open))
        {
            survey.cheaper.add(part);
        }
    }

    /// Notes that cells of a window changed their factor; `factors` has those of now, by cell. Ground that
    /// costs what it did when landmarks were made, or more, is as well known as then.
    pub(crate) fn note_costs(&mut self, window: Window, factors: &[u16], frame: &MapFrame) {
        /// When there are more parts, they count as cheaper for good.
        const PARTS_MAX: usize = 16;
        self.priced = None;
        if self.landmarks.is_none() {
            return;
        }
        let part = |window: Window| window.grown(1, frame).rect();
        if !self.recosted.contains(&window) {
            self.recosted.push(window);
        }
        let made = &self.factors;
        let is_as_before = |x: u32, z: u32| {
            let cell = (z * frame.width + x) as usize;
            made.get(cell).is_some_and(|made| factors.get(cell) >= Some(made))
        };
        self.recosted.retain(|other| !other.overlaps(&window) || !other.all_cells(is_as_before));
        if self.recosted.len() > PARTS_MAX {
            self.recosted.drain(..).for_each(|window| self.opened.add(part(window)));
        }
        let mut cheaper = self.opened.clone();
        self.recosted.iter().for_each(|&window| cheaper.add(part(window)));
        self.cheaper = Arc::new(cheaper);
    }

    /// Forgets what was counted in another unit.
    pub(crate) fn forget(&mut self) {
        *self = Self { rule: self.rule.clone(), is_wanted: self.is_wanted, ..Self::default() };
    }

    /// Whether there are landmarks, and whether bounds allow for ground that opened since.
    #[cfg(test)]
    pub(crate) fn state(&self) -> (bool, bool) {
        (self.landmarks.is_some(), !self.cheaper.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ground_on_which_they_pay_gets_landmarks() {
        // A square, open, or with walls through it that leave a way round at either end in turn.
        let made = |mut far: FarGround, width: u32, has_walls: bool| {
            let mut bits = Bits::new(width, width);
            for (x, z) in (0..width * width).map(|cell| (cell % width, cell / width)) {
                let gap = if z % 8 == 2 { 0 } else { width - 1 };
                bits.set(x, z, !has_walls || z % 4 != 2 || x == gap);
            }
            far.prepare(&WeightedGround::even(&bits), &ConnectedComponents::of(&bits));
            far.state().0
        };
        assert!(!made(FarGround::default(), 60, true), "3600 cells at most");
        assert!(made(FarGround::default(), 80, true));
        assert!(!made(FarGround::default(), 80, false), "nothing is gained in the open");
        assert!(made(FarGround::anywhere(), 6, false));
    }
}
