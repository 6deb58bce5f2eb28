//! Parameters are few and say what they are: five at most, no bare truth values, no tuples.
//!
//! Goal: a call can be read without looking up the function. Method: read the parameters of every `fn` of the
//! sources as text; `bool` alone is a breach, and so is a tuple. What selects a way of working is an enum, a
//! named field or a function of its own; what belongs together is a struct with named fields, a range, an
//! array of things alike, or parameters one by one. More than five beside `self` are a breach wherever they
//! stand, also in tests and benchmarks: a struct that means something takes some of them, or a type that
//! holds half of them gets a method. Excused is what takes a truth value because the value itself is written,
//! hashed, compared or kept, and what a library calls; the lists only shrink.

use std::collections::BTreeSet;

use crate::laws::tidy::{SourceFile, files_of, sources};

/// File, function, and the reason why it takes what others may not take.
type Excuse = (&'static str, &'static str, &'static str);

/// The truth value is what the function is about.
const TRUTH_VALUES: [Excuse; 14] = [
    ("base/bytes.rs", "flag", "the value that is written"),
    ("base/bytes/data.rs", "data_flag", "the value that is written"),
    ("base/hash.rs", "flag", "the value that is hashed"),
    ("base/spatial_hash.rs", "offer", "counted without a branch, in the hottest loop"),
    ("game/line.rs", "flag", "the value that is written"),
    ("nav/cells/bits.rs", "set", "the value of a cell"),
    ("script/bind/test.rs", "judge", "the result of a comparison"),
    ("script/host/scenes.rs", "attend", "the state itself, as inputs say it"),
    ("script/state/predicates.rs", "answer", "the value of a predicate"),
    ("script/state/predicates.rs", "handler", "the value of a predicate"),
    ("script/state/trees.rs", "of", "the result of a node as its word"),
    ("viewer/edit/json.rs", "visit_bool", "the signature is serde's"),
    ("world/area.rs", "of", "the state as its word"),
    ("world/door.rs", "of", "the state as its word"),
];

/// A function takes no more parameters than these beside `self`.
const PARAMETERS_MAX: usize = 5;

/// Those who call the function say what it takes.
const CALLED_BY_OTHERS: [Excuse; 2] = [
    ("crates/walkon-runtime/src/script/vm/fuel.rs", "allocated", "the VM calls it"),
    ("crates/walkon-runtime/src/script/vm/fuel.rs", "note_measured", "the VM calls it"),
];

/// A function, with its parameters: pattern and type of each, on one line.
struct Signature {
    line: usize,
    function: String,
    list: Vec<String>,
}

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
    let each = |Signature { line, function, list }: Signature| {
        list.into_iter().map(move |text| Parameter { line, function: function.clone(), text })
    };
    signatures(text).into_iter().flat_map(each).collect()
}

/// Every function of some code.
fn signatures(text: &str) -> Vec<Signature> {
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
        found.push(Signature { line, function: name, list: parts(bracketed(&rest[open..])) });
    }
    found
}

/// Whether a parameter is `self`, in any of its forms.
fn is_self(parameter: &str) -> bool {
    let words = parameter.trim_start_matches('&').split_whitespace();
    let mut words = words.filter(|word| !word.starts_with('\'') && *word != "mut");
    words.next().is_some_and(|word| word.trim_end_matches(':') == "self")
}

/// How many parameters a function takes beside `self`.
fn count(signature: &Signature) -> usize {
    signature.list.iter().filter(|parameter| !is_self(parameter)).count()
}

/// Whether a parameter is a bare truth value.
fn is_truth_value(parameter: &str) -> bool {
    parameter.rsplit_once(": ").is_some_and(|(_, of)| of == "bool")
}

/// Whether a parameter is a tuple, as its type or its pattern says.
fn is_tuple(parameter: &str) -> bool {
    let Some((pattern, of)) = parameter.rsplit_once(": ") else { return false };
    let of = of.trim_start_matches('&');
    let of = if of.starts_with('\'') { of.split_once(' ').map_or(of, |(_, of)| of) } else { of };
    [pattern.trim_start_matches('&'), of.trim_start_matches("mut ")]
        .iter()
        .any(|text| text.starts_with('(') && parts(bracketed(text)).len() > 1)
}

fn is_test(file: &SourceFile) -> bool {
    let mut names = file.path.split('/').map(|name| name.trim_end_matches(".rs"));
    names.any(|name| name == "tests" || name == "laws")
}

