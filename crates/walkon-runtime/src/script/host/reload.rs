//! Hot reload: changed files replace running code, or the old code runs on.
//!
//! In: changed texts by path (step 2), the world (head of step 3). Out: which files took effect, or why none
//! did. Holds: a saved file and everything that requires it is one unit: all of it changes or nothing; bodies
//! run without the world and on the load budget; a file whose text is the same is not reloaded; a deleted one
//! runs on; a refused file is tried again with the next save. Not here: the change of each instance
//! (`commit`), the level file (`game::level_reload`).

pub(crate) mod commit;
mod kept;
mod level_change;
mod of_world;
mod refusal;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::Value;

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::script::host::{GivenBehaviour, ScriptHost};
use crate::script::state::behaviours::{Class, Suspended};
use crate::script::state::test_run::ReloadReport;
use crate::script::step::cinematic::reload as scenes;
use crate::script::step::{behaviour, handlers, level_script, testing};
use crate::script::vm::fault::FaultKind;
use crate::script::vm::files::{ScriptText, ScriptTexts};
use crate::script::vm::shown_names::{shorten, suggestion};
use crate::script::vm::{VmBefore, store};
use crate::world::World;
use crate::world::region::WatchId;

use commit::{ReloadTarget, StagedScripts};
use kept::RefusedText;
pub(crate) use kept::Reloads;
pub(crate) use level_change::LevelChange;
pub use refusal::{ChangedTexts, LevelBehaviours, Misfit, ReloadError};

/// The end of a note about a file that nothing has loaded: its code does not run.
pub const UNUSED: &str = " is used by nothing so far";

/// What took effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The files whose text is another one now.
    pub files: ChangedTexts,
    /// What is missed, in sentences.
    pub notes: Vec<String>,
}

/// Which of the files that were refused go with those that are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joining {
    /// Those whose code has not run in the world.
    Untried,
    /// The others, too, where what is given may mend one of them.
    All,
}

/// A reload that was tried, and refused.
struct Attempted {
    changes: ChangedTexts,
    refusal: ReloadError,
}

/// What a changed level gives to characters, by character.
type GivenByCharacter<'a> = BTreeMap<CharacterId, &'a Option<GivenBehaviour>>;

impl ScriptHost {
    /// Step 2: compiles changed texts. Nothing runs; `commit` goes on in step 3.
    pub fn stage(&mut self, scripts: &ChangedTexts) {
        let mistakes = scripts.iter().filter_map(|(path, text)| self.compiles(path, text.as_deref()).err());
        let refusal = ReloadError::all(mistakes).err();
        self.reloads.staged = (!scripts.is_empty()).then(|| (scripts.clone(), refusal));
    }

    /// Whether these can be paths of scripts; one that is deleted alone is one that is there, waits because
    /// it was refused, or has just been given.
    ///
    /// # Errors
    /// A sentence about the first that cannot.
    pub fn check_paths(&self, scripts: &ChangedTexts, given: &ChangedTexts) -> Result<(), String> {
        let texts = self.vm.texts();
        let is_known = |path: &str| {
            let name = ScriptTexts::name_of_path(path);
            name.is_none_or(|name| !texts.is_gone(name) || self.vm.loads().is_loaded(name))
                || self.reloads.waiting.contains_key(path)
                || given.contains_key(path)
        };
        let refused = |path: &str, what: String| {
            let known = texts.paths();
            Err(format!("{what}{}", suggestion(path, known.iter().map(String::as_str))))
        };
        for (path, text) in scripts {
            let named = format!("\"{}\"", shorten(path));
            if !ScriptTexts::is_script_path(path) {
                let expected = "expected one that ends in .lua or .luau";
                return refused(path, format!("{named} is not the path of a script, {expected}"));
            }
            // Files that come and go beside others are left alone.
            if scripts.len() == 1 && text.is_none() && !is_known(path) {
                return refused(path, format!("there is no script {named} to be deleted"));
            }
        }
        Ok(())
    }

    fn compiles(&self, path: &str, text: Option<&str>) -> Result<(), ReloadError> {
        match text {
            Some(text) if ScriptTexts::name_of_path(path).is_some() => {
                Ok(self.vm.check(&ScriptText { path: path.to_owned(), text: text.to_owned() })?)
            }
            _ => Ok(()),
        }
    }

    /// Head of step 3: runs the bodies of the staged files, checks them against the running code, and puts
    /// them in its place; `level` takes effect with them. None when nothing of the scripts is to change.
    pub(crate) fn commit(
        &mut self,
        world: &mut World,
        level: Option<&mut dyn LevelChange>,
    ) -> Option<Result<Taken, ReloadError>> {
        let outcome = self.commit_staged(world, level);
        self.note_digest();
        outcome
    }

