use super::*;
use crate::base::rng::Rng;
use crate::base::threads::Threads;
use crate::crowd::avoid::right_of_way::{PassingRoom, in_the_way, is_jammed};
use crate::crowd::avoid::simd::lanes;

const SETTINGS: AvoidSettings = AvoidSettings {
    horizon_s: 2.0,
    standing_horizon_s: 1.0,
    wall_horizon_s: 0.3,
    part_s: 0.25,
    neighbours_max: 10,
    reach_m: 5.0,
    gap_m: 0.01,
    wall_gap_m: 0.0,
    side: PassingSide::Right,
    side_share: 0.1,
    step_back_share: 0.3,
    storey_m: 1.5,
    per_cell_max: 16,
};

fn walker(x: f32, z: f32, velocity: (f32, f32)) -> Walker {
    let velocity = Vec2::new(velocity.0, velocity.1);
    Walker {
        place: Vec2::new(x, z),
        velocity,
        desired: velocity,
        radius_m: 0.35,
        speed_max_mps: 1.4,
        gives_way: 1.0,
        left_m: 0.0,
        held_s: 0.0,
        width_m: f32::INFINITY,
        room_m: 0.0,
        floor_m: 0.0,
    }
}

fn velocities(walkers: &[Walker], walls: &[Wall], settings: &AvoidSettings) -> Vec<Vec2> {
    let mut out = Vec::new();
    let add = |_, near: &mut Vec<Wall>| near.extend_from_slice(walls);
    Avoider::default().run(
        walkers,
        add,
        &Step { settings, step_s: 1.0 / 60.0, epoch: 0, threads: Threads::ONE },
        &mut out,
    );
    out
}

#[test]
fn who_meets_nobody_gets_what_it_wants() {
    let walkers =
        [walker(0.0, 0.0, (1.0, 0.5)), walker(3.0, 0.0, (1.0, 0.5)), walker(100.0, 0.0, (-1.0, 0.0))];
    let out = velocities(&walkers, &[], &SETTINGS);
    assert!(out.iter().zip(&walkers).all(|(velocity, walker)| *velocity == walker.desired), "{out:?}");
}

#[test]
fn nobody_is_faster_than_its_speed() {
    let mut rng = Rng::stream(4, "speed");
    let mut unit = || rng.float(-1.0, 1.0) as f32;
    for _ in 0..200 {
        let walkers: Vec<Walker> =
            (0..12).map(|_| walker(unit() * 2.0, unit() * 2.0, (unit() * 3.0, unit() * 3.0))).collect();
        for velocity in velocities(&walkers, &[], &SETTINGS) {
            assert!(velocity.is_finite() && velocity.length() <= 1.4 + 1e-4, "{velocity}");
        }
    }
}

#[test]
fn fault_g35_in_a_heap_everybody_wants_out_by_its_own_way_and_beside_it_everybody_avoids() {
    let in_heap = |index: usize| walker(0.7, 0.7, (1.0 + 0.01 * index as f32, 2.0));
    let mut walkers: Vec<Walker> = (0..=HEAP_MIN).map(in_heap).collect();
    let beside = [walker(20.0, -2.0, (0.0, 1.4)), walker(20.0, 2.0, (0.0, -1.4))];
    walkers.extend(beside);
    let out = velocities(&walkers, &[], &SETTINGS);
    for (velocity, walker) in out.iter().zip(&walkers[..=HEAP_MIN]) {
        let wanted = walker.desired.normalize() * walker.speed_max_mps;
        assert!((*velocity - wanted).length() < 1e-5, "{velocity} instead of {wanted}");
    }
    assert_eq!(out[HEAP_MIN + 1..], velocities(&beside, &[], &SETTINGS), "as if there were no heap");
    // One less, and they are a crowd that avoids.
    walkers.remove(0);
    let out = velocities(&walkers, &[], &SETTINGS);
    assert!(
        out.iter().zip(&walkers).take(HEAP_MIN).any(|(velocity, walker)| {
            velocity.normalize_or_zero().dot(walker.desired.normalize()) < 0.99
        })
    );
}

