//! Every field that can change the future changes the hash, one at a time.

use glam::Vec3;

use super::*;
use crate::base::ids::PathToken;
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::nav::{Disc, LayerPoint, Path, PathAnswer, PathFailure, Revision};
use crate::world::block::Block;
use crate::world::bystanders::Bystanders;
use crate::world::character::{Displaced, Past, Removal};
use crate::world::door::DoorPolicy;
use crate::world::door::DoorState;
use crate::world::event::{Fact, WalkNews};
use crate::world::fixture::{Fixture, door, sample};
use crate::world::goal::Goal;
use crate::world::interpolation::Interpolation;
use crate::world::outcome::{Blocker, Reason};
use crate::world::owner::Owner;
use crate::world::region::{CrossingKind, WatchId};
use crate::world::sense::SenseId;
use crate::world::walk::{
    AcceptEnd, Ask, BackingOut, Crowd, Following, GoalSlot, LinkTaking, LookTarget, OnLink, Phase, PlaceWait,
    WaitCause, Walk, WalkOptions, WalkPace,
};
use crate::world::walk_mode::{Checkpoints, Flee, WalkMode};

/// A change to one field, with its name.
type Named<'a> = (&'a str, &'a dyn Fn(&mut Fixture));

/// An event that waits, with its name.
type NamedFact<'a> = (&'a str, &'a dyn Fn(&Fixture) -> Fact);

