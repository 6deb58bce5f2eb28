//! Builds a world from a loaded level: areas, doors, regions, places, characters.
//!
//! In: a [`Level`], whose names are resolved and whose characters have ground to stand on. Out: a [`World`]
//! at tick 0, and the behaviours its characters are to run. Holds: lists keep the order of the level. Not
//! here: scripts, which attach the behaviours; checking, which `load` has done.

use std::sync::Arc;

use crate::base::geom::{Bounds, Point, raise};
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickRate;
use crate::base::value::Plain;
use crate::level::actions;
use crate::level::def::{
    CharacterDef, DoorDef, DoorHabit, LevelDef, NavigationDef, Projection, PropsDef, RegionOutline,
};
use crate::level::diagnostic::Located;
use crate::level::loaded::Level;
use crate::level::plain_data::plain_props;
use crate::level::resolve::{self, Resolved};
use crate::level::settings::{CrowdDef, Limits as LimitsDef};
use crate::nav::{PassRules, Veil};
use crate::world::area::{Area, AreaKind};
use crate::world::asker::pass_rules;
use crate::world::character::Gait;
use crate::world::day::DayTime;
use crate::world::door::DoorPolicy;
use crate::world::door::{Door, DoorState};
use crate::world::ops::characters::{Spawn, spawn};
use crate::world::place::Mark;
use crate::world::props::{Props, Subject};
use crate::world::region::{Region, RegionShape};
use crate::world::settings::{CrowdSettings, LevelLimits, Settings};
use crate::world::tiles::Tiles;
use crate::world::{World, WorldParts};

/// The behaviour that a character of the level is to run.
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviourRef {
    /// Name of the script, as the level gives it.
    pub script: String,
    /// Values for its `params`, by name.
    pub params: Plain,
}

/// A world, and the scripts that run in it.
#[derive(Clone, Debug)]
pub struct Spawned {
    /// The world at tick 0.
    pub world: World,
    /// The characters of the level in its order, with their behaviours.
    pub characters: Vec<(CharacterId, Option<BehaviourRef>)>,
}

/// Builds the world of a level; `seed` overrides the level's own.
#[must_use]
pub fn build(level: Level, seed: Option<u64>) -> Spawned {
    let Level { def, resolved, map, .. } = level;
    let rate = TickRate::new(def.tick_rate).unwrap_or_default();
    let floor_y_m = resolve::floor_y_m(&def);
    let parts = WorldParts {
        level_name: def.name.clone(),
        seed: seed.unwrap_or(def.seed),
        rate,
        day: def.clock.as_ref().map(|clock| {
            let day = DayTime::new(clock.start_min, clock.seconds_per_minute);
            if clock.is_paused { day.paused() } else { day }
        }),
        nav: map,
        areas: areas(&resolved),
        doors: doors(&def, &resolved, floor_y_m),
        regions: regions(&def),
        marks: resolved
            .marks
            .iter()
            .map(|mark| (mark.name.clone().unwrap_or_default(), placed(mark)))
            .collect_map(),
        routes: resolved
            .routes
            .iter()
            .map(|route| (route.name.clone(), route.stops.iter().map(placed).collect()))
            .collect_map(),
        props: props(&def),
        settings: settings(&def),
        link_actions: actions::names(&def.navigation),
        tiles: tiles(&def, &resolved),
        is_precomputed: matches!(def.navigation, NavigationDef::TextGrid(_)) || resolved.areas.is_empty(),
    };
    let mut world = World::new(parts);
    let characters = def
        .characters
        .iter()
        .filter_map(|character| {
            let id = spawn(&mut world, wanted(&def, character, floor_y_m)).ok().flatten()?;
            Some((id, behaviour(character)))
        })
        .collect();
    Spawned { world, characters }
}

