//! All timers: when each is due, and how many turns it has had.
//!
//! In: orders, ticks. Out: which are due. Holds: the n-th turn comes n times its seconds after the start, to
//! the tick, however long it runs; a timer of an owner that stands still waits with it. Not here: what its
//! end does, which timers take the place of others, and the call of its handler (`step::timer`,
//! `step::schedule`).

use std::collections::{BTreeMap, BTreeSet};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::ordered::CollectOrdered;
use crate::base::time::{TickNumber, TickRate};
use crate::base::value::Plain;
use crate::script::state::callback::Callback;
use crate::script::state::owners::TIMERS_MAX;
use crate::world::owner::Owner;

/// One timer.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    pub(crate) owner: Owner,
    pub(crate) callback: Option<Callback>,
    pub(crate) payload: Option<Plain>,
    /// When it was made, moved on by all the time it stood still.
    base: TickNumber,
    seconds: f64,
    /// Turns that are over.
    turns: u64,
    /// Turns after which it is over; none: never.
    turns_max: Option<u64>,
    pub(crate) due: TickNumber,
    /// Ticks that passed for it alone, in a scene that was skipped.
    skipped: u64,
    /// Ticks left when it was paused.
    paused_left: Option<u64>,
    /// Whether the code of its owner has begun again since it was made, and not asked for it again.
    is_from_before: bool,
    /// Whether another timer takes its place, unless it is asked for by the end of the step.
    is_replaced: bool,
}

/// A timer to be.
#[derive(Debug)]
pub(crate) struct TimerOrder {
    pub(crate) owner: Owner,
    pub(crate) callback: Option<Callback>,
    pub(crate) payload: Option<Plain>,
    pub(crate) seconds: f64,
    /// Turns after which it is over; none: never.
    pub(crate) turns_max: Option<u64>,
}

/// All timers.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    timers: BTreeMap<u64, Timer>,
    /// Those of each owner that has any: the ids above, once more.
    by_owner: BTreeMap<Owner, BTreeSet<u64>>,
    due: BTreeSet<(TickNumber, u64)>,
    /// Those whose place others took in this step.
    replaced: Vec<u64>,
    last: u64,
}

impl Timer {
    /// Seconds from one turn to the next; none for a timer that has one turn.
    pub(crate) fn every_s(&self) -> Option<f64> {
        (self.turns_max != Some(1)).then_some(self.seconds)
    }

    pub(crate) fn plan(&mut self, rate: TickRate) {
        let earliest = self.due.after(1);
        let exact = self.base.after(rate.ticks((self.turns + 1) as f64 * self.seconds));
        self.due = TickNumber(exact.0.saturating_sub(self.skipped)).max(earliest);
    }
}

impl Timers {
    /// A new timer; its number. `now` is the time of its owner.
    pub(crate) fn add(&mut self, order: TimerOrder, now: TickNumber, rate: TickRate) -> u64 {
        self.last += 1;
        let id = self.last;
        let mut timer = Timer {
            owner: order.owner,
            callback: order.callback,
            payload: order.payload,
            base: now,
            seconds: order.seconds,
            turns: 0,
            turns_max: order.turns_max,
            due: now,
            skipped: 0,
            paused_left: None,
            is_from_before: false,
            is_replaced: false,
        };
        timer.plan(rate);
        self.due.insert((timer.due, id));
        self.insert(id, timer);
        id
    }

    fn insert(&mut self, id: u64, timer: Timer) {
        self.by_owner.entry(timer.owner).or_default().insert(id);
        self.timers.insert(id, timer);
    }

    /// The timers of an owner, by id.
    fn own(&self, owner: Owner) -> impl Iterator<Item = (u64, &Timer)> {
        let ids = self.by_owner.get(&owner).into_iter().flatten();
        ids.filter_map(|id| Some((*id, self.timers.get(id)?)))
    }

    pub(crate) fn get(&self, id: u64) -> Option<&Timer> {
        self.timers.get(&id)
    }

    /// Those due by now, by due tick, then by creation.
    pub(crate) fn due(&self, now: TickNumber) -> Vec<u64> {
        self.due.range(..=(now, u64::MAX)).map(|&(_, id)| id).collect()
    }

    /// Counts a turn of a timer that is due: whether it was the last. None when it is not due any more.
    pub(crate) fn turn(&mut self, id: u64, now: TickNumber, rate: TickRate) -> Option<bool> {
        let timer =
            self.timers.get_mut(&id).filter(|timer| timer.due <= now && timer.paused_left.is_none())?;
        self.due.remove(&(timer.due, id));
        timer.turns += 1;
        if timer.turns_max == Some(timer.turns) {
            return Some(true);
        }
        timer.plan(rate);
        self.due.insert((timer.due, id));
        Some(false)
    }

    /// Ticks left; 0 when it is over. `now` is the time of its owner, here and below.
    pub(crate) fn left(&self, id: u64, now: TickNumber) -> u64 {
        self.timers.get(&id).map_or(0, |timer| timer.paused_left.unwrap_or(timer.due.since(now)))
    }

