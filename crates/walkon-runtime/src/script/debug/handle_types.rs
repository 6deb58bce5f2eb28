//! Type names of handles, as scripts know them.
//!
//! In: values of scripts. Out: the name of their type. Holds: every kind of handle is listed. Not here: what
//! a handle shows (`rows`).

use mlua::Value;

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::script::step::testing::{ExpectationId, TestId};
use crate::script::step::wait::{BoardId, ChangeId, CueId, ListenerId, SceneId, TaskId, TimerId};
use crate::script::vm::handles::{BlockId, DoorMove, PlayId, StreamId, Thing, TurnId, WatchRef, thing};
use crate::world::sense::SenseId;

macro_rules! first_type {
    ($value:expr, $($type:ty),*) => {
        None$(.or_else(|| thing::<$type>($value).map(|_| <$type as Thing>::TYPE)))*
    };
}

/// The type of a handle; none for values that are no handles.
pub(crate) fn type_of(value: &Value) -> Option<&'static str> {
    if !matches!(value, Value::UserData(_) | Value::LightUserData(_)) {
        return None;
    }
    first_type!(
        value,
        CharacterId,
        WalkId,
        DoorId,
        TaskId,
        SceneId,
        DoorMove,
        PathToken,
        WatchRef,
        SenseId,
        TimerId,
        ListenerId,
        BoardId,
        ChangeId,
        CueId,
        TurnId,
        PlayId,
        StreamId,
        BlockId,
        TestId,
        ExpectationId
    )
}
