//! Navigation meshes in files: the `.mesh` form of the Polyanya authors, and polygons in Wavefront OBJ.
//!
//! In: the text of a file. Out: a [`MeshFile`]. Holds: counts are checked before anything is
//! allocated; a mistake is named with its line, from 1; nothing panics. `.mesh` lies flat: its x and y are x
//! and z of the world. The neighbours that it lists are read and compared in number only, because neighbours
//! follow from the corners. Not here: how an OBJ is read (`scene`), whether the polygons fit together
//! (`nav::mesh`). Source: the format "mesh", version 2, of the Polyanya repository.

use super::scene::obj_faces;
use crate::nav::mesh::RawMesh;
use crate::nav::mesh::raw::{CORNERS_MAX, POLYGONS_MAX, VERTICES_MAX};

/// What is wrong with a file, and in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct MeshFileError {
    /// From 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// A mesh as it stands in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Not yet judged.
    pub mesh: RawMesh,
    /// The line of each polygon, from 1.
    pub polygon_lines: Vec<u32>,
}

fn wrong(line: usize, message: impl Into<String>) -> MeshFileError {
    MeshFileError { line: line + 1, message: message.into() }
}

/// The words of a text, each with its line, from 0.
struct Words<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    last: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let lines = text.lines().enumerate();
        let words = lines.flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
        Self { words: Box::new(words), last: 0 }
    }

    fn next(&mut self, what: &str) -> Result<&'a str, MeshFileError> {
        match self.words.next() {
            Some((line, word)) => {
                self.last = line;
                Ok(word)
            }
            None => Err(wrong(self.last, format!("the file ends here, expected {what}"))),
        }
    }

    fn parsed<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, MeshFileError> {
        let word = self.next(what)?;
        word.parse().map_err(|_| wrong(self.last, format!("\"{}\", expected {what}", short(word))))
    }

    fn count(&mut self, what: &str, limit: usize) -> Result<usize, MeshFileError> {
        let count: usize = self.parsed(what)?;
        if count > limit {
            return Err(wrong(self.last, format!("{what}: {count}, limit {limit}")));
        }
        Ok(count)
    }
}

/// The beginning of a word, for messages.
fn short(word: &str) -> String {
    word.chars().take(40).collect()
}

/// The polygons of a `.mesh` file.
///
/// # Errors
/// The first place that is not as it should be.
pub fn from_mesh(text: &str) -> Result<MeshFile, MeshFileError> {
    let mut words = Words::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    if words.next("the word mesh")? != "mesh" {
        return Err(wrong(
            words.last,
            "expected the word mesh: a navigation mesh in the form of the Polyanya authors",
        ));
    }
    let version: u32 = words.parsed("the version of the form, 2")?;
    if version != 2 {
        return Err(wrong(words.last, format!("version {version} of the form mesh, expected 2")));
    }
    let vertices = words.count("the number of vertices", VERTICES_MAX)?;
    let polygons = words.count("the number of polygons", POLYGONS_MAX)?;
    let MeshFile { mut mesh, mut polygon_lines } = MeshFile::default();
    // Grown as lines come in: a number is no reason to allocate.
    for _ in 0..vertices {
        let (x, z) = (words.parsed("x of a vertex")?, words.parsed("y of a vertex")?);
        mesh.vertices.push([x, 0.0, z]);
        let around = words.count("the number of polygons around a vertex", POLYGONS_MAX)?;
        for _ in 0..around {
            let polygon: i64 = words.parsed("a polygon around a vertex, or -1")?;
            check_polygon(polygon, polygons, words.last)?;
        }
    }
    let mut corners = 0;
    for _ in 0..polygons {
        let count = words.count("the number of corners of a polygon", CORNERS_MAX)?;
        polygon_lines.push(words.last as u32 + 1);
        corners += count;
        if corners > CORNERS_MAX {
            return Err(wrong(words.last, format!("corners of polygons: limit {CORNERS_MAX}")));
        }
        let mut ring = Vec::new();
        for _ in 0..count {
            let vertex: u32 = words.parsed("a vertex of a polygon")?;
            if vertex as usize >= vertices {
                let message = format!("vertex {vertex}, but there are {vertices}, counted from 0");
                return Err(wrong(words.last, message));
            }
            ring.push(vertex);
        }
        for _ in 0..count {
            let polygon: i64 = words.parsed("a polygon beside a polygon, or -1")?;
            check_polygon(polygon, polygons, words.last)?;
        }
        mesh.polygons.push(ring);
    }
    match words.words.next() {
        None => Ok(MeshFile { mesh, polygon_lines }),
        Some((line, word)) => Err(wrong(line, format!("\"{}\" after the last polygon", short(word)))),
    }
}

fn check_polygon(polygon: i64, count: usize, line: usize) -> Result<(), MeshFileError> {
    let known = polygon == -1 || usize::try_from(polygon).is_ok_and(|polygon| polygon < count);
    if known {
        return Ok(());
    }
    Err(wrong(line, format!("polygon {polygon}, but there are {count}, counted from 0; -1 is none")))
}

/// The polygons of an OBJ file, whose names may be in any encoding; y is up, as in the world.
///
/// # Errors
/// The first line that is not as it should be.
pub fn from_obj(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let read = obj_faces(bytes)
        .map_err(|error| MeshFileError { line: error.line.unwrap_or(1), message: error.message })?;
    if read.faces.is_empty() {
        return Err(wrong(bytes.split(|&byte| byte == b'\n').count() - 1, "no face (f) in the file"));
    }
    let mesh = RawMesh { vertices: read.vertices, polygons: read.faces };
    Ok(MeshFile { mesh, polygon_lines: read.lines })
}
