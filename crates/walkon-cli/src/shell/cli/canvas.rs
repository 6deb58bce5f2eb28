//! Pictures of levels and searches: framing, titles, output.
//!
//! In: a world, a layer, the viewpoint. Out: pictures; text, SVG or PNG. Not here: drawing a world (`view`),
//! choosing the tick (`draw`), animations (`draw::animate`).

use std::path::Path;

use glam::Vec3;
use walkon_shell::CommandFailure;

use super::args::ViewArg;
use super::path_question::floor_of;
use crate::base::geom::{Bounds, Point, raise};
use crate::nav::mesh::Patch;
use crate::nav::{NavMap, PathStatus, Traversal};
use crate::shell::output::{OutputFile, is_stream};
use crate::shell::pictures;
use crate::view::{
    GroundProjection, Parts, Picture, PicturePart, Screen, ScreenError, SearchScene, Slant, ascii,
    draw_ground, draw_scene, draw_scenery, draw_search, svg,
};
use crate::world::World;

/// What is left free above and below a map that is seen from the side, metres.
const ROOM_M: f64 = 0.5;

/// The form of a picture, by the suffix of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    Png,
    Svg,
    Text,
}

/// The form that a file's name asks for.
pub(super) fn form_of(path: &Path) -> Result<PictureFormat, CommandFailure> {
    if is_stream(path) {
        return Ok(PictureFormat::Text);
    }
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_ascii_lowercase();
    match suffix.as_str() {
        "png" => Ok(PictureFormat::Png),
        "svg" => Ok(PictureFormat::Svg),
        "txt" => Ok(PictureFormat::Text),
        _ => Err(CommandFailure::usage(format!(
            "{}: expected a name that ends in .png, .svg or .txt",
            path.display()
        ))),
    }
}

/// A picture of a search.
pub(super) fn search_picture(scene: &SearchScene<'_>, layer: u8, slant: Slant) -> Picture {
    let length = || format!("{:.2} m", scene.world.nav().length_in_space_m(&scene.answer.path));
    let words = match (scene.answer.status, scene.answer.trouble) {
        (PathStatus::Complete, _) => length(),
        (PathStatus::Partial, _) => format!("{} of the way", length()),
        (PathStatus::None, None) => "no path".to_owned(),
        (PathStatus::None, Some(why)) => format!("no path, {}", scene.world.reason_of(why).0.name()),
    };
    let name = name_of(scene.world, layer);
    let title = format!("{name}  path: {words}, {} expansions", scene.answer.expansions);
    let mut picture = blank(scene.world, layer, slant, title);
    draw_search(&mut picture, scene);
    picture
}

/// A picture of a level as it stands.
pub(super) fn world_picture(
    world: &World,
    layer: u8,
    slant: Slant,
    parts: Parts,
    backdrop: &[[Vec3; 3]],
) -> Picture {
    let (tick, seconds) = (world.tick().0, world.rate().seconds(world.tick()));
    let title = format!("{}  tick {tick} ({seconds:.2} s)", name_of(world, layer));
    let mut picture = blank(world, layer, slant, title);
    draw_backdrop(&mut picture, world, parts, backdrop);
    draw_ground(&mut picture, world, parts);
    draw_scene(&mut picture, world, parts);
    picture
}

/// The scene below a graph, where the cells of the map are shown.
pub(super) fn draw_backdrop(picture: &mut Picture, world: &World, parts: Parts, backdrop: &[[Vec3; 3]]) {
    if let Some(graph) = world.nav().graph().filter(|_| parts.has(PicturePart::Cells)) {
        draw_scenery(picture, backdrop, graph.draft().points());
    }
}

/// The name of the level, with that of the layer where it has several.
fn name_of(world: &World, layer: u8) -> String {
    let names = world.tiles().filter(|_| world.nav().layer_count() > 1);
    match names.and_then(|tiles| tiles.layer_names().nth(usize::from(layer))) {
        Some(name) => format!("{}  {name}", world.level_name()),
        None => world.level_name().to_owned(),
    }
}

