//! Step 5: applies all edits since the last tick as one rebuild and one revision.
//!
//! In: pending edits. Out: the map, facts, and walks that must ask again. Holds: a walk whose remaining way
//! is no longer clear asks in this very tick, whatever any cooldown says (fault:G6); a walk on its way to a
//! nearest point asks when what opened leads it further; a walk for which another way may have become better
//! looks for one (`shortcuts`); nobody else is disturbed.

use crate::base::geom::{Bounds, flat_distance, ground};
use crate::base::ids::WalkId;
use crate::nav::{Accept, AreaEdit, MapChange, NavEdit, NavMap, PathQuery, Traversal};
use crate::sim::tiles::{self, Turned};
use crate::sim::wayfinding::Wayfinding;
use crate::sim::{follow, interpolation, paths, shortcuts};
use crate::world::asker::{goal_layer, traversal_of};
use crate::world::character::Character;
use crate::world::door::Door;
use crate::world::event::Fact;
use crate::world::interpolation::Interpolation;
use crate::world::map::LevelMap;
use crate::world::walk::{Ask, Following, Phase, Walk};

/// Applies what waits, if anything, and looks at every walk.
pub(crate) fn run(parts: &mut Wayfinding<'_>, interpolations: &mut Vec<Interpolation>) {
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
    let before: Vec<_> = edits.iter().map(|edit| parts.map.nav.area_state(edit.area)).collect();
    let Some(change) = parts.map.nav.apply(&all.chain(redrawn).collect::<Vec<_>>()) else {
        return;
    };
    turned.extend(tiles::linked(&parts.map.nav, &graph_edits));
    for (edit, before) in edits.iter().zip(before) {
        let has_changed = parts.map.nav.area_state(edit.area) != before;
        if let Some(area) = parts.map.areas.get(edit.area.index()).filter(|_| has_changed) {
            let (area, available, factor) = (area.name.clone(), area.available, area.factor);
            parts.events.push(Fact::AreaChanged { area, available, factor });
        }
    }
    parts.events.push(Fact::MapRevision(change.revision));
    interpolation::check(parts.map, interpolations, parts.characters, parts.walks, &change.bounds);
    let closed = closed_doors(parts.map, &edits);
    let edited = MapChanges { change: &change, closed: &closed, turned: &turned };
    for id in parts.walks.open_ids() {
        look(parts, id, &edited);
    }
}

/// What has changed on the map.
struct MapChanges<'a> {
    change: &'a MapChange,
    /// Where doors have begun to close.
    closed: &'a [Bounds],
    /// Cells and links that may be left another way.
    turned: &'a [Turned],
}

/// Whether a walk asks for a path because the map has changed, or looks for a better one.
fn look(parts: &mut Wayfinding<'_>, id: WalkId, edited: &MapChanges<'_>) {
    let Wayfinding { clock, map, characters, walks, .. } = parts;
    let (Some(walk), rate) = (walks.get_mut(id), clock.rate) else {
        debug_assert!(false, "no walk goes away in this step");
        return;
    };
    if let Phase::AtDoor(door) = walk.phase
        && map.doors.get(door.index()).is_some_and(Door::is_passable)
    {
        // At once, so that no plan of this step goes around it.
        follow::walk_on(walk, clock.landing());
    }
    let Some(character) = characters.get(walk.character) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    // Made again once for all questions about it.
    if walk.options.areas.is_some() {
        let by = traversal_of(map, characters, rate, walk);
        map.nav.prepare(&by);
    }
    let goal_layer = goal_layer(characters, walk);
    let by = || traversal_of(map, characters, rate, walk);
    let judge = Judge { nav: &map.nav, walk, character, by: &by, goal_layer };
    let Some(why) = judge.must_ask(edited) else {
        return shortcuts::note(clock, &map.nav, walk, character.body.position, edited.change);
    };
    shortcuts::note_turned_back(clock, walk, edited.change);
    walk.ask_for(why);
    if !clock.begins_step() {
        paths::aim_and_request_path(parts, id);
    }
}

/// Where doors have begun to close.
fn closed_doors(map: &LevelMap, edits: &[AreaEdit]) -> Vec<Bounds> {
    let closing = edits.iter().filter(|edit| edit.available == Some(false));
    let doors = closing.filter_map(|edit| map.areas.get(edit.area.index())?.door);
    doors.filter_map(|door| map.doors.get(door.index())).map(|door| door.bounds).collect()
}

