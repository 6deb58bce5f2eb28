//! A picture at a scale: pixels, with title, axes, scale bar and legend around the map.
//!
//! In: a [`Picture`] and pixels per metre. Out: a [`Screen`], a list of outlines in pixels that SVG and PNG
//! draw alike. Holds: x to the right, world z downwards, (0, 0) in the upper left corner; sizes are checked
//! before anything is made. Not here: files, fonts, pixels themselves.

use super::clip;
use super::hatch::{Pixel, hatch};
use super::labels::{Placed, place, text_width_px};
use super::picture::{
    Colour, Figure, GroundProjection, LabelPlaces, Picture, Shape, Stroke, Style, Swatch, Tag,
};
use super::theme;
use crate::base::geom::{Bounds, Point};
use crate::base::ordered::CollectOrdered;
use crate::base::trig;

/// Longest side of a picture, pixels.
pub const SIDE_PX_MAX: u32 = 16_384;
/// Most pixels of a picture: 160 MB while it is made.
pub const PIXELS_MAX: u64 = 40_000_000;

/// Longer side of a map that no scale was asked for, pixels.
const MAP_SIDE_PX: f64 = 1200.0;
/// Largest cell when no scale is asked for, pixels.
const CELL_PX_MAX: f64 = 24.0;
/// Room around the map, pixels: left for the numbers of the z axis, above for title and x axis; left and
/// right more where numbers are longer.
const LEFT_PX: f32 = 46.0;
const ABOVE_PX: f32 = 54.0;
const RIGHT_PX: f32 = 24.0;
/// From a number of an axis to what lies beside it, pixels.
const NUMBER_GAP_PX: f32 = 7.0;
/// From one line of an axis to the next at least, pixels.
const AXIS_STEP_PX: f64 = 64.0;
/// Shorter side of a map that no scale was asked for at least, pixels, while the longer one takes no more
/// than so many times what it ought to.
const NARROW_PX: f64 = 6.0;
const LONGER_MAX: f64 = 8.0;
/// Height of a line below the title, pixels.
const CAPTION_PX: f32 = 17.0;
/// What the line around the map takes below it, pixels.
const FRAME_PX: f32 = 1.0;
/// Height of a line of the legend, pixels.
const LINE_PX: f32 = 20.0;
const WIDTH_PX_MIN: f32 = 420.0;
/// From the left edge of an entry of the legend to its words, pixels.
const SWATCH_PX: f32 = 26.0;
/// From one thing in a line to the next, pixels.
const BETWEEN_PX: f32 = 8.0;
/// What a scale bar takes at least where the map is wide enough, pixels.
const BAR_PX_MIN: f64 = 70.0;
/// Corners of a circle that is seen at an angle.
const ROUND_CORNERS: u32 = 48;

/// An outline in pixels.
#[derive(Clone, Debug, PartialEq)]
pub enum ScreenOutline {
    /// Rectangles: left, top, width, height, a pixel at least. They meet without seams and do not overlap,
    /// but for those that were thinner than a pixel.
    Blocks(Vec<[f32; 4]>),
    /// Closed polygons that do not overlap, each drawn with its line, so that neighbours meet without seams.
    Facets(Vec<Vec<Pixel>>),
    /// A closed polygon, even-odd.
    Polygon(Vec<Pixel>),
    /// An open line.
    Line(Vec<Pixel>),
    /// Segments, all alike.
    Segments(Vec<[Pixel; 2]>),
    /// A circle.
    Circle(Pixel, f32),
    /// One line of words: its anchor at half the height of a capital letter, and its size.
    Text {
        /// The anchor.
        at: Pixel,
        /// The words.
        text: String,
        /// Height of the line, pixels.
        size_px: f32,
        /// What the anchor is.
        anchor: Anchor,
    },
}

/// Which end of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// Where.
    pub outline: ScreenOutline,
    /// The inside; of text, its colour.
    pub fill: Option<Colour>,
    /// The line; of text, a halo behind it.
    pub stroke: Option<Stroke>,
    /// What it shows.
    pub tag: Tag,
    /// What a pointer that rests on it should read; empty for nothing.
    pub hint: String,
}

/// Primitives of one layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerGroup {
    /// Name of the layer.
    pub name: &'static str,
    /// What to draw, bottom first.
    pub primitives: Vec<Primitive>,
}

/// A picture in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// Pixels.
    pub width_px: u32,
    /// Pixels.
    pub height_px: u32,
    /// Pixels from the top to below the map: the legend further down has no part in what moves.
    pub body_px: u32,
    /// Behind everything.
    pub background: Colour,
    /// Groups, bottom first.
    pub groups: Vec<LayerGroup>,
    /// Where labels stand, for the picture after this one.
    pub stood: LabelPlaces,
}

impl Screen {
    /// Width and height of pictures below one another, pixels.
    #[must_use]
    pub fn stacked_px(screens: &[Self]) -> (u32, u32) {
        let width_px = screens.iter().map(|screen| screen.width_px).max().unwrap_or_default();
        (width_px, screens.iter().map(|screen| screen.height_px).sum())
    }
}

