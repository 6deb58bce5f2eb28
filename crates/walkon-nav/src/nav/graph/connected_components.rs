//! Connected components of a graph, for each set of closed areas.
//!
//! In: links, the areas that each crosses, kinds of bodies, the state of the areas. Out: for each point the
//! lowest-numbered one that it is connected to. Holds: answers are those of a flood over the open links;
//! labels are computed at the first question and stay valid until links change: an area that goes and comes
//! back finds its labels again. Not here: which areas are closed to which bodies (`map`).

use std::sync::{Arc, OnceLock};

use crate::base::disjoint_sets::DisjointSets;
use crate::base::ids::AreaId;
use crate::nav::Traversal;

/// How many kinds of bodies are kept beside those that a level is known to have.
const KINDS_MAX: usize = 12;

/// For each of so many points the least one that it is linked with, directly or over others. Cost: the links.
pub(crate) fn labels(count: usize, links: impl IntoIterator<Item = [u32; 2]>) -> Vec<u32> {
    let mut sets = DisjointSets::new(count);
    links.into_iter().for_each(|[a, b]| sets.join(a, b));
    sets.all_lowest()
}

/// Some areas, obstacles included, as bits. Equal sets are equal: it ends with a word that is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AreaSet(Vec<u64>);

impl AreaSet {
    pub(crate) fn insert(&mut self, area: usize) {
        if self.0.len() <= area / 64 {
            self.0.resize(area / 64 + 1, 0);
        }
        self.0[area / 64] |= 1 << (area % 64);
    }

    pub(crate) fn has(&self, area: usize) -> bool {
        self.0.get(area / 64).is_some_and(|word| word >> (area % 64) & 1 == 1)
    }
}

/// What of a traversal decides which areas are closed to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AreaAccess {
    /// Areas that are walls to it, sorted.
    pub(crate) barred: Vec<AreaId>,
    /// Areas that it plans through although they are not available, sorted.
    pub(crate) through: Vec<AreaId>,
}

impl AreaAccess {
    pub(crate) fn of(by: &Traversal) -> Self {
        let shunned = by.areas.iter().flat_map(|list| list.iter()).filter(|(_, own)| own.is_none());
        let mut barred: Vec<AreaId> =
            by.barred().iter().copied().chain(shunned.map(|entry| entry.0)).collect();
        barred.sort_unstable();
        barred.dedup();
        let through = by.through.iter().flat_map(|list| list.iter()).map(|entry| entry.0).collect();
        Self { barred, through }
    }
}

/// Labels that are kept, and for which bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Last used first.
    kinds: Vec<AreaAccess>,
    /// Beside [`KINDS_MAX`].
    more: usize,
    /// Last needed first.
    sheets: Vec<LabelSet>,
}

/// The labels for one set of closed areas.
#[derive(Clone, Debug)]
struct LabelSet {
    closed: AreaSet,
    labels: OnceLock<Arc<[u32]>>,
}

impl Known {
    /// Makes room for so many kinds beside the last used.
    pub(crate) fn keep(&mut self, kinds: usize) {
        self.more = kinds;
    }

    pub(crate) fn is_known(&self, kind: &AreaAccess) -> bool {
        self.kinds.contains(kind)
    }

    /// Remembers a kind, as the last used.
    pub(crate) fn remember(&mut self, kind: AreaAccess) {
        self.kinds.retain(|other| *other != kind);
        self.kinds.insert(0, kind);
        self.kinds.truncate(KINDS_MAX.saturating_add(self.more));
    }

    pub(crate) fn kinds(&self) -> &[AreaAccess] {
        &self.kinds
    }

    /// Gets ready to keep the labels for a set of closed areas, worked out when they are first asked for.
    pub(crate) fn expect(&mut self, closed: AreaSet) {
        let at = self.sheets.iter().position(|sheet| sheet.closed == closed);
        let sheet = match at {
            Some(at) => self.sheets.remove(at),
            None => LabelSet { closed, labels: OnceLock::new() },
        };
        self.sheets.insert(0, sheet);
        // Each kind asks as things are and as they were if everything opened; twice, so that a door that
        // opens and closes is worked out once.
        self.sheets.truncate(KINDS_MAX.saturating_add(self.more).saturating_mul(4));
    }

