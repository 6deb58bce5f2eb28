//! Graphs on real ground: ways lie on the floor, the strip beside links has room for a body, doors tell what
//! they keep apart, and one graph is one world in every form.
//!
//! Method: a small scene of stairs and pillars, written here; its graph made by the command in a folder of
//! its own; ways compared with the links below them, places beside links with the triangles of the scene.

use glam::Vec3;
use walkon_runtime::base::geom;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::scene::obj_faces;
use walkon_runtime::level::{MemorySource, graph_level};
use walkon_runtime::nav::graph::link::can_walk;
use walkon_runtime::nav::graph::{EditableGraph, GraphSource, PointGraph, groups};
use walkon_runtime::nav::solids::Solids;
use walkon_runtime::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};

use crate::cli::commands::Project;
use crate::fixture::{Stage, send};

/// The text of a scene of blocks.
#[derive(Default)]
struct Blocks {
    text: String,
    corners: usize,
}

impl Blocks {
    fn put(&mut self, low: [f32; 3], high: [f32; 3]) {
        let pick = |bit: usize, axis: usize| if bit >> axis & 1 == 0 { low[axis] } else { high[axis] };
        for corner in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|axis| pick(corner, axis));
            self.text.push_str(&format!("v {x} {y} {z}\n"));
        }
        for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            let [a, b, c, d] = face.map(|corner| self.corners + corner + 1);
            self.text.push_str(&format!("f {a} {b} {c} {d}\n"));
        }
        self.corners += 8;
    }
}

/// A floor, six steps of 0.2 m up to a platform, and two pillars on the floor.
fn scene() -> String {
    let mut blocks = Blocks::default();
    blocks.put([0.0, -0.2, 0.0], [14.0, 0.0, 6.0]);
    for step in 0..6u8 {
        let x = 6.0 + 0.4 * f32::from(step);
        blocks.put([x, 0.0, 0.0], [14.0, 0.2 * f32::from(step + 1), 6.0]);
    }
    blocks.put([2.0, 0.0, 2.0], [2.5, 3.0, 2.5]);
    blocks.put([3.6, 0.0, 3.4], [4.1, 3.0, 3.9]);
    blocks.text
}

/// The files of a level and its graph.
fn files(project: &Project, level: &str) -> MemorySource {
    let names = [format!("levels/{level}.json"), format!("levels/paths/{level}.graph.json")];
    names.iter().fold(MemorySource::new(), |files, name| files.with(name, project.read(name)))
}

const STAIRS: &str = r#"{ "navigation": { "kind": "graph", "scene": "stairs.obj", "spacing": 0.3, "agentRadius": 0.3,
    "boxes": [{ "min": [0.5, -0.5, 0.5], "max": [13.5, 3, 5.5] }] },
    "characters": [{ "name": "a", "position": [1, 0, 1], "radius": 0.3 }], "marks": { "top": [13, 1.2, 3] } }"#;

fn stairs() -> Project {
    let project = Project::new();
    project.write("levels/stairs.json", STAIRS);
    project.write("levels/stairs.obj", &scene());
    project.expect(0, &["graph", "generate", "stairs"]);
    project
}

fn made(project: &Project) -> EditableGraph {
    walkon_runtime::level::graph::read_graph_text(project.read("levels/paths/stairs.graph.json").as_bytes())
        .unwrap()
}

fn graph(draft: EditableGraph) -> NavMap {
    let source =
        GraphSource { draft, width_m: 0.125, agent_radius_m: 0.3, areas: Vec::new(), uses_parts: false };
    NavMap::from(PointGraph::new(source))
}

fn query(start: Vec3, goal: Vec3) -> PathQuery {
    let by = Traversal { radius_m: 0.3, ..Traversal::default() };
    let expansions_max = u32::MAX;
    PathQuery { start, goal, by, goal_layer: None, accept: Accept::Exact, expansions_max, others: None }
}

