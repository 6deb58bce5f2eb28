//! The tiny level that the examples of the documentation run.
//!
//! Out: a yard with one character, and a scene that asks a question when the bell rings. Not here: levels to
//! look at (`levels/`), programs to copy from (`examples/`).

use std::collections::BTreeMap;
use std::error::Error;

use crate::game::{Game, Setup};
use crate::level::{Level, LevelError, MemorySource, load};

/// A yard of 20 by 12 metres, Anna at its western end, a well at its eastern.
pub const YARD: &str = r#"{
  "name": "yard",
  "navigation": { "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }] },
  "marks": { "well": [16, 6] },
  "characters": [{ "name": "anna", "position": [2, 6] }],
  "script": "yard.lua"
}"#;

const YARD_LUA: &str = r#"
function onStart()
  event.on("bell", function() cinematic.play("meeting") end)
end
"#;

const MEETING_LUA: &str = r#"
return {
  script = function(c)
    local answer = c:choice("well", { "yes", "no" }, { default = "no" })
    event.emit("answered", { answer = answer })
  end,
}
"#;

/// The level.
///
/// # Errors
/// None: its text is right.
pub fn level() -> Result<Level, LevelError> {
    load("yard.json", &MemorySource::new().with("yard.json", YARD))
}

/// Its scripts.
#[must_use]
pub fn scripts() -> BTreeMap<String, String> {
    let texts = [("yard.lua", YARD_LUA), ("cinematics/meeting.lua", MEETING_LUA)];
    texts.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

/// The level under way, with choices that wait for an answer.
///
/// # Errors
/// None: its texts are right.
pub fn game() -> Result<Game, Box<dyn Error>> {
    let setup = Setup { scripts: scripts(), is_interactive: true, ..Setup::default() };
    Ok(Game::load(level()?, setup)?)
}
