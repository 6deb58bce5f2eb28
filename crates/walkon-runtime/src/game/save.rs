//! Save games: writes a running level as bytes, and restores it.
//!
//! In: a game between two ticks; a level, its scripts and the bytes of a save. Out: bytes; a game that goes
//! on where the other was. Holds: save, load, save gives the same bytes; two games of the same bytes go on
//! alike; a level that has changed since goes through the reload of levels, and changed scripts must pass the
//! checks of a reload; bad bytes are refused with a reason, within the memory and the time that a save of
//! their length takes. Not here: what of the world (`world::snapshot`) and of scripts
//! (`script::host::saving`) is written, files.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash;
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::game::level_reload::{self, Edited, LevelGiven, Origin, StagedLevel};
use crate::game::{Game, Setup, reload_errors};
use crate::level::{Level, spawn};
use crate::script::host::reload::ReloadError;
use crate::script::host::{ScriptHost, ScriptSetup, StartError};
use crate::script::state::test_run::TestSaving;
use crate::script::vm::fault::FaultKind;
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::limits::LUAU_VERSION;
use crate::world::World;
use crate::world::event::{Fact, LogLine};
use crate::world::snapshot::{self, RestoreGround};

/// The first bytes of a save game.
const MAGIC: &[u8; 8] = b"walkonSG";

/// The form of save games that this version writes and reads.
pub const SAVE_FORM: u32 = 13;

/// Longest save game that is written and read.
pub const SAVE_BYTES_MAX: usize = 256 << 20;

/// Bytes that a character takes, about: room that is made before they are written.
const BYTES_OF_ONE: usize = 256;

/// Bytes of the sum at the end.
const SUM_BYTES: usize = 8;

/// Why a game cannot be saved now, a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SaveError(pub String);

/// Why a save game cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The bytes are none of a save game, or not of one that this version reads.
    #[error("the save game cannot be read: {0}")]
    Bytes(String),
    /// Another version of walkon wrote it.
    #[error("the save game cannot be read: it is of form {saved}, this version reads form {SAVE_FORM}")]
    OtherForm {
        /// The form of its bytes; this version reads [`SAVE_FORM`].
        saved: u32,
    },
    /// It is of another level, by name.
    #[error("the save game does not fit: it is of level \"{saved}\", this is \"{given}\"")]
    OtherLevel {
        /// The level that it is of.
        saved: String,
        /// The level that was given.
        given: String,
    },
    /// The scripts could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The scripts of the level do not fit what was saved.
    #[error("the save game does not fit: {}", .0.message)]
    Scripts(Box<ReloadError>),
}

impl RestoreError {
    /// The script file that is meant and the line in it; none when it is none.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32)> {
        match self {
            Self::Scripts(refusal) if !refusal.file.is_empty() => Some((&refusal.file, refusal.line)),
            Self::Start(error) => error.failure().map(|(failure, _)| (failure.file.as_str(), failure.line)),
            _ => None,
        }
    }

    /// The kind of the fault that ended a script's code; none when it was another mistake.
    #[must_use]
    pub fn fault_kind(&self) -> Option<FaultKind> {
        match self {
            Self::Bytes(_) | Self::OtherForm { .. } | Self::OtherLevel { .. } => None,
            Self::Start(error) => error.failure().map(|(failure, _)| failure.kind),
            Self::Scripts(refusal) => refusal.kind,
        }
    }
}

impl From<DecodeError> for RestoreError {
    fn from(broken: DecodeError) -> Self {
        Self::Bytes(broken.0)
    }
}

/// What stands in front of a save game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveHeader {
    /// The form of the bytes.
    pub form: u32,
    /// Version of walkon that wrote it.
    pub walkon: String,
    /// Version of the VM.
    pub luau: String,
    /// Name of the level.
    pub level: String,
    /// Over the level and every file it names.
    pub level_hash: u64,
    /// Over what of it decides about the ground.
    pub ground_hash: u64,
    /// Hash of each script by its path below the script folders.
    pub scripts: BTreeMap<String, u64>,
    /// Seed of the run.
    pub seed: u64,
    /// The tick after which it was saved.
    pub tick: u64,
    /// Ticks a second.
    pub tick_rate: u32,
    /// `level.args`.
    pub args: Vec<String>,
}

impl SaveHeader {
    /// Reads what stands in front of a save game, and checks its sum. Cost: a pass over the bytes.
    ///
    /// # Errors
    /// When the bytes are none of a save game that this version reads.
    pub fn read(bytes: &[u8]) -> Result<Self, RestoreError> {
        Ok(open(bytes)?.0)
    }

