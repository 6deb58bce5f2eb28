//! The present activity of scripts, for viewers: behaviours, tasks, timers, handlers, trees, scenes, boards.
//!
//! In: scripts that stand still, the world for names. Out: plain structs. Holds: looking runs no code of a
//! script, changes nothing that the hash covers, and is bounded, whatever scripts keep. Not here: how a value
//! is shown (`vm::shown`), the JSON for viewers (`game::inspect`).

mod trees;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, Table, Thread, Value};

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::base::value::Plain;
use crate::script::state::boards::BoardOf;
use crate::script::state::callback::Callback;
use crate::script::state::code_place::CodePlace;
use crate::script::state::handlers::Heard;
use crate::script::state::profile::Who;
use crate::script::state::runtime::Runtime;
use crate::script::state::scenes::SceneStage;
use crate::script::state::tasks::TaskRole;
use crate::script::state::waits::TaskPause;
use crate::script::vm::debug::{self, Stack};
use crate::script::vm::files::short_name;
use crate::script::vm::shown::{place_of, shown};
use crate::script::vm::{chunk_names, machine_of, profile, store};
use crate::world::World;
use crate::world::owner::Owner;

pub use trees::TreeView;
pub(crate) use waits::words_of;

/// Things of one kind that are shown of one owner.
const SHOWN_MAX: usize = 256;

/// A behaviour, running or switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviourView {
    /// Its name.
    pub name: String,
    /// Path of its file.
    pub file: String,
    /// Its parameters.
    pub params: Plain,
    /// Its `state`, as data for people.
    pub state: Plain,
    /// Whether it was switched off after its faults.
    pub is_off: bool,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Its number.
    pub id: u64,
    /// The name that a script gave it.
    pub name: Option<String>,
    /// What messages call its code.
    pub callback: String,
    /// What it waits for, in words.
    pub waits: String,
    /// The tick in which that wait began; none before its beginning.
    pub since: Option<u64>,
    /// The tick in which the wait is over at the latest.
    pub until: Option<u64>,
    /// Where it stands; where it will begin.
    pub place: Option<CodePlace>,
}

/// A timer.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerView {
    /// The name of its handler, where it has one.
    pub name: Option<String>,
    /// When it is due; none while it is paused.
    pub due: Option<u64>,
    /// Seconds from one turn to the next; none for one turn.
    pub every_s: Option<f64>,
    /// Where its handler begins.
    pub place: Option<CodePlace>,
}

/// A handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerView {
    /// What it listens to.
    pub event: String,
    /// Where it begins.
    pub place: Option<CodePlace>,
}

/// The activities of an owner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Belongings {
    /// Its tasks, by number.
    pub tasks: Vec<TaskView>,
    /// Its timers, by creation.
    pub timers: Vec<TimerView>,
    /// Its handlers.
    pub handlers: Vec<HandlerView>,
}

/// What scripts are at for a character.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterCode {
    /// Its behaviour, if it has one or had one that was switched off.
    pub behaviour: Option<BehaviourView>,
    /// The entries of its blackboard, a map.
    pub board: Plain,
    /// The activities of its behaviour.
    pub belongings: Belongings,
    /// The tree of its behaviour.
    pub tree: Option<TreeView>,
}

/// A scene that has not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneView {
    /// The characters that it holds.
    pub cast: Vec<CharacterId>,
    /// The tick in which it was asked for.
    pub since: u64,
    /// The last mark that its script has set.
    pub mark: Option<String>,
    /// Where its script stands.
    pub place: Option<CodePlace>,
}

/// What the scripts of a level share, and how much of everything there is.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelCode {
    /// `state`, as data for people.
    pub state: Plain,
    /// The entries of the level's blackboard, a map.
    pub board: Plain,
    /// The entries of the blackboards of groups.
    pub groups: Vec<(String, Plain)>,
    /// How many of each there are.
    pub counts: Vec<(&'static str, u64)>,
}

/// The scripts of a level, for questions: between two ticks, or where a debugger holds them.
#[derive(Clone, Copy, Debug)]
pub struct ScriptLook<'a> {
    lua: &'a Lua,
}

impl<'a> ScriptLook<'a> {
    pub(super) fn new(lua: &'a Lua) -> Self {
        Self { lua }
    }

    /// What scripts are at for a character.
    #[must_use]
    pub fn inspect_character(&self, world: &World, character: CharacterId) -> CharacterCode {
        let owner = self.look(|runtime| runtime.actors.behaviours.of(character));
        let board = self.look(|runtime| runtime.boards.entries(&BoardOf::Character(character)));
        CharacterCode {
            behaviour: self.running(character).or_else(|| self.switched_off_one(character)),
            board: board.unwrap_or_else(|| Plain::map([])),
            belongings: owner.map(|owner| self.belongings(world, owner)).unwrap_or_default(),
            tree: owner.and_then(|owner| self.tree(world, owner)),
        }
    }

