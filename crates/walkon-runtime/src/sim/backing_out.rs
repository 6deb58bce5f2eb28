//! Step 9, last part: of two files that meet where no one can pass another, one backs out.
//!
//! In: walkers that are held up, and those in front of each. Out: walks that back out, each with the way to a
//! place beside the ways of those it lets pass. Holds: the file with less far to go to such places backs out,
//! whole, from its last member on; of equals the shorter one, then the one whose head was created later. So
//! it is with two walkers that meet across others that stand between them, as soon as one of the two does not
//! get on, whichever was created first. A walker that meets one that backs out backs out as well. Walkers
//! that another lets pass lose no patience while it is on its way. Where two could pass, but not beside two
//! more, files that stand abreast against each other are no better off: after a while one of them backs out
//! as well. So does one of two that meet with nobody else before them and push one another to and fro for
//! long, on open ground too: beside a round obstacle each wants to go round it where the other stands. No
//! walker backs out for longer than its time, so that none waits without an end; one that is pushed off the
//! way that it backs out along begins again. Not here: how two pass where there is room (`crowd::avoid`),
//! standing characters (`yielding`), followers of the walker itself (`making_way`).
//!
//! Where they back out to is found in `retreats`. Cost: nothing where no two walkers meet in a narrow place
//! or alone; a bounded number of look-ups in a step for walkers that meet across others, however many are
//! held up.

use glam::{Vec2, Vec3};

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, WalkId};
use crate::base::spatial_hash::{Lookup, SpatialHash};
use crate::crowd::avoid::{FILLED, PASSING_GAP_M};
use crate::crowd::steer;
use crate::sim::ground_queries::GroundQueries;
use crate::sim::retreats::{
    BACK_MAX_M, BackingParts, FILE_MAX, GAP_M, PassingFile, Retreat, SLOW_MPS, away_m, back_out, retreats,
};
use crate::sim::wayfinding::Wayfinding;
use crate::world::character::{Character, standing_on};
use crate::world::clock::Clock;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::walk::{Ask, BackingOut, Following, Phase, Walk};
use crate::world::walks::Walks;

/// So many in front of a character are known, the nearest first.
const FRONT_MAX: usize = 4;
/// Seconds without progress after which the standoff of two walkers that meet is resolved. 1: two that can
/// pass have done so.
const HELD_S: f64 = 1.0;
/// Cosine of the angle within which a line of people goes on: 70 degrees, so round a bend.
const ON: f32 = 0.34;
/// How often it is tried, seconds.
const AGAIN_S: f64 = 0.5;
/// So many look for walkers that they meet across others in a step, at most, and at so many in each cell.
const LOOKERS_MAX: usize = 64;
const PER_CELL_MAX: u32 = 16;
/// Meetings that are looked at in a step, at most.
const MEETINGS_MAX: u32 = 4;
/// Cosine of the angle between two ways up to which they lead against one another where both stand in front
/// of each other: 60 degrees.
const AGAINST: f32 = 0.5;
/// Seconds that a walker waits in its place for others that do not get on.
const WAITS_IDLY_S: f64 = 3.0;

/// Seconds for which neither of two walkers that could pass comes nearer to its end than ever, after which
/// their files are jammed. 4: streams that sort themselves into lanes have begun to flow.
const JAMMED_S: f64 = 4.0;

/// The same in a place too narrow to pass, and of two who meet alone on open ground: they push one another to
/// and fro, and so seem to get on.
const PUSHED_S: f64 = 2.0;

/// Nobody.
const NOBODY: u32 = u32::MAX;

/// A walker that is held up, and those in front of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    pub(crate) walk: WalkId,
    pub(crate) row: u32,
    /// Where it wants to go, a unit vector.
    pub(crate) ahead: Vec2,
    /// Rows, nearest first, then nobody.
    front: [u32; FRONT_MAX],
}

impl Facing {
    /// With those in front of it, nearest first.
    pub(crate) fn of(walk: WalkId, row: u32, ahead: Vec2, front: impl Iterator<Item = u32>) -> Self {
        let mut rows = [NOBODY; FRONT_MAX];
        for (slot, row) in rows.iter_mut().zip(front) {
            *slot = row;
        }
        Self { walk, row, ahead, front: rows }
    }

