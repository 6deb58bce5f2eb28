use super::*;

/// A mesh of polygons on flat ground.
fn flat(places: &[[f64; 2]], polygons: &[&[u32]]) -> RawMesh {
    RawMesh {
        vertices: places.iter().map(|&[x, z]| [x, 0.0, z]).collect(),
        polygons: polygons.iter().map(|ring| ring.to_vec()).collect(),
    }
}

/// Two squares side by side.
fn pair() -> RawMesh {
    let places = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
    flat(&places, &[&[0, 1, 4, 3], &[1, 2, 5, 4]])
}

#[test]
fn squares_side_by_side_are_joined() {
    let checked = pair().check().expect("in order");
    assert_eq!((checked.turned, checked.surface.polygon_count(), checked.surface.label_count), (0, 2, 1));
    assert_eq!(checked.surface.walls.len(), 6);
}

#[test]
fn polygons_the_wrong_way_round_are_turned() {
    let mut mesh = pair();
    mesh.polygons[1].reverse();
    let checked = mesh.check().expect("repaired");
    assert_eq!((checked.turned, checked.surface.label_count), (1, 1));
}

#[test]
fn every_fault_is_named() {
    let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    let cases: [(RawMesh, &str); 12] = [
        (flat(&square, &[&[0, 1, 7]]), "polygon 0: refers to vertex 7"),
        (flat(&square, &[&[0, 1]]), "polygon 0: 2 corners"),
        (flat(&square, &[&[0, 1, 2, 1]]), "polygon 0: passes vertex 1 twice"),
        (flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[&[0, 1, 2]]), "polygon 0: degenerate"),
        (flat(&[[0.0, f64::NAN], [1.0, 0.0], [2.0, 0.0]], &[&[0, 1, 2]]), "vertex 0: coordinate NaN"),
        (flat(&[[0.0, 0.0], [1e7, 0.0], [2.0, 0.0]], &[&[0, 1, 2]]), "vertex 1: coordinate 10000000"),
        (
            flat(&[[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]], &[&[0, 1, 2, 3]]),
            "polygon 0: not convex at vertex 2",
        ),
        (flat(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]], &[&[0, 1, 2, 3]]), "polygon 0: not convex"),
        (
            flat(&[[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [1.0, 0.5]], &[&[0, 1, 2], &[0, 1, 3]]),
            "polygons 0 and 1: overlap",
        ),
        (
            flat(
                &[
                    [0.0, 0.0],
                    [2.0, 0.0],
                    [2.0, 2.0],
                    [0.0, 2.0],
                    [1.0, 1.0],
                    [3.0, 1.0],
                    [3.0, 3.0],
                    [1.0, 3.0],
                ],
                &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
            ),
            "polygons 0 and 1: overlap at (1.5, 1.5)",
        ),
        (
            flat(
                &[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 1.0], [3.0, 0.0], [3.0, 1.0]],
                &[&[0, 1, 2, 3], &[1, 5, 6, 4]],
            ),
            "polygon 0: T-junction, vertex 4 lies on its edge from vertex 1 to vertex 2",
        ),
        (
            flat(
                &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0]],
                &[&[0, 1, 2], &[1, 0, 3], &[0, 1, 4]],
            ),
            "edge from vertex 0 to vertex 1: non-manifold, shared by 3 polygons",
        ),
    ];
    for (mesh, message) in cases {
        let error = mesh.check().expect_err(message).to_string();
        assert!(error.starts_with(message), "{error}, expected {message}");
    }
}

#[test]
fn floors_may_lie_above_one_another_but_not_cross() {
    let floor =
        |y: f64, rise: f64| [[0.0, y, 0.0], [2.0, y + rise, 0.0], [2.0, y + rise, 2.0], [0.0, y, 2.0]];
    let stacked = |lower: [[f64; 3]; 4], upper: [[f64; 3]; 4]| RawMesh {
        vertices: lower.into_iter().chain(upper).collect(),
        polygons: vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]],
    };
    let checked = stacked(floor(0.0, 0.0), floor(3.0, 0.5)).check().expect("two floors");
    assert_eq!(checked.surface.label_count, 2);
    assert!(matches!(
        stacked(floor(0.0, 2.0), floor(1.0, 0.0)).check(),
        Err(MeshError::Overlapping { first: 0, second: 1, .. })
    ));
}

#[test]
fn equal_corners_under_two_numbers_are_a_junction() {
    let mut mesh = pair();
    mesh.vertices.extend([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]);
    mesh.polygons[1] = vec![6, 2, 5, 7];
    assert!(matches!(mesh.check(), Err(MeshError::Unmerged { .. })));
}

#[test]
fn what_comparing_polygons_takes_is_limited_by_their_corners() {
    // Two floors of so many corners each, whose rectangles overlap.
    let floors = |corners: u32| {
        let round = std::f64::consts::TAU / f64::from(corners);
        let corner = |at: u32| {
            let angle = round * f64::from(at % corners);
            [10.0 * libm::cos(angle), f64::from(at / corners) * 3.0, 10.0 * libm::sin(angle)]
        };
        let vertices = (0..2 * corners).map(corner).collect();
        RawMesh { vertices, polygons: vec![(0..corners).collect(), (corners..2 * corners).collect()] }
    };
    let overlaps = |mesh: &RawMesh| mesh.check_overlaps(&mesh.polygons, 1000);
    assert_eq!(overlaps(&floors(15)), Ok(()));
    assert_eq!(overlaps(&floors(16)), Err(MeshError::TooManyOverlaps));
    assert!(floors(16).check().is_ok());
}
