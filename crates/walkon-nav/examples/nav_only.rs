//! Two rooms and a gate between them: a path through the gate, and the way round when the gate is closed.
//!
//! Run it with `cargo run -p walkon-nav --example nav_only`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use walkon_nav::base::ids::AreaId;
use walkon_nav::glam::Vec3;
use walkon_nav::nav::cells::{AreaShape, CellMap, GridSource};
use walkon_nav::nav::{Accept, AreaEdit, NavEdit, NavMap, PathQuery, Search, Traversal};

fn rectangle(min: [f64; 2], max: [f64; 2], available: bool) -> AreaShape {
    AreaShape { polygon: vec![min, [max[0], min[1]], max, [min[0], max[1]]], available, factor: 1.0 }
}

fn main() -> Result<(), Box<dyn Error>> {
    let source = GridSource {
        areas: vec![rectangle([0.0, 0.0], [20.0, 12.0], true)],
        obstacles: vec![
            // A wall with a gap of three metres near its foot, and one of four at its head.
            rectangle([9.8, 3.0], [10.2, 8.0], true),
            // The gate: an obstacle that is not there while it is open.
            rectangle([9.8, 0.0], [10.2, 3.0], false),
        ],
        ..GridSource::default()
    };
    let mut map = NavMap::from(CellMap::from_grid(&source)?);
    let by = Traversal { radius_m: 0.3, ..Traversal::default() };
    let mut search = Search::default();
    let query = PathQuery {
        start: Vec3::new(2.0, 0.0, 2.0),
        goal: Vec3::new(18.0, 0.0, 2.0),
        by,
        goal_layer: None,
        accept: Accept::Exact,
        expansions_max: 100_000,
        others: None,
    };

    let open = map.plan(&query, &mut search);
    println!("gate open:   {:.2} m over {} points", open.path.length_m, open.path.points.len());

    // Areas are numbered first, then obstacles: the gate is the third.
    let gate = AreaEdit { area: AreaId(2), available: Some(true), factor: None };
    map.apply(&[NavEdit::Area(gate)]);
    let closed = map.plan(&query, &mut search);
    println!("gate closed: {:.2} m over {} points", closed.path.length_m, closed.path.points.len());
    assert!(closed.path.length_m > open.path.length_m, "the way round is longer");
    Ok(())
}
