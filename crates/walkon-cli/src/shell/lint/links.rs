//! The names in a script: of things of levels, of other scripts, of levels; and the names that it gives.
//!
//! In: a script that is being looked at. Out: its links, each with its place. Holds: the types of the table
//! say which texts are names, and of which kind of thing. Not here: whether the names lead anywhere
//! (`names`).

use std::collections::BTreeSet;

use walkon_runtime::base::ordered::CollectOrdered;

use super::infer::{Reading, bare};
use super::role::ScriptRole;
use super::rules::options;
use super::tree::{Assigned, BODY, ExprId, ExprKind, LocalId, TextPlace, ValueUse};
use super::value::InferredValue;
use crate::script::types::luau_type::Type;

/// Functions that give a name to something: what messages call the name, and its kind.
const MAKERS: [(&str, &str); 3] = [
    ("world.spawn: name", "CharacterName"),
    ("nav.addMark: name", "MarkName"),
    ("cinematic.define: name", "CinematicName"),
];

/// A name in quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QuotedName {
    /// `DoorName`, or `Module` for what is required, `Tree` for a file with a tree.
    pub kind: &'static str,
    pub name: String,
    pub place: TextPlace,
    /// What names it: `world.door`.
    pub called: String,
    /// Whether it is named while the file loads.
    pub is_loading: bool,
}

/// A name that a script gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    Whole(String),
    /// It begins like that.
    Prefix(String),
    Any,
}

impl Made {
    pub fn is(&self, name: &str) -> bool {
        match self {
            Self::Whole(own) => own == name,
            Self::Prefix(prefix) => name.starts_with(prefix.as_str()),
            Self::Any => true,
        }
    }
}

/// What a script names, and what it gives names to.
#[derive(Clone, Debug, Default)]
pub(super) struct ScriptNames {
    pub links: Vec<QuotedName>,
    pub made: BTreeSet<(&'static str, Made)>,
    /// Kinds of names that the script puts together as it runs: `"stall" .. number`.
    pub computed: BTreeSet<&'static str>,
    /// Where the player is asked for and used at once, so that there must be one.
    pub players: Vec<TextPlace>,
    /// Events that are told, and events that are heard.
    pub told: Vec<EventName>,
    pub heard: Vec<EventName>,
    /// Whether events are told, or heard, whose names the text does not say.
    pub tells_any: bool,
    pub hears_any: bool,
}

/// The name of an event in a script.
#[derive(Clone, Debug)]
pub(super) struct EventName {
    pub name: String,
    pub place: TextPlace,
    /// What names it: `event.on`.
    pub called: &'static str,
}

/// The kind of the argument of `require`.
pub(super) const MODULE: &str = "Module";
/// The kind of a file that is loaded for its tree.
pub(super) const TREE: &str = "Tree";

pub(super) fn links(reading: &Reading<'_>) -> ScriptNames {
    let mut found = ScriptNames::default();
    options::each(reading, &mut |own, value, called| {
        if let Some((_, kind)) = MAKERS.iter().find(|(maker, _)| *maker == called) {
            found.made.insert((kind, made(reading, value)));
            return;
        }
        let function = called.split(": ").next().unwrap_or(called);
        let mut name = |own: &Type, name: &str, place: TextPlace| {
            let mut kinds = BTreeSet::new();
            reading.api.name_kinds(own, &mut kinds);
            let link = |kind| QuotedName {
                kind,
                name: name.to_owned(),
                place,
                called: function.to_owned(),
                is_loading: false,
            };
            found.links.extend(kinds.into_iter().map(link));
        };
        if let Some(text) = reading.tree.text(value) {
            name(own, text, reading.tree.place(value));
        } else if reading.value(value) == InferredValue::Text {
            reading.api.name_kinds(own, &mut found.computed);
        }
        if let (Type::Map(key, _), Some((table, _))) = (bare(own), reading.tree.table(value)) {
            for (word, _) in reading.tree.names_in(table) {
                name(key, &word.text, word.place);
            }
        }
    });
    events(reading, &mut found);
    found.players = players(reading);
    found.links.extend(reading.tree.ids().filter_map(|id| loaded(reading, id)));
    found
}

/// The file that a call loads: of `require`, and of the function that takes a tree out of another file.
fn loaded(reading: &Reading<'_>, id: ExprId) -> Option<QuotedName> {
    let ExprKind::Call(callee, args) = reading.tree.kind(id) else { return None };
    let is_tree = |id| reading.called(id).is_some_and(|call| call.entry.called == SUBTREE);
    let (kind, called) = match reading.tree.kind(*callee) {
        ExprKind::Global(function) if function == "require" => (MODULE, "require"),
        _ if is_tree(id) => (TREE, SUBTREE),
        _ => return None,
    };
    let first = *args.first()?;
    Some(QuotedName {
        kind,
        name: reading.tree.text(first)?.to_owned(),
        place: reading.tree.place(first),
        called: called.to_owned(),
        is_loading: reading.tree.expr(id).function == BODY,
    })
}

/// The function that takes a tree out of another file.
const SUBTREE: &str = "bt.subtree";

/// Functions whose first argument is the name of an event that a script waits for.
const HEARERS: [&str; 5] = ["event.on", "event.once", "task.waitEvent", "expectEvent", "expectNoEvent"];

/// Functions that tell an event, and which of their arguments is its name.
const TELLERS: [(&str, usize); 3] = [(EMIT, 0), (SEND, 1), ("input", 0)];

/// The functions with which scripts tell scripts.
pub(super) const EMIT: &str = "event.emit";
pub(super) const SEND: &str = "event.send";

/// Names of events: told, and heard.
fn events(reading: &Reading<'_>, found: &mut ScriptNames) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id) else { continue };
        let function = called.entry.called;
        let teller = TELLERS.iter().find(|(teller, _)| *teller == function);
        let is_hearer = HEARERS.contains(&function);
        let index = teller.map_or(0, |(_, index)| *index);
        let Some(given) = called.args.get(index).filter(|_| is_hearer || teller.is_some()) else { continue };
        let (names, any) = match is_hearer {
            true => (&mut found.heard, &mut found.hears_any),
            false => (&mut found.told, &mut found.tells_any),
        };
        match reading.tree.text(*given) {
            Some(name) => names.push(EventName {
                name: name.to_owned(),
                place: reading.tree.place(*given),
                called: function,
            }),
            None => *any = true,
        }
    }
    let ScriptRole::Behaviour(table) = reading.role else { return };
    let Some(on) = reading.tree.entry(table, "on") else { return };
    match reading.tree.table(on) {
        Some((own, _)) => {
            found.heard.extend(reading.tree.names_in(own).iter().map(|(word, _)| EventName {
                name: word.text.clone(),
                place: word.place,
                called: "on",
            }));
        }
        None => found.hears_any = true,
    }
    // `function guard.on.alarm(self)`, written beside the table.
    let is_on = |object: ExprId| {
        matches!(reading.tree.kind(object), ExprKind::Field(whole, field)
            if field.text == "on" && reading.tree.table(*whole).is_some_and(|(own, _)| own == table))
    };
    let beside = reading.tree.field_writes.iter().filter(|write| is_on(write.object));
    found.heard.extend(beside.map(|write| EventName {
        name: write.name.text.clone(),
        place: write.name.place,
        called: "on",
    }));
}

