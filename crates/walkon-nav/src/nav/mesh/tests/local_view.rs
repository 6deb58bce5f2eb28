//! Ground that was made again around what changed, against ground made whole.

use super::*;
use crate::nav::mesh::build::MeshView;
use crate::nav::{PassRules, RawMesh};

/// The side of the floor of a scene, metres.
const SIDE_M: f64 = 40.0;
/// Obstacles on it: with so many it is not small.
const OBSTACLES: usize = 110;
/// Rooms beside the floor, and strips on it.
const ROOMS: u32 = 6;

/// A turned rectangle.
fn slanted(rng: &mut Rng) -> AreaShape {
    let (x, z, turn) =
        (rng.float(0.0, SIDE_M), rng.float(0.0, SIDE_M), rng.float(0.0, std::f64::consts::FRAC_PI_2));
    let half = [rng.float(0.1, 1.2), rng.float(0.1, 1.2)];
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let corner = |[a, b]: [f64; 2]| [x + a * cos - b * sin, z + a * sin + b * cos];
    let [a, b] = half;
    let polygon = [[-a, -b], [a, -b], [a, b], [-a, b]].map(corner).to_vec();
    AreaShape { polygon, available: rng.unit() < 0.8, factor: 1.0 }
}

/// A floor with rooms along its right side and strips across it; some of everything is not there at first.
fn scene(rng: &mut Rng) -> MeshSource {
    let mut areas = vec![rectangle([0.0, SIDE_M], [0.0, SIDE_M])];
    for room in 0..ROOMS {
        let low = 6.0 * f64::from(room);
        let shape = rectangle([SIDE_M, SIDE_M + 6.0], [low, low + 6.0]);
        areas.push(AreaShape { available: rng.unit() < 0.6, ..shape });
        let across = rectangle([low, low + 2.0], [rng.float(0.0, 30.0), rng.float(31.0, 39.0)]);
        areas.push(AreaShape { available: rng.unit() < 0.6, factor: 1.0, ..across });
    }
    MeshSource {
        areas,
        obstacles: (0..OBSTACLES).map(|_| slanted(rng)).collect(),
        agent_radius_m: [0.0, 0.3][rng.below(2) as usize],
        object_padding_m: [0.0, 0.1][rng.below(2) as usize],
        boundary_padding_m: [0.0, 0.2][rng.below(2) as usize],
        ..MeshSource::default()
    }
}

/// The same on four squares of polygons as authored; the rooms are strips that lie on them, too.
fn on_polygons(source: MeshSource) -> MeshSource {
    let half = SIDE_M / 2.0;
    let vertices = (0..9).map(|at| [f64::from(at % 3) * half, 2.0, f64::from(at / 3) * half]).collect();
    let square = |at: u32| vec![at, at + 1, at + 4, at + 3];
    let raw = RawMesh { vertices, polygons: [0, 1, 3, 4].map(square).to_vec() };
    let areas = source.areas.into_iter().skip(1).collect();
    MeshSource { ground: Some(raw.check().expect("squares")), areas, ..source }
}

/// Changes some of a source, and the same of a map of it.
fn change(source: &mut MeshSource, edited: &mut NavMap, rng: &mut Rng) {
    let areas = source.areas.len();
    for _ in 0..1 + rng.below(4) {
        let at = match rng.below(3) {
            0 => rng.below(areas as u64) as usize,
            _ => areas + rng.below(OBSTACLES as u64) as usize,
        };
        let shape = if at < areas { &mut source.areas[at] } else { &mut source.obstacles[at - areas] };
        shape.available = !shape.available;
        toggle(edited, AreaId::from(at), shape.available);
    }
}

/// Whether a place is all ground or none a little around it, too: rounded ends may differ by a hundredth.
fn is_sure(map: &NavMap, place: Vec3, by: &Traversal) -> bool {
    let around = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|way| place + way * 0.03);
    let here = map.is_walkable(place, by);
    around.into_iter().all(|beside| map.is_walkable(beside, by) == here)
}

