//! Graphs made from a real scene: points on its floors, links that a body can walk, ways up its stairs.
//!
//! Goal: rows V3, V5 and V9 to V12 of the seeds on a scene that nobody here made. Method: the scene of
//! `../shared/data/meshes`, and a look at every triangle beside the tree that answers rays; without the data
//! nothing is tested but the tower of the project.

use std::path::{Path, PathBuf};

use glam::Vec3;
use walkon_runtime::base::ids::WalkId;
use walkon_runtime::level::scene::{obj_faces, scene_triangles};
use walkon_runtime::nav::graph::islands::remove_islands;
use walkon_runtime::nav::graph::{
    EditableGraph, GenerateOptions, GraphSource, LinkOptions, PointGraph, SceneBox, generate, groups, link,
};
use walkon_runtime::nav::solids::{Room, Solids};
use walkon_runtime::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};
use walkon_runtime::view::{Parts, Picture, Slant, draw_ground, draw_scene};
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::walk::WalkOptions;

use crate::fixture::send;

pub fn shared(name: &str) -> Option<PathBuf> {
    crate::when_at_hand::at_hand(&format!("meshes/{name}"))
}

pub fn triangles(path: &Path) -> Vec<[Vec3; 3]> {
    let bytes = std::fs::read(path).unwrap();
    scene_triangles(path.to_str().unwrap(), &bytes, &mut |_| Err("no files".to_owned())).unwrap()
}

/// Whether a line meets a triangle, by the signs of volumes: nothing of what the product does.
fn meets([a, b, c]: [Vec3; 3], from: Vec3, to: Vec3) -> bool {
    let volume = |p: Vec3, q: Vec3, r: Vec3, s: Vec3| {
        let [p, q, r, s] = [p, q, r, s].map(|v| v.as_dvec3());
        (q - p).cross(r - p).dot(s - p)
    };
    let (above, below) = (volume(a, b, c, from), volume(a, b, c, to));
    if above * below >= 0.0 {
        return false;
    }
    let turns = [volume(from, to, a, b), volume(from, to, b, c), volume(from, to, c, a)];
    turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0)
}

fn made(triangles: &[[Vec3; 3]], boxes: &[SceneBox], spacing_m: f32, room: Room) -> EditableGraph {
    made_wide(triangles, boxes, spacing_m, (room, 0.0))
}

/// The same with room for bodies that stray so far from links.
fn made_wide(
    triangles: &[[Vec3; 3]],
    boxes: &[SceneBox],
    spacing_m: f32,
    (room, stray_m): (Room, f32),
) -> EditableGraph {
    let solids = Solids::new(triangles).unwrap();
    let options = GenerateOptions { spacing_m, room, stray_m, ..GenerateOptions::default() };
    let found = generate(&solids, boxes, &options, &mut |_, _| {});
    let mut draft = EditableGraph::new(found.points, &[], Vec::new()).unwrap();
    let options = LinkOptions { distance_max_m: 1.5 * spacing_m, room, stray_m, ..LinkOptions::default() };
    link(&mut draft, Some(&solids), &options, &mut |_, _| {}).unwrap();
    draft
}

