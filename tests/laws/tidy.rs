//! The house rules that a text search can hold: layers, crates, unsafe code, dead files, the README.
//!
//! Goal: a newcomer can trust the map in the README. Method: read the sources as text; every breach is
//! printed with file, line and rule. Exceptions stand in one list with a reason each; the list only shrinks.

use std::fs;
use std::path::Path;

/// Module, and the modules it may name.
const LAYERS: [(&str, &[&str]); 11] = [
    ("base", &["base"]),
    ("nav", &["base", "nav"]),
    ("crowd", &["base", "nav", "crowd"]),
    ("world", &["base", "nav", "crowd", "world"]),
    ("level", &["base", "nav", "crowd", "world", "level"]),
    ("sim", &["base", "nav", "crowd", "world", "sim"]),
    ("script", &["base", "nav", "crowd", "world", "script"]),
    ("view", &["base", "nav", "crowd", "world", "view"]),
    ("game", &["base", "nav", "crowd", "world", "level", "sim", "script", "view", "game"]),
    ("disk", &["level"]),
    ("shell", &["base", "nav", "world", "level", "script", "view", "game", "disk", "shell"]),
];

/// Folder of `script`, and the folders of it that it may name. What lies beside them drives them all.
const SCRIPT_LAYERS: [(&str, &[&str]); 4] = [
    ("state", &["state"]),
    ("vm", &["state", "vm"]),
    ("step", &["state", "vm", "step"]),
    ("bind", &["state", "vm", "step", "bind"]),
];

/// What steps may name of the bindings: the tables that handlers are called with.
const BIND_FOR_STEPS: [&str; 1] = ["bind::results"];

/// External crates, and the folders or files below `src/` that may name them.
const CRATES: [(&str, &[&str]); 24] = [
    ("mlua", &["script/"]),
    ("slotmap", &["base/", "nav/requests", "world/", "script/"]),
    ("rand_pcg", &["base/rng"]),
    ("spade", &["nav/mesh/"]),
    ("libm", &["base/", "nav/", "crowd/", "world/", "sim/", "script/", "level/"]),
    ("log", &["world/", "level/", "sim/", "script/", "view/", "game/", "shell/", "shared/", "viewer/"]),
    ("serde", &["level/", "world/snapshot", "view/json", "game/", "shell/", "shared/", "viewer/"]),
    ("serde_json", &["level/", "view/json", "game/", "shell/", "shared/", "viewer/"]),
    ("anyhow", &["shell/"]),
    ("clap", &["shell/"]),
    ("clap_complete", &["shell/"]),
    ("env_logger", &["shell/"]),
    ("annotate_snippets", &["shell/"]),
    ("tiny_skia", &["shell/pictures"]),
    ("png", &["shell/pictures"]),
    ("gif", &["shell/pictures"]),
    ("indicatif", &["shell/progress"]),
    ("signal_hook", &["shell/"]),
    ("full_moon", &["shell/"]),
    ("notify", &["shell/"]),
    ("quick_xml", &["level/tiled"]),
    ("flate2", &["level/tiled", "viewer/page", "shell/font"]),
    ("ruzstd", &["level/tiled"]),
    ("tungstenite", &["viewer/server"]),
];

/// Breaches that are allowed: file below `src/`, a part of the line, the reason. Only ever shortened.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

pub(super) struct SourceFile {
    /// Below the `src/` of its crate, with forward slashes, behind what its crate is called in [`TREES`].
    pub path: String,
    /// From the root of the project.
    pub place: String,
    pub text: String,
}

/// The `src/` of every crate of the house, and what its files are called here in front of their own path: a
/// crate that has no modules of the layers is one.
const TREES: [(&str, &str); 6] = [
    ("src", "facade/"),
    ("crates/walkon-runtime/src", ""),
    ("crates/walkon-nav/src", ""),
    ("crates/walkon-cli/src", ""),
    ("crates/walkon-view/src", "viewer/"),
    ("crates/walkon-shell/src", "shared/"),
];

pub(super) fn sources() -> Vec<SourceFile> {
    let mut files = Vec::new();
    for (tree, prefix) in TREES {
        let root = crate::place::root().join(tree);
        let mut own = Vec::new();
        collect(&root, &root, &mut own);
        files.extend(
            own.into_iter().map(|file| SourceFile { path: format!("{prefix}{}", file.path), ..file }),
        );
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 20, "the source tree is where this test thinks it is");
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            let below = |root: &Path| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap();
            files.push(SourceFile { path: below(root), place: below(crate::place::root()), text });
        }
    }
}

