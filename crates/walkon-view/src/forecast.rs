//! The future of a level, computed ahead, again at every save.
//!
//! In: the record of the run, changed texts. Out: everything that will happen up to a horizon, where every
//! character will go, and how that differs from the future before. Holds: a newer request ends the work on an
//! older one; parts are sent as soon as they are ready; the running level is not touched. Not here: the past
//! (`replica`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_runtime::game::Game;
use walkon_runtime::game::inputs::{Input, Reload};
use walkon_runtime::game::tick::Tick;
use walkon_runtime::script::vm::fuel::Signals;

use crate::client::Reply;
use crate::course::Shared;
use crate::happened::{self, Item};
use crate::run_record::{RunRecord, RunStart};
use crate::tracks::Tracks;

/// Time between two parts, and until the first: a client waits to see anything at all.
const PART_EVERY: Duration = Duration::from_millis(200);
const FIRST_PART_AFTER: Duration = Duration::from_millis(80);
/// Most samples of every character's place in one future.
const PLACES_MAX: u64 = 2_000_000;
/// Most samples in time.
const SAMPLES_MAX: u64 = 1_200;
/// Most differences that are told.
const DIFFERENCES_MAX: usize = 200;
/// Most items of a future.
const ITEMS_MAX: usize = 50_000;

/// What is wanted of the future, and what waits for the generation that will have it.
#[derive(Debug)]
pub struct Outlook {
    /// The wish.
    pub wish: ForecastWish,
    /// The way back to the client that waits.
    pub reply: Option<Reply>,
}

impl From<ForecastWish> for Outlook {
    fn from(wish: ForecastWish) -> Self {
        Self { wish, reply: None }
    }
}

/// What a client wants of the future.
#[derive(Debug)]
pub enum ForecastWish {
    /// The run from a tick on for so many seconds; 0: none any more.
    Look {
        /// From where.
        from: u64,
        /// How far.
        seconds: f64,
    },
    /// Texts were saved. The running level takes them in with its next tick, which may be far away.
    Saved(Reload),
    /// With these texts in place of those that were saved; none: with those again.
    Try(Option<Reload>),
    /// The newest future becomes the one that others are compared with.
    Keep,
    /// The end.
    Stop,
}

/// A future that was computed.
#[derive(Clone, Debug, Default)]
struct Future {
    generation: u32,
    items: Vec<Item>,
}

/// Which future is computed, and which ticks it covers.
#[derive(Clone, Copy, Debug)]
struct Horizon {
    generation: u32,
    is_base: bool,
    from: u64,
    to: u64,
}

/// Computes futures.
pub struct Forecast {
    shared: Shared,
    signals: Arc<Signals>,
    from: u64,
    seconds: f64,
    /// Everything that was saved since the run began.
    saved: Reload,
    tried: Option<Reload>,
    generation: u32,
    base: Option<Future>,
    newest: Option<Future>,
    waiting: Vec<Outlook>,
    is_due: bool,
}

impl Forecast {
    /// No future yet.
    #[must_use]
    pub fn new(shared: Shared, signals: Arc<Signals>) -> Self {
        Self {
            shared,
            signals,
            from: 0,
            seconds: 0.0,
            saved: Reload::default(),
            tried: None,
            generation: 0,
            base: None,
            newest: None,
            waiting: Vec::new(),
            is_due: false,
        }
    }