#[test]
fn seed_v3_a_real_scene_gives_one_main_island_and_links_that_nothing_blocks() {
    let Some(path) = shared("nav_test.obj") else { return };
    let all = triangles(&path);
    assert_eq!(all.len(), 1612, "its 792 faces have three to many corners");
    let around = SceneBox { min: Vec3::new(-28.8, -5.0, -46.0), max: Vec3::new(62.4, 17.2, 31.0) };
    let room = Room { radius_m: 0.4, step_m: 0.5, height_m: 1.8 };
    let mut draft = made(&all, &[around], 1.0, room);
    let found = groups(&draft);
    let main = found[0].points.len();
    assert!(main > 800, "{main} of {}", draft.points().len());
    let size = found[0].max - found[0].min;
    assert!(size.x > 40.0 && size.z > 40.0, "the main island covers the main floor: {size}");
    // Rays at the knee, the chest and the head of a body along every link.
    for [a, b] in draft.links() {
        let ends = [a, b].map(|end| draft.points()[end as usize]);
        for lift in [0.55, 1.1, 1.75] {
            let [from, to] = ends.map(|end| end + Vec3::Y * lift);
            assert!(!all.iter().any(|&triangle| meets(triangle, from, to)), "{ends:?} at {lift}");
        }
    }
    let (low, high) = {
        let by_height = |at: &&u32| (draft.points()[**at as usize].y * 1000.0) as i64;
        let points = &found[0].points;
        (*points.iter().min_by_key(by_height).unwrap(), *points.iter().max_by_key(by_height).unwrap())
    };
    let ends = [low, high].map(|at| draft.points()[at as usize]);
    let islands = found.len() - 1;
    remove_islands(&mut draft, usize::MAX);
    assert_eq!(groups(&draft).len(), 1, "after {islands} islands were removed");
    let source = GraphSource { draft, width_m: 0.2, agent_radius_m: 0.4, ..GraphSource::default() };
    let query = PathQuery {
        start: ends[0],
        goal: ends[1],
        by: Traversal { radius_m: 0.3, ..Traversal::default() },
        goal_layer: None,
        accept: Accept::Exact,
        expansions_max: u32::MAX,
        others: None,
    };
    let answer = NavMap::from(PointGraph::new(source)).plan(&query, &mut Search::default());
    assert_eq!(answer.status, PathStatus::Complete);
}

#[test]
fn seed_v3_ways_lead_up_the_stairs_of_a_real_scene() {
    let Some(path) = shared("nav_test.obj") else { return };
    let all = triangles(&path);
    let around = SceneBox { min: Vec3::new(-28.8, -5.0, -46.0), max: Vec3::new(62.4, 17.2, 31.0) };
    let room = Room { radius_m: 0.4, step_m: 0.5, height_m: 1.8 };
    let draft = made(&all, &[around], 1.0, room);
    let found = groups(&draft);
    // The scene is of three large bodies with nothing but air between them, five metres of it: so many
    // islands are right.
    let apart = |one: usize, two: usize| {
        let place = |at: &u32| draft.points()[*at as usize];
        let pairs = found[one].points.iter().flat_map(|a| found[two].points.iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| place(a).distance(place(b))).fold(f32::INFINITY, f32::min)
    };
    assert!(found[2].points.len() > 800 && found[3].points.len() < 400);
    assert!([apart(0, 1), apart(0, 2), apart(1, 2)].iter().all(|&gap_m| gap_m > 4.0));
    let rise = |at: usize| found[at].max.y - found[at].min.y;
    let steep = (0..3).max_by(|&one, &two| rise(one).total_cmp(&rise(two))).unwrap();
    assert!(rise(steep) > 11.0, "from the lowest ground up the stairs to the roof: {} m", rise(steep));
    let by_height = |at: &&u32| (draft.points()[**at as usize].y * 1000.0) as i64;
    let low = *found[steep].points.iter().min_by_key(by_height).unwrap();
    let upstairs: Vec<u32> =
        found[steep].points.iter().copied().filter(|&at| draft.points()[at as usize].y > 6.9).collect();
    assert!(upstairs.len() > 100, "{}", upstairs.len());
    let source =
        GraphSource { draft: draft.clone(), width_m: 0.2, agent_radius_m: 0.4, ..GraphSource::default() };
    let (map, mut search) = (NavMap::from(PointGraph::new(source)), Search::default());
    for &goal in upstairs.iter().step_by(20) {
        let [start, goal] = [low, goal].map(|at| draft.points()[at as usize]);
        let query = PathQuery {
            start,
            goal,
            by: Traversal { radius_m: 0.3, ..Traversal::default() },
            goal_layer: None,
            accept: Accept::Exact,
            expansions_max: u32::MAX,
            others: None,
        };
        let answer = map.plan(&query, &mut search);
        assert_eq!(answer.status, PathStatus::Complete, "{start} to {goal}");
        let steepest = answer.path.points.windows(2).map(|pair| {
            let flat = (pair[1] - pair[0]) * Vec3::new(1.0, 0.0, 1.0);
            (pair[1].y - pair[0].y).abs() / flat.length().max(0.5)
        });
        assert!(steepest.fold(0.0, f32::max) <= 1.01, "no leg is steeper than its links may be");
    }
}