#[test]
fn two_heads_on_turn_to_the_passing_side_as_mirror_images() {
    let walkers = [walker(0.0, -2.0, (0.0, 1.4)), walker(0.0, 2.0, (0.0, -1.4))];
    let right = velocities(&walkers, &[], &SETTINGS);
    assert!((right[0] + right[1]).length() < 1e-6, "{right:?}");
    // Looking along +z with y up, right is -x.
    assert!(right[0].x < -0.05, "{right:?}");
    let left = velocities(&walkers, &[], &AvoidSettings { side: PassingSide::Left, ..SETTINGS });
    assert!(left[0].x > 0.05, "{left:?}");
}

#[test]
fn who_stands_or_is_held_leaves_the_whole_to_the_mover() {
    let mut held = walker(0.0, 2.0, (0.0, -1.4));
    held.gives_way = 0.0;
    let walkers = [walker(0.3, -2.0, (0.0, 1.4)), held];
    let out = velocities(&walkers, &[], &SETTINGS);
    assert_eq!(out[1], held.desired, "as if alone");
    assert!((out[0] - walkers[0].desired).length() > 0.1, "{out:?}");
    let still =
        Walker { place: Vec2::ZERO, velocity: Vec2::ZERO, desired: Vec2::ZERO, speed_max_mps: 0.0, ..held };
    let out = velocities(&[walkers[0], still], &[], &SETTINGS);
    assert_eq!(out[1], Vec2::ZERO);
    assert!((out[0] - walkers[0].desired).length() > 0.05, "{out:?}");
}

#[test]
fn in_a_jam_the_one_with_less_way_to_go_goes_first() {
    let mut walkers = [walker(0.3, -0.5, (0.0, 1.4)), walker(0.0, 0.5, (0.0, -1.4))];
    // So little less that neither leaves where the other arrives.
    (walkers[0].left_m, walkers[1].left_m) = (5.0, 6.5);
    // Held up, but not so much that it would be their turn to step back.
    (walkers[0].velocity, walkers[1].velocity) = (walkers[0].desired * 0.3, walkers[1].desired * 0.3);
    let out = velocities(&walkers, &[], &SETTINGS);
    let kept = |index: usize| (out[index] - walkers[index].desired).length();
    assert!(kept(0) < kept(1), "{out:?}");
    // Where both get on they share evenly, whichever is nearer to its end.
    (walkers[0].velocity, walkers[1].velocity) = (walkers[0].desired, walkers[1].desired);
    let (uneven, mut even) = (velocities(&walkers, &[], &SETTINGS), walkers);
    even[1].left_m = 5.0;
    assert_eq!(uneven, velocities(&even, &[], &SETTINGS));
}

#[test]
fn of_two_who_go_the_same_way_the_one_in_front_does_not_look_back() {
    let (mut front, mut behind) = (walker(0.0, 1.0, (0.0, 0.7)), walker(0.1, 0.0, (0.0, 1.4)));
    // It wants to go as fast, and cannot.
    front.desired = behind.desired;
    behind.left_m = 1.0;
    front.left_m = 9.0;
    for walkers in [[front, behind], [behind, front]] {
        let out = velocities(&walkers, &[], &SETTINGS);
        let first = usize::from(walkers[0] != front);
        assert_eq!(out[first], front.desired, "whatever is left of their ways");
        assert!((out[1 - first] - behind.desired).length() > 0.3, "{out:?}");
    }
    // A walker that wants to go slower leaves some room to one that comes up from behind.
    front.desired = Vec2::new(0.0, 0.7);
    let out = velocities(&[front, behind], &[], &SETTINGS);
    assert!((out[0] - front.desired).length() > 0.01, "{out:?}");
}