/// Goal: ground that was made again around what changed is the ground made whole. Method: random floors with
/// rooms, strips and obstacles, some of which come and go several times; bodies of three sizes; where they
/// may stand and how far they walk, against a mesh made with the same at first.
#[test]
fn ground_made_again_around_what_changed_is_that_made_whole() {
    let mut rng = Rng::stream(9, "local");
    let (mut local, mut whole, mut walked) = (0, 0, 0);
    for round in 0..12 {
        let mut source = scene(&mut rng);
        if round % 3 == 2 {
            source = on_polygons(source);
        }
        let mut edited = map(&source);
        for _ in 0..3 {
            change(&mut source, &mut edited, &mut rng);
            let made = map(&source);
            for by in [wide(0.0), wide(0.3), wide(0.55)] {
                let mesh = edited.mesh().expect("a mesh");
                match mesh.edited_view(&mesh.key(&by)) {
                    Some(_) => local += 1,
                    None => whole += 1,
                }
                let [one, other] = [&edited, &made].map(|map| size(map, &by));
                assert!((one - other).abs() < 1e-3, "{one} and {other} square metres for {}", by.radius_m);
                walked += compare([&edited, &made], &by, &mut rng);
            }
        }
    }
    assert!(whole * 10 <= local && walked > 600, "{local} local, {whole} whole, {walked} walked");
}

/// Square metres of the ground of a body.
fn size(map: &NavMap, by: &Traversal) -> f64 {
    let view = map.mesh().expect("a mesh").view(by);
    (0..view.surface.polygon_count()).map(|polygon| view.surface.area(polygon)).sum()
}

/// Compares where a body may stand and how far it walks; the number of walks.
fn compare([edited, made]: [&NavMap; 2], by: &Traversal, rng: &mut Rng) -> usize {
    let mut walked = 0;
    for _ in 0..25 {
        let y = if made.mesh().is_some_and(|mesh| mesh.source.ground.is_some()) { 2.0 } else { 0.0 };
        let [from, to] = [(); 2]
            .map(|()| Vec3::new(rng.float(0.0, SIDE_M + 6.0) as f32, y, rng.float(0.0, SIDE_M) as f32));
        if !is_sure(made, from, by) || !is_sure(made, to, by) {
            continue;
        }
        assert_eq!(edited.is_walkable(from, by), made.is_walkable(from, by), "{from} for {}", by.radius_m);
        if !made.is_walkable(from, by) || !made.is_walkable(to, by) {
            continue;
        }
        let [one, other] = [edited, made].map(|map| plan(map, from, to, by));
        assert_eq!((one.status, one.trouble), (other.status, other.trouble), "{from} to {to}");
        let (one_m, other_m) = (one.path.length_m, other.path.length_m);
        let what = || format!("{one_m} {other_m}: {from} to {to} for {}", by.radius_m);
        assert!((one_m - other_m).abs() < 1e-3 * (1.0 + other_m), "{}", what());
        walked += 1;
    }
    walked
}

#[test]
fn ground_that_is_as_at_first_again_is_the_same_and_the_way_there_matters_not() {
    let mut rng = Rng::stream(10, "local");
    let source = scene(&mut rng);
    let (mut one, mut other) = (map(&source), map(&source));
    let (by, [a, b, c]) = (wide(0.3), [20, 40, 60].map(|at| AreaId(1 + 2 * ROOMS + at)));
    let flip = |map: &mut NavMap, area: AreaId| {
        let is_there = map.mesh().and_then(|mesh| mesh.area_state(area)).expect("an obstacle").0;
        toggle(map, area, !is_there);
        map.mesh().expect("a mesh").view(&by)
    };
    let first = one.mesh().expect("a mesh").view(&by);
    flip(&mut one, a);
    assert!(Arc::ptr_eq(&first, &flip(&mut one, a)), "as at first");
    for area in [a, b, c] {
        flip(&mut one, area);
    }
    let one = flip(&mut one, b);
    flip(&mut other, c);
    let other = flip(&mut other, a);
    assert_eq!((&one.surface.ring, &one.surface.twin), (&other.surface.ring, &other.surface.twin));
    assert_eq!((&one.surface.points, &one.surface.owner), (&other.surface.points, &other.surface.owner));
}

