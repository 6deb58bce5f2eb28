//! Tests of the definitions. Their oracle for syntax is Luau's own compiler where it reads types, and a count
//! of names.

use super::luau_type::{self, Type};
use super::*;
use crate::script::bind::acts;

#[test]
fn every_type_of_the_table_is_understood() {
    let params = bind::entries().into_iter().flat_map(|entry| entry.params.iter());
    let fields = bind::shapes().into_iter().flat_map(|shape| shape.fields.iter());
    for param in params.chain(fields) {
        assert!(luau_type::read(param.luau).is_some(), "{}: {}", param.name, param.luau);
    }
    for entry in bind::entries() {
        for returned in entry.returns.split(", ").filter(|own| !own.is_empty()) {
            assert!(luau_type::read(returned).is_some(), "{}: {returned}", entry.called);
        }
    }
    for alias in bind::ALIASES {
        assert!(luau_type::read(alias.luau).is_some(), "{}", alias.name);
    }
}

#[test]
fn every_word_for_what_a_function_raises_is_explained() {
    let explained = reference::MISTAKES.map(|(word, _)| word);
    for entry in bind::entries() {
        for word in entry.raises.split_whitespace() {
            assert!(explained.contains(&word), "{}: {word}", entry.called);
        }
    }
}

#[test]
fn every_kind_of_fault_is_explained() {
    use crate::script::vm::fault::FaultKind;
    use crate::world::event_name;
    let fault = event_name::HEARD.iter().find(|event| event.name == event_name::SCRIPT_FAULT).unwrap();
    for kind in [FaultKind::Error, FaultKind::Fuel, FaultKind::Memory, FaultKind::Data, FaultKind::Watchdog] {
        assert!(fault.doc.contains(&format!("`{}`", kind.name())), "{kind:?}");
    }
}

#[test]
fn luau_types_become_annotations() {
    let cases = [
        ("number?", "number?"),
        ("{string}", "string[]"),
        ("{[string]: any}?", "table<string, any>?"),
        ("(\"walk\" | \"run\")?", "(\"walk\"|\"run\")?"),
        ("(character: Character) -> boolean", "fun(character: Character): boolean"),
        ("((payload: any) -> ...any) | string", "(fun(payload: any): any)|string"),
        ("{ read name: string?, read at: vector }", "{ name: string?, at: vector }"),
        ("() -> ()", "fun()"),
    ];
    for (luau, expected) in cases {
        assert_eq!(annotated::annotated(luau), expected, "{luau}");
    }
    assert_eq!(luau_type::read("{string"), None);
    assert_eq!(luau_type::read("Place"), Some(Type::Name("Place".to_owned())));
}

#[test]
fn luau_itself_reads_every_type() {
    let lua = mlua::Lua::new();
    let entries = bind::entries().into_iter().flat_map(|entry| entry.params.iter());
    let fields = bind::shapes().into_iter().flat_map(|shape| shape.fields.iter());
    for param in entries.chain(fields) {
        let text = format!("local x: {} = nil :: any", param.luau);
        assert!(lua.load(&text).into_function().is_ok(), "{text}");
    }
}

#[test]
fn statuses_and_reasons_are_those_of_the_table_of_outcomes() {
    use crate::script::bind::results::{PATH_REASON_ALIAS, WALK_REASON_ALIAS, WALK_STATUS_ALIAS};
    use crate::world::outcome::{Reason, Status};
    let words = |luau: &str| {
        match luau_type::read(luau) {
            Some(Type::Union(parts)) => parts.into_iter().filter_map(|part| match part {
                Type::Name(name) => Some(name.trim_matches('"').to_owned()),
                _ => None,
            }),
            other => panic!("{other:?}"),
        }
        .collect::<Vec<_>>()
    };
    assert_eq!(words(WALK_STATUS_ALIAS.luau), Status::ALL.map(|status| status.name().to_owned()));
    assert_eq!(words(WALK_REASON_ALIAS.luau), Reason::ALL.map(|reason| reason.name().to_owned()));
    for word in words(PATH_REASON_ALIAS.luau) {
        assert!(word == "cancelled" || Reason::ALL.iter().any(|reason| reason.name() == word), "{word}");
    }
}

#[test]
fn the_definitions_keep_to_what_both_solvers_take() {
    let text = luau(&ProjectNames::new());
    let (mut owner, mut members) = (String::new(), BTreeSet::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("declare extern type ") {
            (owner, members) = (rest.to_owned(), BTreeSet::new());
        }
        let code = line.trim_start();
        if code.starts_with("--") {
            continue;
        }
        assert!(!code.split([' ', '{']).any(|word| word == "read"), "{line}");
        if line.starts_with('\t') && !owner.is_empty() {
            let name = code.trim_start_matches("function ").split([':', '(']).next().unwrap_or_default();
            assert!(members.insert(name.to_owned()), "{owner} has {name} twice");
        }
        if line == "end" || line.starts_with("declare ") && !line.starts_with("declare extern") {
            owner.clear();
        }
    }
}

#[test]
fn verbs_take_a_place_or_x_and_z_in_one_signature() {
    let text = luau(&ProjectNames::new());
    for line in [
        "function walk(self, goal: Place | number, options: (WalkOptions | number)?, optionsAfterZ: (WalkOptions)?): WalkResult",
        "function face(self, target: Place | number, z: number?): Turn",
    ] {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn both_files_have_every_name() {
    let (luau, annotated) = (luau(&ProjectNames::new()), lua_ls(&ProjectNames::new()));
    for entry in bind::entries() {
        assert!(luau.contains(entry.name()), "{}", entry.called);
        let shown = match entry.kind {
            EntryKind::Field => format!("---@field {} ", entry.name()),
            EntryKind::Method => format!("function {}:{}(", entry.owner, entry.name()),
            EntryKind::Function => format!("function {}(", entry.called),
        };
        assert!(annotated.contains(&shown), "{shown}");
    }
}

#[test]
fn annotations_are_lua_that_compiles() {
    let lua = mlua::Lua::new();
    lua.load(lua_ls(&ProjectNames::new())).into_function().expect("definitions are Lua");
}

#[test]
fn every_entry_is_documented_and_has_an_example() {
    for entry in bind::entries() {
        assert!(
            entry.doc.ends_with('.') || entry.doc.ends_with(')'),
            "{} needs a sentence: {}",
            entry.called,
            entry.doc
        );
        assert!(!entry.example.is_empty(), "{} needs an example", entry.called);
    }
}

#[test]
fn every_row_about_when_calls_act_names_an_entry_once() {
    let mut rows: Vec<(&str, &str)> = acts::ACTS.iter().map(|(owner, name, _)| (*owner, *name)).collect();
    let known = bind::entries();
    for (owner, name) in &rows {
        assert!(known.iter().any(|entry| entry.owner == *owner && entry.name() == *name), "{owner} {name}");
    }
    rows.sort_unstable();
    let count = rows.len();
    rows.dedup();
    assert_eq!(rows.len(), count);
    assert!(known.iter().any(|entry| acts::sentence(entry) == "Acts at once, and in step 6."));
}