#[test]
fn ways_lie_on_the_floor_and_their_length_counts_the_slopes() {
    let project = stairs();
    let draft = made(&project);
    // Without the tops of the pillars, where no way leads.
    let main = groups(&draft).swap_remove(0);
    let points: Vec<Vec3> = main.points.iter().map(|&at| draft.points()[at as usize]).collect();
    let map = graph(draft);
    let mut rng = Rng::stream(4, "floor");
    let mut climbed = 0;
    for round in 0..60 {
        let mut pick = || points[(rng.unit() * points.len() as f64) as usize];
        let (from, to) = (pick(), pick());
        let answer = map.plan(&query(from, to), &mut Search::default());
        assert_eq!(answer.status, PathStatus::Complete, "round {round}");
        let way = &answer.path.points;
        let by = Traversal { radius_m: 0.3, ..Traversal::default() };
        for pair in way.windows(2) {
            for part in 0..=20 {
                let place = pair[0].lerp(pair[1], part as f32 / 20.0);
                let on = map.nearest(place, 1.0, &by).unwrap().point;
                // A bend of less than half a step is left out; beside a slanted link the ground is as high as
                // the link.
                let off = (on.y - place.y).abs();
                assert!(off < 0.2, "round {round}: {place} lies {off} m off the links in {way:?}");
            }
        }
        let length: f32 = way.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!((answer.path.length_in_space_m() - length).abs() < 1e-3, "round {round}");
        climbed += usize::from((from.y - to.y).abs() > 0.5);
        if (from.y - to.y).abs() > 0.5 {
            assert!(answer.path.length_in_space_m() > answer.path.length_m, "round {round}");
        }
    }
    assert!(climbed > 10, "{climbed} ways lead up or down");
    // The line over the stairs bends at both of their ends: no ramp from one end of the floor to the other.
    let answer =
        map.plan(&query(Vec3::new(1.1, 0.0, 0.8), Vec3::new(13.1, 1.2, 0.8)), &mut Search::default());
    let height_at = |x: f32| {
        let pair = answer.path.points.windows(2).find(|pair| pair[0].x <= x && x <= pair[1].x).unwrap();
        pair[0].lerp(pair[1], (x - pair[0].x) / (pair[1].x - pair[0].x)).y
    };
    assert!(height_at(5.4) < 0.05 && height_at(9.0) > 1.15, "{:?}", answer.path.points);
}

#[test]
fn whoever_walks_up_stairs_in_the_game_stands_on_them_all_the_way() {
    let project = stairs();
    let mut stage = Stage::from("levels/stairs.json", &files(&project, "stairs"));
    let solids = Solids::new(&obj_faces(scene().as_bytes()).unwrap().triangles().unwrap()).unwrap();
    let who = stage.world().find_character("a").unwrap();
    let (mut worst, mut climbed, mut planned) = (0.0f32, false, Vec::new());
    for goal in [Vec3::new(13.0, 1.2, 3.0), Vec3::new(1.0, 0.0, 5.0)] {
        let settled = stage.ends.len();
        let start = stage.world().character(who).unwrap().body.position;
        let answer = stage.world().nav().plan(&query(start, goal), &mut Search::default());
        planned.push(f64::from(answer.path.length_in_space_m()));
        send(&mut stage, who, Goal::Point(goal), |_| {});
        while stage.ends.len() == settled {
            stage.tick();
            let at = stage.world().character(who).unwrap().body.position;
            let floor = solids.first_hit(at + Vec3::Y * 0.5, at - Vec3::Y * 0.5).map(|hit| hit.point.y);
            worst = worst.max(floor.map_or(f32::INFINITY, |floor| (floor - at.y).abs()));
            climbed |= (0.5..0.9).contains(&at.y);
        }
    }
    assert_eq!(stage.ends, ["arrived/reached", "arrived/reached"]);
    assert!(climbed, "up and down the stairs");
    // What they walked is as long as the way was, slopes and all, or a little longer: a way leaves out bends
    // of less than half a step.
    let walked: Vec<f64> =
        stage.facts("walkSettled").iter().map(|fact| fact["travelled"].as_f64().unwrap()).collect();
    assert_eq!(walked.len(), planned.len());
    for (walked, planned) in walked.iter().zip(&planned) {
        assert!((planned - 0.05..planned * 1.03).contains(walked), "{walked} m for a way of {planned} m");
    }
    // A foot is between two steps on the line from one to the next.
    assert!(worst < 0.21, "{worst} m over or under the floor");
}

