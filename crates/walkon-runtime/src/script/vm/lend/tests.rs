use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

#[derive(Debug, Default, PartialEq)]
struct Shelf(Vec<u32>);

fn machine() -> Lua {
    let lua = Lua::new();
    install::<Shelf>(&lua);
    let put = lua.create_function(|lua, n: u32| {
        with_world::<Shelf, _>(lua, |shelf| shelf.0.push(n)).map_err(|error| error.mistake("put").raise(lua))
    });
    lua.globals().set("put", put.unwrap()).unwrap();
    lua
}

#[test]
fn what_a_phase_does_stays_done() {
    let (lua, mut shelf) = (machine(), Shelf(vec![1]));
    let result = phase(&lua, &mut shelf, |lua| lua.load("put(2) put(3) error('late')").exec());
    assert!(result.is_err());
    assert_eq!(shelf, Shelf(vec![1, 2, 3]));
    phase(&lua, &mut shelf, |lua| lua.load("put(4)").exec()).unwrap();
    assert_eq!(shelf, Shelf(vec![1, 2, 3, 4]));
}

#[test]
fn outside_a_phase_there_is_no_world() {
    let lua = machine();
    let error = lua.load("put(1)").set_name("=guard.lua").exec().unwrap_err().to_string();
    let expected = "guard.lua:1: put: there is no world while a file loads; call it from start or onStart";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_panic_brings_the_world_home() {
    let (lua, mut shelf) = (machine(), Shelf(vec![1]));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        phase(&lua, &mut shelf, |lua| {
            with_world::<Shelf, _>(lua, |shelf| {
                shelf.0.push(2);
                panic!("a mistake of ours");
            })
        })
    }));
    assert!(outcome.is_err());
    assert!(take_panicked());
    assert_eq!(shelf, Shelf(vec![1, 2]));
    phase(&lua, &mut shelf, |lua| lua.load("put(3)").exec()).unwrap();
}

#[test]
fn a_binding_inside_a_binding_is_refused() {
    let (lua, mut shelf) = (machine(), Shelf::default());
    let nested = phase(&lua, &mut shelf, |lua| {
        with_world::<Shelf, _>(lua, |_| with_world::<Shelf, _>(lua, |shelf| shelf.0.push(1)))
    });
    assert_eq!(nested, Ok(Err(BindError::Reentrant)));
}

#[test]
fn a_phase_inside_a_phase_is_a_mistake_of_ours() {
    let (lua, mut shelf, mut other) = (machine(), Shelf(vec![1]), Shelf::default());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        phase(&lua, &mut shelf, |lua| phase(lua, &mut other, |_| ()));
    }));
    assert!(outcome.is_err());
    assert_eq!((shelf, other), (Shelf(vec![1]), Shelf::default()));
}
