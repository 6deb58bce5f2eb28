//! The part of the hash about facts that wait for scripts: those of a tick that was too full, and of verbs of
//! the host between two ticks.
//!
//! In: facts that wait, in order. Out: words of a hash. Holds: where nothing waits, nothing is mixed in; what
//! a save game holds is mixed in as the save game has it, the rest is taken apart here. Not here: facts for
//! the host alone, which change nothing.

use std::collections::VecDeque;

use crate::base::bytes::ByteWriter;
use crate::base::hash::StateHash;
use crate::base::ids::{GenerationalKey, PathToken};
use crate::base::time::TickNumber;
use crate::nav::PathAnswer;
use crate::world::event::Fact;
use crate::world::region::WatchId;
use crate::world::snapshot::facts;
use crate::world::state_hash::values::{hash_failure, hash_id, optional};
use crate::world::walk_path;

/// Mixes in the facts that wait.
pub(super) fn hash_waiting(hash: &mut StateHash, waiting: &VecDeque<Fact>) {
    for fact in waiting {
        let mut out = ByteWriter::at(TickNumber(0));
        if facts::save_one(&mut out, fact) {
            hash.word(0).bytes(&out.finish());
        } else {
            hash_unsaved(hash, fact);
        }
    }
}

/// Mixes in a fact that no save game holds, because a load ends what it tells of.
fn hash_unsaved(hash: &mut StateHash, fact: &Fact) {
    match fact {
        Fact::WatchEntered { watch, character, how } => {
            hash_id(hash_watch(hash.word(1), *watch), *character).word(*how as u64);
        }
        Fact::WatchLeft { watch, character, how } => {
            hash_id(hash_watch(hash.word(2), *watch), *character).word(*how as u64);
        }
        Fact::Noticed { watch, character, position } => {
            hash_id(hash.word(3).word(watch.0), *character).vector(*position);
        }
        Fact::SightLost { watch, character, position, why } => {
            hash_id(hash.word(4).word(watch.0), *character).vector(*position).word(*why as u64);
        }
        Fact::NoiseHeard { watch, character, position, loudness_m } => {
            hash_id(hash.word(5).word(watch.0), *character).vector(*position).float(*loudness_m);
        }
        Fact::PathAnswered { token, by, answer } => {
            hash_answer(hash.word(6), *token, answer);
            optional(hash, *by, |hash, by| _ = hash_id(hash, by));
        }
        // In save games.
        Fact::Spawned(_)
        | Fact::Despawned(_)
        | Fact::WalkSettled(_)
        | Fact::WalkNews { .. }
        | Fact::DoorChanged { .. }
        | Fact::DoorSignal { .. }
        | Fact::DoorMoveEnded { .. }
        | Fact::AreaChanged { .. }
        | Fact::MapRevision(_)
        | Fact::TurnEnded { .. }
        | Fact::PlayEnded { .. }
        | Fact::Emitted { .. }
        | Fact::Input { .. }
        | Fact::SceneStarted { .. }
        | Fact::SceneEnded { .. }
        | Fact::Faulted(_)
        | Fact::Reloaded { .. }
        | Fact::ReloadRefused { .. }
        | Fact::LinkBegun { .. }
        | Fact::WalkStarted(_)
        | Fact::SwitchedOff(_)
        | Fact::Logged(_)
        | Fact::Notice { .. } => {}
        // For the host alone.
        Fact::Replanned { .. }
        | Fact::Nudged { .. }
        | Fact::RegionEntered { .. }
        | Fact::RegionLeft { .. }
        | Fact::InputRefused { .. }
        | Fact::Evaluated(_)
        | Fact::Cue(_) => {}
    }
}

fn hash_watch(hash: &mut StateHash, watch: WatchId) -> &mut StateHash {
    hash.word(slotmap::Key::data(&watch).as_ffi())
}

fn hash_answer(hash: &mut StateHash, token: PathToken, answer: &PathAnswer) {
    let PathAnswer { status, trouble, path, nearest, expansions, granted, revision, others, covered } =
        answer;
    hash.word(token.bits()).word(*status as u64).word(walk_path::hash_of(path));
    hash.pair(*expansions, *granted).word(revision.0).word(*others as u64);
    hash_failure(hash, *trouble);
    optional(hash, *nearest, |hash, nearest| _ = hash.vector(nearest));
    optional(hash, *covered, |hash, covered| _ = hash.word(u64::from(covered)));
}
