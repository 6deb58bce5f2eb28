//! Scenes under way and scenes that scripts have defined.
//!
//! In: definitions, arguments, the stages of each scene. Out: which characters are held, what is locked, how
//! far the skipping of a scene has come. Holds: a character is held by one scene at most. Not here: beginning
//! and ending a scene (`step::cinematic`), passing over it (`step::skipping`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Table};

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, GenerationalKey};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::world::owner::Owner;

/// How far the skipping of a scene has come.
#[derive(Debug, Default)]
pub(crate) struct Skip {
    /// Whether it is being skipped.
    pub(crate) is_on: bool,
    /// Whether it ever was.
    pub(crate) has_begun: bool,
    /// Whether it is only because one that plays it, or waits for it, is.
    pub(crate) is_carried: bool,
    /// Whether it went on without end.
    pub(crate) is_given_up: bool,
    /// How deep tasks are within `noSkip`.
    watched: BTreeMap<u64, u32>,
    /// The end of waits that have none of their own, by task: the serial of the wait and its tick.
    pub(crate) ends: BTreeMap<u64, (u64, TickNumber)>,
    /// Ticks of the scene that were passed over.
    pub(crate) passed: u64,
    /// How far its predicates were asked at this moment of the scene; None where all were.
    pub(crate) asked: Option<AskedPredicates>,
}

/// How far the predicates of a skipped scene were asked, where the fuel of a tick did not suffice for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AskedPredicates {
    /// The last predicate of `region.when`: they are asked by id.
    pub(crate) predicate: u32,
    /// The last task, of those that come after them: by id as well.
    pub(crate) task: u64,
    /// Whether code ran, but for predicates that said what they had said before.
    pub(crate) went_on: bool,
}

impl Skip {
    /// Whether it is skipped and nothing of it is to be seen at normal speed.
    pub(crate) fn is_fast_forwarding(&self) -> bool {
        self.is_on && self.watched.is_empty()
    }

    /// A task enters `noSkip`.
    pub(crate) fn watch(&mut self, task: u64) {
        *self.watched.entry(task).or_default() += 1;
    }

    /// A task leaves `noSkip`.
    pub(crate) fn unwatch(&mut self, task: u64) {
        if let Some(depth) = self.watched.get_mut(&task) {
            *depth = depth.saturating_sub(1);
            if *depth == 0 {
                self.watched.remove(&task);
            }
        }
    }

    /// A task is over.
    pub(crate) fn forget(&mut self, task: u64) {
        self.watched.remove(&task);
        self.ends.remove(&task);
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.flag(self.is_on).flag(self.has_begun).word(self.passed);
        if self.is_carried || self.is_given_up {
            hash.flag(self.is_carried).flag(self.is_given_up);
        }
        for (&task, &depth) in &self.watched {
            hash.word(task).word(u64::from(depth));
        }
        for (&task, &(serial, tick)) in &self.ends {
            hash.word(task).word(serial).word(tick.0);
        }
        if let Some(asked) = self.asked {
            hash.word(u64::from(asked.predicate)).word(asked.task).flag(asked.went_on);
        }
    }
}

/// A cinematic file, or a definition, whose shape was checked.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The table itself, where handlers given by name are looked up.
    pub(crate) table: Table,
    pub(crate) script: Function,
    pub(crate) holds: Rc<[String]>,
    pub(crate) locks: Rc<[String]>,
    /// Whether it may be skipped.
    pub(crate) is_skippable: bool,
    /// Whether a reload of its code cancels it under way and begins it again; else it finishes on its old
    /// code.
    pub(crate) restarts: bool,
    /// Whether a game may be saved while it is under way: it goes on from its last mark.
    pub(crate) is_resumable: bool,
    /// The whole name of its file; none for a scene that a script has defined.
    pub(crate) file: Option<String>,
}

impl Definition {
    /// Bytes that are kept for it beside the values of the VM.
    pub(crate) fn bytes(&self) -> usize {
        let names = self.holds.iter().chain(self.locks.iter()).chain([&self.name]);
        size_of::<Self>() + names.map(|name| size_of::<String>() + name.len()).sum::<usize>()
    }
}

/// How a scene ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SceneEnd {
    /// Its script has returned and its walks have settled.
    Finished,
    /// `scene:cancel()`, or a character it holds was removed by other code.
    Cancelled,
    /// A fault in it.
    Fault(String),
    /// The level ended.
    LevelEnd,
}