/// A floor of 10 m with blocks on it: the scene, and where they stand as x and z from and to.
fn scattered(seed: u64) -> (String, Vec<[f32; 4]>) {
    let mut rng = Rng::stream(seed, "scattered");
    let mut value = |low: f64, high: f64| (low + rng.unit() * (high - low)) as f32;
    let mut blocks = Blocks::default();
    blocks.put([0.0, -0.2, 0.0], [10.0, 0.0, 10.0]);
    let mut places = Vec::new();
    for _ in 0..14 {
        let (x, z) = (value(0.5, 9.0), value(0.5, 9.0));
        let (to_x, to_z) = (x + value(0.1, 0.9), z + value(0.1, 0.9));
        blocks.put([x, 0.0, z], [to_x, value(2.2, 2.9), to_z]);
        places.push([x, z, to_x, to_z]);
    }
    (blocks.text, places)
}

#[test]
fn the_strip_in_which_walkers_stray_has_room_for_the_body() {
    for (seed, spacing, radius, width) in
        [(1, 0.5, 0.3, 0.125), (2, 0.4, 0.25, 0.125), (3, 0.3, 0.35, 0.05), (4, 0.5, 0.2, 0.2)]
    {
        let project = Project::new();
        let (text, blocks) = scattered(seed);
        project.write("levels/yard.obj", &text);
        project.write(
            "levels/yard.json",
            &format!(
                r#"{{ "navigation": {{ "kind": "graph", "scene": "yard.obj", "spacing": {spacing}, "width": {width},
                "agentRadius": {radius}, "boxes": [{{ "min": [0.5, -0.5, 0.5], "max": [9.5, 3, 9.5] }}] }},
                "characters": [{{ "name": "a", "position": [5, 0, 5], "radius": {radius} }}] }}"#
            ),
        );
        project.expect(0, &["graph", "generate", "yard"]);
        let gap = |at: Vec3| {
            let to = |[x, z, to_x, to_z]: [f32; 4]| {
                let [dx, dz] = [(x - at.x).max(at.x - to_x), (z - at.z).max(at.z - to_z)];
                Vec3::new(dx.max(0.0), 0.0, dz.max(0.0)).length()
            };
            blocks.iter().map(|&block| to(block)).fold(f32::INFINITY, f32::min)
        };
        let mut stage = Stage::from("levels/yard.json", &files(&project, "yard"));
        let by = Traversal { radius_m: radius, ..Traversal::default() };
        let mut rng = Rng::stream(seed, "strip");
        let mut place = || Vec3::new(rng.unit() as f32 * 10.0, 0.0, rng.unit() as f32 * 10.0);
        let mut legal = 0;
        for _ in 0..20_000 {
            let at = place();
            if stage.world().nav().is_walkable(at, &by) {
                legal += 1;
                assert!(gap(at) > radius - 1e-3, "seed {seed}: {} m from a block at {at}", gap(at));
            }
        }
        assert!(legal > 3000, "seed {seed}: {legal} places");
        // And so does a character that walks there.
        let who = stage.world().find_character("a").unwrap();
        let start =
            std::iter::repeat_with(&mut place).find(|&at| stage.world().nav().is_walkable(at, &by)).unwrap();
        characters::teleport(stage.game.world_mut(), who, start, None).unwrap();
        for _ in 0..6 {
            let settled = stage.ends.len();
            send(&mut stage, who, Goal::Point(place()), |_| {});
            while stage.ends.len() == settled {
                stage.tick();
                let at = stage.world().character(who).unwrap().body.position;
                assert!(gap(at) > radius - 1e-3, "seed {seed}: {} m from a block at {at}", gap(at));
            }
        }
    }
}

/// How far a place is from a polygon on the ground; 0 within it.
fn gap_m(polygon: &[[f64; 2]], at: Vec3) -> f32 {
    let place = geom::ground(at);
    let edges = geom::edges(polygon);
    let gap_sq = edges
        .map(|geom::Segment { from: a, to: b }| geom::segment_distance_sq(place, a, b))
        .fold(f64::INFINITY, f64::min);
    if geom::polygon_contains(polygon, place) { 0.0 } else { gap_sq.sqrt() as f32 }
}

