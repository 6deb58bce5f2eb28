//! Save games of scripts: their data as bytes, and scripts that begin again from it.
//!
//! In: the tables of the scheduler and the states of behaviours, between ticks; the bytes of them. Out:
//! bytes; a VM whose behaviours are there with their states, to begin in the next step 3. Holds: a save keeps
//! what a reload keeps, and code begins again through the functions of a reload: state, boards, random
//! streams, timers and handlers of walks that are names; tasks, watches, listeners and functions end, and
//! `start` makes them again. A scene under way is refused, unless it says that it can be resumed. Bodies run
//! without the world, as at the start of a level. Not here: the world (`world::snapshot`), the bytes around
//! both (`game::save`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Table, Value};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::script::bind::level;
use crate::script::host::loaded::Loaded;
use crate::script::host::reload::commit::{self, LoadedInstance};
use crate::script::host::reload::{LevelBehaviours, ReloadError};
use crate::script::host::{GivenBehaviour, ScriptHost, StartError, class};
use crate::script::state::behaviours::{Class, Instance, Suspended};
use crate::script::state::callback::Callback;
use crate::script::state::owners::{OwnerKind, OwnerRecord, Owners};
use crate::script::state::runtime::{Actors, Cinematics, Registered, Runtime};
use crate::script::state::scenes::SavedScene;
use crate::script::state::tasks::Tasks;
use crate::script::state::wait::Wait;
use crate::script::state::waits::{Delivery, TaskPause};
use crate::script::state::work::ScriptWork;
use crate::script::step::behaviour::AssignedClass;
use crate::script::step::testing::ExpectationId;
use crate::script::step::testing::declared::is_test_file;
use crate::script::step::{behaviour, cinematic, invoke, level_script, plain_state, testing};
use crate::script::vm::convert::Argument;
use crate::script::vm::payload::saved::{DataPlace, DataWriter, ReadData};
use crate::script::vm::{ScriptVm, handles, lend, payload, store};
use crate::world::World;
use crate::world::event::{Fact, LogLine};
use crate::world::ops::blocks;
use crate::world::owner::Owner;
use crate::world::snapshot::facts;

/// What is wrong when there is no room in the VM.
const MEMORY_SPENT: &str = "the memory of the level is spent";

/// Names that are looked for before their files are, at most.
const ASKED_MAX: usize = 64;

/// A behaviour that is there, as a save game is to hold it.
struct KeptBehaviour {
    owner: Owner,
    version: u64,
    this: Rc<Table>,
}

/// A behaviour as a save game holds it; [`ScriptHost::save_instance`] writes it.
struct SavedInstance {
    owner: Owner,
    character: CharacterId,
    file: String,
    asked: String,
    given: Plain,
    version: u64,
    state: DataPlace,
    is_whole: bool,
}

impl SavedInstance {
    /// Reads one; its state goes to `states`.
    fn load<'a>(input: &mut ByteReader<'a>, states: &mut ReadData<'a>) -> Result<Self, DecodeError> {
        Ok(Self {
            owner: Saved::load(input)?,
            character: Saved::load(input)?,
            file: Saved::load(input)?,
            asked: Saved::load(input)?,
            given: Saved::load(input)?,
            version: Saved::load(input)?,
            state: states.read(input)?,
            is_whole: Saved::load(input)?,
        })
    }
}

/// A behaviour that was switched off.
struct SavedSuspended {
    character: CharacterId,
    label: String,
    file: String,
    version: u64,
    asked: String,
    given: Plain,
    state: Option<Plain>,
    is_whole: bool,
}

walkon_nav::saved!(SavedSuspended { character, label, file, version, asked, given, state, is_whole });

/// What reached a behaviour while a scene held its character, for a handler that is a name or stands in `on`.
struct SavedKept {
    owner: Owner,
    /// The name of the handler; none for one of `on`.
    handler: Option<String>,
    label: String,
    payload: Option<Plain>,
    is_event: bool,
}

walkon_nav::saved!(SavedKept { owner, handler, label, payload, is_event });

/// What is wrong with the bytes, as a refusal.
impl From<DecodeError> for ReloadError {
    fn from(broken: DecodeError) -> Self {
        Self { message: broken.0, ..Self::default() }
    }
}