/// What a body needs of its way up or through a scene made here.
fn a_way(
    triangles: &[[Vec3; 3]],
    around: SceneBox,
    (from, to): (Vec3, Vec3),
) -> walkon_runtime::nav::PathAnswer {
    let room = Room { radius_m: 0.3, step_m: 0.4, height_m: 1.8 };
    let draft = made(triangles, &[around], 0.3, room);
    let source = GraphSource { draft, width_m: 0.2, agent_radius_m: 0.3, ..GraphSource::default() };
    let query = PathQuery {
        start: from,
        goal: to,
        by: Traversal { radius_m: 0.3, ..Traversal::default() },
        goal_layer: None,
        accept: Accept::Exact,
        expansions_max: u32::MAX,
        others: None,
    };
    NavMap::from(PointGraph::new(source)).plan(&query, &mut Search::default())
}

#[test]
fn seed_v8_a_way_leads_up_twelve_steps() {
    let face = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| [[a, b, c], [a, c, d]];
    let mut triangles = Vec::new();
    let floor = |x0: f32, x1: f32, y: f32| {
        let p = |x: f32, z: f32| Vec3::new(x, y, z);
        face(p(x0, 0.0), p(x1, 0.0), p(x1, 3.0), p(x0, 3.0))
    };
    triangles.extend(floor(0.0, 3.0, 0.0));
    for step in 1..=12u8 {
        let (x, y) = (3.0 + 0.3 * f32::from(step - 1), 0.25 * f32::from(step));
        triangles.extend(floor(x, x + if step == 12 { 3.0 } else { 0.3 }, y));
        let p = |y: f32, z: f32| Vec3::new(x, y, z);
        triangles.extend(face(p(y - 0.25, 0.0), p(y - 0.25, 3.0), p(y, 3.0), p(y, 0.0)));
    }
    let around = SceneBox { min: Vec3::new(0.4, -0.5, 0.4), max: Vec3::new(9.0, 5.5, 2.6) };
    let answer = a_way(&triangles, around, (Vec3::new(0.6, 0.0, 1.5), Vec3::new(8.0, 3.0, 1.5)));
    assert_eq!(answer.status, PathStatus::Complete);
    let heights: Vec<f32> = answer.path.points.iter().map(|point| point.y).collect();
    assert!(heights.windows(2).all(|pair| pair[1] >= pair[0] - 1e-3), "{heights:?}");
    assert!((answer.path.length_m - 7.4).abs() < 0.5, "{}", answer.path.length_m);
}

#[test]
fn seed_v8_a_way_runs_twenty_metres_through_a_round_tube() {
    let ring = |x: f32, at: u32| {
        let angle = std::f32::consts::TAU * at as f32 / 24.0;
        Vec3::new(x, 2.0 * angle.sin(), 2.0 * angle.cos())
    };
    let mut triangles = Vec::new();
    for at in 0..24 {
        let [a, b, c, d] = [ring(0.0, at), ring(22.0, at), ring(22.0, at + 1), ring(0.0, at + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let around = SceneBox { min: Vec3::new(0.5, -2.5, -1.8), max: Vec3::new(21.5, 0.5, 1.8) };
    let answer = a_way(&triangles, around, (Vec3::new(0.8, -2.0, 0.0), Vec3::new(20.9, -2.0, 0.0)));
    assert_eq!(answer.status, PathStatus::Complete);
    assert!((answer.path.length_m - 20.1).abs() < 0.5, "{}", answer.path.length_m);
}

#[test]
fn seed_v13_check_names_every_island_but_the_main_one() {
    let level = |links: &str| {
        format!(
            r#"{{ "navigation": {{ "kind": "graph", "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [9, 0, 0], [9, 3, 1]],
            "links": [{links}] }} }}"#
        )
    };
    let said = |links: &str| {
        let source = walkon_runtime::level::MemorySource::new().with("ridge.json", level(links));
        let loaded = walkon_runtime::level::load("ridge.json", &source).unwrap();
        let found: Vec<String> =
            walkon_runtime::level::report(&loaded).into_iter().map(|found| found.message).collect();
        found
    };
    assert_eq!(said("[0, 1], [1, 2], [2, 3], [3, 4]"), ["the map has 5 points and 4 links, in 1 part"]);
    assert_eq!(
        said("[0, 1], [1, 2], [3, 4]"),
        [
            "the map has 5 points and 3 links, in 2 parts",
            "2 points around [9, 0] are joined to nothing else, even with every door open"
        ]
    );
}

