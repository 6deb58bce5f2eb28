use gif::{ColorOutput, DecodeOptions};

use super::*;
use crate::base::geom::Bounds;
use crate::view::{Figure, Picture, Shape, Style, Swatch, Tag, theme};

/// A picture of a ground of 10 m with a body at `x`.
fn picture(x: f64) -> Picture {
    let mut picture = Picture::new("a title", Bounds { min: [0.0, 0.0], max: [10.0, 10.0] }, 1.0);
    let block = Figure::Blocks(vec![Bounds { min: [0.0, 0.0], max: [10.0, 10.0] }]);
    picture.add("cells", vec![Shape::new(block, Style::filled(theme::CELL_PLAIN), Tag::Cells("free"))]);
    let body = Figure::Circle { centre: [x, 5.0], radius_m: 0.5 };
    picture.add("characters", vec![Shape::new(body, Style::filled(theme::CHARACTER), Tag::Furniture)]);
    picture
}

fn screen(x: f64) -> Screen {
    picture(x).screen(None).unwrap()
}

/// Every frame as a viewer shows it, and its time.
fn shown(bytes: &[u8]) -> Vec<(Vec<[u8; 4]>, u16)> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut canvas = vec![[0; 4]; width * height];
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let (across, left, top) = (usize::from(frame.width), usize::from(frame.left), usize::from(frame.top));
        for (index, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            canvas[(top + index / across) * width + left + index % across].copy_from_slice(pixel);
        }
        frames.push((canvas.clone(), frame.delay));
    }
    frames
}

/// What a viewer ought to show: the screen drawn again, in the nearest colours.
fn expected(screen: &Screen) -> Vec<[u8; 4]> {
    let mut palette = ColourPalette::new();
    let colours = palette.bytes();
    let mut pixmap = blank([screen.width_px, screen.height_px], screen).unwrap();
    screen.groups.iter().flat_map(|group| &group.primitives).for_each(|part| draw(&mut pixmap, part));
    let pixels = pixmap.data().chunks_exact(4);
    let indices = pixels.map(|pixel| usize::from(palette.index([pixel[0], pixel[1], pixel[2]])) * 3);
    indices.map(|at| [colours[at], colours[at + 1], colours[at + 2], 255]).collect()
}

#[test]
fn every_frame_shows_what_a_picture_of_its_own_would() {
    let mut animation = Animation::new();
    let places = [1.0, 1.5, 9.0, 9.0, 5.0];
    places.iter().for_each(|&x| animation.add(&screen(x), 5).unwrap());
    let bytes = animation.finish(&screen(places[0])).unwrap();
    let frames = shown(&bytes);
    // The third place is shown for twice as long; the last a second longer.
    assert_eq!(frames.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(), [5, 5, 10, 105]);
    for ((pixels, _), x) in frames.iter().zip([1.0, 1.5, 9.0, 5.0]) {
        assert!(*pixels == expected(&screen(x)), "{x}");
    }
}

#[test]
fn a_frame_holds_only_what_changed() {
    let mut still = Animation::new();
    let mut moving = Animation::new();
    for index in 0..20 {
        still.add(&screen(1.0), 5).unwrap();
        moving.add(&screen(1.0 + 0.1 * f64::from(index)), 5).unwrap();
    }
    let (still, moving) = (still.finish(&screen(1.0)).unwrap(), moving.finish(&screen(1.0)).unwrap());
    assert_eq!(shown(&still).len(), 1);
    assert_eq!(shown(&moving).len(), 20);
    // A body of 24 x 24 pixels: each frame costs less than its square would.
    assert!(moving.len() - still.len() < 19 * 24 * 24, "{} and {}", still.len(), moving.len());
}

#[test]
fn the_first_frame_has_the_legend_of_all_of_them() {
    let mut animation = Animation::new();
    animation.add(&screen(1.0), 5).unwrap();
    animation.add(&screen(2.0), 5).unwrap();
    let mut first = picture(1.0);
    first.explain(Swatch::Patch(Style::filled(theme::DOOR_OPEN)), "open door");
    let first = first.screen(None).unwrap();
    assert!(first.height_px > screen(1.0).height_px);
    let bytes = animation.finish(&first).unwrap();
    let frames = shown(&bytes);
    assert!(frames[0].0 == expected(&first));
    let legend = first.body_px as usize * first.width_px as usize;
    assert!(frames[0].0[legend..] == frames[1].0[legend..]);
}

#[test]
fn frames_of_other_sizes_are_refused() {
    let mut animation = Animation::new();
    animation.add(&screen(1.0), 5).unwrap();
    let larger = picture(1.0).screen(Some(30.0)).unwrap();
    assert!(animation.add(&larger, 5).unwrap_err().contains("pixels, the others have"));
    assert!(Animation::new().finish(&larger).is_err());
}

#[test]
fn a_frame_that_stands_longer_than_one_can_is_followed_by_more_of_it() {
    let mut animation = Animation::new();
    (0..3).for_each(|_| animation.add(&screen(1.0), 60_000).unwrap());
    let frames = shown(&animation.finish(&screen(1.0)).unwrap());
    assert_eq!(frames.iter().map(|(_, delay)| u64::from(*delay)).sum::<u64>(), 180_000 + 100);
    assert!(frames.iter().all(|(pixels, _)| *pixels == frames[0].0));
}

#[test]
fn the_ground_is_laid_once_and_every_frame_shows_it() {
    let mut animation = Animation::new();
    let moving = |x: f64| {
        let mut picture = picture(x);
        picture.layers.remove(0);
        picture.screen(None).unwrap()
    };
    animation.lay_ground(&picture(1.0).screen(None).map(without_bodies).unwrap()).unwrap();
    [1.0, 2.5, 7.0].iter().for_each(|&x| animation.add(&moving(x), 5).unwrap());
    let frames = shown(&animation.finish(&moving(1.0)).unwrap());
    for ((pixels, _), x) in frames.iter().zip([1.0, 2.5, 7.0]) {
        assert!(*pixels == expected(&screen(x)), "{x}");
    }
}

fn without_bodies(mut screen: Screen) -> Screen {
    screen.groups.retain(|group| group.name != "characters");
    screen
}
