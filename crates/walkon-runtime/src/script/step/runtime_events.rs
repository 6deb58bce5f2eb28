//! Events of the runtime, which scripts hear and cannot emit.
//!
//! In: facts of the world that are events. Out: their payloads. Holds: payloads are read-only. Not here:
//! their names (`world::event_name`); what listens (`dispatch`); `walkSettled`, which goes with the handlers
//! of the walk.

use mlua::{Lua, Value};

use crate::base::ids::CharacterId;
use crate::base::value::Plain;
use crate::script::step::invoke::{map, text};
use crate::script::vm::lend;
use crate::script::vm::payload::frozen;
use crate::world::World;
use crate::world::event::Fact;

/// What listeners are given of a fact that has a name.
pub(super) fn payload_of(lua: &Lua, fact: Fact) -> mlua::Result<Value> {
    let number = |value: f64| Some(Plain::Number(value));
    match fact {
        Fact::Spawned(id) | Fact::Despawned(id) => appearance(lua, id),
        Fact::DoorChanged { door, state, by } => {
            let is_locked = |world: &mut World| world.map.doors.get(door.index()).map(|door| door.is_locked);
            let is_locked = lend::with_world(lua, is_locked).ok().flatten().unwrap_or(false);
            let payload = [
                ("door", Some(Plain::Door(door))),
                ("state", Some(text(state.name()))),
                ("locked", Some(Plain::Bool(is_locked))),
                ("by", by.map(Plain::Character)),
            ];
            fields(lua, payload)
        }
        Fact::AreaChanged { area, available, factor } => {
            let payload = [
                ("area", Some(Plain::Text(area))),
                ("available", Some(Plain::Bool(available))),
                ("cost", number(f64::from(factor))),
            ];
            fields(lua, payload)
        }
        Fact::MapRevision(revision) => fields(lua, [("revision", number(revision.0 as f64))]),
        Fact::SceneStarted { name, locks } => {
            let locks = locks.into_iter().map(Plain::Text).collect();
            fields(lua, [("name", Some(Plain::Text(name))), ("locks", Some(Plain::List(locks)))])
        }
        Fact::SceneEnded { info, .. } => frozen(lua, &info),
        Fact::Reloaded { files, .. } => {
            let files = files.into_keys().map(Plain::Text).collect();
            fields(lua, [("files", Some(Plain::List(files)))])
        }
        Fact::ReloadRefused { file, line, message, .. } => {
            let payload = [
                ("file", Some(Plain::Text(file))),
                ("line", number(f64::from(line))),
                ("message", Some(Plain::Text(message))),
            ];
            fields(lua, payload)
        }
        Fact::Faulted(fault) => frozen(lua, &fault),
        _ => Ok(Value::Nil),
    }
}

fn appearance(lua: &Lua, id: CharacterId) -> mlua::Result<Value> {
    let found = lend::with_world(lua, |world: &mut World| {
        let position = world.characters.get(id).map(|character| Plain::Vector(character.body.position));
        (world.name_of(id).to_owned(), position)
    });
    let (name, position) = found.unwrap_or_default();
    fields(
        lua,
        [
            ("character", Some(Plain::Character(id))),
            ("name", Some(Plain::Text(name))),
            ("position", position),
        ],
    )
}

/// A read-only table of the fields that are there.
pub(super) fn fields<const N: usize>(
    lua: &Lua,
    fields: [(&'static str, Option<Plain>); N],
) -> mlua::Result<Value> {
    let there = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    frozen(lua, &map(there))
}