/// Law: every question looks up what a look at every area and obstacle finds, for every kind of body and
/// after any areas and obstacles have come and gone.
#[test]
fn keys_are_those_of_a_look_at_every_area_and_obstacle() {
    let mut rng = Rng::stream(11, "keys");
    for _ in 0..8 {
        let mut source = scene(&mut rng);
        let first = source.clone();
        let mut edited = map(&source);
        let areas = source.areas.len();
        let mut added = Vec::new();
        for round in 0..6 {
            change(&mut source, &mut edited, &mut rng);
            if round % 2 == 1 {
                let centre = LayerPoint { layer: 0, point: Vec3::new(5.0, 0.0, 5.0) };
                added.push(edited.add_obstacle(&added, centre, 0.5));
                toggle(&mut edited, added[rng.below(added.len() as u64) as usize], true);
            }
            let mut some = |share: f64| -> Vec<AreaId> {
                (0..areas).filter(|_| rng.unit() < share).map(AreaId::from).collect()
            };
            let (barred, through, shunned) = (some(0.2), some(0.2), some(0.2));
            let through: Vec<(AreaId, f32)> = through.into_iter().map(|area| (area, 1.0)).collect();
            let shuns: Vec<(AreaId, Option<f32>)> = shunned.iter().map(|area| (*area, None)).collect();
            let particular = Traversal {
                radius_m: 0.5,
                through: Some(through.clone().into()),
                areas: Some(shuns.into()),
                rules: Some(PassRules { barred: barred.clone(), ..PassRules::default() }.into()),
                ..Traversal::default()
            };
            let mesh = edited.mesh().expect("a mesh");
            for (by, is_particular) in [(wide(0.5), false), (particular, true)] {
                let key = mesh.key(&by);
                let is_open = |area: usize, available: bool| {
                    let id = AreaId::from(area);
                    let is_listed = through.iter().any(|entry| entry.0 == id);
                    if is_particular { is_listed || available && !barred.contains(&id) } else { available }
                };
                let open = |source: &MeshSource| -> Vec<bool> {
                    let areas = source.areas.iter().enumerate();
                    areas.map(|(area, shape)| is_open(area, shape.available)).collect()
                };
                let (before, now) = (open(&first), open(&source));
                assert_eq!(*key.open, *now);
                let is_shunned = |area| is_particular && shunned.contains(&AreaId::from(area));
                assert_eq!(*key.shunned, *(0..areas).map(is_shunned).collect::<Vec<_>>());
                let blocking: Vec<bool> = source.obstacles.iter().map(|shape| shape.available).collect();
                assert_eq!(key.blocking[..OBSTACLES], *blocking);
                let in_force = |id: &&AreaId| mesh.area_state(**id).is_some_and(|state| state.0);
                let last = added.iter().rfind(in_force).map_or(areas + OBSTACLES, |id| id.index() + 1);
                assert_eq!(key.blocking.len(), last - areas);
                let was_blocking = |at: usize| first.obstacles[at].available;
                let changed_areas = (0..areas).filter(|&area| before[area] != now[area]);
                let changed_obstacles = (0..OBSTACLES).filter(|&at| was_blocking(at) != blocking[at]);
                let changed = changed_areas.chain(changed_obstacles.map(|at| areas + at));
                assert_eq!(*key.changes, *changed.map(|at| at as u32).collect::<Vec<_>>());
            }
        }
    }
}