    fn commit_staged(
        &mut self,
        world: &mut World,
        mut level: Option<&mut dyn LevelChange>,
    ) -> Option<Result<Taken, ReloadError>> {
        let (given, refusal) = self.reloads.staged.take().unwrap_or_default();
        if given.is_empty() && level.is_none() {
            return None;
        }
        let outcome = match refusal {
            Some(refusal) => Err(refusal),
            None => self.attempts(world, &given, &mut level),
        };
        match outcome {
            Ok((tried, taken)) => self.took(&given, &tried, taken),
            Err(refusal) => {
                self.wait(given, Some(&refusal));
                Some(Err(refusal))
            }
        }
    }

    /// What was staged with a level, and what waits and is tried with it.
    fn changes_to_be(&self) -> ChangedTexts {
        let staged = self.reloads.staged.as_ref().map(|(given, _)| given.clone()).unwrap_or_default();
        self.joined(&staged, Joining::All)
    }

    /// Tries what is given with all that it may mend, then with what waits and has not run in the world, so
    /// that all that belongs together changes once; then by itself. What took effect, and of which files.
    fn attempts(
        &mut self,
        world: &mut World,
        given: &ChangedTexts,
        level: &mut Option<&mut dyn LevelChange>,
    ) -> Result<(ChangedTexts, Option<Taken>), ReloadError> {
        let joining = if level.is_some() { Joining::All } else { self.joining(given) };
        let all = self.joined(given, joining);
        let mut refused: Vec<Attempted> = Vec::new();
        for changes in [all.clone(), self.joined(given, Joining::Untried)] {
            let is_new = changes.len() > given.len() && refused.iter().all(|one| one.changes != changes);
            if is_new && self.all_compile(&changes) {
                match self.attempt(world, &changes, again(level)) {
                    Ok(taken) => return Ok((changes, taken)),
                    Err(refusal) => {
                        self.reloads.mark(&refusal.ran);
                        refused.push(Attempted { changes, refusal });
                    }
                }
            }
        }
        let alone = match self.attempt(world, given, again(level)) {
            Ok(taken) => return Ok((given.clone(), taken)),
            Err(alone) => alone,
        };
        if all.len() == given.len() {
            return Err(alone);
        }
        let together = match refused.into_iter().find(|one| one.changes == all) {
            Some(together) => together.refusal,
            None => match self.attempt(world, &all, again(level)) {
                Ok(taken) => return Ok((all, taken)),
                Err(together) => together,
            },
        };
        Err(alone.and(together, given))
    }

    /// The texts as they are once what was staged has taken effect.
    pub(crate) fn texts_to_be(&self) -> ScriptTexts {
        let texts = self.vm.texts();
        let changed = texts.changed(&self.changes_to_be(), |name| self.vm.loads().is_loaded(name));
        changed.map_or_else(|_| texts.clone(), |(texts, _)| texts)
    }

