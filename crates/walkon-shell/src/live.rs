//! A running game, for a host in another language.
//!
//! In: a level, inputs, a bound, a save game. Out: ticks, rows, save games, places of every character as
//! plain numbers. Holds: a game that has ended runs no more, and says so; a run of many ticks has its
//! watchdog and ends when it is stopped. Not here: which language asks (`bindings`), threads
//! (`thread_bound`).

use std::sync::Arc;
use std::time::Instant;

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::game::headless::{self, Host, Onlooker, Report};
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::save::{RestoreError, SaveError};
use walkon_runtime::game::tick::Tick;
use walkon_runtime::game::{Game, StartError};
use walkon_runtime::level::Level;
use walkon_runtime::script::vm::fuel::Signals;
use walkon_runtime::world::World;

use crate::batch::StopWish;
use crate::level_text::{LevelText, StartSetup};
use crate::row::{RunBound, row};
use crate::watchdog::Watchdog;

/// A game that has ended runs no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game has ended, start another from its level")]
pub struct GameEndedError;

/// A game under way.
#[derive(Debug)]
pub struct LiveGame {
    game: Game,
    text: Arc<LevelText>,
    signals: Arc<Signals>,
    /// Whether the facts of its start were taken.
    has_begun: bool,
    is_over: bool,
}

/// Where a character is, as numbers that lie one after another: for tables of other languages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct PoseRow {
    /// The point on the ground below its middle, metres.
    pub position: [f32; 3],
    /// Which way it looks, radians about +y: 0 along +z, pi/2 along +x.
    pub facing_rad: f32,
    /// Metres a second.
    pub speed_mps: f32,
}

impl LiveGame {
    /// A level at tick 0; `level` was built from `text`.
    ///
    /// # Errors
    /// When its scripts fail.
    pub fn start(text: &Arc<LevelText>, level: Level, with: StartSetup) -> Result<Self, StartError> {
        let signals = Arc::clone(&with.signals);
        let game = text.start(level, with)?;
        Ok(Self { game, text: Arc::clone(text), signals, has_begun: false, is_over: false })
    }

    /// A level as it was saved by [`LiveGame::save`], here or elsewhere; `level` was built from `text`, and
    /// may have changed since. The seed is that of the save.
    ///
    /// # Errors
    /// When the bytes are no save game that this version reads, or what was saved does not fit level and
    /// scripts.
    pub fn restore(
        text: &Arc<LevelText>,
        level: Level,
        with: StartSetup,
        save: &[u8],
    ) -> Result<Self, RestoreError> {
        let signals = Arc::clone(&with.signals);
        let game = text.restore(level, with, save)?;
        Ok(Self { game, text: Arc::clone(text), signals, has_begun: false, is_over: false })
    }

    /// The whole game as bytes, between two ticks. It changes nothing. Cost: a pass over everything.
    ///
    /// # Errors
    /// When it has ended, or a scene is under way that does not say `resumable = true`.
    pub fn save(&self) -> Result<Vec<u8>, SaveError> {
        if self.is_over {
            return Err(SaveError(GameEndedError.to_string()));
        }
        self.game.save()
    }

    /// The game itself.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game itself, for verbs.
    ///
    /// # Errors
    /// When it has ended.
    pub fn game_mut(&mut self) -> Result<&mut Game, GameEndedError> {
        if self.is_over { Err(GameEndedError) } else { Ok(&mut self.game) }
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The level that it plays.
    #[must_use]
    pub fn text(&self) -> &LevelText {
        &self.text
    }

    /// One tick on. The first tells before it what happened as the game began, at the tick of that.
    ///
    /// # Errors
    /// When it has ended.
    pub fn tick(&mut self, inputs: &[Input]) -> Result<Tick, GameEndedError> {
        let first = self.begin()?;
        let tick = self.game_mut()?.tick(inputs);
        Ok(behind(first, tick))
    }

    /// What happened as the game began, the first time that it is asked for.
    fn begin(&mut self) -> Result<Option<Tick>, GameEndedError> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let game = self.game_mut()?;
        Ok(is_first.then(|| game.start_facts()))
    }