    /// The nearest in front of it.
    pub(crate) fn first(&self) -> Option<u32> {
        self.front.first().copied().filter(|&row| row != NOBODY)
    }

    /// Whether one alone is in front of it.
    fn is_alone(&self) -> bool {
        self.front[0] != NOBODY && self.front[1] == NOBODY
    }

    fn has_in_front(&self, row: u32) -> bool {
        self.front.contains(&row)
    }
}

/// Has files back out that meet others in narrow places, or alone.
pub(crate) fn run(parts: &mut BackingParts<'_>, held: &[Facing]) {
    if !held.iter().any(|one| is_filled(parts.bodies, [one.row, one.row]) || one.is_alone()) {
        return;
    }
    let mut at = vec![NOBODY; parts.bodies.ids.len()];
    for (index, one) in (0..).zip(held) {
        at[one.row as usize] = index;
    }
    let grounds = GroundQueries::again(parts.map, &parts.bodies.known);
    let mut all = meetings(parts, held, &at);
    all.extend(meetings_across(parts, held, &at));
    all.retain(|meeting| wants_look(parts, held, meeting));
    let mut count = 0;
    for meeting in in_turn(parts.clock, all, MEETINGS_MAX as usize) {
        if count < MEETINGS_MAX && resolve_standoff(parts, &Files { held, grounds: &grounds }, meeting) {
            count += 1;
        }
    }
}

/// All in the order in which they are looked at: of more than can be looked at in a step each has its turn.
pub(crate) fn in_turn<T>(clock: &Clock, mut all: Vec<T>, most: usize) -> Vec<T> {
    let turn = clock.landing().0 / clock.rate.ticks(AGAIN_S).max(1);
    let first = first_in_turn(turn, all.len(), most);
    all.rotate_left(first);
    all
}

/// Which of so many is the first in a turn, when so many at most are looked at in a step.
fn first_in_turn(turn: u64, count: usize, most: usize) -> usize {
    if count <= most {
        return 0;
    }
    // The cast is exact: it is less than the count.
    (turn.wrapping_mul(most as u64) % count as u64) as usize
}

/// Whether one of two walkers that meet may begin to back out.
fn wants_look(parts: &BackingParts<'_>, held: &[Facing], meeting: &Meeting) -> bool {
    let is_backing = |index: u32| {
        let walk = parts.walks.get(held[index as usize].walk);
        walk.is_some_and(|walk| walk.backing_out.is_some())
    };
    match meeting.pair.map(is_backing) {
        [false, false] => meeting.is_due,
        [one, other] => one != other,
    }
}

/// Two walkers that meet, the one that was created first before the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    pair: [u32; 2],
    /// Whether it is time that one of them backs out.
    is_due: bool,
    /// Whether others stand between them.
    is_across: bool,
}

/// The pairs of walkers that meet. It is time when neither gets on, or both only push one another; where two
/// could pass, when neither has got on for long.
fn meetings(parts: &BackingParts<'_>, held: &[Facing], at: &[u32]) -> Vec<Meeting> {
    let meets = |&[one, other]: &[u32; 2]| {
        other != NOBODY && other > one && {
            let (one, other) = (&held[one as usize], &held[other as usize]);
            let fills = || is_filled(parts.bodies, [one.row, other.row]);
            face(one, other) && (are_alone(one, other) || fills())
        }
    };
    let meeting = |pair: [u32; 2]| {
        let [one, other] = pair.map(|index| &held[index as usize]);
        let is_narrow = meet(parts.bodies, one, other);
        let walks = [one, other].map(|one| parts.walks.get(one.walk));
        let [held, jammed] = [held_ticks, jammed_ticks].map(|ticks_of| {
            walks.into_iter().map(|walk| ticks_of(parts.clock, walk)).fold(u64::MAX, u64::min)
        });
        let is_open = !is_filled(parts.bodies, [one.row, other.row]);
        let jammed_s = if is_narrow || is_open { PUSHED_S } else { JAMMED_S };
        let is_jammed = jammed >= parts.clock.rate.ticks(jammed_s) && is_due(parts.clock, jammed);
        Meeting { pair, is_due: is_jammed || is_narrow && is_due(parts.clock, held), is_across: false }
    };
    let meetings_of = |(index, one): (u32, &Facing)| {
        let others = one.front.into_iter().filter(|&row| row != NOBODY);
        let pairs = others.map(move |row| [index, at[row as usize]]);
        pairs.filter(meets).map(meeting).collect::<Vec<_>>()
    };
    (0..).zip(held).flat_map(meetings_of).collect()
}

