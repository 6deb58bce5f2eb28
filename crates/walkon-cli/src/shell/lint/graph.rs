//! The graph of uses: which level uses which script, directly or through other scripts.
//!
//! In: the scripts and levels of a project. Out: the scripts with what they name, the uses. Holds: a script
//! that no level uses is judged by all levels; while a level that uses a script is broken, names in that
//! script are not judged. Not here: rules that look at one script alone (`rules`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use walkon_runtime::base::ordered::CollectOrdered;

use super::api::Api;
use super::events;
use super::finding::{LintFinding, code, is_full, one_of};
use super::infer::Reading;
use super::links::{self, EventName, MODULE, Made, ScriptNames, TREE};
use super::lower;
use super::names::{self, LevelNames};
use super::role::{self, ScriptName};
use super::texts::{LevelOutline, LintedScript};
use super::tree::TextPlace;
use crate::base::suggestions;
use crate::script::vm::files::ScriptTexts;

/// The scripts and levels of a project, and which name which.
pub(super) struct ScriptGraph<'a> {
    pub scripts: BTreeMap<String, LintedScript>,
    levels: &'a [LevelOutline],
    /// Names of files; none when two files cannot be told apart.
    files: Option<ScriptTexts>,
    /// Names that scripts give.
    made: BTreeSet<(&'static str, Made)>,
    /// Scripts that each level uses.
    pub used: BTreeMap<String, BTreeSet<String>>,
    /// Scripts that each file of tests uses.
    tests: Vec<(String, BTreeSet<String>)>,
    /// Files that each script requires while it loads, with the place of the name.
    required: BTreeMap<String, Vec<(String, TextPlace)>>,
    /// Events that some script hears, and events that some script tells; none when that is not known.
    heard: Option<BTreeSet<String>>,
    told: Option<BTreeSet<String>>,
}

impl<'a> ScriptGraph<'a> {
    pub fn read(api: &Api, texts: &BTreeMap<String, String>, levels: &'a [LevelOutline]) -> Self {
        let files = ScriptTexts::new(texts.iter().map(|(path, text)| (path.clone(), text.clone()))).ok();
        let read = texts.iter().filter_map(|(path, text)| {
            let script = LintedScript {
                tree: lower::lower(text)?,
                named: ScriptName::default(),
                behaviour_in: None,
                links: ScriptNames::default(),
            };
            Some((path.clone(), script))
        });
        let mut project = Self {
            scripts: read.collect_map(),
            levels,
            files,
            made: BTreeSet::new(),
            used: BTreeMap::new(),
            tests: Vec::new(),
            required: BTreeMap::new(),
            heard: None,
            told: None,
        };
        project.named_by_levels();
        // The kind of a file decides what its words mean, and they decide the kinds of other files. Twice is
        // enough for links, because they do not depend on the kind of `self`.
        project.read_links(api);
        project.named_by_scripts();
        project.read_links(api);
        project.made = project.scripts.values().flat_map(|script| script.links.made.clone()).collect_set();
        project.used = project.find_used();
        let tests = project
            .scripts
            .iter()
            .filter(|(_, script)| script.links.links.iter().any(|link| link.kind == "LevelName"));
        let tests = tests.map(|(path, _)| (path.clone(), project.reached(vec![path.clone()])));
        project.tests = tests.collect();
        project.required = project.find_required();
        let all = || project.scripts.values().map(|script| &script.links);
        let names = |events: &[EventName]| events.iter().map(|event| event.name.clone()).collect::<Vec<_>>();
        let heard = all().flat_map(|links| names(&links.heard)).collect_set();
        let told = all().flat_map(|links| names(&links.told)).collect_set();
        let (hears_any, tells_any) = (all().any(|links| links.hears_any), all().any(|links| links.tells_any));
        (project.heard, project.told) = ((!hears_any).then_some(heard), (!tells_any).then_some(told));
        project
    }

    fn find_required(&self) -> BTreeMap<String, Vec<(String, TextPlace)>> {
        let of_script = |script: &LintedScript| {
            let loading = script
                .links
                .links
                .iter()
                .filter(|link| [MODULE, TREE].contains(&link.kind) && link.is_loading);
            loading.filter_map(|link| Some((self.file(&link.name)?, link.place))).collect()
        };
        self.scripts.iter().map(|(path, script)| (path.clone(), of_script(script))).collect_map()
    }

