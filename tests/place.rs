//! Where the repository and the built program are.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The program that cargo built beside this suite; `tests/program.rs` is what makes `cargo test` build
/// it. A run of the suite alone does not: a program that is older than its code is refused.
pub fn program() -> PathBuf {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let suite = std::env::current_exe().unwrap();
        let folder = suite.parent().and_then(Path::parent).unwrap();
        let program = folder.join(format!("walkon{}", std::env::consts::EXE_SUFFIX));
        assert!(program.exists(), "{} is not built: run `cargo test` at the root", program.display());
        let newer = changed_since(&program);
        assert!(newer.is_empty(), "{} is older than {newer:?}: run `cargo build`", program.display());
        program
    });
    PROGRAM.clone()
}

/// Runs the program in a folder, to its end.
pub fn walkon(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).current_dir(folder).output().unwrap()
}

/// Sends a signal to a process, such as `-INT`.
#[cfg(unix)]
pub fn send_signal(signal: &str, process: &std::process::Child) {
    let sent = Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
    assert!(sent.success(), "{signal}");
}

/// The files of code that have changed since the program was built from them: cargo lists them beside it.
fn changed_since(program: &Path) -> Vec<PathBuf> {
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified());
    let built = changed(program).unwrap();
    let list = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let files = list.split_whitespace().skip(1).map(PathBuf::from);
    files.filter(|file| changed(file).is_ok_and(|time| time > built)).collect()
}
