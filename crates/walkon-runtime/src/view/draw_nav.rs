//! Draws the map: cells by their cost, areas, obstacles, doors.
//!
//! In: a world. Out: layers `cells`, `areas`, `doors` of a picture, their names, their part of the legend.
//! Holds: cells show what the map is now, outlines show what the author drew; a closed area is there,
//! hatched. Not here: the characters on it (`draw_world`), what a search saw (`draw_search`).
//! Source: colours by cost after seed 004, doors and areas are ours.

use std::collections::BTreeMap;

use super::blocks::{Lattice, merge};
use super::picture::{Colour, Figure, Label, LabelSpread, Picture, Shape, Slant, Style, Swatch, Tag};
use super::theme;
use crate::base::geom::{Bounds, Point, polygon_contains, raise};
use crate::base::ids::{AreaId, DoorId};
use crate::base::ordered::{self, CollectOrdered};
use crate::nav::mesh::{Corner, Patch};
use crate::nav::{Backend, CellMap, Layout, NavMap, Traversal};
use crate::world::World;
use crate::world::area::{Area, AreaKind};
use crate::world::door::{Door, DoorState};

/// How far the floor may be from an area that is shown on it, metres.
const FLOOR_WITHIN_M: f32 = 8.0;
/// Heights further apart than this are those of several floors, metres.
const STOREY_MAX_M: f64 = 1e3;

/// The kind of a cell, by its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DrawnCell {
    Plain,
    Expensive,
    MostExpensive,
    /// Above this and up to twice as much, as the power of two of [`theme::MOST_EXPENSIVE_ABOVE`]: 1 to 3.
    Beyond(u8),
    /// Ground that is closed because an obstacle or an edge is too near.
    Padding,
    Blocked,
}

impl DrawnCell {
    const ALL: [Self; 8] = [
        Self::Plain,
        Self::Expensive,
        Self::MostExpensive,
        Self::Beyond(1),
        Self::Beyond(2),
        Self::Beyond(3),
        Self::Padding,
        Self::Blocked,
    ];

    fn of(cells: &CellMap, [x, z]: [u32; 2]) -> Self {
        if cells.walkable(x, z) { Self::of_factor(cells.factor_at(x, z)) } else { Self::Blocked }
    }

    /// Of ground that can be walked on.
    fn of_factor(factor: f32) -> Self {
        match factor {
            factor if factor > theme::MOST_EXPENSIVE_ABOVE => {
                let doublings = (1..=3)
                    .take_while(|&power| factor > theme::MOST_EXPENSIVE_ABOVE * f32::from(1_u8 << power));
                doublings.last().map_or(Self::MostExpensive, Self::Beyond)
            }
            factor if factor > theme::EXPENSIVE_ABOVE => Self::Expensive,
            _ => Self::Plain,
        }
    }

    fn look(self) -> Style {
        match self {
            Self::Plain => Style::filled(theme::CELL_PLAIN).glyph('.'),
            Self::Expensive => Style::filled(theme::CELL_EXPENSIVE).glyph('~'),
            Self::MostExpensive => Style::filled(theme::CELL_MOST_EXPENSIVE).glyph('%'),
            Self::Beyond(power) => {
                let weight = f32::from(power) * theme::CELL_BEYOND_STEP;
                Style::filled(theme::CELL_BEYOND.over(theme::CELL_MOST_EXPENSIVE, weight)).glyph('&')
            }
            Self::Padding => Style::filled(theme::CELL_PADDING).glyph('#'),
            Self::Blocked => Style::filled(theme::CELL_BLOCKED).glyph('#'),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "free",
            Self::Expensive => "dear",
            Self::MostExpensive => "dearest",
            Self::Beyond(1) => "dearest2",
            Self::Beyond(2) => "dearest3",
            Self::Beyond(_) => "dearest4",
            Self::Padding => "padding",
            Self::Blocked => "blocked",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Plain => "free",
            Self::Expensive => "cost above 1",
            Self::MostExpensive => "cost above 1.5",
            Self::Beyond(1) => "cost above 3",
            Self::Beyond(2) => "cost above 6",
            Self::Beyond(_) => "cost above 12",
            Self::Padding => "padding",
            Self::Blocked => "blocked",
        }
    }
}

