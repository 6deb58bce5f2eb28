//! Objects: their shapes, their templates, the tiles they show.
//!
//! In: the elements of an object layer. Out: [`RawObject`]s in the order of the text. Holds: a value that an
//! object does not give comes from its template, then from its tile; a shape has at most [`POINTS_MAX`]
//! corners, all finite. Not here: what objects mean (`things`).

use std::sync::Arc;

use super::attribute::{self, NUMBER_MAX, class_of, optional_whole};
use super::files::{Here, Import, short};
use super::inheritance::{object_bytes, tile_bytes};
use super::property;
use super::raw::{GID_MASK, ObjectShape, RawObject, RawTile, RawTileset};
use super::tileset::tileset_of_map;
use super::tree::Element;
use crate::level::diagnostic::{Span, code};
use crate::level::forms::POINTS_MAX;

/// Reads the objects of the layer at `way`.
pub(super) fn objects(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    layer: &Element<'_>,
    way: &str,
    tilesets: &[(u32, Arc<RawTileset>)],
) -> Vec<RawObject> {
    let mut list = Vec::new();
    for child in &layer.children {
        match child.name.as_ref() {
            "object" => {
                let way = child.way_below(way, here.notation);
                list.extend(object(import, here, child, way, tilesets));
            }
            "properties" => {}
            other => import.skip(format!("<{}>, which this version does not know", short(other)), child.span),
        }
    }
    list
}

/// Reads the object at `pointer`. None after a finding.
fn object(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    pointer: String,
    tilesets: &[(u32, Arc<RawTileset>)],
) -> Option<RawObject> {
    let base = match element.attribute("template") {
        Some(named) => Some(begun(import, here, &named.value, named.span)?),
        None => None,
    };
    let base = base.as_deref();
    if let Some(base) = base {
        import.inherit(here, element.span, || object_bytes(base))?;
    }
    let number =
        |import: &mut Import<'_>, name, own: f64| attribute::number(import, here, element, name, own);
    let size = base.map_or([0.0, 0.0], |base| base.size_px);
    let position_px = [number(import, "x", 0.0), number(import, "y", 0.0)];
    let size_px = [number(import, "width", size[0]).abs(), number(import, "height", size[1]).abs()];
    let rotation_degrees = number(import, "rotation", base.map_or(0.0, |base| base.rotation_degrees));
    let mut properties = property::properties(import, here, element);
    let own_class = class_of(element);
    let text = |own: &str, base: Option<&String>| {
        if own.is_empty() { base.cloned().unwrap_or_default() } else { own.to_owned() }
    };
    let name = text(element.value("name"), base.map(|base| &base.name));
    let mut class = text(&own_class, base.map(|base| &base.class));
    if let Some(base) = base {
        properties.add_missing(&base.properties);
    }
    let shape = match shape(import, here, element, tilesets)? {
        ObjectShape::Rectangle => base.map_or(ObjectShape::Rectangle, |base| base.shape.clone()),
        own => own,
    };
    if let ObjectShape::Tile(tile, _) = &shape {
        if class.is_empty() {
            class.clone_from(&tile.class);
        }
        properties.add_missing(&tile.properties);
    }
    let id = optional_whole(import, here, element, "id", 0..=i64::from(u32::MAX)).unwrap_or(0) as u32;
    Some(RawObject {
        id,
        name,
        class,
        position_px,
        size_px,
        rotation_degrees,
        shape,
        properties,
        span: element.span,
        pointer,
    })
}

/// The template that an object begins as.
fn begun(import: &mut Import<'_>, here: Here<'_, '_>, name: &str, span: Span) -> Option<Arc<RawObject>> {
    let path = import.path_of(here, name, span)?;
    if let Some(known) = import.templates.get(&path) {
        return Some(Arc::clone(known));
    }
    let read = Arc::new(import.opened(here, &path, span, template)?);
    import.templates.insert(path, Arc::clone(&read));
    Some(read)
}

