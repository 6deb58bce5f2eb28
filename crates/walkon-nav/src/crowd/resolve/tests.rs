use super::*;
use crate::base::rng::Rng;

const SETTINGS: PushSettings = PushSettings {
    passes: 3,
    push_max_m: 0.25,
    slack_m: 0.001,
    watch_m: 0.1,
    storey_m: 1.5,
    per_cell_max: 16,
    questions_max: QUESTIONS_MAX,
    turn: 0,
    threads: Threads::ONE,
};

/// Ground where x may not be crossed at some value: a wall without thickness, and nothing else.
struct WallAt(f32);

impl Ground for WallAt {
    fn clear(&self, from: Vec3, to: Vec3, _: usize) -> bool {
        (from.x < self.0) == (to.x < self.0)
    }
}

fn bodies(places: &[(f32, f32)], stance: BodyStance) -> Bodies {
    let mut bodies = Bodies::default();
    for &(x, z) in places {
        bodies.push(Vec3::new(x, 0.0, z), 0.35, stance);
    }
    bodies
}

fn resolve(bodies: &mut Bodies, ground: &impl Ground) -> PushReport {
    Resolver::default().resolve(bodies, ground, &SETTINGS).clone()
}

#[test]
fn seed_c2_two_bodies_on_one_point_part_the_same_way_in_every_run() {
    let run = || {
        let mut bodies = bodies(&[(1.0, 1.0), (1.0, 1.0)], BodyStance::default());
        resolve(&mut bodies, &Open);
        resolve(&mut bodies, &Open);
        bodies.places
    };
    let places = run();
    assert!((places[1] - places[0]).length() > 0.69, "{places:?}");
    assert_eq!(places, run());
}

#[test]
fn kernel_g17_the_direction_of_parting_comes_from_the_ids() {
    let mut quarters = [0; 4];
    for first in 0..40 {
        for second in first + 1..40 {
            let direction = parting(first, second);
            assert!((direction.length() - 1.0).abs() < 1e-6);
            quarters[usize::from(direction.x < 0.0) * 2 + usize::from(direction.y < 0.0)] += 1;
        }
    }
    assert!(quarters.iter().all(|&count| count > 120), "{quarters:?}: all quarters are used");
}

#[test]
fn seed_c3_each_of_two_is_moved_half_the_overlap() {
    let mut bodies = bodies(&[(0.0, 0.0), (0.5, 0.0)], BodyStance::default());
    let report = resolve(&mut bodies, &Open);
    assert!((bodies.places[0] - Vec2::new(-0.1, 0.0)).length() < 1e-6, "{}", bodies.places[0]);
    assert!((bodies.places[1] - Vec2::new(0.6, 0.0)).length() < 1e-6, "{}", bodies.places[1]);
    assert_eq!(report.contacts, [Contact { first: 0, second: 1 }]);
    assert_eq!(report.pushed, [0, 1]);
}

#[test]
fn seed_c4_the_partner_of_a_body_at_a_wall_takes_the_whole_push() {
    let mut bodies = bodies(&[(0.05, 0.0), (0.65, 0.0)], BodyStance::default());
    bodies.places[0].x = 0.01;
    bodies.places[1].x = 0.51;
    let report = resolve(&mut bodies, &WallAt(0.0));
    assert_eq!(bodies.places[0], Vec2::new(0.01, 0.0), "not moved");
    assert!((bodies.places[1].x - 0.71).abs() < 1e-5, "{}", bodies.places[1]);
    assert_eq!(report.pushed, [1]);
    assert_eq!(report.refused_count, 1);
}

#[test]
fn seed_c4_two_bodies_between_walls_stay_where_they_are() {
    struct Nowhere;
    impl Ground for Nowhere {
        fn clear(&self, _: Vec3, _: Vec3, _: usize) -> bool {
            false
        }
    }
    let mut bodies = bodies(&[(0.0, 0.0), (0.2, 0.0)], BodyStance::default());
    let before = bodies.places.clone();
    let report = resolve(&mut bodies, &Nowhere);
    assert_eq!(bodies.places, before);
    assert_eq!(report.contacts.len(), 1, "they touch all the same");
    assert!(report.pushed.is_empty() && report.refused_count > 0);
}

#[test]
fn a_pinned_body_is_not_moved_and_its_partner_takes_the_whole_push() {
    let mut bodies = bodies(&[(0.0, 0.0), (0.5, 0.0)], BodyStance::default());
    bodies.stances[0].movable = false;
    resolve(&mut bodies, &Open);
    assert_eq!(bodies.places[0], Vec2::ZERO);
    assert!((bodies.places[1].x - 0.7).abs() < 1e-5, "{}", bodies.places[1]);
}

