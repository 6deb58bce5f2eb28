//! Maps of points and links: the `navigation` object of kind `graph`, and the files of points beside a level.
//!
//! In: that object; the bytes of a graph file. Out: a [`GraphDef`], every default filled in; a
//! `EditableGraph`; the map. Holds: points stand in the level or in a file, never in both; files are judged
//! before they are trusted. Not here: making points (`nav/graph`, the command `graph`).

pub(crate) mod build;
mod compact;
mod hand;
mod text;
pub mod work;

use std::sync::Arc;

use serde_json::{Value, json};

use super::action_links::{self, ActionLinkDef};
use super::areas::{AreaDef, Areas, FloorArea};
use super::diagnostic::{Located, Span, code};
use super::forms::{BoxCorner, FileName, List, Name, OneOf, Point3, choice, natural};
use super::json::{Fields, JsonReader, JsonValue};
use super::numbers;
use super::object::{Form, SchemaParts, object};
use super::tile_layout::Hierarchy;
use crate::nav::graph::editable_graph::LINKS_MAX;
use crate::nav::graph::generate::{Floors, GenerateOptions, SceneBox};
use crate::nav::graph::link::LinkOptions;
use crate::nav::graph::{EditableGraph, PointEditError};
use crate::nav::solids::Room;

pub(crate) use compact::hash_of;
pub use compact::{Compact, compact_bytes, read_compact};
pub use hand::{HandEdits, HandError, UndoError};
pub use text::{GraphTextError, graph_text, read_graph_text};

/// Most boxes of a level.
pub const BOXES_MAX: usize = 1024;

/// The key with which a graph has points of its own.
const POINT_KEY: &str = "points";

/// The key of its links.
const LINK_KEY: &str = "links";

const FLOORS: &[(&str, Floors)] = &[("first", Floors::First), ("all", Floors::All)];

object! {
    (reader, fields)
    /// Points and links in space.
    pub struct GraphDef as "GraphKeys" {
        /// The file of points, relative to the level; `paths/<level>.graph.json` when there are no points
        /// here.
        "file" => file: Option<Located<String>> [by reader.points_file(fields, "file"), FileName];
        /// Ground that lies across links: a link belongs to the first area that it crosses.
        "areas" => areas: Vec<AreaDef> [else Vec::new(), Areas::<FloorArea>::any()];
        /// Ground that blocks links while it is there.
        "obstacles" => obstacles: Vec<AreaDef> [else Vec::new(), Areas::<FloorArea>::obstacles()];
        /// How far from a link a body's middle may be, metres.
        "width" => width_m: f64 [numbers::LINK_WIDTH];
        /// Half-width of the widest body that links have room for, metres.
        "agentRadius" => agent_radius_m: f64 [numbers::AGENT_RADIUS];
        /// The tallest body that links have room for, metres.
        "agentHeight" => agent_height_m: f64 [numbers::HEIGHT];
        /// What a body steps over, metres.
        "stepHeight" => step_height_m: f64 [numbers::STEP_HEIGHT];
        /// The steepest ground and the steepest link, degrees.
        "slopeDegrees" => slope_degrees: f64 [numbers::SLOPE_DEGREES];
        /// Distance between generated points, metres.
        "spacing" => spacing_m: f64 [numbers::SPACING];
        /// The longest link that is made, metres; one and a half times the spacing when left out.
        "linkDistance" => link_distance_m: Option<f64> [optional numbers::LINK_DISTANCE];
        /// The scene that points are generated on, and that hides what is behind it (.obj, .gltf, .glb),
        /// relative to the level.
        "scene" => scene: Option<Located<String>> [optional FileName];
        /// Ways over what no link crosses, for characters that can take them.
        "actionLinks" => action_links: Vec<ActionLinkDef> [else Vec::new(), action_links::list()];
        /// Where floors are looked for.
        "boxes" => boxes: Vec<SceneBox> [else Vec::new(), List(FloorBox, BOXES_MAX)];
        /// Which floors of a box: "first", the one that a ray meets first, or "all" whose faces look up.
        "floors" => floors: Floors [else Floors::default(), OneOf(FLOORS)];
        /// Whether ways between parts are worked out and used; "auto" measures whether searches look at fewer
        /// points with them.
        "hierarchy" => hierarchy: Hierarchy [else Hierarchy::default(), choice::<Hierarchy>()];
    }
    from {
        /// Always "graph".
        "kind" => kind [kind "graph"];
        /// Points `[x, y, z]`, metres.
        "points" => points [else Vec::new(), List(Point3, crate::nav::graph::POINTS_MAX)];
        /// Pairs of points by their place in the list, both ways.
        "links" => links [else Vec::new(), List(PointPair, LINKS_MAX)];
    }
    plus {
        /// Points, links and parts: those of the level, or of the file once it was read.
        draft: Arc<EditableGraph> = Arc::new(reader.draft(fields, points, &links));
        /// Ways between parts that were worked out before; None to work them out.
        ways: Option<Vec<Vec<u32>>> = None;
        /// The triangles of the scene, once its file was read.
        triangles: Option<Arc<Vec<[glam::Vec3; 3]>>> = None;
        /// Where the map stands in the file.
        span: Span = reader.span(fields.node);
    }
}