    pub(crate) fn pause(&mut self, id: u64, now: TickNumber) {
        if let Some(timer) = self.timers.get_mut(&id)
            && timer.paused_left.is_none()
        {
            self.due.remove(&(timer.due, id));
            timer.paused_left = Some(timer.due.since(now).max(1));
        }
    }

    pub(crate) fn resume(&mut self, id: u64, now: TickNumber) {
        if let Some(timer) = self.timers.get_mut(&id)
            && let Some(left) = timer.paused_left.take()
        {
            let due = now.after(left);
            timer.base = timer.base.after(due.since(timer.due));
            timer.due = due;
            self.due.insert((due, id));
        }
    }

    /// The time of an owner's timers moves on by `ticks`. A timer that was paused meanwhile makes up for it
    /// when it goes on.
    pub(crate) fn shift(&mut self, owner: Owner, ticks: u64) {
        for id in self.of(owner) {
            let Self { timers, due, .. } = self;
            let Some(timer) = timers.get_mut(&id).filter(|timer| timer.paused_left.is_none()) else {
                continue;
            };
            timer.base = timer.base.after(ticks);
            due.remove(&(timer.due, id));
            timer.due = timer.due.after(ticks);
            due.insert((timer.due, id));
        }
    }

    /// The time of an owner's timers comes nearer by `ticks`.
    pub(crate) fn rewind(&mut self, owner: Owner, ticks: u64, now: TickNumber) {
        for id in self.of(owner) {
            let Self { timers, due, .. } = self;
            let Some(timer) = timers.get_mut(&id).filter(|timer| timer.paused_left.is_none()) else {
                continue;
            };
            due.remove(&(timer.due, id));
            timer.skipped += ticks;
            timer.due = TickNumber(timer.due.0.saturating_sub(ticks)).max(now);
            due.insert((timer.due, id));
        }
    }

    /// When a timer is due; none when it is paused or over.
    pub(crate) fn due_of(&self, id: u64) -> Option<TickNumber> {
        self.timers.get(&id).filter(|timer| timer.paused_left.is_none()).map(|timer| timer.due)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.timers.len()
    }

