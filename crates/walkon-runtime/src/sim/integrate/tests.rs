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
    let ground = StepGround { ground: &map.footing(&Traversal::default()), corners: &[] };
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let through = reach(&map, &ground, at(-0.5, 2.0), at(3.5, 2.0));
    assert!((1.0..=1.6).contains(&through.x), "up to the pillar: {through}");
    assert_eq!(reach(&map, &ground, at(-0.5, 0.8), at(1.0, 0.8)), at(1.0, 0.8), "onto the ground");
    assert_eq!(reach(&map, &ground, at(2.0, 2.0), at(2.0, 3.0)), at(2.0, 3.0), "out of the pillar");
    assert_eq!(reach(&map, &ground, at(-2.0, 2.0), at(-1.0, 2.0)), at(-1.0, 2.0), "towards the ground");
    let across = reach(&map, &ground, at(2.0, 2.0), at(2.0, 6.0));
    assert!((3.5..=4.0).contains(&across.z), "not out on the far side: {across}");
}

#[test]
fn who_stands_on_the_very_edge_of_the_ground_goes_along_it() {
    let map = room();
    let ground = StepGround { ground: &map.footing(&Traversal::default()), corners: &[] };
    // All four sides of the room and of the pillar, as pushes leave bodies there: the last place that is
    // ground.
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let insides = [
        (at(2.0, 1.0), Vec3::Z),
        (at(2.0, 3.0), Vec3::NEG_Z),
        (at(1.0, 2.0), Vec3::X),
        (at(3.0, 2.0), Vec3::NEG_X),
    ];
    for (inside, towards) in insides {
        for way in [towards, -towards] {
            let edge = ground.last_clear(inside, inside + way * 9.0);
            for along in [Vec3::new(way.z, 0.0, way.x), Vec3::new(-way.z, 0.0, -way.x)] {
                // Straight along, and leaning against the wall.
                for step in [along * 0.02, along * 0.02 + way * 0.01] {
                    let to = edge + step;
                    let reached = if ground.clear(edge, to) { to } else { reach(&map, &ground, edge, to) };
                    assert!((reached - edge).dot(along) > 0.015, "from {edge} along {along}: {reached}");
                    assert!(ground.clear(edge, reached), "{edge} to {reached}");
                }
            }
        }
    }
}
