//! Which bodies share a ground query.

use super::*;
use crate::base::geom::Bounds;
use crate::base::ids::AreaId;
use crate::base::threads::Threads;
use crate::nav::{AreaShape, CellMap, GridSource};
use crate::world::door::DoorState;
use crate::world::fixture::sample;

fn hall() -> LevelMap {
    let polygon = vec![[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]];
    let areas = vec![AreaShape { polygon, available: true, factor: 1.0 }];
    let source = GridSource { agent_radius_m: 0.35, areas, ..GridSource::default() };
    let nav = NavMap::from(CellMap::from_grid(&source).expect("a hall"));
    LevelMap { nav, ..LevelMap::default() }
}

fn door(teams: &[&str]) -> Door {
    Door {
        name: String::new(),
        area: AreaId(0),
        position: glam::Vec3::ZERO,
        bounds: Bounds::of(&[[0.0, 0.0]]),
        moving_s: 1.0 / 60.0,
        state: DoorState::Open,
        left_ticks: 0,
        is_locked: false,
        key: None,
        one_way: None,
        teams: teams.iter().map(|&tag| tag.to_owned()).collect(),
        request: None,
        removed: None,
    }
}

/// A character of a width with a tag.
fn person(radius_m: f32, tag: &str) -> Character {
    let scene = sample();
    let mut who = scene.world.characters.get(scene.one).expect("it is there").clone();
    who.body.radius_m = radius_m;
    who.tags = vec![tag.to_owned()];
    who
}

#[test]
fn a_thousand_widths_that_the_map_does_not_tell_apart_share_few_queries() {
    let map = hall();
    let mut grounds = GroundQueries::new(&map);
    for step in 0..1000 {
        let who = person(0.2 + step as f32 * 2e-4, "x");
        let kind = grounds.kind(&who);
        let by = Traversal { radius_m: who.body.radius_m, ..Traversal::default() };
        let (own, shared) = (map.nav.footing(&by), grounds.query(kind));
        for place in [0.1_f32, 0.5, 0.9, 1.3, 20.0].map(|x| glam::Vec3::new(x, 0.0, 20.0)) {
            assert_eq!(own.is_walkable(place), shared.is_walkable(place), "{} at {place}", who.body.radius_m);
        }
    }
    assert!(grounds.kinds.len() <= 3, "{} queries", grounds.kinds.len());
}

#[test]
fn those_whom_the_same_doors_admit_share_their_rules() {
    let doors = vec![door(&["red"]), door(&[]), door(&["red", "blue"])];
    let map = LevelMap { doors, ..hall() };
    let mut grounds = GroundQueries::new(&map);
    let kinds: Vec<u32> =
        ["red", "blue", "green", "red", "grey", "blue"].map(|tag| grounds.kind(&person(0.3, tag))).to_vec();
    assert_eq!(kinds, [0, 1, 2, 0, 2, 1]);
    let barred = |kind: usize| grounds.kinds[kind].by.barred().len();
    assert_eq!([barred(0), barred(1), barred(2)], [0, 1, 2]);
}

#[test]
fn more_kinds_than_twelve_are_kept_once_they_are_made() {
    let mut scene = sample();
    scene.world.map = hall();
    for step in 0..40 {
        let who = person(0.5 + step as f32 * 0.2, "x");
        scene.world.characters.insert(|serial| Character { serial, name: format!("wide {serial}"), ..who });
    }
    prepare(&mut scene.world.map, &scene.world.characters, None, Threads::ONE);
    let widths: Vec<f32> = scene.world.characters.iter().map(|(_, who)| who.body.radius_m).collect();
    for radius_m in widths {
        let by = Traversal { radius_m, ..Traversal::default() };
        assert!(scene.world.map.nav.is_prepared(&by), "{radius_m} m was put out again");
    }
}
