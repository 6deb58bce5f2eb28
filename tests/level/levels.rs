//! Every level in `levels/`, run headlessly with its scripts, against what it is expected to come to.
//!
//! Goal: a change that alters what a level does shows as a changed file. Method: each level runs for a fixed
//! time; its sentences and its hash at fixed ticks are compared with `tests/golden/<level>.txt`; `UPDATE=1`
//! rewrites the files, and the diff is read. Of a long story the file has the beginning, how often what
//! happened, and a hash. Each level runs twice here, and once more in a child process through the command
//! line; all hashes must agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use walkon_runtime::base::hash::ContentHash;
use walkon_runtime::game::headless::{Bound, Onlooker, Report, run};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// The levels, with the game seconds that are compared.
const LEVELS: [(&str, u64); 14] = [
    ("courtyard", 60),
    ("house", 90),
    ("ruins", 90),
    ("market", 20),
    ("arena", 60),
    ("bridge", 40),
    ("plaza", 40),
    ("tavern", 40),
    ("village", 60),
    ("burrow", 30),
    ("tower", 60),
    ("battlefield", 80),
    ("hamlet", 60),
    ("hamlet_night", 140),
];

fn root() -> PathBuf {
    crate::place::root().to_owned()
}

/// The scripts of the project, by path below the script folder.
pub fn scripts() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    collect(&root().join("scripts"), "", &mut texts);
    texts
}

fn collect(folder: &Path, below: &str, texts: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{below}{name}");
        if entry.path().is_dir() {
            if name != "types" {
                collect(&entry.path(), &format!("{path}/"), texts);
            }
        } else if name.ends_with(".lua") && !name.ends_with(".d.lua") {
            texts.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

/// Everything below the folder of the levels: a level may name maps, scenes and graphs.
pub fn levels() -> MemorySource {
    let mut files = Vec::new();
    collect_levels(&root().join("levels"), "", &mut files);
    files.into_iter().fold(MemorySource::new(), |source, (name, bytes)| source.with(&name, bytes))
}

/// The names of the levels themselves: every level file that lies in the folder.
pub fn shipped() -> Vec<String> {
    let files = fs::read_dir(root().join("levels")).unwrap().map(|entry| entry.unwrap().path());
    let levels = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let names = levels.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    // The large town is made on the spot, where it is at all.
    let mut names: Vec<String> = names.filter(|name| name != "town").collect();
    names.sort_unstable();
    names
}

fn collect_levels(folder: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect_levels(&path, &format!("{name}/"), files);
        } else {
            files.push((name, fs::read(path).unwrap()));
        }
    }
}

/// Runs a level of the project; what it came to, and its story.
fn play(name: &str, seconds: u64, seed: Option<u64>) -> (Report, Vec<String>, Vec<String>) {
    play_from(&levels(), name, seconds, seed)
}

/// The same from other files.
fn play_from(
    source: &MemorySource,
    name: &str,
    seconds: u64,
    seed: Option<u64>,
) -> (Report, Vec<String>, Vec<String>) {
    let path = format!("{name}.json");
    let level = load(&path, source).unwrap_or_else(|error| panic!("{error}"));
    let options = RecordOptions { trace: true, hash_every: 300, sentences: true, ..RecordOptions::default() };
    let setup = Setup { scripts: scripts(), recorder: Recorder::new(options), seed, ..Setup::default() };
    let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{name}: {error}"));
    let ticks_max = seconds * u64::from(game.world().rate().per_second());
    let (mut story, mut lines) = (Vec::new(), Vec::new());
    let bound = Bound { ticks_max, until: None, is_strict: true };
    let report = run(&mut game, &bound, |world, recorded| {
        let tick = world.tick().0;
        story.extend(recorded.sentences.iter().map(|sentence| format!("{tick:6}  {sentence}")));
        lines.extend(recorded.lines.iter().cloned());
        Onlooker::GoOn
    });
    (report, story, lines)
}

/// What happens in a story, without when, where and to whom it does: events and scenes, each once.
fn happenings(story: &[String]) -> BTreeSet<String> {
    let words = story.iter().map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>());
    let tells = |words: &Vec<&str>| words.len() > 1 && ["event", "scene"].contains(&words[0]);
    words.filter(tells).map(|words| words[..2].join(" ")).collect()
}

#[test]
fn one_word_plays_a_level_of_a_grid_on_a_mesh() {
    for (name, seconds) in [("courtyard", 60), ("house", 60), ("market", 10), ("arena", 20), ("bridge", 40)] {
        let path = format!("{name}.json");
        let text = fs::read_to_string(root().join("levels").join(&path)).unwrap();
        let changed = text.replace("\"kind\": \"grid\"", "\"kind\": \"mesh\"");
        assert_ne!(text, changed, "levels/{path} is a grid");
        let (on_cells, story, _) = play(name, seconds, None);
        let (on_mesh, other_story, _) = play_from(&levels().with(&path, changed), name, seconds, None);
        assert_eq!(on_mesh.faults, 0, "levels/{path}: its scripts do not know the difference");
        assert_eq!(happenings(&story), happenings(&other_story), "levels/{path}");
        let (cells, mesh) = (on_cells.walks, on_mesh.walks);
        assert_eq!(
            mesh.accepted,
            mesh.arrived + mesh.partial + mesh.blocked + mesh.cancelled,
            "{name}: inv:T1"
        );
        assert!(
            5 * mesh.arrived >= 4 * cells.arrived,
            "levels/{path}: {cells:?} on cells, {mesh:?} on a mesh"
        );
    }
}

/// Longest story that a golden file has sentence by sentence, lines.
const STORY_MAX: usize = 130;

/// How many sentences a golden file has of a longer one.
const BEGINNING: usize = 30;

