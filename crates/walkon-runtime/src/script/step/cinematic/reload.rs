//! Reload of running scenes: those that ask for it are cancelled and begun again, the others finish on their
//! old code.
//!
//! In: the files of a unit, the definitions that scripts have made. Out: new scenes with the old arguments.
//! Holds: everything that can be checked is checked before anything changes; the held characters are released
//! once, and taken again before any other code runs. Not here: which files are a unit (`host::reload`).

use std::collections::BTreeSet;

use crate::base::value::Plain;
use crate::script::state::scenes::{Definition, RunningScene, SceneEnd};
use crate::script::step::cinematic;
use crate::script::step::cinematic::definition;
use crate::script::step::invoke::{self, Call};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::owner::Owner;

/// A scene to begin again on new code.
#[derive(Clone, Debug)]
pub(crate) struct Restart {
    id: u64,
    old: Definition,
    args: Plain,
    /// The new code of a scene that is a file.
    new: Option<Definition>,
}

impl Restart {
    /// The file of the scene; none for one that a script has defined.
    pub(crate) fn file(&self) -> Option<&str> {
        self.old.file.as_deref()
    }
}

/// Scenes under way that begin again when their code is replaced, oldest first; those that are files only
/// where the file is of the unit, whose bodies have run. A sentence about the first that is no scene any
/// more, and its file.
pub(crate) fn restarts(vm: &ScriptVm, unit: &BTreeSet<String>) -> Result<Vec<Restart>, (String, String)> {
    let under_way: Vec<Restart> = store::with(vm.lua(), |runtime| {
        let scenes = runtime.cinematics.scenes.iter().filter(|(_, scene)| scene.definition.restarts);
        let restart = |(id, scene): (u64, &RunningScene)| Restart {
            id,
            old: scene.definition.clone(),
            args: scene.args.clone(),
            new: None,
        };
        scenes.map(restart).collect()
    });
    let mut found = Vec::new();
    for restart in under_way {
        let Some(file) = restart.old.file.clone() else {
            found.push(restart);
            continue;
        };
        if let Some(loaded) = vm.loads().get(&file).filter(|_| unit.contains(&file)) {
            let checked = definition::check(&restart.old.name, &loaded.result);
            let new =
                checked.map_err(|what| (file.clone(), format!("a scene of it is under way: {what}")))?;
            found.push(Restart { new: Some(Definition { file: Some(file), ..new }), ..restart });
        }
    }
    Ok(found)
}

/// Mistakes of a scene that is to begin again, as far as they can be found before the old one has ended.
pub(crate) fn can_begin(vm: &ScriptVm, restart: &Restart) -> Result<(), String> {
    let Some(new) = &restart.new else { return Ok(()) };
    let unknown = lend::with_world(vm.lua(), |world: &mut World| {
        new.holds.iter().find(|name| world.find_character(name).is_none()).cloned()
    });
    match unknown {
        Ok(Some(name)) => {
            Err(format!("a scene of it is under way and holds \"{name}\", but there is no such character"))
        }
        _ => Ok(()),
    }
}

/// Cancels the scenes and begins them again. The world is lent; all other code has been replaced.
pub(crate) fn begin_again(vm: &ScriptVm, restarts: Vec<Restart>) {
    let lua = vm.lua();
    let is_new = |restart: Restart| {
        let defined = || store::with(lua, |runtime| runtime.cinematics.scenes.definition(&restart.old.name));
        // A scene that a script has defined is new when that script has defined it again, and over when it
        // has ended meanwhile.
        let new = restart.new.clone().or_else(defined).filter(|new| new.table != restart.old.table)?;
        let is_there = store::with(lua, |runtime| runtime.cinematics.scenes.contains(restart.id));
        is_there.then_some((restart.id, new, restart.args))
    };
    let all: Vec<(u64, Definition, Plain)> = restarts.into_iter().filter_map(is_new).collect();
    // All end before one begins: they may exchange characters.
    for (id, ..) in &all {
        cinematic::end(vm, *id, SceneEnd::Cancelled);
    }
    for (_, new, args) in all {
        match cinematic::enlist(lua, new, args) {
            Ok(id) => cinematic::begin(vm, id),
            Err(what) => {
                let failure = CallFailure::new(FaultKind::Error, format!("reload: {what}"), None);
                invoke::report(vm, &Call::plain(Owner::HOST, "reload"), failure);
            }
        }
    }
}
