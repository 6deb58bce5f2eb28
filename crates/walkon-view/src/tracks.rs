//! Future tracks of every character, as messages to clients.
//!
//! In: places, sampled. Out: a binary message, or JSON. Not here: computing them (`forecast`).

use serde_json::{Value, json};

/// Kind of a binary message: tracks.
const TRACKS: u8 = 2;
/// Flag of tracks: they belong to the future that others are compared with.
const BASE: u8 = 1;

/// Where every character goes in a part of the future.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    /// Of which future.
    pub generation: u32,
    /// Whether others are compared with it.
    pub is_base: bool,
    /// Ticks from one sample to the next.
    pub every: u16,
    /// Tick of the first sample.
    pub from: u64,
    /// Every character in it.
    pub keys: Vec<u32>,
    /// Samples: in each the places of all characters in the order of the keys, NaN for those that are not
    /// there.
    pub places: Vec<[f32; 3]>,
}

impl Tracks {
    fn samples(&self) -> usize {
        self.places.len().checked_div(self.keys.len()).unwrap_or_default()
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn size(&self) -> usize {
        (self.keys.len() + 3 * self.places.len()) * 4
    }

    /// The binary message.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20 + self.keys.len() * 4 + self.places.len() * 12);
        bytes.extend([TRACKS, if self.is_base { BASE } else { 0 }]);
        bytes.extend(self.every.to_le_bytes());
        let counts = [self.from as u32, self.samples() as u32, self.keys.len() as u32];
        bytes.extend(self.generation.to_le_bytes());
        counts.iter().chain(&self.keys).for_each(|count| bytes.extend(count.to_le_bytes()));
        self.places.iter().flatten().for_each(|axis| bytes.extend(axis.to_le_bytes()));
        bytes
    }

    /// The same as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let metres = |axis: f32| (f64::from(axis) * 1e3).round() / 1e3;
        let place = |place: &[f32; 3]| if place[0].is_nan() { Value::Null } else { json!(place.map(metres)) };
        let rows = self.places.chunks(self.keys.len().max(1));
        let samples: Vec<Value> = rows.map(|row| row.iter().map(place).collect()).collect();
        json!({
            "tell": "tracks", "generation": self.generation, "isBase": self.is_base, "every": self.every,
            "from": self.from, "keys": self.keys, "samples": samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_as_bytes_have_their_stated_size() {
        let tracks =
            Tracks { keys: vec![1, 2, 3], places: vec![[0.0, 1.0, 2.0]; 6], every: 4, ..Tracks::default() };
        assert_eq!(tracks.bytes().len(), 20 + 3 * 4 + 6 * 12);
        assert_eq!(tracks.json()["samples"].as_array().map(Vec::len), Some(2));
    }
}
