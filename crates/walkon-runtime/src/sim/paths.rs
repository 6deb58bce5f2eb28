//! Step 6: works on path requests within the budget.
//!
//! In: walks that ask, requests under way, the map. Out: paths on walks, walks settled for want of one,
//! answers for scripts. Holds: at most the budget of expansions a tick; a walk keeps its old path until the
//! new one is there; a new path is joined where the body stands by then, never walked back (seed:N4); a
//! walker that made a plan because of a door does not swing between the door and the detour.

use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::{CharacterId, PathToken, WalkId};
use crate::base::time::TickNumber;
use crate::crowd::follow::Cursor;
use crate::nav::{Accept, Disc, NavMap, Others, Path, PathAnswer, PathQuery, PathStatus, Traversal};
use crate::sim::repath::ChangeMarks;
use crate::sim::wayfinding::Wayfinding;
use crate::sim::{places, repath, shortcuts, walk_modes};
use crate::world::asker::goal_layer;
use crate::world::bystanders::{Bystanders, Straight};
use crate::world::character::Character;
use crate::world::door::Door;
use crate::world::event::Fact;
use crate::world::goal::Goal;
use crate::world::ops::paths;
use crate::world::ops::walks::retarget_path;
use crate::world::outcome::{Blocker, Reason, Status};
use crate::world::walk::{Ask, Crowd, Following, Phase, WaitCause, Walk};
use crate::world::walk_mode::WalkMode;

/// Expansions a tick for what makes later searches faster, about 50 microseconds.
const IDLE_EXPANSIONS: u32 = 4096;

/// Sends what is asked, works, hands out what is ready.
pub(crate) fn run(parts: &mut Wayfinding<'_>) {
    parts.forget_others();
    if parts.clock.begins_step() {
        ask(parts);
    } else {
        for id in parts.walks.fresh(parts.clock.tick) {
            aim_and_request_path(parts, id);
        }
    }
    work(parts);
}

/// A walk that this step has to do with.
#[derive(Clone, Copy, Debug)]
struct SeenWalk {
    id: WalkId,
    /// Whether it has to do with places beside goals.
    is_concerned: bool,
    may_ask: bool,
}

/// Sends what walks ask, once they have looked around.
fn ask(parts: &mut Wayfinding<'_>) {
    let crowd = &parts.settings.crowd;
    let changes = repath::notice_all(parts.characters, parts.cast, parts.walks, crowd, parts.threads);
    let marks = changes.marks(&parts.settings.crowd, parts.map.nav.node_m());
    let landing = parts.clock.landing();
    let mut due = Vec::new();
    // No walk begins in this step.
    for id in may_ask(parts, &marks) {
        repath::look(parts, id, &marks);
        aim_and_request_path(parts, id);
        let since = parts.walks.get(id).and_then(|walk| shortcuts::due(landing, walk));
        due.extend(since.map(|since| (since, id)));
    }
    for id in shortcuts::first_of(parts.paths.requests.waiting(), due) {
        parts.walks.get_mut(id).into_iter().for_each(|walk| shortcuts::ask(parts.clock, walk));
        aim_and_request_path(parts, id);
    }
}

/// The walks that may ask, in order of creation, once places beside goals are given out. Each is looked at
/// once: ten thousand walks do not stay in the cache from one look to the next.
fn may_ask(parts: &mut Wayfinding<'_>, marks: &ChangeMarks<'_>) -> Vec<WalkId> {
    let (clock, people) = (parts.clock, parts.people());
    let mut seen = parts.look_through(|id, walk, who| {
        let is_concerned = places::is_concerned(clock, people, walk);
        let may_ask = !has_nothing_to_ask(walk, who, marks);
        (is_concerned || may_ask).then_some(SeenWalk { id, is_concerned, may_ask })
    });
    let concerned: Vec<WalkId> = seen.iter().filter(|seen| seen.is_concerned).map(|seen| seen.id).collect();
    places::run(parts, &concerned);
    for seen in seen.iter_mut().filter(|seen| seen.is_concerned) {
        // A place that it was given may have it ask.
        let walker = parts.walker(seen.id);
        seen.may_ask = walker.is_some_and(|(walk, who)| !has_nothing_to_ask(walk, who, marks));
    }
    seen.into_iter().filter(|seen| seen.may_ask).map(|seen| seen.id).collect()
}

