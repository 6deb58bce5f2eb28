//! Draws points and links: from above, or from the side and above at once.
//!
//! In: a draft, its groups, a way. Out: layers `links`, `points`, `islands`, `way` of a picture, and their
//! part of the legend. Holds: points connected to the main group have the colour of their part, paler the
//! lower they lie, or of their height where there are no parts; islands in red with a numbered box around
//! each. Not here: the scene below (`draw_scenery`), the characters on it (`draw_world`). Source: the
//! pictures of seed 003: points in rows, islands in red boxes, spaces in colours, the tested path.

use glam::Vec3;

use super::draw_nav::{draw_areas, draw_doors, draw_links};
use super::draw_scenery::{Heights, draw_scenery};
use super::draw_world::draw_marks;
use super::picture::{Colour, Figure, Label, LabelSpread, Picture, Shape, Slant, Style, Swatch, Tag};
use super::theme;
use crate::base::geom::{Bounds, Point};
use crate::base::ordered;
use crate::base::suggestions;
use crate::nav::NavMap;
use crate::nav::graph::{EditableGraph, LinkedGroup, groups};
use crate::world::World;

/// What is shown of a graph.
#[derive(Clone, Copy, Debug)]
pub struct GraphScene<'a> {
    /// Points, links and parts.
    pub draft: &'a EditableGraph,
    /// Its groups, the main one first.
    pub groups: &'a [LinkedGroup],
    /// A way over it; empty for none.
    pub way: &'a [Vec3],
    /// The scene that it stands on; empty for none.
    pub triangles: &'a [[Vec3; 3]],
    /// The level whose doors, areas and marks are shown; none where it does not load.
    pub world: Option<&'a World>,
    /// Where it is looked at from.
    pub slant: Slant,
}

/// Colours of parts, again and again in this order.
const PART_COLOURS: [Colour; 8] = [
    Colour::hex(0x2F6FB5),
    Colour::hex(0x2E9E6B),
    Colour::hex(0xB07A1E),
    Colour::hex(0x7A5BB0),
    Colour::hex(0x1E8C9B),
    Colour::hex(0x8A6D3B),
    Colour::hex(0xB5478C),
    Colour::hex(0x55702C),
];

/// How strong the colour of a part is on the lowest floor.
const PALE: f32 = 0.45;

/// A picture of the size of a graph.
#[must_use]
pub fn graph_picture(title: String, scene: &GraphScene<'_>) -> Picture {
    let points = scene.draft.points().iter().chain(scene.way);
    let mut bounds = Bounds::EMPTY;
    points.for_each(|&point| bounds.include(scene.slant.place(point)));
    if bounds.is_empty() {
        bounds = Bounds { min: [0.0; 2], max: [1.0; 2] };
    }
    let mut picture = Picture::new(title, bounds.grown(0.5), 0.0);
    picture.slant = scene.slant;
    draw_scenery(&mut picture, scene.triangles, scene.draft.points());
    if let Some(world) = scene.world {
        draw_areas(&mut picture, world);
    }
    draw_graph(&mut picture, scene);
    if let Some(world) = scene.world {
        draw_links(&mut picture, world);
        draw_doors(&mut picture, world);
        draw_marks(&mut picture, world);
    }
    draw_way(&mut picture, scene);
    picture
}

/// Draws the points and links of a map that is made of them.
pub(super) fn draw_nav_graph(picture: &mut Picture, nav: &NavMap) {
    if let Some(graph) = nav.graph() {
        let (draft, groups) = (graph.draft(), groups(graph.draft()));
        let (slant, triangles) = (picture.slant, [].as_slice());
        draw_graph(picture, &GraphScene { draft, groups: &groups, way: &[], triangles, world: None, slant });
    }
}

/// Draws a graph.
pub fn draw_graph(picture: &mut Picture, scene: &GraphScene<'_>) {
    let (draft, slant) = (scene.draft, scene.slant);
    let owners = draft.owners();
    let mut is_island = vec![false; draft.points().len()];
    scene.groups.iter().skip(1).flat_map(|group| &group.points).for_each(|&at| is_island[at as usize] = true);
    let heights = Heights::of(draft.points());
    let colour = |at: u32| {
        let up = heights.part(draft.points()[at as usize].y);
        match (is_island[at as usize], owners[at as usize]) {
            (true, _) => theme::ISLAND,
            (false, Some(part)) if heights.has_floors() => {
                let colour = PART_COLOURS[usize::from(part) % PART_COLOURS.len()];
                colour.over(theme::PAPER, PALE + (1.0 - PALE) * up)
            }
            (false, Some(part)) => PART_COLOURS[usize::from(part) % PART_COLOURS.len()],
            (false, None) if heights.has_floors() => height_colour(up),
            (false, None) => theme::GRAPH,
        }
    };
    let place = |at: u32| slant.place(draft.points()[at as usize]);
    // From above the lower of two floors shows as a rim around the upper.
    let rim = |at: u32| match (slant, heights.has_floors()) {
        (Slant::Top, true) => 1.0 - heights.part(draft.points()[at as usize].y),
        _ => 0.0,
    };
    // When floors lie over one another the lower is drawn first.
    let middle = |[a, b]: [u32; 2]| draft.points()[a as usize].y + draft.points()[b as usize].y;
    let link = |[a, b]: [u32; 2]| {
        let look = Style::line(colour(a).with_opacity(130), 1.0 + 1.4 * rim(a));
        let y_m = f64::from(middle([a, b])) / 2.0;
        Shape::new(Figure::Line(vec![place(a), place(b)]), look, Tag::Cells("link")).at_height(y_m)
    };
    let mut links: Vec<[u32; 2]> = draft.links().collect();
    ordered::sort_by(&mut links, |&one, &other| middle(one).total_cmp(&middle(other)));
    picture.add("links", links.into_iter().map(link).collect());
    let point = |at: u32| {
        let look = Style::filled(colour(at)).glyph(if is_island[at as usize] { '!' } else { '.' });
        let radius_px = 1.6 + 1.6 * rim(at);
        Shape::new(Figure::Dot { centre: place(at), radius_px }, look, Tag::Cells("point"))
            .at_height(f64::from(draft.points()[at as usize].y))
            .hint(format!("{at}: {}", suggestions::decimals_of(&draft.points()[at as usize].to_array(), 2)))
    };
    let mut points: Vec<u32> = (0..draft.points().len() as u32).collect();
    ordered::sort_by(&mut points, |&one, &other| {
        draft.points()[one as usize].y.total_cmp(&draft.points()[other as usize].y)
    });
    picture.add("points", points.into_iter().map(point).collect());
    draw_islands(picture, scene);
    explain(picture, scene, heights);
}

