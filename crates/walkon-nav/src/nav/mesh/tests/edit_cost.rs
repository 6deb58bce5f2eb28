//! How long views take to make, after edits and for new bodies, on levels of many obstacles.

#![allow(clippy::disallowed_types, reason = "a measurement reads a clock")]

use std::time::Instant;

use super::*;

/// One area with so many rows of so many square obstacles.
fn many(rows: u32) -> MeshSource {
    let side = f64::from(rows) * 5.0;
    let square = |at: u32| {
        let [x, z] = [at % rows, at / rows].map(|step| 2.0 + 5.0 * f64::from(step));
        let aside = f64::from(at % 7) * 0.13;
        rectangle([x + aside, x + 1.0 + aside], [z - aside, z + 1.2])
    };
    MeshSource {
        areas: vec![rectangle([0.0, side], [0.0, side])],
        obstacles: (0..rows * rows).map(square).collect(),
        agent_radius_m: 0.3,
        object_padding_m: 0.1,
        ..MeshSource::default()
    }
}

/// Milliseconds that something takes.
fn timed(what: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    what();
    begin.elapsed().as_secs_f64() * 1e3
}

#[test]
#[ignore = "a measurement"]
fn cost_of_views_after_edits_and_for_new_bodies() {
    for rows in [20, 40] {
        let mut map = map(&many(rows));
        let (by, middle) = (wide(0.3), at(rows as f32 * 2.5, rows as f32 * 2.5 + 2.0));
        let first = timed(|| {
            let _ = map.is_walkable(middle, &by);
        });
        let wider = timed(|| {
            let _ = map.is_walkable(middle, &wide(0.5));
        });
        let toggled: Vec<f64> = (0..6)
            .map(|at| {
                let obstacle = AreaId(1 + rows * rows / 2 + 5 * at);
                timed(|| {
                    toggle(&mut map, obstacle, false);
                    let _ = map.is_walkable(middle, &by);
                })
            })
            .collect();
        let blocked: Vec<f64> = (0..4)
            .map(|at| {
                timed(|| {
                    let point = Vec3::new(4.0 + 5.0 * at as f32, 0.0, 4.5);
                    let added = map.add_obstacle(&[], LayerPoint { layer: 0, point }, 0.5);
                    toggle(&mut map, added, true);
                    let _ = map.is_walkable(middle, &by);
                })
            })
            .collect();
        println!(
            "{} obstacles, {} polygons: first {first:.1} wider {wider:.1} toggled {toggled:.1?} blocked \
             {blocked:.1?} ms",
            rows * rows,
            map.node_count()
        );
    }
}
