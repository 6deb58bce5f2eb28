//! Loads a level with every file it names: reads, resolves, builds.
//!
//! In: the name of a level and a [`FileSource`]. Out: a [`Level`], or a [`LevelError`] with everything that
//! is wrong. Holds: files are read once, bounded, and only after their path was checked as text; the same
//! files give the same level. Not here: what the files mean (`read`, `textgrid`), scripts.

use std::sync::Arc;

use super::bake;
use super::def::{GridDef, LevelDef, MapForm, NavigationDef};
use super::diagnostic::{Findings, PendingDiagnostic, Span, code};
use super::graph::{GraphDef, GraphPaths, hash_of, read_compact, read_graph_text};
use super::json::FILE_BYTES_MAX;
use super::loaded::{Level, LevelError};
use super::mesh;
use super::read::{read_level, read_map};
use super::resolve::{self, Resolved};
use super::scene::scene_triangles;
use super::source::{FileSource, SourceError, beside};
use super::tiled::{self, TiledOptions};
use crate::base::suggestions;
use crate::nav::NavMap;

/// Reads the level `name` and the files it names, and builds its map. `name` is a path below the root of the
/// source; files are found beside the level.
///
/// ```
/// use walkon::{MemorySource, load};
/// # use walkon_runtime::example::YARD;
///
/// let level = load("yard.json", &MemorySource::new().with("yard.json", YARD))?;
/// assert_eq!(level.def.name, "yard");
///
/// let refused = load("yard.json", &MemorySource::new().with("yard.json", "{}")).unwrap_err();
/// assert_eq!(refused.diagnostics[0].code, "missing-field");
/// # Ok::<(), walkon::LevelError>(())
/// ```
///
/// # Errors
/// Everything that keeps the level from being built, at once.
pub fn load(name: &str, source: &dyn FileSource) -> Result<Level, LevelError> {
    load_map(name, source, &TiledOptions::default())
}

/// The same for a map of Tiled that is taken in with options of its own.
///
/// # Errors
/// As [`load`].
pub fn load_map(name: &str, source: &dyn FileSource, options: &TiledOptions) -> Result<Level, LevelError> {
    let mut loader = LoadingLevel { options: options.clone(), ..LoadingLevel::new(source) };
    match loader.level(name) {
        Some((def, resolved, map)) => Ok(Level {
            def,
            resolved,
            map,
            diagnostics: loader.findings.take(),
            files: loader.findings.files,
        }),
        None => Err(LevelError {
            diagnostics: loader.findings.take(),
            files: loader.findings.files,
            source: loader.failed,
        }),
    }
}

/// Reads the level `name` and the files it names, without building its map: what is called what in it. None
/// when something is wrong with it, which [`load`] tells.
#[must_use]
pub fn outline(name: &str, source: &dyn FileSource) -> Option<(LevelDef, Resolved)> {
    let mut loader = LoadingLevel::new(source);
    let (def, resolved) = loader.names(name)?;
    (!loader.findings.has_errors()).then_some((def, resolved))
}

/// Reads the level `name`, whose map is a graph, without the files it names: for making its graph.
///
/// # Errors
/// What is wrong with the level itself, or that its map is no graph.
pub fn graph_level(name: &str, source: &dyn FileSource) -> Result<GraphDef, LevelError> {
    let mut loader = LoadingLevel::new(source);
    let def = loader.text(name);
    if let Some(def) = def
        && !loader.findings.has_errors()
    {
        match def.navigation {
            NavigationDef::Graph(graph) => return Ok(*graph),
            _ => loader.findings.error(|| {
                let message = "navigation.kind is not \"graph\", expected a level whose map is a graph";
                PendingDiagnostic::new(code::CHOICE, Span::default(), message).at("/navigation")
            }),
        }
    }
    Err(LevelError {
        diagnostics: loader.findings.take(),
        files: loader.findings.files,
        source: loader.failed,
    })
}

struct LoadingLevel<'s> {
    findings: Findings,
    source: &'s dyn FileSource,
    failed: Option<SourceError>,
    /// How a map of Tiled is taken in that is the level itself.
    options: TiledOptions,
}

impl<'s> LoadingLevel<'s> {
    fn new(source: &'s dyn FileSource) -> Self {
        Self { findings: Findings::default(), source, failed: None, options: TiledOptions::default() }
    }