#[test]
fn ghosts_and_bodies_on_another_floor_touch_nobody() {
    let mut bodies = bodies(&[(0.0, 0.0), (0.1, 0.0), (0.2, 0.0)], BodyStance::default());
    bodies.stances[0].ghost = true;
    bodies.floors_m[1] = 3.0;
    let before = bodies.clone();
    let report = resolve(&mut bodies, &Open);
    assert_eq!(bodies, before);
    assert!(report.contacts.is_empty());
}

#[test]
fn inv_n4_nobody_is_pushed_further_than_the_bound() {
    let mut bodies = bodies(&[(0.0, 0.0); 30], BodyStance::default());
    let before = bodies.places.clone();
    resolve(&mut bodies, &Open);
    for (from, to) in before.iter().zip(&bodies.places) {
        assert!((*to - *from).length() <= SETTINGS.push_max_m + 1e-6);
    }
}

#[test]
fn seed_c5_standing_bodies_come_to_rest_and_stay_at_rest() {
    let mut rng = Rng::stream(3, "standing");
    for crowd in [2, 5, 12] {
        let places: Vec<(f32, f32)> =
            (0..crowd).map(|_| (rng.float(0.0, 1.0) as f32, rng.float(0.0, 1.0) as f32)).collect();
        let (mut bodies, mut resolver) = (bodies(&places, BodyStance::default()), Resolver::default());
        for _ in 0..60 {
            resolver.resolve(&mut bodies, &Open, &SETTINGS);
        }
        let rest = bodies.places.clone();
        for tick in 0..60 {
            let report = resolver.resolve(&mut bodies, &Open, &SETTINGS);
            assert!(report.pushed.is_empty(), "{crowd} bodies, tick {tick}: {:?}", report.pushed);
        }
        assert_eq!(bodies.places, rest);
    }
}

#[test]
fn seed_c6_a_mover_that_touches_a_standing_body_is_reported_with_it() {
    let mut bodies = bodies(&[(0.0, 0.0), (0.5, 0.0), (5.0, 0.0), (5.5, 0.0)], BodyStance::default());
    bodies.stances[1].moving = true;
    let report = resolve(&mut bodies, &Open);
    let touching: Vec<(u32, u32)> =
        report.contacts.iter().map(|contact| (contact.first, contact.second)).collect();
    assert_eq!(touching, [(0, 1), (2, 3)], "standing bodies too");
}

#[test]
fn inv_n3_a_place_that_is_not_a_number_moves_nobody() {
    let mut bodies =
        bodies(&[(0.0, 0.0), (f32::NAN, 0.0), (f32::INFINITY, 0.0), (0.5, 0.0)], BodyStance::default());
    bodies.radii_m[3] = f32::NAN;
    let report = resolve(&mut bodies, &Open);
    assert!(report.pushed.is_empty() && report.contacts.is_empty());
    assert_eq!(bodies.places[0], Vec2::ZERO);
}

/// Every pair that overlaps, by comparing every body with every other.
fn overlaps(bodies: &Bodies) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for first in 0..bodies.len() {
        for second in first + 1..bodies.len() {
            let between = bodies.places[second] - bodies.places[first];
            let touch_m = bodies.radii_m[first] + bodies.radii_m[second];
            if between.x * between.x + between.y * between.y < touch_m * touch_m {
                pairs.push((first as u32, second as u32));
            }
        }
    }
    pairs
}

#[test]
fn every_overlap_is_found_for_equal_and_for_mixed_sizes() {
    for (seed, sizes) in
        [(1, vec![0.35]), (2, vec![0.3, 0.5]), (3, vec![0.05, 0.35, 4.0]), (4, vec![0.1, 10.0])]
    {
        let mut rng = Rng::stream(seed, "sizes");
        let mut crowd = Bodies::default();
        for index in 0..400 {
            let place = Vec3::new(rng.float(0.0, 30.0) as f32, 0.0, rng.float(0.0, 30.0) as f32);
            // One of the largest in forty, the others in turn.
            let small_count = (sizes.len() - 1).max(1);
            let radius_m: f32 =
                if index % 40 == 0 { sizes[sizes.len() - 1] } else { sizes[index % small_count] };
            crowd.push(place, radius_m, BodyStance::default());
        }
        let expected = overlaps(&crowd);
        // No push: the contacts are the overlaps at the start.
        let still = PushSettings { passes: 1, push_max_m: 0.0, ..SETTINGS };
        let report = Resolver::default().resolve(&mut crowd, &Open, &still).clone();
        let found: Vec<(u32, u32)> =
            report.contacts.iter().map(|contact| (contact.first, contact.second)).collect();
        assert_eq!(found, expected, "sizes {sizes:?}");
    }
}

