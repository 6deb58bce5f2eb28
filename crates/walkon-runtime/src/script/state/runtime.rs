//! All data that the script side keeps beside the VM, in named parts.
//!
//! In: steps and bindings, each for one short look. Out: the same. Holds: no Lua runs while it is looked at;
//! a function borrows the part it needs, and the whole only where parts change together. Not here: the world,
//! the way to it from the VM (`vm::store`).

use std::collections::BTreeMap;

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, WalkId};
use crate::base::value::Plain;
use crate::script::state::behaviours::Behaviours;
use crate::script::state::boards::Boards;
use crate::script::state::clock::CodeClock;
use crate::script::state::dialogue::Answers;
use crate::script::state::handlers::Handlers;
use crate::script::state::owners::{OwnerKind, OwnerRecord, Owners};
use crate::script::state::predicates::{Job, Predicates};
use crate::script::state::roster::Roster;
use crate::script::state::running::RunningCode;
use crate::script::state::scenes::{Scenes, Skip};
use crate::script::state::state_checks::StateChecks;
use crate::script::state::streams::Streams;
use crate::script::state::strikes::Faults;
use crate::script::state::tasks::Tasks;
use crate::script::state::timers::{TimerOrder, Timers};
use crate::script::state::trees::Trees;
use crate::script::state::work::{ScriptWork, WorkQueue};
use crate::world::owner::Owner;
use crate::world::settings::LevelLimits;

/// What scripts have registered to be called.
#[derive(Debug, Default)]
pub(crate) struct Registered {
    pub(crate) handlers: Handlers,
    pub(crate) predicates: Predicates,
    pub(crate) timers: Timers,
    /// The tasks of `onTraverse`, by the walk that they take over a link.
    pub(crate) traverses: BTreeMap<WalkId, u64>,
}

impl Registered {
    /// Watches of all owners.
    pub(crate) fn watches(&self) -> usize {
        self.handlers.watches.len() + self.handlers.senses.len() + self.predicates.count()
    }
}

/// The behaviours of characters, their trees, and the looks at their states.
#[derive(Debug, Default)]
pub(crate) struct Actors {
    pub(crate) behaviours: Behaviours,
    pub(crate) roster: Roster,
    pub(crate) trees: Trees,
    pub(crate) checks: StateChecks,
}

/// Scenes, and the answers to their choices.
#[derive(Debug, Default)]
pub(crate) struct Cinematics {
    pub(crate) scenes: Scenes,
    pub(crate) answers: Answers,
}

/// Everything the script side keeps. Part of the VM's app data.
#[derive(Debug, Default)]
pub(crate) struct Runtime {
    pub(crate) limits: LevelLimits,
    pub(crate) clock: CodeClock,
    pub(crate) owners: Owners,
    pub(crate) running: RunningCode,
    pub(crate) tasks: Tasks,
    pub(crate) registered: Registered,
    pub(crate) actors: Actors,
    pub(crate) cinematics: Cinematics,
    pub(crate) boards: Boards,
    pub(crate) streams: Streams,
    pub(crate) faults: Faults,
    pub(crate) queue: WorkQueue,
    /// Whether a level test runs in this VM.
    pub(crate) has_test: bool,
    /// The whole name of the level script; empty when there is none.
    pub(crate) level_file: String,
    /// A hash of what reloads have left that can change the future; none before the first.
    pub(crate) reloads: Option<u64>,
}

impl Runtime {
    /// Empty tables for a level with these limits.
    pub(crate) fn new(limits: LevelLimits) -> Self {
        let running = RunningCode::default();
        Self { limits, owners: Owners::new(running.interrupt.clone()), running, ..Self::default() }
    }

    /// A new timer, counted with its owner; its number.
    pub(crate) fn start_timer(&mut self, order: TimerOrder) -> u64 {
        let now = self.owners.time_of(order.owner, self.clock.now);
        if let Some(record) = self.owners.get_mut(order.owner) {
            record.timers += 1;
        }
        self.registered.timers.add(order, now, self.clock.rate)
    }

    /// A character is removed, by code of an owner or by the host: nothing runs from here on of its
    /// behaviour but `stop`, nothing of scenes that hold it and have not removed it themselves but `onEnd`,
    /// and what their tasks want done at their end.
    pub(crate) fn mark_gone(&mut self, character: CharacterId, by: Option<Owner>) {
        if let Some(owner) = self.actors.behaviours.of(character) {
            self.owners.mark_gone(owner);
        }
        let Self { cinematics, owners, .. } = self;
        let scenes = cinematics.scenes.cut_short_by(character, by).filter_map(|(_, owner)| owner);
        scenes.for_each(|owner| owners.mark_gone(owner));
    }

