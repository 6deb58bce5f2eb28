//! Resolves names to indices: follows every reference of a level and checks that every name is unique.
//!
//! In: a [`LevelDef`] whose map is at hand. Out: [`Resolved`]: areas in the order of the map, the area of
//! each door, marks and routes as positions; and findings for names that clash or lead nowhere. Holds: names
//! that differ only by case count as one name, because some systems and most people take them for one. Not
//! here: scripts (their folders are the shell's), the map itself (`bake`).

use std::sync::Arc;

use glam::Vec3;

use super::ascii::{self, AsciiCells};
use super::def::{AreaDef, GridDef, LayerDef, LevelDef, NavigationDef, PlaceDef, StopDef};
use super::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use super::drawing::DrawnArea;
use super::json::escaped;
use super::mesh::MeshDef;
use super::plain_data::plain_props;
use super::tiles::{self, TileCells};
use crate::base::geom::{Bounds, Point};
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::base::value::Plain;

/// An area or obstacle of the map, by its number.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArea {
    /// Its name.
    pub name: String,
    /// Whether it is an obstacle: ground taken away while it is available.
    pub obstacle: bool,
    /// Whether it is there when the level begins. A door rules its area.
    pub available: bool,
    /// Price of a metre on it.
    pub cost: f32,
    /// Whether it hides what lies behind it, where the author says so.
    pub blocks_sight: Option<bool>,
    /// The rectangle around it, metres.
    pub bounds: Bounds,
    /// The door that rules it, by its place in the level.
    pub door: Option<usize>,
    /// Where it is named.
    pub span: Span,
    /// JSON pointer to it.
    pub pointer: String,
}

/// A place in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMark {
    /// Its name; stops of a route may have none.
    pub name: Option<String>,
    /// Metres.
    pub position: Vec3,
    /// Which way to look there, radians about +y: 0 is +z, a quarter turn is +x.
    pub facing_rad: Option<f32>,
    /// Its properties for scripts, which the stops that lead to it share; none where it has none.
    pub props: Option<Arc<Plain>>,
    /// Where it is written.
    pub span: Span,
}

/// A list of places.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRoute {
    /// Its name.
    pub name: String,
    /// Where it leads, in order; at least one.
    pub stops: Vec<NamedMark>,
}

/// What the names of a level stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// Areas, then obstacles: the order that numbers them ([`AreaId`]).
    pub areas: Vec<NamedArea>,
    /// The area of each door, in the order of the doors.
    pub door_areas: Vec<AreaId>,
    /// Marks of the level in its order, then those of an ascii map.
    pub marks: Vec<NamedMark>,
    /// Routes, in the order of the level.
    pub routes: Vec<NamedRoute>,
    pub(crate) ascii: Option<AsciiCells>,
    pub(crate) tiles: Option<TileCells>,
}

/// Degrees as written into radians, by one rule for marks and characters.
#[must_use]
pub fn radians(degrees: f64) -> f32 {
    degrees.to_radians() as f32
}

/// The world position of a place: on the floor of a flat map, else at the height it was given, or 0.
#[must_use]
pub fn world(position: super::def::Position, floor_y_m: Option<f64>) -> Vec3 {
    let y = floor_y_m.or(position.y).unwrap_or(0.0);
    Vec3::new(position.x as f32, y as f32, position.z as f32)
}

/// Follows every reference. Where the map is in a file that was not read, references to areas are left alone.
pub(crate) fn resolve(findings: &mut Findings, def: &LevelDef) -> Resolved {
    let mut resolved = Resolved::default();
    let map_known = map_areas(findings, def, &mut resolved);
    unique_names(findings, def, &resolved);
    if map_known {
        doors(findings, def, &mut resolved);
    }
    marks(def, &mut resolved);
    routes(findings, def, &mut resolved);
    players(findings, def);
    unasked_params(findings, def);
    layers(findings, def);
    resolved
}

/// Height of the floor of a flat map, metres; None where places have heights of their own.
pub(crate) fn floor_y_m(def: &LevelDef) -> Option<f64> {
    match &def.navigation {
        NavigationDef::Grid(GridDef { mesh: Some(MeshDef { polygons: Some(_), .. }), .. })
        | NavigationDef::Grid(GridDef { mesh: Some(MeshDef { file: Some(_), .. }), .. }) => None,
        NavigationDef::Grid(grid) => Some(grid.sizes.floor_y_m),
        NavigationDef::Ascii(ascii) => Some(ascii.sizes.floor_y_m),
        NavigationDef::Tiles(tiles) => Some(tiles.floor_y_m),
        NavigationDef::TextGrid(grid) => Some(grid.sizes.floor_y_m),
        NavigationDef::Graph(_) | NavigationDef::File(_) => None,
    }
}

