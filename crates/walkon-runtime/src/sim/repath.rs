//! Step 6, first parts: walks that plan again because of others.
//!
//! In: characters that have moved, that stand and that do not any more, walks under way. Out: walks that ask
//! for a path, as `Ask::Crowd`. Holds: displacement adds up until it counts, so the tick rate decides nothing
//! (seed:R1); one walker asks at most once in the cooldown, of game time (seed:R3), and what came meanwhile
//! is not forgotten; a search is asked for only where its outcome can differ, and that test is exact: a
//! character stands on what is left of the way that was not there for the last plan, or a character that the
//! last plan went around is gone and the way is longer than it has to be. Not here: which of two ways is
//! taken (`paths`), changes of the map, which ignore the cooldown (`edits`).
//!
//! Movers are transparent to plans (seed:D4), so a walker that passes changes no path; what changes paths is
//! a character that comes to stand, stops standing, or is pushed while it stands. Ten thousand walkers in
//! motion therefore cost a look at each, and no search.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::{flat_distance, ground, segment_distance_sq};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::line_lookup::LineLookup;
use crate::base::ordered::CollectOrdered;
use crate::base::threads::Threads;
use crate::base::time::TickNumber;
use crate::nav::{Disc, NavMap, Traversal};
use crate::sim::wayfinding::Wayfinding;
use crate::world::asker::traversal_of;
use crate::world::bystander_index::{People, ROOM_M};
use crate::world::bystanders::{Bystanders, KeepOff, Straight};
use crate::world::character::{Character, Characters, Past, Replan};
use crate::world::clock::Clock;
use crate::world::goal::Goal;
use crate::world::leaders::Leaders;
use crate::world::scene_fast_forward::Cast;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{Ask, Crowd, Following, Phase, Walk};
use crate::world::walk_mode::WalkMode;
use crate::world::walks::Walks;

/// The part of what is left of a way that another may cost to be taken in its place, when nobody stands on
/// the old one. A tenth: the ways round a character on either side differ by less than that from a few metres
/// off, so a walker stays with the side it has chosen; a shorter way that has opened up is worth taking from
/// about there on.
pub(crate) const CHEAPER: f32 = 0.9;

/// A change of a standing character that may matter to walkers nearby.
#[derive(Clone, Copy, Debug)]
struct BystanderChange {
    who: CharacterId,
    place: Vec3,
    /// Its circle, if it stands there now.
    disc: Option<Disc>,
    /// Whether it stands there now and keeps its place, and did not before: plans made before left room for
    /// one that steps aside.
    is_newly_kept: bool,
}

/// Notes which of the characters that the step looks at have moved.
pub(crate) fn notice_all(
    characters: &mut Characters,
    cast: Option<&Cast>,
    walks: &Walks,
    crowd: &CrowdSettings,
    threads: Threads,
) -> BystanderChanges {
    let mut changes = removed(characters);
    // A character stands no matter which other it follows.
    let leaders = &Leaders::default();
    let may_count = |id| characters.get(id).is_some_and(|who| !is_on_the_move(characters, who));
    let looked_at = Cast::looked_at(cast, characters);
    for id in threads.filter(looked_at, may_count) {
        let replan = notice(People { characters, walks, crowd, leaders }, id, &mut changes);
        if let (Some(replan), Some(character)) = (replan, characters.get_mut(id)) {
            character.replan = replan;
        }
    }
    let radii_m = || characters.iter().map(|(_, who)| who.body.radius_m);
    let widest_m = match changes.iter().any(|change| change.is_newly_kept) {
        true => radii_m().fold(0.0, f32::max),
        false => 0.0,
    };
    BystanderChanges { changes, widest_m }
}

/// What has changed about standing characters, since it last counted.
pub(crate) struct BystanderChanges {
    changes: Vec<BystanderChange>,
    /// The radius of the widest body, where somebody keeps its place from now on, metres.
    widest_m: f32,
}

