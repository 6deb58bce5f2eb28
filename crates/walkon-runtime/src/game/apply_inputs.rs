//! Step 1: applies the inputs of the host.
//!
//! In: this tick's inputs, in order. Out: facts for step 12, verbs carried out, texts for the scripts to
//! evaluate in step 3; the reload, as one unit, for steps 2 and 3. Holds: an input that cannot be carried out
//! changes nothing, and a fact says why. The body of a behaviour's file that nobody has used before runs
//! here, on the load budget and without the world, as at the start of the level. Not here: orders of the host
//! to scenes (`skipping`), the verbs (`world::ops`).

use glam::Vec3;

use crate::base::ids::{CharacterId, DoorId};
use crate::base::suggestions;
use crate::base::value::Plain;
use crate::game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport, Reload};
use crate::level::checked_path;
use crate::nav::LayerPoint;
use crate::script::host::ScriptHost;
use crate::script::vm::shown_names::{shorten, suggestion};
use crate::world::World;
use crate::world::area::Availability;
use crate::world::event::{EventQueue, Fact};
use crate::world::goal::Goal;
use crate::world::ops::characters::{self, Spawn};
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::ops::walks::{self, WalkOrder};
use crate::world::ops::{OpError, areas, blocks, checks};
use crate::world::outcome::Reason;
use crate::world::owner::Owner;
use crate::world::settings::Settings;
use crate::world::walk::WalkOptions;

/// The remover of a character, in messages.
const BY: &str = "the host";

/// Applies all inputs; what is to be reloaded comes back.
pub(crate) fn run(world: &mut World, scripts: Option<&mut ScriptHost>, inputs: &[Input]) -> Reload {
    let mut target = InputTarget { world, scripts, reload: Reload::default() };
    for input in inputs {
        match (target.apply(input), input) {
            (Err(why), _) => target.world.events.push(Fact::InputRefused { what: input.kind(), why }),
            (Ok(()), Input::Reload(texts)) => target.reload.merge(texts.clone()),
            (Ok(()), _) => {}
        }
    }
    target.reload
}

/// What inputs act on.
struct InputTarget<'a> {
    world: &'a mut World,
    scripts: Option<&'a mut ScriptHost>,
    /// What is to be reloaded so far.
    reload: Reload,
}

