//! The report of `walkon check` on a map that loads: its parts, areas cut off, marks nobody can walk to,
//! ground nobody can leave.
//!
//! In: a loaded level. Out: notes and warnings, in the order of the text. Holds: every door counts as open,
//! since ground behind a lock is not cut off; for marks it lets people through in its own directions alone.
//! Every layer and every link counts; the cost is bounded by the parts looked at. Not here: errors that keep
//! a level from loading (`read`, `resolve`, `bake`).

use glam::Vec3;

use super::bake::shown;
use super::def::NavigationDef;
use super::diagnostic::{Diagnostic, Findings, PendingDiagnostic, Span, code};
use super::loaded::Level;
use super::resolve::{NamedArea, NamedMark};
use crate::base::geom::{Bounds, ground};
use crate::base::ids::AreaId;
use crate::base::suggestions::{self, counted};
use crate::nav::graph::islands::{GraphIsland, kept_apart};
use crate::nav::{
    AreaEdit, Backend, CellMap, Island, LayerPoint, LinkActions, NavEdit, NavMap, Reach, Traversal,
};

/// Parts of a map that are reported one by one; smaller ones are only counted.
const PARTS_MAX: usize = 32;
/// Cells of an area that are looked at for one that can be walked on.
const CELLS_LOOKED_AT: usize = 20_000;
/// Traps that are reported, on each layer.
const TRAPS_MAX: usize = 9;
/// Places where closed doors keep ground apart that are reported.
const JOINS_MAX: usize = 32;
/// Least radius that marks are tried for: a point.
const SLIM: Traversal =
    Traversal { radius_m: 0.0, through: None, areas: None, layer: 0, rules: None, actions: LinkActions::ALL };

/// A connected part of one layer.
#[derive(Clone, Copy, Debug)]
struct LayerIsland {
    layer: u8,
    island: Island,
}

/// Areas times parts of the map, at most, for areas to be looked for in parts.
const AREAS_IN_PARTS_MAX: usize = 10_000;

/// The map report of a level. Cost: a few passes over its cells.
#[must_use]
pub fn report(level: &Level) -> Vec<Diagnostic> {
    let mut findings = Findings::with_files(level.files.clone());
    let map = with_doors_open(level);
    let layers = map.layer_count().min(usize::from(u8::MAX)) as u8;
    let mut parts = Vec::new();
    for layer in 0..layers {
        let mut own = islands(&map, layer);
        summary(&mut findings, level, &map, layer, &own);
        own.truncate(PARTS_MAX);
        parts.extend(own.into_iter().map(|island| LayerIsland { layer, island }));
    }
    islets(&mut findings, level, &map, &parts);
    for layer in 0..layers {
        traps(&mut findings, level, &map, layer);
    }
    for join in door_joins(level).into_iter().take(JOINS_MAX) {
        findings.note(|| PendingDiagnostic::new(code::ISLAND, join.span, join.in_words()));
    }
    cut_off_areas(&mut findings, level, &map, &parts);
    lost_places(&mut findings, level, &map, &parts);
    findings.take()
}

/// Pieces of a graph that a closed door keeps apart.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorJoin {
    /// The door.
    pub door: String,
    /// The pieces, the largest first; two or more.
    pub pieces: Vec<GraphIsland>,
    /// Where the door is written.
    pub span: Span,
}

impl DoorJoin {
    /// The same as a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        let piece = |piece: &GraphIsland| {
            let place = suggestions::decimals_of(&piece.at.to_array(), 2);
            format!("{} around [{place}]", counted(u64::from(piece.points), "point"))
        };
        let pieces: Vec<String> = self.pieces.iter().map(piece).collect();
        format!("door \"{}\" is closed: it would join {}", self.door, pieces.join(" and "))
    }
}

