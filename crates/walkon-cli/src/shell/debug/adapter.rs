//! Answers the requests of debugger clients: one branch for each request.
//!
//! In: requests, a level that stands still. Out: answers, events, orders. Holds: a request is answered once;
//! one that is not known or makes no sense is refused with a sentence; paths are those of the client's disk,
//! files of scripts are below the script folders. Not here: reading and writing messages (`wire`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::game::debugging::unknown_event;
use walkon_runtime::script::debug::{
    Asking, BreakpointState, BreakpointWish, DebugClient, DebugFrame, DebugOrder, FaultStops, HitRule, Page,
    PagePart, Paused, StopReason, Variable,
};
use walkon_runtime::script::vm::fuel::Signals;

use crate::shell::debug::connection::{Connection, command};

/// Where the files of a project lie: the path of each script below the script folders, and that on disk.
pub(super) type ScriptPlaces = BTreeMap<String, PathBuf>;

/// The client's side of one level.
#[derive(Debug)]
pub(super) struct Adapter {
    connection: Arc<Connection>,
    places: ScriptPlaces,
    signals: Arc<Signals>,
    /// What the last fault said, for `exceptionInfo`.
    fault: Option<String>,
}

/// What becomes of a request.
enum RequestOutcome {
    Answer(Value),
    /// Answered, and then the level goes on.
    Order(DebugOrder, Value),
    Refusal(String),
}

impl DebugClient for Adapter {
    fn began(&mut self, at: &Paused<'_>) -> DebugOrder {
        // Whatever comes before the client is ready is said of the first level; later ones are given the
        // same.
        while !self.connection.wanted().is_ready {
            let Some(request) = self.connection.next() else { return self.leave() };
            if self.perform(&request, at) == Some(DebugOrder::Detach) {
                return DebugOrder::Detach;
            }
        }
        if self.connection.flags.has_left.load(Ordering::Relaxed) {
            return self.leave();
        }
        self.set_everything(at);
        let stops = std::mem::take(&mut self.connection.wanted().stops_on_entry);
        if stops { self.stopped(&StopReason::Entry, at) } else { DebugOrder::Continue }
    }

    fn is_pause_asked(&self) -> bool {
        self.connection.pauses().is_asked()
    }

    fn stopped(&mut self, why: &StopReason, at: &Paused<'_>) -> DebugOrder {
        let mut held = self.connection.answer_pauses();
        if self.connection.is_ending() {
            self.connection.put_back(held);
            return DebugOrder::Detach;
        }
        self.fault = match why {
            StopReason::Fault(message) => Some(message.clone()),
            _ => None,
        };
        self.connection.event("stopped", stopped(why, at.running_thread()));
        loop {
            // What came while code ran comes first.
            let next = held.pop_front().or_else(|| self.connection.next());
            let Some(request) = next else { return self.leave() };
            if let Some(order) = self.perform(&request, at) {
                self.connection.put_back(held);
                return order;
            }
            // It stands still already.
            let pauses = self.connection.pauses();
            pauses.take(pauses.answered());
        }
    }

    fn wants_to_look(&self) -> bool {
        self.connection.has_more() || self.connection.flags.has_left.load(Ordering::Relaxed)
    }

    fn between_ticks(&mut self, at: &Paused<'_>) -> DebugOrder {
        while let Some(request) = self.connection.come() {
            let goes_on = matches!(command(&request), "continue" | "next" | "stepIn" | "stepOut");
            if goes_on {
                self.connection.fail(&request, "the level runs");
            } else if self.perform(&request, at) == Some(DebugOrder::Detach) {
                return DebugOrder::Detach;
            }
        }
        let has_left = self.connection.flags.has_left.load(Ordering::Relaxed);
        if has_left { self.leave() } else { DebugOrder::Continue }
    }

    fn told(&mut self, text: &str, file: &str, line: u32) {
        let line = self.line_of_client(line);
        self.connection.event(
            "output",
            json!({ "category": "console", "output": format!("{text}\n"), "source": self.source(file), "line": line }),
        );
    }

