//! Parses TMX, TSX and TX (XML) into elements.
//!
//! In: the text of a file. Out: its root [`Element`], or one finding. Holds: a document type is never read,
//! so nothing is expanded and nothing outside is opened; the only references are the five of XML itself and
//! characters by number; depth, elements and attributes are counted while they are read. Not here: what
//! elements mean. Source: quick-xml cuts the text into tags; its own checks for attributes given twice are
//! off, since they take quadratic time in some versions and [`Budget`] ends long lists first.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::tree::{self, Attribute, Budget, Element};
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::json::DEPTH_MAX;

/// The root of an XML text that begins `base` bytes into its file, or a finding that says why there is none.
pub(super) fn parse<'a>(
    findings: &mut Findings,
    file: u16,
    text: &'a str,
    base: usize,
) -> Option<Element<'a>> {
    let mut parse = XmlParse { text, base, file, budget: Budget::default(), open: Vec::new(), root: None };
    match parse.document() {
        Ok(root) => Some(root),
        Err(stop) => {
            let finding = PendingDiagnostic::new(
                stop.code,
                Span::new(file, base + stop.at, base + stop.end),
                stop.message,
            );
            findings.error(|| match stop.help {
                Some(help) => finding.help(help),
                None => finding,
            });
            None
        }
    }
}

/// Why a parse ended early.
struct XmlError {
    code: &'static str,
    at: usize,
    end: usize,
    message: String,
    help: Option<&'static str>,
}

/// An element that is not closed yet.
struct OpenElement<'a> {
    element: Element<'a>,
    /// How many children of each name it has so far.
    children_by_name: BTreeMap<&'a str, u32>,
}

struct XmlParse<'a> {
    text: &'a str,
    base: usize,
    file: u16,
    budget: Budget,
    /// From the root to the element being read.
    open: Vec<OpenElement<'a>>,
    root: Option<Element<'a>>,
}

