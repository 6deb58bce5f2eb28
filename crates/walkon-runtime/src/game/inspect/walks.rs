//! A walk as JSON for viewers: where it leads, the rest of its path, why it waits.
//!
//! In: an open walk, its world. Out: an object. Not here: results of walks that have ended
//! (`world::outcome`).

use serde_json::{Value, json};

use crate::game::inspect::values::place;
use crate::script::vm::convert::setting;
use crate::world::World;
use crate::world::character::Character;
use crate::world::outcome::Blocker;
use crate::world::walk::{Phase, Walk};

pub(super) fn fields(world: &World, who: &Character, walk: &Walk) -> Value {
    let way = walk.following.as_ref();
    let points = way.map_or(&[][..], |way| way.cursor.ahead(&way.path));
    json!({
        "number": walk.serial,
        "status": walk.state_name(),
        "goal": place(walk.target()),
        "remaining": walk.remaining_m(who.body.position).map(setting),
        "points": points.iter().map(|&point| place(point)).collect::<Vec<_>>(),
        "why": why(world, walk),
        "repaths": walk.repaths,
        "since": walk.issued.0,
    })
}

/// Why a walk does not get on; none while it does.
fn why(world: &World, walk: &Walk) -> Option<String> {
    if walk.is_paused {
        return Some("it is paused".to_owned());
    }
    let blocker = |what: Blocker| world.blocker(what);
    match &walk.phase {
        Phase::AtDoor(door) => Some(format!("{} is not open", blocker(Blocker::Door(*door)))),
        Phase::Beside(other) => Some(format!("{} stands at its goal", blocker(Blocker::Character(*other)))),
        Phase::Content => Some("it is near enough".to_owned()),
        Phase::Pausing { until } => Some(format!("it rests until tick {}", until.0)),
        Phase::Turning(_) => Some("it has arrived and turns".to_owned()),
        Phase::Settled(_) => None,
        Phase::Planning | Phase::Moving => {
            if walk.waits_for_path(world.nav().revision()) {
                return Some(format!("{} (a path is searched)", asked(walk)));
            }
            walk.blocked_by.map(|by| format!("{} is in the way", blocker(by)))
        }
    }
}

fn asked(walk: &Walk) -> &'static str {
    walk.ask.or(walk.token.map(|(_, why)| why)).map_or("first", |why| why.name())
}
