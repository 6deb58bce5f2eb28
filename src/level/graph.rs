//! Maps of points and links: the `navigation` object of kind `graph`, and the files of points beside a level.
//!
//! In: that object; the bytes of a graph file. Out: a [`GraphDef`], every default filled in; a
//! `EditableGraph`; the map. Holds: points stand in the level or in a file, never in both; files are judged
//! before they are trusted. Not here: making points (`nav/graph`, the command `graph`).

mod compact;
mod hand;
mod text;

use std::sync::Arc;

use super::def::{AreaDef, Hierarchy};
use super::diagnostic::{Located, Span, code};
use super::json::{Fields, JsonReader, JsonValue};
use super::numbers::{self, Number};
use super::polygon;
use super::read::PolygonRole;
use super::resolve::Resolved;
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::generate::{Floors, GenerateOptions, SceneBox};
use crate::nav::graph::link::LinkOptions;
use crate::nav::graph::{EditableGraph, GraphArea, GraphSource, PointGraph, PrecomputedRoutes};
use crate::nav::solids::Room;

pub(crate) use compact::hash_of;
pub use compact::{Compact, compact_bytes, read_compact};
pub use hand::{HandEdits, HandError, UndoError};
pub use text::{GraphTextError, graph_text, read_graph_text};

/// Most boxes of a level.
pub const BOXES_MAX: usize = 1024;

/// The heights of areas that lie at any height, metres.
const ANY_HEIGHT_M: [f64; 2] = [-1e6, 1e6];
/// What areas have on maps with heights, beside the keys of others.
pub(super) const HEIGHTS: &[&str] = &["heights"];

const FLOORS: &[(&str, Floors)] = &[("first", Floors::First), ("all", Floors::All)];

const GRAPH_KEYS: &[&str] = &[
    "kind",
    "file",
    "points",
    "links",
    "areas",
    "obstacles",
    "width",
    "agentRadius",
    "agentHeight",
    "stepHeight",
    "slopeDegrees",
    "spacing",
    "linkDistance",
    "scene",
    "boxes",
    "floors",
    "hierarchy",
];

/// A map of points and links.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphDef {
    /// The file of points, relative to the level; None where they stand in the level.
    pub file: Option<Located<String>>,
    /// Points, links and parts: those of the level, or of the file once it was read.
    pub draft: Arc<EditableGraph>,
    /// Ways between parts that were worked out before; None to work them out.
    pub ways: Option<Vec<Vec<u32>>>,
    /// Ground that lies across links, in the order that numbers it.
    pub areas: Vec<AreaDef>,
    /// Ground that blocks links, numbered after the areas.
    pub obstacles: Vec<AreaDef>,
    /// How far from a link a body's middle may be, metres.
    pub width_m: f64,
    /// Half the width of the widest body that links have room for, metres.
    pub agent_radius_m: f64,
    /// The tallest body that links have room for, metres.
    pub agent_height_m: f64,
    /// What a body steps over, metres.
    pub step_height_m: f64,
    /// The steepest ground and the steepest link, degrees.
    pub slope_degrees: f64,
    /// Distance between generated points, metres.
    pub spacing_m: f64,
    /// The longest link that is made, metres; None for one and a half times the spacing.
    pub link_distance_m: Option<f64>,
    /// The scene that points are generated on, relative to the level.
    pub scene: Option<Located<String>>,
    /// Where floors are looked for.
    pub boxes: Vec<SceneBox>,
    /// Which floors of a box.
    pub floors: Floors,
    /// Whether ways between parts are used.
    pub hierarchy: Hierarchy,
    /// Where the map stands in the file.
    pub span: Span,
}

impl GraphDef {
    /// The body that points and links have room for.
    #[must_use]
    pub fn room(&self) -> Room {
        Room {
            radius_m: self.agent_radius_m as f32,
            step_m: self.step_height_m as f32,
            height_m: self.agent_height_m as f32,
        }
    }

