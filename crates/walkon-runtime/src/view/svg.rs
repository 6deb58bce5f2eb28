//! Writes a picture as SVG text.
//!
//! In: a [`Screen`]. Out: one document, UTF-8. Holds: every shape carries `data-kind` and `data-key` of what
//! it shows; words are escaped, so no name can close an element; the same screen gives the same bytes.

use std::fmt::Write as _;

use super::picture::{Colour, Stroke, Tag};
use super::screen::{Anchor, Primitive, Screen, ScreenOutline};

/// The document, of one picture or of several below one another.
#[must_use]
pub fn render(screens: &[Screen]) -> String {
    let (width, height) = Screen::stacked_px(screens);
    let background = screens.first().map(|screen| screen.background);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\">\n\
         <rect width=\"{width}\" height=\"{height}\"{}/>\n",
        paint("fill", background)
    );
    let mut top_px = 0;
    for (number, screen) in (1..).zip(screens) {
        match screens.len() {
            1 => groups(&mut svg, screen, ""),
            _ => {
                // Writing into a String cannot fail.
                let _ = writeln!(svg, "<svg y=\"{top_px}\">");
                groups(&mut svg, screen, &format!("-{number}"));
                svg.push_str("</svg>\n");
            }
        }
        top_px += screen.height_px;
    }
    svg.push_str("</svg>\n");
    svg
}

/// Writes the groups of a picture; `after` stands after their names.
fn groups(svg: &mut String, screen: &Screen, after: &str) {
    for group in &screen.groups {
        // Writing into a String cannot fail.
        let _ = writeln!(svg, "<g id=\"{}{after}\">", group.name);
        for primitive in &group.primitives {
            element(svg, primitive);
        }
        svg.push_str("</g>\n");
    }
}

fn element(svg: &mut String, part: &Primitive) {
    if let ScreenOutline::Text { .. } = &part.outline {
        return words(svg, part);
    }
    let style = format!(
        "{}{}{}",
        paint("fill", part.fill),
        part.stroke.map_or_else(String::new, |stroke| line(&stroke)),
        data(&part.tag)
    );
    let (name, shape) = match &part.outline {
        ScreenOutline::Blocks(blocks) => (
            "path",
            format!(" d=\"{}\" shape-rendering=\"crispEdges\"", blocks.iter().map(block).collect::<String>()),
        ),
        ScreenOutline::Facets(facets) => {
            let facets = facets.iter().map(|corners| path(corners) + "Z").collect::<String>();
            let joined = if part.stroke.is_some() { "" } else { " stroke-linejoin=\"round\"" };
            ("path", format!(" d=\"{facets}\"{joined}"))
        }
        ScreenOutline::Polygon(corners) => {
            ("path", format!(" d=\"{}Z\" fill-rule=\"evenodd\"", path(corners)))
        }
        ScreenOutline::Line(points) => ("path", format!(" d=\"{}\"", path(points))),
        ScreenOutline::Segments(segments) => {
            ("path", format!(" d=\"{}\"", segments.iter().map(|pair| path(pair)).collect::<String>()))
        }
        ScreenOutline::Circle([x, y], radius) => {
            ("circle", format!(" cx=\"{}\" cy=\"{}\" r=\"{}\"", short(*x), short(*y), short(*radius)))
        }
        ScreenOutline::Text { .. } => return,
    };
    let _ = match part.hint.as_str() {
        "" => writeln!(svg, "<{name}{shape}{style}/>"),
        hint => writeln!(svg, "<{name}{shape}{style}><title>{}</title></{name}>", escaped(hint)),
    };
}

fn words(svg: &mut String, part: &Primitive) {
    let ScreenOutline::Text { at, text, size_px, anchor } = &part.outline else { return };
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let halo =
        part.stroke.map_or_else(String::new, |stroke| format!("{} paint-order=\"stroke\"", line(&stroke)));
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{}{halo}{}>{}</text>",
        short(at[0]),
        // The anchor is half a capital letter above the line the letters stand on.
        short(at[1] + size_px * 0.35),
        short(*size_px),
        paint("fill", part.fill),
        data(&part.tag),
        escaped(text)
    );
}

fn block([x, y, w, h]: &[f32; 4]) -> String {
    format!("M{} {}h{}v{}h{}z", short(*x), short(*y), short(*w), short(*h), short(-*w))
}

fn path(points: &[[f32; 2]]) -> String {
    let mut text = String::new();
    for (index, [x, y]) in points.iter().enumerate() {
        let _ = write!(text, "{}{} {}", if index == 0 { 'M' } else { 'L' }, short(*x), short(*y));
    }
    text
}

fn line(stroke: &Stroke) -> String {
    let dashes = if stroke.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    format!(
        "{} stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}",
        paint("stroke", Some(stroke.colour)),
        short(stroke.width_px)
    )
}

fn paint(what: &str, colour: Option<Colour>) -> String {
    match colour {
        None => format!(" {what}=\"none\""),
        Some(Colour(r, g, b, 255)) => format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\""),
        Some(Colour(r, g, b, a)) => {
            format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\" {what}-opacity=\"{}\"", short(f32::from(a) / 255.0))
        }
    }
}

fn data(tag: &Tag) -> String {
    match tag {
        Tag::Furniture => String::new(),
        tag => format!(" data-kind=\"{}\" data-key=\"{}\"", tag.kind(), escaped(&tag.key())),
    }
}

/// At most two digits after the point and none that mean nothing.
fn short(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Characters that XML does not allow at all.
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_close_an_element_and_control_characters_go() {
        assert_eq!(escaped("</g><script>\u{1b}\""), "&lt;/g&gt;&lt;script&gt;\u{FFFD}&quot;");
    }

    #[test]
    fn numbers_carry_no_idle_digits() {
        assert_eq!(
            [short(1.0), short(0.5), short(-0.001), short(12.345)],
            ["1", "0.5", "0", "12.35"].map(String::from)
        );
    }
}