/// Lists the areas of the map. False when they are not known.
fn map_areas(findings: &mut Findings, def: &LevelDef, resolved: &mut Resolved) -> bool {
    match &def.navigation {
        NavigationDef::Grid(grid) => {
            resolved.areas = polygon_areas(&grid.areas, &grid.obstacles, &grid.pointer);
            true
        }
        NavigationDef::Graph(graph) => {
            resolved.areas = polygon_areas(&graph.areas, &graph.obstacles, "/navigation");
            true
        }
        NavigationDef::Ascii(ascii) => {
            let Some(cells) = ascii::lay_out(findings, ascii) else { return false };
            resolved.areas = cells.areas.iter().map(drawn_area).collect();
            resolved.ascii = Some(cells);
            true
        }
        NavigationDef::Tiles(def) => {
            let Some(cells) = tiles::lay_out(findings, def) else { return false };
            resolved.areas = cells.areas.iter().map(drawn_area).collect();
            resolved.tiles = Some(cells);
            true
        }
        NavigationDef::TextGrid(_) => true,
        NavigationDef::File(_) => false,
    }
}

fn drawn_area(area: &DrawnArea) -> NamedArea {
    NamedArea {
        name: area.name.value.clone(),
        obstacle: false,
        available: true,
        cost: 1.0,
        blocks_sight: area.blocks_sight,
        bounds: area.bounds,
        door: None,
        span: area.name.span,
        pointer: area.pointer.clone(),
    }
}

/// The areas, then the obstacles of the map at a place.
fn polygon_areas(areas: &[AreaDef], obstacles: &[AreaDef], pointer: &str) -> Vec<NamedArea> {
    let list = |list: &'static str, obstacle: bool, areas: &[AreaDef]| -> Vec<NamedArea> {
        let named = |(index, area): (usize, &AreaDef)| NamedArea {
            name: area.name.value.clone(),
            obstacle,
            available: area.available.unwrap_or(true),
            cost: area.cost as f32,
            blocks_sight: area.blocks_sight,
            bounds: Bounds::of(&area.polygon),
            door: None,
            span: area.name.span,
            pointer: format!("{pointer}/{list}/{index}"),
        };
        areas.iter().enumerate().map(named).collect()
    };
    [list("areas", false, areas), list("obstacles", true, obstacles)].concat()
}

/// A name with the pointer to it.
type NamedPointer<'a> = (&'a str, Span, String);

fn unique_names(findings: &mut Findings, def: &LevelDef, resolved: &Resolved) {
    fn list<'a, T>(
        items: &'a [T],
        key: &str,
        name: impl Fn(&'a T) -> &'a Located<String>,
    ) -> Vec<NamedPointer<'a>> {
        let items = items.iter().enumerate();
        items
            .map(|(index, item)| (name(item).value.as_str(), name(item).span, format!("/{key}/{index}/name")))
            .collect()
    }
    fn keys<'a, T>(
        items: &'a [T],
        key: &str,
        name: impl Fn(&'a T) -> &'a Located<String>,
    ) -> Vec<NamedPointer<'a>> {
        let names = items.iter().map(name);
        names
            .map(|name| (name.value.as_str(), name.span, format!("/{key}/{}", escaped(&name.value))))
            .collect()
    }
    let areas = resolved.areas.iter();
    let areas = areas.map(|area| (area.name.as_str(), area.span, format!("{}/name", area.pointer))).collect();
    let mut marks = keys(&def.marks, "marks", |mark| &mark.name);
    if let Some(cells) = &resolved.ascii {
        marks.extend(
            cells.marks.iter().map(|(name, pointer, _)| (name.value.as_str(), name.span, pointer.clone())),
        );
    }
    if let Some(cells) = &resolved.tiles {
        let drawn = cells.marks.iter();
        marks.extend(drawn.map(|mark| (mark.name.value.as_str(), mark.name.span, mark.pointer.clone())));
    }
    if let NavigationDef::Tiles(tiles) = &def.navigation {
        unique(findings, "layer", list(&tiles.layers, "navigation/layers", |layer| &layer.name));
    }
    unique(findings, "area", areas);
    unique(findings, "door", list(&def.doors, "doors", |door| &door.name));
    unique(findings, "mark", marks);
    unique(findings, "route", keys(&def.routes, "routes", |route| &route.name));
    unique(findings, "region", list(&def.regions, "regions", |region| &region.name));
    unique(findings, "character", list(&def.characters, "characters", |character| &character.name));
}

