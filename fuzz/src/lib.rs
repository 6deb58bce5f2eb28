//! What must hold for any bytes: one function a format, called by the fuzz targets and by
//! `tests/laws/fuzzed.rs`.
//!
//! In: bytes that claim to be a file. Out: whether they were one. Holds: a file is read or refused; what was
//! read reads the same again, keeps its limits, and can be lived on: paths end, lie on the map, lead where
//! they say. Panics on whatever breaks that. Not here: where bytes come from.

use walkon_runtime::base::hash::{StateHash, of_bytes};
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::save::{SaveHeader, seal};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::graph::{compact_bytes, graph_text, read_compact, read_graph_text};
use walkon_runtime::level::scene::{SCENE_PARTS_MAX, gltf_triangles, obj_faces};
use walkon_runtime::level::{self, Level, MemorySource, Severity, spawn};
use walkon_runtime::nav::graph::EditableGraph;
use walkon_runtime::nav::solids::Solids;
use walkon_runtime::nav::{
    Accept, MeshSource, NavMap, NavMesh, PathAnswer, PathQuery, PathStatus, RandomPoint, RawMesh, Reach,
    Search, Traversal,
};

/// Maps of more nodes are loaded and not walked on: a flood of millions of cells says nothing that a small
/// one does not.
const NODES_WALKED_MAX: u64 = 60_000;
/// Characters of levels that are played for some ticks.
const CHARACTERS_PLAYED_MAX: usize = 64;
/// Radii of those who ask for paths, metres.
const RADII_M: [f32; 3] = [0.0, 0.35, 0.9];

/// A scene and a mesh in Wavefront OBJ.
pub fn obj(bytes: &[u8]) -> bool {
    let scene = obj_faces(bytes);
    if let Ok(faces) = &scene {
        let corners = faces.faces.iter().flatten();
        assert!(corners.clone().all(|&corner| (corner as usize) < faces.vertices.len()));
        assert!(faces.faces.len() == faces.lines.len() && faces.faces.iter().all(|face| face.len() >= 3));
        if let Ok(triangles) = faces.triangles() {
            solids(&triangles);
        }
    }
    let polygons = level::from_obj(bytes).ok();
    if let Some(file) = &polygons {
        walk_on_polygons(&file.mesh);
    }
    scene.is_ok() || polygons.is_some()
}

/// A scene in glTF, as JSON or binary; beside it lies `it.bin`.
pub fn gltf(bytes: &[u8]) -> bool {
    let mut read = |name: &str| match name {
        "it.bin" => Ok((0..=255).collect()),
        _ => Err("there is no such file".to_owned()),
    };
    let Ok(triangles) = gltf_triangles(bytes, &mut read) else { return false };
    assert!(triangles.len() <= SCENE_PARTS_MAX);
    assert!(triangles.iter().flatten().all(|corner| corner.is_finite()));
    solids(&triangles);
    true
}

/// A navigation mesh in the form `.mesh`.
pub fn mesh(bytes: &[u8]) -> bool {
    let polygons = std::str::from_utf8(bytes).ok().and_then(|text| level::from_mesh(text).ok());
    polygons.is_some_and(|file| walk_on_polygons(&file.mesh))
}

/// A graph in its editing form or in its compact form, alone and as the file of a level.
pub fn graph(bytes: &[u8]) -> bool {
    if let Ok(draft) = read_graph_text(bytes) {
        let text = graph_text(&draft);
        assert_eq!(read_graph_text(text.as_bytes()).as_ref(), Ok(&draft), "written and read again");
        walk_on_graph("levels/paths/it.graph.json", bytes);
        return true;
    }
    // Nobody finds a sum by chance: it is put right, so that what it guards is looked at too.
    let body = &bytes[..bytes.len().saturating_sub(8)];
    let summed = [body, &of_bytes(body).to_le_bytes()].concat();
    let Ok(found) = read_compact("it", &summed) else {
        assert!(read_compact("it", bytes).is_err());
        return false;
    };
    let text = graph_text(&found.draft);
    let again = compact_bytes("it", text.as_bytes(), &found.draft, found.ways.as_deref().unwrap_or(&[]));
    let again = read_compact("it", &again).expect("what was written");
    // Ways that would outgrow the text are left out.
    let has_ways = again.ways.is_none() || again.ways == found.ways;
    assert!(again.draft == found.draft && has_ways, "written and read again");
    walk_on_graph("levels/paths/it.graph", &summed);
    true
}

