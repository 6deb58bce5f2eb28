//! Registered handlers of scripts, by what they listen to.
//!
//! In: callbacks under their owners. Out: the listeners of a walk, a path, a watch, a door, an event or a
//! board, in order of registration. Holds: handlers end with the owner that registered them. Not here:
//! reading handlers out of arguments and calling them (`step::handlers`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, DoorId, GenerationalKey, PathToken, WalkId};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::script::state::callback::{Callback, SenseHandlers, WalkHandlers, WatchHandlers, hash_callbacks};
use crate::script::state::progress_handlers::UnderwayHandlers;
use crate::script::state::tracked_map::TrackedMap;
use crate::world::door::DoorSignal;
use crate::world::owner::Owner;
use crate::world::region::WatchId;
use crate::world::sense::SenseId;

/// A watch with its handlers.
#[derive(Clone, Debug)]
pub(crate) struct WatchRecord {
    pub(crate) owner: Owner,
    pub(crate) handlers: WatchHandlers,
    /// The characters inside that count: how they came in, and when `stay` is due next; never, while a call
    /// of it waits.
    pub(crate) inside: BTreeMap<CharacterId, (&'static str, TickNumber)>,
}

impl WatchRecord {
    /// Bytes that a character inside takes: an entry of a tree whose leaves are half full.
    const INSIDER_BYTES: usize = 64;

    /// The bytes that it takes with those inside.
    pub(crate) fn kept_bytes(&self) -> usize {
        size_of::<Self>() + self.inside.len() * Self::INSIDER_BYTES
    }
}

/// A watch for characters, with its handlers.
#[derive(Clone, Debug)]
pub(crate) struct SenseRecord {
    pub(crate) owner: Owner,
    pub(crate) handlers: SenseHandlers,
}

/// How often a listener is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListenTimes {
    /// At the first event only.
    Once,
    /// At each.
    Always,
}

/// A listener to an event, or to a door.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) serial: u64,
    pub(crate) owner: Owner,
    pub(crate) callback: Callback,
    pub(crate) once: bool,
    /// `on[name]` of this character's behaviour: hears events sent to it, and is called with `self`.
    pub(crate) behaviour_of: Option<CharacterId>,
}

/// Which receiver of a walk's result a reload has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// Nothing.
    #[default]
    Nothing,
    /// A task that waited for it.
    Waiter,
    /// Handlers that were functions.
    Functions,
}

/// The receivers of the end of a walk.
#[derive(Clone, Debug)]
pub(crate) struct WalkRecord {
    pub(crate) owner: Owner,
    pub(crate) handlers: WalkHandlers,
    pub(crate) lost: Lost,
}

/// The receivers of news and results of walks.
#[derive(Debug)]
pub(crate) struct HandlersOfWalks {
    ends: Vec<(WalkId, WalkRecord)>,
    underway: UnderwayHandlers,
}

