//! Draws things on the map: characters, the rest of their ways, regions, marks, routes.
//!
//! In: a world. Out: layers `regions`, `marks`, `paths`, `characters` of a picture, their names. Holds: a
//! body is drawn at its true radius with a tick towards where it looks; the player has a colour of its own.
//! Not here: the map below (`draw_nav`). Source: paths after seed 004: lines green, corners yellow, the end
//! red.

use std::collections::BTreeSet;

use glam::Vec3;

use super::draw_nav::floor_y_m;
use super::picture::{
    Colour, Figure, KnownColours, Label, LabelSpread, Picture, Shape, Slant, Style, Swatch, Tag,
};
use super::theme;
use crate::base::geom::{Bounds, Point, ground};
use crate::base::ids::{CharacterId, GenerationalKey, RegionId};
use crate::base::suggestions;
use crate::base::trig;
use crate::nav::Traversal;
use crate::world::World;
use crate::world::character::Character;
use crate::world::region::{RegionShape, WatchShape};
use crate::world::sense::Eyes;
use crate::world::walk::Walk;

/// Lines of sight of a watch: one every degree and a half.
const SIGHT_RAYS: u32 = 240;

/// Lines of sight of a sense that looks all around; a narrower one has its share of them. Each is found by
/// some fifteen looks.
const SENSE_RAYS: u32 = 120;

/// Most names in the legend of the text form.
const NAMES_MAX: usize = 24;

/// Ways that are drawn in full; more are drawn faint, without their corners.
const PATHS_BOLD_MAX: usize = 40;

/// Draws everything that is on the map of `world`.
pub fn draw_world(picture: &mut Picture, world: &World) {
    draw_regions(picture, world);
    draw_watches(picture, world);
    draw_routes(picture, world);
    draw_marks(picture, world);
    draw_paths(picture, world);
    draw_characters(picture, world);
}

/// Every character on one layer of the map, in order of creation.
pub(super) fn on_layer(world: &World, layer: u8) -> impl Iterator<Item = (CharacterId, &Character)> {
    world.characters().filter(move |(_, character)| character.layer == layer)
}

/// Regions, those of other layers left out.
pub(super) fn draw_regions(picture: &mut Picture, world: &World) {
    let mut shapes = Vec::new();
    for (index, region) in world.regions().iter().enumerate() {
        if region.layer.is_some_and(|layer| layer != picture.map_layer) {
            continue;
        }
        let id = RegionId::from(index);
        let look = Style::filled(theme::REGION.with_opacity(26)).stroked(theme::REGION, 1.25).dashed();
        let form = match &region.shape {
            RegionShape::Polygon(points, _) => Figure::Polygon(points.clone()),
            RegionShape::Circle(centre, radius_m) => Figure::Circle { centre: *centre, radius_m: *radius_m },
        };
        // It holds at every height, and is shown on the floor nearest to height 0.
        let y_m = floor_y_m(picture.slant, world.nav(), form.bounds().centre(), 0.0);
        let form = form.raised(picture.slant, y_m);
        picture.explain_shown(&form, Swatch::Patch(look), "region");
        picture.labels.push(Label {
            at: form.bounds().centre(),
            text: region.name.clone(),
            colour: theme::REGION,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Within(form.face()),
            importance: 4,
            tag: Tag::Region(id),
        });
        let hint = format!("region \"{}\", {} inside", region.name, region.inside.len());
        shapes.push(Shape::new(form, look, Tag::Region(id)).hint(hint));
    }
    picture.add("regions", shapes);
}