impl From<StartError> for ReloadError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Load(failure) => (*failure).into(),
            StartError::Init { failure, .. } => (*failure).into(),
            other => Self { message: other.to_string(), ..Self::default() },
        }
    }
}

impl ScriptHost {
    /// Writes what scripts keep. Between ticks.
    ///
    /// # Errors
    /// A sentence: the level has ended, or a scene is under way that cannot be resumed.
    pub fn save(&self, world: &World, out: &mut ByteWriter) -> Result<(), String> {
        if self.is_over {
            return Err("the level has ended".to_owned());
        }
        let lua = self.vm.lua();
        let scenes = match &self.loaded {
            Some(loaded) => loaded.scenes.clone(),
            None => store::with(lua, |runtime| runtime.cinematics.scenes.to_save()).map_err(|name| {
                format!("cinematic \"{name}\" is under way and does not say `resumable = true`")
            })?,
        };
        let instances = self.kept_behaviours(world);
        let limit_kib = self.vm.limits().state_kib;
        let (shared, _) = plain_state::salvage(lua, "state", &Value::Table(self.state.clone()), limit_kib);
        shared.save(out);
        self.vm.save_streams(out);
        level::save(lua, out);
        self.save_instances(&instances, out)?;
        let owners: BTreeSet<Owner> = instances.iter().map(|instance| instance.owner).collect_set();
        store::with(lua, |runtime| save_tables(runtime, world, &owners, out));
        self.kept(&owners).save(out);
        scenes.save(out);
        Ok(())
    }

    /// What waits for behaviours that stand still, as far as it would outlive a reload and is plain data.
    fn kept(&self, owners: &BTreeSet<Owner>) -> Vec<SavedKept> {
        let lua = self.vm.lua();
        let limit_kib = self.vm.limits().state_kib;
        let found = store::with(lua, |runtime| {
            let kept = runtime.owners.iter().filter(|(owner, _)| owners.contains(owner));
            // What stands first has come first.
            let all = |(owner, record): (Owner, &OwnerRecord)| {
                let kept = record.kept.iter().cloned().chain(runtime.queue.deliveries(owner));
                kept.map(move |one| (owner, one)).collect::<Vec<_>>()
            };
            let one = |(owner, one): (Owner, Delivery)| match one {
                Delivery::Handler { callback, payload, label, is_event, with_receiver } => {
                    let handler = Callback::name_of(&Some(callback)).filter(|_| !with_receiver);
                    Some((owner, handler, label.to_string(), payload, is_event))
                }
                Delivery::Resume { .. } => None,
            };
            kept.flat_map(all).filter(|(_, one)| one.outlives_code()).filter_map(one).collect::<Vec<_>>()
        });
        let plain = |payload: &Value| match payload {
            Value::Nil => Some(None),
            value => {
                let (kept, left_out) =
                    payload::salvage(lua, &Argument::new("save", "payload", value.clone()), limit_kib);
                left_out.is_empty().then_some(Some(kept))
            }
        };
        let saved = found.into_iter().filter_map(|(owner, handler, label, payload, is_event)| {
            let payload = plain(&payload)?;
            Some(SavedKept { owner, handler, label, payload, is_event })
        });
        saved.collect()
    }

    /// The behaviours that are there.
    fn kept_behaviours(&self, world: &World) -> Vec<KeptBehaviour> {
        store::with(self.vm.lua(), |runtime| {
            let behaviours = &runtime.actors.behaviours;
            let one = |owner: Owner| {
                let instance = behaviours.get(owner)?;
                // A behaviour whose character is removed ends with this tick.
                world.characters.alive(instance.character)?;
                Some(KeptBehaviour {
                    owner,
                    version: instance.class.version,
                    this: Rc::clone(&instance.this),
                })
            };
            behaviours.owners().into_iter().filter_map(one).collect()
        })
    }

