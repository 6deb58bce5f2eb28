//! Pictures of a level as JSON.
//!
//! In: a world, what a client wants to see. Out: layers of shapes with colours, words and what they show, as
//! `docs/protocol.md` has them. Holds: coordinates are metres in the plane of the picture, kept to a
//! millimetre. Not here: what is drawn how (`walkon_runtime::view`), bodies, which are frames.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use walkon_runtime::base::geom::{Bounds, Point};
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::{Layout, Stagger};
use walkon_runtime::view::{
    Colour, Figure, GroundProjection, Layer, LegendEntry, Parts, Picture, SceneTriangle, SearchScene, Shape,
    Slant, Style, Swatch, Tag, draw_ground, draw_scene, draw_scenery, draw_search, scene_triangles,
};
use walkon_runtime::world::World;
use walkon_runtime::world::region::{Watch, WatchShape};

use crate::client::{MOVING, STILL, Viewpoint, Wishes};

/// Triangles of the scene that a graph was made from.
pub type Scenery = [[Vec3; 3]];

/// Everything that stands still.
#[must_use]
pub fn still(world: &World, wishes: &Wishes, scenery: &Scenery) -> Value {
    let parts = wishes.among(&STILL);
    let graph = world.nav().graph().filter(|_| parts.has(walkon_runtime::view::PicturePart::Cells));
    let points = graph.map(|graph| graph.draft().points()).unwrap_or_default();
    let is_flat = matches!(wishes.view, Viewpoint::From(_));
    let seen = ClientPicture::draw(world, wishes, &mut |picture| {
        if graph.is_some() && is_flat {
            draw_scenery(picture, scenery, points);
        }
        draw_ground(picture, world, parts);
        draw_scene(picture, world, parts.with(walkon_runtime::view::PicturePart::Names));
    });
    let mut still = json!({ "layers": seen.layers(world), "labels": seen.labels() });
    let mut legend = seen.legend();
    if graph.is_some() && !is_flat {
        let triangles = scene_triangles(scenery, points);
        legend.splice(0..0, scenery_legend(&triangles));
        still["scenery"] = scenery_json(&triangles);
    }
    still["legend"] = legend.into();
    still
}

/// The layers that move; none when the client wants none.
#[must_use]
pub fn moving(world: &World, wishes: &Wishes) -> Option<ExplainedLayers> {
    let parts = wishes.among(&MOVING);
    if parts == Parts::NONE {
        return None;
    }
    let seen = ClientPicture::draw(world, wishes, &mut |picture| {
        draw_scene(picture, world, parts);
        if !wishes.selected.is_empty() {
            let watchers = Watchers::of(world);
            picture.layers.iter_mut().for_each(|layer| {
                layer.shapes.retain(|shape| watchers.is_of(world, &shape.tag, wishes));
            });
        }
    });
    Some(ExplainedLayers { layers: seen.layers(world), legend: seen.legend().into() })
}

/// Layers of a picture and what they mean.
pub struct ExplainedLayers {
    /// Layers.
    pub layers: Value,
    /// What their colours mean.
    pub legend: Value,
}

/// The layers of a search, for tests of paths.
#[must_use]
pub fn of_search(world: &World, wishes: &Wishes, search: &SearchScene<'_>) -> ExplainedLayers {
    let seen = ClientPicture::draw(world, wishes, &mut |picture| draw_search(picture, search));
    ExplainedLayers { layers: seen.layers(world), legend: seen.legend().into() }
}

/// A picture as a client looks at it.
struct ClientPicture {
    picture: Picture,
    /// The same as it is seen from the side, where the client wants to know how high everything lies:
    /// whatever is higher is moved by its height there, and nothing else differs.
    raised: Option<Picture>,
}

impl ClientPicture {
    fn draw(world: &World, wishes: &Wishes, draw: &mut dyn FnMut(&mut Picture)) -> Self {
        let mut drawn = |slant: Slant| {
            let mut picture = blank(world, wishes.layer, slant);
            draw(&mut picture);
            picture
        };
        match wishes.view {
            Viewpoint::From(slant) => Self { picture: drawn(slant), raised: None },
            Viewpoint::Anywhere => Self { picture: drawn(Slant::Top), raised: Some(drawn(Slant::Oblique)) },
        }
    }

    fn layers(&self, world: &World) -> Value {
        let raised = self.raised.iter().flat_map(|picture| &picture.layers).map(Some);
        let raised = raised.chain(std::iter::repeat(None));
        let of = |(layer, raised): (&Layer, Option<&Layer>)| {
            let shapes = (0..).zip(&layer.shapes).map(|(at, shape)| {
                let raised = raised.and_then(|raised| raised.shapes.get(at));
                let heights = raised.and_then(|raised| heights_of(&shape.form, &raised.form));
                let (Some(raised), Some(heights)) = (raised, heights) else {
                    return Value::Object(shape_json(world, shape));
                };
                // From above some shapes look as if they lay below others, which is not how they look from
                // anywhere.
                let form = match (&shape.form, &raised.form) {
                    (&Figure::Dot { centre, .. }, &Figure::Dot { radius_px, .. }) => {
                        Figure::Dot { centre, radius_px }
                    }
                    (form, _) => form.clone(),
                };
                let seen = Shape { form, ..raised.clone() };
                let mut object = shape_json(world, &seen);
                object.insert("ys".to_owned(), heights.into_iter().map(metres).collect());
                Value::Object(object)
            });
            json!({ "name": layer.name, "shapes": shapes.collect::<Vec<_>>() })
        };
        self.picture.layers.iter().zip(raised).map(of).collect()
    }

