//! Limits the properties that layers and objects inherit.
//!
//! In: the properties of groups, templates, tiles and classes, before any object gets a copy of them. Out:
//! whether another copy is allowed. Holds: one map inherits less than [`BYTES_MAX`], however small its files
//! are; once that is spent, nothing is measured any more. Not here: the order of precedence (`object`,
//! `read`, `things`).

use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};

use super::raw::{ObjectShape, Properties, Property, PropertyValue, RawObject, RawTile};

/// Most bytes that the layers and objects of one map may take over: those of ten thousand objects with sixty
/// properties each.
pub(super) const BYTES_MAX: usize = 64 * 1024 * 1024;
/// What a property or a corner takes beside its text.
const PART_BYTES: usize = 64;

/// What may still be taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inheritance {
    /// None once more was wanted than was left.
    bytes_left: Option<usize>,
}

/// Why nothing may be taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdraft {
    /// What is left does not do for it.
    Now,
    /// That was said of something else before.
    Before,
}

impl Default for Inheritance {
    fn default() -> Self {
        Self { bytes_left: Some(BYTES_MAX) }
    }
}

impl Inheritance {
    /// Takes the bytes of a copy from what is left. They are measured only while something is left.
    pub(super) fn pay(&mut self, bytes: impl FnOnce() -> usize) -> Result<(), Overdraft> {
        let left = self.bytes_left.ok_or(Overdraft::Before)?;
        self.bytes_left = left.checked_sub(bytes());
        self.bytes_left.map(|_| ()).ok_or(Overdraft::Now)
    }
}

impl Inheritance {
    /// Whether there may be a copy of the defaults of a class, of an object or a tile; one finding when not.
    pub(super) fn takes(&mut self, findings: &mut Findings, span: Span, defaults: &Properties) -> bool {
        let paid = self.pay(|| properties_bytes(defaults));
        if paid == Err(Overdraft::Now) {
            findings.error(|| {
                let message = format!(
                    "objects and tiles take over more than {BYTES_MAX} bytes from their classes, which is the limit"
                );
                PendingDiagnostic::new(code::LIMIT, span, message)
            });
        }
        paid.is_ok()
    }
}

/// Bytes of a copy of properties.
pub(super) fn properties_bytes(properties: &Properties) -> usize {
    properties.0.iter().map(property_bytes).sum()
}

fn property_bytes(property: &Property) -> usize {
    let value = match &property.value {
        PropertyValue::Text(text) => text.len(),
        PropertyValue::Number(_) | PropertyValue::Truth(_) | PropertyValue::Object(_) => 0,
        // No deeper than the file.
        PropertyValue::Class(members) => properties_bytes(members),
    };
    PART_BYTES + property.name.len() + property.class.len() + value
}

/// Bytes of what an object takes over from its tile.
pub(super) fn tile_bytes(tile: &RawTile, alignment: &str) -> usize {
    tile.class.len() + alignment.len() + properties_bytes(&tile.properties)
}

/// Bytes of what an object takes over from its template.
pub(super) fn object_bytes(object: &RawObject) -> usize {
    let shape = match &object.shape {
        ObjectShape::Polygon(corners) | ObjectShape::Polyline(corners) => PART_BYTES * corners.len(),
        ObjectShape::Tile(_, alignment) => alignment.len(),
        ObjectShape::Point | ObjectShape::Rectangle | ObjectShape::Ellipse | ObjectShape::Text => 0,
    };
    object.name.len() + object.class.len() + shape + properties_bytes(&object.properties)
}
