//! Orders of the host to scenes, and skipped scenes, which run on after step 12 within the tick.
//!
//! In: the world, the scripts. Out: both, as they are after the scene, or after the part of it that fits into
//! a tick. Holds: bounded by the fuel of scripts, by [`ROUNDS_MAX`] and by [`STEPS_MAX`]; the rest waits for
//! the next tick. Not here: which code runs next (`script::step::skipping`), how the stretch
//! passes (`sim::scene_fast_forward`).

use std::collections::BTreeMap;

use crate::game::inputs::Input;
use crate::script::host::ScriptHost;
use crate::sim;
use crate::world::World;
use crate::world::event::Fact;
use crate::world::owner::Owner;
use crate::world::scene_fast_forward::{FastForward, SkipProgress};

/// Stretches of scenes in a tick. Each ends with something told or a wait that is over; a scene of minutes
/// has a hundred.
const ROUNDS_MAX: u32 = 4096;

/// Steps of single bodies that scenes may pass over in a tick: a minute of four walkers who are alone. At
/// five to seven microseconds each, in crowds and on every kind of map, they cost less than a tenth of a
/// second. A scene that is longer goes on being skipped in the next tick, where the crowd's steps begin at
/// other moments.
const STEPS_MAX: u64 = 12_000;

/// Hands scenes what the host says to them: answers, "go on", "skip". What cannot be carried out changes
/// nothing, and a fact says why.
pub(crate) fn apply(world: &mut World, scripts: &mut ScriptHost, inputs: &[Input]) {
    for input in inputs {
        let done = match input {
            Input::Answer { id, option } => scripts.answer(id, option),
            Input::Continue { scene } => scripts.continue_line(scene.as_deref()),
            Input::Skip { scene } => scripts.skip(scene.as_deref()),
            Input::Attend { is_attended } => {
                scripts.attend(*is_attended);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(why) = done {
            world.events.push(Fact::InputRefused { what: input.kind(), why });
        }
    }
}

/// Lets scenes that are skipped run on.
pub(crate) fn run(world: &mut World, scripts: &mut ScriptHost) {
    let mut fast_forwards: BTreeMap<Owner, FastForward> = BTreeMap::new();
    fast_forward(world, scripts, &mut fast_forwards);
    for forward in fast_forwards.values() {
        sim::scene_fast_forward::land(world, forward);
    }
}

fn fast_forward(
    world: &mut World,
    scripts: &mut ScriptHost,
    fast_forwards: &mut BTreeMap<Owner, FastForward>,
) {
    let mut steps_left = STEPS_MAX;
    let mut progress_of: BTreeMap<Owner, SkipProgress> = BTreeMap::new();
    for _ in 0..ROUNDS_MAX {
        let Some(forward) = scripts.next_fast_forward(world) else {
            return;
        };
        let progress = progress_of.entry(forward.root()).or_default();
        let passed = sim::scene_fast_forward::run(world, &forward, *progress, &mut steps_left);
        progress.ticks += passed.ticks;
        let mut is_quiet = passed.is_quiet;
        is_quiet &= !scripts.pass(world, &forward, passed);
        if passed.has_begun {
            let ticks = progress.ticks;
            is_quiet &= !sim::scene_fast_forward::finish(world, &forward, ticks, &mut steps_left);
        }
        is_quiet &= !scripts.dispatch(world);
        let quiet_ticks = passed.ticks + u64::from(forward.asks_on());
        progress.quiet_ticks = if is_quiet { progress.quiet_ticks + quiet_ticks } else { 0 };
        fast_forwards.insert(forward.root(), forward);
        if steps_left == 0 {
            return;
        }
    }
}
