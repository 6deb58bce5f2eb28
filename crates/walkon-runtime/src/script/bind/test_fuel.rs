//! `t:expectFuel`: the fuel that a test allows scripts.
//!
//! In: the name of a script, limits. Out: the fuel of a tick, or the failure that names the owner that took
//! more, and when. Holds: fuel is counted, so the answer is the same on every machine; naming a script that
//! was never called is a mistake of the test, because its fuel counts for its callers. Not here: the counting
//! (`state::profile`).

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::script::bind::call::{answer, myself, with};
use crate::script::bind::character;
use crate::script::bind::table::{Binding, HostResult, TableType, field, param};
use crate::script::state::profile::FuelUse;
use crate::script::step::testing::{self, TestId};
use crate::script::vm::convert::Args;
use crate::script::vm::handles::Thing;
use crate::script::vm::{profile, resolve_name, text_of_script};
use crate::world::World;

const OPTIONS: &[&str] = &["below", "worst", "character"];

/// The table that it takes.
pub(crate) const SHAPE: TableType = TableType {
    name: "FuelCheck",
    doc: "How much fuel a script may take.",
    fields: &[
        field(
            "below",
            "number?",
            "40",
            "of each character that runs it, less than this in a tick on average",
        ),
        field(
            "worst",
            "number?",
            "400",
            "in no tick of a character this much; the start of the level is no tick",
        ),
        field("character", "Character?", "guard", "only of this one"),
    ],
};

/// Its entry in the table of bindings.
pub(crate) const ENTRY: Binding = Binding {
    params: &[param("name", "string", "\"busy.lua\""), param("options", "FuelCheck?", "{ below = 40 }")],
    returns: "number",
    raises: "name",
    doc: "Expects a behaviour, level script or cinematic to take no more fuel than that, and gives what a character \
          takes in a tick on average. What it calls of libraries counts for it.",
    example: "guard:attach(\"busy\")\nt:run(1)\nt:expectFuel(\"busy.lua\", { below = 40, worst = 100 })",
    ..Binding::method(<TestId as Thing>::TYPE, "expectFuel", expect_fuel)
};

fn expect_fuel(lua: &Lua, args: &mut Args) -> HostResult {
    myself::<TestId>(args)?;
    let name = args.take("name").text("the name of a script")?;
    let given = args.take("options");
    let options = given.options(OPTIONS)?;
    let number = |name: &'static str| options.find(name).map(|given| given.number("")).transpose();
    let (below, worst) = (number("below")?, number("worst")?);
    let only = options.find("character").map(|given| character::expected(&given)).transpose()?;
    // Raises for names of no script.
    text_of_script(lua, &name).map_err(|error| args.mistake(error.to_string()))?;
    let file = profile::file_name(&resolve_name(lua, &name).unwrap_or(name));
    let only =
        only.map(|id: CharacterId| with(lua, args, |world: &mut World| Ok(world.name_of(id).to_owned())));
    let only = only.transpose()?;
    let Some(used) = profile::fuel_of(lua, &file, only.as_deref()) else {
        let whose = only.map_or_else(String::new, |name| format!(" of \"{name}\""));
        let what = format!(
            "nothing of {file}{whose} was called yet; what a library takes counts for the script that calls it"
        );
        return Err(args.mistake(what).into());
    };
    if let Some(message) = excess(&file, &used, below, worst) {
        return Err(testing::fail(lua, message).into());
    }
    answer(lua, used.mean)
}

/// What is to be said when a script took too much.
fn excess(file: &str, used: &FuelUse, below: Option<f64>, worst: Option<f64>) -> Option<String> {
    let FuelUse { mean, worst: most, worst_tick, worst_of } = used;
    if let Some(below) = below.filter(|below| *mean >= *below) {
        return Some(format!("expectFuel: expected {file} below {below} a tick, got {mean:.1}"));
    }
    let worst = worst.filter(|worst| *most as f64 >= *worst)?;
    Some(format!(
        "expectFuel: expected {file} below {worst} in every tick, got {most} of \"{worst_of}\" in tick {worst_tick}"
    ))
}