#[test]
fn crowds_on_a_graph_keep_their_radius_from_every_obstacle_of_the_level() {
    for seed in 0..12 {
        let mut rng = Rng::stream(seed, "obstacles");
        let mut value = |low: f64, high: f64| low + rng.unit() * (high - low);
        let mut polygons = Vec::new();
        for _ in 0..9 {
            let (x, z, from) = (value(1.0, 11.0), value(1.0, 11.0), value(0.0, 6.0));
            let count = 3 + (value(0.0, 3.0) as u8);
            let corner = |at: u8| {
                let (sin, cos) = (from + std::f64::consts::TAU * f64::from(at) / f64::from(count)).sin_cos();
                [x + 0.7 * cos, z + 0.4 * sin]
            };
            polygons.push((0..count).map(corner).collect::<Vec<_>>());
        }
        let (width, radius) = (value(0.05, 0.2), value(0.2, 0.35) as f32);
        let points: Vec<[f64; 3]> =
            (0..625).map(|at| [f64::from(at % 25) * 0.5, 0.0, f64::from(at / 25) * 0.5]).collect();
        let beside = |a: u32, b: u32| a % 25 <= b % 25 + 1 && b % 25 <= a % 25 + 1 && b < 625;
        let links: Vec<[u32; 2]> = (0..625)
            .flat_map(|at| [1, 24, 25, 26].map(|hop| [at, at + hop]))
            .filter(|&[a, b]| beside(a, b))
            .collect();
        let obstacles: Vec<_> = (0..)
            .zip(&polygons)
            .map(|(at, polygon): (u8, _)| serde_json::json!({ "name": format!("o{at}"), "polygon": polygon }))
            .collect();
        let level = serde_json::json!({ "navigation": { "kind": "graph", "points": points, "links": links,
            "width": width, "agentRadius": radius, "obstacles": obstacles } });
        let mut stage = Stage::of(&level.to_string());
        let by = Traversal { radius_m: radius, ..Traversal::default() };
        let mut place = || Vec3::new(rng.unit() as f32 * 12.0, 0.0, rng.unit() as f32 * 12.0);
        let mut people = Vec::new();
        for number in 0..8 {
            let start = std::iter::repeat_with(&mut place);
            let start = start.take(500).find(|&at| {
                let is_apart =
                    |&who: &_| stage.world().character(who).unwrap().body.position.distance(at) > 1.0;
                stage.world().nav().is_walkable(at, &by) && people.iter().all(is_apart)
            });
            let Some(start) = start else { continue };
            let spawn = Spawn { radius_m: radius, ..Spawn::new(format!("p{number}"), start) };
            people.push(characters::spawn(stage.game.world_mut(), spawn).unwrap().unwrap());
        }
        assert!(people.len() > 4, "seed {seed}");
        for tick in 0..1200 {
            for &who in &people {
                if tick % 200 == 0 {
                    send(&mut stage, who, Goal::Point(place()), |_| {});
                }
            }
            stage.tick();
            for &who in &people {
                let at = stage.world().character(who).unwrap().body.position;
                for (number, polygon) in polygons.iter().enumerate() {
                    let gap = gap_m(polygon, at);
                    assert!(gap >= radius - 2e-3, "seed {seed}, tick {tick}: {gap} m from {number} at {at}");
                }
            }
        }
    }
}

/// A row of points with a door across it, and two points apart.
const DOORS: &str = r#"{ "navigation": { "kind": "graph",
    "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [9, 0, 0], [10, 0, 0]],
    "links": [[0, 1], [1, 2], [2, 3], [4, 5]], "agentRadius": 0.35,
    "areas": [{ "name": "gate", "polygon": [[1.2, -1], [1.8, -1], [1.8, 1], [1.2, 1]] }] },
    "doors": [{ "name": "gateDoor", "area": "gate" }] }"#;

