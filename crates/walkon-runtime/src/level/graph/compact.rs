//! The compact binary form of a graph that games load: small, with the ways between its parts and a check of
//! its origin.
//!
//! In: a draft, ways, the level and the text it was made from. Out: bytes; or their content, when they can be
//! trusted. Holds: bytes that are cut or changed are refused by their checksum, before anything else is read;
//! a file of another level or another version is refused; nothing is allocated beyond the size of the file;
//! it is smaller than the text: ways that would make it larger are left out, because they can be worked out
//! again. Not here: the editing form (`text`).

use glam::Vec3;

use crate::base::hash::ContentHash;
use crate::nav::graph::editable_graph::{EditableGraph, GraphPart};

const MAGIC: &[u8; 4] = b"WKGR";
const VERSION: u8 = 2;
/// Bytes of the sum at the end.
const SUM_BYTES: usize = 8;

/// What a compact file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Compact {
    /// Points, links and parts.
    pub draft: EditableGraph,
    /// The ways between parts, from each to each; None when they are to be worked out again.
    pub ways: Option<Vec<Vec<u32>>>,
    /// The hash of the text it was made from.
    pub source_hash: u64,
}

/// The hash of a text that a compact file was made from.
#[must_use]
pub(crate) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = ContentHash::default();
    hash.bytes(bytes);
    hash.finish()
}

/// Writes the compact form.
#[must_use]
pub fn compact_bytes(level: &str, text: &[u8], draft: &EditableGraph, ways: &[Vec<u32>]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    out.extend(hash_of(level.as_bytes()).to_le_bytes());
    out.extend(hash_of(text).to_le_bytes());
    whole(&mut out, draft.points().len() as u64);
    let mut last = [0u32; 3];
    for point in draft.points() {
        // Rows of a floor share two of their three numbers.
        let bits = point.to_array().map(f32::to_bits);
        let changed = (0..3).filter(|&axis| bits[axis] != last[axis]);
        out.push(changed.clone().fold(0, |flags, axis| flags | 1 << axis));
        changed.for_each(|axis| out.extend(bits[axis].to_le_bytes()));
        last = bits;
    }
    whole(&mut out, draft.links().len() as u64);
    let mut last = 0;
    for [a, b] in draft.links() {
        whole(&mut out, u64::from(a - last));
        whole(&mut out, u64::from(b - a));
        last = a;
    }
    whole(&mut out, draft.parts().len() as u64);
    for part in draft.parts() {
        whole(&mut out, part.name.len() as u64);
        out.extend(part.name.as_bytes());
        walk(&mut out, &part.points);
    }
    // Ways grow with the square of the parts: when they outgrow the text, they are worked out as the graph
    // loads.
    let mut kept = Vec::new();
    whole(&mut kept, ways.len() as u64);
    ways.iter().for_each(|way| walk(&mut kept, way));
    let fits = !ways.is_empty() && out.len() + kept.len() + 1 + SUM_BYTES < text.len();
    out.push(u8::from(fits));
    if fits {
        out.extend(kept);
    }
    let sum = hash_of(&out);
    out.extend(sum.to_le_bytes());
    out
}

/// A number in groups of seven bits, the lowest first.
fn whole(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Points, each by how far its number is from the one before.
fn walk(out: &mut Vec<u8>, points: &[u32]) {
    whole(out, points.len() as u64);
    let mut last = 0i64;
    for &at in points {
        let step = i64::from(at) - last;
        whole(out, (step.unsigned_abs() << 1) | u64::from(step < 0));
        last = i64::from(at);
    }
}

/// Reads the compact form.
///
/// # Errors
/// Why it cannot be trusted, as the end of a sentence that begins with its name.
pub fn read_compact(level: &str, bytes: &[u8]) -> Result<Compact, String> {
    let cut = || "is cut".to_owned();
    if !bytes.starts_with(MAGIC) {
        return Err("is not a compact graph".to_owned());
    }
    if bytes.get(4) != Some(&VERSION) {
        return Err(format!("is of another version, expected {VERSION}"));
    }
    let (body, sum) = bytes.split_at_checked(bytes.len().saturating_sub(8)).ok_or_else(cut)?;
    if hash_of(body).to_le_bytes() != *sum {
        return Err("was cut or changed: its sum is wrong".to_owned());
    }
    let mut cursor = ByteCursor { bytes: body, at: 5 };
    if cursor.word().ok_or_else(cut)? != hash_of(level.as_bytes()) {
        return Err("belongs to another level".to_owned());
    }
    let source_hash = cursor.word().ok_or_else(cut)?;
    let (points, links) = cursor.graph().ok_or_else(cut)?;
    let parts = cursor.parts().ok_or_else(cut)?;
    let has_ways = cursor.take(1).ok_or_else(cut)?.first() == Some(&1);
    let ways =
        if has_ways { Some(cursor.ways().ok_or_else(cut)?).filter(|ways| !ways.is_empty()) } else { None };
    let draft = EditableGraph::new(points, &links, parts)
        .map_err(|error| format!("is not a valid graph: {error}"))?;
    Ok(Compact { draft, ways, source_hash })
}

struct ByteCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl ByteCursor<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn whole(&mut self) -> Option<u64> {
        let mut value = 0u64;
        // Bounded: nine groups hold what a file can count.
        for shift in 0..9 {
            let byte = *self.take(1)?.first()?;
            value |= u64::from(byte & 127) << (7 * shift);
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// A number of things, each at least a byte of what is left.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.whole()?).ok()?;
        (count <= self.bytes.len() - self.at).then_some(count)
    }

    fn graph(&mut self) -> Option<(Vec<Vec3>, Vec<[u32; 2]>)> {
        let count = self.count()?;
        let mut points = Vec::with_capacity(count);
        let mut bits = [0u32; 3];
        for _ in 0..count {
            let flags = *self.take(1)?.first()?;
            for (axis, value) in bits.iter_mut().enumerate() {
                if flags >> axis & 1 != 0 {
                    *value = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
                }
            }
            points.push(Vec3::from_array(bits.map(f32::from_bits)));
        }
        let count = self.count()?;
        let mut links = Vec::with_capacity(count);
        let mut first = 0u32;
        for _ in 0..count {
            first = first.checked_add(u32::try_from(self.whole()?).ok()?)?;
            let second = first.checked_add(u32::try_from(self.whole()?).ok()?)?;
            links.push([first, second]);
        }
        Some((points, links))
    }

    fn parts(&mut self) -> Option<Vec<GraphPart>> {
        let count = self.count()?;
        let mut parts = Vec::new();
        for _ in 0..count {
            let length = self.count()?;
            let name = String::from_utf8(self.take(length)?.to_vec()).ok()?;
            parts.push(GraphPart { name, points: self.walk()? });
        }
        Some(parts)
    }

    fn ways(&mut self) -> Option<Vec<Vec<u32>>> {
        let count = self.count()?;
        (0..count).map(|_| self.walk()).collect()
    }

    fn walk(&mut self) -> Option<Vec<u32>> {
        let count = self.count()?;
        let mut points = Vec::with_capacity(count);
        let mut last = 0i64;
        for _ in 0..count {
            let step = self.whole()?;
            let size = i64::try_from(step >> 1).ok()?;
            last = last.checked_add(if step & 1 == 0 { size } else { -size })?;
            points.push(u32::try_from(last).ok()?);
        }
        Some(points)
    }
}
