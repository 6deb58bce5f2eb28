//! Draws a search: the nodes it looked at, and the way it found.
//!
//! In: a map, the record of the search, its answer. Out: layers `cells` and `path`, their part of the legend.
//! Holds: a cell is shown by the first of these that is true: on the path, searched, frontier, blocked,
//! occupied, free. Not here: searching. Source: seed 001: blocked red, searched (closed list) yellow,
//! frontier (open list) white, path green, and an orange line for the full path.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::draw_nav::{self, by_kind, draw_areas, draw_doors, draw_portals, layer_of, patch_form};
use super::layers::{Parts, PicturePart};
use super::picture::{Figure, Label, LabelSpread, Picture, Shape, Slant, Style, Swatch, Tag};
use super::theme;
use crate::base::geom::Point;
use crate::base::ordered::{self, CollectOrdered};
use crate::base::suggestions;
use crate::nav::{Disc, NavMap, NodeId, Path, PathAnswer, SearchRecord, Traversal};
use crate::world::World;

/// A search and where it happened.
#[derive(Clone, Copy, Debug)]
pub struct SearchScene<'a> {
    /// The level it happened in.
    pub world: &'a World,
    /// Where the path was to begin, metres.
    pub from: Vec3,
    /// Where it was to end, metres.
    pub to: Vec3,
    /// The walker.
    pub by: &'a Traversal,
    /// What was looked at.
    pub record: &'a SearchRecord,
    /// What was found.
    pub answer: &'a PathAnswer,
    /// The people that it was to go around.
    pub others: &'a [Disc],
    /// What is shown of the map and of what was found.
    pub parts: Parts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellState {
    Free,
    Frontier,
    Searched,
    Path,
    Occupied,
    Blocked,
}

impl CellState {
    const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Free, "free", "free"),
        (Self::Frontier, "frontier", "frontier"),
        (Self::Searched, "searched", "searched"),
        (Self::Path, "path", "cells of the path"),
        (Self::Occupied, "occupied", "somebody stands there"),
        (Self::Blocked, "blocked", "blocked"),
    ];

    fn look(self) -> Style {
        match self {
            Self::Free => Style::filled(theme::SEARCH_FREE).glyph('.'),
            Self::Frontier => Style::filled(theme::SEARCH_FRONTIER).glyph('?'),
            Self::Searched => Style::filled(theme::SEARCH_DONE).glyph('o'),
            Self::Path => Style::filled(theme::SEARCH_PATH).glyph('*'),
            Self::Occupied => Style::filled(theme::SEARCH_OCCUPIED).glyph('%'),
            Self::Blocked => Style::filled(theme::SEARCH_BLOCKED).glyph('#'),
        }
    }
}

/// Draws a search over the map. Cost: one look at every cell.
pub fn draw_search(picture: &mut Picture, scene: &SearchScene<'_>) {
    let nav = scene.world.nav();
    let has = |part: PicturePart| scene.parts.has(part);
    if has(PicturePart::Cells) {
        draw_map(picture, scene, nav);
    }
    if has(PicturePart::Areas) {
        draw_areas(picture, scene.world);
    }
    if has(PicturePart::Links) {
        draw_nav::draw_links(picture, scene.world);
    }
    if has(PicturePart::Doors) {
        draw_doors(picture, scene.world);
    }
    if has(PicturePart::Obstacles) {
        draw_others(picture, scene);
    }
    draw_lines(picture, scene);
    if !has(PicturePart::Names) {
        picture.labels.clear();
    }
}

/// The map as the search saw it.
fn draw_map(picture: &mut Picture, scene: &SearchScene<'_>, nav: &NavMap) {
    // When tiles cost what their terrain costs, the terrain is worth more than the searched cells.
    match scene.world.tiles() {
        Some(_) => {
            draw_nav::draw_cells(picture, nav);
            draw_veil(picture, scene, nav);
        }
        None => draw_cells(picture, scene, nav),
    }
    draw_polygons(picture, scene, nav);
    draw_points(picture, scene, nav);
}