#[test]
fn in_a_jam_one_makes_way_for_where_the_other_wants_to_go_and_then_the_other_does() {
    let mut walkers = [walker(0.2, -0.4, (0.0, 1.4)), walker(0.0, 0.4, (0.0, -1.4))];
    for walker in &mut walkers {
        walker.velocity = Vec2::ZERO;
    }
    (walkers[0].left_m, walkers[1].left_m) = (5.0, 6.5);
    let loses = |held_s: f32, index: usize| {
        let held = walkers.map(|walker| Walker { held_s, ..walker });
        // Without steps back.
        let out = velocities(&held, &[], &AvoidSettings { step_back_share: 0.0, ..SETTINGS });
        (out[index] - walkers[index].desired).length()
    };
    assert!(loses(0.5, 0) > 0.1 && loses(0.5, 1) > 0.1, "each waits for the other");
    assert!(loses(1.5, 0) == 0.0 && loses(1.5, 1) > 1.0, "the walker with the longer way gives way");
    assert!(loses(2.5, 1) == 0.0 && loses(2.5, 0) > 1.0, "then the other");
}

/// The edges of where a centre may stand in a corridor along x.
const CORRIDOR: [Wall; 2] = [
    Wall { from: Vec2::new(-9.0, -0.75), to: Vec2::new(9.0, -0.75) },
    Wall { from: Vec2::new(9.0, 0.75), to: Vec2::new(-9.0, 0.75) },
];

/// Two walkers that meet and stand: one in a place of that width, one before it with a little less of its way
/// left.
fn at_a_mouth(width_m: f32) -> [Walker; 2] {
    let [mut inside, mut before] = [walker(0.0, 0.0, (1.4, 0.0)), walker(0.8, 0.0, (-1.4, 0.0))];
    (inside.velocity, before.velocity) = (Vec2::ZERO, Vec2::ZERO);
    (inside.left_m, before.left_m) = (5.0, 4.0);
    (inside.width_m, before.width_m) = (width_m, 3.0);
    [inside, before]
}

#[test]
fn who_stands_outside_a_narrow_place_makes_way_for_who_is_in_it() {
    let behind = |one: &Walker, other: &Walker, ids| in_the_way(one, other, ids, 1.0, PassingRoom::Short).0;
    // Also where two fit beside each other, and no third.
    for width_m in [0.4, 0.8] {
        let [inside, mut before] = at_a_mouth(width_m);
        assert_eq!(behind(&inside, &before, [0, 1]), -1.0);
        assert_eq!(behind(&before, &inside, [1, 0]), 1.0);
        // One that steps aside or backs out has no way of its own, and counts as outside of no lanes.
        before.left_m = 0.0;
        assert_eq!(behind(&before, &inside, [1, 0]) == 1.0, width_m < 0.5);
    }
    // Where more fit, the nearer to its end goes first.
    let [inside, before] = at_a_mouth(1.5);
    assert!(behind(&inside, &before, [0, 1]) > 0.0);
    assert!(behind(&before, &inside, [1, 0]) < 0.0);
}

#[test]
fn who_leaves_goes_before_who_arrives_until_that_one_is_as_good_as_there() {
    let behind = |arriving_m: f32, leaving_m: f32, held_s: f32| {
        let [mut arrives, mut leaves] = at_a_mouth(3.0);
        (arrives.left_m, leaves.left_m) = (arriving_m, leaving_m);
        (arrives.held_s, leaves.held_s) = (held_s, held_s);
        let terms = [(&arrives, &leaves, [0, 1]), (&leaves, &arrives, [1, 0])]
            .map(|(one, other, ids)| in_the_way(one, other, ids, 1.0, PassingRoom::Short).0);
        assert_eq!(terms[0], -terms[1], "the two come to the same terms");
        terms[0]
    };
    // Before they are jammed, and in the first turn of a jam.
    for held_s in [0.0, 1.5] {
        assert!(behind(3.0, 20.0, held_s) > 0.0, "the walker that arrives gives way");
        assert!(behind(0.5, 20.0, held_s) < 0.0, "a walker that is as good as there does not");
        assert!(behind(20.0, 60.0, held_s) < 0.0, "far from either end the nearer goes first");
        assert!(behind(5.0, 6.0, held_s) < 0.0, "nor where both are about to arrive");
    }
}

