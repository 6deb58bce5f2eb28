//! Handlers of walks that are called on their way: `onStop`, `onWaypoint`, `onNear`, `onBlocked`.
//!
//! In: handlers by walk. Out: the handler for a piece of news. Holds: they go with the walk, or with their
//! owner. Not here: the calls (`step::progress_handlers`).

use std::collections::BTreeMap;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::ids::{GenerationalKey, WalkId};
use crate::base::ordered::CollectOrdered;
use crate::script::state::callback::{Callback, Underway, hash_callbacks};
use crate::world::event::WalkNews;
use crate::world::owner::Owner;

/// Handlers of walks under way, by walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnderwayHandlers(BTreeMap<WalkId, (Owner, Underway)>);

impl UnderwayHandlers {
    pub(crate) fn set(&mut self, walk: WalkId, owner: Owner, handlers: Underway) {
        if !handlers.is_empty() {
            self.0.insert(walk, (owner, handlers));
        }
    }

    pub(crate) fn forget(&mut self, walk: WalkId) {
        self.0.remove(&walk);
    }

    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.0.retain(|_, (other, _)| *other != owner);
    }

    /// The code of an owner was replaced: handlers that are names stay.
    pub(crate) fn reload_owner(&mut self, owner: Owner) {
        for (_, handlers) in self.0.values_mut().filter(|(other, _)| *other == owner) {
            for handler in
                [&mut handlers.stop, &mut handlers.waypoint, &mut handlers.near, &mut handlers.blocked]
            {
                if matches!(handler, Some(Callback::Function(_))) {
                    *handler = None;
                }
            }
        }
        self.0.retain(|_, (_, handlers)| !handlers.is_empty());
    }

    /// The handlers of an owner, each with its walk and what it hears of.
    pub(crate) fn heard_by(&self, owner: Owner) -> impl Iterator<Item = (WalkId, &'static str, Callback)> {
        let own = self.0.iter().filter(move |(_, (other, _))| *other == owner);
        own.flat_map(|(&walk, (_, Underway { stop, waypoint, near, blocked }))| {
            let all = [("stop", stop), ("waypoint", waypoint), ("near", near), ("blocked", blocked)];
            all.into_iter().filter_map(move |(word, callback)| Some((walk, word, callback.clone()?)))
        })
    }

    /// Names of handlers of an owner's walks under way.
    pub(crate) fn names_of(&self, owner: Owner) -> Vec<String> {
        self.all_names().filter(|(other, _)| *other == owner).flat_map(|(_, names)| names).collect()
    }

    /// The same of every walk under way.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = (Owner, Vec<String>)> {
        self.0.values().map(|(owner, Underway { stop, waypoint, near, blocked })| {
            let names = [stop, waypoint, near, blocked].into_iter().filter_map(Callback::name_of);
            (*owner, names.collect())
        })
    }

    /// Writes the handlers that are names, of owners that are kept.
    pub(crate) fn save(&self, out: &mut ByteWriter, is_kept: &dyn Fn(Owner) -> bool) {
        let names = |Underway { stop, waypoint, near, blocked }: &Underway| {
            [stop, waypoint, near, blocked].map(Callback::name_of)
        };
        let kept = self.0.iter().filter(|(_, (owner, _))| is_kept(*owner));
        let kept = kept.map(|(walk, (owner, handlers))| (*walk, *owner, names(handlers)));
        let kept: Vec<_> = kept.filter(|(.., names)| names.iter().any(Option::is_some)).collect();
        out.list(kept.into_iter(), |out, (walk, owner, names)| {
            walk.save(out);
            owner.save(out);
            names.iter().for_each(|name| name.save(out));
        });
    }

    /// Reads handlers in place of those there are.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<(), DecodeError> {
        let handlers = input.list(|input| {
            let (walk, owner) = (WalkId::load(input)?, Owner::load(input)?);
            let mut name = || Ok(Option::<String>::load(input)?.map(Callback::Named));
            let handlers = Underway { stop: name()?, waypoint: name()?, near: name()?, blocked: name()? };
            Ok((walk, (owner, handlers)))
        })?;
        self.0 = handlers.into_iter().collect_map();
        Ok(())
    }

    pub(crate) fn find(&self, walk: WalkId, news: &WalkNews) -> Option<(Owner, Callback)> {
        let (owner, handlers) = self.0.get(&walk)?;
        let callback = match news {
            WalkNews::Stop { .. } => &handlers.stop,
            WalkNews::Waypoint { .. } => &handlers.waypoint,
            WalkNews::Near { .. } => &handlers.near,
            WalkNews::Blocked { .. } => &handlers.blocked,
        };
        Some((*owner, callback.clone()?))
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (walk, (owner, handlers)) in &self.0 {
            hash.word(walk.bits()).word(u64::from(owner.0));
            hash_callbacks(hash, [&handlers.stop, &handlers.waypoint, &handlers.near, &handlers.blocked]);
        }
    }
}
