//! Elements with places: the common form of both formats of Tiled.
//!
//! In: names, attributes, children and text, from `xml` or `tmj`. Out: [`Element`]s, and the pointer to any
//! byte of them. Holds: everything borrows from the file, except texts that had to be unescaped; a [`Budget`]
//! ends a parse before a file of 16 MiB becomes more than a few tens of MiB of elements. Not here: what the
//! names mean (`read`).

use std::borrow::Cow;

use crate::level::diagnostic::Span;

/// Most elements of one file. A map of a thousand objects with ten properties each has twelve thousand.
pub(super) const ELEMENTS_MAX: usize = 200_000;
/// Most attributes of all elements of one file together.
pub(super) const ATTRIBUTES_MAX: usize = 800_000;
/// Most attributes of one element: Tiled writes at most 27.
pub(super) const ATTRIBUTES_OF_ONE_MAX: usize = 256;

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Attribute<'a> {
    pub name: Cow<'a, str>,
    pub value: Cow<'a, str>,
    /// Where the value stands.
    pub span: Span,
}

/// How the way to an element is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `/map/layer[2]`, counted from 1 among its own kind.
    Xml,
    /// `/layers/1`, counted from 0, as JSON pointers do.
    Json,
}

/// An element of a map, tileset or template.
#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    /// As TMX calls it, whichever format it comes from.
    pub name: Cow<'a, str>,
    /// The last step of the way to it: a name and a number.
    pub step: (Cow<'a, str>, Option<u32>),
    /// Where its first tag or its value begins, and how far it reaches.
    pub span: Span,
    /// Where the whole of it ends, with everything inside.
    pub end: u32,
    pub attributes: Vec<Attribute<'a>>,
    pub children: Vec<Element<'a>>,
    /// Text between the tags, as it stands. Cells given as elements (`<tile gid="1"/>`) are text as well:
    /// CSV.
    pub text: Cow<'a, str>,
    /// Where the text begins in the file; for cells given as elements, where the first stands.
    pub text_at: u32,
}

impl<'a> Element<'a> {
    pub(super) fn new(name: Cow<'a, str>, span: Span) -> Self {
        let step = (name.clone(), None);
        let (children, attributes) = (Vec::new(), Vec::new());
        Self {
            name,
            step,
            span,
            end: span.end,
            attributes,
            children,
            text: Cow::Borrowed(""),
            text_at: span.start,
        }
    }

    /// The attribute of a name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The value of an attribute, or nothing.
    pub(super) fn value(&self, name: &str) -> &str {
        self.attribute(name).map_or("", |attribute| attribute.value.as_ref())
    }

    /// The first child of a name.
    pub(super) fn child(&self, name: &str) -> Option<&Element<'a>> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of a name.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element<'a>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Where an attribute stands, or the element when it has none of that name.
    pub(super) fn span_of(&self, name: &str) -> Span {
        self.attribute(name).map_or(self.span, |attribute| attribute.span)
    }

    /// The way to this element as the root of its file.
    pub(super) fn way(&self, notation: Notation) -> String {
        if notation == Notation::Xml { format!("/{}", self.name) } else { String::new() }
    }

    /// The way to this element from the way to the one that it is a child of.
    pub(super) fn way_below(&self, above: &str, notation: Notation) -> String {
        match (notation, &self.step) {
            (Notation::Xml, (name, Some(number))) => format!("{above}/{name}[{number}]"),
            (Notation::Json, (name, Some(number))) => format!("{above}/{name}/{number}"),
            (_, (name, None)) => format!("{above}/{name}"),
        }
    }

    /// The way from this root to the innermost element around a byte. Looks through the elements beside those
    /// on the way, so it is for findings only; readers carry the way down.
    pub(super) fn pointer(&self, notation: Notation, at: u32) -> String {
        let mut way = self.way(notation);
        let mut here = self;
        // Bounded by the depth of the tree.
        while let Some(inner) = here.children.iter().find(|child| child.span.start <= at && at < child.end) {
            way = inner.way_below(&way, notation);
            here = inner;
        }
        way
    }
}

/// What is left of the budget of one parse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    elements: usize,
    attributes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { elements: ELEMENTS_MAX, attributes: ATTRIBUTES_MAX }
    }
}

impl Budget {
    /// Takes one element out of the budget. The error completes the sentence "the file has ...".
    pub(super) fn element(&mut self) -> Result<(), String> {
        self.elements = self
            .elements
            .checked_sub(1)
            .ok_or_else(|| format!("more than {ELEMENTS_MAX} elements, which is the limit"))?;
        Ok(())
    }

    /// Takes an attribute out of the budget, the `number`th of its element from 1.
    pub(super) fn attribute(&mut self, number: usize) -> Result<(), String> {
        check_count(number)?;
        self.attributes = self
            .attributes
            .checked_sub(1)
            .ok_or_else(|| format!("more than {ATTRIBUTES_MAX} attributes, which is the limit"))?;
        Ok(())
    }
}

/// Whether an element may have another attribute, its `number`th from 1. The error completes the sentence
/// "the file has ...".
pub(super) fn check_count(number: usize) -> Result<(), String> {
    if number > ATTRIBUTES_OF_ONE_MAX {
        return Err(format!(
            "an element with more than {ATTRIBUTES_OF_ONE_MAX} attributes, which is the limit"
        ));
    }
    Ok(())
}
