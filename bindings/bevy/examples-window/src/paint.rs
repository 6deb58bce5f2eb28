//! The pixels of the window: ground, doors and characters from above.
//!
//! In: the games, the `Transform`s of their characters, the size of the window. Out: its pixels. Holds: the ground is
//! drawn when the map or the window changes, doors and characters in every frame. Not here: keys, words.

use std::num::NonZeroU32;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use bevy_window::{RawHandleWrapper, ThreadLockedRawWindowHandleWrapper, Window};
use softbuffer::{Context, SoftBufferError, Surface};
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Stroke, Transform as Scaling};
use walkon_bevy::walkon::{CharacterId, Revision, World};
use walkon_bevy::{Games, Walker, WalkonLevel};
use walkon_runtime::view::{
    Colour, Figure, Parts, Picture, PicturePart, Shape, Style, Tag, character_colours, draw_ground,
    draw_scene, theme,
};

/// Room around the map, pixels.
const MARGIN_PX: f32 = 12.0;
/// How far the line that shows where a character looks reaches, in radii.
const NOSE: f32 = 1.8;

/// Draws the first level of the app into its window.
pub struct PaintPlugin;

impl Plugin for PaintPlugin {
    fn build(&self, app: &mut App) {
        // After `TransformPlugin` and everything else that may move a character.
        app.init_non_send::<Canvas>().add_systems(Last, paint);
    }
}

/// What is drawn on; on the main thread, where some systems want their windows to be.
#[derive(Default)]
struct Canvas {
    surface: Option<WindowSurface>,
    ground: Option<Ground>,
}

type WindowSurface = Surface<ThreadLockedRawWindowHandleWrapper, ThreadLockedRawWindowHandleWrapper>;

/// The ground as it was last drawn.
struct Ground {
    /// The level, its map, the size of the window: of anything else it is drawn again.
    of: (Entity, Revision, [u32; 2]),
    pixels: Pixmap,
}

fn paint(
    mut canvas: NonSendMut<Canvas>,
    windows: Query<(&Window, &RawHandleWrapper)>,
    levels: Query<(Entity, &Children), With<WalkonLevel>>,
    walkers: Query<(&Walker, &Transform)>,
    games: NonSend<Games>,
) -> Result {
    let Ok((window, handle)) = windows.single() else {
        // The window is being closed.
        *canvas = Canvas::default();
        return Ok(());
    };
    let size = [window.physical_width(), window.physical_height()];
    let shown = levels.iter().find_map(|(level, walkers)| Some((level, walkers, games.get(level)?)));
    let [Some(width), Some(height)] = size.map(NonZeroU32::new) else { return Ok(()) };
    let Some((level, children, live)) = shown else { return Ok(()) };
    let world = live.game().world();
    let view = view_of(world, size);
    let canvas = &mut *canvas;

    let of = (level, world.nav().revision(), size);
    if canvas.ground.as_ref().is_none_or(|ground| ground.of != of) {
        let Some(mut pixels) = Pixmap::new(size[0], size[1]) else { return Ok(()) };
        pixels.fill(colour(theme::PAPER));
        draw(&mut pixels, view, &shapes(world, draw_ground));
        canvas.ground = Some(Ground { of, pixels });
    }
    let Some(mut frame) = canvas.ground.as_ref().map(|ground| ground.pixels.clone()) else { return Ok(()) };
    draw(&mut frame, view, &shapes(world, draw_scene));
    let colours = character_colours(world);
    for (walker, place) in walkers.iter_many(children).flatten() {
        let own = colours.iter().find(|(id, _)| *id == walker.id).map_or(theme::CHARACTER, |own| own.1);
        draw(&mut frame, view, &body(world, walker.id, place, own));
    }

    let surface = match &mut canvas.surface {
        Some(surface) => surface,
        none => none.insert(surface_of(handle).map_err(|error| error.to_string())?),
    };
    // These errors hold addresses, which errors of systems may not.
    show(surface, [width, height], &frame).map_err(|error| error.to_string().into())
}

/// What the window is drawn through.
#[allow(
    unsafe_code,
    reason = "what a window is to other libraries is an address, and who uses it says where"
)]
fn surface_of(handle: &RawHandleWrapper) -> Result<WindowSurface, SoftBufferError> {
    // SAFETY: what is not to be sent runs on the main thread, which made the window; the handle keeps the window.
    let [display, window] = unsafe { [handle.get_handle(), handle.get_handle()] };
    Surface::new(&Context::new(display)?, window)
}