impl SceneEnd {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
            Self::Fault(_) => "fault",
            Self::LevelEnd => "levelEnd",
        }
    }
}

walkon_nav::saved_choice!(SceneEnd, 2: 0: Finished, 1: Cancelled, 2: Fault(message), 3: LevelEnd);

/// Where a scene is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SceneStage {
    /// It was asked for and begins at the next dispatch.
    Queued,
    /// Its script runs.
    Running,
    /// Its script has returned; walks may be under way.
    Returned,
}

/// What was asked of a scene before it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BeforeStart {
    #[default]
    Nothing,
    /// It is skipped from its first line on.
    Skip,
}

/// A scene that has not ended.
#[derive(Debug)]
pub(crate) struct RunningScene {
    pub(crate) definition: Definition,
    pub(crate) args: Plain,
    pub(crate) holds: Vec<CharacterId>,
    pub(crate) owner: Option<Owner>,
    /// The scene whose code has played it.
    pub(crate) played_by: Option<Owner>,
    pub(crate) stage: SceneStage,
    pub(crate) started: TickNumber,
    pub(crate) mark: Option<String>,
    /// The mark from which it goes on after a load.
    pub(crate) resumed_from: Option<String>,
    pub(crate) moved_camera: bool,
    pub(crate) skip: Skip,
    pub(crate) before_start: BeforeStart,
    /// How it ends at the next dispatch, before any scene begins that is played from now on: those may hold
    /// its characters. If it has not begun, its script never runs.
    ending: Option<SceneEnd>,
}

/// The saved form of a scene that has not ended.
#[derive(Clone, Debug)]
pub(crate) struct SavedScene {
    pub(crate) name: String,
    /// Its file; none for one that a script has defined.
    pub(crate) file: Option<String>,
    pub(crate) args: Plain,
    /// Whose its walks are; none for one that had only been asked for.
    pub(crate) owner: Option<Owner>,
    pub(crate) played_by: Option<Owner>,
    /// Whether its script has returned: only its walks go on.
    pub(crate) has_returned: bool,
    pub(crate) mark: Option<String>,
    pub(crate) started: TickNumber,
    pub(crate) holds: Vec<CharacterId>,
    /// How it ends at the next dispatch, if it does.
    pub(crate) ending: Option<SceneEnd>,
}

walkon_nav::saved!(SavedScene {
    name,
    file,
    args,
    owner,
    played_by,
    has_returned,
    mark,
    started,
    holds,
    ending
});

/// What was asked of scenes, to go back to.
#[derive(Debug)]
pub(crate) struct ScenesBefore {
    last: u64,
    asked: BTreeMap<u64, (BeforeStart, Option<SceneEnd>)>,
}

/// Scenes that scripts have defined, each with its owner.
pub(crate) type Definitions = BTreeMap<String, (Owner, Definition)>;

/// All scenes.
#[derive(Debug, Default)]
pub(crate) struct Scenes {
    scenes: BTreeMap<u64, RunningScene>,
    definitions: Definitions,
    /// The number that the last scene got.
    last: u64,
    /// Whether the level has ended, and every scene with it.
    pub(crate) is_level_over: bool,
    /// The owner whose code begins again after new code was refused: it makes its definitions again.
    begins_again: Option<Owner>,
}

impl Scenes {
    /// Writes a scene down that is about to begin; its number.
    pub(crate) fn enlist(
        &mut self,
        definition: Definition,
        args: Plain,
        holds: Vec<CharacterId>,
        now: TickNumber,
    ) -> u64 {
        self.last += 1;
        let scene = RunningScene {
            definition,
            args,
            holds,
            owner: None,
            played_by: None,
            stage: SceneStage::Queued,
            started: now,
            mark: None,
            resumed_from: None,
            moved_camera: false,
            skip: Skip::default(),
            before_start: BeforeStart::Nothing,
            ending: None,
        };
        self.scenes.insert(self.last, scene);
        self.last
    }

    /// The scene of that number when it has not begun, and is to begin.
    pub(crate) fn queued(&mut self, id: u64) -> Option<&mut RunningScene> {
        let scene = self.scenes.get_mut(&id)?;
        (scene.stage == SceneStage::Queued && scene.ending.is_none()).then_some(scene)
    }

