//! Exact past: copies of the level that run forward to the tick that a client looks at.
//!
//! In: the record of the run, the ticks that clients look at, their questions. Out: frames, pictures and
//! answers of those ticks. Holds: a copy is run from the nearest one before the tick, of a few that are kept
//! along the run; a newer request of a client replaces an older one; the running level is not touched. Not
//! here: the frames that were shown before (`past`).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::{Value, json};
use walkon_runtime::game::Game;
use walkon_runtime::script::vm::fuel::Signals;

use crate::client::{CALLED_OFF, Client, Reply};
use crate::course::{Shared, overlay, scene};
use crate::frame::{Frame, OF_THE_PAST, PAUSED};
use crate::question::Question;
use crate::roster;
use crate::run_record::RunRecord;

/// Most copies that are kept; fewer where there are many characters, because each is a whole level.
const COPIES_MAX: usize = 5;
const COPIES_OF_CROWDS_MAX: usize = 2;
const CROWD: usize = 1_000;
/// Ticks of a copy between two looks at the wishes.
const SLICE_TICKS: u64 = 32;
/// Time without wishes after which copies are spread along the run.
const IDLE: Duration = Duration::from_millis(200);

/// What a client wants of the past.
#[derive(Debug)]
pub enum Wish {
    /// To see a tick.
    See(Viewer),
    /// To know something of a tick.
    Ask {
        /// The tick.
        tick: u64,
        /// What.
        question: Question,
        /// The way back to the client that asks.
        reply: Reply,
    },
    /// The end.
    Stop,
}

/// A client that wants to see a tick.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// The client.
    pub client: Arc<Client>,
    /// The tick.
    pub tick: u64,
}

/// Copies of the running level at ticks of the past.
pub struct Replicas {
    shared: Shared,
    signals: Arc<Signals>,
    record: RunRecord,
    /// In order of their ticks.
    copies: Vec<Game>,
    /// Wishes that were read and are not fulfilled.
    waiting: Vec<Wish>,
}

impl Replicas {
    /// No copies yet.
    #[must_use]
    pub fn new(shared: Shared, signals: Arc<Signals>) -> Self {
        let record = shared.record.now();
        Self { shared, signals, record, copies: Vec::new(), waiting: Vec::new() }
    }