    /// Computes what is asked for until the end is, or nobody is left to ask.
    pub fn run(mut self, outlooks: &Receiver<Outlook>) {
        loop {
            let is_idle = !self.is_due && self.waiting.is_empty();
            match outlooks.recv_timeout(if is_idle { Duration::from_secs(1) } else { Duration::ZERO }) {
                Ok(outlook) => self.waiting.push(outlook),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.waiting.extend(outlooks.try_iter());
            for Outlook { wish, reply } in std::mem::take(&mut self.waiting) {
                if matches!(wish, ForecastWish::Stop) {
                    return;
                }
                self.take(wish);
                if let Some(reply) = reply {
                    reply.send(Ok(json!({ "generation": self.awaited() })));
                }
            }
            if std::mem::take(&mut self.is_due) && self.seconds > 0.0 {
                self.compute(outlooks);
            }
        }
    }

    /// The generation of the first future that has everything that was wished for: the next one, or that
    /// after it where there is none yet to compare it with; none where none is computed.
    fn awaited(&self) -> Option<u32> {
        let next = || self.generation + 1 + u32::from(self.base.is_none() && self.tried.is_some());
        match self.is_due {
            _ if self.seconds <= 0.0 => None,
            true => Some(next()),
            false => self.base.as_ref().map(|base| base.generation),
        }
    }

    fn take(&mut self, wish: ForecastWish) {
        match wish {
            ForecastWish::Look { from, seconds } => {
                (self.from, self.seconds, self.base, self.newest) = (from, seconds, None, None);
                self.is_due = true;
            }
            ForecastWish::Saved(reload) => {
                self.saved.merge(reload);
                self.tried = None;
                self.is_due = true;
            }
            ForecastWish::Try(reload) => {
                self.tried = reload;
                self.is_due = true;
            }
            ForecastWish::Keep => self.base = self.newest.clone().or_else(|| self.base.take()),
            ForecastWish::Stop => {}
        }
    }

    /// Computes the future again, unless something newer is asked for meanwhile.
    fn compute(&mut self, outlooks: &Receiver<Outlook>) {
        self.generation += 1;
        let record = self.shared.record.now();
        self.from = self.from.min(record.tick);
        let is_base = self.base.is_none();
        // What is only tried is never what others are compared with: it has its turn afterwards.
        let put_off = if is_base { self.tried.take() } else { None };
        let script = ForecastRun { record: &record, from: self.from, newest: self.newest(&record) };
        // What comes after a change that is no input is of another run, wherever a copy begins.
        let begun = record.check_repeatable(record.tick).and_then(|()| script.begin(&self.signals));
        let mut game = match begun {
            Ok(game) => game,
            Err(error) => {
                self.tried = put_off.or(self.tried.take());
                let (generation, from) = (self.generation, self.from);
                self.shared.clients.tell(&json!({
                    "tell": "forecast", "generation": generation, "from": from, "to": from, "done": true,
                    "isBase": is_base, "items": [], "error": error,
                }));
                return;
            }
        };
        let to = self.from + game.world().rate().ticks(self.seconds);
        let horizon = Horizon { generation: self.generation, is_base, from: self.from, to };
        let mut part = Part::new(horizon, &game);
        let first = game.start_facts();
        part.take(&game, &first);
        let (mut told, mut patience) = (Instant::now(), FIRST_PART_AFTER);
        while game.world().tick().0 < to && game.outcome().is_none() {
            let next = game.world().tick().0 + 1;
            let recorded = game.tick(&script.inputs_for(next));
            part.take(&game, &recorded);
            if next.is_multiple_of(8) {
                self.waiting.extend(outlooks.try_iter());
                if !self.waiting.is_empty() || self.signals.is_stopped() {
                    self.is_due = true;
                    self.tried = self.tried.take().or(put_off);
                    return;
                }
            }
            if told.elapsed() > patience {
                self.tell(&mut part, next, None);
                (told, patience) = (Instant::now(), PART_EVERY);
            }
        }
        let future = Future { generation: self.generation, items: std::mem::take(&mut part.all) };
        let differences = self.base.as_ref().map(|base| differences(&base.items, &future.items));
        self.tell(&mut part, game.world().tick().0, Some(differences.unwrap_or_default()));
        if is_base {
            self.base = Some(future.clone());
        }
        self.newest = Some(future);
        if put_off.is_some() {
            (self.tried, self.is_due) = (put_off, true);
        }
    }

    /// The texts with which the future is computed.
    fn newest(&self, record: &RunRecord) -> RunStart {
        let texts = record.texts_now().with(&self.saved);
        match &self.tried {
            Some(tried) => texts.with(tried),
            None => texts,
        }
    }

    /// Tells what was computed since the last time; with differences when it is all.
    fn tell(&self, part: &mut Part, to: u64, differences: Option<Vec<Value>>) {
        let tracks = Arc::new(part.take_tracks());
        let clients = self.shared.clients.all();
        clients.iter().for_each(|client| client.tracks(Arc::clone(&tracks)));
        let horizon = part.horizon;
        let mut message = json!({
            "tell": "forecast", "generation": horizon.generation, "from": horizon.from, "to": to,
            "done": differences.is_some(), "isBase": horizon.is_base, "items": std::mem::take(&mut part.items),
            "horizon": horizon.to,
        });
        if let Some(differences) = differences {
            message["differences"] = differences.into();
        }
        self.shared.clients.tell(&message);
    }
}

/// The run that is computed ahead: with which texts, and what is said in it.
struct ForecastRun<'a> {
    record: &'a RunRecord,
    from: u64,
    newest: RunStart,
}

