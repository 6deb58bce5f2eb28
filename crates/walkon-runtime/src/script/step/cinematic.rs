//! Cinematics: scenes that hold characters, lock things, and end by themselves.
//!
//! In: tables of cinematic files, arguments. Out: running scenes: an owner, a main task, held characters.
//! Holds: a character is held by one scene at most; a scene ends when its script has returned and every walk
//! it started has settled; on every exit, be it finished, cancelled, a fault or the level's end, locks are
//! given back, the camera is reset, held characters are released, then `onEnd` runs. Not here: the stage of a
//! scene (`state::scenes`) and its functions (`bind::cinematic`, `prelude/scene.lua`).

pub(crate) mod definition;
pub(crate) mod reload;

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Lua, MultiValue, Value};

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::base::value::Plain;
use crate::script::state::owners::OwnerKind;
use crate::script::state::scenes::{BeforeStart, Definition, RunningScene, SavedScene, SceneEnd, SceneStage};
use crate::script::state::tasks::{NewTask, TaskRole, Why};
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call, map, text};
use crate::script::step::wait::SceneId;
use crate::script::step::{behaviour, owner_end, reports, task};
use crate::script::vm::payload::frozen;
use crate::script::vm::{ScriptVm, fuel, handles, lend, payload, store};
use crate::world::World;
use crate::world::cue::{Cue, CueKind};
use crate::world::event::Fact;
use crate::world::ops;

/// Asks for a scene: it begins at the next dispatch. What is wrong, in the words that follow the name of the
/// function.
pub(crate) fn play(lua: &Lua, definition: Definition, args: Plain) -> Result<u64, String> {
    let id = enlist(lua, definition, args)?;
    store::with(lua, |runtime| {
        let by = runtime.running.owner();
        let is_scene = runtime.owners.get(by).is_some_and(|by| matches!(by.kind, OwnerKind::Scene(_)));
        runtime.cinematics.scenes.note_played_by(id, is_scene.then_some(by));
    });
    store::push_work(lua, ScriptWork::BeginScene(id));
    Ok(id)
}

/// Characters of scenes that are looked up for a unit of fuel.
const HOLDS_PER_UNIT: u64 = 4;

/// Scenes that are passed over for a unit of fuel.
const SCENES_PER_UNIT: u64 = 8;

/// What beginning or ending a scene costs the tick beside its code.
const SCENE_PRICE: u64 = 64;

/// Writes a scene down that is about to begin; its characters are spoken for.
fn enlist(lua: &Lua, definition: Definition, args: Plain) -> Result<u64, String> {
    // A name that stands there twice is held once.
    let (mut holds, mut seen) = (Vec::new(), BTreeSet::new());
    // One that is about to end gives its characters back before this one begins.
    let (spoken_for, ending, scenes) = store::with(lua, |runtime| {
        let scenes = &runtime.cinematics.scenes;
        if definition.holds.is_empty() {
            return (BTreeMap::new(), BTreeSet::new(), 0);
        }
        (scenes.holders(), scenes.ending(), scenes.count() as u64)
    });
    let looked_up = (definition.holds.len() + spoken_for.len()) as u64;
    fuel::charge_running(looked_up / HOLDS_PER_UNIT + scenes / SCENES_PER_UNIT);
    for name in definition.holds.iter() {
        let found = lend::with_world(lua, |world: &mut World| {
            let id = world.find_character(name);
            (id, id.and_then(|id| world.characters.get(id)).and_then(|found| found.held.clone()))
        });
        let (id, hold) = found.map_err(|error| error.to_string())?;
        let Some(id) = id else {
            return Err(format!(
                "cinematic \"{}\" holds \"{name}\", but there is no such character",
                definition.name
            ));
        };
        let hold = hold.filter(|hold| !ending.contains(&hold.owner)).map(|hold| hold.scene);
        let of_number = |number: &u64| {
            store::with(lua, |runtime| runtime.cinematics.scenes.name(*number).map(str::to_owned))
        };
        if let Some(scene) = hold.or_else(|| spoken_for.get(&id).and_then(of_number)) {
            return Err(format!("character \"{name}\" is held by cinematic \"{scene}\""));
        }
        if seen.insert(id) {
            holds.push(id);
        }
    }
    Ok(store::with(lua, |runtime| {
        runtime.cinematics.scenes.enlist(definition, args, holds, runtime.clock.now)
    }))
}

