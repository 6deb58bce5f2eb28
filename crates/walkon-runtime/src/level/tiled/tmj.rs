//! Parses TMJ, TSJ and TJ (JSON) into elements.
//!
//! In: the text of a file. Out: its root [`Element`] under the names that TMX has for the same things, or
//! findings. Holds: layer data stays text, so that both formats share one reader of cells; JSON is opened one
//! level at a time, its depth bounded; elements and attributes are counted. Not here: what elements mean
//! (`read`).

use std::borrow::Cow;

use super::tree::{Attribute, Budget, Element};
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::json::{JsonItem, JsonPath, JsonReader, JsonValue, Member};

/// Most values of a list of objects, tiles or corners.
const LIST_MAX: usize = super::tree::ELEMENTS_MAX;

/// The root of a JSON text that begins `base` bytes into its file, or findings that say why there is none.
pub(super) fn parse<'a>(
    findings: &mut Findings,
    file: u16,
    text: &'a str,
    base: usize,
) -> Option<Element<'a>> {
    let mut reader = JsonReader::new(findings, file);
    let root = reader.root(text, base)?;
    let mut parse = Parse { reader, budget: Budget::default(), is_over: false };
    if root.text.starts_with('[') {
        // A list of types is a file of its own.
        let mut list = Element::new(Cow::Borrowed("types"), parse.span(root));
        parse.children(&mut list, "propertyTypes", root, &JsonPath::Root);
        return (!parse.is_over).then_some(list);
    }
    let members = parse.members(root, &JsonPath::Root)?;
    let kind = members.iter().find(|member| member.key == "type").map(|member| unquoted(member.value.text));
    let name = match kind.as_deref() {
        Some("tileset") => "tileset",
        Some("template") => "template",
        Some("map") => "map",
        // Tilesets that Tiled exported before 1.0 do not say what they are.
        _ if members.iter().any(|member| member.key == "layers") => "map",
        _ if members.iter().any(|member| member.key == "object") => "template",
        _ if members.iter().any(|member| member.key == "propertyTypes") => "project",
        _ => "tileset",
    };
    let element = parse.object(Cow::Borrowed(name), root, members, &JsonPath::Root);
    (!parse.is_over).then_some(element)
}

struct Parse<'f> {
    reader: JsonReader<'f>,
    budget: Budget,
    /// Whether the budget is spent, which was said once.
    is_over: bool,
}