impl BystanderChanges {
    /// The same, to be asked by place.
    pub(crate) fn marks(&self, crowd: &CrowdSettings, node_m: f32) -> ChangeMarks<'_> {
        let Self { changes, widest_m } = self;
        let of = |changes: &[BystanderChange], reach_m| {
            let places: Vec<Vec3> = changes.iter().map(|change| change.place).collect();
            LineLookup::new(&places, reach_m)
        };
        let near = of(changes, crowd.replan_trigger_m);
        let kept: Vec<BystanderChange> =
            changes.iter().copied().filter(|change| change.is_newly_kept).collect();
        let near_kept = of(&kept, 2.0 * widest_m + ROOM_M + node_m);
        let planned_kept = of(&kept, crowd.dynamic_obstacle_influence_m);
        let kept = kept.iter().map(|change| change.who).collect();
        ChangeMarks { changes, near, kept, near_kept, planned_kept }
    }
}

/// The characters that stand no more because they are gone for good.
fn removed(characters: &mut Characters) -> Vec<BystanderChange> {
    let gone = characters.take_departed().into_iter();
    gone.map(|(who, place)| BystanderChange { who, place, disc: None, is_newly_kept: false }).collect()
}

/// Most people, most of the time: on the move, and nobody's plan goes around them.
fn is_on_the_move(characters: &Characters, who: &Character) -> bool {
    who.is_moving && !who.replan.stood && characters.is_alive(who)
}

/// Notes whether a character came to stand, stopped standing, or was moved while it stood, since it last
/// counted; what counts from now on, if it did.
fn notice(people: People<'_>, who: CharacterId, changes: &mut Vec<BystanderChange>) -> Option<Replan> {
    let (eps_m, far_m) = (people.crowd.moved_eps_m, people.crowd.replan_trigger_m);
    let character = people.characters.get(who)?;
    let (place, before) = (character.body.position, character.replan);
    let stands = people.is_obstacle(character);
    let moved_m = flat_distance(place, before.from);
    if stands == before.stood && moved_m < eps_m {
        return None;
    }
    if before.stood && (!stands || moved_m > far_m) {
        changes.push(BystanderChange { who, place: before.from, disc: None, is_newly_kept: false });
    }
    if stands {
        let is_newly_kept = !before.stood && People::is_kept(character);
        changes.push(BystanderChange { who, place, disc: Some(people.disc_of(character)), is_newly_kept });
    }
    Some(Replan { from: place, stood: stands, ..before })
}

/// Whether nothing near a walk and its character has changed that others could call for a new path by: what
/// [`look`] finds out by itself, and leaves as it is.
#[inline]
pub(crate) fn is_quiet(walk: &Walk, character: &Character, marks: &ChangeMarks<'_>) -> bool {
    if marks.concern_search(walk, character) {
        return false;
    }
    let Some(following) = walk.following.as_ref().filter(|_| minds_others(walk)) else {
        return true;
    };
    let at_corner = walk.looked_at != following.cursor.segment;
    if walk.is_crowded || at_corner || walk.goal_occupant.is_some() {
        return false;
    }
    let place = character.body.position;
    let next = following.cursor.next(&following.path).unwrap_or(place);
    !marks.near.is_any_near(place, next) && !marks.is_any_kept_beside(walk, place)
}

/// How far a character keeps off those that do not step aside.
pub(crate) fn keep_off(nav: &NavMap, character: &Character) -> KeepOff {
    KeepOff { radius_m: character.body.radius_m, node_m: nav.node_m() }
}

