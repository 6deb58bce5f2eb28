//! Frames: the place of every character in a tick, in bytes or JSON.
//!
//! In: a game. Out: rows of one size; a binary message or JSON. Holds: a row is all that a page needs to draw
//! a moving character; angles are kept to a 65,536th of a turn. Not here: names, colours, behaviours, which
//! change seldom (`roster`). The form of the bytes stands in `docs/protocol.md`.

use serde_json::{Value, json};

/// Kind of a binary message: a frame.
const FRAME: u8 = 1;
/// Bytes of a row.
const ROW_BYTES: usize = 20;

/// Flag of a frame: it is of the past.
pub const OF_THE_PAST: u8 = 1;
/// Flag of a frame: the level stands still.
pub const PAUSED: u8 = 2;

/// A character in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameRow {
    /// Number over the level.
    pub key: u32,
    /// Metres.
    pub position: [f32; 3],
    /// 65,536ths of a turn about +y.
    pub facing: u16,
    /// Bits of what it does.
    pub state: u8,
    /// Layer of the map.
    pub layer: u8,
}

impl FrameRow {
    /// An angle in radians as it is kept.
    #[must_use]
    pub fn turn(facing_rad: f32) -> u16 {
        let turns = f64::from(facing_rad) / std::f64::consts::TAU;
        ((turns - turns.floor()) * 65_536.0).round() as u32 as u16
    }

    /// The same of a character whose behaviour is switched off.
    #[must_use]
    pub fn switched_off(self) -> Self {
        Self { state: self.state | walkon_runtime::game::roster::Stance::SWITCHED_OFF, ..self }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.key.to_le_bytes());
        self.position.iter().for_each(|axis| bytes.extend(axis.to_le_bytes()));
        bytes.extend(self.facing.to_le_bytes());
        bytes.extend([self.state, self.layer]);
    }

    fn json(&self) -> Value {
        let [x, y, z] = self.position.map(|axis| (f64::from(axis) * 1e3).round() / 1e3);
        json!([self.key, x, y, z, self.facing, self.state, self.layer])
    }
}

/// Every character in a tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The tick.
    pub tick: u64,
    /// [`OF_THE_PAST`], [`PAUSED`].
    pub flags: u8,
    /// In order of creation.
    pub rows: Vec<FrameRow>,
}

impl Frame {
    /// The binary message, as the `number`th frame of a client.
    #[must_use]
    pub fn bytes(&self, number: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + self.rows.len() * ROW_BYTES);
        bytes.extend([FRAME, self.flags, 0, 0]);
        bytes.extend(number.to_le_bytes());
        bytes.extend((self.tick as u32).to_le_bytes());
        bytes.extend((self.rows.len() as u32).to_le_bytes());
        self.rows.iter().for_each(|row| row.write(&mut bytes));
        bytes
    }

    /// The same as JSON.
    #[must_use]
    pub fn json(&self, number: u32) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(FrameRow::json).collect();
        json!({ "tell": "frame", "frame": number, "tick": self.tick, "flags": self.flags, "rows": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_sixteen_bytes_and_twenty_for_each_row() {
        let row = FrameRow { key: 7, position: [1.0, 2.0, 3.0], facing: 16_384, state: 3, layer: 1 };
        let frame = Frame { tick: 9, flags: PAUSED, rows: vec![row, row] };
        let bytes = frame.bytes(5);
        assert_eq!(bytes.len(), 16 + 2 * ROW_BYTES);
        assert_eq!(bytes[..16], [1, 2, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[16..20], 7_u32.to_le_bytes());
        assert_eq!(bytes[20..24], 1.0_f32.to_le_bytes());
        assert_eq!(bytes[32..36], [0, 64, 3, 1]);
        assert_eq!(frame.json(5)["rows"][1], json!([7, 1.0, 2.0, 3.0, 16_384, 3, 1]));
    }

    #[test]
    fn angles_turn_round() {
        assert_eq!(FrameRow::turn(0.0), 0);
        assert_eq!(FrameRow::turn(std::f32::consts::FRAC_PI_2), 16_384);
        assert_eq!(FrameRow::turn(-std::f32::consts::FRAC_PI_2), 49_152);
        assert_eq!(FrameRow::turn(f32::NAN), 0);
    }
}
