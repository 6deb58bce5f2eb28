//! Step 5: all edits since the last tick become one rebuild and one revision.
//!
//! In: pending edits. Out: the map, facts, and walks that must ask again. Holds: a walk whose remaining way
//! is no longer clear asks in this very tick, whatever any cooldown says (fault:G6); a walk on its way to a
//! nearest point asks when what opened leads it further; for whom another way may have become better looks
//! for one (`shortcuts`); nobody else is disturbed.

use crate::base::geom::{Bounds, flat_distance, ground};
use crate::base::ids::WalkId;
use crate::nav::{Accept, AreaEdit, MapChange, NavEdit, PathQuery};
use crate::sim::tiles::{self, Turned};
use crate::sim::wayfinding::Wayfinding;
use crate::sim::{interpolation, paths, shortcuts};
use crate::world::asker::goal_layer;
use crate::world::event::Fact;
use crate::world::interpolation::Interpolation;
use crate::world::walk::{Ask, Following, Phase, Walk};

/// Applies what waits, if anything, and looks at every walk.
pub(crate) fn run(parts: &mut Wayfinding<'_>, glides: &mut Vec<Interpolation>) {
    if parts.map.edits.is_empty() {
        return;
    }
    let edits: Vec<AreaEdit> = std::mem::take(&mut parts.map.edits.areas).into_values().collect();
    // What they blocked is freed by these edits.
    parts.map.blocks.retain(|block| !block.is_over);
    let tile_edits = std::mem::take(&mut parts.map.edits.tiles);
    let mut turned = tiles::turned(&parts.map.nav, tile_edits.values());
    let all = edits.iter().copied().map(NavEdit::Area).chain(tile_edits.into_values().map(NavEdit::Tile));
    let graph_edits = std::mem::take(&mut parts.map.edits.graph);
    let redrawn = graph_edits.iter().copied().map(NavEdit::Graph);
    let Some(change) = parts.map.nav.apply(&all.chain(redrawn).collect::<Vec<_>>()) else {
        return;
    };
    turned.extend(tiles::linked(&parts.map.nav, &graph_edits));
    for edit in &edits {
        if let Some(area) = parts.map.areas.get(edit.area.index()) {
            let (area, available, factor) = (area.name.clone(), area.available, area.factor);
            parts.events.push(Fact::AreaChanged { area, available, factor });
        }
    }
    parts.events.push(Fact::MapRevision(change.revision));
    interpolation::check(parts.map, glides, parts.characters, parts.walks, &change.bounds);
    let closed = closed_doors(parts, &edits);
    for id in parts.walks.open_ids() {
        // Made again once for all questions about it.
        let own = parts.walks.get(id).filter(|walk| walk.options.areas.is_some());
        if let Some(by) = own.map(|walk| parts.traversal_of(walk)) {
            parts.map.nav.prepare(&by);
        }
        match must_ask(parts, id, (&change, &closed, &turned)) {
            Some(why) => {
                shortcuts::note_turned_back(parts, id, &change);
                if let Some(walk) = parts.walks.get_mut(id) {
                    walk.ask_for(why);
                }
                if !parts.clock.begins_step() {
                    paths::seek(parts, id);
                }
            }
            None => shortcuts::note(parts, id, &change),
        }
    }
}

/// Where doors have begun to close.
fn closed_doors(parts: &Wayfinding<'_>, edits: &[AreaEdit]) -> Vec<Bounds> {
    let closing = edits.iter().filter(|edit| edit.available == Some(false));
    let doors = closing.filter_map(|edit| parts.map.areas.get(edit.area.index())?.door);
    doors.filter_map(|door| parts.map.doors.get(door.index())).map(|door| door.bounds).collect()
}

