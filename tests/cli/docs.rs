//! The guide in `docs/`, held to its word: what it says to write is written, what it says to run is run.
//!
//! Goal: nobody who follows a page is led astray. Method: each page is followed from top to bottom in an
//! empty folder with the real program. What stands after the language of a block says what it is for:
//!
//! - `file=PATH`: the text of that file, which is written. `walkon check` finds nothing wrong with them at
//!   the end.
//! - `sh`: commands. `walkon ...` and `cd ...` are done, and end with `exit=N` (0 when it says nothing); `cp
//!   ../walkon/A B` copies a file of this repository; with `by-hand`, only the names of the commands and
//!   options are looked at.
//! - `text`, `shows`: what the command before it prints: these lines, in this order, `...` for any others.
//! - `diff`, `edit=PATH`: a change to that file: the lines with a blank and a minus before them become those
//!   with a blank and a plus.
//! - `lua` without more: part of a script, which compiles, and names nothing that does not exist.
//! - `text` and `json` without more: read by people only.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The pages, in the order of the guide.
fn pages() -> Vec<PathBuf> {
    let folder = crate::place::root().join("docs");
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "md"))
        .collect();
    pages.sort();
    pages
}

/// A block of code on a page.
struct Block {
    language: String,
    /// The words after the language.
    words: Vec<String>,
    text: String,
    /// Where it begins, from 1.
    line: usize,
}

impl Block {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                let (words, text) = (words.collect(), String::new());
                open = Some(Block { language, words, text, line: index + 1 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    blocks
}

/// A reader that follows a page.
struct Reader {
    outer: tempfile::TempDir,
    folder: PathBuf,
    page: String,
    /// What the last block of commands printed.
    printed: String,
    /// Lines of the page, and what the program prints instead.
    changes: Vec<(String, String)>,
}

impl Reader {
    fn of(page: &str) -> Self {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().to_owned();
        Self { outer, folder, page: page.to_owned(), printed: String::new(), changes: Vec::new() }
    }

    fn walkon(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(crate::place::program());
        let output = command.current_dir(&self.folder).args(arguments).env("NO_COLOR", "1").output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code().unwrap_or(-1), text.concat())
    }

    fn follow(&mut self, block: &Block) {
        let at = format!("docs/{}:{}", self.page, block.line);
        if let Some(file) = block.value("edit") {
            return self.edit(file, block, &at);
        }
        match (block.language.as_str(), block.value("file")) {
            (_, Some(file)) => self.write(file, block),
            ("sh", None) if block.has("by-hand") => self.look_at(block, &at),
            ("sh", None) => self.run(block, &at),
            ("text", None) if block.has("shows") => self.compare(block, &at),
            ("lua", None) => self.compile(block, &at),
            ("text" | "json" | "yaml", None) => {}
            (language, None) => panic!("{at}: nothing is known of `{language}`"),
        }
    }

    fn write(&self, file: &str, block: &Block) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &block.text).unwrap();
    }

    /// A change to a file that is there.
    fn edit(&self, file: &str, block: &Block, at: &str) {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{at}: {file}: {error}"));
        let lines = |mark: char| -> String {
            let meant = block.text.lines().filter(|line| line.starts_with([' ', mark]));
            meant.map(|line| format!("{}\n", &line[1..])).collect()
        };
        let (old, new) = (lines('-'), lines('+'));
        assert_eq!(text.matches(&old).count(), 1, "{at}: this stands not once in {file}:\n{old}");
        fs::write(&path, text.replacen(&old, &new, 1)).unwrap();
    }

    /// What the page has made has nothing wrong with it.
    fn check(&self) {
        if self.folder.join("walkon.json").is_file() {
            let (code, told) = self.walkon(&["check", "."]);
            assert_eq!(code, 0, "docs/{}: {told}", self.page);
            assert!(told.contains(" 0 warnings"), "docs/{}: {told}", self.page);
        }
    }

    /// Commands that a test cannot sit through: their words are known at least.
    fn look_at(&self, block: &Block, at: &str) {
        for line in block.text.lines().filter_map(|line| line.strip_prefix("walkon ")) {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let command = words.next().unwrap_or_default();
            let (code, help) = self.walkon(&[command, "--help"]);
            assert_eq!(code, 0, "{at}: walkon {command}");
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{at}: walkon {command} {option}");
            }
        }
    }

    fn run(&mut self, block: &Block, at: &str) {
        let expected: i32 = block.value("exit").map_or(0, |code| code.parse().unwrap());
        self.printed.clear();
        let steps = block.text.lines().flat_map(|line| line.split(" && ")).map(str::trim);
        for step in steps.filter(|step| !step.is_empty() && !step.starts_with('#')) {
            if let Some(folder) = step.strip_prefix("cd ") {
                self.folder = self.folder.join(folder);
                assert!(self.folder.is_dir(), "{at}: {step}");
            } else if let Some(arguments) = step.strip_prefix("walkon ") {
                let arguments = arguments.split(" #").next().unwrap_or_default();
                let arguments: Vec<&str> = arguments.split_whitespace().collect();
                let (code, told) = self.walkon(&arguments);
                assert_eq!(code, expected, "{at}: walkon {arguments:?}\n{told}");
                self.printed += &told;
            } else if let Some((from, to)) =
                step.strip_prefix("cp ../walkon/").and_then(|files| files.split_once(' '))
            {
                fs::copy(crate::place::root().join(from), self.folder.join(to)).unwrap();
            } else {
                panic!("{at}: `{step}` is neither a command of walkon nor a change of folder");
            }
        }
    }

    /// What the commands print, in this order. With `UPDATE=1` the numbers of the page follow those of the
    /// program.
    fn compare(&mut self, block: &Block, at: &str) {
        let is_update = std::env::var_os("UPDATE").is_some();
        let mut printed = self.printed.lines();
        for line in block.text.lines().filter(|line| !line.trim().is_empty() && line.trim() != "...") {
            let is_it =
                |told: &&str| timeless(told) == timeless(line) || (is_update && shape(told) == shape(line));
            let found = printed.find(is_it);
            let told = &self.printed;
            let found = found
                .unwrap_or_else(|| panic!("{at}: not printed, or not in this order:\n{line}\nbut\n{told}"));
            if timeless(found) != timeless(line) {
                self.changes.push((line.to_owned(), found.to_owned()));
            }
        }
    }

    fn compile(&self, block: &Block, at: &str) {
        let folder = self.outer.path().join("fragment");
        fs::create_dir_all(&folder).unwrap();
        let body =
            format!("return function(self, c, t, character, door, result, scene)\n{}\nend\n", block.text);
        fs::write(folder.join("fragment.lua"), body).unwrap();
        let mut command = Command::new(crate::place::program());
        let output = command.current_dir(&folder).args(["check", "fragment.lua"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{at}: {told}");
    }
}

/// A line without its numbers and hashes.
fn shape(line: &str) -> String {
    let is_hash = |word: &str| word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit());
    let words: Vec<&str> =
        line.split_whitespace().map(|word| if is_hash(word) { "HASH" } else { word }).collect();
    let mut shape = String::new();
    for c in words.join(" ").chars() {
        match c {
            '0'..='9' | '.' if shape.ends_with('#') => {}
            '0'..='9' => shape.push('#'),
            other => shape.push(other),
        }
    }
    shape
}

