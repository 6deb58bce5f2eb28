//! Reads inputs as JSON, for hosts in other languages.
//!
//! In: a text, the game whose names it uses. Out: inputs, or a sentence about the first wrong one. Holds: the
//! objects are those of traces (docs/traces.md), so that recorded inputs can be given again as they are. Not
//! here: what an input does (`inputs`).

use serde_json::Value;

use crate::game::Game;
use crate::game::input_line;
use crate::game::inputs::Input;

impl Game {
    /// Inputs out of JSON: one object or a list of them, each with the fields that its line in a trace has.
    ///
    /// ```
    /// # use walkon::{Game, Input, MemorySource, Setup, load};
    /// # let areas = r#"[{ "name": "a", "polygon": [[0, 0], [9, 0], [9, 9]] }]"#;
    /// # let text = format!(r#"{{ "navigation": {{ "areas": {areas} }} }}"#);
    /// # let level = load("a.json", &MemorySource::new().with("a.json", text))?;
    /// # let game = Game::load(level, Setup::default())?;
    /// let inputs = game.read_inputs(r#"[{"name":"bell"},{"kind":"answer","id":"well","option":"yes"}]"#)?;
    /// assert_eq!(inputs, [Input::event("bell"), Input::answer("well", "yes")]);
    /// assert_eq!(game.read_inputs(r#"{"kind":"walk"}"#).unwrap_err(), "an input without \"character\"");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A sentence about the object that is no input, and which of them it is.
    pub fn read_inputs(&self, json: &str) -> Result<Vec<Input>, String> {
        let said: Value = serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))?;
        match &said {
            Value::Object(_) => input_line::read(self.world(), &said).map(|input| vec![input]),
            Value::Array(list) => {
                let one = |(index, line): (usize, &Value)| {
                    let object = line.is_object().then_some(line).ok_or("an input that is not an object");
                    let read =
                        object.map_err(str::to_owned).and_then(|line| input_line::read(self.world(), line));
                    read.map_err(|why| format!("input {index}: {why}"))
                };
                list.iter().enumerate().map(one).collect()
            }
            _ => Err("inputs are an object or a list of objects".to_owned()),
        }
    }
}
