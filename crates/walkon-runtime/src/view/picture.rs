//! A picture: shapes with their places in the world and their looks, before any scale is chosen.
//!
//! In: shapes from the drawing functions. Out: layers for [`super::screen`] and [`super::ascii`]. Holds:
//! every coordinate is in world metres, every shape carries a [`Tag`] with the id of what it shows, later
//! layers lie on top. Not here: pixels, files. Source: shapes tagged with ids after landmass's debug drawing.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::{Bounds, Isometric, Point, floor, ground};
use crate::base::ids::{AreaId, CharacterId, DoorId, RegionId, WalkId};
use crate::base::ordered;
use crate::nav::cells::MapFrame;
use crate::nav::{Layout, NavMap};

/// A colour: red, green, blue and opacity, 0 to 255 each, not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Colour(pub u8, pub u8, pub u8, pub u8);

impl Colour {
    /// An opaque colour from its six hexadecimal digits, as in `0xE8751A`.
    #[must_use]
    pub const fn hex(rgb: u32) -> Self {
        Self((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255)
    }

    /// The same colour with another opacity, 0 to 255.
    #[must_use]
    pub const fn with_opacity(self, opacity: u8) -> Self {
        Self(self.0, self.1, self.2, opacity)
    }

    /// What this colour looks like when `opacity` (0 to 1) of it lies over `ground`: opaque.
    #[must_use]
    pub fn over(self, ground: Self, opacity: f32) -> Self {
        let mix = |above: u8, below: u8| {
            (f32::from(above) * opacity + f32::from(below) * (1.0 - opacity)).round().clamp(0.0, 255.0) as u8
        };
        Self(mix(self.0, ground.0), mix(self.1, ground.1), mix(self.2, ground.2), 255)
    }
}

/// What a shape shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Tag {
    /// Cells of one kind: `free`, `blocked`, `searched` and so on.
    Cells(&'static str),
    /// An area or obstacle.
    Area(AreaId),
    /// A door.
    Door(DoorId),
    /// A link between layers, by its place in the list of the map.
    Link(usize),
    /// A region.
    Region(RegionId),
    /// A watch, by its number.
    Watch(u64),
    /// A watch of the senses, by its number.
    Sense(u64),
    /// A mark, by name.
    Mark(String),
    /// A route, by name.
    Route(String),
    /// A character.
    Character(CharacterId),
    /// The way that is left of a walk.
    Walk(WalkId),
    /// The request under way of a walk.
    Request(WalkId),
    /// A character as plans keep out of it.
    Obstacle(CharacterId),
    /// Where a character wants to go.
    Desired(CharacterId),
    /// Where it really goes.
    Velocity(CharacterId),
    /// Where it steps aside to.
    Nudge(CharacterId),
    /// That it has just planned again.
    Replan(CharacterId),
    /// A part of a search: `raw`, `smooth`, `start`, `goal`.
    Search(&'static str),
    /// Title, legend, axes, scale bar.
    Furniture,
}

impl Tag {
    /// The kind of thing, as one word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cells(_) => "cells",
            Self::Area(_) => "area",
            Self::Door(_) => "door",
            Self::Link(_) => "link",
            Self::Region(_) => "region",
            Self::Watch(_) => "watch",
            Self::Sense(_) => "sense",
            Self::Mark(_) => "mark",
            Self::Route(_) => "route",
            Self::Character(_) => "character",
            Self::Walk(_) => "walk",
            Self::Request(_) => "request",
            Self::Obstacle(_) => "obstacle",
            Self::Desired(_) => "desired",
            Self::Velocity(_) => "velocity",
            Self::Nudge(_) => "nudge",
            Self::Replan(_) => "replan",
            Self::Search(_) => "search",
            Self::Furniture => "furniture",
        }
    }

    /// Whether what it shows goes about.
    #[must_use]
    pub fn moves(&self) -> bool {
        matches!(self, Self::Character(_))
    }

    /// Which one of its kind: a number, a name, or nothing.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Cells(kind) | Self::Search(kind) => (*kind).to_owned(),
            Self::Area(id) => id.0.to_string(),
            Self::Door(id) => id.0.to_string(),
            Self::Link(index) => index.to_string(),
            Self::Watch(serial) | Self::Sense(serial) => serial.to_string(),
            Self::Region(id) => id.0.to_string(),
            Self::Mark(name) | Self::Route(name) => name.clone(),
            Self::Character(id)
            | Self::Obstacle(id)
            | Self::Desired(id)
            | Self::Velocity(id)
            | Self::Nudge(id)
            | Self::Replan(id) => generation(&format!("{id:?}")),
            Self::Walk(id) | Self::Request(id) => generation(&format!("{id:?}")),
            Self::Furniture => String::new(),
        }
    }
}