/// On a graph, for each door that is closed as the level begins: the parts that it would join if it alone
/// were open. In the order of the doors. Cost: points and links.
#[must_use]
pub fn door_joins(level: &Level) -> Vec<DoorJoin> {
    let Some(graph) = level.map.graph() else { return Vec::new() };
    let apart = kept_apart(graph);
    let doors = level.def.doors.iter().zip(&level.resolved.door_areas);
    doors
        .flat_map(|(door, area)| {
            apart.get(area).into_iter().flatten().map(|pieces| DoorJoin {
                door: door.name.value.clone(),
                pieces: pieces.clone(),
                span: door.name.span,
            })
        })
        .collect()
}

/// The connected parts of a layer, the largest first.
fn islands(map: &NavMap, layer: u8) -> Vec<Island> {
    if map.layers().is_none() {
        return map.islands();
    }
    map.layer(layer).map(CellMap::islands).unwrap_or_default()
}

fn with_doors_open(level: &Level) -> NavMap {
    let mut map = level.map.clone();
    let open = |area: &AreaId| NavEdit::Area(AreaEdit { area: *area, available: Some(true), factor: None });
    let edits: Vec<NavEdit> = level.resolved.door_areas.iter().map(open).collect();
    map.apply(&edits);
    map
}

/// The level itself: what is said of a whole map is said of the file that people name.
const WHOLE_MAP: Span = Span { file: 0, start: 0, end: 0 };

/// The name of a layer as words for a sentence; nothing where there is one only.
fn on_layer(level: &Level, layer: u8) -> String {
    let name = layer_names(level).nth(usize::from(layer));
    name.map_or_else(String::new, |name| format!(" on layer \"{name}\""))
}

/// The layers of a map that has several.
fn layer_names(level: &Level) -> impl Iterator<Item = &str> {
    let layers = match &level.def.navigation {
        NavigationDef::Tiles(tiles) if tiles.layers.len() > 1 => tiles.layers.as_slice(),
        _ => &[],
    };
    layers.iter().map(|layer| layer.name.value.as_str())
}

fn summary(findings: &mut Findings, level: &Level, map: &NavMap, layer: u8, parts: &[Island]) {
    let walkable = parts.iter().map(|part| u64::from(part.cells)).sum::<u64>();
    let size = match (map.layer(layer), map.mesh(), map.graph()) {
        (Some(cells), _, _) => {
            let frame = cells.frame();
            let ([width, depth], [tile_m, deep_m]) = (frame.tile_count(), frame.tile_size_m());
            let size = match matches!(level.def.navigation, NavigationDef::Tiles(_)) {
                false => format!("{width} x {depth} cells of {} m", frame.cell_size_m),
                true => format!("{width} x {depth} tiles of {tile_m} x {deep_m} m"),
            };
            format!("{size}, {walkable} of them walkable")
        }
        (_, Some(_), _) => counted(walkable, "polygon"),
        (_, _, Some(graph)) => {
            let links = counted(graph.net().links().len() as u64, "link");
            format!("{} and {links}", counted(walkable, "point"))
        }
        _ => return,
    };
    findings.note(|| {
        let what = match layer_names(level).nth(usize::from(layer)) {
            Some(name) => format!("layer \"{name}\""),
            None => "the map".to_owned(),
        };
        let closed =
            level.map.graph().map(|graph| graph.islands().len()).filter(|&count| count != parts.len());
        let closed =
            closed.map_or_else(String::new, |count| format!(" ({count} with its doors as they are)"));
        let message = format!("{what} has {size}, in {}{closed}", counted(parts.len() as u64, "part"));
        PendingDiagnostic::new(code::MAP, WHOLE_MAP, message)
    });
}

