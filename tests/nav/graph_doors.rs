//! Doors across the links of graphs, and the floors that lines end on.
//!
//! Goal: a character on a link that a closed door crosses walks up to the door, and every walk that waits
//! ends. Method: levels of a few points, one walk each.

use serde_json::{Value, json};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::nav::Traversal;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::walk::AcceptEnd;

use crate::fixture::{Stage, send};

/// A level of points, links and the door "gate" across x = 4 to 6.
fn level(points: &[[f32; 3]], links: &[[usize; 2]], hero: [f32; 3], door: &Value) -> Value {
    let area =
        json!({ "name": "d", "polygon": [[4, -1], [6, -1], [6, 1], [4, 1]], "available": door["open"] });
    let mut gate = json!({ "name": "gate", "area": "d" });
    for (key, value) in door.as_object().expect("keys of a door") {
        gate[key] = value.clone();
    }
    json!({
        "navigation": { "kind": "graph", "width": 0.1, "points": points, "links": links, "areas": [area] },
        "characters": [{ "name": "hero", "position": hero, "radius": 0.3 }],
        "doors": [gate],
    })
}

/// A way along x, and one back at z = 4 that is not joined to it.
const ISLANDS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 0.0, 4.0], [0.0, 0.0, 4.0]];

#[test]
fn who_stands_before_a_door_on_its_link_walks_up_to_it_and_over_no_empty_ground() {
    let joined = [[0, 1], [1, 2], [2, 3]];
    let cases = [
        (&joined[..], [0.0, 0.0, 0.0], json!({ "open": true, "oneWay": [-1, 0] })),
        (&joined[..], [1.0, 0.0, 0.0], json!({ "open": true, "teams": ["x"] })),
        (&joined[..], [2.0, 0.0, 0.0], json!({ "open": false, "locked": true })),
        (&[[0, 1], [2, 3]][..], [0.0, 0.0, 0.0], json!({ "open": true, "teams": ["x"] })),
    ];
    for (links, hero, door) in cases {
        let mut stage = Stage::of(&level(&ISLANDS, links, hero, &door).to_string());
        assert_eq!(stage.position().x, hero[0], "{door}: the hero begins where it was put");
        stage.walk(10.0, 4.0, |_| {});
        for _ in 0..1200 {
            stage.tick();
            let place = stage.position();
            assert!(place.z.abs() < 0.5 && place.x < 4.3, "{door}: at {place}");
        }
        assert_eq!(stage.ends, ["partial/nearest"], "{door}");
        assert!(stage.position().x > 3.5, "{door}: at {}", stage.position());
    }
}

#[test]
fn a_walk_that_waits_at_a_door_on_its_second_climb_ends_after_its_patience() {
    let points = [[0.0, 0.0, 0.0], [4.0, 10.0, 0.0], [8.0, 0.0, 0.0], [11.0, 0.0, 0.0]];
    let mut level = level(&points, &[[0, 1], [1, 2], [2, 3]], [0.0; 3], &json!({ "open": false }));
    level["navigation"]["areas"][0]["polygon"] = json!([[4.4, -1], [4.6, -1], [4.6, 1], [4.4, 1]]);
    level["characters"][0]["doors"] = json!("wait");
    let mut stage = Stage::of(&level.to_string());
    stage.walk(11.0, 0.0, |options| options.patience_ticks = 180);
    assert_eq!(stage.until_settled(1, 3600), ["blocked/doorClosed"], "at {}", stage.position());
}

#[test]
fn a_line_of_walk_ends_on_the_floor_of_its_end() {
    let points = [
        [0.0, 3.0, 0.0],
        [10.0, 3.0, 0.0],
        [0.0, 0.0, 0.0],
        [10.0, 0.0, 0.0],
        [12.0, 0.0, 0.0],
        [12.0, 3.0, 0.0],
    ];
    let links = [[0, 1], [2, 3], [3, 4], [1, 5], [4, 5]];
    let mut level = level(&points, &links, [1.0, 3.0, 0.0], &json!({ "open": true }));
    level["navigation"]["areas"][0]["heights"] = json!([-9, -8]);
    let mut stage = Stage::of(&level.to_string());
    let nav = stage.world().nav();
    let by = Traversal { radius_m: 0.3, ..Traversal::default() };
    let clear = |from: [f32; 3], to: [f32; 3]| nav.sight(from.into(), to.into(), &by).0;
    assert!(clear([1.0, 3.0, 0.0], [5.0, 3.0, 0.0]) && clear([5.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
    assert!(clear([1.0, 2.5, 0.0], [5.0, 3.4, 0.0]), "as far above the floor as bodies may be");
    assert!(!clear([1.0, 3.0, 0.0], [5.0, 0.0, 0.0]) && !clear([5.0, 0.0, 0.0], [1.0, 3.0, 0.0]));
    let hero = stage.hero();
    send(&mut stage, hero, Goal::Point([5.0, 0.0, 0.0].into()), |options| options.accept = AcceptEnd::Exact);
    assert_eq!(stage.until_settled(1, 3600), ["arrived/reached"]);
    assert!(stage.position().distance([5.0, 0.0, 0.0].into()) < 0.05, "at {}", stage.position());
}

#[test]
fn graphs_without_links_and_action_links_beside_all_links_are_warned_of() {
    let codes = |level: &Value| {
        let text = level.to_string();
        let level =
            load("stage.json", &MemorySource::new().with("stage.json", text.as_str())).expect("a level");
        level.diagnostics.iter().map(|found| found.code.to_owned()).collect::<Vec<_>>()
    };
    let lone = json!({ "navigation": { "kind": "graph", "points": [[0, 0, 0]], "links": [] } });
    assert_eq!(codes(&lone), ["no-cells"]);
    let leap = |z: f32| {
        let action = json!({ "action": "jump", "from": [5, 0, z], "to": [8, 0, z], "cost": 2 });
        let points = json!([[0, 0, 0], [5, 0, 0], [8, 0, 0], [20, 0, 0]]);
        let map =
            json!({ "kind": "graph", "points": points, "links": [[0, 1], [2, 3]], "actionLinks": [action] });
        json!({ "navigation": map })
    };
    assert!(codes(&leap(2.0)).iter().filter(|code| *code == "unreachable").count() == 2);
    assert!(codes(&leap(0.0)).iter().all(|code| code != "unreachable"));
}