/// Places that use the player without asking whether there is one: as a call of `world.player`, or through a
/// local that is given nothing else. Nil would be a mistake there.
fn players(reading: &Reading<'_>) -> Vec<TextPlace> {
    let tree = reading.tree;
    let is_player = |id: ExprId| {
        matches!(tree.kind(id), ExprKind::Call(..))
            && reading.called(id).is_some_and(|called| called.entry.called == "world.player")
    };
    let used = tree.ids().filter_map(|id| match tree.kind(id) {
        ExprKind::Field(object, _) | ExprKind::Method(object, ..) => Some(*object),
        _ => None,
    });
    let used: BTreeSet<ExprId> = used.chain(tree.field_writes.iter().map(|write| write.object)).collect_set();
    let is_asked = |id: ExprId| match &tree.expr(id).used {
        ValueUse::Other => !used.contains(&id),
        ValueUse::Argument(call) => matches!(tree.kind(*call), ExprKind::Call(callee, _)
            if matches!(tree.kind(*callee), ExprKind::Global(name) if name == "assert")),
        _ => false,
    };
    let mentioned = tree.ids().filter_map(|id| match tree.kind(id) {
        ExprKind::Local(local) => Some((*local, id)),
        _ => None,
    });
    let asked: BTreeSet<LocalId> =
        mentioned.filter(|(_, id)| is_asked(*id)).map(|(local, _)| local).collect_set();
    let is_nobody = |id: ExprId| match tree.kind(id) {
        ExprKind::Local(local) => matches!(tree.local(*local).given.as_slice(), [Assigned::Value(value)]
            if is_player(*value) && !asked.contains(local)),
        _ => is_player(id),
    };
    used.iter().filter(|id| is_nobody(**id)).map(|id| tree.place(*id)).collect()
}

fn made(reading: &Reading<'_>, value: ExprId) -> Made {
    if let Some(name) = reading.tree.text(value) {
        return Made::Whole(name.to_owned());
    }
    match reading.tree.kind(value) {
        ExprKind::Join(left) => match reading.tree.text(*left) {
            Some(prefix) => Made::Prefix(prefix.to_owned()),
            None => Made::Any,
        },
        _ => Made::Any,
    }
}