    /// Runs to a bound, counted from the start or the save that the game began with, and ends the game.
    /// `heard` hears of each tick.
    ///
    /// # Errors
    /// When it has ended before.
    pub fn run(
        &mut self,
        bound: &RunBound,
        stop: &StopWish,
        heard: &mut dyn FnMut(&Tick),
    ) -> Result<(Report, String), GameEndedError> {
        let text = Arc::clone(&self.text);
        let (signals, asked) = (Arc::clone(&self.signals), stop.clone());
        let game = self.game_mut()?;
        let mut bound = bound.at(text.rate());
        bound.ticks_max = bound.ticks_max.saturating_add(game.began().0);
        let _watchdog = Watchdog::start(signals, text.watchdog_ms, move || asked.is_asked());
        let began = Instant::now();
        let report = headless::run_hosted(game, &bound, &mut LiveHost { stop, heard });
        self.is_over = true;
        let line = row(&report, began.elapsed());
        Ok((report, line))
    }

    /// Ends the game: every open walk settles, and what happened then is returned.
    ///
    /// # Errors
    /// When it has ended before.
    pub fn end(&mut self) -> Result<Tick, GameEndedError> {
        let first = self.begin()?;
        let last = self.game_mut()?.end();
        self.is_over = true;
        Ok(behind(first, last))
    }

    /// The character of a name.
    ///
    /// # Errors
    /// A sentence, when there is none.
    pub fn character(&self, name: &str) -> Result<CharacterId, String> {
        self.game.character(name).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let hint = walkon_runtime::base::suggestions::did_you_mean(name, names);
            format!(
                "unknown character \"{name}\"{}",
                hint.map_or_else(String::new, |hint| format!("; {hint}"))
            )
        })
    }

    /// How many characters there are.
    #[must_use]
    pub fn character_count(&self) -> usize {
        self.game.world().character_count()
    }

    /// What they are called, in order of creation.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.game.world().characters().map(|(id, _)| self.game.name_of(id))
    }

    /// Writes where every character is, in order of creation, three numbers each, as far as there is room;
    /// how many there are.
    pub fn positions(&self, out: &mut [f32]) -> usize {
        let places = out.as_chunks_mut::<3>().0;
        self.game.poses().zip(places).for_each(|(pose, place)| *place = pose.position);
        self.character_count()
    }

    /// The same with which way they look and how fast they are.
    pub fn poses(&self, out: &mut [PoseRow]) -> usize {
        self.game.poses().zip(out).for_each(|(pose, row)| {
            *row =
                PoseRow { position: pose.position, facing_rad: pose.facing_rad, speed_mps: pose.speed_mps };
        });
        self.character_count()
    }
}

/// A tick with what happened before it.
fn behind(first: Option<Tick>, mut tick: Tick) -> Tick {
    if let Some(first) = first {
        tick.events.splice(..0, first.events);
        tick.lines.splice(..0, first.lines);
        tick.sentences.splice(..0, first.sentences);
    }
    tick
}

/// A host that listens and may be stopped.
struct LiveHost<'a> {
    stop: &'a StopWish,
    heard: &'a mut dyn FnMut(&Tick),
}