/// Fails for every change that leaves the hash as it was, and for two that make the same of it.
fn check(changes: &[Named<'_>]) {
    let before = of(&sample().world).whole();
    assert_eq!(before, of(&sample().world).whole(), "the same twice");
    let mut seen = vec![("nothing", before)];
    for (name, change) in changes {
        let mut changed = sample();
        change(&mut changed);
        let hash = of(&changed.world).whole();
        for (other, theirs) in &seen {
            assert_ne!(hash, *theirs, "`{name}` is hashed like `{other}`");
        }
        seen.push((name, hash));
    }
}

fn who(change: impl Fn(&mut Character, CharacterId)) -> impl Fn(&mut Fixture) {
    move |scene| {
        let other = scene.other;
        change(scene.world.characters.get_mut(scene.one).expect("it is there"), other);
    }
}

fn walk(change: impl Fn(&mut Walk, CharacterId)) -> impl Fn(&mut Fixture) {
    move |scene| {
        let other = scene.other;
        change(scene.world.walks.get_mut(scene.walk).expect("it is there"), other);
    }
}

/// Changes the path itself, which is kept with its hash.
fn path(change: impl Fn(&mut Path)) -> impl Fn(&mut Fixture) {
    way(move |following| following.path.change(|path| change(path)))
}

fn way(change: impl Fn(&mut Following)) -> impl Fn(&mut Fixture) {
    walk(move |walk, _| change(walk.following.as_mut().expect("it has a path")))
}

fn options(change: impl Fn(&mut WalkOptions, CharacterId)) -> impl Fn(&mut Fixture) {
    walk(move |walk, other| change(&mut walk.options, other))
}

fn back(walk: &Walk, other: CharacterId) -> Box<BackingOut> {
    let way = walk.following.clone().expect("it has a way");
    let (from, junction, yields_to) = (Vec3::ZERO, Vec3::Z, vec![other]);
    Box::new(BackingOut { way, from, junction, yields_to, until: TickNumber(8) })
}

fn given(beside: CharacterId) -> GoalSlot {
    GoalSlot { point: Vec3::X, goal: Vec3::Z, beside }
}

const WAIT: PlaceWait = PlaceWait {
    cause: WaitCause::Door(DoorId(0)),
    place: Vec3::ZERO,
    since: TickNumber(1),
    seen: TickNumber(2),
};

/// The number above, as bits: the smallest change there is.
fn bit(value: &mut f32) {
    *value = f32::from_bits(value.to_bits() ^ 1);
}

#[test]
fn every_field_of_a_character_is_hashed() {
    let by = |who| Nudge { to: Vec3::X, via: None, by: who, until: TickNumber(7) };
    check(&[
        ("serial", &who(|it, _| it.serial ^= 4)),
        ("name", &who(|it, _| it.name.push('s'))),
        ("position", &who(|it, _| bit(&mut it.body.position.x))),
        ("velocity", &who(|it, _| it.body.velocity.z = 1e-30)),
        ("radius", &who(|it, _| bit(&mut it.body.radius_m))),
        ("height", &who(|it, _| bit(&mut it.body.height_m))),
        ("facing", &who(|it, _| it.facing_rad = 1e-30)),
        ("walking speed", &who(|it, _| bit(&mut it.gait.walk_mps))),
        ("running speed", &who(|it, _| bit(&mut it.gait.run_mps))),
        ("turning", &who(|it, _| bit(&mut it.gait.turn_radps))),
        ("tags", &who(|it, _| it.tags.push("x".to_owned()))),
        ("player", &who(|it, _| it.is_player = true)),
        ("doors", &who(|it, _| it.doors = DoorPolicy::Open)),
        ("layer", &who(|it, _| it.layer = 1)),
        ("walk", &who(|it, _| it.walk = None)),
        ("moving", &who(|it, _| it.is_moving = true)),
        ("still", &who(|it, _| it.is_still = false)),
        ("drift", &who(|it, _| it.drift.x = 1e-30)),
        ("came to somebody", &who(|it, other| it.came_to = Some((Goal::Character(other), Vec3::X)))),
        ("ended short of a point", &who(|it, _| it.short_of = Some((Goal::Point(Vec3::X), Vec3::X)))),
        ("came to a point", &who(|it, _| it.came_to = Some((Goal::Point(Vec3::X), Vec3::X)))),
        (
            "came to a point and stands elsewhere",
            &who(|it, _| it.came_to = Some((Goal::Point(Vec3::X), Vec3::Z))),
        ),
        ("desired", &who(|it, _| it.desired.x = 1e-30)),
        ("nudge", &who(move |it, other| it.nudge = Some(by(other)))),
        ("nudge to", &who(move |it, other| it.nudge = Some(Nudge { to: Vec3::Z, ..by(other) }))),
        ("nudge via", &who(move |it, other| it.nudge = Some(Nudge { via: Some(Vec3::Y), ..by(other) }))),
        ("nudge until", &who(move |it, other| it.nudge = Some(Nudge { until: TickNumber(6), ..by(other) }))),
        ("nudged", &who(|it, _| it.nudged = Some(Past::at(TickNumber(0))))),
        ("nudged later", &who(|it, _| it.nudged = Some(Past::at(TickNumber(1))))),
        ("turn", &who(|it, _| it.turn = Some(Turn { serial: 1, facing_rad: 0.0 }))),
        ("turn to", &who(|it, _| it.turn = Some(Turn { serial: 1, facing_rad: 1.0 }))),
        ("play", &who(|it, _| it.play = Some(Play { serial: 1, animation: "a".into(), until: None }))),
        (
            "play until",
            &who(|it, _| {
                it.play = Some(Play { serial: 1, animation: "a".into(), until: Some(TickNumber(0)) })
            }),
        ),
        ("held", &who(|it, _| it.held = Some(Hold { scene: String::new(), owner: Owner(0) }))),
        ("held by", &who(|it, _| it.held = Some(Hold { scene: String::new(), owner: Owner(1) }))),
        ("removed", &who(|it, _| it.removed = Some(Removal { tick: TickNumber(0), by: String::new() }))),
        ("displaced", &who(|it, _| it.displaced = Displaced::Teleported)),
        ("moved from", &who(|it, _| it.replan.from.x = 1.0)),
        ("stood", &who(|it, _| it.replan.stood = true)),
        ("planned since", &who(|it, _| it.replan.since = Some(Past::at(TickNumber(0))))),
        ("random stream", &who(|it, _| _ = it.rng.bits())),
    ]);
}

#[test]
fn the_one_who_asked_somebody_aside_is_hashed() {
    let asked_by = |pick: fn(&Fixture) -> CharacterId| {
        let mut scene = sample();
        let nudge = Nudge { to: Vec3::X, via: None, by: pick(&scene), until: TickNumber(7) };
        scene.world.characters.get_mut(scene.one).expect("it is there").nudge = Some(nudge);
        of(&scene.world).characters
    };
    assert_ne!(asked_by(|scene| scene.one), asked_by(|scene| scene.other));
}

#[test]
fn everything_about_a_body_on_its_way_is_hashed() {
    let interpolation = |change: fn(&mut Interpolation)| {
        move |scene: &mut Fixture| {
            let one = scene.world.characters.get(scene.one).expect("it is there");
            let mut interpolation = Interpolation::of(scene.one, one);
            change(&mut interpolation);
            scene.world.interpolations.push(interpolation);
        }
    };
    check(&[
        ("on its way", &interpolation(|_| {})),
        ("from", &interpolation(|it| bit(&mut it.from.0.x))),
        ("facing from", &interpolation(|it| it.from.1 = 1e-30)),
        ("to", &interpolation(|it| bit(&mut it.to.0.z))),
        ("facing to", &interpolation(|it| it.to.1 = 1e-30)),
        ("at", &interpolation(|it| bit(&mut it.at.0.z))),
        ("facing at", &interpolation(|it| it.at.1 = 1e-30)),
        ("another", &interpolation(|it| it.who = CharacterId::default())),
        ("on a bow", &interpolation(|it| it.aside.x = 1e-4)),
        ("on a layer", &interpolation(|it| it.layer = 1)),
        ("walking on", &interpolation(|it| it.walks = true)),
    ]);
}

#[test]
fn every_field_of_a_walk_is_hashed() {
    check(&[
        ("serial", &walk(|it, _| it.serial ^= 4)),
        ("character", &walk(|it, other| it.character = other)),
        ("goal", &walk(|it, _| it.goal = Goal::Point(Vec3::X))),
        ("goal, a character", &walk(|it, other| it.goal = Goal::Character(other))),
        ("goal, a door", &walk(|it, _| it.goal = Goal::Door(DoorId(0)))),
        ("aim", &walk(|it, _| bit(&mut it.aim.x))),
        ("mode", &walk(|it, _| it.mode = flee(None))),
        ("mode seen", &walk(|it, _| it.mode = flee(Some(Vec3::ZERO)))),
        ("owner", &walk(|it, _| it.owner = Owner(1))),
        ("phase planning", &walk(|it, _| it.phase = Phase::Planning)),
        ("phase at a door", &walk(|it, _| it.phase = Phase::AtDoor(DoorId(0)))),
        ("phase at another", &walk(|it, _| it.phase = Phase::AtDoor(DoorId(1)))),
        ("phase beside", &walk(|it, other| it.phase = Phase::Beside(other))),
        ("phase beside another", &walk(|it, _| it.phase = Phase::Beside(it.character))),
        ("phase content", &walk(|it, _| it.phase = Phase::Content)),
        ("phase pausing", &walk(|it, _| it.phase = Phase::Pausing { until: TickNumber(0) })),
        ("phase turning", &walk(|it, _| it.phase = Phase::Turning(Reason::Reached))),
        ("phase turning already", &walk(|it, _| it.phase = Phase::Turning(Reason::AlreadyThere))),
        ("no path", &walk(|it, _| it.following = None)),
        ("on a link", &walk(|it, _| it.on_link = Some(link(1, 0)))),
        ("on another link", &walk(|it, _| it.on_link = Some(link(2, 0)))),
        ("on a link for longer", &walk(|it, _| it.on_link = Some(link(1, 9)))),
        ("no ask", &walk(|it, _| it.ask = None)),
        ("ask", &walk(|it, _| it.ask = Some(Ask::Crowd))),
        ("asked around", &walk(|it, other| it.asked_around = Some(around(other, 1.0)))),
        ("planned around", &walk(|it, other| it.planned_around = Some(around(other, 1.0)))),
        ("planned around another", &walk(|it, _| it.planned_around = Some(around(it.character, 1.0)))),
        ("planned around wider", &walk(|it, other| it.planned_around = Some(around(other, 2.0)))),
        ("goal occupant", &walk(|it, other| it.goal_occupant = Some(other))),
        ("goal slot", &walk(|it, other| it.goal_slot = Some(given(other)))),
        (
            "goal slot elsewhere",
            &walk(|it, other| it.goal_slot = Some(GoalSlot { point: Vec3::Z, ..given(other) })),
        ),
        (
            "goal slot at another goal",
            &walk(|it, other| it.goal_slot = Some(GoalSlot { goal: Vec3::X, ..given(other) })),
        ),
        ("backing out", &walk(|it, other| it.backing_out = Some(back(it, other)))),
        (
            "backing out elsewhere",
            &walk(|it, other| {
                it.backing_out = Some(Box::new(BackingOut { from: Vec3::X, ..*back(it, other) }))
            }),
        ),
        (
            "backing out by another junction",
            &walk(|it, other| {
                it.backing_out = Some(Box::new(BackingOut { junction: Vec3::X, ..*back(it, other) }));
            }),
        ),
        (
            "backing out for nobody",
            &walk(|it, other| {
                it.backing_out = Some(Box::new(BackingOut { yields_to: Vec::new(), ..*back(it, other) }));
            }),
        ),
        (
            "backing out for longer",
            &walk(|it, other| {
                it.backing_out = Some(Box::new(BackingOut { until: TickNumber(9), ..*back(it, other) }));
            }),
        ),
        ("place wait", &walk(|it, _| it.place_wait = Some(Box::new(WAIT)))),
        (
            "door wait at another",
            &walk(|it, _| {
                it.place_wait = Some(Box::new(PlaceWait { cause: WaitCause::Door(DoorId(1)), ..WAIT }))
            }),
        ),
        (
            "door wait elsewhere",
            &walk(|it, _| it.place_wait = Some(Box::new(PlaceWait { place: Vec3::X, ..WAIT }))),
        ),
        (
            "door wait for longer",
            &walk(|it, _| it.place_wait = Some(Box::new(PlaceWait { since: TickNumber(9), ..WAIT }))),
        ),
        (
            "door wait seen later",
            &walk(|it, _| it.place_wait = Some(Box::new(PlaceWait { seen: TickNumber(9), ..WAIT }))),
        ),
        ("goal slot beside another", &walk(|it, _| it.goal_slot = Some(given(it.character)))),
        ("ahead", &walk(|it, other| it.ahead = Some(other))),
        ("crowded", &walk(|it, _| it.is_crowded = true)),
        ("looked at", &walk(|it, _| it.looked_at = 1)),
        ("planned aim", &walk(|it, _| bit(&mut it.planned_aim.x))),
        ("issued", &walk(|it, _| it.issued = TickNumber(1))),
        ("travelled", &walk(|it, _| it.travelled_m = 1.0)),
        ("repaths", &walk(|it, _| it.repaths = 1)),
        ("missed paths", &walk(|it, _| it.missed_paths = 1)),
        ("shortcut due", &walk(|it, _| it.shortcuts.due = Some(TickNumber(0)))),
        ("rests from shortcuts", &walk(|it, _| it.shortcuts.rests_until = TickNumber(9))),
        ("on a shortcut", &walk(|it, _| it.shortcuts.is_on_one = true)),
        ("turned back", &walk(|it, _| it.shortcuts.turned_back = 1)),
        ("door plan", &walk(|it, _| it.is_door_plan = true)),
        ("progress", &walk(|it, _| it.progress_m = 1.0)),
        ("nearest", &walk(|it, _| it.nearest_m = 1.0)),
        ("nearest tick", &walk(|it, _| it.nearest_tick = TickNumber(1))),
        ("queue tick", &walk(|it, _| it.queue_tick = TickNumber(1))),
        ("progress tick", &walk(|it, _| it.progress_tick = TickNumber(1))),
        ("retargeted", &walk(|it, _| it.retargeted = TickNumber(1))),
        ("blocked by somebody", &walk(|it, other| it.blocked_by = Some(Blocker::Character(other)))),
        ("blocked by a door", &walk(|it, _| it.blocked_by = Some(Blocker::Door(DoorId(0))))),
        ("via", &walk(|it, _| it.via = Some(Checkpoints { left: vec![Vec3::X], last: Vec3::X }))),
        ("via another", &walk(|it, _| it.via = Some(Checkpoints { left: vec![Vec3::Z], last: Vec3::X }))),
        ("paused", &walk(|it, _| it.is_paused = true)),
        ("waypoints", &walk(|it, _| it.waypoints = 1)),
        ("told near", &walk(|it, _| it.told_near = true)),
        ("told blocked", &walk(|it, _| it.told_blocked = true)),
        ("skipped", &walk(|it, _| it.skipped_ticks = 1)),
        ("delivered", &walk(|it, _| it.is_delivered = true)),
    ]);
}

fn link(layer: u8, until: u64) -> OnLink {
    OnLink { layer, to: Vec3::X, until: TickNumber(until), by: LinkTaking::Walked }
}

fn flee(seen: Option<Vec3>) -> WalkMode {
    WalkMode::Flee(Flee { distance_m: 8.0, seen, is_cornered: false })
}

fn around(who: CharacterId, radius_m: f32) -> Bystanders {
    Bystanders::new([who].into(), [Disc { centre: Vec3::X, radius_m }].into())
}

#[test]
fn every_field_of_the_path_in_use_is_hashed() {
    check(&[
        ("segment", &way(|it| it.cursor.segment = 1)),
        ("start", &way(|it| it.cursor.start_m = 1.0)),
        ("along", &way(|it| it.cursor.along_m = 1.0)),
        ("trouble", &way(|it| it.trouble = Some(PathFailure::NoPath))),
        ("trouble with an area", &way(|it| it.trouble = Some(PathFailure::Area(AreaId(0))))),
        ("trouble with another", &way(|it| it.trouble = Some(PathFailure::Area(AreaId(1))))),
        ("points", &path(|it| bit(&mut it.points[1].x))),
        ("fewer points", &path(|it| _ = it.points.pop())),
        ("length", &path(|it| bit(&mut it.length_m))),
        ("cost", &path(|it| bit(&mut it.cost_m))),
        ("whole", &path(|it| it.whole = false)),
        ("revision", &path(|it| it.revision = Revision(9))),
        ("crossings", &path(|it| it.crossings.clear())),
        ("layers", &path(|it| it.layers.clear())),
        ("layer", &path(|it| it.layers[0].layer = 0)),
        ("length of a link", &path(|it| bit(&mut it.layers[0].length_m))),
        ("crossing", &path(|it| bit(&mut it.crossings[0].enter_m))),
    ]);
}

#[test]
fn every_option_of_a_walk_is_hashed() {
    check(&[
        ("pace", &options(|it, _| it.pace = WalkPace::Run)),
        ("speed", &options(|it, _| it.pace = WalkPace::Speed(1.0))),
        ("radius", &options(|it, _| it.radius_m = Some(0.0))),
        ("accept", &options(|it, _| it.accept = AcceptEnd::Near)),
        ("face an angle", &options(|it, _| it.face = Some(LookTarget::Angle(0.0)))),
        ("face a point", &options(|it, _| it.face = Some(LookTarget::Point(Vec3::ZERO)))),
        ("face somebody", &options(|it, other| it.face = Some(LookTarget::Character(other)))),
        ("doors", &options(|it, _| it.doors = Some(DoorPolicy::Avoid))),
        ("keys", &options(|it, _| it.keys.push(String::new()))),
        ("crowd", &options(|it, _| it.crowd = Crowd::Yield)),
        ("patience", &options(|it, _| it.patience_ticks ^= 1)),
        ("timeout", &options(|it, _| it.timeout_ticks = Some(0))),
        ("ensure", &options(|it, _| it.ensure = true)),
        ("no areas", &options(|it, _| it.areas = Some([].into()))),
        ("areas", &options(|it, _| it.areas = Some([(AreaId(0), None)].into()))),
        ("areas, more expensive", &options(|it, _| it.areas = Some([(AreaId(0), Some(2.0))].into()))),
        ("tells of waypoints", &options(|it, _| it.tells.waypoint = true)),
        ("tells of the end", &options(|it, _| it.tells.near = true)),
        ("tells of blocks", &options(|it, _| it.tells.blocked = true)),
    ]);
}

#[test]
fn what_the_world_keeps_beside_is_hashed() {
    check(&[
        ("tick", &|scene| scene.world.clock.tick = TickNumber(1)),
        ("seed", &|scene| scene.world.level.seed ^= 1),
        ("number of walks", &|scene| scene.world.walks.created += 1),
        ("number of turns", &|scene| scene.world.characters.turns += 1),
        ("number of plays", &|scene| scene.world.characters.plays += 1),
        ("number of door moves", &|scene| scene.world.map.door_moves += 1),
        ("number of watches", &|scene| scene.world.triggers.watches_made += 1),
        ("looks put off", &|scene| scene.world.triggers.is_behind = true),
        ("displaced earlier", &|scene| {
            scene.world.triggers.displaced.insert(1, (Displaced::Teleported, TickNumber(1)));
        }),
        ("number of blocks", &|scene| scene.world.map.blocks_made += 1),
        ("noted as standing", &|scene| scene.world.characters.note_standing(scene.other)),
        ("orders in this tick", &|scene| _ = scene.world.walks.asked_in_tick.insert(Owner(3), 1)),
    ]);
}

/// One character that watches for the other, and has seen it.
#[test]
fn every_field_of_a_block_is_hashed() {
    let block = |change: &dyn Fn(&mut Block)| {
        let centre = LayerPoint { layer: 0, point: Vec3::ONE };
        let (owner, name, area) = (Owner::HOST, "barrel".to_owned(), AreaId(9));
        let mut block = Block { serial: 1, owner, name, centre, radius_m: 1.0, area, is_over: false };
        change(&mut block);
        move |scene: &mut Fixture| scene.world.map.blocks.push(block.clone())
    };
    check(&[
        ("a block", &block(&|_| ())),
        ("its number", &block(&|it| it.serial += 1)),
        ("its owner", &block(&|it| it.owner = Owner(7))),
        ("its name", &block(&|it| it.name.push('s'))),
        ("its place", &block(&|it| it.centre.point.x += 1.0)),
        ("its layer", &block(&|it| it.centre.layer = 1)),
        ("its radius", &block(&|it| bit(&mut it.radius_m))),
        ("its obstacle", &block(&|it| it.area = AreaId(8))),
        ("that it is over", &block(&|it| it.is_over = true)),
    ]);
}

fn sensing(change: impl Fn(&mut SenseWatch)) -> impl Fn(&mut Fixture) {
    move |scene| {
        let target = SenseTarget::Character(scene.other);
        let sighting =
            Sighting { character: scene.other, is_seen: true, position: Vec3::X, tick: TickNumber(3) };
        let mut order = SenseWatch {
            owner: Owner(2),
            character: scene.one,
            target,
            eyes: Eyes::default(),
            hearing_m: 1.0,
            memory_ticks: 9,
            enabled: true,
            heard: 0,
            known: std::iter::once((2, sighting)).collect(),
        };
        change(&mut order);
        scene.world.senses.made = 1;
        scene.world.senses.watches.insert(SenseId(1), order);
    }
}

fn sighting(change: impl Fn(&mut Sighting)) -> impl Fn(&mut Fixture) {
    sensing(move |watch| watch.known.values_mut().for_each(&change))
}

/// A noise of one.
fn noise(change: impl Fn(&mut Noise)) -> impl Fn(&mut Fixture) {
    move |scene| {
        let (by, position) = (scene.one, Vec3::Z);
        let mut made = Noise { serial: 1, by, position, layer: 0, loudness_m: 5.0, tick: TickNumber(2) };
        change(&mut made);
        scene.world.senses.noises_made = 1;
        scene.world.senses.noises.push(made);
    }
}

#[test]
fn every_field_of_senses_that_changes_is_hashed() {
    check(&[
        ("number of sense watches", &|scene| scene.world.senses.made += 1),
        ("number of noises", &|scene| scene.world.senses.noises_made += 1),
        ("a sense watch", &sensing(|_| ())),
        ("its turn", &|scene| (sensing(|_| ())(scene), scene.world.senses.next = 1).1),
        ("owner", &sensing(|it| it.owner = Owner(3))),
        ("tag", &sensing(|it| it.target = SenseTarget::Tag("other".to_owned()))),
        ("range", &sensing(|it| it.eyes.range_m += 1.0)),
        ("degrees", &sensing(|it| it.eyes.degrees += 1.0)),
        ("hearing", &sensing(|it| it.hearing_m += 1.0)),
        ("memory", &sensing(|it| it.memory_ticks += 1)),
        ("enabled", &sensing(|it| it.enabled = false)),
        ("heard", &sensing(|it| it.heard = 7)),
        ("nobody known", &sensing(|it| it.known.clear())),
        ("in sight", &sighting(|it| it.is_seen = false)),
        ("seen where", &sighting(|it| it.position.x += 1.0)),
        ("seen when", &sighting(|it| it.tick = TickNumber(4))),
        ("a noise", &noise(|_| ())),
        ("its number", &noise(|it| it.serial += 1)),
        ("its place", &noise(|it| it.position.x += 1.0)),
        ("its layer", &noise(|it| it.layer += 1)),
        ("its loudness", &noise(|it| it.loudness_m += 1.0)),
        ("its tick", &noise(|it| it.tick = TickNumber(3))),
    ]);
}

#[test]
fn who_stood_and_was_removed_is_hashed_until_walks_have_looked() {
    let hash = |takes: bool| {
        let mut scene = sample();
        scene.world.characters.get_mut(scene.other).expect("it is there").replan.stood = true;
        scene.world.characters.note_removal(scene.other);
        if takes {
            scene.world.characters.take_departed();
        }
        of(&scene.world).characters
    };
    assert_ne!(hash(false), hash(true));
}

#[test]
fn every_field_of_a_door_that_changes_is_hashed() {
    let request = || DoorRequest {
        serials: vec![1],
        open: true,
        by: None,
        owner: Owner::HOST,
        when_occupied: crate::world::door::WhenOccupied::Wait,
        give_up: None,
        is_instant: false,
    };
    let requested = |change: fn(&mut DoorRequest, CharacterId)| {
        move |door: &mut Door, who: CharacterId| {
            let mut request = request();
            change(&mut request, who);
            door.request = Some(request);
        }
    };
    type Change<'a> = Box<dyn Fn(&mut Door, CharacterId) + 'a>;
    let changes: Vec<Change<'_>> = vec![
        Box::new(|_, _| {}),
        Box::new(|it, _| it.state = DoorState::Opening),
        Box::new(|it, _| it.left_ticks = 1),
        Box::new(|it, _| it.is_locked = true),
        Box::new(|it, _| it.key = Some(String::new())),
        Box::new(|it, _| it.one_way = Some([0.0, 0.0])),
        Box::new(|it, _| it.teams.push(String::new())),
        Box::new(requested(|_, _| {})),
        Box::new(requested(|it, _| it.serials.push(2))),
        Box::new(requested(|it, _| it.open = false)),
        Box::new(requested(|it, who| it.by = Some(who))),
        Box::new(requested(|it, _| it.owner = Owner(1))),
        Box::new(requested(|it, _| it.when_occupied = crate::world::door::WhenOccupied::Push)),
        Box::new(requested(|it, _| it.give_up = Some(TickNumber(0)))),
        Box::new(requested(|it, _| it.is_instant = true)),
    ];
    let mut seen: Vec<u64> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let mut scene = sample();
        let mut door = door();
        change(&mut door, scene.other);
        scene.world.map.doors.push(door);
        let hash = of(&scene.world).doors;
        assert!(!seen.contains(&hash), "change {at} of a door is not seen");
        seen.push(hash);
    }
}

