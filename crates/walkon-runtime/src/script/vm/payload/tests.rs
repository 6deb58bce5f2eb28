use super::*;

fn read_lua(lua: &Lua, source: &str) -> Result<Plain, String> {
    let value: Value = lua.load(source).eval().unwrap();
    read(lua, &Argument::new("event.emit", "payload", value), 256).map_err(|mistake| mistake.to_string())
}

#[test]
fn plain_data_goes_in_and_comes_out_the_same() {
    let lua = Lua::new();
    let source = "{ name = 'gate', list = { 1, 2, { x = true } }, [0] = -1.5, at = vector.create(1, 2, 3), [7] = 'b' }";
    let plain = read_lua(&lua, source).unwrap();
    let again = read(&lua, &Argument::new("f", "p", write(&lua, &plain).unwrap()), 256).unwrap();
    assert_eq!(plain, again);
    let Plain::Map(entries) = &plain else { panic!("a map") };
    assert_eq!(entries[&PlainKey::Index(0)], Plain::Number(-1.5));
    assert!(matches!(&entries[&PlainKey::Name("list".into())], Plain::List(list) if list.len() == 3));
}

#[test]
fn what_is_not_plain_is_named_by_its_path() {
    let lua = Lua::new();
    for (source, what) in [
        ("{ fn = print }", "payload.fn is a function, expected plain data"),
        ("{ a = { b = { 1, 0/0 } } }", "payload.a.b[2] is NaN, expected plain data"),
        (
            "{ ['odd key'] = coroutine.create(print) }",
            "payload[\"odd key\"] is a thread, expected plain data",
        ),
        ("print", "payload is a function, expected plain data"),
        ("{ x = '\\xff' }", "payload.x is a string that is not UTF-8, expected plain data"),
        ("{ x = setmetatable({}, {}) }", "payload.x is a table with a metatable, expected plain data"),
        (
            "(function() local t = {} t.me = { t } return t end)()",
            "payload.me[1] is a recursive table, expected plain data",
        ),
        (
            "{ [{}] = 1 }",
            "payload[a table] is kept under a table, a key that is neither a name nor a whole number, expected plain data",
        ),
    ] {
        assert_eq!(read_lua(&lua, source), Err(format!("event.emit: {what}")), "{source}");
    }
}

#[test]
fn fault_b9_size_and_depth_are_bounded() {
    let lua = Lua::new();
    let nested = |depth: usize| format!("{}1{}", "{".repeat(depth), "}".repeat(depth));
    assert!(read_lua(&lua, &nested(32)).is_ok());
    assert!(
        read_lua(&lua, &nested(33)).unwrap_err().ends_with("is deeper than 32 tables, expected plain data")
    );
    let large = "event.emit: payload is larger than 256 KiB, the most allowed";
    assert_eq!(read_lua(&lua, "string.rep('x', 300000)"), Err(large.to_owned()));
    assert_eq!(read_lua(&lua, "table.create(20000, 1)"), Err(large.to_owned()));
    let doubled = "(function() local t = {1} for i = 1, 30 do t = {t, t} end return t end)()";
    assert_eq!(read_lua(&lua, doubled), Err(large.to_owned()), "shared parts are copied each time");
}
