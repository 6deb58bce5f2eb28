//! Saves walks under way; a search under way is asked again.
//!
//! In, out: fields, one by one. Holds: an open walk is the one of its character, before and after. Not here:
//! paths (`nav::saved`), handlers (`script::state::handlers`).

use glam::Vec3;
use walkon_nav::{saved, saved_choice};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::WalkId;
use crate::base::time::TickNumber;
use crate::crowd::follow::Cursor;
use crate::nav::Path;
use crate::world::arena::Arena;
use crate::world::character::Characters;
use crate::world::goal::Goal;
use crate::world::snapshot::bystanders::ToldDiscs;
use crate::world::walk::{Ask, BackingOut, Following, Phase, PlaceWait, Walk, WalkOptions};
use crate::world::walks::Walks;

/// Writes all walks.
pub(super) fn save(out: &mut ByteWriter, walks: &Walks, characters: &Characters) {
    let Walks {
        slots,
        order,
        // Told by the walks.
        delivered: _,
        created,
        asked_in_tick,
        counts,
    } = walks;
    let lists = order.iter().filter_map(|&id| slots.get(id)?.planned_around.as_ref());
    let mut told = ToldDiscs::begin(out, characters, lists);
    let (mut last, mut serial) = (None, 0);
    let known = order.iter().filter_map(|&id| Some((id, slots.get(id)?)));
    out.list(known.collect::<Vec<_>>().into_iter(), |out, (id, walk)| {
        id.save(out);
        out.word(walk.serial - serial);
        serial = walk.serial;
        save_one(out, walk, &mut last, &mut told);
    });
    slots.save_free(out);
    (*created).save(out);
    asked_in_tick.save(out);
    counts.save(out);
}

/// `last`: the options of the walk before it in the list. `told`: circles that were written.
fn save_one(out: &mut ByteWriter, walk: &Walk, last: &mut Option<WalkOptions>, told: &mut ToldDiscs) {
    let Walk {
        // Told by the list.
        serial: _,
        character,
        goal,
        aim,
        options,
        mode,
        owner,
        phase,
        following,
        on_link,
        ask,
        token,
        // The people a search under way goes around: it is asked again.
        asked_around: _,
        planned_around,
        goal_occupant,
        goal_slot,
        backing_out,
        is_crowded,
        looked_at,
        planned_aim,
        issued,
        travelled_m,
        repaths,
        missed_paths,
        shortcuts,
        is_door_plan,
        progress_m,
        nearest_m,
        nearest_tick,
        ahead,
        queue_tick,
        progress_tick,
        retargeted,
        blocked_by,
        place_wait,
        via,
        is_paused,
        waypoints,
        told_near,
        told_blocked,
        skipped_ticks,
        // Nothing between ticks.
        left_m: _,
        is_delivered,
    } = walk;
    character.save(out);
    goal.save(out);
    save_aim(out, *goal, *aim);
    let is_usual = last.as_ref() == Some(options);
    out.flag(is_usual);
    if !is_usual {
        options.save(out);
        *last = Some(options.clone());
    }
    mode.save(out);
    owner.save(out);
    phase.save(out);
    following.save(out);
    ask_again(*ask, token.map(|(_, why)| why)).save(out);
    out.vector_near(*planned_aim, *aim);
    [*is_crowded, *is_door_plan, *is_paused, *told_near, *told_blocked, *is_delivered]
        .into_iter()
        .for_each(|flag| out.flag(flag));
    issued.save(out);
    out.float(*travelled_m);
    looked_at.save(out);
    out.float(*progress_m);
    out.flag(progress_m.to_bits() == nearest_m.to_bits());
    if progress_m.to_bits() != nearest_m.to_bits() {
        out.float(*nearest_m);
    }
    progress_tick.save(out);
    save_ticks(out, [*progress_tick, *issued], [*nearest_tick, *queue_tick, *retargeted]);
    goal_occupant.save(out);
    ahead.save(out);
    blocked_by.save(out);
    // What few have.
    let rare = (*repaths, *missed_paths, *waypoints, *skipped_ticks, *shortcuts);
    let is_led = on_link.is_some() || goal_slot.is_some() || via.is_some() || backing_out.is_some();
    let has_rare = rare != Default::default() || is_led || place_wait.is_some();
    out.flag(has_rare);
    if has_rare {
        on_link.save(out);
        goal_slot.save(out);
        backing_out.save(out);
        place_wait.save(out);
        via.save(out);
        repaths.save(out);
        missed_paths.save(out);
        waypoints.save(out);
        skipped_ticks.save(out);
        shortcuts.save(out);
    }
    out.option(planned_around.as_ref(), |out, around| told.save(out, around));
}