#[test]
fn islands_are_counted_with_doors_open_and_closed_doors_say_what_they_would_join() {
    let project = Project::new();
    project.write("levels/doors.json", DOORS);
    let (out, _) = project.expect(0, &["graph", "islands", "doors"]);
    assert!(out.contains("1 island of 2 points beside the main group of 4"), "{out}");
    let joins = "door \"gateDoor\" is closed: it would join 2 points around [0.00, 0.00, 0.00] and 2 points around [2.00, 0.00, 0.00]";
    assert!(out.contains(joins), "{out}");
    let (out, err) = project.expect(0, &["check", "doors"]);
    assert!(format!("{out}{err}").contains(joins), "{out}{err}");
    // An open door joins already.
    project.write(
        "levels/doors.json",
        &DOORS.replace("\"area\": \"gate\" }]", "\"area\": \"gate\", \"open\": true }]"),
    );
    let (out, _) = project.expect(0, &["graph", "islands", "doors"]);
    assert!(!out.contains("gateDoor"), "{out}");
}

#[test]
fn the_way_of_the_command_is_that_of_the_running_game_with_reason_and_door() {
    let project = Project::new();
    project.write("levels/doors.json", DOORS);
    let asked = ["--from", "0.2,0,0", "--to", "2.8,0,0", "--format", "json"];
    let of = |command: &[&str]| {
        let mut answer = project.json(0, &[command, &asked].concat());
        answer["micros"] = 0.into();
        answer
    };
    let answer = of(&["graph", "path", "doors"]);
    assert_eq!((answer["status"].as_str(), answer["reason"].as_str()), (Some("partial"), Some("doorClosed")));
    assert_eq!(answer, of(&["path", "doors"]));
    let (out, _) = project.expect(0, &["graph", "path", "doors", "--from", "0.2,0,0", "--to", "2.8,0,0"]);
    assert!(out.contains("gateDoor"), "{out}");
    // An open door that lets people through to the west alone.
    let gate = "\"area\": \"gate\", \"open\": true, \"oneWay\": [-1, 0] }]";
    project.write("levels/doors.json", &DOORS.replace("\"area\": \"gate\" }]", gate));
    let answer = of(&["graph", "path", "doors"]);
    assert_eq!((answer["status"].as_str(), answer["reason"].as_str()), (Some("partial"), Some("doorClosed")));
    assert_eq!(answer, of(&["path", "doors"]));
    let back = ["graph", "path", "doors", "--from", "2.8,0,0", "--to", "0.2,0,0", "--format", "json"];
    assert_eq!(project.json(0, &back)["status"], "complete");
}

#[test]
fn one_graph_is_one_world_as_text_and_baked() {
    let project = stairs();
    project.expect(0, &["graph", "partition", "stairs", "--auto", "60"]);
    project.write("scripts/walk.lua", "function onStart()\n  world.character(\"a\"):walkTo(\"top\")\nend\n");
    for hierarchy in ["auto", "on", "off"] {
        let level = STAIRS.replace(
            "\"kind\": \"graph\",",
            &format!("\"kind\": \"graph\", \"hierarchy\": \"{hierarchy}\","),
        );
        let level = level.replace("\"marks\"", "\"script\": \"walk.lua\", \"marks\"");
        project.write("levels/stairs.json", &level);
        let compact = project.path().join("levels/paths/stairs.graph");
        let _ = std::fs::remove_file(&compact);
        let run =
            || project.json(0, &["run", "stairs", "--seconds", "12", "--format", "json"])["hash"].clone();
        let as_text = run();
        project.expect(0, &["graph", "bake", "stairs"]);
        assert!(compact.exists());
        assert_eq!(run(), as_text, "hierarchy {hierarchy}");
    }
}

