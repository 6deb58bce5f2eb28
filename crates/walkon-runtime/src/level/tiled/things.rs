//! Turns objects into things of a level: characters, doors, regions, marks, routes, areas of ground.
//!
//! In: the objects of a [`RawMap`], its [`MapPlacement`], the [`TileGround`] that its layers made. Out:
//! [`Things`] in metres, and cells of the ground that objects close or name. Holds: the class of an object
//! decides, then its shape; a class that nobody knows means nothing; lengths and speeds in properties are
//! pixels, as everything in such a map; properties that mean nothing here go to the scripts, and an object
//! that becomes nothing is named as left out. Not here: names that clash with those of a level (`resolve`).

mod known_properties;
mod people;
mod props;
mod stairs;

use std::collections::BTreeMap;

use super::distinct::DISTINCT_MAX;
use super::files::short;
use super::ground::{
    CellKind, LAYER_NAMES, TileGround, TiledReport, layers_expected, number_of, shown, split, text_of,
};
use super::inheritance::Inheritance;
use super::place::{MapPlacement, Near};
use super::raw::{ObjectShape, Properties, Property, PropertyValue, RawContent, RawLayer, RawMap, RawObject};
use super::types::Types;
use super::words::{self, Said, truth, truth_of};
use crate::base::geom::Point;
use crate::base::ordered;
use crate::level::def::{
    CHARACTERS_MAX, CharacterDef, DoorDef, LinkDef, MARKS_MAX, MarkDef, POLYGONS_MAX, PlaceDef, Position,
    PropsDef, RegionDef, RegionOutline, RouteDef, StopDef,
};
use crate::level::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use crate::level::json::NAME_BYTES_MAX;
use crate::level::numbers::{self, Number};
use crate::level::tiled::place::PlacedMap;
use crate::nav::LINKS_MAX;

/// Corners of the polygon that stands for an ellipse. Off by less than a hundredth of its size.
const ELLIPSE_CORNERS: usize = 24;

/// Most bytes of the properties of all objects together: classes give theirs to every object that has them.
const PROPS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Most bytes of a name that are kept: what is left of a name is for the number of one that is there twice.
const NAME_KEPT_BYTES: usize = NAME_BYTES_MAX - 12;

/// Most comparisons of a cell with a corner that placing all objects of a map may take: a few seconds.
const COMPARISONS_MAX: u64 = 1 << 27;

/// What stands on a map.
#[derive(Clone, Debug, Default)]
pub(super) struct Things {
    pub characters: Vec<CharacterDef>,
    pub doors: Vec<DoorDef>,
    pub marks: Vec<MarkDef>,
    pub routes: Vec<RouteDef>,
    pub regions: Vec<RegionDef>,
    pub links: Vec<LinkDef>,
}

/// What an object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Player,
    Character,
    Door,
    Region,
    Area,
    Obstacle,
    Mark,
    Route,
    Waypoint,
    Stairs,
    /// Whatever its shape says.
    Shape,
}

/// Classes that mean something, in lower case and without "spawn".
const CLASSES: [(&str, Sort); 27] = [
    ("player", Sort::Player),
    ("npc", Sort::Character),
    ("guard", Sort::Character),
    ("enemy", Sort::Character),
    ("monster", Sort::Character),
    ("character", Sort::Character),
    ("door", Sort::Door),
    ("gate", Sort::Door),
    ("region", Sort::Region),
    ("trigger", Sort::Region),
    ("triggerzone", Sort::Region),
    ("zone", Sort::Region),
    ("area", Sort::Area),
    ("obstacle", Sort::Obstacle),
    ("wall", Sort::Obstacle),
    ("walls", Sort::Obstacle),
    ("collision", Sort::Obstacle),
    ("mark", Sort::Mark),
    ("location", Sort::Mark),
    ("route", Sort::Route),
    ("path", Sort::Route),
    ("way", Sort::Route),
    ("patrol", Sort::Route),
    ("waypoint", Sort::Waypoint),
    ("stairs", Sort::Stairs),
    ("ladder", Sort::Stairs),
    ("link", Sort::Stairs),
];

fn sort_of(class: &str) -> Sort {
    let plain: String = class.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let plain = plain.strip_suffix("spawn").or(plain.strip_prefix("spawn")).unwrap_or(&plain);
    CLASSES.iter().find(|(known, _)| *known == plain).map_or(Sort::Shape, |(_, sort)| *sort)
}

/// Places the objects of a map.
pub(super) fn put(
    findings: &mut Findings,
    said: &mut Said,
    PlacedMap { map, types, place }: PlacedMap<'_>,
    ground: &mut TileGround,
    report: &mut TiledReport,
) -> Things {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for object in objects(map) {
        names.insert(object.id, object.name.clone());
    }
    let mut putting = Putting {
        findings,
        said,
        place,
        types,
        ground,
        object_by_name: object_by_name(&names),
        object_names: names,
        taken: BTreeMap::new(),
        inheritance: Inheritance::default(),
        comparisons_left: COMPARISONS_MAX,
        props_bytes_left: PROPS_BYTES_MAX,
        feet: BTreeMap::new(),
        stairs: Vec::new(),
        things: Things::default(),
        waypoints: BTreeMap::new(),
        doors_by_area: BTreeMap::new(),
    };
    putting.tile_doors();
    for (index, layer) in map.layers.iter().enumerate() {
        if let RawContent::Objects(objects) = &layer.content {
            let blocked = putting.layer(layer, objects);
            report.layers[index].counts.blocked = blocked;
            if blocked > 0 {
                report.layers[index].role = "obstacle";
            }
        }
    }
    putting.end_routes();
    putting.end_stairs();
    putting.check_counts(map.span);
    putting.things
}

