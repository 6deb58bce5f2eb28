//! Import cycles: no modules of a crate import one another in a circle.
//!
//! Goal: a reader can take one module after the other, from the bottom up. Method: read `use` lines and paths
//! that begin with `crate`, `super`, `self` or a child of the module, follow what modules export again, and
//! look which modules reach one another. Exporting a name of a child is no use of the child. What a module
//! exports has a name there: from `pub use other::*` nobody reads what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The `src/` of every crate with modules.
const TREES: [&str; 5] = [
    "crates/walkon-nav/src",
    "crates/walkon-runtime/src",
    "crates/walkon-view/src",
    "crates/walkon-shell/src",
    "crates/walkon-cli/src",
];

/// By module of a crate, without the crate: its code.
fn modules(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "laws");
        if path.is_dir() && !is_test {
            modules(root, &path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") && !is_test {
            let below = path.strip_prefix(root).unwrap().with_extension("");
            let name = below.to_string_lossy().replace(['/', '\\'], "::");
            let name = name.strip_suffix("::mod").unwrap_or(&name).to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
            found.insert(name, as_seen_from_the_file(&code));
        }
    }
}

/// Some lines of a file, in which what modules written out in it call `super` is `self`, and `pub(in ...)`
/// names no module.
fn as_seen_from_the_file(code: &[&str]) -> String {
    let mut is_inside = false;
    let mut seen = String::new();
    for line in code {
        is_inside = match *line {
            "}" => false,
            line if !line.starts_with(' ') && line.ends_with('{') => line.contains("mod "),
            _ => is_inside,
        };
        let line = line.replace("pub(in crate::", "pub(in ");
        seen += &if is_inside { line.replacen("super::", "self::", 1) } else { line };
        seen.push('\n');
    }
    seen
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inside)) = tree.strip_suffix('}').and_then(|tree| tree.split_once('{')) else {
        return vec![tree.split(" as ").next().unwrap().to_owned()];
    };
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if letter == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(letter);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(part)).map(|path| format!("{}{path}", before.trim())).collect()
}

/// A path as seen from a module, from the crate's root; None for other crates.
fn absolute(names: &BTreeSet<String>, path: &str, module: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some(rest.to_owned());
    }
    if let Some(rest) = path.strip_prefix("self::").filter(|rest| !rest.starts_with("super::")) {
        return Some(format!("{module}::{rest}"));
    }
    let path = path.trim_start_matches("self::");
    let (mut above, mut rest) = (module, path);
    while let Some(below) = rest.strip_prefix("super::") {
        above = above.rsplit_once("::").map_or("", |(above, _)| above);
        rest = below;
    }
    if rest != path {
        return Some(format!("{above}::{rest}").trim_start_matches("::").to_owned());
    }
    // A child of the module.
    let child = format!("{module}::{}", path.split("::").next().unwrap());
    names.contains(&child).then(|| format!("{module}::{path}"))
}

/// The module that a path leads into, and the first name in it.
fn within<'a>(names: &'a BTreeSet<String>, path: &str) -> Option<(&'a str, String)> {
    let words: Vec<&str> = path.split("::").collect();
    (1..=words.len()).rev().find_map(|count| {
        let name = names.get(&words[..count].join("::"))?;
        Some((name.as_str(), words.get(count).unwrap_or(&"").to_string()))
    })
}

/// The trees of all `use` items of some code, and whether each is exported.
fn uses(code: &str) -> Vec<(bool, &str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rsplit('\n').next().unwrap().trim();
        let is_item = line.is_empty() || line.starts_with("pub");
        if let Some(end) = code[at..].find(';').filter(|_| is_item) {
            found.push((!line.is_empty(), &code[at + "use ".len()..at + end]));
        }
    }
    found
}

/// The paths in some code outside its `use` items: words with `::` between them.
fn paths(code: &str) -> Vec<&str> {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == ':' || letter == '_';
    let words = code.split(|letter| !is_path(letter));
    // What ends in `::` goes on in braces, which are read as what they name.
    words.filter(|word| word.contains("::") && !word.starts_with(':') && !word.ends_with("::")).collect()
}

/// By module and name: the module in which what it exports is declared.
fn exports(
    modules: &BTreeMap<String, String>,
    names: &BTreeSet<String>,
) -> BTreeMap<(String, String), String> {
    let mut exported = BTreeMap::new();
    for (module, code) in modules {
        for (_, tree) in uses(code).into_iter().filter(|(is_exported, _)| *is_exported) {
            for path in expand(tree) {
                let name = path.rsplit("::").next().unwrap().to_owned();
                let full = absolute(names, &path, module);
                if let Some((home, _)) = full.and_then(|full| within(names, &full)) {
                    exported.insert((module.clone(), name), home.to_owned());
                }
            }
        }
    }
    exported
}

