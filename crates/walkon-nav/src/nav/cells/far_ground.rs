//! The landmarks of a map, and how they keep up with its edits.
//!
//! In: the ground when somebody is prepared for, then what edits open or make cheaper, and allowances. Out:
//! what a search may take for granted of far ways. Holds: bounds hold on the map as it is; which landmarks
//! there are follows from the edits and the allowances alone; a plan keeps those that it was begun with. Once
//! ground that all costs the same has opened, its landmarks are made again in slices, and until then bounds
//! allow for ways over what opened. On ground of several factors they are made again only when costs are
//! counted in another unit. Not here: the bounds themselves (`alt_heuristic`), who is to have them (`map`).

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::nav::cells::Bits;
use crate::nav::cells::alt_heuristic::{AltHeuristic, CellLandmarks};
use crate::nav::cells::even_landmarks::EvenSurvey;
use crate::nav::cells::raster::Window;
use crate::nav::cells::source::MapFrame;
use crate::nav::cells::weighted_astar::WeightedGround;
use crate::nav::landmarks::ChangedGround;
use crate::nav::{ConnectedComponents, NodeId};

/// Cells of the largest part of a map of several factors for which landmarks are made. Smaller ones are
/// searched before they would pay; on larger ones they take too long to make, and too much memory (150 ms and
/// 8 MB at 2^18 cells).
pub(super) const PRICED_CELLS: RangeInclusive<u64> = if cfg!(test) { 1..=1 << 19 } else { 1024..=1 << 19 };
/// The same where all ground costs the same: 80 ms and 4 MB at 2^18 cells. Below, ways are so short that
/// reading bounds takes as long as they save.
const EVEN_CELLS: RangeInclusive<u64> = if cfg!(test) { 1..=1 << 19 } else { 4096..=1 << 19 };

/// See the module. `Default` has no landmarks.
#[derive(Clone, Debug, Default)]
pub(crate) struct FarGround {
    landmarks: Option<Arc<CellLandmarks>>,
    /// Where cells opened or changed their factor since.
    cheaper: Arc<ChangedGround>,
    survey: Option<Box<Survey>>,
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
        self.is_wanted = true;
        if self.landmarks.is_none() && !self.are_useless {
            let make = |seed| match ground.factor.is_empty() {
                true => CellLandmarks::surveyed(survey(ground, seed).finish(), ground.unit),
                false => CellLandmarks::of(ground, seed),
            };
            self.take(seed(ground, labels).map(make), ChangedGround::default());
        }
    }

    /// Goes on making them again where that would help, for so many expansions at most; what it took.
    pub(crate) fn tend(
        &mut self,
        ground: &WeightedGround,
        labels: &ConnectedComponents,
        allowance: u32,
    ) -> u32 {
        if !ground.factor.is_empty() || !self.is_wanted || self.are_useless || allowance == 0 {
            return 0;
        }
        let mut survey = match self.survey.take() {
            Some(survey) => survey,
            None if self.landmarks.is_some() && self.cheaper.is_empty() => return 0,
            None => {
                let Some(seed) = seed(ground, labels) else {
                    self.take(None, ChangedGround::default());
                    return 0;
                };
                let work = survey(ground, seed);
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

    /// Takes landmarks that were just made, unless they do not help.
    fn take(&mut self, landmarks: Option<CellLandmarks>, cheaper: ChangedGround) {
        let landmarks = landmarks.filter(|landmarks| cfg!(test) || landmarks.are_worth_it());
        self.are_useless = landmarks.is_none();
        (self.landmarks, self.cheaper) = (landmarks.map(Arc::new), Arc::new(cheaper));
        self.survey = None;
    }

    /// Notes that cells of a window have opened. Those that were open when landmarks were made are known to
    /// them.
    pub(crate) fn note_opened(&mut self, window: Window, open: &Bits, frame: &MapFrame) {
        let part = window.grown(1, frame).rect();
        let is_open = |x: u32, z: u32| open.get(x, z);
        if self.landmarks.as_ref().is_some_and(|landmarks| !landmarks.know_all(window, is_open)) {
            Arc::make_mut(&mut self.cheaper).add(part);
        }
        if let Some(survey) = self.survey.as_mut().filter(|survey| !survey.work.looks_at_all(window, is_open))
        {
            survey.cheaper.add(part);
        }
    }

    /// Notes that cells of a window may have become cheaper.
    pub(crate) fn note_cheaper(&mut self, window: Window, frame: &MapFrame) {
        if self.landmarks.is_some() {
            Arc::make_mut(&mut self.cheaper).add(window.grown(1, frame).rect());
        }
    }

    /// Forgets what was counted in another unit.
    pub(crate) fn forget(&mut self) {
        (self.landmarks, self.survey, self.are_useless) = (None, None, false);
        self.cheaper = Arc::default();
    }

    /// Memory taken by landmarks.
    pub(crate) fn bytes(&self) -> usize {
        self.landmarks.as_ref().map_or(0, |landmarks| landmarks.bytes())
    }

    /// Whether there are landmarks, and whether bounds allow for ground that opened since.
    #[cfg(test)]
    pub(crate) fn state(&self) -> (bool, bool) {
        (self.landmarks.is_some(), !self.cheaper.is_empty())
    }
}

/// Looks at ground that all costs the same. Tests take landmarks that are not worth it as well.
fn survey(ground: &WeightedGround, seed: NodeId) -> EvenSurvey {
    let survey = EvenSurvey::begin(ground.bits, ground.unit, seed);
    if cfg!(test) { survey } else { survey.giving_up() }
}

/// A cell of the largest part, if that is of a size that pays.
fn seed(ground: &WeightedGround, labels: &ConnectedComponents) -> Option<NodeId> {
    let largest = (0..labels.count()).max_by_key(|&label| labels.cells(label))?;
    let sizes = if ground.factor.is_empty() { EVEN_CELLS } else { PRICED_CELLS };
    let first = labels.runs().find(|run| run.label == largest)?;
    sizes.contains(&labels.cells(largest)).then(|| NodeId(first.z * ground.bits.width() + first.first_x))
}