/// Where a walk goes to, which is mostly its goal.
fn save_aim(out: &mut ByteWriter, goal: Goal, aim: Vec3) {
    let point = match goal {
        Goal::Point(point) => point,
        _ => aim,
    };
    let is_direct = point == aim;
    out.flag(is_direct);
    if !is_direct || !matches!(goal, Goal::Point(_)) {
        out.vector(aim);
    }
}

fn load_aim(input: &mut ByteReader<'_>, goal: Goal) -> Result<Vec3, DecodeError> {
    match (input.flag()?, goal) {
        (true, Goal::Point(point)) => Ok(point),
        _ => input.vector(),
    }
}

/// Ticks, most of which are one of those that were written before.
fn save_ticks(out: &mut ByteWriter, before: [TickNumber; 2], ticks: [TickNumber; 3]) {
    for tick in ticks {
        let known = before.iter().position(|other| *other == tick);
        out.small(known.map_or(2, |at| at as u8), 2);
        if known.is_none() {
            tick.save(out);
        }
    }
}

fn load_ticks(input: &mut ByteReader<'_>, before: [TickNumber; 2]) -> Result<[TickNumber; 3], DecodeError> {
    let mut ticks = [TickNumber::default(); 3];
    for tick in &mut ticks {
        let known = before.get(usize::from(input.small(2)?)).copied();
        *tick = known.map_or_else(|| Saved::load(input), Ok)?;
    }
    Ok(ticks)
}

/// What a walk asks for in its next step 6, when the search under way is not to be had any more.
fn ask_again(ask: Option<Ask>, under_way: Option<Ask>) -> Option<Ask> {
    let Some(why) = under_way else { return ask };
    let gives_way = |before: Ask| before.is_look() && !(why.is_look() && before == Ask::Better);
    if ask.is_none_or(gives_way) { Some(why) } else { ask }
}

impl Saved for Following {
    fn save(&self, out: &mut ByteWriter) {
        let Self { path, cursor, trouble } = self;
        path.save(out);
        cursor.save(out);
        trouble.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let path = Path::load(input)?;
        let cursor = Cursor::load(input, &path)?;
        Ok(Self { path: path.into(), cursor, trouble: Saved::load(input)? })
    }
}

saved!(PlaceWait { cause, place, since, seen });
saved!(BackingOut { way, from, junction, yields_to, until });

saved_choice!(
    Phase, 3: 0: Planning, 1: Moving, 2: AtDoor(door), 3: Beside(who), 4: Content, 5: Pausing { until },
    6: Turning(reason), 7: Settled(result),
);

saved!(
    WalkOptions {
        pace, radius_m, accept, face, layer, doors, keys, crowd, patience_ticks, timeout_ticks, ensure, via,
        areas, tells,
    }
    where options => options.radius_m.is_none_or(|radius_m| (0.0..=1e6).contains(&radius_m)),
    "a measure that cannot be"
);

