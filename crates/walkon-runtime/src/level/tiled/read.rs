//! Reads elements into a [`RawMap`]: sizes, tilesets, layers, cells; reports every mistake at its place.
//!
//! In: the elements of a map. Out: the map, or none after findings. Holds: a number is checked before
//! anything is allocated by it; every layer has as many cells as the map says; every cell names a tile of a
//! tileset. Not here: objects (`object`), what layers mean (`ground`).

use super::attribute::{number, optional_whole, whole};
use super::data::{self, CellEncoding};
use super::files::{Here, Import, LAYER_CELLS_MAX};
use super::inheritance::properties_bytes;
use super::object;
use super::place::MapPlacement;
use super::property;
use super::raw::{GID_MASK, Orientation, Properties, RawContent, RawLayer, RawMap, RawObject, Rect};
use super::tileset::{TILE_PX_MAX, tileset_of_map};
use super::tree::Element;
use crate::base::ordered;
use crate::level::diagnostic::{PendingDiagnostic, Span, code};
use crate::level::textgrid::CELLS_MAX;
use crate::level::tiled::TiledOptions;

/// Most columns and rows of a map.
const SIDE_MAX: i64 = 65_536;
/// Most layers, groups included.
const LAYERS_MAX: usize = 4096;
/// Furthest that a chunk may lie from the origin, cells.
const CHUNK_AT_MAX: i64 = 1 << 24;

/// Reads the map at `here`.
pub(super) fn map(import: &mut Import<'_>, here: Here<'_, '_>) -> Option<RawMap> {
    let root = here.root;
    if root.name != "map" {
        let found = super::files::short(&root.name);
        import.error(
            here,
            code::CHOICE,
            root.span,
            format!("the file is a {found}, expected a map of Tiled"),
        );
        return None;
    }
    let orientation = orientation(import, here);
    let mut number = |name, least, most| whole(import, here, root, name, least..=most);
    let (width, height) = (number("width", 1, SIDE_MAX), number("height", 1, SIDE_MAX));
    let (tile_width, tile_height) =
        (number("tilewidth", 1, TILE_PX_MAX), number("tileheight", 1, TILE_PX_MAX));
    let hex_side = optional_whole(import, here, root, "hexsidelength", 0..=TILE_PX_MAX);
    let (width, height) = (width? as u32, height? as u32);
    let cells = u64::from(width) * u64::from(height);
    if cells > CELLS_MAX {
        let message =
            format!("the map has {width} x {height} cells, which are {cells}, the limit is {CELLS_MAX}");
        import.error(here, code::LIMIT, root.span_of("width"), message);
        return None;
    }
    let folder = here.path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
    let mut map = RawMap {
        orientation: orientation?,
        width,
        height,
        tile_width_px: tile_width? as u32,
        tile_height_px: tile_height? as u32,
        hex_side_px: hex_side.unwrap_or(0) as u32,
        stagger_x: word(import, here, "staggeraxis", &["y", "x"]) == 1,
        stagger_even: word(import, here, "staggerindex", &["odd", "even"]) == 1,
        infinite: matches!(root.value("infinite"), "1" | "true"),
        bounds: Rect { x: 0, y: 0, width, height },
        properties: property::properties(import, here, root),
        tilesets: Vec::new(),
        layers: Vec::new(),
        span: root.span,
        folder,
    };
    for element in root.all("tileset") {
        if let Some((first, tileset)) = tileset_of_map(import, here, element) {
            map.tilesets.push((first, tileset));
        }
    }
    ordered::sort_by_key(&mut map.tilesets, |(first, _)| *first);
    let top = Above { way: root.way(here.notation), ..Above::default() };
    layers(import, here, root, &top, &mut map);
    cover(import, here, &mut map);
    number_objects(&mut map);
    (!import.findings.has_errors()).then_some(map)
}

/// Objects without a number, as in maps of old versions, get those after the largest.
fn number_objects(map: &mut RawMap) {
    let lists = map.layers.iter_mut().filter_map(|layer| match &mut layer.content {
        RawContent::Objects(objects) => Some(objects),
        _ => None,
    });
    let mut objects: Vec<&mut RawObject> = lists.flatten().collect();
    let last = objects.iter().map(|object| object.id).max().unwrap_or(0);
    let unnumbered = objects.iter_mut().filter(|object| object.id == 0);
    for (object, number) in unnumbered.zip(last.saturating_add(1)..) {
        object.id = number;
    }
}