/// Whether this step would leave a walk as it is, as most.
#[inline]
fn has_nothing_to_ask(walk: &Walk, who: &Character, marks: &ChangeMarks<'_>) -> bool {
    let aims_still = matches!((&walk.mode, walk.goal), (WalkMode::Once, Goal::Point(_)));
    let asks = walk.ask.is_some() || walk.shortcuts.due.is_some();
    aims_still && !asks && repath::is_quiet(walk, who, marks)
}

/// Has a walk aim, and sends what it asks.
pub(crate) fn aim_and_request_path(parts: &mut Wayfinding<'_>, id: WalkId) {
    if parts.walks.get(id).is_some_and(Walk::is_open) && walk_modes::aim(parts, id) {
        send(parts, id, LeftRoom::ForBoth);
    }
}

/// How often the same is asked again with less room for others, at most.
const ASKED_AGAIN_MAX: usize = 2;

/// Searches within the budget, and hands out what is ready.
fn work(parts: &mut Wayfinding<'_>) {
    let budget = parts.settings.path_budget;
    let mut spent = search(parts, budget);
    // What was asked again is not put off to the next tick, if it need not be.
    for _ in 0..ASKED_AGAIN_MAX {
        spent += search(parts, budget.saturating_sub(spent));
    }
    parts.counts.expansions += u64::from(spent);
    parts.counts.max_per_tick = parts.counts.max_per_tick.max(u64::from(spent));
    parts.counts.in_tick = u64::from(spent);
    parts.counts.restarts = parts.paths.requests.restarts();
    // What nobody asked for has what is left.
    parts.map.nav.precompute_idle(budget.saturating_sub(spent).min(IDLE_EXPANSIONS));
}

/// Searches for so many expansions, and hands out what is ready; how many it took.
fn search(parts: &mut Wayfinding<'_>, budget: u32) -> u32 {
    let mut answers = Vec::new();
    let spent = parts.paths.requests.step_on(parts.threads, &parts.map.nav, budget, &mut answers);
    let mut to_ask_again = Vec::new();
    for (token, answer) in answers {
        match parts.paths.askers.remove(token) {
            Some(walk) => match less_room(parts, walk, &answer) {
                Some(room) => to_ask_again.push((walk, room)),
                None => deliver(parts, walk, answer),
            },
            None => tell(parts, token, answer),
        }
    }
    // Only now: a new request may take the number of one whose answer has yet to be handed out.
    for (id, room) in to_ask_again {
        ask_again(parts, id, room);
    }
    spent
}

/// With how much less room a plan is to be made again, because others close every way to a goal, or to the
/// place beside it where a character stands on it.
fn less_room(parts: &Wayfinding<'_>, id: WalkId, answer: &PathAnswer) -> Option<LeftRoom> {
    let walk = parts.walks.get(id)?;
    let around = walk.asked_around.as_ref()?;
    let is_closed = answer.others == Others::Ignored;
    match has_whole(parts, around) {
        true => (is_closed || ends_before_others(parts, walk, answer)).then_some(LeftRoom::InPart),
        false => ends_before_others(parts, walk, answer).then_some(LeftRoom::None),
    }
}

/// Whether a way to a goal that a character holds ends far from it, before others that stand there for
/// another reason than that goal.
fn ends_before_others(parts: &Wayfinding<'_>, walk: &Walk, answer: &PathAnswer) -> bool {
    /// No further from the goal, metres, one is beside it.
    const BESIDE_M: f32 = 3.0;
    /// A body that is no further from the end of the way, metres, stands in front of it.
    const BEFORE_M: f32 = 0.6;
    let is_held = paths::holder(walk.asked_around.as_ref(), answer).is_some();
    let (Some(&end), Some(around)) =
        (answer.path.points.last().filter(|_| is_held), walk.asked_around.as_ref())
    else {
        return false;
    };
    let people = parts.people();
    let own_m = people.characters.get(walk.character).map_or(0.0, |who| who.body.radius_m);
    let is_before = |who: &&CharacterId| {
        people
            .characters
            .get(**who)
            .is_some_and(|who| floor_distance(who.body.position, end) <= own_m + who.body.radius_m + BEFORE_M)
    };
    let mut before = around.who().iter().filter(is_before).peekable();
    let is_far = floor_distance(end, walk.aim) > walk.radius_m(people.crowd) + BESIDE_M;
    is_far && before.peek().is_some() && !before.any(|&who| people.has_come_to(who, walk))
}