    fn legend(&self) -> Vec<Value> {
        self.picture.legend.iter().filter_map(explained).collect()
    }

    fn labels(&self) -> Vec<Value> {
        let raised = self.raised.as_ref().map(|picture| picture.labels.as_slice()).unwrap_or_default();
        let of = |(at, one): (usize, &walkon_runtime::view::Label)| {
            let mut object = label(one);
            if let Some(raised) = raised.get(at) {
                object["y"] = metres(height_m(one.at, raised.at)).into();
            }
            object
        };
        self.picture.labels.iter().enumerate().map(of).collect()
    }
}

/// How high a point lies, of which it is known where it is seen from above and from the side.
fn height_m(above: Point, aside: Point) -> f64 {
    let [_, up] = Slant::Oblique.at([0.0, 0.0], 1.0);
    (aside[1] - above[1]) / up
}

/// How high the points of a shape lie, in their order; none where they are not one by one the same.
fn heights_of(above: &Figure, aside: &Figure) -> Option<Vec<f64>> {
    let all = |above: &[Point], aside: &[Point]| {
        let pairs = above.iter().zip(aside);
        (above.len() == aside.len()).then(|| pairs.map(|(&one, &other)| height_m(one, other)).collect())
    };
    match (above, aside) {
        (Figure::Polygon(one), Figure::Polygon(other)) | (Figure::Line(one), Figure::Line(other)) => {
            all(one, other)
        }
        (Figure::Circle { centre: one, .. }, Figure::Circle { centre: other, .. })
        | (Figure::Dot { centre: one, .. }, Figure::Dot { centre: other, .. }) => all(&[*one], &[*other]),
        _ => None,
    }
}

/// Triangles of a scene by what they are and their colour.
fn scenery_json(triangles: &[SceneTriangle]) -> Value {
    let mut groups: BTreeMap<(&str, String), Vec<Value>> = BTreeMap::new();
    for triangle in triangles {
        let corner = |corner: &Vec3| json!(corner.to_array().map(|axis| metres(f64::from(axis))));
        let corners = triangle.corners.iter().map(corner).collect();
        groups.entry((triangle.kind, hex(triangle.fill))).or_default().push(corners);
    }
    let group = |((kind, fill), triangles): ((&str, String), Vec<Value>)| json!({ "kind": kind, "fill": fill, "triangles": triangles });
    groups.into_iter().map(group).collect()
}

fn scenery_legend(triangles: &[SceneTriangle]) -> Vec<Value> {
    let kinds: BTreeMap<&str, Colour> =
        triangles.iter().map(|triangle| (triangle.kind, triangle.fill)).collect_map();
    kinds
        .into_iter()
        .map(|(kind, fill)| json!({ "swatch": "patch", "fill": hex(fill), "text": kind }))
        .collect()
}

/// An empty picture of a layer of a level.
fn blank(world: &World, layer: u8, slant: Slant) -> Picture {
    let mut picture = Picture::of_map(world.level_name(), world.nav().bounds(), world.nav());
    (picture.map_layer, picture.slant) = (layer, slant);
    if is_isometric(world) {
        picture.projection = GroundProjection::Isometric;
    }
    picture
}

