//! JSON into [`LevelDef`]: every key read, every default filled in, everything wrong reported at once.
//!
//! In: bytes and the name they were found under. Out: the level, or none, with the list of what is wrong.
//! Holds: never panics on any bytes; a part that cannot be read is left out and the rest is read on; the list
//! of keys here, in `def` and in the schema is the same (a test compares them). Not here: names that lead
//! nowhere (`resolve`), maps (`bake`).

use super::def::*;
use super::diagnostic::{Diagnostic, Findings, Located, PendingDiagnostic, code};
use super::json::{Fields, JsonPath, JsonReader, JsonValue};
use super::numbers::{self, Number};
use super::polygon::{self, Crossing};
use super::source::{checked_path, stem};
use super::tiled::TiledOptions;
use super::{bake, keys, resolve, textgrid};
use crate::base::geom::Point;
use std::collections::BTreeMap;

/// Most corners of one polygon.
pub const POINTS_MAX: usize = 4096;
/// Most areas, obstacles, regions, doors or routes, each.
pub const POLYGONS_MAX: usize = 10_000;
/// Most marks, and most stops of all routes together.
pub const MARKS_MAX: usize = 100_000;
/// Most rows of an ascii map.
pub const ROWS_MAX: usize = 65_536;
/// Most characters, whatever `limits.characters` says.
pub const CHARACTERS_MAX: usize = 65_536;
/// Most tags of one character.
pub const TAGS_MAX: usize = 64;
/// Largest `params` of one character, bytes of JSON.
pub const PARAMS_BYTES_MAX: usize = 256 * 1024;

/// What came of reading a level.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOutcome {
    /// The level; none when there is an error.
    pub def: Option<LevelDef>,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a level, a bare polygon config or (by the suffix `.txt`) a text grid. `name` is the path it was
/// found under: it stands in the diagnostics and names a level that has no name. Maps in other files are
/// not opened; [`super::load`] does that.
#[must_use]
pub fn read(bytes: &[u8], name: &str) -> ReadOutcome {
    let mut findings = Findings::default();
    let def = read_level(&mut findings, name, bytes);
    if let Some(def) = &def {
        let resolved = resolve::resolve(&mut findings, def);
        bake::check_size(&mut findings, def, &resolved);
    }
    let failed = findings.has_errors();
    ReadOutcome { def: def.filter(|_| !failed), diagnostics: findings.take() }
}

/// The same into `findings`, with whatever could be read even where there are errors.
pub(crate) fn read_level(findings: &mut Findings, name: &str, bytes: &[u8]) -> Option<LevelDef> {
    let file = findings.add_file(name, bytes);
    let mut reader = JsonReader { findings, file };
    let (text, base) = reader.decoded(bytes)?;
    if is_text_grid(name) {
        let grid = textgrid::parse(&mut reader, text, base)?;
        return Some(LevelDef::of_map(stem(name), NavigationDef::TextGrid(Box::new(grid))));
    }
    let root = reader.root(text, base)?;
    let node = JsonValue { text: root.text, at: root.at, place: &JsonPath::Root };
    let fields = reader.any_fields(node)?;
    if fields.has("areas") && !fields.has("navigation") {
        let grid = reader.grid(&fields);
        return Some(LevelDef::of_map(stem(name), NavigationDef::Grid(grid)));
    }
    reader.level(&fields, stem(name))
}

/// A map file that a level names, into `findings`.
pub(crate) fn read_map(
    findings: &mut Findings,
    path: &str,
    bytes: &[u8],
    form: MapForm,
) -> Option<NavigationDef> {
    let file = findings.add_file(path, bytes);
    let mut reader = JsonReader { findings, file };
    let (text, base) = reader.decoded(bytes)?;
    if form == MapForm::TextGrid {
        return Some(NavigationDef::TextGrid(Box::new(textgrid::parse(&mut reader, text, base)?)));
    }
    let root = reader.root(text, base)?;
    let fields = reader.any_fields(JsonValue { text: root.text, at: root.at, place: &JsonPath::Root })?;
    Some(NavigationDef::Grid(reader.grid(&fields)))
}

