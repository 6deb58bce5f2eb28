//! Compresses the files of the page, so that the program with them is smaller.
//!
//! In: the folder `page`. Out: each of its files, compressed, in the folder `page` of the build. Not here:
//! which of them are served (`src/page.rs`).

#![allow(clippy::disallowed_methods, reason = "a build reads and writes files")]

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=page");
    let out = env::var_os("OUT_DIR").ok_or("cargo names the folder of the build")?;
    let out = Path::new(&out).join("page");
    fs::create_dir_all(&out)?;
    for file in fs::read_dir("page")? {
        let file = file?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(file.path())?)?;
        fs::write(out.join(file.file_name()), packed.finish()?)?;
    }
    Ok(())
}
