//! Walkers beside tiles that may be left in some directions only.
//!
//! Goal: a walker comes to every goal that it can reach, at any speed and from any facing. A body that turns
//! leaves its way for a moment: no step leads onto a tile that the way does not lead over, and from which
//! there may be no way back. Method: drawn tiles of three layouts, walks from tile to tile.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::Reach;
use walkon_runtime::world::asker::Asker;
use walkon_runtime::world::door::DoorPolicy;

use crate::fixture::{Stage, ground};

/// Tiles on a side.
const SIDE: usize = 6;
/// One of them in so many is drawn from these.
const TILES: &[u8] = b".....##nsewcd";

/// A level of drawn tiles, and the middle of each that is not a wall.
fn draw(rng: &mut Rng, layout: &str) -> (String, Vec<[f32; 2]>) {
    let mut below = |count: usize| rng.below(count as u64) as usize;
    let rows: Vec<String> =
        (0..SIDE).map(|_| (0..SIDE).map(|_| char::from(TILES[below(TILES.len())])).collect()).collect();
    let middle = |x: usize, z: usize| match layout {
        "hexPointy" => [x as f32 + if z % 2 == 1 { 1.0 } else { 0.5 }, 0.75 * z as f32 + 0.5],
        _ => [x as f32 + 0.5, z as f32 + 0.5],
    };
    let is_free = |&(x, z): &(usize, usize)| rows[z].as_bytes()[x] != b'#';
    let free = (0..SIDE * SIDE).map(|at| (at % SIDE, at / SIDE)).filter(is_free);
    let middles: Vec<[f32; 2]> = free.map(|(x, z)| middle(x, z)).collect();
    let ways = match layout {
        "hexPointy" => ["northEast", "southWest", "east", "west"],
        _ => ["north", "south", "east", "west"],
    };
    let [north, south, east, west] = ways;
    let [x, z] = middles[below(middles.len())];
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let json = format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layout": "{layout}", "agentRadius": 0,
            "layers": [{{ "name": "a", "rows": [{}] }}], "legend": {{
            "n": {{ "oneWay": "{north}" }}, "s": {{ "oneWay": "{south}" }}, "e": {{ "oneWay": "{east}" }},
            "w": {{ "oneWay": "{west}" }}, "c": {{ "oneWay": ["{east}", "{south}"] }},
            "d": {{ "oneWay": ["{west}", "{north}"] }} }} }},
        "characters": [{{ "name": "hero", "position": [{x}, {z}], "radius": 0.2, "facingDegrees": {},
            "walkSpeed": {} }}] }}"#,
        rows.join(", "),
        90 * below(4),
        [1.4, 2.8, 5.0, 10.0][below(4)]
    );
    (json, middles)
}

#[test]
fn a_goal_that_can_be_reached_is_reached_past_tiles_without_a_way_back() {
    const WITHIN_TICKS: u64 = 60 * 60;
    let (mut reached, mut failed) = (0, Vec::new());
    for round in 0..1200 {
        let mut rng = Rng::stream(round, "one-way tiles");
        let layout = ["square4", "square8", "hexPointy"][round as usize % 3];
        let (json, middles) = draw(&mut rng, layout);
        if middles.len() < 2 {
            continue;
        }
        let mut stage = Stage::of(&json);
        stage.tick();
        for leg in 0..3 {
            let [x, z] = middles[rng.below(middles.len() as u64) as usize];
            let goal = glam::Vec3::new(x, 0.0, z);
            let by = stage.world().traversal_for(Asker {
                tags: None,
                layer: 0,
                radius_m: 0.2,
                doors: DoorPolicy::Avoid,
                keys: &[],
                speed_mps: 1.4,
            });
            let from = stage.position();
            if stage.world().nav().reach_on(from, ground(goal), &by) != Reach::Yes {
                continue;
            }
            let before = stage.ends.len();
            stage.walk(x, z, |_| {});
            stage.until_settled(before + 1, WITHIN_TICKS);
            match stage.ends.get(before).map(String::as_str) {
                Some("arrived/reached" | "arrived/alreadyThere") => reached += 1,
                end => failed.push(format!(
                    "round {round}, leg {leg}: {end:?} at {:?}, from {from:?} to {goal:?}, {json}",
                    stage.position()
                )),
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {reached}:\n{}",
        failed.len(),
        failed[..failed.len().min(20)].join("\n")
    );
    assert!(reached > 1000, "{reached}");
}
