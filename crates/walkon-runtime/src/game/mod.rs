//! The runtime: one level, its world, and the tick.
//!
//! In: a level, inputs of the host. Out: the world one tick later, facts, a hash. Holds: the tick is the
//! list in [`Game::tick`], in that order, and nothing else changes the world. Not here: clocks, files,
//! threads; the game neither sleeps nor prints.

mod apply_inputs;
mod by_name;
pub mod debugging;
pub mod event;
pub mod fault_list;
pub mod find;
pub mod fixed_timestep;
pub mod header;
pub mod headless;
pub mod host;
pub mod input_line;
mod input_list;
pub mod inputs;
pub mod inspect;
mod level_edit;
mod level_reload;
pub mod line;
pub mod log_text;
pub mod look;
pub mod recorder;
pub mod recording;
mod reload;
mod reload_errors;
pub mod replay;
pub mod roster;
pub mod save;
mod skipping;
pub mod testing;
pub mod tick;
pub mod tick_notes;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::threads::Threads;
use crate::base::time::TickNumber;
use crate::game::fault_list::FaultList;
use crate::game::inputs::{Input, Reload};
use crate::game::level_reload::{LevelGiven, Origin};
use crate::game::recorder::Recorder;
use crate::game::tick::Tick;
use crate::game::tick_notes::CrowdCounts;
use crate::level::Level;
use crate::level::spawn::{self, Spawned};
pub use crate::script::bind::level::LevelOutcome;
use crate::script::debug::Debugger;
pub use crate::script::host::StartError;
use crate::script::host::{GivenBehaviour, ScriptHost, ScriptSetup};
use crate::script::state::profile::{Profile, ProfileSetup};
use crate::script::state::test_run::TestState;
use crate::script::vm::fuel::Signals;
use crate::sim;
use crate::world::World;
use crate::world::event::{Fact, SwitchedOff};
use crate::world::ops::{OpError, walks};
use crate::world::state_hash::{self, WorldHash};

/// What a level is started with, beside itself. Not `Send`: a debugger and a stopwatch may be of one thread.
#[derive(Debug, Default)]
pub struct Setup {
    /// Script texts by path below the script folders, with suffix.
    pub scripts: BTreeMap<String, String>,
    /// Seed of the run; the level's own when none is given.
    pub seed: Option<u64>,
    /// `level.args`.
    pub args: Vec<String>,
    /// What to write down.
    pub recorder: Recorder,
    /// Flags by which a shell ends a script's call or the run, from another thread. The library has no clock:
    /// fuel bounds what scripts do, and a host that wants a bound in time as well, as the command line has in
    /// `limits.watchdogMs`, keeps one of its own and calls [`Signals::end_call`].
    pub signals: Arc<Signals>,
    /// Whether choices of scenes wait for [`Input::Answer`]; else they take their default and nothing waits
    /// for a person. A trace that is to be replayed says it in its header
    /// ([`Header::is_interactive`](header::Header::is_interactive)), or the first tick by [`Input::Attend`].
    pub is_interactive: bool,
    /// The debugger of the scripts, if there is one. They run as they would without it, to the same hashes.
    pub debugger: Option<Debugger>,
    /// On how many threads the crowd is worked out. Only the time that it takes shows the number.
    pub threads: Threads,
    /// The parts of scripts to profile, if any.
    pub profile: Option<ProfileSetup>,
}

/// The steps of a tick, in order, as `run --stats` tables them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TickStep {
    /// 1: what the host has to say.
    Inputs,
    /// 3: timers, `update`, resumed tasks.
    Scripts,
    /// 4: doors under way.
    Doors,
    /// 5: one rebuild of the map.
    Edits,
    /// 6: path requests.
    Paths,
    /// 7: where each walker would come to.
    Follow,
    /// 8: velocities that keep clear of others.
    Avoid,
    /// 9: bodies move, part and turn.
    Integrate,
    /// 10: walks settle.
    Arrivals,
    /// 11: characters that enter and leave regions.
    Regions,
    /// 12: callbacks and awaiting tasks.
    Events,
    /// 13: removed things are freed.
    Cull,
    /// 14: lines and hashes.
    Record,
}

impl TickStep {
    /// Every step, in order.
    pub const ALL: [Self; 13] = [
        Self::Inputs,
        Self::Scripts,
        Self::Doors,
        Self::Edits,
        Self::Paths,
        Self::Follow,
        Self::Avoid,
        Self::Integrate,
        Self::Arrivals,
        Self::Regions,
        Self::Events,
        Self::Cull,
        Self::Record,
    ];

