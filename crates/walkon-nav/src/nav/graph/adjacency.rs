//! Points and links laid out for searching.
//!
//! In: a draft; then points that come and links that come or go. Out: the neighbours of each point with what
//! the way costs. Holds: costs are whole millimetres of length in space, rounded up, at least 1; neighbours
//! are sorted by number; a link has one number in both directions, 0 to their count: the last one takes the
//! number of one that goes. Not here: which links are closed just now.

use std::sync::Arc;

use glam::Vec3;

use crate::nav::graph::EditableGraph;
use crate::nav::graph::alt_heuristic::GraphLandmarks;

/// A graph laid out for searching. `Default` is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjacency {
    points: Vec<Vec3>,
    /// Where the neighbours of each point begin, and how many there are.
    rows: Vec<[u32; 2]>,
    /// Rows of neighbours, and what rows that grew have left behind.
    steps: Vec<AdjacentPoint>,
    ends: Vec<[u32; 2]>,
    landmarks: Option<Arc<GraphLandmarks>>,
}

/// A way from one point to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjacentPoint {
    /// The neighbour.
    pub to: u32,
    /// The number of the link.
    pub link: u32,
    /// Its length, millimetres.
    pub cost_mm: u32,
}

/// The length of a link in whole millimetres, rounded up, at least 1.
#[must_use]
pub fn link_mm(a: Vec3, b: Vec3) -> u32 {
    let length_m = (b.as_dvec3() - a.as_dvec3()).length();
    // The cast saturates.
    ((length_m * 1000.0).ceil() as u32).max(1)
}

