//! Step 14: writes events as lines and states as hashes.
//!
//! In: the events of the tick, the world. Out: trace lines (docs/traces.md) and sentences for a
//! person. Holds: events are written down before step 13 frees what they name; nothing here changes the
//! world, so a traced run is the same run (inv:D5).

use std::borrow::Cow;
use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::base::time;
use crate::base::value::Plain;
use crate::game::event::Event;
use crate::game::input_line;
use crate::game::inputs::Input;
use crate::game::line::{JsonLine, float, place, quoted};
use crate::game::log_text;
use crate::game::tick::Tick;
use crate::game::tick_notes::ReloadNote;
use crate::world::World;
use crate::world::character::Character;
use crate::world::cue::{Cue, CueKind};
use crate::world::event::{EvaluationFailure, Fact, LogLine, ReloadedFile};
use crate::world::outcome::{Blocker, WalkResult};
use crate::world::state_hash::WorldHash;
use crate::world::walk::Walk;

/// What to write down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordOptions {
    /// Whether trace lines are wanted at all.
    pub trace: bool,
    /// Ticks between hash lines, 0 for none.
    pub hash_every: u64,
    /// Ticks between lines of positions, 0 for none.
    pub positions_every: u64,
    /// Ticks between lines of detail, 0 for none.
    pub detail_every: u64,
    /// Whether sentences for a person are wanted.
    pub sentences: bool,
}

/// Writes down what is asked for: inputs of the host, and what happens. Verbs of the host between ticks are
/// no inputs; only what comes of them is written down, so a game that is to be replayed says [`Input`]s.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    options: RecordOptions,
}

impl Recorder {
    /// A recorder that writes down what `options` ask for.
    #[must_use]
    pub fn new(options: RecordOptions) -> Self {
        Self { options }
    }

    /// The lines of the host's inputs in this tick: a replay gives them again.
    pub(crate) fn inputs(&self, world: &World, inputs: &[Input]) -> Vec<String> {
        if !self.options.trace {
            return Vec::new();
        }
        inputs.iter().map(|input| input_line::line(world, world.tick().0, input)).collect()
    }

    /// Takes the facts of the tick as events, before step 13, and writes down what is asked for.
    pub(crate) fn collect(&self, world: &mut World) -> Tick {
        let facts = world.events.take_recorded();
        self.write_down(world, facts)
    }

    /// Facts as events, and written down as is asked for.
    pub(crate) fn write_down(&self, world: &World, facts: Vec<Fact>) -> Tick {
        let mut tick = Tick { number: world.tick().0, ..Tick::default() };
        let mut room = DATA_PER_TICK_BYTES;
        for event in facts.into_iter().filter_map(|fact| Event::of(world, fact)) {
            if self.options.trace || self.options.sentences {
                self.write(world, &shortened(&event, &mut room), &mut tick);
            }
            tick.reloads.extend(ReloadNote::of(&event));
            tick.crowd.count(&event);
            tick.events.push(event);
        }
        tick
    }

    fn write(&self, world: &World, event: &Event, tick: &mut Tick) {
        if self.options.trace {
            tick.lines.extend(line(world, event));
        }
        if self.options.sentences {
            tick.sentences.extend(log_text::sentence(world, event));
            tick.captions.extend(log_text::caption(world, event));
        }
    }

    /// Whether a hash line is due: a hash is a pass over the whole state, so it is made only then.
    #[must_use]
    pub fn wants_hash(&self, tick: time::TickNumber) -> bool {
        self.options.trace && is_due(self.options.hash_every, tick)
    }

    /// Adds hashes and positions, after step 13.
    pub(crate) fn record(&self, world: &World, mut recorded: Tick, fingerprint: Option<WorldHash>) -> Tick {
        if !self.options.trace {
            return recorded;
        }
        let due = |every: u64| is_due(every, world.tick());
        if due(self.options.positions_every) {
            recorded.lines.push(positions(world));
        }
        if due(self.options.detail_every) {
            recorded.lines.push(detail(world));
        }
        recorded.lines.extend(fingerprint.map(|fingerprint| hashes(world, fingerprint)));
        recorded
    }
}

