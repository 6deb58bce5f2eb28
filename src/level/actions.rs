//! The actions that links of a level need, by number.
//!
//! In: the map of a level. Out: their names in order, each once. Holds: the number of an action is its place among
//! them, here and on the map. Not here: who can do them (`world::asker`).

use std::collections::BTreeSet;

use super::def::{LinkDef, NavigationDef};
use crate::nav::LinkAction;

/// The actions of the links of a map, in order of their names.
pub(super) fn names(map: &NavigationDef) -> Vec<String> {
    match map {
        NavigationDef::Tiles(tiles) => of_links(&tiles.links).into_iter().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The number of an action among those of these links; none beyond the most that a level may have.
pub(super) fn number(links: &[LinkDef], action: &str) -> Option<LinkAction> {
    let place = of_links(links).iter().position(|name| *name == action)?;
    u8::try_from(place).ok().map(LinkAction)
}

fn of_links(links: &[LinkDef]) -> BTreeSet<&str> {
    links.iter().filter_map(|link| link.action.as_deref()).collect()
}