pub(super) fn blank(world: &World, layer: u8, slant: Slant, title: String) -> Picture {
    let mut picture = Picture::of_map(title, bounds(world.nav(), slant), world.nav());
    (picture.map_layer, picture.slant) = (layer, slant);
    if world.tiles().is_some_and(|tiles| tiles.is_isometric) {
        picture.projection = GroundProjection::Isometric;
    }
    picture
}

/// Where some places are looked at from: from the side floors above one another are lifted apart.
pub(super) fn slant_over(view: ViewArg, places: impl IntoIterator<Item = Vec3>) -> Slant {
    match view {
        ViewArg::Top => Slant::Top,
        ViewArg::Oblique => Slant::lifted(places),
    }
}

/// Where a map is looked at from; only one with heights can be looked at from the side.
pub(super) fn slant_of(view: ViewArg, nav: &NavMap) -> Result<Slant, CommandFailure> {
    if view == ViewArg::Oblique && floor_of(nav).is_some() {
        return Err(CommandFailure::usage("--view oblique: this map is flat, expected --view top"));
    }
    if view == ViewArg::Top {
        return Ok(Slant::Top);
    }
    let corners = |patch: Patch| -> Vec<Vec3> {
        patch.outline.iter().zip(&patch.heights_m).map(|(&at, &y_m)| raise(at, y_m)).collect()
    };
    let places: Vec<Vec3> = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.patches(&Traversal::default()).into_iter().flat_map(corners).collect(),
        (_, Some(graph)) => graph.draft().points().to_vec(),
        _ => Vec::new(),
    };
    Ok(slant_over(view, places))
}

/// What there is to see of a map.
fn bounds(nav: &NavMap, slant: Slant) -> Bounds {
    let mut bounds = nav.bounds();
    if slant == Slant::Top {
        return bounds;
    }
    // As wide as from above, as high as what is seen.
    let corners = |patch: Patch| slant.corners(&patch.outline, &patch.heights_m);
    let seen: Vec<Point> = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.patches(&Traversal::default()).into_iter().flat_map(corners).collect(),
        (_, Some(graph)) => graph.draft().points().iter().map(|&point| slant.place(point)).collect(),
        _ => Vec::new(),
    };
    if !seen.is_empty() {
        let seen = Bounds::of(&seen).grown(ROOM_M);
        (bounds.min[1], bounds.max[1]) = (seen.min[1], seen.max[1]);
    }
    bounds
}

/// Writes pictures, below one another, in the form asked for.
pub(super) fn write(
    shown: &[Picture],
    form: PictureFormat,
    scale: Option<f64>,
    target: &OutputFile,
) -> Result<(), CommandFailure> {
    if form == PictureFormat::Text {
        return target.write(text(shown, scale).as_bytes());
    }
    let screens: Result<Vec<Screen>, ScreenError> = shown.iter().map(|one| one.screen(scale)).collect();
    let screens = screens.map_err(|error| CommandFailure::usage(error.to_string()))?;
    if form == PictureFormat::Svg {
        return target.write(svg::render(&screens).as_bytes());
    }
    let bytes = pictures::png(&screens);
    target.write(&bytes.map_err(|error| CommandFailure::io(format!("{}: {error}", target.path().display())))?)
}

/// Pictures as text, below one another.
pub(super) fn text(shown: &[Picture], scale: Option<f64>) -> String {
    let text = |picture: &Picture| ascii::render(picture, columns(picture, scale));
    shown.iter().map(text).collect::<Vec<String>>().join("\n")
}

/// Columns of the text form, from characters per metre.
fn columns(picture: &Picture, scale: Option<f64>) -> u32 {
    match scale {
        Some(scale) => (picture.size_m()[0] * scale).round().clamp(8.0, 16_384.0) as u32,
        None => ascii::COLUMNS,
    }
}