/// Circles that scripts watch: around a place, or around a character and moving with it. Where a watch looks
/// along walkable lines, only what it sees is filled.
pub(super) fn draw_watches(picture: &mut Picture, world: &World) {
    let look =
        Style::filled(theme::WATCH.with_opacity(14)).stroked(theme::WATCH.with_opacity(190), 1.0).dashed();
    let seen = Style::filled(theme::WATCH.with_opacity(36));
    let mut shapes = Vec::new();
    for watch in world.watches().into_iter().filter(|watch| watch.enabled) {
        let (centre, (radius_m, is_sight), of) = match watch.ground {
            WatchShape::Near { centre, radius_m, line_of_walk } => {
                (centre, (radius_m, line_of_walk), String::new())
            }
            WatchShape::Around { character, radius_m, line_of_walk } => {
                let Some(who) = world.character(character).filter(|who| who.layer == picture.map_layer)
                else {
                    continue;
                };
                (who.body.position, (radius_m, line_of_walk), format!(" of \"{}\"", who.name))
            }
            // Regions and areas are drawn by themselves.
            WatchShape::Region(_) | WatchShape::Area(_) => continue,
        };
        picture.explain(Swatch::Patch(look), "watch");
        let look = if is_sight { Style { fill: None, ..look } } else { look };
        if is_sight {
            picture.explain(Swatch::Patch(seen), "seen by a watch");
            let corners = sight(world, centre, picture.map_layer, radius_m);
            let corners = corners.into_iter().map(|corner| picture.slant.place(corner)).collect();
            shapes.push(Shape::new(Figure::Polygon(corners), seen, Tag::Watch(watch.serial)));
        }
        let form = Figure::Circle { centre: picture.slant.place(centre), radius_m: f64::from(radius_m) };
        let hint = format!("watch{of}, {radius_m} m, {} inside", watch.inside.len());
        shapes.push(Shape::new(form, look, Tag::Watch(watch.serial)).hint(hint));
    }
    draw_senses(picture, world, &mut shapes);
    picture.add("watches", shapes);
}

/// What watches of the senses see, as far as nothing hides it, within the cone of their range and view; and
/// how far they hear.
fn draw_senses(picture: &mut Picture, world: &World, shapes: &mut Vec<Shape>) {
    let edge = Style::line(theme::WATCH.with_opacity(190), 1.0).dashed();
    let seen = Style::filled(theme::WATCH.with_opacity(36));
    for (id, watch) in world.senses().watches().filter(|(_, watch)| watch.enabled) {
        let watcher = world.character(watch.character).filter(|who| who.layer == picture.map_layer);
        let Some(who) = watcher.filter(|who| who.is_alive()) else { continue };
        let (centre, tag) = (who.body.position, Tag::Sense(id.0));
        let Eyes { range_m, degrees } = watch.eyes;
        let seeing = watch.known.values().filter(|sighting| sighting.is_seen).count();
        let hint = format!("\"{}\" sees {range_m} m, {degrees} degrees: {seeing} in sight", who.name);
        let rays = cone_rays(who, watch.eyes);
        let slant = picture.slant;
        let corner = |end: Vec3| slant.place(end);
        let apex = (degrees < 360.0).then(|| corner(centre));
        let visible = rays.iter().map(|&end| corner(world.map.seen_to(centre, end, who.layer)));
        let visible: Vec<Point> = apex.into_iter().chain(visible).collect();
        let outline: Vec<Point> =
            apex.into_iter().chain(rays.iter().map(|&end| corner(end))).chain(apex).collect();
        picture.explain(Swatch::Patch(seen), "seen by a sense");
        picture.explain(Swatch::Line(edge), "reach of a sense");
        shapes.push(Shape::new(Figure::Polygon(visible), seen, tag.clone()).hint(hint));
        shapes.push(Shape::new(Figure::Line(outline), edge, tag.clone()));
        if watch.hearing_m > 0.0 {
            let circle = Figure::Circle { centre: corner(centre), radius_m: f64::from(watch.hearing_m) };
            let hint = format!("\"{}\" hears {} m", who.name, watch.hearing_m);
            shapes.push(Shape::new(circle, edge, tag).hint(hint));
        }
    }
}

/// The far ends of a cone of view, from one side to the other.
fn cone_rays(who: &Character, eyes: Eyes) -> Vec<Vec3> {
    let count = ((eyes.degrees / 360.0 * SENSE_RAYS as f32) as u32).max(2);
    let end = |ray: u32| {
        let part = ray as f32 / count as f32 - 0.5;
        who.body.position + trig::direction(who.facing_rad + part * eyes.degrees.to_radians()) * eyes.range_m
    };
    (0..=count).map(end).collect()
}