    /// Writes behaviours as [`SavedInstance`] reads them, each state as it stands in the VM.
    fn save_instances(&self, all: &[KeptBehaviour], out: &mut ByteWriter) -> Result<(), String> {
        let lua = self.vm.lua();
        let loaded: BTreeMap<Owner, &LoadedInstance> =
            self.loaded.iter().flat_map(|loaded| &loaded.instances).map(|one| (one.owner, one)).collect_map();
        let field = lua.create_string("state").map_err(|_| MEMORY_SPENT.to_owned())?;
        let mut states = DataWriter::new(lua, self.vm.limits().state_kib);
        out.list(all.iter(), |out, kept| {
            // Its code has not begun: it is as it was saved.
            let loaded = loaded.get(&kept.owner);
            let version = loaded.map_or(kept.version, |loaded| loaded.from);
            store::with(lua, |runtime| {
                if let Some(instance) = runtime.actors.behaviours.get(kept.owner) {
                    save_instance(kept.owner, version, instance, out);
                }
            });
            let is_whole = match loaded.and_then(|loaded| loaded.refill.as_ref()) {
                Some(refill) => {
                    refill.save(out);
                    false
                }
                None => self.save_state(&mut states, &kept.this.raw_get(&field).unwrap_or(Value::Nil), out),
            };
            is_whole.save(out);
        });
        Ok(())
    }

    /// Writes a `self.state`, as far as it is plain data; whether all of it was.
    fn save_state(&self, states: &mut DataWriter, state: &Value, out: &mut ByteWriter) -> bool {
        if state.is_table() && states.write(state, out) {
            return true;
        }
        let (lua, limit_kib) = (self.vm.lua(), self.vm.limits().state_kib);
        let (state, left_out) = plain_state::salvage(lua, "self.state", state, limit_kib);
        state.save(out);
        left_out.is_empty()
    }

    /// The hash of each script by its path.
    pub fn text_hashes(&self) -> BTreeMap<String, u64> {
        self.vm.texts().hashes()
    }

    /// The arguments that the level was started with.
    pub fn args(&self) -> Vec<String> {
        level::args(self.vm.lua())
    }

    /// Puts what was saved in place of all that scripts keep, and has everybody there again: their code
    /// begins in the next step 3 ([`ScriptHost::begin_loaded`]). `behaviours` says whose behaviour the level
    /// has changed since, `changed` which files are others.
    ///
    /// # Errors
    /// When the bytes are no state, a script is missing, or the saved state does not fit it.
    pub fn load(
        &mut self,
        world: &mut World,
        input: &mut ByteReader<'_>,
        behaviours: &LevelBehaviours,
        changed: &BTreeSet<String>,
    ) -> Result<(), ReloadError> {
        let shared: Plain = Saved::load(input)?;
        let level = self.level.clone().filter(|_| self.level_script.is_some());
        let state = self.state.clone();
        let loaded = self.phase(world, 0, |vm| {
            let plan = LoadPlan { vm, level, behaviours, changed };
            let loaded = plan.load(input)?;
            commit::write_back(vm, &state, &shared);
            Ok::<_, ReloadError>(loaded)
        })?;
        self.loaded = Some(loaded);
        Ok(())
    }

    /// Head of step 3 of the first tick after a load: the code of everybody begins, as after a reload.
    pub fn begin_loaded(&mut self, world: &mut World) {
        let Some(loaded) = self.loaded.take() else { return };
        self.vm.begin_tick();
        self.phase(world, 3, |vm| begin(vm, loaded));
    }
}

/// Writes what a save game holds of a behaviour but its state.
fn save_instance(owner: Owner, version: u64, instance: &Instance, out: &mut ByteWriter) {
    let Instance {
        character,
        // Told by the character.
        serial: _,
        class,
        // Made again; its state follows.
        this: _,
        asked,
        given,
    } = instance;
    owner.save(out);
    character.save(out);
    class.file.save(out);
    asked.save(out);
    given.save(out);
    version.save(out);
}