/// What a handler hears of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// An event of this name.
    Event(String),
    /// What a door does.
    Door(DoorId, &'static str),
    /// A key of a board.
    Board(String),
    /// What a watch sees.
    Watch(&'static str),
    /// What a watch for characters senses.
    Sense(&'static str),
    /// What happens to a walk, its end among it.
    Walk(WalkId, &'static str),
}

/// The listeners to one thing. Shared with the delivery under way, so that changes do not reach it.
type Listeners = Rc<Vec<Listener>>;

/// By character and event, the numbers of the listeners in its behaviour's `on` table, in order.
type OnTables = BTreeMap<(CharacterId, String), Vec<u64>>;

/// Drops the listeners of an owner; false when none is left. A list without any is not copied.
fn drop_of(owner: Owner, list: &mut Listeners) -> bool {
    if list.iter().any(|listener| listener.owner == owner) {
        Rc::make_mut(list).retain(|listener| listener.owner != owner);
    }
    !list.is_empty()
}

/// Forgets the number of a listener to an event, if it is one of an `on` table.
fn forget_on(on_tables: &mut OnTables, event: &str, listener: &Listener) {
    let Some(character) = listener.behaviour_of else { return };
    if let Entry::Occupied(mut own) = on_tables.entry((character, event.to_owned())) {
        own.get_mut().retain(|serial| *serial != listener.serial);
        if own.get().is_empty() {
            own.remove();
        }
    }
}

/// All handlers.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    walks: TrackedMap<WalkId, WalkRecord>,
    paths: BTreeMap<PathToken, (Owner, Option<Callback>)>,
    pub(crate) watches: BTreeMap<WatchId, WatchRecord>,
    /// Watches that have not looked yet, and whose first look counts those inside without a word.
    pub(crate) to_look_first: Vec<WatchId>,
    pub(crate) senses: BTreeMap<SenseId, SenseRecord>,
    doors: BTreeMap<(DoorId, &'static str), Listeners>,
    events: BTreeMap<String, Listeners>,
    on_tables: OnTables,
    pub(crate) underway: UnderwayHandlers,
    /// The watchers of a key of a board, by its number.
    boards: BTreeMap<(u64, String), Listeners>,
    last: u64,
}

impl Handlers {
    pub(crate) fn take_walk(&mut self, walk: WalkId) -> Option<WalkRecord> {
        self.underway.forget(walk);
        self.walks.remove(walk)
    }

    pub(crate) fn take_path(&mut self, token: PathToken) -> Option<(Owner, Option<Callback>)> {
        self.paths.remove(&token)
    }

    pub(crate) fn forget_path(&mut self, token: PathToken) {
        self.paths.remove(&token);
    }

    pub(crate) fn door(&self, door: DoorId, what: DoorSignal) -> Listeners {
        self.doors.get(&(door, what.name())).cloned().unwrap_or_default()
    }

    /// The listeners to the event `name`, in order of registration.
    pub(crate) fn event(&self, name: &str) -> Listeners {
        self.events.get(name).cloned().unwrap_or_default()
    }

    /// The listeners to an event that is sent to a character: those of its behaviour, in order of
    /// registration. Cost: not that of the others.
    pub(crate) fn sent_event(&self, name: &str, to: CharacterId) -> Vec<Listener> {
        let (Some(list), Some(own)) = (self.events.get(name), self.on_tables.get(&(to, name.to_owned())))
        else {
            return Vec::new();
        };
        let at = |serial: &u64| list.binary_search_by_key(serial, |listener| listener.serial).ok();
        own.iter().filter_map(at).map(|at| list[at].clone()).collect()
    }

    /// What an owner listens to, with its handlers: events, doors, boards, watches, walks.
    pub(crate) fn heard_by(&self, owner: Owner) -> Vec<(Heard, Callback)> {
        let own = |list: &Listeners| -> Vec<Callback> {
            list.iter().filter(|one| one.owner == owner).map(|one| one.callback.clone()).collect()
        };
        let of = |heard: Heard, list| own(list).into_iter().map(move |callback| (heard.clone(), callback));
        let events = self.events.iter().flat_map(|(name, list)| of(Heard::Event(name.clone()), list));
        let doors = self.doors.iter().flat_map(|(&(door, what), list)| of(Heard::Door(door, what), list));
        let boards = self.boards.iter().flat_map(|((_, key), list)| of(Heard::Board(key.clone()), list));
        let watches = self.watches.values().filter(|watch| watch.owner == owner);
        let watches = watches.flat_map(|WatchRecord { handlers, .. }| {
            let all = [("enter", &handlers.enter), ("exit", &handlers.exit), ("stay", &handlers.stay)];
            all.into_iter().filter_map(|(word, callback)| Some((Heard::Watch(word), callback.clone()?)))
        });
        let senses = self.senses.values().filter(|sense| sense.owner == owner);
        let senses = senses.flat_map(|SenseRecord { handlers, .. }| {
            let all = [("notice", &handlers.notice), ("lose", &handlers.lose), ("hear", &handlers.hear)];
            all.into_iter().filter_map(|(word, callback)| Some((Heard::Sense(word), callback.clone()?)))
        });
        let walks = self.walks.iter().filter(|(_, record)| record.owner == owner);
        let walks = walks.flat_map(|(walk, WalkRecord { handlers, .. })| {
            let all = [
                ("arrived", &handlers.arrived),
                ("failed", &handlers.failed),
                ("cancelled", &handlers.cancelled),
                ("settled", &handlers.settled),
            ];
            let heard = move |word| Heard::Walk(walk, word);
            all.into_iter().filter_map(move |(word, callback)| Some((heard(word), callback.clone()?)))
        });
        let underway =
            self.underway.heard_by(owner).map(|(walk, word, callback)| (Heard::Walk(walk, word), callback));
        events.chain(doors).chain(boards).chain(watches).chain(senses).chain(walks).chain(underway).collect()
    }

    /// How many listeners to events, doors and boards there are.
    pub(crate) fn listener_count(&self) -> usize {
        self.events
            .values()
            .chain(self.doors.values())
            .chain(self.boards.values())
            .map(|list| list.len())
            .sum()
    }

    /// The watchers of a key of a board, in order of registration.
    pub(crate) fn board(&self, board: u64, key: &str) -> Listeners {
        // Most boards are watched by nobody, and then no key has to be made.
        if self.boards.is_empty() {
            return Listeners::default();
        }
        self.boards.get(&(board, key.to_owned())).cloned().unwrap_or_default()
    }

    /// Whether a handler watches a board.
    pub(crate) fn is_watched(&self, board: u64) -> bool {
        let first = self.boards.range((board, String::new())..).next();
        first.is_some_and(|((number, _), _)| *number == board)
    }

    /// Nobody watches a board any more; the owner of each listener that ends.
    pub(crate) fn forget_board(&mut self, board: u64) -> Vec<Owner> {
        let mut owners = Vec::new();
        self.boards.retain(|(number, _), list| {
            let stays = *number != board;
            if !stays {
                owners.extend(list.iter().map(|listener| listener.owner));
            }
            stays
        });
        owners
    }

    /// The number of the last listener there was.
    pub(crate) fn last_listener(&self) -> u64 {
        self.last
    }

    pub(crate) fn hears(&self, name: &str) -> bool {
        self.events.contains_key(name)
    }

    /// Forgets the handlers of an owner that ends, but for those of walks.
    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.paths.retain(|_, (other, _)| *other != owner);
        self.watches.retain(|_, record| record.owner != owner);
        self.senses.retain(|_, record| record.owner != owner);
        self.underway.end_owner(owner);
        self.doors.retain(|_, list| drop_of(owner, list));
        self.boards.retain(|_, list| drop_of(owner, list));
        let on_tables = &mut self.on_tables;
        self.events.retain(|name, list| {
            let own = list.iter().filter(|listener| listener.owner == owner);
            own.for_each(|listener| forget_on(on_tables, name, listener));
            drop_of(owner, list)
        });
    }

    /// The time of those who stay inside the watches of an owner moves on by `ticks`.
    pub(crate) fn shift(&mut self, owner: Owner, ticks: u64) {
        for record in self.watches.values_mut().filter(|record| record.owner == owner) {
            record.inside.values_mut().for_each(|(_, due)| *due = due.after(ticks));
        }
    }

    /// When `stay` is due of those inside the watches of an owner, but for calls that wait.
    pub(crate) fn stays(&self, owner: Owner) -> impl Iterator<Item = TickNumber> {
        let own = self.watches.values().filter(move |record| record.owner == owner);
        let told = own.filter(|record| record.handlers.stay.is_some());
        told.flat_map(|record| record.inside.values())
            .map(|&(_, due)| due)
            .filter(|due| *due < TickNumber::NEVER)
    }

    /// The time of those who stay inside the watches of an owner comes nearer by `ticks`.
    pub(crate) fn rewind(&mut self, owner: Owner, ticks: u64, now: TickNumber) {
        let own = self.watches.values_mut().filter(|record| record.owner == owner);
        for (_, due) in
            own.flat_map(|record| record.inside.values_mut()).filter(|(_, due)| *due < TickNumber::NEVER)
        {
            *due = TickNumber(due.0.saturating_sub(ticks)).max(now);
        }
    }

    /// The code of an owner was replaced: its registrations end as in [`Handlers::end_owner`], but handlers
    /// of its walks that are names stay.
    pub(crate) fn reload_owner(&mut self, owner: Owner) {
        let underway = std::mem::take(&mut self.underway);
        self.end_owner(owner);
        self.underway = underway;
        self.underway.reload_owner(owner);
        for (_, record) in self.walks.iter_mut().filter(|(_, record)| record.owner == owner) {
            if record.handlers.drop_functions() {
                record.lost = Lost::Functions;
            }
        }
    }

    /// The receivers of news and results of walks, to go back to.
    pub(crate) fn of_walks(&self) -> HandlersOfWalks {
        let ends = self.walks.iter().map(|(walk, record)| (walk, record.clone())).collect();
        HandlersOfWalks { ends, underway: self.underway.clone() }
    }

    /// The world has gone back to what it was, and has these `walks`: their receivers are those of before,
    /// but for tasks and functions that have ended meanwhile. Of other walks and watches nothing is known.
    pub(crate) fn go_back(&mut self, before: HandlersOfWalks, walks: &BTreeSet<WalkId>) {
        self.underway = before.underway;
        let of_others = |walk: &WalkId| !walks.contains(walk);
        for walk in self.walks.iter().map(|(walk, _)| walk).filter(of_others).collect::<Vec<_>>() {
            self.walks.remove(walk);
        }
        for (walk, record) in before.ends {
            let lost = self.walks.get(walk).map_or(record.lost, |now| now.lost.max(record.lost));
            self.walks.insert(walk, WalkRecord { lost, ..record });
        }
        self.to_look_first.retain(|watch| self.watches.contains_key(watch));
    }

    /// Names of handlers of an owner's walks, with the number of the walk's record.
    pub(crate) fn names_of(&self, owner: Owner) -> BTreeSet<String> {
        let own = self.walks.values().filter(|record| record.owner == owner);
        let ends = own.flat_map(|record| record.handlers.names());
        ends.chain(self.underway.names_of(owner)).collect_set()
    }

    /// The same of every owner that has any.
    pub(crate) fn names(&self) -> BTreeMap<Owner, BTreeSet<String>> {
        let mut names: BTreeMap<Owner, BTreeSet<String>> = BTreeMap::new();
        let mut add = |owner: Owner, own: Vec<String>| {
            if !own.is_empty() {
                names.entry(owner).or_default().extend(own);
            }
        };
        self.walks.values().for_each(|record| add(record.owner, record.handlers.names()));
        self.underway.all_names().for_each(|(owner, own)| add(owner, own));
        names
    }

    /// A new listener, which hears nothing yet.
    fn add(&mut self, owner: Owner, callback: Callback) -> Listener {
        self.last += 1;
        Listener { serial: self.last, owner, callback, once: false, behaviour_of: None }
    }

    /// Keeps the receivers of the end of a walk.
    pub(crate) fn set_walk(&mut self, walk: WalkId, record: WalkRecord) {
        self.walks.insert(walk, record);
    }

    /// A task that waited for a walk of `owner` is gone: the result goes to the code that comes.
    pub(crate) fn lose_waiter(&mut self, walk: WalkId, owner: Owner) {
        let empty = WalkRecord { owner, handlers: WalkHandlers::default(), lost: Lost::Waiter };
        let record = self.walks.remove(walk).unwrap_or(empty);
        let lost = record.lost.max(Lost::Waiter);
        self.walks.insert(walk, WalkRecord { lost, ..record });
    }

    /// Keeps the receiver of the answer to a path.
    pub(crate) fn set_path(&mut self, token: PathToken, owner: Owner, callback: Option<Callback>) {
        self.paths.insert(token, (owner, callback));
    }

    /// Lets `owner` listen to a door; the number of the listener.
    pub(crate) fn listen_to_door(
        &mut self,
        door: DoorId,
        what: DoorSignal,
        owner: Owner,
        callback: Callback,
    ) -> u64 {
        let listener = self.add(owner, callback);
        let serial = listener.serial;
        Rc::make_mut(self.doors.entry((door, what.name())).or_default()).push(listener);
        serial
    }

    /// Lets `owner` listen to an event; the number of the listener.
    pub(crate) fn listen(&mut self, name: &str, owner: Owner, callback: Callback, times: ListenTimes) -> u64 {
        let listener = Listener { once: times == ListenTimes::Once, ..self.add(owner, callback) };
        let serial = listener.serial;
        Rc::make_mut(self.events.entry(name.to_owned()).or_default()).push(listener);
        serial
    }

    /// Lets the behaviour of a character hear an event through its `on` table.
    pub(crate) fn listen_on(&mut self, name: &str, owner: Owner, character: CharacterId, callback: Callback) {
        let listener = Listener { behaviour_of: Some(character), ..self.add(owner, callback) };
        self.on_tables.entry((character, name.to_owned())).or_default().push(listener.serial);
        Rc::make_mut(self.events.entry(name.to_owned()).or_default()).push(listener);
    }

    /// Lets `owner` watch a key of a board; the number of the listener.
    pub(crate) fn listen_to_board(&mut self, board: u64, key: &str, owner: Owner, callback: Callback) -> u64 {
        let listener = self.add(owner, callback);
        let serial = listener.serial;
        Rc::make_mut(self.boards.entry((board, key.to_owned())).or_default()).push(listener);
        serial
    }

    /// Ends a listener; its owner, if there was such a listener.
    pub(crate) fn remove(&mut self, serial: u64) -> Option<Owner> {
        let mut found = None;
        for list in self.doors.values_mut().chain(self.events.values_mut()).chain(self.boards.values_mut()) {
            // Listeners are added at the end, with ever higher numbers.
            if let Ok(place) = list.binary_search_by_key(&serial, |listener| listener.serial) {
                found = Some(Rc::make_mut(list).remove(place).owner);
                if list.is_empty() {
                    self.events.retain(|_, list| !list.is_empty());
                    self.boards.retain(|_, list| !list.is_empty());
                    self.doors.retain(|_, list| !list.is_empty());
                }
                break;
            }
        }
        found
    }

    /// Writes the receivers of the end of walks once the code is there again, as [`Handlers::reload_owner`]
    /// leaves it: handlers that are names, of owners that are kept, and walks whose result goes to the code
    /// that comes, `waited` among them.
    pub(crate) fn save(
        &self,
        out: &mut ByteWriter,
        is_kept: &dyn Fn(Owner) -> bool,
        waited: &BTreeMap<WalkId, Owner>,
    ) {
        let Self {
            walks,
            underway,
            last,
            // Registrations of code end, as at a reload, and `start` makes them again.
            paths: _,
            watches: _,
            senses: _,
            doors: _,
            events: _,
            on_tables: _,
            boards: _,
            to_look_first: _,
        } = self;
        let mut kept: BTreeMap<WalkId, (Owner, [Option<String>; 4], Lost)> = BTreeMap::new();
        for (walk, WalkRecord { owner, handlers, lost }) in walks.iter().filter(|(_, one)| is_kept(one.owner))
        {
            let WalkHandlers { arrived, failed, cancelled, settled, underway: _ } = handlers;
            let all = [arrived, failed, cancelled, settled];
            let drops = all.iter().any(|handler| matches!(handler, Some(Callback::Function(_))));
            let lost = if drops { Lost::Functions } else { *lost };
            kept.insert(walk, (*owner, all.map(Callback::name_of), lost));
        }
        for (&walk, &owner) in waited.iter().filter(|(_, owner)| is_kept(**owner)) {
            let record = kept.entry(walk).or_insert((owner, Default::default(), Lost::Nothing));
            record.2 = record.2.max(Lost::Waiter);
        }
        out.list(kept.into_iter(), |out, (walk, (owner, names, lost))| {
            walk.save(out);
            owner.save(out);
            names.iter().for_each(|name| name.save(out));
            out.small(lost as u8, 2);
        });
        underway.save(out, is_kept);
        last.save(out);
    }

    /// Reads the receivers of the end of walks.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<(), DecodeError> {
        let walks = input.list(|input| {
            let (walk, owner) = (WalkId::load(input)?, Owner::load(input)?);
            let mut name = || Ok(Option::<String>::load(input)?.map(Callback::Named));
            let (arrived, failed, cancelled, settled) = (name()?, name()?, name()?, name()?);
            let handlers = WalkHandlers { arrived, failed, cancelled, settled, ..WalkHandlers::default() };
            let lost = input.one_of(&[Lost::Nothing, Lost::Waiter, Lost::Functions], 2)?;
            Ok((walk, WalkRecord { owner, handlers, lost }))
        })?;
        walks.into_iter().for_each(|(walk, record)| _ = self.walks.insert(walk, record));
        self.underway.load(input)?;
        self.last = Saved::load(input)?;
        Ok(())
    }

    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        hash.word(self.last);
        self.walks.hash_into(hash, |walk, WalkRecord { owner, handlers, lost }, hash| {
            hash.word(walk.bits()).pair(owner.0, *lost as u32);
            hash_callbacks(
                hash,
                [&handlers.arrived, &handlers.failed, &handlers.cancelled, &handlers.settled],
            );
        });
        for (token, (owner, callback)) in &self.paths {
            hash.word(token.bits()).word(u64::from(owner.0));
            hash_callbacks(hash, [callback]);
        }
        for (watch, record) in &self.watches {
            hash.word(slotmap::Key::data(watch).as_ffi()).word(u64::from(record.owner.0));
            for (character, (how, due)) in &record.inside {
                hash.word(character.bits()).text(how).word(due.0);
            }
        }
        for (watch, SenseRecord { owner, handlers }) in &self.senses {
            hash.word(watch.0).word(u64::from(owner.0));
            hash_callbacks(hash, [&handlers.notice, &handlers.lose, &handlers.hear]);
        }
        self.underway.hash_into(hash);
        let doors = self.doors.iter().map(|((door, what), list)| (format!("{} {what}", door.0), list));
        let events = self.events.iter().map(|(name, list)| (name.clone(), list));
        let boards = self.boards.iter().map(|((board, key), list)| (format!("{board} {key}"), list));
        for (name, list) in doors.chain(events).chain(boards) {
            hash.text(&name);
            for listener in list.iter() {
                hash.word(listener.serial).word(u64::from(listener.owner.0)).flag(listener.once);
            }
        }
    }
}