#[test]
fn edits_by_hand_are_taken_back_and_come_back_when_the_graph_is_made_anew() {
    let project = stairs();
    let file = "levels/paths/stairs.graph.json";
    let fresh = project.read(file);
    let count = made(&project).points().len().to_string();
    project.expect(0, &["graph", "edit", "stairs", "--add", "1,3,1", "--link", &format!("0,{count}")]);
    let edited = project.read(file);
    project.expect(0, &["graph", "edit", "stairs", "--unlink", "0,1"]);
    let (out, _) = project.expect(0, &["graph", "edit", "stairs", "--undo"]);
    assert!(out.contains("1 edit taken back"), "{out}");
    assert_eq!(project.read(file), edited);
    for command in ["generate", "link"] {
        let (out, _) = project.expect(0, &["graph", command, "stairs"]);
        assert!(out.contains("2 edits by hand kept"), "{command}: {out}");
        assert_eq!(project.read(file), edited, "{command}");
    }
    project.expect(0, &["graph", "edit", "stairs", "--undo"]);
    assert_eq!(project.read(file), fresh);
    let (_, err) = project.expect(2, &["graph", "edit", "stairs", "--undo"]);
    assert!(err.contains("there is nothing to take back"), "{err}");
    // A place that is gone is named.
    project.expect(0, &["graph", "edit", "stairs", "--unlink", "0,1"]);
    project.write(
        "levels/stairs.json",
        &STAIRS.replace("\"min\": [0.5,", "\"min\": [5.5,").replace("[1, 0, 1]", "[13, 1.2, 1]"),
    );
    let (out, _) = project.expect(0, &["graph", "generate", "stairs"]);
    assert!(out.contains("not kept: unlinked [0.5, 0, 0.5]"), "{out}");
}

/// The links and points that warnings of a command name, in their order.
fn warned(out: &str) -> (Vec<[u32; 2]>, Vec<u32>) {
    let number = |text: &str| text.parse::<u32>().unwrap();
    let after = |line: &str, words: &str| Some(line.split(words).nth(1)?.split(' ').next()?.to_owned());
    let link = |line: &str| {
        let ends = after(line, "warning: nobody can walk the link ")?;
        ends.split_once(',').map(|(a, b)| [number(a), number(b)])
    };
    let point = |line: &str| after(line, "warning: no body can stand at the point ").map(|at| number(&at));
    (out.lines().filter_map(link).collect(), out.lines().filter_map(point).collect())
}

/// Wherever a point is put, the warnings are those links of it that nobody can walk as the look at all links
/// has them, and the point itself where none could be made.
#[test]
fn a_point_that_is_put_somewhere_tells_which_of_its_links_nobody_can_walk() {
    let project = stairs();
    let draft = made(&project);
    let solids = Solids::new(&obj_faces(scene().as_bytes()).unwrap().triangles().unwrap()).unwrap();
    let options = graph_level("levels/stairs.json", &files(&project, "stairs")).unwrap().link_options();
    let away = |at: &usize| (draft.points()[*at].distance(Vec3::new(1.4, 0.0, 2.2)) * 1e4) as i64;
    let point = (0..draft.points().len()).min_by_key(away).unwrap() as u32;
    let from = draft.points()[point as usize];
    let places = [
        (Vec3::new(2.25, 0.0, 2.25), false, "in a pillar"),
        (Vec3::new(1.4, 5.0, 2.2), false, "in the air"),
        (Vec3::new(1.85, 0.0, 2.25), false, "too near to a pillar"),
        (from + Vec3::new(0.05, 0.0, 0.05), true, "a little aside"),
        (from, true, "where it was"),
    ];
    for (to, stands, what) in places {
        let moved = format!("{point}={},{},{}", to.x, to.y, to.z);
        let (out, _) = project.expect(0, &["graph", "edit", "stairs", "--move", &moved]);
        let after = made(&project);
        let is_walked =
            |ends: &[u32; 2]| can_walk(Some(&solids), ends.map(|end| after.points()[end as usize]), &options);
        let its_links = || after.links().filter(|ends| ends.contains(&point));
        assert!(its_links().count() > 3, "{what}: it keeps its links");
        let (links, points) = warned(&out);
        assert_eq!(links, its_links().filter(|ends| !is_walked(ends)).collect::<Vec<_>>(), "{what}: {out}");
        assert_eq!(links.is_empty(), stands, "{what}: {out}");
        assert_eq!(points, if stands { vec![] } else { vec![point] }, "{what}: {out}");
        project.expect(0, &["graph", "edit", "stairs", "--undo"]);
        if to == from {
            continue;
        }
        let count = after.points().len() as u32;
        let (out, _) =
            project.expect(0, &["graph", "edit", "stairs", "--add", &moved[moved.find('=').unwrap() + 1..]]);
        assert_eq!(warned(&out), (vec![], if stands { vec![] } else { vec![count] }), "{what}: {out}");
        project.expect(0, &["graph", "edit", "stairs", "--undo"]);
    }
}