/// Asserts that no parameter is of a kind but those that are excused.
fn assert_none(what: &str, is_breach: fn(&str) -> bool, excuses: &[Excuse]) {
    let (mut breaches, mut excused, mut count) = (Vec::new(), BTreeSet::new(), 0);
    for file in sources().iter().filter(|file| !is_test(file)) {
        for parameter in parameters(&file.text) {
            count += 1;
            if !is_breach(&parameter.text) {
                continue;
            }
            let is_own =
                |(path, function, _): &&Excuse| *path == file.path && *function == parameter.function;
            match excuses.iter().find(is_own) {
                Some(excuse) => drop(excused.insert(*excuse)),
                None => {
                    let Parameter { line, function, text } = parameter;
                    breaches.push(format!("{}:{line}: {function}({text})", file.place));
                }
            }
        }
    }
    assert!(count > 5_000, "{count} parameters: the sources are where this test thinks they are");
    assert!(breaches.is_empty(), "{} {what}:\n{}", breaches.len(), breaches.join("\n"));
    let unused: Vec<_> = excuses.iter().filter(|excuse| !excused.contains(excuse)).collect();
    assert!(unused.is_empty(), "excused, and not there any more: {unused:?}");
}

#[test]
fn no_function_takes_more_than_five_parameters() {
    let (mut breaches, mut excused, mut signature_count) = (Vec::new(), BTreeSet::new(), 0);
    for file in files_of(&["src", "crates", "tests", "benches"]) {
        for signature in signatures(&file.text) {
            signature_count += 1;
            let (own, function) = (count(&signature), signature.function.as_str());
            if own <= PARAMETERS_MAX {
                continue;
            }
            let is_own = |(path, name, _): &&Excuse| *path == file.place && *name == function;
            match CALLED_BY_OTHERS.iter().find(is_own) {
                Some(excuse) => drop(excused.insert(*excuse)),
                None => breaches.push(format!("{}:{}: {function} takes {own}", file.place, signature.line)),
            }
        }
    }
    assert!(signature_count > 10_000, "{signature_count} functions: the sources are where this test looks");
    assert!(breaches.is_empty(), "{} take too many parameters:\n{}", breaches.len(), breaches.join("\n"));
    assert_eq!(excused.len(), CALLED_BY_OTHERS.len(), "excused, and not there any more");
}

#[test]
fn parameters_beside_self_are_counted() {
    let text = "
        fn all(&self, b: &[(u32, u32)], run: impl Fn(u32, u32) -> u32, c: [u8; 4], d: Map<u32, u32>, e: ()) {}
        fn generic<F: Fn(u32, u32) -> bool, T>(self: &Rc<Self>, run: F, Pair { a, b }: Pair<T>) {}
        fn lent(&'a mut self, selfish: u32) {}
        fn taken(mut self) {}
        fn none() {}
        fn lines(
            // A comment, with a comma.
            one: u32,
            two: u32,
        ) {}
    ";
    let counts: Vec<usize> = signatures(text).iter().map(count).collect();
    assert_eq!(counts, [5, 2, 1, 0, 0, 2]);
}

#[test]
fn no_parameter_is_a_bare_truth_value() {
    assert_none("bare truth values", is_truth_value, &TRUTH_VALUES);
}

#[test]
fn no_parameter_is_a_tuple() {
    assert_none("tuples", is_tuple, &[]);
}

#[test]
fn bare_truth_values_and_tuples_are_seen() {
    let text = "
        /// A comment with fn f(is_open: bool).
        fn plain(a: u32, is_open: bool) -> bool {}
        pub(crate) fn generic<F: Fn(bool) -> bool>(run: F, of: Option<bool>) {}
        fn paired(&mut self, (name, is_open): (&str, bool), all: &[(u32, bool)], run: impl Fn((u32, bool))) {}
        fn lines(
            self,
            is_open: bool,
        ) {}
        fn lent(at: &'a mut (u32, u32), nothing: (), run: &(dyn Fn() + Send), (a, b): Pair, Cell { x, z }: Cell) {}
    ";
    let seen = |is_breach: fn(&str) -> bool| -> Vec<(usize, String)> {
        let found = parameters(text).into_iter().filter(|parameter| is_breach(&parameter.text));
        found.map(|parameter| (parameter.line, parameter.text)).collect()
    };
    let expected = [(3, "is_open: bool"), (6, "is_open: bool")];
    assert_eq!(seen(is_truth_value), expected.map(|(line, text)| (line, text.to_owned())));
    let expected =
        [(5, "(name, is_open): (&str, bool)"), (10, "at: &'a mut (u32, u32)"), (10, "(a, b): Pair")];
    assert_eq!(seen(is_tuple), expected.map(|(line, text)| (line, text.to_owned())));
}