/// How the tiles of a map of tiles lie; null of other maps.
#[must_use]
pub fn tiling_json(world: &World) -> Value {
    let (Some(_), Some(cells)) = (world.tiles(), world.nav().cells()) else { return Value::Null };
    let frame = cells.frame();
    let word = |stagger| if stagger == Stagger::Odd { "odd" } else { "even" };
    let (layout, moved) = match frame.layout() {
        Layout::Square4 | Layout::Square8 => ("square", Value::Null),
        Layout::StaggeredRows(stagger) => ("staggeredRows", word(stagger).into()),
        Layout::StaggeredColumns(stagger) => ("staggeredColumns", word(stagger).into()),
        Layout::HexPointy(stagger) => ("hexPointy", word(stagger).into()),
        Layout::HexFlat(stagger) => ("hexFlat", word(stagger).into()),
    };
    let (size_m, bounds) = (frame.tile_size_m(), world.nav().bounds());
    json!({ "layout": layout, "moved": moved, "size": size_m, "origin": bounds.min })
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
            .patches(&walkon_runtime::nav::Traversal::default())
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

/// Whose watches and senses there are, looked up once for all shapes of a picture.
struct Watchers {
    /// The character that a watch is around, by the number of the watch; those at fixed places belong to
    /// none.
    by_watch: BTreeMap<u64, CharacterId>,
    by_sense: BTreeMap<u64, CharacterId>,
}

impl Watchers {
    fn of(world: &World) -> Self {
        let around = |watch: &Watch| match watch.ground {
            WatchShape::Around { character, .. } => Some((watch.serial, character)),
            _ => None,
        };
        let senses = world.senses().watches().map(|(id, watch)| (id.0, watch.character));
        Self {
            by_watch: world.watches().into_iter().filter_map(around).collect_map(),
            by_sense: senses.collect_map(),
        }
    }

    /// Whether a shape is about a character that the client has selected.
    fn is_of(&self, world: &World, tag: &Tag, wishes: &Wishes) -> bool {
        let who = match tag {
            Tag::Walk(walk) | Tag::Request(walk) => world.walk(*walk).map(|walk| walk.character),
            Tag::Obstacle(_) => return true,
            Tag::Watch(serial) => match self.by_watch.get(serial) {
                Some(character) => Some(*character),
                None => return true,
            },
            Tag::Sense(id) => self.by_sense.get(id).copied(),
            Tag::Desired(who) | Tag::Velocity(who) | Tag::Nudge(who) | Tag::Replan(who) => Some(*who),
            _ => return true,
        };
        let serial = who.and_then(|who| world.character(who)).map(|character| character.serial);
        serial.is_some_and(|serial| wishes.selected.contains(&serial))
    }
}

fn shape_json(world: &World, shape: &Shape) -> Map<String, Value> {
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
    if let Some(y_m) = shape.y_m {
        object.insert("y".to_owned(), metres(y_m).into());
    }
    if !shape.hint.is_empty() {
        object.insert("hint".to_owned(), shape.hint.clone().into());
    }
    object
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

fn label(label: &walkon_runtime::view::Label) -> Value {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use walkon_runtime::game::inputs::LevelTexts;
    use walkon_runtime::glam::Vec3;
    use walkon_runtime::script::vm::fuel::Signals;
    use walkon_runtime::view::{Figure, Parts, PicturePart, Slant};

    use crate::client::Wishes;
    use crate::picture::{heights_of, moving};
    use crate::run_record::RunStart;

    /// How many characters stand in the level, and how many watches each of them has.
    const PEOPLE: usize = 16;
    const WATCHES: usize = 20;

    #[test]
    fn of_all_watches_those_of_whoever_is_selected_are_drawn() {
        let people: Vec<String> = (0..PEOPLE)
            .map(|at| format!(r#"{{ "name": "p{at}", "position": [{at}.5, 1], "behaviour": "eyes.lua" }}"#))
            .collect();
        let level = format!(
            r#"{{ "name": "yard", "characters": [{}], "navigation":
                {{ "areas": [{{ "name": "a", "polygon": [[-1, -1], [60, -1], [60, 9], [-1, 9]] }}] }} }}"#,
            people.join(",")
        );
        let script = format!(
            "return {{ start = function(self) for _ = 1, {WATCHES} do region.near(self.character, 2) end end }}"
        );
        let files = BTreeMap::from([("yard.json".to_owned(), level.into_bytes())]);
        let start = RunStart {
            level: LevelTexts { path: "yard.json".to_owned(), files },
            scripts: BTreeMap::from([("eyes.lua".to_owned(), script)]),
            ..RunStart::default()
        };
        let mut game = start.begin(Arc::new(Signals::default())).unwrap();
        game.start_facts();
        (0..3).for_each(|_| drop(game.tick(&[])));
        assert_eq!(game.world().watches().len(), PEOPLE * WATCHES);
        let first = game.world().characters().next().unwrap().1.serial;
        let parts = Parts::NONE.with(PicturePart::Watches);
        let of = |selected| Wishes { parts, selected, ..Wishes::default() };
        let (everybody, one) = (of(BTreeSet::new()), of(BTreeSet::from([first])));
        let drawn = |wishes: &Wishes| {
            let seen = moving(game.world(), wishes).unwrap();
            let layers = seen.layers.as_array().unwrap();
            let shapes = layers.iter().flat_map(|layer| layer["shapes"].as_array().unwrap());
            shapes.filter(|shape| shape["kind"] == "watch").count()
        };
        assert_eq!((drawn(&everybody), drawn(&one)), (PEOPLE * WATCHES, WATCHES));
    }

    #[test]
    fn two_views_of_a_shape_tell_how_high_its_points_lie() {
        let corners = [Vec3::new(1.0, 0.0, 2.0), Vec3::new(3.0, 2.5, 2.0), Vec3::new(3.0, -1.25, 7.0)];
        let seen = |slant: Slant| Figure::Polygon(corners.map(|corner| slant.place(corner)).to_vec());
        let heights = heights_of(&seen(Slant::Top), &seen(Slant::Oblique)).unwrap();
        assert!(
            heights.iter().zip(&corners).all(|(found, corner)| (found - f64::from(corner.y)).abs() < 1e-9)
        );
        let line = Figure::Line(vec![[0.0, 0.0], [1.0, 1.0]]);
        assert_eq!(heights_of(&seen(Slant::Top), &line), None);
    }
}
