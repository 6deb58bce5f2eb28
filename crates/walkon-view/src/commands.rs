//! Commands of clients: parses each, and passes it to the part that does it.
//!
//! In: JSON. Out: requests to the running level, to the past, to the future, to the desk; or why a command is
//! not valid. Holds: every command is answered once; a wrong field is named. Not here: the work itself.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use serde_json::{Value, json};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::base::value::{Plain, PlainKey};
use walkon_runtime::game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport};
use walkon_runtime::script::debug::{Asking, DebugOrder, HitRule, Page, PagePart};
use walkon_runtime::view::{Parts, PicturePart};

use crate::client::{Client, Reply, Viewpoint};
use crate::course::Shared;
use crate::desk::errand::Errand;
use crate::edit::expectations::Doors;
use crate::fields::{CommandFields, unknown, wrong};
use crate::forecast::{ForecastWish, Outlook};
use crate::orders::{DebugAsk, LineWish, Order, Ordered, Speed};
use crate::question::{OthersAsked, PathTest, Question};
use crate::replica::{Viewer, Wish};

/// Longest command, bytes.
pub const COMMAND_BYTES_MAX: usize = 16 << 20;
/// Most ticks of one step, and most seconds of a future.
const STEPS_MAX: u64 = 1_000_000;
const FUTURE_SECONDS_MAX: f64 = 3_600.0;
/// Largest seed: the largest whole number that JSON and Lua hold exactly.
const SEED_MAX: u64 = (1 << 53) - 1;
/// Slowest and fastest multiple of real time.
const TIMES: std::ops::RangeInclusive<f64> = 0.1..=100.0;
/// Most points of one track.
const TRACK_POINTS_MAX: u64 = 2_000;
/// Most tracks of one answer.
const TRACKS_MAX: usize = 256;

/// Everything that is done for clients, by the part that does it.
#[derive(Clone, Debug)]
pub struct Doers {
    /// What all share.
    pub shared: Shared,
    /// The running level.
    pub running: Sender<Ordered>,
    /// The past.
    pub replicas: Sender<Wish>,
    /// The future.
    pub forecast: Sender<Outlook>,
    /// The files.
    pub desk: Sender<Errand>,
}

impl Doers {
    /// Does what a client asks for, or has it done.
    pub fn perform(&self, client: &Arc<Client>, text: &str) {
        let command: Value = match serde_json::from_str(text) {
            Ok(command) => command,
            Err(error) => {
                client.tell(&json!({ "id": null, "error": format!("this is not JSON: {error}") }));
                return;
            }
        };
        let read = CommandFields::of(&command);
        if let Ok(("ack", fields)) = &read {
            let frame =
                fields.get("frame").and_then(Value::as_u64).and_then(|frame| u32::try_from(frame).ok());
            return frame.into_iter().for_each(|frame| client.acknowledge(frame));
        }
        let reply = Reply::new(client, command["id"].clone());
        match read.and_then(|(word, fields)| self.dispatch(word, &fields, client, &reply)) {
            Ok(Some(answer)) => reply.send(Ok(answer)),
            Ok(None) => {}
            Err(message) => reply.send(Err(message)),
        }
    }

    /// The answer, where it is known at once.
    fn dispatch(
        &self,
        word: &str,
        fields: &CommandFields<'_>,
        client: &Arc<Client>,
        reply: &Reply,
    ) -> Result<Option<Value>, String> {
        match word {
            "play" => self.order(Order::Play, reply),
            "pause" => self.order(Order::Pause, reply),
            "step" => {
                let ticks = fields.maybe_count("ticks")?.unwrap_or(1).min(STEPS_MAX);
                self.order(Order::Step(ticks), reply)
            }
            "speed" => self.order(Order::Speed(speed(fields)?), reply),
            "restart" => self.order(Order::Restart(seed(fields)?), reply),
            "save" => self.order(Order::Save, reply),
            "goOn" => self.order(Order::GoOn(fields.count("tick")?), reply),
            "input" => self.order(Order::Input(input(fields)?), reply),
            "show" => self.show(fields, client, reply),
            "select" => {
                client.wishes().selected = fields.keys("keys")?.into_iter().collect_set();
                self.draw(client, reply)
            }
            "seek" => self.seek(fields.maybe_count("tick")?, client, reply),
            "history" => self.history(fields).map(Some),
            "tracks" => self.tracks(fields).map(Some),
            "inspect" | "find" | "heat" | "path" => self.ask(question(word, fields, client)?, client, reply),
            "forecast" => {
                let seconds = fields.number("seconds")?.clamp(0.0, FUTURE_SECONDS_MAX);
                let from = fields.maybe_count("from")?.unwrap_or_default();
                self.outlook(ForecastWish::Look { from, seconds }, reply)
            }
            "keep" => self.outlook(ForecastWish::Keep, reply),
            "debug" => self.debug(debug_ask(fields)?, reply),
            "cancel" => {
                client.call_off();
                Ok(Some(json!({})))
            }
            "ping" => Ok(Some(json!({}))),
            _ => self.errand(fields, reply),
        }
    }

