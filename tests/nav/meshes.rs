//! Meshes as levels: one word changes a grid into one, polygons come from files and from the level, and what
//! is wrong is named.
//!
//! Method: levels are written as text; the levels of the repository with their `kind` changed.

use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::{self, Diagnostic, Level, MemorySource, Severity};
use walkon_runtime::nav::{
    Accept, MeshSource, NavMap, NavMesh, PathQuery, PathStatus, Reach, Search, Traversal,
};
use walkon_runtime::view::{Figure, Parts, Picture, Tag, draw_ground};

const HOUSE: &str = include_str!("../../levels/house.json");
const COURTYARD: &str = include_str!("../../levels/courtyard.json");
const SQUARE: &str = "mesh\n2\n5 4\n0 1 3 -1 1 0\n1 0 3 -1 0 3\n0 -1 3 -1 3 2\n-1 0 3 -1 2 1\n0 0 4 0 1 2 3\n\
    3 4 1 0 1 3 -1\n3 4 0 3 2 0 -1\n3 4 3 2 3 1 -1\n3 4 2 1 0 2 -1\n";

fn load(level: &str, files: &[(&str, &str)]) -> Result<Level, Vec<Diagnostic>> {
    let source = MemorySource::new().with("levels/test.json", level);
    let source = files.iter().fold(source, |source, (name, text)| source.with(name, *text));
    level::load("levels/test.json", &source).map_err(|refused| refused.diagnostics)
}

fn mesh(keys: &str) -> String {
    format!("{{ \"navigation\": {{ \"kind\": \"mesh\", {keys} }} }}")
}

