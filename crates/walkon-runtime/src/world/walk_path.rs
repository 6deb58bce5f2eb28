//! The path of a walk, with its hash.
//!
//! In: a path as it was found, joined or measured. Out: the same path to be read, and a hash of all of it.
//! Holds: every change of the path works out its hash again, so that the hash always fits: the hash of a
//! state does not go over the points of ten thousand paths in every tick. Not here: how far along it a
//! character is (`Cursor`).

use std::ops::Deref;

use crate::base::hash::StateHash;
use crate::nav::{Crossing, LayerChange, LinkAction, Path};

/// A path that is kept as it is, with its hash.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkPath {
    path: Path,
    hash: u64,
}

impl WalkPath {
    /// Changes the path. Cost: a pass over it.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Path)) {
        change(&mut self.path);
        self.hash = hash_of(&self.path);
    }

    /// The hash of everything of the path. Cost: constant.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

impl From<Path> for WalkPath {
    fn from(path: Path) -> Self {
        Self { hash: hash_of(&path), path }
    }
}

impl Deref for WalkPath {
    type Target = Path;

    #[inline]
    fn deref(&self) -> &Path {
        &self.path
    }
}

/// The hash of everything of a path. Cost: a pass over it.
pub(super) fn hash_of(path: &Path) -> u64 {
    let Path { points, length_m, cost_m, whole, revision, crossings, layers } = path;
    let mut hash = StateHash::default();
    hash.flag(*whole).word(revision.0).floats([*length_m, *cost_m]);
    hash.word(points.len() as u64).pair(crossings.len() as u32, layers.len() as u32);
    for &point in points {
        hash.vector(point);
    }
    for Crossing { area, enter_m, leave_m } in crossings {
        hash.word(u64::from(area.0)).floats([*enter_m, *leave_m]);
    }
    // The ends are points of the path.
    for LayerChange { at_m, layer, from: _, to: _, length_m, action } in layers {
        hash.word(u64::from(*layer)).floats([*at_m, *length_m]);
        if let Some(LinkAction(action)) = action {
            hash.word(u64::from(*action) + 1);
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fixture::sample;

    #[test]
    fn a_path_that_is_changed_has_another_hash_and_changed_back_the_same() {
        let scene = sample();
        let walk = scene.world.walks.get(scene.walk).expect("it walks");
        let mut path = walk.following.as_ref().expect("it has a path").path.clone();
        let (hash, point) = (path.hash(), path.points[1]);
        path.change(|path| path.points[1].x += 1.0);
        assert_ne!(path.hash(), hash);
        assert_eq!(path, WalkPath::from(Path::clone(&path)), "as if it was made so");
        path.change(|path| path.points[1] = point);
        assert_eq!(path.hash(), hash);
    }
}
