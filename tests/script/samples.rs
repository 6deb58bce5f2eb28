//! The samples of the Lua reference, as they stand in the repository.
//!
//! Goal: what the reference prints is what runs. Method: each runs on the level that was made for it, with
//! any fault failing the run.

use std::path::Path;

/// An example of the reference, and the level that it runs on.
const SAMPLES: [(&str, &str); 4] = [
    ("scripts/behaviours/guard.lua", "courtyard"),
    ("scripts/cinematics/bridge_meeting.lua", "bridge"),
    ("scripts/crypt_puzzle.lua", "crypt"),
    ("scripts/crypt_test.lua", "crypt"),
];

fn root() -> &'static Path {
    crate::place::root()
}

#[test]
fn the_samples_run_without_a_fault_on_their_levels() {
    for (here, level) in SAMPLES {
        let path = format!("levels/{level}.json");
        let run = crate::place::walkon(root(), &["run", &path, "--seconds", "60", "--strict"]);
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{path} with {here}: {told}");
    }
}
