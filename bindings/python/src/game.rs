//! Games for Python.
//!
//! In: inputs as JSON, names, arrays. Out: lines of JSON, arrays, rows. Holds: one game, one thread, which every call
//! checks; a game that has panicked answers `BugError` from then on; ticks run without the lock of the interpreter; what
//! is written to an array is written in place. Not here: typed events.

use numpy::ndarray::Dim;
use numpy::{PyArray, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use walkon::{AcceptEnd, CharacterId, DoorPolicy, Goal, Tick, WalkOptions, WalkPace};
use walkon_shell::{GameEndedError, LiveGame, ThreadBound, caught};

use crate::errors;
use crate::level::{BoundArguments, bound};
use crate::signals::SignalWatch;

/// Numbers of a place, and of a pose: x, y, z, facing, speed.
const PLACE: usize = 3;
const POSE: usize = 5;

/// A level that runs, on the thread that started it.
#[pyclass(frozen, module = "walkon._native")]
pub struct Game {
    live: ThreadBound<LiveGame>,
}

/// What a character walks to: a place, or the name of a mark or of a character.
#[derive(FromPyObject)]
enum GoalArgument {
    Name(String),
    Place([f32; 3]),
    Flat([f32; 2]),
}

/// How a character walks: gait, doors, accept, radius, timeout.
type WalkArguments = (Option<String>, Option<String>, Option<String>, Option<f32>, Option<f64>);

impl Game {
    pub fn new(live: ThreadBound<LiveGame>) -> Self {
        Self { live }
    }

    /// Works with the game while the interpreter is free.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut LiveGame) -> R + Send) -> PyResult<R> {
        errors::given(py, py.detach(|| caught(|| self.live.with(work))))
    }

    /// Works with it at once: for what takes less time than to free the interpreter.
    fn at_once<R>(&self, py: Python<'_>, work: impl FnOnce(&mut LiveGame) -> R) -> PyResult<R> {
        errors::given(py, caught(|| self.live.with(work)))
    }

    fn character(&self, py: Python<'_>, name: &str) -> PyResult<CharacterId> {
        self.at_once(py, |live| live.character(name))?.map_err(PyKeyError::new_err)
    }
}

#[pymethods]
impl Game {
    /// Advances it by so many ticks, fewer when the level finishes or a signal comes; `inputs` are heard in the first.
    /// The lines of what happened.
    #[pyo3(signature = (inputs, ticks))]
    fn tick(&self, py: Python<'_>, inputs: Option<&str>, ticks: u32) -> PyResult<Vec<String>> {
        // One tick ends by itself.
        let watch = (ticks > 1).then(SignalWatch::new);
        let (done, watch) =
            self.with(py, move |live| (ticked(live, inputs, ticks, watch.as_ref()), watch))?;
        watch.map_or(Ok(()), SignalWatch::raised)?;
        done.map_err(|told| told.error(py))
    }

    /// Runs it to a bound and ends it: the row of `walkon run --format json`, and the lines of what happened when they
    /// are asked for.
    #[pyo3(signature = (ends, events))]
    fn run(&self, py: Python<'_>, ends: BoundArguments, events: bool) -> PyResult<(String, Vec<String>)> {
        let bound = bound(ends)?;
        let (ran, watch) = self.with(py, |live| {
            let watch = SignalWatch::new();
            let mut lines = Vec::new();
            let ran = live.run(&bound, &watch.stop(), &mut |tick: &Tick| {
                watch.look();
                if events {
                    lines.extend(tick.lines.iter().cloned());
                }
            });
            (ran.map(|(_, row)| (row, lines)), watch)
        })?;
        watch.raised()?;
        ran.map_err(|error| errors::ended(py, error))
    }

    /// Ends it: every open walk settles. The lines of what happened then.
    fn end(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ended = self.with(py, LiveGame::end)?;
        ended.map(|tick| tick.lines).map_err(|error| errors::ended(py, error))
    }