/// What each area and obstacle covers: the polygon its author drew, else the cells that belong to it.
#[derive(Clone, Debug, Default)]
pub struct Outlines {
    forms: Vec<Option<Figure>>,
}

impl Outlines {
    /// Of every area and obstacle of a layer of a map, in the order of their ids; `count` of them.
    #[must_use]
    pub fn of(nav: &NavMap, layer: u8, count: usize) -> Self {
        Self { forms: (0..count).map(|index| outline(nav, layer, AreaId::from(index))).collect() }
    }

    /// What one covers; none where it has neither polygon nor cells.
    #[must_use]
    pub fn get(&self, area: AreaId) -> Option<&Figure> {
        self.forms.get(area.index())?.as_ref()
    }
}

fn outline(nav: &NavMap, layer: u8, area: AreaId) -> Option<Figure> {
    let polygon = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => Some(mesh.area_outline(area)),
        (_, Some(graph)) => Some(graph.area_outline(area)),
        _ => None,
    };
    if let Some(polygon) = polygon {
        return polygon.filter(|polygon| polygon.len() > 2).map(|it| Figure::Polygon(it.to_vec()));
    }
    outline_on(layer_of(nav, layer)?, area)
}

fn outline_on(cells: &CellMap, area: AreaId) -> Option<Figure> {
    if let Some(polygon) = cells.area_outline(area) {
        return (polygon.len() > 2).then(|| Figure::Polygon(polygon.to_vec()));
    }
    let runs = cells.area_runs(area);
    let Some(lattice) = lattice(cells) else {
        let facets = runs.flat_map(|(z, [first, end])| (first..end).map(move |x| (x, z)));
        let facets: Vec<_> = facets.map(|(x, z)| facet(cells, x, z)).collect();
        return (!facets.is_empty()).then_some(Figure::Facets(facets));
    };
    // Runs of one area do not overlap, so each is a rectangle of its own; equal neighbours are merged.
    let mut blocks: Vec<Bounds> = Vec::new();
    for (z, [first, end]) in runs {
        let run = lattice.rectangle([first, end - 1], [z, z]);
        match blocks.iter_mut().rev().find(|block| block.min[0] == run.min[0] && block.max[0] == run.max[0]) {
            Some(block) if (block.max[1] - run.min[1]).abs() < lattice.cell_m[1] * 1e-6 => {
                block.max[1] = run.max[1]
            }
            _ => blocks.push(run),
        }
    }
    (!blocks.is_empty()).then_some(Figure::Blocks(blocks))
}

/// One layer of a map of cells.
pub(super) fn layer_of(nav: &NavMap, layer: u8) -> Option<&CellMap> {
    nav.layer(layer)
}

/// The grid of a map whose cells are rectangles in rows.
fn lattice(cells: &CellMap) -> Option<Lattice> {
    let frame = cells.frame();
    let is_square = matches!(frame.layout(), Layout::Square4 | Layout::Square8);
    is_square.then(|| Lattice {
        min: [frame.min_x, frame.min_z],
        cell_m: frame.tile_size_m(),
        width: frame.width,
        depth: frame.depth,
    })
}

/// The corners of a cell, metres.
fn facet(cells: &CellMap, x: u32, z: u32) -> Vec<Point> {
    let mut corners = Vec::with_capacity(6);
    cells.frame().outline(x, z, &mut corners);
    corners
}