/// Begins a scene that was asked for: takes its characters, tells the host, starts its script. Step 12, and
/// after a reload.
pub(crate) fn begin(vm: &ScriptVm, id: u64) {
    begin_at(vm, id, None);
}

fn begin_at(vm: &ScriptVm, id: u64, resumed: Option<&SavedScene>) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let now = runtime.clock.now;
        let scene = runtime.cinematics.scenes.queued(id)?;
        let label = format!("cinematic \"{}\"", scene.definition.name);
        let owner = runtime.owners.begin(OwnerKind::Scene(id), label);
        scene.owner = Some(owner);
        scene.stage = SceneStage::Running;
        scene.started = now;
        let is_skipped = scene.before_start == BeforeStart::Skip;
        Some((owner, scene.definition.clone(), scene.holds.clone(), scene.args.clone(), is_skipped))
    });
    let Some((owner, definition, holds, args, is_skipped)) = found else {
        return;
    };
    vm.spend(SCENE_PRICE);
    if let Some(saved) = resumed {
        store::with(lua, |runtime| runtime.cinematics.scenes.resume(id, saved));
    }
    let Ok(handle) = handles::make(lua, SceneId(id)) else {
        return end(vm, id, SceneEnd::Fault("the memory of the level is spent".to_owned()));
    };
    store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(definition.table.clone());
            record.receiver = Some(handle.clone());
        }
    });
    let locks = definition.locks.to_vec();
    invoke::push(vm, Fact::SceneStarted { name: definition.name.clone(), locks });
    let has_returned = resumed.is_some_and(|saved| saved.has_returned);
    let hold = if has_returned { ops::characters::hold_walking } else { ops::characters::hold };
    for &character in &holds {
        let held = lend::with_world(lua, |world: &mut World| hold(world, character, &definition.name, owner));
        if !matches!(held, Ok(Ok(()))) {
            return end(vm, id, SceneEnd::Cancelled);
        }
        behaviour::pause(lua, character);
        if resumed.is_none() {
            let _ = lend::with_world(lua, |world: &mut World| {
                ops::characters::recheck_plans_around(world, character)
            });
        }
    }
    if let Some(ending) = resumed.and_then(|saved| saved.ending.clone()) {
        reports::end_scene(lua, id, ending);
        return;
    }
    if has_returned {
        // It ends when its walks have.
        return store::with(lua, |runtime| runtime.cinematics.scenes.script_returned(id));
    }
    let Ok(args) = payload::write(lua, &args) else {
        return end(vm, id, SceneEnd::Fault("the memory of the level is spent".to_owned()));
    };
    if is_skipped {
        begin_to_skip(vm, id);
    }
    let args = MultiValue::from_iter([handle, args]);
    let (callback, function) = ("script".into(), definition.script);
    let role = TaskRole::SceneScript(id);
    let script = task::add(lua, NewTask { owner, callback, role, function, args, name: None });
    task::begin(vm, script);
}

/// Begins to skip a scene. Step 12.
pub(crate) fn begin_to_skip(vm: &ScriptVm, id: u64) {
    let lua = vm.lua();
    let begun = store::with(lua, |runtime| {
        let owner = runtime.cinematics.scenes.owner(id)?;
        let (skip, definition) = runtime.cinematics.scenes.skip_mut(id)?;
        if std::mem::replace(&mut skip.is_on, true) {
            return None;
        }
        let is_first = !std::mem::replace(&mut skip.has_begun, true);
        is_first.then(|| (owner, definition.table.clone()))
    });
    let Some((owner, table)) = begun else {
        return;
    };
    if let (Ok(Value::Function(on_skip)), Ok(scene)) =
        (table.raw_get::<Value>("onSkip"), handles::make(lua, SceneId(id)))
    {
        invoke::run(vm, &Call::plain(owner, "onSkip"), &on_skip, scene);
    }
}

