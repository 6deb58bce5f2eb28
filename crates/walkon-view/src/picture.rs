//! Pictures of a level as JSON.
//!
//! In: a world, what a client wants to see. Out: layers of shapes with colours, words and what they show, as
//! `docs/protocol.md` has them. Holds: coordinates are metres in the plane of the picture, kept to a
//! millimetre. Not here: what is drawn how (`walkon::view`), bodies, which are frames.

use serde_json::{Map, Value, json};
use walkon::base::geom::{Bounds, Point};
use walkon::glam::Vec3;
use walkon::nav::Layout;
use walkon::view::{
    Colour, Figure, GroundProjection, Layer, LegendEntry, Parts, Picture, Shape, Slant, Style, Swatch, Tag,
    draw_ground, draw_scene, draw_scenery,
};
use walkon::world::World;

use crate::client::{MOVING, STILL, Wishes};

/// Triangles of the scene that a graph was made from.
pub type Scenery = [[Vec3; 3]];

/// Everything that stands still.
#[must_use]
pub fn still(world: &World, wishes: &Wishes, scenery: &Scenery) -> Value {
    let parts = wishes.among(&STILL);
    let mut picture = blank(world, wishes);
    if let Some(graph) = world.nav().graph().filter(|_| parts.has(walkon::view::PicturePart::Cells)) {
        draw_scenery(&mut picture, scenery, graph.draft().points());
    }
    draw_ground(&mut picture, world, parts);
    draw_scene(&mut picture, world, parts.with(walkon::view::PicturePart::Names));
    let labels: Vec<Value> = picture.labels.iter().map(label).collect();
    let legend: Vec<Value> = picture.legend.iter().filter_map(explained).collect();
    json!({ "layers": layers(world, &picture.layers), "labels": labels, "legend": legend })
}

/// The layers that move; none when the client wants none.
#[must_use]
pub fn moving(world: &World, wishes: &Wishes) -> Option<Value> {
    let parts = wishes.among(&MOVING);
    if parts == Parts::NONE {
        return None;
    }
    let mut picture = blank(world, wishes);
    draw_scene(&mut picture, world, parts);
    if !wishes.selected.is_empty() {
        picture.layers.iter_mut().for_each(|layer| {
            layer.shapes.retain(|shape| is_of(world, &shape.tag, wishes));
        });
    }
    Some(layers(world, &picture.layers))
}

/// The layers of a search, for somebody who tests paths.
#[must_use]
pub fn of_search(world: &World, picture: &Picture) -> Value {
    layers(world, &picture.layers)
}

/// An empty picture of a level, as a client looks at it.
#[must_use]
pub fn blank(world: &World, wishes: &Wishes) -> Picture {
    let frame = world.nav().cells().map(|cells| *cells.frame());
    let cell_m = frame.map_or(0.0, |frame| frame.cell_size_m);
    let mut picture = Picture::new(world.level_name(), world.nav().bounds(), cell_m);
    (picture.map_layer, picture.slant) = (wishes.layer, wishes.slant);
    picture.tile_m = tile_m(world);
    if is_isometric(world) {
        picture.projection = GroundProjection::Isometric;
    }
    picture
}

/// Width and depth of a tile of a map of squares, metres.
#[must_use]
pub fn tile_m(world: &World) -> Option<[f64; 2]> {
    let frame = *world.nav().cells()?.frame();
    matches!(frame.layout(), Layout::Square4 | Layout::Square8).then(|| frame.tile_size_m())
}

/// Whether the ground is shown as diamonds.
#[must_use]
pub fn is_isometric(world: &World) -> bool {
    world.tiles().is_some_and(|tiles| tiles.is_isometric)
}

/// Lowest and highest ground, metres.
#[must_use]
pub fn heights_m(world: &World) -> [f64; 2] {
    let nav = world.nav();
    let heights: Vec<f64> = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh
            .patches(&walkon::Traversal::default())
            .into_iter()
            .flat_map(|patch| patch.heights_m)
            .collect(),
        (_, Some(graph)) => graph.draft().points().iter().map(|point| f64::from(point.y)).collect(),
        _ => return [nav.cells().map_or(0.0, |cells| cells.frame().floor_y_m); 2],
    };
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { [low, high] } else { [0.0, 0.0] }
}

/// Whether a shape is about one of those whom the client has selected.
fn is_of(world: &World, tag: &Tag, wishes: &Wishes) -> bool {
    let who = match tag {
        Tag::Walk(walk) | Tag::Request(walk) => world.walk(*walk).map(|walk| walk.character),
        Tag::Obstacle(_) | Tag::Watch(_) | Tag::Sense(_) => return true,
        Tag::Desired(who) | Tag::Velocity(who) | Tag::Nudge(who) | Tag::Replan(who) => Some(*who),
        _ => return true,
    };
    let serial = who.and_then(|who| world.character(who)).map(|character| character.serial);
    serial.is_some_and(|serial| wishes.selected.contains(&serial))
}