fn shape(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    tilesets: &[(u32, Arc<RawTileset>)],
) -> Option<ObjectShape> {
    if let Some(gid) = optional_whole(import, here, element, "gid", 0..=i64::from(u32::MAX)) {
        return tile(import, here, element, gid as u32 & GID_MASK, tilesets);
    }
    let mut found = ObjectShape::Rectangle;
    for child in &element.children {
        found = match child.name.as_ref() {
            "point" => ObjectShape::Point,
            "ellipse" | "capsule" => ObjectShape::Ellipse,
            "polygon" => ObjectShape::Polygon(corners(import, here, child)?),
            "polyline" => ObjectShape::Polyline(corners(import, here, child)?),
            "text" => ObjectShape::Text,
            "properties" => continue,
            other => {
                import.skip(format!("<{}>, which this version does not know", short(other)), child.span);
                continue;
            }
        };
    }
    Some(found)
}

fn tile(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    id: u32,
    tilesets: &[(u32, Arc<RawTileset>)],
) -> Option<ObjectShape> {
    let after = tilesets.partition_point(|(first, _)| *first <= id);
    let set = after.checked_sub(1).map(|at| &tilesets[at]);
    let Some((first, set)) = set.filter(|(first, set)| id > 0 && id - first < set.tiles_max) else {
        let name = short(element.value("name"));
        let message = format!("object \"{name}\" shows tile {id}, which is not a tile of any tileset");
        import.no_tile(here, element.span_of("gid"), message);
        return None;
    };
    let local = id - first;
    let plain = || {
        let (class, properties) = Default::default();
        Arc::new(RawTile { id: local, class, properties, span: element.span })
    };
    let about = set.about(local).cloned().unwrap_or_else(plain);
    let alignment = &set.object_alignment;
    import.inherit(here, element.span, || tile_bytes(&about, alignment))?;
    Some(ObjectShape::Tile(about, alignment.clone()))
}

/// Corners: pairs of numbers, `0,0 16,0 16,16`.
fn corners(import: &mut Import<'_>, here: Here<'_, '_>, element: &Element<'_>) -> Option<Vec<[f64; 2]>> {
    let (span, text) = (element.span_of("points"), element.value("points"));
    let mut list = Vec::new();
    for pair in text.split_ascii_whitespace() {
        if list.len() >= POINTS_MAX {
            import.error(
                here,
                code::LIMIT,
                span,
                format!("a shape has more than {POINTS_MAX} corners, which is the limit"),
            );
            return None;
        }
        let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
        let point = pair.split_once(',').and_then(|(x, y)| Some([number(x)?, number(y)?]));
        let (code, range) = match point {
            Some(point) if point.iter().all(|value| value.abs() <= NUMBER_MAX) => {
                list.push(point);
                continue;
            }
            Some(_) => (code::LIMIT, format!(", each -{NUMBER_MAX} to {NUMBER_MAX}")),
            None => (code::NUMBER, String::new()),
        };
        let message = format!("a corner is \"{}\", expected two numbers with a comma{range}", short(pair));
        import.error(here, code, span, message);
        return None;
    }
    Some(list)
}

/// Reads a template: the object in a file of its own, which may begin as another one.
fn template(import: &mut Import<'_>, here: Here<'_, '_>) -> Option<RawObject> {
    if here.root.name != "template" {
        let message = format!("the file is a {}, expected a template", here.root.name);
        import.error(here, code::CHOICE, here.root.span, message);
        return None;
    }
    let mut tilesets = Vec::new();
    for element in here.root.all("tileset") {
        tilesets.extend(tileset_of_map(import, here, element));
    }
    let Some(element) = here.root.child("object") else {
        import.error(here, code::MISSING_FIELD, here.root.span, "the template has no object");
        return None;
    };
    let pointer = element.way_below(&here.root.way(here.notation), here.notation);
    object(import, here, element, pointer, &tilesets)
}
