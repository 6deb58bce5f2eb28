//! Points of other libraries at the border: `cargo test --features mint --test mint`.
#![allow(clippy::unwrap_used)]

use mint::{Point3, Vector3};
use walkon::{Goal, LookTarget, PathQuery, PathStatus, Spawn, Traversal, WalkOptions};
use walkon_runtime::example;

const WELL: Point3<f32> = Point3 { x: 16.0, y: 0.0, z: 6.0 };

#[test]
fn places_of_other_libraries_are_taken_where_a_place_is_asked_for() {
    let plain: [f32; 3] = WELL.into();
    assert_eq!(Goal::point(WELL), Goal::from(plain));
    assert_eq!(LookTarget::point(WELL), LookTarget::point(plain));
    assert_eq!(Spawn::new("ben", WELL), Spawn::new("ben", plain));
    assert_eq!(
        PathQuery::new(WELL, Vector3::from(plain), Traversal::default()),
        PathQuery::new(plain, plain, Traversal::default())
    );
}

#[test]
fn a_walk_goes_by_way_of_such_places_and_they_come_back_as_such() {
    let mut game = example::game().unwrap();
    let anna = game.character("anna").unwrap();
    let found = game.find_path(game.pose(anna).unwrap().position, WELL, 0.3);
    assert_eq!(found.status, PathStatus::Complete);
    let options = WalkOptions::at(game.rate()).passing([Point3 { x: 8.0, y: 0.0, z: 2.0 }]);
    game.walk_with(anna, Goal::point(WELL), options).unwrap();
    let mut lowest = f32::MAX;
    while game.tick(&[]).settled().next().is_none() {
        lowest = lowest.min(Point3::from(game.pose(anna).unwrap().position).z);
    }
    let stands = Vector3::from(game.pose(anna).unwrap().position);
    assert!((stands.x - WELL.x).abs() < 0.1 && lowest < 2.5, "{stands:?}, by way of {lowest}");
    assert!(game.teleport(anna, Point3 { x: 2.0, y: 0.0, z: 6.0 }, None).unwrap().is_some());
}