    fn save(&self, out: &mut ByteWriter) {
        let Self {
            // In front of it.
            form: _,
            walkon,
            luau,
            level,
            level_hash,
            ground_hash,
            scripts,
            seed,
            tick,
            tick_rate,
            args,
        } = self;
        walkon.save(out);
        luau.save(out);
        level.save(out);
        out.whole(*level_hash);
        out.whole(*ground_hash);
        out.list(scripts.iter(), |out, (path, hash)| {
            path.save(out);
            out.whole(*hash);
        });
        out.whole(*seed);
        out.word(*tick);
        tick_rate.save(out);
        args.save(out);
    }

    fn load(input: &mut ByteReader<'_>, form: u32) -> Result<Self, DecodeError> {
        Ok(Self {
            form,
            walkon: Saved::load(input)?,
            luau: Saved::load(input)?,
            level: Saved::load(input)?,
            level_hash: input.whole()?,
            ground_hash: input.whole()?,
            scripts: input.list(|input| Ok((input.text()?, input.whole()?)))?.into_iter().collect_map(),
            seed: input.whole()?,
            tick: input.word()?,
            tick_rate: Saved::load(input)?,
            args: Saved::load(input)?,
        })
    }

    /// The names of files that are not as they were.
    fn changed(&self, now: &BTreeMap<String, String>) -> BTreeSet<String> {
        let is_other = |(path, text): &(&String, &String)| {
            self.scripts.get(*path) != Some(&hash::of_bytes(text.as_bytes()))
        };
        let names = now.iter().filter(is_other).filter_map(|(path, _)| ScriptTexts::name_of_path(path));
        names.map(str::to_owned).collect()
    }
}

/// Whether a save game may be so long: what is written can be read.
fn check_length(bytes: usize) -> Result<(), String> {
    if bytes <= SAVE_BYTES_MAX {
        return Ok(());
    }
    Err(format!("it has {bytes} bytes, the most is {SAVE_BYTES_MAX}"))
}