/// Draws a box with its number around each group but the largest.
fn draw_islands(picture: &mut Picture, scene: &GraphScene<'_>) {
    let place = |at: u32| scene.slant.place(scene.draft.points()[at as usize]);
    let boxed = |group: &LinkedGroup| {
        // What is higher lies further up: every point counts, not only the corners of its box in space.
        let places: Vec<Point> = group.points.iter().map(|&at| place(at)).collect();
        let Bounds { min, max } = Bounds::of(&places).grown(0.15);
        let form = Figure::Polygon(vec![min, [max[0], min[1]], max, [min[0], max[1]]]);
        Shape::new(form, Style::default().stroked(theme::ISLAND, 1.6), Tag::Cells("island"))
    };
    let boxes: Vec<Shape> = scene.groups.iter().skip(1).map(boxed).collect();
    for (number, shape) in (1..).zip(&boxes) {
        let bounds = shape.form.bounds();
        picture.labels.push(Label {
            at: bounds.centre(),
            text: format!("{number}"),
            colour: theme::ISLAND,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Beside((bounds.max[1] - bounds.min[1]) / 2.0),
            importance: 4,
            tag: Tag::Cells("island"),
        });
    }
    picture.add("islands", boxes);
}

/// The colour of points at a height, 0 to 1.
fn height_colour(up: f32) -> Colour {
    let last = theme::HEIGHTS.len() - 1;
    let place = up * last as f32;
    let below = (place as usize).min(last - 1);
    theme::HEIGHTS[below + 1].over(theme::HEIGHTS[below], place - below as f32)
}

/// The legend of a graph.
fn explain(picture: &mut Picture, scene: &GraphScene<'_>, heights: Heights) {
    let draft = scene.draft;
    let has_plain = draft.owners().iter().any(Option::is_none);
    if has_plain && heights.has_floors() {
        let steps = theme::HEIGHTS.len() - 1;
        for step in 0..=steps {
            let up = step as f32 / steps as f32;
            let is_near = |(point, own): (&Vec3, Option<_>)| {
                own.is_none() && (heights.part(point.y) - up).abs() * steps as f32 <= 0.5
            };
            if !draft.points().iter().zip(draft.owners()).any(is_near) {
                continue;
            }
            let height_m = heights.low_m + up * (heights.high_m - heights.low_m);
            let text = format!("point at {} m", suggestions::decimals(height_m, 1));
            picture.explain(Swatch::Dot(Style::filled(height_colour(up))), &text);
        }
    } else if has_plain {
        picture.explain(Swatch::Dot(Style::filled(theme::GRAPH)), "point of the graph");
    }
    if scene.groups.len() > 1 {
        picture.explain(Swatch::Dot(Style::filled(theme::ISLAND)), "island, with its number");
    }
    for (part, colour) in draft.parts().iter().zip(PART_COLOURS.iter().cycle()).take(PART_COLOURS.len()) {
        picture.explain(Swatch::Dot(Style::filled(*colour)), &part.name);
    }
}

fn draw_way(picture: &mut Picture, scene: &GraphScene<'_>) {
    let corners: Vec<Point> = scene.way.iter().map(|&point| scene.slant.place(point)).collect();
    let Some((&last, rest)) = corners.split_last() else { return };
    let mut shapes = Vec::new();
    if !rest.is_empty() {
        let look = Style::line(theme::PATH, 3.0).glyph('*');
        shapes.push(Shape::new(Figure::Line(corners.clone()), look, Tag::Search("smooth")));
    }
    let dot = |centre: Point, colour, radius_px| {
        Shape::new(Figure::Dot { centre, radius_px }, Style::filled(colour), Tag::Search("smooth"))
    };
    shapes.extend(rest.iter().map(|&corner| dot(corner, theme::PATH_CORNER, 3.0)));
    shapes.push(dot(last, theme::PATH_END, 5.0));
    picture.add("way", shapes);
    picture.explain(Swatch::Line(Style::line(theme::PATH, 3.0)), "path");
    picture.explain(Swatch::Dot(Style::filled(theme::PATH_CORNER)), "corner");
    picture.explain(Swatch::Dot(Style::filled(theme::PATH_END)), "goal");
}