/// What a sentence tells of, without when, where and which of several: `attacker: arrived/reached`.
fn kind(sentence: &str) -> String {
    let is_detail = |word: &&str| ["at", "by", "after"].contains(word) || word.starts_with(['{', '(']);
    let words = sentence.split_whitespace().skip(1).take_while(|word| !is_detail(word));
    let kind = words.collect::<Vec<_>>().join(" ");
    kind.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// A story as its golden file has it: all of a short one; of a long one the beginning, how often what
/// happened, and a hash of every sentence.
fn summary(story: Vec<String>) -> Vec<String> {
    if story.len() <= STORY_MAX {
        return story;
    }
    let mut hash = ContentHash::default();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for sentence in &story {
        hash.text(sentence);
        *counts.entry(kind(sentence)).or_default() += 1;
    }
    let mut told = story[..BEGINNING].to_vec();
    told.push(format!("all {} sentences, hash {:016x}", story.len(), hash.finish()));
    told.extend(counts.iter().map(|(kind, count)| format!("{count:6} x {kind}")));
    told
}

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(format!("{name}.txt"))
}

#[test]
fn every_level_tells_the_story_it_is_expected_to_tell() {
    for (name, seconds) in LEVELS {
        let (report, story, lines) = play(name, seconds, None);
        let mut told = summary(story);
        told.extend(lines.iter().filter(|line| line.contains("\"parts\"")).cloned());
        told.push(report.fields().finish());
        let text = told.join("\n") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(root().join("tests/golden")).unwrap();
            fs::write(golden(name), &text).unwrap();
            continue;
        }
        let expected = fs::read_to_string(golden(name)).unwrap_or_default();
        for (number, (is, was)) in text.lines().zip(expected.lines()).enumerate() {
            assert_eq!(
                is,
                was,
                "levels/{name}.json, line {}: read the diff after UPDATE=1 cargo test",
                number + 1
            );
        }
        assert_eq!(text.lines().count(), expected.lines().count(), "levels/{name}.json");
        assert_eq!(report.faults, 0, "levels/{name}.json: a shipped script faulted");
        let walks = report.walks;
        assert_eq!(walks.accepted, walks.arrived + walks.partial + walks.blocked + walks.cancelled, "inv:T1");
    }
}

#[test]
fn inv_d1_a_level_runs_the_same_twice_and_another_seed_runs_otherwise() {
    for (name, seconds) in LEVELS {
        let seconds = seconds.min(20);
        let (first, story, lines) = play(name, seconds, None);
        let (second, story_again, lines_again) = play(name, seconds, None);
        assert_eq!(first.hash, second.hash, "{name}");
        assert_eq!((story, lines), (story_again, lines_again), "{name}");
        let (other, ..) = play(name, seconds, Some(99));
        assert_ne!(first.hash, other.hash, "{name}: the seed reaches the state");
    }
}

#[test]
fn inv_d5_who_looks_on_changes_nothing() {
    let (traced, ..) = play("courtyard", 10, None);
    let path = "courtyard.json";
    let text = fs::read(root().join("levels").join(path)).unwrap();
    let level = load(path, &MemorySource::new().with(path, text)).unwrap();
    let mut game = Game::load(level, Setup { scripts: scripts(), ..Setup::default() }).unwrap();
    let bound = Bound { ticks_max: 600, until: None, is_strict: false };
    let unseen = run(&mut game, &bound, |_, _| Onlooker::GoOn);
    assert_eq!(traced.hash, unseen.hash);
}

#[test]
fn inv_d1_ten_processes_end_in_the_state_that_the_golden_file_names() {
    let expected = fs::read_to_string(golden("courtyard")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(expected.lines().last().unwrap()).unwrap();
    for _ in 0..10 {
        let run = crate::place::walkon(&root(), &["run", "levels/courtyard.json", "--format", "json"]);
        let result: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(result["hash"], expected["hash"], "every process, and release as debug: see .ci/run");
    }
}

/// Who is put somewhere by a script of its level.
const PUT: [(&str, &str); 1] = [("bridge", "anna")];

#[test]
fn inv_n1_n3_n4_nobody_leaves_the_ground_jumps_or_goes_astray() {
    use walkon_runtime::base::geom::flat_distance;
    use walkon_runtime::nav::Traversal;

    use crate::invariants::PUSH_MAX_M;
    for (name, seconds) in LEVELS {
        let path = format!("{name}.json");
        let level = load(&path, &levels()).unwrap();
        let mut game = Game::load(level, Setup { scripts: scripts(), ..Setup::default() }).unwrap();
        let mut before = BTreeMap::new();
        for tick in 0..seconds.min(30) * 60 {
            game.tick(&[]);
            for (_, character) in game.world().characters() {
                let at = character.body.position;
                assert!(at.is_finite(), "levels/{name}.json, tick {tick}: {} at {at}", character.name);
                let was = before.insert(character.serial, at).unwrap_or(at);
                let gone_m = flat_distance(was, at);
                let fastest_mps = character.gait.run_mps.max(character.gait.walk_mps);
                assert!(
                    gone_m <= fastest_mps / 60.0 + PUSH_MAX_M + 1e-3
                        || PUT.contains(&(name, character.name.as_str())),
                    "levels/{name}.json: {} jumped {gone_m} m",
                    character.name
                );
                // A character that stands where ground went away may stand there, but nobody walks onto what
                // is closed.
                let by = Traversal { layer: character.layer, ..Traversal::default() };
                let stands = gone_m == 0.0 || game.world().nav().is_walkable(at, &by);
                assert!(
                    stands,
                    "levels/{name}.json, tick {tick}: {} walks off the ground at {at}",
                    character.name
                );
            }
        }
    }
}