fn must_ask(
    parts: &Wayfinding<'_>,
    id: WalkId,
    (change, closed, turned): (&MapChange, &[Bounds], &[Turned]),
) -> Option<Ask> {
    let walk = parts.walks.get(id)?;
    let following = walk.following.as_ref()?;
    let ends_short = !following.path.whole && walk.held_by.is_none();
    if change.opened && ends_short && leads_further_now(parts, walk, following) {
        return Some(if following.trouble.is_some() { Ask::Door } else { Ask::Map });
    }
    let waits_for_door = matches!(walk.phase, Phase::AtDoor(_));
    if !waits_for_door && tiles::concern(parts, walk, following, turned) {
        return Some(Ask::Map);
    }
    if change.closed && lost_its_ground(parts, walk, &change.bounds) {
        return Some(Ask::Map);
    }
    let may_block = change.closed || change.recosted;
    if !may_block || waits_for_door || rest_is_clear(parts, walk, following, &change.bounds) {
        return None;
    }
    let for_a_door = closed.iter().any(|door| !rest_is_clear(parts, walk, following, door));
    Some(if for_a_door { Ask::Door } else { Ask::Map })
}

/// Whether a walk on its way to a nearest point would be sent elsewhere now: to the goal, to a nearer point,
/// or for another reason. Decided by labels, without a search: in a level where doors open all the time, most
/// openings change nothing for most of those who are shut out, and their searches were more than half of the
/// tick.
fn leads_further_now(parts: &Wayfinding<'_>, walk: &Walk, following: &Following) -> bool {
    /// Nearer by less than this is as near, metres.
    const SAME_M: f32 = 1e-3;
    let (Some(character), Some(&end)) = (parts.characters.get(walk.character), following.path.points.last())
    else {
        return true;
    };
    let (start, by) = (character.body.position, parts.traversal_of(walk));
    let query = PathQuery {
        start,
        goal: walk.aim,
        by,
        accept: Accept::Exact,
        goal_layer: goal_layer(parts.characters, walk),
        expansions_max: u32::MAX,
        others: None,
    };
    match parts.map.nav.answered(&query) {
        None => true,
        Some(answer) => {
            let is_nearer =
                |nearest| flat_distance(nearest, walk.aim) < flat_distance(end, walk.aim) - SAME_M;
            answer.trouble != following.trouble || answer.nearest.is_none_or(is_nearer)
        }
    }
}

/// Whether a walker stands where the ground has just gone away: its way begins elsewhere now.
fn lost_its_ground(parts: &Wayfinding<'_>, walk: &Walk, changed: &Bounds) -> bool {
    let Some(body) = parts.characters.get(walk.character).map(|character| &character.body) else {
        return false;
    };
    let place = ground(body.position);
    let is_near = Bounds::of(&[place]).overlaps(&changed.grown(f64::from(body.radius_m)));
    is_near && !parts.map.nav.is_walkable(body.position, &parts.traversal_of(walk))
}

/// Whether what is left of the way, where it meets the changed ground, can still be walked.
fn rest_is_clear(parts: &Wayfinding<'_>, walk: &Walk, following: &Following, changed: &Bounds) -> bool {
    let Some(character) = parts.characters.get(walk.character) else {
        return true;
    };
    let mut by = parts.traversal_of(walk);
    let changed = changed.grown(f64::from(character.body.radius_m));
    let mut from = character.body.position;
    // Anyone who stands on ground that went away leaves it; the first leg is not to be judged then.
    let mut judged = parts.map.nav.is_walkable(from, &by);
    let mut links = following.path.layers.iter().peekable();
    for &to in following.cursor.ahead(&following.path) {
        if let Some(link) = links.next_if(|link| link.from == from) {
            by.layer = link.layer;
            // Between the ends of a link there is no ground to judge.
            judged = to != link.to || link.from == link.to;
        }
        let leg = Bounds::of(&[ground(from), ground(to)]);
        if judged && leg.overlaps(&changed) && parts.map.nav.straight(from, to, &by).is_none() {
            return false;
        }
        judged = true;
        from = to;
    }
    true
}