/// Every file of some folders of the project.
pub(super) fn files_of(trees: &[&str]) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for tree in trees {
        let root = crate::place::root().join(tree);
        collect(&root, &root, &mut files);
    }
    files
}

/// The code of a line, without comments and without text in quotes that spans one line.
fn code(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") { "" } else { line.split(" // ").next().unwrap_or(line) }
}

fn breaches(check: impl Fn(&SourceFile, &str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources() {
        for (number, line) in file.text.lines().enumerate() {
            let excused = EXCEPTIONS.iter().any(|(path, part, _)| *path == file.path && line.contains(part));
            if let Some(rule) = check(&file, code(line)).filter(|_| !excused) {
                found.push(format!("{}:{}: {rule}", file.place, number + 1));
            }
        }
    }
    found
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{} breaches:\n{}", found.len(), found.join("\n"));
}

#[test]
fn modules_import_only_from_the_layers_below() {
    assert_none(&breaches(|file, line| {
        let module = file.path.split(['/', '.']).next()?;
        let allowed = LAYERS.iter().find(|(name, _)| *name == module)?.1;
        let mut rest = line;
        while let Some(at) = rest.find("crate::") {
            rest = &rest[at + "crate::".len()..];
            let named: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_module = LAYERS.iter().any(|(name, _)| *name == named);
            if is_module && !allowed.contains(&named.as_str()) {
                return Some(format!("{module} may not import {named} (layers, house rules)"));
            }
        }
        None
    }));
}

/// The layer of `script` that a file lies in; none for what drives them all.
fn script_layer(path: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    let (folder, _) = path.strip_prefix("script/")?.split_once('/')?;
    SCRIPT_LAYERS.iter().find(|(name, _)| *name == folder)
}

/// What `line`, of a file in `layer`, names of `script` and may not.
fn script_breach(layer: &(&str, &[&str]), line: &str) -> Option<String> {
    let (name, allowed) = layer;
    line.split("crate::script::").skip(1).find_map(|named| {
        let folder: String = named.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_for_steps = *name == "step" && BIND_FOR_STEPS.iter().any(|path| named.starts_with(path));
        (!allowed.contains(&folder.as_str()) && !is_for_steps)
            .then(|| format!("script/{name} may not import {named} (layers inside script)"))
    })
}

#[test]
fn the_folders_of_script_import_only_from_those_below() {
    assert_none(&breaches(|file, line| script_breach(script_layer(&file.path)?, line)));
    let folders: Vec<&str> = SCRIPT_LAYERS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| {
            sources().iter().any(|file| script_layer(&file.path).is_some_and(|(folder, _)| folder == name))
        })
        .collect();
    assert_eq!(folders, SCRIPT_LAYERS.map(|(name, _)| name), "every layer is a folder");
    let step = &SCRIPT_LAYERS[2];
    assert_eq!(script_breach(step, "use crate::script::bind::results;"), None);
    assert!(script_breach(step, "use crate::script::bind::walk;").is_some());
    assert!(script_breach(step, "use crate::script::{bind, vm};").is_some());
}

#[test]
fn tables_of_scripts_never_see_the_vm() {
    assert_none(&breaches(|file, line| {
        let (layer, _) = script_layer(&file.path)?;
        let names =
            |word: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
        let sees = ["Lua", "ScriptVm", "AsChunk"].into_iter().find(|word| names(word));
        let calls = [".call(", ".call::<", ".resume(", ".raw_get", ".get::<", ".set_readonly("]
            .into_iter()
            .find(|call| line.contains(call));
        let breach = sees.or(calls).filter(|_| *layer == "state")?;
        Some(format!("script/state never sees the VM: {breach}"))
    }));
}

#[test]
fn crates_are_named_only_in_their_places() {
    let paths = CRATES.map(|(name, _)| format!("{name}::"));
    assert_none(&breaches(|file, line| {
        // Few lines name anything by a path: the others need no closer look.
        if !line.contains("::") {
            return None;
        }
        CRATES.iter().zip(&paths).find_map(|((name, places), path)| {
            let uses = line.match_indices(path.as_str()).any(|(at, _)| {
                let before = &line[..at];
                before.is_empty() || before.ends_with([' ', '(', '<'])
            });
            let allowed = uses && places.iter().any(|place| file.path.starts_with(place));
            (uses && !allowed).then(|| format!("{name} is allowed in {} only", places.join(", ")))
        })
    }));
}