/// Asks for the same once more, with less room: at most twice.
fn ask_again(parts: &mut Wayfinding<'_>, id: WalkId, room: LeftRoom) {
    let Some(walk) = parts.walks.get_mut(id).filter(|walk| walk.is_open()) else {
        return;
    };
    walk.ask = walk.token.take().map(|(_, why)| why);
    walk.asked_around = None;
    send(parts, id, room);
}

/// Hands a script the answer that it asked for.
fn tell(parts: &mut Wayfinding<'_>, token: PathToken, answer: PathAnswer) {
    let around = parts.paths.asked_around.remove(token);
    let by = paths::holder(around.as_ref(), &answer);
    parts.events.push(Fact::PathAnswered { token, answer: Box::new(answer), by });
}

/// How much room a plan leaves beside those that do not step aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftRoom {
    /// As much as both bodies need.
    ForBoth,
    /// A part of it, as beside the others: bodies are pushed past one another where plans find no way.
    InPart,
    /// None, as if nobody stood there.
    None,
}

fn send(parts: &mut Wayfinding<'_>, id: WalkId, room: LeftRoom) {
    let Some((walk, character)) = parts.walker(id) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    let Some(ask) = walk.ask else {
        return;
    };
    let accept = if walk.sets_out_for_exact_goals_only() { Accept::Exact } else { Accept::Nearest };
    let (start, by) = (character.body.position, parts.traversal_of(walk));
    let expansions_max = parts.settings.limits.expansions_per_path.unwrap_or(u32::MAX);
    let (who, goal) = (walk.character, repath::end_of(walk));
    let goal_layer = goal_layer(parts.characters, walk);
    // A way that leads elsewhere, or is walked, says nothing of the next one.
    let leads_there = !matches!(ask, Ask::First | Ask::Leg) && walk.planned_aim == walk.aim;
    let way = walk.following.as_ref().filter(|_| leads_there);
    let doors = match way {
        Some(following) => parts.map.doors_ahead(following),
        // Which of them its way leads through is not known yet.
        None => parts.map.doors_through(&by),
    };
    let is_new = way.is_none() && !doors.is_empty();
    let but = [who, repath::spared(parts.people(), walk).unwrap_or(who)];
    let is_ghost = walk.options.crowd == Crowd::Ghost;
    let line = Straight {
        from: start,
        to: goal,
        layer: by.layer,
        keeps_off: (room == LeftRoom::ForBoth).then(|| repath::keep_off(&parts.map.nav, character)),
        goes_through: Some(&doors),
        but: &but,
    };
    let around = if is_ghost { None } else { parts.beside(line) };
    let may_pass_queue = is_new && !is_ghost && parts.bystanders.has_queue();
    let met = around.as_ref().filter(|_| room != LeftRoom::None);
    let others = met.map(|around| Arc::clone(around.discs()));
    let query = PathQuery { start, goal, by, accept, goal_layer, expansions_max, others };
    let Some(walk) = parts.walks.get_mut(id) else {
        return;
    };
    parts.map.nav.prepare(&query.by);
    // A walk whose search is under way keeps its turn, however often the map changes under it.
    let open = walk.token.map(|(token, _)| token);
    let token = match open.filter(|&token| parts.paths.requests.change(token, query.clone())) {
        Some(token) => token,
        None => parts.paths.requests.push(query),
    };
    parts.paths.askers.insert(token, id);
    parts.counts.requests += 1;
    walk.planned_aim = walk.aim;
    walk.asked_around = around;
    // Once its way is known, it looks for those that wait at doors which that does not lead through.
    walk.is_crowded |= may_pass_queue;
    walk.token = Some((token, ask));
    walk.ask = None;
}