    /// What step 3 has to run in this tick, in order. Tasks that are due are taken out of their table.
    pub(crate) fn due_jobs(&mut self) -> Vec<Job> {
        let now = self.clock.now;
        let mut jobs: Vec<Job> = self.registered.timers.due(now).into_iter().map(Job::Timer).collect();
        let all = &self.registered.predicates;
        let predicates = |owner: Owner| all.due(owner, now).map(Job::Predicate);
        if let Some((owner, _)) = self.owners.level {
            jobs.push(Job::LevelTick);
            jobs.extend(predicates(owner));
        }
        let plays = |record: &OwnerRecord| {
            matches!(record.kind, OwnerKind::Scene(_) | OwnerKind::Test | OwnerKind::Console)
        };
        for owner in all.owners().filter(|owner| self.owners.get(*owner).is_some_and(plays)) {
            jobs.extend(predicates(owner));
        }
        self.behaviour_jobs(&mut jobs);
        jobs.extend(self.tasks.take_due(now).into_iter().map(Job::Wake));
        jobs
    }

    /// What behaviours have to run, in the order of their characters: of each its `run` that begins again,
    /// its `update`, its tree, its predicates. `update`s that stand in a row become one job, unless jobs were
    /// left over from the last tick, among which each has to be found.
    fn behaviour_jobs(&mut self, jobs: &mut Vec<Job>) {
        let now = self.clock.now;
        let (all, trees) = (&self.registered.predicates, &self.actors.trees);
        let (are_rows, has_predicates) = (self.queue.jobs.is_empty(), all.count() > 0);
        let roster = &mut self.actors.roster;
        roster.refresh(&self.owners, &self.actors.behaviours);
        roster.clear_due();
        for index in 0..roster.rows().len() {
            let row = roster.rows()[index];
            let owner = row.owner;
            if !row.is_free {
                continue;
            }
            if row.run_again.is_some_and(|tick| tick <= now) {
                jobs.push(Job::RunAgain(owner));
            }
            if row.updates_at(now) && are_rows {
                let place = roster.add_due(index);
                match jobs.last_mut() {
                    Some(Job::Updates { to, .. }) => *to = place + 1,
                    _ => jobs.push(Job::Updates { from: place, to: place + 1 }),
                }
            } else if row.updates_at(now) {
                jobs.push(Job::Update(owner));
            }
            if row.ticks_tree_at(now) && trees.is_due(owner, now) {
                jobs.push(Job::Tree(owner));
            }
            if has_predicates {
                jobs.extend(all.due(owner, now).map(Job::Predicate));
            }
        }
    }

    /// How far the skipping of the scene of that owner has come; none when it is not of a scene.
    pub(crate) fn skip_of(&mut self, owner: Owner) -> Option<&mut Skip> {
        let OwnerKind::Scene(scene) = self.owners.get(owner)?.kind else { return None };
        self.cinematics.scenes.skip_mut(scene).map(|(skip, _)| skip)
    }

    /// Bytes of the plain data that is kept here for scripts, and of the nodes of their trees.
    pub(crate) fn kept_bytes(&self) -> usize {
        let work = |work: &ScriptWork| match work {
            ScriptWork::Attach { params, .. } => Plain::bytes(params),
            ScriptWork::BoardChanged(news) => {
                [&news.value, &news.old].into_iter().flatten().map(Plain::bytes).sum()
            }
            _ => 0,
        };
        let sum = |values: &mut dyn Iterator<Item = &Plain>| values.map(Plain::bytes).sum::<usize>();
        self.queue.iter().map(work).sum::<usize>()
            + sum(&mut self.registered.timers.payloads())
            + sum(&mut self.boards.values())
            + sum(&mut self.actors.behaviours.kept_plain())
            + self.actors.trees.kept_bytes()
            + sum(&mut self.cinematics.scenes.arguments())
            + self.cinematics.scenes.definition_bytes()
            + self.cinematics.answers.bytes()
    }

    /// Mixes in all that can change the future, but for random streams and what reloads have left.
    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        self.owners.hash_into(hash);
        self.tasks.hash_into(hash);
        self.registered.timers.hash_into(hash);
        self.registered.handlers.hash_into(hash);
        self.registered.predicates.hash_into(hash);
        self.actors.behaviours.hash_into(hash);
        self.cinematics.scenes.hash_into(hash);
        self.boards.hash_into(hash);
        self.actors.trees.hash_into(hash);
        self.cinematics.answers.hash_into(hash);
        self.faults.hash_into(hash);
        self.queue.hash_into(hash);
        self.actors.checks.hash_into(hash);
    }
}