/// Why there is no picture of that size.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ScreenError {
    /// More pixels than a picture may have.
    #[error(
        "scale {scale}: the picture would be {width} x {height} pixels, expected at most 16384 a side and 40 million in all; choose a smaller scale"
    )]
    TooBig {
        /// Pixels per metre.
        scale: f64,
        /// Pixels.
        width: u64,
        /// Pixels.
        height: u64,
    },
    /// A scale that is no scale.
    #[error("scale {0}: expected a number of pixels per metre above 0")]
    Scale(f64),
}

impl Picture {
    /// The picture at `scale` pixels per metre; by default the map's longer side takes 1,200 pixels, and no
    /// cell more than 24.
    ///
    /// # Errors
    /// A scale that is not a positive number, or that makes the picture too big.
    pub fn screen(&self, scale: Option<f64>) -> Result<Screen, ScreenError> {
        let scale = scale.unwrap_or_else(|| self.scale_to(MAP_SIDE_PX));
        if !(scale.is_finite() && scale > 0.0) {
            return Err(ScreenError::Scale(scale));
        }
        let frame = ScreenFrame::new(self, scale)?;
        let mut groups = vec![LayerGroup { name: "ground", primitives: vec![frame.backdrop()] }];
        for layer in &self.layers {
            let primitives = layer.shapes.iter().flat_map(|shape| frame.shape(shape)).collect();
            groups.push(LayerGroup { name: layer.name, primitives });
            if layer.name == "cells" {
                groups.extend(self.tile_m.and_then(|tile_m| frame.grid_lines(tile_m)));
                groups.extend(frame.facet_lines(&layer.shapes, self.cell_m));
            }
        }
        groups.push(LayerGroup { name: "axes", primitives: frame.axes() });
        let labels = place(self, |point| frame.pixel(point), frame.scale as f32, frame.map);
        groups.push(LayerGroup { name: "labels", primitives: labels.iter().map(words).collect() });
        let key = |placed: &Placed| (placed.label.tag.kind(), placed.label.tag.key());
        let stood = labels.iter().map(|placed| (key(placed), placed.index)).collect_map();
        let mut legend = frame.legend(self);
        // What names things beyond the map is not missing.
        let wanted = self.labels.iter().filter(|label| clip::holds(frame.map, &[frame.pixel(label.at)]));
        legend.extend(frame.left_out(wanted.count().saturating_sub(labels.len())));
        groups.push(LayerGroup { name: "legend", primitives: legend });
        let (width_px, height_px) = (frame.width_px, frame.height_px);
        let body_px = ((frame.map[3] + FRAME_PX).ceil() as u32).min(height_px);
        Ok(Screen { width_px, height_px, body_px, background: theme::PAPER, groups, stood })
    }

    /// Pixels per metre with which the map's longer side takes `side_px` pixels, or less where no cell takes
    /// more than 24.
    #[must_use]
    pub fn scale_to(&self, side_px: f64) -> f64 {
        let [width, height] = self.shown_m();
        let by_side = side_px / width.max(height);
        let by_side = (NARROW_PX / width.min(height)).clamp(by_side, by_side * LONGER_MAX);
        if self.cell_m > 0.0 { by_side.min(CELL_PX_MAX / self.cell_m) } else { by_side }
    }
}

/// The way from metres to pixels, and where things stand around the map.
struct ScreenFrame {
    bounds: Bounds,
    projection: GroundProjection,
    scale: f64,
    map: [f32; 4],
    axes: [NumberedAxis; 2],
    width_px: u32,
    height_px: u32,
    legend_rows: Vec<Vec<usize>>,
}

impl ScreenFrame {
    fn new(picture: &Picture, scale: f64) -> Result<Self, ScreenError> {
        let [width_m, height_m] = picture.shown_m();
        let (map_x, map_y) = (width_m * scale, height_m * scale);
        let too_big = |width: f64, height: f64| ScreenError::TooBig {
            scale,
            width: width as u64,
            height: height as u64,
        };
        let side_max = f64::from(SIDE_PX_MAX);
        if !(map_x <= side_max && map_y <= side_max) {
            return Err(too_big(map_x, map_y));
        }
        let title = text_width_px(&picture.title, theme::TITLE_PX);
        let (bounds, projection) = (picture.bounds, picture.projection);
        let axes = [0, 1].map(|axis| NumberedAxis::new(bounds.min[axis], bounds.max[axis], scale));
        let [x_px, z_px] = [&axes[0], &axes[1]].map(|axis| axis.words_px);
        let left = LEFT_PX.max((z_px + 2.0 * NUMBER_GAP_PX).ceil());
        let right = match projection {
            GroundProjection::Flat => x_px / 2.0 + 2.0 * NUMBER_GAP_PX,
            GroundProjection::Isometric => x_px + 2.0 * NUMBER_GAP_PX,
        };
        let width =
            (map_x as f32 + left + RIGHT_PX.max(right)).max(title + 2.0 * RIGHT_PX).max(WIDTH_PX_MIN).ceil();
        let legend_rows = legend_rows(picture, width - LEFT_PX - RIGHT_PX);
        let below = 14.0 + LINE_PX * (1 + legend_rows.len()) as f32 + 10.0;
        let above = ABOVE_PX + CAPTION_PX * picture.captions.len().max(picture.caption_rows) as f32;
        let height = (map_y as f32 + above + below).ceil();
        let pixels = f64::from(width) * f64::from(height);
        if f64::from(width.max(height)) > side_max || pixels > PIXELS_MAX as f64 {
            return Err(too_big(f64::from(width), f64::from(height)));
        }
        let map = [left, above, left + map_x as f32, above + map_y as f32];
        let (width_px, height_px) = (width as u32, height as u32);
        Ok(Self { bounds, projection, scale, map, axes, width_px, height_px, legend_rows })
    }