/// All cells by kind, as few shapes as there can be. Cost: one look at every cell.
pub(super) fn by_kind<K: Copy + Ord>(cells: &CellMap, kind: impl Fn(u32, u32) -> K) -> BTreeMap<K, Figure> {
    if let Some(lattice) = lattice(cells) {
        let blocks = merge(&lattice, |x, z| Some(kind(x, z)));
        return blocks.into_iter().map(|(kind, blocks)| (kind, Figure::Blocks(blocks))).collect_map();
    }
    let frame = cells.frame();
    let mut facets: BTreeMap<K, Vec<Vec<Point>>> = BTreeMap::new();
    for (x, z) in (0..frame.depth).flat_map(|z| (0..frame.width).map(move |x| (x, z))) {
        if frame.tile_of_cell(x, z).is_some() {
            facets.entry(kind(x, z)).or_default().push(facet(cells, x, z));
        }
    }
    facets.into_iter().map(|(kind, facets)| (kind, Figure::Facets(facets))).collect_map()
}

/// Draws the map of `world`. Cost: one look at every cell.
pub fn draw_nav(picture: &mut Picture, world: &World) {
    draw_cells(picture, world.nav());
    draw_areas(picture, world);
    draw_links(picture, world);
    draw_doors(picture, world);
}

/// Cells, or the polygons of a mesh, by what they cost.
pub(super) fn draw_cells(picture: &mut Picture, nav: &NavMap) {
    draw_polygons(picture, nav);
    let Some(cells) = layer_of(nav, picture.map_layer) else { return };
    let ground = open_ground(cells);
    let obstacles = obstacles(cells);
    let mut forms = by_kind(cells, |x, z| match DrawnCell::of(cells, [x, z]) {
        DrawnCell::Blocked if is_padding(cells, x, z, &ground, &obstacles) => DrawnCell::Padding,
        kind => kind,
    });
    let mut shapes = Vec::new();
    for kind in DrawnCell::ALL {
        let Some(form) = forms.remove(&kind) else { continue };
        picture.explain(Swatch::Patch(kind.look()), kind.words());
        shapes.push(Shape::new(form, kind.look(), Tag::Cells(kind.name())));
    }
    picture.add("cells", shapes);
}

/// Cells whose centre lies in an area that is available, by row and column; nothing where obstacles are no
/// polygons.
fn open_ground(cells: &CellMap) -> Vec<bool> {
    let (width, depth) = (cells.frame().width as usize, cells.frame().depth as usize);
    let mut ground = Vec::new();
    for area in (0..cells.area_count()).map(AreaId::from) {
        if !cells.area_state(area).is_some_and(|(is_there, _)| is_there) {
            continue;
        }
        for (z, [first, end]) in cells.area_runs(area) {
            ground.resize(width * depth, false);
            let row = z as usize * width;
            ground[row + first as usize..row + end as usize].fill(true);
        }
    }
    ground
}

/// Polygons of the obstacles in force, each with the rectangle around it.
fn obstacles(cells: &CellMap) -> Obstacles<'_> {
    // Ids are in one row: areas, obstacles, and none beyond.
    let ids = (cells.area_count()..).map(AreaId::from);
    let known = ids.map_while(|id| cells.area_state(id).map(|(is_there, _)| (id, is_there)));
    known
        .filter(|(_, is_there)| *is_there)
        .map(|(id, _)| cells.area_outline(id).filter(|corners| corners.len() > 2))
        .map(|corners| corners.map(|corners| (Bounds::of(corners), corners)))
        .collect()
}

/// Obstacles in force with their bounds; None where one of them has no polygon.
type Obstacles<'a> = Option<Vec<(Bounds, &'a [Point])>>;

/// Whether a blocked cell is ground that no obstacle covers, and no wall by itself.
fn is_padding(cells: &CellMap, x: u32, z: u32, ground: &[bool], obstacles: &Obstacles<'_>) -> bool {
    let frame = cells.frame();
    let Some(obstacles) = obstacles else { return false };
    let is_ground = ground.get((z * frame.width + x) as usize).copied().unwrap_or_default();
    let centre = frame.centre(x, z);
    is_ground
        && !cells.is_wall(x, z)
        && !obstacles
            .iter()
            .any(|(bounds, corners)| bounds.contains(centre) && polygon_contains(corners, centre))
}