/// `CharacterId(3v1)` to `3v1`.
fn generation(shown: &str) -> String {
    shown.split(['(', ')']).nth(1).unwrap_or_default().to_owned()
}

/// How the ground is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroundProjection {
    /// From above.
    #[default]
    Flat,
    /// A square as a diamond twice as wide as high: x to the lower right, z to the lower left. Lengths across
    /// the picture are to scale.
    Isometric,
}

impl GroundProjection {
    /// Where a point of the ground is shown, `from` being where (0, 0) is: metres to the right and down.
    #[must_use]
    pub fn shown(self, point: Point, from: Point) -> Point {
        let at = [point[0] - from[0], point[1] - from[1]];
        match self {
            Self::Flat => at,
            Self::Isometric => {
                // A metre square is as wide as its diagonal.
                let width = std::f64::consts::SQRT_2;
                Isometric { tile_width: width, tile_height: width / 2.0 }.to_screen(at)
            }
        }
    }
}

/// From where things with heights are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slant {
    /// From above.
    #[default]
    Top,
    /// From the south and above: what is higher lies further up in the picture.
    Oblique,
    /// The same with floors lifted apart: so many hundredths of a metre up in the picture for each metre.
    Lifted(u16),
}

/// Heights nearer to one another than this are one floor, metres.
const FLOOR_M: f64 = 1.2;
/// The side of the squares in which floors above one another are looked for, metres.
const SQUARE_M: f64 = 1.0;
/// What is left free between two floors that are lifted apart, metres of the picture.
const BETWEEN_M: f64 = 0.5;

impl Slant {
    /// How far up in the picture a metre of height goes.
    const RISE: f64 = 0.8;

    /// The most that lifted floors rise for a metre of height.
    const RISE_MAX: f64 = 6.0;

    /// From the side, with floors lifted so far apart that those above one another do not overlap; as it is
    /// where none lies above another. Ground beside floors counts for nothing.
    #[must_use]
    pub fn lifted(places: impl IntoIterator<Item = Vec3>) -> Self {
        let mut squares: BTreeMap<[i64; 2], Vec<f64>> = BTreeMap::new();
        for place in places {
            let square = ground(place).map(|at| floor(at / SQUARE_M));
            squares.entry(square).or_default().push(f64::from(place.y));
        }
        // A floor reaches beyond what lies above another, but a whole town is not lifted for one bridge.
        let all = squares.keys().map(|[_, row]| *row);
        let all_rows = all.clone().max().unwrap_or(0) - all.min().unwrap_or(0) + 1;
        let (mut apart_m, mut rows) = (Vec::new(), None::<(i64, i64)>);
        for ([_, row], heights_m) in &mut squares {
            ordered::sort_by(heights_m, f64::total_cmp);
            let gaps = heights_m.windows(2).map(|two| two[1] - two[0]).filter(|gap_m| *gap_m > FLOOR_M);
            if let Some(gap_m) = gaps.min_by(f64::total_cmp) {
                apart_m.push(gap_m);
                let (first, last) = rows.unwrap_or((*row, *row));
                rows = Some((first.min(*row), last.max(*row)));
            }
        }
        // Not the least: under a floor stairs come near to it.
        ordered::sort_by(&mut apart_m, f64::total_cmp);
        let (Some((first, last)), Some(middle_m)) = (rows, apart_m.get(apart_m.len() / 2)) else {
            return Self::Oblique;
        };
        let rows = all_rows.min(2 * (last - first + 1));
        let deep_m = rows as f64 * SQUARE_M + BETWEEN_M;
        let rise = (deep_m / middle_m).clamp(Self::RISE, Self::RISE_MAX);
        // Within the range of the number by the most.
        Self::Lifted((rise * 100.0).round() as u16)
    }

    /// Where a place lies in the picture.
    #[must_use]
    pub fn place(self, place: Vec3) -> Point {
        self.at(ground(place), f64::from(place.y))
    }

    /// Where a point of the ground at some height lies in the picture.
    #[must_use]
    pub fn at(self, [x, z]: Point, y_m: f64) -> Point {
        match self {
            Self::Top => [x, z],
            Self::Oblique => [x, z - y_m * Self::RISE],
            Self::Lifted(hundredths) => [x, z - y_m * f64::from(hundredths) / 100.0],
        }
    }

