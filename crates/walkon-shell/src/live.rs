//! A game under way, for a host in another language.
//!
//! In: a level, inputs, a bound. Out: ticks, rows, places of everybody as plain numbers. Holds: what has
//! ended runs no more, and says so; a run of many ticks has its watchdog and ends when somebody stops it. Not
//! here: which language asks (`bindings`), threads (`thread_bound`).

use std::sync::Arc;
use std::time::Instant;

use walkon::game::headless::{self, Host};
use walkon::{CharacterId, Game, Input, Level, Onlooker, Report, Signals, StartError, Tick, World};

use crate::batch::Stop;
use crate::level_text::{LevelText, StartSetup};
use crate::row::{RunBound, row};
use crate::watchdog::Watchdog;

/// A game that has ended runs no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game has ended, start another from its level")]
pub struct Ended;

/// A game under way.
#[derive(Debug)]
pub struct LiveGame {
    game: Game,
    text: Arc<LevelText>,
    signals: Arc<Signals>,
    is_over: bool,
}

/// Where somebody is, as numbers that lie one after another: for tables of other languages.
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
        Ok(Self { game, text: Arc::clone(text), signals, is_over: false })
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
    pub fn game_mut(&mut self) -> Result<&mut Game, Ended> {
        if self.is_over { Err(Ended) } else { Ok(&mut self.game) }
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

    /// One tick on.
    ///
    /// # Errors
    /// When it has ended.
    pub fn tick(&mut self, inputs: &[Input]) -> Result<Tick, Ended> {
        Ok(self.game_mut()?.tick(inputs))
    }

    /// Runs to a bound, counted from tick 0, and ends the game. `heard` hears of each tick.
    ///
    /// # Errors
    /// When it has ended before.
    pub fn run(
        &mut self,
        bound: &RunBound,
        stop: &Stop,
        heard: &mut dyn FnMut(&Tick),
    ) -> Result<(Report, String), Ended> {
        let text = Arc::clone(&self.text);
        let (signals, asked) = (Arc::clone(&self.signals), stop.clone());
        let game = self.game_mut()?;
        let _watchdog = Watchdog::start(signals, text.watchdog_ms, move || asked.is_asked());
        let began = Instant::now();
        let report = headless::run_hosted(game, &bound.at(text.rate()), &mut Listener { stop, heard });
        self.is_over = true;
        let line = row(&report, began.elapsed());
        Ok((report, line))
    }

    /// Ends the game: every open walk settles, and what happened then is returned.
    ///
    /// # Errors
    /// When it has ended before.
    pub fn end(&mut self) -> Result<Tick, Ended> {
        let last = self.game_mut()?.end();
        self.is_over = true;
        Ok(last)
    }

    /// The character of a name.
    ///
    /// # Errors
    /// A sentence, when there is none.
    pub fn character(&self, name: &str) -> Result<CharacterId, String> {
        self.game.character(name).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let hint = walkon::base::suggestions::did_you_mean(name, names);
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

    /// Writes where everybody is, in order of creation, three numbers each, as far as there is room; how many
    /// there are.
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

/// A host that listens and may be stopped.
struct Listener<'a> {
    stop: &'a Stop,
    heard: &'a mut dyn FnMut(&Tick),
}

impl Host for Listener<'_> {
    fn watch(&mut self, _world: &World, recorded: &Tick) -> Onlooker {
        (self.heard)(recorded);
        if self.stop.is_asked() { Onlooker::Stop } else { Onlooker::GoOn }
    }
}