/// By name that any object has: the object with the lowest number of them.
fn object_by_name(names: &BTreeMap<u32, String>) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for (id, name) in names.iter().filter(|(_, name)| !name.is_empty()) {
        found.entry(name.clone()).or_insert(*id);
    }
    found
}

fn objects(map: &RawMap) -> impl Iterator<Item = &RawObject> {
    map.layers.iter().flat_map(|layer| match &layer.content {
        RawContent::Objects(objects) => objects.as_slice(),
        _ => &[],
    })
}

/// A stop of a route that is drawn as single points.
struct Waypoint {
    order: f64,
    id: u32,
    stop: StopDef,
    span: Span,
}

/// Stairs whose other end may not have been met yet.
struct Stairs {
    from: (usize, Point),
    to: StairsTarget,
    both_ways: bool,
    cost_m: f64,
    action: Option<String>,
    /// The object as a sentence has it, and where it stands.
    called: String,
    span: Span,
    pointer: String,
}

/// Where stairs lead.
enum StairsTarget {
    /// To the same place of a layer.
    Layer(usize),
    /// To an object, by its number.
    Object(u32),
}

struct Putting<'r, 'f> {
    findings: &'f mut Findings,
    said: &'r mut Said,
    place: &'r MapPlacement,
    types: &'r Types,
    ground: &'r mut TileGround,
    /// Names of all objects by their number.
    object_names: BTreeMap<u32, String>,
    /// The first object of each of these names.
    object_by_name: BTreeMap<String, u32>,
    /// Names given so far, by kind, in lower case, and the number that the next one of that name gets.
    taken: BTreeMap<(&'static str, String), u32>,
    /// What objects may still take over from their classes.
    inheritance: Inheritance,
    comparisons_left: u64,
    /// Bytes that the properties of all objects may still have.
    props_bytes_left: usize,
    /// Layer and place of every object that was met, by its number.
    feet: BTreeMap<u32, (usize, Point)>,
    stairs: Vec<Stairs>,
    things: Things,
    /// Stops by the name of their route.
    waypoints: BTreeMap<String, Vec<Waypoint>>,
    /// Names of doors by the number of their area.
    doors_by_area: BTreeMap<u16, String>,
}

/// An object with all that it has from elsewhere.
struct TiledThing<'o> {
    object: &'o RawObject,
    properties: Properties,
    /// Its corners, pixels; one for a point.
    corners: Vec<[f64; 2]>,
    number: usize,
    /// Whether it, or its layer, says on which layer of those walked on it lies.
    names_layer: bool,
    /// Whether shapes of its layer block the cells below them.
    is_collision: bool,
}

impl TiledThing<'_> {
    /// The name of its layer of those walked on.
    fn layer_name(&self) -> Located<String> {
        Located::new(LAYER_NAMES[self.number].to_owned(), self.object.span)
    }
}

/// What becomes of the cells that an object gives its name.
#[derive(Clone, Copy, Debug)]
struct Claim {
    /// What they cost; what they cost before where it says nothing.
    cost: Option<f64>,
    /// Whether blocked ones are taken as well, and opened.
    opens: bool,
}

impl Putting<'_, '_> {
    /// Doors that are drawn with tiles.
    fn tile_doors(&mut self) {
        for tile in std::mem::take(&mut self.ground.doors) {
            let (area, span) = self.ground.areas[usize::from(tile.area)].clone();
            let name = tile.name.clone().unwrap_or_else(|| area.clone());
            let name = self.unique("door", &name, 0, span);
            let area = self.unique("area", &name, 0, span);
            self.ground.areas[usize::from(tile.area)].0.clone_from(&area);
            self.doors_by_area.insert(tile.area, name.clone());
            self.things.doors.push(DoorDef {
                name: Located::new(name, span),
                area: Located::new(area, span),
                open: tile.open,
                locked: (tile.locked != tile.key.is_some()).then_some(tile.locked),
                key: tile.key,
                duration_s: numbers::DOOR_SECONDS.default,
                ..DoorDef::default()
            });
        }
    }

    /// Places the objects of a layer; how many cells they block.
    fn layer(&mut self, layer: &RawLayer, objects: &[RawObject]) -> u64 {
        let lower = layer.own_name().to_lowercase();
        let by_name = lower.contains("collision") || lower.contains("walls");
        let is_collision = truth(&layer.properties, "collision").unwrap_or(by_name);
        let number = self.layer_number(&layer.properties).unwrap_or(0);
        let names_layer = layer.properties.get("collisionLayer").is_some();
        let mut blocked = 0;
        for object in objects {
            let mut properties = object.properties.clone();
            if let Some(defaults) = self.types.of(&object.class)
                && self.inheritance.takes(self.findings, object.span, defaults)
            {
                properties.add_missing(defaults);
            }
            let has_own = properties.get("collisionLayer").is_some();
            let number = if has_own { self.own_layer_number(object, &properties) } else { number };
            let corners = self.corners(object, layer);
            let names_layer = names_layer || has_own;
            let thing = TiledThing { object, properties, corners, number, names_layer, is_collision };
            self.references(&thing);
            let foot = self.place.world(self.foot(&thing));
            self.feet.insert(object.id, (number, foot));
            blocked += self.thing(&thing);
        }
        blocked
    }