    /// How points are generated.
    #[must_use]
    pub fn generate_options(&self) -> GenerateOptions {
        GenerateOptions {
            spacing_m: self.spacing_m as f32,
            room: self.room(),
            stray_m: self.width_m as f32,
            slope_max_degrees: self.slope_degrees as f32,
            floors: self.floors,
        }
    }

    /// How points are linked.
    #[must_use]
    pub fn link_options(&self) -> LinkOptions {
        LinkOptions {
            distance_max_m: self.link_distance_m.unwrap_or(1.5 * self.spacing_m) as f32,
            slope_max_degrees: self.slope_degrees as f32,
            room: self.room(),
            stray_m: self.width_m as f32,
        }
    }
}

/// The files of a level's graph, from the root of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPaths {
    /// The editing form: `paths/<level>.graph.json` beside the level, when it names no other.
    pub text: String,
    /// The compact form: the same without `.json`.
    pub compact: String,
    /// What was changed by hand: the editing form with `.edits` before its endings.
    pub edits: String,
    /// The name that compact files are marked with: that of the level's file without its ending.
    pub stem: String,
}

impl GraphPaths {
    /// The files of a level that names a file, or none.
    #[must_use]
    pub fn of(level: &str, file: &str) -> Self {
        let name = level.rsplit('/').next().unwrap_or(level);
        let stem = name.strip_suffix(".json").unwrap_or(name).to_owned();
        let file = if file.is_empty() { format!("paths/{stem}.graph.json") } else { file.to_owned() };
        let text = super::source::beside(level, &file);
        let compact = text.strip_suffix(".json").map_or_else(|| format!("{text}.compact"), str::to_owned);
        let plain = text.strip_suffix(".graph.json").or(text.strip_suffix(".json")).unwrap_or(&text);
        let edits = format!("{plain}.edits.graph.json");
        Self { text, compact, edits, stem }
    }
}

/// The map of a graph level.
pub(crate) fn build(def: &GraphDef, resolved: &Resolved) -> PointGraph {
    let shapes = def.areas.iter().chain(&def.obstacles).zip(&resolved.areas);
    let areas = shapes
        .map(|(area, state)| GraphArea {
            polygon: area.polygon.clone(),
            heights_m: area.heights_m.unwrap_or(ANY_HEIGHT_M).map(|height| height as f32),
            available: state.available,
            factor: state.cost,
            is_obstacle: state.obstacle,
        })
        .collect();
    let mut source = GraphSource {
        draft: (*def.draft).clone(),
        width_m: def.width_m as f32,
        agent_radius_m: def.agent_radius_m as f32,
        areas,
        uses_parts: false,
    };
    if def.hierarchy == Hierarchy::Off || source.draft.parts().len() < 2 {
        return PointGraph::new(source);
    }
    let mut net = Adjacency::new(&source.draft);
    net.prepare();
    let parts = source.draft.parts();
    let routes = match &def.ways {
        Some(ways) => PrecomputedRoutes::restore(&net, parts, ways.clone()),
        None => PrecomputedRoutes::new(&net, parts, &mut |_, _| {}),
    };
    // Left to us, it is measured: the same graph gives the same verdict, whatever form it was read from.
    source.uses_parts = def.hierarchy == Hierarchy::On || routes.measure(&net).pays();
    if source.uses_parts { PointGraph::with_routes(source, net, routes) } else { PointGraph::new(source) }
}