/// A walker that goes on, and one in front of it that wants to go the other way and walks backwards, at a
/// wall.
fn one_drives_another(room_m: f32) -> [Walker; 2] {
    let (mut on, mut back) = (walker(0.0, 0.4, (-1.3, 0.0)), walker(-0.72, 0.7, (-1.3, 0.0)));
    back.desired = -back.desired;
    (on.room_m, back.room_m) = (f32::INFINITY, room_m);
    [on, back]
}

#[test]
fn who_has_room_to_pass_does_not_drive_another_before_it() {
    let wide = one_drives_another(1.5);
    let out = velocities(&wide, &CORRIDOR, &SETTINGS);
    assert!(out[0].y < -0.1, "turns away from the wall and from the other: {out:?}");
    assert!(out[1].x > wide[1].velocity.x + 0.3, "goes backwards no longer: {out:?}");
    let narrow = one_drives_another(0.6);
    assert_eq!(velocities(&narrow, &CORRIDOR, &SETTINGS)[0], narrow[0].desired, "one has to go back");
    // Where others stand close the room is theirs.
    let mut many = wide.to_vec();
    many.extend([0.8, 1.2, 1.6].map(|x| walker(x, 0.4, (-1.3, 0.0))));
    assert_eq!(velocities(&many, &CORRIDOR, &SETTINGS)[0], wide[0].desired);
}

#[test]
fn two_who_could_pass_and_do_not_get_on_make_way_for_a_shorter_time() {
    let made_way = |room| (0..70).filter(|&at| is_jammed(at as f32 * 0.1, room)).count();
    let (wide, narrow) = (made_way(PassingRoom::Enough), made_way(PassingRoom::Short));
    assert!(wide > 15 && narrow > wide + 15, "{wide} and {narrow}");
}

#[test]
fn each_of_four_is_met_as_if_it_came_alone() {
    let mut rng = Rng::stream(9, "fours");
    let mut unit = || rng.float(-1.0, 1.0) as f32;
    let step = Step { settings: &SETTINGS, step_s: 1.0 / 60.0, epoch: 0, threads: Threads::ONE };
    for _ in 0..500 {
        let walkers: Vec<Walker> = (0..5)
            .map(|_| Walker {
                velocity: Vec2::new(unit(), unit()),
                held_s: 2.0 + 2.0 * unit(),
                gives_way: unit().max(0.0),
                ..walker(unit() * 1.5, unit() * 1.5, (unit(), unit()))
            })
            .collect();
        let rows: Vec<WalkerRow> =
            walkers.iter().map(|walker| WalkerRow::of(walker, &step)).chain([WalkerRow::NOBODY]).collect();
        let own = Four::of([&rows[4]; LANES]);
        let met = |ids: &[u32], slots: &[u32; LANES]| {
            meet(&own, FourOthers { met_by: 4, walkers: &walkers, rows: &rows, ids, slots }, &step)
        };
        let together = met(&[0, 1, 2, 3], &[0, 1, 2, 3]);
        for id in 0..LANES as u32 {
            let alone = met(&[id], &[id, 5, 5, 5]);
            let lane = id as usize;
            assert_eq!(alone.room_mps.x.to_bits(), together.room_mps.to_array()[lane].to_bits());
            assert_eq!(alone.opposed.test(0), together.opposed.test(lane));
            assert_eq!(alone.lines.inwards.lane(0), together.lines.inwards.lane(lane));
            assert_eq!(alone.room_mps.to_array()[1..], [f32::INFINITY; 3], "nobody is in nobody's way");
        }
    }
}

#[test]
fn the_lanes_of_a_mask_rise() {
    let of = |mask: BVec4A| lanes(mask).collect::<Vec<_>>();
    assert_eq!(of(BVec4A::new(false, true, false, true)), [1, 3]);
    assert_eq!(of(BVec4A::TRUE), [0, 1, 2, 3]);
    assert!(of(BVec4A::FALSE).is_empty());
}

#[test]
fn walkers_on_different_floors_ignore_one_another() {
    let mut above = walker(0.0, 1.0, (0.0, -1.4));
    above.floor_m = 3.0;
    let walkers = [walker(0.0, -1.0, (0.0, 1.4)), above];
    assert_eq!(velocities(&walkers, &[], &SETTINGS)[0], walkers[0].desired);
}

