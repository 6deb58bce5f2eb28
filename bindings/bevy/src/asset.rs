//! Levels as assets.
//!
//! In: the path of a level below the folder of assets. Out: its texts with the scripts of its project, and the level
//! built from them. Holds: the level, the files that it names and all scripts of its project are watched with it, where
//! assets are watched. Not here: games (`game`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use walkon::Level;
use walkon_shell::project::Project;
use walkon_shell::{LevelText, OpenError, Problem};

/// A level with its scripts.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LevelAsset {
    /// Its texts.
    pub text: Arc<LevelText>,
    /// What was built from them.
    pub built: Arc<Level>,
}

impl LevelAsset {
    /// A level from texts that the game brings along, for `Assets::add`.
    ///
    /// # Errors
    /// When it is refused.
    pub fn new(text: LevelText) -> Result<Self, LevelLoadError> {
        let built = text.level().map_err(|error| OpenError::Refused { error, root: text.root.clone() })?;
        Ok(Self { text: Arc::new(text), built: Arc::new(built) })
    }
}

/// Why a level is none.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct LevelLoadError(pub Box<Problem>);

impl From<OpenError> for LevelLoadError {
    fn from(error: OpenError) -> Self {
        Self(Box::new(Problem::from(error)))
    }
}

/// Loads levels.
#[derive(TypePath)]
pub(crate) struct LevelLoader {
    root: PathBuf,
}

impl LevelLoader {
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// Paths below the folder of assets of everything that the level is made of besides its own file.
    fn parts(&self, text: &LevelText) -> Vec<PathBuf> {
        let Ok(root) = self.root.canonicalize() else { return Vec::new() };
        let Ok(project) = Project::around(&text.root) else { return Vec::new() };
        let files = text.files.keys().filter(|path| **path != text.path).cloned();
        let scripts = text.scripts.keys().filter_map(|name| project.script_path(name, &text.path));
        let below = |path: String| text.root.join(path).strip_prefix(&root).ok().map(Path::to_path_buf);
        files.chain(scripts).filter_map(below).collect()
    }
}

impl AssetLoader for LevelLoader {
    type Asset = LevelAsset;
    type Settings = ();
    type Error = LevelLoadError;

    async fn load(
        &self,
        _reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<LevelAsset, LevelLoadError> {
        // The project is read where it lies: a level is more than the one file that Bevy hands over.
        let text = LevelText::open(&self.root.join(context.path().path()))?;
        for part in self.parts(&text) {
            // Read again only to be watched; what cannot be is not.
            let _ = context.read_asset_bytes(part).await;
        }
        LevelAsset::new(text)
    }

    fn extensions(&self) -> &[&str] {
        &["json"]
    }
}
