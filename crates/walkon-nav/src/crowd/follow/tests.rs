use super::*;

fn corner() -> Path {
    let points = vec![Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0), Vec3::new(3.0, 0.0, 4.0)];
    Path { points, length_m: 7.0, cost_m: 7.0, whole: true, ..Path::default() }
}

fn gait(speed_mps: f32, rate: f32) -> StepGait {
    let turn_radps = 8.0;
    let reach_m = f32::INFINITY;
    let step_s = 1.0 / rate;
    StepGait { speed_mps, turn_radps, step_s, reach_m, brakes: true, is_exact: false, is_open: false }
}

struct Walked {
    seconds: f32,
    length_m: f32,
    place: Vec3,
    /// Places after each tick.
    places: Vec<Vec3>,
    headings: Vec<Vec2>,
}

/// Walks a path to its end, and fails when that takes longer than ten times its length at full speed.
fn walk(path: &Path, gait: &StepGait, heading: Vec2, mut clear: impl FnMut(Vec3, Vec3) -> bool) -> Walked {
    let (mut cursor, mut place, mut heading) = (Cursor::at_start(path), path.points[0], heading);
    let mut walked = Walked { seconds: 0.0, length_m: 0.0, place, places: Vec::new(), headings: Vec::new() };
    while cursor.next(path).is_some() {
        let step = stride(path, cursor, BodyPose { place, heading }, gait, &mut clear);
        walked.length_m += flat_distance(place, step.to);
        (place, heading) = (step.to, step.heading);
        let onward = cursor.onward(path, place);
        assert!(onward.along_m >= cursor.along_m && onward.segment >= cursor.segment, "never back");
        cursor = onward;
        walked.seconds += gait.step_s;
        walked.places.push(place);
        walked.headings.push(heading);
        let most_s = 10.0 * path.length_m / gait.speed_mps + 3.0;
        assert!(walked.seconds < most_s, "still at {place} after {most_s} s");
    }
    walked.place = place;
    walked
}

#[test]
fn seed_f3_every_tick_rate_takes_the_same_way() {
    let path = corner();
    let reference = walk(&path, &gait(1.4, 120.0), Vec2::X, |_, _| true);
    assert!(reference.length_m > 6.5 && reference.length_m <= 7.0 + 1e-3, "{}", reference.length_m);
    for rate in [30.0, 60.0] {
        let walked = walk(&path, &gait(1.4, rate), Vec2::X, |_, _| true);
        assert!(flat_distance(walked.place, path.points[2]) <= PASSED_M, "{}", walked.place);
        assert!((walked.length_m / reference.length_m - 1.0).abs() < 0.01, "{rate}: {}", walked.length_m);
        let late_s = walked.seconds - reference.seconds;
        assert!(late_s.abs() <= 1.0 / rate + 1e-3, "{rate} a second: {late_s} s later");
    }
}

#[test]
fn seed_f4_a_fast_body_passes_each_corner_once_and_never_turns_back() {
    let points: Vec<Vec3> =
        (0..10).map(|at| Vec3::new(at as f32 * 1.5, 0.0, (at % 2) as f32 * 0.2)).collect();
    let path = Path { whole: true, ..Path::through(points) };
    for rate in [30.0, 60.0, 120.0] {
        let walked = walk(&path, &gait(20.0, rate), Vec2::X, |_, _| true);
        let mut last_x = f32::NEG_INFINITY;
        for place in &walked.places {
            assert!(place.x > last_x, "back at {place}");
            last_x = place.x;
        }
    }
}

#[test]
fn seed_p2_a_point_close_to_the_side_is_reached_and_not_circled() {
    for angle in 0..16 {
        let angle = angle as f32 * std::f32::consts::PI / 8.0;
        let end = Vec3::new(0.3 * libm::cosf(angle), 0.0, 0.3 * libm::sinf(angle));
        let path = Path { points: vec![Vec3::ZERO, end], length_m: 0.3, whole: true, ..Path::default() };
        for speed_mps in [1.4, 5.0, 20.0] {
            let walked = walk(&path, &gait(speed_mps, 60.0), Vec2::X, |_, _| true);
            assert!(walked.seconds < 2.0, "{speed_mps} m/s at {angle}: {} s", walked.seconds);
        }
    }
}