#[test]
fn modules_are_named_from_the_crate_root() {
    assert_none(&breaches(|_, line| {
        line.contains("super::super").then(|| "write crate::module::..., never super::super".to_owned())
    }));
}

#[test]
fn unsafe_code_is_lifted_where_the_vm_calls_the_host_and_nowhere_else() {
    let lifted: Vec<String> = sources()
        .iter()
        .filter(|file| file.text.lines().any(|line| code(line).contains("allow(unsafe_code)")))
        .map(|file| file.path.clone())
        .collect();
    // The counter of fuel, the calls that it counts one by one, the looks at their stacks, the frames that a
    // debugger looks at, what is asked of characters most; the handle that collectors of other languages free
    // on any thread; hints to the processor.
    let may = [
        "base/prefetch.rs",
        "script/bind/quick_answers.rs",
        "script/vm/debug.rs",
        "script/vm/fuel.rs",
        "script/vm/fuel/batch.rs",
        "shared/thread_bound.rs",
        "script/vm/fuel/sampling.rs",
    ];
    assert!(lifted.iter().all(|path| may.contains(&path.as_str())), "unsafe code is lifted in {lifted:?}");
}

#[test]
fn fault_i4_and_i5_the_bans_on_hash_order_and_on_the_platforms_trigonometry_stand() {
    let bans = fs::read_to_string(crate::place::root().join("clippy.toml")).unwrap();
    for banned in
        ["std::collections::HashMap", "std::time::Instant", "f32::sin", "f64::atan2", "f32::mul_add"]
    {
        assert!(bans.contains(&format!("path = \"{banned}\"")), "clippy.toml does not ban {banned}");
    }
    let lifted = sources().iter().filter(|file| file.text.contains("allow(clippy::disallowed")).count();
    assert!(
        lifted <= 4,
        "the bans are lifted in shell/mod.rs, in disk.rs, in what shells share and in the crate of the live page only"
    );
}

/// Fewer names than this stand at the root of the library, so that the list can be read.
const FACADE_NAMES: usize = 150;

#[test]
fn the_list_at_the_root_of_the_library_stays_short() {
    let root = fs::read_to_string(crate::place::root().join("src/lib.rs")).unwrap();
    let names =
        |list: &str| list.split(';').next().unwrap().split(',').filter(|name| name.trim().len() > 1).count();
    // What only debuggers need has a module of its own.
    let (root, debug) = root.split_once("pub mod debug {").unwrap();
    let count = |part: &str| part.split("pub use ").skip(1).map(names).sum::<usize>();
    assert!((100..FACADE_NAMES).contains(&count(root)), "{} names", count(root));
    assert!((10..20).contains(&count(debug)), "{} names for debuggers", count(debug));
    assert!(!debug.contains("mod "), "no other module hides names");
}

#[test]
fn every_file_is_named_by_a_module() {
    let files = sources();
    for file in &files {
        if ["lib.rs", "facade/lib.rs", "facade/main.rs", "shared/lib.rs", "viewer/lib.rs"]
            .contains(&file.path.as_str())
        {
            continue;
        }
        let path = file.path.trim_end_matches(".rs").trim_end_matches("/mod");
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parents = ["{parent}.rs", "{parent}/mod.rs", "{parent}/lib.rs"]
            .map(|name| name.replace("{parent}", parent));
        let declares = |file: &SourceFile| {
            file.text
                .lines()
                .any(|line| line.trim_end().trim_end_matches(';').ends_with(&format!("mod {name}")))
        };
        let may_name = |file: &&SourceFile| match parent {
            "" => file.path == "lib.rs",
            _ => parents.contains(&file.path),
        };
        let named = files.iter().filter(may_name).any(declares);
        assert!(named, "src/{} is named by no `mod`", file.path);
    }
}

#[test]
fn every_module_opens_with_what_it_is_for() {
    for file in sources() {
        let is_tests = file.path.ends_with("tests.rs") || file.path.contains("/tests/");
        assert!(is_tests || file.text.starts_with("//! "), "src/{} has no header", file.path);
    }
}

/// How many letters a line of a comment may have: as many as `rustfmt.toml` gives a line of code.
const COMMENT_WIDTH_MAX: usize = 110;

