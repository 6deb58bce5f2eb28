//! Compresses the outlines of letters, so that the program with them is smaller.
//!
//! In: `src/shell/font/outlines.txt`. Out: `outlines` in the folder of the build. Not here: what they mean
//! (`src/shell/font.rs`).

#![allow(clippy::disallowed_methods, reason = "a build reads and writes files")]

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    const OUTLINES: &str = "src/shell/font/outlines.txt";
    println!("cargo:rerun-if-changed={OUTLINES}");
    let out = env::var_os("OUT_DIR").ok_or("cargo names the folder of the build")?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(OUTLINES)?)?;
    fs::write(Path::new(&out).join("outlines"), packed.finish()?)?;
    Ok(())
}