fn is_text_grid(name: &str) -> bool {
    name.len() >= 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".txt")
}

pub(crate) const LEVEL_KEYS: &[&str] = &[
    "$schema",
    "name",
    "tickRate",
    "seed",
    "navigation",
    "doors",
    "marks",
    "routes",
    "regions",
    "characters",
    "script",
    "limits",
    "crowd",
    "pathBudget",
];
pub(super) const SIZE_KEYS: &[&str] =
    &["cellSize", "agentRadius", "objectPadding", "boundaryPadding", "floorY"];
pub(super) const GRID_KEYS: &[&str] = &["kind", "areas", "obstacles", "$schema", "name"];
const ASCII_KEYS: &[&str] = &["kind", "rows", "legend", "origin"];
const TILED_KEYS: &[&str] =
    &["kind", "file", "metresPerPixel", "flip", "types", "agentRadius", "floorY", "hierarchy"];

impl JsonReader<'_> {
    fn level(&mut self, fields: &Fields<'_, '_>, default_name: &str) -> Option<LevelDef> {
        self.know(fields, LEVEL_KEYS);
        let navigation = self.required(fields, "navigation", Self::navigation);
        // A level without a map is read on, so that everything else wrong with it is said as well.
        let broken = NavigationDef::File(MapFileDef {
            file: Located::default(),
            form: MapForm::Grid,
            tiled: Default::default(),
        });
        let mut def = LevelDef::of_map(default_name, navigation.unwrap_or(broken));
        def.schema = self.optional(fields, "$schema", |r, n| r.text(n, "text").map(String::from));
        if let Some(name) = self.optional(fields, "name", Self::name) {
            def.name = name.value;
        }
        if let Some(rate) = self.optional(fields, "tickRate", |r, n| r.whole(n, &numbers::TICK_RATE)) {
            def.tick_rate = rate as u32;
        }
        if let Some(seed) = self.optional(fields, "seed", |r, n| r.whole(n, &numbers::SEED)) {
            def.seed = seed;
        }
        if let Some(budget) = self.optional(fields, "pathBudget", |r, n| r.whole(n, &numbers::PATH_BUDGET)) {
            def.path_budget = budget as u32;
        }
        def.doors = self.parts(fields, "doors", POLYGONS_MAX, Self::door);
        def.marks = self.optional(fields, "marks", Self::marks).unwrap_or_default();
        def.routes = self.optional(fields, "routes", Self::routes).unwrap_or_default();
        let mut pairs_left = polygon::PAIRS_MAX;
        def.regions = self.parts(fields, "regions", POLYGONS_MAX, |r, n| r.region(n, &mut pairs_left));
        def.characters = self.parts(fields, "characters", CHARACTERS_MAX, Self::character);
        def.script = self.optional(fields, "script", Self::script_name);
        def.limits = self.optional(fields, "limits", Self::limits).unwrap_or_default();
        def.crowd = self.optional(fields, "crowd", Self::crowd).unwrap_or_default();
        self.count_characters(fields, &def);
        Some(def)
    }

    pub(super) fn parts<'a, T>(
        &mut self,
        fields: &Fields<'a, '_>,
        key: &'static str,
        count_max: usize,
        mut read: impl FnMut(&mut Self, JsonValue<'a, '_>) -> Option<T>,
    ) -> Vec<T>
    where
        T: Default,
    {
        // What cannot be read keeps its number, so that later findings about its neighbours point at the
        // right ones.
        let list = |reader: &mut Self, node: JsonValue<'a, '_>| {
            reader.list(node, count_max, |reader, node| Some(read(reader, node).unwrap_or_default()))
        };
        self.optional(fields, key, list).unwrap_or_default()
    }

    fn count_characters(&mut self, fields: &Fields<'_, '_>, def: &LevelDef) {
        let (count, count_max) = (def.characters.len(), def.limits.characters as usize);
        if count > count_max {
            self.optional(fields, "characters", |reader, node| {
                reader.error(
                    code::LIMIT,
                    node,
                    format!("has {count} entries, the limit is {count_max} (limits.characters)"),
                );
                Some(())
            });
        }
    }

    fn navigation(&mut self, node: JsonValue<'_, '_>) -> Option<NavigationDef> {
        if node.text.starts_with('"') {
            return self.map_file(node, None).map(NavigationDef::File);
        }
        if !node.text.starts_with('{') {
            self.text(node, "an object or the name of a map file");
            return None;
        }
        let fields = self.any_fields(node)?;
        match self.kind(&fields)? {
            "grid" => Some(NavigationDef::Grid(self.grid(&fields))),
            "ascii" => self.ascii(&fields).map(NavigationDef::Ascii),
            "graph" => self.graph(&fields).map(|graph| NavigationDef::Graph(Box::new(graph))),
            "tiles" => self.tiles(&fields).map(|tiles| NavigationDef::Tiles(Box::new(tiles))),
            "tiled" => self.tiled(&fields).map(NavigationDef::File),
            "mesh" => Some(NavigationDef::Grid(self.mesh(&fields))),
            _ => {
                self.know(&fields, &["kind", "file"]);
                self.required(&fields, "file", |r, n| r.map_file(n, Some(MapForm::TextGrid)))
                    .map(NavigationDef::File)
            }
        }
    }

    /// The kind of map; a grid when nothing is said. None after an error.
    fn kind(&mut self, fields: &Fields<'_, '_>) -> Option<&'static str> {
        const KINDS: &[(&str, &str)] = &[
            ("grid", "grid"),
            ("textGrid", "textGrid"),
            ("ascii", "ascii"),
            ("tiles", "tiles"),
            ("tiled", "tiled"),
            ("mesh", "mesh"),
            ("graph", "graph"),
        ];
        if !fields.has("kind") {
            return Some("grid");
        }
        self.optional(fields, "kind", |reader, node| reader.choice(node, KINDS))
    }

    fn map_file(&mut self, node: JsonValue<'_, '_>, form: Option<MapForm>) -> Option<MapFileDef> {
        let file = self.path(node)?;
        let lower = file.value.to_ascii_lowercase();
        let form = match form {
            Some(form) => form,
            None if lower.ends_with(".txt") => MapForm::TextGrid,
            None if lower.ends_with(".json") => MapForm::Grid,
            None if super::tiled::is_tiled(&lower) => MapForm::Tiled,
            None => {
                self.error(
                    code::CHOICE,
                    node,
                    format!("is {}, expected a file ending in .json, .txt, .tmx or .tmj", node.text),
                );
                return None;
            }
        };
        Some(MapFileDef { file, form, tiled: Default::default() })
    }

    /// A map of kind `tiled`: its file, and how it is taken in.
    fn tiled(&mut self, fields: &Fields<'_, '_>) -> Option<MapFileDef> {
        self.know(fields, TILED_KEYS);
        let sizes = self.sizes(fields);
        let scale = self.optional(fields, "metresPerPixel", |r, n| r.number(n, &numbers::METRES_PER_PIXEL));
        let flip = self.optional(fields, "flip", Self::truth);
        let types = self.optional(fields, "types", Self::path);
        let file = self.required(fields, "file", |r, n| r.map_file(n, Some(MapForm::Tiled)))?;
        let hierarchy = self.optional(fields, "hierarchy", |r, n| r.choice(n, super::tiles::HIERARCHIES));
        let hierarchy = hierarchy.unwrap_or_default();
        let tiled = TiledOptions {
            metres_per_pixel: scale,
            is_flipped: flip.unwrap_or(false),
            types,
            sizes,
            hierarchy,
        };
        Some(MapFileDef { tiled, ..file })
    }

    /// A path that stays inside the project.
    pub(super) fn path(&mut self, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        let text = self.text(node, "the name of a file")?;
        let span = self.span(node);
        if let Err(error) = checked_path(&text) {
            self.findings.error(|| {
                let message = format!("{} is {}: {error}", node.place.words(), super::json::shown(node.text));
                PendingDiagnostic::new(code::PATH, span, message).at(node.place.pointer()).help(error.help())
            });
            return None;
        }
        Some(Located::new(text.into_owned(), span))
    }

    fn script_name(&mut self, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        self.path(node)
    }

    pub(super) fn sizes(&mut self, fields: &Fields<'_, '_>) -> CellSizes {
        let mut sizes = CellSizes::default();
        let mut read = |key, number: &Number, target: &mut f64| {
            if let Some(value) = self.optional(fields, key, |r, n| r.number(n, number)) {
                *target = value;
            }
        };
        read("cellSize", &numbers::CELL_SIZE, &mut sizes.cell_size_m);
        read("agentRadius", &numbers::AGENT_RADIUS, &mut sizes.agent_radius_m);
        read("objectPadding", &numbers::OBJECT_PADDING, &mut sizes.object_padding_m);
        read("boundaryPadding", &numbers::BOUNDARY_PADDING, &mut sizes.boundary_padding_m);
        read("floorY", &numbers::FLOOR_Y, &mut sizes.floor_y_m);
        sizes
    }

    fn grid(&mut self, fields: &Fields<'_, '_>) -> GridDef {
        self.know(fields, &[GRID_KEYS, SIZE_KEYS].concat());
        if !fields.has("areas") {
            let _ = self.required(fields, "areas", |_, _| Some(()));
        }
        self.areas_and_obstacles(fields, &[])
    }

    /// The areas and obstacles of a map of polygons, which may have some `more` keys, and its sizes.
    pub(super) fn areas_and_obstacles(&mut self, fields: &Fields<'_, '_>, more: &[&str]) -> GridDef {
        let mut pairs_left = polygon::PAIRS_MAX;
        let areas = self.optional(fields, "areas", |reader, node| {
            let areas = reader.list(node, POLYGONS_MAX, |r, n| {
                Some(r.area(n, (PolygonRole::Area, more), &mut pairs_left).unwrap_or_default())
            })?;
            if reader.items(node, "a list", 0).is_some_and(|(count, _)| count == 0) {
                reader.error(code::DEGENERATE, node, "is empty, expected at least one area");
            }
            Some(areas)
        });
        let obstacles = self.parts(fields, "obstacles", POLYGONS_MAX, |r, n| {
            r.area(n, (PolygonRole::Obstacle, more), &mut pairs_left)
        });
        let pointer = fields.node.place.pointer();
        GridDef {
            sizes: self.sizes(fields),
            areas: areas.unwrap_or_default(),
            obstacles,
            pointer,
            span: self.span(fields.node),
            mesh: None,
        }
    }

    /// An area or an obstacle, which may have some `more` keys.
    pub(super) fn area(
        &mut self,
        node: JsonValue<'_, '_>,
        (ground, more): (PolygonRole, &[&str]),
        pairs_left: &mut usize,
    ) -> Option<AreaDef> {
        let keys: &[&str] = match ground {
            PolygonRole::Area => &["name", "polygon", "available", "cost"],
            PolygonRole::Obstacle => &["name", "polygon", "available"],
        };
        let fields = &self.fields(node, &[keys, more].concat())?;
        let name = self.required(fields, "name", Self::name);
        let polygon = self.required(fields, "polygon", |r, n| r.polygon(n, ground, pairs_left));
        let available =
            self.optional(fields, "available", |r, n| r.truth(n).map(|v| Located::new(v, r.span(n))));
        let cost = self.optional(fields, "cost", |r, n| r.number(n, &numbers::COST));
        let heights_m = self.optional(fields, "heights", Self::heights);
        Some(AreaDef {
            name: name.unwrap_or_default(),
            polygon: polygon.unwrap_or_default(),
            available: available.as_ref().map(|spot| spot.value),
            cost: cost.unwrap_or(numbers::COST.default),
            heights_m,
            available_spot: Located::new((), available.map_or(self.span(fields.node), |spot| spot.span)),
        })
    }

    fn heights(&mut self, node: JsonValue<'_, '_>) -> Option<[f64; 2]> {
        let heights = self.coordinates(node, "[least, greatest] height", &[2])?;
        if heights[0] > heights[1] {
            self.error(code::RANGE, node, "has the greater height first, expected [least, greatest]");
        }
        Some([heights[0], heights[1]])
    }

    /// Corners without repeats. None after an error; empty for an obstacle that encloses nothing.
    fn polygon(
        &mut self,
        node: JsonValue<'_, '_>,
        ground: PolygonRole,
        pairs_left: &mut usize,
    ) -> Option<Vec<Point>> {
        let (count, _) = self.items(node, "a list of corners [x, z]", 0)?;
        if count > POINTS_MAX {
            self.error(code::LIMIT, node, format!("has {count} corners, the limit is {POINTS_MAX}"));
            return None;
        }
        let corners = self.list(node, POINTS_MAX, Self::point)?;
        if corners.len() < count {
            return None; // The corners that are missing were reported.
        }
        let corners = polygon::without_repeats(corners);
        if let Some(why) = polygon::degenerate(&corners) {
            if ground == PolygonRole::Obstacle {
                self.warn(code::DEGENERATE, node, format!("{why}; the obstacle is ignored"));
                return Some(Vec::new());
            }
            self.error(code::DEGENERATE, node, why);
            return None;
        }
        self.warn_of_crossing(node, &corners, pairs_left);
        Some(corners)
    }

    fn warn_of_crossing(&mut self, node: JsonValue<'_, '_>, corners: &[Point], pairs_left: &mut usize) {
        let spent_before = *pairs_left == 0;
        match polygon::crossing(corners, pairs_left) {
            Crossing::Nowhere => {}
            Crossing::Between(first, second) => {
                let edge = |from: usize| {
                    let (a, b) = (corners[from], corners[(from + 1) % corners.len()]);
                    format!("[{}, {}]-[{}, {}]", a[0], a[1], b[0], b[1])
                };
                let (one, other) = (edge(first), edge(second));
                let what = format!(
                    "crosses itself: edges {one} and {other}; what lies inside an odd number of turns counts"
                );
                self.warn(code::SELF_CROSSING, node, what);
            }
            Crossing::Unknown if spent_before => {}
            Crossing::Unknown => {
                self.warn(
                    code::SELF_CROSSING,
                    node,
                    "and later ones were not searched for crossing edges: too many edges",
                );
            }
        }
    }

    fn coordinate(&mut self, node: JsonValue<'_, '_>) -> Option<f64> {
        let value = self.finite(node, "a number of metres")?;
        if numbers::COORDINATE.holds(value) {
            return Some(value);
        }
        self.error(
            code::EXTENT,
            node,
            format!("is {}, expected {}", super::json::shown(node.text), numbers::COORDINATE.range()),
        );
        None
    }

    pub(super) fn coordinates(
        &mut self,
        node: JsonValue<'_, '_>,
        form: &str,
        counts: &[usize],
    ) -> Option<Vec<f64>> {
        let (count, _) = self.items(node, form, 0)?;
        if !counts.contains(&count) {
            self.error(code::TYPE, node, format!("has {count} numbers, expected {form}"));
            return None;
        }
        let numbers = self.list(node, 3, Self::coordinate)?;
        (numbers.len() == count).then_some(numbers)
    }

    fn point(&mut self, node: JsonValue<'_, '_>) -> Option<Point> {
        let numbers = self.coordinates(node, "a corner [x, z]", &[2])?;
        Some([numbers[0], numbers[1]])
    }

    pub(super) fn position(&mut self, node: JsonValue<'_, '_>) -> Option<Position> {
        let numbers = self.coordinates(node, "a position [x, z]", &[2, 3])?;
        Some(match numbers[..] {
            [x, y, z] => Position { x, y: Some(y), z },
            _ => Position { x: numbers[0], y: None, z: numbers[1] },
        })
    }

    fn ascii(&mut self, fields: &Fields<'_, '_>) -> Option<AsciiDef> {
        self.know(fields, &[ASCII_KEYS, SIZE_KEYS].concat());
        let sizes = self.sizes(fields);
        let origin = self.origin(fields);
        let legend = self.optional(fields, "legend", |r, n| r.legend_entries(n, Self::legend_entry));
        let rows = self.required(fields, "rows", Self::rows)?;
        Some(AsciiDef {
            sizes,
            origin,
            rows,
            legend: legend.unwrap_or_default(),
            span: self.span(fields.node),
        })
    }

    pub(super) fn origin(&mut self, fields: &Fields<'_, '_>) -> Point {
        let origin = self.optional(fields, "origin", |r, n| {
            r.coordinates(n, "a corner [x, z]", &[2]).map(|numbers| [numbers[0], numbers[1]])
        });
        origin.unwrap_or_default()
    }

    pub(super) fn rows(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<Located<String>>> {
        self.list(node, ROWS_MAX, |r, n| {
            r.text(n, "a row of characters").map(|text| Located::new(text.into_owned(), r.span(n)))
        })
    }

    /// What the characters of a drawing mean; `read` takes what stands behind one.
    pub(super) fn legend_entries<'a, T>(
        &mut self,
        node: JsonValue<'a, '_>,
        mut read: impl FnMut(&mut Self, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<Vec<(Located<char>, T)>> {
        let members = self.members(node, "an object")?;
        let mut legend = Vec::new();
        for member in &members {
            let place = JsonPath::Key(node.place, &member.key);
            let key = JsonValue { text: member.key_item.text, at: member.key_item.at, place: &place };
            let mut characters = member.key.chars();
            let character = match (characters.next(), characters.next()) {
                (Some(character), None) if !"#.".contains(character) => character,
                (Some('#' | '.'), None) => {
                    self.error(code::CHOICE, key, "is taken: # is always blocked and . walkable");
                    continue;
                }
                _ => {
                    self.error(code::CHOICE, key, "is not one character, expected one");
                    continue;
                }
            };
            let value = JsonValue { text: member.value.text, at: member.value.at, place: &place };
            if let Some(entry) = read(self, value) {
                legend.push((Located::new(character, self.span(key)), entry));
            }
        }
        Some(legend)
    }

    fn legend_entry(&mut self, node: JsonValue<'_, '_>) -> Option<LegendDef> {
        let fields = self.fields(node, &["area", "cost", "mark", "walkable"])?;
        Some(LegendDef {
            area: self.optional(&fields, "area", Self::name),
            cost: self.optional(&fields, "cost", |r, n| r.number(n, &numbers::COST)),
            mark: self.optional(&fields, "mark", Self::name),
            walkable: self.optional(&fields, "walkable", Self::truth).unwrap_or(true),
        })
    }

    fn door(&mut self, node: JsonValue<'_, '_>) -> Option<DoorDef> {
        let fields = self.fields(node, &keys::DOOR.of_level())?;
        let name = self.required(&fields, "name", Self::name);
        let area = self.required(&fields, "area", Self::name);
        let open = self.optional(&fields, "open", Self::truth).unwrap_or(false);
        let seconds = self.optional(&fields, "seconds", |r, n| r.number(n, &numbers::DOOR_SECONDS));
        let key = self.optional(&fields, "key", Self::name).map(|key| key.value);
        // What wants a key is locked, unless it says that it is not.
        let locked = self.optional(&fields, "locked", Self::truth).unwrap_or(key.is_some());
        let props = self.optional(&fields, "props", Self::params).unwrap_or_default();
        let one_way = self.optional(&fields, "oneWay", Self::direction);
        let teams = self.optional(&fields, "teams", Self::teams).unwrap_or_default();
        let duration_s = seconds.unwrap_or(numbers::DOOR_SECONDS.default);
        Some(DoorDef {
            name: name.unwrap_or_default(),
            area: area.unwrap_or_default(),
            open,
            duration_s,
            locked,
            key,
            one_way,
            teams,
            props,
        })
    }

    fn direction(&mut self, node: JsonValue<'_, '_>) -> Option<[f64; 2]> {
        let numbers = self.coordinates(node, "a direction [x, z]", &[2])?;
        // As the world keeps it: what is nothing there is no direction either.
        if numbers.iter().all(|&number| number as f32 == 0.0) {
            self.error(code::DEGENERATE, node, "is [0, 0], expected a direction [x, z]");
            return None;
        }
        Some([numbers[0], numbers[1]])
    }

    fn teams(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<String>> {
        let teams = self.tags(node)?;
        if teams.is_empty() {
            self.error(code::DEGENERATE, node, "is empty, expected at least one tag");
        }
        Some(teams)
    }

    /// The entries of an object whose keys are names.
    fn named<'a, T>(
        &mut self,
        node: JsonValue<'a, '_>,
        count_max: usize,
        mut read: impl FnMut(&mut Self, Located<String>, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let members = self.members(node, "an object")?;
        if members.len() > count_max {
            self.error(code::LIMIT, node, format!("has {} entries, the limit is {count_max}", members.len()));
            return None;
        }
        let mut list = Vec::with_capacity(members.len());
        for member in members.iter().filter(|member| !member.key.starts_with("x-")) {
            let place = JsonPath::Key(node.place, &member.key);
            let key = JsonValue { text: member.key_item.text, at: member.key_item.at, place: &place };
            if let Some(name) = self.checked_name(&member.key, key) {
                list.extend(read(
                    self,
                    name,
                    JsonValue { text: member.value.text, at: member.value.at, place: &place },
                ));
            }
        }
        Some(list)
    }

    fn marks(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<MarkDef>> {
        self.named(node, MARKS_MAX, |reader, name, node| {
            // A mark with a broken place keeps its name, so that nobody hears the name is unknown.
            let place = reader.place(node, "a position [x, z] or an object with one").unwrap_or_default();
            Some(MarkDef { name, place })
        })
    }

    fn place(&mut self, node: JsonValue<'_, '_>, expected: &str) -> Option<PlaceDef> {
        if node.text.starts_with('[') {
            return self.position(node).map(|position| PlaceDef { position, ..PlaceDef::default() });
        }
        if !node.text.starts_with('{') {
            self.items(node, expected, 0);
            return None;
        }
        let fields = self.fields(node, &["position", "facingDegrees", "props"])?;
        let position = self.required(&fields, "position", Self::position);
        let facing_degrees =
            self.optional(&fields, "facingDegrees", |r, n| r.number(n, &numbers::FACING_DEGREES));
        let props = self.optional(&fields, "props", Self::params).unwrap_or_default();
        Some(PlaceDef { position: position?, facing_degrees, props })
    }

    fn routes(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<RouteDef>> {
        let mut stops_left = MARKS_MAX;
        self.named(node, POLYGONS_MAX, |reader, name, node| {
            if node.text.starts_with('{') {
                let fields = reader.fields(node, &["stops", "props"])?;
                let props = reader.optional(&fields, "props", Self::params).unwrap_or_default();
                let stops = reader.required(&fields, "stops", |r, n| r.stops(n, &mut stops_left))?;
                return Some(RouteDef { name, stops, props });
            }
            let stops = reader.stops(node, &mut stops_left)?;
            Some(RouteDef { name, stops, props: PropsDef::new() })
        })
    }

    fn stops(&mut self, node: JsonValue<'_, '_>, stops_left: &mut usize) -> Option<Vec<StopDef>> {
        let (count, _) = self.items(node, "a list", 0)?;
        if count == 0 {
            self.error(code::DEGENERATE, node, "is empty, expected at least one stop");
        }
        if count > *stops_left {
            let what = format!("has {count} stops, the limit is {MARKS_MAX} for all routes together");
            self.error(code::LIMIT, node, what);
            return None;
        }
        *stops_left -= count;
        self.list(node, MARKS_MAX, Self::stop)
    }

    fn stop(&mut self, node: JsonValue<'_, '_>) -> Option<StopDef> {
        if node.text.starts_with('"') {
            return Some(StopDef::Mark(self.name(node).unwrap_or_default()));
        }
        let place = self.place(node, "the name of a mark or a position [x, z]");
        Some(StopDef::Place(place.unwrap_or_default()))
    }

    fn region(&mut self, node: JsonValue<'_, '_>, pairs_left: &mut usize) -> Option<RegionDef> {
        let fields = self.fields(node, &["name", "polygon", "centre", "radius", "layer", "props"])?;
        let name = self.required(&fields, "name", Self::name);
        let round = fields.has("centre") || fields.has("radius");
        if fields.has("polygon") && round {
            self.error(code::CHOICE, node, "has a polygon and a centre with radius, expected one of the two");
        }
        let outline = if round && !fields.has("polygon") {
            let centre = self.required(&fields, "centre", Self::position);
            let radius_m = self.required(&fields, "radius", |r, n| r.number(n, &numbers::REGION_RADIUS));
            centre.zip(radius_m).map(|(centre, radius_m)| RegionOutline::Circle { centre, radius_m })
        } else if fields.has("polygon") {
            self.required(&fields, "polygon", |r, n| r.polygon(n, PolygonRole::Area, pairs_left))
                .map(RegionOutline::Polygon)
        } else {
            self.error(code::MISSING_FIELD, node, "has neither \"polygon\" nor \"centre\" with \"radius\"");
            None
        };
        let layer = self.optional(&fields, "layer", Self::name);
        let props = self.optional(&fields, "props", Self::params).unwrap_or_default();
        Some(RegionDef { name: name.unwrap_or_default(), outline: outline.unwrap_or_default(), layer, props })
    }

    fn character(&mut self, node: JsonValue<'_, '_>) -> Option<CharacterDef> {
        const HABITS: &[(&str, DoorHabit)] =
            &[("avoid", DoorHabit::Avoid), ("open", DoorHabit::Open), ("wait", DoorHabit::Wait)];
        let fields = self.fields(node, &keys::CHARACTER.of_level())?;
        let name = self.required(&fields, "name", Self::name);
        let position = self.required(&fields, "position", |r, n| {
            r.position(n).map(|position| Located::new(position, r.span(n)))
        });
        let mut character =
            CharacterDef { position: position.unwrap_or_default(), ..CharacterDef::default() };
        let mut read = |key, number: &Number, target: &mut f64| {
            let value = self.optional(&fields, key, |r, n| r.number(n, number));
            *target = value.unwrap_or(*target);
            value
        };
        read("facingDegrees", &numbers::FACING_DEGREES, &mut character.facing_degrees);
        read("radius", &numbers::RADIUS, &mut character.radius_m);
        read("height", &numbers::HEIGHT, &mut character.height_m);
        read("walkSpeed", &numbers::WALK_SPEED, &mut character.walk_speed_mps);
        // Twice as fast, up to what a body may do at all: nobody is left out for a default.
        character.run_speed_mps = (2.0 * character.walk_speed_mps).min(numbers::RUN_SPEED.max);
        read("runSpeed", &numbers::RUN_SPEED, &mut character.run_speed_mps);
        read("rotationSpeed", &numbers::ROTATION_SPEED, &mut character.rotation_speed_radps);
        character.player = self.optional(&fields, "player", Self::truth).unwrap_or(false);
        character.tags = self.optional(&fields, "tags", Self::tags).unwrap_or_default();
        character.doors = self.optional(&fields, "doors", |r, n| r.choice(n, HABITS)).unwrap_or_default();
        character.layer = self.optional(&fields, "layer", Self::name);
        character.behaviour = self.optional(&fields, "behaviour", Self::script_name);
        character.params = self.optional(&fields, "params", Self::params).unwrap_or_default();
        character.props = self.optional(&fields, "props", Self::params).unwrap_or_default();
        Some(CharacterDef { name: name.unwrap_or_default(), ..character })
    }

    pub(super) fn tags(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<String>> {
        self.list(node, TAGS_MAX, |r, n| r.name(n).map(|tag| tag.value))
    }

    fn params(&mut self, node: JsonValue<'_, '_>) -> Option<BTreeMap<String, Located<serde_json::Value>>> {
        if node.text.len() > PARAMS_BYTES_MAX {
            self.error(
                code::LIMIT,
                node,
                format!("has {} bytes, the limit is {PARAMS_BYTES_MAX}", node.text.len()),
            );
            return None;
        }
        let members = self.members(node, "an object")?;
        let mut params = BTreeMap::new();
        for member in &members {
            let place = JsonPath::Key(node.place, &member.key);
            let value = JsonValue { text: member.value.text, at: member.value.at, place: &place };
            if let Some(data) = self.plain(value) {
                params.insert(member.key.to_string(), Located::new(data, self.span(value)));
            }
        }
        Some(params)
    }
}

/// What a polygon is for: a degenerate area is an error, a degenerate obstacle only takes nothing away.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PolygonRole {
    Area,
    Obstacle,
}