/// Writes the tables of the scheduler. They are taken apart here; the tables that are left out end with the
/// code that filled them, or follow from the others.
fn save_tables(runtime: &mut Runtime, world: &World, instances: &BTreeSet<Owner>, out: &mut ByteWriter) {
    let Runtime {
        // As the level says.
        limits: _,
        // The tick is the world's.
        clock: _,
        owners,
        // Nothing between ticks.
        running: _,
        tasks,
        // Links that scripts had taken over are over with their tasks.
        registered: Registered { handlers, predicates: _, timers, traverses: _ },
        // Trees begin again at their roots, and states are looked at again; the behaviours give the roster.
        actors: Actors { behaviours, roster: _, trees: _, checks: _ },
        cinematics: Cinematics { scenes: all_scenes, answers },
        boards,
        streams,
        // New code begins without strikes; counts are of a run.
        faults: _,
        queue,
        // A test that runs is no part of the level.
        has_test: _,
        // As the level says.
        level_file: _,
        // Refused files are not tried again.
        reloads: _,
    } = runtime;
    let now = world.tick();
    let level = owners.level.as_ref().map(|(owner, _)| *owner);
    let is_kept = |owner: Owner| instances.contains(&owner) || level == Some(owner);
    out.word(u64::from(owners.last()));
    level.save(out);
    let classes: Vec<String> = behaviours.classes().iter().map(|class| class.file.clone()).collect();
    classes.save(out);
    let suspended = behaviours.suspended().into_iter().filter_map(|(character, one)| {
        world.characters.alive(character)?;
        let Suspended { label, file, version, asked, given, state, is_whole } = one;
        let label = label.to_string();
        Some(SavedSuspended { character, label, file, version, asked, given, state, is_whole })
    });
    suspended.collect::<Vec<_>>().save(out);
    streams.save(out);
    boards.save(out);
    answers.save(out);
    timers.save(out, |owner| is_kept(owner).then(|| owners.stands_still(owner, now)).flatten());
    handlers.save(out, &is_kept, &waited_for(tasks));
    queue.save(out, |count| facts::kept_of(&world.events, count));
    out.word(all_scenes.last());
}

/// Walks that tasks wait for: their results go to the code that comes.
fn waited_for(tasks: &Tasks) -> BTreeMap<WalkId, Owner> {
    let mut waited = BTreeMap::new();
    for (id, _, pause) in tasks.waits(None) {
        let Some(owner) = tasks.owner_of(id) else { continue };
        match pause {
            TaskPause::One { wait: Wait::Walk(walk), .. } => _ = waited.insert(*walk, owner),
            TaskPause::Group { entries, .. } => {
                for entry in entries.iter().filter(|entry| entry.outcome.is_none()) {
                    if let Wait::Walk(walk) = entry.wait {
                        waited.insert(walk, owner);
                    }
                }
            }
            _ => {}
        }
    }
    waited
}

/// One load: the VM whose files are loaded, and what has changed since the save.
struct LoadPlan<'a> {
    vm: &'a ScriptVm,
    /// The environment of the level script.
    level: Option<mlua::Table>,
    behaviours: &'a LevelBehaviours,
    /// Files that are others since.
    changed: &'a BTreeSet<String>,
}

