//! Groups that meet head-on beside a round obstacle on open ground.
//!
//! Goal: everybody arrives, and soon. Each wants to go round the obstacle where the other stands, and who is
//! inside has the obstacle beside it. Method: obstacles of four to sixty sides, on grids and meshes, bodies
//! of all usual radii, one to three on either side, from drawn places; the judge looks at every tick.

use std::f32::consts::TAU;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::walk::AcceptEnd;

use crate::crowd::crowd_rows::Run;
use crate::long_form::number;

/// A field with a round obstacle of so many sides in its middle.
fn field(kind: &str, agent_radius_m: f32, sides: u8) -> String {
    let corner = |side: u8| {
        let angle = TAU * (f32::from(side) + 0.1) / f32::from(sides);
        format!("[{:.3},{:.3}]", 2.0 * angle.cos(), 2.0 * angle.sin() - 2.0)
    };
    let corners: Vec<String> = (0..sides).map(corner).collect();
    let cells = if kind == "grid" { r#""cellSize": 0.2, "objectPadding": 0,"# } else { "" };
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": {agent_radius_m}, {cells}
            "areas": [{{ "name": "field", "polygon": [[-12,-12],[12,-12],[12,12],[-12,12]] }}],
            "obstacles": [{{ "name": "pillar", "polygon": [{}] }}] }} }}"#,
        corners.join(",")
    )
}

/// Sends a group past the pillar from one side; `towards` is 1 for those that go east.
fn send(run: &mut Run, rng: &mut Rng, (count, radius_m): (u8, f32), towards: f32) {
    for at in 0..count {
        let far_m = 5.0 + 1.8 * f32::from(at);
        let mut beside_m = || (rng.below(250) as f32 - 150.0) / 100.0;
        let place = Vec3::new(-towards * far_m, 0.0, beside_m());
        let name = format!("{}{at}", if towards > 0.0 { "east" } else { "west" });
        let spawn = Spawn { radius_m, ..Spawn::new(&name, place) };
        let who = characters::spawn(run.game.world_mut(), spawn).unwrap().unwrap();
        run.walk_with(who, (towards * far_m, beside_m()), |options| options.accept = AcceptEnd::Near);
    }
}

#[test]
fn groups_that_meet_beside_a_round_obstacle_come_past_one_another() {
    const KINDS: [(&str, f32, f32); 5] = [
        ("mesh", 0.45, 0.45),
        ("mesh", 0.45, 0.7),
        ("grid", 0.3, 0.7),
        ("grid", 0.7, 0.7),
        ("mesh", 0.35, 0.35),
    ];
    const SIDES: [u8; 6] = [4, 6, 8, 13, 31, 60];
    let (first, rounds) = (number("SEED", 0), number("ROUNDS", 60));
    let mut failed = Vec::new();
    for seed in first..first + rounds {
        let mut rng = Rng::stream(seed, "round obstacles");
        let (kind, agent_radius_m, radius_m) = KINDS[seed as usize % KINDS.len()];
        let sides = SIDES[rng.below(SIDES.len() as u64) as usize];
        // Mostly two: they have nobody whose place would make a difference.
        let counts = [[1, 1], [1, 1], [2, 1], [2, 2], [3, 3]][rng.below(5) as usize];
        let mut run = Run::within(&field(kind, agent_radius_m, sides), 1.0);
        send(&mut run, &mut rng, (counts[0], radius_m), 1.0);
        send(&mut run, &mut rng, (counts[1], radius_m), -1.0);
        let walkers = usize::from(counts[0] + counts[1]);
        while run.ends.len() < walkers && run.seconds() < 60.0 {
            run.tick();
        }
        let what = format!("seed {seed}, {kind}, radius {radius_m}, {sides} sides, {counts:?}");
        if run.ends.len() < walkers || run.ends.iter().any(|(_, end, ..)| !end.starts_with("arrived")) {
            failed.push(format!("{what}: {:?}", run.ends));
        }
        run.assert_clean(&what);
    }
    assert!(failed.is_empty(), "{} of {rounds}:\n{}", failed.len(), failed.join("\n"));
}