/// Small parts that nothing leads to. The largest part of each layer is its main ground, and is left out.
fn islets(findings: &mut Findings, level: &Level, map: &NavMap, parts: &[LayerIsland]) {
    let node = match (map.mesh(), map.graph()) {
        (Some(_), _) => "polygon",
        (_, Some(_)) => "point",
        _ => "cell",
    };
    for layer in 0..map.layer_count() as u8 {
        for part in parts.iter().filter(|part| part.layer == layer).skip(1).take(9) {
            let joined = |other: &LayerIsland| {
                let is_other = other.layer != part.layer || other.island.sample != part.island.sample;
                is_other && (leads(map, part, other) || leads(map, other, part))
            };
            // Without links parts are apart: that is what makes them parts.
            if map.layers().is_some_and(|layers| !layers.links().is_empty()) && parts.iter().any(joined) {
                continue;
            }
            findings.note(|| {
                let [x, z] = shown(ground(part.island.sample));
                let size = counted(u64::from(part.island.cells), node);
                let are = if part.island.cells == 1 { "is" } else { "are" };
                let place = on_layer(level, layer);
                let message = format!(
                    "{size} around [{x}, {z}]{place} {are} joined to nothing else, even with every door open"
                );
                PendingDiagnostic::new(code::ISLAND, WHOLE_MAP, message)
            });
        }
    }
}

/// Ground that is entered and never left, because it may not be left in every direction (fault:F36).
fn traps(findings: &mut Findings, level: &Level, map: &NavMap, layer: u8) {
    let Some(cells) = map.layer(layer) else { return };
    for trap in cells.traps().into_iter().filter(|trap| !has_link_out(map, layer, trap)).take(TRAPS_MAX) {
        findings.warn(|| {
            let [x, z] = shown(ground(trap.sample));
            let (size, place) = (counted(u64::from(trap.cells), "tile"), on_layer(level, layer));
            let message = format!("no way leads out of {size} around [{x}, {z}]{place} that can be entered");
            PendingDiagnostic::new(code::ISLAND, WHOLE_MAP, message)
                .help("let one of their tiles be left in another direction (oneWay)")
        });
    }
}

/// Whether a link leads from a part of a layer to somewhere else.
fn has_link_out(map: &NavMap, layer: u8, part: &Island) -> bool {
    let (Some(cells), Some(layers)) = (map.layer(layer), map.layers()) else { return false };
    let begins = layers.links().iter().flat_map(|link| {
        let back = link.both_ways.then_some(link.to);
        std::iter::once(link.from).chain(back)
    });
    let by = Traversal { layer, ..SLIM };
    begins
        .filter(|end| end.layer == layer)
        .any(|end| matches!(cells.reach(part.sample, end.point, &by), Reach::Yes))
}

/// Whether a way leads from a part to a place.
fn reaches(map: &NavMap, from: &LayerIsland, layer: u8, point: Vec3) -> bool {
    let by = Traversal { layer: from.layer, ..SLIM };
    matches!(map.reach_on(from.island.sample, LayerPoint { layer, point }, &by), Reach::Yes)
}

fn leads(map: &NavMap, from: &LayerIsland, to: &LayerIsland) -> bool {
    reaches(map, from, to.layer, to.island.sample)
}

/// The part that a point of a layer lies in, as its place in `parts`.
fn part_of(map: &NavMap, parts: &[LayerIsland], layer: u8, point: Vec3) -> Option<usize> {
    parts.iter().position(|part| part.layer == layer && reaches(map, part, layer, point))
}