    /// Where the corners of an outline lie in the picture, each at its own height.
    #[must_use]
    pub fn corners(self, outline: &[Point], heights_m: &[f64]) -> Vec<Point> {
        outline.iter().zip(heights_m).map(|(&at, &y_m)| self.at(at, y_m)).collect()
    }
}

/// Where a shape lies, world metres on the ground plane.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Rectangles that do not overlap, all alike: cells merged into blocks.
    Blocks(Vec<Bounds>),
    /// Polygons that do not overlap, all alike: cells that are no squares.
    Facets(Vec<Vec<Point>>),
    /// A closed polygon, its first corner not repeated; even-odd where it crosses itself.
    Polygon(Vec<Point>),
    /// A line through two or more points.
    Line(Vec<Point>),
    /// A circle of a size in the world.
    Circle {
        /// The middle.
        centre: Point,
        /// Metres.
        radius_m: f64,
    },
    /// A circle of the same size at every scale.
    Dot {
        /// The middle.
        centre: Point,
        /// Pixels.
        radius_px: f32,
    },
}

impl Figure {
    /// The rectangle around it; of a dot, its middle.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        match self {
            Self::Polygon(points) | Self::Line(points) => Bounds::of(points),
            Self::Blocks(blocks) => blocks.iter().fold(Bounds::EMPTY, |all, block| all.union(*block)),
            Self::Facets(facets) => {
                facets.iter().fold(Bounds::EMPTY, |all, facet| all.union(Bounds::of(facet)))
            }
            Self::Circle { centre, radius_m } => Bounds::of(&[*centre]).grown(*radius_m),
            Self::Dot { centre, .. } => Bounds::of(&[*centre]),
        }
    }

    /// The same at some height, as it is seen from there; cells lie where they lie.
    #[must_use]
    pub fn raised(self, slant: Slant, y_m: f64) -> Self {
        let all = |points: Vec<Point>| points.into_iter().map(|point| slant.at(point, y_m)).collect();
        match self {
            Self::Polygon(points) => Self::Polygon(all(points)),
            Self::Line(points) => Self::Line(all(points)),
            Self::Circle { centre, radius_m } => Self::Circle { centre: slant.at(centre, y_m), radius_m },
            Self::Dot { centre, radius_px } => Self::Dot { centre: slant.at(centre, y_m), radius_px },
            cells @ (Self::Blocks(_) | Self::Facets(_)) => cells,
        }
    }

    /// Corners of the form that its name may be written on: the polygon, the largest block, the square in a
    /// circle.
    #[must_use]
    pub fn face(&self) -> Vec<Point> {
        let area = |block: &Bounds| (block.max[0] - block.min[0]) * (block.max[1] - block.min[1]);
        let bounds = match self {
            Self::Polygon(points) => return points.clone(),
            Self::Facets(facets) => return facets.first().cloned().unwrap_or_default(),
            Self::Blocks(blocks) => {
                let largest = blocks.iter().max_by(|a, b| area(a).total_cmp(&area(b)));
                largest.copied().unwrap_or(Bounds::EMPTY)
            }
            Self::Circle { centre, radius_m } => Bounds::of(&[*centre]).grown(radius_m * 0.7),
            other => other.bounds(),
        };
        let Bounds { min, max } = bounds;
        vec![min, [max[0], min[1]], max, [min[0], max[1]]]
    }
}

/// A line around or along a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width, pixels, the same at every scale.
    pub width_px: f32,
    /// Whether it is broken into dashes.
    pub is_dashed: bool,
}

/// How a shape looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// Colour of the inside.
    pub fill: Option<Colour>,
    /// Colour of thin slanted lines over the inside.
    pub hatch: Option<Colour>,
    /// The line around it.
    pub stroke: Option<Stroke>,
    /// The character that stands for it in text; shapes without one are left out there.
    pub glyph: Option<char>,
}

impl Style {
    /// Filled, without a line.
    #[must_use]
    pub fn filled(colour: Colour) -> Self {
        Self { fill: Some(colour), ..Self::default() }
    }

    /// A line, without a filling.
    #[must_use]
    pub fn line(colour: Colour, width_px: f32) -> Self {
        Self { stroke: Some(Stroke { colour, width_px, is_dashed: false }), ..Self::default() }
    }

    /// The same with a line around it.
    #[must_use]
    pub fn stroked(mut self, colour: Colour, width_px: f32) -> Self {
        self.stroke = Some(Stroke { colour, width_px, is_dashed: false });
        self
    }