object! {
    /// A box whose floor is looked for: rays fall from its top to its bottom.
    struct BoxKeys as "Box" {
        /// What it is called.
        "name" => name: Option<Located<String>> [optional Name];
        /// Least corner `[x, y, z]`, metres.
        "min" => min: glam::Vec3 [needed BoxCorner];
        /// Greatest corner.
        "max" => max: glam::Vec3 [needed BoxCorner];
    }
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

impl JsonReader<'_> {
    /// The file of a graph without points of its own; an empty name for the one that its level has by
    /// default.
    fn points_file(&mut self, fields: &Fields<'_, '_>, key: &'static str) -> Option<Located<String>> {
        let file = self.optional(fields, key, |reader, node| FileName.read(reader, node));
        let has_points = fields.has(POINT_KEY);
        if has_points && fields.has(key) {
            self.error(code::CHOICE, fields.node, "has both points and a file, expected one of them");
        }
        (!has_points).then(|| file.unwrap_or_default())
    }

    fn draft(
        &mut self,
        fields: &Fields<'_, '_>,
        points: Vec<glam::Vec3>,
        links: &[[u32; 2]],
    ) -> EditableGraph {
        let count = points.len();
        EditableGraph::new(points, links, Vec::new()).unwrap_or_else(|error| {
            let is_wrong = |&&[a, b]: &&[u32; 2]| a == b || a.max(b) as usize >= count;
            let is_told =
                links.iter().find(is_wrong).is_some_and(|link| self.wrong_link(fields, *link, &error));
            if !is_told {
                self.error(code::RANGE, fields.node, format!("is not a valid graph: {error}"));
            }
            EditableGraph::default()
        })
    }

    /// Says what is wrong with a link where it stands first; false when it is not to be found.
    fn wrong_link(&mut self, fields: &Fields<'_, '_>, link: [u32; 2], error: &PointEditError) -> bool {
        let mut is_told = false;
        self.optional(fields, LINK_KEY, |reader, node| {
            reader.list(node, LINKS_MAX, |reader, node| {
                if !is_told && serde_json::from_str::<[u32; 2]>(node.text).is_ok_and(|ends| ends == link) {
                    reader.error(code::RANGE, node, format!("is not a valid link: {error}"));
                    is_told = true;
                }
                Some(())
            })
        });
        is_told
    }
}

/// The numbers of two points.
struct PointPair;

impl Form for PointPair {
    type Value = [u32; 2];

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<[u32; 2]> {
        let (count, _) = reader.items(node, "a list", 0)?;
        if count != 2 {
            let what = format!("has {count} numbers, expected the numbers of two points");
            reader.error(code::TYPE, node, what);
            return None;
        }
        let ends = reader.list(node, 2, |r, n| r.whole(n, &numbers::POINT_NUMBER))?;
        let &[a, b] = ends.as_slice() else { return None };
        Some([a as u32, b as u32])
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        json!({ "type": "array", "items": natural(), "minItems": 2, "maxItems": 2 })
    }
}

/// A box with room in it.
struct FloorBox;

impl Form for FloorBox {
    type Value = SceneBox;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<SceneBox> {
        let BoxKeys { min, max, .. } = reader.object(node)?;
        if !min.cmple(max).all() {
            let what = "has a least corner that is not the least, expected min below max on every axis";
            reader.error(code::RANGE, node, what);
            return None;
        }
        Some(SceneBox { min, max })
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.object::<BoxKeys>()
    }
}

#[cfg(test)]
mod tests;