fn cut_off_areas(findings: &mut Findings, level: &Level, map: &NavMap, parts: &[LayerIsland]) {
    // Each area is looked for in each part: more than that nobody reads.
    let most = AREAS_IN_PARTS_MAX / parts.len().max(1);
    let areas = level.resolved.areas.iter().enumerate().filter(|(_, area)| !area.obstacle);
    if areas.clone().nth(most).is_some() {
        findings.warn(|| {
            let message = format!(
                "the map has {} and too many areas to list which lie in each",
                counted(parts.len() as u64, "separate part")
            );
            PendingDiagnostic::new(code::ISLAND, WHOLE_MAP, message)
                .help("let areas that belong together share an edge, or divide the level")
        });
        return;
    }
    let parts_of: Vec<(&NamedArea, usize)> = areas
        .filter_map(|(index, area)| {
            let (layer, point) = walkable_point(map, AreaId::from(index), area.bounds)?;
            Some((area, part_of(map, parts, layer, point)?))
        })
        .collect();
    let mut areas_in = vec![0usize; parts.len()];
    parts_of.iter().for_each(|(_, part)| areas_in[*part] += 1);
    let has_links = map.layers().is_some_and(|layers| !layers.links().is_empty());
    for (area, part) in parts_of.iter().filter(|(_, part)| areas_in[*part] == 1) {
        let own = &parts[*part];
        let others = || parts_of.iter().filter(|(_, other)| other != part).map(|(_, other)| &parts[*other]);
        // Layers are apart by nature; on one of them areas are not.
        let is_alone = others().any(|other| other.layer == own.layer)
            && !(has_links && others().any(|other| leads(map, own, other) || leads(map, other, own)));
        if !is_alone {
            continue;
        }
        findings.warn(|| {
            let message =
                format!("no way leads from area \"{}\" to any other, even with every door open", area.name);
            PendingDiagnostic::new(code::ISLAND, area.span, message)
                .at(area.pointer.as_str())
                .help("let it share an edge with its neighbour, or join them by an area between")
        });
    }
}

/// The middle of the first cell of an area that can be walked on, and its layer.
fn walkable_point(map: &NavMap, area: AreaId, bounds: Bounds) -> Option<(u8, Vec3)> {
    if let Some(mesh) = map.mesh() {
        return mesh.place_in(area, &SLIM).map(|place| (0, place));
    }
    let first = |layer: u8| Some((layer, walkable_cell(map.layer(layer)?, area, bounds)?));
    (0..map.layer_count() as u8).find_map(first)
}

fn walkable_cell(cells: &CellMap, area: AreaId, bounds: Bounds) -> Option<Vec3> {
    let frame = cells.frame();
    let (low, high) = (frame.cell_at(bounds.min), frame.cell_at(bounds.max));
    let cell = |value: i64, size: u32| value.clamp(0, i64::from(size.saturating_sub(1))) as u32;
    let (first_x, last_x) = (cell(low.0, frame.width), cell(high.0, frame.width));
    let (first_z, last_z) = (cell(low.1, frame.depth), cell(high.1, frame.depth));
    let places = (first_z..=last_z).flat_map(|z| (first_x..=last_x).map(move |x| (x, z)));
    let mut here = Vec::new();
    places.take(CELLS_LOOKED_AT).map(|(x, z)| frame.on_floor(frame.centre(x, z))).find(|point| {
        here.clear();
        cells.areas_at(*point, &mut here);
        here.contains(&area) && cells.is_walkable(*point, &SLIM)
    })
}

/// Marks, and stops of routes that are no marks, which nobody can walk to.
fn lost_places(findings: &mut Findings, level: &Level, map: &NavMap, parts: &[LayerIsland]) {
    let mut walkers = Walkers::of(level, map, parts);
    for mark in &level.resolved.marks {
        let name = mark.name.as_deref().unwrap_or_default();
        let pointer = || format!("/marks/{}", super::json::escaped(name));
        warn_if_lost(findings, &mut walkers, mark, &format!("mark \"{name}\""), pointer);
    }
    for route in &level.resolved.routes {
        let places = route.stops.iter().enumerate().filter(|(_, stop)| stop.name.is_none());
        for (index, stop) in places {
            let what = format!("stop {} of route \"{}\"", index + 1, route.name);
            let pointer = || format!("/routes/{}/{index}", super::json::escaped(&route.name));
            warn_if_lost(findings, &mut walkers, stop, &what, pointer);
        }
    }
}

fn warn_if_lost(
    findings: &mut Findings,
    walkers: &mut Walkers<'_>,
    place: &NamedMark,
    what: &str,
    pointer: impl FnOnce() -> String,
) {
    let Some((why, help)) = lost(walkers, place.position) else { return };
    findings.warn(|| {
        let finding =
            PendingDiagnostic::new(code::UNREACHABLE, place.span, format!("{what} {why}")).at(pointer());
        match help {
            Some(help) => finding.help(help),
            None => finding,
        }
    });
}