/// Header and body of a save game whose form and sum are right.
fn open(bytes: &[u8]) -> Result<(SaveHeader, &[u8]), RestoreError> {
    let refused = |what: String| RestoreError::Bytes(what);
    check_length(bytes.len()).map_err(refused)?;
    let Some((magic, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(refused("it is no save game of walkon".to_owned()));
    };
    if magic != MAGIC {
        return Err(refused("it is no save game of walkon".to_owned()));
    }
    let cut = || refused("it ends in the middle".to_owned());
    let (form, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    let form = u32::from_le_bytes(*form);
    if form != SAVE_FORM {
        return Err(RestoreError::OtherForm { saved: form });
    }
    let (rest, sum) = rest.split_last_chunk::<SUM_BYTES>().ok_or_else(cut)?;
    if u64::from_le_bytes(*sum) != sum_of(bytes) {
        return Err(refused("its sum is wrong: it was cut or changed".to_owned()));
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (header, body) = rest.split_at_checked(length).ok_or_else(cut)?;
    let mut input = ByteReader::at(TickNumber(0), header);
    let header = SaveHeader::load(&mut input, form)?;
    input.end()?;
    Ok((header, body))
}

/// The sum over everything but the place of the sum.
fn sum_of(bytes: &[u8]) -> u64 {
    hash::sum_of(&bytes[..bytes.len().saturating_sub(SUM_BYTES)])
}

/// Puts the right sum behind bytes that were changed: for tests of what changed bytes do.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    let sum = sum_of(bytes).to_le_bytes();
    if let Some(place) = bytes.last_chunk_mut::<SUM_BYTES>() {
        *place = sum;
    }
}

impl Game {
    /// The whole game as bytes, between two ticks; [`Game::restore`] makes it again. It changes nothing. What
    /// verbs have done since the last tick is in it, with what the next tick is to tell of it. Cost: a pass
    /// over everything that is simulated and over the states of behaviours.
    ///
    /// Not in it: tasks, functions, watches and listeners. They end as at a reload and begin again in the
    /// first tick after the load, by `start("load")` and `run`.
    ///
    /// # Errors
    /// When the game has no level of its own, the level has ended, a scene is under way that does not say
    /// `resumable = true`, or the bytes would be more than 256 MiB, which no game is made of again.
    ///
    /// ```
    /// use walkon::{Game, Setup};
    /// # let mut game = walkon_runtime::example::game()?;
    /// # let (level, scripts) = (walkon_runtime::example::level()?, walkon_runtime::example::scripts());
    ///
    /// let anna = game.character("anna").ok_or("there is no anna")?;
    /// game.walk_to(anna, [16.0, 0.0, 6.0])?;
    /// game.tick(&[]);
    /// let bytes = game.save()?;
    ///
    /// // Later, perhaps in another process: the walk goes on.
    /// let mut again = Game::restore(level, Setup { scripts, ..Setup::default() }, &bytes)?;
    /// assert_eq!(again.tick(&[]).number, 2);
    /// assert_eq!(again.poses().collect::<Vec<_>>(), {
    ///     game.tick(&[]);
    ///     game.poses().collect::<Vec<_>>()
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> Result<Vec<u8>, SaveError> {
        let Some(origin) = &self.origin else {
            return Err(SaveError("a world that the host has built itself cannot be saved".to_owned()));
        };
        let world = &self.world;
        let header = SaveHeader {
            form: SAVE_FORM,
            walkon: env!("CARGO_PKG_VERSION").to_owned(),
            luau: LUAU_VERSION.to_owned(),
            level: world.level_name().to_owned(),
            level_hash: origin.hash(),
            ground_hash: origin.ground(),
            scripts: self.scripts.as_ref().map(ScriptHost::text_hashes).unwrap_or_default(),
            seed: world.seed(),
            tick: world.tick().0,
            tick_rate: world.rate().per_second(),
            args: self.scripts.as_ref().map(ScriptHost::args).unwrap_or_default(),
        };
        let mut head = ByteWriter::at(TickNumber(0));
        header.save(&mut head);
        let head = head.finish();
        let mut body = ByteWriter::at(world.tick());
        body.reserve(world.character_count() * BYTES_OF_ONE);
        body.raw(MAGIC);
        body.raw(&SAVE_FORM.to_le_bytes());
        body.raw(&(head.len() as u32).to_le_bytes());
        body.raw(&head);
        snapshot::save(world, &mut body);
        origin.save(&mut body, world);
        if let Some(scripts) = &self.scripts {
            scripts.save(world, &mut body).map_err(SaveError)?;
        }
        body.raw(&[0; SUM_BYTES]);
        let mut all = body.finish();
        check_length(all.len())
            .map_err(|long| SaveError(format!("the save game would be too long: {long}")))?;
        seal(&mut all);
        Ok(all)
    }

    /// A game as it was saved, on its level and with its scripts; [`Setup`] says the rest, as for
    /// [`Game::load`], but for the seed, which is that of the save. A level that has changed since is taken
    /// in as a reload takes it in. The code of scripts begins in the first tick: `migrate` where the version
    /// is another one, `start("load")`, `run`. [`Game::start_facts`] tells where each character stands.
    ///
    /// # Errors
    /// When the bytes are none of a save game, or of one of another form or level; when what was saved does
    /// not fit the scripts: one is missing, parameters are wrong, a handler in use or `migrate` is not there.
    pub fn restore(level: Level, setup: Setup, bytes: &[u8]) -> Result<Self, RestoreError> {
        let (header, body) = open(bytes)?;
        let args = if setup.args.is_empty() { header.args.clone() } else { setup.args.clone() };
        let changed = header.changed(&setup.scripts);
        let script = level.def.script.as_ref().map(|script| script.value.clone());
        let scripts = ScriptSetup {
            texts: setup.scripts,
            level_script: script,
            characters: Vec::new(),
            args,
            signals: setup.signals,
            is_interactive: setup.is_interactive,
            debugger: setup.debugger,
            profile: setup.profile,
        };
        let settings = spawn::settings(&level.def);
        let mut scripts = ScriptHost::new(scripts, &settings, header.seed)?;
        let (mut world, origin) = read(level, &header, body, &mut scripts, &changed)?;
        world.set_threads(setup.threads);
        tell_who_is_there(&mut world);
        Ok(Self { origin: Some(origin), ..Self::of(world, Some(scripts), setup.recorder) })
    }

    /// Between two ticks: saves and loads what the test of the level asks for. `level` is the one it runs in.
    pub(crate) fn serve_test(&mut self, level: &Level) {
        let Some(asked) = self.scripts.as_ref().and_then(ScriptHost::take_saving) else { return };
        let mut served = TestSaving::default();
        if asked.asks {
            served.saved = Some(self.save().map_err(|refused| refused.0));
        }
        if let Some(bytes) = asked.to_load {
            let loaded = self.restore_here(level.clone(), &bytes);
            served.loaded = Some(loaded.map_err(|error| error.to_string()));
        }
        if let Some(scripts) = &self.scripts {
            scripts.note_saving(served);
        }
    }

    /// Puts a save game in the place of this game, whose level and VM go on: for the tests of a level. What
    /// the test itself has under way stays.
    ///
    /// # Errors
    /// As [`Game::restore`]; then the game is not to go on.
    #[doc(hidden)]
    pub fn restore_here(&mut self, level: Level, bytes: &[u8]) -> Result<(), RestoreError> {
        let (header, body) = open(bytes)?;
        let Some(mut scripts) = self.scripts.take() else { return Ok(()) };
        if let Err(refusal) = scripts.make_way(&mut self.world) {
            self.scripts = Some(scripts);
            return Err(RestoreError::Scripts(Box::new(refusal)));
        }
        let read = read(level, &header, body, &mut scripts, &BTreeSet::new());
        let (before, threads) = (self.world.tick(), self.world.threads());
        if let Ok((world, origin)) = read {
            (self.world, self.origin) = (world, Some(origin));
            self.world.set_threads(threads);
            scripts.move_test(before, self.world.tick());
            self.scripts = Some(scripts);
            return Ok(());
        }
        self.scripts = Some(scripts);
        read.map(|_| ())
    }
}

/// World and origin of a save; the scripts are loaded with it.
fn read(
    mut level: Level,
    header: &SaveHeader,
    body: &[u8],
    scripts: &mut ScriptHost,
    changed: &BTreeSet<String>,
) -> Result<(World, Origin), RestoreError> {
    if header.level != level.def.name {
        return Err(RestoreError::OtherLevel { saved: header.level.clone(), given: level.def.name });
    }
    let given = LevelGiven::of(&level);
    let is_changed = given.hash != header.level_hash;
    let is_same_ground = given.ground == header.ground_hash;
    let ground = if is_same_ground { RestoreGround::Same } else { RestoreGround::Changed };
    if is_changed && let Some(refusal) = reload_errors::unknown_script(&level, &scripts.texts_to_be()) {
        return Err(RestoreError::Scripts(Box::new(refusal)));
    }
    let staged = is_changed.then(|| StagedLevel::of(level.clone()));
    // The characters come from the save.
    level.def.characters.clear();
    let fresh = spawn::build(level, Some(header.seed)).world;
    let mut input = ByteReader::at(TickNumber(header.tick), body);
    let mut world = snapshot::load(&mut input, ground, fresh)?;
    let untold = world.events.take_recorded();
    if world.seed() != header.seed {
        return Err(RestoreError::Bytes("the seeds in it differ".to_owned()));
    }
    let mut origin = Origin::load(&mut input, &world, given, header.ground_hash)?;
    let edited = match staged {
        Some(staged) => level_reload::apply_loaded(&mut world, &mut origin, staged),
        None => Edited::default(),
    };
    tell(&mut world, edited.notes);
    let loaded = scripts.load(&mut world, &mut input, &edited.behaviours, changed);
    loaded.map_err(|refusal| RestoreError::Scripts(Box::new(refusal)))?;
    input.end()?;
    world.events.begin_loaded(untold);
    Ok((world, origin))
}

/// Sentences about what of a changed level could not be kept, as warnings of the first tick.
fn tell(world: &mut World, notes: Vec<String>) {
    for message in notes {
        let line = LogLine { level: "warn", owner: "load".to_owned(), file: String::new(), line: 0, message };
        world.events.tell_host(Fact::Logged(Box::new(line)));
    }
}

/// Hosts hear of every character, as at the start of a level; scripts know.
fn tell_who_is_there(world: &mut World) {
    let everybody = world.characters().map(|(id, _)| Fact::Spawned(id)).collect();
    world.events.tell_at_start(everybody);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_and_what_is_read_have_one_longest_length() {
        for (bytes, is_fine) in [(0, true), (SAVE_BYTES_MAX, true), (SAVE_BYTES_MAX + 1, false)] {
            assert_eq!(check_length(bytes).is_ok(), is_fine, "{bytes}");
        }
        // Too long comes before everything else that is wrong with it.
        let told = SaveHeader::read(&vec![0; SAVE_BYTES_MAX + 1]).expect_err("it is too long").to_string();
        assert!(told.contains(&check_length(SAVE_BYTES_MAX + 1).expect_err("too long")), "{told}");
    }

    #[test]
    fn a_save_of_another_level_or_form_says_which() {
        let game = crate::example::game().expect("the example");
        let bytes = game.save().expect("it can be saved");
        let mut other = crate::example::level().expect("it is right");
        other.def.name = "other".to_owned();
        let setup = || Setup { scripts: crate::example::scripts(), ..Setup::default() };
        match Game::restore(other, setup(), &bytes) {
            Err(RestoreError::OtherLevel { saved, given }) => {
                assert_eq!((saved.as_str(), given.as_str()), (game.world().level_name(), "other"));
            }
            told => panic!("{:?}", told.err()),
        }
        let mut old = bytes;
        old[8..12].copy_from_slice(&7_u32.to_le_bytes());
        seal(&mut old);
        let level = crate::example::level().expect("it is right");
        let told = Game::restore(level, setup(), &old).map(drop);
        assert!(matches!(told, Err(RestoreError::OtherForm { saved: 7 })), "{told:?}");
    }
}
