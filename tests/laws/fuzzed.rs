//! Files that were changed without knowledge of them: every format is read or refused, and what is read can
//! be lived on.
//!
//! Goal: the short form of the fuzz targets in `fuzz/`, in every run of the suite. Method: valid files,
//! changed by a seeded generator (bits, cuts, pieces of themselves elsewhere, words and numbers exchanged),
//! go through the same checks. A failure names the file and the round; `fuzz/README.md` tells how to run the
//! long form.

#[path = "../../fuzz/src/lib.rs"]
pub mod checks;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::graph::{compact_bytes, read_graph_text};

/// Numbers that break what did not expect them.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "0.5",
    "-0.0",
    "1e-9",
    "1e5",
    "1e9",
    "1e308",
    "-1e308",
    "1e999",
    "255",
    "65536",
    "4294967295",
    "99999999999999999999",
];

/// A valid file changed a little: one to four times.
fn changed(valid: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        change(&mut bytes, rng);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut at = || rng.below(bytes.len() as u64) as usize;
    let (from, to) = (at(), at());
    match rng.below(16) {
        0 | 1 => bytes[from] ^= 1 << rng.below(8),
        2 => bytes[from] = rng.below(256) as u8,
        3 => bytes.truncate(from),
        4 => {
            let end = (from + 1 + rng.below(24) as usize).min(bytes.len());
            bytes.drain(from..end);
        }
        5 | 6 => {
            let end = (from + 1 + rng.below(40) as usize).min(bytes.len());
            let piece = bytes[from..end].to_vec();
            bytes.splice(to..to, piece);
        }
        7..=11 => {
            let words = words(bytes, |byte| byte.is_ascii_digit() || b"+-.e".contains(&byte));
            exchange(bytes, &words, rng, true);
        }
        _ => {
            let words = words(bytes, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
            exchange(bytes, &words, rng, false);
        }
    }
}

/// Where words of some letters stand.
fn words(bytes: &[u8], is_letter: impl Fn(u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    for word in bytes.split(|&byte| !is_letter(byte)) {
        if !word.is_empty() {
            words.push(at..at + word.len());
        }
        at += word.len() + 1;
    }
    words
}

/// Puts another word of the file, or a number, in the place of a word.
fn exchange(bytes: &mut Vec<u8>, words: &[std::ops::Range<usize>], rng: &mut Rng, numbers: bool) {
    let Some(last) = words.len().checked_sub(1) else { return };
    let mut any = || words[rng.below(last as u64 + 1) as usize].clone();
    let (place, other) = (any(), any());
    let word = if numbers && rng.below(2) == 0 {
        NUMBERS[rng.below(NUMBERS.len() as u64) as usize].as_bytes().to_vec()
    } else {
        bytes[other].to_vec()
    };
    bytes.splice(place, word);
}

/// Changes files of one format `rounds` times; at least a twentieth must be read, and a twentieth refused, or
/// the test shows nothing.
fn check(check: fn(&[u8]) -> bool, files: &[(&str, &[u8])], rounds: u64) {
    let (mut read, mut refused) = (0, 0);
    for &(name, valid) in files {
        assert!(check(valid), "{name} is refused as it is");
    }
    for round in 0..rounds {
        let (name, valid) = files[round as usize % files.len()];
        let mut rng = Rng::stream(round, name);
        let bytes = changed(valid, &mut rng);
        match std::panic::catch_unwind(|| check(&bytes)) {
            Ok(true) => read += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("round {round}, a changed {name}:\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    assert!(20 * read >= rounds && 20 * refused >= rounds, "{read} read, {refused} refused of {rounds}");
}

macro_rules! files {
    ($($path:literal),+ $(,)?) => { &[$(($path, include_bytes!(concat!("../../", $path)).as_slice())),+] };
}

#[test]
fn changed_obj_files_are_read_or_refused() {
    check(checks::obj, files!["levels/scenes/tower.obj", "fuzz/seeds/obj/floors.obj"], 600);
}

#[test]
fn changed_gltf_files_are_read_or_refused() {
    check(checks::gltf, files!["fuzz/seeds/gltf/inline.gltf", "fuzz/seeds/gltf/binary.glb"], 1500);
}

#[test]
fn changed_mesh_files_are_read_or_refused() {
    check(checks::mesh, files!["fuzz/seeds/mesh/square.mesh", "fuzz/seeds/mesh/rooms.mesh"], 800);
}

#[test]
fn changed_graph_files_are_read_or_refused() {
    let text = include_bytes!("../../fuzz/seeds/graph/stairs.graph.json").as_slice();
    let draft = read_graph_text(text).expect("a graph");
    let compact = compact_bytes("it", text, &draft, &[vec![0, 1, 2, 3], vec![3, 2, 1, 0]]);
    let stored = crate::place::root().join("fuzz/seeds/graph/stairs.graph");
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(&stored, &compact).expect("a seed for the fuzzer");
    }
    assert_eq!(std::fs::read(&stored).expect("a seed for the fuzzer"), compact, "made from the other");
    check(checks::graph, &[("stairs.graph.json", text), ("stairs.graph", &compact)], 600);
}

#[test]
fn changed_tiled_maps_are_read_or_refused() {
    let files: &[(&str, &[u8])] = files![
        "levels/tavern.tmx",
        "tests/data/tiled/base64.tmj",
        "tests/data/tiled/csv.tmx",
        "tests/data/tiled/groups.tmx",
        "tests/data/tiled/zlib.tmx",
        "tests/data/tiled/infinite-csv.tmx",
    ];
    check(checks::tiled, files, 600);
}

#[test]
fn changed_levels_are_read_or_refused() {
    let files: &[(&str, &[u8])] = files![
        "levels/house.json",
        "levels/burrow.json",
        "levels/courtyard.json",
        "levels/crypt.json",
        "levels/ruins.json",
        "tests/data/every_key.json",
    ];
    check(checks::level, files, 600);
}

#[test]
fn r6_files_that_the_fuzzer_found_are_read_or_refused() {
    // A search that went round a corner for ever; places on a ladder, and on steep ground, that were drawn
    // and not found again.
    checks::level(include_bytes!("../../fuzz/seeds/level/crossing.json"));
    checks::graph(include_bytes!("../../fuzz/seeds/graph/ladder.graph"));
    checks::obj(include_bytes!("../../fuzz/seeds/obj/steep.obj"));
    // An object from one end of all cells to the other: more of them than can be counted.
    checks::tiled(include_bytes!("../../fuzz/seeds/tiled/far.tmx"));
}
