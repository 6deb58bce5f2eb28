//! Crowds: pushing apart beside a bare push, avoidance beside `dodgy_2d`, in one run.
//!
//! In: nothing; bodies of 0.35 m at random places, 0.25 and 0.75 to the square metre. Out: a markdown table of
//! milliseconds a tick and ratios of the means, and the growth of each column.
//! Method: every tick starts from the same places (copied in, not timed); fastest of fifteen rounds. The bare push sorts
//! bodies into cells once a tick, walks over half the neighbouring cells three times in cell order, and halves overlaps: no
//! walls, no bounds, no report, no order by number. `dodgy_2d` has no search for neighbours, so it gets ours: "whole" is
//! search and velocities for both, "kernel" is velocities alone from neighbours collected before.
//! Options: `cargo bench --bench crowd -- COUNT...` for other numbers of bodies.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss
)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Instant;

use dodgy_2d::{Agent, AvoidanceOptions};
use glam::{Vec2, Vec3};
use walkon::base::near::{Look, Near, Nearest};
use walkon::base::rng::Rng;
use walkon::crowd::avoid::{self, Avoider, Walker};
use walkon::crowd::resolve::{self, Bodies, Ground, Open, Resolver, Stance};

const ROUNDS: usize = 15;
const RADIUS_M: f32 = 0.35;
const SPEED_MPS: f32 = 1.4;
const TICK_S: f32 = 1.0 / 60.0;

/// Ground that answers every line and calls nothing open: what a crowd between walls costs at worst, without the walls.
struct Asked;

impl Ground for Asked {
    fn clear(&self, from: Vec3, to: Vec3, _: usize) -> bool {
        black_box(from.x + to.x).is_finite()
    }
}

/// Milliseconds a tick, fastest round.
struct Row {
    bare: f64,
    resolve: f64,
    asked: f64,
    dodgy: f64,
    avoid: f64,
    search: f64,
}

/// A crowd at random places, walking in random directions.
struct Crowd {
    bodies: Bodies,
    walkers: Vec<Walker>,
    agents: Vec<Agent>,
}

fn main() {
    let mut counts: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 50_000];
    }
    println!(
        "| bodies | per m2 | start | bare push | resolve | ratio | all lines asked, ratio | dodgy_2d, whole | avoid | ratio | kernels' ratio | avoid us each |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for per_m2 in [0.25, 0.75] {
        for &count in &counts {
            let mut crowd = crowd(count, per_m2);
            print_row(&crowd, &format!("{count} | {per_m2} | random"));
            settle(&mut crowd);
            print_row(&crowd, &format!("{count} | {per_m2} | settled"));
        }
    }
    for &count in &counts {
        print_one_cell(count);
    }
}

fn print_row(crowd: &Crowd, title: &str) {
    let row = measure(crowd);
    println!(
        "| {title} | {:.3} | {:.3} | {:.2} | {:.2} | {:.3} | {:.3} | {:.2} | {:.2} | {:.3} |",
        row.bare,
        row.resolve,
        row.resolve / row.bare,
        row.asked / row.bare,
        row.dodgy,
        row.avoid,
        row.avoid / row.dodgy,
        (row.avoid - row.search) / (row.dodgy - row.search),
        row.avoid * 1e3 / crowd.walkers.len() as f64,
    );
}

/// Everybody in one cell of 0.4 m: the first tick, and how it compares with the same number spread out.
fn print_one_cell(count: usize) {
    let spread = measure(&crowd(count, 0.75));
    let mut together = crowd(count, 0.75);
    let mut rng = Rng::stream(2, "one cell");
    for index in 0..count {
        let place = Vec2::new(rng.unit() as f32, rng.unit() as f32) * 0.4;
        together.bodies.places[index] = place;
        together.walkers[index].place = place;
    }
    let mut resolver = Resolver::default();
    let settings = resolve::Settings::default();
    let mut bodies = together.bodies.clone();
    let resolved = fastest(&mut [&mut || {
        bodies.places.clone_from(&together.bodies.places);
        timed(|| resolver.resolve(&mut bodies, &Open, &settings).pushed.len())
    }]);
    let (mut avoider, mut out) = (Avoider::default(), Vec::new());
    let avoided = fastest(&mut [&mut || timed(|| run_avoid(&mut avoider, &together.walkers, &mut out))]);
    println!(
        "\n{count} in one cell: resolve {:.2} ms ({:.1} times spread out), avoid {:.2} ms ({:.1} times)",
        resolved[0],
        resolved[0] / spread.resolve,
        avoided[0],
        avoided[0] / spread.avoid
    );
}