    fn moved(&mut self, breakpoints: &[BreakpointState]) {
        for state in breakpoints {
            let breakpoint = self.breakpoint(state);
            self.connection.event("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint }));
        }
    }

    fn disturbed(&mut self) {
        if self.connection.wanted().told_of.insert("disturbed".to_owned()) {
            self.connection.output(
                "important",
                "the run is not repeatable any more: an evaluated text was allowed to change it",
            );
        }
    }
}

fn stopped(why: &StopReason, thread: u64) -> Value {
    let (reason, more) = match why {
        StopReason::Entry => ("entry", json!({})),
        StopReason::Breakpoint(ids) => {
            let ids: BTreeSet<_> = ids.iter().collect_set();
            ("breakpoint", json!({ "hitBreakpointIds": ids }))
        }
        StopReason::Step => ("step", json!({})),
        StopReason::Pause => ("pause", json!({})),
        StopReason::Fault(message) => ("exception", json!({ "description": "fault", "text": message })),
        StopReason::Event { name, what } => {
            ("function breakpoint", json!({ "description": format!("{name}: {what}"), "text": what }))
        }
    };
    let mut body = json!({ "reason": reason, "threadId": thread, "allThreadsStopped": true });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

impl Adapter {
    pub(super) fn new(connection: Arc<Connection>, places: ScriptPlaces, signals: Arc<Signals>) -> Self {
        Self { connection, places, signals, fault: None }
    }

    /// The client is gone: a level that it has launched ends with it, one that it was attached to goes on. A
    /// signal ends either, and is no wish of the client.
    fn leave(&self) -> DebugOrder {
        if self.connection.is_interrupted() {
            self.signals.stop();
        } else if !self.connection.wanted().is_attached {
            self.end();
        }
        DebugOrder::Detach
    }

    fn end(&self) {
        self.connection.flags.is_ending.store(true, Ordering::Relaxed);
        self.signals.stop();
    }

    fn set_everything(&self, at: &Paused<'_>) {
        let wanted = self.connection.wanted();
        at.stop_at_events(wanted.events.clone());
        at.stop_at_faults(if wanted.stops_at_faults { FaultStops::Every } else { FaultStops::Never });
        for (file, wishes) in &wanted.breakpoints {
            let _ = at.set_breakpoints(file, wishes.clone());
        }
    }

    /// Answers a request. Gives how the level goes on, if it does.
    fn perform(&mut self, request: &Value, at: &Paused<'_>) -> Option<DebugOrder> {
        if command(request) == "initialize" {
            self.connection.greet(request);
            return None;
        }
        match self.answer(request, at) {
            RequestOutcome::Answer(body) => self.connection.answer(request, body),
            RequestOutcome::Refusal(why) => self.connection.fail(request, &why),
            RequestOutcome::Order(order, body) => {
                self.connection.answer(request, body);
                return Some(order);
            }
        }
        None
    }

    fn answer(&mut self, request: &Value, at: &Paused<'_>) -> RequestOutcome {
        let given = &request["arguments"];
        let goes_on = || json!({ "allThreadsContinued": true });
        match command(request) {
            "launch" | "attach" => {
                let mut wanted = self.connection.wanted();
                wanted.is_attached = command(request) == "attach";
                wanted.stops_on_entry = given["stopOnEntry"].as_bool().unwrap_or(false);
                RequestOutcome::Answer(json!({}))
            }
            "configurationDone" => {
                self.connection.wanted().is_ready = true;
                RequestOutcome::Answer(json!({}))
            }
            "setBreakpoints" => self.set_breakpoints(given, at),
            "setFunctionBreakpoints" => self.set_event_stops(given, at),
            "setExceptionBreakpoints" => self.set_fault_stops(given, at),
            "breakpointLocations" => self.locations(given, at),
            "threads" => {
                let threads = at.threads().into_iter();
                let threads = threads.map(|thread| json!({ "id": thread.id, "name": thread.name }));
                RequestOutcome::Answer(json!({ "threads": threads.collect::<Vec<_>>() }))
            }
            "stackTrace" => self.stack(given, at),
            "scopes" => scopes(given, at),
            "variables" => variables(given, at),
            "evaluate" => evaluate(given, at),
            "exceptionInfo" => self.fault_info(),
            "source" => self.text(given, at),
            "loadedSources" => {
                let sources: Vec<Value> = at.files().iter().map(|file| self.source(file)).collect();
                RequestOutcome::Answer(json!({ "sources": sources }))
            }
            "next" | "stepIn" | "stepOut" if !is_thread(given, at) => {
                RequestOutcome::Refusal(format!("unknown thread {}", given["threadId"]))
            }
            "continue" => RequestOutcome::Order(DebugOrder::Continue, goes_on()),
            "next" => RequestOutcome::Order(DebugOrder::StepOver, json!({})),
            "stepIn" => RequestOutcome::Order(DebugOrder::StepIn, json!({})),
            "stepOut" => RequestOutcome::Order(DebugOrder::StepOut, json!({})),
            "pause" => {
                self.connection.pauses().answer();
                RequestOutcome::Answer(json!({}))
            }
            "terminate" => {
                self.end();
                RequestOutcome::Order(DebugOrder::Detach, json!({}))
            }
            "disconnect" => self.disconnect(given),
            other => RequestOutcome::Refusal(format!("unknown request \"{other}\"")),
        }
    }

    /// The client leaves; the run ends with it, unless it was attached to or the client wants otherwise.
    fn disconnect(&self, given: &Value) -> RequestOutcome {
        let ends = given["terminateDebuggee"].as_bool();
        if ends.unwrap_or(!self.connection.wanted().is_attached) {
            self.end();
        } else {
            self.connection.flags.has_left.store(true, Ordering::Relaxed);
        }
        RequestOutcome::Order(DebugOrder::Detach, json!({}))
    }

    fn line_of_client(&self, line: u32) -> u32 {
        line_of_client(line, self.connection.wanted().first_line)
    }

    fn line_of_script(&self, line: &Value) -> u32 {
        line_of_script(line, self.connection.wanted().first_line)
    }

    /// The script of a `source`: by its path on disk, else by its name below the script folders.
    fn file_of(&self, source: &Value, at: &Paused<'_>) -> Option<String> {
        if let Some(path) = source["path"].as_str() {
            let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let asked = whole(Path::new(path));
            let found = self.places.iter().find(|(_, place)| whole(place) == asked);
            return found.map(|(file, _)| file.clone()).or_else(|| {
                // A file that came while the level ran.
                at.files().into_iter().find(|file| asked.ends_with(PathBuf::from(file)))
            });
        }
        let number = source["sourceReference"].as_u64().filter(|number| *number > 0);
        let by_number = number.and_then(|number| at.files().into_iter().nth(number as usize - 1));
        by_number.or_else(|| source["name"].as_str().map(str::to_owned))
    }

    fn source(&self, file: &str) -> Value {
        match self.places.get(file) {
            Some(place) => json!({ "name": file, "path": place.display().to_string() }),
            None => json!({ "name": file }),
        }
    }

    fn breakpoint(&self, state: &BreakpointState) -> Value {
        json!({
            "id": state.id, "verified": state.trouble.is_none(), "line": self.line_of_client(state.line),
            "message": state.trouble, "source": self.source(&state.file),
        })
    }

    fn set_breakpoints(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let asked = given["breakpoints"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(file) = self.file_of(&given["source"], at) else {
            let one = json!({ "verified": false, "message": "no script of this project" });
            return RequestOutcome::Answer(json!({ "breakpoints": vec![one; asked.len()] }));
        };
        let mut wishes = Vec::new();
        let mut refused = Vec::new();
        for (place, one) in asked.iter().enumerate() {
            let line = self.line_of_script(&one["line"]);
            match wish(one, line, self.connection.wanted().number_of(&file, line)) {
                Ok(wish) => wishes.push(wish),
                Err(why) => refused.push((place, json!({ "verified": false, "message": why }))),
            }
        }
        self.connection.wanted().breakpoints.insert(file.clone(), wishes.clone());
        let states = at.set_breakpoints(&file, wishes);
        let mut answers: Vec<Value> = states.iter().map(|state| self.breakpoint(state)).collect();
        for (place, refusal) in refused {
            answers.insert(place.min(answers.len()), refusal);
        }
        RequestOutcome::Answer(json!({ "breakpoints": answers }))
    }

    fn set_event_stops(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let asked = given["breakpoints"].as_array().map_or(&[][..], Vec::as_slice);
        let names: Vec<String> =
            asked.iter().map(|one| one["name"].as_str().unwrap_or_default().trim().to_owned()).collect();
        let answers: Vec<Value> = names.iter().map(|name| event_stop(name)).collect();
        self.connection.wanted().events = names.into_iter().collect();
        at.stop_at_events(self.connection.wanted().events.clone());
        RequestOutcome::Answer(json!({ "breakpoints": answers }))
    }

    fn set_fault_stops(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let filters = given["filters"].as_array().map_or(&[][..], Vec::as_slice);
        let stops = filters.iter().any(|filter| filter == "faults");
        self.connection.wanted().stops_at_faults = stops;
        at.stop_at_faults(if stops { FaultStops::Every } else { FaultStops::Never });
        RequestOutcome::Answer(json!({}))
    }

    fn locations(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let file = self.file_of(&given["source"], at);
        let lines = file.and_then(|file| at.lines_of(&file)).unwrap_or_default();
        let first = self.line_of_script(&given["line"]);
        let last = if given["endLine"].is_u64() { self.line_of_script(&given["endLine"]) } else { first };
        let found = if first <= last { lines.range(first..=last) } else { lines.range(first..first) };
        let found: Vec<Value> = found.map(|line| json!({ "line": self.line_of_client(*line) })).collect();
        RequestOutcome::Answer(json!({ "breakpoints": found }))
    }

    fn stack(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let frames = at.frames(given["threadId"].as_u64().unwrap_or(0));
        let (start, most) = (count(&given["startFrame"]).unwrap_or(0), count(&given["levels"]));
        let most = most.filter(|most| *most > 0).unwrap_or(usize::MAX);
        let shown: Vec<Value> = frames.iter().skip(start).take(most).map(|frame| self.frame(frame)).collect();
        RequestOutcome::Answer(json!({ "stackFrames": shown, "totalFrames": frames.len() }))
    }

    fn frame(&self, frame: &DebugFrame) -> Value {
        json!({
            "id": frame.id, "name": frame.function, "line": self.line_of_client(frame.line), "column": 1,
            "source": self.source(&frame.file),
        })
    }

    fn fault_info(&self) -> RequestOutcome {
        match &self.fault {
            Some(message) => RequestOutcome::Answer(json!({
                "exceptionId": "fault", "description": message, "breakMode": "unhandled",
            })),
            None => RequestOutcome::Refusal("no fault has stopped the level".to_owned()),
        }
    }

    fn text(&self, given: &Value, at: &Paused<'_>) -> RequestOutcome {
        let source = if given["source"].is_object() { &given["source"] } else { given };
        match self.file_of(source, at).and_then(|file| at.text_of(&file)) {
            Some(text) => RequestOutcome::Answer(json!({ "content": text, "mimeType": "text/x-lua" })),
            None => RequestOutcome::Refusal("no script of this level".to_owned()),
        }
    }
}

/// A line of a script as a client counts it whose first line has that number.
fn line_of_client(line: u32, first: u32) -> u32 {
    line.saturating_add(first).saturating_sub(1)
}

/// A line of such a client as scripts count it, from 1.
fn line_of_script(line: &Value, first: u32) -> u32 {
    let line = u32::try_from(line.as_u64().unwrap_or(0)).unwrap_or(u32::MAX);
    line.saturating_add(1).saturating_sub(first)
}

fn count(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|count| usize::try_from(count).ok())
}

fn wish(one: &Value, line: u32, id: u64) -> Result<BreakpointWish, String> {
    let text = |key: &str| one[key].as_str().filter(|text| !text.trim().is_empty());
    Ok(BreakpointWish {
        id,
        line,
        condition: text("condition").map(str::to_owned),
        hits: text("hitCondition").map(HitRule::parse).transpose()?,
        log: text("logMessage").map(str::to_owned),
    })
}

fn event_stop(name: &str) -> Value {
    match unknown_event(name) {
        Some(why) => json!({ "verified": false, "message": why }),
        None => json!({ "verified": true }),
    }
}

/// Whether a request names a thread that is there, or none.
fn is_thread(given: &Value, at: &Paused<'_>) -> bool {
    let named = &given["threadId"];
    named.is_null() || at.threads().iter().any(|thread| *named == thread.id)
}

fn scopes(given: &Value, at: &Paused<'_>) -> RequestOutcome {
    let scopes = at.scopes(given["frameId"].as_u64().unwrap_or(0)).into_iter().map(|scope| {
        let hint = (scope.name == "Locals").then_some("locals");
        json!({
            "name": scope.name, "variablesReference": scope.reference, "namedVariables": scope.named,
            "expensive": false, "presentationHint": hint,
        })
    });
    RequestOutcome::Answer(json!({ "scopes": scopes.collect::<Vec<_>>() }))
}

fn variables(given: &Value, at: &Paused<'_>) -> RequestOutcome {
    let part = match given["filter"].as_str() {
        Some("indexed") => PagePart::Indexed,
        Some("named") => PagePart::Named,
        _ => PagePart::All,
    };
    let most = count(&given["count"]).filter(|most| *most > 0);
    let page = Page { part, start: count(&given["start"]).unwrap_or(0), count: most };
    let found = at.variables(given["variablesReference"].as_u64().unwrap_or(0), page);
    let shown: Vec<Value> = found.iter().map(variable).collect();
    RequestOutcome::Answer(json!({ "variables": shown }))
}

fn variable(one: &Variable) -> Value {
    json!({
        "name": one.name, "value": one.value, "type": one.kind, "variablesReference": one.reference,
        "indexedVariables": one.indexed, "namedVariables": one.named,
    })
}

/// A text behind `!` may change what it likes.
fn evaluate(given: &Value, at: &Paused<'_>) -> RequestOutcome {
    let text = given["expression"].as_str().unwrap_or_default().trim();
    let is_typed = matches!(given["context"].as_str(), Some("repl") | None);
    let (text, asking) = match text.strip_prefix('!') {
        Some(text) if is_typed => (text, Asking::Acts),
        _ => (text, Asking::Looks),
    };
    let frame = given["frameId"].as_u64().filter(|frame| *frame > 0);
    match at.evaluate(frame, text.trim(), asking) {
        Ok(one) => RequestOutcome::Answer(json!({
            "result": one.value, "type": one.kind, "variablesReference": one.reference,
            "indexedVariables": one.indexed, "namedVariables": one.named,
        })),
        Err(why) => RequestOutcome::Refusal(why),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::shell::debug::adapter::{line_of_client, line_of_script};

    #[test]
    fn lines_are_counted_as_the_client_does_also_those_that_no_script_has() {
        for (first, line, of_script) in [(1, 7, 7), (0, 7, 8), (1, 0, 0), (0, 0, 1)] {
            assert_eq!(line_of_script(&json!(line), first), of_script);
        }
        assert_eq!((line_of_client(7, 1), line_of_client(7, 0), line_of_client(0, 0)), (7, 6, 0));
        for line in [u64::from(u32::MAX) - 1, u64::from(u32::MAX), u64::MAX] {
            for first in [0, 1] {
                assert!(line_of_script(&json!(line), first) >= u32::MAX - 1, "{line} from {first}");
            }
        }
        assert!(line_of_client(u32::MAX, 1) >= u32::MAX - 1);
    }
}