fn unique(findings: &mut Findings, kind: &str, mut names: Vec<NamedPointer<'_>>) {
    names.retain(|(name, ..)| !name.is_empty());
    let mut folded: Vec<(String, usize)> =
        names.iter().enumerate().map(|(index, (name, ..))| (name.to_lowercase(), index)).collect();
    ordered::sort_by(&mut folded, Ord::cmp);
    let mut first = 0;
    for index in 1..folded.len() {
        if folded[index].0 != folded[first].0 {
            first = index;
            continue;
        }
        let (name, span, pointer) = &names[folded[index].1];
        let (other, other_span, _) = &names[folded[first].1];
        findings.error_beside(*other_span, |place| {
            let message = if name == other {
                format!("{kind} \"{name}\" is there twice, first at {place}")
            } else {
                format!("{kind} \"{name}\" differs from \"{other}\" at {place} only by case")
            };
            PendingDiagnostic::new(code::DUPLICATE_NAME, *span, message)
                .at(pointer)
                .help("give one of the two another name")
        });
    }
}

fn doors(findings: &mut Findings, def: &LevelDef, resolved: &mut Resolved) {
    let by_name = sorted_names(resolved.areas.iter().map(|area| area.name.as_str()));
    let mut found: Vec<Option<usize>> = Vec::with_capacity(def.doors.len());
    for (index, door) in def.doors.iter().enumerate() {
        let area = lookup(&by_name, &door.area.value);
        found.push(area);
        if door.area.value.is_empty() || area.is_some_and(|area| !resolved.areas[area].obstacle) {
            continue;
        }
        findings.error(|| {
            let name = &door.area.value;
            let pointer = format!("/doors/{index}/area");
            let message = match area {
                Some(_) => format!(
                    "doors[{index}].area is \"{name}\", which is an obstacle, expected the name of an area"
                ),
                None if resolved.areas.is_empty() => {
                    format!("doors[{index}].area is \"{name}\", but this map has no areas")
                }
                None => format!("doors[{index}].area is \"{name}\", which is not an area of this map"),
            };
            let areas = resolved.areas.iter().filter(|area| !area.obstacle).map(|area| area.name.as_str());
            PendingDiagnostic::new(code::UNRESOLVED, door.area.span, message).at(pointer).suggest(name, areas)
        });
    }
    for (index, area) in found.into_iter().enumerate() {
        resolved.door_areas.push(AreaId::from(area.unwrap_or(0)));
        if let Some(area) = area {
            rule(findings, def, index, area, resolved);
        }
    }
}

/// A door decides about its area; the area's own key only has to agree.
fn rule(findings: &mut Findings, def: &LevelDef, index: usize, area: usize, resolved: &mut Resolved) {
    let door = &def.doors[index];
    if let Some(other) = resolved.areas[area].door {
        findings.error(|| {
            let message = format!(
                "doors[{index}].area is \"{}\", which door \"{}\" rules already, expected an area of its own",
                door.area.value, def.doors[other].name.value
            );
            PendingDiagnostic::new(code::DOOR, door.area.span, message).at(format!("/doors/{index}/area"))
        });
        return;
    }
    let authored = match &def.navigation {
        NavigationDef::Grid(grid) => grid.areas.get(area),
        _ => None,
    };
    if let Some(own) = authored.filter(|own| own.available.is_some_and(|available| available != door.open)) {
        let (available, state) = if door.open { ("false", "open") } else { ("true", "closed") };
        let pointer = format!("{}/available", resolved.areas[area].pointer);
        findings.warn(|| {
            let message = format!(
                "area \"{}\" has available {available}, but its door \"{}\" is {state}; the door rules",
                own.name.value, door.name.value
            );
            PendingDiagnostic::new(code::DOOR, own.available_spot.span, message)
                .at(pointer)
                .help("leave available out")
        });
    }
    resolved.areas[area].door = Some(index);
    resolved.areas[area].available = door.open;
}

fn marks(def: &LevelDef, resolved: &mut Resolved) {
    let floor = floor_y_m(def);
    resolved.marks =
        def.marks.iter().map(|mark| placed(Some(&mark.name), &mark.place, mark.name.span, floor)).collect();
    if let Some(cells) = &resolved.ascii {
        let drawn = cells.marks.iter().map(|(name, _, point)| drawn_mark(name, *point, floor));
        resolved.marks.extend(drawn);
    }
    if let Some(cells) = &resolved.tiles {
        let drawn = cells.marks.iter().map(|mark| drawn_mark(&mark.name, mark.point, floor));
        resolved.marks.extend(drawn);
    }
}

fn drawn_mark(name: &Located<String>, point: Point, floor_y_m: Option<f64>) -> NamedMark {
    let position = crate::base::geom::raise(point, floor_y_m.unwrap_or(0.0));
    NamedMark { name: Some(name.value.clone()), position, facing_rad: None, props: None, span: name.span }
}

