//! The samples of the Lua reference, as they stand in the repository.
//!
//! Goal: what the reference prints is what runs. Method: the files are compared with the reference's copies where
//! those are at hand, and each runs on the level that was made for it, with any fault failing the run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the reference's examples, where it stands here, and the level that it runs on.
const SAMPLES: [(&str, &str, &str); 4] = [
    ("guard.lua", "scripts/behaviours/guard.lua", "courtyard"),
    ("bridge_meeting.lua", "scripts/cinematics/bridge_meeting.lua", "bridge"),
    ("crypt_puzzle.lua", "scripts/crypt_puzzle.lua", "crypt"),
    ("crypt_test.lua", "scripts/crypt_test.lua", "crypt"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The reference's examples, when they lie beside the repository.
fn examples() -> Option<PathBuf> {
    let folder = root().join("../shared/design/examples");
    folder.is_dir().then_some(folder)
}

#[test]
fn the_samples_are_the_references_own() {
    let Some(folder) = examples() else { return };
    for (name, here, _) in SAMPLES {
        let ours = fs::read_to_string(root().join(here)).unwrap();
        let reference = fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(ours, reference, "{here} is {name} of the reference, unchanged");
    }
}

#[test]
fn the_samples_run_without_a_fault_on_their_levels() {
    for (_, here, level) in SAMPLES {
        let path = format!("levels/{level}.json");
        let run = Command::new(env!("CARGO_BIN_EXE_walkon"))
            .args(["run", &path, "--seconds", "60", "--strict"])
            .current_dir(root())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{path} with {here}: {told}");
    }
}