/// A map of Tiled, as XML or JSON; beside it lie the files of a tileset and a template.
pub fn tiled(bytes: &[u8]) -> bool {
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let name = if is_json { "levels/it.tmj" } else { "levels/it.tmx" };
    walk_on_level(name, &beside().with(name, bytes))
}

/// A level as JSON; beside it lie maps, meshes and a graph.
pub fn level(bytes: &[u8]) -> bool {
    walk_on_level("levels/it.json", &beside().with("levels/it.json", bytes))
}

/// The files that levels and maps under test may name.
fn beside() -> MemorySource {
    const TILESET: &str = "<tileset version=\"1.10\" name=\"t\" tilewidth=\"8\" tileheight=\"8\" tilecount=\"4\" columns=\"2\">\
        <tile id=\"1\"><properties><property name=\"walkable\" type=\"bool\" value=\"false\"/></properties></tile></tileset>";
    const MAP: &str = "<map version=\"1.10\" orientation=\"orthogonal\" width=\"3\" height=\"2\" tilewidth=\"8\" tileheight=\"8\">\
        <tileset firstgid=\"1\" source=\"it.tsx\"/><layer name=\"g\" width=\"3\" height=\"2\"><data encoding=\"csv\">1,1,1,1,2,1</data>\
        </layer></map>";
    MemorySource::new()
        .with("levels/it.txt", "#####\n#...#\n#.#.#\n#####\n")
        .with("levels/it.obj", "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 8 1 0\nv 8 1 4\nf 1 2 3 4\nf 2 5 6 3\n")
        .with("levels/it.mesh", "mesh\n2\n4 1\n0 0 1 0\n4 0 1 0\n4 4 1 0\n0 4 1 0\n4 0 1 2 3 -1 -1 -1 -1\n")
        .with("levels/it.tsx", TILESET)
        .with("levels/plain.tsx", include_str!("../../tests/data/tiled/plain.tsx"))
        .with("levels/plain.tsj", include_str!("../../tests/data/tiled/plain.tsj"))
        .with("levels/tavern.tsx", include_str!("../../levels/tavern.tsx"))
        .with("levels/map.tmx", MAP)
        .with("levels/it.tx", "<template><object width=\"8\" height=\"8\"/></template>")
        .with(
            "levels/paths/it.graph.json",
            "{\"walkonGraph\":1,\"points\":[[0,0,0],[1,0,0],[1,0,1]],\"links\":[[0,1],[1,2]],\"parts\":[]}",
        )
}

fn solids(triangles: &[[Vec3; 3]]) {
    let Ok(solids) = Solids::new(triangles) else { return };
    let Some([low, high]) = solids.bounds() else { return };
    assert!(low.cmple(high).all(), "{low} {high}");
    let middle = (low + high) / 2.0;
    for (from, to) in [(high, low), (middle + Vec3::Y * 10.0, middle - Vec3::Y * 10.0), (low, high)] {
        let hit = solids.first_hit(from, to);
        // What has no surface in the way is clear.
        assert!(hit.is_none() || !solids.is_clear(from, to), "{from} to {to}: {hit:?}");
    }
}

/// Whether polygons are a mesh; then walks on it.
fn walk_on_polygons(raw: &RawMesh) -> bool {
    let Ok(checked) = raw.check() else { return false };
    assert_eq!(raw.check().expect("the same as before").turned, checked.turned);
    let map = NavMesh::new(&MeshSource { ground: Some(checked), ..MeshSource::default() }).expect("a mesh");
    walk_on(&NavMap::from(map));
    true
}

