//! Tries calls of the API with the arguments that stand in a text, without a level.
//!
//! In: a call in Lua, made of words, numbers and the stand-ins of [`Trial`]. Out: the mistake that the
//! binding finds in its arguments, in the words of a run. Holds: nothing of a script runs, only the binding
//! itself; there is no world, so a binding gets no further than its arguments. Not here: the choice of calls,
//! the stand-ins for unknown values (`shell/lint`).

use mlua::Table;

use crate::base::ids::{CharacterId, GenerationalKey};
use crate::script::bind::table::{Binding, EntryBody, EntryKind};
use crate::script::host;
use crate::script::vm::fault::FaultKind;
use crate::script::vm::handles::{self, StreamId};
use crate::script::vm::lend::BindError;
use crate::script::vm::{ScriptVm, VmSettings, store};
use crate::world::settings::Settings;

/// A VM with the whole API and without a level.
#[derive(Debug)]
pub struct Trial {
    vm: ScriptVm,
    environment: Table,
}

impl Trial {
    /// Stands in for a node of a behaviour tree.
    pub const NODE: &'static str = "bt.wait(1)";
    /// Stands in for a function of the script.
    pub const FUNCTION: &'static str = "function() end";
    /// Stands in for a character that is not the one whose function is called.
    pub const OTHER_CHARACTER: &'static str = "anotherCharacter";
    /// Stands in for a point.
    pub const VECTOR: &'static str = "vector.create(0, 0, 0)";

    /// A VM that is ready for calls.
    ///
    /// # Errors
    /// When no VM can be made.
    pub fn new() -> Result<Self, String> {
        let vm = ScriptVm::new(VmSettings::default()).map_err(|error| error.to_string())?;
        host::prepare(&vm, &Settings::default(), &[]).map_err(|error| error.to_string())?;
        let environment = vm.environment_of_console().map_err(|failure| failure.message)?;
        let trial = Self { vm, environment };
        trial.define_handles().map_err(|error| error.to_string())?;
        Ok(trial)
    }

    fn define_handles(&self) -> mlua::Result<()> {
        let lua = self.vm.lua();
        let stream = store::with(lua, |runtime| runtime.streams.begin(0, "trial")).unwrap_or_default();
        self.environment.raw_set("aRng", handles::make(lua, StreamId(stream))?)?;
        self.environment.raw_set("aCharacter", handles::make(lua, CharacterId::default())?)?;
        self.environment.raw_set(Self::OTHER_CHARACTER, handles::make(lua, CharacterId::from_bits(1))?)
    }

    /// The name of a handle of this type, if the VM has one.
    #[must_use]
    pub fn handle(name: &str) -> Option<&'static str> {
        match name {
            "Rng" => Some("aRng"),
            "Character" => Some("aCharacter"),
            _ => None,
        }
    }

    /// Whether the arguments of a function mean the same wherever it is called, and its binding looks at them
    /// before anything else.
    #[must_use]
    pub fn judges(entry: &Binding) -> bool {
        let is_plain = ["bt", "clock", "rng"].contains(&entry.owner) || Self::handle(entry.owner).is_some();
        let is_native = matches!(entry.body, EntryBody::Native(_)) && entry.kind != EntryKind::Field;
        // What names a file asks for its text, and here is none.
        is_plain && is_native && entry.called != "bt.subtree"
    }

    /// What is wrong with the arguments of a call of the function that messages know as `called`: none when
    /// nothing is, or when that shows only in a level.
    #[must_use]
    pub fn mistake(&self, called: &str, call: &str) -> Option<String> {
        let function = self.vm.compile_for_console("trial.lua", call, &self.environment).ok()?;
        let failure = self.vm.call(&function, (), self.vm.limits().fuel_at_load).err()?;
        if failure.kind != FaultKind::Error {
            return None;
        }
        let (_, what) = failure.message.split_once(&format!(": {called}: "))?;
        (what != BindError::NoWorld.to_string()).then(|| what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::bind;

    #[test]
    fn mistakes_are_told_in_the_words_of_a_run_and_what_needs_a_level_is_not() {
        let trial = Trial::new().unwrap();
        let cases = [
            ("bt.wait", "bt.wait({ 2, 1 })", Some("the range is 2 to 1, expected low not above high")),
            ("bt.wait", "bt.wait({ 1, 2 })", None),
            ("bt.random", "bt.random({})", Some("nodes is empty, expected at least one node")),
            (
                "bt.selector",
                "bt.selector({ bt.wait(1), reactve = true })",
                Some("unknown option \"reactve\"; did you mean \"reactive\"?"),
            ),
            ("bt.walkTo", "bt.walkTo(\"nowhere\")", None),
            ("int", "aRng:int(5, 1)", Some("the range is 5 to 1, expected low not above high")),
            ("int", "aRng:int(1, 5)", None),
            (
                "clock.set",
                "clock.set(\"25:00\")",
                Some("time is \"25:00\", expected a time such as \"6:30\", or minutes since midnight"),
            ),
            ("clock.set", "clock.set(\"23:00\")", None),
            ("follow", "aCharacter:follow(aCharacter)", Some("a character cannot follow itself")),
            ("follow", "aCharacter:follow(anotherCharacter)", None),
            ("clock.set", "clock.set(", None),
        ];
        for (called, call, expected) in cases {
            assert_eq!(trial.mistake(called, call).as_deref(), expected, "{call}");
        }
    }

    /// Law: no example of the reference is a mistake.
    #[test]
    fn samples_of_the_table_have_no_mistake() {
        let trial = Trial::new().unwrap();
        let mut tried = 0;
        for entry in bind::entries().into_iter().filter(|entry| Trial::judges(entry)) {
            let samples: Vec<&str> = entry.params.iter().map(|param| param.sample).collect();
            let samples = samples.join(", ").replace("guard.position", Trial::VECTOR);
            let samples = samples.replace("guard", "aCharacter");
            if samples.contains("door") || samples.contains("player") {
                continue;
            }
            let call = match Trial::handle(entry.owner) {
                Some(handle) => format!("{handle}:{}({samples})", entry.name()),
                None => format!("{}({samples})", entry.called),
            };
            tried += 1;
            assert_eq!(trial.mistake(entry.called, &call), None, "{call}");
        }
        assert!(tried > 40, "{tried}");
    }
}