/// Circles that the plan kept out of, as large as it took them.
fn draw_others(picture: &mut Picture, scene: &SearchScene<'_>) {
    let (look, slant) = (Style::line(theme::OBSTACLE_LINE, 1.5), picture.slant);
    let shape = |disc: &Disc| {
        let form = Figure::Circle { centre: slant.place(disc.centre), radius_m: f64::from(disc.radius_m) };
        Shape::new(form, look, Tag::Search("other"))
    };
    if !scene.others.is_empty() {
        picture.explain(Swatch::Dot(look), "planned around");
    }
    picture.add("others", scene.others.iter().map(shape).collect());
}

/// What the search did at the cells of a map.
struct SearchedCells {
    path: BTreeSet<u32>,
    searched: BTreeSet<u32>,
    frontier: BTreeSet<u32>,
}

impl SearchedCells {
    fn of(record: &SearchRecord) -> Self {
        let set = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect_set();
        Self { path: set(&record.raw), searched: set(&record.expanded), frontier: set(&record.frontier) }
    }

    fn has_searched(&self, node: u32) -> Option<CellState> {
        if self.searched.contains(&node) {
            return Some(CellState::Searched);
        }
        self.frontier.contains(&node).then_some(CellState::Frontier)
    }
}

fn draw_cells(picture: &mut Picture, scene: &SearchScene<'_>, nav: &NavMap) {
    let Some(cells) = layer_of(nav, picture.map_layer) else { return };
    let seen = SearchedCells::of(scene.record);
    let width = cells.frame().width;
    let forms = by_kind(cells, |x, z| {
        let node = z * width + x;
        let of_search =
            if seen.path.contains(&node) { Some(CellState::Path) } else { seen.has_searched(node) };
        of_search.unwrap_or_else(|| match () {
            () if !cells.walkable(x, z) => CellState::Blocked,
            () if cells.is_occupied(x, z, scene.others) => CellState::Occupied,
            () => CellState::Free,
        })
    });
    add_forms(picture, "cells", forms, CellState::look);
}

/// What was searched on tiles, as a veil over their terrain.
fn draw_veil(picture: &mut Picture, scene: &SearchScene<'_>, nav: &NavMap) {
    let Some(cells) = layer_of(nav, picture.map_layer).filter(|_| picture.map_layer == scene.by.layer) else {
        return;
    };
    let seen = SearchedCells::of(scene.record);
    let width = cells.frame().width;
    let mut forms = by_kind(cells, |x, z| seen.has_searched(z * width + x).unwrap_or(CellState::Free));
    forms.remove(&CellState::Free);
    add_forms(picture, "searched", forms, |kind| {
        let colour = if kind == CellState::Searched { theme::SEARCH_DONE } else { theme::SEARCH_FRONTIER };
        Style::filled(colour.with_opacity(VEIL_OPACITY))
    });
}

/// Adds the cells of each kind to the group `name`, and their part of the legend.
fn add_forms(
    picture: &mut Picture,
    name: &'static str,
    mut forms: BTreeMap<CellState, Figure>,
    look: impl Fn(CellState) -> Style,
) {
    let mut shapes = Vec::new();
    for (kind, cells, words) in CellState::ALL {
        let Some(form) = forms.remove(&kind) else { continue };
        picture.explain(Swatch::Patch(look(kind)), words);
        shapes.push(Shape::new(form, look(kind), Tag::Cells(cells)));
    }
    picture.add(name, shapes);
}

/// How much of the terrain a veil hides, of 255.
const VEIL_OPACITY: u8 = 120;