    fn order(&self, order: Order, reply: &Reply) -> Result<Option<Value>, String> {
        let ordered = Ordered { order, reply: Some(reply.clone()) };
        self.running.send(ordered).map_err(|_| "the level has ended".to_owned())?;
        Ok(None)
    }

    fn debug(&self, ask: DebugAsk, reply: &Reply) -> Result<Option<Value>, String> {
        if matches!(ask, DebugAsk::Pause) {
            // Code that runs looks at this, and not at its orders.
            self.shared.pauses.ask();
        }
        self.order(Order::Debug(ask), reply)
    }

    fn outlook(&self, wish: ForecastWish, reply: &Reply) -> Result<Option<Value>, String> {
        let outlook = Outlook { wish, reply: Some(reply.clone()) };
        self.forecast.send(outlook).map_err(|_| "the level has ended".to_owned())?;
        Ok(None)
    }

    fn errand(&self, fields: &CommandFields<'_>, reply: &Reply) -> Result<Option<Value>, String> {
        let errand = Errand::Command { command: fields.json().clone(), reply: reply.clone() };
        self.desk.send(errand).map_err(|_| "the program ends".to_owned())?;
        Ok(None)
    }

    /// Asks the level as it stands in the tick that the client sees.
    fn ask(&self, question: Question, client: &Arc<Client>, reply: &Reply) -> Result<Option<Value>, String> {
        let tick = client.wishes().tick;
        match tick {
            None => self.order(Order::Ask(question), reply),
            Some(tick) => self.wish(Wish::Ask { tick, question, reply: reply.clone() }),
        }
    }

    fn wish(&self, wish: Wish) -> Result<Option<Value>, String> {
        self.replicas.send(wish).map_err(|_| "the level has ended".to_owned())?;
        Ok(None)
    }

    /// Draws what a client wants to see by now.
    fn draw(&self, client: &Arc<Client>, reply: &Reply) -> Result<Option<Value>, String> {
        let tick = client.wishes().tick;
        match tick {
            None => self.order(Order::Draw(Arc::clone(client)), reply),
            Some(tick) => {
                self.wish(Wish::See(Viewer { client: Arc::clone(client), tick }))?;
                Ok(Some(json!({})))
            }
        }
    }

    fn show(
        &self,
        fields: &CommandFields<'_>,
        client: &Arc<Client>,
        reply: &Reply,
    ) -> Result<Option<Value>, String> {
        let parts = fields.get("parts").map(parts).transpose()?;
        let view = fields.maybe_text("slant")?.map(|name| {
            let expected = "\"top\", \"oblique\" or \"space\"";
            Viewpoint::of(name).ok_or_else(|| format!("\"slant\" is \"{name}\", expected {expected}"))
        });
        let view = view.transpose()?;
        let layer = fields.maybe_count("layer")?;
        let mut wishes = client.wishes();
        wishes.parts = parts.unwrap_or(wishes.parts);
        wishes.view = view.unwrap_or(wishes.view);
        wishes.layer = layer.map_or(wishes.layer, |layer| layer.min(255) as u8);
        drop(wishes);
        self.draw(client, reply)
    }

    fn seek(&self, tick: Option<u64>, client: &Arc<Client>, reply: &Reply) -> Result<Option<Value>, String> {
        let tick = {
            let record = self.shared.record.lock();
            let tick = tick.map(|tick| tick.min(record.tick));
            tick.map_or(Ok(()), |tick| record.check_repeatable(tick))?;
            tick
        };
        client.wishes().tick = tick;
        let Some(tick) = tick else { return self.order(Order::Draw(Arc::clone(client)), reply) };
        // What was shown before is there at once; the rest follows as soon as a copy has come there.
        if let Some(rows) = self.shared.past.lock().at(tick) {
            let flags = crate::frame::OF_THE_PAST | crate::frame::PAUSED;
            client.frame(Arc::new(crate::frame::Frame { tick, flags, rows }));
        }
        self.wish(Wish::See(Viewer { client: Arc::clone(client), tick }))?;
        Ok(Some(json!({ "tick": tick })))
    }