/// For how many ticks a walk has not got on.
pub(crate) fn held_ticks(clock: &Clock, walk: Option<&Walk>) -> u64 {
    walk.map_or(0, |walk| walk.clock(clock.landing()).since(walk.progress_tick))
}

/// For how many ticks a walk has come no nearer to its end than ever.
fn jammed_ticks(clock: &Clock, walk: Option<&Walk>) -> u64 {
    walk.map_or(0, |walk| walk.clock(clock.landing()).since(walk.nearest_tick))
}

/// The pairs that meet across others that stand between the two and can go nowhere: each asks them aside,
/// into the way of the other. It makes no difference which of the two sees it, nor in which order they were
/// created. It is time when one does not get on, though the other may push it back.
fn meetings_across(parts: &BackingParts<'_>, held: &[Facing], at: &[u32]) -> Vec<Meeting> {
    let may_look = |&(_, one): &(u32, &Facing)| {
        is_narrow(parts.bodies, one.row, one.row) && is_held_by_others(parts, at, one)
    };
    let lookers: Vec<(u32, &Facing)> = (0..).zip(held).filter(may_look).collect();
    let meeting_of = |&(index, one): &(u32, &Facing)| {
        let other = met_across(parts, held, at, one)?;
        let pair = [index.min(other), index.max(other)];
        (!meet(parts.bodies, one, &held[other as usize])).then_some(Meeting {
            pair,
            is_due: true,
            is_across: true,
        })
    };
    let lookers = in_turn(parts.clock, lookers, LOOKERS_MAX);
    let mut found: Vec<Meeting> = lookers.iter().take(LOOKERS_MAX).filter_map(meeting_of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether it is time that a walker looks for others beyond the characters that stand in front of it.
fn is_held_by_others(parts: &BackingParts<'_>, at: &[u32], one: &Facing) -> bool {
    let walk = parts.walks.get(one.walk).filter(|walk| walk.backing_out.is_none());
    at.get(one.front[0] as usize) == Some(&NOBODY) && is_due(parts.clock, held_ticks(parts.clock, walk))
}

/// The walker that another meets across characters that stand between the two and may be asked aside.
fn met_across(parts: &BackingParts<'_>, held: &[Facing], at: &[u32], one: &Facing) -> Option<u32> {
    let may_go = |row: u32| {
        let who = parts.characters.alive(parts.bodies.ids[row as usize]);
        who.is_some_and(|who| !who.is_player && who.held.is_none())
    };
    let mut passed = vec![one.row];
    let mut between = one.front[0];
    while between != NOBODY && at[between as usize] == NOBODY && may_go(between) && passed.len() <= FILE_MAX {
        let before = passed[passed.len() - 1];
        passed.push(between);
        between = next_in_line(parts.bodies, parts.near, [before, between], &passed).unwrap_or(NOBODY);
    }
    let last = passed[passed.len() - 1];
    let other = at.get(between as usize).copied().filter(|&other| other != NOBODY && last != one.row)?;
    let faces = held.get(other as usize)?;
    (wants_past(parts.bodies, faces, last) && faces.ahead.dot(one.ahead) < AGAINST).then_some(other)
}

/// Whether a walker that is held up wants to go where another is, also when it has gone back a little.
fn wants_past(bodies: &CrowdColumns, one: &Facing, other: u32) -> bool {
    let between = bodies.columns.places[other as usize] - bodies.columns.places[one.row as usize];
    between.dot(one.ahead) > ON * between.length()
}

/// The nearest character that stands close behind the second of two, seen from the first.
fn next_in_line(
    bodies: &CrowdColumns,
    near: &SpatialHash,
    [from, of]: [u32; 2],
    passed: &[u32],
) -> Option<u32> {
    /// Gap between two bodies up to which they stand in one line, metres: a walker that cannot get on steps
    /// back as far.
    const LINE_GAP_M: f32 = 2.0;
    let columns = &bodies.columns;
    let (place, radius_m) = (columns.places[of as usize], columns.radii_m[of as usize]);
    let ahead = steer::unit(place - columns.places[from as usize])?;
    let mut found: Option<(f32, u32)> = None;
    let look = Lookup { per_cell_max: PER_CELL_MAX, salt: of, but: u32::MAX };
    near.visit(place, 3.0 * radius_m + LINE_GAP_M, look, |other, distance_m_sq| {
        let (row, distance_m) = (other as usize, distance_m_sq.sqrt());
        let gap_m = distance_m - radius_m - columns.radii_m[row];
        let is_on = (columns.places[row] - place).dot(ahead) > ON * distance_m && gap_m <= LINE_GAP_M;
        let is_level = bodies.are_level(other, of);
        if is_on && is_level && !passed.contains(&other) {
            let this = (distance_m_sq, other);
            found = Some(found.map_or(this, |best| if this < best { this } else { best }));
        }
    });
    found.map(|(_, row)| row)
}

/// Whether a place is too narrow for a character and another.
fn is_narrow(bodies: &CrowdColumns, row: u32, other: u32) -> bool {
    is_within(bodies, [row, other], 1.0)
}

/// Whether one of two characters stands where files abreast leave no room for others.
fn is_filled(bodies: &CrowdColumns, [row, other]: [u32; 2]) -> bool {
    is_within(bodies, [row, other], FILLED) || is_within(bodies, [other, row], FILLED)
}

/// Whether the place of the first of two is less than so many times as wide as the two need to pass.
fn is_within(bodies: &CrowdColumns, rows: [u32; 2], times: f32) -> bool {
    let width_m = bodies.walkers.get(rows[0] as usize).map_or(f32::INFINITY, |walker| walker.width_m);
    let [one, other] = rows.map(|row| bodies.columns.radii_m[row as usize]);
    width_m < times * (one + other) + PASSING_GAP_M
}

/// Whether two walkers that are held up stand in one another's way.
fn face(one: &Facing, other: &Facing) -> bool {
    let is_mutual = one.has_in_front(other.row) && other.has_in_front(one.row);
    is_mutual && one.ahead.dot(other.ahead) < AGAINST
}

/// Whether two walkers have nobody but one another before them.
fn are_alone(one: &Facing, other: &Facing) -> bool {
    one.is_alone() && other.is_alone()
}

/// Whether two walkers that are held up stand in one another's way where they cannot pass.
fn meet(bodies: &CrowdColumns, one: &Facing, other: &Facing) -> bool {
    face(one, other) && (is_narrow(bodies, one.row, other.row) || is_narrow(bodies, other.row, one.row))
}

/// All walkers that are held up, with the ground they stand on.
struct Files<'a> {
    held: &'a [Facing],
    grounds: &'a GroundQueries<'a>,
}

impl Files<'_> {
    /// The rows of the walkers behind the head of a file, nearest first, from its own place on.
    fn behind(&self, walks: &Walks, head: u32, opposed: u32) -> Vec<u32> {
        let mut file = vec![head];
        let mut next = 0;
        while next < file.len() && file.len() < FILE_MAX {
            let before = &self.held[file[next] as usize];
            let follows = |&index: &u32| {
                let one = &self.held[index as usize];
                let is_first = one.front.first() == Some(&before.row);
                let is_free = walks.get(one.walk).is_some_and(|walk| walk.backing_out.is_none());
                let looks_back = before.has_in_front(one.row) && one.ahead.dot(before.ahead) < AGAINST;
                is_first && is_free && !looks_back && index != opposed
            };
            let more = (0..self.held.len() as u32).filter(follows).filter(|index| !file.contains(index));
            let more: Vec<u32> = more.take(FILE_MAX - file.len()).collect();
            file.extend(more);
            next += 1;
        }
        file.into_iter().map(|index| self.held[index as usize].row).collect()
    }
}