fn crowd(count: usize, per_m2: f64) -> Crowd {
    let mut rng = Rng::stream(1, "crowd");
    let side_m = (count as f64 / per_m2).sqrt();
    let mut crowd = Crowd { bodies: Bodies::default(), walkers: Vec::new(), agents: Vec::new() };
    for _ in 0..count {
        let place = Vec2::new(rng.float(0.0, side_m) as f32, rng.float(0.0, side_m) as f32);
        let angle = rng.float(0.0, std::f64::consts::TAU);
        let velocity = Vec2::new(angle.cos() as f32, angle.sin() as f32) * SPEED_MPS;
        let stance = Stance { moving: true, ..Stance::default() };
        crowd.bodies.push(Vec3::new(place.x, 0.0, place.y), RADIUS_M, stance);
        crowd.walkers.push(Walker {
            place,
            velocity,
            desired: velocity,
            radius_m: RADIUS_M,
            speed_max_mps: SPEED_MPS,
            gives_way: 1.0,
            floor_m: 0.0,
        });
        crowd.agents.push(Agent {
            position: dodgy(place),
            velocity: dodgy(velocity),
            radius: RADIUS_M,
            avoidance_responsibility: 1.0,
        });
    }
    crowd
}

/// Pushes everybody apart for two seconds, as a crowd is found in the middle of a run.
fn settle(crowd: &mut Crowd) {
    let mut resolver = Resolver::default();
    for _ in 0..120 {
        resolver.resolve(&mut crowd.bodies, &Open, &resolve::Settings::default());
    }
    for (index, &place) in crowd.bodies.places.iter().enumerate() {
        crowd.walkers[index].place = place;
        crowd.agents[index].position = dodgy(place);
    }
}

fn measure(crowd: &Crowd) -> Row {
    let settings = resolve::Settings::default();
    let (mut bare, mut resolver, mut asked) = (Bare::default(), Resolver::default(), Resolver::default());
    let mut places = crowd.bodies.places.clone();
    let (mut bodies, mut asked_bodies) = (crowd.bodies.clone(), crowd.bodies.clone());
    let (mut avoider, mut out) = (Avoider::default(), Vec::new());
    let (mut near, mut search, mut agents_out) = (Near::default(), Near::default(), Vec::new());
    let starts = &crowd.bodies.places;
    let times = fastest(&mut [
        &mut || {
            places.clone_from(starts);
            timed(|| bare.push(&mut places))
        },
        &mut || {
            bodies.places.clone_from(starts);
            timed(|| resolver.resolve(&mut bodies, &Open, &settings).pushed.len())
        },
        &mut || {
            asked_bodies.places.clone_from(starts);
            timed(|| asked.resolve(&mut asked_bodies, &Asked, &settings).pushed.len())
        },
        &mut || timed(|| run_dodgy(&mut near, starts, &crowd.agents, &mut agents_out)),
        &mut || timed(|| run_avoid(&mut avoider, &crowd.walkers, &mut out)),
        &mut || timed(|| run_search(&mut search, starts)),
    ]);
    let [bare, resolve, asked, dodgy, avoid, search] = times[..] else { unreachable!() };
    Row { bare, resolve, asked, dodgy, avoid, search }
}

/// Milliseconds of the fastest of several rounds; all take turns, so that they share the machine's moods.
fn fastest(contenders: &mut [&mut dyn FnMut() -> f64]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..ROUNDS {
        for (best, contender) in best.iter_mut().zip(contenders.iter_mut()) {
            *best = best.min(contender());
        }
    }
    best
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64() * 1e3
}

fn dodgy(point: Vec2) -> dodgy_2d::Vec2 {
    dodgy_2d::Vec2::new(point.x, point.y)
}

fn run_avoid(avoider: &mut Avoider, walkers: &[Walker], out: &mut Vec<Vec2>) {
    let settings = avoid::Settings::default();
    avoider.run(walkers, |_, _| {}, &avoid::Tick { settings: &settings, tick_s: TICK_S, epoch: 0 }, out);
}