fn deliver(parts: &mut Wayfinding<'_>, id: WalkId, answer: PathAnswer) {
    let Some(walk) = parts.walks.get_mut(id).filter(|walk| walk.is_open()) else {
        debug_assert!(false, "a walk that settles takes its request back");
        return;
    };
    let why = walk.token.take().map_or(Ask::First, |(_, why)| why);
    let around = walk.asked_around.take();
    let (is_look, is_door_plan) = (why.is_look(), walk.is_door_plan);
    let stays =
        is_look && WalkOnMap::of(parts, id).is_some_and(|way| way.stays(why, &answer, around.as_ref()));
    let kept = || WalkOnMap::of(parts, id).and_then(|way| way.kept(why, &answer));
    let kept = if is_door_plan && !stays { kept() } else { None };
    let Some(walk) = parts.walks.get_mut(id) else {
        return;
    };
    if stays {
        walk.planned_around = around;
        return;
    }
    match kept {
        // A character that goes on is followed for as long as it does.
        Some(kept) if why == Ask::Target => return set_out_on(parts, id, why, kept),
        Some(kept) => return walk.follow(kept),
        None => {}
    }
    if answer.status != PathStatus::Complete {
        walk.goal_slot = None;
    }
    let beside = walk.goal_slot.map(|slot| slot.beside);
    let holder = beside.or_else(|| paths::holder(around.as_ref(), &answer));
    walk.is_door_plan = why == Ask::Door;
    (walk.planned_around, walk.goal_occupant, walk.looked_at) = (around, holder, 0);
    if !matches!(why, Ask::First | Ask::Leg) {
        walk.repaths += 1;
        parts.events.push(Fact::Replanned { walk: id, why });
    }
    let is_exact = walk.sets_out_for_exact_goals_only();
    let trouble = answer.trouble.map(|trouble| parts.map.reason_of(trouble));
    let (reason, by) = trouble.unwrap_or((Reason::NoPath, None));
    walk.blocked_by = holder.map(Blocker::Character).or(by);
    if walk_modes::shuns(parts, id, &answer) {
        return;
    }
    // A goal that a character holds can be reached as soon as it is left: the walk goes on beside it.
    if holder.is_none() && walk_modes::answered(parts, id, &answer) {
        return;
    }
    if answer.status != PathStatus::Complete
        && let Some(walk) = parts.walks.get_mut(id).filter(|walk| aims_elsewhere(walk))
    {
        // It was about a point beside the goal, and this one may do.
        walk.ask = Some(why);
        return;
    }
    let ends_short = answer.status == PathStatus::Partial && is_exact && holder.is_none();
    if answer.status == PathStatus::None || ends_short {
        parts.conclude(id, Status::Blocked, reason);
    } else {
        take(parts, id, why, answer);
        bend(parts, id);
    }
}

/// Whether a plan kept off a character that does not step aside as far as both bodies need, or may have.
fn has_whole(parts: &Wayfinding<'_>, around: &Bystanders) -> bool {
    let people = parts.people();
    around.who().iter().zip(around.discs().iter()).any(|(&who, disc)| {
        let is_whole = |who| Bystanders::is_unsettled(disc) || disc.radius_m > people.disc_of(who).radius_m;
        people.characters.get(who).is_some_and(is_whole)
    })
}

/// A walk on its way, on the map as it is.
struct WalkOnMap<'a> {
    nav: &'a NavMap,
    walk: &'a Walk,
    following: &'a Following,
    place: Vec3,
    by: Traversal,
}

impl<'a> WalkOnMap<'a> {
    /// None while it has none.
    fn of(parts: &'a Wayfinding<'_>, id: WalkId) -> Option<Self> {
        let (walk, character) = parts.walker(id)?;
        let following = walk.following.as_ref()?;
        let by = parts.traversal_of(walk);
        Some(Self { nav: &parts.map.nav, walk, following, place: character.body.position, by })
    }