/// Has a walk ask for a new path when others call for one.
pub(crate) fn look(parts: &mut Wayfinding<'_>, id: WalkId, marks: &ChangeMarks<'_>) {
    if let Some((walk, _)) = parts.walker(id).filter(|(walk, who)| marks.concern_search(walk, who)) {
        // It goes on: whether its answer leads past them is seen when it is there.
        let is_kept = |who| parts.characters.get(who).is_some_and(People::is_kept);
        let around = walk.asked_around.as_ref().map(|around| around.unsettled(is_kept));
        if let Some(walk) = parts.walks.get_mut(id) {
            (walk.asked_around, walk.is_crowded) = (around, true);
        }
    }
    let (crowd, leaders) = (&parts.settings.crowd, &*parts.leaders);
    let people = People { characters: parts.characters, walks: parts.walks, crowd, leaders };
    let Some(walk) = people.walks.get(id).filter(|walk| minds_others(walk)) else {
        return;
    };
    let Some(character) = people.characters.get(walk.character) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    let Some(following) = &walk.following else {
        return;
    };
    let position = character.body.position;
    let next = following.cursor.next(&following.path).unwrap_or(position);
    let at_corner = walk.looked_at != following.cursor.segment;
    let node_m = parts.map.nav.node_m();
    let lost_holder = || has_lost_holder(people, walk, position);
    let concerns = |change: &BystanderChange| concerns(people, node_m, walk, position, change);
    let is_searching = walk.token.is_some() || walk.ask.is_some();
    if !is_searching && is_narrowed(people, &parts.map.nav, walk, || parts.traversal_of(walk), marks) {
        let landing = parts.clock.landing();
        parts.walker_mut(id).into_iter().for_each(|(walk, character)| ask(landing, walk, character));
        return;
    }
    if !(walk.is_crowded || at_corner || lost_holder() || marks.any(position, next, concerns)) {
        return;
    }
    // A search under way was told of others when it was asked for; what is new since is looked at after it.
    let waits = is_resting(parts.clock, crowd, character) || is_searching;
    let asks = !waits && {
        let but = [walk.character, spared(people, walk).unwrap_or(walk.character)];
        let doors = parts.map.doors_ahead(following);
        let line = Straight {
            from: position,
            // As for the plan.
            to: end_of(walk),
            layer: character.layer,
            keeps_off: None,
            goes_through: Some(&doors),
            but: &but,
        };
        let now = parts.bystanders.beside_way(people, line);
        let fresh = now.map_or_else(Vec::new, |now| newcomers(people, &parts.map.nav, walk, &now));
        let by = || traversal_of(parts.map, people.characters, parts.clock.rate, walk);
        // Whether a new plan could differ from the one in use.
        lost_holder()
            || !fresh.is_empty() && is_blocked(&parts.map.nav, walk, position, by, &fresh)
            || could_be_shorter(people, &parts.map.nav, walk, position)
    };
    let is_free = asks && lost_holder();
    let (segment, landing) = (following.cursor.segment, parts.clock.landing());
    let Some((walk, character)) = parts.walker_mut(id) else {
        return;
    };
    walk.is_crowded = waits;
    walk.looked_at = segment;
    if is_free {
        walk.goal_slot = None;
    }
    if asks {
        ask(landing, walk, character);
    }
}

/// Where the next plan of a walk is to end, metres.
pub(crate) fn end_of(walk: &Walk) -> Vec3 {
    walk.goal_slot.map_or(walk.aim, |slot| slot.point)
}

/// Whether one that keeps its place from now on leaves a walk too little room on its way, for which there was
/// enough as long as it would have stepped aside. Cost: those beside its way.
fn is_narrowed(
    people: People<'_>,
    nav: &NavMap,
    walk: &Walk,
    traversal: impl Fn() -> Traversal,
    marks: &ChangeMarks<'_>,
) -> bool {
    let Some(character) = people.characters.get(walk.character).filter(|_| !marks.kept.is_empty()) else {
        return false;
    };
    let (to, off, spared) = (end_of(walk), keep_off(nav, character), spared(people, walk));
    let whole = |at: u32| {
        let who = marks.kept[at as usize];
        let other = people.characters.get(who)?;
        let is_other = who != walk.character && spared != Some(who);
        let is_met = is_other && other.layer == character.layer && !people.follows(who, walk.character);
        is_met.then(|| people.whole_disc_of(other, to, off))
    };
    let near = |from, to| marks.near_kept.all_near(from, to).into_iter().filter_map(whole);
    is_blocked_by(nav, walk, character.body.position, traversal, near)
}

