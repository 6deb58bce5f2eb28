//! Steps 2 and 3: applies changed texts, or refuses them.
//!
//! In: changed texts of this tick's inputs, the world, the scripts. Out: one fact, `Reloaded` or
//! `ReloadRefused`, and the report that tests ask for. Holds: nothing happens when nothing has changed. Not
//! here: how scripts change (`script::host::reload`).

use std::collections::BTreeMap;

use crate::base::ordered::CollectOrdered;
use crate::game::inputs::Reload;
use crate::game::level_edit::LevelEdit;
use crate::game::level_reload::{self, Edited, Origin, RefusedLevel, StagedLevel};
use crate::game::log_text;
use crate::script::host::ScriptHost;
use crate::script::host::reload::{ChangedTexts, LevelChange, ReloadError, Taken};
use crate::script::state::test_run::ReloadReport;
use crate::world::World;
use crate::world::event::{Fact, LogLine, ReloadedFile};

/// Step 2: everything that can be asked of the texts alone. Nothing runs, the world does not change. The new
/// level, when there is one: that of the reload, or one that was refused before and may come with its
/// scripts.
pub(super) fn stage(
    scripts: Option<&mut ScriptHost>,
    reload: &Reload,
    origin: Option<&Origin>,
) -> Option<Result<StagedLevel, ReloadError>> {
    let scripts = scripts.map(|scripts| {
        scripts.stage(&reload.scripts);
        &*scripts
    });
    if let Some(level) = &reload.level {
        return Some(level_reload::stage(level, scripts));
    }
    let refused = origin?.refused.as_ref().filter(|refused| refused.comes_with(&reload.scripts))?;
    level_reload::stage(&refused.texts, scripts).ok().map(Ok)
}

/// Head of step 3: the change itself; whether it took effect. A level that is refused keeps the scripts from
/// changing, and scripts that are refused the level.
pub(super) fn commit(
    world: &mut World,
    mut scripts: Option<&mut ScriptHost>,
    reload: &Reload,
    level: Option<Result<StagedLevel, ReloadError>>,
    origin: &mut Option<Origin>,
) -> bool {
    let outcome = match (level, origin.as_mut()) {
        (Some(Err(refusal)), origin) => {
            if let Some(scripts) = scripts.as_deref_mut() {
                scripts.put_off();
            }
            if let (Some(origin), Some(level)) = (origin, &reload.level) {
                origin.refused = Some(RefusedLevel::unfit(level.clone()));
            }
            Some(Err(refusal))
        }
        (Some(Ok(staged)), Some(origin)) => {
            match (with_level(world, scripts.as_deref_mut(), staged, origin, &reload.scripts), &mut scripts) {
                // The level was refused before: what was saved now may do without it.
                (Err(_), Some(scripts)) if reload.level.is_none() => {
                    scripts.stage(&reload.scripts);
                    scripts.commit(world, None)
                }
                (outcome, _) => Some(outcome),
            }
        }
        _ => scripts.as_deref_mut().and_then(|scripts| scripts.commit(world, None)),
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

/// The level with the scripts in it, which were given `with` it.
fn with_level(
    world: &mut World,
    mut scripts: Option<&mut ScriptHost>,
    mut staged: StagedLevel,
    origin: &mut Origin,
    with: &ChangedTexts,
) -> Result<Taken, ReloadError> {
    let (written, texts) = (std::mem::take(&mut staged.written), std::mem::take(&mut staged.texts));
    let refused = origin.refused.take();
    let mut edit = LevelEdit::new(origin, staged);
    let outcome = match scripts.as_deref_mut() {
        Some(scripts) => scripts.commit(world, Some(&mut edit)),
        None => {
            edit.apply(world);
            None
        }
    };
    let Edited { watches, notes, .. } = edit.edited;
    let mut taken = match outcome {
        Some(Ok(taken)) => taken,
        Some(Err(refusal)) => {
            origin.refused = Some(RefusedLevel::by_scripts(texts, with, &refusal).after(refused));
            return Err(written.blame(refusal));
        }
        None => Taken::default(),
    };
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    taken.files.extend(texts.files.iter().map(|(path, bytes)| (path.clone(), Some(text(bytes)))));
    taken.notes.extend(notes);
    taken.notes.extend(scripts.into_iter().flat_map(|scripts| scripts.forget_watches(&watches)));
    Ok(taken)
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