#[test]
fn the_bodies_numbers_alone_decide_so_a_shifted_crowd_moves_alike() {
    // Multiples of 1/16 m, so that shifting by whole metres rounds nothing off.
    let mut rng = Rng::stream(9, "shift");
    let places: Vec<(f32, f32)> =
        (0..200).map(|_| (rng.int(0, 160) as f32 / 16.0, rng.int(0, 160) as f32 / 16.0)).collect();
    let shifted: Vec<(f32, f32)> = places.iter().map(|&(x, z)| (x + 3.0, z - 5.0)).collect();
    let (mut here, mut there) =
        (bodies(&places, BodyStance::default()), bodies(&shifted, BodyStance::default()));
    let (one, other) = (resolve(&mut here, &Open), resolve(&mut there, &Open));
    for (index, (a, b)) in here.places.iter().zip(&there.places).enumerate() {
        assert!((*a + Vec2::new(3.0, -5.0) - *b).length() < 1e-4, "body {index}: {a} and {b}");
    }
    assert_eq!(one.pushed, other.pushed);
}

const MOVER: BodyStance = BodyStance { movable: true, moving: true, player: false, ghost: false };

/// One tick: every body takes its step, and overlapping bodies are parted; a body that comes nearer than it
/// may goes back. The deepest overlap left, as a part of the radius.
fn tick(bodies: &mut Bodies, ground: &impl Ground, holds: bool, step: impl Fn(usize) -> Vec2) -> f32 {
    let began = bodies.places.clone();
    for (index, place) in bodies.places.iter_mut().enumerate() {
        *place += step(index);
    }
    let mut resolver = Resolver::default();
    resolver.resolve(bodies, ground, &SETTINGS);
    if holds {
        resolver.hold_back(bodies, &began, &mut Vec::new());
    }
    let mut deepest_m: f32 = 0.0;
    for (first, second) in overlaps(bodies) {
        let (first, second) = (first as usize, second as usize);
        let apart_m = (bodies.places[first] - bodies.places[second]).length();
        deepest_m = deepest_m.max(bodies.radii_m[first] + bodies.radii_m[second] - apart_m);
    }
    deepest_m / 0.35
}

/// The deepest that a file of twelve comes to overlap in two seconds whose first stands at a wall while the
/// others walk on.
fn pressed(holds: bool) -> f32 {
    let places: Vec<(f32, f32)> = (0..12_u8).map(|at| (0.01 + 0.7 * f32::from(at), 0.0)).collect();
    let mut file = bodies(&places, MOVER);
    let step = |index: usize| if index == 0 { Vec2::ZERO } else { Vec2::new(-0.02, 0.0) };
    (0..120).fold(0.0, |deepest: f32, _| deepest.max(tick(&mut file, &WallAt(0.0), holds, step)))
}

#[test]
fn a_file_that_is_pressed_to_a_wall_is_not_pressed_into_itself() {
    assert!(pressed(false) > 0.05, "pushing alone leaves {}", pressed(false));
    assert!(pressed(true) <= 0.0401, "{}", pressed(true));
}

#[test]
fn in_a_crowd_that_mills_about_nobody_comes_to_overlap_and_somebody_gets_on() {
    let mut rng = Rng::stream(4, "milling");
    let mut crowd = Bodies::default();
    while crowd.len() < 100 {
        let place = Vec2::new(rng.float(0.0, 10.0) as f32, rng.float(0.0, 10.0) as f32);
        if crowd.places.iter().all(|other| (*other - place).length() >= 0.7) {
            crowd.push(Vec3::new(place.x, 0.0, place.y), 0.35, MOVER);
        }
    }
    let began = crowd.places.clone();
    for time in 0..200 {
        let steps: Vec<Vec2> = (0..crowd.len())
            .map(|_| Vec2::new(rng.float(-0.05, 0.05) as f32, rng.float(-0.05, 0.05) as f32))
            .collect();
        let deepest = tick(&mut crowd, &Open, true, |index| steps[index]);
        assert!(deepest <= 0.0401, "tick {time}: {deepest}");
    }
    let gone = crowd.places.iter().zip(&began).filter(|(to, from)| (**to - **from).length() > 0.2).count();
    assert!(gone > 60, "{gone} of 100 have moved");
}

#[test]
fn whoever_walks_into_somebody_who_cannot_move_stays_where_it_began() {
    for stance in
        [BodyStance { movable: false, ..BodyStance::default() }, BodyStance { movable: false, ..MOVER }]
    {
        // In the way back there is a wall just behind: the push alone cannot part them.
        let mut pair = bodies(&[(0.005, 0.0), (0.70, 0.0)], MOVER);
        pair.stances[1] = stance;
        let deepest = tick(&mut pair, &WallAt(0.0), true, |index| Vec2::new([0.02, 0.0][index], 0.0));
        assert!(deepest <= 0.0401, "{deepest}");
        assert_eq!(pair.places[1], Vec2::new(0.70, 0.0));
    }
}

