//! Games of level entities: started, ticked, reloaded, placed, let go.
//!
//! In: level entities, assets, inputs, saves, the fixed schedule. Out: character entities, messages. Holds: a game lives
//! on the main thread, where Bevy runs what is not to be sent; it is that of the component as it is now; a character has
//! one entity for as long as it lives. Not here: assets (`asset`), what is drawn between ticks (`poses`).

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_asset::{
    AssetEvent, AssetId, AssetLoadError, AssetLoadFailedEvent, AssetServer, Assets, Handle, LoadState,
};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use walkon::{CharacterId, Cue, Event, Input, LevelTexts, Pose, RecordOptions, Reload, Signals};
use walkon_shell::{LevelText, LiveGame, Problem, ProblemKind, StartSetup};

use crate::asset::{LevelAsset, LevelLoadError};
use crate::poses::{PoseBefore, PoseNow, transform};

/// A level that is to run: spawn it, and its game begins once the asset is there. Its characters are its children.
///
/// A change of it, or taking it away and inserting it again, begins another game in place of the one under way. Without
/// it the game and its characters go.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Waiting, Transform)]
pub struct WalkonLevel {
    /// The level.
    pub level: Handle<LevelAsset>,
    /// Seed of the run; the level's own when none is given.
    pub seed: Option<u64>,
    /// `level.args`.
    pub args: Vec<String>,
    /// Whether choices of scenes wait for `Input::Answer`.
    pub is_interactive: bool,
    /// What [`LiveGame::save`] made, here or elsewhere: the game goes on from there. The seed is that of the save then, and
    /// so are `args` when there are none.
    pub save: Option<Arc<[u8]>>,
}

impl WalkonLevel {
    /// A level with its own seed, in which choices wait for an answer.
    #[must_use]
    pub fn new(level: Handle<LevelAsset>) -> Self {
        Self { level, seed: None, args: Vec::new(), is_interactive: true, save: None }
    }
}

/// What was said to a level and is heard in its next tick.
#[derive(Component, Clone, Debug, Default)]
pub struct Waiting(pub Vec<Input>);

/// A character of a level.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct Walker {
    /// Which.
    pub id: CharacterId,
    /// What it is called.
    pub name: String,
}

/// Something happened in a level.
#[derive(Message, Clone, Debug)]
pub struct Happened {
    /// The level.
    pub level: Entity,
    /// Number of the tick.
    pub tick: u64,
    /// What.
    pub event: Event,
}

/// A scene asks something: a line, a choice, the camera, a fade.
#[derive(Message, Clone, Debug)]
pub struct CueAsked {
    /// The level.
    pub level: Entity,
    /// What.
    pub cue: Cue,
}

/// The game of a level has begun.
#[derive(Message, Clone, Debug)]
pub struct LevelReady {
    /// The level.
    pub level: Entity,
}

/// A level could not be loaded or not start. The entity stays, without a game; when one was under way and its file was saved
/// as what is no level, that goes on. What is refused as a reload is `Event::ReloadRefused`.
#[derive(Message, Clone, Debug)]
pub struct LevelRefused {
    /// The level.
    pub level: Entity,
    /// Why: file, line and diagnostics.
    pub problem: Problem,
}

/// The games under way, by level entity; on the main thread only.
#[derive(Debug, Default)]
pub struct Games {
    running: BTreeMap<Entity, Running>,
    /// Levels that were refused, and what of: tried again when either is another.
    refused: BTreeMap<Entity, (WalkonLevel, Tried)>,
}

/// What a level was refused of.
#[derive(Debug)]
enum Tried {
    Texts(Arc<LevelText>),
    Load(Arc<AssetLoadError>),
}

/// A game and what belongs to it.
#[derive(Debug)]
struct Running {
    live: LiveGame,
    /// What it was started with.
    asked: WalkonLevel,
    /// The texts that it plays by.
    text: Arc<LevelText>,
    /// Whose entity is which, in order of creation.
    walkers: Vec<(CharacterId, Entity)>,
    /// What changed on disk and is heard in the next tick.
    reload: Option<Reload>,
    /// The texts that it has been told of, and has neither taken nor refused.
    offered: Option<Arc<LevelText>>,
    /// What was last wrong with what was saved of it; told once, however often it is loaded.
    failed: Option<Problem>,
    /// Whether it has ended and everybody stands where they stood then.
    is_still: bool,
}

impl Games {
    /// The game of a level, once it has begun.
    #[must_use]
    pub fn get(&self, level: Entity) -> Option<&LiveGame> {
        self.running.get(&level).map(|running| &running.live)
    }

    /// The same for verbs: walks with options, paths, doors.
    pub fn get_mut(&mut self, level: Entity) -> Option<&mut LiveGame> {
        self.running.get_mut(&level).map(|running| &mut running.live)
    }

    /// Lets a game go, and its characters.
    fn end(&mut self, level: Entity, commands: &mut Commands<'_, '_>) {
        let gone = self
            .running
            .remove(&level)
            .into_iter()
            .flat_map(|running| running.walkers.into_iter().map(|(_, entity)| entity));
        gone.for_each(|entity| commands.entity(entity).try_despawn());
    }
}

