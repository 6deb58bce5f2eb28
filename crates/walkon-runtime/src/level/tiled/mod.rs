//! Maps of the editor Tiled: `.tmx` and `.tmj`, with the tilesets and templates they name.
//!
//! In: the path of a map, a [`FileSource`] for it and the files it names, [`TiledOptions`]. Out: [`Tiled`]:
//! what the files state ([`RawMap`]), the level it makes, the numbers of its layers; or findings. Holds: no
//! file makes it panic or allocate for more than the map states, and no map states more than a level may
//! hold; pixels become metres here and nowhere else. Not here: the level's own format (`read`), the
//! navigation map (`bake`).

pub mod raw;

mod attribute;
mod data;
mod distinct;
mod files;
mod ground;
mod inheritance;
mod level;
mod object;
pub mod paint;
mod place;
mod property;
mod read;
mod things;
mod tileset;
mod tmj;
mod tree;
mod types;
mod words;
mod write;
mod xml;

#[cfg(test)]
mod tests;

use super::def::LevelDef;
pub use super::def::TiledOptions;
use super::diagnostic::{Diagnostic, Findings, LevelFile, PendingDiagnostic, Span, code};
use super::json::FILE_BYTES_MAX;
use super::loaded::LevelError;
use super::source::{FileSource, SourceError};

use files::Import;
pub use ground::{Counts, LayerReport, TiledReport};
use raw::RawMap;
pub use words::LeftOut;
use words::Said;
pub use write::text;

/// A map that was taken in.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    /// What its files state.
    pub raw: RawMap,
    /// The level it makes.
    pub def: LevelDef,
    /// What became of its layers.
    pub report: TiledReport,
}

/// Whether a file of that name is a map of Tiled.
#[must_use]
pub fn is_tiled(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".tmx") || lower.ends_with(".tmj")
}

/// Whether a file of that name is a world of Tiled: a list of maps that lie side by side.
#[must_use]
pub fn is_world(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".world")
}

/// What to say of a world, with the maps that its text names.
fn about_world(path: &str, text: &str) -> String {
    const NAMED_MAX: usize = 5;
    let json: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let maps = json.get("maps").and_then(serde_json::Value::as_array).map_or(&[][..], Vec::as_slice);
    let names = maps.iter().filter_map(|map| map.get("fileName")?.as_str());
    let names: Vec<String> =
        names.take(NAMED_MAX).map(|name| format!("\"{}\"", files::short(name))).collect();
    let more = if maps.len() > NAMED_MAX { ", ..." } else { "" };
    let which = if names.is_empty() { String::new() } else { format!(": {}{more}", names.join(", ")) };
    format!(
        "{path} is a world of Tiled, which lays several maps side by side; a level is one map: name one of them{which}"
    )
}

/// Takes in the map at `path` of a source: what `walkon import` writes a level of.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn import(path: &str, source: &dyn FileSource, options: &TiledOptions) -> Result<Imported, LevelError> {
    let mut findings = Findings::default();
    let (made, failed) = match source.read(path, FILE_BYTES_MAX) {
        Ok(bytes) => take_in(&mut findings, source, path, &bytes, options),
        Err(error) => {
            findings.add_file(path, b"");
            findings.error(|| unreadable(path, &error));
            (None, Some(error))
        }
    };
    let failed_anyway = findings.has_errors();
    let diagnostics = findings.take();
    match made.filter(|_| !failed_anyway) {
        Some(tiled) => Ok(Imported { tiled, diagnostics, files: findings.files }),
        None => Err(LevelError { diagnostics, files: findings.files, source: failed }),
    }
}

fn unreadable(path: &str, error: &SourceError) -> PendingDiagnostic {
    PendingDiagnostic::new(error.code(), Span::default(), format!("\"{path}\" cannot be read: {error}"))
}

/// A map that was taken in, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The map.
    pub tiled: Tiled,
    /// Warnings and notes, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The map and the files it names.
    pub files: Vec<LevelFile>,
}

/// Takes in the map whose bytes were found at `path`. None after findings when at least one of them is an
/// error.
pub(crate) fn take_in(
    findings: &mut Findings,
    source: &dyn FileSource,
    path: &str,
    bytes: &[u8],
    options: &TiledOptions,
) -> (Option<Tiled>, Option<SourceError>) {
    let mut import = Import::new(findings, source);
    let made = read_all(&mut import, path, bytes, options);
    let failed = import.failed.take();
    (made, failed)
}

fn read_all(import: &mut Import<'_>, path: &str, bytes: &[u8], options: &TiledOptions) -> Option<Tiled> {
    if is_world(path) {
        let file = import.findings.add_file(path, bytes);
        let message = about_world(path, &String::from_utf8_lossy(bytes));
        import.findings.error(|| PendingDiagnostic::new(code::CHOICE, Span::new(file, 0, 0), message));
        return None;
    }
    let raw = import.parsed(path, bytes, read::map)?;
    let types = types_of(import, path, options);
    let mut said = Said::default();
    for (what, (count, span)) in std::mem::take(&mut import.skipped) {
        said.leave_out_times(what, count as u64, span);
    }
    if import.findings.has_errors() {
        said.left_out(import.findings);
        return None;
    }
    let types = types?;
    let read = level::ReadMap { map: &raw, types: &types, path };
    let (def, mut report) = level::make(import.findings, &mut said, &read, options);
    report.left_out = said.left_out(import.findings);
    note(import.findings, &report, raw.span);
    Some(Tiled { raw, def, report })
}

/// The defaults of classes: from the file that is named, else from the first of those that may lie beside the
/// map.
fn types_of(import: &mut Import<'_>, path: &str, options: &TiledOptions) -> Option<types::Types> {
    let named = options.types.as_ref();
    let names: Vec<&str> = named.map_or(types::NAMES.to_vec(), |named| vec![named.value.as_str()]);
    for name in names {
        let place = super::source::beside(path, name);
        match import.source.read(&place, FILE_BYTES_MAX) {
            Ok(bytes) => return import.parsed(&place, &bytes, types::types),
            Err(error) if named.is_some() => {
                let span = named.map_or(Span::default(), |named| named.span);
                import.findings.error(|| {
                    let message = format!("\"{place}\" cannot be read: {error}");
                    PendingDiagnostic::new(error.code(), span, message)
                });
                import.failed = Some(error);
                return None;
            }
            Err(_) => {}
        }
    }
    Some(types::Types::default())
}

/// The report as notes, for `walkon check`.
fn note(findings: &mut Findings, report: &TiledReport, span: Span) {
    let words = |counts: &Counts| {
        format!("{} navigable, {} blocked, {} border", counts.navigable, counts.blocked, counts.border)
    };
    for layer in &report.layers {
        let message = format!(
            "layer \"{}\" ({} on {}): {} cells",
            layer.name,
            layer.role,
            layer.on,
            words(&layer.counts)
        );
        findings.note(|| PendingDiagnostic::new(code::MAP, span, message));
    }
    let message = format!("all layers together: {} cells", words(&report.total));
    findings.note(|| PendingDiagnostic::new(code::MAP, span, message));
}