    /// Whether the parameters that a new level gives by character name what is in it; `level` is a world made
    /// from it. Behaviours whose files change with it are checked by [`ScriptHost::commit`].
    ///
    /// # Errors
    /// The first that does not.
    pub(crate) fn fits_level<'a>(
        &self,
        level: &World,
        given: impl Iterator<Item = (&'a str, &'a GivenBehaviour)>,
    ) -> Result<(), ReloadError> {
        commit::fits_level(&self.vm, level, given, &self.changes_to_be())
    }

    /// Leaves the staged files, because the level that came with them was refused.
    pub fn put_off(&mut self) {
        if let Some((given, _)) = self.reloads.staged.take() {
            self.wait(given, None);
        }
        self.note_digest();
    }

    /// An edit of the level has ended these watches: so do the handlers that scripts have given for them. A
    /// sentence for each owner that had some.
    pub fn forget_watches(&mut self, watches: &[WatchId]) -> Vec<String> {
        let forgotten = watches.iter().filter_map(|watch| handlers::forget_watch(self.vm.lua(), *watch));
        let owners: BTreeSet<_> = forgotten.collect_set();
        let sentence = |owner| {
            format!("{owner}: handlers ended with what they watched; save its script to make them again")
        };
        owners.into_iter().map(sentence).collect()
    }

    /// The part of reloads that can change the future becomes part of the hash.
    fn note_digest(&self) {
        let digest = self.reloads.digest();
        store::with(self.vm.lua(), |runtime| runtime.reloads = digest);
    }

    /// Files wait for the next reload; `refusal` says why, where they were tried.
    fn wait(&mut self, given: ChangedTexts, refusal: Option<&ReloadError>) {
        for (path, text) in given {
            self.reloads.waiting.insert(path, RefusedText { text, ran: BTreeSet::new() });
        }
        if let Some(refusal) = refusal {
            self.reloads.mark(&refusal.ran);
        }
    }

    fn all_compile(&self, changes: &ChangedTexts) -> bool {
        changes.iter().all(|(path, text)| self.compiles(path, text.as_deref()).is_ok())
    }

    /// Which of the files that wait may go with these: all of them, where one waits itself, or code that
    /// faulted in the world ran on one.
    fn joining(&self, given: &ChangedTexts) -> Joining {
        let mends = |path: &String| {
            let name = ScriptTexts::name_of_path(path);
            let ran_on = |waiting: &RefusedText| name.is_some_and(|name| waiting.ran.contains(name));
            self.reloads.waiting.contains_key(path) || self.reloads.waiting.values().any(ran_on)
        };
        if given.keys().any(mends) { Joining::All } else { Joining::Untried }
    }

    /// The changes with those that were refused before and go with them.
    fn joined(&self, given: &ChangedTexts, joining: Joining) -> ChangedTexts {
        let goes = |waiting: &RefusedText| joining == Joining::All || waiting.ran.is_empty();
        let waiting = self.reloads.waiting.iter().filter(|(_, waiting)| goes(waiting));
        let mut joined: ChangedTexts =
            waiting.map(|(path, waiting)| (path.clone(), waiting.text.clone())).collect_map();
        joined.extend(given.clone());
        joined
    }

    /// Changes took effect, those that were `tried`: they wait no more.
    fn took(
        &mut self,
        given: &ChangedTexts,
        tried: &ChangedTexts,
        taken: Option<Taken>,
    ) -> Option<Result<Taken, ReloadError>> {
        let mended = given.keys().filter(|path| self.reloads.waiting.contains_key(*path)).count();
        tried.keys().for_each(|path| drop(self.reloads.waiting.remove(path)));
        let all = match taken {
            Some(taken) => taken,
            // A refused file is again as it runs: worth a note.
            None if mended > 0 => {
                let names = given.keys().filter_map(|path| ScriptTexts::name_of_path(path));
                let notes = self.unused(&names.map(str::to_owned).collect_set());
                Taken { files: given.clone(), notes }
            }
            None => return None,
        };
        self.reloads.count += 1;
        Some(Ok(all))
    }

    /// One unit: all of it and the level, or nothing.
    fn attempt(
        &mut self,
        world: &mut World,
        changes: &ChangedTexts,
        mut level: Option<&mut dyn LevelChange>,
    ) -> Result<Option<Taken>, ReloadError> {
        let taken = self.attempt_on(world, changes, again(&mut level));
        if taken.is_err()
            && let Some(level) = level
        {
            // Where code has run in it, that is done.
            level.take_back(world);
        }
        taken
    }

    fn attempt_on(
        &mut self,
        world: &mut World,
        changes: &ChangedTexts,
        mut level: Option<&mut dyn LevelChange>,
    ) -> Result<Option<Taken>, ReloadError> {
        let vm = &self.vm;
        let found = vm.texts().changed(changes, |name| vm.loads().is_loaded(name));
        let (texts, changed) =
            found.map_err(|error| ReloadError { message: error.to_string(), ..ReloadError::default() })?;
        let behaviours = level.as_mut().map(|level| level.apply(world)).unwrap_or_default();
        if changed.is_empty() && behaviours.is_empty() {
            return Ok(None);
        }
        let there: BTreeSet<String> =
            changed.iter().filter(|name| !texts.is_gone(name)).cloned().collect_set();
        let unit = vm.loads().unit(&there, &texts);
        let files = changes
            .iter()
            .filter(|(path, _)| is_of(path, &changed))
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect_map();
        let missed = self.missed(&texts, &changed);
        let before = self.vm.replace(texts, &unit);
        let staged = match self.bodies(world, &unit, &behaviours, &before) {
            Ok(staged) => StagedScripts { changed: there.clone(), ..staged },
            Err(refusal) => {
                self.vm.restore(before);
                self.vm.make_room();
                return Err(refusal);
            }
        };
        let old = before.environments(&unit);
        let shared = self.state.clone();
        let not_kept = self.phase(world, 3, |vm| commit::run(vm, staged, &shared, before, level))?;
        for environment in old {
            // Without memory for the note there is none; the reload stands all the same.
            let _ = self.reloads.replaced.raw_set(environment, true);
        }
        let notes = missed.into_iter().chain(self.unused(&there)).chain(not_kept).collect();
        Ok(Some(Taken { files, notes }))
    }

    /// Sentences about deleted files whose code still runs.
    fn missed(&self, texts: &ScriptTexts, changed: &BTreeSet<String>) -> Vec<String> {
        let used = changed.iter().filter(|name| texts.is_gone(name) && self.vm.loads().is_loaded(name));
        used.map(|name| {
            let path = texts.get(name).map_or(name.as_str(), |file| file.path.as_str());
            format!("{path} was deleted; its running code runs on")
        })
        .collect()
    }

    /// Sentences about files that nothing has loaded.
    fn unused(&self, names: &BTreeSet<String>) -> Vec<String> {
        let unused = names.iter().filter(|name| !self.vm.loads().is_loaded(name));
        let texts = self.vm.texts();
        unused.filter_map(|name| Some(format!("{}{UNUSED}", texts.get(name)?.path))).collect()
    }

    /// Runs the bodies of a unit, and finds the owners that are to change.
    fn bodies(
        &self,
        world: &World,
        unit: &BTreeSet<String>,
        level: &LevelBehaviours,
        before: &VmBefore,
    ) -> Result<StagedScripts, ReloadError> {
        // A file that requires a broken one fails at the same place.
        let mut refused = Vec::new();
        for name in unit {
            let Err(failure) = self.vm.load(name) else { continue };
            let is_spent = failure.kind != FaultKind::Error;
            refused.push(failure.into());
            if is_spent {
                // Each of the others that require it would spend as much.
                break;
            }
        }
        ReloadError::all(refused)?;
        let scenes = scenes::restarts(&self.vm, unit)
            .map_err(|(file, what)| ReloadError::of_file(&self.vm.texts(), &file, &what))?;
        let mut staged = StagedScripts {
            classes: self.classes(unit),
            targets: Vec::new(),
            scenes,
            changed: BTreeSet::new(),
        };
        staged.targets.extend(self.level_target(unit, before)?);
        let level = level.iter().map(|(character, behaviour)| (*character, behaviour)).collect_map();
        self.stage_instances(world, &mut staged, unit, &level)?;
        self.stage_suspended(world, &mut staged, unit, &level)?;
        self.stage_newly_given(&mut staged, &level)?;
        Ok(staged)
    }

    /// What happens to behaviours that run: the level gives their character another one or none, or their
    /// file is another one or has changed. Those of characters that are removed hear of that alone.
    fn stage_instances(
        &self,
        world: &World,
        staged: &mut StagedScripts,
        unit: &BTreeSet<String>,
        level: &GivenByCharacter<'_>,
    ) -> Result<(), ReloadError> {
        let lua = self.vm.lua();
        let owners = store::with(lua, |runtime| runtime.actors.behaviours.owners());
        for owner in owners {
            let parts = store::with(lua, |runtime| runtime.actors.behaviours.parts(owner));
            let Some((character, old, _, asked, given)) = parts else { continue };
            if world.characters.alive(character).is_none() {
                continue;
            }
            let (asked, given, is_level) = match level.get(&character) {
                Some(None) => {
                    staged.targets.push(ReloadTarget::Detach { character });
                    continue;
                }
                Some(Some(behaviour)) => (behaviour.name.clone(), behaviour.params.clone(), true),
                None => (asked, given, false),
            };
            let file = match self.vm.resolve(&asked) {
                Ok(file) => file,
                // The file that the level asks for is not there: no other is taken for it.
                Err(error) if is_level => {
                    return Err(ReloadError { message: error.to_string(), ..ReloadError::default() });
                }
                Err(_) => old.file.clone(),
            };
            if is_level && file != old.file {
                let class = self.class_of(staged, &file)?;
                staged.targets.push(ReloadTarget::Attach { character, class, asked, given });
            } else if is_level || file != old.file || unit.contains(&file) {
                let class = self.class_of(staged, &file)?;
                staged.targets.push(ReloadTarget::Instance { owner, class, given });
            }
        }
        Ok(())
    }

    /// What happens to behaviours that were switched off and whose file is another one or has changed.
    fn stage_suspended(
        &self,
        world: &World,
        staged: &mut StagedScripts,
        unit: &BTreeSet<String>,
        level: &GivenByCharacter<'_>,
    ) -> Result<(), ReloadError> {
        let all = store::with(self.vm.lua(), |runtime| runtime.actors.behaviours.suspended());
        let is_there = |one: &(CharacterId, Suspended)| world.characters.alive(one.0).is_some();
        for (character, suspended) in all.into_iter().filter(is_there) {
            let file = self.vm.resolve(&suspended.asked).unwrap_or_else(|_| suspended.file.clone());
            if !level.contains_key(&character) && (unit.contains(&file) || file != suspended.file) {
                let class = self.class_of(staged, &file)?;
                staged.targets.push(ReloadTarget::Suspended { character, class, suspended });
            }
        }
        Ok(())
    }

    /// Characters without a behaviour get the one that the level gives them now.
    fn stage_newly_given(
        &self,
        staged: &mut StagedScripts,
        level: &GivenByCharacter<'_>,
    ) -> Result<(), ReloadError> {
        for (&character, behaviour) in level {
            let has = store::with(self.vm.lua(), |runtime| runtime.actors.behaviours.of(character)).is_some();
            if let (false, Some(GivenBehaviour { name, params })) = (has, behaviour) {
                let class = self.class_of(staged, name)?;
                let (asked, given) = (name.clone(), params.clone());
                staged.targets.push(ReloadTarget::Attach { character, class, asked, given });
            }
        }
        Ok(())
    }

    /// The class of a behaviour file, whose body runs if it has not.
    fn class_of(&self, staged: &mut StagedScripts, asked: &str) -> Result<Rc<Class>, ReloadError> {
        let result = self.vm.load(asked)?.result;
        let file = self.vm.resolve(asked).unwrap_or_else(|_| asked.to_owned());
        if let Some(class) = staged.classes.iter().find(|class| class.file == file) {
            return Ok(class.clone());
        }
        let class = behaviour::shape(self.vm.lua(), &file, &result)
            .map_err(|what| ReloadError::of_file(&self.vm.texts(), &file, &what))?;
        staged.classes.push(class.clone());
        Ok(class)
    }

    /// The level script, when it is to change.
    fn level_target(
        &self,
        unit: &BTreeSet<String>,
        before: &VmBefore,
    ) -> Result<Option<ReloadTarget>, ReloadError> {
        let Some(asked) = &self.level_script else { return Ok(None) };
        let now = self.vm.resolve(asked);
        let now =
            now.map_err(|error| ReloadError { message: error.to_string(), ..ReloadError::default() })?;
        if !unit.contains(&now) && before.means(asked, &now) {
            return Ok(None);
        }
        let environment = self.vm.load(&now)?.environment;
        level_script::check(&environment)
            .map_err(|what| ReloadError::of_file(&self.vm.texts(), &now, &what))?;
        Ok(Some(ReloadTarget::Level { environment }))
    }

    /// All classes as they are once the unit has taken effect.
    fn classes(&self, unit: &BTreeSet<String>) -> Vec<Rc<Class>> {
        let lua = self.vm.lua();
        let old = store::with(lua, |runtime| runtime.actors.behaviours.classes().to_vec());
        let renew = |class: Rc<Class>| {
            if !unit.contains(&class.file) {
                return Some(class);
            }
            // A file that is no behaviour any more has no class; if a character runs it, that is refused
            // there.
            let loaded = self.vm.loads().get(&class.file)?;
            behaviour::shape(lua, &class.file, &loaded.result).ok()
        };
        old.into_iter().filter_map(renew).collect()
    }

    /// Tells the test of the level what became of a reload.
    pub fn note_reload(&mut self, report: ReloadReport) {
        testing::with(self.vm.lua(), |testing| {
            testing.reloaded = Some(report);
            testing.replaced = Some(self.reloads.replaced.clone());
        });
    }

    /// Environments of replaced files that something still reaches, after a full collection.
    #[must_use]
    pub fn stale_closures(&self) -> usize {
        self.vm.collect();
        self.reloads.replaced.pairs::<Value, Value>().filter(Result::is_ok).count()
    }

    /// Bytes in use by scripts after a full collection.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.vm.collect();
        self.vm.used_memory()
    }
}

/// The same change of the level, for another attempt.
fn again<'a>(level: &'a mut Option<&mut dyn LevelChange>) -> Option<&'a mut dyn LevelChange> {
    level.as_mut().map(|level| &mut **level as &mut dyn LevelChange)
}

fn is_of(path: &str, names: &BTreeSet<String>) -> bool {
    ScriptTexts::name_of_path(path).is_some_and(|name| names.contains(name))
}