/// A scene that was under way as the game was saved goes on from its last mark, under the owner of the walks
/// that are under way; one whose script had returned ends with them; one that was about to end does so in the
/// next dispatch; one that had only been asked for begins.
///
/// # Errors
/// A sentence: the scene is no longer there, or its characters are not free.
pub(crate) fn resume(vm: &ScriptVm, saved: &SavedScene) -> Result<(), String> {
    let lua = vm.lua();
    let definition = match &saved.file {
        Some(file) => {
            let loaded = vm.load(file).map_err(|failure| failure.message)?;
            Definition { file: Some(file.clone()), ..definition::check(&saved.name, &loaded.result)? }
        }
        None => store::with(lua, |runtime| runtime.cinematics.scenes.definition(&saved.name)).ok_or_else(
            || format!("cinematic \"{}\" was under way and is not defined any more", saved.name),
        )?,
    };
    let id = enlist(lua, definition, saved.args.clone())?;
    store::with(lua, |runtime| runtime.cinematics.scenes.note_played_by(id, saved.played_by));
    let Some(owner) = saved.owner else {
        store::push_work(lua, ScriptWork::BeginScene(id));
        return Ok(());
    };
    let last = store::with(lua, |runtime| {
        let last = runtime.owners.last();
        runtime.owners.count_from(owner.0.saturating_sub(1));
        last
    });
    // Its script makes its blocks again.
    let _ = lend::with_world(lua, |world: &mut World| ops::blocks::end_owner(world, owner));
    begin_at(vm, id, Some(saved));
    store::with(lua, |runtime| runtime.owners.count_from(last.max(owner.0)));
    Ok(())
}

/// Cancels a scene at the next dispatch; false when it is over. One that has not begun never does. Its
/// characters can be had by scenes that are played from now on: those begin after its end.
pub(crate) fn cancel(lua: &Lua, id: u64) -> bool {
    reports::end_scene(lua, id, SceneEnd::Cancelled)
}

/// Scenes that held a character which was removed are cancelled, unless they removed it themselves.
pub(crate) fn despawned(vm: &ScriptVm, character: CharacterId) {
    let lua = vm.lua();
    let by = store::with(lua, |runtime| runtime.owners.removed_by.remove(&character));
    let ended = store::with(lua, |runtime| {
        let scenes = runtime.cinematics.scenes.cut_short_by(character, by);
        scenes.map(|(id, _)| id).collect::<Vec<_>>()
    });
    for id in ended {
        end(vm, id, SceneEnd::Cancelled);
    }
}

/// Ends scenes whose script has returned and whose walks have settled and been told; those that the fuel of
/// the tick does not suffice for end in the next one.
pub(crate) fn end_those_that_are_over(vm: &ScriptVm) {
    let lua = vm.lua();
    let returned = store::with(lua, |runtime| runtime.cinematics.scenes.returned());
    if returned.is_empty() {
        return;
    }
    let walking = lend::with_world(lua, |world: &mut World| {
        let open = world.walks.iter().filter(|walk| !walk.is_delivered);
        open.map(|walk| walk.owner).collect_set()
    });
    let walking = walking.unwrap_or_default();
    let mut over = returned.into_iter().filter(|(_, owner)| !walking.contains(owner)).peekable();
    let is_level_over = store::with(lua, |runtime| runtime.cinematics.scenes.is_level_over);
    while let Some((id, _)) = over.next() {
        // What its walks were to do was not done where they have settled because the level ends.
        end(vm, id, if is_level_over { SceneEnd::LevelEnd } else { SceneEnd::Finished });
        if vm.tick_left() == 0 && over.peek().is_some() {
            // Step 12 has its share of the next tick.
            return store::with(lua, |runtime| runtime.queue.is_behind = true);
        }
    }
}