impl LoadPlan<'_> {
    fn load(self, input: &mut ByteReader<'_>) -> Result<Loaded, ReloadError> {
        let (vm, lua) = (self.vm, self.vm.lua());
        let seed = lend::with_world(lua, |world: &mut World| world.seed()).unwrap_or_default();
        // Written first, read last: bodies draw numbers as they run.
        let streams = vm.streams_to_load(input)?;
        level::load(lua, input)?;
        let mut states = ReadData::default();
        let instances = input.list(|input| SavedInstance::load(input, &mut states))?;
        let last = input.count()?;
        let level_owner: Option<Owner> = Saved::load(input)?;
        self.load_classes(Saved::load(input)?)?;
        let suspended: Vec<SavedSuspended> = Saved::load(input)?;
        let instances = self.known(instances)?;
        let bytes_max = vm.limits().state_kib as usize * 1024;
        store::with(lua, |runtime| {
            runtime.streams.load(input, seed)?;
            runtime.boards.load(input, bytes_max)?;
            runtime.cinematics.answers.load(input)
        })?;
        let mut loaded = Loaded { has_level: level_owner.is_some(), ..Loaded::default() };
        loaded.has_level |= self.begin_level(level_owner, last);
        for (instance, class) in instances {
            loaded.instances.extend(self.create(instance, class, last, &mut states)?);
        }
        loaded.revived = self.suspend(suspended)?;
        self.load_tables(input, last)?;
        self.keep(Saved::load(input)?)?;
        loaded.scenes = Saved::load(input)?;
        for scene in &loaded.scenes {
            self.check_scene(scene)?;
        }
        let used = store::with(lua, |runtime| runtime.registered.handlers.names());
        loaded.instances.iter().try_for_each(|instance| commit::check_loaded(vm, instance, &used))?;
        commit::check_loaded_level(vm)?;
        self.attach_new();
        vm.set_streams(streams);
        Ok(loaded)
    }

    /// Classes keep their names, which random streams are named after. A file that is gone is missed where it
    /// is used.
    fn load_classes(&self, files: Vec<String>) -> Result<(), ReloadError> {
        for file in files {
            if self.vm.resolve(&file).is_ok() {
                class(self.vm, &file)?;
            }
        }
        Ok(())
    }

    /// The instances that are to be there again, each with its class, as the level and the scripts are by
    /// now.
    fn known(&self, saved: Vec<SavedInstance>) -> Result<Vec<(SavedInstance, Rc<Class>)>, ReloadError> {
        let level: BTreeMap<CharacterId, &Option<GivenBehaviour>> =
            self.behaviours.iter().map(|(character, behaviour)| (*character, behaviour)).collect_map();
        let mut known = Vec::new();
        // What thousands ask for is found once.
        let mut found: Vec<(String, Rc<Class>)> = Vec::new();
        for mut instance in saved {
            // An edit of the level has removed it.
            if !behaviour::is_alive(self.vm.lua(), instance.character) {
                continue;
            }
            let is_of_level = level.contains_key(&instance.character);
            if let Some((_, class)) = found.iter().find(|(asked, _)| !is_of_level && *asked == instance.asked)
            {
                known.push((instance, Rc::clone(class)));
                continue;
            }
            let asked = self.vm.resolve(&instance.asked).or_else(|_| self.vm.resolve(&instance.file));
            match level.get(&instance.character) {
                Some(None) => continue,
                Some(Some(given)) => {
                    let file = self.vm.resolve(&given.name).unwrap_or_default();
                    // Another behaviour begins as if it had just been given.
                    if asked.as_ref() != Ok(&file) {
                        continue;
                    }
                    instance.given = given.params.clone();
                }
                None => {}
            }
            let file = asked.map_err(|error| {
                let name = crate::script::vm::files::short_name(&instance.file);
                let who = self.name_of(instance.character);
                let message = format!("behaviour \"{name}\" of \"{who}\": {error}");
                ReloadError { message, ..ReloadError::default() }
            })?;
            let class = class(self.vm, &file)?;
            if self.vm.resolve(&instance.asked).as_ref() == Ok(&file) && found.len() < ASKED_MAX {
                found.push((instance.asked.clone(), Rc::clone(&class)));
            }
            known.push((instance, class));
        }
        Ok(known)
    }

    fn name_of(&self, character: CharacterId) -> String {
        let name = lend::with_world(self.vm.lua(), |world: &mut World| world.name_of(character).to_owned());
        name.unwrap_or_default()
    }

    /// The owner of the level script; whether there is one only now.
    fn begin_level(&self, saved: Option<Owner>, last: u32) -> bool {
        let lua = self.vm.lua();
        let Some(environment) = self.level.clone() else { return false };
        let name = self.vm.loads().name_of(&environment).unwrap_or_default();
        // A behaviour that was switched off stays so until its file changes.
        let unit = self.vm.loads().unit(self.changed, &self.vm.texts());
        if saved.is_none() && !unit.contains(&name) {
            return false;
        }
        store::with(lua, |runtime| {
            runtime.owners.count_from(saved.map_or(last, |owner| owner.0.saturating_sub(1)));
        });
        level_script::begin(self.vm, environment);
        store::with(lua, |runtime| runtime.owners.count_from(last));
        true
    }

    /// A behaviour as it was, under the number that it had.
    fn create(
        &self,
        saved: SavedInstance,
        class: Rc<Class>,
        last: u32,
        states: &mut ReadData<'_>,
    ) -> Result<Option<LoadedInstance>, ReloadError> {
        let lua = self.vm.lua();
        let is_free = store::with(lua, |runtime| {
            let is_free = runtime.owners.get(saved.owner).is_none()
                && runtime.actors.behaviours.of(saved.character).is_none();
            runtime.owners.count_from(saved.owner.0.saturating_sub(1));
            is_free && saved.owner != Owner::HOST && saved.owner.0 <= last
        });
        if !is_free {
            return Err(DecodeError::new("two owners of one number").into());
        }
        let state = if saved.is_whole { state_of(states.make(lua, saved.state))? } else { None };
        let assigned = AssignedClass { class: class.clone(), asked: &saved.asked, given: &saved.given };
        let created = behaviour::create_with(self.vm, saved.character, assigned, state);
        let owner = created.map_err(|what| {
            let path = self.vm.texts().get(&class.file).map_or(class.file.clone(), |file| file.path.clone());
            let (name, who) = (&class.name, self.name_of(saved.character));
            let message = format!("{path}: character \"{who}\": behaviour \"{name}\": {what}");
            ReloadError { message, file: path, line: 1, ..ReloadError::default() }
        })?;
        store::with(lua, |runtime| runtime.owners.count_from(last));
        let refill = (!saved.is_whole).then(|| states.plain(saved.state));
        Ok(Some(LoadedInstance { owner, from: saved.version, refill }))
    }

    /// Those that were switched off stay so; those whose files have changed since are to begin again.
    fn suspend(
        &self,
        saved: Vec<SavedSuspended>,
    ) -> Result<Vec<(CharacterId, Rc<Class>, Suspended)>, ReloadError> {
        let lua = self.vm.lua();
        let mut revived = Vec::new();
        for one in saved {
            let SavedSuspended { character, label, file, version, asked, given, state, is_whole } = one;
            let level_has_it = self.behaviours.iter().any(|(other, _)| *other == character);
            let serial = lend::with_world(lua, |world: &mut World| {
                world.characters.alive(character).map(|found| found.serial)
            });
            let Some(serial) = serial.unwrap_or_default().filter(|_| !level_has_it) else { continue };
            let label = Rc::from(label.as_str());
            let suspended = Suspended { label, file, version, asked, given, state, is_whole };
            let file = self.vm.resolve(&suspended.file).unwrap_or_default();
            let changed = self.changed;
            // A behaviour whose file fails as it loads stays off, too.
            if !file.is_empty()
                && let Ok(class) = class(self.vm, &file)
                && self.vm.loads().unit(changed, &self.vm.texts()).contains(&file)
            {
                revived.push((character, class, suspended.clone()));
            }
            store::with(lua, |runtime| {
                runtime.actors.behaviours.suspend_loaded(character, serial, suspended);
            });
        }
        Ok(revived)
    }

    fn load_tables(&self, input: &mut ByteReader<'_>, last: u32) -> Result<(), ReloadError> {
        let lua = self.vm.lua();
        let attached = store::with(lua, |runtime| {
            for owner in runtime.registered.timers.load(input)? {
                match runtime.owners.get_mut(owner) {
                    Some(record) => record.timers += 1,
                    // Of a level script that is gone.
                    None => runtime.registered.timers.forget_owner(owner),
                }
            }
            runtime.registered.handlers.load(input)?;
            let attached = runtime.queue.load(input)?;
            runtime.cinematics.scenes.count_from(input.word()?);
            runtime.owners.count_from(last);
            Ok::<_, DecodeError>(attached)
        })?;
        for name in attached {
            let is_known = store::with(lua, |runtime| runtime.actors.behaviours.class(&name).is_some());
            if !is_known && self.vm.resolve(&name).is_ok() {
                class(self.vm, &name)?;
            }
        }
        Ok(())
    }

    /// Keeps again what reached characters while scenes held them, or when the fuel of a tick was spent. The
    /// others hear of it in the next tick, those that are held when they go on.
    fn keep(&self, kept: Vec<SavedKept>) -> Result<(), ReloadError> {
        let lua = self.vm.lua();
        for SavedKept { owner, handler, label, payload, is_event } in kept {
            let frozen = payload.map(|payload| payload::frozen(lua, &payload)).transpose();
            let payload = frozen.map_err(|_| DecodeError::new(MEMORY_SPENT))?;
            store::with(lua, |runtime| {
                let on = runtime.actors.behaviours.get(owner).map(|instance| &instance.class.on);
                let of_on = on.and_then(|on| on.get(&label)).cloned();
                let (callback, with_receiver) = match (handler, of_on) {
                    (Some(name), _) => (Callback::Named(name), false),
                    (None, Some(function)) => (Callback::Function(function), true),
                    // The code has no ear for it any more.
                    (None, None) => return,
                };
                let payload = payload.unwrap_or(Value::Nil);
                let label = label.into();
                if let Some(record) = runtime.owners.get_mut(owner)
                    && (is_event || record.kept.len() < Owners::KEPT_EVENTS_MAX)
                {
                    // Once for all that is kept for it; what stands still has it when it goes on.
                    if record.kept.is_empty() && !record.is_paused() {
                        runtime.queue.deliver_soon(owner);
                    }
                    record.keep(Delivery::Handler { callback, payload, label, is_event, with_receiver });
                }
            });
        }
        Ok(())
    }

    /// Checks what can be checked of a scene before it goes on.
    fn check_scene(&self, scene: &SavedScene) -> Result<(), ReloadError> {
        let Some(file) = &scene.file else { return Ok(()) };
        self.definition(scene, file).map(drop)
    }

    fn definition(
        &self,
        scene: &SavedScene,
        file: &str,
    ) -> Result<crate::script::state::scenes::Definition, ReloadError> {
        let refused = |what: String| ReloadError {
            message: format!("cinematic \"{}\" was under way: {what}", scene.name),
            ..ReloadError::default()
        };
        self.vm.resolve(file).map_err(|error| refused(error.to_string()))?;
        let loaded = self.vm.load(file)?;
        cinematic::definition::check(&scene.name, &loaded.result).map_err(refused)
    }

    /// Behaviours that the level has given to characters since, where they had others or none.
    fn attach_new(&self) {
        let lua = self.vm.lua();
        for (character, given) in self.behaviours {
            let has = store::with(lua, |runtime| runtime.actors.behaviours.of(*character)).is_some();
            if let (false, Some(GivenBehaviour { name, params })) = (has, given)
                && let Ok(class) = class(self.vm, name)
            {
                let (character, params) = (*character, params.clone());
                let work = ScriptWork::Attach { character, name: class.name.clone(), params };
                store::push_work(lua, work);
            }
        }
    }
}

