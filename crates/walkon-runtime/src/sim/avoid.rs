//! Step 8: local avoidance: a velocity for every moving character that keeps clear of the others and of
//! walls.
//!
//! In: the moves of step 7, the place and velocity of every body. Out: a velocity for each body. Holds: each
//! body decides from the velocities of the last step, so the order of the characters does not matter; a body
//! that meets no other keeps the stride of step 7 to the bit; a ghost, which passes through others, neither
//! avoids nor is avoided. Not here: paths, pushes of what overlaps already (`integrate`).

use glam::{Vec2, Vec3};

use crate::base::geom::flat_distance;
use crate::base::ids::CharacterId;
use crate::base::threads::Threads;
use crate::base::time::{TickNumber, TickRate};
use crate::crowd::avoid::{self, AvoidSettings, Walker, Wall};
use crate::crowd::resolve::BodyStance;
use crate::crowd::steer::{flat, unit};
use crate::nav::GroundQuery;
use crate::sim::ground_queries::GroundQueries;
use crate::world::bystander_index::People;
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::crowd_columns::{CrowdColumns, RowNumbers};
use crate::world::crowd_step::{CrowdStep, Move};
use crate::world::map::LevelMap;
use crate::world::scene_fast_forward::Cast;
use crate::world::walk::{Crowd, Walk};

/// The furthest that walls are looked for, metres: step 9 alone keeps bodies faster than 10 m/s from them.
const WALL_REACH_M: f32 = 1.0;

/// Fills the columns over every character, and chooses velocities. The map must be ready for every character
/// (`ground_queries::prepare`).
pub(crate) fn run(clock: &Clock, map: &LevelMap, people: People<'_>, step: &mut CrowdStep) {
    let CrowdStep { moves, bodies, cast, threads, .. } = step;
    let rate = clock.rate;
    let mut grounds = GroundQueries::new(map);
    bodies.clear();
    for (at, step) in (0..).zip(moves.iter()) {
        bodies.movers.insert(step.character, at);
    }
    let everybody = Everybody { people, moves, rate, threads: *threads };
    let ids = Cast::looked_at(cast.as_ref(), people.characters);
    let mut found = Vec::new();
    for ids in ids.chunks(FOUND_TOGETHER) {
        everybody.find(ids, &bodies.movers, &mut found);
        for one in found.iter().flatten() {
            let who = || people.characters.get(one.id);
            let kind = grounds.kind_of(one.radius_m(), one.layer, who);
            add(bodies, one, kind);
            if cast.as_ref().is_some_and(|cast| !cast.is_free(one.id)) {
                hold_still(bodies);
            }
        }
    }
    grounds.known(&mut bodies.known);
    look_for_room(bodies, &grounds, people.characters, *threads);
    if moves.is_empty() || !people.crowd.is_reciprocal {
        bodies.velocities.extend(bodies.walkers.iter().map(|walker| walker.desired));
    } else {
        // In the time of a scene that is skipped, when that is what passes.
        choose(bodies, &grounds, *threads, rate, clock.step_tick());
    }
}

/// A character that takes up room.
#[derive(Clone, Copy)]
struct CrowdMember {
    id: CharacterId,
    walker: Walker,
    stance: BodyStance,
    place: Vec3,
    layer: u8,
}

impl CrowdMember {
    fn radius_m(&self) -> f32 {
        self.walker.radius_m
    }
}

/// What is read to find the characters that take up room.
struct Everybody<'a> {
    people: People<'a>,
    moves: &'a [Move],
    rate: TickRate,
    threads: Threads,
}

/// So many are looked for at a time: what is found of them stays in the cache until their rows are made.
const FOUND_TOGETHER: usize = 8192;