#[test]
fn a_place_without_a_height_lies_on_the_floor_there() {
    let project = stairs();
    let count = made(&project).points().len();
    for (place, floor_m) in [("1.2,1.2", 0.0), ("6.6,3", 0.4), ("12,3", 1.2), ("3.8,1.5", 0.0)] {
        let (out, _) = project.expect(0, &["graph", "edit", "stairs", "--add", place]);
        let point = made(&project).points()[count];
        assert!((point.y - floor_m).abs() < 1e-4, "{place}: {point}");
        assert!(out.contains(&format!("\n  point {count} lies at [")), "{out}");
        assert_eq!(warned(&out).1, [0; 0], "{place}: {out}");
        let (_, err) = project.expect(0, &["graph", "edit", "stairs", "--move", &format!("{count}=12.5,3")]);
        assert!((made(&project).points()[count].y - 1.2).abs() < 1e-4, "{err}");
        project.expect(0, &["graph", "edit", "stairs", "--undo"]);
        project.expect(0, &["graph", "edit", "stairs", "--undo"]);
    }
    // Where there is none it lies at height 0, and that is no place to stand at.
    let (out, _) = project.expect(0, &["graph", "edit", "stairs", "--add", "40,3"]);
    assert_eq!(warned(&out).1, [count as u32], "{out}");
}

#[test]
fn a_part_grows_from_a_place_near_a_point_and_from_no_other() {
    let project = stairs();
    let grown = |from: &str, code: i32| {
        let words = ["graph", "partition", "stairs", "--name", "far", "--from", from, "--within", "2.5"];
        project.expect(code, &words)
    };
    let before = project.read("levels/paths/stairs.graph.json");
    for (from, away) in [("500,0,3", "486."), ("500,900,3", "10"), ("3,12,3", "9.")] {
        let (_, err) = grown(from, 2);
        let told = format!(" is {away}");
        assert!(err.contains("--from: the nearest point, ") && err.contains(&told), "{from}: {err}");
        assert!(err.contains(" m away, expected one within 8 m"), "{err}");
        assert_eq!(project.read("levels/paths/stairs.graph.json"), before);
    }
    let (out, _) = grown("3,2,3", 0);
    assert!(out.contains("\"far\" took ") && !out.contains("took 0 "), "{out}");
}

#[test]
fn a_part_without_a_name_or_without_points_is_refused_and_the_file_stays() {
    let project = stairs();
    let partition = |code: i32, name: &str, within: &str| {
        let words = ["graph", "partition", "stairs", "--name", name, "--from", "3,2,3", "--within", within];
        project.expect(code, &words)
    };
    partition(0, "hall", "2.5");
    let before = project.read("levels/paths/stairs.graph.json");
    for (name, within, told) in [
        ("", "2.5", "--name: the name of the part is empty, expected 1 to 128 bytes"),
        (" ", "2.5", "--name: the name of the part is empty"),
        (&"x".repeat(129), "2.5", "--name: the name of the part is too long"),
        ("a\tb", "2.5", "--name: the name of the part has a control character"),
        ("a", "0", "--from: the part \"a\" would have no points: all in reach, 1, belong to other parts"),
        ("a", "1", "belong to other parts"),
    ] {
        let (out, err) = partition(2, name, within);
        assert!(err.contains(told) && out.is_empty(), "{name:?} {within}: {out}{err}");
        assert_eq!(project.read("levels/paths/stairs.graph.json"), before, "{name:?} {within}");
    }
    for zero in [["--auto", "0"].as_slice(), &["--auto", "-1"], &["--auto", "nan"]] {
        project.expect(2, &[&["graph", "partition", "stairs"], zero].concat());
        assert_eq!(project.read("levels/paths/stairs.graph.json"), before, "{zero:?}");
    }
    partition(0, "hall", "0");
    assert_eq!(project.read("levels/paths/stairs.graph.json"), before, "it has points already");
}