fn run_search(near: &mut Near, places: &[Vec2]) -> usize {
    let settings = avoid::Settings::default();
    near.build(places, settings.reach_m * avoid::CELL_SHARE);
    let mut nearest = Nearest::new(settings.neighbours_max);
    let mut found = 0;
    for &index in near.by_cell() {
        near.nearest(
            places[index as usize],
            settings.reach_m,
            Look { but: index, ..Look::ALL },
            &mut nearest,
        );
        found += black_box(&nearest).len();
    }
    found
}

fn run_dodgy(near: &mut Near, places: &[Vec2], agents: &[Agent], out: &mut Vec<dodgy_2d::Vec2>) {
    let settings = avoid::Settings::default();
    let options = AvoidanceOptions {
        obstacle_margin: 0.0,
        time_horizon: settings.horizon_s,
        obstacle_time_horizon: settings.wall_horizon_s,
    };
    near.build(places, settings.reach_m * avoid::CELL_SHARE);
    let mut nearest = Nearest::new(settings.neighbours_max);
    let mut neighbours: Vec<Cow<'_, Agent>> = Vec::new();
    out.clear();
    out.resize(agents.len(), dodgy_2d::Vec2::ZERO);
    for &index in near.by_cell() {
        near.nearest(
            places[index as usize],
            settings.reach_m,
            Look { but: index, ..Look::ALL },
            &mut nearest,
        );
        neighbours.clear();
        neighbours.extend(nearest.iter().map(|neighbour| Cow::Borrowed(&agents[neighbour.id as usize])));
        let agent = &agents[index as usize];
        out[index as usize] =
            agent.compute_avoiding_velocity(&neighbours, &[], agent.velocity, SPEED_MPS, TICK_S, &options);
    }
}

/// The bare push: bodies of one radius, sorted by cell once, three walks over half the neighbouring cells.
#[derive(Default)]
struct Bare {
    starts: Vec<u32>,
    cells: Vec<u32>,
    ids: Vec<u32>,
    places: Vec<Vec2>,
}

impl Bare {
    fn push(&mut self, places: &mut [Vec2]) {
        let cell_m = 2.0 * RADIUS_M;
        let (mut min, mut max) = (Vec2::splat(f32::INFINITY), Vec2::splat(f32::NEG_INFINITY));
        for &place in places.iter() {
            (min, max) = (min.min(place), max.max(place));
        }
        let width = ((max.x - min.x) / cell_m) as usize + 3;
        let depth = ((max.y - min.y) / cell_m) as usize + 3;
        self.starts.clear();
        self.starts.resize(width * depth + 1, 0);
        self.cells.clear();
        for &place in places.iter() {
            let (x, z) =
                (((place.x - min.x) / cell_m) as usize + 1, ((place.y - min.y) / cell_m) as usize + 1);
            self.cells.push((z * width + x) as u32);
            self.starts[z * width + x] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.ids.resize(places.len(), 0);
        self.places.resize(places.len(), Vec2::ZERO);
        for index in (0..places.len()).rev() {
            let slot = &mut self.starts[self.cells[index] as usize];
            *slot -= 1;
            self.ids[*slot as usize] = index as u32;
            self.places[*slot as usize] = places[index];
        }
        for _ in 0..3 {
            self.pass(width, depth);
        }
        for (&id, &place) in self.ids.iter().zip(&self.places) {
            places[id as usize] = place;
        }
    }

    fn pass(&mut self, width: usize, depth: usize) {
        for z in 1..depth - 1 {
            for cell in z * width + 1..z * width + width - 1 {
                let (start, end) = (self.starts[cell] as usize, self.starts[cell + 1] as usize);
                // The cell itself and the one to its right, then the three below.
                let right = self.starts[cell + 2] as usize;
                let below = cell + width - 1;
                let (low, high) = (self.starts[below] as usize, self.starts[below + 3] as usize);
                for first in start..end {
                    for second in (first + 1..right).chain(low..high) {
                        self.part(first, second);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn part(&mut self, first: usize, second: usize) {
        let between = self.places[second] - self.places[first];
        let distance_sq = between.x * between.x + between.y * between.y;
        if distance_sq < 4.0 * RADIUS_M * RADIUS_M && distance_sq > 0.0 {
            let distance = distance_sq.sqrt();
            let half = between * ((2.0 * RADIUS_M - distance) * 0.5 / distance);
            self.places[first] -= half;
            self.places[second] += half;
        }
    }
}
