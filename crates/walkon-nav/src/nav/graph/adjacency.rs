//! Adjacency lists of a graph for searches, with lower bounds of ways where they are wanted.
//!
//! In: a draft; then points that come and links that come or go. Out: the rows of neighbours (`link_rows`),
//! lower bounds of ways (`alt_heuristic`). Holds: bounds stay right whatever comes or goes. Not here: which
//! links are closed just now.

use std::ops::Deref;
use std::sync::Arc;

use glam::Vec3;

use crate::nav::graph::EditableGraph;
use crate::nav::graph::alt_heuristic::GraphLandmarks;
use crate::nav::graph::link_rows::LinkRows;

/// A graph laid out for searching. `Default` is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjacency {
    rows: LinkRows,
    landmarks: Option<Arc<GraphLandmarks>>,
}

impl Deref for Adjacency {
    type Target = LinkRows;

    #[inline(always)]
    fn deref(&self) -> &LinkRows {
        &self.rows
    }
}

impl Adjacency {
    /// Lays a draft out. Cost: points and links.
    #[must_use]
    pub fn new(draft: &EditableGraph) -> Self {
        Self { rows: LinkRows::new(draft), landmarks: None }
    }

    /// Makes searches of it faster, by true lengths to a few far points. Cost: nine walks over the graph.
    pub fn prepare(&mut self) {
        self.landmarks = Some(Arc::new(GraphLandmarks::new(&self.rows)));
    }

    /// Lower bounds of ways, where they were made.
    #[inline]
    pub(crate) fn landmarks(&self) -> Option<&GraphLandmarks> {
        self.landmarks.as_deref()
    }

    /// One more point, without links.
    pub(crate) fn add(&mut self, point: Vec3) {
        self.rows.add(point);
        if let Some(landmarks) = &mut self.landmarks {
            Arc::make_mut(landmarks).grow(self.rows.points().len());
        }
    }

    /// Links two points that are not linked; the number of the link. Cost: their neighbours, and the points
    /// that this brings nearer to far points.
    pub(crate) fn link(&mut self, ends: [u32; 2]) -> u32 {
        let link = self.rows.link(ends);
        if let Some(landmarks) = &mut self.landmarks {
            Arc::make_mut(landmarks).add(&self.rows, ends);
        }
        link
    }

    /// Takes the link between two points away: its number, which the last link has now. Bounds of ways stay
    /// right. Cost: the neighbours of four points.
    pub(crate) fn unlink(&mut self, ends: [u32; 2]) -> Option<u32> {
        self.rows.unlink(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::graph::PointEdit;
    use crate::nav::graph::dijkstra::{Dijkstra, FAR};
    use crate::nav::graph::link_rows::AdjacentPoint;

    #[test]
    fn a_net_that_was_changed_is_that_of_the_changed_draft() {
        for seed in 0..20 {
            let mut rng = Rng::stream(seed, "net");
            let place =
                |rng: &mut Rng| Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32) * 20.0;
            let points: Vec<Vec3> = (0..30).map(|_| place(&mut rng)).collect();
            let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
            let mut net = Adjacency::new(&draft);
            net.prepare();
            for _ in 0..400 {
                let count = draft.points().len() as u64;
                let ends = [rng.below(count) as u32, rng.below(count) as u32];
                let edit = match rng.below(9) {
                    0 => PointEdit::Add {
                        at: count as u32,
                        point: place(&mut rng),
                        links: Vec::new(),
                        part: None,
                    },
                    1..=4 => PointEdit::Unlink { ends },
                    _ => PointEdit::Link { ends },
                };
                if draft.apply(&edit).is_err() {
                    continue;
                }
                match edit {
                    PointEdit::Add { point, .. } => net.add(point),
                    PointEdit::Link { ends } => assert_eq!(net.link(ends) as usize, net.links().len() - 1),
                    _ => assert!(net.unlink(ends).is_some()),
                }
            }
            let fresh = Adjacency::new(&draft);
            let mut links = net.links().to_vec();
            links.sort_unstable();
            assert_eq!((net.points(), links.as_slice()), (fresh.points(), fresh.links()));
            let mut spread = Dijkstra::default();
            for from in 0..net.points().len() as u32 {
                let bare = |net: &Adjacency| {
                    net.steps(from).iter().map(|step| (step.to, step.cost_mm)).collect::<Vec<_>>()
                };
                assert_eq!(bare(&net), bare(&fresh));
                for step in net.steps(from) {
                    assert_eq!(net.links()[step.link as usize], [from.min(step.to), from.max(step.to)]);
                }
                spread.run(&net, [(from, 0)], FAR, |_, _| true);
                for &to in spread.reached() {
                    let goal = net.landmarks().unwrap().goal(&[(to, 0)]);
                    assert!(
                        net.landmarks().unwrap().bound_mm(from, &goal) <= spread.cost_mm(to),
                        "{seed}: {from} {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn neighbours_are_sorted_and_links_have_one_number_both_ways() {
        let points: Vec<Vec3> = (0..5).map(|at| Vec3::new(at as f32, 0.0, 0.0)).collect();
        let links = [[2, 4], [0, 2], [1, 2], [2, 3], [0, 4]];
        let net = Adjacency::new(&EditableGraph::new(points, &links, Vec::new()).unwrap());
        let to = |from| net.steps(from).iter().map(|step| step.to).collect::<Vec<_>>();
        assert_eq!([to(0), to(2), to(4), to(5)], [vec![2, 4], vec![0, 1, 3, 4], vec![0, 2], vec![]]);
        for (number, &[a, b]) in (0..).zip(net.links()) {
            assert_eq!(net.step(a, b).unwrap().link, number);
            assert_eq!(net.step(b, a).unwrap(), AdjacentPoint { to: a, ..net.step(a, b).unwrap() });
        }
        assert_eq!((net.step(0, 4).unwrap().cost_mm, net.step(0, 3)), (4000, None));
    }
}
