//! Profiles a run and writes the profile to a file.
//!
//! In: the options of a command, the steps of ticks as they end. Out: the settings that the library needs, a
//! file at the end. Holds: the file is refused before the run begins, or written when it has ended. Not here:
//! the forms (`profile_files`).

use std::path::PathBuf;
use std::time::Instant;

use walkon_shell::CommandFailure;

use super::cli::args::ProfileArgs;
use super::output::OutputFile;
use super::profile_files::{ProfileForm, Profiled, StepSpan};
use crate::game::TickStep;
use crate::script::state::profile::{Profile, ProfileSetup, Stopwatch};

/// Steps that are kept with their times.
const STEPS_MAX: usize = 1_000_000;

/// The clock of the process.
#[derive(Debug, Clone, Copy)]
struct WallClock(Instant);

impl Stopwatch for WallClock {
    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A profile that is being made.
pub(super) struct Profiling {
    target: Option<(OutputFile, ProfileForm)>,
    sample_every: u32,
    clock: WallClock,
    /// When the step under way began.
    last_ns: u64,
    tick: u64,
    steps: Vec<StepSpan>,
}

impl Profiling {
    /// A profile as the options of a command ask for it; none when they do not. `inputs` are the files that
    /// it reads.
    ///
    /// # Errors
    /// When the file cannot be written, or its form is not known.
    pub fn asked(args: &ProfileArgs, inputs: &[PathBuf]) -> Result<Option<Self>, CommandFailure> {
        let Some(path) = &args.profile else { return Ok(None) };
        let name = path.to_string_lossy();
        let form = args.profile_form.or_else(|| ProfileForm::of_name(&name)).ok_or_else(|| {
            CommandFailure::usage(format!("{name}: unknown profile format"))
                .help("expected *.folded, *.speedscope.json or *.json (Chrome trace), or --profile-form")
        })?;
        let target = OutputFile::claim_over(path, inputs, |_| true)?;
        Ok(Some(Self { target: Some((target, form)), ..Self::new(args.profile_every) }))
    }

    /// A profile that goes into no file.
    pub fn new(sample_every: u32) -> Self {
        let clock = WallClock(Instant::now());
        Self { target: None, sample_every, clock, last_ns: 0, tick: 0, steps: Vec::new() }
    }

    /// Whether the file goes to stdout.
    pub fn is_stdout(&self) -> bool {
        self.target.as_ref().is_some_and(|(target, _)| target.is_stdout())
    }

    fn is_chart(&self) -> bool {
        matches!(self.target, Some((_, ProfileForm::Chrome)))
    }

    /// Refuses a chart over time, for commands that run many levels.
    ///
    /// # Errors
    /// When the form is that of a chart.
    pub fn refuse_chart(&self) -> Result<(), CommandFailure> {
        if !self.is_chart() {
            return Ok(());
        }
        Err(CommandFailure::usage("a Chrome trace shows one run, and tests are many")
            .help("write folded stacks or speedscope, or use `walkon run LEVEL --profile FILE`"))
    }

    /// The setup of a level that is profiled.
    pub fn setup(&self) -> ProfileSetup {
        ProfileSetup {
            sample_every: self.sample_every,
            stopwatch: Some(Box::new(self.clock)),
            keeps_calls: self.is_chart(),
        }
    }

    /// A step of the tick has ended.
    pub fn done(&mut self, step: TickStep) {
        if !self.is_chart() {
            return;
        }
        let now = self.clock.nanoseconds();
        if step == TickStep::Inputs {
            self.tick += 1;
        } else if self.steps.len() < STEPS_MAX {
            let nanoseconds = now.saturating_sub(self.last_ns);
            self.steps.push(StepSpan { tick: self.tick, step, begun_ns: self.last_ns, nanoseconds });
        }
        self.last_ns = now;
    }

    /// Writes the file, if there is to be one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, level: &str, profile: &Profile) -> Result<(), CommandFailure> {
        let Some((target, form)) = &self.target else { return Ok(()) };
        let profiled = Profiled { level, profile, steps: &self.steps };
        target.write_with(|out| profiled.write(*form, out))
    }
}
