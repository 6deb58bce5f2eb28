//! The ground under one kind of body, whatever the map is made of.
//!
//! In: a map and a traversal, once a tick; places. Out: whether a straight line is clear, the last clear
//! point, walls nearby. Holds: the answers are those of [`NavMap`](crate::nav::NavMap) for the same
//! traversal, without finding out each time what the traversal can use. Not here: costs, paths.

use glam::{Vec2, Vec3};

use crate::nav::cells::CellGroundQuery;
use crate::nav::graph::GraphGroundQuery;
use crate::nav::mesh::MeshGroundQuery;
use crate::nav::open_ground::OpenGround;

/// What a body may stand on and move over; see [`NavMap::footing`](crate::nav::NavMap::footing).
#[derive(Clone, Debug)]
pub struct GroundQuery<'a>(Backing<'a>);

#[derive(Clone, Debug)]
enum Backing<'a> {
    Cells(CellGroundQuery<'a>),
    Graph(GraphGroundQuery<'a>),
    Mesh(MeshGroundQuery<'a>),
}

/// The same question to whichever kind of ground there is.
macro_rules! on_kind {
    ($query:expr, $ground:ident => $answer:expr) => {
        match &$query.0 {
            Backing::Cells($ground) => $answer,
            Backing::Graph($ground) => $answer,
            Backing::Mesh($ground) => $answer,
        }
    };
}

impl<'a> From<CellGroundQuery<'a>> for GroundQuery<'a> {
    fn from(cells: CellGroundQuery<'a>) -> Self {
        Self(Backing::Cells(cells))
    }
}

impl<'a> From<GraphGroundQuery<'a>> for GroundQuery<'a> {
    fn from(graph: GraphGroundQuery<'a>) -> Self {
        Self(Backing::Graph(graph))
    }
}

impl<'a> From<MeshGroundQuery<'a>> for GroundQuery<'a> {
    fn from(mesh: MeshGroundQuery<'a>) -> Self {
        Self(Backing::Mesh(mesh))
    }
}

impl GroundQuery<'_> {
    /// Whether a body may stand at a place.
    #[must_use]
    #[inline]
    pub fn is_walkable(&self, place: Vec3) -> bool {
        on_kind!(self, ground => ground.is_walkable(place))
    }

    /// The same place at the height of the ground below it, where the map has heights; unchanged off the
    /// ground.
    #[must_use]
    #[inline]
    pub fn grounded(&self, place: Vec3) -> Vec3 {
        on_kind!(self, ground => ground.grounded(place))
    }

    /// Whether a body may move in a straight line, exactly; false when it stands where it may not. Cost: the
    /// nodes touched.
    #[must_use]
    #[inline]
    pub fn clear(&self, from: Vec3, to: Vec3) -> bool {
        on_kind!(self, ground => ground.clear(from, to))
    }

    /// Whether there is ground that may not be left in every direction.
    #[must_use]
    #[inline]
    pub fn may_trap(&self) -> bool {
        matches!(&self.0, Backing::Cells(cells) if cells.may_trap())
    }

    /// Whether a straight line leads into ground that may not be left in every direction, and that a way, by
    /// its corners, does not lead over: a body that leaves its way may come in there, and not out again.
    /// Cost: the nodes touched where there is such ground near the line.
    #[must_use]
    #[inline]
    pub fn strays(&self, from: Vec3, to: Vec3, way: &[Vec3]) -> bool {
        match &self.0 {
            Backing::Cells(cells) => cells.strays(from, to, way),
            Backing::Graph(_) | Backing::Mesh(_) => false,
        }
    }

    /// A rectangle of open ground around a straight line, with `spare_m` on every side. None where there may
    /// be a wall in it, and where the map does not know such rectangles. Cost: the nodes around the line.
    #[must_use]
    #[inline]
    pub fn open_around(&self, from: Vec3, to: Vec3, spare_m: f32) -> OpenGround {
        match &self.0 {
            Backing::Cells(cells) => cells.open_around(from, to, spare_m),
            Backing::Graph(_) | Backing::Mesh(_) => OpenGround::NONE,
        }
    }

    /// The last point of a straight line up to which it is clear: `to`, or one shortly before what is in the
    /// way.
    #[must_use]
    #[inline]
    pub fn last_clear(&self, from: Vec3, to: Vec3) -> Vec3 {
        on_kind!(self, ground => ground.last_clear(from, to))
    }

    /// Whether every straight line within `reach_m` of a place is clear. May say false when in doubt. Cost:
    /// the nodes around it.
    #[must_use]
    #[inline]
    pub fn is_open(&self, place: Vec3, reach_m: f32) -> bool {
        on_kind!(self, ground => ground.is_open(place, reach_m))
    }

    /// What a line of a metre from a place costs, beside one over squares of a grid: at least 1. Cost: a
    /// look-up.
    #[must_use]
    pub fn price(&self, place: Vec3) -> u32 {
        on_kind!(self, ground => ground.price(place))
    }

    /// Appends the stretches of wall within `reach_m` of a place that face it, as (x, z) in metres, the
    /// ground to the left of each (x turned towards z is left), in an order that the map alone decides; some
    /// may lie a little further off. Cost: the nodes around it.
    #[inline]
    pub fn walls_near(&self, place: Vec3, reach_m: f32, out: &mut Vec<[Vec2; 2]>) {
        on_kind!(self, ground => ground.walls_near(place, reach_m, out))
    }
}

