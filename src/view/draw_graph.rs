//! Points and links: from above, or from the side and above at once.
//!
//! In: a draft, its groups, a way. Out: layers `links`, `points`, `islands`, `way` of a picture, and their part of the legend. Holds:
//! what hangs together with the main group is drawn in the colour of its part, islands in red with a box around each. Not here:
//! who walks on it (`draw_world`).
//! Source: the pictures of seed 003: points in rows, islands in red boxes, spaces in colours, the tested path.

use glam::Vec3;

use super::picture::{Colour, Form, Look, Picture, Shape, Slant, Swatch, Tag};
use super::theme;
use crate::base::geom::{Bounds, Point};
use crate::base::words;
use crate::nav::NavMap;
use crate::nav::graph::{Draft, Group, groups};

/// What is shown of a graph.
#[derive(Clone, Copy, Debug)]
pub struct GraphScene<'a> {
    /// Points, links and parts.
    pub draft: &'a Draft,
    /// Its groups, the main one first.
    pub groups: &'a [Group],
    /// A way over it; empty for none.
    pub way: &'a [Vec3],
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
    draw_graph(&mut picture, scene);
    picture
}

/// Draws the points and links of a map that is made of them.
pub(super) fn draw_nav_graph(picture: &mut Picture, nav: &NavMap) {
    if let Some(graph) = nav.graph() {
        let (draft, groups) = (graph.draft(), groups(graph.draft()));
        draw_graph(picture, &GraphScene { draft, groups: &groups, way: &[], slant: picture.slant });
    }
}

/// Draws a graph.
pub fn draw_graph(picture: &mut Picture, scene: &GraphScene<'_>) {
    let (draft, slant) = (scene.draft, scene.slant);
    let owners = draft.owners();
    let mut is_island = vec![false; draft.points().len()];
    scene.groups.iter().skip(1).flat_map(|group| &group.points).for_each(|&at| is_island[at as usize] = true);
    let colour = |at: u32| match (is_island[at as usize], owners[at as usize]) {
        (true, _) => theme::ISLAND,
        (false, Some(part)) => PART_COLOURS[usize::from(part) % PART_COLOURS.len()],
        (false, None) => theme::GRAPH,
    };
    let place = |at: u32| slant.place(draft.points()[at as usize]);
    let link = |[a, b]: [u32; 2]| {
        let look = Look::line(colour(a).with_opacity(130), 1.0);
        Shape::new(Form::Line(vec![place(a), place(b)]), look, Tag::Cells("link"))
    };
    picture.add("links", draft.links().map(link).collect());
    let point = |at: u32| {
        let look = Look::filled(colour(at)).glyph(if is_island[at as usize] { '!' } else { '.' });
        Shape::new(Form::Dot { centre: place(at), radius_px: 1.6 }, look, Tag::Cells("point"))
            .hint(format!("{at}: {}", words::decimals_of(&draft.points()[at as usize].to_array(), 2)))
    };
    picture.add("points", (0..draft.points().len() as u32).map(point).collect());
    let boxed = |group: &Group| {
        // What is higher lies further up: every point counts, not only the corners of its box in space.
        let places: Vec<Point> = group.points.iter().map(|&at| place(at)).collect();
        let Bounds { min, max } = Bounds::of(&places).grown(0.15);
        let form = Form::Polygon(vec![min, [max[0], min[1]], max, [min[0], max[1]]]);
        Shape::new(form, Look::default().stroked(theme::ISLAND, 1.6), Tag::Cells("island"))
    };
    picture.add("islands", scene.groups.iter().skip(1).map(boxed).collect());
    draw_way(picture, scene);
    picture.explain(Swatch::Dot(Look::filled(theme::GRAPH)), "point of the graph");
    if scene.groups.len() > 1 {
        picture.explain(Swatch::Dot(Look::filled(theme::ISLAND)), "island");
    }
    for (part, colour) in draft.parts().iter().zip(PART_COLOURS.iter().cycle()).take(PART_COLOURS.len()) {
        picture.explain(Swatch::Dot(Look::filled(*colour)), &part.name);
    }
}

fn draw_way(picture: &mut Picture, scene: &GraphScene<'_>) {
    let corners: Vec<Point> = scene.way.iter().map(|&point| scene.slant.place(point)).collect();
    let Some((&last, rest)) = corners.split_last() else { return };
    let mut shapes = Vec::new();
    if !rest.is_empty() {
        let look = Look::line(theme::PATH, 3.0).glyph('*');
        shapes.push(Shape::new(Form::Line(corners.clone()), look, Tag::Search("smooth")));
    }
    let dot = |centre: Point, colour, radius_px| {
        Shape::new(Form::Dot { centre, radius_px }, Look::filled(colour), Tag::Search("smooth"))
    };
    shapes.extend(rest.iter().map(|&corner| dot(corner, theme::PATH_CORNER, 3.0)));
    shapes.push(dot(last, theme::PATH_END, 5.0));
    picture.add("way", shapes);
    picture.explain(Swatch::Line(Look::line(theme::PATH, 3.0)), "way");
}