/// By module: those it imports from.
fn imports(modules: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<String>> {
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    let exported = exports(modules, &names);
    let mut imports = BTreeMap::new();
    for (module, code) in modules {
        // What a module exports of its own children is no use that it makes of them.
        let is_elsewhere = |path: &str| {
            path.starts_with("crate::") || path.trim_start_matches("self::").starts_with("super::")
        };
        let is_used = |(is_exported, path): &(bool, String)| !is_exported || is_elsewhere(path);
        let used = uses(code)
            .into_iter()
            .flat_map(|(is_exported, tree)| expand(tree).into_iter().map(move |path| (is_exported, path)));
        let mut used: Vec<String> = used.filter(is_used).map(|(_, path)| path).collect();
        let items: Vec<&str> = uses(code).into_iter().map(|(_, tree)| tree).collect();
        let rest = items.iter().fold(code.clone(), |code, item| code.replacen(item, "", 1));
        used.extend(paths(&rest).into_iter().map(str::to_owned));
        let mut homes = BTreeSet::new();
        for path in used.iter().filter_map(|path| absolute(&names, path, module)) {
            if let Some((mut home, name)) = within(&names, &path) {
                let mut at = (home.to_owned(), name);
                while let Some(next) = exported.get(&at).filter(|next| **next != at.0) {
                    (home, at.0) = (next, next.clone());
                }
                homes.insert(home.to_owned());
            }
        }
        homes.remove(module);
        imports.insert(module.as_str(), homes);
    }
    imports
}

/// All that a module imports from, and what those import from.
fn reached<'a>(imports: &'a BTreeMap<&str, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(module) = left.pop() {
        for next in &imports[module] {
            if seen.insert(next.as_str()) {
                left.push(next);
            }
        }
    }
    seen
}

/// The modules of the largest circle; none where there is no circle.
fn largest_knot<'a>(imports: &'a BTreeMap<&str, BTreeSet<String>>) -> Vec<&'a str> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|&module| (module, reached(imports, module))).collect();
    let knots = imports.keys().map(|&module| -> Vec<&str> {
        reach[module].iter().copied().filter(|other| reach[other].contains(module)).collect()
    });
    knots.max_by_key(Vec::len).unwrap()
}

#[test]
fn no_modules_import_one_another_in_a_circle() {
    for tree in TREES {
        let root = crate::place::root().join(tree);
        let mut found = BTreeMap::new();
        modules(&root, &root, &mut found);
        let imports = imports(&found);
        let largest = largest_knot(&imports);
        assert!(largest.is_empty(), "{tree}: modules import one another in a circle: {largest:?}");
    }
}

/// The exports of some code that name nothing.
fn nameless_exports(code: &str) -> Vec<String> {
    let exported = uses(code).into_iter().filter(|(is_exported, _)| *is_exported);
    exported.flat_map(|(_, tree)| expand(tree)).filter(|path| path.ends_with("::*")).collect()
}

#[test]
fn what_modules_export_has_a_name() {
    for tree in TREES {
        let root = crate::place::root().join(tree);
        let mut found = BTreeMap::new();
        modules(&root, &root, &mut found);
        for (module, code) in &found {
            assert_eq!(
                nameless_exports(code),
                [""; 0],
                "{tree}: {module} exports names that it does not name"
            );
        }
    }
    let code = "use super::def::*;\npub use a::*;\npub(crate) use b::{C, d::*};\npub use e::F;\n";
    assert_eq!(nameless_exports(code), ["a::*", "b::d::*"]);
}

#[test]
fn imports_are_read_as_they_are_written() {
    assert_eq!(
        expand("crate::a::{self, b, c::{d, e as f}}"),
        ["crate::a::self", "crate::a::b", "crate::a::c::d", "crate::a::c::e"]
    );
    let code = [
        ("a", "pub mod b;\npub use b::Thing;\n"),
        ("a::b", "use super::c::Other;\npub struct Thing;\n"),
        ("a::c", "use crate::a::{Thing};\nfn f() { crate::d::g() }\n"),
        ("d", "pub fn g() {}\n"),
        ("e", "mod f;\npub use f::Own;\npub use crate::a::{Thing};\nfn h() { f::g(&std::path::f()) }\n"),
        ("e::f", "fn g() { super::super::d::g() }\nmod raw {\n    use super::G;\n}\n"),
        ("h", "use crate::e::{Own, Thing};\npub(in crate::d) struct H;\n"),
        ("a::i", "pub use super::b::Thing;\n"),
    ];
    let as_read = |code: &str| as_seen_from_the_file(&code.lines().collect::<Vec<_>>());
    let code = code.map(|(name, code)| (name.to_owned(), as_read(code))).into_iter().collect();
    let imports = imports(&code);
    let of = |module: &str| imports[module].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((of("a::b"), of("a::c"), of("d")), (vec!["a::c"], vec!["a::b", "d"], vec![]));
    assert_eq!(of("a::i"), ["a::b"]);
    assert_eq!((of("e"), of("e::f"), of("h")), (vec!["a::b", "e::f"], vec!["d"], vec!["a::b", "e::f"]));
    assert_eq!(reached(&imports, "a::b").into_iter().collect::<Vec<_>>(), ["a::b", "a::c", "d"]);
    assert_eq!(largest_knot(&imports), ["a::b", "a::c"]);
}