/// Whether a character has asked because of others so shortly ago that it may not ask again.
pub(crate) fn is_resting(clock: &Clock, crowd: &CrowdSettings, character: &Character) -> bool {
    // Not by the clock of the walk: a character that walks again for another owner rests from what it asked
    // for before.
    let ago = character.replan.since.and_then(|since| since.ago_ticks(clock.landing()));
    ago.is_some_and(|ago| ago < crowd.replan_cooldown_ticks(clock.rate))
}

/// Has a walk ask because of others, and its character rest afterwards.
pub(crate) fn ask(landing: TickNumber, walk: &mut Walk, character: &mut Character) {
    walk.ask_for(Ask::Crowd);
    character.replan.since = Some(Past::at(landing));
}

/// Has a walk ask that has been led so far off its way that it does not see it any more, once in the
/// cooldown.
pub(crate) fn ask_when_lost(
    clock: &Clock,
    crowd: &CrowdSettings,
    walk: &mut Walk,
    character: &mut Character,
) {
    if !is_resting(clock, crowd, character) {
        ask(clock.landing(), walk, character);
    }
}

/// Whether others matter to a walk now: it is on its way, or stands beside a goal that a character holds.
fn minds_others(walk: &Walk) -> bool {
    matches!(walk.phase, Phase::Moving | Phase::Beside(_))
        && !walk.is_paused
        && walk.options.crowd != Crowd::Ghost
}

/// Whether the character that held the goal of a walk has left, or stands elsewhere now. A patrol that only
/// looks for a way to its other stops still holds it. A walker that is still far off is not told: by the time
/// it comes there, the goal may be held again.
fn has_lost_holder(people: People<'_>, walk: &Walk, place: Vec3) -> bool {
    let near_m = people.crowd.replan_trigger_m;
    let is_near = || walk.remaining_m(place).is_some_and(|left_m| left_m <= near_m);
    let is_gone = |holder| {
        let disc = walk.planned_around.as_ref().and_then(|around| around.disc_of(holder));
        let walk = people.characters.alive(holder).and_then(|who| people.walks.get(who.walk?));
        let is_patrol = walk.is_some_and(|walk| matches!(walk.mode, WalkMode::Patrol(_)));
        disc.is_some_and(|disc| match is_patrol {
            true => has_moved(people, people.characters.alive(holder), &disc),
            false => is_gone(people, holder, &disc),
        })
    };
    walk.goal_occupant.is_some_and(is_gone) && (matches!(walk.phase, Phase::Beside(_)) || is_near())
}

/// Whether a character around whose circle a plan was made stands there no more.
fn is_gone(people: People<'_>, who: CharacterId, disc: &Disc) -> bool {
    has_moved(people, people.characters.alive(who).filter(|who| people.is_obstacle(who)), disc)
}

/// Whether a character is not there any more, or not in the middle of its circle.
fn has_moved(people: People<'_>, who: Option<&Character>, disc: &Disc) -> bool {
    who.is_none_or(|who| flat_distance(who.body.position, disc.centre) >= people.crowd.moved_eps_m)
}

/// Whether a change can change the plan of a walk: it stands on the way, or it was gone around and is gone.
fn concerns(people: People<'_>, node_m: f32, walk: &Walk, position: Vec3, change: &BystanderChange) -> bool {
    if change.who == walk.character || spared(people, walk) == Some(change.who) {
        return false;
    }
    let was_gone_around =
        walk.planned_around.as_ref().is_some_and(|around| around.who().contains(&change.who));
    let reach_m = change.disc.map_or(0.0, |disc| disc.radius_m) + node_m;
    let middle = ground(change.place);
    let blocks = || {
        legs(walk.following.as_ref(), position).any(|(from, to)| {
            segment_distance_sq(middle, ground(from), ground(to)) <= f64::from(reach_m * reach_m)
        })
    };
    was_gone_around || change.disc.is_some() && blocks()
}