#[test]
fn lines_of_comments_are_no_wider_than_lines_of_code() {
    let mut wide = Vec::new();
    for file in files_of(&["src", "crates", "tests"]) {
        for (number, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("//") && line.chars().count() > COMMENT_WIDTH_MAX {
                wide.push(format!("{}:{}: wrap it", file.place, number + 1));
            }
        }
    }
    assert_none(&wide);
}

#[test]
fn nothing_is_left_behind() {
    assert_none(&breaches(|file, line| {
        let is_tests = file.path.ends_with("tests.rs");
        let left = ["todo!(", "unimplemented!(", "dbg!(", "#[ignore", "TODO", "FIXME"];
        left.iter()
            .find(|left| line.contains(**left) && !is_tests)
            .map(|left| format!("{left} is left behind"))
    }));
}

#[test]
fn the_readme_names_every_reason() {
    let readme = fs::read_to_string(crate::place::root().join("README.md")).unwrap();
    for reason in walkon_runtime::world::outcome::Reason::ALL {
        let name = reason.name();
        assert!(readme.contains(&format!("`{name}`")), "the README does not explain the reason {name}");
    }
}

/// The files below a folder that say what runs them, without what was built.
#[cfg(unix)]
fn runnable(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if !["target", ".git", "corpus", "artifacts"].iter().any(|built| path.ends_with(built)) {
                runnable(&path, found);
            }
        } else if fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"#!/")) {
            found.push(path);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_says_what_runs_it_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let mut files = Vec::new();
    for folder in [".ci", "benches", "bindings", "deploy", "fuzz", "tools"] {
        runnable(&crate::place::root().join(folder), &mut files);
    }
    assert!(files.len() > 10, "{files:?}");
    files.retain(|file| file.metadata().unwrap().permissions().mode() & 0o111 == 0);
    assert!(files.is_empty(), "chmod +x {files:?}");
}

#[test]
fn the_architecture_names_files_that_are_there_and_every_layer() {
    let page = fs::read_to_string(crate::place::root().join("ARCHITECTURE.md")).unwrap();
    let quoted: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let files: Vec<&&str> =
        quoted.iter().filter(|text| text.ends_with(".rs") && !text.starts_with("tests/")).collect();
    assert!(files.len() > 20, "{files:?}");
    let there =
        |file: &str| TREES.iter().any(|(tree, _)| crate::place::root().join(tree).join(file).is_file());
    let lost: Vec<_> = files.iter().filter(|file| !there(file)).collect();
    assert!(lost.is_empty(), "ARCHITECTURE.md names files that are not there: {lost:?}");
    for (layer, _) in LAYERS {
        assert!(page.contains(layer), "ARCHITECTURE.md does not name the layer {layer}");
    }
}

/// No file and no function is longer, in lines. Lower these when the longest become shorter; never raise
/// them.
const LONGEST: [usize; 2] = [1380, 150];

#[test]
fn no_file_and_no_function_grows_longer_than_the_longest() {
    let files = sources();
    let mut lengths: Vec<(usize, &str)> =
        files.iter().map(|file| (file.text.lines().count(), file.path.as_str())).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    println!("the ten longest files:");
    for (lines, path) in lengths.iter().take(10) {
        println!("{lines:6}  src/{path}");
    }
    let mut functions: Vec<(usize, String)> = files.iter().flat_map(functions_of).collect();
    functions.sort_unstable_by(|a, b| b.cmp(a));
    println!("the ten longest functions:");
    for (lines, place) in functions.iter().take(10) {
        println!("{lines:6}  {place}");
    }
    assert!(lengths[0].0 <= LONGEST[0], "{:?}", lengths[0]);
    assert!(functions[0].0 <= LONGEST[1], "{:?}", functions[0]);
}

/// Functions by their indentation: from the line with `fn` to the closing brace in the same column.
fn functions_of(file: &SourceFile) -> Vec<(usize, String)> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let head = line.trim_start();
        let is_function = ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "async fn "]
            .iter()
            .any(|prefix| head.starts_with(prefix));
        // Those of a trait may have no body.
        let ends = lines[start..].iter().find(|line| line.ends_with(['{', '}', ';']));
        if !is_function || ends.is_none_or(|line| line.ends_with(';')) {
            continue;
        }
        let close = format!("{}}}", " ".repeat(indent));
        if let Some(length) = lines[start..].iter().position(|line| *line == close) {
            let name = head.split("fn ").nth(1).unwrap_or("").split(['(', '<']).next().unwrap_or("");
            found.push((length + 1, format!("src/{}:{}: {name}", file.path, start + 1)));
        }
    }
    found
}