/// The polygons of a mesh by what they cost, for bodies that it allows for, and the edges between them; where
/// ground lies at several heights the lower lies below, and lines show where it ends.
fn draw_polygons(picture: &mut Picture, nav: &NavMap) {
    let Some(mesh) = nav.mesh() else { return };
    let by = Traversal::default();
    picture.explain(Swatch::Patch(Style::filled(theme::NO_GROUND)), "no ground");
    let mut shapes: Vec<(f64, Shape)> = Vec::new();
    for patch in mesh.patches(&by) {
        let kind = DrawnCell::of_factor(patch.factor);
        picture.explain(Swatch::Patch(kind.look()), kind.words());
        let form = patch_form(picture.slant, &patch);
        let shape = Shape::new(form, kind.look(), Tag::Cells(kind.name())).at_height(patch.y_m);
        shapes.push((patch.y_m, shape));
    }
    if mesh.floor_y_m().is_none() {
        let look = Style::line(theme::RIM, 1.0);
        picture.explain(Swatch::Line(look), "edge of a floor");
        let rim = |ends: [Corner; 2]| {
            let y_m = (ends[0].1 + ends[1].1) / 2.0;
            (y_m, Shape::new(edge(picture.slant, ends), look, Tag::Cells("rim")).at_height(y_m))
        };
        shapes.extend(mesh.rims(&by).into_iter().map(rim));
    }
    ordered::sort_by(&mut shapes, |one, other| one.0.total_cmp(&other.0));
    picture.add("cells", shapes.into_iter().map(|(_, shape)| shape).collect());
    draw_portals(picture, nav);
}

/// The edges across which one gets from one polygon of a mesh to another.
pub(super) fn draw_portals(picture: &mut Picture, nav: &NavMap) {
    let Some(mesh) = nav.mesh() else { return };
    let look = Style::line(theme::AREA_LINE, 0.5).dashed();
    let portals = mesh.portals(&Traversal::default());
    if !portals.is_empty() {
        picture.explain(Swatch::Line(look), "edge between polygons");
    }
    let slant = picture.slant;
    let shape = |ends: [Corner; 2]| {
        let y_m = (ends[0].1 + ends[1].1) / 2.0;
        Shape::new(edge(slant, ends), look, Tag::Cells("portal")).at_height(y_m)
    };
    picture.add("portals", portals.into_iter().map(shape).collect());
}

/// Where a polygon of a mesh is seen.
pub(super) fn patch_form(slant: Slant, patch: &Patch) -> Figure {
    Figure::Polygon(slant.corners(&patch.outline, &patch.heights_m))
}

fn edge(slant: Slant, ends: [Corner; 2]) -> Figure {
    Figure::Line(ends.map(|(at, y_m)| slant.at(at, y_m)).to_vec())
}

/// Height of the floor nearest to a place, metres; the height itself where there is none, and 0 in a picture
/// without heights.
pub(super) fn floor_y_m(slant: Slant, nav: &NavMap, at: Point, y_m: f64) -> f64 {
    if slant == Slant::Top {
        return 0.0;
    }
    let found = nav.nearest(raise(at, y_m), FLOOR_WITHIN_M, &Traversal::default());
    found.map_or(y_m, |found| f64::from(found.point.y))
}

/// The outline of an area or obstacle, on the floor it lies on.
fn raised(picture: &Picture, nav: &NavMap, area: AreaId, form: Figure) -> Figure {
    let heights_m = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.area_heights_m(area),
        (_, Some(graph)) => graph.area_heights_m(area),
        _ => None,
    };
    let [low, high] = heights_m.unwrap_or_default();
    // A shape that keeps to a floor lies in the middle of its heights, one of all floors on the floor nearest
    // to height 0.
    let y_m = if high - low < STOREY_MAX_M { (low + high) / 2.0 } else { 0.0 };
    let y_m = floor_y_m(picture.slant, nav, form.bounds().centre(), y_m);
    form.raised(picture.slant, y_m)
}

