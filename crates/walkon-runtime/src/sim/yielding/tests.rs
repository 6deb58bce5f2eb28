//! Tests of jams: whose progress counts for whom.

use super::*;
use crate::base::ids::DoorId;
use crate::crowd::follow::{Cursor, StepGait};
use crate::crowd::resolve::BodyStance;
use crate::nav::Path;
use crate::world::World;
use crate::world::crowd_step::Move;
use crate::world::fixture::{Fixture, sample};
use crate::world::goal::Goal;
use crate::world::ops::walks::{WalkOrder, walk_to};
use crate::world::owner::Owner;
use crate::world::scratch::Scratch;
use crate::world::walk::{Following, WalkOptions};
use crate::world::walk_mode::Checkpoints;

/// The one of the sample is held up behind the other, which walks as well.
fn behind() -> (Fixture, WalkId, Held, InFront) {
    let mut scene = sample();
    scene.world.clock.tick = TickNumber(200);
    let options = WalkOptions::at(scene.world.clock.rate);
    let goal = Goal::Point(Vec3::X * 9.0);
    let order = WalkOrder { character: scene.other, goal, options, owner: Owner::HOST };
    let theirs = walk_to(&mut scene.world, order).expect("it is there");
    let held = Held { walk: Some(scene.walk), row: 0, ahead: Vec2::X, gap_m: QUEUE_GAP_M };
    let front = InFront { who: scene.other, row: 1, gap_m: 0.1, moves: true };
    (scene, theirs, held, front)
}

fn parts(world: &mut World) -> YieldingParts<'_> {
    let World { clock, settings, map, characters, walks, events, scratch, .. } = world;
    let Scratch { leaders, step, .. } = scratch;
    let crowd = &settings.crowd;
    YieldingParts { clock, crowd, map, characters, walks, leaders, events, step }
}

fn queue(scene: &mut Fixture, held: &Held, front: &[InFront]) {
    let (held, near) = (std::slice::from_ref(held), SpatialHash::default());
    let mut jams = Jams::of(held, 1);
    let parts = &mut parts(&mut scene.world);
    let progress = jam_progress(&YieldInputs::of(parts, &near, held, &jams), &held[0], front);
    jams.meet(0, front, progress);
    let ends = vec![FrontEnd { people: front.len(), pinched: 0, progress }];
    let fronts = Fronts { people: front.to_vec(), pinched: Vec::new(), ends };
    super::queue(parts, held, &[fronts], &mut jams);
}

fn queue_tick(scene: &Fixture) -> TickNumber {
    scene.world.walks[scene.walk].queue_tick
}

#[test]
fn time_that_a_skipped_scene_passed_for_another_is_no_getting_on() {
    for (their_skip, own_skip) in [(0, 0), (1000, 0), (0, 1000), (300, 4000)] {
        let (mut scene, theirs, held, front) = behind();
        // The other has got on last 190 ticks ago, in the time of every character.
        let walk = &mut scene.world.walks[theirs];
        walk.skipped_ticks = their_skip;
        (walk.progress_tick, walk.queue_tick, walk.phase) =
            (TickNumber(10 + their_skip), TickNumber(0), Phase::Moving);
        scene.world.walks[scene.walk].skipped_ticks = own_skip;
        queue(&mut scene, &held, &[front]);
        assert_eq!(
            queue_tick(&scene),
            TickNumber(10 + own_skip),
            "{their_skip} and {own_skip} ticks skipped"
        );
    }
}

#[test]
fn who_queues_behind_somebody_at_a_door_is_held_up_for_good_reason() {
    let (mut scene, theirs, held, front) = behind();
    scene.world.walks[theirs].phase = Phase::AtDoor(DoorId(0));
    let front = InFront { moves: false, ..front };
    queue(&mut scene, &held, &[front]);
    assert_eq!(queue_tick(&scene), TickNumber(200));
}

#[test]
fn who_stands_behind_somebody_who_stands_does_not_queue() {
    let (mut scene, theirs, held, front) = behind();
    scene.world.walks[theirs].phase = Phase::Content;
    queue(&mut scene, &held, &[InFront { moves: false, ..front }]);
    assert_eq!(queue_tick(&scene), TickNumber(0));
}

