//! Two people, one of them walking: a world without a map, for tests of what lies below levels.

use glam::Vec3;

use crate::base::ids::{AreaId, CharacterId, WalkId};
use crate::base::rng::Rng;
use crate::crowd::follow::Cursor;
use crate::nav::{Crossing, LayerChange, Path, Revision};
use crate::world::World;
use crate::world::character::{Character, Displaced};
use crate::world::door::Door;
use crate::world::goal::Goal;
use crate::world::ops::characters::{Spawn, born, stream_name};
use crate::world::ops::walks::{WalkOrder, walk_to};
use crate::world::owner::Owner;
use crate::world::walk::{Following, Phase, WalkOptions};

/// A world with two people, one of them walking.
pub(crate) struct Fixture {
    pub(crate) world: World,
    pub(crate) one: CharacterId,
    pub(crate) other: CharacterId,
    pub(crate) walk: WalkId,
}

pub(crate) fn sample() -> Fixture {
    let mut world = World::default();
    let seed = world.level.seed;
    let mut put = |name: &str, x: f32| {
        let who = someone(seed, name, Vec3::X * x);
        world.characters.insert(|serial| Character { serial, ..who })
    };
    let (one, other) = (put("one", 0.0), put("other", 5.0));
    let options = WalkOptions::at(world.clock.rate);
    let goal = Goal::Point(Vec3::new(9.0, 0.0, 0.0));
    let order = WalkOrder { character: one, goal, options, owner: Owner::HOST };
    let walk = walk_to(&mut world, order).expect("both are there");
    world.characters.take_departed();
    let path = Path {
        points: vec![Vec3::ZERO, Vec3::X * 4.0, Vec3::X * 9.0],
        length_m: 9.0,
        cost_m: 9.0,
        whole: true,
        revision: Revision::default(),
        crossings: vec![Crossing { area: AreaId(1), enter_m: 3.0, leave_m: 4.0 }],
        layers: vec![LayerChange {
            at_m: 4.0,
            layer: 1,
            from: Vec3::X * 4.0,
            to: Vec3::X * 9.0,
            length_m: 5.0,
            action: None,
        }],
    };
    if let Some(walk) = world.walks.get_mut(walk) {
        walk.following =
            Some(Following { cursor: Cursor::at_start(&path), path: path.into(), trouble: None });
        walk.phase = Phase::Moving;
    }
    Fixture { world, one, other, walk }
}

/// A character that stands there, in a run with this seed.
pub(crate) fn someone(seed: u64, name: &str, position: Vec3) -> Character {
    let rng = Rng::stream(seed, &stream_name(name));
    Character { displaced: Displaced::No, ..born(Spawn::new(name, position), 0, position, rng) }
}

/// A door that is closed.
pub(crate) fn door() -> Door {
    Door { area: AreaId(0), moving_s: 1.0 / 60.0, ..Door::blank("gate".to_owned()) }
}
