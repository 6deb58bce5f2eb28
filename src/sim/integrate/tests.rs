//! How far a body gets.

use super::*;
use crate::nav::{AreaShape, CellMap, GridSource, NavMap, Traversal};

/// A room of 4 by 4 metres with a pillar in the middle, and nothing around it.
fn room() -> NavMap {
    let area = |polygon| AreaShape { polygon, available: true, factor: 1.0 };
    let source = GridSource {
        agent_radius_m: 0.0,
        object_padding_m: 0.0,
        areas: vec![area(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])],
        obstacles: vec![area(vec![[1.6, 1.6], [2.4, 1.6], [2.4, 2.4], [1.6, 2.4]])],
        ..GridSource::default()
    };
    NavMap::from(CellMap::from_grid(&source).expect("a room"))
}

#[test]
fn who_stands_off_the_ground_comes_onto_it_and_meets_walls_from_there_on() {
    let map = room();
    let footing = map.footing(&Traversal::default());
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let through = reach(&footing, at(-0.5, 2.0), at(3.5, 2.0));
    assert!((1.0..=1.6).contains(&through.x), "up to the pillar: {through}");
    assert_eq!(reach(&footing, at(-0.5, 0.8), at(1.0, 0.8)), at(1.0, 0.8), "onto the ground");
    assert_eq!(reach(&footing, at(2.0, 2.0), at(2.0, 3.0)), at(2.0, 3.0), "out of the pillar");
    assert_eq!(reach(&footing, at(-2.0, 2.0), at(-1.0, 2.0)), at(-1.0, 2.0), "towards the ground");
    let across = reach(&footing, at(2.0, 2.0), at(2.0, 6.0));
    assert!((3.5..=4.0).contains(&across.z), "not out on the far side: {across}");
}