/// What the tiles of a tile map are made of.
fn tiles(def: &LevelDef, resolved: &Resolved) -> Option<Tiles> {
    let (NavigationDef::Tiles(tiles), Some(cells)) = (&def.navigation, &resolved.tiles) else { return None };
    let kinds = cells.meanings.iter().map(|meaning| meaning.tile.clone()).collect();
    let layers = tiles.layers.iter().zip(&cells.layers);
    let layers = layers.map(|(layer, kinds)| (layer.name.value.clone(), kinds.clone())).collect();
    let [width, depth] = cells.frame.tile_count();
    let mut table = Tiles::new(width, depth, kinds, layers)?;
    table.is_isometric = tiles.projection == Projection::Isometric;
    Some(table)
}

fn areas(resolved: &Resolved) -> Vec<Area> {
    resolved
        .areas
        .iter()
        .map(|area| Area {
            name: area.name.clone(),
            kind: if area.obstacle { AreaKind::Obstacle } else { AreaKind::Ground },
            available: area.available,
            factor: area.cost,
            door: area.door.map(DoorId::from),
            veil: match area.blocks_sight {
                None => Veil::AsItStands,
                Some(true) => Veil::Always,
                Some(false) => Veil::Never,
            },
        })
        .collect()
}

/// The rules by which somebody who is nobody in particular passes the doors of a level.
pub(super) fn rules_of_doors(level: &Level) -> Option<Arc<PassRules>> {
    let floor_y_m = resolve::floor_y_m(&level.def);
    pass_rules(&doors(&level.def, &level.resolved, floor_y_m), None)
}

fn doors(def: &LevelDef, resolved: &Resolved, floor_y_m: Option<f64>) -> Vec<Door> {
    let door = |(door, &area): (&DoorDef, &AreaId)| {
        let bounds = resolved.areas.get(area.index()).map_or(Bounds::of(&[[0.0, 0.0]]), |area| area.bounds);
        Door {
            name: door.name.value.clone(),
            area,
            position: raise(bounds.centre(), floor_y_m.unwrap_or(0.0)),
            bounds,
            moving_s: door.duration_s,
            state: if door.open { DoorState::Open } else { DoorState::Closed },
            left_ticks: 0,
            is_locked: door.is_locked(),
            key: door.key.clone(),
            one_way: door.one_way.map(|direction| direction.map(|number| number as f32)),
            teams: door.teams.clone(),
            request: None,
            removed: None,
        }
    };
    def.doors.iter().zip(&resolved.door_areas).map(door).collect()
}

fn regions(def: &LevelDef) -> Vec<Region> {
    def.regions
        .iter()
        .map(|region| Region {
            name: region.name.value.clone(),
            shape: match &region.outline {
                RegionOutline::Polygon(points) => RegionShape::polygon(points.clone()),
                RegionOutline::Circle { centre, radius_m } => {
                    let centre: Point = [centre.x, centre.z];
                    RegionShape::Circle(centre, *radius_m)
                }
            },
            layer: region.layer.as_ref().map(|layer| def.layer_number(&layer.value)),
            heights_m: region.heights_m.map(|heights| heights.map(|height| height as f32)),
            inside: Default::default(),
            looked: Default::default(),
        })
        .collect()
}

fn placed(mark: &resolve::NamedMark) -> Mark {
    Mark {
        name: mark.name.clone().unwrap_or_default(),
        position: mark.position,
        facing_rad: mark.facing_rad,
        props: mark.props.clone(),
    }
}

fn wanted(def: &LevelDef, character: &CharacterDef, floor_y_m: Option<f64>) -> Spawn {
    Spawn {
        name: character.name.value.clone(),
        position: resolve::world(character.position.value, floor_y_m),
        facing_rad: resolve::radians(character.facing_degrees),
        radius_m: character.radius_m as f32,
        height_m: character.height_m as f32,
        gait: Gait {
            walk_mps: character.walk_speed_mps as f32,
            run_mps: character.run_speed_mps as f32,
            turn_radps: character.rotation_speed_radps as f32,
        },
        tags: character.tags.clone(),
        is_player: character.player,
        doors: match character.doors {
            DoorHabit::Avoid => DoorPolicy::Avoid,
            DoorHabit::Open => DoorPolicy::Open,
            DoorHabit::Wait => DoorPolicy::Wait,
        },
        layer: character.layer.as_ref().map_or(0, |layer| def.layer_number(&layer.value)),
    }
}