impl InputTarget<'_> {
    /// Applies one input.
    ///
    /// # Errors
    /// A sentence about why it cannot be carried out.
    fn apply(&mut self, input: &Input) -> Result<(), String> {
        match input {
            Input::Event { .. } if self.world.events.is_full() => {
                let most = EventQueue::WAITING_MAX;
                Err(format!("{most} events wait to be heard already, the most allowed"))
            }
            Input::Event { name, payload } => {
                checks::event(name, payload.as_ref(), self.data_max_kib()).map_err(sentence)?;
                self.world.events.push(Fact::Input { name: name.clone(), payload: payload.clone() });
                Ok(())
            }
            // These are for scenes; the game hands them to the scripts.
            Input::Answer { .. } | Input::Continue { .. } | Input::Skip { .. } | Input::Attend { .. } => {
                Ok(())
            }
            Input::Reload(texts) => self.check_reload(texts),
            Input::Walk { character, to } => self.walk(character, to),
            Input::Stop { character } => self.stop(character),
            Input::Teleport(order) => self.teleport(order),
            Input::Spawn(order) => self.spawn(order),
            Input::Remove { character } => {
                let id = self.character(character)?;
                characters::despawn(self.world, id, BY).map_err(sentence)
            }
            Input::Door { door, order } => self.door(door, *order),
            Input::Area { area, is_available } => self.area(area, Availability::of(*is_available)),
            Input::Block { name, at, radius_m, layer } => {
                let centre = LayerPoint { layer: self.layer(layer.as_deref())?, point: Vec3::from(*at) };
                blocks::add_named(self.world, name, centre, *radius_m).map_err(sentence)
            }
            Input::Unblock { name } => blocks::remove_named(self.world, name).map_err(sentence),
            Input::Evaluate { text } => self.evaluate(text),
        }
    }

    fn walk(&mut self, name: &str, to: &InputGoal) -> Result<(), String> {
        let character = self.character(name)?;
        let goal = self.goal(to)?;
        let hold = self.world.character(character).and_then(|who| who.held.as_ref());
        if let Some(hold) = hold {
            return Err(sentence(OpError::Held { name: name.to_owned(), scene: hold.scene.clone() }));
        }
        let options = WalkOptions::at(self.world.rate());
        let order = WalkOrder { character, goal, options, owner: Owner::HOST };
        walks::walk_to(self.world, order).map(drop).map_err(sentence)
    }

    fn goal(&self, to: &InputGoal) -> Result<Goal, String> {
        let name = match to {
            InputGoal::Point(point) => return Ok(Goal::Point((*point).into())),
            InputGoal::Named(name) => name,
        };
        if let Some(mark) = self.world.mark(name) {
            return Ok(Goal::Point(mark.position));
        }
        if let Some(character) = self.world.find_character(name) {
            return Ok(Goal::Character(character));
        }
        let marks = self.world.marks().map(|mark| mark.name.as_str());
        Err(unknown("mark or character", name, marks.chain(self.character_names())))
    }

    fn stop(&mut self, name: &str) -> Result<(), String> {
        let character = self.character(name)?;
        let walk = self.world.character(character).and_then(|who| who.walk);
        let is_stopped = walk.is_some_and(|walk| walks::cancel(self.world, walk, Reason::Stopped));
        if is_stopped { Ok(()) } else { Err(format!("character \"{}\" has no walk", shorten(name))) }
    }

    fn teleport(&mut self, order: &InputTeleport) -> Result<(), String> {
        let character = self.character(&order.character)?;
        let to = Vec3::from(order.to);
        let stands = characters::teleport(self.world, character, to, order.facing_rad).map_err(sentence)?;
        stands.map(drop).ok_or_else(|| no_ground(to))
    }

    fn spawn(&mut self, order: &InputSpawn) -> Result<(), String> {
        let at = Vec3::from(order.at);
        let given = order.params.clone().unwrap_or_else(|| Plain::map([]));
        checks::plain("params", &given, self.data_max_kib()).map_err(sentence)?;
        let behaviour = match &order.behaviour {
            Some(behaviour) => Some(self.check_behaviour(behaviour, &given)?),
            None if order.params.is_some() => {
                return Err("params are given without a behaviour; give both or none".to_owned());
            }
            None => None,
        };
        let spawn = Spawn { tags: order.tags.clone(), ..Spawn::new(order.name.as_str(), at) };
        let character = characters::spawn(self.world, spawn).map_err(sentence)?;
        let character = character.ok_or_else(|| no_ground(at))?;
        if let (Some(behaviour), Some(scripts)) = (behaviour, &mut self.scripts) {
            scripts.attach(self.world, character, behaviour, given);
        }
        Ok(())
    }

    /// How much data a script may give at once, KiB.
    fn data_max_kib(&self) -> u32 {
        u32::try_from(self.world.settings.limits.state_kib).unwrap_or(u32::MAX)
    }

    /// Whether scripts can be reloaded under these paths, and a level be made of those.
    fn check_reload(&self, texts: &Reload) -> Result<(), String> {
        if let Some(level) = &texts.level {
            level.files.keys().chain([&level.path]).try_for_each(|path| check_path(path))?;
        }
        match &self.scripts {
            Some(scripts) => scripts.check_paths(&texts.scripts, &self.reload.scripts),
            None if texts.scripts.is_empty() => Ok(()),
            None => Err("this game has no scripts, so none can be reloaded".to_owned()),
        }
    }

    /// The name under which the scripts know a behaviour; its file is loaded if it was not.
    fn check_behaviour(&mut self, behaviour: &str, given: &Plain) -> Result<String, String> {
        let Some(scripts) = &mut self.scripts else {
            return Err("this game has no scripts, so nobody can have a behaviour".to_owned());
        };
        scripts.check_behaviour(self.world, behaviour, given)
    }

    fn door(&mut self, name: &str, order: DoorCommand) -> Result<(), String> {
        let id = self.find_door(name)?;
        let by_itself = DoorOrder::default();
        match order {
            DoorCommand::Open => {
                let door = self.world.doors().get(id.index());
                if door.is_some_and(|door| door.is_locked && !door.is_opening_or_open()) {
                    return Err(format!("door \"{}\" is locked; unlock it first", shorten(name)));
                }
                doors::open(self.world, id, &by_itself);
            }
            DoorCommand::Close => _ = doors::close(self.world, id, &by_itself),
            DoorCommand::Lock => doors::lock(self.world, id, None),
            DoorCommand::Unlock => {
                // The host has every key.
                let key = self.world.doors().get(id.index()).and_then(|door| door.key.clone());
                doors::unlock(self.world, id, key.as_deref());
            }
        }
        Ok(())
    }

    fn area(&mut self, name: &str, wanted: Availability) -> Result<(), String> {
        let found = if name.is_empty() { None } else { self.world.find_area(name) };
        let Some(id) = found else {
            let known = self.world.areas().iter().map(|area| area.name.as_str());
            return Err(unknown("area", name, known.filter(|known| !known.is_empty())));
        };
        areas::set_available(self.world, id, wanted).map(drop).map_err(sentence)
    }

    fn layer(&self, name: Option<&str>) -> Result<u8, String> {
        let Some(name) = name else { return Ok(0) };
        let known = || self.world.layer_names().into_iter();
        self.world.find_layer(name).ok_or_else(|| unknown("layer", name, known()))
    }

    fn evaluate(&mut self, text: &str) -> Result<(), String> {
        match &mut self.scripts {
            Some(scripts) => scripts.evaluate(text),
            None => Err("this game has no scripts, so nothing can be evaluated".to_owned()),
        }
    }

    fn character(&self, name: &str) -> Result<CharacterId, String> {
        let found = self.world.find_character(name);
        found.ok_or_else(|| unknown("character", name, self.character_names()))
    }

    fn find_door(&self, name: &str) -> Result<DoorId, String> {
        let known = self.world.standing_doors().map(|(_, door)| door.name.as_str());
        self.world.find_door(name).ok_or_else(|| unknown("door", name, known))
    }

    fn character_names(&self) -> impl Iterator<Item = &str> {
        self.world.characters().map(|(_, who)| who.name.as_str())
    }
}

/// `unknown door "gatte"; did you mean "gate"?`.
fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    format!("unknown {kind} \"{}\"{}", shorten(name), suggestion(name, known))
}

/// Whether a file of a level may have that path: messages and traces name it.
fn check_path(path: &str) -> Result<(), String> {
    checked_path(path)
        .map_err(|wrong| format!("\"{}\" is not the path of a file of a level: {wrong}", checks::shown(path)))
}

fn no_ground(at: Vec3) -> String {
    let shown = suggestions::decimals_of(&at.to_array(), 2);
    format!("no walkable ground lies within {} m of ({shown})", Settings::SNAP_M)
}

fn sentence(error: OpError) -> String {
    error.to_string()
}