/// The tower without its scripts, for two who open doors.
fn tower_of_two() -> crate::fixture::Stage {
    let root = crate::place::root().join("levels");
    let text = std::fs::read_to_string(root.join("tower.json")).unwrap();
    let mut level: serde_json::Value = serde_json::from_str(&text).unwrap();
    level.as_object_mut().unwrap().remove("script");
    level["characters"] = serde_json::json!([
        { "name": "hunter", "position": [10, 0, 3], "radius": 0.3 },
        { "name": "hero", "position": [2, 0, 1], "radius": 0.3 }
    ]);
    let graph = std::fs::read(root.join("paths/tower.graph.json")).unwrap();
    let source = walkon_runtime::level::MemorySource::new()
        .with("tower.json", level.to_string())
        .with("paths/tower.graph.json", graph);
    crate::fixture::Stage::from("tower.json", &source)
}

#[test]
fn seed_v25_a_hunter_follows_somebody_over_two_floors_for_five_minutes_and_is_never_stuck() {
    let mut stage = tower_of_two();
    let (hero, hunter) = (stage.hero(), stage.world().find_character("hunter").unwrap());
    let opens = |options: &mut WalkOptions| options.doors = Some(DoorPolicy::Open);
    let goals = [[10.0, 3.0, 3.0], [10.0, 0.0, 3.0], [1.0, 3.0, 1.0], [1.0, 0.0, 7.0], [6.0, 3.0, 1.0]];
    let mut walks: [Option<WalkId>; 2] = [None, None];
    let (mut caught, mut legs, mut floors) = (0, 0, [false; 2]);
    for _ in 0..5 * 60 * 60 {
        let [led, hunted] = walks.map(|walk| {
            let walk = walk.and_then(|walk| stage.world().walk(walk));
            walk.is_none_or(|walk| !walk.is_open())
        });
        if led {
            legs += 1;
            let goal = Goal::Point(Vec3::from(goals[legs % goals.len()]));
            walks[0] = Some(send(&mut stage, hero, goal, opens));
        }
        if hunted {
            caught += 1;
            walks[1] = Some(send(&mut stage, hunter, Goal::Character(hero), opens));
        }
        stage.tick();
        let place = stage.world().character(hunter).unwrap().body.position;
        floors[usize::from(place.y > 2.9)] |= place.y > 2.9 || place.y < 0.1;
    }
    assert!(!stage.ends.iter().any(|end| end == "blocked/stuck"), "{:?}", stage.ends);
    assert!(legs > 10 && caught > 3 && floors == [true; 2], "{legs} legs, caught {caught} times, {floors:?}");
}

#[test]
fn the_tower_of_the_project_is_what_its_scene_gives() {
    let root = crate::place::root().join("levels");
    let faces = obj_faces(&std::fs::read(root.join("scenes/tower.obj")).unwrap()).unwrap();
    assert_eq!(faces.faces.len(), 180, "30 boxes of six faces");
    let draft = made_wide(
        &faces.triangles().unwrap(),
        &[
            SceneBox { min: Vec3::new(0.35, -0.5, 0.35), max: Vec3::new(11.65, 2.0, 7.65) },
            SceneBox { min: Vec3::new(0.35, 2.1, 0.35), max: Vec3::new(11.65, 5.5, 7.65) },
        ],
        0.25,
        (Room { radius_m: 0.3, step_m: 0.4, height_m: 1.8 }, 0.1),
    );
    let text = std::fs::read_to_string(root.join("paths/tower.graph.json")).unwrap();
    let kept = walkon_runtime::level::graph::read_graph_text(text.as_bytes()).unwrap();
    // The kept one was cleaned of its islands.
    assert_eq!(groups(&kept).len(), 1);
    let main = &groups(&draft)[0];
    assert_eq!(main.points.len(), kept.points().len());
    for (&at, &point) in main.points.iter().zip(kept.points()) {
        assert_eq!(draft.points()[at as usize], point);
    }
}