    fn pixel(&self, point: Point) -> Pixel {
        let shown = self.projection.shown(point, self.bounds.min);
        let left =
            self.projection.shown([self.bounds.min[0], self.bounds.max[1]], self.bounds.min)[0].min(0.0);
        let at = |from: f32, metres: f64| from + (metres * self.scale) as f32;
        [at(self.map[0], shown[0] - left), at(self.map[1], shown[1])]
    }

    fn is_flat(&self) -> bool {
        self.projection == GroundProjection::Flat
    }

    /// The corners of a rectangle of the ground.
    fn corners(&self, bounds: &Bounds) -> Vec<Pixel> {
        let Bounds { min, max } = *bounds;
        [min, [max[0], min[1]], max, [min[0], max[1]]].map(|corner| self.pixel(corner)).to_vec()
    }

    fn backdrop(&self) -> Primitive {
        let [left, top, right, bottom] = self.map;
        let outline = match self.projection {
            GroundProjection::Flat => ScreenOutline::Blocks(vec![[left, top, right - left, bottom - top]]),
            GroundProjection::Isometric => ScreenOutline::Polygon(self.corners(&self.bounds)),
        };
        furniture(outline, Some(theme::NO_GROUND), None)
    }

    fn shape(&self, shape: &Shape) -> Vec<Primitive> {
        self.outlines(&shape.form).into_iter().flat_map(|outline| parts(shape, outline)).collect()
    }

    /// A form in pixels, cut off at the edge of the map.
    fn outlines(&self, form: &Figure) -> Vec<ScreenOutline> {
        let pixels = |points: &[Point]| points.iter().map(|&at| self.pixel(at)).collect::<Vec<_>>();
        let face = |corners: Vec<Pixel>| {
            let cut = clip::polygon(&corners, self.map);
            if cut.len() > 2 { vec![ScreenOutline::Polygon(cut)] } else { Vec::new() }
        };
        match form {
            Figure::Blocks(blocks) if !self.is_flat() => {
                vec![ScreenOutline::Facets(blocks.iter().map(|block| self.corners(block)).collect())]
            }
            Figure::Facets(facets) => {
                let facets = facets.iter().map(|corners| clip::polygon(&pixels(corners), self.map));
                vec![ScreenOutline::Facets(facets.filter(|corners| corners.len() > 2).collect())]
            }
            Figure::Blocks(blocks) => {
                vec![ScreenOutline::Blocks(blocks.iter().map(|block| self.block(block)).collect())]
            }
            Figure::Polygon(corners) => face(pixels(corners)),
            Figure::Line(points) => {
                clip::line(&pixels(points), self.map).into_iter().map(ScreenOutline::Line).collect()
            }
            Figure::Circle { centre, radius_m } if !self.is_flat() => {
                let [x, z] = *centre;
                let turned = |step: u32| {
                    let away = trig::direction(std::f32::consts::TAU * step as f32 / ROUND_CORNERS as f32);
                    [x + radius_m * f64::from(away.x), z + radius_m * f64::from(away.z)]
                };
                face((0..ROUND_CORNERS).map(|step| self.pixel(turned(step))).collect())
            }
            Figure::Circle { centre, radius_m } => {
                let ([x, y], radius) = (self.pixel(*centre), (radius_m * self.scale) as f32);
                if clip::holds(self.map, &[[x - radius, y - radius], [x + radius, y + radius]]) {
                    vec![ScreenOutline::Circle([x, y], radius)]
                } else {
                    face(clip::circle([x, y], radius))
                }
            }
            Figure::Dot { centre, radius_px } => {
                let at = self.pixel(*centre);
                if clip::holds(self.map, &[at]) {
                    vec![ScreenOutline::Circle(at, *radius_px)]
                } else {
                    Vec::new()
                }
            }
        }
    }

    fn block(&self, block: &Bounds) -> [f32; 4] {
        // Rounded to whole pixels: neighbours share an edge, so there is neither a gap nor an overlap, but
        // for what is thinner than a pixel and is shown as one.
        let [left, top] = self.pixel(block.min).map(f32::round);
        let [right, bottom] = self.pixel(block.max).map(f32::round);
        [left, top, (right - left).max(1.0), (bottom - top).max(1.0)]
    }

    fn grid_lines(&self, tile_m: [f64; 2]) -> Option<LayerGroup> {
        if tile_m[0].min(tile_m[1]) * self.scale < theme::GRID_LINES_FROM_PX {
            return None;
        }
        let [left, top, right, bottom] = self.map;
        let mut lines = Vec::new();
        for axis in 0..2 {
            let count = ((self.bounds.max[axis] - self.bounds.min[axis]) / tile_m[axis]).round() as u32;
            for index in 1..count {
                let mut at = self.bounds.min;
                at[axis] += f64::from(index) * tile_m[axis];
                if !self.is_flat() {
                    let mut end = self.bounds.max;
                    end[axis] = at[axis];
                    lines.push([self.pixel(at), self.pixel(end)]);
                    continue;
                }
                let [x, y] = self.pixel(at).map(|value| value.round() + 0.5);
                lines.push(if axis == 0 { [[x, top], [x, bottom]] } else { [[left, y], [right, y]] });
            }
        }
        let stroke = Stroke { colour: theme::GRID_LINE, width_px: 1.0, is_dashed: false };
        Some(LayerGroup {
            name: "grid",
            primitives: vec![furniture(ScreenOutline::Segments(lines), None, Some(stroke))],
        })
    }

