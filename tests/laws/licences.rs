//! Licences travel with what they are for.
//!
//! Goal: whoever gets a package of ours gets its licences. Method: every folder that is packed on its own has
//! both texts as files of its own (a link comes out as its target's name where links are not known), and the
//! list that cargo packs has them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Folders that are packed on their own, below the root: those of the workspace, then bindings.
fn packed() -> [Vec<String>; 2] {
    let below = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut found: Vec<String> = names.map(|name| format!("{folder}/{name}")).collect();
        found.retain(|path| root().join(path).join("Cargo.toml").is_file());
        found.sort();
        found
    };
    let own = std::iter::once(".".to_owned()).chain(below("crates")).collect();
    [own, below("bindings")]
}

/// The files that cargo packs of a folder; none where it does not know the dependencies of the folder yet.
fn listed(folder: &str) -> Option<Vec<String>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let listed = Command::new(cargo)
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(root().join(folder))
        .output()
        .unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    listed.status.success().then(|| text.lines().map(str::to_owned).collect())
}

#[test]
fn every_package_has_its_licences_as_files_of_its_own() {
    let [own, bindings] = packed();
    assert_eq!((own.len(), bindings.len()), (6, 3), "{own:?} {bindings:?}");
    for folder in own.iter().chain(&bindings) {
        for licence in LICENCES {
            let path = root().join(folder).join(licence);
            let kind =
                fs::symlink_metadata(&path).unwrap_or_else(|error| panic!("{folder}/{licence}: {error}"));
            assert!(kind.is_file(), "{folder}/{licence} is no file of its own");
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, fs::read_to_string(root().join(licence)).unwrap(), "{folder}/{licence}");
        }
    }
}

#[test]
fn what_is_packed_has_its_licences() {
    let [own, bindings] = packed();
    for folder in own.iter().chain(&bindings) {
        let Some(files) = listed(folder) else {
            assert!(bindings.contains(folder), "{folder} cannot be packed");
            continue;
        };
        for licence in LICENCES {
            assert!(files.iter().any(|file| file == licence), "{folder} is packed without {licence}");
        }
        if folder == "crates/walkon-cli" {
            assert!(files.iter().any(|file| file == "src/shell/font/LICENSE"), "the font has a licence, too");
        }
    }
}
