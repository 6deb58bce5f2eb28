//! The edge of the ground of a mesh, and places a hair beyond it, where bodies can stand.
//!
//! Goal: every character on a mesh of areas is inside an area, so a door stays open while somebody stands in
//! its doorway. Method: rooms with a doorway between them, of drawn sizes, near the origin and far from it;
//! drawn places beside every edge.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::Traversal;
use walkon_runtime::world::ops::characters;

use crate::fixture::Stage;

#[test]
fn whoever_stands_on_a_mesh_of_areas_is_in_one_and_keeps_its_door_open() {
    let (mut places, mut wrong) = (0, Vec::new());
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "mesh rims");
        let mut drawn = |least: f32, most: f32| least + (most - least) * (rng.below(10_000) as f32 / 1e4);
        let far = [0.0, 0.0, 500.0, -3000.0][seed as usize % 4];
        let (west, z) = (far + drawn(-1.0, 1.0), far + drawn(-1.0, 1.0));
        let door = [west + drawn(3.0, 9.0), z + drawn(1.0, 2.0)];
        let door_end = [door[0] + drawn(0.5, 2.0), door[1] + drawn(1.0, 2.0)];
        let (east_end, depth) = (door_end[0] + drawn(3.0, 9.0), z + drawn(5.0, 8.0));
        let rectangle = |name: &str, [x, z]: [f32; 2], [x2, z2]: [f32; 2]| {
            format!(r#"{{ "name": "{name}", "polygon": [[{x},{z}],[{x2},{z}],[{x2},{z2}],[{x},{z2}]] }}"#)
        };
        let areas = [
            rectangle("west", [west, z], [door[0], depth]),
            rectangle("doorway", door, door_end),
            rectangle("east", [door_end[0], z], [east_end, depth]),
        ];
        let json = format!(
            r#"{{ "navigation": {{ "kind": "mesh", "agentRadius": 0.35, "areas": [{}] }},
                "doors": [{{ "name": "gate", "area": "doorway", "open": true }}],
                "characters": [{{ "name": "hero", "position": [{}, {}] }}] }}"#,
            areas.join(", "),
            west + 1.0,
            z + 1.0
        );
        let mut stage = Stage::of(&json);
        stage.tick();
        for _ in 0..300 {
            let along = [drawn(0.0, 1.0), drawn(-2.5e-3, 2.5e-3)];
            let side = drawn(0.0, 6.0) as u8;
            let x = |part: f32| door[0] + part * (door_end[0] - door[0]);
            let place = match side {
                0 | 1 => Vec3::new(x(along[0]), 0.0, door[1] + along[1]),
                2 | 3 => Vec3::new(x(along[0]), 0.0, door_end[1] + along[1]),
                4 => Vec3::new(west + along[1], 0.0, z + along[0]),
                _ => Vec3::new(east_end + along[1], 0.0, z + along[0]),
            };
            let is_walkable =
                |stage: &Stage| stage.world().nav().footing(&Traversal::default()).is_walkable(place);
            if !is_walkable(&stage) {
                continue;
            }
            let mut ids = Vec::new();
            stage.world().nav().areas_at(place, &mut ids);
            places += 1;
            if ids.is_empty() {
                wrong.push(format!("seed {seed}: {place} is walkable and in no area"));
            }
            if side > 3 {
                continue;
            }
            let (hero, gate) = (stage.hero(), stage.gate());
            let world = stage.game.world_mut();
            if characters::teleport(world, hero, place, None).is_ok()
                && !world.occupants(gate).contains(&hero)
            {
                let is_in_room = ids.iter().any(|&area| area != world.doors()[gate.index()].area);
                if !is_in_room {
                    wrong.push(format!("seed {seed}: {place} is in the doorway, and does not keep it open"));
                }
            }
        }
    }
    assert!(places > 4000, "{places} places");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}