    /// Lines around cells that are no squares, where they are large enough.
    fn facet_lines(&self, shapes: &[Shape], cell_m: f64) -> Option<LayerGroup> {
        if cell_m * self.scale < theme::GRID_LINES_FROM_PX {
            return None;
        }
        let facets: Vec<Vec<Pixel>> = shapes
            .iter()
            .filter_map(|shape| match &shape.form {
                Figure::Facets(facets) => Some(facets),
                _ => None,
            })
            .flatten()
            .map(|corners| corners.iter().map(|&corner| self.pixel(corner)).collect())
            .collect();
        let stroke = Stroke { colour: theme::GRID_LINE, width_px: 1.0, is_dashed: false };
        let lines = furniture(ScreenOutline::Facets(facets), None, Some(stroke));
        let ScreenOutline::Facets(facets) = &lines.outline else { return None };
        (!facets.is_empty()).then_some(LayerGroup { name: "grid", primitives: vec![lines] })
    }

    fn axes(&self) -> Vec<Primitive> {
        let [left, top, right, bottom] = self.map;
        let stroke = Stroke { colour: theme::INK_SOFT, width_px: 1.0, is_dashed: false };
        let corners = match self.projection {
            // Around the map, so that it hides nothing of a narrow one.
            GroundProjection::Flat => {
                let [left, top, right, bottom] = [left - 0.5, top - 0.5, right + 0.5, bottom + 0.5];
                vec![[left, top], [right, top], [right, bottom], [left, bottom]]
            }
            GroundProjection::Isometric => self.corners(&self.bounds),
        };
        let mut parts = vec![furniture(ScreenOutline::Polygon(corners), None, Some(stroke))];
        let mut ticks = Vec::new();
        for (index, axis) in self.axes.iter().enumerate() {
            for (value, words) in axis.numbers() {
                let mut at = self.bounds.min;
                at[index] = value;
                let [x, y] = self.pixel(at);
                let (end, anchor, word) = match (self.projection, index) {
                    // Outwards from the two upper edges: x along the right one, z along the left.
                    (GroundProjection::Isometric, 0) => {
                        ([x + 4.0, y - 2.0], Anchor::Start, [x + 7.0, y - 7.0])
                    }
                    (GroundProjection::Isometric, _) => ([x - 4.0, y - 2.0], Anchor::End, [x - 7.0, y - 7.0]),
                    (_, 0) => ([x, top - 4.0], Anchor::Middle, [x, top - 11.0]),
                    _ => ([left - 4.0, y], Anchor::End, [left - NUMBER_GAP_PX, y]),
                };
                ticks.push([[x, y], end]);
                parts.push(text(word, words, anchor));
            }
        }
        parts.push(furniture(ScreenOutline::Segments(ticks), None, Some(stroke)));
        let (x_at, z_at) = match self.projection {
            GroundProjection::Flat => {
                let beside = 14.0_f32.max(self.axes[0].words_px / 2.0 + NUMBER_GAP_PX);
                ([right + beside, top - 11.0], [left - NUMBER_GAP_PX, bottom + 11.0])
            }
            GroundProjection::Isometric => {
                let ends = self.corners(&self.bounds);
                ([ends[1][0] + 12.0, ends[1][1] + 7.0], [ends[3][0] - 8.0, ends[3][1] + 7.0])
            }
        };
        parts.push(text(x_at, "x".to_owned(), Anchor::Middle));
        parts.push(text(z_at, "z".to_owned(), Anchor::End));
        parts
    }

    fn legend(&self, picture: &Picture) -> Vec<Primitive> {
        let title = ScreenOutline::Text {
            at: [LEFT_PX, 18.0],
            text: picture.title.clone(),
            size_px: theme::TITLE_PX,
            anchor: Anchor::Start,
        };
        let mut parts = vec![furniture(title, Some(theme::INK), None)];
        let room_px = self.width_px as f32 - LEFT_PX - RIGHT_PX;
        for (row, caption) in (0_u8..).zip(&picture.captions) {
            let at = [LEFT_PX, 18.0 + CAPTION_PX * (f32::from(row) + 1.0)];
            let words = fitted(caption, theme::NAME_PX, room_px);
            let line =
                ScreenOutline::Text { at, text: words, size_px: theme::NAME_PX, anchor: Anchor::Start };
            parts.push(furniture(line, Some(theme::INK), None));
        }
        let mut y = self.map[3] + 14.0 + LINE_PX / 2.0;
        parts.extend(self.scale_bar(y));
        for row in &self.legend_rows {
            y += LINE_PX;
            let mut x = LEFT_PX;
            for entry in row.iter().filter_map(|&index| picture.legend.get(index)) {
                let from = x;
                parts.extend(entry.swatch.iter().flat_map(|swatch| self.swatch(swatch, [from, y])));
                let words = fitted(&entry.text, theme::SMALL_PX, room_px - SWATCH_PX);
                x += entry_width_px(&words);
                parts.push(text([from + SWATCH_PX, y], words, Anchor::Start));
            }
        }
        parts
    }