/// Two rooms above one another and stairs between them.
const STAIRS: &str = r#"{ "navigation": { "kind": "graph", "width": 0.2, "agentRadius": 0.5,
    "points": [[0, 0, 0], [2, 0, 0], [2, 0, 2], [3, 0.5, 3], [4, 1.5, 3], [5, 2.5, 3], [6, 3, 3], [6, 3, 0], [2, 3, 0]],
    "links": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8]] } }"#;

/// The corners of the line of a picture that is tagged as the way, on paper.
fn line_of(svg: &str, key: &str) -> Vec<[f64; 2]> {
    let tag = format!("data-kind=\"search\" data-key=\"{key}\"");
    let line = svg.lines().find(|line| line.starts_with("<path") && line.contains(&tag)).expect("a line");
    let corners = line.split(" d=\"M").nth(1).and_then(|rest| rest.split('"').next()).expect("corners");
    let corner = |text: &str| {
        let mut numbers = text.split(' ').map(|number| number.parse::<f64>().expect("a number"));
        [numbers.next().unwrap(), numbers.next().unwrap()]
    };
    corners.split('L').map(corner).collect()
}

/// Whether places lie on paper where some map from metres puts them: as large along both axes, moved.
fn is_drawn_as(paper: &[[f64; 2]], places: &[[f64; 2]]) -> bool {
    let (first, last) = (places[0], places[places.len() - 1]);
    let scale = (paper[paper.len() - 1][0] - paper[0][0]) / (last[0] - first[0]);
    paper.len() == places.len()
        && paper.iter().zip(places).all(|(paper_at, place)| {
            (0..2).all(|axis| {
                (paper_at[axis] - paper[0][axis] - scale * (place[axis] - first[axis])).abs() < 0.05
            })
        })
}

#[test]
fn seed_v20_the_line_of_a_picture_has_the_waypoints_of_the_answer() {
    let project = crate::cli::commands::Project::new();
    project.write("levels/stairs.json", STAIRS);
    let ends = ["--from", "0,0,0", "--to", "2,3,0", "--format", "json"];
    // The two floors are lifted as far apart whichever command draws them.
    let level: serde_json::Value = serde_json::from_str(STAIRS).unwrap();
    let points: Vec<[f32; 3]> = serde_json::from_value(level["navigation"]["points"].clone()).unwrap();
    let lifted = Slant::lifted(points.into_iter().map(Vec3::from));
    let lifted = -lifted.at([0.0, 0.0], 1.0)[1];
    assert!(lifted > 0.8, "{lifted}");
    for (command, view, lift) in [
        (&["graph", "path", "stairs"][..], &["--view", "top"][..], 0.0),
        (&["graph", "path", "stairs"], &["--view", "oblique"], lifted),
        (&["path", "stairs"], &[], 0.0),
    ] {
        let asked = [command, &ends, view, &["--out", "way.svg"]].concat();
        let answer = project.json(0, &asked);
        let waypoints = answer["waypoints"].as_array().expect("waypoints");
        assert!(waypoints.len() >= 5, "up the stairs and back above: {answer}");
        let drawn = waypoints.iter().map(|point| {
            let numbers: Vec<f64> =
                point.as_array().expect("a point").iter().filter_map(|it| it.as_f64()).collect();
            let [x, y, z] = numbers[..] else { panic!("{point}") };
            [x, z - lift * y]
        });
        let drawn: Vec<[f64; 2]> = drawn.collect();
        let line = line_of(&project.read("way.svg"), "smooth");
        assert!(is_drawn_as(&line, &drawn), "{asked:?}: {line:?} {waypoints:?}");
        if lift == lifted {
            let level = [&["draw", "stairs"], &ends[..4], view, &["--out", "level.svg"]].concat();
            project.expect(0, &level);
            let line = line_of(&project.read("level.svg"), "smooth");
            assert!(is_drawn_as(&line, &drawn), "{level:?}: {line:?} {waypoints:?}");
        }
        assert_eq!(answer["status"], "complete", "{answer}");
    }
    // What was looked at is shown, too.
    let svg = project.read("way.svg");
    assert!(svg.matches("<circle").count() >= 9, "a dot for each point");
    assert!(svg.contains("data-kind=\"cells\" data-key=\"path\"") && svg.contains("data-key=\"link\""));
}