/// The points of a graph as the search saw them, over its links.
fn draw_points(picture: &mut Picture, scene: &SearchScene<'_>, nav: &NavMap) {
    let Some(graph) = nav.graph() else { return };
    let mut kinds = vec![CellState::Free; graph.draft().points().len()];
    let seen = [
        (&scene.record.frontier, CellState::Frontier),
        (&scene.record.expanded, CellState::Searched),
        (&scene.record.raw, CellState::Path),
    ];
    for (nodes, kind) in seen {
        for node in nodes {
            if let Some(known) = kinds.get_mut(node.index()) {
                *known = kind;
            }
        }
    }
    let slant = picture.slant;
    let place = |at: u32| slant.place(graph.draft().points()[at as usize]);
    let link = |[a, b]: [u32; 2]| {
        let look = Style::line(theme::GRAPH.with_opacity(90), 1.0);
        Shape::new(Figure::Line(vec![place(a), place(b)]), look, Tag::Cells("link"))
    };
    picture.add("links", graph.draft().links().map(link).collect());
    let mut shapes = Vec::new();
    for (kind, name, words) in CellState::ALL {
        let look = if kind == CellState::Free { Style::filled(theme::GRAPH).glyph('.') } else { kind.look() };
        let radius_px = if kind == CellState::Free { 1.6 } else { 3.0 };
        let of_kind = (0..).zip(&kinds).filter(|(_, own)| **own == kind);
        let dots = of_kind.map(|(at, _)| Figure::Dot { centre: place(at), radius_px });
        let before = shapes.len();
        shapes.extend(dots.map(|dot| Shape::new(dot, look, Tag::Cells(name))));
        if shapes.len() > before {
            picture.explain(Swatch::Dot(look), words);
        }
    }
    picture.add("points", shapes);
}

/// The polygons of a mesh as the search saw them, the edges between them dashed.
fn draw_polygons(picture: &mut Picture, scene: &SearchScene<'_>, nav: &NavMap) {
    let Some(mesh) = nav.mesh() else { return };
    picture.explain(Swatch::Patch(Style::filled(theme::NO_GROUND)), "no ground");
    let has = |nodes: &[NodeId], at: u32| nodes.contains(&NodeId(at));
    let mut shapes: Vec<(f64, Shape)> = Vec::new();
    for (at, patch) in (0..).zip(mesh.patches(scene.by)) {
        let kind = match () {
            () if has(&scene.record.expanded, at) => CellState::Searched,
            () if has(&scene.record.frontier, at) => CellState::Frontier,
            () => CellState::Free,
        };
        let known = CellState::ALL.iter().find(|known| known.0 == kind);
        let (name, words) = known.map_or(("free", "free"), |known| (known.1, known.2));
        picture.explain(Swatch::Patch(kind.look()), words);
        let shape = Shape::new(patch_form(picture.slant, &patch), kind.look(), Tag::Cells(name));
        shapes.push((patch.y_m, shape));
    }
    ordered::sort_by(&mut shapes, |one, other| one.0.total_cmp(&other.0));
    picture.add("cells", shapes.into_iter().map(|(_, shape)| shape).collect());
    draw_portals(picture, nav);
}

/// The parts of a path, each with the layer that it leads over. A link that leads aside belongs to the part
/// before it.
fn legs(path: &Path, first: u8, slant: Slant) -> Vec<(u8, Vec<Point>)> {
    let (mut legs, mut leg) = (Vec::new(), (first, Vec::new()));
    let mut links = path.layers.iter().peekable();
    for &point in &path.points {
        leg.1.push(slant.place(point));
        let Some(link) = links.next_if(|link| link.from == point) else { continue };
        let next = (link.layer, if link.to == point { vec![slant.place(point)] } else { Vec::new() });
        if link.to != point {
            leg.1.push(slant.place(link.to));
        }
        legs.push(std::mem::replace(&mut leg, next));
    }
    legs.push(leg);
    legs.retain(|(_, points)| points.len() > 1);
    legs
}

/// The parts of the path that lead over other layers than the one that is shown.
fn draw_elsewhere(picture: &mut Picture, scene: &SearchScene<'_>, shapes: &mut Vec<Shape>) {
    let look = Style::line(theme::PATH_FAINT, 1.5).dashed();
    for (layer, leg) in legs(&scene.answer.path, scene.by.layer, picture.slant) {
        if layer != picture.map_layer {
            picture.explain(Swatch::Line(look), "path on another layer");
            shapes.push(Shape::new(Figure::Line(leg), look, Tag::Search("elsewhere")));
        }
    }
}

