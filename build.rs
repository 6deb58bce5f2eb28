//! Has the linker fold functions whose machine code is the same, in the program that is shipped.
//!
//! In: the profile, as the folder of the build names it, and the linker. Out: an argument for the linker of
//! the program under the profile `dist`, where a first try shows that the linker knows it: 1 % less to ship.
//! Holds: any other linker, system and profile builds as without this script.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `lld`, `mold` and `gold` know, and others do not.
const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if is_shipped() && links_with_folding().unwrap_or(false) {
        println!("cargo:rustc-link-arg-bins={FOLD}");
    }
}

/// Whether this is the profile `dist` on Linux.
fn is_shipped() -> bool {
    let is_linux = std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|name| name == "linux");
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    is_linux && Path::new(&out).iter().any(|part| part == OsStr::new("dist"))
}

/// Links the smallest of programs with folding; None where something that it takes is not there.
fn links_with_folding() -> Option<bool> {
    let [rustc, out, target] = ["RUSTC", "OUT_DIR", "TARGET"].map(std::env::var_os);
    let mut command = Command::new(rustc?);
    command.args(["-", "--crate-type=bin", "--crate-name=folded", "--target"]).arg(target?);
    command.arg("-o").arg(Path::new(&out?).join("folded")).arg(format!("-Clink-arg={FOLD}"));
    if let Some(linker) = std::env::var_os("RUSTC_LINKER") {
        let mut flag = OsString::from("-Clinker=");
        flag.push(linker);
        command.arg(flag);
    }
    let flags = std::env::var_os("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().into_string().ok()?;
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(b"fn main() {}").ok()?;
    Some(child.wait().ok()?.success())
}