    /// The layer of those walked on that properties name; None where they name none of them.
    fn layer_number(&self, properties: &Properties) -> Option<usize> {
        number_of(properties, "collisionLayer").filter(|number| *number < self.ground.layers.len())
    }

    /// The layer that an object names: the first, and a note, where it names none of them.
    fn own_layer_number(&mut self, object: &RawObject, properties: &Properties) -> usize {
        let number = self.layer_number(properties);
        if let (None, Some(property)) = (number, properties.get("collisionLayer")) {
            let sentence = format!(
                "{} has collisionLayer {}, expected {}",
                called(object),
                shown(&property.value),
                layers_expected(self.ground.layers.len())
            );
            self.said.odd(self.findings, property, &sentence);
        }
        number.unwrap_or(0)
    }

    /// Places an object; how many cells it blocks.
    fn thing(&mut self, thing: &TiledThing<'_>) -> u64 {
        let sort = sort_of(&thing.object.class);
        if sort == Sort::Shape {
            self.said.check_class(self.findings, thing.object, CLASSES.iter().map(|(name, _)| *name));
        }
        match (sort, &thing.object.shape) {
            (Sort::Player | Sort::Character, _) => self.character(thing, sort),
            (Sort::Door, _) => self.door(thing),
            (Sort::Area, _) => self.area(thing),
            (Sort::Obstacle, _) => return self.obstacle(thing),
            (Sort::Waypoint, _) => self.waypoint(thing),
            (Sort::Stairs, _) => {
                self.forget_props(thing, known_properties::OF_STAIRS);
                self.stairs(thing);
            }
            (Sort::Mark, _) => self.mark(thing),
            (Sort::Route, ObjectShape::Point) => self.mark(thing),
            (Sort::Route, _) => self.route(thing),
            (Sort::Region, ObjectShape::Polyline(_)) => self.route(thing),
            (Sort::Region, _) => self.region(thing),
            (Sort::Shape, ObjectShape::Polyline(_)) if !thing.is_collision => self.route(thing),
            (Sort::Shape, ObjectShape::Point) => self.mark(thing),
            (Sort::Shape, ObjectShape::Text) => {
                self.said.leave_out(format!("text of {}", called(thing.object)), thing.object.span);
            }
            (Sort::Shape, _) if thing.is_collision => return self.obstacle(thing),
            // A tile is a picture where nothing is said of it.
            (Sort::Shape, ObjectShape::Tile(..)) if thing.object.name.trim().is_empty() => {
                let class = thing.object.class.trim();
                let of =
                    if class.is_empty() { String::new() } else { format!(" of class \"{}\"", short(class)) };
                self.said.leave_out(format!("tile objects without a name{of}"), thing.object.span);
            }
            (Sort::Shape, ObjectShape::Tile(..)) => self.mark(thing),
            (Sort::Shape, _) if thing.corners.len() < 3 || is_flat(&thing.corners) => self.mark(thing),
            (Sort::Shape, _) => self.region(thing),
        }
        0
    }

