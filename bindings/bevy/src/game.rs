//! Games of level entities: started, ticked, reloaded, placed, let go.
//!
//! In: level entities, assets, inputs, the fixed schedule. Out: character entities, messages. Holds: a game
//! lives on the main thread, where Bevy runs what is not to be sent; a character has one entity for as long
//! as it lives. Not here: assets (`asset`).

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_asset::{AssetEvent, AssetId, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use walkon::{CharacterId, Cue, Event, Input, LevelTexts, Pose, RecordOptions, Reload, Signals, StartError};
use walkon_shell::{LevelText, LiveGame, Problem, StartSetup};

use crate::asset::LevelAsset;

/// A level that is to run: spawn it, and its game begins once the asset is there. Its characters are its
/// children.
#[derive(Component, Clone, Debug)]
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
}

impl WalkonLevel {
    /// A level with its own seed, in which choices wait for an answer.
    #[must_use]
    pub fn new(level: Handle<LevelAsset>) -> Self {
        Self { level, seed: None, args: Vec::new(), is_interactive: true }
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

/// Where a character was one tick ago.
#[derive(Component, Clone, Copy, Debug)]
pub struct PoseBefore(pub Pose);

/// Where a character is after the last tick; its `Transform` is drawn between the two.
#[derive(Component, Clone, Copy, Debug)]
pub struct PoseNow(pub Pose);

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

/// A level could not start. The entity stays, without a game.
#[derive(Message, Clone, Debug)]
pub struct LevelRefused {
    /// The level.
    pub level: Entity,
    /// Why: file, line and diagnostics.
    pub problem: Problem,
}

/// The games under way, by level entity; on the main thread only.
#[derive(Debug, Default)]
pub struct Games(BTreeMap<Entity, Running>);

/// A game and what belongs to it.
#[derive(Debug)]
struct Running {
    live: LiveGame,
    asset: AssetId<LevelAsset>,
    text: Arc<LevelText>,
    walkers: BTreeMap<CharacterId, Entity>,
    /// What changed on disk and is heard in the next tick.
    reload: Option<Reload>,
}

impl Games {
    /// The game of a level, once it has begun.
    #[must_use]
    pub fn get(&self, level: Entity) -> Option<&LiveGame> {
        self.0.get(&level).map(|running| &running.live)
    }

    /// The same for verbs: walks with options, paths, doors.
    pub fn get_mut(&mut self, level: Entity) -> Option<&mut LiveGame> {
        self.0.get_mut(&level).map(|running| &mut running.live)
    }
}

/// Starts the games whose level is there by now.
#[allow(clippy::too_many_arguments, reason = "a system names what it uses")]
pub(crate) fn start(
    mut commands: Commands,
    mut games: NonSendMut<Games>,
    levels: Query<(Entity, &WalkonLevel)>,
    assets: Res<Assets<LevelAsset>>,
    mut fixed: ResMut<Time<Fixed>>,
    mut ready: MessageWriter<LevelReady>,
    mut refused: MessageWriter<LevelRefused>,
    mut tried: Local<BTreeMap<Entity, Arc<LevelText>>>,
) {
    for (entity, level) in &levels {
        if games.0.contains_key(&entity) {
            continue;
        }
        let Some(asset) = assets.get(&level.level) else { continue };
        // What was refused is tried again when its texts are others.
        if tried.get(&entity).is_some_and(|text| Arc::ptr_eq(text, &asset.text)) {
            continue;
        }
        tried.insert(entity, Arc::clone(&asset.text));
        match begun(level, asset) {
            Ok(live) => {
                // Bevy's clock counts nanoseconds: a tick of a sixtieth is short by one in a hundred million.
                fixed.set_timestep_hz(f64::from(asset.text.tick_rate));
                let mut running = Running {
                    live,
                    asset: level.level.id(),
                    text: Arc::clone(&asset.text),
                    walkers: BTreeMap::new(),
                    reload: None,
                };
                running.follow(entity, &mut commands);
                games.0.insert(entity, running);
                ready.write(LevelReady { level: entity });
            }
            Err(error) => {
                refused.write(LevelRefused { level: entity, problem: Problem::from(error) });
            }
        }
    }
}

fn begun(level: &WalkonLevel, asset: &LevelAsset) -> Result<LiveGame, StartError> {
    let with = StartSetup {
        seed: level.seed,
        args: level.args.clone(),
        record: RecordOptions::default(),
        signals: Arc::new(Signals::default()),
        is_interactive: level.is_interactive,
        ..StartSetup::default()
    };
    LiveGame::start(&asset.text, (*asset.built).clone(), with)
}

impl Running {
    /// Spawns who appeared, removes who is gone, and notes where everybody is.
    fn follow(&mut self, level: Entity, commands: &mut Commands<'_, '_>) {
        let game = self.live.game();
        let mut gone = std::mem::take(&mut self.walkers);
        for pose in game.poses() {
            let known = gone.remove(&pose.character);
            let entity = known.unwrap_or_else(|| {
                let name = game.name_of(pose.character).to_owned();
                let walker = Walker { id: pose.character, name: name.clone() };
                let at = (PoseBefore(pose), PoseNow(pose), transform(&pose));
                commands.spawn((walker, Name::new(name), at, ChildOf(level))).id()
            });
            self.walkers.insert(pose.character, entity);
        }
        for entity in gone.into_values() {
            commands.entity(entity).try_despawn();
        }
    }
}

/// Takes in what was saved: the asset of a running level has changed.
pub(crate) fn reload(
    mut games: NonSendMut<Games>,
    mut changed: MessageReader<AssetEvent<LevelAsset>>,
    assets: Res<Assets<LevelAsset>>,
) {
    for event in changed.read() {
        let AssetEvent::Modified { id } = event else { continue };
        let Some(asset) = assets.get(*id) else { continue };
        for running in games.0.values_mut().filter(|running| running.asset == *id) {
            let change = difference(&running.text, &asset.text);
            running.text = Arc::clone(&asset.text);
            if !change.is_empty() {
                running.reload.get_or_insert_default().merge(change);
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

/// Lets the games of entities go that are gone.
pub(crate) fn forget(mut games: NonSendMut<Games>, levels: Query<(), With<WalkonLevel>>) {
    games.0.retain(|entity, _| levels.contains(*entity));
}

/// One tick of every game.
pub(crate) fn tick(
    mut commands: Commands,
    mut games: NonSendMut<Games>,
    mut levels: Query<&mut Waiting>,
    mut poses: Query<(&mut PoseBefore, &mut PoseNow), With<Walker>>,
    (mut happened, mut cues): (MessageWriter<Happened>, MessageWriter<CueAsked>),
) {
    for (&level, running) in &mut games.0 {
        let mut inputs =
            levels.get_mut(level).map(|mut waiting| std::mem::take(&mut waiting.0)).unwrap_or_default();
        inputs.extend(running.reload.take().map(Input::Reload));
        // A game that its owner has ended stands still.
        let Ok(ticked) = running.live.tick(&inputs) else { continue };
        let is_changed = ticked.events.iter().any(|event| {
            matches!(event, Event::Spawned { .. } | Event::Despawned { .. } | Event::Reloaded { .. })
        });
        if is_changed {
            running.follow(level, &mut commands);
        }
        for pose in running.live.game().poses() {
            let entity = running.walkers.get(&pose.character);
            if let Some((mut before, mut now)) = entity.and_then(|entity| poses.get_mut(*entity).ok()) {
                before.0 = now.0;
                now.0 = pose;
            }
        }
        for event in ticked.events {
            if let Event::Cue(cue) = &event {
                cues.write(CueAsked { level, cue: cue.clone() });
            }
            happened.write(Happened { level, tick: ticked.number, event });
        }
    }
}

/// Places everybody between the last two ticks, by the time that has passed since.
pub(crate) fn place(
    fixed: Res<Time<Fixed>>,
    mut walkers: Query<(&PoseBefore, &PoseNow, &mut Transform), With<Walker>>,
) {
    let part = fixed.overstep_fraction();
    for (before, now, mut place) in &mut walkers {
        let wanted = transform(&before.0.towards(&now.0, part));
        if *place != wanted {
            *place = wanted;
        }
    }
}

/// A pose as Bevy has it: a model looks along +z.
fn transform(pose: &Pose) -> Transform {
    Transform {
        translation: Vec3::from_array(pose.position),
        rotation: Quat::from_rotation_y(pose.facing_rad),
        ..Transform::IDENTITY
    }
}