    /// How many labels found no room, beside the scale bar, in as many words as fit there: the picture is as
    /// high with the line as without it.
    fn left_out(&self, count: usize) -> Option<Primitive> {
        let right = self.width_px as f32 - RIGHT_PX;
        let bar = self.scale_bar_length();
        let room_px = right - bar.words_px - text_width_px(&bar.words, theme::SMALL_PX) - BETWEEN_PX;
        let labels = if count == 1 { "label" } else { "labels" };
        let whole = format!("{count} {labels} left out: no room");
        let short = [whole, format!("{count} {labels} left out"), format!("{count} left out")];
        let fits = |words: &String| text_width_px(words, theme::SMALL_PX) <= room_px;
        let words = short.into_iter().find(fits).filter(|_| count > 0)?;
        Some(text([right, self.map[3] + 14.0 + LINE_PX / 2.0], words, Anchor::End))
    }

    fn swatch(&self, swatch: &Swatch, [x, y]: Pixel) -> Vec<Primitive> {
        let (left, right, top, bottom) = (x, x + 18.0, y - 6.0, y + 6.0);
        let look = *swatch.look();
        match swatch {
            Swatch::Line(_) => {
                vec![furniture(ScreenOutline::Line(vec![[left, y], [right, y]]), None, look.stroke)]
            }
            Swatch::Dot(_) => {
                vec![furniture(ScreenOutline::Circle([x + 9.0, y], 5.0), look.fill, look.stroke)]
            }
            Swatch::Patch(_) => {
                let corners = vec![[left, top], [right, top], [right, bottom], [left, bottom]];
                let edge = Stroke { colour: theme::INK.with_opacity(60), width_px: 1.0, is_dashed: false };
                let lines = look.hatch.map(|colour| {
                    let stroke = Stroke { colour, width_px: 1.0, is_dashed: false };
                    furniture(ScreenOutline::Segments(hatch(&corners, 5.0)), None, Some(stroke))
                });
                let patch = furniture(ScreenOutline::Polygon(corners), look.fill, look.stroke.or(Some(edge)));
                std::iter::once(patch).chain(lines).collect()
            }
        }
    }

    /// A length that is long enough to read, and no longer than the map is wide.
    fn scale_bar_length(&self) -> ScaleBarLength {
        let width_m = f64::from(self.map[2] - self.map[0]) / self.scale;
        let metres = nice(BAR_PX_MIN / self.scale).min(nice_within(width_m));
        let end_px = LEFT_PX + (metres * self.scale) as f32;
        let words = format!("{} m", number(metres, metres));
        ScaleBarLength { end_px, words_px: end_px + BETWEEN_PX, words }
    }

    fn scale_bar(&self, y: f32) -> Vec<Primitive> {
        let ScaleBarLength { end_px: right, words_px, words } = self.scale_bar_length();
        let left = LEFT_PX;
        let stroke = Stroke { colour: theme::INK, width_px: 1.5, is_dashed: false };
        let bar = [
            [[left, y], [right, y]],
            [[left, y - 3.0], [left, y + 3.0]],
            [[right, y - 3.0], [right, y + 3.0]],
        ];
        vec![
            furniture(ScreenOutline::Segments(bar.to_vec()), None, Some(stroke)),
            text([words_px, y], words, Anchor::Start),
        ]
    }
}

/// The numbers along a side of a map.
struct NumberedAxis {
    /// From one to the next, metres.
    step_m: f64,
    /// The first and the last, as many steps from zero.
    ends: [i64; 2],
    /// How wide the widest is, pixels.
    words_px: f32,
}

impl NumberedAxis {
    /// As many as have room between two ends, metres.
    fn new(low: f64, high: f64, scale: f64) -> Self {
        let of = |step_m: f64| {
            let ends = [(low / step_m).ceil() as i64, (high / step_m).floor() as i64];
            let wide = |index: i64| text_width_px(&number(index as f64 * step_m, step_m), theme::SMALL_PX);
            Self { step_m, ends, words_px: ends.map(wide).into_iter().fold(0.0, f32::max) }
        };
        let axis = of(nice(AXIS_STEP_PX / scale));
        let room_px = f64::from(axis.words_px + NUMBER_GAP_PX);
        if room_px > AXIS_STEP_PX { of(nice(room_px / scale)) } else { axis }
    }

    /// Each with its words.
    fn numbers(&self) -> impl Iterator<Item = (f64, String)> {
        let (step_m, [first, last]) = (self.step_m, self.ends);
        (first..=last).map(move |index| (index as f64 * step_m, number(index as f64 * step_m, step_m)))
    }
}

/// How long the scale bar is.
struct ScaleBarLength {
    /// Where it ends, pixels from the left.
    end_px: f32,
    /// Where its words begin.
    words_px: f32,
    words: String,
}

