//! The runtime: one level, its world, and the tick.
//!
//! In: a level, inputs of the host. Out: the world one tick later, facts, a hash. Holds: the tick is the
//! list in [`Game::tick`], in that order, and nothing else changes the world. Not here: clocks, files,
//! threads; the game neither sleeps nor prints.

pub mod headless;
pub mod inputs;
pub mod line;
pub mod narrate;
pub mod recorder;

use crate::game::inputs::Input;
use crate::game::recorder::{Recorded, Recorder};
pub use crate::script::bind::level::LevelOutcome;
use crate::script::host::{ScriptHost, StartError};
use crate::sim;
use crate::world::World;
use crate::world::fingerprint::{self, Fingerprint};
use crate::world::ops::walks;

/// A level that runs.
pub struct Game {
    world: World,
    scripts: Option<ScriptHost>,
    recorder: Recorder,
}

impl Game {
    /// A game about a world, without scripts.
    #[must_use]
    pub fn new(world: World, recorder: Recorder) -> Self {
        Self { world, scripts: None, recorder }
    }

    /// A game about a world with its scripts, at tick 0: behaviours are attached, `onStart` has run.
    ///
    /// # Errors
    /// When the parameters of a behaviour are wrong.
    pub fn with_scripts(
        mut world: World,
        mut scripts: ScriptHost,
        recorder: Recorder,
    ) -> Result<Self, StartError> {
        scripts.start(&mut world)?;
        Ok(Self { world, scripts: Some(scripts), recorder })
    }

    /// The world, for questions.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for verbs of the host between ticks (`world::ops`).
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Advances the level by one tick and returns what happened. The order is part of the API (house.md, section 5).
    pub fn tick(&mut self, inputs: &[Input]) -> Recorded {
        let world = &mut self.world;
        world.tick = world.tick.after(1);
        inputs::run(world, inputs); // 1
        // 2 reload
        if let Some(scripts) = &mut self.scripts {
            scripts.scripts(world); // 3
        }
        sim::doors::run(world); // 4
        sim::edits::run(world); // 5
        sim::paths::run(world); // 6
        sim::follow::run(world); // 7
        // 8 avoid
        sim::integrate::run(world); // 9
        sim::arrivals::run(world); // 10
        sim::regions::run(world); // 11
        match &mut self.scripts {
            Some(scripts) => scripts.dispatch(world), // 12
            None => drain(world),
        }
        let facts = self.recorder.collect(world);
        let culled = sim::cull::run(world); // 13
        if let Some(scripts) = &mut self.scripts {
            scripts.culled(&culled.characters, &culled.walks);
        }
        let fingerprint = self.fingerprint();
        self.recorder.record(&self.world, facts, fingerprint) // 14
    }

    /// The facts of tick 0: who stands where. To be taken once, before the first tick.
    pub fn start_facts(&mut self) -> Recorded {
        self.recorder.collect(&mut self.world)
    }

    /// Ends the level: every open walk settles, and what happened then is returned.
    pub fn end(&mut self) -> Recorded {
        match &mut self.scripts {
            Some(scripts) => scripts.end(&mut self.world),
            None => {
                walks::end_level(&mut self.world);
                drain(&mut self.world);
            }
        }
        self.recorder.collect(&mut self.world)
    }

    /// Hashes of the state between ticks, by part.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut fingerprint = fingerprint::of(&self.world);
        if let Some(scripts) = &self.scripts {
            (fingerprint.random, fingerprint.scripts) = scripts.hash();
        }
        fingerprint
    }

    /// What the level's script said by `level.finish`.
    #[must_use]
    pub fn outcome(&self) -> Option<LevelOutcome> {
        self.scripts.as_ref().and_then(ScriptHost::outcome)
    }

    /// Script faults so far.
    #[must_use]
    pub fn fault_count(&self) -> u64 {
        self.scripts.as_ref().map_or(0, ScriptHost::fault_count)
    }
}

/// Step 12 of a level without scripts: every fact counts as told.
fn drain(world: &mut World) {
    while let Some(event) = world.events.pop() {
        if let crate::world::event::Event::WalkSettled(id) = event
            && let Some(walk) = world.walks.get_mut(id)
        {
            walk.is_delivered = true;
        }
    }
}