    /// A scene ends at the next dispatch, as the first caller that asked for it said; false when it is over.
    pub(crate) fn end_soon(&mut self, id: u64, how: &SceneEnd) -> bool {
        let end = |scene: &mut RunningScene| _ = scene.ending.get_or_insert_with(|| how.clone());
        self.scenes.get_mut(&id).map(end).is_some()
    }

    /// Notes the scene whose code has played another.
    pub(crate) fn note_played_by(&mut self, id: u64, by: Option<Owner>) {
        if let Some(scene) = self.scenes.get_mut(&id) {
            scene.played_by = by;
        }
    }

    /// Notes what is asked of a scene that has not begun.
    pub(crate) fn ask_before_start(&mut self, id: u64, wish: BeforeStart) {
        if let Some(scene) = self.queued(id) {
            scene.before_start = wish;
        }
    }

    /// What was asked of scenes so far.
    pub(crate) fn before(&self) -> ScenesBefore {
        let asked = self.scenes.iter().map(|(&id, scene)| (id, (scene.before_start, scene.ending.clone())));
        ScenesBefore { last: self.last, asked: asked.collect_map() }
    }

    /// Nothing was asked of scenes since, and none was played.
    pub(crate) fn go_back(&mut self, before: ScenesBefore) {
        self.last = before.last;
        self.scenes.retain(|id, _| *id <= before.last);
        for (id, (before_start, ending)) in before.asked {
            if let Some(scene) = self.scenes.get_mut(&id) {
                (scene.before_start, scene.ending) = (before_start, ending);
            }
        }
    }

    /// The saved form of each scene that has not ended, oldest first; else the name of a scene under way that
    /// cannot be saved.
    pub(crate) fn to_save(&self) -> Result<Vec<SavedScene>, String> {
        let one = |scene: &RunningScene| {
            let RunningScene {
                definition,
                args,
                holds,
                owner,
                played_by,
                stage,
                started,
                mark,
                // Until its next mark it is resumed from the last.
                resumed_from: _,
                // It goes on unskipped, and moves the camera again.
                moved_camera: _,
                skip: _,
                before_start: _,
                ending,
            } = scene;
            if *stage != SceneStage::Queued && !definition.is_resumable {
                return Err(definition.name.clone());
            }
            Ok(SavedScene {
                name: definition.name.clone(),
                file: definition.file.clone(),
                args: args.clone(),
                owner: *owner,
                played_by: *played_by,
                has_returned: *stage == SceneStage::Returned,
                mark: mark.clone(),
                started: *started,
                holds: holds.clone(),
                ending: ending.clone(),
            })
        };
        let is_wanted = |scene: &&RunningScene| scene.stage != SceneStage::Queued || scene.ending.is_none();
        self.scenes.values().filter(is_wanted).map(one).collect()
    }

    /// The number of the last scene.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// The next scene is given the number behind this one.
    pub(crate) fn count_from(&mut self, last: u64) {
        self.last = last;
    }

    /// A scene goes on where it was as the game was saved.
    pub(crate) fn resume(&mut self, id: u64, saved: &SavedScene) {
        if let Some(scene) = self.scenes.get_mut(&id) {
            (scene.mark, scene.resumed_from) = (saved.mark.clone(), saved.mark.clone());
            scene.started = saved.started;
        }
    }

    /// The mark from which a scene goes on after a load.
    pub(crate) fn resumed_from(&self, id: u64) -> Option<&str> {
        self.scenes.get(&id).and_then(|scene| scene.resumed_from.as_deref())
    }

    /// The script of a scene has returned.
    pub(crate) fn script_returned(&mut self, id: u64) {
        if let Some(scene) = self.scenes.get_mut(&id) {
            scene.stage = SceneStage::Returned;
        }
    }

    /// Whether it has not ended.
    pub(crate) fn contains(&self, id: u64) -> bool {
        self.scenes.contains_key(&id)
    }

