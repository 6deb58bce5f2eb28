//! Orders of the host to scenes, and skipped scenes: they run on after step 12, within the tick.
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
use crate::world::owner::Owner;
use crate::world::scene_fast_forward::FastForward;

/// Stretches of scenes in a tick. Each ends with something told or a wait that is over; a scene of minutes
/// has a hundred.
const ROUNDS_MAX: u32 = 4096;

/// Steps of single bodies that scenes may pass over in a tick: nearly three minutes of five walkers. At a few
/// microseconds each they cost less than a blink. A scene that is longer goes on being skipped in the next
/// tick, where the crowd's steps begin at other moments.
const STEPS_MAX: u64 = 30_000;

/// Hands scenes what the host says to them: answers, "go on", "skip".
pub(crate) fn hear(scripts: &mut ScriptHost, inputs: &[Input]) {
    for input in inputs {
        match input {
            Input::Answer { id, option } => scripts.answer(id, option),
            Input::Continue { scene } => scripts.continue_line(scene.as_deref()),
            Input::Skip { scene } => {
                scripts.skip(scene.as_deref());
            }
            Input::Attend { is_attended } => scripts.attend(*is_attended),
            _ => {}
        }
    }
}

/// Lets scenes that are skipped run on.
pub(crate) fn run(world: &mut World, scripts: &mut ScriptHost) {
    let mut rushes: BTreeMap<Owner, FastForward> = BTreeMap::new();
    rush_on(world, scripts, &mut rushes);
    for rush in rushes.values() {
        sim::scene_fast_forward::land(world, rush);
    }
}

fn rush_on(world: &mut World, scripts: &mut ScriptHost, rushes: &mut BTreeMap<Owner, FastForward>) {
    let mut steps_left = STEPS_MAX;
    // Ticks that have passed for each scene.
    let mut passed_ticks: BTreeMap<Owner, u64> = BTreeMap::new();
    for _ in 0..ROUNDS_MAX {
        let Some(rush) = scripts.next_rush(world) else {
            return;
        };
        let ticks = passed_ticks.entry(rush.owner).or_default();
        let passed = sim::scene_fast_forward::run(world, &rush, *ticks, &mut steps_left);
        *ticks += passed.ticks;
        scripts.pass(world, &rush, passed.ticks);
        if passed.has_begun {
            sim::scene_fast_forward::finish(world, &rush, *ticks);
        }
        scripts.dispatch(world);
        rushes.insert(rush.owner, rush);
        if steps_left == 0 {
            return;
        }
    }
}