/// Law: whatever came and went before, the ground is that of a mesh that changed to the same at once, polygon
/// by polygon; pieces that were kept change nothing.
#[test]
fn ground_that_changed_step_by_step_is_that_of_one_that_changed_at_once() {
    let mut rng = Rng::stream(12, "steps");
    for round in 0..6 {
        let mut source = scene(&mut rng);
        if round % 3 == 2 {
            source = on_polygons(source);
        }
        let first = source.clone();
        let mut edited = map(&source);
        for _ in 0..8 {
            change(&mut source, &mut edited, &mut rng);
            let mut at_once = map(&first);
            let now = source.areas.iter().chain(&source.obstacles);
            for (at, shape) in now.enumerate() {
                toggle(&mut at_once, AreaId::from(at), shape.available);
            }
            for by in [wide(0.0), wide(0.55)] {
                let [one, other] = [&edited, &at_once].map(|map| map.mesh().expect("a mesh").view(&by));
                let corners = |view: &MeshView| (view.surface.ring.clone(), view.surface.twin.clone());
                assert_eq!(corners(&one), corners(&other));
                assert_eq!(one.surface.points, other.surface.points);
                assert_eq!((&one.surface.owner, &one.sets), (&other.surface.owner, &other.sets));
            }
        }
    }
}

/// Law: a change makes no ground again but around itself, however many others there are already.
#[test]
fn a_change_makes_its_own_piece_only() {
    let square = |at: u32| {
        let [x, z] = [at % 12, at / 12].map(|step| 5.0 * f64::from(step) + 2.0);
        rectangle([x, x + 1.0], [z, z + 1.0])
    };
    let floor = rectangle([0.0, 62.0], [0.0, 62.0]);
    let source = MeshSource {
        areas: vec![floor],
        obstacles: (0..144).map(square).collect(),
        agent_radius_m: 0.3,
        ..MeshSource::default()
    };
    let (mut edited, by) = (map(&source), wide(0.3));
    let mut before = 0;
    for at in 0..12 {
        toggle(&mut edited, AreaId(1 + (at * 55) % 144), false);
        let mesh = edited.mesh().expect("a mesh");
        mesh.view(&by);
        let count = mesh.piece_count(&by);
        assert!(count <= before + 1, "{count} pieces, {before} before");
        before = count;
    }
    assert!(before >= 6, "{before} pieces");
}

/// Goal: on ground that is not flat an obstacle that comes takes what it covers, whichever way round its
/// corners are listed and whether it is convex. Method: a slope with many obstacles, one of which comes; the
/// ground that is left, against a mesh that had it at first.
#[test]
fn obstacles_of_any_shape_take_ground_that_is_not_flat_as_if_they_had_been_there() {
    let convex = vec![[12.0, 12.0], [22.0, 12.0], [22.0, 20.0], [12.0, 20.0]];
    let hook = vec![[12.0, 12.0], [28.0, 12.0], [28.0, 14.0], [14.0, 14.0], [14.0, 28.0], [12.0, 28.0]];
    for (shape, turned) in [(&convex, false), (&convex, true), (&hook, false), (&hook, true)] {
        let mut source = on_polygons(scene(&mut Rng::stream(11, "local")));
        let half = SIDE_M / 2.0;
        let place = |at: u32| [f64::from(at % 3) * half, f64::from(at % 3), f64::from(at / 3) * half];
        let square = |at: u32| vec![at, at + 1, at + 4, at + 3];
        let raw =
            RawMesh { vertices: (0..9).map(place).collect(), polygons: [0, 1, 3, 4].map(square).to_vec() };
        source.ground = Some(raw.check().expect("a slope"));
        let mut polygon = shape.clone();
        if turned {
            polygon.reverse();
        }
        let area = AreaId::from(source.areas.len());
        source.obstacles[0] = AreaShape { polygon, available: false, factor: 1.0 };
        let mut edited = map(&source);
        toggle(&mut edited, area, true);
        source.obstacles[0].available = true;
        let made = map(&source);
        for by in [wide(0.0), wide(0.3)] {
            let [one, other] = [&edited, &made].map(|map| size(map, &by));
            assert!((one - other).abs() < 0.05, "{one} and {other} square metres for {}", by.radius_m);
        }
    }
}