/// The outline of what can be seen from a place along walkable straight lines.
fn sight(world: &World, centre: Vec3, layer: u8, radius_m: f32) -> Vec<Vec3> {
    let by = Traversal { layer, ..Traversal::default() };
    let turned = |ray: u32| {
        let away = trig::direction(std::f32::consts::TAU * ray as f32 / SIGHT_RAYS as f32);
        world.nav().sight(centre, centre + away * radius_m, &by).1
    };
    (0..SIGHT_RAYS).map(turned).collect()
}

/// Routes.
pub(super) fn draw_routes(picture: &mut Picture, world: &World) {
    let mut shapes = Vec::new();
    for name in world.route_names() {
        let stops = world.route(name).unwrap_or_default().iter();
        let stops: Vec<Point> = stops.map(|stop| picture.slant.place(stop.position)).collect();
        if stops.len() < 2 {
            continue;
        }
        let (look, form) = (Style::line(theme::ROUTE, 1.0).dashed(), Figure::Line(stops));
        picture.explain_shown(&form, Swatch::Line(look), "route");
        let route = Tag::Route(name.to_owned());
        shapes.push(Shape::new(form, look, route).hint(format!("route \"{name}\"")));
    }
    picture.add("routes", shapes);
}

/// Marks; of a map with several layers those that can be stood on there, and those that can be stood on
/// nowhere.
pub(super) fn draw_marks(picture: &mut Picture, world: &World) {
    let mut shapes = Vec::new();
    let stands =
        |at: Vec3, layer: u8| world.nav().is_walkable(at, &Traversal { layer, ..Traversal::default() });
    let shown_layer = picture.map_layer;
    let belongs = |at: Vec3| {
        let mut layers = 0..world.nav().layer_count() as u8;
        stands(at, shown_layer) || !layers.any(|layer| stands(at, layer))
    };
    for mark in world.marks().filter(|mark| belongs(mark.position)) {
        let (at, shown) = (ground(mark.position), picture.slant.place(mark.position));
        let tag = || Tag::Mark(mark.name.clone());
        let look = Style::filled(theme::SEARCH_FRONTIER).stroked(theme::MARK, 1.5).glyph('x');
        let hint = format!("mark \"{}\" ({}, {})", mark.name, at[0], at[1]);
        let dot = Figure::Dot { centre: shown, radius_px: 3.0 };
        picture.explain_shown(&dot, Swatch::Dot(look), "mark");
        shapes.push(Shape::new(dot, look, tag()).hint(hint).at_height(f64::from(mark.position.y)));
        picture.labels.push(Label {
            at: shown,
            text: mark.name.clone(),
            colour: theme::MARK,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Beside(0.1),
            importance: 5,
            tag: tag(),
        });
    }
    picture.add("marks", shapes);
}

/// The ways that walks have left.
pub(super) fn draw_paths(picture: &mut Picture, world: &World) {
    let mut shapes = Vec::new();
    let is_busy =
        on_layer(world, picture.map_layer).filter(|(_, character)| character.walk.is_some()).count()
            > PATHS_BOLD_MAX;
    let people = colours_in(picture, world);
    for (_, character) in on_layer(world, picture.map_layer) {
        let walk = character.walk.and_then(|id| world.walk(id).map(|walk| (id, walk)));
        let Some((id, walk)) = walk.filter(|(_, walk)| walk.is_open()) else { continue };
        let points = points_left(character, walk, picture.slant);
        let Some((end, corners)) = points.split_last().filter(|(_, corners)| !corners.is_empty()) else {
            continue;
        };
        let colour = people.colour(character);
        let line = if is_busy { Style::line(colour.with_opacity(90), 1.0) } else { Style::line(colour, 2.0) };
        let line = line.glyph('*');
        // Each path has the colour of its walker; one line in the legend stands for all of them.
        picture.explain(Swatch::Line(Style::line(theme::INK_SOFT, 2.0).glyph('*')), "path");
        let hint = format!(
            "walk {} of \"{}\", {:.1} m left",
            walk.serial,
            character.name,
            walk.remaining_m(character.body.position).unwrap_or(0.0)
        );
        shapes.push(Shape::new(Figure::Line(points.clone()), line, Tag::Walk(id)).hint(hint));
        for &corner in corners.iter().skip(if is_busy { corners.len() } else { 1 }) {
            let look = Style::filled(theme::PATH_CORNER).stroked(theme::INK, 0.5);
            picture.explain(Swatch::Dot(look), "corner");
            shapes.push(Shape::new(Figure::Dot { centre: corner, radius_px: 3.0 }, look, Tag::Walk(id)));
        }
        let look = Style::filled(theme::PATH_END).stroked(theme::SEARCH_FRONTIER, 1.0).glyph('X');
        picture.explain(Swatch::Dot(look), "goal");
        let radius_px = if is_busy { 3.0 } else { 5.0 };
        shapes.push(Shape::new(Figure::Dot { centre: *end, radius_px }, look, Tag::Walk(id)));
    }
    picture.add("paths", shapes);
}

