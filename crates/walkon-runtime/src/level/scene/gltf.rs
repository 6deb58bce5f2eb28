//! Reads glTF 2.0: the triangles of its scene.
//!
//! In: the JSON or binary form, and a reader for the buffers it names. Out: triangles in world metres, +y up
//! as in walkon. Holds: every number of the file is checked before it is used; nodes are visited once; sparse
//! and compressed data are refused by name. Not here: materials, skins, cameras.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde::Deserialize;

use super::{SCENE_PARTS_MAX, SceneError};
use crate::base::ordered::CollectOrdered;
use crate::level::base64::bytes_of;

/// Most bytes of the files and data of all buffers together, each counted once.
const BUFFER_BYTES_MAX: usize = 256 * 1024 * 1024;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct GltfDocument {
    scene: Option<usize>,
    scenes: Vec<GltfScene>,
    nodes: Vec<GltfNode>,
    meshes: Vec<Mesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<BufferView>,
    buffers: Vec<Buffer>,
    extensions_required: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GltfScene {
    nodes: Vec<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GltfNode {
    children: Vec<usize>,
    mesh: Option<usize>,
    matrix: Option<[f32; 16]>,
    translation: Option<[f32; 3]>,
    rotation: Option<[f32; 4]>,
    scale: Option<[f32; 3]>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Mesh {
    primitives: Vec<GltfPrimitive>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GltfPrimitive {
    attributes: Attributes,
    indices: Option<usize>,
    mode: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "UPPERCASE", default)]
struct Attributes {
    position: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Accessor {
    buffer_view: Option<usize>,
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct BufferView {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Buffer {
    uri: Option<String>,
    byte_length: usize,
}

/// Reads the triangles of a scene: the one the file names, else its first, else all nodes. `read` brings the
/// buffers that it names.
///
/// # Errors
/// What is wrong: no glTF, a number out of range, data that is cut, compressed or sparse, too many triangles.
pub fn gltf_triangles(
    bytes: &[u8],
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<[Vec3; 3]>, SceneError> {
    let (json, binary) = parts(bytes)?;
    let document: GltfDocument = serde_json::from_slice(json)
        .map_err(|error| SceneError::at(error.line(), format!("not glTF: {error}")))?;
    if let Some(extension) = document.extensions_required.first() {
        return Err(SceneError::new(format!(
            "the scene needs the extension \"{extension}\", which is not read"
        )));
    }
    let bytes_by_uri = named_bytes(&document, read)?;
    let buffers = buffers(&document, binary, &bytes_by_uri)?;
    let mut scene = GltfReading {
        document: &document,
        buffers: &buffers,
        triangles: Vec::new(),
        corners: 0,
        primitives: 0,
    };
    let named = |number: usize| {
        let missing = || SceneError::new(format!("there is no scene {number}"));
        document.scenes.get(number).ok_or_else(missing)
    };
    let first = document.scene.map(named).transpose()?.or(document.scenes.first());
    let all: Vec<usize>;
    let roots = match first {
        Some(scene) => &scene.nodes,
        None => {
            all = roots(&document);
            &all
        }
    };
    scene.nodes(roots)?;
    Ok(scene.triangles)
}

/// Nodes that are no other's child.
fn roots(document: &GltfDocument) -> Vec<usize> {
    let children: BTreeSet<usize> =
        document.nodes.iter().flat_map(|node| node.children.iter().copied()).collect_set();
    (0..document.nodes.len()).filter(|node| !children.contains(node)).collect()
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(u32::from_le_bytes(four))
}

/// The JSON, and the binary chunk of the binary form.
fn parts(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), SceneError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let cut = || SceneError::new("the file is cut: a chunk is longer than the file");
    let chunk = |at: usize| -> Option<(u32, &[u8])> {
        let length = little(bytes, at)? as usize;
        let kind = little(bytes, at.checked_add(4)?)?;
        let from = at.checked_add(8)?;
        Some((kind, bytes.get(from..from.checked_add(length)?)?))
    };
    let (kind, json) = chunk(12).ok_or_else(cut)?;
    if kind != 0x4E4F_534A {
        return Err(SceneError::new("the first chunk is not JSON"));
    }
    let binary = chunk(20 + json.len()).filter(|(kind, _)| *kind == 0x004E_4942).map(|(_, data)| data);
    Ok((json, binary))
}

/// The bytes of the buffers that name a file or hold data, by that name: however many buffers have one name,
/// its bytes are there once.
fn named_bytes<'d>(
    document: &'d GltfDocument,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<BTreeMap<&'d str, Vec<u8>>, SceneError> {
    let mut left = BUFFER_BYTES_MAX;
    let mut bytes_by_uri = BTreeMap::new();
    for (number, buffer) in document.buffers.iter().enumerate() {
        let Some(uri) = buffer.uri.as_deref().filter(|uri| !bytes_by_uri.contains_key(uri)) else { continue };
        let wrong = |why: String| SceneError::new(format!("buffer {number}: {why}"));
        let data = bytes_at(uri, read).map_err(wrong)?;
        left = left
            .checked_sub(data.len())
            .ok_or_else(|| wrong(format!("more than {BUFFER_BYTES_MAX} bytes in all buffers")))?;
        bytes_by_uri.insert(uri, data);
    }
    Ok(bytes_by_uri)
}

/// The bytes that the address of a buffer stands for: data, or a file beside the scene.
fn bytes_at(uri: &str, read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    match uri.split_once(";base64,") {
        Some((head, text)) if head.starts_with("data:") => {
            bytes_of(text).map_err(|broken| format!("its data {}", broken.what))
        }
        _ if uri.contains(':') => Err(format!("\"{uri}\" is not a file beside the scene")),
        _ => read(&spelled_out(uri)),
    }
}

/// A name as it is on disk: addresses have `%20` for a space. What is no such sign stays as it stands.
fn spelled_out(uri: &str) -> Cow<'_, str> {
    let signs = uri.as_bytes();
    let (mut bytes, mut at) = (Vec::with_capacity(signs.len()), 0);
    while let Some(&sign) = signs.get(at) {
        let digits = if sign == b'%' { uri.get(at + 1..at + 3) } else { None };
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        at += if byte.is_some() { 3 } else { 1 };
        bytes.push(byte.unwrap_or(sign));
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(uri), Cow::Owned)
}

/// The bytes of each buffer: those of its name, else the binary chunk.
fn buffers<'b>(
    document: &GltfDocument,
    binary: Option<&'b [u8]>,
    bytes_by_uri: &'b BTreeMap<&str, Vec<u8>>,
) -> Result<Vec<&'b [u8]>, SceneError> {
    let mut buffers = Vec::with_capacity(document.buffers.len());
    for (number, buffer) in document.buffers.iter().enumerate() {
        let named = buffer.uri.as_deref().and_then(|uri| bytes_by_uri.get(uri));
        let Some(data) = named.map(Vec::as_slice).or(binary) else {
            return Err(SceneError::new(format!("buffer {number}: there is no binary chunk")));
        };
        if data.len() < buffer.byte_length {
            let message =
                format!("buffer {number} has {} bytes, expected {}", data.len(), buffer.byte_length);
            return Err(SceneError::new(message));
        }
        buffers.push(data);
    }
    Ok(buffers)
}

struct GltfReading<'a> {
    document: &'a GltfDocument,
    buffers: &'a [&'a [u8]],
    triangles: Vec<[Vec3; 3]>,
    /// Corners read so far: those of a mesh again wherever it stands.
    corners: usize,
    /// Primitives looked at so far, counted alike, also those that become nothing.
    primitives: usize,
}

impl GltfReading<'_> {
    /// Reads nodes and those below them, each at its place.
    fn nodes(&mut self, roots: &[usize]) -> Result<(), SceneError> {
        let mut waiting: Vec<(usize, Mat4)> =
            roots.iter().rev().map(|&root| (root, Mat4::IDENTITY)).collect();
        let mut seen = vec![false; self.document.nodes.len()];
        // Bounded: a node that comes twice is refused.
        while let Some((number, above)) = waiting.pop() {
            let Some(node) = self.document.nodes.get(number) else {
                return Err(SceneError::new(format!("there is no node {number}")));
            };
            if std::mem::replace(&mut seen[number], true) {
                return Err(SceneError::new(format!("node {number} comes twice, expected a tree")));
            }
            let place = above * local(node);
            if let Some(mesh) = node.mesh {
                self.mesh(mesh, place)?;
            }
            waiting.extend(node.children.iter().rev().map(|&child| (child, place)));
        }
        Ok(())
    }

    fn mesh(&mut self, number: usize, place: Mat4) -> Result<(), SceneError> {
        let Some(mesh) = self.document.meshes.get(number) else {
            return Err(SceneError::new(format!("there is no mesh {number}")));
        };
        for primitive in &mesh.primitives {
            self.primitives = counted(self.primitives, 1, "primitives")?;
            let (Some(position), mode @ 4..=6) = (primitive.attributes.position, primitive.mode.unwrap_or(4))
            else {
                continue; // Points and lines are no ground and no walls.
            };
            let count = self.data(position, 12)?.0.count;
            self.corners = counted(self.corners, count, "corners")?;
            let corners = self.positions(position, place)?;
            let order = match primitive.indices {
                Some(accessor) => self.indices(accessor)?,
                None => (0..corners.len() as u32).collect(),
            };
            if let Some(far) = order.iter().find(|&&at| at as usize >= corners.len()) {
                let message = format!("mesh {number} names vertex {far}, it has {}", corners.len());
                return Err(SceneError::new(message));
            }
            let corner = |at: u32| corners[at as usize];
            let three = |a: u32, b: u32, c: u32| [corner(a), corner(b), corner(c)];
            let more = if mode == 4 { order.len() / 3 } else { order.len().saturating_sub(2) };
            if self.triangles.len() + more > SCENE_PARTS_MAX {
                return Err(SceneError::new(format!("more than {SCENE_PARTS_MAX} triangles")));
            }
            match mode {
                4 => self.triangles.extend(
                    order.chunks_exact(3).map(|three_of| three(three_of[0], three_of[1], three_of[2])),
                ),
                5 => self.triangles.extend(order.windows(3).map(|strip| three(strip[0], strip[1], strip[2]))),
                _ => {
                    self.triangles.extend(order.windows(2).skip(1).map(|fan| three(order[0], fan[0], fan[1])))
                }
            }
        }
        Ok(())
    }

    fn positions(&self, number: usize, place: Mat4) -> Result<Vec<Vec3>, SceneError> {
        let (accessor, data, stride) = self.data(number, 12)?;
        if accessor.component_type != 5126 || accessor.kind != "VEC3" {
            return Err(SceneError::new(format!(
                "accessor {number} holds no positions: expected VEC3 of floats"
            )));
        }
        let value = |at: usize| little(data, at).map_or(0.0, f32::from_bits);
        let corner = |at: usize| {
            let from = at * stride;
            place.transform_point3(Vec3::new(value(from), value(from + 4), value(from + 8)))
        };
        let corners: Vec<Vec3> = (0..accessor.count).map(corner).collect();
        match corners.iter().position(|corner| !corner.is_finite()) {
            Some(at) => Err(SceneError::new(format!("accessor {number}: position {at} is not finite"))),
            None => Ok(corners),
        }
    }

    fn indices(&self, number: usize) -> Result<Vec<u32>, SceneError> {
        let size = match self.document.accessors.get(number).map(|accessor| accessor.component_type) {
            Some(5121) => 1,
            Some(5123) => 2,
            _ => 4,
        };
        let (accessor, data, stride) = self.data(number, size)?;
        if ![5121, 5123, 5125].contains(&accessor.component_type) || accessor.kind != "SCALAR" {
            return Err(SceneError::new(format!(
                "accessor {number} holds no indices: expected SCALAR of whole numbers"
            )));
        }
        let index = |at: usize| {
            let bytes = data.get(at * stride..at * stride + size).unwrap_or_default();
            bytes.iter().rev().fold(0u32, |value, &byte| (value << 8) | u32::from(byte))
        };
        Ok((0..accessor.count).map(index).collect())
    }

    /// The bytes of an accessor whose elements have a size, and from element to element.
    fn data(&self, number: usize, size: usize) -> Result<(&Accessor, &[u8], usize), SceneError> {
        let missing = |what: &str, number: usize| SceneError::new(format!("there is no {what} {number}"));
        let accessor = self.document.accessors.get(number).ok_or_else(|| missing("accessor", number))?;
        if accessor.sparse.is_some() {
            return Err(SceneError::new(format!("accessor {number} is sparse, which is not read")));
        }
        let Some(view) = accessor.buffer_view else {
            return Err(SceneError::new(format!("accessor {number} names no buffer view")));
        };
        let view = self.document.buffer_views.get(view).ok_or_else(|| missing("buffer view", view))?;
        let buffer = self.buffers.get(view.buffer).ok_or_else(|| missing("buffer", view.buffer))?;
        let stride = view.byte_stride.unwrap_or(size);
        let cut = || SceneError::new(format!("accessor {number} reaches beyond its buffer"));
        let whole =
            view.byte_offset.checked_add(view.byte_length).and_then(|end| buffer.get(view.byte_offset..end));
        let data = whole.and_then(|bytes| bytes.get(accessor.byte_offset..)).ok_or_else(cut)?;
        let last =
            accessor.count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        if stride < size || last.is_none_or(|end| end > data.len()) {
            return Err(cut());
        }
        Ok((accessor, data, stride))
    }
}

/// How many there are with some more, which is bounded.
fn counted(before: usize, more: usize, what: &str) -> Result<usize, SceneError> {
    let count = before.saturating_add(more);
    if count > SCENE_PARTS_MAX {
        return Err(SceneError::new(format!("more than {SCENE_PARTS_MAX} {what}")));
    }
    Ok(count)
}

fn local(node: &GltfNode) -> Mat4 {
    if let Some(matrix) = &node.matrix {
        return Mat4::from_cols_array(matrix);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    Mat4::from_scale_rotation_translation(
        Vec3::from(node.scale.unwrap_or([1.0; 3])),
        Quat::from_xyzw(x, y, z, w),
        Vec3::from(node.translation.unwrap_or([0.0; 3])),
    )
}
