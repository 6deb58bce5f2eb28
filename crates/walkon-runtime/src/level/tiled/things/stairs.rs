//! Objects that lead to others: stairs between layers, and references that must lead somewhere.
//!
//! In: objects with `targetObject`, `toLayer` or properties of type object. Out: links between layers,
//! findings for names that nothing has. Holds: a link joins two layers, or needs an action. Not here: which
//! ways take stairs (`nav`).

use super::{Putting, Sort, Stairs, StairsTarget, TiledThing, called, sort_of};
use crate::base::geom::Point;
use crate::level::def::{LinkDef, LinkEnd, Position};
use crate::level::diagnostic::{Located, PendingDiagnostic, code};
use crate::level::numbers;
use crate::level::tiled::files::short;
use crate::level::tiled::ground::{LAYER_NAMES, number_of, shown};
use crate::level::tiled::raw::PropertyValue;

impl Putting<'_, '_> {
    /// What a property that names another object leads to must be there.
    pub(super) fn references(&mut self, thing: &TiledThing<'_>) {
        for property in &thing.properties.0 {
            match &property.value {
                PropertyValue::Object(id) if *id != 0 && !self.object_names.contains_key(id) => {
                    let what = format!("has {} {id}, but there is no object {id}", property.name);
                    // Stairs need their other end; other meanings of a property are another program's affair.
                    if sort_of(&thing.object.class) == Sort::Stairs && property.name == "targetObject" {
                        self.error(thing, code::UNRESOLVED, property.span, &what);
                    } else {
                        self.odd(thing, property, &what);
                    }
                }
                PropertyValue::Text(name) if property.name == "targetObject" && !name.is_empty() => {
                    if self.object_by_name.contains_key(name) {
                        continue;
                    }
                    let message = format!(
                        "{} has targetObject \"{}\", which is not an object of this map",
                        called(thing.object),
                        short(name)
                    );
                    let names = self.object_by_name.keys().map(String::as_str);
                    let (span, pointer) = (property.span, thing.object.pointer.as_str());
                    let finding = || {
                        PendingDiagnostic::new(code::UNRESOLVED, span, message)
                            .at(pointer)
                            .suggest(name, names)
                    };
                    match sort_of(&thing.object.class) {
                        Sort::Stairs => self.findings.error(finding),
                        _ => self.findings.warn(finding),
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes where stairs begin and what they lead to.
    pub(super) fn stairs(&mut self, thing: &TiledThing<'_>) {
        let foot = self.foot(thing);
        let Some(point) = self.world(thing, foot) else { return };
        let Some(to) = self.target(thing) else { return };
        let cost = self.number(thing, "cost", &numbers::LINK_COST);
        let both_ways = self.is(thing, "bothWays").unwrap_or(true);
        let action = thing.properties.get("action").and_then(|property| match &property.value {
            PropertyValue::Text(action) if !action.is_empty() => Some(action.to_string()),
            _ => None,
        });
        self.stairs.push(Stairs {
            from: (thing.number, point),
            to,
            both_ways,
            action,
            cost_m: cost.unwrap_or(numbers::LINK_COST.default),
            called: called(thing.object),
            span: thing.object.span,
            pointer: thing.object.pointer.clone(),
        });
    }

    fn target(&mut self, thing: &TiledThing<'_>) -> Option<StairsTarget> {
        if let Some(property) = thing.properties.get("toLayer") {
            let layer =
                number_of(&thing.properties, "toLayer").filter(|layer| *layer < self.ground.layers.len());
            if layer.is_none() {
                let what = format!(
                    "has toLayer {}, expected 0 to {} or a name",
                    shown(&property.value),
                    self.ground.layers.len() - 1
                );
                self.error(thing, code::RANGE, property.span, &what);
            }
            return layer.map(StairsTarget::Layer);
        }
        let target = thing.properties.get("targetObject").and_then(|property| match &property.value {
            PropertyValue::Object(id) => Some(*id),
            PropertyValue::Text(name) => self.object_by_name.get(name).copied(),
            _ => None,
        });
        // A name that nothing has was reported where it stands.
        let is_named = matches!(thing.properties.get("targetObject").map(|one| &one.value),
            Some(PropertyValue::Text(name)) if !name.is_empty());
        if target.is_none() && !is_named {
            let what = "is stairs that lead nowhere, expected targetObject or toLayer";
            self.error(thing, code::MISSING_FIELD, thing.object.span, what);
        }
        target.map(StairsTarget::Object)
    }

    /// Joins stairs to where they lead, once every object was met.
    pub(super) fn end_stairs(&mut self) {
        for stairs in std::mem::take(&mut self.stairs) {
            let to = match stairs.to {
                StairsTarget::Layer(layer) => Some((layer, stairs.from.1)),
                // A reference that leads nowhere was reported where it stands.
                StairsTarget::Object(id) => self.feet.get(&id).copied(),
            };
            let Some(to) = to else { continue };
            if to.0 == stairs.from.0 && stairs.action.is_none() {
                let message =
                    format!("{} leads to its own layer, expected another, or an action", stairs.called);
                let (span, pointer) = (stairs.span, stairs.pointer.as_str());
                self.findings.error(|| PendingDiagnostic::new(code::RANGE, span, message).at(pointer));
                continue;
            }
            let end = |(layer, [x, z]): (usize, Point)| LinkEnd {
                layer: Located::new(LAYER_NAMES[layer].to_owned(), stairs.span),
                position: Located::new(Position { x, y: None, z }, stairs.span),
            };
            let (from, to) = (end(stairs.from), end(to));
            let spot = Located::new((), stairs.span);
            let (both_ways, cost_m) = (stairs.both_ways, stairs.cost_m);
            let action = stairs.action;
            self.things.links.push(LinkDef { from, to, both_ways, cost_m, action, spot });
        }
    }
}