/// From where the character stands to the end of its path.
fn points_left(character: &Character, walk: &Walk, slant: Slant) -> Vec<Point> {
    let Some(following) = &walk.following else { return Vec::new() };
    let mut points = vec![slant.place(character.body.position)];
    let mut along_m = 0.0;
    for pair in following.path.points.windows(2) {
        along_m += crate::base::geom::flat_distance(pair[0], pair[1]);
        if along_m > following.cursor.along_m {
            points.push(slant.place(pair[1]));
        }
    }
    points
}

/// Bodies, and where they look.
pub(super) fn draw_characters(picture: &mut Picture, world: &World) {
    let mut shapes = Vec::new();
    let mut used = BTreeSet::new();
    let people = colours_in(picture, world);
    for (index, (id, character)) in on_layer(world, picture.map_layer).enumerate() {
        let radius_m = f64::from(character.body.radius_m);
        let shown = picture.slant.place(character.body.position);
        let (colour, words) = (people.colour(character), people.words(character));
        let glyph = glyph_of(character, &mut used);
        let look = Style::filled(colour).stroked(theme::CHARACTER_LINE, 1.0).glyph(glyph);
        picture.explain(Swatch::Dot(Style { glyph: None, ..look }), &words);
        if index < NAMES_MAX {
            picture.explain_glyph(glyph, format!("{} ({})", character.name, shown_at(character, 1)));
        }
        shapes.push(
            Shape::new(Figure::Circle { centre: shown, radius_m }, look, Tag::Character(id))
                .hint(hint(character)),
        );
        shapes.push(facing(character, shown, radius_m, id));
        picture.explain(Swatch::Line(Style::line(theme::FACING, 2.0)), "facing");
        picture.keep_clear.push(Bounds::of(&[shown]).grown(radius_m));
        picture.labels.push(Label {
            at: shown,
            text: character.name.clone(),
            colour: theme::INK,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Beside(radius_m),
            importance: if character.is_player { 8 } else { 7 },
            tag: Tag::Character(id),
        });
    }
    picture.add("characters", shapes);
}

/// The colour in which pictures show each character, in order of creation.
#[must_use]
pub fn character_colours(world: &World) -> Vec<(CharacterId, Colour)> {
    let people = PeopleColours::of(world, &KnownColours::new());
    world.characters().map(|(id, who)| (id, people.colour(who))).collect()
}

/// The colours of the people in a picture, which it hands on to the next one.
fn colours_in<'a>(picture: &mut Picture, world: &'a World) -> PeopleColours<'a> {
    let people = PeopleColours::of(world, &picture.people);
    picture.people.extend(people.places.iter().map(|(group, index)| (people.by.key(group), *index)));
    people
}

/// The colours of characters: each has its own while there are few, else each kind has one, by the first tag.
struct PeopleColours<'a> {
    /// Names, or first tags, each with the place of its colour, which no other has.
    places: Vec<(&'a str, usize)>,
    by: GroupBy,
}

/// What the characters of one colour have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupBy {
    /// Their name, which is one's own.
    Name,
    /// Their first tag by the alphabet, their own name and `player` apart.
    FirstTag,
}

impl GroupBy {
    fn group(self, character: &Character) -> &str {
        let is_kind = |tag: &&String| **tag != character.name && *tag != "player";
        match self {
            Self::Name => &character.name,
            Self::FirstTag => character.tags.iter().find(is_kind).map_or("", String::as_str),
        }
    }

