//! Eight people who walk through a gap in a wall from both sides: paths, steps along them, avoidance, and
//! taking overlaps apart. To plan again where the way has become another one is the game's part.
//!
//! Run it with `cargo run -p walkon-nav --example walk_and_avoid`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use walkon_nav::base::threads::Threads;
use walkon_nav::crowd::avoid::{AvoidSettings, Avoider, Step, Walker, Wall};
use walkon_nav::crowd::follow::{BodyPose, Cursor, StepGait, Stride, stride};
use walkon_nav::crowd::resolve::{Bodies, BodyStance, PushSettings, Resolver};
use walkon_nav::glam::{Vec2, Vec3};
use walkon_nav::nav::cells::{AreaShape, CellMap, GridSource};
use walkon_nav::nav::{NavMap, Path, PathQuery, Search, Traversal};

/// Length of a step, seconds.
const STEP_S: f32 = 1.0 / 30.0;
const SPEED_MPS: f32 = 1.4;
const RADIUS_M: f32 = 0.3;

struct Person {
    path: Path,
    cursor: Cursor,
    pose: BodyPose,
    velocity: Vec2,
}

impl Person {
    fn has_arrived(&self) -> bool {
        self.cursor.left_m(&self.path, self.pose.place) < 0.5
    }
}

fn rectangle(min: [f64; 2], max: [f64; 2]) -> AreaShape {
    let polygon = vec![min, [max[0], min[1]], max, [min[0], max[1]]];
    AreaShape { polygon, available: true, factor: 1.0 }
}

fn flat(place: Vec3) -> Vec2 {
    Vec2::new(place.x, place.z)
}

fn main() -> Result<(), Box<dyn Error>> {
    let source = GridSource {
        areas: vec![rectangle([0.0, 0.0], [20.0, 12.0])],
        // A wall with a gap of four metres in its middle.
        obstacles: vec![rectangle([9.8, 0.0], [10.2, 4.0]), rectangle([9.8, 8.0], [10.2, 12.0])],
        ..GridSource::default()
    };
    let mut map = NavMap::from(CellMap::from_grid(&source)?);
    let by = Traversal { radius_m: RADIUS_M, ..Traversal::default() };
    map.prepare(&by);
    let mut people: Vec<Person> = (0..8u8).map(|number| person(&map, &by, number)).collect();

    let settings = AvoidSettings::default();
    let (mut avoider, mut velocities) = (Avoider::default(), Vec::new());
    let (mut resolver, mut bodies, mut held) = (Resolver::default(), Bodies::default(), Vec::new());
    let ground = map.footing(&by);
    for tick in 0..3000_u32 {
        if people.iter().all(Person::has_arrived) {
            println!("all are there after {:.1} s", f64::from(tick) / 30.0);
            return Ok(());
        }
        // Where each would come to if nobody were in the way.
        let strides: Vec<Stride> = people.iter().map(|person| alone(&map, &by, person)).collect();
        let walkers: Vec<Walker> =
            people.iter().zip(&strides).map(|(person, stride)| walker(person, stride)).collect();
        // The walls that matter are as near as a body comes in the time in which walls are avoided.
        let reach_m = SPEED_MPS * settings.wall_horizon_s + settings.wall_gap_m;
        let walls = |number: u32, out: &mut Vec<Wall>| {
            let mut near = Vec::new();
            ground.walls_near(people[number as usize].pose.place, reach_m, &mut near);
            out.extend(near.into_iter().map(|[from, to]| Wall { from, to }));
        };
        let step = Step { settings: &settings, step_s: STEP_S, epoch: tick / 30, threads: Threads::ONE };
        avoider.run(&walkers, walls, &step, &mut velocities);
        // The bodies as these velocities lead them, then pushed apart where they overlap. Nobody leaves the
        // ground, whatever the others do.
        bodies.clear();
        for (person, velocity) in people.iter().zip(&velocities) {
            let wanted = person.pose.place + Vec3::new(velocity.x, 0.0, velocity.y) * STEP_S;
            let stance = BodyStance { moving: !person.has_arrived(), ..BodyStance::default() };
            bodies.push(map.slide(person.pose.place, wanted, &by), RADIUS_M, stance);
        }
        resolver.resolve(&mut bodies, &ground, &PushSettings::default());
        // Steps into somebody that could not be pushed away are taken back to where they began.
        let began: Vec<Vec2> = people.iter().map(|person| flat(person.pose.place)).collect();
        held.clear();
        resolver.hold_back(&mut bodies, &began, &mut held);
        for (index, (person, stride)) in people.iter_mut().zip(&strides).enumerate() {
            let at = bodies.places[index];
            let place = Vec3::new(at.x, bodies.floors_m[index], at.y);
            person.velocity = flat(place - person.pose.place) / STEP_S;
            person.pose = BodyPose { place, heading: stride.heading };
            person.cursor = person.cursor.onward(&person.path, place);
        }
    }
    Err("somebody did not arrive".into())
}

/// A person on one side of the wall, with a path to the other.
fn person(map: &NavMap, by: &Traversal, number: u8) -> Person {
    let z = 3.0 + f32::from(number / 2) * 2.0;
    let [left, right] = [3.0, 17.0].map(|x| Vec3::new(x, 0.0, z));
    let (from, to) = if number.is_multiple_of(2) { (left, right) } else { (right, left) };
    let path = map.plan(&PathQuery::new(from, to, by.clone()), &mut Search::default()).path;
    let pose = BodyPose { place: from, heading: flat(to - from).normalize() };
    Person { cursor: Cursor::at_start(&path), path, pose, velocity: Vec2::ZERO }
}

fn alone(map: &NavMap, by: &Traversal, person: &Person) -> Stride {
    let gait = StepGait {
        speed_mps: SPEED_MPS,
        turn_radps: 8.0,
        step_s: STEP_S,
        reach_m: f32::INFINITY,
        brakes: true,
        is_exact: false,
        is_open: false,
    };
    stride(&person.path, person.cursor, person.pose, &gait, |from, to| map.straight(from, to, by).is_some())
}

fn walker(person: &Person, stride: &Stride) -> Walker {
    let place = person.pose.place;
    let is_walking = !person.has_arrived();
    Walker {
        place: flat(place),
        velocity: person.velocity,
        desired: if is_walking { flat(stride.to - place) / STEP_S } else { Vec2::ZERO },
        radius_m: RADIUS_M,
        speed_max_mps: SPEED_MPS,
        gives_way: if is_walking { 1.0 } else { 0.0 },
        left_m: person.cursor.left_m(&person.path, place),
        // Who knows nothing of narrow places takes every place for a wide one.
        width_m: f32::INFINITY,
        room_m: f32::INFINITY,
        ..Walker::default()
    }
}