#[test]
fn levels_with_floors_are_drawn_from_the_side_with_all_that_is_on_them() {
    // A metre up is 0.8 m up in the picture.
    let people = r#"], "areas": [{ "name": "sill", "polygon": [[5, -1], [7, -1], [7, 1], [5, 1]], "heights": [2, 4] }] },
        "characters": [{ "name": "porter", "position": [2, 3, 0], "radius": 0.3 }],
        "marks": { "above": [6, 3, 0], "below": [2, 0, 2] }, "routes": { "round": ["above", "below"] } }"#;
    let stairs = STAIRS.replacen("] } }", people, 1);
    let polygons = r#"{ "navigation": { "kind": "mesh", "vertices": [[0, 0, 0], [9, 0, 0], [9, 0, 4], [0, 0, 4], [0, 3, -1], [9, 3, -1], [9, 3, 2],
        [0, 3, 2]], "polygons": [[0, 1, 2, 3], [4, 5, 6, 7]"#.to_owned() + &format!("]{}", &people[1..]);
    for (kind, level) in [("graph", &stairs), ("mesh", &polygons)] {
        let source = walkon_runtime::level::MemorySource::new().with("floors.json", level.as_str());
        let loaded = walkon_runtime::level::load("floors.json", &source).unwrap();
        let world = walkon_runtime::level::spawn::build(loaded, None).world;
        let mut picture = Picture::new("floors", world.nav().bounds(), 1.0);
        picture.slant = Slant::Oblique;
        draw_ground(&mut picture, &world, Parts::all());
        draw_scene(&mut picture, &world, Parts::all());
        let middle = |kind: &str| {
            let shape = picture.shapes_of(kind).next().unwrap_or_else(|| panic!("a {kind}"));
            shape.form.bounds().centre().map(|value| (value * 1e4).round() / 1e4)
        };
        assert_eq!((middle("character"), middle("mark")), ([2.0, -2.4], [6.0, -2.4]), "{kind}");
        assert_eq!((middle("route"), middle("area")), ([4.0, -0.2], [6.0, -2.4]), "{kind}");
        let cells =
            picture.shapes_of("cells").fold(f64::INFINITY, |top, shape| top.min(shape.form.bounds().min[1]));
        assert!((cells - if kind == "mesh" { -1.0 - 2.4 } else { -2.4 }).abs() < 0.5, "{kind}: {cells}");
    }
    let project = crate::cli::commands::Project::new();
    project.write("levels/floors.json", &stairs);
    project.expect(
        0,
        &["draw", "floors", "--view", "oblique", "--from", "0,0,0", "--to", "2,3,0", "--out", "way.svg"],
    );
    assert!(project.read("way.svg").contains("data-key=\"smooth\""));
    project.expect(0, &["draw", "floors", "--view", "oblique", "--gif", "floors.gif", "--ticks", "0..6"]);
    let (_, told) = project.expect(2, &["draw", "yard", "--view", "oblique"]);
    assert!(told.contains("this map is flat"), "{told}");
}

#[test]
fn a_level_without_its_graph_says_how_one_is_made() {
    let project = crate::cli::commands::Project::new();
    project.write("levels/paths/other.graph.json", "{}");
    for (file, help) in
        [("", "walkon graph generate"), (", \"file\": \"paths/othr.graph.json\"", "other.graph.json")]
    {
        project.write("levels/bare.json", &format!("{{ \"navigation\": {{ \"kind\": \"graph\"{file} }} }}"));
        let (_, told) = project.expect(3, &["run", "bare"]);
        assert!(told.contains(help), "{told}");
    }
}

#[test]
fn doors_and_areas_across_links_are_drawn() {
    let project = crate::cli::commands::Project::new();
    let parts = r#", "areas": [
        { "name": "hatch", "polygon": [[0.5, -1], [1.5, -1], [1.5, 1], [0.5, 1]], "heights": [-1, 1] },
        { "name": "sill", "polygon": [[5, 1], [7, 1], [7, 2], [5, 2]] }] },
        "doors": [{ "name": "trap", "area": "hatch" }]"#;
    project.write("levels/stairs.json", &STAIRS.replacen("] } }", &format!("]{parts} }}"), 1));
    project.expect(0, &["draw", "stairs", "--out", "stairs.svg"]);
    let svg = project.read("stairs.svg");
    for shown in ["data-kind=\"door\" data-key=\"0\"", ">trap<", ">sill<", "data-key=\"point\""] {
        assert!(svg.contains(shown), "{shown}");
    }
}

