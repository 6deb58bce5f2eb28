//! Asks the map for a way on behalf of a body: its treatment of doors and areas.
//!
//! In: a body with its policy about doors, or a walk; the doors as they stand. Out: the traversal that
//! searches and straight lines are asked with. Not here: the ground under bodies (`sim::ground_queries`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::base::time::TickRate;
use crate::nav::{self, LinkActions, NavMap, OneWay, OwnArea, PassRules, Traversal};
use crate::world::character::Characters;
use crate::world::door::{Door, DoorPolicy};
use crate::world::goal::Goal;
use crate::world::map::LevelMap;
use crate::world::walk::Walk;
use crate::world::walk_mode::WalkMode;

/// The asker, for the map: the body, and the doors that its policy and keys let it plan through.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Tags of the character that asks; none when a script asks about a point and names no tags. Doors of
    /// teams are walls for a character without their tags, not for a question without a character.
    pub tags: Option<&'a [String]>,
    /// The layer of the map that it is on.
    pub layer: u8,
    /// Half the width of the body, metres.
    pub radius_m: f32,
    /// What to do about doors.
    pub doors: DoorPolicy,
    /// Keys carried.
    pub keys: &'a [String],
    /// Metres a second: a door costs the distance that one could walk while it moves.
    pub speed_mps: f32,
}

/// The traversal of a body with a policy about doors, as the doors stand now.
#[must_use]
pub fn traversal(map: &LevelMap, rate: TickRate, asker: Asker<'_>) -> Traversal {
    let doors = &map.doors;
    let tick_s = rate.tick_seconds();
    let rules = pass_rules(doors, asker.tags);
    let mut through: Vec<(AreaId, f32)> = doors
        .iter()
        .filter(|door| match asker.doors {
            DoorPolicy::Avoid => false,
            DoorPolicy::Open => !door.is_passable() && door.opens_for(asker.keys),
            DoorPolicy::Wait => !door.is_passable(),
        })
        .filter(|door| asker.tags.is_none_or(|tags| door.admits(tags)))
        .map(|door| (door.area, rate.ticks(door.moving_s) as f32 * tick_s * asker.speed_mps))
        .collect();
    ordered::sort_by_key(&mut through, |(area, _)| *area);
    let through = (!through.is_empty()).then(|| Arc::from(through));
    let actions = actions_of(&map.link_actions, asker.tags);
    Traversal { radius_m: asker.radius_m, through, areas: None, layer: asker.layer, rules, actions }
}

/// The actions of links that a character with these tags can do; all of them for nobody in particular, as
/// doors are.
fn actions_of(actions: &[String], tags: Option<&[String]>) -> LinkActions {
    let Some(tags) = tags.filter(|_| !actions.is_empty()) else { return LinkActions::default() };
    LinkActions::those(|action| actions.get(usize::from(action.0)).is_some_and(|name| tags.contains(name)))
}

/// Which doors a character with these tags may not pass, and which not in both directions, however they
/// stand.
#[must_use]
pub fn pass_rules(doors: &[Door], tags: Option<&[String]>) -> Option<Arc<PassRules>> {
    let mut rules = PassRules::default();
    for door in doors.iter().filter(|door| !door.is_gone()) {
        if tags.is_some_and(|tags| !door.admits(tags)) {
            rules.barred.push(door.area);
        } else if let Some(direction) = door.one_way {
            rules.one_way.push(OneWay { area: door.area, middle: door.position, direction });
        }
    }
    ordered::sort_by_key(&mut rules.barred, |area| *area);
    let is_empty = rules.barred.is_empty() && rules.one_way.is_empty();
    (!is_empty).then(|| Arc::new(rules))
}

/// The layer of the map that a walk leads to: that of the character that it goes to, else the one asked for.
/// One that flees stays on its own, wherever the threat is.
#[must_use]
pub fn goal_layer(characters: &Characters, walk: &Walk) -> Option<u8> {
    let target = match walk.goal {
        Goal::Character(_) if matches!(walk.mode, WalkMode::Flee(_)) => None,
        Goal::Character(id) => characters.get(id).map(|target| target.layer),
        Goal::Point(_) | Goal::Door(_) => None,
    };
    target.or(walk.options.layer)
}

/// The traversal of a walk, as the doors stand now.
#[must_use]
pub fn traversal_of(map: &LevelMap, characters: &Characters, rate: TickRate, walk: &Walk) -> Traversal {
    let Some(character) = characters.get(walk.character) else {
        return Traversal::default();
    };
    let asker = Asker {
        tags: Some(&character.tags),
        layer: character.layer,
        radius_m: character.body.radius_m,
        doors: walk.options.doors.unwrap_or(character.doors),
        keys: &walk.options.keys,
        speed_mps: walk.speed_mps(character),
    };
    let areas = walk.options.areas.as_ref();
    let areas = areas.map(|areas| areas_from(&map.nav, areas, character.body.position));
    Traversal { areas, ..traversal(map, rate, asker) }
}

/// How a walk treats areas from where it stands: an area that it shuns and stands in is no wall but as
/// expensive as can be, so that it leaves by the shortest way.
fn areas_from(nav: &NavMap, areas: &Arc<[OwnArea]>, position: Vec3) -> Arc<[OwnArea]> {
    let is_inside = |own: &OwnArea| own.1.is_none() && nav.holds(own.0, position);
    if !areas.iter().any(is_inside) {
        return Arc::clone(areas);
    }
    let costliest = Some(*nav::FACTOR_RANGE.end());
    areas.iter().map(|own| if is_inside(own) { (own.0, costliest) } else { *own }).collect()
}
