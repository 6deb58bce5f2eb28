//! Behaviours of characters: the classes that files define, the instances, the instances that were switched
//! off.
//!
//! In: checked classes, instances as they begin and end. Out: the behaviours that run at a tick, in order of
//! the characters' numbers. Not here: `init`, `update` and the end of an instance (`step::behaviour`).

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, LuaString, Table, Value};

use crate::base::hash::StateHash;
use crate::base::ids::CharacterId;
use crate::base::value::Plain;
use crate::script::state::params::Params;
use crate::script::state::tracked_map::TrackedMap;
use crate::script::state::trees::BehaviourTree;
use crate::world::owner::Owner;

/// The behaviour that a level gives to a character.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenBehaviour {
    /// Name of its file.
    pub name: String,
    /// Its parameters, a map.
    pub params: Plain,
}

/// A behaviour file whose shape was checked.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    /// The whole name of its file.
    pub(crate) file: String,
    pub(crate) table: Table,
    pub(crate) params: Params,
    pub(crate) version: u64,
    pub(crate) update_every_ticks: u64,
    /// Its `update`; its table is read-only, so it stays the one.
    pub(crate) update: Option<Function>,
    pub(crate) tree: Option<BehaviourTree>,
    pub(crate) on: BTreeMap<String, Function>,
    pub(crate) common: CommonFields,
}

/// What every `self` of a class has in common.
#[derive(Clone, Debug)]
pub(crate) struct CommonFields {
    /// Finds what the class has.
    pub(crate) metatable: Table,
    /// The name of the class.
    pub(crate) name: LuaString,
    /// The library `log`.
    pub(crate) log: Value,
}

/// A character with a behaviour.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) character: CharacterId,
    /// The character's number, for the order.
    pub(crate) serial: u32,
    pub(crate) class: Rc<Class>,
    /// Shared with the call under way: a reference into the VM is more expensive to copy than this.
    pub(crate) this: Rc<Table>,
    /// The name by which its file was asked for.
    pub(crate) asked: String,
    /// Its parameters, as they were given.
    pub(crate) given: Plain,
}

/// A behaviour that was switched off after its faults: a reload of its file brings it back.
#[derive(Clone, Debug)]
pub(crate) struct Suspended {
    /// As messages name it.
    pub(crate) label: Rc<str>,
    pub(crate) file: String,
    pub(crate) version: u64,
    pub(crate) asked: String,
    pub(crate) given: Plain,
    /// Its `self.state`, as far as that was plain data; none when `init` has not come to its end.
    pub(crate) state: Option<Plain>,
    /// Whether all of it was.
    pub(crate) is_whole: bool,
}

/// All behaviours.
#[derive(Debug, Default)]
pub(crate) struct Behaviours {
    instances: TrackedMap<Owner, Instance>,
    by_character: BTreeMap<CharacterId, Owner>,
    order: TrackedMap<u32, Owner>,
    /// In order of their first use.
    classes: Vec<Rc<Class>>,
    /// By the number of the character.
    suspended: BTreeMap<u32, (CharacterId, Suspended)>,
    /// Those numbers, by character: an attachment asks for one of thousands.
    suspended_numbers: BTreeMap<CharacterId, u32>,
}

impl Behaviours {
    pub(crate) fn of(&self, character: CharacterId) -> Option<Owner> {
        self.by_character.get(&character).copied()
    }

    /// A character has a behaviour from now on; its instance comes with [`Behaviours::add`].
    pub(crate) fn announce(&mut self, character: CharacterId, serial: u32, owner: Owner) {
        self.by_character.insert(character, owner);
        self.order.insert(serial, owner);
    }

    /// The instance of a behaviour that was announced: its character has no suspended one any more.
    pub(crate) fn add(&mut self, owner: Owner, instance: Instance) {
        self.forget_suspended(instance.character);
        self.instances.insert(owner, instance);
    }

    #[inline]
    pub(crate) fn get(&self, owner: Owner) -> Option<&Instance> {
        self.instances.get(owner)
    }

    pub(crate) fn get_mut(&mut self, owner: Owner) -> Option<&mut Instance> {
        self.instances.get_mut(owner)
    }

    /// Takes an instance out: it is found no more.
    pub(crate) fn take(&mut self, owner: Owner) -> Option<Instance> {
        let instance = self.instances.remove(owner)?;
        self.by_character.remove(&instance.character);
        self.order.remove(instance.serial);
        Some(instance)
    }