/// A line without how long something took on the clock, which differs from run to run.
fn timeless(line: &str) -> &str {
    let line = line.trim_end();
    match line.rsplit_once(", ") {
        Some((rest, took)) if took.ends_with(" us") => rest,
        _ => line,
    }
}

#[test]
fn whoever_follows_a_page_of_the_guide_sees_what_it_says() {
    for path in pages() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let page = fs::read_to_string(&path).unwrap();
        let mut reader = Reader::of(&name);
        for block in blocks(&page) {
            reader.follow(&block);
        }
        reader.check();
        let changed = reader.changes.iter().fold(page.clone(), |page, (was, is)| page.replacen(was, is, 1));
        if changed != page {
            fs::write(&path, changed).unwrap();
        }
    }
}

#[test]
fn seed_k1_the_page_about_crowds_has_every_setting_as_it_is() {
    let page = crate::place::root().join("docs/crowds.md");
    let page = fs::read_to_string(page).unwrap();
    for (key, number) in walkon_runtime::level::CrowdDef::numbers() {
        let unit = match number.unit {
            "metres" => " m",
            "milliseconds" => " ms",
            "passes" => " passes",
            "" => "",
            other => panic!("{key}: {other}"),
        };
        let row = format!("| `{key}` | {}{unit} | {} to {} |", number.default, number.min, number.max);
        assert!(page.contains(&row), "docs/crowds.md lacks: {row}");
    }
    assert!(page.contains("| `reciprocal` | true |"));
}

/// The cells of the rows of a page whose first cell names one of several things: `a`, `b`.
fn rows_about<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let named = format!("`{name}`");
    let is_named = |line: &&str| line.starts_with("| ") && line.split(" | ").next().unwrap().contains(&named);
    page.lines().filter(is_named).collect()
}