/// Areas and obstacles as outlines over whatever cells are shown.
pub(super) fn draw_areas(picture: &mut Picture, world: &World) {
    let outlines = Outlines::of(world.nav(), picture.map_layer, world.areas().len());
    let mut areas = Vec::new();
    for (index, area) in world.areas().iter().enumerate() {
        let id = AreaId::from(index);
        let Some(form) = outlines.get(id).filter(|_| area.door.is_none()) else { continue };
        let form = raised(picture, world.nav(), id, form.clone());
        let look = area_look(area);
        if area.kind == AreaKind::Obstacle && area.available {
            picture.keep_clear.push(form.bounds());
        }
        if !area.name.is_empty() {
            picture.labels.push(area_label(area, id, &form));
        }
        areas.push(Shape::new(form, look, Tag::Area(id)).hint(area_hint(area)));
        match (area.available, area.kind) {
            (false, _) => picture.explain(Swatch::Patch(look), "not available"),
            (true, AreaKind::Obstacle) => picture.explain(Swatch::Patch(look), "obstacle"),
            (true, AreaKind::Ground) => picture.explain(Swatch::Line(look), "edge of an area"),
        }
    }
    picture.add("areas", areas);
}

/// Where one can leave the layer that is shown, and where one comes to it from another; and the links within
/// it, such as gaps that some jump.
pub(super) fn draw_links(picture: &mut Picture, world: &World) {
    let nav = world.nav();
    let name = |layer: u8| {
        let names = world.tiles().and_then(|tiles| tiles.layer_names().nth(usize::from(layer)));
        names.unwrap_or_default()
    };
    let mut shapes = Vec::new();
    for (index, link) in nav.links().iter().enumerate() {
        let tag = Tag::Link(index);
        let action = link.action.and_then(|action| world.link_action(action));
        let is_across = link.from.layer != link.to.layer;
        if !is_across && link.from.layer == picture.map_layer {
            let line = Style::line(theme::LINK, 1.5).dashed();
            let words = action.map_or_else(|| "link".to_owned(), |action| format!("link: {action}"));
            picture.explain(Swatch::Line(line), &words);
            let ends = [link.from, link.to].map(|end| picture.slant.place(end.point));
            let middle = [0, 1].map(|axis| (ends[0][axis] + ends[1][axis]) / 2.0);
            let y_m = f64::from(link.from.point.y + link.to.point.y) / 2.0;
            let hint = format!("{words}, {} m", link.cost_m);
            let shape = Shape::new(Figure::Line(ends.to_vec()), line, tag.clone());
            shapes.push(shape.hint(hint).at_height(y_m));
            picture.labels.extend(action.map(|action| link_label(middle, action.to_owned(), tag.clone())));
        }
        for (own, other, leads) in [(link.from, link.to, true), (link.to, link.from, link.both_ways)] {
            if own.layer != picture.map_layer {
                continue;
            }
            // A link that only ends there is a ring.
            let look = match leads {
                true => Style::filled(theme::LINK).stroked(theme::SEARCH_FRONTIER, 1.0).glyph('='),
                false => Style::line(theme::LINK, 1.5).glyph('='),
            };
            let words = match (is_across, leads) {
                (true, true) => "link to a layer",
                (true, false) => "link from a layer",
                (false, true) => "start of a link",
                (false, false) => "end of a link",
            };
            picture.explain(Swatch::Dot(look), words);
            let at = picture.slant.place(own.point);
            let y_m = f64::from(own.point.y);
            let mut shape =
                Shape::new(Figure::Dot { centre: at, radius_px: 4.0 }, look, tag.clone()).at_height(y_m);
            if is_across {
                let way = format!("{} {}", if leads { "to" } else { "from" }, name(other.layer));
                shape = shape.hint(format!("link {way}, {} m", link.cost_m));
                picture.labels.push(link_label(at, way, tag.clone()));
            }
            shapes.push(shape);
        }
    }
    // The links between the points of a graph have that name already.
    picture.add(if nav.graph().is_some() { "crossings" } else { "links" }, shapes);
}

fn link_label(at: Point, text: String, tag: Tag) -> Label {
    let (colour, spread) = (theme::LINK, LabelSpread::Beside(0.1));
    Label { at, text, colour, size_px: theme::NAME_PX, spread, importance: 5, tag }
}