/// What there is to draw of a shape: its filling and line, and slanted lines over the filling.
fn parts(shape: &Shape, outline: ScreenOutline) -> Vec<Primitive> {
    let Style { fill, hatch: slanted, stroke, .. } = shape.look;
    let lines = slanted.map(|colour| {
        let segments = corners_of(&outline).iter().flat_map(|ring| hatch(ring, theme::HATCH_PX)).collect();
        let stroke = Some(Stroke { colour, width_px: 1.0, is_dashed: false });
        let outline = ScreenOutline::Segments(segments);
        Primitive { outline, fill: None, stroke, tag: shape.tag.clone(), hint: String::new() }
    });
    let is_seen = fill.is_some() || stroke.is_some();
    // Smooth edges side by side would let the ground through: cells are drawn a hair larger.
    let is_seamed = matches!(outline, ScreenOutline::Facets(_)) && stroke.is_none();
    let seam = fill.filter(|fill| is_seamed && fill.3 == 255);
    let stroke = stroke.or(seam.map(|colour| Stroke { colour, width_px: 1.0, is_dashed: false }));
    let body = is_seen.then(|| {
        let (tag, hint) = (shape.tag.clone(), shape.hint.clone());
        Primitive { outline, fill, stroke, tag, hint }
    });
    body.into_iter().chain(lines).collect()
}

/// A label that has found its place.
fn words(Placed { label, at, .. }: &Placed<'_>) -> Primitive {
    let (at, text, size_px) = (*at, label.text.clone(), label.size_px);
    Primitive {
        outline: ScreenOutline::Text { at, text, size_px, anchor: Anchor::Middle },
        fill: Some(label.colour),
        stroke: Some(Stroke { colour: theme::HALO, width_px: 3.0, is_dashed: false }),
        tag: label.tag.clone(),
        hint: String::new(),
    }
}

fn furniture(outline: ScreenOutline, fill: Option<Colour>, stroke: Option<Stroke>) -> Primitive {
    Primitive { outline, fill, stroke, tag: Tag::Furniture, hint: String::new() }
}

fn text(at: Pixel, text: String, anchor: Anchor) -> Primitive {
    furniture(ScreenOutline::Text { at, text, size_px: theme::SMALL_PX, anchor }, Some(theme::INK_SOFT), None)
}

/// Words cut to a width, with dots where something is missing.
fn fitted(words: &str, size_px: f32, width_px: f32) -> String {
    let wide = |words: &str| text_width_px(words, size_px);
    if wide(words) <= width_px {
        return words.to_owned();
    }
    let mut kept = String::new();
    for letter in words.chars() {
        if wide(&kept) + wide("m ...") > width_px {
            break;
        }
        kept.push(letter);
    }
    format!("{kept} ...")
}

fn corners_of(outline: &ScreenOutline) -> Vec<Vec<Pixel>> {
    match outline {
        ScreenOutline::Polygon(corners) => vec![corners.clone()],
        ScreenOutline::Facets(facets) => facets.clone(),
        ScreenOutline::Blocks(blocks) => blocks
            .iter()
            .map(|[x, y, w, h]| vec![[*x, *y], [x + w, *y], [x + w, y + h], [*x, y + h]])
            .collect(),
        _ => Vec::new(),
    }
}

fn entry_width_px(words: &str) -> f32 {
    SWATCH_PX + text_width_px(words, theme::SMALL_PX) + 18.0
}

fn legend_rows(picture: &Picture, width_px: f32) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = f32::INFINITY;
    for (index, entry) in picture.legend.iter().enumerate().filter(|(_, entry)| entry.swatch.is_some()) {
        let width = entry_width_px(&entry.text);
        if used + width > width_px {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width;
        if let Some(row) = rows.last_mut() {
            row.push(index);
        }
    }
    rows
}

/// The next number from 1, 2, 5, 10 and so on that is not below `least`.
fn nice(least: f64) -> f64 {
    let mut step = 1e-6;
    // Bounded by the range of doubles that scales can reach: about 60 rounds.
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(60) {
        if step >= least {
            break;
        }
        step *= factor;
    }
    step
}

/// The last number from 1, 2, 5, 10 and so on that is not above `most`; the least there is where none is.
fn nice_within(most: f64) -> f64 {
    // A hair more, so that a map as wide as such a number has a bar of its width.
    let above = nice(most * (1.0 + 1e-6));
    if above <= most * (1.0 + 1e-6) {
        return above;
    }
    // One of two and of two and a half below it.
    let half = above / 2.0;
    let is_nice = (nice(half * (1.0 - 1e-6)) - half).abs() < 1e-6 * half;
    if is_nice { half } else { above / 2.5 }
}

