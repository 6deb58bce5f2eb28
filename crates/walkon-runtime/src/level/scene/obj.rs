//! Reads Wavefront OBJ: vertices and faces.
//!
//! In: bytes. Out: `Faces`. Holds: every corner is a vertex that was read before the end; lines other than
//! `v` and `f` are skipped; a line that ends with `\` goes on in the next. Not here: materials, groups,
//! curves.

use glam::Vec3;

use super::{FACE_CORNERS_MAX, SCENE_PARTS_MAX, SceneError};

/// A line that goes on in others is no longer than this, bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// Vertices, and the faces between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// World metres, each within what three `f32` hold.
    pub vertices: Vec<[f64; 3]>,
    /// Corners of each face as places in `vertices`, at least three, in the direction of the file.
    pub faces: Vec<Vec<u32>>,
    /// The line of each face, from 1.
    pub lines: Vec<u32>,
}

impl Faces {
    /// The faces as triangles, each fanned from its first corner.
    ///
    /// # Errors
    /// More triangles than a scene may have.
    pub fn triangles(&self) -> Result<Vec<[Vec3; 3]>, SceneError> {
        let count: usize = self.faces.iter().map(|face| face.len() - 2).sum();
        if count > SCENE_PARTS_MAX {
            return Err(SceneError::new(format!("the scene has {count} triangles, limit {SCENE_PARTS_MAX}")));
        }
        let corner = |at: u32| Vec3::from_array(self.vertices[at as usize].map(|value| value as f32));
        let fan = |face: &Vec<u32>| -> Vec<[Vec3; 3]> {
            face.windows(2).skip(1).map(|pair| [corner(face[0]), corner(pair[0]), corner(pair[1])]).collect()
        };
        Ok(self.faces.iter().flat_map(fan).collect())
    }
}

/// Reads vertices and faces.
///
/// # Errors
/// The first line that is wrong: a number that is none, a vertex that there is not, a face of fewer than
/// three corners, too many.
pub fn obj_faces(bytes: &[u8]) -> Result<Faces, SceneError> {
    let mut read = Faces::default();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut open = OpenLine::default();
    // The empty line at the end ends one that was to go on.
    let lines = bytes.split(|&byte| byte == b'\n').chain([&[][..]]);
    for (number, line) in (1..).zip(lines) {
        // Names may be in any encoding; everything that is read is ASCII.
        let Some((number, text)) = open.with(number, &String::from_utf8_lossy(line)) else { continue };
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let vertex = vertex(words).map_err(|message| SceneError::at(number, message))?;
                read.vertices.push(vertex);
            }
            Some("f") => {
                let face =
                    face(words, read.vertices.len()).map_err(|message| SceneError::at(number, message))?;
                read.faces.push(face);
                read.lines.push(number as u32);
            }
            _ => {}
        }
        if read.vertices.len().max(read.faces.len()) > SCENE_PARTS_MAX {
            let message = format!("more than {SCENE_PARTS_MAX} vertices or faces");
            return Err(SceneError::at(number, message));
        }
    }
    let count = read.vertices.len();
    for (face, &line) in read.faces.iter().zip(&read.lines) {
        if let Some(&corner) = face.iter().find(|&&corner| corner as usize >= count) {
            let message = format!("the face names vertex {}, the file has {count}", u64::from(corner) + 1);
            return Err(SceneError::at(line as usize, message));
        }
    }
    Ok(read)
}

/// A line that goes on in the next one, because it ends with `\`.
#[derive(Default)]
struct OpenLine {
    number: usize,
    text: String,
}

impl OpenLine {
    /// The whole line that ends here, with the number of its first; None while it goes on.
    fn with(&mut self, number: usize, line: &str) -> Option<(usize, String)> {
        if self.text.is_empty() {
            self.number = number;
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        let goes_on = line.strip_suffix('\\').filter(|_| self.text.len() < LINE_BYTES_MAX);
        self.text.push_str(goes_on.unwrap_or(line));
        if goes_on.is_some() {
            self.text.push(' ');
            return None;
        }
        Some((self.number, std::mem::take(&mut self.text)))
    }
}

fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f64; 3], String> {
    let mut value = || {
        let word = words.next().ok_or("a vertex has three numbers")?;
        match word.parse::<f64>() {
            Ok(value) if (value as f32).is_finite() => Ok(value),
            _ => Err(format!("\"{}\" is not a finite number", excerpt(word))),
        }
    };
    Ok([value()?, value()?, value()?])
}

fn face<'a>(words: impl Iterator<Item = &'a str>, vertex_count: usize) -> Result<Vec<u32>, String> {
    let mut corners = Vec::new();
    for word in words {
        if word.starts_with('#') {
            break;
        }
        if corners.len() == FACE_CORNERS_MAX {
            return Err(format!("a face of more than {FACE_CORNERS_MAX} corners"));
        }
        let index = word.split('/').next().unwrap_or_default();
        let number: i64 =
            index.parse().map_err(|_| format!("\"{}\" is not the number of a vertex", excerpt(word)))?;
        // Numbers count from 1; below 0, back from the vertices read so far.
        let corner = if number < 0 { vertex_count as i64 + number } else { number - 1 };
        let corner = u32::try_from(corner).map_err(|_| format!("there is no vertex {number}"))?;
        corners.push(corner);
    }
    if corners.len() < 3 { Err("a face has at least three corners".to_owned()) } else { Ok(corners) }
}

fn excerpt(word: &str) -> String {
    word.chars().take(20).collect()
}