    /// Whether a walk that looked for a better way stays on the one it has: it leads as far, nobody stands on
    /// it that the new one goes around, and the new one is not so much cheaper (`repath::CHEAPER`).
    fn stays(&self, why: Ask, answer: &PathAnswer, around: Option<&Bystanders>) -> bool {
        let beside = self.walk.goal_slot.map(|slot| slot.beside);
        let holder = beside.or_else(|| paths::holder(around, answer));
        // Beside a character one place is as good as another, unless it was given.
        let is_any = holder.is_some() && beside.is_none();
        let path = &self.following.path;
        let same_end = path.points.last() == answer.path.points.last() || is_any;
        let is_whole = answer.status == PathStatus::Complete;
        if self.walk.goal_occupant != holder || path.whole != is_whole || !same_end {
            return false;
        }
        let rest_m = match why {
            Ask::Better => shortcuts::rest_cost_m(self.nav, self.by.clone(), self.place, self.following),
            _ => self.points_left().and_then(|points| self.measured(points)).map(|rest| rest.cost_m),
        };
        let Some(rest_m) = rest_m else {
            return false;
        };
        let discs = around.map_or(&[][..], |around| around.discs());
        let is_blocked = answer.others == Others::Avoided
            && repath::is_blocked(self.nav, self.walk, self.place, || self.by.clone(), discs);
        !is_blocked && answer.path.cost_m > repath::CHEAPER * rest_m
    }

    /// The plan that a walk stays with although it has a new one, led to where that leads: one made for a
    /// door, still clear without opening any, unless the new one is at least a fifth cheaper.
    fn kept(&self, why: Ask, answer: &PathAnswer) -> Option<Following> {
        /// What a new plan may cost of the old one to be taken.
        const CHEAPER: f32 = 0.8;
        let is_led =
            matches!(self.walk.mode, WalkMode::Once | WalkMode::Follow(_)) && self.walk.via.is_none();
        let is_whole = self.following.path.whole && answer.status == PathStatus::Complete;
        if !is_led || !is_whole || matches!(why, Ask::First | Ask::Leg) {
            return None;
        }
        let mut points = self.points_left()?;
        if points.len() > 1 {
            points.pop();
        }
        points.push(*answer.path.points.last()?);
        let path = self.measured(points)?;
        let is_kept = answer.path.cost_m > CHEAPER * path.cost_m;
        is_kept.then(|| Following { cursor: Cursor::at_start(&path), path: path.into(), trouble: None })
    }

    /// The points that it has yet to pass, from where the body stands; none when it changes layers.
    fn points_left(&self) -> Option<Vec<Vec3>> {
        if !self.following.path.layers.is_empty() {
            // Over links a new plan is the better judge.
            return None;
        }
        let mut points = vec![self.place];
        points.extend_from_slice(self.following.cursor.ahead(&self.following.path));
        Some(points)
    }

    /// A path straight from point to point, without opening a door; None when a wall is in the way.
    fn measured(&self, points: Vec<Vec3>) -> Option<Path> {
        let by = Traversal { through: None, ..self.by.clone() };
        let mut path = Path { whole: true, revision: self.nav.revision(), ..Path::default() };
        for leg in points.windows(2) {
            path.cost_m += self.nav.metres(self.nav.straight(leg[0], leg[1], &by)?) as f32;
            path.length_m += flat_distance(leg[0], leg[1]);
        }
        path.points = points;
        Some(path)
    }
}

/// A path that was searched for the walk before, to the same goal within the threshold, is bent to end at
/// this one's.
fn bend(parts: &mut Wayfinding<'_>, id: WalkId) {
    let is_to_be_bent = |walk: &&Walk| aims_elsewhere(walk) && walk.ask.is_none();
    if parts.walks.get(id).filter(is_to_be_bent).is_none() {
        return;
    }
    let Some(way) = WalkOnMap::of(parts, id).filter(|way| way.following.path.whole) else {
        return;
    };
    let following = way.following.clone();
    let bent = retarget_path(way.nav, following, way.place, way.walk.aim, &way.by);
    let threshold_m = parts.settings.crowd.target_replan_threshold_m;
    let Some(walk) = parts.walks.get_mut(id) else {
        return;
    };
    let is_near = floor_distance(walk.planned_aim, walk.aim) <= threshold_m;
    let is_bent = bent.is_some();
    if let Some(bent) = bent {
        walk.follow(bent);
    }
    if !is_bent || !is_near {
        walk.ask = Some(Ask::Target);
    }
}