fn draw_lines(picture: &mut Picture, scene: &SearchScene<'_>) {
    let mut shapes = Vec::new();
    if scene.parts.has(PicturePart::Paths) {
        draw_found(picture, scene, &mut shapes);
    }
    ends(picture, scene, &mut shapes);
    picture.add("path", shapes);
}

/// The path, and the line through its cells.
fn draw_found(picture: &mut Picture, scene: &SearchScene<'_>, shapes: &mut Vec<Shape>) {
    draw_elsewhere(picture, scene, shapes);
    let raw: Vec<Point> =
        scene.record.raw.iter().filter_map(|&node| centre(scene.world.nav(), node)).collect();
    let is_on_tiles = scene.world.tiles().is_some();
    // In text the cells of the path stand for it, and the points of a graph; tiles and polygons do not.
    let glyph = (is_on_tiles || scene.world.nav().mesh().is_some()).then_some('*');
    if raw.len() > 1 && !is_on_tiles {
        let look = Style::line(theme::SEARCH_RAW, 1.5).dashed();
        picture.explain(Swatch::Line(look), "unsmoothed path");
        shapes.push(Shape::new(Figure::Line(raw), look, Tag::Search("raw")).hint("path through the cells"));
    }
    let mut own = legs(&scene.answer.path, scene.by.layer, picture.slant);
    own.retain(|(layer, _)| *layer == picture.map_layer);
    for (_, smooth) in own {
        // On tiles in the colours of seed 004: the line green, its corners yellow, the last point red.
        let line = if is_on_tiles { theme::PATH } else { theme::SEARCH_SMOOTH };
        let look = Style { glyph, ..Style::line(line, 3.0) };
        picture.explain(Swatch::Line(look), "path");
        let hint = format!("path, {:.2} m", scene.answer.path.length_m);
        let mut corners = Vec::new();
        for &corner in &smooth[1..smooth.len() - 1] {
            let look = Style::filled(theme::PATH_CORNER).stroked(theme::INK, 0.75);
            picture.explain(Swatch::Dot(look), "corner");
            corners.push(Shape::new(dot(corner, 3.0), look, Tag::Search("corner")));
        }
        corners.insert(0, Shape::new(Figure::Line(smooth), look, Tag::Search("smooth")).hint(hint));
        shapes.append(&mut corners);
    }
}

fn ends(picture: &mut Picture, scene: &SearchScene<'_>, shapes: &mut Vec<Shape>) {
    let [from, to] = [scene.from, scene.to].map(|end| picture.slant.place(end));
    let start = Style::filled(theme::SEARCH_START).stroked(theme::SEARCH_FRONTIER, 1.5).glyph('S');
    let goal = Style::filled(theme::PATH_END).stroked(theme::SEARCH_FRONTIER, 1.5).glyph('G');
    picture.explain(Swatch::Dot(start), "start");
    picture.explain(Swatch::Dot(goal), "goal");
    shapes.push(Shape::new(dot(from, 6.0), start, Tag::Search("start")));
    shapes.push(Shape::new(dot(to, 6.0), goal, Tag::Search("goal")));
    if let Some(nearest) = scene.answer.nearest {
        let look = Style::line(theme::PATH_END, 2.0).glyph('N');
        picture.explain(Swatch::Dot(look), "nearest reachable point");
        shapes.push(Shape::new(dot(picture.slant.place(nearest), 6.0), look, Tag::Search("nearest")));
    }
    for (at, end, text, what) in [(from, scene.from, "from", "start"), (to, scene.to, "to", "goal")] {
        picture.labels.push(Label {
            at,
            text: format!("{text} {}", suggestions::decimals_of(&[end.x, end.z], 1)),
            colour: theme::INK,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Beside(6.0 / 24.0),
            importance: 9,
            tag: Tag::Search(what),
        });
    }
}

fn dot(centre: Point, radius_px: f32) -> Figure {
    Figure::Dot { centre, radius_px }
}

fn centre(nav: &NavMap, node: NodeId) -> Option<Point> {
    let frame = nav.cells()?.frame();
    Some(frame.centre(node.0 % frame.width.max(1), node.0 / frame.width.max(1)))
}