impl<'a> XmlParse<'a> {
    fn document(&mut self) -> Result<Element<'a>, XmlError> {
        let mut reader = Reader::from_str(self.text);
        loop {
            let at = reader.buffer_position() as usize;
            let event = reader.read_event().map_err(|error| {
                let at = (reader.error_position() as usize).min(self.text.len());
                self.stop(code::SYNTAX, at..at, format!("not XML: {error}"))
            })?;
            let end = reader.buffer_position() as usize;
            match event {
                Event::Start(tag) => {
                    let element = self.element(&tag, at, end)?;
                    self.open(element, at..end)?;
                }
                Event::Empty(tag) => {
                    let element = self.element(&tag, at, end)?;
                    self.open(element, at..end)?;
                    self.close(end);
                }
                Event::End(_) => self.close(end),
                Event::Text(_) => self.text(at, end),
                // Cut out of its brackets: <![CDATA[ and ]]>.
                Event::CData(_) => self.text(at + 9, end - 3),
                Event::GeneralRef(_) => self.reference(at..end)?,
                // Maps of old versions name a document type, which is never fetched. A document type that
                // declares something is refused.
                Event::DocType(text) if text.contains(['[', ']']) => {
                    let message = "the file declares entities of its own, which maps do not need and which are not read";
                    let mut stop = self.stop(code::SYNTAX, at..end, message.to_owned());
                    stop.help = Some("remove <!DOCTYPE ...>");
                    return Err(stop);
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        if let Some(open) = self.open.last() {
            let (name, span) = (&open.element.name, open.element.span);
            let message = format!("not XML: <{name}> is never closed");
            let (at, end) = (span.start as usize - self.base, span.end as usize - self.base);
            return Err(self.stop(code::SYNTAX, at..end, message));
        }
        let root = self.root.take();
        root.ok_or_else(|| self.stop(code::EMPTY, 0..0, "the file has no element, expected a map".to_owned()))
    }

    fn stop(&self, code: &'static str, range: Range<usize>, message: String) -> XmlError {
        let mut at = range.start.min(self.text.len());
        // Bounded by the four bytes of a character.
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        XmlError { code, at, end: range.end.max(at).min(at + 200), message, help: None }
    }

    fn element(&mut self, tag: &BytesStart<'_>, at: usize, end: usize) -> Result<Element<'a>, XmlError> {
        let limit = |parse: &Self, why| parse.stop(code::LIMIT, at..end, format!("the file has {why}"));
        let name_at = at + 1;
        let name = self.text.get(name_at..name_at + tag.name().as_ref().len()).unwrap_or_default();
        let is_cell = self.is_cell(name);
        if !is_cell {
            self.budget.element().map_err(|why| limit(self, why))?;
        }
        let span = Span::new(self.file, self.base + at, self.base + end);
        let mut element = Element::new(Cow::Borrowed(name), span);
        let inside: &str = tag;
        // A tag hands out views of its own text: their place in it is their place in the file.
        let view = |part: &str| {
            let from = (name_at + part.as_ptr() as usize).checked_sub(inside.as_ptr() as usize)?;
            Some((from, self.text.get(from..from + part.len())?))
        };
        let mut attributes = tag.attributes();
        attributes.with_checks(false);
        for attribute in attributes {
            let broken = |why: &dyn std::fmt::Display| {
                self.stop(code::SYNTAX, at..end, format!("not XML: <{name}> has a broken attribute: {why}"))
            };
            let attribute = attribute.map_err(|error| broken(&error))?;
            let (Some((key_at, key)), Some((value_at, raw))) =
                (view(attribute.key.as_ref()), view(&attribute.value))
            else {
                return Err(broken(&"it lies outside its element"));
            };
            let number = element.attributes.len() + 1;
            let spent = if is_cell { tree::check_count(number) } else { self.budget.attribute(number) };
            spent.map_err(|why| limit(self, why))?;
            let range = value_at..value_at + raw.len();
            if let Some(first) = element.attribute(key) {
                let message = format!("<{name}> has the attribute {key} twice, first as \"{}\"", first.value);
                return Err(self.stop(code::DUPLICATE_KEY, key_at..range.end, message));
            }
            let value = self.unescaped(raw, range.start)?;
            let span = Span::new(self.file, self.base + range.start, self.base + range.end);
            element.attributes.push(Attribute { name: Cow::Borrowed(key), value, span });
        }
        Ok(element)
    }

    /// Whether an element that begins here is a cell of the old form. A layer has one such element for each
    /// cell, so neither it nor its attributes count: none of them is kept.
    fn is_cell(&self, name: &str) -> bool {
        let parent = self.open.last().map(|open| open.element.name.as_ref());
        name == "tile" && matches!(parent, Some("data" | "chunk"))
    }

    fn unescaped(&self, raw: &'a str, at: usize) -> Result<Cow<'a, str>, XmlError> {
        quick_xml::escape::unescape(raw).map_err(|error| {
            let mut stop = self.stop(code::SYNTAX, at..at + raw.len(), format!("not XML: {error}"));
            stop.help = Some("only &amp; &lt; &gt; &quot; &apos; and characters by number are known");
            stop
        })
    }

    fn open(&mut self, mut element: Element<'a>, range: Range<usize>) -> Result<(), XmlError> {
        if self.open.len() >= DEPTH_MAX {
            let message = format!("elements are nested deeper than {DEPTH_MAX}");
            return Err(self.stop(code::DEPTH, range, message));
        }
        let is_cell = self.is_cell(&element.name);
        match self.open.last_mut() {
            Some(_) if is_cell => {}
            Some(parent) => {
                let name = self.text.get(range.start + 1..range.start + 1 + element.name.len());
                let count = parent.children_by_name.entry(name.unwrap_or_default()).or_default();
                *count += 1;
                element.step.1 = Some(*count);
            }
            None if self.root.is_some() => {
                let message = "something stands after the end of the map, expected nothing".to_owned();
                return Err(self.stop(code::TRAILING, range, message));
            }
            None => {}
        }
        self.open.push(OpenElement { element, children_by_name: BTreeMap::new() });
        Ok(())
    }

    fn close(&mut self, end: usize) {
        let Some(OpenElement { mut element, .. }) = self.open.pop() else { return };
        element.end = (self.base + end) as u32;
        let is_cell = self.is_cell(&element.name);
        match self.open.last_mut() {
            Some(parent) if is_cell => add_cell(&mut parent.element, &element),
            Some(parent) => parent.element.children.push(element),
            None => self.root = Some(element),
        }
    }

    fn text(&mut self, at: usize, end: usize) {
        let Some(piece) = self.text.get(at..end) else { return };
        let Some(OpenElement { element, .. }) = self.open.last_mut() else { return };
        // Between elements it means nothing; in the value of a property it does.
        let is_value = element.name == "property" || !element.text.is_empty();
        if piece.trim().is_empty() && !is_value {
            return;
        }
        if element.text.is_empty() {
            element.text = Cow::Borrowed(piece);
            element.text_at = (self.base + at) as u32;
        } else {
            element.text.to_mut().push_str(piece);
        }
    }

    fn reference(&mut self, range: Range<usize>) -> Result<(), XmlError> {
        let value = self.unescaped(self.text.get(range.clone()).unwrap_or_default(), range.start)?;
        if let Some(OpenElement { element, .. }) = self.open.last_mut() {
            element.text.to_mut().push_str(&value);
        }
        Ok(())
    }
}

/// Adds a cell given as an element to the text of its layer, as CSV: two bytes in place of an element.
fn add_cell(layer: &mut Element<'_>, cell: &Element<'_>) {
    if layer.text.is_empty() {
        layer.text_at = cell.span.start;
    } else {
        layer.text.to_mut().push(',');
    }
    let gid = cell.value("gid");
    layer.text.to_mut().push_str(if gid.is_empty() { "0" } else { gid });
}