    /// How the colour of a group is known from picture to picture.
    fn key(self, group: &str) -> (&'static str, String) {
        (if self == Self::Name { "name" } else { "tag" }, group.to_owned())
    }

    /// The first colour for a group: that before it is for those without a tag.
    fn first(self) -> usize {
        usize::from(self == Self::FirstTag)
    }
}

impl<'a> PeopleColours<'a> {
    fn of(world: &'a World, known: &KnownColours) -> Self {
        let people = || world.characters().filter(|(_, own)| !own.is_player);
        let by = match people().nth(theme::PEOPLE.len()) {
            None => GroupBy::Name,
            Some(_) => GroupBy::FirstTag,
        };
        let is_kept = |index: usize| known.values().any(|kept| *kept == index);
        let colours = by.first()..theme::PEOPLE.len();
        let mut places: Vec<(&str, usize)> = Vec::new();
        // A colour that is known, else that of its number, so that it stays when others come and go, else the
        // lowest that is free: the first two are nobody else's.
        for pass in 0..3 {
            for (id, character) in people() {
                let group = by.group(character);
                if group.is_empty() || places.iter().any(|(own, _)| *own == group) {
                    continue;
                }
                let is_free =
                    |index: &usize| colours.contains(index) && !places.iter().any(|(_, own)| own == index);
                let wanted = match pass {
                    0 => known.get(&by.key(group)).copied(),
                    1 => Some(slot(id)).filter(|index| by == GroupBy::Name && !is_kept(*index)),
                    _ => colours.clone().filter(is_free).min_by_key(|index| is_kept(*index)),
                };
                places.extend(wanted.filter(is_free).map(|index| (group, index)));
            }
        }
        Self { places, by }
    }

    fn place(&self, character: &Character) -> Option<usize> {
        let group = self.by.group(character);
        self.places.iter().find(|(own, _)| *own == group).map(|(_, index)| *index)
    }

    fn colour(&self, character: &Character) -> Colour {
        match self.place(character) {
            _ if character.is_player => theme::PLAYER,
            Some(index) => theme::PEOPLE[index],
            None => theme::CHARACTER,
        }
    }

    /// What the legend calls characters of this colour.
    fn words(&self, character: &Character) -> String {
        match self.place(character) {
            _ if character.is_player => "player".to_owned(),
            Some(_) => self.by.group(character).to_owned(),
            None => "character".to_owned(),
        }
    }
}

/// The number of a character, which nobody else alive has: what stands before the `v` of `3v1`.
fn slot(who: CharacterId) -> usize {
    // The first place stays empty.
    who.place().saturating_sub(1)
}

fn hint(character: &Character) -> String {
    let degrees = character.facing_rad.to_degrees();
    format!(
        "\"{}\" ({}), {}, facing {} degrees",
        character.name,
        shown_at(character, 2),
        character.animation(),
        suggestions::decimals(degrees, 0)
    )
}

fn shown_at(character: &Character, digits: usize) -> String {
    let at = character.body.position;
    suggestions::decimals_of(&[at.x, at.z], digits)
}

fn facing(character: &Character, at: Point, radius_m: f64, id: CharacterId) -> Shape {
    let ahead = ground(trig::direction(character.facing_rad));
    let reach = |part: f64| [0, 1].map(|axis| at[axis] + ahead[axis] * radius_m * part);
    Shape::new(Figure::Line(vec![at, reach(1.45)]), Style::line(theme::FACING, 2.0), Tag::Character(id))
}

/// `@` for the player; else the first letter of the name that is free, else a digit, else `&`.
fn glyph_of(character: &Character, used: &mut BTreeSet<char>) -> char {
    if character.is_player {
        return '@';
    }
    // `X` is the end of a path.
    let letters = character.name.chars().filter(|c| c.is_ascii_alphabetic()).map(|c| c.to_ascii_uppercase());
    let free = letters.chain('A'..='Z').find(|c| *c != 'X' && !used.contains(c));
    let glyph = free.unwrap_or('&');
    used.insert(glyph);
    glyph
}
