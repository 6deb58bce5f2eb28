//! Graphs made from a real scene: points on its floors, links that a body can walk, ways up its stairs.
//!
//! Goal: rows V3, V5 and V9 to V12 of the seeds on a scene that nobody here made. Method: the scene of
//! `../shared/data/meshes`, and a look at every triangle beside the tree that answers rays; without the data nothing is tested but
//! the tower of the project.

use std::path::{Path, PathBuf};

use glam::Vec3;
use walkon::level::scene::{obj_faces, scene_triangles};
use walkon::nav::graph::islands::remove_islands;
use walkon::nav::graph::{
    Draft, GenerateOptions, GraphSource, LinkOptions, PointGraph, SceneBox, generate, groups, link,
};
use walkon::nav::solids::{Room, Solids};
use walkon::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/meshes").join(name);
    path.exists().then_some(path)
}

fn triangles(path: &Path) -> Vec<[Vec3; 3]> {
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

fn made(triangles: &[[Vec3; 3]], boxes: &[SceneBox], spacing_m: f32, room: Room) -> Draft {
    let solids = Solids::new(triangles).unwrap();
    let options = GenerateOptions { spacing_m, room, ..GenerateOptions::default() };
    let found = generate(&solids, boxes, &options, &mut |_, _| {});
    let mut draft = Draft::new(found.points, &[], Vec::new()).unwrap();
    let options = LinkOptions { distance_max_m: 1.5 * spacing_m, room, ..LinkOptions::default() };
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
fn the_tower_of_the_project_is_what_its_scene_gives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels");
    let faces = obj_faces(&std::fs::read(root.join("scenes/tower.obj")).unwrap()).unwrap();
    assert_eq!(faces.faces.len(), 180, "30 boxes of six faces");
    let draft = made(
        &faces.triangles().unwrap(),
        &[
            SceneBox { min: Vec3::new(0.35, -0.5, 0.35), max: Vec3::new(11.65, 2.0, 7.65) },
            SceneBox { min: Vec3::new(0.35, 2.1, 0.35), max: Vec3::new(11.65, 5.5, 7.65) },
        ],
        0.25,
        Room { radius_m: 0.3, step_m: 0.4, height_m: 1.8 },
    );
    let text = std::fs::read_to_string(root.join("paths/tower.graph.json")).unwrap();
    let kept = walkon::level::graph::read_graph_text(text.as_bytes()).unwrap();
    // The kept one was cleaned of its islands.
    assert_eq!(groups(&kept).len(), 1);
    let main = &groups(&draft)[0];
    assert_eq!(main.points.len(), kept.points().len());
    for (&at, &point) in main.points.iter().zip(kept.points()) {
        assert_eq!(draft.points()[at as usize], point);
    }
}