    /// Fulfils wishes until the end is wished for, or nobody is left to wish anything.
    pub fn run(mut self, wishes: &Receiver<Wish>) {
        loop {
            if self.waiting.is_empty() {
                match wishes.recv_timeout(IDLE) {
                    Ok(wish) => self.waiting.push(wish),
                    Err(RecvTimeoutError::Timeout) => self.spread(wishes),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            self.waiting.extend(wishes.try_iter());
            if self.waiting.iter().any(|wish| matches!(wish, Wish::Stop)) || self.signals.is_stopped() {
                return;
            }
            self.drop_outdated();
            if !self.waiting.is_empty() {
                let wish = self.waiting.remove(0);
                self.fulfil(wish, wishes);
            }
        }
    }

    /// Of several wishes of one client to see something, the last counts.
    fn drop_outdated(&mut self) {
        let mut seen: Vec<Arc<Client>> = Vec::new();
        let mut kept: Vec<Wish> = Vec::new();
        for wish in std::mem::take(&mut self.waiting).into_iter().rev() {
            if let Wish::See(Viewer { client, .. }) = &wish {
                if seen.iter().any(|other| Arc::ptr_eq(other, client)) {
                    continue;
                }
                seen.push(Arc::clone(client));
            }
            kept.push(wish);
        }
        kept.reverse();
        self.waiting = kept;
    }

    fn fulfil(&mut self, wish: Wish, wishes: &Receiver<Wish>) {
        match wish {
            Wish::See(Viewer { client, tick }) => {
                let seen = self.at(tick, &mut |replicas, _| {
                    replicas.waiting.extend(wishes.try_iter());
                    !replicas.wants_otherwise(&client)
                });
                if let Ok(Some(mut game)) = seen {
                    see(&self.shared, &client, &mut game);
                    self.keep(game);
                }
            }
            Wish::Ask { tick, question, reply } => {
                let copied = self.at(tick, &mut |_, now| reply.progress("the past", now, tick));
                match copied {
                    Ok(Some(game)) => {
                        reply.send(question.answer(game.look(), &self.shared.past));
                        self.keep(game);
                    }
                    Ok(None) => reply.send(Err(CALLED_OFF.to_owned())),
                    Err(error) => reply.send(Err(error)),
                }
            }
            Wish::Stop => {}
        }
    }

    /// A copy at a tick; none when that is not wanted any more, of which `goes_on` is asked now and then.
    fn at(
        &mut self,
        tick: u64,
        goes_on: &mut dyn FnMut(&mut Self, u64) -> bool,
    ) -> Result<Option<Game>, String> {
        self.refresh();
        let tick = tick.min(self.record.tick);
        self.record.check_repeatable(tick)?;
        let before = self.copies.iter().rposition(|copy| copy.world().tick().0 <= tick);
        let mut game = match before {
            Some(at) => self.copies.remove(at),
            None => self.begin()?,
        };
        while game.world().tick().0 < tick {
            self.forward(&mut game, tick);
            if !goes_on(self, game.world().tick().0) {
                self.keep(game);
                return Ok(None);
            }
            if self.signals.is_stopped() {
                return Ok(None);
            }
        }
        Ok(Some(game))
    }

    fn wants_otherwise(&self, client: &Arc<Client>) -> bool {
        client.is_closed()
            || self.waiting.iter().any(|wish| match wish {
                Wish::See(other) => Arc::ptr_eq(&other.client, client),
                Wish::Ask { .. } => false,
                Wish::Stop => true,
            })
    }

    fn begin(&self) -> Result<Game, String> {
        let mut game = self.record.start.begin(Arc::clone(&self.signals))?;
        game.start_facts();
        Ok(game)
    }

    /// Some ticks on, but not beyond `tick`.
    fn forward(&self, game: &mut Game, tick: u64) {
        for _ in 0..SLICE_TICKS {
            let next = game.world().tick().0 + 1;
            if next > tick {
                return;
            }
            game.tick(&self.record.inputs_for(next));
        }
    }

    /// Takes in how far the run has come; copies of a run that was begun again are of no use.
    fn refresh(&mut self) {
        let now = self.shared.record.lock();
        if now.generation != self.record.generation {
            // The run may have gone on beyond the cut since: a copy from before it must not lie beyond it.
            let is_same = Arc::ptr_eq(&now.start, &self.record.start);
            let cut = now.cuts.range(self.record.generation + 1..).map(|(_, tick)| *tick).min();
            self.copies.retain(|copy| is_same && cut.is_none_or(|tick| copy.world().tick().0 <= tick));
        }
        if now.generation != self.record.generation || now.inputs.len() != self.record.inputs.len() {
            self.record = now.clone();
        }
        (self.record.tick, self.record.disturbed_from) = (now.tick, now.disturbed_from);
    }

    /// Keeps a copy; of too many the one goes whose tick lies nearest to another's.
    fn keep(&mut self, game: Game) {
        let tick = game.world().tick().0;
        let at = self.copies.partition_point(|copy| copy.world().tick().0 < tick);
        self.copies.insert(at, game);
        while self.copies.len() > self.copies_max() {
            let ticks: Vec<u64> = self.copies.iter().map(|copy| copy.world().tick().0).collect();
            let gap = |index: usize| ticks[index] - index.checked_sub(1).map_or(0, |before| ticks[before]);
            let nearest = (0..ticks.len()).min_by_key(|&index| gap(index)).unwrap_or_default();
            self.copies.remove(nearest);
        }
    }

    fn copies_max(&self) -> usize {
        let people = self.copies.first().map_or(0, |copy| copy.world().characters().count());
        if people > CROWD { COPIES_OF_CROWDS_MAX } else { COPIES_MAX }
    }

    /// While nobody wishes anything: a copy where there is none for a long stretch of the run, so that going
    /// back does not begin at tick 0. Ends as soon as there is a wish.
    fn spread(&mut self, wishes: &Receiver<Wish>) {
        self.refresh();
        // Without a first look at the past nobody may ever look.
        if self.copies.is_empty() || self.copies.len() >= self.copies_max() {
            return;
        }
        let Some(tick) = self.widest_gap() else { return };
        let Ok(mut game) = self.begin() else { return };
        while game.world().tick().0 < tick {
            self.forward(&mut game, tick);
            self.waiting.extend(wishes.try_iter());
            if !self.waiting.is_empty() || self.signals.is_stopped() {
                break;
            }
        }
        self.keep(game);
    }

    /// The middle of the longest stretch without a copy; none when all are short.
    fn widest_gap(&self) -> Option<u64> {
        let ticks = self.copies.iter().map(|copy| copy.world().tick().0);
        let ends: Vec<u64> = std::iter::once(0).chain(ticks).chain([self.record.tick]).collect();
        let gaps = ends.windows(2).map(|pair| (pair[1].saturating_sub(pair[0]), pair[0]));
        let (length, from) = gaps.max()?;
        (length > SLICE_TICKS * 16).then_some(from + length / 2)
    }
}

/// Shows a client a tick of the past.
fn see(shared: &Shared, client: &Client, game: &mut Game) {
    let tick = game.world().tick().0;
    let frame = Arc::new(Frame { tick, flags: OF_THE_PAST | PAUSED, rows: roster::rows(game) });
    let wishes = {
        let wishes = client.wishes();
        // It looks elsewhere by now: a frame of the past must not come after one of there.
        if wishes.tick != Some(tick) {
            return;
        }
        client.frame(frame);
        wishes.clone()
    };
    client.tell(&scene(game.world(), &wishes, &shared.scenery));
    overlay(game.world(), client);
    let hash = format!("{:016x}", game.fingerprint().whole());
    client.tell(&told(tick, &hash));
}

/// What is known of a tick of the past.
fn told(tick: u64, hash: &str) -> Value {
    json!({ "tell": "seen", "tick": tick, "hash": hash })
}