    /// Scenes that have not ended, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &RunningScene)> {
        self.scenes.iter().map(|(&id, scene)| (id, scene))
    }

    /// Scenes whose script has returned, oldest first, and their owners.
    pub(crate) fn returned(&self) -> Vec<(u64, Owner)> {
        let returned = self.iter().filter(|(_, scene)| scene.stage == SceneStage::Returned);
        returned.filter_map(|(id, scene)| Some((id, scene.owner?))).collect()
    }

    /// Takes a scene out that ends.
    pub(crate) fn take(&mut self, id: u64) -> Option<RunningScene> {
        self.scenes.remove(&id)
    }

    /// What the scenes that have not ended were given.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Plain> {
        self.scenes.values().map(|scene| &scene.args)
    }

    /// The running scene of that name, or the oldest.
    pub(crate) fn running(&self, name: Option<&str>) -> Option<u64> {
        let fits = |scene: &RunningScene| {
            scene.stage != SceneStage::Queued && name.is_none_or(|name| scene.definition.name == name)
        };
        self.scenes.iter().find(|(_, scene)| fits(scene)).map(|(&id, _)| id)
    }

    pub(crate) fn name(&self, id: u64) -> Option<&str> {
        self.scenes.get(&id).map(|scene| scene.definition.name.as_str())
    }

    pub(crate) fn mark(&self, id: u64) -> Option<&str> {
        self.scenes.get(&id).and_then(|scene| scene.mark.as_deref())
    }

    pub(crate) fn set_mark(&mut self, id: u64, mark: String) {
        if let Some(scene) = self.scenes.get_mut(&id) {
            scene.mark = Some(mark);
        }
    }

    pub(crate) fn owner(&self, id: u64) -> Option<Owner> {
        self.scenes.get(&id).and_then(|scene| scene.owner)
    }

    pub(crate) fn holds(&self, id: u64, character: CharacterId) -> bool {
        self.scenes.get(&id).is_some_and(|scene| scene.holds.contains(&character))
    }

    /// Scenes that end because code of an owner, or the host, removes a character that they hold, oldest
    /// first, and their owners: all but the one that removes it.
    pub(crate) fn cut_short_by(
        &self,
        character: CharacterId,
        by: Option<Owner>,
    ) -> impl Iterator<Item = (u64, Option<Owner>)> {
        let ends = move |scene: &RunningScene| scene.holds.contains(&character) && scene.owner != by;
        self.iter().filter(move |(_, scene)| ends(scene)).map(|(id, scene)| (id, scene.owner))
    }

    /// The owners of scenes that hold living characters alone, and are not about to end.
    pub(crate) fn going_on(&self, is_alive: impl Fn(CharacterId) -> bool) -> Vec<Owner> {
        let goes_on = |scene: &&RunningScene| {
            scene.ending.is_none() && scene.holds.iter().all(|&character| is_alive(character))
        };
        self.scenes.values().filter(goes_on).filter_map(|scene| scene.owner).collect()
    }

    pub(crate) fn note_camera(&mut self, id: u64) {
        if let Some(scene) = self.scenes.get_mut(&id) {
            scene.moved_camera = true;
        }
    }

    /// Whether it may be skipped and is not over.
    pub(crate) fn is_skippable(&self, id: u64) -> bool {
        self.scenes.get(&id).is_some_and(|scene| scene.definition.is_skippable)
    }

    /// Whether it is there, and was not given up so far.
    pub(crate) fn may_be_skipped(&self, id: u64) -> bool {
        self.scenes.get(&id).is_some_and(|scene| !scene.skip.is_given_up)
    }

    /// Those that are skipped, oldest first.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (u64, &Skip)> {
        let begun = self.iter().filter(|(_, scene)| scene.stage != SceneStage::Queued && scene.skip.is_on);
        begun.map(|(id, scene)| (id, &scene.skip))
    }

    /// Those that an owner has played, oldest first.
    pub(crate) fn played_by(&self, owner: Owner) -> impl Iterator<Item = u64> {
        self.iter().filter(move |(_, scene)| scene.played_by == Some(owner)).map(|(id, _)| id)
    }

    /// Whether it is being skipped.
    pub(crate) fn is_skipping(&self, id: u64) -> bool {
        self.scenes.get(&id).is_some_and(|scene| scene.skip.is_on)
    }

    /// Whether what its code asks for now is passed over: it is skipped, and nothing in it runs at normal
    /// speed.
    pub(crate) fn is_fast_forwarding(&self, id: u64) -> bool {
        self.scenes
            .get(&id)
            .is_some_and(|scene| scene.stage != SceneStage::Queued && scene.skip.is_fast_forwarding())
    }

    pub(crate) fn has_fast_forward(&self) -> bool {
        self.scenes.keys().any(|&id| self.is_fast_forwarding(id))
    }

    /// How far the skipping of a scene has come, and the scene.
    pub(crate) fn skip_mut(&mut self, id: u64) -> Option<(&mut Skip, &Definition)> {
        self.scenes.get_mut(&id).map(|scene| (&mut scene.skip, &scene.definition))
    }

    /// How many have not ended.
    pub(crate) fn count(&self) -> usize {
        self.scenes.len()
    }

    pub(crate) fn held_by(&self, id: u64) -> Vec<CharacterId> {
        self.scenes.get(&id).map_or_else(Vec::new, |scene| scene.holds.clone())
    }

    /// The numbers of scenes that hold characters or are about to, and go on doing so: not of those that are
    /// about to end.
    pub(crate) fn holders(&self) -> BTreeMap<CharacterId, u64> {
        let staying = self.scenes.iter().filter(|(_, scene)| scene.ending.is_none());
        staying.flat_map(|(&number, scene)| scene.holds.iter().map(move |&id| (id, number))).collect()
    }

    /// The owners of scenes that are about to end.
    pub(crate) fn ending(&self) -> BTreeSet<Owner> {
        self.scenes.values().filter(|scene| scene.ending.is_some()).filter_map(|scene| scene.owner).collect()
    }

    pub(crate) fn is_locked(&self, what: &str) -> bool {
        self.locking().any(|locks| locks.iter().any(|lock| lock == what))
    }

    /// Names of all that is locked.
    pub(crate) fn lock_count(&self) -> usize {
        self.locking().map(<[String]>::len).sum()
    }

    fn locking(&self) -> impl Iterator<Item = &[String]> {
        let begun = self.scenes.values().filter(|scene| scene.stage != SceneStage::Queued);
        begun.map(|scene| &*scene.definition.locks)
    }

    pub(crate) fn definition(&self, name: &str) -> Option<Definition> {
        self.definitions.get(name).map(|(_, definition)| definition.clone())
    }

    /// Whether a scene of that name is defined, and `owner` does not begin again.
    pub(crate) fn is_defined_against(&self, name: &str, owner: Owner) -> bool {
        let defined = self.definitions.get(name);
        defined.is_some_and(|(other, _)| *other != owner || self.begins_again != Some(owner))
    }

    /// The code of an owner begins again after new code was refused; none once it has.
    pub(crate) fn begin_again(&mut self, owner: Option<Owner>) {
        self.begins_again = owner;
    }

    pub(crate) fn define(&mut self, owner: Owner, definition: Definition) {
        self.definitions.insert(definition.name.clone(), (owner, definition));
    }

    /// The code of an owner is replaced: scenes that it has defined are not played any more. Scenes under way
    /// go on.
    pub(crate) fn forget_definitions(&mut self, owner: Owner) {
        self.definitions.retain(|_, (other, _)| *other != owner);
    }

    /// Bytes that are kept for definitions.
    pub(crate) fn definition_bytes(&self) -> usize {
        self.definitions.values().map(|(_, definition)| definition.bytes()).sum()
    }

    /// All definitions, to go back to.
    pub(crate) fn definitions(&self) -> Definitions {
        self.definitions.clone()
    }

    pub(crate) fn set_definitions(&mut self, definitions: Definitions) {
        self.definitions = definitions;
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.definitions.keys().cloned().collect()
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.last);
        for (&id, scene) in &self.scenes {
            hash.word(id).text(&scene.definition.name).word(scene.stage as u64).word(scene.started.0);
            scene.args.hash_into(hash);
            for character in &scene.holds {
                hash.word(character.bits());
            }
            hash.text(scene.mark.as_deref().unwrap_or(""));
            scene.skip.hash_into(hash);
            // Most begin at their beginning and end by themselves.
            match &scene.ending {
                None => {}
                Some(SceneEnd::Fault(message)) => _ = hash.text("fault").text(message),
                Some(ending) => _ = hash.text(ending.name()),
            }
            if let Some(Owner(by)) = scene.played_by {
                hash.text("played").word(u64::from(by));
            }
            if let Some(mark) = &scene.resumed_from {
                hash.text("resumed").text(mark);
            }
            if scene.before_start == BeforeStart::Skip {
                hash.text("skip");
            }
        }
    }
}
