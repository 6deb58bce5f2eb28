//! A level that runs, and what its scripts said.

use super::*;
use crate::game::event::Event;
use crate::game::inputs::LevelTexts;

/// The name of every level here.
const FILE: &str = "level.json";

/// Two rooms with a doorway between them, and anna in the left one. `areas` come before theirs; `more` are
/// other fields of the level. Both are empty or end with a comma.
pub(super) fn house(areas: &str, more: &str) -> String {
    format!(
        r#"{{ "seed": 1, "script": "level.lua", {more}
            "navigation": {{ "agentRadius": 0.35, "objectPadding": 0.0, "areas": [ {areas}
                {{ "name": "left", "polygon": [[0, 0], [10, 0], [10, 10], [0, 10]] }},
                {{ "name": "doorway", "polygon": [[10, 4], [11, 4], [11, 6], [10, 6]] }},
                {{ "name": "right", "polygon": [[11, 0], [21, 0], [21, 10], [11, 10]] }}
            ] }},
            "characters": [ {{ "name": "anna", "position": [2, 5] }} ] }}"#
    )
}

/// The same with a behaviour for anna; `params` are those of the level, empty or after a comma.
pub(super) fn house_with_behaviour(more: &str, params: &str) -> String {
    let given = format!(r#""position": [2, 5], "behaviour": "anna.lua" {params}"#);
    house("", more).replace(r#""position": [2, 5]"#, &given)
}

/// The texts of a level, as a reload gives them.
pub(super) fn texts(level: &str) -> LevelTexts {
    let files = BTreeMap::from([(FILE.to_owned(), level.as_bytes().to_vec())]);
    LevelTexts { path: FILE.to_owned(), files }
}

/// A level that runs, and what its scripts said.
pub(super) struct ToldLevel {
    pub(super) game: Game,
    /// Log lines, faults and reloads that were refused, since they were taken last.
    told: Vec<String>,
}

impl ToldLevel {
    /// The level in `level`, at tick 0.
    pub(super) fn of(level: &str, scripts: &[(&str, &str)]) -> Self {
        let source = MemorySource::new().with(FILE, level.as_bytes().to_vec());
        let level = load(FILE, &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let scripts = scripts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let game = Game::load(level, Setup { scripts, ..Setup::default() });
        Self { game: game.unwrap_or_else(|error| panic!("{error:?}")), told: Vec::new() }
    }

    /// One tick with these inputs.
    pub(super) fn tick(&mut self, inputs: &[Input]) {
        for event in self.game.tick(inputs).events {
            match event {
                Event::Logged(line) => self.told.push(line.message),
                Event::Faulted { fault, .. } => self.told.push(fault.message),
                Event::ReloadRefused { message, .. } => self.told.push(format!("refused: {message}")),
                _ => {}
            }
        }
    }

    /// So many ticks without inputs.
    pub(super) fn ticks(&mut self, count: u64) {
        (0..count).for_each(|_| self.tick(&[]));
    }

    /// One tick with another level.
    pub(super) fn edit(&mut self, level: &str) {
        self.tick(&[Input::Reload(Reload { scripts: BTreeMap::new(), level: Some(texts(level)) })]);
    }

    /// What was said since the last call.
    pub(super) fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }
}
