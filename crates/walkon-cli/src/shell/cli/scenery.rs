//! Loads the scene below the graph of a level.

use glam::Vec3;
use walkon_shell::project::FoundLevel;
use walkon_shell::{CommandFailure, Exit};

use super::shell::shown_path;
use crate::level::graph::GraphDef;
use crate::level::graph::work::{SceneFileError, scene_of};
use crate::level::{FILE_BYTES_MAX, FileSource, NavigationDef, SourceError};

/// Reads a file of the project.
pub(super) fn bytes(found: &FoundLevel, path: &str) -> Result<Vec<u8>, CommandFailure> {
    found.project.folder.read(path, FILE_BYTES_MAX).map_err(|error| unreadable(found, path, &error))
}

fn unreadable(found: &FoundLevel, path: &str, error: &SourceError) -> CommandFailure {
    let code = if matches!(error, SourceError::Failed(_)) { Exit::Io } else { Exit::Level };
    CommandFailure::new(code, format!("{}: {error}", shown_path(found, path)))
}

/// The triangles of the scene that a graph names; None where it names none.
pub(super) fn triangles(
    found: &FoundLevel,
    graph: &GraphDef,
) -> Result<Option<Vec<[Vec3; 3]>>, CommandFailure> {
    scene_of(&found.path, graph, &found.project.folder).map_err(|error| match error {
        SceneFileError::Unreadable { path, error } => unreadable(found, &path, &error),
        SceneFileError::Wrong { path, error } => {
            CommandFailure::new(Exit::Level, format!("{}: {error}", shown_path(found, &path)))
        }
    })
}

/// The same for a picture of a level, which is drawn without a scene where there is none to be read.
pub(super) fn backdrop(found: &FoundLevel, navigation: &NavigationDef) -> Vec<[Vec3; 3]> {
    let NavigationDef::Graph(graph) = navigation else { return Vec::new() };
    triangles(found, graph).ok().flatten().unwrap_or_default()
}