    /// Its number in the tick and its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Inputs => "1 inputs",
            Self::Scripts => "3 scripts",
            Self::Doors => "4 doors",
            Self::Edits => "5 map edits",
            Self::Paths => "6 path requests",
            Self::Follow => "7 follow",
            Self::Avoid => "8 avoid",
            Self::Integrate => "9 integrate",
            Self::Arrivals => "10 arrivals",
            Self::Regions => "11 regions",
            Self::Events => "12 events",
            Self::Cull => "13 cull",
            Self::Record => "14 record",
        }
    }
}

/// A level that runs, on the thread that made it: it is not `Send`.
///
/// ```
/// use walkon::{Game, Setup};
/// # let (level, scripts) = (walkon_runtime::example::level()?, walkon_runtime::example::scripts());
///
/// let mut game = Game::load(level, Setup { scripts, seed: Some(7), ..Setup::default() })?;
/// let anna = game.character("anna").ok_or("there is no anna")?;
/// let walk = game.walk_to(anna, [16.0, 0.0, 6.0])?;
///
/// let mut tick = game.tick(&[]);
/// while tick.settled().all(|result| result.journey.walk != walk) {
///     tick = game.tick(&[]);
/// }
/// assert!(game.pose(anna).is_some_and(|pose| pose.position[0] > 15.9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Game {
    world: World,
    scripts: Option<ScriptHost>,
    recorder: Recorder,
    reload_count: u64,
    crowd_counts: CrowdCounts,
    fault_list: FaultList,
    /// What the level file gave; none for a world that the host has built itself.
    origin: Option<Origin>,
    /// The tick from which it runs: not the first where it goes on from a save game.
    began: TickNumber,
}

impl Game {
    /// A game about a world, without scripts.
    #[must_use]
    pub fn new(world: World, recorder: Recorder) -> Self {
        Self::of(world, None, recorder)
    }

    fn of(world: World, scripts: Option<ScriptHost>, recorder: Recorder) -> Self {
        let (crowd_counts, fault_list) = (CrowdCounts::default(), FaultList::default());
        let began = world.tick();
        Self { world, scripts, recorder, reload_count: 0, crowd_counts, fault_list, origin: None, began }
    }

    /// A level at tick 0, its scripts started: behaviours are attached, `onStart` has run.
    ///
    /// # Errors
    /// When a script is missing, does not compile, fails as it loads, or is given wrong parameters.
    pub fn load(level: Level, setup: Setup) -> Result<Self, StartError> {
        let (world, scripts, recorder, origin) = Self::parts(level, setup)?;
        let game = Self::with_scripts(world, scripts, recorder)?;
        Ok(Self { origin: Some(origin), ..game })
    }

    /// The parts of a level before tick 0, and what its file gave: its scripts are loaded and not started.
    ///
    /// # Errors
    /// When a script is missing, does not compile or fails.
    pub(crate) fn parts(
        level: Level,
        setup: Setup,
    ) -> Result<(World, ScriptHost, Recorder, Origin), StartError> {
        let given = LevelGiven::of(&level);
        let level_script = given.script.clone();
        let built = spawn::build(level, setup.seed);
        let origin = Origin::of(&built, given);
        let Spawned { mut world, characters } = built;
        world.set_threads(setup.threads);
        let behaviour =
            |found: spawn::BehaviourRef| GivenBehaviour { name: found.script, params: found.params };
        let scripts = ScriptSetup {
            texts: setup.scripts,
            level_script,
            characters: characters.into_iter().map(|(id, found)| (id, found.map(behaviour))).collect(),
            args: setup.args,
            signals: setup.signals,
            is_interactive: setup.is_interactive,
            debugger: setup.debugger,
            profile: setup.profile,
        };
        let scripts = ScriptHost::new(scripts, world.settings(), world.seed())?;
        Ok((world, scripts, setup.recorder, origin))
    }

    /// A game about a world that the host has built itself, with its scripts, which are started here.
    ///
    /// # Errors
    /// When the parameters of a behaviour are wrong.
    #[doc(hidden)]
    pub fn with_scripts(
        mut world: World,
        mut scripts: ScriptHost,
        recorder: Recorder,
    ) -> Result<Self, StartError> {
        scripts.start(&mut world)?;
        Ok(Self::of(world, Some(scripts), recorder))
    }

    /// The same with what its level file gave.
    pub(crate) fn of_level(self, origin: Origin) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// The world, for questions.
    ///
    /// ```
    /// use walkon::{Character, RandomPoint, Rng, Traversal};
    /// # let mut game = walkon_runtime::example::game()?;
    ///
    /// let anna = game.character("anna").ok_or("there is no anna")?;
    /// let who: &Character = game.world().character(anna).ok_or("anna was removed")?;
    /// let by = Traversal { radius_m: who.body.radius_m, ..Traversal::default() };
    /// // Numbers of a stream of the host's own; those of the level are its scripts'.
    /// let mut numbers = Rng::stream(game.world().seed(), "spawn points");
    /// let point = game.world().nav().random_point(&RandomPoint::anywhere(by), &mut numbers);
    /// assert!(point.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be changed between ticks. What changes it are the verbs of `walkon-runtime`
    /// (`world::ops`), for the tools of this project; hosts have the verbs of [`Game`] and [`Input`]s.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Has the crowd worked out on so many threads from now on. Only the time that it takes changes.
    pub fn set_threads(&mut self, threads: Threads) {
        self.world.set_threads(threads);
    }