impl ForecastRun<'_> {
    /// The level at tick 0. From the very beginning it has the newest texts; from a later tick the texts that
    /// it had, up to there.
    fn begin(&self, signals: &Arc<Signals>) -> Result<Game, String> {
        let start = if self.from == 0 { &self.newest } else { &*self.record.start };
        start.begin(Arc::clone(signals))
    }

    fn inputs_for(&self, tick: u64) -> Vec<Input> {
        let mut inputs = self.record.inputs_for(tick);
        if self.from == 0 || tick > self.from {
            inputs.retain(|input| !matches!(input, Input::Reload(_)));
        }
        if self.from > 0 && tick == self.from + 1 {
            let changed = self.newest.changed_since(&self.record.texts_at(self.from));
            if !changed.is_empty() {
                inputs.push(Input::Reload(changed));
            }
        }
        inputs
    }
}

/// What was computed and not yet told.
struct Part {
    horizon: Horizon,
    every: u64,
    items: Vec<Item>,
    all: Vec<Item>,
    /// Samples, each with every character in it.
    samples: Vec<Sample>,
}

/// Where every character is in a tick, in order of their keys.
struct Sample {
    tick: u64,
    places: Vec<ForecastPlace>,
}

#[derive(Clone, Copy)]
struct ForecastPlace {
    key: u32,
    at: [f32; 3],
}

impl Part {
    fn new(horizon: Horizon, game: &Game) -> Self {
        let people = game.world().characters().count().max(1) as u64;
        let samples = (PLACES_MAX / people).clamp(2, SAMPLES_MAX);
        let ticks = horizon.to - horizon.from;
        let every = ticks.div_ceil(samples).clamp(1, u64::from(u16::MAX));
        Self { horizon, every, items: Vec::new(), all: Vec::new(), samples: Vec::new() }
    }

    fn take(&mut self, game: &Game, recorded: &Tick) {
        let tick = recorded.number;
        let from = self.horizon.from;
        if tick < from {
            return;
        }
        if self.all.len() < ITEMS_MAX {
            let items = happened::items(game.world(), recorded);
            self.items.extend(items.iter().cloned());
            self.all.extend(items);
        }
        if (tick - from).is_multiple_of(self.every) {
            let placed = |who: &walkon_runtime::world::character::Character| ForecastPlace {
                key: who.serial,
                at: who.body.position.to_array(),
            };
            let mut places: Vec<ForecastPlace> =
                game.world().characters().map(|(_, who)| placed(who)).collect();
            ordered::sort_by_key(&mut places, |placed| placed.key);
            self.samples.push(Sample { tick, places });
        }
    }

    fn take_tracks(&mut self) -> Tracks {
        let samples = std::mem::take(&mut self.samples);
        // Those of one sample are mostly those of the one before.
        let mut keys: Vec<u32> = Vec::new();
        for sample in &samples {
            let is_known = sample.places.len() == keys.len()
                && sample.places.iter().zip(&keys).all(|(placed, key)| placed.key == *key);
            if !is_known {
                keys.extend(sample.places.iter().map(|placed| placed.key));
                keys.sort_unstable();
                keys.dedup();
            }
        }
        let nowhere = [f32::NAN; 3];
        let row = |sample: &Sample| {
            let mut here = sample.places.iter().peekable();
            let place =
                |key: &u32| here.next_if(|placed| placed.key == *key).map_or(nowhere, |placed| placed.at);
            keys.iter().map(place).collect::<Vec<_>>()
        };
        let places = samples.iter().flat_map(row).collect();
        let Horizon { generation, is_base, from, .. } = self.horizon;
        let from = samples.first().map_or(from, |sample| sample.tick);
        Tracks { generation, is_base, every: self.every as u16, from, keys, places }
    }
}