#[test]
fn the_page_about_traces_has_every_fact_and_every_field_of_a_run() {
    use serde_json::Value;
    let root = crate::place::root();
    let page = fs::read_to_string(root.join("docs/traces.md")).unwrap();
    let named = |name: &str| page.contains(&format!("`{name}`"));
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.jsonl");
    let mut facts = std::collections::BTreeSet::new();
    for level in ["courtyard", "bridge", "market", "tavern"] {
        let (level, trace) = (format!("levels/{level}.json"), trace.to_str().unwrap());
        let arguments = ["run", &level, "--seconds", "60", "--format", "json", "--trace", trace];
        let output = crate::place::walkon(root, &arguments);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for (key, value) in report.as_object().unwrap() {
            let rows = rows_about(&page, key);
            assert!(!rows.is_empty(), "{key}");
            let has = |inner: &str| rows.iter().any(|row| row.contains(&format!("`{inner}`")));
            let inner = value.as_object().into_iter().filter(|_| key != "measures").flatten();
            inner.for_each(|(inner, _)| assert!(has(inner), "{key}.{inner}"));
        }
        let lines = fs::read_to_string(trace).unwrap();
        for line in lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let keys = line.as_object().unwrap().keys().filter(|key| *key != "t" && *key != "e");
            match line["e"].as_str() {
                Some(fact) => {
                    let rows = rows_about(&page, fact);
                    let has = |key: &String| rows.iter().any(|row| row.contains(&format!("`{key}`")));
                    keys.for_each(|key| assert!(has(key), "{fact}: {key}"));
                    facts.insert(fact.to_owned());
                }
                None => keys.for_each(|key| assert!(named(key), "{key}")),
            }
        }
    }
    assert!(facts.len() > 15, "{facts:?}");
    // Those that no shipped level has in a minute stand there as well.
    let sources = ["world/event_name.rs", "game/recorder.rs"]
        .map(|file| fs::read_to_string(root.join("crates/walkon-runtime/src").join(file)).unwrap());
    let names = sources[0].lines().filter_map(|line| line.strip_prefix("pub const ")?.split('"').nth(1));
    let named_there = sources[1].split("fact(\"").skip(1).filter_map(|rest| rest.split('"').next());
    for fact in names.chain(named_there) {
        assert!(!rows_about(&page, fact).is_empty(), "{fact}");
    }
    for end in ["bound", "finish", "until", "fault", "limit", "signal"] {
        assert!(rows_about(&page, "ended")[0].contains(&format!("`{end}`")), "{end}");
    }
}

#[test]
fn the_page_about_checks_has_every_code_and_every_key_of_a_project() {
    let root = crate::place::root();
    let page = fs::read_to_string(root.join("docs/checking.md")).unwrap();
    let (levels, scripts) = page.split_once("## Codes of scripts").unwrap();
    let of_levels = (levels, "crates/walkon-runtime/src/level/diagnostic.rs");
    let of_scripts = (scripts, "crates/walkon-cli/src/shell/lint/finding.rs");
    for (part, file) in [of_levels, of_scripts] {
        let source = fs::read_to_string(root.join(file)).unwrap();
        let codes = source.split_once("mod code {").unwrap().1.split_once("\n}").unwrap().0;
        let codes: Vec<&str> =
            codes.split(": &str = \"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(codes.len() > 20, "{file}: {codes:?}");
        for code in codes {
            assert!(part.contains(&format!("\n| `{code}` | ")), "docs/checking.md lacks {code} of {file}");
        }
    }
    let source = fs::read_to_string(root.join("crates/walkon-shell/src/project.rs")).unwrap();
    let keys = source.split_once("const MARKER_FIELDS").unwrap().1.split_once(';').unwrap().1;
    let keys = keys.split_once(';').unwrap().0.split('"').skip(1).step_by(2);
    for key in keys {
        assert!(levels.contains(&format!("\n| `{key}` | ")), "docs/checking.md lacks the key {key}");
    }
}

#[test]
fn the_page_of_symptoms_has_the_messages_as_they_are_printed() {
    let page = fs::read_to_string(crate::place::root().join("docs/symptoms.md")).unwrap();
    let project = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let place = project.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    };
    write("walkon.json", "{}");
    write(
        "scripts/cinematics/three.lua",
        "return { holds = { \"al\" }, script = function(c) c:walk(world.character(\"bo\"), \"far\") end }",
    );
    let cases = [
        ("task.spawn(function() while true do end end)", "", "stopped after 100000 steps without a wait"),
        (
            "local text = (\"x\"):rep(1e6)",
            "\"limits\": { \"fuelPerCall\": 100 }, ",
            "stopped: one call of a function takes",
        ),
        (
            "cinematic.play(\"three\")",
            "",
            "walk: character \"bo\" is not held by cinematic \"three\"; add it to holds",
        ),
    ];
    for (code, limits, message) in cases {
        write("scripts/a.lua", &format!("function onStart()\n  {code}\nend\n"));
        write(
            "levels/a.json",
            &format!(
                "{{ {limits}\"script\": \"a.lua\", \"marks\": {{ \"far\": [8, 8] }}, \"navigation\": {{ \"areas\": [{{ \
                 \"name\": \"f\", \"polygon\": [[0, 0], [9, 0], [9, 9], [0, 9]] }}] }}, \"characters\": [{{ \
                 \"name\": \"al\", \"position\": [1, 1] }}, {{ \"name\": \"bo\", \"position\": [2, 2] }}] }}"
            ),
        );
        let output = crate::place::walkon(project.path(), &["run", "levels/a.json", "--ticks", "30"]);
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(told.concat().contains(message), "{code}: {told:?}");
        assert!(page.contains(message), "docs/symptoms.md lacks: {message}");
    }
}

#[test]
fn every_link_of_the_guide_leads_somewhere() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for rest in page.split("](").skip(1) {
            let link = rest.split(')').next().unwrap();
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let mut known = text.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(known.any(|own| own == heading), "{}: {link}", path.display());
            }
        }
    }
}

/// How pages are linked to: a heading in lower case, spaces as hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