fn layers(world: &World, layers: &[Layer]) -> Value {
    let of = |layer: &Layer| {
        let shapes: Vec<Value> = layer.shapes.iter().map(|shape| shape_json(world, shape)).collect();
        json!({ "name": layer.name, "shapes": shapes })
    };
    layers.iter().map(of).collect()
}

fn shape_json(world: &World, shape: &Shape) -> Value {
    let mut object = Map::new();
    let (form, value) = match &shape.form {
        Figure::Blocks(blocks) => ("blocks", blocks.iter().map(block).collect()),
        Figure::Facets(facets) => ("facets", facets.iter().map(|facet| points(facet)).collect()),
        Figure::Polygon(corners) => ("polygon", points(corners)),
        Figure::Line(corners) => ("line", points(corners)),
        Figure::Circle { centre, radius_m } => {
            ("circle", json!([metres(centre[0]), metres(centre[1]), metres(*radius_m)]))
        }
        Figure::Dot { centre, radius_px } => {
            ("dot", json!([metres(centre[0]), metres(centre[1]), metres(f64::from(*radius_px))]))
        }
    };
    object.insert(form.to_owned(), value);
    add_style(&mut object, &shape.look);
    add_tag(&mut object, world, &shape.tag);
    if !shape.hint.is_empty() {
        object.insert("hint".to_owned(), shape.hint.clone().into());
    }
    Value::Object(object)
}

fn add_style(object: &mut Map<String, Value>, look: &Style) {
    let colours =
        [("fill", look.fill), ("hatch", look.hatch), ("stroke", look.stroke.map(|line| line.colour))];
    for (name, colour) in colours {
        if let Some(colour) = colour {
            object.insert(name.to_owned(), hex(colour).into());
        }
    }
    if let Some(stroke) = look.stroke {
        object.insert("width".to_owned(), metres(f64::from(stroke.width_px)).into());
        if stroke.is_dashed {
            object.insert("dashed".to_owned(), true.into());
        }
    }
}

fn add_tag(object: &mut Map<String, Value>, world: &World, tag: &Tag) {
    object.insert("kind".to_owned(), tag.kind().into());
    object.insert("key".to_owned(), tag.key().into());
    if let Some(name) = name_of(world, tag) {
        object.insert("name".to_owned(), name.into());
    }
}

/// What the thing that a shape shows is called.
fn name_of(world: &World, tag: &Tag) -> Option<String> {
    let of_character = |who| Some(world.name_of(who).to_owned());
    match tag {
        Tag::Area(id) => world.areas().get(id.index()).map(|area| area.name.clone()),
        Tag::Door(id) => world.doors().get(id.index()).map(|door| door.name.clone()),
        Tag::Region(id) => world.regions().get(id.index()).map(|region| region.name.clone()),
        Tag::Mark(name) | Tag::Route(name) => Some(name.clone()),
        Tag::Walk(id) | Tag::Request(id) => of_character(world.walk(*id)?.character),
        Tag::Character(who)
        | Tag::Obstacle(who)
        | Tag::Desired(who)
        | Tag::Velocity(who)
        | Tag::Nudge(who)
        | Tag::Replan(who) => of_character(*who),
        Tag::Cells(_) | Tag::Link(_) | Tag::Watch(_) | Tag::Sense(_) | Tag::Search(_) | Tag::Furniture => {
            None
        }
    }
}

fn label(label: &walkon::view::Label) -> Value {
    json!({
        "at": point(&label.at), "text": label.text, "colour": hex(label.colour),
        "size": metres(f64::from(label.size_px)), "importance": label.importance,
        "kind": label.tag.kind(), "key": label.tag.key(),
    })
}

fn explained(entry: &LegendEntry) -> Option<Value> {
    let swatch = entry.swatch.as_ref()?;
    let kind = match swatch {
        Swatch::Patch(_) => "patch",
        Swatch::Line(_) => "line",
        Swatch::Dot(_) => "dot",
    };
    let mut object = Map::new();
    object.insert("swatch".to_owned(), kind.into());
    object.insert("text".to_owned(), entry.text.clone().into());
    add_style(&mut object, swatch.look());
    Some(Value::Object(object))
}

fn points(points: &[Point]) -> Value {
    points.iter().map(point).collect()
}

fn point(at: &Point) -> Value {
    json!([metres(at[0]), metres(at[1])])
}

fn block(bounds: &Bounds) -> Value {
    json!([metres(bounds.min[0]), metres(bounds.min[1]), metres(bounds.max[0]), metres(bounds.max[1])])
}

/// A number to three digits: a millimetre.
fn metres(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// `#rrggbbaa`.
fn hex(Colour(red, green, blue, opacity): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}{opacity:02x}")
}

/// The slant of that name.
#[must_use]
pub fn slant(name: &str) -> Option<Slant> {
    match name {
        "top" => Some(Slant::Top),
        "oblique" => Some(Slant::Oblique),
        _ => None,
    }
}
