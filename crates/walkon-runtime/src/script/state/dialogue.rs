//! Spoken lines and choices under way, and the answers given.
//!
//! In: answers of the host. Out: the answer to a choice. Holds: the last answer to a choice counts, for the
//! one under way and for every later one of that id; what is kept is bounded. Not here: which tasks go on
//! (`step::dialogue`).

use std::collections::BTreeMap;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::time::TickNumber;
use crate::world::ops::checks;

/// A line or a choice under way.
#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    /// The scene that asks.
    pub(crate) scene: u64,
    /// Id and options of a choice; none for a line.
    pub(crate) choice: Option<(String, Vec<String>)>,
    /// The answer when the time is over; none for a line.
    pub(crate) fallback: Option<String>,
    /// When its time is over; none: it waits for a person.
    pub(crate) deadline: Option<TickNumber>,
    /// Whether skipping passes over it; else skipping pauses until it is answered.
    pub(crate) is_skippable: bool,
}

impl Dialogue {
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.scene).word(self.deadline.map_or(0, |tick| tick.0 + 1)).flag(self.is_skippable);
        hash.text(self.choice.as_ref().map_or("", |(id, _)| id)).text(self.fallback.as_deref().unwrap_or(""));
    }
}

/// Most choices whose answers are kept.
pub(crate) const ANSWERS_MAX: usize = 4096;
/// Longest answer that a choice offers, bytes.
pub(crate) const ANSWER_BYTES_MAX: usize = 256;

/// Whether a choice could have that id, and offer that answer.
///
/// # Errors
/// A sentence about what is wrong.
pub(crate) fn check(choice: &str, option: &str) -> Result<(), String> {
    checks::name(choice).map_err(|wrong| wrong.to_string())?;
    match option.len() {
        1..=ANSWER_BYTES_MAX => Ok(()),
        bytes => Err(format!("the option has {bytes} bytes, expected 1 to {ANSWER_BYTES_MAX}")),
    }
}

/// What answers there are, and whether a person gives more.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// By id of the choice.
    given: BTreeMap<String, String>,
    /// Whether a choice waits for the host.
    pub(crate) is_interactive: bool,
}

impl Answers {
    /// Keeps an answer to a choice, for every later one.
    ///
    /// # Errors
    /// A sentence: there are as many answers as may be kept.
    pub(crate) fn give(&mut self, choice: &str, option: &str) -> Result<(), String> {
        if self.given.len() >= ANSWERS_MAX && !self.given.contains_key(choice) {
            return Err(format!("answers to {ANSWERS_MAX} choices are kept already, the most allowed"));
        }
        self.given.insert(choice.to_owned(), option.to_owned());
        Ok(())
    }

    /// The bytes that the answers take.
    pub(crate) fn bytes(&self) -> usize {
        let of = |(choice, answer): (&String, &String)| choice.len() + answer.len() + 2 * size_of::<String>();
        self.given.iter().map(of).sum()
    }

    /// The answer given to a choice, if it is one of the options.
    pub(crate) fn to(&self, choice: &str, options: &[String]) -> Option<String> {
        self.given.get(choice).filter(|answer| options.contains(answer)).cloned()
    }

    /// Writes the answers that were given.
    pub(crate) fn save(&self, out: &mut ByteWriter) {
        let Self {
            given,
            // As the host says.
            is_interactive: _,
        } = self;
        given.save(out);
    }

    /// Reads the answers that were given.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<(), DecodeError> {
        self.given = Saved::load(input)?;
        Ok(())
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.flag(self.is_interactive).word(self.given.len() as u64);
        for (choice, answer) in &self.given {
            hash.text(choice).text(answer);
        }
    }
}