fn orientation(import: &mut Import<'_>, here: Here<'_, '_>) -> Option<Orientation> {
    let known =
        [Orientation::Orthogonal, Orientation::Isometric, Orientation::Staggered, Orientation::Hexagonal];
    let stated = here.root.value("orientation");
    if stated == "oblique" {
        let message = "the map is oblique, an orthogonal one that is drawn askew: it is read as orthogonal";
        let span = here.root.span_of("orientation");
        import.findings.warn(|| PendingDiagnostic::new(code::CHOICE, span, message).at(here.pointer(span)));
    }
    // A map that says nothing is orthogonal.
    if matches!(stated, "" | "oblique") {
        return Some(Orientation::Orthogonal);
    }
    let found = known.into_iter().find(|orientation| orientation.name() == stated);
    if found.is_none() {
        let (span, stated) = (here.root.span_of("orientation"), super::files::short(stated));
        import.findings.error(|| {
            let names = "orthogonal, isometric, staggered or hexagonal";
            PendingDiagnostic::new(
                code::CHOICE,
                span,
                format!("orientation is \"{stated}\", expected {names}"),
            )
            .at(here.pointer(span))
            .suggest(&stated, known.map(Orientation::name))
        });
    }
    found
}

/// Which of a few words an attribute of the map is; the first when it is not there.
fn word(import: &mut Import<'_>, here: Here<'_, '_>, name: &str, words: &[&str]) -> usize {
    let stated = here.root.value(name);
    if stated.is_empty() {
        return 0;
    }
    words.iter().position(|word| *word == stated).unwrap_or_else(|| {
        let message =
            format!("{name} is \"{}\", expected {}", super::files::short(stated), words.join(" or "));
        import.error(here, code::CHOICE, here.root.span_of(name), message);
        0
    })
}

/// What layers have from the groups around them.
#[derive(Default)]
struct Above {
    properties: Properties,
    offset_px: [f64; 2],
    /// Names of the groups, each with a slash behind it.
    path: String,
    /// The way to the innermost group, or to the map.
    way: String,
}

/// Reads the layers below a map or a group, those of groups in it included.
fn layers(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    parent: &Element<'_>,
    above: &Above,
    map: &mut RawMap,
) {
    for element in &parent.children {
        if !is_layer(import, element) {
            continue;
        }
        if map.layers.len() >= LAYERS_MAX {
            import.error(
                here,
                code::LIMIT,
                element.span,
                format!("the map has more than {LAYERS_MAX} layers, which is the limit"),
            );
            return;
        }
        let way = element.way_below(&above.way, here.notation);
        let mut properties = property::properties(import, here, element);
        let above_bytes = || above.path.len() + properties_bytes(&above.properties);
        if import.inherit(here, element.span, above_bytes).is_none() {
            return;
        }
        properties.add_missing(&above.properties);
        let offset =
            |import: &mut Import<'_>, name, from: f64| from + number(import, here, element, name, 0.0);
        let offset_px =
            [offset(import, "offsetx", above.offset_px[0]), offset(import, "offsety", above.offset_px[1])];
        let name = element.value("name").to_owned();
        if element.name == "group" {
            let path = format!("{}{name}/", above.path);
            layers(import, here, element, &Above { properties, offset_px, path, way }, map);
            continue;
        }
        let Some(content) = content(import, here, element, &way, map) else { continue };
        map.layers.push(RawLayer {
            name: format!("{}{name}", above.path),
            groups_bytes: above.path.len(),
            span: element.span,
            pointer: way,
            properties,
            offset_px,
            content,
        });
    }
}

