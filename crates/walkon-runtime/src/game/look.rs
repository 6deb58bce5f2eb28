//! A read-only view of a level that stands still: between two ticks, or where a debugger holds it.
//!
//! In: a game, or the parts of one that a debugger holds. Out: the world and the scripts, to be asked. Holds:
//! looking changes nothing. Not here: the questions (`inspect`, `find`).

use crate::game::Game;
use crate::script::host::ScriptHost;
use crate::script::inspect::ScriptLook;
use crate::world::World;

/// A level that stands still.
#[derive(Clone, Copy, Debug)]
pub struct GameLook<'a> {
    pub(super) world: &'a World,
    pub(super) scripts: Option<ScriptLook<'a>>,
    /// What the game alone knows; none where a debugger holds it in the middle of a tick.
    pub(super) game: Option<&'a Game>,
}

impl<'a> GameLook<'a> {
    /// One that a debugger holds.
    #[must_use]
    pub fn held(world: &'a World, scripts: ScriptLook<'a>) -> Self {
        Self { world, scripts: Some(scripts), game: None }
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &'a World {
        self.world
    }
}

impl Game {
    /// The level as it stands between two ticks.
    #[must_use]
    pub fn look(&self) -> GameLook<'_> {
        let scripts = self.scripts().map(ScriptHost::looks);
        GameLook { world: self.world(), scripts, game: Some(self) }
    }
}
