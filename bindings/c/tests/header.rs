//! The header and the declarations for C# are those that the sources make.
//!
//! `UPDATE=1 cargo test` writes them again.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that reads and writes files")]

use std::path::{Path, PathBuf};

const SOURCES: [&str; 4] = ["src/status.rs", "src/border.rs", "src/level.rs", "src/game.rs"];

fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn compare(path: &str, made: &str) {
    let path = place(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{} is not what the sources make of it: UPDATE=1 cargo test", path.display());
}

#[test]
fn the_header_is_made_of_the_sources() {
    let config = cbindgen::Config::from_file(place("cbindgen.toml")).unwrap();
    let builder =
        SOURCES.iter().fold(cbindgen::Builder::new(), |builder, path| builder.with_src(place(path)));
    let mut header = Vec::new();
    builder.with_config(config).generate().unwrap().write(&mut header);
    compare("include/walkon.h", &String::from_utf8(header).unwrap());
}

#[test]
fn the_declarations_for_c_sharp_are_made_of_the_sources() {
    let builder = SOURCES
        .iter()
        .fold(csbindgen::Builder::default(), |builder, path| builder.input_extern_file(place(path)));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Walkon.cs");
    let builder = builder.csharp_dll_name("walkon_c").csharp_namespace("Walkon").csharp_class_name("Native");
    let builder = builder.csharp_class_accessibility("public");
    builder.generate_csharp_file(&file).unwrap();
    compare("csharp/Walkon.cs", &std::fs::read_to_string(file).unwrap());
}