/// Makes one of the files of two walkers that meet back out. Whether it was looked at.
fn resolve_standoff(parts: &mut BackingParts<'_>, files: &Files<'_>, meeting: Meeting) -> bool {
    let Meeting { pair, is_due, .. } = meeting;
    let walk_of = |index: u32| parts.walks.get(files.held[index as usize].walk);
    let [Some(one), Some(other)] = pair.map(walk_of) else {
        return false;
    };
    match (&one.backing_out, &other.backing_out) {
        (Some(_), Some(_)) => false,
        (Some(backing), None) => join(parts, files, pair[1], &backing.yields_to.clone()),
        (None, Some(backing)) => join(parts, files, pair[0], &backing.yields_to.clone()),
        (None, None) => is_due && choose(parts, files, meeting),
    }
}

/// Whether the standoff of two walkers that have been held up for so long is resolved in this step.
pub(crate) fn is_due(clock: &Clock, held_ticks: u64) -> bool {
    let again = clock.rate.ticks(AGAIN_S).max(1);
    let before = held_ticks.saturating_sub(clock.rate.ticks_per_step());
    held_ticks >= clock.rate.ticks(HELD_S) && held_ticks / again != before / again
}

/// Has the file back out that has less far to go. Where others stand between the two, it leaves room for them
/// beside the way as well, if there is any: they come out before the other file.
fn choose(parts: &mut BackingParts<'_>, files: &Files<'_>, Meeting { pair, is_across, .. }: Meeting) -> bool {
    let [one, other] = pair;
    let groups = [files.behind(parts.walks, one, other), files.behind(parts.walks, other, one)];
    let body_m = 2.0 * parts.bodies.columns.radii_m[groups[0][0] as usize];
    let spares_m = if is_across { &[body_m, 0.0][..] } else { &[0.0] };
    let found = spares_m.iter().find_map(|&spare_m| shorter(parts, files, &groups, spare_m));
    if let Some((retreats, passing)) = found {
        retreats.into_iter().for_each(|retreat| back_out(parts, retreat, passing));
    }
    true
}