impl JsonReader<'_> {
    pub(super) fn graph(&mut self, fields: &Fields<'_, '_>) -> Option<GraphDef> {
        self.know(fields, GRAPH_KEYS);
        let file = self.optional(fields, "file", Self::path);
        let has_points = fields.has("points");
        if has_points && fields.has("file") {
            self.error(code::CHOICE, fields.node, "has both points and a file, expected one of them");
        }
        let points = self.optional(fields, "points", |reader, node| {
            reader.list(node, crate::nav::graph::POINTS_MAX, |r, n| {
                r.coordinates(n, "a point [x, y, z]", &[3])
                    .map(|at| glam::Vec3::new(at[0] as f32, at[1] as f32, at[2] as f32))
            })
        });
        let links = self.optional(fields, "links", |reader, node| {
            reader.list(node, crate::nav::graph::editable_graph::LINKS_MAX, Self::pair)
        });
        let draft =
            match EditableGraph::new(points.unwrap_or_default(), &links.unwrap_or_default(), Vec::new()) {
                Ok(draft) => draft,
                Err(error) => {
                    self.error(code::RANGE, fields.node, format!("is no graph: {error}"));
                    EditableGraph::default()
                }
            };
        let mut pairs_left = polygon::PAIRS_MAX;
        let mut ground = |reader: &mut Self, key, kind| {
            reader.parts(fields, key, super::read::POLYGONS_MAX, |r, n| {
                Some(r.area(n, (kind, HEIGHTS), &mut pairs_left).unwrap_or_default())
            })
        };
        let areas = ground(self, "areas", PolygonRole::Area);
        let obstacles = ground(self, "obstacles", PolygonRole::Obstacle);
        let mut number = |key, number: &Number| self.optional(fields, key, |r, n| r.number(n, number));
        let width_m = number("width", &numbers::LINK_WIDTH);
        let agent_radius_m = number("agentRadius", &numbers::AGENT_RADIUS);
        let agent_height_m = number("agentHeight", &numbers::HEIGHT);
        let step_height_m = number("stepHeight", &numbers::STEP_HEIGHT);
        let slope_degrees = number("slopeDegrees", &numbers::SLOPE_DEGREES);
        let spacing_m = number("spacing", &numbers::SPACING);
        let link_distance_m = number("linkDistance", &numbers::LINK_DISTANCE);
        Some(GraphDef {
            file: if has_points { None } else { Some(file.unwrap_or_default()) },
            draft: Arc::new(draft),
            ways: None,
            areas,
            obstacles,
            width_m: width_m.unwrap_or(numbers::LINK_WIDTH.default),
            agent_radius_m: agent_radius_m.unwrap_or(numbers::AGENT_RADIUS.default),
            agent_height_m: agent_height_m.unwrap_or(numbers::HEIGHT.default),
            step_height_m: step_height_m.unwrap_or(numbers::STEP_HEIGHT.default),
            slope_degrees: slope_degrees.unwrap_or(numbers::SLOPE_DEGREES.default),
            spacing_m: spacing_m.unwrap_or(numbers::SPACING.default),
            link_distance_m,
            scene: self.optional(fields, "scene", Self::path),
            boxes: self
                .optional(fields, "boxes", |r, n| r.list(n, BOXES_MAX, Self::scene_box))
                .unwrap_or_default(),
            floors: self.optional(fields, "floors", |r, n| r.choice(n, FLOORS)).unwrap_or_default(),
            hierarchy: self.optional(fields, "hierarchy", Self::hierarchy).unwrap_or_default(),
            span: self.span(fields.node),
        })
    }

    fn pair(&mut self, node: JsonValue<'_, '_>) -> Option<[u32; 2]> {
        let ends = self.list(node, 2, |r, n| r.whole(n, &numbers::POINT_NUMBER))?;
        match ends[..] {
            [a, b] => Some([a as u32, b as u32]),
            _ => {
                self.error(
                    code::TYPE,
                    node,
                    format!("has {} numbers, expected the numbers of two points", ends.len()),
                );
                None
            }
        }
    }

    fn scene_box(&mut self, node: JsonValue<'_, '_>) -> Option<SceneBox> {
        let fields = self.fields(node, &["name", "min", "max"])?;
        self.optional(&fields, "name", Self::name);
        let corner = |r: &mut Self, n: JsonValue<'_, '_>| {
            r.coordinates(n, "a corner [x, y, z]", &[3])
                .map(|at| glam::Vec3::new(at[0] as f32, at[1] as f32, at[2] as f32))
        };
        let (min, max) = (self.required(&fields, "min", corner)?, self.required(&fields, "max", corner)?);
        if !min.cmple(max).all() {
            self.error(
                code::RANGE,
                node,
                "has a least corner that is not the least, expected min below max on every axis",
            );
            return None;
        }
        Some(SceneBox { min, max })
    }
}

#[cfg(test)]
mod tests;