    /// The oldest scene of that name that has not ended.
    #[must_use]
    pub fn inspect_scene(&self, name: &str) -> Option<SceneView> {
        let (view, owner) = self.look(|runtime| {
            let mut scenes = runtime.cinematics.scenes.iter();
            let (_, scene) = scenes.find(|(_, scene)| scene.definition.name == name)?;
            let (cast, mark) = (scene.holds.clone(), scene.mark.clone());
            Some((SceneView { cast, since: scene.started.0, mark, place: None }, scene.owner))
        })?;
        let thread = owner.and_then(|owner| {
            self.look(|runtime| {
                let mut tasks = runtime.tasks.of_owner(owner);
                let own = tasks.find(|(_, task)| matches!(task.role, TaskRole::SceneScript(_)));
                own?.1.thread.clone()
            })
        });
        Some(SceneView { place: thread.and_then(|thread| place_of_thread(&thread)), ..view })
    }

    /// What the scripts of the level share.
    #[must_use]
    pub fn inspect_level(&self) -> LevelCode {
        let (board, groups, counts) = self.look(|runtime| {
            let boards = &runtime.boards;
            let group =
                |name: &str| Some((name.to_owned(), boards.entries(&BoardOf::Group(name.to_owned()))?));
            let groups: Vec<_> = boards.groups().take(SHOWN_MAX).filter_map(group).collect();
            (boards.entries(&BoardOf::Level), groups, counts_of(runtime))
        });
        let state = machine_of(self.lua).and_then(|machine| {
            let shared = machine.shared.get()?;
            Some(shown(self.lua, &shared.raw_get::<Value>("state").ok()?))
        });
        let state = state.unwrap_or_else(|| Plain::map([]));
        LevelCode { state, board: board.unwrap_or_else(|| Plain::map([])), groups, counts }
    }

    /// Names of the scenes that have not ended, oldest first.
    #[must_use]
    pub fn scenes_under_way(&self) -> Vec<String> {
        self.look(|runtime| {
            let scenes = runtime.cinematics.scenes.iter();
            let begun = scenes.filter(|(_, scene)| scene.stage != SceneStage::Queued);
            begun.map(|(_, scene)| scene.definition.name.clone()).collect()
        })
    }

    /// Names of running behaviours, by character. Cost: a look at each.
    #[must_use]
    pub fn behaviour_names(&self) -> BTreeMap<CharacterId, String> {
        self.look(|runtime| {
            let behaviours = &runtime.actors.behaviours;
            let name = |(_, owner): (u32, Owner)| {
                let instance = behaviours.get(owner)?;
                Some((instance.character, instance.class.name.clone()))
            };
            behaviours.in_order().filter_map(name).collect_map()
        })
    }

    /// The characters whose behaviour was switched off after its faults.
    #[must_use]
    pub fn switched_off_characters(&self) -> BTreeSet<CharacterId> {
        self.look(|runtime| runtime.actors.behaviours.suspended_characters().collect_set())
    }

    /// The fuel of all code called so far, by its owner; empty when scripts are not profiled.
    #[must_use]
    pub fn fuel_by_who(&self) -> Vec<(Who, u64)> {
        profile::fuel_by_who(self.lua)
    }

    fn look<R>(&self, look: impl FnOnce(&Runtime) -> R) -> R {
        store::with(self.lua, |runtime| look(runtime))
    }

    fn path_of(&self, file: &str) -> String {
        let machine = machine_of(self.lua);
        let path = machine.and_then(|machine| Some(machine.texts().get(file)?.path.clone()));
        path.unwrap_or_else(|| file.to_owned())
    }

    fn running(&self, character: CharacterId) -> Option<BehaviourView> {
        let (class, this) = self.look(|runtime| {
            let behaviours = &runtime.actors.behaviours;
            let instance = behaviours.get(behaviours.of(character)?)?;
            Some((Rc::clone(&instance.class), Rc::clone(&instance.this)))
        })?;
        let field = |key: &str| shown(self.lua, &this.raw_get::<Value>(key).unwrap_or(Value::Nil));
        Some(BehaviourView {
            name: class.name.clone(),
            file: self.path_of(&class.file),
            params: field("params"),
            state: field("state"),
            is_off: false,
        })
    }

    fn switched_off_one(&self, character: CharacterId) -> Option<BehaviourView> {
        let off = self.look(|runtime| runtime.actors.behaviours.suspended_of(character).cloned())?;
        Some(BehaviourView {
            name: short_name(&off.file).to_owned(),
            file: self.path_of(&off.file),
            params: off.given,
            state: off.state.unwrap_or_else(|| Plain::map([])),
            is_off: true,
        })
    }

    fn belongings(&self, world: &World, owner: Owner) -> Belongings {
        let names = self.look(|runtime| runtime.owners.get(owner)?.names.clone());
        Belongings {
            tasks: self.tasks(world, owner),
            timers: self.timers(owner, names.as_ref()),
            handlers: self.handlers(world, owner, names.as_ref()),
        }
    }