fn show(
    surface: &mut WindowSurface,
    [width, height]: [NonZeroU32; 2],
    frame: &Pixmap,
) -> Result<(), SoftBufferError> {
    surface.resize(width, height)?;
    let mut buffer = surface.buffer_mut()?;
    for (shown, drawn) in buffer.iter_mut().zip(frame.pixels()) {
        *shown = u32::from_be_bytes([0, drawn.red(), drawn.green(), drawn.blue()]);
    }
    buffer.present()
}

/// From metres to pixels: the whole map in the middle of the window.
fn view_of(world: &World, size: [u32; 2]) -> Scaling {
    let (bounds, [width, height]) = (world.nav().bounds(), size.map(|side| side as f32));
    let [left, top] = bounds.min.map(|at| at as f32);
    let [wide_m, deep_m] = [0, 1].map(|axis| (bounds.max[axis] - bounds.min[axis]).max(1.0) as f32);
    let scale = ((width - 2.0 * MARGIN_PX) / wide_m).min((height - 2.0 * MARGIN_PX) / deep_m).max(0.1);
    let [x, y] = [(width - scale * wide_m) / 2.0, (height - scale * deep_m) / 2.0];
    Scaling::from_row(scale, 0.0, 0.0, scale, x - scale * left, y - scale * top)
}

/// Shapes of the level as `walkon draw` has them, in metres.
fn shapes(world: &World, drawing: fn(&mut Picture, &World, Parts)) -> Vec<Shape> {
    let cell_m = world.nav().cells().map_or(0.0, |cells| cells.frame().cell_size_m);
    let mut picture = Picture::new("", world.nav().bounds(), cell_m);
    let parts = [PicturePart::Cells, PicturePart::Areas, PicturePart::Doors];
    drawing(&mut picture, world, parts.into_iter().fold(Parts::NONE, Parts::with));
    picture.layers.into_iter().flat_map(|layer| layer.shapes).collect()
}

/// A character at the place that is between two ticks.
fn body(world: &World, who: CharacterId, place: &Transform, own: Colour) -> Vec<Shape> {
    let radius_m = world.character(who).map_or(0.3, |character| character.body.radius_m);
    // Away from where Bevy's `forward` points: a model looks along +z.
    let to = place.translation + place.back() * (NOSE * radius_m);
    let [centre, nose] = [place.translation, to].map(|at| [f64::from(at.x), f64::from(at.z)]);
    let disc = Figure::Circle { centre, radius_m: f64::from(radius_m) };
    vec![
        Shape::new(Figure::Line(vec![centre, nose]), Style::line(theme::INK, 2.0), Tag::Character(who)),
        Shape::new(disc, Style::filled(own).stroked(theme::INK, 1.5), Tag::Character(who)),
    ]
}

fn draw(pixels: &mut Pixmap, view: Scaling, shapes: &[Shape]) {
    for shape in shapes {
        // Neighbouring cells meet without seams.
        let anti_alias = !matches!(shape.form, Figure::Blocks(_) | Figure::Facets(_));
        let paint = |own| {
            let mut paint = Paint { anti_alias, ..Paint::default() };
            paint.set_color(colour(own));
            paint
        };
        let Some(path) = outline(&shape.form, view.sx) else { continue };
        if let Some(fill) = shape.look.fill {
            pixels.fill_path(&path, &paint(fill), FillRule::EvenOdd, view, None);
        }
        if let Some(line) = shape.look.stroke {
            let stroke = Stroke { width: line.width_px / view.sx, ..Stroke::default() };
            pixels.stroke_path(&path, &paint(line.colour), &stroke, view, None);
        }
    }
}

/// A form in metres.
fn outline(form: &Figure, scale: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    let mut add = |corners: &[[f64; 2]], is_closed: bool| {
        for (index, [x, z]) in corners.iter().map(|at| at.map(|metres| metres as f32)).enumerate() {
            if index == 0 { path.move_to(x, z) } else { path.line_to(x, z) }
        }
        if is_closed {
            path.close();
        }
    };
    match form {
        Figure::Polygon(corners) => add(corners, true),
        Figure::Line(points) => add(points, false),
        Figure::Facets(facets) => facets.iter().for_each(|corners| add(corners, true)),
        Figure::Blocks(blocks) => blocks.iter().for_each(|block| {
            let [[left, top], [right, bottom]] = [block.min, block.max];
            add(&[[left, top], [right, top], [right, bottom], [left, bottom]], true);
        }),
        Figure::Circle { centre: [x, z], radius_m } => {
            path.push_circle(*x as f32, *z as f32, *radius_m as f32)
        }
        Figure::Dot { centre: [x, z], radius_px } => {
            path.push_circle(*x as f32, *z as f32, radius_px / scale)
        }
    }
    path.finish()
}

fn colour(Colour(red, green, blue, opacity): Colour) -> Color {
    Color::from_rgba8(red, green, blue, opacity)
}