fn walk_on_graph(path: &str, bytes: &[u8]) {
    let text = "{\"navigation\":{\"kind\":\"graph\"}}";
    let source = MemorySource::new().with("levels/it.json", text).with(path, bytes);
    // A file that is read by itself is refused by no level but for its want of ground.
    if let Ok(loaded) = level::load("levels/it.json", &source) {
        assert!(loaded.diagnostics.iter().all(|found| found.severity != Severity::Error));
        let draft: &EditableGraph = loaded.map.graph().expect("a graph").draft();
        assert!(draft.links().all(|[a, b]| (a.max(b) as usize) < draft.points().len() && a != b));
        walk_on(&loaded.map);
    }
}

/// Whether a level loads; then plays it for a while.
fn walk_on_level(name: &str, source: &MemorySource) -> bool {
    let loaded = match level::load(name, source) {
        Ok(loaded) => loaded,
        Err(refused) => {
            assert!(refused.diagnostics.iter().any(|found| found.severity == Severity::Error), "{refused}");
            assert!(refused.diagnostics.iter().all(|found| !found.message.is_empty()));
            return false;
        }
    };
    assert!(loaded.diagnostics.iter().all(|found| found.severity != Severity::Error));
    if loaded.map.node_count() > NODES_WALKED_MAX {
        return true;
    }
    let again = level::load(name, source).expect("what was loaded before");
    assert_eq!((loaded.hash(), map_hash(&loaded.map)), (again.hash(), map_hash(&again.map)));
    walk_on(&loaded.map);
    if loaded.def.characters.len() <= CHARACTERS_PLAYED_MAX {
        assert_eq!(play(loaded), play(again), "the same level is the same game");
    }
    true
}

/// The hash of a level's world after some ticks.
fn play(level: Level) -> u64 {
    let world = spawn::build(level, None).world;
    let mut game = Game::new(world, Recorder::new(RecordOptions::default()));
    for _ in 0..3 {
        game.tick(&[]);
    }
    for (_, character) in game.world().characters() {
        assert!(character.body.position.is_finite(), "{:?}", character.body);
    }
    game.fingerprint().whole()
}

fn map_hash(map: &NavMap) -> u64 {
    let mut hash = StateHash::default();
    map.hash_into(&mut hash);
    hash.finish()
}

/// Asks a map for points and for paths between them.
fn walk_on(map: &NavMap) {
    if map.node_count() > NODES_WALKED_MAX {
        return;
    }
    let mut rng = Rng::stream(1, "fuzz");
    let mut search = Search::default();
    for radius_m in RADII_M {
        let by = Traversal { radius_m, ..Traversal::default() };
        let draw = RandomPoint {
            centre: None,
            within_m: 0.0,
            area: None,
            reachable_from: None,
            by: by.clone(),
            attempts: 10,
        };
        let points: Vec<Vec3> = (0..3).filter_map(|_| map.random_point(&draw, &mut rng)).collect();
        for &point in &points {
            assert!(map.is_walkable(point, &by), "{point} was drawn for {radius_m}");
            assert!(map.locate(point, &by).is_some(), "{point} was drawn for {radius_m}");
        }
        for pair in points.windows(2) {
            let query = PathQuery {
                start: pair[0],
                goal: pair[1],
                by: by.clone(),
                goal_layer: None,
                accept: Accept::Exact,
                expansions_max: 20_000,
                others: None,
            };
            let answer = map.plan(&query, &mut search);
            check_answer(map, &query, &answer);
        }
    }
}

fn check_answer(map: &NavMap, query: &PathQuery, answer: &PathAnswer) {
    let (path, by) = (&answer.path, &query.by);
    assert!(path.points.iter().all(|point| point.is_finite()), "{query:?}: {path:?}");
    let reach = map.reach(query.start, query.goal, by);
    match answer.status {
        PathStatus::Complete => {
            assert_eq!(reach, Reach::Yes, "{query:?}");
            let ends = (path.points.first(), path.points.last());
            let [start, goal] = [ends.0, ends.1].map(|end| *end.expect("a path has points"));
            assert!(flat(start, query.start) < 0.05 && flat(goal, query.goal) < 0.05, "{query:?}: {path:?}");
            let long: f32 = path.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
            assert!(path.length_m >= flat(start, goal) * 0.999 - 0.01, "{query:?}: {path:?}");
            assert!(long * 1.001 + 0.01 >= path.length_m * 0.5, "{query:?}: {path:?}");
        }
        PathStatus::Partial | PathStatus::None => {
            assert!(answer.trouble.is_some(), "{query:?}: no path, and no reason");
        }
    }
}

