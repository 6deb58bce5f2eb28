use super::*;

/// The aim on a path of those points.
fn aim_on(
    points: &[Vec3],
    (segment, position, velocity): (usize, Vec3, Vec2),
    look: &Lookahead,
    clear: impl FnMut(Vec3, Vec3) -> bool,
) -> Option<Target> {
    let end = |at: usize| points[at.min(points.len() - 1)];
    let way = Way { points, segment, ends: [end(segment), end(segment + 1)] };
    aim(way, position, velocity, look, clear)
}
use std::f32::consts::PI;

const TURNING: Turning = Turning { rate_radps: 8.0, step_s: 1.0 / 60.0 };

/// Straight to a point, as a body goes on the last leg of a path.
fn arrived(place: Vec2, target: Vec2, arrival: &Arrival) -> Vec2 {
    seek(place, target, arrival.speed_at((target - place).length()))
}

/// Walks to `target` at `speed_mps`, turning by the rules. Ticks needed to come within 0.05 m, none after 2
/// s.
fn ticks_to(target: Vec2, speed_mps: f32, turning: &Turning) -> Option<u32> {
    let (mut place, mut heading) = (Vec2::ZERO, Vec2::X);
    let tick_count = (2.0 / turning.step_s) as u32;
    (0..tick_count).find(|_| {
        let arrival = Arrival { speed_mps, brake_mps2: 0.0, step_s: turning.step_s };
        let desired = arrived(place, target, &arrival);
        let course = steer(heading, desired, (target - place).length(), turning);
        heading = course.heading;
        place += course.heading * course.speed_mps * turning.step_s;
        (target - place).length() <= 0.05
    })
}

#[test]
fn seed_p2_a_point_beside_a_body_at_full_speed_is_reached_and_not_circled() {
    for rate_hz in [30.0, 60.0, 120.0] {
        for rate_radps in [2.0, 4.0, 8.0] {
            for degrees in (0..360).step_by(5) {
                for distance_m in [0.06, 0.1, 0.2, 0.3, 0.6] {
                    let turning = Turning { rate_radps, step_s: 1.0 / rate_hz };
                    let angle = degrees as f32 * PI / 180.0;
                    let target = Vec2::new(libm::cosf(angle), libm::sinf(angle)) * distance_m;
                    let ticks = ticks_to(target, 1.4, &turning);
                    let within = rate_radps >= 8.0 || degrees <= 90 || degrees >= 270;
                    assert!(ticks.is_some() || !within, "{target} at {rate_radps} rad/s, {rate_hz} Hz");
                }
            }
        }
    }
}