/// Starts the games whose level is there by now, and starts those again whose component is another.
#[allow(clippy::too_many_arguments, reason = "a system names what it uses")]
pub(crate) fn start(
    mut commands: Commands,
    mut games: NonSendMut<Games>,
    levels: Query<(Entity, Ref<WalkonLevel>)>,
    assets: Res<Assets<LevelAsset>>,
    server: Option<Res<AssetServer>>,
    mut fixed: ResMut<Time<Fixed>>,
    mut ready: MessageWriter<LevelReady>,
    mut refused: MessageWriter<LevelRefused>,
) {
    for (entity, level) in &levels {
        if level.is_added() {
            games.refused.remove(&entity);
            games.end(entity, &mut commands);
        }
        if let Some(running) = games.running.get(&entity) {
            if !level.is_changed() || running.asked == *level {
                continue;
            }
            games.end(entity, &mut commands);
        }
        let before = games.refused.get(&entity).filter(|(asked, _)| *asked == *level).map(|(_, tried)| tried);
        let (tried, problem) = match assets.get(&level.level) {
            Some(asset) if matches!(before, Some(Tried::Texts(text)) if Arc::ptr_eq(text, &asset.text)) => {
                continue;
            }
            Some(asset) => match begun(&level, asset) {
                Ok(live) => {
                    // Bevy's clock counts nanoseconds: a tick of a sixtieth is short by one in a hundred million.
                    fixed.set_timestep_hz(f64::from(asset.text.tick_rate));
                    let mut running = Running::of(live, &level, asset);
                    running.follow(entity, &mut commands);
                    games.running.insert(entity, running);
                    games.refused.remove(&entity);
                    ready.write(LevelReady { level: entity });
                    continue;
                }
                Err(problem) => (Tried::Texts(Arc::clone(&asset.text)), *problem),
            },
            None => {
                let state = server.as_ref().and_then(|server| server.get_load_state(&level.level));
                let Some(LoadState::Failed(error)) = state else { continue };
                if matches!(before, Some(Tried::Load(told)) if Arc::ptr_eq(told, &error)) {
                    continue;
                }
                let problem = not_loaded(&error);
                (Tried::Load(error), problem)
            }
        };
        games.refused.insert(entity, (WalkonLevel::clone(&level), tried));
        refused.write(LevelRefused { level: entity, problem });
    }
}

fn begun(level: &WalkonLevel, asset: &LevelAsset) -> Result<LiveGame, Box<Problem>> {
    let with = StartSetup {
        seed: level.seed,
        args: level.args.clone(),
        record: RecordOptions::default(),
        signals: Arc::new(Signals::default()),
        is_interactive: level.is_interactive,
        ..StartSetup::default()
    };
    let built = (*asset.built).clone();
    let begun = match &level.save {
        Some(save) => LiveGame::restore(&asset.text, built, with, save).map_err(Problem::from),
        None => LiveGame::start(&asset.text, built, with).map_err(Problem::from),
    };
    begun.map_err(Box::new)
}

/// Why an asset is none: with file, line and diagnostics when the level was refused.
fn not_loaded(error: &AssetLoadError) -> Problem {
    let ours = match error {
        AssetLoadError::AssetLoaderError(error) => error.error().downcast_ref::<LevelLoadError>(),
        _ => None,
    };
    let theirs = || Problem::new(ProblemKind::Io, error.to_string());
    ours.map_or_else(theirs, |refused| (*refused.0).clone())
}

impl Running {
    fn of(live: LiveGame, level: &WalkonLevel, asset: &LevelAsset) -> Self {
        Self {
            live,
            asked: level.clone(),
            text: Arc::clone(&asset.text),
            walkers: Vec::new(),
            reload: None,
            offered: None,
            failed: None,
            is_still: false,
        }
    }

    fn plays(&self, id: AssetId<LevelAsset>) -> bool {
        self.asked.level.id() == id
    }

    /// Spawns characters that appeared, removes those that are gone, and notes where all of them are.
    fn follow(&mut self, level: Entity, commands: &mut Commands<'_, '_>) {
        let game = self.live.game();
        let mut gone: BTreeMap<_, _> = std::mem::take(&mut self.walkers).into_iter().collect();
        for pose in game.poses() {
            let known = gone.remove(&pose.character);
            let entity = known.unwrap_or_else(|| {
                let name = game.name_of(pose.character).to_owned();
                let walker = Walker { id: pose.character, name: name.clone() };
                let at = (PoseBefore(pose), PoseNow(pose), transform(&pose));
                commands.spawn((walker, Name::new(name), at, ChildOf(level))).id()
            });
            self.walkers.push((pose.character, entity));
        }
        for entity in gone.into_values() {
            commands.entity(entity).try_despawn();
        }
    }

    /// What the game says of the texts that it was offered.
    fn hear(&mut self, event: &Event) {
        match event {
            // What was refused is offered again with the next change: it is no text of the game.
            Event::ReloadRefused { .. } => self.offered = None,
            Event::Reloaded { .. } => {
                if let Some(taken) = self.offered.take() {
                    self.text = taken;
                }
            }
            _ => {}
        }
    }