/// The character that a walk goes to, when it stops before it touches it: there is no need to plan around it
/// then.
pub(crate) fn spared(people: People<'_>, walk: &Walk) -> Option<CharacterId> {
    let Goal::Character(target) = walk.goal else {
        return None;
    };
    let touching_m: f32 = [target, walk.character]
        .iter()
        .filter_map(|&id| people.characters.get(id))
        .map(|character| character.body.radius_m)
        .sum();
    (walk.via.is_none() && walk.radius_m(people.crowd) > touching_m).then_some(target)
}

/// What is left of a way, leg by leg.
pub(crate) fn legs(following: Option<&Following>, position: Vec3) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
    let ahead = following.map_or(&[][..], |following| {
        let ahead = following.cursor.ahead(&following.path);
        // Those beyond a link stand on another layer.
        let leg = (following.path.leg_end()).saturating_sub(following.cursor.segment as usize);
        &ahead[..leg.min(ahead.len())]
    });
    let from = std::iter::once(position).chain(ahead.iter().copied());
    from.zip(ahead.iter().copied())
}

/// The circles of bystanders that the last plan of a walk did not go around, or found elsewhere, or that keep
/// their places since it was asked for.
fn newcomers(people: People<'_>, nav: &NavMap, walk: &Walk, now: &Bystanders) -> Vec<Disc> {
    let off = people.characters.get(walk.character).map(|character| keep_off(nav, character));
    // Hundreds may stand along a way, so nobody is looked for in a list.
    let before: BTreeMap<CharacterId, &Disc> = walk
        .planned_around
        .as_ref()
        .map_or_else(BTreeMap::new, |old| old.who().iter().copied().zip(old.discs().iter()).collect_map());
    let met = |(who, &disc): (&CharacterId, &Disc)| match before.get(who) {
        Some(before) if Bystanders::is_unsettled(before) => {
            let whole = off.zip(people.characters.get(*who));
            Some(whole.map_or(disc, |(off, who)| people.whole_disc_of(who, end_of(walk), off)))
        }
        Some(before) if flat_distance(before.centre, disc.centre) < people.crowd.moved_eps_m => None,
        _ => Some(disc),
    };
    now.who().iter().zip(now.discs().iter()).filter_map(met).collect()
}

/// Whether one of some circles lies on what is left of the way of a walk, by the rule of plans. The goal
/// counts as part of a way that leads there. The last stretch to a place beside an occupied goal leads as
/// near to others as there is room: there it counts what a circle covers, and not what it blocks.
pub(crate) fn is_blocked(
    nav: &NavMap,
    walk: &Walk,
    position: Vec3,
    traversal: impl Fn() -> Traversal,
    discs: &[Disc],
) -> bool {
    is_blocked_by(nav, walk, position, traversal, |_, _| discs.iter().copied())
}

/// The same of circles that are looked up for each leg of the way.
fn is_blocked_by<Discs: Iterator<Item = Disc>>(
    nav: &NavMap,
    walk: &Walk,
    position: Vec3,
    traversal: impl Fn() -> Traversal,
    discs: impl Fn(Vec3, Vec3) -> Discs,
) -> bool {
    let node_m = nav.node_m();
    let mut by = None;
    let path = walk.following.as_ref().map(|following| &following.path);
    let beside = path.filter(|path| !path.whole && walk.goal_occupant.is_some());
    let last = beside.and_then(|path| path.points.last().copied());
    legs(walk.following.as_ref(), position).any(|(from, to)| {
        let (a, b) = (ground(from), ground(to));
        let is_near = |disc: &Disc| {
            note_compared();
            let reach_m = f64::from(disc.radius_m + node_m);
            segment_distance_sq(ground(disc.centre), a, b) <= reach_m * reach_m
        };
        let near: Vec<Disc> = discs(from, to).filter(is_near).collect();
        !near.is_empty() && {
            let by = by.get_or_insert_with(&traversal);
            let covers = |disc: &Disc| {
                let radius_m = f64::from(disc.radius_m);
                segment_distance_sq(ground(disc.centre), a, b) < radius_m * radius_m
            };
            !nav.is_clear_of(from, to, by, &near) && (last != Some(to) || near.iter().any(covers))
        }
    })
}