impl Parse<'_> {
    fn members<'a>(&mut self, item: JsonItem<'a>, place: &JsonPath<'_>) -> Option<Vec<Member<'a>>> {
        self.reader.members(JsonValue { text: item.text, at: item.at, place }, "an object")
    }

    fn span(&self, item: JsonItem<'_>) -> Span {
        Span::new(self.reader.file, item.at, item.at + item.text.len())
    }

    fn spend(&mut self, item: JsonItem<'_>, spent: Result<(), String>) {
        let Err(why) = spent else { return };
        if !self.is_over {
            let span = self.span(item);
            self.reader
                .findings
                .error(|| PendingDiagnostic::new(code::LIMIT, span, format!("the file has {why}")));
        }
        self.is_over = true;
    }

    /// An object as an element: scalars are attributes, known lists and objects children, the rest is left
    /// out.
    fn object<'a>(
        &mut self,
        name: Cow<'a, str>,
        item: JsonItem<'a>,
        members: Vec<Member<'a>>,
        place: &JsonPath<'_>,
    ) -> Element<'a> {
        let spent = self.budget.element();
        self.spend(item, spent);
        let head = JsonItem { text: &item.text[..item.text.len().min(1)], at: item.at };
        let mut element = Element::new(name, self.span(head));
        element.end = (item.at + item.text.len()) as u32;
        for member in members {
            if self.is_over {
                break;
            }
            self.member(&mut element, member, place);
        }
        element
    }

    fn member<'a>(&mut self, element: &mut Element<'a>, member: Member<'a>, place: &JsonPath<'_>) {
        let own = JsonPath::Key(place, &member.key);
        let Member { key, value, .. } = &member;
        match (value.text.as_bytes().first(), key.as_ref()) {
            (_, "data") => self.data(element, *value),
            (Some(b'['), "chunks") => self.chunks(element, *value, &own),
            (
                Some(b'['),
                "layers" | "objects" | "tilesets" | "tiles" | "propertyTypes" | "members" | "values",
            ) => {
                self.children(element, key, *value, &own);
            }
            (Some(b'['), "polygon" | "polyline") => self.corners(element, key.clone(), *value, &own),
            (Some(b'['), "properties") => {
                let mut list = Element::new(Cow::Borrowed("properties"), self.span(*value));
                list.end = (value.at + value.text.len()) as u32;
                self.children(&mut list, "property", *value, &own);
                element.children.push(list);
            }
            // Properties as Tiled exported them before 1.2, and the value of a class.
            (Some(b'{'), "properties" | "value") => self.bag(element, *value, &own),
            (Some(b'{'), "object" | "objectgroup" | "tileset" | "text") => {
                if let Some(members) = self.members(*value, &own) {
                    let mut child = self.object(key.clone(), *value, members, &own);
                    child.step = (key.clone(), None);
                    element.children.push(child);
                }
            }
            (Some(b't'), "ellipse" | "point" | "capsule") => {
                element.children.push(Element::new(key.clone(), self.span(*value)));
            }
            (Some(b'{' | b'['), _) => {}
            _ => self.scalar(element, member),
        }
    }

    fn scalar<'a>(&mut self, element: &mut Element<'a>, member: Member<'a>) {
        let spent = self.budget.attribute(element.attributes.len() + 1);
        self.spend(member.value, spent);
        let span = self.span(member.value);
        element.attributes.push(Attribute { name: member.key, value: unquoted(member.value.text), span });
    }

    /// A list of objects, each a child.
    fn children<'a>(
        &mut self,
        element: &mut Element<'a>,
        key: &str,
        item: JsonItem<'a>,
        place: &JsonPath<'_>,
    ) {
        let node = JsonValue { text: item.text, at: item.at, place };
        let Some((count, items)) = self.reader.items(node, "a list", LIST_MAX) else { return };
        if count > LIST_MAX {
            self.spend(item, Err(format!("{count} values in a list, the limit is {LIST_MAX}")));
        }
        for (index, item) in items.into_iter().enumerate() {
            let own = JsonPath::Index(place, index);
            if self.is_over {
                return;
            }
            if !item.text.starts_with('{') {
                continue; // Values of an enum; nothing of them is needed.
            }
            let Some(members) = self.members(item, &own) else { continue };
            let kind =
                members.iter().find(|member| member.key == "type").map(|member| unquoted(member.value.text));
            let name = name_of(key, kind.as_deref());
            let mut child = self.object(Cow::Borrowed(name), item, members, &own);
            child.step =
                (Cow::Owned(if key == "property" { "" } else { key }.to_owned()), Some(index as u32));
            if key == "property" {
                child.step = (Cow::Owned(index.to_string()), None);
            }
            element.children.push(child);
        }
    }

    /// Cells: a list of numbers, or text in base64.
    fn data<'a>(&mut self, element: &mut Element<'a>, item: JsonItem<'a>) {
        let mut data = Element::new(Cow::Borrowed("data"), self.span(item));
        let (from, to) = if item.text.len() >= 2 { (1, item.text.len() - 1) } else { (0, 0) };
        data.text_at = (item.at + from) as u32;
        if item.text.starts_with('[') {
            data.text = Cow::Borrowed(&item.text[from..to]);
        } else {
            data.text = unquoted(item.text);
        }
        element.children.push(data);
    }

    fn chunks<'a>(&mut self, element: &mut Element<'a>, item: JsonItem<'a>, place: &JsonPath<'_>) {
        let mut data = Element::new(Cow::Borrowed("data"), self.span(item));
        data.step = (Cow::Borrowed("chunks"), None);
        data.end = (item.at + item.text.len()) as u32;
        self.children(&mut data, "chunk", item, place);
        for chunk in &mut data.children {
            // In TMX the cells are the text of the chunk itself.
            if let Some(cells) = chunk.children.iter_mut().find(|child| child.name == "data") {
                chunk.text = std::mem::take(&mut cells.text);
                chunk.text_at = cells.text_at;
            }
            chunk.step.0 = Cow::Borrowed("");
            let index = chunk.step.1.take().unwrap_or(0);
            chunk.step.0 = Cow::Owned(index.to_string());
        }
        element.children.push(data);
    }

    /// Corners as TMX writes them: `0,0 16,0 16,16`.
    fn corners<'a>(
        &mut self,
        element: &mut Element<'a>,
        key: Cow<'a, str>,
        item: JsonItem<'a>,
        place: &JsonPath<'_>,
    ) {
        let mut list = Element::new(key, self.span(item));
        list.end = (item.at + item.text.len()) as u32;
        self.children(&mut list, "corner", item, place);
        let points: Vec<String> = list
            .children
            .drain(..)
            .map(|corner| format!("{},{}", corner.value("x"), corner.value("y")))
            .collect();
        let value = Cow::Owned(points.join(" "));
        list.attributes.push(Attribute { name: Cow::Borrowed("points"), value, span: self.span(item) });
        element.children.push(list);
    }

    /// An object of values without types: each a property whose type is that of its JSON.
    fn bag<'a>(&mut self, element: &mut Element<'a>, item: JsonItem<'a>, place: &JsonPath<'_>) {
        let Some(members) = self.members(item, place) else { return };
        let mut list = Element::new(Cow::Borrowed("properties"), self.span(item));
        list.end = (item.at + item.text.len()) as u32;
        for member in members {
            if self.is_over {
                break;
            }
            let spent = self.budget.element();
            self.spend(member.value, spent);
            let span = self.span(member.value);
            let mut property = Element::new(Cow::Borrowed("property"), span);
            property.step = (member.key.clone(), None);
            let first = member.value.text.as_bytes().first();
            let kind = match first {
                Some(b'{') => "class",
                Some(b't' | b'f') => "bool",
                Some(b'-' | b'0'..=b'9') => "float",
                _ => "string",
            };
            let mut attribute = |name: &'static str, value: Cow<'a, str>| {
                property.attributes.push(Attribute { name: Cow::Borrowed(name), value, span });
            };
            attribute("name", member.key.clone());
            attribute("type", Cow::Borrowed(kind));
            if kind == "class" {
                let own = JsonPath::Key(place, &member.key);
                self.bag(&mut property, member.value, &own);
            } else {
                attribute("value", unquoted(member.value.text));
            }
            list.children.push(property);
        }
        element.children.push(list);
    }
}

/// What TMX calls the values of a list.
fn name_of(key: &str, kind: Option<&str>) -> &'static str {
    match (key, kind) {
        ("layers", Some("tilelayer" | "Layer")) => "layer",
        ("layers", Some("objectgroup" | "ObjectGroup")) => "objectgroup",
        ("layers", Some("imagelayer")) => "imagelayer",
        ("layers", Some("group")) => "group",
        ("layers", _) => "unknown layer",
        ("objects", _) => "object",
        ("tilesets", _) => "tileset",
        ("tiles", _) => "tile",
        ("chunk", _) => "chunk",
        ("property", _) => "property",
        ("propertyTypes", _) => "propertytype",
        ("members", _) => "property",
        _ => "corner",
    }
}

/// A scalar as text: a string without its quotes and escapes, anything else as it stands.
fn unquoted(text: &str) -> Cow<'_, str> {
    if !text.starts_with('"') {
        return Cow::Borrowed(if text == "null" { "" } else { text });
    }
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(text).map_or(Cow::Borrowed(inner), Cow::Owned)
}
