//! A debugged run is a run.
//!
//! Goal: nobody debugs another level than the one that runs. Method: levels of the project run without a
//! debugger, under one that never stops, and under one that stops at every line it can, steps in all ways,
//! looks at everything and evaluates texts; all three write the same trace, hash by hash, and their calls
//! cost the same.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::debug::{
    Asking, BreakpointState, BreakpointWish, DebugClient, DebugOrder, Debugger, FaultStops, HitRule, Page,
    Paused, StopReason,
};
use walkon_runtime::script::state::profile::ProfileSetup;

/// What a client saw.
#[derive(Debug, Default)]
struct Seen {
    stops: u64,
    values: u64,
    answers: u64,
    told: u64,
    lines: BTreeSet<(String, u32)>,
}

/// A client that stops wherever it can and looks at everything.
#[derive(Debug)]
struct Curious {
    seen: Rc<RefCell<Seen>>,
    /// It goes on alone after so many stops.
    stops_max: u64,
    /// Breakpoints are set at all lines of all files.
    is_everywhere: bool,
}

/// What it asks in every frame: what exists, what does not, what would change something.
const QUESTIONS: [&str; 12] = [
    "self and self.state",
    "self.character.position",
    "self.character:walkTo(1, 1)",
    "state.stolen = 1",
    "math.random()",
    "table.insert(state, 5)",
    "(function() for k, v in pairs(self) do self[k] = nil end end)()",
    "self.rng:int(1, 6)",
    "level.finish({ ok = true })",
    "nosuch.thing",
    "task.sleep(1)",
    "string.rep('x', 100000)",
];

impl DebugClient for Curious {
    fn began(&mut self, at: &Paused<'_>) -> DebugOrder {
        at.stop_at_faults(FaultStops::Every);
        at.stop_at_events(["door.changed", "walk.settled"].map(str::to_owned).into());
        for file in at.files() {
            let lines = at.lines_of(&file).unwrap_or_default();
            let wish =
                |(id, line): (usize, u32)| BreakpointWish { id: id as u64, line, ..Default::default() };
            let mut wishes: Vec<_> = lines.into_iter().enumerate().map(wish).collect();
            for (at, wish) in wishes.iter_mut().enumerate() {
                match at % 5 {
                    1 => wish.condition = Some("1 > 2 or self.state.never".to_owned()),
                    2 => wish.log = Some("line {self} {level.tick}".to_owned()),
                    3 => wish.hits = Some(HitRule::Every(7)),
                    _ => {}
                }
            }
            if self.is_everywhere {
                let states = at.set_breakpoints(&file, wishes);
                assert!(states.iter().all(|state| state.trouble.is_none()), "{states:?}");
            }
        }
        DebugOrder::Continue
    }

    fn is_pause_asked(&self) -> bool {
        // Now and then, wherever code is.
        self.is_everywhere && self.seen.borrow().stops % 10 == 3
    }

    fn stopped(&mut self, _: &StopReason, at: &Paused<'_>) -> DebugOrder {
        let mut seen = self.seen.borrow_mut();
        seen.stops += 1;
        let threads = at.threads();
        assert!(threads.iter().any(|thread| thread.id == at.running_thread()), "{threads:?}");
        for thread in threads.iter().take(4) {
            for frame in at.frames(thread.id).iter().take(3) {
                seen.lines.insert((frame.file.clone(), frame.line));
                for scope in at.scopes(frame.id) {
                    for variable in at.variables(scope.reference, Page::default()) {
                        seen.values += 1;
                        if variable.reference > 0 {
                            seen.values += at.variables(variable.reference, Page::default()).len() as u64;
                        }
                    }
                }
                let question = QUESTIONS[seen.stops as usize % QUESTIONS.len()];
                seen.answers += u64::from(at.evaluate(Some(frame.id), question, Asking::Looks).is_ok());
            }
        }
        if seen.stops >= self.stops_max {
            return DebugOrder::Detach;
        }
        let orders = [DebugOrder::StepIn, DebugOrder::StepOver, DebugOrder::StepOut, DebugOrder::Continue];
        orders[(seen.stops / 3) as usize % 4]
    }

    fn wants_to_look(&self) -> bool {
        true
    }

    fn between_ticks(&mut self, at: &Paused<'_>) -> DebugOrder {
        let _ = at.threads();
        let _ = at.evaluate(None, "level.tick + 1", Asking::Looks);
        DebugOrder::Continue
    }

    fn told(&mut self, _: &str, _: &str, _: u32) {
        self.seen.borrow_mut().told += 1;
    }

    fn moved(&mut self, _: &[BreakpointState]) {}

    fn disturbed(&mut self) {
        panic!("nothing was let change the run");
    }
}

