//! What walkon writes as XML is read by a strict reader: pictures, and the reports of tests.
//!
//! Goal: every file opens wherever XML does. Method: a parser of others reads it whole; names, attributes,
//! references and characters are all looked at.

use std::process::Command;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// What a strict reader finds wrong with a document, if anything.
pub fn fault_of(document: &str) -> Option<String> {
    let is_character = |one: char| one >= ' ' || matches!(one, '\t' | '\n' | '\r');
    if let Some(at) = document.find(|one| !is_character(one)) {
        return Some(format!("a control character at byte {at}"));
    }
    let mut reader = Reader::from_str(document);
    let (mut depth, mut roots) = (0_u32, 0_u32);
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Some(format!("byte {}: {error}", reader.error_position())),
        };
        let problem = match &event {
            Event::Eof if depth == 0 && roots == 1 => return None,
            Event::Eof => Some(format!("{roots} roots, {depth} of their elements are open at the end")),
            Event::Start(tag) => {
                roots += u32::from(depth == 0);
                depth += 1;
                fault_of_attributes(tag)
            }
            Event::Empty(tag) => {
                roots += u32::from(depth == 0);
                fault_of_attributes(tag)
            }
            Event::End(_) => {
                depth -= 1;
                None
            }
            Event::Text(text) if depth == 0 && !text.trim().is_empty() => {
                Some("text outside of the root".to_owned())
            }
            Event::GeneralRef(reference) => {
                let is_known = ["lt", "gt", "amp", "quot", "apos"].contains(&&**reference);
                let is_number = matches!(reference.resolve_char_ref(), Ok(Some(_)));
                (!is_known && !is_number).then(|| format!("an unknown reference {reference:?}"))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            return Some(format!("byte {}: {problem}", reader.buffer_position()));
        }
    }
}

fn fault_of_attributes(tag: &BytesStart<'_>) -> Option<String> {
    tag.attributes().find_map(|attribute| match attribute {
        Err(error) => Some(error.to_string()),
        Ok(attribute) if attribute.value.contains('<') => Some("an open angle in a value".to_owned()),
        Ok(attribute) => {
            attribute.normalized_value(XmlVersion::Implicit1_0).err().map(|error| error.to_string())
        }
    })
}

#[test]
fn the_strict_reader_is_strict() {
    for (document, is_well_formed) in [
        ("<a b=\"1\"><c/>text &amp; &#38;</a>", true),
        ("<a b=\"1\" b=\"2\"/>", false),
        ("<a><b></a></b>", false),
        ("<a>&nbsp;</a>", false),
        ("<a b=\"&nbsp;\"/>", false),
        ("<a b=\"<\"/>", false),
        ("<a b=1/>", false),
        ("<a/><a/>", false),
        ("<a>", false),
        ("<a>\u{1}</a>", false),
        ("words <a/>", false),
    ] {
        assert_eq!(fault_of(document).is_none(), is_well_formed, "{document}: {:?}", fault_of(document));
    }
}

#[test]
fn pictures_of_every_level_are_read_by_a_strict_reader_of_xml() {
    let folder = tempfile::tempdir().unwrap();
    for level in ["courtyard", "battlefield", "burrow", "tavern", "tower", "village"] {
        for more in [&[][..], &["--tick", "90"]] {
            let picture = folder.path().join(format!("{level}{}.svg", more.len()));
            let drawn = Command::new(crate::place::program())
                .args(["draw", level, "--out", picture.to_str().unwrap()])
                .args(more)
                .current_dir(crate::place::root())
                .output()
                .unwrap();
            assert!(drawn.status.success(), "{level}: {}", String::from_utf8_lossy(&drawn.stderr));
            let svg = std::fs::read_to_string(&picture).unwrap();
            assert_eq!(fault_of(&svg), None, "{level} {more:?}");
        }
    }
}