impl Everybody<'_> {
    /// The characters of `ids` that take up room, in their order; None for the others. `movers` has the place
    /// of each character's move among the moves.
    fn find(&self, ids: &[CharacterId], movers: &RowNumbers, found: &mut Vec<Option<CrowdMember>>) {
        found.clear();
        found.resize(ids.len(), None);
        self.threads.share(
            &mut found[..],
            || (),
            |(), first, found| {
                for (&id, found) in ids[first..].iter().zip(found) {
                    let at = movers.get(id).map(|at| at as usize);
                    *found = self.find_one(id, at.and_then(|at| self.moves.get(at)));
                }
            },
        );
    }

    /// A character with the move it makes, if it takes up room.
    fn find_one(&self, id: CharacterId, step: Option<&Move>) -> Option<CrowdMember> {
        let character = self.people.characters.alive(id)?;
        let is_ghost = match step {
            Some(step) => step.is_ghost,
            None => is_ghost(character.walk.and_then(|walk| self.people.walks.get(walk))),
        };
        (!is_ghost).then(|| found_one(id, character, step, self.rate))
    }
}

/// Looks how much room those have that are held up.
fn look_for_room(
    bodies: &mut CrowdColumns,
    grounds: &GroundQueries<'_>,
    characters: &Characters,
    threads: Threads,
) {
    let mut walkers = std::mem::take(&mut bodies.walkers);
    let seen = &*bodies;
    threads.share(
        &mut walkers[..],
        || (),
        |(), first, walkers| {
            for (row, walker) in (first..).zip(walkers) {
                if walker.is_held_up() {
                    let place = seen.place_of(characters, row as u32);
                    let ground = grounds.query(seen.kinds[row]);
                    (walker.width_m, walker.room_m) = room_m(ground, place, walker.desired);
                }
            }
        },
    );
    bodies.walkers = walkers;
}

/// The furthest to each side that room is looked for, metres: two wide bodies side by side.
const ROOM_MAX_M: f32 = 1.5;
/// How far ahead it has to be as wide, metres: a walker before a doorway has no room.
const ROOM_AHEAD_M: f32 = 0.8;

/// How far apart the outermost places are across the way of a character: where it stands, and there or just
/// ahead, whichever is less; infinite where no wall is near on one side.
fn room_m(ground: &GroundQuery<'_>, place: Vec3, desired: Vec2) -> (f32, f32) {
    /// Metres.
    const ROUNDING_M: f32 = 1e-3;
    let Some(ahead) = unit(desired) else {
        return (0.0, 0.0);
    };
    if ground.is_open(place, ROOM_MAX_M + ROOM_AHEAD_M) {
        return (f32::INFINITY, f32::INFINITY);
    }
    let to = |way: Vec2, length_m: f32| Vec3::new(way.x, 0.0, way.y) * length_m;
    let width_m = |from: Vec3| -> f32 {
        let sides = [ahead.perp(), -ahead.perp()];
        let reach = |side: Vec2| {
            let reach_m = flat_distance(from, ground.last_clear(from, from + to(side, ROOM_MAX_M)));
            // Where the look ends before the room does, there is room for any body.
            if reach_m < ROOM_MAX_M - ROUNDING_M { reach_m } else { f32::INFINITY }
        };
        sides.into_iter().map(reach).sum()
    };
    let before = ground.last_clear(place, place + to(ahead, ROOM_AHEAD_M));
    let here_m = width_m(place);
    (here_m, here_m.min(width_m(before)))
}

/// A character as it stands, or with the move it makes in a step at that rate.
fn found_one(id: CharacterId, character: &Character, step: Option<&Move>, rate: TickRate) -> CrowdMember {
    let (mut walker, mut stance) = (standing(character), stance(character));
    if let Some(step) = step {
        walker.desired = (flat(step.stride.to) - walker.place) / rate.step_seconds();
        // A difference of places is rounded, the more so the further they lie from the middle of the world. A
        // body that seems faster than it may be would be slowed down by walls that are not in its way.
        walker.speed_max_mps = step.gait.speed_mps.max(walker.desired.length());
        walker.gives_way = 1.0;
        (walker.left_m, walker.held_s) = (step.left_m, step.held_ticks as f32 * rate.tick_seconds());
        (stance.moving, stance.movable) = (true, true);
    }
    CrowdMember { id, walker, stance, place: storeyed(character), layer: character.layer }
}