#[test]
fn seed_p4_the_direction_never_turns_faster_than_the_body_turns() {
    let path = corner();
    let gait = gait(1.4, 60.0);
    let walked = walk(&path, &gait, Vec2::NEG_X, |_, _| true);
    for pair in walked.headings.windows(2) {
        let turned = libm::acosf(pair[0].dot(pair[1]).clamp(-1.0, 1.0));
        assert!(turned <= gait.turn_radps * gait.step_s + 1e-3, "{turned}");
    }
}

#[test]
fn an_exact_body_goes_through_its_corners_and_others_cut_them_only_where_it_is_clear() {
    let path = corner();
    let nearest_m = |walked: &Walked| {
        let away = walked.places.iter().map(|place| flat_distance(*place, path.points[1]));
        away.fold(f32::INFINITY, f32::min)
    };
    let exact = walk(&path, &StepGait { is_exact: true, ..gait(1.4, 60.0) }, Vec2::X, |_, _| true);
    assert!(nearest_m(&exact) < 0.02, "{}", nearest_m(&exact));
    let easy = walk(&path, &gait(1.4, 60.0), Vec2::X, |_, _| true);
    assert!(nearest_m(&easy) > 0.02 && nearest_m(&easy) < 0.3, "{}", nearest_m(&easy));
    // A wall inside the corner: a body that leaves the path on that side is refused.
    let is_beside = |from: Vec3, to: Vec3| from.z.max(to.z) < 0.02 || from.x.min(to.x) > 2.97;
    let walled = walk(&path, &gait(1.4, 60.0), Vec2::X, is_beside);
    assert!(walled.places.iter().all(|place| place.x > 2.9 || place.z < 0.1));
}

#[test]
fn a_body_stops_at_its_reach_and_slows_down_before_it() {
    let path = corner();
    let (mut cursor, mut place, mut left_m, mut last_m) = (Cursor::at_start(&path), Vec3::ZERO, 1.0, 1.0);
    for _ in 0..120 {
        let gait = StepGait { reach_m: left_m, ..gait(1.4, 60.0) };
        let step = stride(&path, cursor, BodyPose { place, heading: Vec2::X }, &gait, |_, _| true);
        last_m = flat_distance(place, step.to);
        left_m -= last_m;
        (place, cursor) = (step.to, cursor.onward(&path, step.to));
        if left_m <= 1e-6 {
            break;
        }
    }
    assert!((place.x - 1.0).abs() < 1e-4 && last_m < 0.012, "{place} {last_m}");
}

#[test]
fn a_body_led_off_its_path_comes_back_to_it_or_says_that_it_is_lost() {
    let path = corner();
    let cursor = Cursor::at_start(&path).onward(&path, Vec3::new(1.0, 0.0, 0.0));
    let beside = Vec3::new(1.0, 0.0, 0.5);
    let back =
        stride(&path, cursor, BodyPose { place: beside, heading: Vec2::X }, &gait(1.4, 60.0), |_, to| {
            to.x < 1.01
        });
    assert!(!back.is_lost && back.wanted.y < -1.0, "{back:?}");
    let lost =
        stride(&path, cursor, BodyPose { place: beside, heading: Vec2::X }, &gait(1.4, 60.0), |_, _| false);
    assert!(lost.is_lost);
}

#[test]
fn every_path_is_walked_to_its_end_at_every_speed() {
    let mut rng = crate::base::rng::Rng::stream(7, "paths");
    let mut unit = move || rng.below(1000) as f32 / 1000.0;
    for round in 0..300 {
        let count = 2 + (unit() * 6.0) as usize;
        let points: Vec<Vec3> = (0..count).map(|_| Vec3::new(unit() * 8.0, 0.0, unit() * 8.0)).collect();
        let path = Path { whole: true, ..Path::through(points) };
        let speed_mps = [0.5, 1.4, 5.0, 20.0, 50.0][round % 5];
        let gait = StepGait { is_exact: round % 2 == 0, brakes: round % 3 != 0, ..gait(speed_mps, 60.0) };
        // Sharp corners take as long as turning does.
        let (mut cursor, mut place, mut heading) = (Cursor::at_start(&path), path.points[0], Vec2::X);
        let most_s = 5.0 * path.length_m / speed_mps + 1.0 * count as f32 + 2.0;
        let mut seconds = 0.0;
        while cursor.next(&path).is_some() {
            let step = stride(&path, cursor, BodyPose { place, heading }, &gait, |_, _| true);
            (place, heading, cursor) = (step.to, step.heading, cursor.onward(&path, step.to));
            seconds += gait.step_s;
            assert!(seconds < most_s, "round {round}: {gait:?}, {place} {cursor:?} of {:?}", path.points);
        }
    }
}