    /// Corners of an object in the pixels of the map, turned and moved as it is drawn.
    fn corners(&self, object: &RawObject, layer: &RawLayer) -> Vec<[f64; 2]> {
        let [width, height] = object.size_px;
        let flat: Vec<[f64; 2]> = match &object.shape {
            ObjectShape::Point | ObjectShape::Text => vec![[0.0, 0.0]],
            ObjectShape::Rectangle if width == 0.0 && height == 0.0 => vec![[0.0, 0.0]],
            ObjectShape::Rectangle => vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]],
            ObjectShape::Polygon(points) | ObjectShape::Polyline(points) => points.clone(),
            ObjectShape::Ellipse => ellipse(width, height),
            ObjectShape::Tile(_, alignment) => {
                let [left, top] = self.tile_corner(alignment, [width, height]);
                let (right, bottom) = (left + width, top + height);
                if self.place.is_isometric() {
                    self.place.diamond([f64::midpoint(left, right), bottom], width)
                } else {
                    vec![[left, top], [right, top], [right, bottom], [left, bottom]]
                }
            }
        };
        let (sine, cosine) = libm::sincos(object.rotation_degrees.to_radians());
        let [x, y] = object.position_px;
        let [moved_x, moved_y] = self.place.offset(layer.offset_px);
        let is_turned = object.rotation_degrees != 0.0;
        let turned = |[a, b]: [f64; 2]| {
            let [a, b] = match is_turned {
                true => {
                    let [across, down] = self.place.drawn_offset([a, b]);
                    self.place.offset([across * cosine - down * sine, across * sine + down * cosine])
                }
                false => [a, b],
            };
            [x + a + moved_x, y + b + moved_y]
        };
        flat.into_iter().map(turned).collect()
    }

    /// Where the upper left corner of a tile lies from the position of its object.
    fn tile_corner(&self, alignment: &str, [width, height]: [f64; 2]) -> [f64; 2] {
        let standard = if self.place.is_isometric() { "bottom" } else { "bottomleft" };
        let alignment = if matches!(alignment, "" | "unspecified") { standard } else { alignment };
        let x = match alignment {
            "topleft" | "left" | "bottomleft" => 0.0,
            "topright" | "right" | "bottomright" => -width,
            _ => -width / 2.0,
        };
        let y = match alignment {
            "topleft" | "top" | "topright" => 0.0,
            "left" | "center" | "right" => -height / 2.0,
            _ => -height,
        };
        [x, y]
    }

    /// Where the character or thing of an object stands, pixels: its position, the middle of a shape, the
    /// foot of a tile.
    fn foot(&self, thing: &TiledThing<'_>) -> [f64; 2] {
        let corners = &thing.corners;
        let middle = |axis: usize| {
            let (low, high) = corners.iter().fold((f64::MAX, f64::MIN), |(low, high), corner| {
                (low.min(corner[axis]), high.max(corner[axis]))
            });
            (low + high) / 2.0
        };
        match &thing.object.shape {
            ObjectShape::Point | ObjectShape::Text | ObjectShape::Polyline(_) => {
                corners.first().copied().unwrap_or(thing.object.position_px)
            }
            ObjectShape::Tile(..) if self.place.is_isometric() => {
                // In the middle of the foremost tile of those that it stands on.
                let [back, _, front, _] = corners[..] else { return thing.object.position_px };
                let side = self.place.ground_side_px(thing.object.size_px[0]);
                let part = 0.5 * (self.place.tile_side_px() / side).min(1.0);
                [0, 1].map(|axis| front[axis] + part * (back[axis] - front[axis]))
            }
            ObjectShape::Tile(..) => {
                let bottom = corners.iter().fold(f64::MIN, |most, corner| most.max(corner[1]));
                let half = self.place.tile_side_px().min(thing.object.size_px[1]) / 2.0;
                [middle(0), bottom - half]
            }
            _ if corners.is_empty() => thing.object.position_px,
            _ => [middle(0), middle(1)],
        }
    }

    /// A point of the world; an error when it is too far from the origin.
    fn world(&mut self, thing: &TiledThing<'_>, point: [f64; 2]) -> Option<Point> {
        let world = self.place.world(point);
        if world.iter().all(|value| numbers::COORDINATE.holds(*value)) {
            return Some(world.map(|value| value + 0.0));
        }
        let what =
            format!("lies at [{}, {}] m, expected {}", world[0], world[1], numbers::COORDINATE.range());
        self.error(thing, code::EXTENT, thing.object.span, &what);
        None
    }

    fn position(&mut self, thing: &TiledThing<'_>) -> Option<Position> {
        let [x, z] = self.world(thing, self.foot(thing))?;
        Some(Position { x, y: None, z })
    }

    fn error(&mut self, thing: &TiledThing<'_>, code: &'static str, span: Span, what: &str) {
        let message = format!("{} {what}", called(thing.object));
        let pointer = thing.object.pointer.as_str();
        self.findings.error(|| PendingDiagnostic::new(code, span, message).at(pointer));
    }

    /// An object that becomes nothing, and why: `encloses nothing`.
    fn leave_out(&mut self, thing: &TiledThing<'_>, code: &'static str, why: &str) {
        let called = called(thing.object);
        let message = format!("{called} {why} and is left out");
        let (span, pointer) = (thing.object.span, thing.object.pointer.as_str());
        self.findings.warn(|| PendingDiagnostic::new(code, span, message).at(pointer));
        self.said.leave_out(format!("{called}, which {why}"), span);
    }

    /// A property of ours whose value has no form of ours.
    fn odd(&mut self, thing: &TiledThing<'_>, property: &Property, what: &str) {
        let sentence = format!("{} {what}", called(thing.object));
        self.said.odd(self.findings, property, &sentence);
    }

    /// A name that nothing of its kind has yet, from what the author wrote.
    fn unique(&mut self, kind: &'static str, wanted: &str, id: u32, span: Span) -> String {
        let plain: String = wanted.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut plain = if plain.is_empty() { format!("{kind}{id}") } else { plain };
        if plain.len() > NAME_KEPT_BYTES {
            // Bounded by the bytes of the name.
            while plain.len() > NAME_KEPT_BYTES {
                plain.pop();
            }
            self.findings.warn(|| {
                let message = format!(
                    "the name of this {kind} has more than {NAME_KEPT_BYTES} bytes and is cut to \"{plain}\""
                );
                PendingDiagnostic::new(code::LIMIT, span, message).help("give it a shorter name")
            });
        }
        let key = (kind, plain.to_lowercase());
        let Some(next) = self.taken.get(&key).copied() else {
            self.taken.insert(key, id.max(2));
            return plain;
        };
        let is_taken =
            |number: u32| self.taken.contains_key(&(kind, format!("{plain} {number}").to_lowercase()));
        // Behind the largest number comes the first again.
        let after = |number: u32| number.checked_add(1).unwrap_or(2);
        let mut number = if id > 1 && id >= next && !is_taken(id) { id } else { next };
        // Bounded by the number of names that end in a number.
        while is_taken(number) {
            number = after(number);
        }
        let name = format!("{plain} {number}");
        self.taken.insert((kind, name.to_lowercase()), 2);
        self.taken.insert(key, after(number));
        self.findings.warn(|| {
            let message = format!(
                "another {kind} is called \"{}\" already, so this one is called \"{name}\"",
                short(&plain)
            );
            PendingDiagnostic::new(code::DUPLICATE_NAME, span, message)
                .help("give one of the two another name")
        });
        name
    }

    fn named(&mut self, kind: &'static str, thing: &TiledThing<'_>) -> Located<String> {
        let object = thing.object;
        Located::new(self.unique(kind, &object.name, object.id, object.span), object.span)
    }

    fn mark(&mut self, thing: &TiledThing<'_>) {
        let Some(position) = self.position(thing) else { return };
        let facing_degrees = self.facing(thing);
        let name = self.named("mark", thing);
        let props = self.props(thing, known_properties::OF_MARKS);
        self.things.marks.push(MarkDef { name, place: PlaceDef { position, facing_degrees, props } });
    }

    fn route(&mut self, thing: &TiledThing<'_>) {
        let props = self.props(thing, known_properties::OF_ROUTES);
        self.line(thing, props);
    }

    /// A route along the corners of an object.
    fn line(&mut self, thing: &TiledThing<'_>, props: PropsDef) {
        let mut stops = Vec::with_capacity(thing.corners.len());
        for corner in &thing.corners {
            let Some([x, z]) = self.world(thing, *corner) else { return };
            stops.push(StopDef::Place(PlaceDef {
                position: Position { x, y: None, z },
                ..PlaceDef::default()
            }));
        }
        if stops.is_empty() {
            self.leave_out(thing, code::DEGENERATE, "has no corners");
            return;
        }
        let name = self.named("route", thing);
        self.things.routes.push(RouteDef { name, stops, props });
    }

    fn waypoint(&mut self, thing: &TiledThing<'_>) {
        let text = |name: &str| thing.properties.get(name).map(|property| text_of(&property.value));
        let group = text("group").or_else(|| text("route")).filter(|group| !group.trim().is_empty());
        let Some(group) = group else {
            self.mark(thing);
            return;
        };
        let order = ["order", "index"].iter().find_map(|name| match thing.properties.get(name)?.value {
            PropertyValue::Number(number) => Some(number),
            PropertyValue::Text(ref text) => {
                text.trim().parse().ok().filter(|number: &f64| number.is_finite())
            }
            _ => None,
        });
        let Some(position) = self.position(thing) else { return };
        let facing_degrees = self.facing(thing);
        let place =
            PlaceDef { position, facing_degrees, props: self.props(thing, known_properties::OF_WAYPOINTS) };
        let stop = if thing.object.name.trim().is_empty() {
            StopDef::Place(place)
        } else {
            // A stop with a name is a place that scripts can name.
            let name = self.named("mark", thing);
            self.things.marks.push(MarkDef { name: name.clone(), place });
            StopDef::Mark(name)
        };
        let waypoint = Waypoint {
            order: order.unwrap_or(f64::from(thing.object.id)),
            id: thing.object.id,
            stop,
            span: thing.object.span,
        };
        self.waypoints.entry(group).or_default().push(waypoint);
    }

    fn end_routes(&mut self) {
        for (group, mut points) in std::mem::take(&mut self.waypoints) {
            ordered::sort_by(&mut points, |a, b| a.order.total_cmp(&b.order).then(a.id.cmp(&b.id)));
            let Some(span) = points.first().map(|point| point.span) else { continue };
            let name = self.unique("route", &group, 0, span);
            let stops = points.into_iter().map(|point| point.stop).collect();
            self.things.routes.push(RouteDef {
                name: Located::new(name, span),
                stops,
                props: PropsDef::new(),
            });
        }
    }

    fn region(&mut self, thing: &TiledThing<'_>) {
        let Some(outline) = self.outline(thing) else { return };
        let name = self.named("region", thing);
        let props = self.props(thing, known_properties::OF_REGIONS);
        let is_of_one = thing.names_layer && self.ground.layers.len() > 1;
        let layer = is_of_one.then(|| thing.layer_name());
        self.things.regions.push(RegionDef { name, outline, layer, heights_m: None, props });
    }

    fn outline(&mut self, thing: &TiledThing<'_>) -> Option<RegionOutline> {
        let [width, height] = thing.object.size_px;
        let is_round = thing.object.shape == ObjectShape::Ellipse && width == height && width > 0.0;
        let radius = self.metres(thing, "radius", &numbers::REGION_RADIUS);
        if is_round || (radius.is_some() && thing.corners.len() < 3) {
            let centre = self.position(thing)?;
            let own = width / 2.0 * self.place.metres_per_pixel();
            let radius_m = if is_round { own } else { radius? };
            if !numbers::REGION_RADIUS.holds(radius_m) {
                let what =
                    format!("has a radius of {radius_m} m, expected {}", numbers::REGION_RADIUS.range());
                self.error(thing, code::RANGE, thing.object.span, &what);
                return None;
            }
            return Some(RegionOutline::Circle { centre, radius_m });
        }
        if thing.corners.len() < 3 || is_flat(&thing.corners) {
            self.leave_out(thing, code::DEGENERATE, "encloses nothing");
            return None;
        }
        let corners: Option<Vec<Point>> =
            thing.corners.iter().map(|corner| self.world(thing, *corner)).collect();
        Some(RegionOutline::Polygon(corners?))
    }

    /// The cells near an object; none after a finding when objects take more comparing than a map may.
    fn near(&mut self, thing: &TiledThing<'_>) -> Option<Near> {
        let (low, high) = bounds(&thing.corners);
        let near = self.place.near(low, high);
        let comparisons = near.count().saturating_mul(thing.corners.len() as u64);
        if let Some(left) = self.comparisons_left.checked_sub(comparisons) {
            self.comparisons_left = left;
            return Some(near);
        }
        if self.comparisons_left > 0 {
            self.comparisons_left = 0;
            let what = format!(
                "takes {comparisons} comparisons with cells; the limit of all objects is {COMPARISONS_MAX}"
            );
            self.error(thing, code::LIMIT, thing.object.span, &what);
        }
        None
    }

    /// The cells that lie under an object: those whose middle it covers, or the one that its middle lies in.
    fn cells_inside(&mut self, thing: &TiledThing<'_>) -> Vec<usize> {
        let Some(near) = self.near(thing) else { return Vec::new() };
        let inside = |cell: &[i32; 2]| contains(&thing.corners, self.place.centre_px(*cell));
        let found = near.cells().filter(inside);
        let mut cells: Vec<usize> = found.filter_map(|cell| self.place.index(cell)).collect();
        if cells.is_empty() {
            cells.extend(self.place.index(self.place.cell_at(self.foot(thing))));
        }
        cells
    }

    /// The cells that an object touches: those that it covers any part of, and those that its outline, or its
    /// line, leads through.
    fn cells_touched(&mut self, thing: &TiledThing<'_>) -> Vec<usize> {
        if thing.corners.len() < 2 {
            return self.place.index(self.place.cell_at(self.foot(thing))).into_iter().collect();
        }
        let is_line = matches!(thing.object.shape, ObjectShape::Polyline(_));
        // A line along the border between cells is that of the cells behind it.
        let is_thin = is_line || is_flat(&thing.corners);
        // A line has no side from its end to its beginning.
        let side_count = thing.corners.len() - usize::from(is_line);
        let Some(near) = self.near(thing) else { return Vec::new() };
        let touched = |cell: &[i32; 2]| {
            let outline = match is_thin {
                true => self.place.line_outline_px(*cell),
                false => self.place.inner_outline_px(*cell),
            };
            let is_inside = || !is_thin && contains(&thing.corners, self.place.centre_px(*cell));
            sides(&thing.corners, side_count).any(|side| self.place.leads_through(side, &outline))
                || is_inside()
        };
        let found = near.cells().filter(touched);
        let mut cells: Vec<usize> = found.filter_map(|cell| self.place.index(cell)).collect();
        if cells.is_empty() {
            // It is as small as a point.
            cells.extend(self.place.index(self.place.cell_at(self.foot(thing))));
        }
        cells
    }

    /// Changes the kind of some cells; how many there were.
    fn change(
        &mut self,
        layer: usize,
        cells: &[usize],
        change: impl Fn(&CellKind) -> Option<CellKind>,
    ) -> u64 {
        // The new number of each kind that was met; none for those that stay as they are.
        let mut known: BTreeMap<u16, Option<u16>> = BTreeMap::new();
        let mut changed = 0;
        for cell in cells {
            let old = self.ground.layers[layer][*cell];
            let ground = &mut *self.ground;
            let new = *known.entry(old).or_insert_with(|| {
                let kind = change(&ground.kinds.values[usize::from(old)])?;
                Some(ground.number(kind))
            });
            if let Some(new) = new {
                self.ground.layers[layer][*cell] = new;
                changed += 1;
            }
        }
        changed
    }

    fn obstacle(&mut self, thing: &TiledThing<'_>) -> u64 {
        self.forget_props(thing, known_properties::OF_OBSTACLES);
        self.block(thing)
    }

    /// Blocks the cells that an object touches; how many were open. Cells of a door stay its own: it is drawn
    /// into the wall.
    fn block(&mut self, thing: &TiledThing<'_>) -> u64 {
        let cells = self.cells_touched(thing);
        let sight = self.is(thing, "blocksSight");
        // An object that says how one sees over it is an area, and an area needs a name.
        let index = self.ground.areas.len().min(usize::from(u16::MAX)) as u16;
        let area = sight.is_some().then_some(index);
        let doors = std::mem::take(&mut self.doors_by_area);
        let blocked = |kind: &CellKind| {
            let is_door = kind.area.is_some_and(|area| doors.contains_key(&area));
            let area = area.or(kind.area);
            (kind.walkable && !is_door).then(|| CellKind { walkable: false, closed: 0, area, ..kind.clone() })
        };
        let count = self.change(thing.number, &cells, blocked);
        self.doors_by_area = doors;
        if let Some(sight) = sight.filter(|_| count > 0) {
            let span = thing.object.span;
            let name = self.unique("area", &thing.object.name, thing.object.id, span);
            self.ground.areas.push((name, span));
            self.ground.sights.insert(index, sight);
        }
        count
    }

    /// Gives the cells under an object a name; how many there are. Cells of a door stay its own, except below
    /// a later door.
    fn claim(&mut self, thing: &TiledThing<'_>, name: &Located<String>, claim: Claim) -> u64 {
        let area = self.ground.areas.len().min(usize::from(u16::MAX)) as u16;
        let cells = self.cells_inside(thing);
        if claim.opens {
            self.warn_of_lost_doors(thing, &cells);
        }
        let doors = std::mem::take(&mut self.doors_by_area);
        let named = |kind: &CellKind| {
            let cost = claim.cost.or(kind.cost);
            let is_taken = kind.walkable || claim.opens;
            let door = kind.area.filter(|area| !claim.opens && doors.contains_key(area));
            is_taken.then(|| CellKind { area: door.or(Some(area)), walkable: true, cost, ..kind.clone() })
        };
        let count = self.change(thing.number, &cells, named);
        self.doors_by_area = doors;
        if count > 0 {
            self.ground.areas.push((name.value.clone(), name.span));
        }
        count
    }

    /// A warning for each door that a later one takes cells from.
    fn warn_of_lost_doors(&mut self, thing: &TiledThing<'_>, cells: &[usize]) {
        let mut lost: BTreeMap<u16, u64> = BTreeMap::new();
        for cell in cells {
            let kind = &self.ground.kinds.values[usize::from(self.ground.layers[thing.number][*cell])];
            if let Some(area) = kind.area.filter(|area| self.doors_by_area.contains_key(area)) {
                *lost.entry(area).or_default() += 1;
            }
        }
        for (area, count) in lost {
            let (name, of) = (short(&thing.object.name), short(&self.doors_by_area[&area]));
            let cells = if count == 1 { "a cell".to_owned() } else { format!("{count} cells") };
            let message =
                format!("door \"{name}\" takes {cells} of door \"{of}\": a cell belongs to one door");
            self.findings.warn(|| {
                PendingDiagnostic::new(code::DOOR, thing.object.span, message)
                    .at(thing.object.pointer.as_str())
                    .help("draw the two doors beside each other, or keep one of them")
            });
        }
    }

    fn area(&mut self, thing: &TiledThing<'_>) {
        self.forget_props(thing, known_properties::OF_AREAS);
        let cost = self.number(thing, "cost", &numbers::COST);
        let name = self.named("area", thing);
        let sight = self.is(thing, "blocksSight");
        let index = self.ground.areas.len().min(usize::from(u16::MAX)) as u16;
        if self.claim(thing, &name, Claim { cost, opens: false }) > 0 {
            self.ground.sights.extend(sight.map(|sight| (index, sight)));
        } else {
            self.leave_out(thing, code::NO_CELLS, "lies on no cell that can be walked on");
        }
    }

    fn door(&mut self, thing: &TiledThing<'_>) {
        let name = self.named("door", thing);
        let area = Located::new(self.unique("area", &name.value, thing.object.id, name.span), name.span);
        if self.claim(thing, &area, Claim { cost: None, opens: true }) == 0 {
            self.error(
                thing,
                code::NO_CELLS,
                thing.object.span,
                "is a door outside the map, expected it on a cell",
            );
            return;
        }
        self.doors_by_area.insert((self.ground.areas.len() - 1) as u16, name.value.clone());
        let (is_open, is_locked) = (self.is(thing, "open"), self.is(thing, "locked"));
        let text = |name: &str| thing.properties.get(name).map(|property| text_of(&property.value));
        let key = text("key").or_else(|| text("requiresKey")).filter(|key| !key.is_empty());
        let seconds = self.number(thing, "seconds", &numbers::DOOR_SECONDS);
        let one_way = self.direction(thing);
        let teams = text("teams").map(|teams| split(&teams).map(str::to_owned).collect()).unwrap_or_default();
        let props = self.props(thing, &words::of_object::<DoorDef>(&["requiresKey", "collisionLayer"]));
        self.things.doors.push(DoorDef {
            name,
            area,
            open: is_open.unwrap_or(false),
            duration_s: seconds.unwrap_or(numbers::DOOR_SECONDS.default),
            locked: is_locked.filter(|is_locked| *is_locked != key.is_some()),
            key,
            one_way,
            teams,
            props,
        });
    }

    /// Whether something is true of an object; a note when it is neither true nor false.
    fn is(&mut self, thing: &TiledThing<'_>, name: &str) -> Option<bool> {
        let property = thing.properties.get(name)?;
        let truth = truth_of(&property.value);
        if truth.is_none() {
            let said = shown(&property.value);
            self.odd(thing, property, &format!("has {name} {said}, expected true or false"));
        }
        truth
    }

    /// The direction in which alone a door may be walked through.
    fn direction(&mut self, thing: &TiledThing<'_>) -> Option<[f64; 2]> {
        let property = thing.properties.get("oneWay")?;
        let PropertyValue::Text(word) = &property.value else { return None };
        let turned = if self.place.is_flipped() { -1.0 } else { 1.0 };
        let way = match word.trim().to_lowercase().as_str() {
            "" => return None,
            "north" | "up" => [0.0, -turned],
            "south" | "down" => [0.0, turned],
            "east" | "right" => [1.0, 0.0],
            "west" | "left" => [-1.0, 0.0],
            _ => {
                let what =
                    format!("has oneWay {}, expected north, east, south or west", shown(&property.value));
                self.odd(thing, property, &what);
                return None;
            }
        };
        Some(way)
    }

    /// Which way to look: a compass direction of the map, or degrees.
    fn facing(&mut self, thing: &TiledThing<'_>) -> Option<f64> {
        let property = ["facing", "facingDegrees"].iter().find_map(|name| thing.properties.get(name))?;
        let degrees = match &property.value {
            PropertyValue::Number(degrees) => *degrees,
            PropertyValue::Text(word) => match word.trim().to_lowercase().as_str() {
                "" => return None,
                "south" | "down" => 0.0,
                "east" | "right" => 90.0,
                "north" | "up" => 180.0,
                "west" | "left" => 270.0,
                _ => f64::NAN,
            },
            _ => f64::NAN,
        };
        if !numbers::FACING_DEGREES.holds(degrees) {
            let what = format!(
                "has {} {}, expected north, east, south, west or {}",
                property.name,
                shown(&property.value),
                numbers::FACING_DEGREES.range()
            );
            self.odd(thing, property, &what);
            return None;
        }
        let turned = if self.place.is_flipped() { 180.0 - degrees } else { degrees };
        Some(if numbers::FACING_DEGREES.holds(turned) { turned } else { turned - 360.0 })
    }

    /// A length or speed in pixels, as metres.
    fn metres(&mut self, thing: &TiledThing<'_>, name: &str, range: &Number) -> Option<f64> {
        let scale = self.place.metres_per_pixel();
        self.ranged(thing, name, range, scale)
    }

    fn number(&mut self, thing: &TiledThing<'_>, name: &str, range: &Number) -> Option<f64> {
        self.ranged(thing, name, range, 1.0)
    }

    fn ranged(&mut self, thing: &TiledThing<'_>, name: &str, range: &Number, scale: f64) -> Option<f64> {
        let property = thing.properties.get(name)?;
        let value = match &property.value {
            PropertyValue::Number(number) => *number * scale,
            PropertyValue::Text(text) => text.trim().parse::<f64>().unwrap_or(f64::NAN) * scale,
            _ => f64::NAN,
        };
        if range.holds(value) {
            return Some(value);
        }
        let said = shown(&property.value);
        let what = if scale == 1.0 {
            format!("has {name} {said}, expected {}", range.range())
        } else {
            format!("has {name} {said} pixels, which are {value} m, expected {}", range.range())
        };
        self.odd(thing, property, &what);
        None
    }

    fn check_counts(&mut self, span: Span) {
        let things = &self.things;
        let stops = things.routes.iter().map(|route| route.stops.len()).sum::<usize>();
        let counts = [
            ("characters", things.characters.len(), CHARACTERS_MAX),
            ("marks", things.marks.len(), MARKS_MAX),
            ("stops of routes", stops, MARKS_MAX),
            ("routes", things.routes.len(), POLYGONS_MAX),
            ("regions", things.regions.len(), POLYGONS_MAX),
            ("doors", things.doors.len(), POLYGONS_MAX),
            ("areas", self.ground.areas.len(), POLYGONS_MAX),
            ("links", things.links.len(), LINKS_MAX),
        ];
        for (what, count, limit) in counts {
            if count > limit {
                // Doors that are drawn are counted up to the first that is too many.
                let message = if count == limit + 1 {
                    format!("the map has more than {limit} {what}, which is the limit")
                } else {
                    format!("the map has {count} {what}, the limit is {limit}")
                };
                self.findings.error(|| PendingDiagnostic::new(code::LIMIT, span, message));
            }
        }
        if self.ground.has_too_many_kinds {
            self.findings.error(|| {
                let message = format!(
                    "the map has more than {DISTINCT_MAX} kinds of cells, which is the limit; cells with the same \
                     terrain, cost, tags and area are of one kind"
                );
                PendingDiagnostic::new(code::LIMIT, span, message)
            });
        }
    }
}