/// A row for a character.
fn add(bodies: &mut CrowdColumns, one: &CrowdMember, kind: u32) {
    bodies.rows.insert(one.id, bodies.ids.len() as u32);
    bodies.ids.push(one.id);
    bodies.kinds.push(kind);
    bodies.walkers.push(one.walker);
    bodies.columns.push(one.place, one.walker.radius_m, one.stance);
}

/// The body that was added last stands for now, and is not pushed.
fn hold_still(bodies: &mut CrowdColumns) {
    if let (Some(walker), Some(stance)) = (bodies.walkers.last_mut(), bodies.columns.stances.last_mut()) {
        (walker.velocity, stance.movable) = (Vec2::ZERO, false);
    }
}

/// Walkers beyond which fewer are looked at in each cell, so that a heap of many thousands costs as much as
/// one of so many. Where bodies of ordinary size are packed side by side there are five to a cell, and all of
/// them are looked at.
const LOOKED_AT_FULLY: usize = 4096;
/// Walkers looked at in each cell, at least.
const PER_CELL_MIN: usize = 8;

fn choose(
    bodies: &mut CrowdColumns,
    grounds: &GroundQueries<'_>,
    threads: Threads,
    rate: TickRate,
    tick: TickNumber,
) {
    let CrowdColumns { kinds, walkers, velocities, avoider, .. } = bodies;
    let mut settings = AvoidSettings::default();
    let per_cell = settings.per_cell_max as usize * LOOKED_AT_FULLY / walkers.len().max(LOOKED_AT_FULLY);
    settings.per_cell_max = per_cell.max(PER_CELL_MIN) as u32;
    let walls = |index: u32, out: &mut Vec<Wall>| {
        let walker = &walkers[index as usize];
        let reach_m = (walker.speed_max_mps * settings.wall_horizon_s).min(WALL_REACH_M);
        let ground = grounds.query(kinds[index as usize]);
        let place = Vec3::new(walker.place.x, walker.floor_m, walker.place.y);
        if !ground.is_open(place, reach_m) {
            let mut found = Vec::new();
            ground.walls_near(place, reach_m, &mut found);
            out.extend(found.iter().map(|&[from, to]| Wall { from, to }));
        }
    };
    // Where the step begins, in whole seconds: the same at every rate.
    let began = tick.0.saturating_sub(1);
    let epoch = (began / u64::from(rate.per_second().max(1))) as u32;
    let step = avoid::Step { settings: &settings, step_s: rate.step_seconds(), epoch, threads };
    avoider.run(walkers, walls, &step, velocities);
}

/// Whether a character passes through others. A character on a link between layers is in no one's way.
pub(crate) fn is_ghost(walk: Option<&Walk>) -> bool {
    walk.is_some_and(|walk| walk.options.crowd == Crowd::Ghost || walk.on_link.is_some())
}

fn standing(character: &Character) -> Walker {
    Walker {
        place: flat(character.body.position),
        velocity: flat(character.body.velocity),
        desired: Vec2::ZERO,
        radius_m: character.body.radius_m,
        speed_max_mps: 0.0,
        gives_way: 0.0,
        left_m: 0.0,
        held_s: 0.0,
        width_m: f32::INFINITY,
        room_m: f32::INFINITY,
        floor_m: storeyed(character).y,
    }
}

/// Layers of a map lie in one plane. To bodies each is a storey of its own, so far above the one before that
/// nobody on it is met from another, metres.
const STOREY_M: f32 = 1000.0;

/// Where a character is among bodies.
fn storeyed(character: &Character) -> Vec3 {
    character.body.position + Vec3::Y * (STOREY_M * f32::from(character.layer))
}

fn stance(character: &Character) -> BodyStance {
    // A character that a scene holds stands where the scene has put it.
    BodyStance { movable: character.held.is_none(), moving: false, player: character.is_player, ghost: false }
}
