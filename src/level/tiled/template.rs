//! Templates: objects in files of their own, which objects of a map begin as.
//!
//! In: the elements of a `.tx` or `.tj`. Out: a [`Template`]. Holds: a template that begins as another one
//! takes what it does not say itself from it. Not here: merging with the object of a map (`object`).

use super::files::{Here, Import};
use super::object;
use super::raw::RawObject;
use super::read;
use crate::level::diagnostic::code;

/// The object of a template.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub object: RawObject,
}

/// Reads a template.
pub(super) fn template(import: &mut Import<'_>, here: Here<'_, '_>) -> Option<Template> {
    if here.root.name != "template" {
        let message = format!("the file is a {}, expected a template", here.root.name);
        import.error(here, code::CHOICE, here.root.span, message);
        return None;
    }
    let mut tilesets = Vec::new();
    for element in here.root.all("tileset") {
        tilesets.extend(read::tileset_of_map(import, here, element));
    }
    let Some(element) = here.root.child("object") else {
        import.error(here, code::MISSING_FIELD, here.root.span, "the template has no object");
        return None;
    };
    let object = object::object(import, here, element, &tilesets)?;
    Some(Template { object })
}