#[test]
fn seed_p4_a_heading_never_turns_faster_than_its_rate() {
    let step_cos = libm::cosf(8.0 / 60.0);
    for degrees in 0..360 {
        let angle = degrees as f32 * PI / 180.0;
        let direction = Vec2::new(libm::cosf(angle), libm::sinf(angle));
        let turned = turn(Vec2::X, direction, &TURNING);
        assert!(turned.dot(Vec2::X) >= step_cos - 1e-6, "{degrees} degrees");
        assert!(
            turned.dot(direction) >= Vec2::X.dot(direction) - 1e-6,
            "{degrees} degrees: the short way round"
        );
        assert!((turned.length() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn turning_half_round_takes_pi_over_the_rate_within_one_tick() {
    let (mut heading, mut ticks) = (Vec2::X, 0);
    while heading != -Vec2::X {
        heading = turn(heading, -Vec2::X, &TURNING);
        ticks += 1;
        assert!(ticks < 100);
    }
    assert!((ticks as f32 / 60.0 - PI / 8.0).abs() <= 1.0 / 60.0, "{ticks} ticks");
}

#[test]
fn a_rate_of_more_than_half_a_turn_a_tick_turns_at_once() {
    let quick = Turning { rate_radps: 1e3, step_s: 0.1 };
    assert_eq!(turn(Vec2::X, -Vec2::X, &quick), -Vec2::X);
    let three_quarters = Turning { rate_radps: 2.5, step_s: 1.0 };
    let direction = Vec2::new(libm::cosf(2.0), libm::sinf(2.0));
    assert_eq!(turn(Vec2::X, direction, &three_quarters), direction);
}

#[test]
fn kernel_g20_a_tick_without_length_turns_and_moves_nothing() {
    let still = Turning { rate_radps: 8.0, step_s: 0.0 };
    assert_eq!(turn(Vec2::X, Vec2::Y, &still), Vec2::X);
    let arrival = Arrival { speed_mps: 1.4, brake_mps2: 3.0, step_s: 0.0 };
    assert_eq!(arrived(Vec2::ZERO, Vec2::X, &arrival), Vec2::ZERO);
}

#[test]
fn arriving_slows_down_and_ends_on_the_point() {
    for brake_mps2 in [0.0, 1.0, 3.0, 20.0] {
        let arrival = Arrival { speed_mps: 1.4, brake_mps2, step_s: 1.0 / 60.0 };
        let (mut place, mut last_mps, target) = (Vec2::ZERO, 1.4, Vec2::new(3.0, 0.0));
        let mut ticks = 0;
        while place != target {
            let velocity = arrived(place, target, &arrival);
            let speed_mps = velocity.length();
            assert!(speed_mps <= last_mps + 1e-4, "it only slows down");
            let braked = brake_mps2 <= 0.0 || last_mps - speed_mps <= brake_mps2 / 60.0 * 1.6 + 1e-3;
            assert!(braked, "{last_mps} to {speed_mps} with {brake_mps2}");
            place += velocity / 60.0;
            if (target - place).length() < 1e-5 {
                place = target;
            }
            last_mps = speed_mps;
            ticks += 1;
            assert!(ticks < 400, "at {place} with {brake_mps2}");
        }
    }
}

#[test]
fn seeking_goes_straight_there_and_is_silent_on_the_spot() {
    let (place, other) = (Vec2::new(1.0, 2.0), Vec2::new(4.0, 6.0));
    assert_eq!(seek(place, other, 5.0), Vec2::new(3.0, 4.0));
    assert_eq!(seek(place, place, 5.0), Vec2::ZERO);
    assert_eq!(seek(place, Vec2::new(f32::NAN, 0.0), 5.0), Vec2::ZERO);
}

const LOOK: Lookahead = Lookahead { predict_s: 0.5, leeway_m: 0.2, ahead_m: 1.0 };

fn bend() -> Vec<Vec3> {
    vec![Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 4.0)]
}

#[test]
fn seed_p1_a_body_beside_its_path_within_the_leeway_keeps_its_course() {
    let position = Vec3::new(1.0, 0.0, 0.1);
    let aimed = aim_on(&bend(), (0, position, Vec2::new(1.4, 0.05)), &LOOK, |_, _| true).unwrap();
    assert!((aimed.point - Vec3::new(1.7, 0.0, 0.125)).length() < 1e-5, "{aimed:?}");
}

#[test]
fn seed_p1_a_body_beyond_the_leeway_is_led_to_a_point_ahead() {
    let position = Vec3::new(1.0, 0.0, 0.5);
    let aimed = aim_on(&bend(), (0, position, Vec2::new(1.4, 0.0)), &LOOK, |_, _| true).unwrap();
    assert!(
        (aimed.point - Vec3::new(4.0, 0.0, 0.0)).length() < 1e-5,
        "no further than the corner: {aimed:?}"
    );
    let position = Vec3::new(1.0, 0.0, -0.05);
    let aimed = aim_on(&bend(), (0, position, Vec2::new(1.4, -0.7)), &LOOK, |_, _| true).unwrap();
    let slant = (aimed.point.x - position.x) / 0.05;
    assert!(aimed.point.z == 0.0 && slant >= 20.0 - 1e-3, "{aimed:?}");
}

#[test]
fn seed_p1_the_way_ahead_is_shortened_until_it_is_clear() {
    let position = Vec3::new(3.6, 0.0, 0.0);
    let far = aim_on(&bend(), (0, position, Vec2::new(1.4, 0.0)), &LOOK, |_, _| true).unwrap();
    assert!((far.point - Vec3::new(4.0, 0.0, 0.6)).length() < 1e-5, "{far:?}");
    let shorter =
        aim_on(&bend(), (0, position, Vec2::new(1.4, 0.0)), &LOOK, |_, to| to.z < 0.2 && to.x <= 4.0)
            .unwrap();
    assert!((shorter.point - Vec3::new(4.0, 0.0, 0.1)).length() < 1e-5, "{shorter:?}");
    let none = aim_on(&bend(), (0, position, Vec2::new(1.4, 0.0)), &LOOK, |_, _| false).unwrap();
    assert_eq!(none.point, bend()[1], "the next corner");
}

#[test]
fn the_exact_look_aims_at_the_next_corner_only() {
    let aimed =
        aim_on(&bend(), (1, Vec3::new(4.0, 0.0, 1.0), Vec2::Y), &Lookahead::EXACT, |_, _| panic!("no line"));
    assert_eq!(aimed, Some(Target { point: bend()[2], is_lost: false, is_seen: true }));
    assert_eq!(aim_on(&bend(), (2, bend()[2], Vec2::Y), &LOOK, |_, _| true), None);
}

#[test]
fn seed_p3_a_diagonal_staircase_is_walked_without_flicker() {
    let points: Vec<Vec3> =
        (0..=40).map(|step| Vec3::new(((step + 1) / 2) as f32 * 0.4, 0.0, (step / 2) as f32 * 0.4)).collect();
    let (mut position, mut heading, mut segment) = (points[0], unit(Vec2::ONE).unwrap(), 0);
    let (mut last, mut turns, mut ticks) = (heading, 0, 0);
    while flat(points[40] - position).length() > 0.05 {
        let velocity = heading * 1.4;
        let aimed = aim_on(&points, (segment, position, velocity), &LOOK, |_, _| true).unwrap();
        segment = nearest(&points, OnPath { segment, point: position }, 1.0).segment;
        let desired = seek(flat(position), flat(aimed.point), 1.4);
        let course = steer(heading, desired, flat(aimed.point - position).length(), &TURNING);
        heading = course.heading;
        let velocity = course.heading * course.speed_mps;
        position += Vec3::new(velocity.x, 0.0, velocity.y) / 60.0;
        if heading.dot(last) < libm::cosf(10.0 * PI / 180.0) {
            turns += 1;
            last = heading;
        }
        ticks += 1;
        assert!(ticks < 1200, "stuck at {position}");
    }
    assert!(turns < 3, "{turns} turns of more than 10 degrees");
}

#[test]
fn places_along_a_path_pass_corners_and_end_at_its_end() {
    let at = |distance_m| along(&bend(), OnPath { segment: 0, point: Vec3::ZERO }, distance_m);
    assert_eq!(at(1.0), OnPath { segment: 0, point: Vec3::X });
    assert_eq!(at(5.0), OnPath { segment: 1, point: Vec3::new(4.0, 0.0, 1.0) });
    assert_eq!(at(99.0), OnPath { segment: 1, point: bend()[2] });
    assert_eq!(along(&[], OnPath { segment: 0, point: Vec3::ONE }, 1.0).point, Vec3::ONE);
}