impl Adjacency {
    /// Lays a draft out. Cost: points and links.
    #[must_use]
    pub fn new(draft: &EditableGraph) -> Self {
        let points = draft.points().to_vec();
        let ends: Vec<[u32; 2]> = draft.links().collect();
        let mut first = vec![0u32; points.len() + 1];
        for at in ends.iter().flatten() {
            first[*at as usize + 1] += 1;
        }
        for at in 0..points.len() {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut steps = vec![AdjacentPoint::default(); 2 * ends.len()];
        // Links are sorted by both ends, so neighbours come out sorted when lower ones are laid first.
        for (reversed, (link, &[a, b])) in [true, false]
            .into_iter()
            .flat_map(|reversed| (0..).zip(&ends).map(move |entry| (reversed, entry)))
        {
            let cost_mm = link_mm(points[a as usize], points[b as usize]);
            let (from, to) = if reversed { (b, a) } else { (a, b) };
            let place = &mut next[from as usize];
            steps[*place as usize] = AdjacentPoint { to, link, cost_mm };
            *place += 1;
        }
        let rows = first.windows(2).map(|pair| [pair[0], pair[1] - pair[0]]).collect();
        Self { points, rows, steps, ends, landmarks: None }
    }

    /// Makes searches of it faster, by true lengths to a few far points. Cost: nine walks over the graph.
    pub fn prepare(&mut self) {
        self.landmarks = Some(Arc::new(GraphLandmarks::new(self)));
    }

    /// Lower bounds of ways, where they were made.
    pub(crate) fn landmarks(&self) -> Option<&GraphLandmarks> {
        self.landmarks.as_deref()
    }

    /// One more point, without links.
    pub(crate) fn add(&mut self, point: Vec3) {
        self.points.push(point);
        self.rows.push([self.steps.len() as u32, 0]);
        if let Some(landmarks) = &mut self.landmarks {
            Arc::make_mut(landmarks).grow(self.points.len());
        }
    }

    /// Links two points that are not linked; the number of the link. Cost: their neighbours, and the points
    /// that this brings nearer to far points.
    pub(crate) fn link(&mut self, ends: [u32; 2]) -> u32 {
        let link = self.ends.len() as u32;
        let [a, b] = ends;
        let cost_mm = link_mm(self.points[a as usize], self.points[b as usize]);
        self.ends.push([a.min(b), a.max(b)]);
        self.put_step(a, AdjacentPoint { to: b, link, cost_mm });
        self.put_step(b, AdjacentPoint { to: a, link, cost_mm });
        if let Some(mut landmarks) = self.landmarks.take() {
            Arc::make_mut(&mut landmarks).add(self, ends);
            self.landmarks = Some(landmarks);
        }
        link
    }

    /// Takes the link between two points away: its number, which the last link has now. Bounds of ways stay
    /// right. Cost: the neighbours of four points.
    pub(crate) fn unlink(&mut self, [a, b]: [u32; 2]) -> Option<u32> {
        let gone = self.step(a, b)?.link;
        self.take_step(a, b);
        self.take_step(b, a);
        let last = self.ends.len() as u32 - 1;
        self.ends.swap_remove(gone as usize);
        if gone != last {
            let [one, two] = self.ends[gone as usize];
            for (from, to) in [(one, two), (two, one)] {
                if let Some(at) = self.place(from, to) {
                    self.steps[at].link = gone;
                }
            }
        }
        Some(gone)
    }

    /// Where the way from a point to a neighbour stands.
    fn place(&self, from: u32, to: u32) -> Option<usize> {
        let at = self.steps(from).binary_search_by_key(&to, |step| step.to).ok()?;
        Some(self.rows[from as usize][0] as usize + at)
    }

    /// A row that grows moves to the end, unless it is there.
    fn put_step(&mut self, from: u32, step: AdjacentPoint) {
        let [begin, count] = self.rows[from as usize].map(|value| value as usize);
        if begin + count != self.steps.len() {
            self.rows[from as usize][0] = self.steps.len() as u32;
            self.steps.extend_from_within(begin..begin + count);
        }
        let [begin, count] = self.rows[from as usize].map(|value| value as usize);
        let at = self.steps[begin..begin + count].partition_point(|other| other.to < step.to);
        self.steps.insert(begin + at, step);
        self.rows[from as usize][1] += 1;
        // What is left behind is never more than what is in use, so that moving all costs little an edit.
        if self.steps.len() > 4 * self.ends.len() + 1024 {
            self.pack();
        }
    }

    fn take_step(&mut self, from: u32, to: u32) {
        if let Some(at) = self.place(from, to) {
            let [begin, count] = self.rows[from as usize].map(|value| value as usize);
            self.steps.copy_within(at + 1..begin + count, at);
            self.rows[from as usize][1] -= 1;
        }
    }

    /// Lays the rows one after the other again.
    fn pack(&mut self) {
        let before = std::mem::take(&mut self.steps);
        for [begin, count] in &mut self.rows {
            let row = *begin as usize..(*begin + *count) as usize;
            *begin = self.steps.len() as u32;
            self.steps.extend_from_slice(&before[row]);
        }
    }

    /// The points, world metres.
    #[must_use]
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The links by number, the lower end first.
    #[must_use]
    pub fn links(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Where a link begins and ends, world metres.
    #[must_use]
    #[inline]
    pub(crate) fn places(&self, link: u32) -> [Vec3; 2] {
        self.ends[link as usize].map(|end| self.points[end as usize])
    }

    /// The ways from a point; none from a number that is no point.
    #[must_use]
    pub fn steps(&self, from: u32) -> &[AdjacentPoint] {
        match self.rows.get(from as usize) {
            Some(&[begin, count]) => &self.steps[begin as usize..(begin + count) as usize],
            None => &[],
        }
    }

    /// The way from a point to a neighbour.
    #[must_use]
    pub fn step(&self, from: u32, to: u32) -> Option<AdjacentPoint> {
        self.place(from, to).map(|at| self.steps[at])
    }

    /// Never more than the cost of any way between two points: the straight line in whole millimetres,
    /// rounded down.
    #[must_use]
    pub fn straight_mm(&self, from: u32, to: u32) -> u32 {
        let [a, b] = [from, to].map(|at| self.points[at as usize].as_dvec3());
        ((b - a).length() * 1000.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::graph::PointEdit;
    use crate::nav::graph::dijkstra::{Dijkstra, FAR};

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