    /// Everybody is drawn where they are after the last tick, also after the end of the game.
    fn stand(&mut self, poses: &mut Query<(&mut PoseBefore, &mut PoseNow), With<Walker>>) {
        self.is_still = true;
        self.note_poses(poses, |pose, before, now| (before.0, now.0) = (*pose, *pose));
    }

    /// Gives each pose of the last tick to the entity of its character.
    fn note_poses(
        &self,
        poses: &mut Query<(&mut PoseBefore, &mut PoseNow), With<Walker>>,
        mut note: impl FnMut(&Pose, &mut PoseBefore, &mut PoseNow),
    ) {
        for (at, pose) in self.live.game().poses().enumerate() {
            // Both lists are in order of creation; further on where the host has removed a character in between.
            let known = self.walkers.iter().skip(at).find(|known| known.0 == pose.character);
            if let Some((mut before, mut now)) = known.and_then(|known| poses.get_mut(known.1).ok()) {
                note(&pose, &mut before, &mut now);
            }
        }
    }
}

/// Takes in what was saved: the asset of a running level has changed, or is none any more.
pub(crate) fn reload(
    mut games: NonSendMut<Games>,
    mut changed: MessageReader<AssetEvent<LevelAsset>>,
    mut failed: MessageReader<AssetLoadFailedEvent<LevelAsset>>,
    assets: Res<Assets<LevelAsset>>,
    mut refused: MessageWriter<LevelRefused>,
) {
    for event in changed.read() {
        let AssetEvent::Modified { id } = event else { continue };
        let Some(asset) = assets.get(*id) else { continue };
        for running in games.running.values_mut().filter(|running| running.plays(*id)) {
            // From what the game plays by, so that it holds what was refused before, and nothing that was undone.
            let change = difference(&running.text, &asset.text);
            running.failed = None;
            running.offered = Some(Arc::clone(&asset.text));
            running.reload = Some(change).filter(|change| !change.is_empty());
        }
    }
    for told in failed.read() {
        // Those without a game are told as they are tried.
        for (level, running) in games.running.iter_mut().filter(|(_, running)| running.plays(told.id)) {
            let problem = not_loaded(&told.error);
            if running.failed.as_ref() != Some(&problem) {
                running.failed = Some(problem.clone());
                refused.write(LevelRefused { level: *level, problem });
            }
        }
    }
}

/// What has to be reloaded to come from one set of texts to another.
fn difference(before: &LevelText, now: &LevelText) -> Reload {
    let written = now.scripts.iter().filter(|(path, text)| before.scripts.get(*path) != Some(*text));
    let written = written.map(|(path, text)| (path.clone(), Some(text.clone())));
    let deleted = before.scripts.keys().filter(|path| !now.scripts.contains_key(*path));
    let scripts = written.chain(deleted.map(|path| (path.clone(), None))).collect();
    let level = (before.files != now.files).then(|| LevelTexts {
        path: now.path.clone(),
        files: now.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect(),
    });
    Reload { scripts, level }
}

/// Lets the games of levels go that are gone.
pub(crate) fn forget(
    mut commands: Commands,
    mut games: NonSendMut<Games>,
    levels: Query<(), With<WalkonLevel>>,
) {
    let gone: Vec<Entity> = games.running.keys().copied().filter(|level| !levels.contains(*level)).collect();
    gone.into_iter().for_each(|level| games.end(level, &mut commands));
    games.refused.retain(|level, _| levels.contains(*level));
}

/// One tick of every game.
pub(crate) fn tick(
    mut commands: Commands,
    mut games: NonSendMut<Games>,
    mut levels: Query<&mut Waiting>,
    mut poses: Query<(&mut PoseBefore, &mut PoseNow), With<Walker>>,
    (mut happened, mut cues): (MessageWriter<Happened>, MessageWriter<CueAsked>),
) {
    for (&level, running) in &mut games.running {
        let mut inputs =
            levels.get_mut(level).map(|mut waiting| std::mem::take(&mut waiting.0)).unwrap_or_default();
        inputs.extend(running.reload.take().map(Input::Reload));
        // A game that its owner has ended stands still.
        let Ok(ticked) = running.live.tick(&inputs) else {
            if !running.is_still {
                running.stand(&mut poses);
            }
            continue;
        };
        let is_changed = ticked.events.iter().any(|event| {
            matches!(event, Event::Spawned { .. } | Event::Despawned { .. } | Event::Reloaded { .. })
        });
        if is_changed {
            running.follow(level, &mut commands);
        }
        let tick_s = 1.0 / running.text.tick_rate as f32;
        running.note_poses(&mut poses, |pose, before, now| {
            before.0 = if now.is_jump_to(pose, tick_s) { *pose } else { now.0 };
            now.0 = *pose;
        });
        for event in ticked.events {
            running.hear(&event);
            if let Event::Cue(cue) = &event {
                cues.write(CueAsked { level, cue: cue.clone() });
            }
            happened.write(Happened { level, tick: ticked.number, event });
        }
    }
}