/// Whether what was searched for is not quite where it is to go: the search was taken over from the walk
/// before.
fn aims_elsewhere(walk: &Walk) -> bool {
    matches!(walk.goal, Goal::Point(_)) && walk.mode == WalkMode::Once && walk.aim != walk.planned_aim
}

/// Puts a new path under the walk, joined where the body stands.
fn take(parts: &mut Wayfinding<'_>, id: WalkId, why: Ask, answer: PathAnswer) {
    let Some((walk, character)) = parts.walker(id) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    let (by, position) = (parts.traversal_of(walk), character.body.position);
    let trouble = answer.trouble;
    let others = walk.planned_around.as_ref().filter(|_| answer.others == Others::Avoided);
    let discs = others.map_or(&[][..], |others| others.discs());
    let Some(path) = join(&parts.map.nav, answer.path, position, &by, discs) else {
        ask_from_here(parts, id);
        return;
    };
    let cursor = Cursor::at_start(&path);
    set_out_on(parts, id, why, Following { path: path.into(), cursor, trouble });
    let Some((walk, _)) = parts.walker_mut(id) else {
        return;
    };
    walk.missed_paths = 0;
    walk.shortcuts.is_on_one = match why {
        Ask::Better => true,
        Ask::First | Ask::Leg => false,
        // Whether it was turned back is noted as that happens.
        Ask::Crowd | Ask::Target | Ask::Door | Ask::Map => walk.shortcuts.is_on_one,
    };
    // A walker that stands because it wants to goes on standing.
    if !matches!(walk.phase, Phase::Content | Phase::Pausing { .. }) {
        walk.phase = Phase::Moving;
    }
}

/// Has a walk follow another path, and count its progress on that.
fn set_out_on(parts: &mut Wayfinding<'_>, id: WalkId, why: Ask, following: Following) {
    let (clock, tick, rate) = (parts.clock, parts.clock.landing(), parts.clock.rate);
    let has_outwaited =
        parts.walks.get(id).is_some_and(|walk| has_outwaited_its_door(&parts.map.doors, walk, tick));
    let Some((walk, character)) = parts.walker_mut(id) else {
        return;
    };
    let position = character.body.position;
    let left_m = following.cursor.left_m(&following.path, position);
    walk.follow(following);
    if has_outwaited {
        walk.restart_progress(Some(left_m), tick);
    }
    let way_ticks = |way_m: f32| rate.ticks(f64::from(way_m / walk.speed_mps(character)));
    let out = SettingOut {
        tick: walk.clock(tick),
        turn_ticks: rate.ticks(character.gait.half_turn_s()),
        longer_ticks: way_ticks((left_m - walk.nearest_m).max(0.0)),
    };
    set_out(walk, why, left_m, out);
    if why == Ask::Crowd {
        walk.stand_at(WaitCause::Others, position, clock);
    }
}

/// Whether a walk has waited longer than its patience, which does not count while its door opens: with a new
/// way its patience begins again, as it does for walkers that go on through the door.
fn has_outwaited_its_door(doors: &[Door], walk: &Walk, landing: TickNumber) -> bool {
    let Phase::AtDoor(door) = walk.phase else {
        return false;
    };
    let opens = doors.get(door.index()).is_some_and(Door::is_opening_or_open);
    opens && walk.clock(landing).since(walk.progress_tick) >= walk.options.patience_ticks
}

/// The body was moved meanwhile to where the new path cannot be seen: it asks from there, and counts as
/// having asked because of others. A walker that waits for its first path goes on waiting; only one that is
/// pushed about again and again loses its patience.
fn ask_from_here(parts: &mut Wayfinding<'_>, id: WalkId) {
    /// Paths that may be missed before patience runs: each is a search.
    const MISSED_MAX: u32 = 8;
    let landing = parts.clock.landing();
    let Some((walk, character)) = parts.walker_mut(id) else {
        return;
    };
    if walk.phase == Phase::Planning {
        walk.missed_paths += 1;
        if walk.missed_paths <= MISSED_MAX {
            walk.ask = Some(Ask::First);
        } else {
            walk.phase = Phase::Moving;
        }
    }
    repath::ask(landing, walk, character);
}