#[test]
fn whoever_began_in_somebody_gets_out() {
    let mut pair = bodies(&[(1.0, 0.0), (1.3, 0.0)], MOVER);
    for _ in 0..10 {
        tick(&mut pair, &Open, true, |index| Vec2::new([0.03, 0.01][index], 0.0));
    }
    assert!((pair.places[1] - pair.places[0]).length() > 0.68, "{:?}", pair.places);
}

/// A square room around the middle that counts what it is asked.
#[derive(Default)]
struct Room {
    asked: std::cell::Cell<u32>,
}

impl Room {
    /// From the middle to a wall, metres.
    const HALF_M: f32 = 40.0;
}

impl Ground for Room {
    fn clear(&self, _: Vec3, to: Vec3, _: usize) -> bool {
        self.asked.set(self.asked.get() + 1);
        to.x.abs() <= Self::HALF_M && to.z.abs() <= Self::HALF_M
    }
}

#[test]
fn fault_g35_a_heap_asks_no_more_than_its_budget_and_comes_apart() {
    for count in [2_000, 4_000] {
        // Half the way to a corner: it fills up, and there pushes are refused. Nobody is told that ground is
        // open.
        let spot = (-0.5 * Room::HALF_M, -0.5 * Room::HALF_M);
        let (mut bodies, mut resolver) =
            (bodies(&vec![spot; count], BodyStance::default()), Resolver::default());
        let (mut shorts, mut steps) = (0, 0);
        let mut deepest_m = f32::INFINITY;
        while deepest_m > 0.05 * 0.35 {
            let room = Room::default();
            let settings = PushSettings { passes: 6, turn: steps, per_cell_max: 6, ..SETTINGS };
            let report = resolver.resolve(&mut bodies, &room, &settings);
            assert!(
                room.asked.get() <= QUESTIONS_MAX + QUESTIONS_MAX / 4,
                "{} in one step",
                room.asked.get()
            );
            assert_eq!(room.asked.get(), report.asked_count);
            shorts += u32::from(report.is_short);
            deepest_m = report.deepest_m;
            steps += 1;
            assert!(steps < 1_500, "{count} bodies are {deepest_m} m deep in one another");
        }
        assert!(shorts > 0, "{count} on one spot are a heap");
    }
}

#[test]
fn fault_g35_everybody_in_a_heap_has_its_turn() {
    // Expensive questions: the budget is enough for a hundredth of them in a step.
    struct Expensive;
    impl Ground for Expensive {
        fn clear(&self, _: Vec3, _: Vec3, _: usize) -> bool {
            true
        }
        fn price(&self, _: Vec3, _: usize) -> u32 {
            100
        }
    }
    let (count, mut resolver) = (1_000, Resolver::default());
    let mut has_moved = vec![false; count];
    for turn in 0..100 {
        // The same heap again and again: those always behind the others would never be moved.
        let mut heap = bodies(&vec![(0.0, 0.0); count], BodyStance::default());
        let settings = PushSettings { questions_max: 40_000, turn, ..SETTINGS };
        let report = resolver.resolve(&mut heap, &Expensive, &settings);
        assert!(report.is_short && report.asked_count <= 50_000, "{}", report.asked_count);
        report.pushed.iter().for_each(|&index| has_moved[index as usize] = true);
    }
    assert_eq!(has_moved.iter().position(|&moved| !moved), None, "nobody starves");
}

#[test]
fn fault_g35_a_heap_of_thousands_is_looked_at_less_closely_and_comes_apart() {
    let count = HEAP_BODIES_MIN + 500;
    let mut rng = Rng::stream(11, "heap");
    let places: Vec<(f32, f32)> =
        (0..count).map(|_| (rng.float(0.0, 12.0) as f32, rng.float(0.0, 12.0) as f32)).collect();
    let mut bodies = bodies(&places, BodyStance::default());
    let mut resolver = Resolver::default();
    assert_eq!(resolver.find_pairs(&bodies, &SETTINGS), in_heaps(&SETTINGS));
    let mut steps = 0;
    while resolver.resolve(&mut bodies, &Open, &SETTINGS).deepest_m > 0.05 * 0.35 {
        steps += 1;
        assert!(steps < 1_500, "{:?}", resolver.report.deepest_m);
    }
    assert_eq!(resolver.find_pairs(&bodies, &SETTINGS), SETTINGS, "no heap is left");
}