/// The most plain data of one fact that is written down, bytes.
const DATA_BYTES: usize = 4096;

/// The most plain data of a tick that is written down, bytes.
pub const DATA_PER_TICK_BYTES: usize = 256 * 1024;

/// An event as it is written down, with `room` bytes left for data in its tick: where its data, or the data
/// before it in the tick, is too long, a mark stands in its place.
#[must_use]
pub fn shortened<'event>(event: &'event Event, room: &mut usize) -> Cow<'event, Event> {
    let Some(bytes) = event.payload().map(Plain::bytes) else { return Cow::Borrowed(event) };
    if bytes <= DATA_BYTES && bytes <= *room {
        *room -= bytes;
        return Cow::Borrowed(event);
    }
    Cow::Owned(event.with_payload(&|| Plain::Text(format!("... {bytes} bytes that are not written down"))))
}

fn is_due(every: u64, tick: time::TickNumber) -> bool {
    every > 0 && tick.0.is_multiple_of(every)
}

/// The trace line of an event; none where the trace has other lines for it.
pub fn line(world: &World, event: &Event) -> Option<String> {
    let tick = world.tick().0;
    let fact = |name: &str| JsonLine::fact(tick, name);
    let named = || fact(event.name().unwrap_or_default());
    let line = match event {
        Event::Spawned { character, position } => at_place(named(), world.name_of(*character), *position),
        Event::Despawned { character, position } => at_place(named(), world.name_of(*character), *position),
        Event::WalkStarted { walk, character, goal, owner } => fact("walkStarted")
            .count("walk", *walk)
            .text("character", world.name_of(*character))
            .place("goal", (*goal).into())
            .count("owner", u64::from(*owner)),
        Event::WalkSettled(result) => result_fields(world, result, named()),
        Event::Replanned { walk, character, why } => fact("replanned")
            .text("character", world.name_of(*character))
            .count("walk", *walk)
            .text("why", why.name()),
        Event::Nudged { character, by, to } => fact("nudged")
            .text("character", world.name_of(*character))
            .text("by", world.name_of(*by))
            .raw("to", &place((*to).into())),
        Event::DoorChanged { door, state, is_locked, by } => named()
            .text("door", &world.doors().get(door.index())?.name)
            .flag("locked", *is_locked)
            .text("state", state.name())
            .maybe_text("by", by.map(|by| world.name_of(by))),
        Event::LinkBegun { character, action, ends: [from, to], seconds } => named()
            .text("character", world.name_of(*character))
            .text("action", action)
            .place("from", (*from).into())
            .place("to", (*to).into())
            .number("seconds", *seconds as f32),
        Event::AreaChanged { area, is_available, factor } => {
            named().text("area", area).flag("available", *is_available).number("cost", *factor)
        }
        Event::MapChanged(revision) => named().count("revision", revision.0),
        Event::RegionEntered { region, character, how } => {
            let name = &world.regions().get(region.index())?.name;
            in_region(named(), name, world.name_of(*character)).text("how", how.name())
        }
        Event::RegionLeft { region, character, how } => {
            let name = &world.regions().get(region.index())?.name;
            in_region(named(), name, world.name_of(*character)).text("how", how.name())
        }
        Event::Emitted { name, payload, .. } => {
            fact("event").text("name", name).maybe_plain("payload", world, payload.as_ref())
        }
        Event::Cue(cue) => cue_line(world, cue),
        Event::SceneStarted { name, locks } => named().text("name", name).raw("locks", &texts(locks)),
        Event::SceneEnded { info, .. } => named().entries(world, info),
        Event::Logged(log) => logged(fact("log"), log),
        Event::Faulted { fields, .. } => named().entries(world, fields),
        Event::SwitchedOff(off) => named()
            .text("owner", &off.owner)
            .maybe_text("character", off.character.map(|id| world.name_of(id)))
            .text("again", &off.again),
        Event::Reloaded { files, notes } => {
            let line = named().raw("files", &changed_files(files));
            if notes.is_empty() { line } else { line.raw("notes", &texts(notes)) }
        }
        Event::ReloadRefused { file, line, message, files } => named()
            .text("file", file)
            .count("line", u64::from(*line))
            .text("message", message)
            .raw("files", &changed_files(files)),
        Event::InputRefused { what, why } => named().text("what", what).text("why", why),
        Event::Evaluated { chunk, result, failure, .. } => {
            let line = named().text("chunk", chunk).flag("ok", failure.is_none());
            match failure {
                None => line.text("result", result),
                Some(failure) => failed(line, failure),
            }
        }
        Event::Notice { what, count, walk, why } => {
            let line = fact("notice").text("what", what).count("count", *count);
            let line = if let Some(walk) = walk { line.count("walk", *walk) } else { line };
            line.maybe_text("why", why.as_deref())
        }
        // An input has the line that a replay reads, a door that of its state.
        Event::Input { .. } | Event::DoorSignal { .. } => return None,
    };
    Some(line.finish())
}