    /// The whole game as bytes, between two ticks.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.with(py, |live| match live.is_over() {
            true => Err(Told::Ended(GameEndedError)),
            false => live.save().map_err(|error| Told::Save(error.to_string())),
        })?;
        saved.map(|bytes| PyBytes::new(py, &bytes)).map_err(|told| told.error(py))
    }

    /// Panics in the game as a bug would: for the test of what comes then.
    #[allow(clippy::panic, reason = "it is what it is there for")]
    fn _panic(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |_| panic!("a test asked for it"))
    }

    /// Whether it has ended.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.at_once(py, |live| live.is_over())
    }

    /// Number of the last tick.
    #[getter]
    fn tick_number(&self, py: Python<'_>) -> PyResult<u64> {
        self.at_once(py, |live| live.game().world().tick().0)
    }

    /// Hash of the state.
    fn hash(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |live| live.game().fingerprint().whole())
    }

    /// Whether the level's script has finished it, how, and with which words.
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<(bool, Option<String>)>> {
        self.at_once(py, |live| live.game().outcome().map(|outcome| (outcome.ok, outcome.note)))
    }

    /// The last values of `level.measure`.
    fn measures(&self, py: Python<'_>) -> PyResult<std::collections::BTreeMap<String, f64>> {
        self.at_once(py, |live| live.game().measures())
    }

    /// Names of the characters in order of creation.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.at_once(py, |live| live.names().map(str::to_owned).collect())
    }

    /// How many characters there are.
    #[getter]
    fn character_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.at_once(py, |live| live.character_count())
    }

    /// Where everybody is: an array of one row for each, written in place into `out` if that is given.
    #[pyo3(signature = (out))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray2<f32>>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.filled(py, out, PLACE, |live, room| live.positions(room))
    }

    /// The same with facing and speed.
    #[pyo3(signature = (out))]
    fn poses<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray2<f32>>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.filled(py, out, POSE, |live, room| {
            let rows = room.as_chunks_mut::<POSE>().0;
            live.game().poses().zip(rows).for_each(|(pose, row)| {
                let [x, y, z] = pose.position;
                *row = [x, y, z, pose.facing_rad, pose.speed_mps];
            });
            live.character_count()
        })
    }

    /// Sends a character somewhere from the next tick on; the number of the walk.
    #[pyo3(signature = (name, to, options))]
    fn walk(&self, py: Python<'_>, name: &str, to: GoalArgument, options: WalkArguments) -> PyResult<u64> {
        let character = self.character(py, name)?;
        let goal = self.goal(py, to)?;
        let options = self.at_once(py, |live| walk_options(live, options))?.map_err(PyValueError::new_err)?;
        let asked = self.at_once(py, |live| {
            live.game_mut()
                .map(|game| game.walk_with(character, goal, options).map_err(|error| error.to_string()))
        })?;
        asked.map_err(|error| errors::ended(py, error))?.map_err(PyValueError::new_err)
    }

    /// Stops the walk of a character; whether there was one.
    fn stop(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        let character = self.character(py, name)?;
        let stopped = self.at_once(py, |live| live.game_mut().map(|game| game.stop(character)))?;
        stopped.map_err(|error| errors::ended(py, error))
    }

    /// Wishes a door open or closed.
    fn door(&self, py: Python<'_>, name: &str, open: bool) -> PyResult<()> {
        let door = self.at_once(py, |live| live.game().door(name))?;
        let door = door.ok_or_else(|| PyKeyError::new_err(format!("unknown door \"{name}\"")))?;
        let moved = self.at_once(py, |live| {
            live.game_mut().map(|game| if open { game.open_door(door) } else { game.close_door(door) })
        })?;
        let moved = moved.map_err(|error| errors::ended(py, error))?;
        moved.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// What of a call was wrong.
enum Told {
    Input(String),
    Save(String),
    Ended(GameEndedError),
}

impl Told {
    fn error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Input(why) => errors::named(py, "InputError", &why),
            Self::Save(why) => errors::named(py, "SaveError", &why),
            Self::Ended(error) => errors::ended(py, error),
        }
    }
}

