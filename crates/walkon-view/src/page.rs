//! The files of the page, which the program carries.
//!
//! In: a path. Out: its bytes and their kind. Holds: nothing is read from the disk. Not here: who may ask.

use std::borrow::Cow;

/// What the page may load and do: its own files and its own socket, nothing else.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its media type.
    pub kind: &'static str,
    /// What is in it.
    pub bytes: Cow<'static, [u8]>,
}

/// A line of text.
#[must_use]
pub fn plain(text: &'static str) -> File {
    File { kind: "text/plain; charset=utf-8", bytes: Cow::Borrowed(text.as_bytes()) }
}

/// The file at a path.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let path = if path == "/" { "/index.html" } else { path };
    let (_, text) = FILES.iter().find(|(name, _)| path.strip_prefix('/') == Some(name))?;
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    Some(File { kind, bytes: Cow::Borrowed(text.as_bytes()) })
}

/// Every file of the page.
const FILES: &[(&str, &str)] = &[("index.html", include_str!("../page/index.html"))];
