//! Crowds: pushing apart beside a bare push, avoidance beside `dodgy_2d`, in one run.
//!
//! In: nothing; bodies of 0.35 m at random places, 0.25 and 0.75 to the square metre. Out: a markdown table
//! of milliseconds a tick and ratios of the means, and the growth of each column. Method: every tick starts
//! from the same places (copied in, not timed); fastest of fifteen rounds. The bare push sorts bodies into
//! cells once a tick, walks over half the neighbouring cells three times in cell order, and halves overlaps:
//! no walls, no bounds, no report, no order by number. `dodgy_2d` has no search for neighbours, so it gets
//! ours: "whole" is search and velocities for both, "kernel" is velocities alone from neighbours collected
//! before. Below stands a whole tick of the runtime (paths, following, avoidance, collisions, replanning; no
//! scripts) in a hall with a pillar every twenty metres, everybody on errands of up to thirty metres, beside
//! the same two kernels on the same places, and beside the crate `landmass` with the same people on a mesh of
//! the same hall: its update finds paths, steers and avoids (with `dodgy_2d`); it pushes nobody apart and
//! plans again only when a mesh changes. Of every two ticks the first does the crowd's step and the second
//! shows it; both the mean and the first are compared. Means over sixty ticks in time of the thread, so that
//! others on the machine count as little as can be; the two kernels run once after each tick, so that they
//! share the machine's moods and find the caches as the steps of a tick find them. Options:
//! `cargo bench -p walkon-benches --bench crowd -- COUNT... [--kernels | --whole | --threads]` for other
//! numbers of bodies, or one part. The third part is the same hall on one thread, two and eight, two ticks on
//! each in turns, copies of one state; the hashes must be equal at the end. Least and median of real time,
//! because ticks on two threads are what others on the machine disturb most; and the time of the calling
//! thread, which does what is not shared out and a part of the rest. What is shared out is worked out from
//! it: on eight threads the caller does an eighth of that. "Two cores of one's own" is the rest and half of
//! that, in processor time.

use std::borrow::Cow;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use cpu_time::ThreadTime;
use dodgy_2d::{Agent, AvoidanceOptions};
use glam::{Vec2, Vec3};
use landmass::{Agent as Peer, Archipelago, FromAgentRadius};
use walkon_runtime::base::rng::Rng;
use walkon_runtime::base::spatial_hash::{Lookup, Nearest, SpatialHash};
use walkon_runtime::base::threads::Threads;
use walkon_runtime::crowd::avoid::{self, Avoider, Walker};
use walkon_runtime::crowd::resolve::{self, Bodies, BodyStance, Ground, Open, Resolver};
use walkon_runtime::game::recorder::Recorder;
use walkon_runtime::game::{Game, TickStep};
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::WalkOptions;

const ROUNDS: usize = 15;
const RADIUS_M: f32 = 0.35;
const SPEED_MPS: f32 = 1.4;
const TICK_S: f32 = 1.0 / 60.0;

/// Ground that answers every line and calls nothing open: what a crowd between walls costs at worst, without
/// the walls.
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

/// Measures crowds of these sizes and prints a table.
type Print = fn(&[usize]);

fn main() {
    let mut counts: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 50_000];
    }
    let parts: [(&str, Print); 3] =
        [("--kernels", print_kernels), ("--whole", print_whole), ("--threads", print_threads)];
    let asked = |part: &str| std::env::args().any(|argument| argument == part);
    let asks_all = !parts.iter().any(|(name, _)| asked(name));
    for (_, print) in parts.iter().filter(|(name, _)| asks_all || asked(name)) {
        print(&counts);
    }
}