    /// Advances the level by one tick and returns what happened. After [`Game::end`] nothing does: the tick
    /// has the number of the last one, and tells of each input that it is refused.
    pub fn tick(&mut self, inputs: &[Input]) -> Tick {
        self.tick_watched(inputs, &mut |_| {})
    }

    /// The same; `done` hears of each step as it ends, so that a shell can time it. The order is part of the
    /// API.
    pub fn tick_watched(&mut self, inputs: &[Input], done: &mut dyn FnMut(TickStep)) -> Tick {
        if self.has_ended() {
            return self.tick_after_end(inputs);
        }
        let asked = self.asked();
        let joined: Vec<Input>;
        let mut inputs = inputs;
        if !asked.is_empty() {
            joined = inputs.iter().cloned().chain(asked).collect();
            inputs = &joined;
        }
        let world = &mut self.world;
        world.clock.tick = world.clock.tick.after(1);
        let heard = self.recorder.inputs(world, inputs);
        let reload = apply_inputs::run(world, self.scripts.as_mut(), inputs); // 1
        if let Some(scripts) = &mut self.scripts {
            skipping::apply(world, scripts, inputs);
        }
        done(TickStep::Inputs);
        if let Some(scripts) = &mut self.scripts {
            scripts.begin_loaded(world); // 3 of the first tick after a load
        }
        if !reload.is_empty() {
            let staged = reload::stage(self.scripts.as_mut(), &reload, self.origin.as_ref()); // 2
            // 3 begins with it, before any other code runs.
            let scripts = self.scripts.as_mut();
            let is_done = reload::commit(world, scripts, &reload, staged, &mut self.origin);
            self.reload_count += u64::from(is_done);
        }
        if let Some(scripts) = &mut self.scripts {
            scripts.scripts(world); // 3
        }
        done(TickStep::Scripts);
        sim::steps::doors(world); // 4
        done(TickStep::Doors);
        sim::steps::edits(world); // 5
        done(TickStep::Edits);
        sim::steps::paths(world); // 6
        done(TickStep::Paths);
        // The crowd moves in steps of a thirtieth of a second, each of one tick or a few
        // (`TickRate::ticks_per_step`).
        if world.clock.begins_step() {
            sim::steps::follow(world); // 7
            done(TickStep::Follow);
            sim::steps::avoid(world); // 8
            done(TickStep::Avoid);
            sim::steps::integrate(world); // 9
        }
        sim::steps::interpolate(world);
        done(TickStep::Integrate);
        sim::steps::arrivals(world); // 10
        done(TickStep::Arrivals);
        sim::steps::regions(world); // 11
        sim::steps::senses(world);
        done(TickStep::Regions);
        match &mut self.scripts {
            Some(scripts) => {
                scripts.dispatch(world); // 12
                skipping::run(world, scripts);
            }
            None => drain(world),
        }
        done(TickStep::Events);
        let mut facts = self.recorder.collect(world);
        facts.lines.splice(0..0, heard);
        self.crowd_counts.add(facts.crowd);
        self.fault_list.take(facts.number, &facts.events);
        let culled = sim::steps::cull(world); // 13
        if let Some(scripts) = &mut self.scripts {
            scripts.culled(&culled.characters, &culled.walks);
        }
        done(TickStep::Cull);
        let fingerprint = self.recorder.wants_hash(self.world.clock.tick).then(|| self.fingerprint());
        let recorded = self.recorder.record(&self.world, facts, fingerprint); // 14
        done(TickStep::Record);
        self.debug(&recorded);
        recorded
    }

    fn tick_after_end(&mut self, inputs: &[Input]) -> Tick {
        let refused =
            |input: &Input| Fact::InputRefused { what: input.kind(), why: OpError::Ended.to_string() };
        inputs.iter().map(refused).for_each(|fact| self.world.events.tell_host(fact));
        self.recorder.collect(&mut self.world)
    }

    /// What the test of the level asks of the host, as inputs: they come behind the host's own.
    fn asked(&mut self) -> Vec<Input> {
        let asked = self.scripts.as_mut().map(ScriptHost::take_asked).unwrap_or_default();
        let mut inputs: Vec<Input> =
            asked.inputs.into_iter().map(|(name, payload)| Input::Event { name, payload }).collect();
        inputs.extend(asked.answers.into_iter().map(|(id, option)| Input::Answer { id, option }));
        if !asked.reload.is_empty() {
            inputs.push(Input::Reload(Reload { scripts: asked.reload, level: None }));
        }
        inputs
    }

