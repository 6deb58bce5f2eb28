//! Decodes the cells of a layer from every encoding that Tiled writes.
//!
//! In: text, its encoding and compression, how many cells there must be. Out: one number a cell, or what is
//! wrong. Holds: decompression ends one byte above the size that the map states, however large the data would
//! get; broken, short and long data are dropped whole. Not here: what the numbers mean.

use std::io::Read;

use crate::level::base64::{Base64Error, bytes_of};
use crate::level::diagnostic::code;

/// Bytes of a cell.
const CELL_BYTES: usize = 4;
/// Largest window of a zstd frame that is met; Tiled's are no larger than the layer.
const ZSTD_WINDOW_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// What is wrong with the data of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerDataError {
    pub code: &'static str,
    /// Completes a sentence that begins with the layer.
    pub what: String,
    /// Where in the text, as bytes from its begin.
    pub at: Option<usize>,
}

fn broken<T>(code: &'static str, what: impl Into<String>) -> Result<T, LayerDataError> {
    Err(LayerDataError { code, what: what.into(), at: None })
}

/// How the cells are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellEncoding<'t> {
    /// `csv`, `base64`, or empty for cells given as elements.
    pub encoding: &'t str,
    /// `zlib`, `gzip`, `zstd`, or empty.
    pub compression: &'t str,
}

impl CellEncoding<'_> {
    fn words(&self) -> String {
        let encoding = if self.encoding.is_empty() { "elements" } else { self.encoding };
        if self.compression.is_empty() {
            format!("encoding {encoding}, no compression")
        } else {
            format!("encoding {encoding}, compression {}", self.compression)
        }
    }
}

/// The `count` cells that `text` stands for.
pub(super) fn decode(text: &str, form: CellEncoding<'_>, count: usize) -> Result<Vec<u32>, LayerDataError> {
    match form.encoding {
        "csv" | "" => {
            if !form.compression.is_empty() {
                let what = format!("has compression \"{}\", which goes with base64 only", form.compression);
                return broken(code::DATA, what);
            }
            csv(text, form, count)
        }
        "base64" => base64_cells(text, form, count),
        other => broken(code::CHOICE, format!("has encoding \"{other}\", expected csv or base64")),
    }
}

fn csv(text: &str, form: CellEncoding<'_>, count: usize) -> Result<Vec<u32>, LayerDataError> {
    // A number and its comma take two bytes: text cannot make this larger than itself.
    let mut cells = Vec::with_capacity(count.min(text.len() / 2 + 1));
    let mut found = 0usize;
    let mut at = 0;
    for piece in text.split(',') {
        let word = piece.trim();
        let here = at + (piece.len() - piece.trim_start().len());
        at += piece.len() + 1;
        if word.is_empty() {
            // A comma after the last cell is harmless; one between two cells is not.
            if text.get(at..).is_some_and(|rest| !rest.trim().is_empty()) {
                let what = format!("has nothing between two commas after {found} cells, expected a tile id");
                return Err(LayerDataError { code: code::DATA, what, at: Some(here) });
            }
            continue;
        }
        let Ok(cell) = word.parse::<u32>() else {
            let shown: String = word.chars().take(20).collect();
            let what = format!("has \"{shown}\" as cell {found}, expected a tile id, 0 to 4294967295");
            return Err(LayerDataError { code: code::DATA, what, at: Some(here) });
        };
        found += 1;
        if found <= count {
            cells.push(cell);
        }
    }
    if found != count {
        return broken(code::DATA, format!("has {found} cells, expected {count} ({})", form.words()));
    }
    Ok(cells)
}

fn base64_cells(text: &str, form: CellEncoding<'_>, count: usize) -> Result<Vec<u32>, LayerDataError> {
    let packed = bytes_of(text).map_err(|Base64Error { what, at }| LayerDataError {
        code: code::DATA,
        what: what.to_owned(),
        at,
    })?;
    let expected = count * CELL_BYTES;
    let bytes = match form.compression {
        "" => packed,
        "zlib" => unpacked(flate2::bufread::ZlibDecoder::new(&packed[..]), form, expected)?,
        "gzip" => unpacked(flate2::bufread::GzDecoder::new(&packed[..]), form, expected)?,
        "zstd" => {
            let window_max = ZSTD_WINDOW_BYTES_MAX.max(expected as u64);
            match ruzstd::decoding::StreamingDecoder::new_with_max_window_size(&packed[..], window_max) {
                Ok(decoder) => unpacked(decoder, form, expected)?,
                Err(error) => {
                    return broken(code::DATA, format!("cannot be decompressed ({}): {error}", form.words()));
                }
            }
        }
        other => {
            return broken(code::CHOICE, format!("has compression \"{other}\", expected zlib, gzip or zstd"));
        }
    };
    if bytes.len() != expected {
        let (found, words) = (bytes.len(), form.words());
        let what = format!(
            "decodes to {found} bytes, expected {expected}: four for each of {count} cells ({words})"
        );
        return broken(code::DECOMPRESSED_SIZE, what);
    }
    Ok(bytes
        .chunks_exact(CELL_BYTES)
        .map(|cell| u32::from_le_bytes([cell[0], cell[1], cell[2], cell[3]]))
        .collect())
}

/// Everything that comes out, stopped one byte above what is expected.
fn unpacked(from: impl Read, form: CellEncoding<'_>, expected: usize) -> Result<Vec<u8>, LayerDataError> {
    let mut bytes = Vec::new();
    match from.take(expected as u64 + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() <= expected => Ok(bytes),
        Ok(_) => {
            let words = form.words();
            let what = format!(
                "decompresses to more than the expected {expected} bytes and was stopped there ({words})"
            );
            broken(code::DECOMPRESSED_SIZE, what)
        }
        Err(error) => broken(code::DATA, format!("cannot be decompressed ({}): {error}", form.words())),
    }
}
