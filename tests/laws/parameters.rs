//! Parameters say what they are: no bare truth values.
//!
//! Goal: a call can be read without looking up the function. Method: read the parameters of every `fn` of the
//! sources as text; `bool` alone, or in a tuple, is a breach. What selects a way of working is an enum, a
//! named field or a function of its own. Excused is what takes a truth value because the value itself is
//! written, hashed, compared or kept; the list only shrinks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// File, function, and the reason: the truth value is what the function is about.
const EXCUSED: [(&str, &str, &str); 16] = [
    ("crates/walkon-nav/src/base/bytes.rs", "flag", "the value that is written"),
    ("crates/walkon-nav/src/base/bytes/data.rs", "data_flag", "the value that is written"),
    ("crates/walkon-nav/src/base/hash.rs", "flag", "the value that is hashed"),
    ("crates/walkon-nav/src/base/spatial_hash.rs", "offer", "counted without a branch, in the hottest loop"),
    ("crates/walkon-nav/src/nav/cells/agent_mask.rs", "fall", "what a scan has found so far"),
    ("crates/walkon-nav/src/nav/cells/agent_mask.rs", "rise", "what a scan has found so far"),
    ("crates/walkon-nav/src/nav/cells/bits.rs", "set", "the value of a cell"),
    ("crates/walkon-view/src/edit/json.rs", "visit_bool", "the signature is serde's"),
    ("src/game/line.rs", "flag", "the value that is written"),
    ("src/script/bind/test.rs", "judge", "the result of a comparison"),
    ("src/script/host/scenes.rs", "attend", "the state itself, as inputs say it"),
    ("src/script/state/predicates.rs", "answer", "the value of a predicate"),
    ("src/script/state/predicates.rs", "handler", "the value of a predicate"),
    ("src/script/state/trees.rs", "of", "the result of a node as its word"),
    ("src/world/area.rs", "of", "the state as its word"),
    ("src/world/door.rs", "of", "the state as its word"),
];

/// A parameter of a function.
struct Parameter {
    line: usize,
    function: String,
    /// Pattern and type, on one line.
    text: String,
}

/// `text` up to the bracket that closes the first one, without both.
fn bracketed(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    text
}

/// The parts of a list between its outermost commas.
fn parts(list: &str) -> Vec<String> {
    let (mut depth, mut before, mut parts) = (0, ' ', vec![String::new()]);
    for letter in list.chars() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' && before != '=' => depth -= 1,
            _ => {}
        }
        if letter == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
        before = letter;
    }
    let words = |part: &String| part.split_whitespace().collect::<Vec<_>>().join(" ");
    parts.iter().map(words).filter(|part| !part.is_empty()).collect()
}

/// The parameters of every function of a file, without those of its tests.
fn parameters(text: &str) -> Vec<Parameter> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: Vec<&str> =
        text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line }).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let rest = &code[at + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
        let Some(open) = rest.find('(').filter(|_| is_word && !name.is_empty()) else { continue };
        // What stands between is the list of what the function is generic over, and nothing else.
        let between = &rest[name.len()..open];
        let open = if between.contains("Fn") {
            let close = rest[open..].find(">(").map(|close| open + close + 1);
            close.unwrap_or(open)
        } else {
            open
        };
        let line = code[..at].matches('\n').count() + 1;
        let list = parts(bracketed(&rest[open..]));
        found.extend(list.into_iter().map(|text| Parameter { line, function: name.clone(), text }));
    }
    found
}

/// Whether a parameter is a bare truth value, or a tuple with one.
fn is_bare(parameter: &str) -> bool {
    let Some((_, of)) = parameter.rsplit_once(": ") else { return false };
    of == "bool" || of.starts_with('(') && parts(bracketed(of)).iter().any(|member| member == "bool")
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "laws");
        if path.is_dir() && !is_test {
            files(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") && !is_test {
            found.push(path);
        }
    }
}

#[test]
fn no_parameter_is_a_bare_truth_value() {
    let root = crate::place::root();
    let mut all = Vec::new();
    for tree in [
        "src",
        "crates/walkon-cli/src",
        "crates/walkon-nav/src",
        "crates/walkon-shell/src",
        "crates/walkon-view/src",
    ] {
        files(&root.join(tree), &mut all);
    }
    all.sort();
    let (mut breaches, mut excused, mut count) = (Vec::new(), BTreeSet::new(), 0);
    for path in all {
        let file = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        for parameter in parameters(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            if !is_bare(&parameter.text) {
                continue;
            }
            let of =
                |(own, function, _): &&(&str, &str, &str)| *own == file && *function == parameter.function;
            match EXCUSED.iter().find(of) {
                Some(excuse) => drop(excused.insert(*excuse)),
                None => breaches
                    .push(format!("{file}:{}: {}({})", parameter.line, parameter.function, parameter.text)),
            }
        }
    }
    assert!(count > 5_000, "{count} parameters: the sources are where this test thinks they are");
    assert!(breaches.is_empty(), "{} bare truth values:\n{}", breaches.len(), breaches.join("\n"));
    let unused: Vec<_> = EXCUSED.iter().filter(|excuse| !excused.contains(excuse)).collect();
    assert!(unused.is_empty(), "excused, and not there any more: {unused:?}");
}

#[test]
fn bare_truth_values_are_seen() {
    let text = "
        /// A comment with fn f(is_open: bool).
        fn plain(a: u32, is_open: bool) -> bool {}
        pub(crate) fn generic<F: Fn(bool) -> bool>(run: F, of: Option<bool>) {}
        fn paired(&mut self, (name, is_open): (&str, bool), all: &[bool], run: impl Fn(bool)) {}
        fn lines(
            self,
            is_open: bool,
        ) {}
    ";
    let bare: Vec<(usize, String)> = parameters(text)
        .into_iter()
        .filter(|parameter| is_bare(&parameter.text))
        .map(|parameter| (parameter.line, parameter.text))
        .collect();
    let expected = [(3, "is_open: bool"), (5, "(name, is_open): (&str, bool)"), (6, "is_open: bool")];
    assert_eq!(bare, expected.map(|(line, text)| (line, text.to_owned())));
}
