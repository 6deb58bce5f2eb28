//! The editing form of a graph: JSON, a point or a link a line.
//!
//! In: a draft, or the bytes of a file. Out: text, or a draft. Holds: reading what was written gives the same
//! draft, and writing it again the same bytes. Not here: the form that games load (`compact`).

use std::fmt::Write;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::nav::graph::editable_graph::{EditableGraph, GraphPart, PointEditError};

/// The version of the form.
const VERSION: u32 = 1;

/// Why a file is no graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraphTextError {
    /// It is not JSON of the form.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A form of another version.
    #[error("it is of version {version}, expected {VERSION}")]
    Version {
        /// What it says.
        version: u32,
    },
    /// Its points, links and parts are no graph.
    #[error("{0}")]
    Draft(#[from] PointEditError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphFile {
    #[serde(rename = "walkonGraph")]
    version: u32,
    points: Vec<[f32; 3]>,
    links: Vec<[u32; 2]>,
    #[serde(default)]
    parts: Vec<PartFile>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    name: String,
    points: Vec<u32>,
}

/// Writes the editing form.
#[must_use]
pub fn graph_text(draft: &EditableGraph) -> String {
    let mut text = format!("{{\n\"walkonGraph\": {VERSION},\n\"points\": [");
    // Writing to a String cannot fail.
    for (at, point) in draft.points().iter().enumerate() {
        let _ = write!(text, "{}\n[{:?},{:?},{:?}]", comma(at), point.x, point.y, point.z);
    }
    text.push_str("\n],\n\"links\": [");
    for (at, [a, b]) in draft.links().enumerate() {
        let _ = write!(text, "{}\n[{a},{b}]", comma(at));
    }
    text.push_str("\n],\n\"parts\": [");
    for (at, part) in draft.parts().iter().enumerate() {
        let part = PartFile { name: part.name.clone(), points: part.points.clone() };
        // Names and numbers always have a JSON form.
        let _ = write!(text, "{}\n{}", comma(at), serde_json::to_string(&part).unwrap_or_default());
    }
    text.push_str("\n]\n}\n");
    text
}

fn comma(at: usize) -> &'static str {
    if at == 0 { "" } else { "," }
}

/// Reads the editing form.
///
/// # Errors
/// The place of the first mistake, or why its content is no graph.
pub fn read_graph_text(bytes: &[u8]) -> Result<EditableGraph, GraphTextError> {
    let file: GraphFile = serde_json::from_slice(bytes).map_err(|error| GraphTextError::Syntax {
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })?;
    if file.version != VERSION {
        return Err(GraphTextError::Version { version: file.version });
    }
    let parts =
        file.parts.into_iter().map(|part| GraphPart { name: part.name, points: part.points }).collect();
    Ok(EditableGraph::new(file.points.into_iter().map(Vec3::from).collect(), &file.links, parts)?)
}