/// Asks about many lines near one another: the first that is asked for opens the ground around it, as far as
/// that is open, and no line there costs anything any more. Holds: the answers are those of
/// [`GroundQuery::clear`].
#[derive(Debug)]
pub struct NearbyLines<'a, 'b> {
    ground: &'b GroundQuery<'a>,
    spare_m: f32,
    /// None until the first line is asked for.
    open: Option<OpenGround>,
}

impl<'a, 'b> NearbyLines<'a, 'b> {
    /// Lines that lie mostly within `spare_m` of the first.
    #[must_use]
    #[inline]
    pub fn new(ground: &'b GroundQuery<'a>, spare_m: f32) -> Self {
        Self { ground, spare_m, open: None }
    }

    /// The same, where some ground is known to be open; [`OpenGround::NONE`] where it is not.
    #[must_use]
    #[inline]
    pub fn within(known: OpenGround, ground: &'b GroundQuery<'a>, spare_m: f32) -> Self {
        let open = (known != OpenGround::NONE).then_some(known);
        Self { open, ..Self::new(ground, spare_m) }
    }

    /// Whether a body may move in a straight line; see [`GroundQuery::clear`].
    #[must_use]
    #[inline]
    pub fn clear(&mut self, from: Vec3, to: Vec3) -> bool {
        self.open_around(from, to).holds(from, to) || self.ground.clear(from, to)
    }

    /// The ground that was found open; around this line where none has been asked for.
    #[must_use]
    #[inline]
    pub fn open_around(&mut self, from: Vec3, to: Vec3) -> OpenGround {
        *self.open.get_or_insert_with(|| self.ground.open_around(from, to, self.spare_m))
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::NearbyLines;
    use crate::base::rng::Rng;
    use crate::nav::{AreaShape, CellMap, GridSource, NavMap, Traversal};

    /// A room of 4 by 4 metres with a pillar in the middle.
    fn room() -> NavMap {
        let area = |polygon| AreaShape { polygon, available: true, factor: 1.0 };
        let source = GridSource {
            agent_radius_m: 0.0,
            object_padding_m: 0.0,
            areas: vec![area(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])],
            obstacles: vec![area(vec![[1.6, 1.6], [2.4, 1.6], [2.4, 2.4], [1.6, 2.4]])],
            ..GridSource::default()
        };
        NavMap::from(CellMap::from_grid(&source).expect("a room"))
    }

    #[test]
    fn it_answers_as_the_map_does() {
        let (map, by) = (room(), Traversal::default());
        let ground = map.footing(&by);
        let points: Vec<Vec3> = (0..100)
            .map(|i| Vec3::new((i * 37 % 100) as f32 * 0.05 - 0.5, 0.0, (i * 61 % 97) as f32 * 0.05 - 0.4))
            .collect();
        let mut refused = 0;
        for &from in &points {
            assert_eq!(ground.is_walkable(from), map.is_walkable(from, &by));
            for &to in &points {
                assert_eq!(ground.clear(from, to), map.straight(from, to, &by).is_some());
                assert_eq!(ground.last_clear(from, to).x, map.sight(from, to, &by).1.x);
                refused += u32::from(!ground.clear(from, to));
            }
        }
        assert!(refused > 100, "some lines meet a wall");
    }

    #[test]
    fn lines_near_one_another_are_answered_as_each_is_alone() {
        let (map, by) = (room(), Traversal::default());
        let ground = map.footing(&by);
        let mut rng = Rng::stream(17, "lines");
        let mut within = |low: f64, high: f64| rng.float(low, high) as f32;
        let (mut held, mut refused) = (0, 0);
        for _ in 0..2_000 {
            let first = Vec3::new(within(-0.5, 4.5), 0.0, within(-0.5, 4.5));
            let mut lines = NearbyLines::new(&ground, 0.2);
            for _ in 0..8 {
                let mut near = || first + Vec3::new(within(-0.6, 0.6), 0.0, within(-0.6, 0.6));
                let (from, to) = (near(), near());
                assert_eq!(lines.clear(from, to), ground.clear(from, to), "{from} to {to}");
                held += u32::from(lines.open_around(from, to).holds(from, to));
                refused += u32::from(!ground.clear(from, to));
            }
        }
        assert!(held > 1_000 && refused > 1_000, "{held} in the open, {refused} that meet a wall");
    }

    #[test]
    fn open_ground_has_no_walls_within_reach_and_lets_every_line_pass() {
        let (map, by) = (room(), Traversal::default());
        let ground = map.footing(&by);
        let mut walls = Vec::new();
        let (open, beside) = (Vec3::new(0.8, 0.0, 0.8), Vec3::new(1.4, 0.0, 2.0));
        ground.walls_near(open, 0.3, &mut walls);
        assert!(ground.is_open(open, 0.3) && walls.is_empty());
        ground.walls_near(beside, 0.3, &mut walls);
        assert!(!ground.is_open(beside, 0.3));
        assert_eq!(
            walls,
            [[Vec2::new(1.6, 1.6), Vec2::new(1.6, 2.4)]],
            "the near side of the pillar, in one piece"
        );
    }
}