/// How one future differs from another: what comes sooner, later, only in one of them.
fn differences(base: &[Item], newest: &[Item]) -> Vec<Value> {
    let (was, is) = (by_occasion(base), by_occasion(newest));
    let mut found: Vec<(u64, Value)> = Vec::new();
    for (occasion, before) in &was {
        let after = is.get(occasion);
        if after.is_none_or(|after| after.tick != before.tick) {
            let tick = after.map(|after| after.tick);
            found.push((before.tick, difference(before, Some(before.tick), tick)));
        }
    }
    for (_, after) in is.iter().filter(|(occasion, _)| !was.contains_key(*occasion)) {
        found.push((after.tick, difference(after, None, Some(after.tick))));
    }
    ordered::sort_by_key(&mut found, |(tick, _)| *tick);
    found.into_iter().take(DIFFERENCES_MAX).map(|(_, value)| value).collect()
}

fn difference(item: &Item, was: Option<u64>, is: Option<u64>) -> Value {
    json!({ "text": occasion_words(item), "lane": item.lane, "name": item.name, "was": was, "is": is })
}

/// What makes an item of one future the same as one of another: what it is about, its words without the
/// numbers among them, and how often it came before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occasion<'a> {
    lane: &'static str,
    name: Option<&'a str>,
    words: String,
    /// From 1; 0 where it is not counted yet.
    count: usize,
}

fn by_occasion(items: &[Item]) -> BTreeMap<Occasion<'_>, &Item> {
    let mut counts: BTreeMap<Occasion<'_>, usize> = BTreeMap::new();
    let is_told = |item: &&Item| {
        matches!(item.lane, "scenes" | "events" | "faults" | "doors" | "regions")
            || item.kind == "walkSettled"
    };
    let numbered = items.iter().filter(is_told).map(|item| {
        let words = without_numbers(&occasion_words(item));
        let occasion = Occasion { lane: item.lane, name: item.name.as_deref(), words, count: 0 };
        let count = counts.entry(occasion.clone()).or_default();
        *count += 1;
        (Occasion { count: *count, ..occasion }, item)
    });
    numbered.collect_map()
}

/// The sentence of an item without place, time and data: `guard: arrived/reached`, `event alarm`.
fn occasion_words(item: &Item) -> String {
    let cut = |at: &str| item.text.find(at);
    let end = match item.kind {
        "walkSettled" => cut(" at (").or_else(|| cut(" after ")),
        _ => cut(" {").or_else(|| cut(" [")),
    };
    item.text[..end.unwrap_or(item.text.len())].to_owned()
}

/// Words without those that are numbers.
fn without_numbers(words: &str) -> String {
    let is_number = |word: &str| word.trim_matches(['(', ')', ',', ':']).parse::<f64>().is_ok();
    words.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(tick: u64, lane: &'static str, text: &str) -> Item {
        let kind = if lane == "walks" { "walkSettled" } else { "event" };
        Item { tick, lane, kind, text: text.to_owned(), name: None, line: None }
    }

    #[test]
    fn futures_differ_in_what_comes_later_sooner_or_not_at_all() {
        let base = [
            item(10, "events", "event bell"),
            item(20, "walks", "guard: arrived/reached at (3.0, 4.0) after 12 ticks"),
            item(30, "events", "event bell"),
            item(35, "events", "event alarm {\"at\":[1,2]}"),
        ];
        let newest = [
            item(10, "events", "event bell"),
            item(25, "walks", "guard: arrived/reached at (3.1, 4.0) after 17 ticks"),
            item(35, "events", "event alarm {\"at\":[3,4]}"),
            item(40, "faults", "fault in x"),
        ];
        let found = differences(&base, &newest);
        let told: Vec<_> =
            found.iter().map(|one| (one["text"].as_str().unwrap(), &one["was"], &one["is"])).collect();
        assert_eq!(
            told,
            [
                ("guard: arrived/reached", &json!(20), &json!(25)),
                ("event bell", &json!(30), &Value::Null),
                ("fault in x", &Value::Null, &json!(40)),
            ]
        );
        assert!(differences(&base, &base).is_empty());
    }
}