    /// The bytes of the level's own file.
    fn bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        let bytes = match self.source.read(name, FILE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.findings.add_file(name, b"");
                self.unreadable(name, &error, PendingDiagnostic::new(code::IO, Span::default(), ""));
                return None;
            }
        };
        Some(bytes)
    }

    /// What is written, without the files that it names.
    fn text(&mut self, name: &str) -> Option<LevelDef> {
        let bytes = self.bytes(name)?;
        read_level(&mut self.findings, name, &bytes)
    }

    /// What is written, and what its names mean, as far as they mean something.
    fn names(&mut self, name: &str) -> Option<(LevelDef, Resolved)> {
        let bytes = self.bytes(name)?;
        if tiled::is_tiled(name) || tiled::is_world(name) {
            let options = std::mem::take(&mut self.options);
            let def = self.tiled(name, &bytes, &options)?.def;
            self.count_characters(&def, 0);
            let resolved = resolve::resolve(&mut self.findings, &def);
            return Some((def, resolved));
        }
        let mut def = read_level(&mut self.findings, name, &bytes)?;
        drop(bytes);
        self.map_file(name, &mut def);
        self.mesh_file(name, &mut def);
        self.graph_file(name, &mut def);
        let resolved = resolve::resolve(&mut self.findings, &def);
        Some((def, resolved))
    }

    fn level(&mut self, name: &str) -> Option<(LevelDef, Resolved, NavMap)> {
        let (mut def, resolved) = self.names(name)?;
        self.scene_file(name, &mut def);
        if self.findings.has_errors() {
            bake::check_size(&mut self.findings, &def, &resolved);
            return None;
        }
        let map = bake::build(&mut self.findings, &def, &resolved)?;
        bake::settle(&mut self.findings, &def, &resolved, &map);
        (!self.findings.has_errors()).then_some((def, resolved, map))
    }

    /// Puts a map that stands in a file of its own in the place of its name.
    fn map_file(&mut self, level: &str, def: &mut LevelDef) {
        let NavigationDef::File(named) = &def.navigation else { return };
        if named.file.value.is_empty() {
            return; // The name itself was refused.
        }
        let path = beside(level, &named.file.value);
        match self.source.read(&path, FILE_BYTES_MAX) {
            Ok(bytes) if named.form == MapForm::Tiled => {
                let options = named.tiled.clone();
                if let Some(made) = self.tiled(&path, &bytes, &options) {
                    let own_count = def.characters.len();
                    def.add_map(made.def);
                    self.count_characters(def, own_count);
                }
            }
            Ok(bytes) => {
                if let Some(map) = read_map(&mut self.findings, &path, &bytes, named.form) {
                    def.navigation = map;
                }
            }
            Err(error) => {
                let finding = PendingDiagnostic::new(code::IO, named.file.span, "").at("/navigation");
                self.unreadable(&path, &error, finding);
            }
        }
    }

    /// Refuses a level when the characters of its map of Tiled, after the `own_count` of its own file, are
    /// more than it may have.
    fn count_characters(&mut self, def: &LevelDef, own_count: usize) {
        let (count, count_max) = (def.characters.len(), def.limits.characters as usize);
        if own_count > count_max {
            return; // The file of the level was refused for its own list.
        }
        let Some(first) = def.characters.get(count_max) else { return };
        self.findings.error(|| {
            let message =
                format!("the level has {count} characters, the limit is {count_max} (limits.characters)");
            PendingDiagnostic::new(code::LIMIT, first.name.span, message).help(
                "leave some of them out, or name the map in a level file that sets limits.characters to more",
            )
        });
    }

    /// A map of Tiled with the files it names.
    fn tiled(&mut self, path: &str, bytes: &[u8], options: &TiledOptions) -> Option<tiled::Tiled> {
        let (made, failed) = tiled::take_in(&mut self.findings, self.source, path, bytes, options);
        self.failed = failed.or(self.failed.take());
        made
    }

    /// Puts the polygons of a mesh that stand in a file of their own beside its name.
    fn mesh_file(&mut self, level: &str, def: &mut LevelDef) {
        let NavigationDef::Grid(GridDef { mesh: Some(mesh), .. }) = &mut def.navigation else { return };
        let Some(file) = mesh.file.as_ref().filter(|file| !file.value.is_empty()) else { return };
        let path = beside(level, &file.value);
        match self.source.read(&path, FILE_BYTES_MAX) {
            Ok(bytes) => {
                if let Some(file) = mesh::read(&mut self.findings, &path, &bytes) {
                    (mesh.polygons, mesh.polygon_lines) = (Some(file.mesh), file.polygon_lines);
                }
            }
            Err(error) => {
                let finding = PendingDiagnostic::new(code::IO, file.span, "").at("/navigation/file");
                self.unreadable(&path, &error, finding);
            }
        }
    }

    /// Reads the points of a graph from the files beside the level: the compact one where it is of the text
    /// that stands there.
    fn graph_file(&mut self, level: &str, def: &mut LevelDef) {
        let NavigationDef::Graph(graph) = &mut def.navigation else { return };
        let Some(file) = &graph.file else { return };
        let paths = GraphPaths::of(level, &file.value);
        let text = self.source.read(&paths.text, FILE_BYTES_MAX);
        if let Ok(bytes) = self.source.read(&paths.compact, FILE_BYTES_MAX) {
            let number = self.findings.add_file(&paths.compact, &bytes);
            let found = read_compact(&paths.stem, &bytes).and_then(|found| match &text {
                Ok(text) if hash_of(text) != found.source_hash => {
                    Err(format!("was made from another version of \"{}\"", paths.text))
                }
                _ => Ok(found),
            });
            match found {
                Ok(found) => {
                    (graph.draft, graph.ways) = (Arc::new(found.draft), found.ways);
                    return;
                }
                Err(why) => self.findings.warn(|| {
                    let message = format!("\"{}\" {why}; it is not used", paths.compact);
                    PendingDiagnostic::new(code::MAP, Span::new(number, 0, 0), message)
                        .help("run `walkon graph bake` for this level again")
                }),
            }
        }
        let (span, place) = (file.span, "/navigation/file");
        match text {
            Ok(bytes) => {
                let number = self.findings.add_file(&paths.text, &bytes);
                match read_graph_text(&bytes) {
                    Ok(draft) => graph.draft = Arc::new(draft),
                    Err(error) => self.findings.error(|| {
                        let message = format!("\"{}\" is not a valid graph: {error}", paths.text);
                        PendingDiagnostic::new(code::MAP, Span::new(number, 0, 0), message)
                    }),
                }
            }
            Err(error) => {
                let finding = PendingDiagnostic::new(code::IO, span, "").at(place);
                let is_own = file.value.is_empty();
                let help = "make it with `walkon graph generate`";
                self.unreadable(&paths.text, &error, if is_own { finding.help(help) } else { finding });
            }
        }
    }

    /// Reads the scene of a graph. It hides what is behind it from looks.
    fn scene_file(&mut self, level: &str, def: &mut LevelDef) {
        let NavigationDef::Graph(graph) = &mut def.navigation else { return };
        let Some(scene) = &graph.scene else { return };
        let path = beside(level, &scene.value);
        let read = self.source.read(&path, FILE_BYTES_MAX).map_err(|error| error.to_string());
        let triangles = read.and_then(|bytes| {
            self.findings.add_file(&path, &bytes);
            let mut others = |name: &str| -> Result<Vec<u8>, String> {
                let path = beside(&path, name);
                let found = self.source.read(&path, FILE_BYTES_MAX).map_err(|error| error.to_string())?;
                self.findings.add_file(&path, &found);
                Ok(found)
            };
            scene_triangles(&path, &bytes, &mut others).map_err(|error| error.to_string())
        });
        match triangles {
            Ok(triangles) => graph.triangles = Some(Arc::new(triangles)),
            Err(why) => {
                let span = scene.span;
                self.findings.note(|| {
                    let message = format!("the scene \"{path}\" hides nothing: {why}");
                    PendingDiagnostic::new(code::MAP, span, message)
                        .at("/navigation/scene")
                        .help("characters see along the links")
                });
            }
        }
    }

    fn unreadable(&mut self, path: &str, error: &SourceError, mut finding: PendingDiagnostic) {
        finding.code = error.code();
        finding.message = format!("\"{path}\" cannot be read: {error}");
        if *error == SourceError::NotFound {
            let names = self.source.names();
            let near = || suggestions::did_you_mean(path, names.iter().map(String::as_str));
            finding.help = finding.help.or_else(near);
        }
        self.findings.error(|| finding);
        self.failed = Some(error.clone());
    }
}
