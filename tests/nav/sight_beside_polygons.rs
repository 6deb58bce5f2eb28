//! Looks from and at places on cells that reach beyond the polygons they were cut from.
//!
//! Goal: wherever a body may stand on a grid it sees and is seen: the middle of its cell always, and
//! everybody in an empty room; nobody in the next room, whose door is closed. Method: two drawn rooms, and an
//! obstacle in one, with edges that no cell is aligned with; drawn places on walkable cells, a little beyond
//! edges too.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::nav::Traversal;

#[test]
fn whoever_stands_on_a_cell_beyond_the_polygons_sees_and_is_seen() {
    let (mut beyond, mut wrong) = (0, Vec::new());
    for seed in 0..120 {
        let mut rng = Rng::stream(seed, "beside polygons");
        // Of every other map edges lie on middles and edges of cells.
        let round = |value: f32| if seed % 2 == 0 { (value * 10.0).round() / 10.0 } else { value };
        let mut drawn = |least: f32, most: f32| least + (most - least) * (rng.below(10_000) as f32 / 1e4);
        let mut between = |least: f32, most: f32| round(drawn(least, most));
        let cell_m = between(0.2, 1.0);
        let (left, depth, gap_m) =
            (between(-1.0, 0.0), between(4.0, 7.0), (2.0 + seed as f32 % 5.0 / 5.0) * cell_m);
        let (west_end, east_end) = (left + between(5.0, 8.0), between(14.0, 18.0));
        let east = west_end + gap_m;
        let json = format!(
            r#"{{ "navigation": {{ "kind": "grid", "cellSize": {cell_m}, "agentRadius": 0, "objectPadding": 0,
                "areas": [
                {{ "name": "west", "polygon": [[{left},0],[{west_end},0],[{west_end},{depth}],[{left},{depth}]] }},
                {{ "name": "doorway", "polygon": [[{west_end},1],[{east},1],[{east},3],[{west_end},3]] }},
                {{ "name": "east", "polygon": [[{east},0],[{east_end},0],[{east_end},{depth}],[{east},{depth}]] }} ],
                "obstacles": [{{ "name": "chest", "polygon":
                    [[{0},{1}],[{2},{1}],[{2},{3}],[{0},{3}]] }}] }},
                "doors": [{{ "name": "gate", "area": "doorway" }}] }}"#,
            left + 1.7 * cell_m,
            1.6 * cell_m,
            left + 3.9 * cell_m,
            2.8 * cell_m,
        );
        let level = load("rooms.json", &MemorySource::new().with("rooms.json", json.as_str())).unwrap();
        let world = spawn::build(level, None).world;
        let by = Traversal::default();
        let ground = world.nav().footing(&by);
        let mut places = Vec::new();
        for _ in 0..4000 {
            let place =
                Vec3::new(drawn(left - cell_m, east_end + cell_m), 0.0, drawn(-cell_m, depth + cell_m));
            if ground.is_walkable(place) {
                places.push(place);
            }
            if places.len() == 120 {
                break;
            }
        }
        let sees = |from: Vec3, to: Vec3| !world.is_hidden(from, to, 0);
        let is_east = |place: Vec3| place.x > east - 0.5 * gap_m;
        for &from in &places {
            let middle = world.nav().node_centre(from).unwrap();
            beyond += usize::from(from.z < 0.0 || from.z > depth || from.x < left || from.x > east_end);
            if !(sees(from, middle) && sees(middle, from)) {
                wrong
                    .push(format!("seed {seed}, cells {cell_m}: {from} does not see the middle of its cell"));
            }
            for &to in &places {
                let expected = match (is_east(from), is_east(to)) {
                    (true, true) => true,
                    (false, false) => continue,
                    _ => false,
                };
                if sees(from, to) != expected {
                    wrong.push(format!("seed {seed}, cells {cell_m}: {from} to {to}, expected {expected}"));
                }
            }
        }
    }
    assert!(beyond > 200, "{beyond} places beyond the polygons");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
