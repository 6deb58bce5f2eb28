//! The record of a run: its first texts, its seed, and every input since.
//!
//! In: texts, inputs by tick. Out: the same run again, as often as it is asked for. Holds: a run is decided
//! by what stands here, so a copy that is run to a tick is the level as it was in that tick; a record that
//! was cut or begun again has another generation. Not here: when ticks are run (`running`), what is shown of
//! them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::game::inputs::{Input, LevelTexts, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::MemorySource;
use walkon_runtime::script::debug::Debugger;
use walkon_runtime::script::state::profile::ProfileSetup;
use walkon_runtime::script::vm::fuel::Signals;

/// The texts of a project, a seed and arguments: what a run begins with.
#[derive(Clone, Debug, Default)]
pub struct RunStart {
    /// The level and every file that it names.
    pub level: LevelTexts,
    /// Scripts by path below the script folders.
    pub scripts: BTreeMap<String, String>,
    /// Seed of the run; the level's own when none is given.
    pub seed: Option<u64>,
    /// `level.args`.
    pub args: Vec<String>,
}

impl RunStart {
    /// The level at tick 0, its scripts started.
    ///
    /// # Errors
    /// A sentence about what is wrong with the level or a script.
    pub fn begin(&self, signals: Arc<Signals>) -> Result<Game, String> {
        self.begin_recorded(signals, RecordOptions { sentences: true, ..RecordOptions::default() })
    }

    /// The same under a debugger, with something to write down.
    ///
    /// # Errors
    /// As [`RunStart::begin`].
    pub fn begin_debugged(
        &self,
        signals: Arc<Signals>,
        debugger: Debugger,
        options: RecordOptions,
    ) -> Result<Game, String> {
        let (debugger, recorder) = (Some(debugger), Recorder::new(options));
        self.begin_by(Setup { signals, debugger, recorder, ..Setup::default() })
    }

    /// The same with something to write down.
    ///
    /// # Errors
    /// As [`RunStart::begin`].
    pub fn begin_recorded(&self, signals: Arc<Signals>, options: RecordOptions) -> Result<Game, String> {
        self.begin_by(Setup { signals, recorder: Recorder::new(options), ..Setup::default() })
    }

    fn begin_by(&self, setup: Setup) -> Result<Game, String> {
        let level = self.level()?;
        let setup = Setup {
            scripts: self.scripts.clone(),
            seed: self.seed,
            args: self.args.clone(),
            // Fuel by call, for the heat of the list; nothing of the run changes by it.
            profile: Some(ProfileSetup::default()),
            ..setup
        };
        Game::load(level, setup).map_err(|error| error.to_string())
    }

    /// The level, read and built.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn level(&self) -> Result<walkon_runtime::level::Level, String> {
        let files = self.level.files.iter();
        let source = files.fold(MemorySource::new(), |all, (path, bytes)| all.with(path, bytes.clone()));
        walkon_runtime::level::load(&self.level.path, &source).map_err(|error| error.to_string())
    }

    /// What is otherwise than in other texts.
    #[must_use]
    pub fn changed_since(&self, before: &Self) -> Reload {
        let is_new = |(path, text): &(&String, &String)| before.scripts.get(*path) != Some(*text);
        let new = self.scripts.iter().filter(is_new).map(|(path, text)| (path.clone(), Some(text.clone())));
        let gone = before.scripts.keys().filter(|path| !self.scripts.contains_key(*path));
        let scripts = new.chain(gone.map(|path| (path.clone(), None))).collect_map();
        Reload { scripts, level: (self.level != before.level).then(|| self.level.clone()) }
    }

    /// The same run with other texts.
    #[must_use]
    pub fn with(&self, reload: &Reload) -> Self {
        let mut start = self.clone();
        for (path, text) in &reload.scripts {
            match text {
                Some(text) => _ = start.scripts.insert(path.clone(), text.clone()),
                None => _ = start.scripts.remove(path),
            }
        }
        if let Some(level) = &reload.level {
            start.level = level.clone();
        }
        start
    }
}

/// A run up to now.
#[derive(Clone, Debug, Default)]
pub struct RunRecord {
    /// Another number after each time that the run was begun again or cut.
    pub generation: u64,
    /// What it began with.
    pub start: Arc<RunStart>,
    /// What the host said, by the tick that heard it.
    pub inputs: BTreeMap<u64, Vec<Input>>,
    /// The last tick that was run.
    pub tick: u64,
    /// Where it was cut, by the generation that began there.
    pub cuts: BTreeMap<u64, u64>,
    /// The first tick that the inputs do not come to, where something else has changed the run: 0 where that
    /// was as the level loaded.
    pub disturbed_from: Option<u64>,
}