    /// How far the test of the level is; running when there is none.
    pub(crate) fn test_state(&self) -> TestState {
        self.scripts.as_ref().map_or(TestState::Running, ScriptHost::test_state)
    }

    /// For a host that paces the level by real time: ticks that were given up, and time that was no number or
    /// ran backwards, become a `timeDropped` notice among the facts of the next tick. It changes nothing
    /// else, so a replay leaves it out. Where no tick was given up, one notice between two ticks says so.
    pub fn note_time(&mut self, steps: fixed_timestep::DueTicks) {
        if steps.dropped > 0 || steps.is_ignored {
            self.world.events.note_dropped_time(steps.dropped);
        }
    }

    /// The facts of tick 0: where every character stands, and what scripts did as the level began. To be
    /// taken once, before the first tick: else that tick tells what scripts did, and a later call takes what
    /// has happened since the last tick. After [`Game::restore`] they tell who is there, and what of a
    /// changed level could not be kept; what had happened between the last tick and the save belongs to the
    /// next tick.
    pub fn start_facts(&mut self) -> Tick {
        let facts = self.world.events.take_start();
        let facts = self.recorder.write_down(&self.world, facts);
        self.fault_list.take(facts.number, &facts.events);
        facts
    }

    /// Ends the level: every open walk settles, and what happened then is returned. From then on verbs are
    /// refused ([`OpError::Ended`]), [`Game::tick`] changes nothing, and the game cannot be saved.
    pub fn end(&mut self) -> Tick {
        match &mut self.scripts {
            Some(scripts) => scripts.end(&mut self.world),
            None => {
                walks::end_level(&mut self.world);
                drain(&mut self.world);
            }
        }
        self.world.events.close();
        self.recorder.collect(&mut self.world)
    }

    /// Whether [`Game::end`] was called.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.world.events.is_closed()
    }

    /// Hashes of the state between ticks, by part. Cost: a pass over everything that is simulated.
    #[must_use]
    pub fn fingerprint(&self) -> WorldHash {
        let mut fingerprint = state_hash::of(&self.world);
        if let Some(scripts) = &self.scripts {
            (fingerprint.random, fingerprint.scripts) = scripts.hash();
        }
        fingerprint
    }

    /// What the level's script said by `level.finish`.
    #[must_use]
    pub fn outcome(&self) -> Option<LevelOutcome> {
        self.scripts.as_ref()?.outcome()
    }

    /// The last values of `level.measure`.
    #[must_use]
    pub fn measures(&self) -> BTreeMap<String, f64> {
        self.scripts.as_ref().map(ScriptHost::measures).unwrap_or_default()
    }

    /// New plans of walkers so far.
    #[must_use]
    pub fn crowd_counts(&self) -> CrowdCounts {
        self.crowd_counts
    }

    /// The tick from which it runs: not the first where it goes on from a save game.
    #[must_use]
    pub fn began(&self) -> TickNumber {
        self.began
    }

    /// Reloads that took effect so far.
    #[must_use]
    pub fn reload_count(&self) -> u64 {
        self.reload_count
    }

    /// The scripts of the level, if it has any, for questions.
    #[doc(hidden)]
    #[must_use]
    pub fn scripts(&self) -> Option<&ScriptHost> {
        self.scripts.as_ref()
    }

    /// What scripts have cost so far; none when they are not profiled.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        self.scripts.as_ref().and_then(ScriptHost::profile)
    }

    /// Script faults so far.
    #[must_use]
    pub fn fault_count(&self) -> u64 {
        self.scripts.as_ref().map_or(0, ScriptHost::fault_count)
    }

    /// Behaviours and the level script that were switched off after their faults and not started again.
    #[must_use]
    pub fn switched_off(&self) -> Vec<SwitchedOff> {
        self.scripts.as_ref().map(ScriptHost::switched_off).unwrap_or_default()
    }

    /// Whether another run would be the same: false once the watchdog has ended a call.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        self.scripts.as_ref().is_none_or(ScriptHost::is_reproducible)
    }

    /// Whether what scripts keep fills the memory of the level, so that it cannot go on.
    #[must_use]
    pub fn is_memory_exhausted(&self) -> bool {
        self.scripts.as_ref().is_some_and(ScriptHost::is_memory_exhausted)
    }
}

/// Step 12 of a level without scripts: every fact counts as told.
fn drain(world: &mut World) {
    while let Some(event) = world.events.pop() {
        if let Fact::WalkSettled(id) = event {
            world.walks.deliver(id);
        }
    }
}

#[cfg(test)]
mod tests;