fn at_place(line: JsonLine, character: &str, position: Option<[f32; 3]>) -> JsonLine {
    line.text("character", character).maybe_place("position", position.map(Into::into))
}

fn in_region(line: JsonLine, region: &str, character: &str) -> JsonLine {
    line.text("region", region).text("character", character)
}

fn logged(line: JsonLine, log: &LogLine) -> JsonLine {
    let line = line.text("level", log.level).text("owner", &log.owner).text("file", &log.file);
    line.count("line", u64::from(log.line)).text("message", &log.message)
}

fn failed(line: JsonLine, failure: &EvaluationFailure) -> JsonLine {
    let line = line.text("kind", failure.kind).text("message", &failure.message);
    let line = line.text("file", &failure.file).count("line", u64::from(failure.line));
    line.text("traceback", &failure.traceback)
}

/// `{"guard.lua":{"hash":"...","text":"..."}}`; the text is null for a deleted file.
fn changed_files(files: &BTreeMap<String, ReloadedFile>) -> String {
    let each = files.iter().fold(JsonLine::default(), |line, (path, file)| {
        let text = file.text.as_deref().map_or("null".to_owned(), quoted);
        line.raw(path, &JsonLine::default().hash("hash", file.hash).raw("text", &text).finish())
    });
    each.finish()
}

fn texts(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(","))
}

/// Adds the fields of a `WalkResult`, under the names scripts use.
fn result_fields(world: &World, result: &WalkResult, line: JsonLine) -> JsonLine {
    let journey = &result.journey;
    let by = journey.by.map(|blocker| match blocker {
        Blocker::Character(id) => world.name_of(id).to_owned(),
        Blocker::Door(id) => world.doors().get(id.index()).map_or(String::new(), |door| door.name.clone()),
    });
    line.flag("ok", result.is_ok())
        .text("status", result.status().name())
        .text("reason", result.reason().name())
        .count("walk", journey.walk)
        .text("character", world.name_of(journey.character))
        .place("position", journey.position.into())
        .place("goal", journey.goal.into())
        .number("remaining", journey.remaining_m)
        .number("travelled", journey.travelled_m)
        .count("ticks", journey.ticks)
        .count("repaths", u64::from(journey.repaths))
        .maybe_text("by", by.as_deref())
        .text("detail", &world.detail(result))
}

fn cue_line(world: &World, cue: &Cue) -> JsonLine {
    let fact = |name: &str| JsonLine::fact(world.tick().0, name).text("scene", &cue.scene);
    match &cue.kind {
        CueKind::Said { character, line, vars, seconds } => fact("said")
            .text("character", character)
            .text("line", line)
            .plain("vars", world, vars)
            .raw("seconds", &seconds.to_string()),
        CueKind::Choice { id, options, answer } => {
            let options: Vec<String> = options.iter().map(|option| quoted(option)).collect();
            let line = fact("choice").text("id", id).raw("options", &format!("[{}]", options.join(",")));
            match answer {
                Some(answer) => line.text("answer", answer),
                None => line,
            }
        }
        CueKind::Camera { kind, options } => {
            fact("camera").text("kind", kind).plain("options", world, options)
        }
        CueKind::Other { kind, options } => fact("cue").text("kind", kind).plain("options", world, options),
    }
}