fn flat(a: Vec3, b: Vec3) -> f32 {
    (a - b).with_y(0.0).length()
}

/// Small levels with everything in them that a save game tells of, one on each kind of map.
pub const SAVED_LEVELS: [&str; 4] = ["hall", "tiles", "graph", "mesh"];

/// A hall and a yard: cells with a door between them, or parts that a link with an action joins.
fn saved_navigation(kind: &str) -> &'static str {
    match kind {
        "tiles" => {
            r#""navigation": { "kind": "tiles", "layers": [{ "name": "ground", "rows": [
    "............X...........", "............X...........", "............X...........", "............X...........",
    "............X...........", "............g...........", "............g...........", "............X...........",
    "........c...X......yyy..", "............X......yyy..", "............X...........", "............X..........." ] }],
    "legend": { "X": { "walkable": false }, "g": { "area": "doorway" }, "c": { "area": "crate", "walkable": false },
      "y": { "area": "yard" } },
    "links": [{ "from": { "layer": "ground", "position": [11.5, 3.5] }, "to": { "layer": "ground", "position": [13.5, 3.5] },
      "action": "climb" }] },
  "doors": [ { "name": "gate", "area": "doorway" } ],"#
        }
        "graph" => {
            r#""navigation": { "kind": "graph",
    "points": [[3, 0, 3], [3, 0, 8], [6, 0, 6], [11, 0, 3], [13, 0, 3], [20, 0, 3]],
    "links": [[0, 1], [0, 2], [1, 2], [0, 3], [2, 3], [4, 5]],
    "actionLinks": [{ "from": [11, 0, 3], "to": [13, 0, 3], "action": "climb" }] },"#
        }
        "mesh" => {
            r#""navigation": { "kind": "mesh", "agentRadius": 0.3, "areas": [
    { "name": "hall", "polygon": [[0,0],[12,0],[12,12],[0,12]] },
    { "name": "yard", "polygon": [[13,0],[24,0],[24,12],[13,12]] } ],
    "obstacles": [ { "name": "crate", "polygon": [[8,8],[9,8],[9,9],[8,9]] } ],
    "actionLinks": [{ "from": [11.5, 3], "to": [13.5, 3], "action": "climb" }] },"#
        }
        _ => {
            r#""navigation": { "areas": [
    { "name": "hall", "polygon": [[0,0],[12,0],[12,12],[0,12]] },
    { "name": "doorway", "polygon": [[12,5],[12.5,5],[12.5,7],[12,7]] },
    { "name": "yard", "polygon": [[12.5,0],[24,0],[24,12],[12.5,12]] } ],
    "obstacles": [ { "name": "crate", "polygon": [[8,8],[9,8],[9,9],[8,9]] } ] },
  "doors": [ { "name": "gate", "area": "doorway" } ],"#
        }
    }
}

/// People who patrol, climb, watch, make noises; one is held by a scene, the code of one is switched off.
const SAVED_PEOPLE: &str = r#"
  "marks": { "post": [3,3], "far": [20,3] },
  "regions": [ { "name": "corner", "centre": [3,3], "radius": 2 } ],
  "clock": { "start": "7:00", "secondsPerMinute": 0.5 },
  "characters": [
    { "name": "anna", "position": [3,3], "doors": "open", "behaviour": "anna.lua", "tags": ["climb"] },
    { "name": "ben", "position": [11,3], "doors": "open", "behaviour": "anna.lua", "tags": ["guard", "climb"] },
    { "name": "carl", "position": [6,6] },
    { "name": "dora", "position": [3,8] },
    { "name": "emil", "position": [3,8], "behaviour": "bad.lua" } ]"#;