fn print_kernels(counts: &[usize]) {
    println!(
        "| bodies | per m2 | start | bare push | resolve | ratio | all lines asked, ratio | dodgy_2d, whole | avoid | ratio | kernels' ratio | avoid us each |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for per_m2 in [0.25, 0.75] {
        for &count in counts {
            let mut crowd = crowd(count, per_m2);
            print_row(&crowd, &format!("{count} | {per_m2} | random"));
            settle(&mut crowd);
            print_row(&crowd, &format!("{count} | {per_m2} | settled"));
        }
    }
    for &count in counts {
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
    let settings = resolve::PushSettings::default();
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
        let stance = BodyStance { moving: true, ..BodyStance::default() };
        crowd.bodies.push(Vec3::new(place.x, 0.0, place.y), RADIUS_M, stance);
        crowd.walkers.push(Walker {
            place,
            velocity,
            desired: velocity,
            radius_m: RADIUS_M,
            speed_max_mps: SPEED_MPS,
            gives_way: 1.0,
            left_m: 0.0,
            held_s: 0.0,
            width_m: f32::INFINITY,
            room_m: f32::INFINITY,
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
        resolver.resolve(&mut crowd.bodies, &Open, &resolve::PushSettings::default());
    }
    for (index, &place) in crowd.bodies.places.iter().enumerate() {
        crowd.walkers[index].place = place;
        crowd.agents[index].position = dodgy(place);
    }
}

fn measure(crowd: &Crowd) -> Row {
    let settings = resolve::PushSettings::default();
    let (mut bare, mut resolver, mut asked) = (Bare::default(), Resolver::default(), Resolver::default());
    let mut places = crowd.bodies.places.clone();
    let (mut bodies, mut asked_bodies) = (crowd.bodies.clone(), crowd.bodies.clone());
    let (mut avoider, mut out) = (Avoider::default(), Vec::new());
    let (mut near, mut search, mut agents_out) = (SpatialHash::default(), SpatialHash::default(), Vec::new());
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

/// Milliseconds of this thread, whatever else the machine does.
fn thread_timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = ThreadTime::now();
    black_box(work());
    start.elapsed().as_secs_f64() * 1e3
}

fn dodgy(point: Vec2) -> dodgy_2d::Vec2 {
    dodgy_2d::Vec2::new(point.x, point.y)
}

fn run_avoid(avoider: &mut Avoider, walkers: &[Walker], out: &mut Vec<Vec2>) {
    let settings = avoid::AvoidSettings::default();
    avoider.run(
        walkers,
        |_, _| {},
        &avoid::Step { settings: &settings, step_s: TICK_S, epoch: 0, threads: Threads::ONE },
        out,
    );
}

fn run_search(near: &mut SpatialHash, places: &[Vec2]) -> usize {
    let settings = avoid::AvoidSettings::default();
    near.build_by_density(places, avoid::cell_sizes(settings.reach_m));
    let mut nearest = Nearest::new(settings.neighbours_max);
    let mut found = 0;
    for &index in near.by_cell() {
        near.nearest(
            places[index as usize],
            settings.reach_m,
            Lookup { but: index, ..Lookup::ALL },
            &mut nearest,
        );
        found += black_box(&nearest).len();
    }
    found
}

fn run_dodgy(near: &mut SpatialHash, places: &[Vec2], agents: &[Agent], out: &mut Vec<dodgy_2d::Vec2>) {
    let settings = avoid::AvoidSettings::default();
    let options = AvoidanceOptions {
        obstacle_margin: 0.0,
        time_horizon: settings.horizon_s,
        obstacle_time_horizon: settings.wall_horizon_s,
    };
    near.build_by_density(places, avoid::cell_sizes(settings.reach_m));
    let mut nearest = Nearest::new(settings.neighbours_max);
    let mut neighbours: Vec<Cow<'_, Agent>> = Vec::new();
    out.clear();
    out.resize(agents.len(), dodgy_2d::Vec2::ZERO);
    for &index in near.by_cell() {
        near.nearest(
            places[index as usize],
            settings.reach_m,
            Lookup { but: index, ..Lookup::ALL },
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

// A whole tick.

/// From pillar to pillar, metres; a pillar is as wide as two metres in the middle of its tile.
const TILE_M: f64 = 20.0;
const PILLAR_M: (f64, f64) = (9.0, 11.0);
/// How far an errand leads along each axis at most, metres.
const ERRAND_M: f64 = 30.0;
/// Ticks that are measured, once everybody is under way.
const TICKS: usize = 60;
/// Ticks that waiting for everybody's first path may take.
const WARM_TICKS: usize = 4_000;

/// People in a hall of `tiles` by `tiles` with their next goals.
struct Hall {
    tiles: usize,
    starts: Vec<Vec2>,
    rng: Rng,
}

impl Hall {
    fn of(count: usize, per_m2: f64) -> Self {
        // Pillars take a hundredth of the ground.
        let tiles = ((count as f64 / per_m2 / 0.99).sqrt() / TILE_M).round().max(1.0) as usize;
        let mut hall = Self { tiles, starts: Vec::new(), rng: Rng::stream(4, "hall") };
        for _ in 0..count {
            let start = hall.place(None);
            hall.starts.push(start);
        }
        hall
    }

    fn side_m(&self) -> f64 {
        self.tiles as f64 * TILE_M
    }

    /// A random place clear of pillars; near `from` if there is one.
    fn place(&mut self, from: Option<Vec2>) -> Vec2 {
        let side_m = self.side_m();
        let mut along = |from: Option<f32>| {
            let (low, high) = match from {
                Some(from) => (f64::from(from) - ERRAND_M, f64::from(from) + ERRAND_M),
                None => (0.0, side_m),
            };
            self.rng.float(low.max(1.0), high.min(side_m - 1.0))
        };
        loop {
            let (x, z) = (along(from.map(|from| from.x)), along(from.map(|from| from.y)));
            let beside = |along: f64| !(PILLAR_M.0 - 0.8..PILLAR_M.1 + 0.8).contains(&(along % TILE_M));
            if beside(x) || beside(z) {
                return Vec2::new(x as f32, z as f32);
            }
        }
    }

    fn level(&self) -> String {
        let side_m = self.side_m();
        let pillar = |tile: usize| {
            let (x, z) = ((tile % self.tiles) as f64 * TILE_M, (tile / self.tiles) as f64 * TILE_M);
            let (left, right) = (x + PILLAR_M.0, x + PILLAR_M.1);
            let (near, far) = (z + PILLAR_M.0, z + PILLAR_M.1);
            format!(
                r#"{{ "name": "p{tile}", "polygon": [[{left},{near}],[{right},{near}],[{right},{far}],[{left},{far}]] }}"#
            )
        };
        // Enough for all errands of a tick, or most of a large crowd would stand and wait for a path.
        let budget_expansions = (self.starts.len() * 2).max(2_000);
        let pillars: Vec<String> = (0..self.tiles * self.tiles).map(pillar).collect();
        format!(
            r#"{{ "limits": {{ "characters": 50000 }}, "pathBudget": {budget_expansions}, "navigation": {{ "agentRadius": {RADIUS_M}, "objectPadding": 0.0,
            "areas": [ {{ "name": "hall", "polygon": [[0,0],[{side_m},0],[{side_m},{side_m}],[0,{side_m}]] }} ],
            "obstacles": [{}] }} }}"#,
            pillars.join(",")
        )
    }

    /// The same hall as a mesh of rectangles between the lines that pillars and tiles draw.
    fn mesh(&self) -> landmass::NavigationMesh<landmass::XY> {
        let mut lines = vec![0.0];
        for tile in 0..self.tiles {
            lines.extend([PILLAR_M.0, PILLAR_M.1, TILE_M].map(|along| (tile as f64 * TILE_M + along) as f32));
        }
        let across = lines.len();
        let corner = |x: usize, z: usize| z * across + x;
        let vertices = (0..across * across)
            .map(|index| landmass_vec(Vec2::new(lines[index % across], lines[index / across])))
            .collect();
        let is_pillar = |x: usize, z: usize| x % 3 == 1 && z % 3 == 1;
        let cells = (0..across - 1).flat_map(|z| (0..across - 1).map(move |x| (x, z)));
        let polygons: Vec<Vec<usize>> = cells
            .filter(|&(x, z)| !is_pillar(x, z))
            .map(|(x, z)| vec![corner(x, z), corner(x + 1, z), corner(x + 1, z + 1), corner(x, z + 1)])
            .collect();
        let polygon_type_indices = vec![0; polygons.len()];
        landmass::NavigationMesh { vertices, polygons, polygon_type_indices, height_mesh: None }
    }
}

fn landmass_vec(place: Vec2) -> landmass_glam::Vec2 {
    landmass_glam::Vec2::new(place.x, place.y)
}

fn print_whole(counts: &[usize]) {
    println!(
        "\n| characters | per m2 | under way | whole tick ms | us each | paths | follow | avoid | integrate and push | bare push | dodgy_2d | tick / (push + dodgy_2d) | first tick of a step / (push + dodgy_2d) | landmass ms | landmass / tick |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for per_m2 in [0.25, 0.75] {
        for &count in counts {
            print_whole_row(count, per_m2);
        }
    }
}

fn print_whole_row(count: usize, per_m2: f64) {
    let mut hall = Hall::of(count, per_m2);
    let mut game = game(&hall);
    let mut steps = [0.0; TickStep::ALL.len()];
    warm_up(&mut game, &mut hall);
    let (mut spent_ms, mut first_ms, mut push_ms, mut dodgy_ms) = (0.0, 0.0, 0.0, 0.0);
    let rate = game.world().rate();
    let step_count = (TICKS as u64 / rate.ticks_per_step()) as f64;
    let mut beside = Beside::default();
    for _ in 0..TICKS {
        send_idle(&mut game, &mut hall);
        let began = ThreadTime::now();
        let mut last = began;
        game.tick_watched(&[], &mut |done| {
            let now = ThreadTime::now();
            let index = TickStep::ALL.iter().position(|&step| step == done).unwrap();
            steps[index] += now.duration_since(last).as_secs_f64() * 1e3;
            last = now;
        });
        let took_ms = began.elapsed().as_secs_f64() * 1e3;
        spent_ms += took_ms;
        first_ms += if rate.begins_step(game.world().tick()) { took_ms / step_count } else { 0.0 };
        let (push, dodgy) = beside.run(&game);
        push_ms += push / TICKS as f64;
        dodgy_ms += dodgy / TICKS as f64;
    }
    let tick_ms = spent_ms / TICKS as f64;
    let step_ms = |name: &str| {
        let index = TickStep::ALL.iter().position(|step| step.name().ends_with(name));
        index.map_or(0.0, |index| steps[index] / TICKS as f64)
    };
    let landmass_ms = landmass_ms(&hall);
    let under_way = 100 * moving(&game) / count;
    println!(
        "| {count} | {per_m2} | {under_way} % | {tick_ms:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {push_ms:.2} | {dodgy_ms:.2} | {:.2} | {:.2} | {landmass_ms:.1} | {:.1} |",
        tick_ms * 1e3 / count as f64,
        step_ms("path requests"),
        step_ms("follow"),
        step_ms("avoid"),
        step_ms("integrate"),
        tick_ms / (push_ms + dodgy_ms),
        first_ms / (push_ms + dodgy_ms),
        landmass_ms / tick_ms,
    );
}

fn game(hall: &Hall) -> Game {
    let source = MemorySource::new().with("hall.json", hall.level());
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let mut game = Game::new(spawn::build(level, None).world, Recorder::default());
    for (index, start) in hall.starts.iter().enumerate() {
        let mut person = Spawn::new(format!("c{index}"), Vec3::new(start.x, 0.0, start.y));
        (person.radius_m, person.gait.walk_mps) = (RADIUS_M, SPEED_MPS);
        characters::spawn(game.world_mut(), person).unwrap().unwrap();
    }
    game
}

/// Sends everybody who stands; how many.
fn send_idle(game: &mut Game, hall: &mut Hall) -> usize {
    let world = game.world();
    let idle: Vec<_> = world
        .characters()
        .filter(|(_, person)| person.walk.is_none())
        .map(|(id, person)| (id, Vec2::new(person.body.position.x, person.body.position.z)))
        .collect();
    for &(character, from) in &idle {
        let to = hall.place(Some(from));
        let options = WalkOptions::at(game.world().rate());
        let goal = Goal::Point(Vec3::new(to.x, 0.0, to.y));
        let order = WalkOrder { character, goal, options, owner: Owner::HOST };
        walk_to(game.world_mut(), order).unwrap();
    }
    idle.len()
}

/// How many are under way.
fn moving(game: &Game) -> usize {
    game.world().characters().filter(|(_, person)| person.is_moving).count()
}

/// Until nine in ten are under way and the searches of the beginning are done, when everybody stood in
/// everybody's way, and two seconds more.
fn warm_up(game: &mut Game, hall: &mut Hall) {
    let mut left = 120;
    for _ in 0..WARM_TICKS {
        send_idle(game, hall);
        game.tick(&[]);
        let count = game.world().character_count();
        let is_calm = game.world().path_counts().in_tick < count as u64;
        left -= usize::from(is_calm && moving(game) * 10 >= count * 9);
        if left == 0 {
            return;
        }
    }
}

/// The bare push and `dodgy_2d` on the places and velocities that a game has come to.
#[derive(Default)]
struct Beside {
    bare: Bare,
    near: SpatialHash,
    places: Vec<Vec2>,
    starts: Vec<Vec2>,
    agents: Vec<Agent>,
    out: Vec<dodgy_2d::Vec2>,
}

impl Beside {
    /// Milliseconds of each.
    fn run(&mut self, game: &Game) -> (f64, f64) {
        let flat = |vector: Vec3| Vec2::new(vector.x, vector.z);
        self.starts.clear();
        self.agents.clear();
        for (_, person) in game.world().characters() {
            let (place, velocity) = (flat(person.body.position), flat(person.body.velocity));
            self.starts.push(place);
            self.agents.push(Agent {
                position: dodgy(place),
                velocity: dodgy(velocity),
                radius: RADIUS_M,
                avoidance_responsibility: 1.0,
            });
        }
        self.places.clone_from(&self.starts);
        let push_ms = thread_timed(|| self.bare.push(&mut self.places));
        let dodgy_ms = thread_timed(|| run_dodgy(&mut self.near, &self.starts, &self.agents, &mut self.out));
        (push_ms, dodgy_ms)
    }
}

/// Milliseconds of an update of `landmass` with the same people, moved as it wishes.
fn landmass_ms(hall: &Hall) -> f64 {
    let mut hall = Hall { tiles: hall.tiles, starts: hall.starts.clone(), rng: hall.rng.clone() };
    let options = landmass::ArchipelagoOptions::from_agent_radius(RADIUS_M);
    let mut archipelago = Archipelago::<landmass::XY>::new(options);
    let mesh = hall.mesh().validate().unwrap_or_else(|error| panic!("{error:?}"));
    let place = landmass::Transform { translation: landmass_vec(Vec2::ZERO), rotation: 0.0 };
    archipelago.add_island(landmass::Island::new(place, std::sync::Arc::new(mesh)));
    let ids: Vec<_> = (0..hall.starts.len())
        .map(|index| {
            let start = hall.starts[index];
            let goal = hall.place(Some(start));
            let rest = landmass_vec(Vec2::ZERO);
            let mut peer = Peer::create(landmass_vec(start), rest, RADIUS_M, SPEED_MPS, SPEED_MPS);
            peer.current_target = Some(landmass_vec(goal));
            archipelago.add_agent(peer)
        })
        .collect();
    let rounds = if ids.len() > 20_000 { 3 } else { 10 };
    let mut spent_ms = 0.0;
    // The first update finds everybody's path; a tick of ours is past that too.
    for round in 0..=rounds {
        let took_ms = thread_timed(|| archipelago.update(TICK_S));
        spent_ms += if round == 0 { 0.0 } else { took_ms };
        for &id in &ids {
            let Some(peer) = archipelago.get_agent_mut(id) else { continue };
            peer.velocity = *peer.get_desired_velocity();
            peer.position += peer.velocity * TICK_S;
        }
    }
    spent_ms / f64::from(rounds)
}

// Threads.

/// Pairs of ticks that are measured on each number of threads.
const PAIRS: usize = 24;
/// The numbers of threads.
const THREADS: [usize; 3] = [1, 2, 8];

fn print_threads(counts: &[usize]) {
    println!(
        "\n| characters | per m2 | under way | tick ms, 1 thread (median) | 2 threads (median) | ratio (of medians) | caller's time ms, 1 / 2 / 8 threads | shared out | two cores of one's own, ms | ratio | steps, 1 / 2: paths | follow | avoid | integrate | arrivals | others |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for per_m2 in [0.25, 0.75] {
        for &count in counts {
            print_threads_row(count, per_m2);
        }
    }
}

/// A hall on some threads, and what its ticks took.
struct Threaded {
    game: Game,
    hall: Hall,
    /// Of each pair of ticks, per tick.
    wall_ms: Vec<f64>,
    caller_ms: Vec<f64>,
    /// Of the fastest pair, per tick.
    steps_ms: [f64; TickStep::ALL.len()],
}

impl Threaded {
    /// A copy of a hall, on so many threads.
    fn of((game, hall): (&Game, &Hall), threads: usize) -> Self {
        let hall = Hall { tiles: hall.tiles, starts: Vec::new(), rng: hall.rng.clone() };
        let mut game = Game::new(game.world().clone(), Recorder::default());
        game.set_threads(Threads::new(NonZeroUsize::new(threads).unwrap()));
        Self { game, hall, wall_ms: Vec::new(), caller_ms: Vec::new(), steps_ms: [0.0; TickStep::ALL.len()] }
    }

    /// Two ticks: one that does the crowd's step, and one that shows it.
    fn run_pair(&mut self) {
        let (mut wall_ms, mut caller_ms) = (0.0, 0.0);
        let mut steps_ms = [0.0; TickStep::ALL.len()];
        for _ in 0..2 {
            send_idle(&mut self.game, &mut self.hall);
            let (began, caller) = (Instant::now(), ThreadTime::now());
            let mut last = began;
            self.game.tick_watched(&[], &mut |done| {
                let now = Instant::now();
                let index = TickStep::ALL.iter().position(|&step| step == done).unwrap();
                steps_ms[index] += (now - last).as_secs_f64() * 1e3 / 2.0;
                last = now;
            });
            wall_ms += began.elapsed().as_secs_f64() * 1e3 / 2.0;
            caller_ms += caller.elapsed().as_secs_f64() * 1e3 / 2.0;
        }
        if self.wall_ms.iter().all(|&other| wall_ms < other) {
            self.steps_ms = steps_ms;
        }
        self.wall_ms.push(wall_ms);
        self.caller_ms.push(caller_ms);
    }
}

fn print_threads_row(count: usize, per_m2: f64) {
    let mut hall = Hall::of(count, per_m2);
    let mut warm = game(&hall);
    warm.set_threads(Threads::new(NonZeroUsize::new(2).unwrap()));
    warm_up(&mut warm, &mut hall);
    let mut sides = THREADS.map(|threads| Threaded::of((&warm, &hall), threads));
    drop(warm);
    for _ in 0..PAIRS {
        sides.iter_mut().for_each(Threaded::run_pair);
    }
    let hashes = sides.each_ref().map(|side| side.game.fingerprint());
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "threads decide nothing");
    let least_and_median = |times: &[f64]| {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        (sorted[0], sorted[sorted.len() / 2])
    };
    let [one, two, _] = sides.each_ref().map(|side| least_and_median(&side.wall_ms));
    let callers = sides.each_ref().map(|side| least_and_median(&side.caller_ms).1);
    let shared_ms = (callers[0] - callers[2]) * 8.0 / 7.0;
    let alone_ms = callers[0] - shared_ms / 2.0;
    let under_way = 100 * moving(&sides[0].game) / count;
    let named = ["path requests", "follow", "avoid", "integrate", "arrivals"];
    let step = |side: &Threaded, is_in: &dyn Fn(&str) -> bool| -> f64 {
        let steps = TickStep::ALL.iter().zip(side.steps_ms);
        steps.filter(|(step, _)| is_in(step.name())).map(|(_, ms)| ms).sum()
    };
    let cell = |is_in: &dyn Fn(&str) -> bool| {
        format!("{:.2} / {:.2}", step(&sides[0], is_in), step(&sides[1], is_in))
    };
    let mut cells: Vec<String> = named.iter().map(|end| cell(&|name: &str| name.ends_with(end))).collect();
    cells.push(cell(&|name: &str| !named.iter().any(|end| name.ends_with(end))));
    println!(
        "| {count} | {per_m2} | {under_way} % | {:.2} ({:.2}) | {:.2} ({:.2}) | {:.2} ({:.2}) | {:.2} / {:.2} / {:.2} | {:.0} % | {alone_ms:.2} | {:.2} | {} |",
        one.0,
        one.1,
        two.0,
        two.1,
        one.0 / two.0,
        one.1 / two.1,
        callers[0],
        callers[1],
        callers[2],
        100.0 * shared_ms / callers[0],
        callers[0] / alone_ms,
        cells.join(" | "),
    );
}