/// So many ticks; the lines of what happened in them.
fn ticked(
    live: &mut LiveGame,
    inputs: Option<&str>,
    ticks: u32,
    watch: Option<&SignalWatch>,
) -> Result<Vec<String>, Told> {
    let mut said = match inputs {
        Some(inputs) => live.game().read_inputs(inputs).map_err(Told::Input)?,
        None => Vec::new(),
    };
    let is_finished = live.game().outcome().is_some();
    let mut lines = Vec::new();
    for _ in 0..ticks {
        lines.append(&mut live.tick(&said).map_err(Told::Ended)?.lines);
        said.clear();
        if !is_finished && live.game().outcome().is_some() {
            break;
        }
        if watch.is_some_and(SignalWatch::look) {
            break;
        }
    }
    Ok(lines)
}

impl Game {
    fn filled<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray2<f32>>>,
        width: usize,
        fill: impl FnOnce(&LiveGame, &mut [f32]) -> usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let count = self.at_once(py, |live| live.character_count())?;
        let array = match out {
            Some(array) if array.shape()[1] == width && array.shape()[0] >= count => array,
            Some(array) => {
                let (rows, columns) = (array.shape()[0], array.shape()[1]);
                let what =
                    format!("out: its shape is ({rows}, {columns}), expected at least ({count}, {width})");
                return Err(PyValueError::new_err(what));
            }
            None => PyArray::zeros(py, Dim([count, width]), false),
        };
        // In the order of Fortran the numbers of a place lie apart.
        let scattered = || PyValueError::new_err("out: expected a C-contiguous array");
        if !array.is_c_contiguous() {
            return Err(scattered());
        }
        let mut room = array.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let slice = room.as_slice_mut().map_err(|_| scattered())?;
        self.at_once(py, |live| fill(live, slice))?;
        Ok(array)
    }

    fn goal(&self, py: Python<'_>, to: GoalArgument) -> PyResult<Goal> {
        match to {
            GoalArgument::Place(place) if place.iter().all(|number| number.is_finite()) => {
                Ok(Goal::from(place))
            }
            GoalArgument::Flat([x, z]) if x.is_finite() && z.is_finite() => Ok(Goal::from([x, 0.0, z])),
            GoalArgument::Place(_) | GoalArgument::Flat(_) => {
                Err(PyValueError::new_err("to: expected finite numbers of metres"))
            }
            GoalArgument::Name(name) => {
                let found = self.at_once(py, |live| {
                    let game = live.game();
                    let mark = game.mark(&name).map(Goal::from);
                    mark.or_else(|| game.door(&name).map(Goal::from))
                        .or_else(|| game.character(&name).map(Goal::from))
                })?;
                found.ok_or_else(|| {
                    PyKeyError::new_err(format!("no mark, door or character is called \"{name}\""))
                })
            }
        }
    }
}

fn walk_options(live: &LiveGame, arguments: WalkArguments) -> Result<WalkOptions, String> {
    let (gait, doors, accept, radius_m, timeout_s) = arguments;
    if let Some(seconds) = timeout_s.filter(|seconds| !(0.0..=86_400.0).contains(seconds)) {
        return Err(format!("timeout is {seconds}, expected 0 to 86400 seconds"));
    }
    let rate = live.game().world().rate();
    let mut options = WalkOptions::at(rate);
    options.radius_m = radius_m;
    options.timeout_ticks = timeout_s.map(|seconds| rate.ticks(seconds));
    if let Some(gait) = gait {
        options.pace = match gait.as_str() {
            "walk" => WalkPace::Walk,
            "run" => WalkPace::Run,
            _ => return Err(format!("gait: \"{gait}\", expected \"walk\" or \"run\"")),
        };
    }
    if let Some(doors) = doors {
        let known = DoorPolicy::NAMES.iter().find(|(name, _)| *name == doors);
        let unknown = || format!("doors: \"{doors}\", expected \"avoid\", \"open\" or \"wait\"");
        options.doors = Some(known.ok_or_else(unknown)?.1);
    }
    if let Some(accept) = accept {
        let known = AcceptEnd::NAMES.iter().find(|(name, _)| *name == accept);
        let names: Vec<&str> = AcceptEnd::NAMES.iter().map(|(name, _)| *name).collect();
        let unknown = || format!("accept: \"{accept}\", expected one of {}", names.join(", "));
        options.accept = known.ok_or_else(unknown)?.1;
    }
    Ok(options)
}