/// What is to be known of a walk to judge whether the map has changed for it.
struct Judge<'a> {
    nav: &'a NavMap,
    walk: &'a Walk,
    character: &'a Character,
    /// Its traversal; worked out only when it is asked for.
    by: &'a dyn Fn() -> Traversal,
    goal_layer: Option<u8>,
}

impl Judge<'_> {
    fn must_ask(&self, edited: &MapChanges<'_>) -> Option<Ask> {
        let MapChanges { change, closed, turned } = *edited;
        let following = self.walk.following.as_ref()?;
        let ends_short = self.walk.ends_short() && self.walk.goal_occupant.is_none();
        if change.opened && ends_short && self.leads_further_now(following) {
            return Some(if following.trouble.is_some() { Ask::Door } else { Ask::Map });
        }
        let waits_for_door = matches!(self.walk.phase, Phase::AtDoor(_));
        if !waits_for_door && tiles::concern(self.walk, self.character, following, turned) {
            return Some(Ask::Map);
        }
        if change.closed && self.lost_its_ground(&change.bounds) {
            return Some(Ask::Map);
        }
        let may_block = change.closed || change.recosted;
        if !may_block || waits_for_door || self.rest_is_clear(following, &change.bounds) {
            return None;
        }
        let for_a_door = closed.iter().any(|door| !self.rest_is_clear(following, door));
        Some(if for_a_door { Ask::Door } else { Ask::Map })
    }

    /// Whether a walk on its way to a nearest point would be sent elsewhere now: to the goal, to a nearer
    /// point, or for another reason. Decided by labels, without a search: in a level where doors open all the
    /// time, most openings change nothing for most walkers that are shut out, and their searches were more
    /// than half of the tick.
    fn leads_further_now(&self, following: &Following) -> bool {
        /// Nearer by less than this is as near, metres.
        const SAME_M: f32 = 1e-3;
        let Some(&end) = following.path.points.last() else {
            return true;
        };
        let goal = self.walk.aim;
        let query = PathQuery {
            start: self.character.body.position,
            goal,
            by: (self.by)(),
            accept: Accept::Exact,
            goal_layer: self.goal_layer,
            expansions_max: u32::MAX,
            others: None,
        };
        match self.nav.answered(&query) {
            None => true,
            Some(answer) => {
                let is_nearer = |nearest| flat_distance(nearest, goal) < flat_distance(end, goal) - SAME_M;
                answer.trouble != following.trouble || answer.nearest.is_none_or(is_nearer)
            }
        }
    }

    /// Whether a walker stands where the ground has just gone away: its way begins elsewhere now.
    fn lost_its_ground(&self, changed: &Bounds) -> bool {
        let body = &self.character.body;
        let place = ground(body.position);
        let is_near = Bounds::of(&[place]).overlaps(&changed.grown(f64::from(body.radius_m)));
        is_near && !self.nav.is_walkable(body.position, &(self.by)())
    }

    /// Whether what is left of the way, where it meets the changed ground, can still be walked.
    fn rest_is_clear(&self, following: &Following, changed: &Bounds) -> bool {
        let (body, mut by) = (&self.character.body, (self.by)());
        let changed = changed.grown(f64::from(body.radius_m));
        let mut from = body.position;
        // A walker that stands on ground that went away leaves it; the first leg is not to be judged then.
        let mut judged = self.nav.is_walkable(from, &by);
        let mut links = following.path.layers.iter().peekable();
        let climb = self.walk.climb();
        for &to in following.cursor.ahead(&following.path) {
            if let Some(link) = links.next_if(|link| link.from == from || climb.as_ref() == Some(*link)) {
                by.layer = link.layer;
                let met = Bounds::of(&[ground(from), ground(link.to)]).overlaps(&changed);
                let leads_there = || match link.is_climb() {
                    true => self.nav.can_climb(from, link.to, &by),
                    false => self.nav.is_walkable(link.to, &by),
                };
                if met && !leads_there() {
                    return false;
                }
                // Between the ends of a link there is no ground to judge.
                judged = to != link.to || link.from == link.to;
            }
            let leg = Bounds::of(&[ground(from), ground(to)]);
            if judged && leg.overlaps(&changed) && self.nav.straight(from, to, &by).is_none() {
                return false;
            }
            judged = true;
            from = to;
        }
        true
    }
}