    fn history(&self, fields: &CommandFields<'_>) -> Result<Value, String> {
        let (from, to) = (fields.count("from")?, fields.count("to")?);
        // Copied first: the level waits while the past is looked at.
        let items: Vec<_> = self.shared.past.lock().items(from, to).cloned().collect();
        Ok(json!({ "items": items }))
    }

    fn tracks(&self, fields: &CommandFields<'_>) -> Result<Value, String> {
        let mut keys = fields.keys("keys")?;
        keys.sort_unstable();
        keys.dedup();
        keys.truncate(TRACKS_MAX);
        let span = fields.count("from")?..=fields.count("to")?;
        let points = fields.maybe_count("points")?.unwrap_or(TRACK_POINTS_MAX).min(TRACK_POINTS_MAX);
        let tracks = self.shared.past.lock().tracks(&keys, span, points);
        let track = |(key, points): (&u32, Vec<(u64, [f32; 3])>)| {
            let points: Vec<Value> = points.iter().map(|(tick, [x, y, z])| json!([tick, x, y, z])).collect();
            json!({ "key": key, "points": points })
        };
        let tracks: Vec<Value> = keys.iter().zip(tracks).map(track).collect();
        Ok(json!({ "tracks": tracks }))
    }
}

fn parts(value: &Value) -> Result<Parts, String> {
    let names = value.as_array().ok_or_else(|| wrong("parts", value, "a list of names"))?;
    names.iter().try_fold(Parts::NONE, |all, name| {
        let name = name.as_str().ok_or_else(|| wrong("parts", name, "names of parts"))?;
        let known: Vec<&str> = PicturePart::ALL.iter().map(|part| part.name()).collect();
        let found = PicturePart::ALL.into_iter().find(|part| part.name() == name);
        found.map(|part| all.with(part)).ok_or_else(|| unknown("part", name, &known))
    })
}

fn speed(fields: &CommandFields<'_>) -> Result<Speed, String> {
    if fields.get("times").and_then(Value::as_str) == Some("max") {
        return Ok(Speed::Max);
    }
    let times =
        fields.number("times").map_err(|_| "\"times\": expected 0.1 to 100, or \"max\"".to_owned())?;
    if !TIMES.contains(&times) {
        return Err(format!("\"times\" is {times}, expected 0.1 to 100, or \"max\""));
    }
    Ok(Speed::Times(times))
}