/// Reads all walks, and gives each open one to its character.
pub(super) fn load(input: &mut ByteReader<'_>, characters: &mut Characters) -> Result<Walks, DecodeError> {
    let mut told = ToldDiscs::read(input, characters)?;
    let (mut last, mut serial) = (None, 0u64);
    let all: Vec<(WalkId, Walk)> = input.list(|input| {
        let id = WalkId::load(input)?;
        let step = input.word()?.max(1);
        serial = serial.checked_add(step).ok_or_else(|| DecodeError::new("too many walks"))?;
        Ok((id, load_one(input, serial, &mut last, &mut told)?))
    })?;
    for (id, walk) in all.iter().filter(|(_, walk)| walk.is_open()) {
        let walker = characters.get_mut(walk.character).filter(|one| one.is_alive() && one.walk.is_none());
        walker.ok_or_else(|| DecodeError::new("a walk of nobody"))?.walk = Some(*id);
    }
    let order: Vec<WalkId> = all.iter().map(|(id, _)| *id).collect();
    let delivered = all.iter().filter(|(_, walk)| walk.is_delivered).map(|(id, _)| *id).collect();
    let slots = Arena::load(input, all)?;
    let (created, asked_in_tick, counts) = (u64::load(input)?, Saved::load(input)?, Saved::load(input)?);
    if created < serial {
        return Err(DecodeError::new("more walks than were made"));
    }
    Ok(Walks { slots, order, delivered, created, asked_in_tick, counts })
}

fn load_one(
    input: &mut ByteReader<'_>,
    serial: u64,
    last: &mut Option<WalkOptions>,
    told: &mut ToldDiscs,
) -> Result<Walk, DecodeError> {
    let character = Saved::load(input)?;
    let goal = Saved::load(input)?;
    let aim = load_aim(input, goal)?;
    if !input.flag()? {
        *last = Some(Saved::load(input)?);
    }
    let options = last.clone().ok_or_else(|| DecodeError::new("a walk without options"))?;
    let lists = options.keys.len() * size_of::<String>() + options.via.len() * 12;
    input.pay(lists + options.keys.iter().map(String::len).sum::<usize>())?;
    let mode = Saved::load(input)?;
    let owner = Saved::load(input)?;
    let phase = Saved::load(input)?;
    let following = Saved::load(input)?;
    let ask = Saved::load(input)?;
    let planned_aim = input.vector_near(aim)?;
    let [is_crowded, is_door_plan, is_paused, told_near, told_blocked, is_delivered] = Saved::load(input)?;
    let issued = Saved::load(input)?;
    let travelled_m = input.float()?;
    let looked_at = Saved::load(input)?;
    let progress_m = input.float()?;
    let nearest_m = if input.flag()? { progress_m } else { input.float()? };
    let progress_tick = Saved::load(input)?;
    let [nearest_tick, queue_tick, retargeted] = load_ticks(input, [progress_tick, issued])?;
    let (goal_occupant, ahead, blocked_by) = (Saved::load(input)?, Saved::load(input)?, Saved::load(input)?);
    let mut walk = Walk {
        serial,
        character,
        goal,
        aim,
        options,
        mode,
        owner,
        phase,
        following,
        on_link: None,
        ask,
        token: None,
        asked_around: None,
        planned_around: None,
        goal_occupant,
        goal_slot: None,
        backing_out: None,
        is_crowded,
        looked_at,
        planned_aim,
        issued,
        travelled_m,
        repaths: 0,
        missed_paths: 0,
        shortcuts: Default::default(),
        is_door_plan,
        progress_m,
        nearest_m,
        nearest_tick,
        ahead,
        queue_tick,
        progress_tick,
        retargeted,
        blocked_by,
        place_wait: None,
        via: None,
        is_paused,
        waypoints: 0,
        told_near,
        told_blocked,
        skipped_ticks: 0,
        left_m: None,
        is_delivered,
    };
    if input.flag()? {
        walk.on_link = Saved::load(input)?;
        walk.goal_slot = Saved::load(input)?;
        walk.backing_out = Saved::load(input)?;
        walk.place_wait = Saved::load(input)?;
        walk.via = Saved::load(input)?;
        walk.repaths = Saved::load(input)?;
        walk.missed_paths = Saved::load(input)?;
        walk.waypoints = Saved::load(input)?;
        walk.skipped_ticks = Saved::load(input)?;
        walk.shortcuts = Saved::load(input)?;
    }
    walk.planned_around = input.option(|input| told.load(input))?;
    Ok(walk)
}
