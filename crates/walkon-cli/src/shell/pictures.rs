//! Renders a picture as PNG, or several as GIF ([`animation`]).
//!
//! In: a [`Screen`]. Out: the bytes of a file. Holds: the same screen gives the same bytes; cells meet
//! without seams, everything else has smooth edges. Not here: drawing (`view`), where the file goes
//! (`output`).

pub(super) mod animation;
mod palette;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke as Line,
    StrokeDash, Transform,
};

use super::font::{self, OutlinePart};
use crate::view::{Anchor, Colour, Primitive, Screen, ScreenOutline, Stroke, letter_columns, text_columns};

/// The file, of one picture or of several below one another. Memory: four bytes a pixel, and the limit of a
/// picture bounds the pixels of each.
///
/// # Errors
/// A sentence, when the memory for the pixels cannot be had.
pub(super) fn png(screens: &[Screen]) -> Result<Vec<u8>, String> {
    let pixmap = match screens {
        [one] => drawn(one)?,
        _ => stacked(screens)?,
    };
    pixmap.encode_png().map_err(|error| error.to_string())
}

/// Pictures below one another.
fn stacked(screens: &[Screen]) -> Result<Pixmap, String> {
    let (width_px, height_px) = Screen::stacked_px(screens);
    let mut all = blank(width_px, height_px)?;
    if let Some(first) = screens.first() {
        all.fill(colour(first.background));
    }
    let mut top_px = 0;
    for screen in screens {
        let one = drawn(screen)?;
        let paint = PixmapPaint::default();
        all.draw_pixmap(0, top_px as i32, one.as_ref(), &paint, Transform::identity(), None);
        top_px += screen.height_px;
    }
    Ok(all)
}

fn drawn(screen: &Screen) -> Result<Pixmap, String> {
    let mut pixmap = blank(screen.width_px, screen.height_px)?;
    pixmap.fill(colour(screen.background));
    for primitive in screen.groups.iter().flat_map(|group| &group.primitives) {
        draw(&mut pixmap, primitive);
    }
    Ok(pixmap)
}

fn blank(width_px: u32, height_px: u32) -> Result<Pixmap, String> {
    Pixmap::new(width_px, height_px).ok_or_else(|| "there is no memory for a picture of that size".to_owned())
}

fn draw(pixmap: &mut Pixmap, part: &Primitive) {
    match &part.outline {
        ScreenOutline::Blocks(blocks) => fill_blocks(pixmap, blocks, part.fill),
        ScreenOutline::Facets(facets) => {
            for corners in facets {
                outline(pixmap, path(corners, End::Closed), part);
            }
        }
        ScreenOutline::Polygon(corners) => outline(pixmap, path(corners, End::Closed), part),
        ScreenOutline::Line(points) => outline(pixmap, path(points, End::Open), part),
        ScreenOutline::Segments(segments) => outline(pixmap, segments_path(segments), part),
        ScreenOutline::Circle([x, y], radius) => {
            outline(pixmap, PathBuilder::from_circle(*x, *y, *radius), part)
        }
        ScreenOutline::Text { at, text, size_px, anchor } => {
            let line = letters(text, place(*at, text, *size_px, *anchor), *size_px);
            let Some(line) = line else { return };
            if let Some(halo) = part.stroke {
                stroke(pixmap, &line, &Stroke { width_px: 2.0 * halo.width_px, ..halo });
            }
            if let Some(colour) = part.fill {
                let paint = paint(colour, Edges::Smooth);
                pixmap.fill_path(&line, &paint, FillRule::Winding, Transform::identity(), None);
            }
        }
    }
}

/// Cells: rectangles of whole pixels, without smoothing.
fn fill_blocks(pixmap: &mut Pixmap, blocks: &[[f32; 4]], fill: Option<Colour>) {
    let Some(fill) = fill else { return };
    let paint = paint(fill, Edges::Sharp);
    for [x, y, width, height] in blocks {
        // Blocks thinner than a pixel have no rectangle.
        if let Some(rectangle) = Rect::from_xywh(*x, *y, *width, *height) {
            pixmap.fill_rect(rectangle, &paint, Transform::identity(), None);
        }
    }
}

fn outline(pixmap: &mut Pixmap, path: Option<Path>, part: &Primitive) {
    let Some(path) = path else { return };
    if let Some(fill) = part.fill {
        pixmap.fill_path(&path, &paint(fill, Edges::Smooth), FillRule::EvenOdd, Transform::identity(), None);
    }
    if let Some(line) = part.stroke {
        stroke(pixmap, &path, &line);
    }
}

fn stroke(pixmap: &mut Pixmap, path: &Path, stroke: &Stroke) {
    let line = Line {
        width: stroke.width_px,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: if stroke.is_dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None },
        ..Line::default()
    };
    pixmap.stroke_path(path, &paint(stroke.colour, Edges::Smooth), &line, Transform::identity(), None);
}

#[derive(Clone, Copy, PartialEq)]
enum Edges {
    Smooth,
    Sharp,
}

fn paint(fill: Colour, edges: Edges) -> Paint<'static> {
    let mut paint = Paint { anti_alias: edges == Edges::Smooth, ..Paint::default() };
    paint.set_color(colour(fill));
    paint
}

fn colour(Colour(red, green, blue, opacity): Colour) -> Color {
    Color::from_rgba8(red, green, blue, opacity)
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Open,
    Closed,
}

fn path(points: &[[f32; 2]], end: End) -> Option<Path> {
    let mut builder = PathBuilder::new();
    add(&mut builder, points);
    if end == End::Closed {
        builder.close();
    }
    builder.finish()
}

fn segments_path(segments: &[[[f32; 2]; 2]]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    segments.iter().for_each(|pair| add(&mut builder, pair));
    builder.finish()
}

fn add(builder: &mut PathBuilder, points: &[[f32; 2]]) {
    for (index, [x, y]) in points.iter().enumerate() {
        if index == 0 { builder.move_to(*x, *y) } else { builder.line_to(*x, *y) }
    }
}

/// Left end of the line that a text stands on.
fn place([x, y]: [f32; 2], text: &str, size_px: f32, anchor: Anchor) -> [f32; 2] {
    let unit = size_px / font::EM_UNITS;
    let width = text_columns(text) as f32 * font::ADVANCE_UNITS * unit;
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    [left, y + font::CAPITAL_UNITS / 2.0 * unit]
}

fn letters(text: &str, [left, baseline]: [f32; 2], size_px: f32) -> Option<Path> {
    let unit = size_px / font::EM_UNITS;
    let mut builder = PathBuilder::new();
    let mut column = 0;
    for character in text.chars() {
        let (from, columns) = (left + column as f32 * font::ADVANCE_UNITS * unit, letter_columns(character));
        column += u32::from(columns);
        // An accent by itself lies on the letter before it: there are only whole letters.
        if columns == 0 {
            continue;
        }
        let at = |[x, y]: [f32; 2]| [from + x * unit, baseline + y * unit];
        for command in font::outline(character) {
            match command {
                OutlinePart::Move(to) => builder.move_to(at(to)[0], at(to)[1]),
                OutlinePart::Line(to) => builder.line_to(at(to)[0], at(to)[1]),
                OutlinePart::Curve(by, to) => {
                    let ([by_x, by_y], [x, y]) = (at(by), at(to));
                    builder.quad_to(by_x, by_y, x, y);
                }
                OutlinePart::Close => builder.close(),
            }
        }
    }
    builder.finish()
}