/// Who walks to marks: from where, and by which rules of doors.
struct Walkers<'a> {
    map: &'a NavMap,
    /// Where they begin: one place of each ground that hangs together, at most [`PARTS_MAX`].
    starts: Vec<LayerPoint>,
    /// They may not pass a door against its direction.
    by: Traversal,
    /// Doors with a direction are walls: what hangs together for these can be walked to and fro.
    walled: Traversal,
    /// Places that were asked for, and whether they come there; at most [`PARTS_MAX`].
    known: Vec<(LayerPoint, bool)>,
}

impl<'a> Walkers<'a> {
    /// The characters of a level; for one without any, who begins on its largest part.
    fn of(level: &Level, map: &'a NavMap, parts: &[LayerIsland]) -> Self {
        let by = Traversal { rules: super::spawn::rules_of_doors(level), ..SLIM };
        let walled = by.walled().unwrap_or_else(|| by.clone());
        let mut walkers = Self { map, starts: Vec::new(), by, walled, known: Vec::new() };
        let floor = super::resolve::floor_y_m(&level.def);
        for character in &level.def.characters {
            let name = character.layer.as_ref().map(|name| name.value.as_str());
            let layer =
                name.and_then(|name| layer_names(level).position(|own| own == name)).unwrap_or(0) as u8;
            let place = super::resolve::world(character.position.value, floor);
            let near = map.nearest(place, super::bake::SNAP_M, &Traversal { layer, ..SLIM });
            let start = near.map(|near| LayerPoint { layer, point: near.point });
            let is_new =
                |start: &LayerPoint| !walkers.starts.iter().any(|own| walkers.are_joined(*own, *start));
            if walkers.starts.len() < PARTS_MAX
                && let Some(start) = start.filter(is_new)
            {
                walkers.starts.push(start);
            }
        }
        let largest = parts.first().map(|part| LayerPoint { layer: part.layer, point: part.island.sample });
        if walkers.starts.is_empty() {
            walkers.starts.extend(largest);
        }
        walkers
    }

    fn leads(&self, from: LayerPoint, to: LayerPoint, by: &Traversal) -> bool {
        let by = Traversal { layer: from.layer, ..by.clone() };
        matches!(self.map.reach_on(from.point, to, &by), Reach::Yes)
    }

    fn are_joined(&self, one: LayerPoint, other: LayerPoint) -> bool {
        self.leads(one, other, &self.walled) && self.leads(other, one, &self.walled)
    }

    /// Whether they come to a place. Cost: labels; a search for each ground that only doors with a direction
    /// lead to.
    fn come_to(&mut self, place: LayerPoint) -> bool {
        let is_known = |known: &&(LayerPoint, bool)| self.are_joined(known.0, place);
        if let Some((_, comes)) = self.known.iter().find(is_known) {
            return *comes;
        }
        let comes = self.starts.iter().any(|start| self.leads(*start, place, &self.by));
        if self.known.len() < PARTS_MAX {
            self.known.push((place, comes));
        }
        comes
    }
}

/// Why nobody can walk to a place, and where one could. None when a character can, on any layer.
fn lost(walkers: &mut Walkers<'_>, place: Vec3) -> Option<(&'static str, Option<String>)> {
    let map = walkers.map;
    let mut layers = 0..map.layer_count() as u8;
    let is_ground = |layer| map.is_walkable(place, &Traversal { layer, ..SLIM });
    if !layers.clone().any(is_ground) {
        let near = map.nearest(place, f32::MAX, &SLIM).map(|near| shown(ground(near.point)));
        let help = near.map(|[x, z]| format!("the nearest place to stand is [{x}, {z}]"));
        return Some(("lies where nobody can stand", help));
    }
    if layers.any(|layer| walkers.come_to(LayerPoint { layer, point: place })) {
        return None;
    }
    Some(("is cut off: no way leads to it from where the characters begin, even with every door open", None))
}