    fn tasks(&self, world: &World, owner: Owner) -> Vec<TaskView> {
        let parts: Vec<TaskParts> = self.look(|runtime| {
            let tasks = runtime.tasks.of_owner(owner).take(SHOWN_MAX);
            tasks
                .map(|(id, task)| TaskParts {
                    id,
                    name: task.name.clone(),
                    callback: task.callback.to_string(),
                    thread: task.thread.clone(),
                    start: task.start.as_ref().map(|start| start.0.clone()),
                    pause: task.pause.clone(),
                    since: task.since.0,
                })
                .collect()
        });
        parts.into_iter().map(|parts| self.task(world, parts)).collect()
    }

    fn task(&self, world: &World, parts: TaskParts) -> TaskView {
        let TaskParts { id, name, callback, thread, start, pause, since } = parts;
        let waits = match (&pause, &start) {
            (Some(pause), _) => words_of(self.lua, world, pause),
            (None, Some(_)) => "its beginning".to_owned(),
            (None, None) => "its turn".to_owned(),
        };
        let place = match &thread {
            Some(thread) => place_of_thread(thread),
            None => start.as_ref().and_then(place_of),
        };
        let until = pause.as_ref().and_then(TaskPause::end).map(|tick| tick.0);
        TaskView { id, name, callback, waits, since: pause.map(|_| since), until, place }
    }

    fn timers(&self, owner: Owner, names: Option<&Table>) -> Vec<TimerView> {
        let found: Vec<_> = self.look(|runtime| {
            let timers = &runtime.registered.timers;
            let ids = timers.of(owner).into_iter().take(SHOWN_MAX);
            ids.filter_map(|id| Some((timers.due_of(id), timers.get(id)?.clone()))).collect()
        });
        let view =
            |(due, timer): (Option<crate::base::time::TickNumber>, crate::script::state::timers::Timer)| {
                let name = match &timer.callback {
                    Some(Callback::Named(name)) => Some(name.clone()),
                    _ => None,
                };
                let place = timer.callback.as_ref().and_then(|callback| place_of_callback(callback, names));
                TimerView { name, due: due.map(|tick| tick.0), every_s: timer.every_s(), place }
            };
        found.into_iter().map(view).collect()
    }

    fn handlers(&self, world: &World, owner: Owner, names: Option<&Table>) -> Vec<HandlerView> {
        let (heard, asked) = self.look(|runtime| {
            let predicates = &runtime.registered.predicates;
            let asked = predicates.of_owner(owner).into_iter().filter_map(|id| predicates.get(id));
            let asked: Vec<Function> = asked.map(|predicate| predicate.function().clone()).collect();
            (runtime.registered.handlers.heard_by(owner), asked)
        });
        let told = heard.iter().map(|(heard, callback)| HandlerView {
            event: heard_words(world, heard),
            place: place_of_callback(callback, names),
        });
        let when = |function| HandlerView { event: "when".to_owned(), place: place_of(function) };
        told.chain(asked.iter().map(when)).take(SHOWN_MAX).collect()
    }
}

/// A task as the tables have it.
struct TaskParts {
    id: u64,
    name: Option<String>,
    callback: String,
    thread: Option<Thread>,
    start: Option<Function>,
    pause: Option<TaskPause>,
    since: u64,
}

/// Where the innermost code of a script stands in a coroutine that does not run.
fn place_of_thread(thread: &Thread) -> Option<CodePlace> {
    let mut frames = debug::frames(Stack::of(thread)).into_iter();
    let frame = frames.find(|frame| !chunk_names::is_own(&frame.file))?;
    Some(CodePlace { file: frame.file, line: frame.line })
}

/// Where a handler begins; one that is a name is looked up among the functions of its owner.
fn place_of_callback(callback: &Callback, names: Option<&Table>) -> Option<CodePlace> {
    match callback {
        Callback::Function(function) => place_of(function),
        Callback::Named(name) => place_of(names?.raw_get::<Value>(name.as_str()).ok()?.as_function()?),
    }
}

fn heard_words(world: &World, heard: &Heard) -> String {
    match heard {
        Heard::Event(name) => name.clone(),
        Heard::Door(door, what) => {
            format!("door \"{}\" {what}", world.doors().get(door.index()).map_or("", |door| &door.name))
        }
        Heard::Board(key) => format!("blackboard {key}"),
        Heard::Watch(what) => format!("region {what}"),
        Heard::Sense(what) => format!("sense {what}"),
        Heard::Walk(walk, what) => {
            format!("walk {} {what}", world.walk(*walk).map_or(0, |walk| walk.serial))
        }
    }
}

fn counts_of(runtime: &Runtime) -> Vec<(&'static str, u64)> {
    let behaviours = runtime.actors.behaviours.in_order().count();
    let counts = [
        ("behaviours", behaviours),
        ("tasks", runtime.tasks.len()),
        ("timers", runtime.registered.timers.count()),
        ("handlers", runtime.registered.handlers.listener_count()),
        ("watches", runtime.registered.watches()),
        ("scenes", runtime.cinematics.scenes.iter().count()),
    ];
    counts.into_iter().map(|(name, count)| (name, count as u64)).collect()
}