    /// What they hand to their handlers.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = &Plain> {
        self.timers.values().filter_map(|timer| timer.payload.as_ref())
    }

    /// The timers of an owner, by id.
    pub(crate) fn of(&self, owner: Owner) -> Vec<u64> {
        self.own(owner).map(|(id, _)| id).collect()
    }

    /// The timers of an owner whose handlers are no names, by id.
    pub(crate) fn nameless(&self, owner: Owner) -> Vec<u64> {
        let is_nameless = |timer: &Timer| !matches!(timer.callback, Some(Callback::Named(_)));
        self.own(owner).filter(|(_, timer)| is_nameless(timer)).map(|(id, _)| id).collect()
    }

    /// Names of handlers of an owner's timers.
    pub(crate) fn names_of(&self, owner: Owner) -> BTreeSet<String> {
        let own = self.own(owner).map(|(_, timer)| timer);
        let name = |timer: &Timer| match &timer.callback {
            Some(Callback::Named(name)) => Some(name.clone()),
            _ => None,
        };
        own.filter_map(name).collect_set()
    }

    /// The timers of an owner with this handler, by id.
    pub(crate) fn named(&self, owner: Owner, name: &str) -> Vec<u64> {
        let is_it = |timer: &Timer| matches!(&timer.callback, Some(Callback::Named(other)) if other == name);
        self.own(owner).filter(|(_, timer)| is_it(timer)).map(|(id, _)| id).collect()
    }

    /// The code of an owner begins again: what it sets up from here on takes the place of these.
    pub(crate) fn begin_again(&mut self, owner: Owner) {
        for id in self.of(owner) {
            if let Some(timer) = self.timers.get_mut(&id) {
                (timer.is_from_before, timer.is_replaced) = (true, false);
            }
        }
    }

    /// The timers from before whose place an order takes, by id: those of its owner with the handler of that
    /// name.
    pub(crate) fn left_from_before(&self, order: &TimerOrder) -> Vec<u64> {
        let Some(Callback::Named(name)) = &order.callback else { return Vec::new() };
        let named = self.named(order.owner, name);
        named.into_iter().filter(|id| self.get(*id).is_some_and(|timer| timer.is_from_before)).collect()
    }

    /// Whether a timer is what an order asks for, but for how far on it is.
    pub(crate) fn is_as(&self, id: u64, order: &TimerOrder) -> bool {
        self.get(id).is_some_and(|timer| {
            timer.seconds == order.seconds
                && timer.turns_max == order.turns_max
                && timer.payload == order.payload
        })
    }

    /// A timer from before goes on as one of the code that has begun again. `now` is the time of its owner.
    pub(crate) fn take_up(&mut self, id: u64, now: TickNumber) {
        if let Some(timer) = self.timers.get_mut(&id) {
            (timer.is_from_before, timer.is_replaced) = (false, false);
        }
        // The code that had paused it has no handle of it any more.
        Self::resume(self, id, now);
    }

    /// Another timer takes the place of a timer from before, unless that is asked for as well.
    pub(crate) fn replace(&mut self, id: u64) {
        if let Some(timer) = self.timers.get_mut(&id).filter(|timer| !timer.is_replaced) {
            timer.is_replaced = true;
            self.replaced.push(id);
        }
    }

    /// The timers whose place others took, by id; they are forgotten as such.
    pub(crate) fn take_replaced(&mut self) -> Vec<u64> {
        let mut replaced = std::mem::take(&mut self.replaced);
        replaced.retain(|id| self.get(*id).is_some_and(|timer| timer.is_replaced));
        replaced
    }

    /// The timers of an owner that are younger than the timer `id`.
    pub(crate) fn since(&self, owner: Owner, id: u64) -> Vec<u64> {
        let own = self.by_owner.get(&owner);
        own.into_iter().flat_map(|own| own.range(id.saturating_add(1)..)).copied().collect()
    }

    /// The number of the youngest timer there ever was.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Timer> {
        let timer = self.timers.remove(&id)?;
        self.due.remove(&(timer.due, id));
        if let Some(own) = self.by_owner.get_mut(&timer.owner) {
            own.remove(&id);
            if own.is_empty() {
                self.by_owner.remove(&timer.owner);
            }
        }
        Some(timer)
    }

    /// Writes those whose handlers are names. `stands_still` tells of each owner whose timers are kept for
    /// how many ticks it has stood still.
    pub(crate) fn save(&self, out: &mut ByteWriter, stands_still: impl Fn(Owner) -> Option<u64>) {
        let Self { timers, by_owner: _, due: _, replaced: _, last } = self;
        let kept = |(&id, timer): (&u64, &Timer)| {
            let name = Callback::name_of(&timer.callback)?;
            Some((id, timer.clone(), name, stands_still(timer.owner)?))
        };
        let kept: Vec<_> = timers.iter().filter_map(kept).collect();
        out.list(kept.into_iter(), |out, (id, timer, name, ticks)| {
            let Timer {
                owner,
                callback: _,
                payload,
                base,
                seconds,
                turns,
                turns_max,
                due,
                skipped,
                paused_left,
                // All are from before once the code begins again.
                is_from_before: _,
                is_replaced: _,
            } = timer;
            // A timer that stood still with its owner goes on by as much later.
            let ticks = if paused_left.is_none() { ticks } else { 0 };
            id.save(out);
            owner.save(out);
            name.save(out);
            payload.save(out);
            base.after(ticks).save(out);
            seconds.save(out);
            turns.save(out);
            turns_max.save(out);
            due.after(ticks).save(out);
            skipped.save(out);
            paused_left.save(out);
        });
        last.save(out);
    }

    /// An owner has ended: its timers are gone without a word.
    pub(crate) fn forget_owner(&mut self, owner: Owner) {
        for id in self.of(owner) {
            self.remove(id);
        }
    }

    /// Reads timers; of each its owner. Those there are stay.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<Vec<Owner>, DecodeError> {
        let loaded = input.list(|input| {
            let id = u64::load(input)?;
            let timer = Timer {
                owner: Saved::load(input)?,
                callback: Some(Callback::Named(Saved::load(input)?)),
                payload: Saved::load(input)?,
                base: Saved::load(input)?,
                seconds: Saved::load(input)?,
                turns: Saved::load(input)?,
                turns_max: Saved::load(input)?,
                due: Saved::load(input)?,
                skipped: Saved::load(input)?,
                paused_left: Saved::load(input)?,
                is_from_before: false,
                is_replaced: false,
            };
            Ok((id, timer))
        })?;
        let last = u64::load(input)?;
        if loaded.len() > TIMERS_MAX || loaded.iter().any(|(id, _)| *id > last) {
            return Err(DecodeError::new("timers that cannot be"));
        }
        let owners = loaded.iter().map(|(_, timer)| timer.owner).collect();
        for (id, timer) in loaded {
            if timer.paused_left.is_none() {
                self.due.insert((timer.due, id));
            }
            self.insert(id, timer);
        }
        self.last = last;
        Ok(owners)
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.last);
        for (&id, timer) in &self.timers {
            hash.word(id).word(u64::from(timer.owner.0)).word(timer.base.0).number(timer.seconds);
            hash.word(timer.turns).word(timer.turns_max.unwrap_or(0)).word(timer.due.0).word(timer.skipped);
            hash.word(timer.paused_left.map_or(0, |left| left + 1));
            match &timer.callback {
                None => hash.word(0),
                Some(Callback::Function(_)) => hash.word(1),
                Some(Callback::Named(name)) => hash.word(2).text(name),
            };
            if let Some(payload) = &timer.payload {
                payload.hash_into(hash);
            }
            if timer.is_from_before {
                hash.word(1);
            }
        }
    }
}