fn placed(name: Option<&Located<String>>, place: &PlaceDef, span: Span, floor_y_m: Option<f64>) -> NamedMark {
    NamedMark {
        name: name.map(|name| name.value.clone()),
        position: world(place.position, floor_y_m),
        facing_rad: place.facing_degrees.map(radians),
        props: (!place.props.is_empty()).then(|| Arc::new(plain_props(&place.props))),
        span,
    }
}

fn routes(findings: &mut Findings, def: &LevelDef, resolved: &mut Resolved) {
    let floor = floor_y_m(def);
    let by_name = sorted_names(resolved.marks.iter().filter_map(|mark| mark.name.as_deref()));
    let mut routes = Vec::with_capacity(def.routes.len());
    for route in &def.routes {
        let mut stops = Vec::with_capacity(route.stops.len());
        for (index, stop) in route.stops.iter().enumerate() {
            match stop {
                StopDef::Place(place) => stops.push(placed(None, place, route.name.span, floor)),
                StopDef::Mark(name) => match lookup(&by_name, &name.value) {
                    Some(mark) => stops.push(resolved.marks[mark].clone()),
                    None if name.value.is_empty() => {}
                    None => findings.error(|| {
                        let own = &route.name.value;
                        let message = format!(
                            "routes.{own}[{index}] is \"{}\", which is not a mark of this level",
                            name.value
                        );
                        let marks = resolved.marks.iter().filter_map(|mark| mark.name.as_deref());
                        PendingDiagnostic::new(code::UNRESOLVED, name.span, message)
                            .at(format!("/routes/{}/{index}", escaped(own)))
                            .suggest(&name.value, marks)
                    }),
                },
            }
        }
        routes.push(NamedRoute { name: route.name.value.clone(), stops });
    }
    drop(by_name);
    resolved.routes = routes;
}

fn players(findings: &mut Findings, def: &LevelDef) {
    let mut players = def.characters.iter().enumerate().filter(|(_, character)| character.player);
    let Some((_, first)) = players.next() else { return };
    for (index, other) in players {
        findings.error_beside(first.name.span, |place| {
            let message = format!(
                "characters[{index}].player is true, but \"{}\" at {place} is the player, expected at most one",
                first.name.value
            );
            PendingDiagnostic::new(code::LIMIT, other.name.span, message).at(format!("/characters/{index}/player"))
        });
    }
}

/// Parameters of a character that has no behaviour to take them.
fn unasked_params(findings: &mut Findings, def: &LevelDef) {
    for (index, character) in def.characters.iter().enumerate() {
        let Some((_, first)) = character.params.iter().next().filter(|_| character.behaviour.is_none())
        else {
            continue;
        };
        findings.warn(|| {
            let message = format!(
                "characters[{index}] \"{}\" has params and no behaviour, so nothing reads them",
                character.name.value
            );
            PendingDiagnostic::new(code::PARAMS, first.span, message)
                .at(format!("/characters/{index}/params"))
                .help("name the behaviour that takes them, or leave params out; a script reads props")
        });
    }
}

fn layers(findings: &mut Findings, def: &LevelDef) {
    let layers: &[LayerDef] = match &def.navigation {
        NavigationDef::Tiles(tiles) => &tiles.layers,
        _ => &[],
    };
    let names = || layers.iter().map(|layer| layer.name.value.as_str());
    let characters = def.characters.iter().enumerate();
    let characters = characters.map(|(index, character)| ("characters", index, &character.layer));
    let regions = def.regions.iter().enumerate().map(|(index, region)| ("regions", index, &region.layer));
    for (list, index, layer) in characters.chain(regions) {
        let Some(layer) = layer else { continue };
        if names().any(|name| name == layer.value) {
            continue;
        }
        let why =
            if layers.is_empty() { "but this map has no layers" } else { "which is not a layer of this map" };
        findings.error(|| {
            let message = format!("{list}[{index}].layer is \"{}\", {why}", layer.value);
            PendingDiagnostic::new(code::UNRESOLVED, layer.span, message)
                .at(format!("/{list}/{index}/layer"))
                .suggest(&layer.value, names())
        });
    }
}

/// Names in order with the place of each, for looking them up.
fn sorted_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut list: Vec<(String, usize)> =
        names.enumerate().map(|(index, name)| (name.to_owned(), index)).collect();
    ordered::sort_by(&mut list, Ord::cmp);
    list
}

fn lookup(sorted: &[(String, usize)], name: &str) -> Option<usize> {
    let at = sorted.partition_point(|(known, _)| known.as_str() < name);
    sorted.get(at).filter(|(known, _)| known == name).map(|(_, index)| *index)
}
