//! The parts of navigation that a save game holds: paths, and edits of the map.
//!
//! In: paths and edits; bytes. Out: their fields, one by one, as bytes; the same paths and edits. Not here:
//! maps themselves, which the level gives.

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::nav::{
    AreaEdit, Crossing, Disc, GraphEdit, LayerChange, LinkAction, LinkActions, Path, PathFailure, Revision,
};
use crate::saved;

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

impl Saved for PathFailure {
    fn save(&self, out: &mut ByteWriter) {
        let number = match self {
            Self::NoPath => 0,
            Self::StartOffNav => 1,
            Self::Area(_) => 2,
            Self::TooWide => 3,
            Self::Occupied => 4,
            Self::Limit => 5,
        };
        out.small(number, 3);
        if let Self::Area(area) = self {
            area.save(out);
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok(match input.small(3)? {
            0 => Self::NoPath,
            1 => Self::StartOffNav,
            2 => Self::Area(Saved::load(input)?),
            3 => Self::TooWide,
            4 => Self::Occupied,
            5 => Self::Limit,
            _ => return Err(DecodeError::new("a choice that is none")),
        })
    }
}

impl Saved for GraphEdit {
    fn save(&self, out: &mut ByteWriter) {
        match self {
            Self::Add(point) => {
                out.small(0, 2);
                point.save(out);
            }
            Self::Link(ends) => {
                out.small(1, 2);
                ends.save(out);
            }
            Self::Unlink(ends) => {
                out.small(2, 2);
                ends.save(out);
            }
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok(match input.small(2)? {
            0 => Self::Add(Saved::load(input)?),
            1 => Self::Link(Saved::load(input)?),
            2 => Self::Unlink(Saved::load(input)?),
            _ => return Err(DecodeError::new("a choice that is none")),
        })
    }
}
