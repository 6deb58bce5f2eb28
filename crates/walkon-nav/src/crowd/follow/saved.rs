//! Progress of a body along its path, as a save game holds it.
//!
//! In, out: fields, one by one. Not here: the path (`nav::saved`).

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::crowd::follow::Cursor;
use crate::nav::Path;

impl Cursor {
    /// Writes how far along its path it is.
    pub fn save(&self, out: &mut ByteWriter) {
        // The ends are points of the path.
        let Self { segment, start_m, along_m, ends: _ } = self;
        segment.save(out);
        // A first segment that was bent on the way begins where the body stood.
        let is_at_start = *start_m == 0.0;
        out.flag(is_at_start);
        if !is_at_start {
            out.float(*start_m);
        }
        out.float(*along_m);
    }

    /// Reads how far along `path` it is.
    ///
    /// # Errors
    /// When that is nowhere on it.
    pub fn load(input: &mut ByteReader<'_>, path: &Path) -> Result<Self, DecodeError> {
        let segment = u32::load(input)?;
        let start_m = if input.flag()? { 0.0 } else { input.float()? };
        let along_m = input.float()?;
        if segment as usize >= path.points.len() || !start_m.is_finite() || !along_m.is_finite() {
            return Err(DecodeError::new("a place beyond its path"));
        }
        Ok(Self { segment, start_m, along_m, ..Self::default() }.looked_up(path))
    }
}