#[test]
fn a_wall_ahead_is_not_reached_within_its_horizon_and_standing_is_always_possible() {
    let wall = Wall { from: Vec2::new(-5.0, 0.1), to: Vec2::new(5.0, 0.1) };
    // A walker behind presses it on; without any walker, walls are a matter of its path.
    let presser = Walker { gives_way: 0.0, ..walker(0.0, -0.6, (0.0, 1.4)) };
    let out = velocities(&[walker(0.0, 0.0, (0.5, 1.2)), presser], &[wall], &SETTINGS);
    assert!(out[0].y <= 0.1 / 0.3 + 1e-5, "{out:?}");
    assert!(out[0].x >= 0.5 - 1e-5, "along the wall it goes on: {out:?}");
    let corner = Wall { from: Vec2::new(0.0, -5.0), to: Vec2::new(0.0, 5.0) };
    let walls = [wall, corner, Wall { from: Vec2::new(0.3, 0.0), to: Vec2::new(0.3, 1.0) }];
    let crowd = [walker(0.15, 0.0, (0.0, 1.4)), walker(0.3, -0.3, (0.0, 1.4)), walker(0.0, -0.3, (0.0, 1.4))];
    let crowd = [crowd[0], crowd[1], crowd[2]]
        .map(|one| Walker { gives_way: if one == crowd[0] { 1.0 } else { 0.0 }, ..one });
    let pressed = velocities(&crowd, &walls, &SETTINGS)[0];
    assert!(
        pressed.y <= 0.1 / 0.3 + 1e-4 && pressed.x.abs() <= 0.15 / 0.3 + 1e-4,
        "walls hold first: {pressed}"
    );
}

#[test]
fn kernel_g20_a_tick_without_length_moves_nobody() {
    let mut out = Vec::new();
    let walkers = [walker(0.0, 0.0, (1.0, 0.0))];
    for step_s in [0.0, -1.0, f32::NAN] {
        Avoider::default().run(
            &walkers,
            |_, _| {},
            &Step { settings: &SETTINGS, step_s, epoch: 0, threads: Threads::ONE },
            &mut out,
        );
        assert_eq!(out, [Vec2::ZERO]);
    }
}

#[test]
fn kernel_g17_two_walkers_on_one_point_want_apart() {
    let walkers = [walker(1.0, 1.0, (0.0, 0.0)), walker(1.0, 1.0, (0.0, 0.0))];
    let out = velocities(&walkers, &[], &SETTINGS);
    assert!(out[0].length() > 0.5 && (out[0] + out[1]).length() < 1e-5, "{out:?}");
}

fn line_through(point: Vec2, inwards: Vec2) -> HalfPlane {
    HalfPlane { inwards, offset_mps: inwards.dot(point) }
}

fn best_of(lines: &[HalfPlane], speed_mps: f32, wanted: Vec2) -> Vec2 {
    let mut fours = Vec::new();
    extend_fours(&mut fours, lines.iter().copied());
    solve(&fours, 0, speed_mps, wanted)
}

/// The best of many velocities, tried one by one.
fn sampled(lines: &[HalfPlane], speed_mps: f32, wanted: Vec2) -> Option<f32> {
    let mut best: Option<f32> = None;
    for step_x in -100..=100 {
        for step_z in -100..=100 {
            let velocity = Vec2::new(step_x as f32, step_z as f32) * (speed_mps / 100.0);
            let allowed = velocity.length() <= speed_mps
                && lines
                    .iter()
                    .all(|line| line.inwards.x * velocity.x + line.inwards.y * velocity.y >= line.offset_mps);
            let distance = (velocity - wanted).length();
            if allowed && best.is_none_or(|best| distance < best) {
                best = Some(distance);
            }
        }
    }
    best
}