/// When a walk sets out, and what it may take.
#[derive(Clone, Copy, Debug)]
struct SettingOut {
    tick: TickNumber,
    /// To turn right round.
    turn_ticks: u64,
    /// To walk what the way is longer than the least that was ever left.
    longer_ticks: u64,
}

/// How far a character is pushed back at most by a door that closes on it, metres.
const PUSHED_BACK_M: f32 = 2.0;

/// From here on progress is counted on the new way: a way round others is longer than what was left before.
/// A walker that sets out on a new errand begins again; one that the map sends round is given the time that
/// the longer way takes and no more, so that no door that opens and closes all the time keeps a walk going
/// for ever: one that a door pushes back has no longer way. Turning round is no want of progress.
fn set_out(walk: &mut Walk, why: Ask, left_m: f32, out: SettingOut) {
    walk.progress_m = if why == Ask::Crowd { walk.progress_m.max(left_m) } else { left_m };
    let is_longer = left_m > walk.nearest_m;
    let leads_round = left_m > walk.nearest_m + PUSHED_BACK_M;
    match why {
        Ask::First | Ask::Target | Ask::Leg => (walk.nearest_m, walk.nearest_tick) = (left_m, out.tick),
        Ask::Crowd if is_longer => (walk.nearest_m, walk.nearest_tick) = (left_m, out.tick),
        Ask::Door if is_longer && !leads_round => {}
        Ask::Door | Ask::Map | Ask::Better if is_longer => {
            walk.nearest_m = left_m;
            walk.nearest_tick = out.tick.min(walk.nearest_tick.after(out.longer_ticks));
        }
        Ask::Crowd | Ask::Door | Ask::Map | Ask::Better => {}
    }
    if matches!(why, Ask::First | Ask::Leg) {
        walk.progress_tick = walk.progress_tick.max(out.tick.after(out.turn_ticks));
    }
}

/// The path for a body that has moved on since it asked: from where it stands to the furthest of the next
/// points that it can walk straight to, so that it never turns back (seed:N4), past others as the path leads
/// where it can.
fn join(nav: &NavMap, mut path: Path, position: Vec3, by: &Traversal, others: &[Disc]) -> Option<Path> {
    /// How many points ahead are tried; a body walks past few corners while it waits for an answer.
    const TRIED: usize = 8;
    let start = *path.points.first()?;
    if flat_distance(start, position) < 1e-4 {
        return Some(path);
    }
    // A walker that stands where the ground went away sees from where it comes onto the ground again.
    let ground = nav.start(position, by)?.point;
    let mut visible = (1..(path.leg_end() + 1).min(TRIED + 1))
        .rev()
        .filter(|&index| nav.straight(ground, path.points[index], by).is_some())
        .peekable();
    let furthest = *visible.peek()?;
    let is_past_others = |index: &usize| nav.is_clear_of(ground, path.points[*index], by, others);
    let seen = if others.is_empty() { furthest } else { visible.find(is_past_others).unwrap_or(furthest) };
    let skipped_m: f32 = path.points[..=seen].windows(2).map(|pair| flat_distance(pair[0], pair[1])).sum();
    let out_m = flat_distance(position, ground);
    let gained_m = skipped_m - out_m - flat_distance(ground, path.points[seen]);
    let is_on_ground = out_m < 1e-4 || path.points[seen] == ground;
    path.points.splice(..seen, [position].into_iter().chain((!is_on_ground).then_some(ground)));
    path.length_m -= gained_m;
    for crossing in &mut path.crossings {
        crossing.enter_m = (crossing.enter_m - gained_m).max(0.0);
        crossing.leave_m = (crossing.leave_m - gained_m).max(0.0);
    }
    for change in &mut path.layers {
        change.at_m = (change.at_m - gained_m).max(0.0);
    }
    Some(path)
}

#[cfg(test)]
mod tests;