impl JsonLine {
    /// Adds a place if there is one.
    fn maybe_place(self, name: &str, position: Option<Vec3>) -> Self {
        match position {
            Some(position) => self.place(name, position),
            None => self,
        }
    }
}

fn positions(world: &World) -> String {
    let everybody = world.characters().fold(JsonLine::default(), |line, (_, character)| {
        let (at, facing) = (character.body.position, character.facing_rad);
        line.raw(&character.name, &format!("[{},{},{}]", float(at.x), float(at.z), float(facing)))
    });
    JsonLine::default().count("t", world.tick().0).raw("positions", &everybody.finish()).finish()
}

/// The costs of searching, and what every character wants, does and waits for.
fn detail(world: &World) -> String {
    let counts = world.path_counts();
    let paths = JsonLine::default()
        .count("waiting", world.paths.requests.waiting() as u64)
        .count("expansions", counts.expansions)
        .count("spent", counts.in_tick)
        .count("budget", u64::from(world.settings().path_budget))
        .count("restarts", counts.restarts);
    let everybody = world.characters().fold(JsonLine::default(), |line, (_, character)| {
        line.raw(&character.name, &detail_of(world, character).finish())
    });
    let detail = JsonLine::default().raw("paths", &paths.finish()).raw("characters", &everybody.finish());
    JsonLine::default().count("t", world.tick().0).raw("detail", &detail.finish()).finish()
}

/// What one character wants, does and waits for; empty fields are left out.
fn detail_of(world: &World, character: &Character) -> JsonLine {
    let walk = character.walk.and_then(|walk| world.walk(walk));
    let following = walk.and_then(|walk| walk.following.as_ref());
    let ahead = following.map_or(&[][..], |following| following.cursor.ahead(&following.path));
    let (desired, velocity) = (character.desired, character.body.velocity);
    let line = JsonLine::default().raw("desired", &place(desired)).raw("velocity", &place(velocity));
    let line = line.count("waypoints", ahead.len() as u64);
    let line = match walk.and_then(|walk| walk.planned_around.as_ref()) {
        Some(around) if !around.is_empty() => line.raw("obstacles", &names(world, around.who())),
        _ => line,
    };
    let line = match &character.nudge {
        Some(nudge) => line.raw("nudge", &place(nudge.to)),
        None => line,
    };
    match walk.and_then(|walk| request_of(world, walk)) {
        Some(request) => line.raw("request", &request.finish()),
        None => line,
    }
}

fn names(world: &World, ids: &[CharacterId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| quoted(world.name_of(*id))).collect();
    format!("[{}]", names.join(","))
}

/// The path that a walk waits for: why it asked, what the search has cost so far.
fn request_of(world: &World, walk: &Walk) -> Option<JsonLine> {
    let (token, why) = walk.token?;
    let progress = world.paths.requests.progress(token)?;
    let line = JsonLine::default().text("why", why.name()).flag("searching", progress.has_begun);
    Some(line.count("spent", u64::from(progress.spent)).count("restarts", u64::from(progress.restarts)))
}

fn hashes(world: &World, fingerprint: WorldHash) -> String {
    let parts = JsonLine::default()
        .hash("characters", fingerprint.characters)
        .hash("walks", fingerprint.walks)
        .hash("doors", fingerprint.doors)
        .hash("map", fingerprint.map)
        .hash("random", fingerprint.random)
        .hash("scripts", fingerprint.scripts);
    JsonLine::default()
        .count("t", world.tick().0)
        .hash("hash", fingerprint.whole())
        .raw("parts", &parts.finish())
        .finish()
}