fn called(object: &RawObject) -> String {
    let class = if object.class.is_empty() { String::new() } else { format!(" ({})", short(&object.class)) };
    match object.name.as_str() {
        "" => format!("object {}{class}", object.id),
        name => format!("object \"{}\"{class}", short(name)),
    }
}

fn ellipse(width: f64, height: f64) -> Vec<[f64; 2]> {
    let corner = |index: usize| {
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * index as f64 / ELLIPSE_CORNERS as f64);
        [width / 2.0 * (1.0 + cosine), height / 2.0 * (1.0 + sine)]
    };
    (0..ELLIPSE_CORNERS).map(corner).collect()
}

/// Whether a shape encloses nothing: one that crosses itself encloses what is inside of one of its turns.
fn is_flat(corners: &[[f64; 2]]) -> bool {
    let Some(first) = corners.first() else { return true };
    let beside = corners.iter().zip(corners.iter().skip(1));
    let areas = beside.map(|(one, next)| super::place::area(&[*first, *one, *next]).abs());
    areas.sum::<f64>() < 1e-9
}

/// So many sides of a shape, from corner to corner.
fn sides(corners: &[[f64; 2]], count: usize) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).take(count).map(|(from, to)| [*from, *to])
}

fn bounds(corners: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    let start = ([f64::MAX; 2], [f64::MIN; 2]);
    corners.iter().fold(start, |(low, high), [x, y]| {
        ([low[0].min(*x), low[1].min(*y)], [high[0].max(*x), high[1].max(*y)])
    })
}

/// Whether a point lies inside an odd number of turns of a shape.
fn contains(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    if corners.len() < 3 {
        return false;
    }
    let next = corners.iter().cycle().skip(1);
    let crossed = corners
        .iter()
        .zip(next)
        .filter(|(a, b)| (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
    crossed.count() % 2 == 1
}
