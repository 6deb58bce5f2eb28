//! Scenes as triangles, from Wavefront OBJ and glTF.
//!
//! In: the bytes of a file, and of the files it names. Out: vertices and faces, or triangles in world metres,
//! and what was left out; or the line or the place that is wrong. Holds: sizes are checked before anything of
//! that size is allocated; only shapes are read; never panics. Not here: the ground in a scene (`nav/solids`,
//! `nav/mesh`). Source: Wavefront OBJ specification, Appendix B1; glTF 2.0 specification, Khronos.

mod gltf;
mod obj;

pub use gltf::gltf_triangles;
pub use obj::{Faces, obj_faces};

use glam::Vec3;

/// The most vertices, faces and triangles a scene may have.
pub const SCENE_PARTS_MAX: usize = 4_000_000;
/// The most corners a face may have.
pub const FACE_CORNERS_MAX: usize = 1024;

/// What is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct SceneError {
    /// The line, from 1, where the format has lines.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub message: String,
}

impl SceneError {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    fn new(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

/// The triangles of a scene file by its name: `.obj`, `.gltf` or `.glb`. `read` brings the files that it
/// names, relative to it.
///
/// # Errors
/// Another kind of file, or what is wrong with it.
pub fn scene_triangles(
    name: &str,
    bytes: &[u8],
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<[Vec3; 3]>, SceneError> {
    let lower = name.to_ascii_lowercase();
    if lower.ends_with(".obj") {
        obj_faces(bytes).and_then(|faces| faces.triangles())
    } else if lower.ends_with(".gltf") || lower.ends_with(".glb") {
        gltf_triangles(bytes, read)
    } else {
        Err(SceneError::new("expected a file ending in .obj, .gltf or .glb"))
    }
}

#[cfg(test)]
mod tests;
