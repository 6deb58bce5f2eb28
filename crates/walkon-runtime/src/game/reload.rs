//! Steps 2 and 3: changed texts take effect, or are refused.
//!
//! In: changed texts of this tick's inputs, the world, the scripts. Out: one fact, `Reloaded` or
//! `ReloadRefused`, and the report that tests ask for. Holds: nothing happens when nothing has changed. Not
//! here: how scripts change (`script::host::reload`).

use std::collections::BTreeMap;

use crate::base::ordered::CollectOrdered;
use crate::game::inputs::Reload;
use crate::game::level_reload::{self, Edited, Origin};
use crate::game::log_text;
use crate::script::host::ScriptHost;
use crate::script::host::reload::{ReloadError, Taken};
use crate::script::state::test_run::ReloadReport;
use crate::world::World;
use crate::world::event::{Fact, LogLine, ReloadedFile};

/// Step 2: everything that can be asked of the texts alone. Nothing runs, the world does not change. The new
/// level, when there is one.
pub(super) fn stage(
    scripts: Option<&mut ScriptHost>,
    reload: &Reload,
) -> Option<Result<level_reload::StagedLevel, ReloadError>> {
    let scripts = scripts.map(|scripts| {
        scripts.stage(&reload.scripts);
        &*scripts
    });
    let level = reload.level.as_ref()?;
    Some(level_reload::stage(level, scripts))
}

/// Head of step 3: the change itself; whether it took effect. A level that is refused keeps the scripts from
/// changing, and scripts that are refused the level, unless their code has run in it already.
pub(super) fn commit(
    world: &mut World,
    mut scripts: Option<&mut ScriptHost>,
    reload: &Reload,
    level: Option<Result<level_reload::StagedLevel, ReloadError>>,
    origin: &mut Option<Origin>,
) -> bool {
    let outcome = match (level, origin.as_mut()) {
        (Some(Err(refusal)), _) => {
            if let Some(scripts) = scripts.as_deref_mut() {
                scripts.put_off();
            }
            Some(Err(refusal))
        }
        (Some(Ok(staged)), Some(origin)) => {
            Some(with_level(world, scripts.as_deref_mut(), staged, origin, reload))
        }
        (_, origin) => scripts.as_deref_mut().and_then(|scripts| scripts_alone(world, scripts, origin)),
    };
    let report = match outcome {
        Some(outcome) => tell(world, outcome, reload),
        None => ReloadReport { ok: true, message: None, files: paths(reload), tick: world.tick() },
    };
    let ok = report.ok && world.events.recorded().iter().any(|event| matches!(event, Fact::Reloaded { .. }));
    if let Some(scripts) = scripts {
        scripts.note_reload(report);
    }
    ok
}

/// The scripts, with the behaviours that an earlier level has still to give.
fn scripts_alone(
    world: &mut World,
    scripts: &mut ScriptHost,
    origin: Option<&mut Origin>,
) -> Option<Result<Taken, ReloadError>> {
    let owed = origin.as_ref().map(|origin| origin.owed(world)).unwrap_or_default();
    let outcome = scripts.commit(world, &owed)?;
    if let (Ok(_), Some(origin)) = (&outcome, origin) {
        origin.owe_nothing(world);
    }
    Some(outcome)
}

/// The level, then the scripts in it.
fn with_level(
    world: &mut World,
    mut scripts: Option<&mut ScriptHost>,
    mut staged: level_reload::StagedLevel,
    origin: &mut Origin,
    reload: &Reload,
) -> Result<Taken, ReloadError> {
    let before = (world.clone(), origin.clone());
    let written = std::mem::take(&mut staged.written);
    let Edited { behaviours, watches, mut notes } = level_reload::apply(world, origin, staged);
    let outcome = scripts.as_deref_mut().and_then(|scripts| scripts.commit(world, &behaviours));
    let mut taken = match outcome {
        Some(Err(refusal)) if !refusal.had_effects => {
            (*world, *origin) = before;
            return Err(written.blame(refusal));
        }
        Some(Err(refusal)) => {
            // What has run has run on the new level, which stays.
            origin.owe(world, &before.1, behaviours);
            notes.extend(scripts.into_iter().flat_map(|scripts| scripts.forget_watches(&watches)));
            tell_of_level(world, notes);
            return Err(written.blame(refusal));
        }
        Some(Ok(taken)) => taken,
        None => Taken::default(),
    };
    notes.extend(scripts.into_iter().flat_map(|scripts| scripts.forget_watches(&watches)));
    if let Some(level) = &reload.level {
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        taken.files.extend(level.files.iter().map(|(path, bytes)| (path.clone(), Some(text(bytes)))));
    }
    taken.notes.extend(notes);
    Ok(taken)
}

/// Sentences about what a level could not keep, as warnings: it has changed although its reload is refused.
fn tell_of_level(world: &mut World, notes: Vec<String>) {
    for message in notes {
        let owner = log_text::RELOAD.to_owned();
        let line = LogLine { level: "warn", owner, file: String::new(), line: 0, message };
        world.events.push(Fact::Logged(Box::new(line)));
    }
}

/// The files that were given, as they are named in reports.
fn paths(reload: &Reload) -> Vec<String> {
    let level = reload.level.iter().flat_map(|level| level.files.keys());
    reload.scripts.keys().chain(level).cloned().collect()
}

/// The fact of a reload, and its report.
fn tell(world: &mut World, outcome: Result<Taken, ReloadError>, reload: &Reload) -> ReloadReport {
    let tick = world.tick();
    let mut more = Vec::new();
    let (event, report) = match outcome {
        Ok(Taken { files, notes }) => {
            let paths = files.keys().cloned().collect();
            let report = ReloadReport { ok: true, message: None, files: paths, tick };
            (Fact::Reloaded { files: described(&files), notes }, report)
        }
        Err(ReloadError { file, line, message, more: others, .. }) => {
            more = others;
            let files = paths(reload);
            let report = ReloadReport { ok: false, message: Some(message.clone()), files, tick };
            let mut files = described(&reload.scripts);
            for (path, bytes) in reload.level.iter().flat_map(|level| &level.files) {
                files.insert(path.clone(), ReloadedFile::new(Some(&String::from_utf8_lossy(bytes))));
            }
            (Fact::ReloadRefused { file, line, message, files }, report)
        }
    };
    world.events.push(event);
    for ReloadError { file, line, message, .. } in more {
        let owner = log_text::RELOAD.to_owned();
        let message = message.strip_prefix(&format!("{file}:{line}: ")).unwrap_or(&message).to_owned();
        world.events.push(Fact::Logged(Box::new(LogLine { level: "error", owner, file, line, message })));
    }
    report
}

fn described(files: &BTreeMap<String, Option<String>>) -> BTreeMap<String, ReloadedFile> {
    files.iter().map(|(path, text)| (path.clone(), ReloadedFile::new(text.as_deref()))).collect_map()
}