    /// The same with its line in dashes.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        if let Some(stroke) = &mut self.stroke {
            stroke.is_dashed = true;
        }
        self
    }

    /// The same with slanted lines over it.
    #[must_use]
    pub fn hatched(mut self, colour: Colour) -> Self {
        self.hatch = Some(colour);
        self
    }

    /// The same, shown as `glyph` in text.
    #[must_use]
    pub fn glyph(mut self, glyph: char) -> Self {
        self.glyph = Some(glyph);
        self
    }
}

/// Something in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Where it lies.
    pub form: Figure,
    /// How it looks.
    pub look: Style,
    /// What it shows.
    pub tag: Tag,
    /// What a pointer that rests on it should read; empty for nothing.
    pub hint: String,
    /// How high it lies, metres, on maps where that differs; none for things at every height.
    pub y_m: Option<f64>,
}

impl Shape {
    /// A shape without a hint, at no height of its own.
    #[must_use]
    pub fn new(form: Figure, look: Style, tag: Tag) -> Self {
        Self { form, look, tag, hint: String::new(), y_m: None }
    }

    /// The same at a height, metres.
    #[must_use]
    pub fn at_height(mut self, y_m: f64) -> Self {
        self.y_m = Some(y_m);
        self
    }

    /// The same with words for a pointer that rests on it.
    #[must_use]
    pub fn hint(mut self, words: impl Into<String>) -> Self {
        self.hint = words.into();
        self
    }
}

/// Shapes of one kind, drawn in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What it holds, as one word.
    pub name: &'static str,
    /// The shapes, bottom first.
    pub shapes: Vec<Shape>,
}

/// Where a label may lie around its point.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelSpread {
    /// Wholly inside this polygon, as near to its middle as there is room; left out where there is none.
    Within(Vec<Point>),
    /// Beside something of this radius, metres: below, above, right or left, where there is room.
    Beside(f64),
}

/// Words in a picture. Where two would overlap, the more important one stays, then the earlier.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What it names lies here.
    pub at: Point,
    /// The words, one line.
    pub text: String,
    /// Their colour.
    pub colour: Colour,
    /// Their height, pixels, the same at every scale.
    pub size_px: f32,
    /// Where they may lie.
    pub spread: LabelSpread,
    /// Higher ones are placed first.
    pub importance: u8,
    /// What they name.
    pub tag: Tag,
}

/// What stands before the words of a legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swatch {
    /// A small rectangle.
    Patch(Style),
    /// A short line.
    Line(Style),
    /// A dot.
    Dot(Style),
}

impl Swatch {
    /// How it looks.
    #[must_use]
    pub fn look(&self) -> &Style {
        match self {
            Self::Patch(look) | Self::Line(look) | Self::Dot(look) => look,
        }
    }
}

/// A line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// What it looks like. None: it is only for text, where `glyph` stands for it.
    pub swatch: Option<Swatch>,
    /// What stands for it in text.
    pub glyph: Option<char>,
    /// What it is.
    pub text: String,
}

impl LegendEntry {
    /// Whether two say the same of the same colours. What is drawn fainter or thinner in a crowd is the same
    /// thing.
    #[must_use]
    pub fn is_same_thing(&self, other: &Self) -> bool {
        let colours = |swatch: &Swatch| {
            let Style { fill, hatch, stroke, .. } = *swatch.look();
            [fill, hatch, stroke.map(|stroke| stroke.colour)]
                .map(|colour| colour.map(|colour| colour.with_opacity(255)))
        };
        self.text == other.text
            && match (&self.swatch, &other.swatch) {
                (Some(one), Some(other)) => {
                    std::mem::discriminant(one) == std::mem::discriminant(other)
                        && colours(one) == colours(other)
                }
                (one, other) => one.is_none() && other.is_none(),
            }
    }
}

/// A picture of a part of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// First line of the picture.
    pub title: String,
    /// Lines below the title: what is said and what happens.
    pub captions: Vec<String>,
    /// Lines that are kept free for captions, at least, so that pictures of one animation have one size.
    pub caption_rows: usize,
    /// The part of the world it shows, metres.
    pub bounds: Bounds,
    /// Side of a cell, metres: the pitch of the text form where no cells lie below.
    pub cell_m: f64,
    /// Width and depth of a tile, metres: the lines of the grid. Without them there are none.
    pub tile_m: Option<[f64; 2]>,
    /// How the tiles lie that it shows: the text form has a character for each.
    pub frame: Option<MapFrame>,
    /// How the ground is shown; text shows it from above.
    pub projection: GroundProjection,
    /// Where it is looked at from: `bounds` and shapes lie where that puts them.
    pub slant: Slant,
    /// The layer of the map that is shown.
    pub map_layer: u8,
    /// Layers, bottom first.
    pub layers: Vec<Layer>,
    /// Words, in order of importance and then as given.
    pub labels: Vec<Label>,
    /// What no words should cover.
    pub keep_clear: Vec<Bounds>,
    /// What the colours mean.
    pub legend: Vec<LegendEntry>,
    /// Where the labels of the picture before stood, so that those of this one do not jump about.
    pub stood: LabelPlaces,
    /// The colours of people in the pictures before, so that those in this one have the same.
    pub people: KnownColours,
}

