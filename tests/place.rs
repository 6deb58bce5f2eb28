//! Where the repository and the built program are.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The program that cargo built beside this suite; `crates/walkon-cli/tests` is what makes `cargo test` build
/// it.
pub fn program() -> PathBuf {
    let suite = std::env::current_exe().unwrap();
    let folder = suite.parent().and_then(Path::parent).unwrap();
    let program = folder.join(format!("walkon{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is not built: run `cargo test` at the root", program.display());
    program
}