fn behaviour(character: &CharacterDef) -> Option<BehaviourRef> {
    let script = character.behaviour.as_ref()?.value.clone();
    Some(BehaviourRef { script, params: plain_props(&character.params) })
}

/// What the level says of its things to scripts.
fn props(def: &LevelDef) -> Props {
    let mut props = Props::default();
    let mut put = |subject, name: &Located<String>, given: &PropsDef| {
        if !given.is_empty() {
            props.put(subject, &name.value, plain_props(given));
        }
    };
    def.doors.iter().for_each(|door| put(Subject::Door, &door.name, &door.props));
    def.regions.iter().for_each(|region| put(Subject::Region, &region.name, &region.props));
    def.routes.iter().for_each(|route| put(Subject::Route, &route.name, &route.props));
    def.characters.iter().for_each(|one| put(Subject::Character, &one.name, &one.props));
    props
}

/// Crowd constants and limits of a level, as the world keeps them.
#[must_use]
pub fn settings(def: &LevelDef) -> Settings {
    Settings { crowd: crowd(&def.crowd), limits: limits(&def.limits), path_budget: def.path_budget }
}

fn crowd(def: &CrowdDef) -> CrowdSettings {
    CrowdSettings {
        walk_threshold_m: def.walk_threshold_m as f32,
        target_replan_threshold_m: def.target_replan_threshold_m as f32,
        dynamic_obstacle_influence_m: def.dynamic_obstacle_influence_m as f32,
        dynamic_obstacle_radius_fraction: def.dynamic_obstacle_radius_fraction as f32,
        nudge_m: def.nudge_m as f32,
        replan_trigger_m: def.replan_trigger_m as f32,
        replan_cooldown_ms: def.replan_cooldown_ms as f32,
        npc_talk_distance_m: def.npc_talk_distance_m as f32,
        iterations: def.iterations as u32,
        moved_eps_m: def.moved_eps_m as f32,
        nudge_cooldown_ms: def.nudge_cooldown_ms as f32,
        is_reciprocal: def.reciprocal,
    }
}

fn limits(def: &LimitsDef) -> LevelLimits {
    LevelLimits {
        fuel_per_call: def.fuel_per_call as u64,
        fuel_per_tick: def.fuel_per_tick as u64,
        fuel_at_load: def.fuel_at_load as u64,
        memory_mib: def.memory_mib as u64,
        coroutine_depth: def.coroutine_depth as u32,
        tasks_per_owner: def.tasks_per_owner as u32,
        tasks: def.tasks as u32,
        timers_per_owner: def.timers_per_owner as u32,
        handlers_per_owner: def.handlers_per_owner as u32,
        watches_per_owner: def.watches_per_owner as u32,
        looks_per_tick: def.looks_per_tick as u32,
        walks_per_owner_per_tick: def.walks_per_owner_per_tick as u32,
        expansions_per_path: (def.expansions_per_path > 0.0).then_some(def.expansions_per_path as u32),
        events_per_tick: def.events_per_tick as u32,
        event_rounds: def.event_rounds as u32,
        characters: def.characters as u32,
        state_kib: def.state_kib as u64,
        string_kib: def.string_kib as u64,
        pattern_bytes: def.pattern_bytes as u64,
        table_elements: def.table_elements as u64,
        log_lines_per_tick: def.log_lines_per_tick as u32,
        watchdog_ms: def.watchdog_ms as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_same_for_files_and_for_embedding_games() {
        assert_eq!(limits(&LimitsDef::default()), LevelLimits::default());
        assert_eq!(crowd(&CrowdDef::default()), CrowdSettings::default());
    }
}