/// Which colour of [`super::theme::PEOPLE`] each `name` and each `tag` has.
pub type KnownColours = BTreeMap<(&'static str, String), usize>;

/// Which of its possible places each label took, by kind and key of the named thing.
pub type LabelPlaces = BTreeMap<(&'static str, String), usize>;

impl Picture {
    /// An empty picture of `bounds`. Empty bounds become one metre around the origin.
    #[must_use]
    pub fn new(title: impl Into<String>, bounds: Bounds, cell_m: f64) -> Self {
        let bounds = if bounds.is_empty() { Bounds { min: [0.0, 0.0], max: [1.0, 1.0] } } else { bounds };
        Self {
            title: title.into(),
            captions: Vec::new(),
            caption_rows: 0,
            bounds,
            cell_m,
            tile_m: (cell_m > 0.0).then_some([cell_m; 2]),
            frame: None,
            projection: GroundProjection::Flat,
            slant: Slant::Top,
            map_layer: 0,
            layers: Vec::new(),
            labels: Vec::new(),
            keep_clear: Vec::new(),
            legend: Vec::new(),
            stood: LabelPlaces::new(),
            people: KnownColours::new(),
        }
    }

    /// An empty picture of `bounds` of a map, with the grid of its tiles.
    #[must_use]
    pub fn of_map(title: impl Into<String>, bounds: Bounds, nav: &NavMap) -> Self {
        let Some(cells) = nav.cells() else { return Self::new(title, bounds, 0.0) };
        let frame = *cells.frame();
        // Other layouts show the lines of their cells.
        let is_square = matches!(frame.layout(), Layout::Square4 | Layout::Square8);
        let tile_m = is_square.then(|| frame.tile_size_m());
        Self { tile_m, frame: Some(frame), ..Self::new(title, bounds, frame.cell_size_m) }
    }

    /// Adds a layer on top. An empty one is left out.
    pub fn add(&mut self, name: &'static str, shapes: Vec<Shape>) {
        if !shapes.is_empty() {
            self.layers.push(Layer { name, shapes });
        }
    }

    /// Adds a line to the legend, once.
    pub fn explain(&mut self, swatch: Swatch, text: &str) {
        let glyph = swatch.look().glyph;
        let entry = LegendEntry { swatch: Some(swatch), glyph, text: text.to_owned() };
        if !self.legend.contains(&entry) {
            self.legend.push(entry);
        }
    }

    /// Adds a line to the legend, once, if what it explains lies in the picture.
    pub fn explain_shown(&mut self, form: &Figure, swatch: Swatch, text: &str) {
        if self.bounds.overlaps(&form.bounds()) {
            self.explain(swatch, text);
        }
    }

    /// Adds a line to the legend of the text form only.
    pub fn explain_glyph(&mut self, glyph: char, text: impl Into<String>) {
        self.legend.push(LegendEntry { swatch: None, glyph: Some(glyph), text: text.into() });
    }

    /// Width and depth of what is shown, metres; never zero.
    #[must_use]
    pub fn size_m(&self) -> [f64; 2] {
        [0, 1].map(|axis| (self.bounds.max[axis] - self.bounds.min[axis]).max(1e-6))
    }

    /// Width and height of what is shown, metres; never zero.
    #[must_use]
    pub fn shown_m(&self) -> [f64; 2] {
        let [width, depth] = self.size_m();
        match self.projection {
            GroundProjection::Flat => [width, depth],
            GroundProjection::Isometric => {
                let across = (width + depth) / std::f64::consts::SQRT_2;
                [across, across / 2.0]
            }
        }
    }

    /// Shapes with a tag of that kind, in drawing order.
    pub fn shapes_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Shape> {
        self.layers.iter().flat_map(|layer| &layer.shapes).filter(move |shape| shape.tag.kind() == kind)
    }
}