/// Where the one of two files backs out to that has less far to go, and which then passes with so many metres
/// to spare.
fn shorter<'a>(
    parts: &BackingParts<'_>,
    files: &Files<'_>,
    groups: &'a [Vec<u32>; 2],
    spare_m: f32,
) -> Option<(Vec<Retreat>, &'a [u32])> {
    let [passing, other_passing] =
        [&groups[1], &groups[0]].map(|rows| PassingFile::of(parts, rows).with_spare(spare_m));
    let first = retreats(parts, files.grounds, &groups[0], &passing, BACK_MAX_M);
    let most_m = first.as_ref().map_or(BACK_MAX_M, |(cost_m, _)| *cost_m);
    let second = retreats(parts, files.grounds, &groups[1], &other_passing, most_m);
    let is_second = match (&first, &second) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some((first_m, _)), Some((second_m, _))) => {
            let by_length = second_m.total_cmp(first_m).then(groups[1].len().cmp(&groups[0].len()));
            by_length.is_le()
        }
    };
    let (chosen, passing) = if is_second { (second, &groups[0]) } else { (first, &groups[1]) };
    chosen.map(|(_, retreats)| (retreats, &passing[..]))
}

/// Makes a walker that meets one that backs out back out as well, with the file behind it, for those that the
/// other lets pass and that have yet to.
fn join(parts: &mut BackingParts<'_>, files: &Files<'_>, index: u32, yields_to: &[CharacterId]) -> bool {
    let is_to_pass = |row: &u32| {
        let walk = parts.walk_of(*row);
        walk.is_some_and(|walk| walk.backing_out.is_none() && walk.following.is_some())
    };
    let passing = yields_to.iter().filter_map(|&who| parts.bodies.rows.get(who));
    let passing: Vec<u32> = passing.filter(is_to_pass).collect();
    let file = files.behind(parts.walks, index, NOBODY);
    if passing.is_empty() || passing.contains(&files.held[index as usize].row) {
        return false;
    }
    let ways = PassingFile::of(parts, &passing);
    if let Some((_, retreats)) = retreats(parts, files.grounds, &file, &ways, BACK_MAX_M) {
        retreats.into_iter().for_each(|retreat| back_out(parts, retreat, &passing));
    }
    true
}

