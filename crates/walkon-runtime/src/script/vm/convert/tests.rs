use super::*;

fn named(value: Value) -> Argument {
    Argument::new("walkTo", "x", value)
}

fn text(lua: &Lua, text: &str) -> Value {
    Value::String(lua.create_string(text).unwrap())
}

fn message<T: std::fmt::Debug>(outcome: Result<T, UsageError>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn numbers_are_finite_and_texts_are_not_numbers() {
    let lua = Lua::new();
    assert_eq!(named(Value::Number(1.5)).number("metres"), Ok(1.5));
    assert_eq!(named(Value::Integer(2)).number("metres"), Ok(2.0));
    for (value, shown) in [
        (Value::Number(f64::NAN), "NaN"),
        (Value::Number(f64::NEG_INFINITY), "-infinity"),
        (text(&lua, "12"), "\"12\""),
        (Value::Nil, "nil"),
        (Value::Boolean(true), "true"),
        (Value::Table(lua.create_table().unwrap()), "a table"),
        (Value::Vector(mlua::Vector::new(1.0, 2.0, 3.5)), "vector(1, 2, 3.5)"),
    ] {
        let expected = format!("walkTo: x is {shown}, expected a finite number of metres");
        assert_eq!(message(named(value).number("metres")), expected);
    }
}

#[test]
fn ranges_are_named() {
    let factor =
        |value| Argument::new("nav.setAreaCost", "factor", Value::Number(value)).number_in(0.1..=100.0, "");
    assert_eq!(factor(0.5), Ok(0.5));
    assert_eq!(message(factor(0.0)), "nav.setAreaCost: factor is 0, expected 0.1 to 100");
    assert_eq!(message(factor(1e300)), "nav.setAreaCost: factor is 1e300, expected 0.1 to 100");
    assert_eq!(named(Value::Number(3.0)).integer_in(1..=3), Ok(3));
    let fraction = named(Value::Number(2.5)).integer_in(1..=3);
    assert_eq!(message(fraction), "walkTo: x is 2.5, expected a whole number from 1 to 3");
    assert!(named(Value::Number(f64::NAN)).integer_in(1..=3).is_err());
    assert!(named(Value::Number(1e30)).integer_in(1..=3).is_err());
}

#[test]
fn options_are_checked_by_name() {
    let lua = Lua::new();
    let read = |source: &str| {
        let value: Value = lua.load(source).eval().unwrap();
        Argument::new("walkTo", "options", value).options(&["onArrived", "onFailed", "doors"])
    };
    assert_eq!(
        message(read("{ onArive = print }")),
        "walkTo: unknown option \"onArive\"; did you mean \"onArrived\"?"
    );
    assert_eq!(
        message(read("{ zzzzzz = 1 }")),
        "walkTo: unknown option \"zzzzzz\"; known options are onArrived, onFailed, doors"
    );
    assert_eq!(message(read("{ [{}] = 1 }")), "walkTo: unknown option a table, expected names");
    assert_eq!(message(read("7")), "walkTo: options is 7, expected a table of options");
    assert!(read("nil").unwrap().find("doors").is_none());
    let doors = read("{ doors = 'opne' }").unwrap().get("doors").one_of(&["avoid", "open", "wait"]);
    assert_eq!(message(doors), "walkTo: doors is \"opne\", expected \"avoid\", \"open\" or \"wait\"");
    assert_eq!(read("{ doors = 'wait' }").unwrap().get("doors").one_of(&["avoid", "wait"]), Ok("wait"));
}

#[test]
fn fault_b11_names_are_short_and_printable() {
    let lua = Lua::new();
    let name = |bytes: &[u8]| named(Value::String(lua.create_string(bytes).unwrap())).new_name();
    assert_eq!(name("tür".as_bytes()).as_deref(), Ok("tür"));
    assert!(name(b"").is_err() && name(b"a\0b").is_err() && name(&[0xff, 0xfe]).is_err());
    assert!(name(&[b'x'; 128]).is_ok() && name(&[b'x'; 129]).is_err());
    let long = message(name(&vec![b'x'; 10_000_000]));
    assert!(long.len() < 200, "{long}");
    assert!(message(name(b"a\nb")).contains("\"a\\nb\""));
}

#[test]
fn mistakes_are_raised_at_the_line_of_the_caller() {
    let lua = Lua::new();
    let walk =
        function(&lua, "walkTo", |_, args| args.take("goal").text("a mark's name").map(|_| ())).unwrap();
    lua.globals().set("walkTo", walk).unwrap();
    let error = lua.load("\n\nwalkTo(nil)").set_name("=guard.lua").exec().unwrap_err().to_string();
    assert!(error.contains("guard.lua:3: walkTo: goal is nil, expected a mark's name"), "{error}");
}

#[test]
fn a_look_for_the_nearest_of_many_names_costs_by_how_many_there_are() {
    let price = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("name{at}")).collect();
        UsageError::unknown("world.mark", "mark", "nam", names.iter().map(String::as_str)).price
    };
    assert_eq!([price(0), price(64)], [512, 512]);
    assert_eq!(price(1024), 512 + 8 * 960);
}