/// A client that never stops.
#[derive(Debug)]
struct Quiet;

impl DebugClient for Quiet {
    fn began(&mut self, _: &Paused<'_>) -> DebugOrder {
        DebugOrder::Continue
    }

    fn is_pause_asked(&self) -> bool {
        false
    }

    fn stopped(&mut self, why: &StopReason, _: &Paused<'_>) -> DebugOrder {
        panic!("it asked for no stop: {why:?}");
    }

    fn wants_to_look(&self) -> bool {
        false
    }

    fn between_ticks(&mut self, _: &Paused<'_>) -> DebugOrder {
        DebugOrder::Continue
    }

    fn told(&mut self, _: &str, _: &str, _: u32) {}

    fn moved(&mut self, _: &[BreakpointState]) {}

    fn disturbed(&mut self) {}
}

/// The trace of a level of the project, and what its calls have cost.
fn trace(source: &MemorySource, name: &str, ticks: u64, debugger: Option<Debugger>) -> Vec<String> {
    let level = load(&format!("{name}.json"), source).unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
    let scripts = crate::level::levels::scripts();
    let profile = ProfileSetup { sample_every: ProfileSetup::SAMPLE_EVERY, ..ProfileSetup::default() };
    let setup = Setup {
        scripts,
        debugger,
        recorder: Recorder::new(options),
        profile: Some(profile),
        ..Setup::default()
    };
    let mut game = Game::load(level, setup).unwrap();
    let mut lines = game.start_facts().lines;
    for _ in 0..ticks {
        lines.extend(game.tick(&[]).lines);
    }
    lines.extend(game.end().lines);
    lines.push(format!("{:016x} {:?}", game.fingerprint().whole(), game.world().path_counts()));
    assert!(game.is_reproducible());
    let profile = game.profile().unwrap();
    lines.extend(profile.calls.iter().map(|call| format!("{call:?}")));
    let mut stacks = profile.stacks.keys();
    let asked = stacks.find(|stack| stack.frames.iter().any(|frame| frame.file == "question"));
    assert_eq!(asked, None, "{name}: questions cost nothing");
    lines
}

fn assert_same(name: &str, plain: &[String], debugged: &[String]) {
    for (at, (one, other)) in plain.iter().zip(debugged).enumerate() {
        assert_eq!(one, other, "{name}: line {at} of the trace");
    }
    assert_eq!(plain.len(), debugged.len(), "{name}");
}

/// Levels that are stopped at every line, with the ticks that they run.
const STOPPED: [(&str, u64); 6] = [
    ("courtyard", 1800),
    ("house", 900),
    ("tavern", 600),
    ("arena", 300),
    ("tower", 300),
    ("hamlet_night", 300),
];

#[test]
fn a_debugged_run_is_a_run() {
    let source = crate::level::levels::levels();
    // Of some levels there is little to see: what counts is what is seen of all together.
    let mut all = Seen::default();
    for (name, ticks) in STOPPED {
        let plain = trace(&source, name, ticks, None);
        assert_same(name, &plain, &trace(&source, name, ticks, Some(Debugger::new(Box::new(Quiet)))));
        for is_everywhere in [false, true] {
            let seen = Rc::new(RefCell::new(Seen::default()));
            let client = Curious { seen: Rc::clone(&seen), stops_max: 1500, is_everywhere };
            let debugged = trace(&source, name, ticks, Some(Debugger::new(Box::new(client))));
            assert_same(name, &plain, &debugged);
            let mut seen = seen.borrow_mut();
            assert!(seen.stops > 0, "{name}: {seen:?}");
            if is_everywhere {
                assert!(seen.values > 100 && seen.lines.len() > 10, "{name}: {seen:?}");
            }
            all.stops += seen.stops;
            all.values += seen.values;
            all.answers += seen.answers;
            all.told += seen.told;
            all.lines.append(&mut seen.lines);
        }
    }
    let Seen { stops, values, answers, told, lines } = all;
    let what =
        format!("{stops} stops, {values} values, {answers} answers, {told} told, {} lines", lines.len());
    assert!(stops > 1000 && values > 50_000 && answers > 1000 && told > 100 && lines.len() > 150, "{what}");
}

#[test]
fn every_level_runs_the_same_with_names_for_a_debugger() {
    let source = crate::level::levels::levels();
    let names = crate::level::levels::shipped();
    for name in names.iter().filter(|name| STOPPED.iter().all(|(stopped, _)| stopped != name)) {
        // Ten thousand trees take long.
        let ticks = if name == "town_trees" { 5 } else { 200 };
        let plain = trace(&source, name, ticks, None);
        assert_same(name, &plain, &trace(&source, name, ticks, Some(Debugger::new(Box::new(Quiet)))));
    }
}