/// Step 10: lets a walker that backs out go on with its walk once all walkers that it lets pass have passed
/// or do not get on, or its time is over.
pub(crate) fn look(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Some((walk, character)) = parts.walker(id) else {
        return;
    };
    let Some(backing) = &walk.backing_out else {
        return;
    };
    let is_late = walk.clock(parts.clock.landing()) >= backing.until;
    let radius_m = character.body.radius_m;
    let is_there = is_there(backing, character.body.position);
    let gets_on = character.body.velocity.length() >= SLOW_MPS;
    let has_passed = |who| {
        let Some(other) = parts.characters.alive(who) else {
            return true;
        };
        let open = other.walk.and_then(|walk| parts.walks.get(walk));
        if let Some(other_backing) = open.and_then(|walk| walk.backing_out.as_ref()) {
            // Two that come out of a dead end together wait until both are out.
            let are_together = other_backing.yields_to.contains(&walk.character);
            return !are_together || is_there && self::is_there(other_backing, other.body.position);
        }
        let Some((walk, following)) = open.and_then(|walk| Some((walk, walk.following.as_ref()?))) else {
            return true;
        };
        let landing = parts.clock.landing();
        let idle_ticks = walk.clock(landing).since(walk.progress_tick);
        // Nor does a walker get on that stands where it wants to be.
        let rests = matches!(walk.phase, Phase::Content | Phase::Pausing { .. });
        if is_there && (rests || idle_ticks >= parts.clock.rate.ticks(WAITS_IDLY_S)) {
            return true;
        }
        let leg = following.path.leg();
        let mut way = vec![other.body.position];
        way.extend_from_slice(following.cursor.ahead(&leg));
        let room_m = radius_m + other.body.radius_m + GAP_M;
        let is_off = |place: Vec3| away_m(&way, place) >= room_m;
        is_off(backing.from) && is_off(backing.junction)
    };
    let is_lost = !is_there && !gets_on && is_off_its_way(parts, backing, character);
    let is_over = is_late || is_lost || backing.yields_to.iter().all(|&who| has_passed(who));
    if !is_over && !is_there && gets_on {
        let yields_to = backing.yields_to.clone();
        yields_to.into_iter().for_each(|who| wait_for_room(parts, who));
    }
    if let Some(walk) = parts.walks.get_mut(id).filter(|_| is_over) {
        walk.backing_out = None;
        walk.ask_for(Ask::Map);
    }
}

/// Whether a walker that backs out was pushed to where walls hide its way from it. Off the ground it sees
/// nothing, and goes on.
fn is_off_its_way(parts: &Wayfinding<'_>, backing: &BackingOut, character: &Character) -> bool {
    let Following { path, cursor, .. } = &backing.way;
    let ground = parts.map.nav.footing(&standing_on(character));
    let next = cursor.ahead(path).first();
    let place = character.body.position;
    next.is_some_and(|&next| ground.is_walkable(place) && !ground.clear(place, next))
}

/// A walker that another lets pass has reason to wait.
fn wait_for_room(parts: &mut Wayfinding<'_>, who: CharacterId) {
    let landing = parts.clock.landing();
    let walk = parts.characters.alive(who).and_then(|who| who.walk);
    if let Some(walk) = walk.and_then(|id| parts.walks.get_mut(id)) {
        let now = walk.clock(landing);
        let most = walk.options.patience_ticks.saturating_mul(Walk::PATIENCES_MAX);
        // Where room is made again and again, and the way is never free, it does not wait for ever.
        if now.since(walk.nearest_tick) < most {
            walk.queue_tick = walk.queue_tick.max(now);
        }
    }
}

/// Whether a walker that backs out has come to its place.
pub(crate) fn is_there(backing: &BackingOut, place: Vec3) -> bool {
    /// Metres.
    const THERE_M: f32 = 0.05;
    let end = backing.way.path.points.last();
    end.is_none_or(|&end| flat_distance(end, place) <= THERE_M)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many there are, and whatever the budget, each is among the first ones before the turns have
    /// gone round once more.
    #[test]
    fn each_of_any_number_has_its_turn() {
        for most in [1, 4, 8, 64] {
            for count in 1..=300 {
                let mut waits: Vec<bool> = vec![true; count];
                for turn in 7..7 + count.div_ceil(most) as u64 + 1 {
                    let first = first_in_turn(turn, count, most);
                    (0..most.min(count)).for_each(|at| waits[(first + at) % count] = false);
                }
                assert!(!waits.contains(&true), "{most} of {count}: {waits:?}");
            }
        }
    }
}