#[test]
fn where_no_wall_is_near_a_body_comes_to_where_small_steps_lead_it() {
    let mut rng = crate::base::rng::Rng::stream(11, "strides");
    let mut unit = move || rng.below(10_000) as f32 / 10_000.0;
    let (mut whole, mut apart) = (0, 0);
    for round in 0..20_000 {
        let points: Vec<Vec3> = (0..4).map(|_| Vec3::new(unit() * 9.0, 0.0, unit() * 9.0)).collect();
        let beside = Vec3::new(unit() - 0.5, 0.0, unit() - 0.5) * [0.0, 0.05, 0.3, 1.0][round % 4];
        let place = points[0] + (points[1] - points[0]) * unit() + beside;
        let path = Path { whole: true, ..Path::through(points) };
        let cursor = Cursor::at_start(&path).onward(&path, place);
        let along = steer::unit(flat(cursor.ends[1] - place)).unwrap_or(Vec2::X);
        let heading = turned(along, (unit() - 0.5) * [0.2, 1.0, 6.0][round % 3]);
        let body = BodyPose { place, heading };
        let near = StepGait { is_exact: round % 5 == 0, ..gait([0.5, 1.4, 3.0, 6.0][round % 7 % 4], 30.0) };
        let mut lines = [0, 0];
        let mut go = |is_open: bool| {
            let gait = StepGait { is_open, ..near };
            stride(&path, cursor, body, &gait, |_, _| {
                lines[usize::from(is_open)] += 1;
                true
            })
        };
        let (small, step) = (go(false), go(true));
        let away_m = flat_distance(step.to, small.to);
        let step_m = near.speed_mps * near.step_s;
        // Small steps may see sooner that a body is to turn round.
        assert!(away_m <= step_m, "round {round}: {away_m} m from {small:?} to {step:?}");
        let turned = libm::acosf(step.heading.dot(small.heading).min(1.0));
        assert!(turned <= near.turn_radps * near.step_s, "round {round}: {small:?} {step:?}");
        assert_eq!((step.wanted, step.is_lost), (small.wanted, small.is_lost), "round {round}");
        apart += u32::from(away_m > 0.1 * step_m);
        whole += u32::from(lines[1] < lines[0]);
    }
    assert!(whole > 5_000, "{whole} steps were taken in one go");
    assert!(apart * 50 < whole, "{apart} of {whole} end a tenth of their length away");
}

/// Between exactly there and so far from it that a body has a direction to go.
#[test]
fn a_body_that_stands_as_good_as_on_a_corner_goes_on() {
    for (corner_m, before_m) in [0.0, 4.0, 6.0, 6.039_495_5, 250.0].into_iter().flat_map(|corner_m| {
        [0.0, 1e-8, 1e-7, 5e-7, 9.5e-7, 1e-6, 1.5e-6, 2e-6, 3e-6, 1e-5, 1e-4]
            .map(|before_m| (corner_m, before_m))
    }) {
        let points = vec![
            Vec3::new(corner_m - before_m, 0.0, 0.0),
            Vec3::new(corner_m, 0.0, 0.0),
            Vec3::new(corner_m, 0.0, 1.0),
            Vec3::new(corner_m + 1e-6, 0.0, 1.0),
            Vec3::new(corner_m + 2.0, 0.0, 1.0),
        ];
        let path = Path::through(points);
        for is_exact in [false, true] {
            let walked = walk(&path, &StepGait { is_exact, ..gait(1.4, 60.0) }, Vec2::X, |_, _| true);
            assert!(flat_distance(walked.place, path.points[4]) <= PASSED_M, "{corner_m}, {before_m}");
        }
    }
}

#[test]
fn a_path_through_a_place_of_no_number_has_an_end() {
    for bad in [Vec3::splat(f32::NAN), Vec3::new(f32::INFINITY, 0.0, 1.0)] {
        for points in [vec![Vec3::ZERO, bad], vec![bad, Vec3::X], vec![Vec3::ZERO, bad, Vec3::X], vec![bad]] {
            let path = Path::through(points);
            let onward = Cursor::at_start(&path).onward(&path, Vec3::ZERO);
            assert!((onward.segment as usize) < path.points.len(), "{onward:?}");
        }
    }
}
