//! The limit of a level for its searches holds for every question about a path.
//!
//! Goal: `path`, `graph path` and `draw` say what becomes of a walk in the running level. Method:
//! one maze on every kind of map, under limits from one expansion to plenty, against a walk of `run`.

use serde_json::Value;

use super::commands::Project;

const ROWS: [&str; 6] =
    ["............", ".##########.", "............", ".##########.", "............", "###########."];

/// One maze as a map of each kind.
pub fn maps() -> [(&'static str, String); 4] {
    let rows = ROWS.map(|row| format!("\"{row}\"")).join(", ");
    let tiles = format!(r#""kind": "tiles", "layers": [{{ "name": "ground", "rows": [{rows}] }}]"#);
    let grid = r#""cellSize": 0.5, "agentRadius": 0.3, "objectPadding": 0,
        "areas": [{ "name": "hall", "polygon": [[0,0],[12,0],[12,6],[0,6]] }],
        "obstacles": [{ "name": "one", "polygon": [[1.2,1.3],[10.8,1.3],[10.8,1.7],[1.2,1.7]] },
            { "name": "two", "polygon": [[0,3.3],[10.5,3.3],[10.5,3.7],[0,3.7]] }]"#;
    let mesh = grid.replace("\"cellSize\": 0.5", "\"kind\": \"mesh\"");
    let points: Vec<String> = (0..60).map(|at| format!("[{}.5, 0, {}.5]", at % 12, at / 12)).collect();
    let links = (0..60u32).flat_map(|at| {
        let across = (at % 12 < 11 && at / 12 % 2 == 0).then_some([at, at + 1]);
        let down = (at / 12 < 4 && at % 12 == 11 * (1 - at / 24 % 2)).then_some([at, at + 12]);
        across.into_iter().chain(down)
    });
    let links: Vec<String> = links.map(|[a, b]| format!("[{a}, {b}]")).collect();
    let (points, links) = (points.join(", "), links.join(", "));
    let graph = format!(r#""kind": "graph", "agentRadius": 0.35, "points": [{points}], "links": [{links}]"#);
    [("tiles", tiles), ("grid", grid.to_owned()), ("mesh", mesh), ("graph", graph)]
}

/// The maze with a limit, and a character that walks through it.
pub fn maze(map: &str, limit: u32) -> Project {
    let project = Project::new();
    let level = format!(
        r#"{{ "navigation": {{ {map} }}, "limits": {{ "expansionsPerPath": {limit} }}, "script": "maze.lua",
        "characters": [{{ "name": "bo", "position": [0.5, 0.5], "radius": 0.3 }}] }}"#
    );
    project.write("levels/maze.json", &level);
    project.write(
        "scripts/maze.lua",
        "function onStart()\n    local function settled(result) log.info(\"settled %s/%s\", result.status, result.reason) end\n    \
         assert(world.character(\"bo\")):walkTo(6.5, 4.5, { onSettled = settled, gait = \"run\" })\nend\n",
    );
    project
}

/// How the walk of the level ends: its status and reason.
fn walked(project: &Project) -> String {
    let (out, _) = project.expect(0, &["run", "maze", "--seconds", "60"]);
    let settled = out.split("settled ").nth(1).unwrap_or_else(|| panic!("the walk does not end: {out}"));
    settled.split_whitespace().next().unwrap().to_owned()
}

/// What an answer says of the way.
fn answered(answer: &Value) -> &str {
    match (answer["status"].as_str().unwrap(), answer["reason"].as_str()) {
        ("complete", None) => "arrived/reached",
        ("none", Some("limit")) => "blocked/limit",
        _ => panic!("{answer}"),
    }
}

#[test]
fn a_path_is_answered_under_the_limit_of_the_level_as_a_walk_is() {
    let ask = ["--from", "0.5,0.5", "--to", "6.5,4.5", "--radius", "0.3", "--format", "json"];
    for (kind, map) in maps() {
        let mut ends = Vec::new();
        for limit in [1, 3, 8, 20, 1000] {
            let project = maze(&map, limit);
            let walked = walked(&project);
            let answer = project.json(0, &[&["path", "maze"][..], &ask].concat());
            assert_eq!(answered(&answer), walked, "{kind} of {limit}: {answer}");
            // Meshes begin with all edges around the start, whatever the limit.
            assert!(answer["expansions"].as_u64().unwrap() <= u64::from(limit) + 3, "{kind}: {answer}");
            if kind == "graph" {
                let answer = project.json(0, &[&["graph", "path", "maze"][..], &ask].concat());
                assert_eq!(answered(&answer), walked, "graph path of {limit}: {answer}");
            }
            let (out, _) = project.expect(0, &[&["draw", "maze"][..], &ask[..4]].concat());
            assert_eq!(out.contains("no path"), walked != "arrived/reached", "{kind} of {limit}: {out}");
            ends.push(walked);
        }
        ends.dedup();
        assert_eq!(ends, ["blocked/limit", "arrived/reached"], "{kind}: the limits are on both sides");
    }
}
