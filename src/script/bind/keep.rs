//! What bindings ask of the part of the host that keeps owners, handlers and tasks.
//!
//! In: nothing. Out: a trait, implemented by the scheduler and given to the VM once. Holds: a binding never stores a Lua
//! function itself; whatever a script registers goes to the keeper, under the owner it ran for.

use std::rc::Rc;

use mlua::{Function, Lua, Value};

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::script::convert::{Argument, Mistake};
use crate::world::door::DoorSignal;
use crate::world::region::WatchId;
use crate::world::walk::Owner;

/// A handler: a function, or the name of one of the owner's.
#[derive(Clone, Debug)]
pub enum Callback {
    /// A function.
    Function(Function),
    /// Looked up in the owner when it is called.
    Named(String),
}

/// Handlers of a walk.
#[derive(Clone, Debug, Default)]
pub struct WalkHandlers {
    /// `onArrived`.
    pub arrived: Option<Callback>,
    /// `onFailed`.
    pub failed: Option<Callback>,
    /// `onCancelled`.
    pub cancelled: Option<Callback>,
    /// `onSettled`.
    pub settled: Option<Callback>,
    /// Those that are called before its end.
    pub underway: Underway,
}

/// Handlers of a walk that are called on its way.
#[derive(Clone, Debug, Default)]
pub struct Underway {
    /// `onStop` of a patrol.
    pub stop: Option<Callback>,
    /// `onWaypoint`.
    pub waypoint: Option<Callback>,
    /// `onNear`.
    pub near: Option<Callback>,
    /// `onBlocked`.
    pub blocked: Option<Callback>,
}

impl Underway {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.stop, &self.waypoint, &self.near, &self.blocked].iter().all(|handler| handler.is_none())
    }
}

impl WalkHandlers {
    /// Every handler there may be.
    pub(crate) fn each_mut(&mut self) -> [&mut Option<Callback>; 4] {
        [&mut self.arrived, &mut self.failed, &mut self.cancelled, &mut self.settled]
    }

    /// The handlers that are names, in the order they are declared.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut all = self.clone();
        let named = all.each_mut().into_iter().filter_map(|handler| match handler.take() {
            Some(Callback::Named(name)) => Some(name),
            _ => None,
        });
        named.collect()
    }

    /// Drops the handlers that are functions; whether there were any.
    pub(crate) fn drop_functions(&mut self) -> bool {
        let mut dropped = false;
        for handler in self.each_mut() {
            if matches!(handler, Some(Callback::Function(_))) {
                *handler = None;
                dropped = true;
            }
        }
        dropped
    }
}

/// Handlers of a watch, and how they are called.
#[derive(Clone, Debug, Default)]
pub struct WatchHandlers {
    /// `onEnter`.
    pub enter: Option<Callback>,
    /// `onExit`.
    pub exit: Option<Callback>,
    /// `onStay`.
    pub stay: Option<Callback>,
    /// Ticks between calls of `onStay`.
    pub every_ticks: u64,
    /// Whether the watch removes itself after the first enter.
    pub once: bool,
    /// A filter that is a function: called with the character.
    pub filter: Option<Function>,
}

/// A predicate to be watched.
#[derive(Clone, Debug)]
pub struct WhenOrder {
    /// Asked for its answer; may not wait.
    pub predicate: Function,
    /// `onTrue`.
    pub on_true: Option<Callback>,
    /// `onFalse`.
    pub on_false: Option<Callback>,
    /// Ticks between tests.
    pub every_ticks: u64,
}

/// A behaviour that was looked up and whose parameters were read, to be attached.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Its name, as [`Keeper::check_behaviour`] understood it.
    pub name: String,
    /// Its parameters, as given.
    pub params: Option<mlua::Table>,
}

/// The scheduler, as bindings see it.
pub trait Keeper {
    /// On whose behalf the running code runs.
    fn owner(&self, lua: &Lua) -> Owner;
    /// What messages call an owner: `behaviour "guard"`.
    fn label(&self, lua: &Lua, owner: Owner) -> String;
    /// A handler: a function, or the name of one of the current owner's.
    ///
    /// # Errors
    /// When it is neither.
    fn callback(&self, lua: &Lua, given: &Argument) -> Result<Callback, Mistake>;
    /// Keeps the handlers of a walk.
    fn set_walk(&self, lua: &Lua, walk: WalkId, handlers: WalkHandlers);
    /// Why the current owner may not watch more: `behaviour "guard" has 256 watches, the most allowed ...`.
    fn watches_at_limit(&self, lua: &Lua) -> Option<String>;
    /// Keeps the handlers of a watch.
    fn set_watch(&self, lua: &Lua, watch: WatchId, handlers: WatchHandlers);
    /// Forgets a watch that was removed.
    fn forget_watch(&self, lua: &Lua, watch: WatchId);
    /// Who is inside and counts, for a watch whose filter is a function; none for other watches.
    fn watch_insiders(&self, lua: &Lua, watch: WatchId) -> Option<Vec<CharacterId>>;
    /// Watches a predicate for the current owner; the number of the watch.
    fn set_when(&self, lua: &Lua, order: WhenOrder) -> u32;
    /// Switches the watch of a predicate on or off.
    fn enable_when(&self, lua: &Lua, when: u32, enabled: bool);
    /// Ends the watch of a predicate.
    fn remove_when(&self, lua: &Lua, when: u32);
    /// Listens to a door for the current owner; the handle of the listener.
    ///
    /// # Errors
    /// When the owner has too many handlers.
    fn listen_door(
        &self,
        lua: &Lua,
        door: DoorId,
        what: DoorSignal,
        handler: Callback,
    ) -> Result<Value, String>;
    /// Keeps the owner of a path request, and its handler.
    fn set_path(&self, lua: &Lua, token: PathToken, handler: Option<Callback>);
    /// A path request was taken back: who waits for it goes on with `result`.
    fn path_cancelled(&self, lua: &Lua, token: PathToken, result: Value);
    /// Looks a behaviour up and checks its parameters.
    ///
    /// # Errors
    /// When there is none of that name, or a parameter is wrong.
    fn check_behaviour(&self, lua: &Lua, name: &Argument, params: &Argument) -> Result<Attachment, Mistake>;
    /// Attaches a behaviour at the next dispatch.
    fn attach(&self, lua: &Lua, character: CharacterId, behaviour: Attachment);
    /// Whether a running cinematic locks `what`.
    fn is_locked(&self, lua: &Lua, what: &str) -> bool;
}

struct Slot(Rc<dyn Keeper>);

/// Gives the VM its keeper. Called once, at setup.
pub fn install(lua: &Lua, keeper: Rc<dyn Keeper>) {
    lua.set_app_data(Slot(keeper));
}

/// The keeper of this VM.
///
/// # Panics
/// When none was installed: a mistake of ours.
#[must_use]
pub(crate) fn keeper(lua: &Lua) -> Rc<dyn Keeper> {
    let keeper = lua.app_data_ref::<Slot>().map(|slot| Rc::clone(&slot.0));
    match keeper {
        Some(keeper) => keeper,
        None => unreachable!("the keeper is installed with the bindings"),
    }
}