#[test]
fn every_field_of_what_waits_for_scripts_is_hashed() {
    let told = |fact: &dyn Fn(&Fixture) -> Fact| {
        let fact = |scene: &mut Fixture| {
            let fact = fact(scene);
            scene.world.events.push(fact);
        };
        let mut scene = sample();
        fact(&mut scene);
        of(&scene.world).whole()
    };
    let emitted = |name: &str, payload: Option<Plain>, to: Option<CharacterId>| Fact::Emitted {
        name: name.to_owned(),
        payload,
        to,
        by: String::new(),
    };
    let (one, two) = (Some(Plain::Number(1.0)), Some(Plain::Number(2.0)));
    let stop = |walk, index| Fact::WalkNews {
        walk,
        news: WalkNews::Stop {
            index,
            mark: Mark { name: String::new(), position: Vec3::ZERO, facing_rad: None, props: None },
        },
    };
    let seen = |character, x| Fact::Noticed { watch: SenseId(1), character, position: Vec3::X * x };
    let entered = |how| {
        move |scene: &Fixture| Fact::WatchEntered { watch: WatchId::default(), character: scene.one, how }
    };
    let answered = |length_m| {
        move |_: &Fixture| Fact::PathAnswered {
            token: PathToken::default(),
            by: None,
            answer: Box::new(PathAnswer {
                path: Path { length_m, ..Path::default() },
                ..PathAnswer::default()
            }),
        }
    };
    let changes: [NamedFact<'_>; 21] = [
        ("spawned", &|scene| Fact::Spawned(scene.one)),
        ("another spawned", &|scene| Fact::Spawned(scene.other)),
        ("despawned", &|scene| Fact::Despawned(scene.one)),
        ("settled", &|scene| Fact::WalkSettled(scene.walk)),
        ("emitted", &|_| emitted("a", None, None)),
        ("emitted another", &|_| emitted("b", None, None)),
        ("emitted with 1", &|_| emitted("a", one.clone(), None)),
        ("emitted with 2", &|_| emitted("a", two.clone(), None)),
        ("sent", &|scene| emitted("a", None, Some(scene.one))),
        ("sent to another", &|scene| emitted("a", None, Some(scene.other))),
        ("input", &|_| Fact::Input { name: "a".to_owned(), payload: None }),
        ("turned", &|_| Fact::TurnEnded { serial: 1, ok: true }),
        ("not turned", &|_| Fact::TurnEnded { serial: 1, ok: false }),
        ("played", &|_| Fact::PlayEnded { serial: 1, ok: true }),
        ("stop", &|scene| stop(scene.walk, 1)),
        ("next stop", &|scene| stop(scene.walk, 2)),
        ("seen", &|scene| seen(scene.one, 0.0)),
        ("seen there", &|scene| seen(scene.one, 1.0)),
        ("entered", &entered(CrossingKind::Walked)),
        ("entered by a spell", &entered(CrossingKind::Teleported)),
        ("path", &answered(1.0)),
    ];
    let mut hashes = BTreeMap::from([(of(&sample().world).whole(), "nothing")]);
    for (name, fact) in changes {
        let other = hashes.insert(told(fact), name);
        assert_eq!(other, None, "{name}");
    }
    assert_eq!(hashes.insert(told(&answered(2.0)), "longer path"), None);
}

#[test]
fn what_only_the_host_hears_is_not_hashed() {
    let mut scene = sample();
    scene.world.events.push(Fact::WalkStarted(scene.walk));
    assert_eq!(of(&scene.world), of(&sample().world));
}