#[test]
fn who_steps_back_is_held_up_by_those_who_come_from_further_off_than_in_a_queue() {
    for (apart_m, back_m, expected) in
        [(0.9, 0.0, 190), (1.9, 0.01, 190), (1.9, 0.0, 0), (3.1, 0.01, 0), (-1.9, 0.01, 0)]
    {
        let (mut scene, theirs, ..) = behind();
        let walk = &mut scene.world.walks[theirs];
        (walk.progress_tick, walk.queue_tick, walk.phase) = (TickNumber(190), TickNumber(0), Phase::Moving);
        for (row, (who, x_m)) in (0..).zip([(scene.one, 0.0), (scene.other, apart_m)]) {
            let bodies = &mut scene.world.scratch.step.bodies;
            bodies.ids.push(who);
            bodies.rows.insert(who, row);
            let began_m = if who == scene.one { x_m + back_m } else { x_m };
            bodies.began.push(Vec2::new(began_m, 0.0));
            bodies.columns.push(Vec3::X * x_m, 0.35, BodyStance { moving: true, ..BodyStance::default() });
        }
        let gait = StepGait {
            speed_mps: 1.4,
            turn_radps: 9.0,
            step_s: 0.1,
            reach_m: 9.0,
            brakes: false,
            is_exact: false,
            is_open: false,
        };
        let mut step = Move::of(scene.one, gait);
        (step.walk, step.is_moving) = (Some(scene.walk), true);
        step.stride.wanted = Vec2::X * 1.4;
        scene.world.scratch.step.moves = vec![step];
        run(&mut parts(&mut scene.world));
        assert_eq!(queue_tick(&scene), TickNumber(expected), "{apart_m} m apart, {back_m} m back");
    }
}

#[test]
fn a_jam_is_whoever_hangs_together_and_gets_on_with_any_of_them() {
    let walk = Some(sample().walk);
    let held: Vec<Held> = (0..6).map(|row| Held { walk, row, ahead: Vec2::X, gap_m: QUEUE_GAP_M }).collect();
    let mut jams = Jams::of(&held, 6);
    for (one, other) in [(3, 1), (5, 3), (4, 2)] {
        jams.join(one, other);
    }
    let ago = |any_ticks, through_ticks| JamProgress { any_ticks, through_ticks };
    jams.got_on(5, ago(70, 500));
    jams.got_on(1, ago(90, 400));
    jams.got_on(4, ago(20, u64::MAX));
    let heads: Vec<u32> = (0..6).map(|at| jams.head(at)).collect();
    assert_eq!(heads, [0, 1, 2, 1, 2, 1]);
    let never = JamProgress::NEVER;
    let expected = [never, ago(70, 400), ago(20, u64::MAX), never, never, never];
    assert_eq!(jams.progress, expected, "whichever way they are joined");
    assert_eq!([jams.sizes[0], jams.sizes[1], jams.sizes[2]], [1, 3, 2]);
}

/// How a walk is changed that others queue behind.
type Change = fn(&mut Walk);

/// A walk that has not come nearer for twenty times its patience counts when the one in front of it came
/// nearer, if that one gets through; else nobody waits for it for ever.
#[test]
fn who_has_come_no_nearer_for_long_counts_when_others_get_through() {
    let cases: [(&str, Change, u64); 6] = [
        ("it gets through", |_| {}, 9_900),
        ("it has planned again and again", |it| it.repaths = 4, 0),
        ("it has only begun", |it| it.nearest_m = 8.5, 0),
        ("it has no way", |it| it.following = None, 0),
        ("it follows a character", |it| it.goal = Goal::Character(it.character), 0),
        (
            "it goes on to other places",
            |it| it.via = Some(Checkpoints { left: vec![Vec3::X], last: Vec3::X }),
            0,
        ),
    ];
    for (what, change, expected) in cases {
        for (own_ticks, is_over) in [(0, true), (9_000, false)] {
            let (mut scene, theirs, held, front) = behind();
            scene.world.clock.tick = TickNumber(10_000);
            let walk = &mut scene.world.walks[theirs];
            let path = Path::through(vec![Vec3::ZERO, Vec3::X * 9.0]);
            let cursor = Cursor::at_start(&path);
            walk.following = Some(Following { path: path.into(), cursor, trouble: None });
            (walk.nearest_m, walk.nearest_tick, walk.phase) = (4.0, TickNumber(9_900), Phase::Moving);
            change(walk);
            scene.world.walks[scene.walk].nearest_tick = TickNumber(own_ticks);
            queue(&mut scene, &held, &[front]);
            let counted = if is_over { expected } else { own_ticks };
            assert_eq!(scene.world.walks[scene.walk].nearest_tick, TickNumber(counted), "{what}");
        }
    }
}
