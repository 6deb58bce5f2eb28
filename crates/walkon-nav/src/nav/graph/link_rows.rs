//! Points and links laid out in rows: the neighbours of each point with what the way costs.
//!
//! In: a draft; then points that come and links that come or go. Out: the rows. Holds: costs are whole
//! millimetres of length in space, rounded up, at least 1; neighbours are sorted by number; a link has one
//! number in both directions, 0 to their count: the last one takes the number of one that goes. Not here:
//! what makes searches of them faster (`adjacency`), which links are closed just now.

use glam::Vec3;

use crate::nav::graph::EditableGraph;

/// The most that a link or a way costs, millimetres: what would cost more is still a way.
pub(crate) const DEAREST: u32 = u32::MAX - 2;

/// Points and their links. `Default` is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkRows {
    points: Vec<Vec3>,
    /// Where the neighbours of each point begin, and how many there are.
    rows: Vec<[u32; 2]>,
    /// Rows of neighbours, and what rows that grew have left behind.
    steps: Vec<AdjacentPoint>,
    ends: Vec<[u32; 2]>,
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
    ((length_m * 1000.0).ceil() as u32).clamp(1, DEAREST)
}

impl LinkRows {
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
        Self { points, rows, steps, ends }
    }

    /// One more point, without links.
    pub(crate) fn add(&mut self, point: Vec3) {
        self.points.push(point);
        self.rows.push([self.steps.len() as u32, 0]);
    }

    /// Links two points that are not linked; the number of the link. Cost: their neighbours.
    pub(crate) fn link(&mut self, ends: [u32; 2]) -> u32 {
        let link = self.ends.len() as u32;
        let [a, b] = ends;
        let cost_mm = link_mm(self.points[a as usize], self.points[b as usize]);
        self.ends.push([a.min(b), a.max(b)]);
        self.put_step(a, AdjacentPoint { to: b, link, cost_mm });
        self.put_step(b, AdjacentPoint { to: a, link, cost_mm });
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
}