/// Doors where they are.
pub(super) fn draw_doors(picture: &mut Picture, world: &World) {
    let doors = world.standing_doors();
    let shapes = doors.filter_map(|(id, door)| draw_door(picture, world.nav(), id, door)).collect();
    picture.add("doors", shapes);
}

fn area_look(area: &Area) -> Style {
    match (area.kind, area.available) {
        (AreaKind::Ground, true) => Style::line(theme::AREA_LINE, 1.0),
        (AreaKind::Ground, false) => {
            Style::line(theme::AREA_CLOSED, 1.0).dashed().hatched(theme::AREA_CLOSED).glyph(':')
        }
        (AreaKind::Obstacle, true) => Style::filled(theme::OBSTACLE).stroked(theme::OBSTACLE_LINE, 1.0),
        (AreaKind::Obstacle, false) => Style::line(theme::AREA_CLOSED, 1.0).dashed(),
    }
}

fn area_hint(area: &Area) -> String {
    let kind = match area.kind {
        AreaKind::Ground => "area",
        AreaKind::Obstacle => "obstacle",
    };
    let state = if area.available { "" } else { ", not available" };
    let cost = if area.factor == 1.0 { String::new() } else { format!(", cost {}", area.factor) };
    format!("{kind} \"{}\"{cost}{state}", area.name)
}

fn area_label(area: &Area, id: AreaId, form: &Figure) -> Label {
    let bounds = form.bounds();
    let cost = if area.factor == 1.0 { String::new() } else { format!(" x{}", area.factor) };
    let (colour, spread) = match (area.kind, area.available) {
        (AreaKind::Ground, true) => (theme::AREA_NAME, LabelSpread::Within(form.face())),
        (AreaKind::Obstacle, true) => {
            (theme::OBSTACLE_NAME, LabelSpread::Beside((bounds.max[1] - bounds.min[1]) / 2.0))
        }
        (_, false) => (theme::INK_SOFT, LabelSpread::Within(form.face())),
    };
    let text = format!("{}{cost}", area.name);
    Label {
        at: bounds.centre(),
        text,
        colour,
        size_px: theme::NAME_PX,
        spread,
        importance: 2,
        tag: Tag::Area(id),
    }
}

fn draw_door(picture: &mut Picture, nav: &NavMap, id: DoorId, door: &Door) -> Option<Shape> {
    let form = raised(picture, nav, door.area, outline(nav, picture.map_layer, door.area)?);
    let (colour, glyph, words) = match door.state {
        DoorState::Open => (theme::DOOR_OPEN, '\'', "open door"),
        DoorState::Opening | DoorState::Closing => (theme::DOOR_MOVING, '/', "moving door"),
        DoorState::Closed => (theme::DOOR_CLOSED, '+', "closed door"),
    };
    let look = door_look(colour, door.state).glyph(glyph);
    picture.explain(Swatch::Patch(look), words);
    let locked = if door.is_locked { ", locked" } else { "" };
    let bounds = form.bounds();
    picture.keep_clear.push(bounds);
    picture.labels.push(Label {
        at: bounds.centre(),
        text: format!("{}{}", door.name, if door.is_locked { " (locked)" } else { "" }),
        colour,
        size_px: theme::NAME_PX,
        spread: LabelSpread::Beside((bounds.max[1] - bounds.min[1]) / 2.0),
        importance: 3,
        tag: Tag::Door(id),
    });
    Some(Shape::new(form, look, Tag::Door(id)).hint(format!(
        "door \"{}\", {}{locked}",
        door.name,
        door.state.name()
    )))
}

fn door_look(colour: Colour, state: DoorState) -> Style {
    match state {
        DoorState::Open => Style::filled(colour.with_opacity(40)).stroked(colour, 1.5),
        DoorState::Opening | DoorState::Closing => {
            Style::filled(colour.with_opacity(120)).stroked(colour, 1.5)
        }
        DoorState::Closed => Style::filled(colour.with_opacity(220)).stroked(colour, 1.5),
    }
}