#[test]
fn the_program_finds_the_velocity_nearest_to_the_one_wanted() {
    let mut rng = Rng::stream(5, "lines");
    let (mut solved, mut unsolved) = (0, 0);
    for _ in 0..300 {
        let count = rng.int(1, 8);
        let lines: Vec<HalfPlane> = (0..count)
            .map(|_| {
                let angle = rng.float(0.0, std::f64::consts::TAU);
                let inwards = Vec2::new(libm::cos(angle) as f32, libm::sin(angle) as f32);
                line_through(Vec2::new(rng.float(-1.0, 1.0) as f32, rng.float(-1.0, 1.0) as f32), inwards)
            })
            .collect();
        let wanted = Vec2::new(rng.float(-2.0, 2.0) as f32, rng.float(-2.0, 2.0) as f32);
        let answer = best_of(&lines, 1.4, wanted);
        assert!(answer.length() <= 1.4 + 1e-4);
        match sampled(&lines, 1.4, wanted) {
            Some(best) => {
                let distance = (answer - wanted).length();
                assert!(lines.iter().all(|line| line.room_at(answer) >= -1e-4), "{lines:?}: {answer}");
                assert!(distance <= best + 1e-4, "{distance} where {best} is possible");
                solved += 1;
            }
            None => unsolved += 1,
        }
    }
    assert!(solved > 100 && unsolved > 20, "{solved} solved, {unsolved} not: both kinds are judged");
}

#[test]
fn where_nothing_is_allowed_the_worst_breach_is_as_small_as_can_be() {
    let mut rng = Rng::stream(6, "breach");
    let mut judged = 0;
    for _ in 0..300 {
        let lines: Vec<HalfPlane> = (0..5)
            .map(|_| {
                let angle = rng.float(0.0, std::f64::consts::TAU);
                let inwards = Vec2::new(libm::cos(angle) as f32, libm::sin(angle) as f32);
                line_through(Vec2::new(rng.float(-1.5, 1.5) as f32, rng.float(-1.5, 1.5) as f32), inwards)
            })
            .collect();
        if sampled(&lines, 1.4, Vec2::ZERO).is_some() {
            continue;
        }
        let breach = |velocity: Vec2| lines.iter().map(|line| -line.room_at(velocity)).fold(0.0, f32::max);
        let answer = best_of(&lines, 1.4, Vec2::ZERO);
        let mut least = f32::INFINITY;
        for step_x in -70..=70 {
            for step_z in -70..=70 {
                let velocity = Vec2::new(step_x as f32, step_z as f32) * 0.02;
                if velocity.length() <= 1.4 {
                    least = least.min(breach(velocity));
                }
            }
        }
        assert!(breach(answer) <= least + 1e-3, "{} where {least} is possible", breach(answer));
        judged += 1;
    }
    assert!(judged > 30, "{judged}");
}

/// Two walkers that overlap are in the way twice: rounding then finds nothing allowed where much is, and the
/// least breach is below zero.
#[test]
fn lanes_without_a_line_are_not_broken_where_all_others_hold_by_far() {
    let mut fours = Vec::new();
    let twice = [(-0.682_715_36, -0.730_684_4, 0.197_912_57); 2];
    let lines = [(-0.831_513_6, -0.555_504_5, -0.632_491_9), (0.482_251_05, -0.876_033, -0.998_078_1)];
    let line = |(x, y, offset_mps)| HalfPlane { inwards: Vec2::new(x, y), offset_mps };
    extend_fours(&mut fours, lines.into_iter().chain(twice).map(line));
    let wanted = Vec2::new(-0.42, 0.294);
    let answer = solve(&fours, 0, 1.4, wanted);
    fours.push(linear_program::Lines4::NONE);
    assert_eq!(answer, solve(&fours, 0, 1.4, wanted));
    assert!(answer.distance(Vec2::new(-0.955_801_5, -1.022_958_2)) < 1e-4, "{answer}");
}

#[test]
fn who_stands_exactly_on_a_wall_does_not_go_through_it() {
    let wall = Wall { from: Vec2::new(5.0, 0.0), to: Vec2::new(-5.0, 0.0) };
    let presser = Walker { gives_way: 0.0, ..walker(0.0, -0.6, (0.0, 1.4)) };
    let out = velocities(&[walker(0.0, 0.0, (0.5, 1.2)), presser], &[wall], &SETTINGS);
    assert!(out[0].y < 1e-6, "the ground is at z < 0: {out:?}");
}