impl RunRecord {
    /// A run at tick 0.
    #[must_use]
    pub fn new(start: RunStart) -> Self {
        Self { start: Arc::new(start), ..Self::default() }
    }

    /// Whether somebody is there after a tick who answers choices.
    #[must_use]
    pub fn is_attended(&self, tick: u64) -> bool {
        let last = |inputs: &Vec<Input>| {
            inputs.iter().rev().find_map(|input| match input {
                Input::Attend { is_attended } => Some(*is_attended),
                _ => None,
            })
        };
        self.inputs.range(..=tick).rev().find_map(|(_, inputs)| last(inputs)).unwrap_or_default()
    }

    /// What the host says in a tick.
    #[must_use]
    pub fn inputs_for(&self, tick: u64) -> Vec<Input> {
        self.inputs.get(&tick).cloned().unwrap_or_default()
    }

    /// Something that is no input changes the run behind its last tick.
    pub fn disturb(&mut self) {
        self.disturbed_from.get_or_insert(self.tick + 1);
    }

    /// Something that is no input has changed the level as it loaded.
    pub fn disturb_beginning(&mut self) {
        self.disturbed_from = Some(0);
    }

    /// Refuses ticks that a copy cannot be run to.
    ///
    /// # Errors
    /// A sentence.
    pub fn check_repeatable(&self, tick: u64) -> Result<(), String> {
        const WHY: &str = "an evaluated text was allowed to change the run, or the watchdog ended a call";
        match self.disturbed_from {
            Some(0) => Err(format!(
                "no tick of this run can be replayed, because {WHY} while the level loaded; restart it"
            )),
            Some(from) if tick >= from => Err(format!(
                "tick {tick} cannot be replayed, expected at most {}, because {WHY} after that",
                from - 1
            )),
            _ => Ok(()),
        }
    }

    /// Forgets what was said after a tick.
    pub fn cut(&mut self, tick: u64) {
        self.disturbed_from = self.disturbed_from.filter(|from| tick >= *from);
        self.generation += 1;
        self.cuts.insert(self.generation, tick);
        _ = self.inputs.split_off(&(tick + 1));
        self.tick = tick;
    }

    /// The texts as they are after every reload so far.
    #[must_use]
    pub fn texts_now(&self) -> RunStart {
        self.texts_at(u64::MAX)
    }

    /// The texts as they were after a tick.
    #[must_use]
    pub fn texts_at(&self, tick: u64) -> RunStart {
        let reloads =
            self.inputs.range(..=tick).flat_map(|(_, inputs)| inputs).filter_map(|input| match input {
                Input::Reload(reload) => Some(reload),
                _ => None,
            });
        reloads.fold(RunStart::clone(&self.start), |texts, reload| texts.with(reload))
    }
}

/// A record that several threads look at.
#[derive(Clone, Debug, Default)]
pub struct SharedRecord(Arc<Mutex<RunRecord>>);

impl SharedRecord {
    /// Of a run at tick 0.
    #[must_use]
    pub fn new(record: RunRecord) -> Self {
        Self(Arc::new(Mutex::new(record)))
    }

    /// The record, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, RunRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of it as it is now.
    #[must_use]
    pub fn now(&self) -> RunRecord {
        self.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reload(text: &str) -> Input {
        let scripts = BTreeMap::from([("a.lua".to_owned(), Some(text.to_owned()))]);
        Input::Reload(Reload { scripts, level: None })
    }

    #[test]
    fn texts_are_those_of_the_last_reload_and_a_cut_forgets_what_came_later() {
        let mut record = RunRecord::new(RunStart::default());
        record.inputs.insert(3, vec![reload("one")]);
        record.inputs.insert(7, vec![reload("two"), Input::event("bell")]);
        assert_eq!(record.texts_now().scripts["a.lua"], "two");
        record.cut(6);
        assert_eq!(record.texts_now().scripts["a.lua"], "one");
        assert_eq!((record.generation, record.tick, record.inputs.len()), (1, 6, 1));
        assert!(record.inputs_for(7).is_empty());
    }

    #[test]
    fn what_cannot_be_run_again_is_refused_until_the_run_is_cut_before_it() {
        let mut record = RunRecord { tick: 5, ..RunRecord::default() };
        record.disturb();
        record.tick = 9;
        record.disturb();
        assert_eq!(record.check_repeatable(5), Ok(()));
        assert!(record.check_repeatable(6).is_err_and(|why| why.contains("expected at most 5")));
        record.cut(5);
        assert_eq!((record.disturbed_from, record.check_repeatable(9)), (None, Ok(())));
        record.disturb_beginning();
        assert!(record.check_repeatable(0).is_err_and(|why| why.contains("no tick of this run")));
    }
}