    /// Files that each script requires while it loads.
    pub fn required_files(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, required) in &self.required {
            files.insert(path.clone(), required.iter().map(|(file, _)| file.clone()).collect_set());
        }
        files
    }

    /// Files that require one another in a circle: none of them can load.
    pub fn circles(&self, path: &str, findings: &mut Vec<LintFinding>) {
        for (next, place) in self.required.get(path).into_iter().flatten() {
            let Some(way) = self.way(next, path) else { continue };
            let circle: Vec<&str> = std::iter::once(path).chain(way).collect();
            let message = format!("require: {} is a circle of files", circle.join(" -> "));
            let finding = LintFinding::error(code::CIRCLE, *place, message);
            findings.push(finding.help("move what they share into a file of its own"));
        }
    }

    /// The shortest chain of files from one to another. Each of them requires the next while it loads.
    fn way<'b>(&'b self, from: &'b str, to: &str) -> Option<Vec<&'b str>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::from([(from, from)]);
        let mut next = VecDeque::from([from]);
        // Bounded by the number of files: each is looked at once.
        while let Some(path) = next.pop_front() {
            if path == to {
                let mut way = vec![path];
                let mut at = path;
                while at != from {
                    at = before.get(at)?;
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            for (file, _) in self.required.get(path).into_iter().flatten() {
                if !before.contains_key(file.as_str()) {
                    before.insert(file, path);
                    next.push_back(file);
                }
            }
        }
        None
    }

    /// Events that a script tells and that no script hears: one note for the file, since a host may hear
    /// them; one for each that looks like an event that is heard.
    pub fn events(&self, path: &str, findings: &mut Vec<LintFinding>) {
        let (Some(heard), Some(script)) = (&self.heard, self.scripts.get(path)) else { return };
        let mut said = BTreeSet::new();
        let unheard = script.links.told.iter().filter(|told| {
            told.called == links::EMIT && !heard.contains(&told.name) && !events::is_of_runtime(&told.name)
        });
        let (mut others, mut first) = (Vec::new(), None);
        for EventName { name, place, .. } in unheard.filter(|told| said.insert(told.name.clone())) {
            match suggestions::nearest(name, heard.iter().map(String::as_str)) {
                Some(near) => {
                    let message = format!("event.emit: no script hears \"{name}\"");
                    let help = format!("did you mean \"{near}\"?");
                    findings.push(LintFinding::note(code::UNHEARD, *place, message).help(help));
                }
                None => {
                    first = first.or(Some(*place));
                    others.push(format!("\"{name}\""));
                }
            }
            if is_full(findings) {
                return;
            }
        }
        if let Some(place) = first {
            let message = format!("event.emit: no script hears {}", one_of(&others));
            findings.push(LintFinding::note(code::UNHEARD, place, message));
        }
    }

    /// Events of the runtime that a script tells, or hears under a name that is not quite right.
    pub fn runtime_events(&self, path: &str, findings: &mut Vec<LintFinding>) {
        if let Some(script) = self.scripts.get(path) {
            events::check(&script.links, self.told.as_ref(), findings);
        }
    }

    fn file(&self, name: &str) -> Option<String> {
        let files = self.files.as_ref()?;
        Some(files.get(files.resolve(name).ok()?)?.path.clone())
    }

    fn script_mut(&mut self, name: &str) -> Option<&mut LintedScript> {
        self.file(name).and_then(|path| self.scripts.get_mut(&path))
    }

    fn name(&mut self, name: &str, set: impl Fn(&mut ScriptName)) {
        if let Some(script) = self.script_mut(name) {
            set(&mut script.named);
        }
    }

    fn named_by_levels(&mut self) {
        for level in self.levels {
            if let Some(script) = &level.script {
                self.name(script, |named| named.as_level_script = true);
            }
            for behaviour in &level.behaviours {
                let Some(script) = self.script_mut(behaviour) else { continue };
                script.named.as_behaviour = true;
                script.behaviour_in.get_or_insert_with(|| level.path.clone());
            }
        }
    }

    fn named_by_scripts(&mut self) {
        let made = self.scripts.values().flat_map(|script| &script.links.made);
        let defined = made.filter(|(kind, _)| *kind == "CinematicName").map(|(_, made)| made.clone());
        let defined: Vec<Made> = defined.collect();
        let links = self.scripts.values().flat_map(|script| script.links.links.iter().cloned());
        for link in links.collect::<Vec<_>>() {
            match link.kind {
                MODULE => self.name(&link.name, |named| named.as_module = true),
                "BehaviourName" => self.name(&link.name, |named| named.as_behaviour = true),
                // A scene that a script defines goes before a file of that name.
                "CinematicName" if defined.contains(&Made::Whole(link.name.clone())) => {}
                "CinematicName" => self.name(&link.name, |named| named.as_cinematic = true),
                _ => {}
            }
        }
    }

    fn read_links(&mut self, api: &Api) {
        for (path, script) in &mut self.scripts {
            let role = role::role(&script.tree, api, path, script.named);
            script.links = links::links(&Reading::new(&script.tree, api, role));
        }
    }

    /// Files that a script names.
    fn files_of(&self, path: &str) -> Vec<String> {
        let links = self.scripts.get(path).map(|script| script.links.links.as_slice()).unwrap_or_default();
        let named = links.iter().filter(|link| is_script(link.kind));
        named.filter_map(|link| self.file(&link.name)).collect()
    }

    fn find_used(&self) -> BTreeMap<String, BTreeSet<String>> {
        let used = self.levels.iter().map(|level| {
            let own = level.script.iter().chain(&level.behaviours);
            (level.path.clone(), self.reached(own.filter_map(|name| self.file(name)).collect()))
        });
        used.collect_map()
    }

    fn reached(&self, mut next: Vec<String>) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        // Bounded by the number of files: each is looked at once.
        while let Some(path) = next.pop() {
            if reached.insert(path.clone()) {
                next.extend(self.files_of(&path));
            }
        }
        reached
    }

    /// Levels by the name that `test.level` uses.
    fn levels_named(&self, name: &str) -> impl Iterator<Item = &LevelOutline> {
        let name = name.trim_end_matches(".json").to_owned();
        self.levels.iter().filter(move |level| {
            let stem = level.path.trim_end_matches(".json");
            stem == name || stem.ends_with(&format!("/{name}"))
        })
    }

    /// Levels that use a script; all of them when none does.
    fn users(&self, path: &str) -> Vec<&LevelOutline> {
        let uses =
            |level: &&LevelOutline| self.used.get(&level.path).is_some_and(|scripts| scripts.contains(path));
        let mut users: Vec<&LevelOutline> = self.levels.iter().filter(uses).collect();
        for (tests, reached) in self.tests.iter().filter(|(_, reached)| reached.contains(path)) {
            debug_assert!(reached.contains(tests));
            let links = self.scripts.get(tests).into_iter().flat_map(|script| &script.links.links);
            for link in links.filter(|link| link.kind == "LevelName") {
                users.extend(self.levels_named(&link.name));
            }
        }
        if users.is_empty() { self.levels.iter().collect() } else { users }
    }

    /// Names in a script that lead nowhere.
    pub fn names(&self, path: &str, findings: &mut Vec<LintFinding>) {
        let Some(script) = self.scripts.get(path) else { return };
        self.files_named(&script.links, findings);
        let mut known = LevelNames::default();
        let users = self.users(path);
        for level in &users {
            let Some(names) = &level.names else { return };
            known.add(names);
        }
        if let Some(level) = users.iter().find(|level| !level.has_player) {
            for place in &script.links.players {
                let message = format!("world.player: {} has no player, so it gives nil", level.path);
                let help = "give one of its characters \"player\": true, or ask whether there is one";
                findings.push(LintFinding::error(code::PLAYER, *place, message).help(help));
            }
        }
        names::check(&script.links.links, &known, &self.made, findings);
    }

    /// Names of scripts and levels that mean none.
    fn files_named(&self, links: &ScriptNames, findings: &mut Vec<LintFinding>) {
        let Some(files) = &self.files else { return };
        for link in &links.links {
            let is_made = names::is_made(&self.made, link.kind, &link.name);
            if link.kind == "LevelName" && self.levels_named(&link.name).next().is_none() {
                let message = format!("{}: unknown level \"{}\"", link.called, link.name);
                let known: Vec<&str> = self.levels.iter().map(|level| stem(&level.path)).collect();
                findings.push(
                    LintFinding::error(code::UNRESOLVED, link.place, message).suggest(&link.name, known),
                );
            }
            if !is_script(link.kind) || is_made {
                continue;
            }
            if let Err(error) = files.resolve(&link.name) {
                let error = error.to_string();
                let (what, help) = error.split_once("; ").unwrap_or((error.as_str(), ""));
                let message = format!("{}: {what}", link.called);
                let finding = LintFinding::error(code::UNRESOLVED, link.place, message);
                findings.push(if help.is_empty() { finding } else { finding.help(help) });
            }
        }
    }

    /// Everything that can be named in the project, and the kinds that no list of names can be whole for.
    pub fn all_names(&self) -> (LevelNames, BTreeSet<&'static str>) {
        let mut all = LevelNames::default();
        self.levels.iter().filter_map(|level| level.names.as_ref()).for_each(|names| all.add(names));
        let computed = self.scripts.values().flat_map(|script| script.links.computed.iter().copied());
        let mut open: BTreeSet<&'static str> = computed.collect_set();
        for (kind, made) in &self.made {
            match made {
                Made::Whole(name) => {
                    all.0.entry(kind).or_default().insert(name.clone());
                }
                _ => {
                    open.insert(*kind);
                }
            }
        }
        let of_role = |wanted: fn(ScriptName) -> bool| {
            let scripts = self.scripts.iter().filter(move |(_, script)| wanted(script.named));
            scripts.map(|(path, _)| stem(path).to_owned()).collect_set()
        };
        all.0.entry("BehaviourName").or_default().extend(of_role(|named| named.as_behaviour));
        all.0.entry("CinematicName").or_default().extend(of_role(|named| named.as_cinematic));
        all.0
            .entry("LevelName")
            .or_default()
            .extend(self.levels.iter().map(|level| stem(&level.path).to_owned()));
        (all, open)
    }
}

fn is_script(kind: &str) -> bool {
    [MODULE, TREE, "BehaviourName", "CinematicName"].contains(&kind)
}

/// The name of a file without folders and suffix.
fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