/// The table of a state that was made; none of what is no table.
fn state_of(made: mlua::Result<Value>) -> Result<Option<Table>, ReloadError> {
    made.map(|state| state.as_table().cloned()).map_err(memory_spent)
}

/// The only way in which making tables and texts fails.
fn memory_spent(_: mlua::Error) -> ReloadError {
    ReloadError { message: MEMORY_SPENT.to_owned(), ..ReloadError::default() }
}

/// Everybody begins: the level script, behaviours in the order of their characters, then scenes, whose
/// characters stand still meanwhile.
fn begin(vm: &ScriptVm, loaded: Loaded) {
    let lua = vm.lua();
    let mut notes = Vec::new();
    let held: Vec<CharacterId> = loaded.scenes.iter().flat_map(|scene| scene.holds.clone()).collect();
    held.iter().for_each(|&character| behaviour::pause(lua, character));
    if loaded.has_level {
        commit::begin_loaded_level(vm, &mut notes);
    }
    loaded.instances.into_iter().for_each(|instance| commit::begin_loaded(vm, instance, &mut notes));
    for (character, class, suspended) in loaded.revived {
        commit::revive_loaded(vm, character, class, suspended);
    }
    let begun: BTreeSet<CharacterId> = loaded.scenes.iter().flat_map(|scene| resume(vm, scene)).collect_set();
    for character in held.into_iter().filter(|character| !begun.contains(character)) {
        behaviour::release(lua, character);
    }
    end_blocks_of_nobody(vm);
    tell(vm, notes);
}