    /// Keeps what a reload needs to bring back an instance that was taken out.
    pub(crate) fn suspend(&mut self, instance: &Instance, suspended: Suspended) {
        self.suspended.insert(instance.serial, (instance.character, suspended));
        self.suspended_numbers.insert(instance.character, instance.serial);
    }

    /// Keeps a behaviour that was switched off before the level was saved, of a character with that number.
    pub(crate) fn suspend_loaded(&mut self, character: CharacterId, serial: u32, suspended: Suspended) {
        self.suspended.insert(serial, (character, suspended));
        self.suspended_numbers.insert(character, serial);
    }

    /// Keeps a class.
    pub(crate) fn add_class(&mut self, class: Rc<Class>) {
        self.classes.push(class);
    }

    /// All behaviours, in order of the numbers of their characters.
    pub(crate) fn owners(&self) -> Vec<Owner> {
        self.order.values().copied().collect()
    }

    /// Numbers of characters and their behaviours, in order of the numbers.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (u32, Owner)> {
        self.order.iter().map(|(serial, &owner)| (serial, owner))
    }

    /// The character, the class, the `self`, the asked name and the given parameters of an instance.
    pub(crate) fn parts(&self, owner: Owner) -> Option<(CharacterId, Rc<Class>, Table, String, Plain)> {
        let found = self.instances.get(owner)?;
        let Instance { character, class, this, asked, given, .. } = found;
        Some((*character, class.clone(), Table::clone(this), asked.clone(), given.clone()))
    }

    /// The plain data that instances keep: parameters, and the states of those that were switched off.
    pub(crate) fn kept_plain(&self) -> impl Iterator<Item = &Plain> {
        let suspended = self.suspended.values().flat_map(|(_, one)| [Some(&one.given), one.state.as_ref()]);
        self.instances.values().map(|instance| &instance.given).chain(suspended.flatten())
    }

    /// All classes.
    pub(crate) fn classes(&self) -> &[Rc<Class>] {
        &self.classes
    }

    /// Puts other classes in place of all there are.
    pub(crate) fn set_classes(&mut self, classes: Vec<Rc<Class>>) {
        self.classes = classes;
    }

    /// Those switched off after their faults, in order of characters.
    pub(crate) fn suspended(&self) -> Vec<(CharacterId, Suspended)> {
        self.suspended.values().cloned().collect()
    }

    /// The behaviour of a character that was switched off.
    pub(crate) fn suspended_of(&self, character: CharacterId) -> Option<&Suspended> {
        let number = self.suspended_numbers.get(&character)?;
        self.suspended.get(number).map(|(_, suspended)| suspended)
    }

    /// The characters whose behaviour was switched off, in their order.
    pub(crate) fn suspended_characters(&self) -> impl Iterator<Item = CharacterId> {
        self.suspended.values().map(|(character, _)| *character)
    }

    /// A character has no suspended behaviour any more.
    pub(crate) fn forget_suspended(&mut self, character: CharacterId) {
        if let Some(number) = self.suspended_numbers.remove(&character) {
            self.suspended.remove(&number);
        }
    }

    /// The `self` of an instance.
    pub(crate) fn this(&self, owner: Owner) -> Option<Table> {
        self.instances.get(owner).map(|instance| Table::clone(&instance.this))
    }

    /// The same, shared: cheaper than a reference of its own.
    pub(crate) fn shared_this(&self, owner: Owner) -> Option<Rc<Table>> {
        self.instances.get(owner).map(|instance| Rc::clone(&instance.this))
    }

    /// The behaviour whose file returned `table`.
    pub(crate) fn class_of(&self, table: &Table) -> Option<Rc<Class>> {
        self.classes.iter().find(|class| class.table == *table).cloned()
    }

    /// The behaviour called `name`.
    pub(crate) fn class(&self, name: &str) -> Option<Rc<Class>> {
        self.classes.iter().find(|class| class.name == name).cloned()
    }

    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        self.order.hash_into(hash, |serial, owner, hash| _ = hash.pair(serial, owner.0));
        self.instances.hash_into(hash, |owner, instance, hash| {
            hash.word(u64::from(owner.0)).text(&instance.class.name);
        });
        for (serial, (_, suspended)) in &self.suspended {
            hash.word(u64::from(*serial)).text(&suspended.file);
        }
    }
}