/// What the debugger is asked.
fn debug_ask(fields: &CommandFields<'_>) -> Result<DebugAsk, String> {
    let go = |order| Ok(DebugAsk::Go(order));
    match fields.text("action")? {
        "breakpoints" => {
            let lines = fields.get("lines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let lines = lines.iter().enumerate().map(|(at, line)| line_wish(at, line));
            let lines = lines.collect::<Result<_, _>>()?;
            Ok(DebugAsk::Breakpoints { file: fields.text("file")?.to_owned(), lines })
        }
        "stops" => Ok(DebugAsk::Stops {
            events: fields.get("events").map(|_| fields.texts("events")).transpose()?,
            faults: fields.get("faults").map(|_| fields.truth("faults")).transpose()?,
        }),
        "lines" => Ok(DebugAsk::Lines { file: fields.text("file")?.to_owned() }),
        "pause" => Ok(DebugAsk::Pause),
        "over" => go(DebugOrder::StepOver),
        "in" => go(DebugOrder::StepIn),
        "out" => go(DebugOrder::StepOut),
        "threads" => Ok(DebugAsk::Threads),
        "frames" => Ok(DebugAsk::Frames { thread: fields.maybe_count("thread")? }),
        "scopes" => Ok(DebugAsk::Scopes { frame: fields.count("frame")? }),
        "variables" => {
            let part = match fields.maybe_text("part")? {
                None | Some("all") => PagePart::All,
                Some("indexed") => PagePart::Indexed,
                Some("named") => PagePart::Named,
                Some(other) => return Err(unknown("part", other, &["all", "indexed", "named"])),
            };
            let size = |name: &str| fields.maybe_count(name).map(|count| count.map(|count| count as usize));
            let page = Page { part, start: size("start")?.unwrap_or_default(), count: size("count")? };
            Ok(DebugAsk::Variables { reference: fields.count("reference")?, page })
        }
        "evaluate" => {
            let acts = fields.get("acts").map(|_| fields.truth("acts")).transpose()?.unwrap_or_default();
            let asking = if acts { Asking::Acts } else { Asking::Looks };
            let (text, frame) = (fields.text("text")?.to_owned(), fields.maybe_count("frame")?);
            Ok(DebugAsk::Evaluate { text, frame, asking })
        }
        _ => go(DebugOrder::Continue),
    }
}

fn line_wish(at: usize, wish: &Value) -> Result<LineWish, String> {
    let text = |name: &str| {
        let text = wish[name].as_str().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let line = wish["line"].as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    let line = line.ok_or_else(|| wrong(&format!("lines[{at}].line"), &wish["line"], "a line, from 1"))?;
    let hits = text("hits").map(|hits| {
        let rule = HitRule::parse(&hits).map_err(|why| format!("\"lines[{at}].hits\": {why}"))?;
        Ok::<_, String>((hits, rule))
    });
    Ok(LineWish { line, condition: text("condition"), hits: hits.transpose()?, log: text("log") })
}

fn question(word: &str, fields: &CommandFields<'_>, client: &Client) -> Result<Question, String> {
    Ok(match word {
        "inspect" => {
            let kind = fields.text("kind")?.to_owned();
            Question::Inspect { kind, name: fields.maybe_text("name")?.unwrap_or_default().to_owned() }
        }
        "find" => Question::Find { text: fields.text("text")?.to_owned() },
        "heat" => Question::Heat,
        _ if fields.get("of").is_some() => {
            Question::Walk { name: fields.text("of")?.to_owned(), wishes: client.wishes().clone() }
        }
        _ => {
            let radius_m = fields
                .maybe_number("radius")?
                .map_or(walkon_runtime::world::character::Gait::RADIUS_M, |radius| radius as f32);
            if !(0.05..=10.0).contains(&radius_m) {
                return Err(format!("\"radius\" is {radius_m}, expected 0.05 to 10"));
            }
            let doors = match fields.maybe_text("doors")? {
                None | Some("closed") => Doors::Closed,
                Some("open") => Doors::Open,
                Some(other) => {
                    return Err(format!("\"doors\" is \"{other}\", expected \"closed\" or \"open\""));
                }
            };
            Question::Path(PathTest {
                from: fields.place("from")?,
                to: fields.place("to")?,
                radius_m,
                doors,
                keys: fields.texts("keys")?,
                others: match fields.get("avoidCharacters") {
                    Some(Value::Bool(true)) => OthersAsked::Avoided,
                    _ => OthersAsked::Ignored,
                },
                wishes: client.wishes().clone(),
            })
        }
    })
}

/// The seed of a run that begins again, where one is named.
fn seed(fields: &CommandFields<'_>) -> Result<Option<u64>, String> {
    let seed = fields.maybe_count("seed")?;
    match seed.filter(|seed| *seed > SEED_MAX) {
        Some(seed) => Err(wrong("seed", &json!(seed), &format!("a whole number from 0 to {SEED_MAX}"))),
        None => Ok(seed),
    }
}

/// What is said to the level.
fn input(fields: &CommandFields<'_>) -> Result<Input, String> {
    let said: Vec<_> = INPUTS.into_iter().filter(|(word, _)| is_said(fields, word)).collect();
    if let [(one, _), (other, _), ..] = said[..] {
        return Err(format!("\"{one}\" and \"{other}\" are two inputs, expected a command for each"));
    }
    for (word, own) in said {
        fields.has_only(word, own)?;
    }
    if let Some(name) = fields.maybe_text("event")? {
        let payload = fields.get("payload").map(plain).transpose()?;
        return Ok(Input::Event { name: name.to_owned(), payload });
    }
    if let Some(id) = fields.maybe_text("answer")? {
        return Ok(Input::answer(id, fields.text("option")?));
    }
    let scene = |name: &str| fields.maybe_text(name).map(|scene| scene.map(str::to_owned));
    if fields.has("continue") {
        return Ok(Input::Continue { scene: scene("continue")? });
    }
    if fields.has("skip") {
        return Ok(Input::Skip { scene: scene("skip")? });
    }
    for verb in VERBS {
        if fields.get(verb).is_some() {
            return verb_input(verb, fields);
        }
    }
    let words = INPUTS.map(|(word, _)| word);
    Err(format!("this says nothing to the level: expected one of {}", words.join(", ")))
}

/// The fields that name an input, of which a command has one; each with the fields that say more of it.
const INPUTS: [(&str, &[&str]); 15] = [
    ("event", &["payload"]),
    ("answer", &["option"]),
    ("continue", &[]),
    ("skip", &[]),
    ("walk", &["to"]),
    ("stop", &[]),
    ("teleport", &["to", "facing"]),
    ("spawn", &["at", "behaviour", "params", "tags"]),
    ("remove", &[]),
    ("door", &["order"]),
    ("area", &["available"]),
    ("block", &["at", "radius", "layer"]),
    ("unblock", &[]),
    ("evaluate", &[]),
    ("attend", &[]),
];

/// Whether a command has the field of an input. Null names the scene under way and nothing else.
fn is_said(fields: &CommandFields<'_>, word: &str) -> bool {
    if matches!(word, "continue" | "skip") { fields.has(word) } else { fields.get(word).is_some() }
}

/// What a person can have done in the level, as the fields that name it.
const VERBS: [&str; 11] =
    ["walk", "stop", "teleport", "spawn", "remove", "door", "area", "block", "unblock", "evaluate", "attend"];

fn verb_input(verb: &str, fields: &CommandFields<'_>) -> Result<Input, String> {
    let name = || fields.text(verb).map(str::to_owned);
    Ok(match verb {
        "walk" => Input::Walk { character: name()?, to: goal(fields)? },
        "stop" => Input::Stop { character: name()? },
        "teleport" => Input::Teleport(InputTeleport {
            character: name()?,
            to: fields.place("to")?.to_array(),
            facing_rad: fields.maybe_number("facing")?.map(|facing| facing as f32),
        }),
        "spawn" => Input::Spawn(InputSpawn {
            name: name()?,
            at: fields.place("at")?.to_array(),
            behaviour: fields.maybe_text("behaviour")?.map(str::to_owned),
            params: fields.get("params").map(plain).transpose()?,
            tags: fields.texts("tags")?,
        }),
        "remove" => Input::Remove { character: name()? },
        "door" => Input::Door { door: name()?, order: door_order(fields.text("order")?)? },
        "area" => Input::Area { area: name()?, is_available: fields.truth("available")? },
        "block" => Input::Block {
            name: name()?,
            at: fields.place("at")?.to_array(),
            radius_m: fields.number("radius")? as f32,
            layer: fields.maybe_text("layer")?.map(str::to_owned),
        },
        "unblock" => Input::Unblock { name: name()? },
        "attend" => Input::Attend { is_attended: fields.truth("attend")? },
        _ => Input::Evaluate { text: name()? },
    })
}

fn goal(fields: &CommandFields<'_>) -> Result<InputGoal, String> {
    match fields.get("to") {
        Some(Value::String(name)) => Ok(InputGoal::Named(name.clone())),
        _ => Ok(InputGoal::Point(fields.place("to")?.to_array())),
    }
}

fn door_order(word: &str) -> Result<DoorCommand, String> {
    Ok(match word {
        "open" => DoorCommand::Open,
        "close" => DoorCommand::Close,
        "lock" => DoorCommand::Lock,
        "unlock" => DoorCommand::Unlock,
        other => return Err(unknown("order", other, &["open", "close", "lock", "unlock"])),
    })
}

/// JSON as plain data of scripts.
pub fn plain(value: &Value) -> Result<Plain, String> {
    Ok(match value {
        Value::Null => return Err("a payload has no null in it".to_owned()),
        Value::Bool(flag) => Plain::Bool(*flag),
        Value::Number(number) => Plain::Number(number.as_f64().unwrap_or_default()),
        Value::String(text) => Plain::Text(text.clone()),
        Value::Array(items) => Plain::List(items.iter().map(plain).collect::<Result<_, _>>()?),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| Ok((PlainKey::Name(key.clone()), plain(value)?));
            Plain::Map(entries.iter().map(entry).try_collect_map::<_, _, String>()?)
        }
    })
}