const SAVED_SCRIPTS: [(&str, &str); 3] = [
    (
        "level.lua",
        "function onStart(why) \
         cinematic.define('talk', { resumable = true, holds = { 'dora' }, script = function(c, args) \
         if c.resumedFrom == nil then c:wait(0.5) c:mark('met') end c:wait(600) end }) \
         if why ~= 'start' then return end \
         cinematic.play('talk', { gold = 3 }) \
         blackboard.level:set('alarm', { 1, 2, x = 'y' }, { ttl = 60 }) \
         rng.stream('dice'):int(1, 6) nav.addMark('camp', 'post') pcall(nav.setAreaCost, 'yard', 2) timer.every(2, 'beat') \
         world.character('carl'):patrol({ 'post', 'camp' }, { loop = true, pause = { 1, 2 } }) pcall(nav.block, vector.create(7, 0, 10), 1) \
         clock.setPace(0.25) end \
         function beat() state.beats = (state.beats or 0) + 1 end",
    ),
    (
        "anna.lua",
        "return { init = function(self) self.state.list = { 1, 2, { deep = true } } self.state.who = self.character end, \
         start = function(self, why) sense.watch(self.character, { tag = 'guard' }, { hearing = 20, onHear = 'heard' }) \
         if why == 'attach' then timer.every(0.4, 'sings') end end, \
         heard = function(self, e) self.state.heard = e.position end, \
         sings = function(self) self.character:emitNoise(8) end, \
         run = function(self) while true do self.character:walk('far') task.sleep(0.2) self.character:walk('post') end end, \
         onTraverse = function(self, link) task.sleep(3) end, \
         onWalkSettled = function(self, result) self.state.last = result.reason end }",
    ),
    (
        "bad.lua",
        "return { init = function(self) self.state.kept = 'here' end, update = function(self) error('no') end }",
    ),
];

fn saved_setup(kind: &str) -> (Level, Setup) {
    let name = format!("{kind}.json");
    let navigation = saved_navigation(kind);
    let json = format!("{{ \"seed\": 7, \"script\": \"level.lua\", {navigation} {SAVED_PEOPLE} }}");
    let source = MemorySource::new().with(&name, json.as_str());
    let level = level::load(&name, &source).unwrap_or_else(|refused| panic!("{kind}: {refused}"));
    let scripts = SAVED_SCRIPTS.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    (level, Setup { scripts, ..Setup::default() })
}

/// A save game of one of [`SAVED_LEVELS`], in the middle of what happens in it.
pub fn save_game(kind: &str) -> Vec<u8> {
    let (level, setup) = saved_setup(kind);
    let mut game = Game::load(level, setup).expect("it can be played");
    (0..150).for_each(|_| _ = game.tick(&[]));
    assert_eq!(game.fault_count(), 3, "{kind}: only the one who is switched off faults");
    assert_eq!(game.switched_off().len(), 1, "{kind}");
    assert!(!game.world().senses().noises().is_empty(), "{kind}: something is heard");
    game.save().expect("the scene under way can be resumed")
}

/// A save game of one of these levels: refused, or a level that can be saved again and goes on.
pub fn save(bytes: &[u8]) -> bool {
    // Nobody finds a sum by chance.
    let mut summed = bytes.to_vec();
    seal(&mut summed);
    let named = SaveHeader::read(&summed).ok();
    let kind = named.as_ref().and_then(|header| SAVED_LEVELS.iter().find(|kind| **kind == header.level));
    let kind = kind.copied().unwrap_or(SAVED_LEVELS[0]);
    let restored = |bytes: &[u8]| {
        let (level, setup) = saved_setup(kind);
        Game::restore(level, setup, bytes).ok()
    };
    assert!(bytes.len() < 16 || restored(bytes).is_none() || SaveHeader::read(bytes).is_ok());
    let Some(mut game) = restored(&summed) else { return false };
    let again = game.save().expect("what was loaded can be saved");
    let other = restored(&again).expect("what was saved can be loaded");
    assert!(other.save().expect("again") == again, "save, load, save");
    for _ in 0..30 {
        game.tick(&[]);
    }
    game.end();
    true
}