/// Whether an element is a layer or a group; says so of what is passed over.
fn is_layer(import: &mut Import<'_>, element: &Element<'_>) -> bool {
    match element.name.as_ref() {
        "layer" | "objectgroup" | "group" => true,
        "imagelayer" => {
            import.skip("an image layer, which is only a picture", element.span);
            true
        }
        // Tilesets and properties were read, the rest is for the editor.
        "tileset" | "properties" | "editorsettings" | "data" => false,
        other => {
            let what = format!("<{}>, which this version does not know", super::files::short(other));
            import.skip(what, element.span);
            false
        }
    }
}

/// What a layer that is no group holds; none after findings.
fn content(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    way: &str,
    map: &RawMap,
) -> Option<RawContent> {
    match element.name.as_ref() {
        "layer" => tiles(import, here, element, map),
        "objectgroup" => {
            Some(RawContent::Objects(object::objects(import, here, element, way, &map.tilesets)))
        }
        _ => Some(RawContent::Picture),
    }
}

/// The cells of a layer.
fn tiles(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    map: &RawMap,
) -> Option<RawContent> {
    let Some(data) = element.child("data") else {
        let message = format!("layer \"{}\" has no data", super::files::short(element.value("name")));
        import.error(here, code::MISSING_FIELD, element.span, message);
        return None;
    };
    let stated = |name| if data.attribute(name).is_some() { data.value(name) } else { element.value(name) };
    let form = CellEncoding { encoding: stated("encoding"), compression: stated("compression") };
    let layer = ReadLayer { element, name: super::files::short(element.value("name")), form };
    // Infinite maps have chunks, but for those of other programs.
    if data.child("chunk").is_some() || map.infinite && data.text.trim().is_empty() {
        return chunks(import, here, &layer, data, map);
    }
    let side = |import: &mut Import<'_>, name, own: u32| match optional_whole(
        import,
        here,
        element,
        name,
        1..=SIDE_MAX,
    ) {
        Some(side) => side as u32,
        None => own,
    };
    let (width, height) = (side(import, "width", map.width), side(import, "height", map.height));
    if (width, height) != (map.width, map.height) {
        let message = format!(
            "layer \"{}\" has {width} x {height} cells, expected {} x {} as the map has",
            layer.name, map.width, map.height
        );
        import.error(here, code::DATA, element.span_of("width"), message);
        return None;
    }
    let rect = Rect { x: 0, y: 0, width, height };
    let gids = cells(import, here, &layer, CellText { element: data, rect }, map)?;
    Some(RawContent::Tiles { rect, gids })
}

/// A tile layer being read.
struct ReadLayer<'e, 'a> {
    element: &'e Element<'a>,
    name: String,
    form: CellEncoding<'e>,
}

/// An element whose text holds cells, those of a layer or of a chunk, and where they lie.
#[derive(Clone, Copy)]
struct CellText<'e, 'a> {
    element: &'e Element<'a>,
    rect: Rect,
}

fn spend(import: &mut Import<'_>, here: Here<'_, '_>, span: Span, cells: u64) -> Option<()> {
    match import.cells_left.checked_sub(cells) {
        Some(left) => import.cells_left = left,
        None => {
            let message =
                format!("all layers together have more than {LAYER_CELLS_MAX} cells, which is the limit");
            import.error(here, code::LIMIT, span, message);
            return None;
        }
    }
    Some(())
}

/// The cells of an element, all of them with a tile.
fn cells(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    layer: &ReadLayer<'_, '_>,
    CellText { element, rect }: CellText<'_, '_>,
    map: &RawMap,
) -> Option<Vec<u32>> {
    spend(import, here, layer.element.span, rect.cells())?;
    let whose = if element.name == "chunk" {
        format!("the chunk at {},{} of layer \"{}\"", rect.x, rect.y, layer.name)
    } else {
        format!("layer \"{}\"", layer.name)
    };
    let gids = match data::decode(&element.text, layer.form, rect.cells() as usize) {
        Ok(gids) => gids,
        Err(broken) => {
            let at = element.text_at as usize + broken.at.unwrap_or(0);
            let span = match broken.at {
                // Text that was put together from pieces does not stand in the file like this.
                Some(_) if matches!(element.text, std::borrow::Cow::Borrowed(_)) => {
                    Span::new(here.file, at, at + 1)
                }
                _ => element.span,
            };
            import.error(here, broken.code, span, format!("{whose} {}", broken.what));
            return None;
        }
    };
    let wrong = gids.iter().position(|gid| gid & GID_MASK != 0 && map.tile(*gid).is_none());
    if let Some(index) = wrong {
        let (x, y) = (index as u32 % rect.width, index as u32 / rect.width);
        let (x, y) = (i64::from(rect.x) + i64::from(x), i64::from(rect.y) + i64::from(y));
        let id = gids[index] & GID_MASK;
        let message = format!("{whose} has tile {id} in cell {x},{y}, which is not a tile of {}", sets(map));
        import.no_tile(here, element.span, message);
        return None;
    }
    Some(gids)
}

