//! Serves the files of the page, which the program carries, compressed by `build.rs`.
//!
//! In: a path. Out: its bytes and their kind. Holds: nothing is read from the disk. Not here: allowing
//! requests.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;

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

/// The file at a path. Cost: it is unpacked, a fraction of a millisecond.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let path = if path == "/" { "/index.html" } else { path };
    let (_, packed) = FILES.iter().find(|(name, _)| path.strip_prefix('/') == Some(name))?;
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    let mut bytes = Vec::new();
    ZlibDecoder::new(*packed).read_to_end(&mut bytes).ok()?;
    Some(File { kind, bytes: Cow::Owned(bytes) })
}

/// A file of the folder `page`, with its name.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/page/", $name)))),*]
    };
}

/// Every file of the page, compressed.
const FILES: &[(&str, &[u8])] = files![
    "bodies.js",
    "boxes.js",
    "camera.js",
    "colours.js",
    "conflicts.js",
    "connection.js",
    "console.js",
    "debugger.js",
    "document.js",
    "editor.js",
    "elements.js",
    "events.js",
    "film.js",
    "forms.js",
    "frames.js",
    "future.js",
    "graphs.js",
    "hands.js",
    "happenings.js",
    "heat.js",
    "index.html",
    "inspector.js",
    "keys.js",
    "legend.js",
    "main.js",
    "menus.js",
    "model.js",
    "notices.js",
    "painter.js",
    "palette.js",
    "paths.js",
    "pointer.js",
    "problems.js",
    "relief.js",
    "rewind.js",
    "search.js",
    "searched.js",
    "source.js",
    "stage.js",
    "style.css",
    "tabs.js",
    "tiles.js",
    "timeline.js",
    "tools.js",
    "trails.js",
    "transport.js",
    "viewbar.js",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served_and_no_other() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let names = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut expected: Vec<String> =
            names.filter(|name| !name.ends_with(".d.ts") && !name.ends_with(".json")).collect();
        expected.sort();
        assert_eq!(FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), expected);
        for name in &expected {
            let served = file(&format!("/{name}")).unwrap();
            assert!(*served.bytes == *std::fs::read(folder.join(name)).unwrap(), "{name}");
        }
        for path in ["/../Cargo.toml", "//index.html", "/page/index.html", "/%2e%2e/x", "", "index.html"] {
            assert!(file(path).is_none(), "{path}");
        }
    }
}