#[test]
fn places_with_a_height_mean_their_floor_and_two_numbers_the_floor_one_stands_on() {
    const SCRIPT: &str = "local places = { { 2, 0 }, 'above', { 2, 0 }, { 6, 0 }, 'below', vector.create(2, 3, 0), vector.create(2, 0, 0) }
local function go(at)
  if not places[at] then return end
  local who = world.character('porter')
  local options = { onArrived = function()
    log.info('%d arrived %.1f', at, who.position.y)
    go(at + 1)
  end }
  if typeof(places[at]) == 'table' then who:walkTo(places[at][1], places[at][2], options) else who:walkTo(places[at], options) end
end
function onStart() go(1) end
";
    let people = r#""marks": { "above": [2, 3, 0], "below": [2, 0, 0] }, "script": "porter.lua",
        "characters": [{ "name": "porter", "position": [0, 0, 0], "radius": 0.3 }] }"#;
    // The same two floors as polygons: the stairs lead along z = 3 from x = 2 up to x = 6.
    let polygons = r#"{ "navigation": { "kind": "mesh", "agentRadius": 0.3,
        "vertices": [[-1, 0, -1], [3, 0, -1], [3, 0, 2], [3, 0, 4], [-1, 0, 4], [6, 3, 2], [6, 3, 4], [8, 3, 4], [8, 3, 2], [8, 3, -1], [6, 3, -1],
            [1, 3, -1], [1, 3, 1], [6, 3, 1]],
        "polygons": [[0, 1, 2, 3, 4], [2, 5, 6, 3], [5, 8, 7, 6], [10, 9, 8, 5, 13], [11, 10, 13, 12]] } }"#;
    // Again with a gallery whose edge lies along the side of the stairs, one above the other where they meet
    // in plan.
    let touching = polygons
        .replace("[1, 3, 1], [6, 3, 1]]", "[1, 3, 2]]")
        .replace("8, 5, 13], [11, 10, 13, 12]", "8, 5], [11, 10, 5, 12]");
    for level in [STAIRS, polygons, &touching] {
        let project = crate::cli::commands::Project::new();
        let at = level.rfind('}').expect("the end of the level");
        project.write("levels/floors.json", &format!("{}, {people}", &level[..at]));
        project.write("scripts/porter.lua", SCRIPT);
        let (log, _) = project.expect(0, &["run", "floors", "--seconds", "120"]);
        for line in [
            "1 arrived 0.0",
            "2 arrived 3.0",
            "3 arrived 3.0",
            "4 arrived 3.0",
            "5 arrived 0.0",
            "6 arrived 3.0",
            "7 arrived 0.0",
        ] {
            assert!(log.contains(line), "{line}: {log}");
        }
    }
}

#[test]
fn floors_above_one_another_are_lifted_apart_and_others_are_left_as_they_are() {
    use walkon_runtime::glam::Vec3;
    use walkon_runtime::view::Slant;
    let floor = |y: f32, deep: u8| {
        (0..=4 * deep)
            .flat_map(move |z| (0..20_u8).map(move |x| (x, z)))
            .map(move |(x, z)| Vec3::new(f32::from(x) * 0.25, y, f32::from(z) * 0.25))
    };
    for (deep, apart_m) in [(3, 2.5), (6, 3.0), (8, 3.0), (10, 4.0)] {
        let slant = Slant::lifted(floor(0.0, deep).chain(floor(apart_m, deep)));
        let lowest = floor(apart_m, deep).map(|at| slant.place(at)[1]).fold(f64::NEG_INFINITY, f64::max);
        let highest = floor(0.0, deep).map(|at| slant.place(at)[1]).fold(f64::INFINITY, f64::min);
        assert!(lowest < highest, "{deep} m deep, {apart_m} m apart: {lowest} and {highest}");
        assert_eq!(Slant::lifted(floor(0.0, deep)), Slant::Oblique, "one floor");
        assert_eq!(Slant::lifted(floor(0.0, deep).chain(floor(0.5, deep))), Slant::Oblique, "a step");
    }
}