/// The ids that there are, as a sentence has them.
pub(super) fn sets(map: &RawMap) -> String {
    match map.tilesets.last() {
        None => "any tileset: the map has none".to_owned(),
        Some((first, set)) => {
            let count = map.tilesets.len();
            let last = first.saturating_add(set.tiles_max).saturating_sub(1);
            let sets = if count == 1 { "the tileset".to_owned() } else { format!("the {count} tilesets") };
            format!("{sets}, whose ids end at {}", last.min(GID_MASK))
        }
    }
}

fn chunks(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    layer: &ReadLayer<'_, '_>,
    data: &Element<'_>,
    map: &RawMap,
) -> Option<RawContent> {
    let mut rect = Rect::default();
    let mut places = Vec::new();
    for chunk in data.all("chunk") {
        let mut number = |name, least, most| whole(import, here, chunk, name, least..=most);
        let (x, y) = (number("x", -CHUNK_AT_MAX, CHUNK_AT_MAX), number("y", -CHUNK_AT_MAX, CHUNK_AT_MAX));
        let (width, height) = (number("width", 1, SIDE_MAX), number("height", 1, SIDE_MAX));
        let own = Rect { x: x? as i32, y: y? as i32, width: width? as u32, height: height? as u32 };
        rect = rect.around(own);
        if rect.cells() > CELLS_MAX {
            let message = format!(
                "the chunks of layer \"{}\" lie so far apart that they span {} x {} cells, which are {}, \
                 the limit is {CELLS_MAX}",
                layer.name,
                rect.width,
                rect.height,
                rect.cells()
            );
            import.error(here, code::LIMIT, chunk.span, message);
            return None;
        }
        places.push(CellText { element: chunk, rect: own });
    }
    spend(import, here, layer.element.span, rect.cells())?;
    let mut gids = vec![0; rect.cells() as usize];
    for text in places {
        let (own, cells) = (text.rect, cells(import, here, layer, text, map)?);
        for (row, line) in cells.chunks_exact(own.width as usize).enumerate() {
            let (x, y) = ((own.x - rect.x) as usize, (own.y - rect.y) as usize + row);
            let at = y * rect.width as usize + x;
            gids[at..at + line.len()].copy_from_slice(line);
        }
    }
    Some(RawContent::Tiles { rect, gids })
}

/// The rectangle around all layers of a map whose cells come in chunks, and around what their offsets move.
fn cover(import: &mut Import<'_>, here: Here<'_, '_>, map: &mut RawMap) {
    let place = MapPlacement::new(map, &TiledOptions::default());
    let rects = map.layers.iter().filter_map(|layer| match &layer.content {
        RawContent::Tiles { rect, .. } if layer.offset_px == [0.0, 0.0] || !map.infinite => Some(*rect),
        RawContent::Tiles { rect, gids } => {
            let drawn = place.drawn_tiles(*rect, gids, layer.offset_px);
            Some(rect.around(Rect::around_cells(drawn.into_iter().map(|(cell, _)| cell))))
        }
        _ => None,
    });
    let around = rects.fold(Rect::default(), Rect::around);
    if !map.infinite && (around == Rect::default() || around == map.bounds) {
        return;
    }
    if around.cells() > CELLS_MAX {
        let message = format!(
            "the layers lie so far apart that they span {} x {} cells, which are {}, the limit is {CELLS_MAX}",
            around.width,
            around.height,
            around.cells()
        );
        import.error(here, code::LIMIT, here.root.span, message);
    } else if around.cells() > 0 {
        map.bounds = around;
    }
}