    /// Forgets all labels: links have changed. Kinds stay.
    pub(crate) fn forget(&mut self) {
        self.sheets.clear();
    }

    /// One more point, linked with none.
    pub(crate) fn add_point(&mut self) {
        self.change(|_, labels| labels.push(labels.len() as u32));
    }

    /// Two points are linked now, for the bodies to which that link is open.
    pub(crate) fn join(&mut self, ends: [u32; 2], is_open: impl Fn(&AreaSet) -> bool) {
        self.change(|closed, labels| {
            let [a, b] = ends.map(|end| labels[end as usize]);
            if a != b && is_open(closed) {
                labels.iter_mut().filter(|label| **label == a.max(b)).for_each(|label| *label = a.min(b));
            }
        });
    }

    /// A link has gone: labels stay for those sets of closed areas where `stays` says so.
    pub(crate) fn part(&mut self, stays: impl Fn(&AreaSet) -> bool) {
        for sheet in &mut self.sheets {
            if sheet.labels.get().is_some() && !stays(&sheet.closed) {
                sheet.labels = OnceLock::new();
            }
        }
    }

    fn change(&mut self, edit: impl Fn(&AreaSet, &mut Vec<u32>)) {
        for sheet in &mut self.sheets {
            if let Some(labels) = sheet.labels.take() {
                let mut labels = labels.to_vec();
                edit(&sheet.closed, &mut labels);
                sheet.labels = OnceLock::from(Arc::from(labels));
            }
        }
    }

    /// The labels for a set of closed areas, kept or worked out for this once.
    pub(crate) fn labels(&self, closed: &AreaSet, fresh: impl FnOnce() -> Vec<u32>) -> Arc<[u32]> {
        match self.sheets.iter().find(|sheet| sheet.closed == *closed) {
            Some(sheet) => sheet.labels.get_or_init(|| fresh().into()).clone(),
            None => fresh().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_the_least_point_of_each_group() {
        let links = [[4, 2], [1, 5], [2, 6], [5, 1], [6, 4]];
        assert_eq!(labels(8, links), [0, 1, 2, 3, 2, 1, 2, 7]);
        assert_eq!(labels(0, []), [0u32; 0]);
    }

    #[test]
    fn equal_sets_of_areas_are_equal_however_they_were_made() {
        let set = |areas: &[usize]| {
            let mut set = AreaSet::default();
            areas.iter().for_each(|&area| set.insert(area));
            set
        };
        assert_eq!(set(&[3, 64, 200]), set(&[200, 3, 64, 3]));
        assert_ne!(set(&[3]), set(&[67]));
        assert!(set(&[200]).has(200) && !set(&[200]).has(8) && !set(&[]).has(9000));
    }

    #[test]
    fn what_is_kept_is_worked_out_once_and_the_oldest_goes_first() {
        let closed = |area| {
            let mut set = AreaSet::default();
            set.insert(area);
            set
        };
        let mut known = Known::default();
        known.expect(closed(0));
        assert_eq!(*known.labels(&closed(0), || vec![7]), [7]);
        assert_eq!(*known.labels(&closed(0), || vec![8]), [7], "kept");
        assert_eq!(*known.labels(&closed(1), || vec![9]), [9]);
        assert_eq!(*known.labels(&closed(1), || vec![10]), [10], "nobody expects it");
        for area in 1..=4 * KINDS_MAX {
            known.expect(closed(area));
        }
        assert_eq!(*known.labels(&closed(0), || vec![11]), [11], "put out");
        known.remember(AreaAccess::default());
        known.forget();
        assert!(known.is_known(&AreaAccess::default()));
    }
}