/// Ends the blocks of owners that are not there again: no code has a handle of them.
fn end_blocks_of_nobody(vm: &ScriptVm) {
    let lua = vm.lua();
    let owners = |world: &mut World| world.map.blocks.iter().map(|block| block.owner).collect_set();
    let owners: BTreeSet<Owner> = lend::with_world(lua, owners).unwrap_or_default();
    let is_gone = |owner: &Owner| {
        *owner != Owner::HOST && store::with(lua, |runtime| runtime.owners.get(*owner).is_none())
    };
    for owner in owners.into_iter().filter(is_gone) {
        let _ = lend::with_world(lua, |world: &mut World| blocks::end_owner(world, owner));
    }
}

/// Lets a scene go on from its last mark. Gives the characters that it holds.
fn resume(vm: &ScriptVm, scene: &SavedScene) -> Vec<CharacterId> {
    match cinematic::resume(vm, scene) {
        Ok(()) => scene.holds.clone(),
        Err(what) => {
            let message = format!("load: {what}");
            let failure = crate::script::vm::fault::CallFailure::new(
                crate::script::vm::fault::FaultKind::Error,
                message,
                None,
            );
            invoke::report(vm, &invoke::Call::plain(Owner::HOST, "load"), failure);
            Vec::new()
        }
    }
}