/// Ends a scene: everything it took is given back, then `onEnd` runs, then waiting tasks are told.
pub(crate) fn end(vm: &ScriptVm, id: u64, how: SceneEnd) {
    let lua = vm.lua();
    let Some(scene) = store::with(lua, |runtime| runtime.cinematics.scenes.take(id)) else {
        return;
    };
    vm.spend(SCENE_PRICE);
    let name = scene.definition.name.clone();
    let info = info(lua, &scene, &how);
    let value = frozen(lua, &info).unwrap_or(Value::Nil);
    if let Some(owner) = scene.owner {
        let why = if how == SceneEnd::LevelEnd { Why::LevelEnd } else { Why::OwnerGone };
        owner_end::end_belongings(lua, owner, why);
        invoke::clean_up(vm);
        if scene.moved_camera {
            let kind = CueKind::Camera { kind: "reset".to_owned(), options: map([]) };
            invoke::push(vm, Fact::Cue(Box::new(Cue { scene: name.clone(), kind })));
        }
        for &character in &scene.holds {
            let _ = lend::with_world(lua, |world: &mut World| {
                ops::characters::release(world, character, owner);
            });
            behaviour::release(lua, character);
        }
        if let Ok(Value::Function(on_end)) = scene.definition.table.raw_get::<Value>("onEnd") {
            invoke::run(vm, &Call::plain(owner, "onEnd"), &on_end, value.clone());
        }
        invoke::end_owner(vm, owner, why);
        invoke::push(vm, Fact::SceneEnded { name, info });
    }
    store::push_work(lua, ScriptWork::Settled(Wait::Scene(id), Outcome::Value(value)));
}

/// The fields of `SceneInfo`.
fn info(lua: &Lua, scene: &RunningScene, how: &SceneEnd) -> Plain {
    let ticks = store::with(lua, |runtime| runtime.clock.now.since(scene.started));
    let mut fields = vec![
        ("name", text(&scene.definition.name)),
        ("ok", Plain::Bool(*how == SceneEnd::Finished)),
        ("outcome", text(how.name())),
        ("skipped", Plain::Bool(scene.skip.has_begun)),
        ("ticks", Plain::Number(ticks as f64)),
    ];
    if let Some(mark) = &scene.mark {
        fields.push(("mark", text(mark)));
    }
    if let SceneEnd::Fault(message) = how {
        fields.push(("error", text(message)));
    }
    map(fields)
}

/// Ends every scene because the level ends, oldest first.
pub(crate) fn end_all(vm: &ScriptVm) {
    let ids = store::with(vm.lua(), |runtime| {
        runtime.cinematics.scenes.iter().map(|(id, _)| id).collect::<Vec<_>>()
    });
    for id in ids {
        end(vm, id, SceneEnd::LevelEnd);
    }
}

/// Whether a running scene locks `what`.
#[must_use]
pub fn is_locked(lua: &Lua, what: &str) -> bool {
    /// Names that are compared for a unit of fuel.
    const LOCKS_PER_UNIT: usize = 64;
    store::with(lua, |runtime| {
        let scenes = &runtime.cinematics.scenes;
        fuel::charge_running(((scenes.lock_count() + scenes.count()) / LOCKS_PER_UNIT) as u64);
        scenes.is_locked(what)
    })
}

/// Notes that the running code removes a character: a scene that removes its own goes on.
pub fn note_removal(lua: &Lua, character: CharacterId) {
    store::find(lua, |runtime| {
        let by = runtime.running.owner_of_call();
        runtime.mark_gone(character, by);
        runtime.owners.removed_by.insert(character, by?)
    });
}
