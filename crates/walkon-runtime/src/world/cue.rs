//! Cues: requests of scenes that the host performs: camera, line, choice, fade, sound.
//!
//! In: a scene's wish, as plain data. Out: the same for trace and host. Holds: nothing in the world
//! depends on a cue, so a headless run needs no host.

use crate::base::value::Plain;

/// A wish of a scene.
///
/// ```
/// use walkon::{CueKind, Input};
/// # let mut game = walkon_runtime::example::game()?;
///
/// // The bell begins a scene, which asks the player something and waits for the answer.
/// let mut inputs = vec![Input::event("bell")];
/// let mut questions = Vec::new();
/// for _ in 0..60 {
///     let tick = game.tick(&inputs);
///     inputs.clear();
///     for cue in tick.cues() {
///         if let CueKind::Choice { id, options, answer: None } = &cue.kind {
///             questions.push(id.clone());
///             inputs.push(Input::answer(id, &options[0]));
///         }
///     }
///     if tick.has("answered") {
///         break;
///     }
/// }
/// assert_eq!(questions, ["well"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// The scene that asks.
    pub scene: String,
    /// What is asked.
    pub kind: CueKind,
}

/// The kinds of wishes, as traces name them.
#[derive(Clone, Debug, PartialEq)]
pub enum CueKind {
    /// A line of text is spoken.
    Said {
        /// Name of the speaker.
        character: String,
        /// Identifier or text of the line.
        line: String,
        /// Values to put into the line.
        vars: Plain,
        /// How long it lasts when nobody ends it, seconds.
        seconds: f64,
    },
    /// A question with answers to choose from.
    Choice {
        /// Identifier of the question.
        id: String,
        /// The answers offered.
        options: Vec<String>,
        /// The answer taken; none while it waits for the host.
        answer: Option<String>,
    },
    /// A movement of the camera.
    Camera {
        /// `pan`, `follow`, `cut`, `shake`, `zoom` or `reset`.
        kind: String,
        /// Further wishes, a map.
        options: Plain,
    },
    /// Anything else: fades, sound.
    Other {
        /// A word that the host understands.
        kind: String,
        /// Further wishes, a map.
        options: Plain,
    },
}

impl Cue {
    /// The same with other plain data.
    pub(crate) fn with_payload(&self, data: Plain) -> Self {
        let mut cue = self.clone();
        match &mut cue.kind {
            CueKind::Said { vars: plain, .. }
            | CueKind::Camera { options: plain, .. }
            | CueKind::Other { options: plain, .. } => *plain = data,
            CueKind::Choice { .. } => {}
        }
        cue
    }

    /// The plain data it carries.
    pub(crate) fn payload(&self) -> Option<&Plain> {
        match &self.kind {
            CueKind::Said { vars: plain, .. }
            | CueKind::Camera { options: plain, .. }
            | CueKind::Other { options: plain, .. } => Some(plain),
            CueKind::Choice { .. } => None,
        }
    }
}