impl Host for LiveHost<'_> {
    fn watch(&mut self, _world: &World, recorded: &Tick) -> Onlooker {
        (self.heard)(recorded);
        if self.stop.is_asked() { Onlooker::Stop } else { Onlooker::GoOn }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use walkon_runtime::game::inputs::{Input, InputGoal};
    use walkon_runtime::game::recorder::RecordOptions;
    use walkon_runtime::game::tick::Tick;

    use crate::batch::StopWish;
    use crate::row::RunBound;

    use crate::level_text::{LevelText, StartSetup};
    use crate::live::LiveGame;
    use crate::problem::{Problem, ProblemKind};

    const LEVEL: &str = r#"{ "name": "yard", "script": "yard.lua", "marks": { "bench": [8, 1] },
        "navigation": { "areas": [{ "name": "a", "polygon": [[0, 0], [9, 0], [9, 9], [0, 9]] }] },
        "characters": [{ "name": "anna", "position": [1, 1] }] }"#;

    fn yard(script: &str) -> Arc<LevelText> {
        let files = BTreeMap::from([("yard.json".to_owned(), LEVEL.to_owned())]);
        let scripts = BTreeMap::from([("yard.lua".to_owned(), script.to_owned())]);
        Arc::new(LevelText::from_texts("yard.json", &files, scripts).unwrap())
    }

    #[test]
    fn a_restored_game_runs_as_many_ticks_as_are_asked_for() {
        let text = yard("");
        let mut game = LiveGame::start(&text, text.level().unwrap(), StartSetup::default()).unwrap();
        (0..90).for_each(|_| drop(game.tick(&[]).unwrap()));
        let bytes = game.save().unwrap();
        let level = text.level().unwrap();
        let mut restored = LiveGame::restore(&text, level, StartSetup::default(), &bytes).unwrap();
        let bound = RunBound { ticks: Some(30), ..RunBound::default() };
        let (report, _) = restored.run(&bound, &StopWish::never(), &mut |_| ()).unwrap();
        assert_eq!((report.ticks, report.last_tick.0), (30, 120));
        let (report, _) = game.run(&bound, &StopWish::never(), &mut |_| ()).unwrap();
        assert_eq!(report.ticks, 90, "a bound that is passed already is the end");
    }

    /// Law: a host that ticks hears the lines that a host hears that runs, from tick 0 on.
    #[test]
    fn ticks_tell_what_a_run_tells() {
        let text = yard("function onStart() log.info('begun') world.character('anna'):walkTo('bench') end");
        let record = RecordOptions { trace: true, ..RecordOptions::default() };
        let start = || {
            let with = StartSetup { record, ..StartSetup::default() };
            LiveGame::start(&text, text.level().unwrap(), with).unwrap()
        };
        let (mut ran, mut ticked) = (Vec::new(), Vec::new());
        let bound = RunBound { ticks: Some(20), ..RunBound::default() };
        let heard = &mut |tick: &Tick| ran.extend(tick.lines.iter().cloned());
        start().run(&bound, &StopWish::never(), heard).unwrap();
        let mut game = start();
        (0..20).for_each(|_| ticked.extend(game.tick(&[]).unwrap().lines));
        ticked.extend(game.end().unwrap().lines);
        assert_eq!(ran, ticked);
        assert!(ran[0].starts_with("{\"t\":0,"), "{}", ran[0]);
        let ended = start().end().unwrap().lines;
        assert!(ended.iter().any(|line| line.contains("begun")), "{ended:?}");
    }

    #[test]
    fn restored_games_are_what_was_saved_and_go_on_alike() {
        let text = yard("function onStart() level.measure('roll', math.random()) end");
        let with = || StartSetup { seed: Some(7), ..StartSetup::default() };
        let mut saved = LiveGame::start(&text, text.level().unwrap(), with()).unwrap();
        let walk = Input::Walk { character: "anna".to_owned(), to: InputGoal::Named("bench".to_owned()) };
        saved.tick(&[walk]).unwrap();
        (0..60).for_each(|_| drop(saved.tick(&[]).unwrap()));
        let bytes = saved.save().unwrap();
        let level = text.level().unwrap();
        let mut restored = LiveGame::restore(&text, level.clone(), StartSetup::default(), &bytes).unwrap();
        assert_eq!(restored.save().unwrap(), bytes);
        let mut other = LiveGame::restore(&text, level, with(), &bytes).unwrap();
        for _ in 0..600 {
            assert_eq!(restored.game().fingerprint().whole(), other.game().fingerprint().whole());
            restored.tick(&[]).unwrap();
            other.tick(&[]).unwrap();
        }
        let mut place = [0.0; 3];
        assert_eq!(restored.positions(&mut place), 1);
        assert!((place[0] - 8.0).abs() < 0.2 && (place[2] - 1.0).abs() < 0.2, "{place:?}");
        saved.end().unwrap();
        assert!(saved.save().unwrap_err().to_string().contains("has ended"));
        let cut = LiveGame::restore(&text, text.level().unwrap(), with(), &bytes[..90]).unwrap_err();
        let problem = Problem::from(cut);
        assert_eq!(problem.kind, ProblemKind::Save);
        assert!(problem.message.contains("it was cut or changed"), "{}", problem.message);
    }
}
