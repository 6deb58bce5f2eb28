use super::*;

/// The longest way that is left after [`compile`]; the shapes below are all far longer before.
fn left(text: &str) -> u32 {
    longest(&compile(text).unwrap()).expect("this version of the bytecode is known")
}

#[test]
fn the_bytecode_of_every_construct_is_read() {
    let text = "
        local a, b = 1.5, vector.create(1, 2, 3)
        local t = { x = 1, 'two', [3] = a, y = nil }
        local u = { x = 1, y = 2 }
        function t.f(self, ...) local n = select('#', ...) return n, ... end
        for i = 1, 3 do t[i] = i ^ 2 .. 'x' end
        for k, v in pairs(t) do if k == 'x' and v ~= nil then continue end end
        local i = if a then 1 elseif b then 2 else 3
        repeat i += 1 until i > 9
        while true do break end
        return function() return `{a}{i}`, t:f(1, 2), u, true, math.max(1, i, 3) end";
    assert!(longest(&compiler::compiler().compile(text).unwrap()).is_some());
    assert!(longest(&compiler::compiler().set_coverage_level(2).compile(text).unwrap()).is_some());
}

#[test]
fn a_script_of_ordinary_shape_stays_as_it_is() {
    let text = "local n = 0 for i = 1, 10 do n += i * 2 if n > 5 then print(n) end end return n";
    assert_eq!(compile(text).unwrap(), compiler::compiler().compile(text).unwrap());
}

#[test]
fn straight_code_has_safepoints() {
    let many = |text: &str| text.repeat(2000);
    let shapes = [
        many("r = a < b "),
        many("if a then f() end r = a + 1 "),
        many("r = s + 1 "),
        format!("local t = {{ {} }}", many("s + 1, ")),
        format!("local t = {{ {} }}", many("{ a, b }, ")),
        format!("r = s{}", " + s".repeat(150)),
        many("local function f() end f = nil ".replace("local ", "").as_str()),
        many("r = math.max(a, b) "),
    ];
    for text in shapes {
        assert!(left(&text) <= 2 * STRIDE_MAX, "{}: {}", &text[..30], left(&text));
    }
}

#[test]
fn instructions_that_read_texts_are_few_between_two_safepoints() {
    let most = |body: &str, work: u32| left(&body.repeat(500)) / work;
    assert!(most("r = s + 1 ", 8) <= 24);
    assert!(most("r = -s ", 8) <= 24);
    assert!(most("r = s // t ", 8) <= 24);
    assert!(most("r = s < t ", COMPARISON) <= 4);
    assert!(most("if s <= t then r = s end ", COMPARISON) <= 4);
}

#[test]
fn a_comparison_with_a_number_is_cheap_unless_another_value_may_stand_there() {
    let longest = |text: &str| longest(&compiler::compiler().compile(text).unwrap()).unwrap();
    assert!(longest("local a = ... if a < 5 then a = nil end") < COMPARISON);
    assert!(longest("local a, b = ... if (b or 5) < a then a = nil end") >= COMPARISON);
    assert!(longest("local a, b = ... if a < b then a = nil end") >= COMPARISON);
}

#[test]
fn marks_change_what_a_script_takes_and_not_what_it_does() {
    let lua = mlua::Lua::new();
    let body = "n = n * 3 % 1000 + #tostring(n) t[#t + 1] = { n, n < 500 and 'low' or 'high' } ".repeat(100);
    let text = format!(
        "local n, t = 7, {{}} for turn = 1, 3 do {body} end
        local out = {{}} for _, p in t do out[#out + 1] = p[1] .. p[2] end return table.concat(out, ' ')"
    );
    let run = |bytecode: Vec<u8>| {
        let chunk = lua.load(bytecode).set_mode(mlua::chunk::ChunkMode::Binary);
        chunk.eval::<String>().unwrap()
    };
    assert_eq!(run(compile(&text).unwrap()), run(compiler::compiler().compile(&text).unwrap()));
    assert_ne!(compile(&text).unwrap(), compiler::compiler().compile(&text).unwrap());
}

/// The safepoints that a text passes, compiled by `compiled`.
fn passed(text: &str, compiled: fn(&str) -> mlua::Result<Vec<u8>>) -> u64 {
    let lua = mlua::Lua::new();
    let fuel = crate::script::vm::fuel::Fuel::install(&lua, std::sync::Arc::default());
    let code = lua.load(compiled(text).unwrap()).set_mode(mlua::chunk::ChunkMode::Binary);
    let code = code.into_function().unwrap();
    let running = fuel.enter(1_000_000);
    code.call::<()>(()).unwrap();
    drop(running);
    fuel.spent()
}

#[test]
fn names_for_a_debugger_pass_as_many_safepoints() {
    let body = "
        local LIMIT, NAME = 5, 'x'
        local t = {}
        local function count(n) local step = 2 return function() return n + step + LIMIT end end
        for i = 1, 30 do
            local far, near = 10, nil
            t[i] = if i > far then count(i)() else #(NAME .. i)
            local more = 3
            while more > 0 and t[i] do more -= 1 end
        end\n";
    for times in [1, 3, 20] {
        let text = body.replace("local t", "local a = 1; local t")
            + &"do local k = 7; local r = k * 2 + LIMIT; r = -r end\n".repeat(times);
        assert_eq!(passed(&text, compile), passed(&text, compile_for_debugger), "{times} times");
        let code = compile_for_debugger(&text).unwrap();
        assert!(code.windows(4).any(|bytes| bytes == b"step"), "the names are there");
    }
}

#[test]
fn a_function_that_is_one_for_all_calls_stays_one() {
    let text = "local all = {} for i = 1, 2 do local k = 7 all[i] = function() return k end end assert(all[1] == all[2])";
    passed(text, compile);
    passed(text, compile_for_debugger);
}

/// How many calls of a text are done in place, with all that came in.
fn calls_in_place(text: &str) -> [usize; 2] {
    let count = |bytecode: Vec<u8>| {
        let functions = Code::of(&bytecode).expect("this version of the bytecode is known").0;
        let calls = functions.into_iter().flat_map(|(offset, words)| {
            let mut at = 0;
            let bytecode = &bytecode;
            std::iter::from_fn(move || {
                let one = (at < words).then(|| instruction(bytecode, offset, at))?;
                at += one.words();
                Some(one.code())
            })
        });
        calls.filter(|code| *code == op::FASTCALL).count()
    };
    [count(compiler::compiler().compile(text).unwrap()), count(compile(text).unwrap())]
}

#[test]
fn functions_of_libraries_are_called_where_all_that_came_in_is_handed_on() {
    for call in ["math.max(...)", "bit32.band(1, ...)", "math.min(2, 3, ...)", "string.byte(...)"] {
        let [plain, ours] = calls_in_place(&format!("local function f(...) return {call} end return f"));
        assert_eq!((plain, ours), (1, 0), "{call}");
    }
    let few =
        "local function f(a, b, ...) return math.max(a, b, 1, 2), math.abs(a), select('#', ...) end return f";
    let [plain, ours] = calls_in_place(few);
    assert!(plain > 0 && plain == ours, "{plain} {ours}");
}