/// Whether a character that the plan in use went around is gone, and a way through where it stood could be
/// enough cheaper to be taken: every way that its leaving opens leads through there, and none costs less than
/// straight lines on the best ground.
fn could_be_shorter(people: People<'_>, nav: &NavMap, walk: &Walk, position: Vec3) -> bool {
    let (Some(bystanders), Some(following)) = (&walk.planned_around, &walk.following) else {
        return false;
    };
    let Some(&end) = following.path.points.last() else {
        return false;
    };
    let least = nav.cheapest_factor_for(walk.options.areas.as_deref());
    let per_m =
        if following.path.length_m > 0.0 { following.path.cost_m / following.path.length_m } else { 1.0 };
    let left_m: f32 = legs(Some(following), position).map(|(from, to)| flat_distance(from, to)).sum();
    let worth_m = CHEAPER * per_m * left_m;
    // A way that ends beside the character on the goal leads no further through the place where it stood.
    // `has_lost_holder` tells when that character leaves.
    let others = bystanders.who().iter().zip(bystanders.discs().iter());
    others.filter(|(who, _)| walk.goal_occupant != Some(**who)).any(|(&who, disc)| {
        let around_m = 2.0 * (disc.radius_m + nav.node_m());
        let through_m = flat_distance(position, disc.centre) + flat_distance(disc.centre, end) - around_m;
        (Bystanders::is_unsettled(disc) || least * through_m < worth_m) && is_gone(people, who, disc)
    })
}

/// The changes of this tick, found by lines.
pub(crate) struct ChangeMarks<'a> {
    changes: &'a [BystanderChange],
    near: LineLookup,
    /// The characters that keep their places from now on.
    kept: Vec<CharacterId>,
    /// The same, within the reach of two bodies.
    near_kept: LineLookup,
    /// The same, as far from a straight line as plans keep off.
    planned_kept: LineLookup,
}

impl ChangeMarks<'_> {
    /// Whether one that keeps its place from now on stands beside what is left of the way of a walk. Cost:
    /// the legs of the way, but nothing where there is no such character.
    #[inline]
    fn is_any_kept_beside(&self, walk: &Walk, position: Vec3) -> bool {
        !self.kept.is_empty()
            && legs(walk.following.as_ref(), position).any(|(from, to)| self.near_kept.is_any_near(from, to))
    }

    /// Whether one that keeps its place from now on stands where the search under way for a walk, which does
    /// not know of that, goes around others.
    #[inline]
    fn concern_search(&self, walk: &Walk, character: &Character) -> bool {
        !self.kept.is_empty()
            && walk.token.is_some()
            && walk.options.crowd != Crowd::Ghost
            && self.planned_kept.is_any_near(character.body.position, end_of(walk))
    }

    /// Whether a change within the distance of a line passes the test.
    fn any(&self, from: Vec3, to: Vec3, test: impl Fn(&BystanderChange) -> bool) -> bool {
        self.near.any_near(from, to, |at| test(&self.changes[at as usize]))
    }
}

/// Counts the circles that ways are compared with, for the laws on what that costs.
#[cfg(test)]
pub(crate) mod compared {
    use std::cell::Cell;

    thread_local! {
        static COUNT: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn note() {
        COUNT.set(COUNT.get() + 1);
    }

    pub(crate) fn take() -> u64 {
        COUNT.replace(0)
    }
}

#[inline(always)]
fn note_compared() {
    #[cfg(test)]
    compared::note();
}

#[cfg(test)]
mod tests;