#[test]
fn one_island_goes_by_its_number_and_a_stitch_that_nobody_can_walk_is_told() {
    let project = Project::new();
    let level = DOORS.replace("[10, 0, 0]]", "[10, 0, 0], [20, 0, 0]]");
    let (points, links) = (level.find("\"points\"").unwrap(), level.find("\"agentRadius\"").unwrap());
    project.write(
        "levels/paths/far.graph.json",
        "{\n\"walkonGraph\": 1,\n\"points\": [[0,0,0],[1,0,0],[2,0,0],[9,0,0],[10,0,0],[20,0,0]],\n\"links\": [[0,1],[1,2],[3,4]],\n\"parts\": []\n}\n",
    );
    project.write("levels/far.json", &format!("{}{}", &level[..points], &level[links..]));
    let (out, _) = project.expect(0, &["graph", "islands", "far"]);
    assert!(out.contains("1: 2 points") && out.contains("2: 1 point "), "{out}");
    let (_, err) = project.expect(2, &["graph", "islands", "far", "--remove-island", "3"]);
    assert!(err.contains("the graph has 2 islands"), "{err}");
    let (out, _) = project.expect(0, &["graph", "islands", "far", "--remove-island", "2"]);
    assert!(out.contains("removed 1 point; 5 points"), "{out}");
    let (out, _) = project.expect(0, &["graph", "islands", "far", "--stitch"]);
    assert!(out.contains("made 1 link;") && !out.contains("nobody can walk"), "nothing is in the way: {out}");
    // The tops of the two pillars are joined to the floor, and nobody climbs there.
    let project = stairs();
    let (out, _) = project.expect(0, &["graph", "islands", "stairs", "--stitch"]);
    assert_eq!(out.matches("nobody can walk the link").count(), 2, "{out}");
    let (out, _) = project.expect(0, &["graph", "generate", "stairs"]);
    assert!(out.contains("2 edits by hand kept") && out.contains("in one piece"), "{out}");
}

#[test]
fn a_picture_shows_the_scene_doors_marks_and_numbered_islands() {
    let project = stairs();
    project.write(
        "levels/stairs.json",
        &STAIRS.replace(
            "\"agentRadius\": 0.3,",
            "\"agentRadius\": 0.3, \"areas\": [{ \"name\": \"landing\", \"polygon\": [[5, 0.4], [5.6, 0.4], [5.6, 5.6], [5, 5.6]] }],",
        )
        .replace("\"marks\"", "\"doors\": [{ \"name\": \"gate\", \"area\": \"landing\" }], \"marks\""),
    );
    for (command, view) in [("graph", "top"), ("graph", "oblique"), ("draw", "top"), ("draw", "oblique")] {
        let drawn = ["draw", "stairs", "--view", view, "--out", "it.svg"];
        let command: Vec<&str> =
            if command == "graph" { [&["graph"], &drawn[..]].concat() } else { drawn.to_vec() };
        project.expect(0, &command);
        let picture = project.read("it.svg");
        let layer = |name: &str| {
            let from =
                picture.find(&format!("<g id=\"{name}\">")).unwrap_or_else(|| panic!("{command:?}: {name}"));
            &picture[from..from + picture[from..].find("</g>").unwrap()]
        };
        // A floor, treads and a platform of several shades; steps and pillars.
        assert!(layer("scene").matches("<path").count() > 30, "{command:?}: {}", layer("scene"));
        for name in ["links", "points", "islands", "doors", "marks"] {
            assert!(layer(name).contains("<path") || layer(name).contains("<circle"), "{command:?}: {name}");
        }
        assert_eq!(layer("islands").matches("<path").count(), 2, "{command:?}: the tops of the pillars");
        for word in [">1<", ">2<", ">gate<", ">top<", ">wall<", ">step<", ">point at 0.0 m<"] {
            assert!(picture.contains(word), "{command:?}: {word}");
        }
    }
}