/// The only error of a level that does not load: its code, line and message.
fn error(level: &str, files: &[(&str, &str)]) -> (String, usize, String) {
    let found = load(level, files).err().unwrap_or_else(|| panic!("expected an error of {level}"));
    let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{level}: {errors:#?}");
    (errors[0].code.to_owned(), errors[0].line as usize, errors[0].message.clone())
}

#[test]
fn one_word_makes_a_mesh_of_a_level_and_everything_stays_where_it_was() {
    for text in [HOUSE, COURTYARD] {
        let changed = text.replace("\"kind\": \"grid\"", "\"kind\": \"mesh\"");
        assert_ne!(text, changed);
        let [cells, polygons] = [text, &changed].map(|text| load(text, &[]).expect("a level"));
        assert!(cells.map.cells().is_some() && polygons.map.mesh().is_some());
        let by = Traversal { radius_m: 0.35, ..Traversal::default() };
        let mut asked = 0;
        for from in &cells.resolved.marks {
            for to in &cells.resolved.marks {
                let [on_cells, on_mesh] =
                    [&cells, &polygons].map(|level| level.map.reach(from.position, to.position, &by));
                assert_eq!(on_cells, on_mesh, "{:?} to {:?}", from.name, to.name);
                asked += usize::from(on_cells == Reach::Yes);
            }
        }
        assert!(asked > 5, "{asked}");
    }
}

#[test]
fn polygons_stand_in_the_level_or_in_a_file() {
    let inline = mesh(
        "\"vertices\": [[0, 0], [4, 0], [4, 4], [0, 4], [8, 1, 0], [8, 1, 4]], \"polygons\": [[0, 1, 2, 3], [1, 4, 5, 2]]",
    );
    let obj =
        "# two faces\nv 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 8 1 0\nv 8 1 4\nf 1 2 3 4\nf 2/1 5/2 6/3 -4\n";
    let file = mesh("\"file\": \"two.obj\"");
    for level in [load(&inline, &[]), load(&file, &[("levels/two.obj", obj)])] {
        let level = level.expect("a level");
        let query = PathQuery {
            start: Vec3::new(1.0, 0.0, 2.0),
            goal: Vec3::new(7.0, 0.0, 2.0),
            by: Traversal { radius_m: 0.5, ..Traversal::default() },
            goal_layer: None,
            accept: Accept::Nearest,
            expansions_max: 1000,
            others: None,
        };
        let answer = level.map.plan(&query, &mut Search::default());
        assert_eq!(answer.status, PathStatus::Complete);
        assert!((answer.path.points.last().expect("an end").y - 0.75).abs() < 1e-4, "on the slope");
        assert!(!level.map.is_walkable(Vec3::new(0.4, 0.0, 2.0), &query.by), "the radius is kept");
    }
    let level = load(&mesh("\"file\": \"square.mesh\""), &[("levels/square.mesh", SQUARE)]).expect("a level");
    assert_eq!(level.map.node_count(), 4);
}

#[test]
fn what_is_wrong_with_polygons_is_named_with_its_place() {
    let inline = |polygons: &str| {
        mesh(&format!(
            "\"vertices\": [[0, 0], [2, 0], [2, 2], [0, 2], [2, 1], [3, 1]], \"polygons\": {polygons}"
        ))
    };
    for (polygons, message) in [
        ("[[0, 1, 9]]", "polygon 0: refers to vertex 9, but there are 6 vertices, counted from 0"),
        (
            "[[0, 1, 2, 3], [1, 5, 4]]",
            "polygon 0: T-junction, vertex 4 lies on its edge from vertex 1 to vertex 2; add the vertex to the polygon",
        ),
        ("[[0, 1]]", "polygon 0: 2 corners, expected 3 or more"),
    ] {
        assert_eq!(error(&inline(polygons), &[]), ("mesh".to_owned(), 1, message.to_owned()));
    }
    assert_eq!(error(&inline("[[0, 1, 2.5]]"), &[]).0, "range");
    let file = mesh("\"file\": \"it.mesh\"");
    for (text, line, message) in [
        ("mash\n2\n", 1, "expected the word mesh: a navigation mesh in the form of the Polyanya authors"),
        ("mesh\n3\n", 2, "version 3 of the form mesh, expected 2"),
        ("mesh\n2\n99999999999 1\n", 3, "the number of vertices: 99999999999, limit 1000000"),
        ("mesh\n2\n1 1\n0 nought 1 0\n", 4, "\"nought\", expected y of a vertex"),
        ("mesh\n2\n1 1\n0 0 1 0\n3 0 0 7 -1 -1 -1\n", 5, "vertex 7, but there are 1, counted from 0"),
        ("mesh\n2\n1 1\n0 0 1 4\n", 4, "polygon 4, but there are 1, counted from 0; -1 is none"),
        ("mesh\n2\n1000000 1\n", 3, "the file ends here, expected x of a vertex"),
    ] {
        let found = error(&file, &[("levels/it.mesh", text)]);
        assert_eq!(found, ("mesh".to_owned(), line, message.to_owned()), "{text}");
    }
    assert_eq!(error(&file, &[]).0, "unresolved");
    assert_eq!(error(&mesh("\"file\": \"it.png\""), &[]).0, "choice");
    assert_eq!(error(&mesh("\"obstacles\": []"), &[]).0, "missing-field");
    assert_eq!(
        error(&mesh("\"file\": \"it.mesh\", \"avoidance\": \"magic\""), &[("levels/it.mesh", SQUARE)]).0,
        "choice"
    );
}

#[test]
fn a_polygon_of_a_file_is_named_with_its_line() {
    let obj = mesh("\"file\": \"it.obj\"");
    let corners = "# corners\nv 0 0 0\nv 2 0 0\nv 2 0 2\nv 0 0 2\n";
    let twice = format!("{corners}f 1 2 3\n\nf 1 1 3\n");
    let apart = format!("{corners}v 2 0 0\nv 2 0 2\nv 4 0 0\nf 1 2 3 4\nf 5 7 6\n");
    for (text, line, message) in [
        (twice, 8, "polygon 1: passes vertex 0 twice; expected every corner once"),
        (
            apart,
            9,
            "polygon 0: its vertex 2 and vertex 5 lie at one place, so an edge there is not shared; merge them",
        ),
    ] {
        let found = error(&obj, &[("levels/it.obj", &text)]);
        assert_eq!(found, ("mesh".to_owned(), line, message.to_owned()), "{text}");
    }
    let latin = [corners.as_bytes(), b"usemtl \xe9\nf 1 2 3 4\n"].concat();
    assert!(level::from_obj(&latin).is_ok(), "names may be in any encoding");
    let flat = mesh("\"file\": \"it.mesh\"");
    let found =
        error(&flat, &[("levels/it.mesh", "mesh\n2\n3 1\n0 0 0\n1 0 0\n2 0 0\n\n3 0 1 2 -1 -1 -1\n")]);
    assert_eq!((found.0.as_str(), found.1), ("mesh", 8), "{}", found.2);
}

#[test]
fn no_bytes_of_a_mesh_file_make_it_panic() {
    let mut rng = walkon_runtime::base::rng::Rng::stream(3, "fuzz");
    let obj = "v 0 0 0\nv 4 0 0\nv 4 0 4\nf 1 2 3\nf -1//2 2 1\n";
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let mut bytes = if round % 2 == 0 { SQUARE.as_bytes().to_vec() } else { obj.as_bytes().to_vec() };
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = b"0123456789-. \nfve/x"[rng.below(19) as usize];
        }
        let text = String::from_utf8_lossy(&bytes);
        let parsed = if round % 2 == 0 { level::from_mesh(&text) } else { level::from_obj(&bytes) };
        match parsed.map(|file| file.mesh.check().is_ok()) {
            Ok(true) => read += 1,
            _ => refused += 1,
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

/// A hall and a gallery above it, joined by stairs.
const STOREYS: &str = "\"vertices\": [[0, 0, 0], [8, 0, 0], [8, 0, 6], [0, 0, 6], [14, 3, 0], [14, 3, 3], [8, 0, 3], \
    [16, 3, 0], [16, 3, 6], [14, 3, 6], [0, 3, 3], [0, 3, 6]], \
    \"polygons\": [[0, 1, 6, 2, 3], [1, 4, 5, 6], [4, 7, 8, 9, 5], [5, 9, 11, 10]]";

#[test]
fn heights_keep_areas_and_obstacles_of_a_level_to_their_floors() {
    let shapes = |heights: &str| {
        format!(
            "{STOREYS}, \"areas\": [{{ \"name\": \"carpet\", \"cost\": 3, \"polygon\": [[1, 4], [2, 4], [2, 5], [1, 5]] {heights} }}],
            \"obstacles\": [{{ \"name\": \"chest\", \"polygon\": [[4, 4], [5, 4], [5, 5], [4, 5]] {heights} }}]"
        )
    };
    let (below, above) = (Vec3::new(4.5, 0.0, 4.5), Vec3::new(4.5, 3.0, 4.5));
    let (floor, gallery) = (Vec3::new(1.5, 0.0, 4.5), Vec3::new(1.5, 3.0, 4.5));
    for (heights, on_floor, on_gallery) in
        [("", true, true), (", \"heights\": [-1, 1]", true, false), (", \"heights\": [2, 4]", false, true)]
    {
        let level = load(&mesh(&shapes(heights)), &[]).expect("a level");
        let by = Traversal { radius_m: 0.3, ..Traversal::default() };
        let blocked = [below, above].map(|place| !level.map.is_walkable(place, &by));
        assert_eq!(blocked, [on_floor, on_gallery], "{heights}");
        let area = walkon_runtime::base::ids::AreaId::from(0_usize);
        let held = [floor, gallery].map(|place| level.map.holds(area, place));
        assert_eq!(held, [on_floor, on_gallery], "{heights}");
    }
    let turned = shapes("").replacen("\"cost\": 3", "\"cost\": 3, \"heights\": [4, 2]", 1);
    assert_eq!(error(&mesh(&turned), &[]).0, "range");
    let flat = turned.replace("[4, 2]", "[2, 4]").replace(STOREYS, "\"name\": \"flat\"");
    let grid = format!("{{ \"navigation\": {{ \"kind\": \"grid\", {flat} }} }}");
    assert_eq!(error(&grid, &[]).0, "unknown-field");
}

#[test]
fn a_picture_shows_the_ground_of_a_mesh_and_the_upper_floors_on_top() {
    let picture = |level: &str| {
        let world = level::spawn::build(load(level, &[]).expect("a level"), None).world;
        let mut picture = Picture::new("mesh", world.nav().bounds(), 1.0);
        draw_ground(&mut picture, &world, Parts::all());
        picture
    };
    let burrow = picture(include_str!("../../levels/burrow.json"));
    let holds = |picture: &Picture, point: [f64; 2]| {
        let is_around = |form: &Figure| matches!(form, Figure::Polygon(it) if walkon_runtime::base::geom::polygon_contains(it, point));
        picture.shapes_of("cells").filter(|shape| is_around(&shape.form)).count()
    };
    // In a hall, in the gateway, in the well, beyond the walls.
    let places = [[3.0, 10.0], [10.0, 17.0], [17.0, 10.0], [10.0, 2.0]];
    assert_eq!(places.map(|place| holds(&burrow, place)), [1, 1, 0, 0]);
    let portal = Tag::Cells("portal");
    assert!(burrow.shapes_of("cells").filter(|shape| shape.tag == portal).count() > 6);

    let storeys = picture(&mesh(&format!(
        "{STOREYS}, \"areas\": [{{ \"name\": \"mud\", \"cost\": 9, \"heights\": [2, 4], \"polygon\": [[1, 4], [2, 4], [2, 5], [1, 5]] }}]"
    )));
    assert_eq!((holds(&storeys, [1.5, 4.5]), holds(&storeys, [1.5, 1.0])), (2, 1), "gallery over hall");
    let kinds: Vec<&Tag> = storeys.shapes_of("cells").map(|shape| &shape.tag).collect();
    let last = |tag: &Tag| kinds.iter().rposition(|it| *it == tag).expect("shown");
    let first = |tag: &Tag| kinds.iter().position(|it| *it == tag).expect("shown");
    assert!(
        last(&Tag::Cells("dearest3")) > first(&Tag::Cells("free")),
        "the mud lies on the gallery: {kinds:?}"
    );
    assert!(last(&Tag::Cells("rim")) > last(&Tag::Cells("free")), "its edge lies on top: {kinds:?}");
}

/// The meshes of the Polyanya authors; None where they are not.
fn published(name: &str) -> Option<String> {
    let path = crate::when_at_hand::at_hand(&format!("meshes/{name}"))?;
    Some(std::fs::read_to_string(path).unwrap())
}

fn map_of(text: &str) -> NavMap {
    let checked = level::from_mesh(text).expect("a mesh").mesh.check().expect("in order");
    let source = MeshSource { ground: Some(checked), ..MeshSource::default() };
    NavMap::from(NavMesh::new(&source).expect("a map"))
}

#[test]
fn every_published_mesh_loads_or_is_refused_with_its_reason() {
    // hard.mesh holds two parts that touch nowhere but in a corner.
    let loads = [("arena.mesh", 120, 1), ("arena-merged.mesh", 55, 1), ("hard/bad-ambig.mesh", 4, 1)];
    let hard = [("hard/bad-collinear.mesh", 6, 1), ("hard/hard.mesh", 38, 2), ("hard/square.mesh", 4, 1)];
    for (name, polygons, parts) in loads.into_iter().chain(hard) {
        let Some(text) = published(name) else { return };
        let map = map_of(&text);
        assert_eq!((map.node_count(), map.islands().len()), (polygons, parts), "{name}");
    }
    let Some(text) = published("nav_test.obj") else { return };
    let error =
        level::from_obj(text.as_bytes()).expect("polygons").mesh.check().expect_err("walls are no ground");
    assert!(error.to_string().starts_with("polygon 0: degenerate"), "{error}");
}

#[test]
fn on_arena_no_path_is_longer_than_on_the_grid_and_every_line_of_it_can_be_walked() {
    let Some(scenario) = published("arena.scen") else { return };
    for name in ["arena.mesh", "arena-merged.mesh"] {
        let Some(text) = published(name) else { return };
        let (map, by, mut queries) = (map_of(&text), Traversal::default(), 0);
        for line in scenario.lines().skip(1).filter(|line| !line.trim().is_empty()) {
            let numbers: Vec<f32> =
                line.split_whitespace().skip(4).map(|word| word.parse().expect("a number")).collect();
            let query = PathQuery {
                start: Vec3::new(numbers[0], 0.0, numbers[1]),
                goal: Vec3::new(numbers[2], 0.0, numbers[3]),
                by: by.clone(),
                goal_layer: None,
                accept: Accept::Exact,
                expansions_max: 10_000,
                others: None,
            };
            let answer = map.plan(&query, &mut Search::default());
            assert_eq!(answer.status, PathStatus::Complete, "{line}");
            let straight = (query.goal - query.start).length();
            // The last column is the length on the grid, along eight directions only.
            assert!(
                answer.path.length_m <= numbers[4] + 0.01 && answer.path.length_m >= straight - 1e-3,
                "{line}"
            );
            for pair in answer.path.points.windows(2) {
                assert!(map.footing(&by).clear(pair[0], pair[1]), "{line}: {pair:?}");
            }
            queries += 1;
        }
        assert_eq!(queries, 160);
    }
}

#[test]
fn a_cost_is_the_length_times_the_factor_where_all_ground_costs_the_same() {
    let mut rng = Rng::stream(8, "costly obstacles");
    let (mut bent, mut asked) = (0, 0);
    for _ in 0..40 {
        // Round obstacles of five corners, whose walls paths run along.
        let obstacles: Vec<String> = (0..6)
            .map(|nth| {
                let (x, z, turn) = (rng.float(3.0, 17.0), rng.float(3.0, 17.0), rng.float(0.0, 1.0));
                let corner = |at: u32| {
                    let angle = (f64::from(at) + turn) * std::f64::consts::TAU / 5.0;
                    let [x, z] = [x + 1.4 * angle.cos(), z + 1.4 * angle.sin()];
                    format!("[{x:.2}, {z:.2}]")
                };
                let corners: Vec<String> = (0..5).map(corner).collect();
                format!(r#"{{ "name": "o{nth}", "polygon": [{}] }}"#, corners.join(","))
            })
            .collect();
        let level = mesh(&format!(
            r#""areas": [{{ "name": "a", "cost": 3, "polygon": [[0,0],[20,0],[20,20],[0,20]] }}],
            "obstacles": [{}]"#,
            obstacles.join(",")
        ));
        let map = load(&level, &[]).expect("a level").map;
        for _ in 0..20 {
            let mut place = || Vec3::new(rng.float(0.5, 19.5) as f32, 0.0, rng.float(0.5, 19.5) as f32);
            let (start, goal) = (place(), place());
            let by = Traversal::default();
            if !map.is_walkable(start, &by) || !map.is_walkable(goal, &by) {
                continue;
            }
            let query = PathQuery::new(start, goal, by);
            let path = map.plan(&query, &mut Search::default()).path;
            (bent, asked) = (bent + u32::from(path.points.len() > 2), asked + 1);
            let whole = 3.0 * path.length_m;
            assert!((path.cost_m - whole).abs() <= 1e-3 * whole, "{start} to {goal}: {path:?}");
        }
    }
    assert!(bent > 100 && asked > 500, "{bent} of {asked}");
}

#[test]
fn lengths_and_costs_of_paths_count_the_slopes_of_a_mesh() {
    // Up and down by 45 degrees, in two polygons and in four.
    for polygons in ["[[0,1,4,5],[1,2,3,4]]", "[[0,1,4],[0,4,5],[1,2,3],[1,3,4]]"] {
        let level = mesh(&format!(
            r#""vertices": [[0,0,0],[6,6,0],[12,0,0],[12,0,4],[6,6,4],[0,0,4]], "polygons": {polygons}"#
        ));
        let map = load(&level, &[]).expect("a level").map;
        for (from, to) in [([1.0, 2.0], [11.0, 2.0]), ([2.0, 1.0], [5.0, 3.0]), ([8.0, 3.5], [1.0, 0.5])] {
            let height = |x: f32| 6.0 - (x - 6.0).abs();
            let place = |[x, z]: [f32; 2]| Vec3::new(x, height(x), z);
            let path = map
                .plan(&PathQuery::new(place(from), place(to), Traversal::default()), &mut Search::default())
                .path;
            let (dx, dz) = (to[0] - from[0], to[1] - from[1]);
            let expected = (2.0 * dx * dx + dz * dz).sqrt();
            let length_m = map.length_in_space_m(&path);
            assert!((length_m - expected).abs() < 1e-3, "{from:?} to {to:?}: {length_m} for {expected}");
            assert!(
                (path.cost_m - expected).abs() < 1e-3,
                "{from:?} to {to:?}: {} for {expected}",
                path.cost_m
            );
        }
    }
}