/// A number with as many digits after the point as `step` needs, and no minus before zero.
fn number(value: f64, step: f64) -> String {
    let digits = (0..6).find(|&digits| (step * 10f64.powi(digits)).fract().abs() < 1e-6).unwrap_or(6);
    let value = if value.abs() < step / 2.0 { 0.0 } else { value };
    format!("{value:.*}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_or_five_times_a_power_of_ten() {
        for (least, step) in [(0.03, 0.05), (0.9, 1.0), (1.1, 2.0), (3.0, 5.0), (6.0, 10.0), (170.0, 200.0)] {
            assert!((nice(least) - step).abs() < 1e-9 * step, "{least}: {}", nice(least));
        }
        for (most, step) in
            [(0.03, 0.02), (0.9, 0.5), (1.0, 1.0), (3.0, 2.0), (5.0, 5.0), (9.9, 5.0), (170.0, 100.0)]
        {
            assert!((nice_within(most) - step).abs() < 1e-9 * step, "{most}: {}", nice_within(most));
        }
        assert_eq!(number(-0.0, 5.0), "0");
        assert_eq!(number(0.5, 0.5), "0.5");
    }

    #[test]
    fn labels_that_find_no_room_are_counted_in_the_legend() {
        let mut picture = Picture::new("t", Bounds { min: [0.0, 0.0], max: [4.0, 4.0] }, 1.0);
        let told = |picture: &Picture| {
            let screen = picture.screen(Some(20.0)).unwrap();
            let legend = screen.groups.iter().find(|group| group.name == "legend").unwrap();
            let words = legend.primitives.iter().filter_map(|part| match &part.outline {
                ScreenOutline::Text { text, .. } => Some(text.clone()),
                _ => None,
            });
            let shown = screen.groups.iter().find(|group| group.name == "labels").unwrap().primitives.len();
            (words.filter(|text| text.contains("left out")).collect::<Vec<_>>(), shown, screen.height_px)
        };
        let (none, _, height_px) = told(&picture);
        assert_eq!(none, [""; 0]);
        for at in 0..30_u8 {
            picture.labels.push(crate::view::picture::Label {
                at: [2.0, 2.0],
                text: format!("p{at}"),
                colour: theme::INK,
                size_px: theme::NAME_PX,
                spread: crate::view::picture::LabelSpread::Beside(0.2),
                importance: 9,
                tag: crate::view::picture::Tag::Mark(format!("p{at}")),
            });
        }
        let (words, shown, full_px) = told(&picture);
        assert!(shown > 3 && shown < 30, "{shown}");
        assert_eq!(words, [format!("{} labels left out: no room", 30 - shown)]);
        assert_eq!(full_px, height_px, "frames of an animation are as high as one another");
    }

    /// Where the words below a map lie: left, right, middle and text.
    fn words_below(screen: &Screen) -> Vec<([f32; 2], f32, String)> {
        let legend = screen.groups.iter().find(|group| group.name == "legend").unwrap();
        let placed = legend.primitives.iter().filter_map(|part| match &part.outline {
            ScreenOutline::Text { at, text, size_px, anchor } => {
                let width = text_width_px(text, *size_px);
                let left = if *anchor == Anchor::End { at[0] - width } else { at[0] };
                Some(([left, left + width], at[1], text.clone()))
            }
            _ => None,
        });
        placed.collect()
    }

    #[test]
    fn nothing_below_a_map_of_any_size_overlaps_or_is_cut_at_the_edge() {
        for side in [0.02, 0.6, 1.0, 3.0, 4.0, 7.0, 9.0, 11.0, 30.0, 400.0] {
            for scale in [None, Some(3.0), Some(17.0), Some(40.0)] {
                let bounds = Bounds { min: [0.0, 0.0], max: [side, side] };
                let mut picture = Picture::new("t", bounds, 1.0);
                for name in ["short".to_owned(), "long".repeat(25), "none".to_owned()] {
                    picture.explain(Swatch::Patch(Style::filled(theme::MARK)), &name);
                }
                picture.labels = (0..200_u8)
                    .map(|at| crate::view::picture::Label {
                        at: [side / 2.0, side / 2.0],
                        text: format!("a name of some length {at}"),
                        colour: theme::INK,
                        size_px: theme::NAME_PX,
                        spread: crate::view::picture::LabelSpread::Beside(0.01),
                        importance: 9,
                        tag: Tag::Mark(format!("p{at}")),
                    })
                    .collect();
                let Ok(screen) = picture.screen(scale) else { continue };
                let words = words_below(&screen);
                assert!(
                    words.iter().any(|(.., text)| text.ends_with("left out") || text.contains("no room"))
                );
                for (index, (at, y, text)) in words.iter().enumerate() {
                    let is_inside = at[0] >= 0.0 && at[1] <= screen.width_px as f32;
                    assert!(is_inside, "{side} m at {scale:?}: {text} from {at:?}");
                    for (other, other_y, beside) in &words[..index] {
                        let apart = at[0] >= other[1] || other[0] >= at[1] || y != other_y;
                        assert!(apart, "{side} m at {scale:?}: {text:?} over {beside:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_along_a_map_of_any_place_and_size_are_whole_and_apart() {
        let sides = [0.02, 1.0, 7.0, 40.0, 300.0, 5000.0];
        let corners = [0.0, -0.004, -3.5, -1234.2, -40000.0, 99998.5, 123456.7];
        for (side, corner) in sides.into_iter().flat_map(|side| corners.map(|corner| (side, corner))) {
            for projection in [GroundProjection::Flat, GroundProjection::Isometric] {
                let bounds = Bounds { min: [corner; 2], max: [corner + side, corner + side / 3.0] };
                let picture = Picture { projection, ..Picture::new("t", bounds, side / 100.0) };
                for scale in [None, Some(300.0 / side), Some(90.0 / side)] {
                    let Ok(screen) = picture.screen(scale) else { continue };
                    let axes = screen.groups.iter().find(|group| group.name == "axes").unwrap();
                    let words = axes.primitives.iter().filter_map(|part| match &part.outline {
                        ScreenOutline::Text { at, text, size_px, anchor } => {
                            let width = text_width_px(text, *size_px);
                            let left = match anchor {
                                Anchor::Start => at[0],
                                Anchor::Middle => at[0] - width / 2.0,
                                Anchor::End => at[0] - width,
                            };
                            Some(([left, left + width], [at[1] - 4.0, at[1] + 4.0], text.clone()))
                        }
                        _ => None,
                    });
                    let words: Vec<_> = words.collect();
                    let what = format!("{side} m from {corner}, {projection:?} at {scale:?}");
                    for (index, (x, y, text)) in words.iter().enumerate() {
                        assert!(x[0] >= 0.0 && x[1] <= screen.width_px as f32, "{what}: {text} from {x:?}");
                        for (other_x, other_y, other) in &words[..index] {
                            let is_beside = x[0] >= other_x[1] || other_x[0] >= x[1];
                            let is_below = y[0] >= other_y[1] || other_y[0] >= y[1];
                            assert!(is_beside || is_below, "{what}: {text:?} over {other:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_thinner_than_a_pixel_is_seen_on_maps_of_any_shape() {
        for (width, depth) in [(3000.0, 40.0), (40.0, 3000.0), (1.0, 5000.0), (5000.0, 1.0), (900.0, 900.0)] {
            let bounds = Bounds { min: [0.0, 0.0], max: [width, depth] };
            let mut picture = Picture::new("t", bounds, 1.0);
            let cells = [[0.0, 0.0], [(width / 2.0_f64).floor(), (depth / 2.0_f64).floor()]];
            let blocks = cells.map(|min| Bounds { min, max: min.map(|at| at + 1.0) }).to_vec();
            picture
                .add("cells", vec![Shape::new(Figure::Blocks(blocks), Style::default(), Tag::Cells("wall"))]);
            picture.layers[0].shapes[0].look = Style::filled(theme::CELL_BLOCKED);
            let screen = picture.screen(None).unwrap();
            let cells = screen.groups.iter().find(|group| group.name == "cells").unwrap();
            let ScreenOutline::Blocks(blocks) = &cells.primitives[0].outline else { panic!("blocks") };
            assert!(blocks.iter().all(|[_, _, wide, high]| *wide >= 1.0 && *high >= 1.0), "{blocks:?}");
            let ground = screen.groups.iter().find(|group| group.name == "ground").unwrap();
            let ScreenOutline::Blocks(whole) = &ground.primitives[0].outline else { panic!("blocks") };
            assert!(whole[0][2].min(whole[0][3]) > 1.5, "{width} x {depth}: {whole:?}");
        }
    }

    #[test]
    fn a_scale_bar_is_no_longer_than_its_map_is_wide() {
        for side in [0.02, 0.6, 1.0, 2.9, 3.0, 5.0, 7.0, 30.0, 400.0] {
            let picture = Picture::new("t", Bounds { min: [0.0, 0.0], max: [side, 4.0 * side] }, 1.0);
            for scale in [None, Some(24.0), Some(100.0)] {
                let Ok(screen) = picture.screen(scale) else { continue };
                let legend = screen.groups.iter().find(|group| group.name == "legend").unwrap();
                let bar = legend.primitives.iter().find_map(|part| match &part.outline {
                    ScreenOutline::Segments(lines) => Some(lines[0]),
                    _ => None,
                });
                let [[left, _], [right, _]] = bar.unwrap();
                let wide_px = side * scale.unwrap_or_else(|| picture.scale_to(MAP_SIDE_PX));
                let long_px = f64::from(right - left);
                assert!(long_px <= wide_px + 0.01, "{side} m at {scale:?}: {long_px} of {wide_px}");
                assert!(long_px > wide_px.min(BAR_PX_MIN) * 0.39, "{side} m at {scale:?}: {long_px}");
            }
        }
    }

    #[test]
    fn a_picture_beyond_the_limits_is_refused_by_its_size() {
        let picture = Picture::new("t", Bounds { min: [0.0, 0.0], max: [1e6, 1e6] }, 1.0);
        assert!(matches!(picture.screen(Some(1.0)), Err(ScreenError::TooBig { .. })));
        assert!(matches!(picture.screen(Some(f64::NAN)), Err(ScreenError::Scale(_))));
        assert!(picture.screen(None).is_ok());
    }

    #[test]
    fn world_z_grows_downwards() {
        let mut picture = Picture::new("t", Bounds { min: [0.0, 0.0], max: [10.0, 10.0] }, 1.0);
        let dot = |z: f64| {
            Shape::new(Figure::Dot { centre: [5.0, z], radius_px: 2.0 }, Style::default(), Tag::Furniture)
        };
        picture.add(
            "dots",
            vec![dot(1.0), dot(9.0)]
                .into_iter()
                .map(|mut shape| {
                    shape.look = Style::filled(theme::MARK);
                    shape
                })
                .collect(),
        );
        let screen = picture.screen(None).unwrap();
        let dots = screen.groups.iter().find(|group| group.name == "dots").unwrap();
        let height = |index: usize| match dots.primitives[index].outline {
            ScreenOutline::Circle(at, _) => at[1],
            _ => unreachable!("dots are circles"),
        };
        assert!(height(0) < height(1));
    }
}
