//! The parts of navigation that a save game holds: paths, and edits of the map.
//!
//! In: paths and edits; bytes. Out: their fields, one by one, as bytes; the same paths and edits. Not here:
//! maps themselves, which the level gives.

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::nav::{
    AreaEdit, Crossing, Disc, GraphEdit, LayerChange, LinkAction, LinkActions, Path, PathFailure, Revision,
};
use crate::{saved, saved_choice};

saved!(Crossing { area, enter_m, leave_m });
saved!(LayerChange { at_m, layer, from, to, length_m, action });
saved!(Disc { centre, radius_m });
saved!(AreaEdit { area, available, factor });

impl Saved for LinkAction {
    fn save(&self, out: &mut ByteWriter) {
        self.0.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let number = u8::load(input)?;
        let is_number = usize::from(number) < LinkActions::COUNT_MAX;
        is_number.then_some(Self(number)).ok_or(DecodeError::new("an action of links that is none"))
    }
}

impl Saved for Revision {
    fn save(&self, out: &mut ByteWriter) {
        out.word(self.0);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.word().map(Self)
    }
}

impl Saved for Path {
    fn save(&self, out: &mut ByteWriter) {
        let Self { points, length_m, cost_m, whole, revision, crossings, layers } = self;
        points.save(out);
        out.float(*length_m);
        // On plain ground without slopes they are one number.
        let is_plain = length_m.to_bits() == cost_m.to_bits();
        out.flag(is_plain);
        if !is_plain {
            out.float(*cost_m);
        }
        out.flag(*whole);
        revision.save(out);
        out.flag(crossings.is_empty() && layers.is_empty());
        if !(crossings.is_empty() && layers.is_empty()) {
            crossings.save(out);
            layers.save(out);
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let points = Vec::load(input)?;
        let length_m = input.float()?;
        let cost_m = if input.flag()? { length_m } else { input.float()? };
        let (whole, revision) = (input.flag()?, Revision::load(input)?);
        let (crossings, layers) = match input.flag()? {
            true => (Vec::new(), Vec::new()),
            false => (Vec::load(input)?, Vec::load(input)?),
        };
        if points.is_empty() {
            return Err(DecodeError::new("a path without points"));
        }
        Ok(Self { points, length_m, cost_m, whole, revision, crossings, layers })
    }
}

saved_choice!(
    PathFailure, 3: 0: NoPath, 1: StartOffNav, 2: Area(area), 3: TooWide, 4: Occupied, 5: Limit,
);
saved_choice!(GraphEdit, 2: 0: Add(point), 1: Link(ends), 2: Unlink(ends));
