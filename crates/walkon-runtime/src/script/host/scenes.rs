//! Orders of the host to scenes: answers, "go on", "skip"; and the stretches that a skipped scene passes
//! over.
//!
//! In: orders of the host; the world, borrowed to read. Out: work for the next step 12; the next stretch. Not
//! here: the loop over the stretches (`game::skipping`), lines and choices (`dialogue`), how a scene is
//! skipped (`skipping`).

use crate::script::host::ScriptHost;
use crate::script::step::dialogue::none_of;
use crate::script::step::{dialogue, skipping};
use crate::script::vm::shown_names::shorten;
use crate::script::vm::store;
use crate::world::World;
use crate::world::scene_fast_forward::{FastForward, Passed};

impl ScriptHost {
    /// Answers the choice of that id under way, and every later one of it. An answer that is none of its
    /// options is not taken.
    ///
    /// # Errors
    /// A sentence: the choice under way has no such option.
    pub fn answer(&mut self, id: &str, option: &str) -> Result<(), String> {
        dialogue::answer(self.vm.lua(), id, option)
    }

    /// The line under way is over: in the scene of that name, or in every one.
    ///
    /// # Errors
    /// A sentence: no such line is under way.
    pub fn continue_line(&mut self, scene: Option<&str>) -> Result<(), String> {
        dialogue::go_on(self.vm.lua(), scene)
    }

    /// From now on choices wait for a person to answer them, or take their defaults. A choice that is under
    /// way ends as it began.
    pub fn attend(&mut self, is_attended: bool) {
        store::with(self.vm.lua(), |runtime| runtime.cinematics.answers.is_interactive = is_attended);
    }

    /// Skips the running scene of that name, or the oldest.
    ///
    /// # Errors
    /// A sentence: no such scene runs, or it may not be skipped.
    pub fn skip(&mut self, scene: Option<&str>) -> Result<(), String> {
        let lua = self.vm.lua();
        let found = store::with(lua, |runtime| {
            let scenes = &runtime.cinematics.scenes;
            scenes.running(scene).map(|id| (id, scenes.name(id).map(shorten).unwrap_or_default()))
        });
        match found {
            Some((id, _)) if skipping::ask(lua, id) => Ok(()),
            Some((_, name)) => Err(format!("the scene \"{name}\" may not be skipped")),
            None => Err(format!("{} runs", none_of("scene", scene))),
        }
    }

    /// The next stretch of a skipped scene; none when nothing is skipped, or when the rest needs game time or
    /// the fuel of the next tick.
    pub fn next_fast_forward(&mut self, world: &mut World) -> Option<FastForward> {
        if !store::with(self.vm.lua(), |runtime| runtime.cinematics.scenes.has_fast_forward()) {
            return None;
        }
        self.phase(world, 12, skipping::next)
    }

    /// A stretch has passed for its scene. Whether code ran, but for predicates that said what they had said
    /// before.
    pub fn pass(&mut self, world: &mut World, forward: &FastForward, passed: Passed) -> bool {
        self.phase(world, 3, |vm| skipping::pass(vm, &forward.owners, passed))
    }
}
