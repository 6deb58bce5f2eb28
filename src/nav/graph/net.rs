//! Points and links laid out for searching.
//!
//! In: a draft. Out: the neighbours of each point with what the way costs. Holds: costs are whole millimetres of length in space, rounded
//! up, at least 1; neighbours are sorted by number; a link has one number in both directions. Not here: which links are
//! closed just now.

use glam::Vec3;

use crate::nav::graph::Draft;

/// A graph laid out for searching. `Default` is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Net {
    points: Vec<Vec3>,
    /// Where the neighbours of each point begin; one more than there are points.
    first: Vec<u32>,
    steps: Vec<NetStep>,
    ends: Vec<[u32; 2]>,
}

/// A way from one point to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetStep {
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

impl Net {
    /// Lays a draft out. Cost: points and links.
    #[must_use]
    pub fn new(draft: &Draft) -> Self {
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
        let mut steps = vec![NetStep::default(); 2 * ends.len()];
        // Links are sorted by both ends, so neighbours come out sorted when lower ones are laid first.
        for (reversed, (link, &[a, b])) in [true, false]
            .into_iter()
            .flat_map(|reversed| (0..).zip(&ends).map(move |entry| (reversed, entry)))
        {
            let cost_mm = link_mm(points[a as usize], points[b as usize]);
            let (from, to) = if reversed { (b, a) } else { (a, b) };
            let place = &mut next[from as usize];
            steps[*place as usize] = NetStep { to, link, cost_mm };
            *place += 1;
        }
        Self { points, first, steps, ends }
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

    /// The ways from a point; none from a number that is no point.
    #[must_use]
    pub fn steps(&self, from: u32) -> &[NetStep] {
        let from = from as usize;
        if from >= self.points.len() {
            return &[];
        }
        &self.steps[self.first[from] as usize..self.first[from + 1] as usize]
    }

    /// The way from a point to a neighbour.
    #[must_use]
    pub fn step(&self, from: u32, to: u32) -> Option<NetStep> {
        let steps = self.steps(from);
        steps.binary_search_by_key(&to, |step| step.to).ok().map(|at| steps[at])
    }

    /// Never more than the cost of any way between two points: the straight line in whole millimetres, rounded down.
    #[must_use]
    pub fn straight_mm(&self, from: u32, to: u32) -> u32 {
        let [a, b] = [from, to].map(|at| self.points[at as usize].as_dvec3());
        ((b - a).length() * 1000.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_sorted_and_links_have_one_number_both_ways() {
        let points: Vec<Vec3> = (0..5).map(|at| Vec3::new(at as f32, 0.0, 0.0)).collect();
        let links = [[2, 4], [0, 2], [1, 2], [2, 3], [0, 4]];
        let net = Net::new(&Draft::new(points, &links, Vec::new()).unwrap());
        let to = |from| net.steps(from).iter().map(|step| step.to).collect::<Vec<_>>();
        assert_eq!([to(0), to(2), to(4), to(5)], [vec![2, 4], vec![0, 1, 3, 4], vec![0, 2], vec![]]);
        for (number, &[a, b]) in (0..).zip(net.links()) {
            assert_eq!(net.step(a, b).unwrap().link, number);
            assert_eq!(net.step(b, a).unwrap(), NetStep { to: a, ..net.step(a, b).unwrap() });
        }
        assert_eq!((net.step(0, 4).unwrap().cost_mm, net.step(0, 3)), (4000, None));
    }
}