/// What could not be kept, as warnings.
fn tell(vm: &ScriptVm, notes: Vec<String>) {
    for message in notes {
        let line = LogLine { level: "warn", owner: "load".to_owned(), file: String::new(), line: 0, message };
        invoke::push(vm, Fact::Logged(Box::new(line)));
    }
}

impl ScriptHost {
    /// Everything of the level ends without a word, so that a save game can take its place; its files run
    /// again. Of the test of the level only its own task stays.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn make_way(&mut self, world: &mut World) -> Result<(), ReloadError> {
        let test = self.forget_all_but_test();
        let is_of_test = |handle: &Value| handles::thing::<ExpectationId>(handle).is_some();
        handles::forget_results(self.vm.lua(), is_of_test).map_err(memory_spent)?;
        let texts = self.vm.texts().clone();
        let all = self.vm.loads().unit(&texts.names(), &texts);
        let of_test = |name: &String| texts.get(name).is_some_and(|file| is_test_file(&file.path));
        let unit: BTreeSet<String> = all.into_iter().filter(|name| !of_test(name)).collect_set();
        self.vm.replace(texts, &unit);
        self.console = Default::default();
        self.loaded = None;
        self.level = None;
        // A file that does not load is missed where it is used.
        if let Some(name) = &self.level_script
            && let Ok(loaded) = self.vm.load(name)
        {
            self.level = Some(loaded.environment);
        }
        debug_assert!(test.is_none() || world.tick().0 > 0);
        Ok(())
    }

    fn forget_all_but_test(&self) -> Option<Owner> {
        store::with(self.vm.lua(), |runtime| {
            let test = runtime.owners.iter().find(|(_, record)| record.kind == OwnerKind::Test);
            let test = test.map(|(owner, _)| owner);
            let own = testing::task_of(self.vm.lua());
            for id in runtime.tasks.all().into_iter().filter(|id| Some(*id) != own) {
                runtime.tasks.unwait(id);
                runtime.tasks.take(id, None);
            }
            runtime.tasks.spawned.retain(|id| Some(*id) == own);
            let owners: Vec<Owner> = runtime.owners.iter().map(|(owner, _)| owner).collect();
            for owner in owners.into_iter().filter(|owner| Some(*owner) != test) {
                runtime.owners.remove(owner);
                runtime.faults.strikes.forget(&owner);
            }
            if let Some(record) = test.and_then(|owner| runtime.owners.get_mut(owner)) {
                (record.tasks, record.timers, record.handlers, record.watches) = (1, 0, 0, 0);
            }
            (runtime.owners.level, runtime.owners.removed_by) = (None, BTreeMap::new());
            runtime.registered = Registered::default();
            runtime.actors = Actors::default();
            runtime.cinematics.scenes = Default::default();
            test
        })
    }

    /// The test of the level goes on at another tick.
    pub(crate) fn move_test(&mut self, before: TickNumber, now: TickNumber) {
        store::with(self.vm.lua(), |runtime| {
            let test = runtime.owners.iter().find(|(_, record)| record.kind == OwnerKind::Test);
            if let Some(owner) = test.map(|(owner, _)| owner) {
                match now < before {
                    true => runtime.tasks.rewind(owner, before.since(now), now),
                    false => runtime.tasks.shift(owner, now.since(before)),
                }
            }
        });
    }
}
