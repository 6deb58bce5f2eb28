use super::*;

fn counted(limit: u64, text: &str) -> (Option<Trip>, u64, bool) {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    let function = lua.load(text).into_function().unwrap();
    let running = fuel.enter(limit);
    let ok = function.call::<()>(()).is_ok();
    drop(running);
    (fuel.trip(), fuel.spent(), ok)
}

#[test]
fn a_loop_passes_exactly_its_safepoints() {
    let spent = |turns: u32| counted(1_000_000, &format!("for i = 1, {turns} do end")).1;
    assert_eq!(spent(5000) - spent(1000), 4000, "one safepoint a turn");
}

#[test]
fn the_last_safepoint_is_passed_and_the_next_one_trips() {
    let text = "for i = 1, 5000 do end";
    let needed = counted(1_000_000, text).1;
    assert_eq!(counted(needed, text), (None, needed, true));
    assert_eq!(counted(needed - 1, text), (Some(Trip::Fuel), needed - 1, false));
}

#[test]
fn nothing_is_counted_outside_a_call() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    lua.load("for i = 1, 5000 do end").exec().unwrap();
    assert_eq!(fuel.spent(), 0);
}

#[test]
fn charging_more_than_is_left_ends_the_call() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    let running = fuel.enter(100);
    fuel.charge(60).unwrap();
    assert!(fuel.charge(60).is_err());
    assert!(lua.load("return 1").exec().is_err(), "every later safepoint raises");
    drop(running);
    assert_eq!(fuel.trip(), Some(Trip::Fuel));
    drop(fuel.enter(100));
    assert_eq!(fuel.trip(), None, "the next call begins again");
}

#[test]
fn large_allocations_count_four_safepoints_for_each_kib() {
    let text = |bytes: u32| format!("local s = string.rep('x', {bytes})");
    let difference = counted(1_000_000, &text(1 << 20)).1 - counted(1_000_000, &text(500)).1;
    assert!((4096..4200).contains(&difference), "{difference}");
}

#[test]
fn the_flags_of_the_shell_end_a_call() {
    for late in [false, true] {
        let lua = Lua::new();
        let signals = Arc::new(Signals::default());
        let fuel = Fuel::install(&lua, Arc::clone(&signals));
        let (flags, running) = (Arc::clone(&signals), fuel.enter(u64::MAX / 2));
        assert_eq!(signals.calls.load(Ordering::Relaxed) % 2, 1);
        let raise = lua.create_function(move |_, ()| {
            if late {
                flags.end_call()
            } else {
                flags.stop()
            }
            Ok(())
        });
        let spin: mlua::Function =
            lua.load("return function(raise) raise() while true do end end").eval().unwrap();
        assert!(spin.call::<()>(raise.unwrap()).is_err());
        drop(running);
        assert_eq!(fuel.trip(), Some(if late { Trip::Watchdog } else { Trip::Stopped }));
        assert_eq!(signals.calls.load(Ordering::Relaxed) % 2, 0);
    }
}

/// Law: what was asked before the last calls of a level ends none of them, only [`Signals::stop`] does; once
/// they are over everything is as it was asked to be.
#[test]
fn the_last_calls_of_a_level_run_although_its_run_was_ended() {
    let lua = Lua::new();
    let signals = Arc::new(Signals::default());
    let fuel = Fuel::install(&lua, Arc::clone(&signals));
    let runs = || {
        let running = fuel.enter(1_000_000);
        let result = lua.load("for i = 1, 10000 do end").exec();
        drop(running);
        result.is_ok()
    };
    let asks: [&dyn Fn(); 3] = [&|| {}, &|| signals.end_run(), &|| signals.stop()];
    for (before, ask) in asks.iter().enumerate() {
        for (meanwhile, ask_again) in asks.iter().enumerate() {
            ask();
            assert_eq!(runs(), before == 0);
            signals.begin_last_calls();
            assert!(runs(), "{before}");
            ask_again();
            assert_eq!(runs(), meanwhile < 2, "{before}, {meanwhile}");
            signals.end_last_calls();
            let is_over = before > 0 || meanwhile == 2;
            assert_eq!((runs(), signals.is_stopped()), (!is_over, is_over), "{before}, {meanwhile}");
            signals.take_back_stop();
        }
    }
}

#[test]
fn two_machines_in_one_thread_count_apart() {
    let (one, other) = (Lua::new(), Lua::new());
    let (fuel_one, fuel_other) = (Fuel::install(&one, Arc::default()), Fuel::install(&other, Arc::default()));
    let outer = fuel_one.enter(10_000);
    let inner = fuel_other.enter(100);
    assert!(other.load("while true do end").exec().is_err());
    drop(inner);
    one.load("for i = 1, 5000 do end").exec().unwrap();
    drop(outer);
    assert_eq!((fuel_one.trip(), fuel_other.trip()), (None, Some(Trip::Fuel)));
}

#[test]
fn garbage_is_collected_at_safepoints() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    lua.set_memory_limit(64 << 20).unwrap();
    fuel.set_memory_cap(64 << 20);
    let running = fuel.enter(u64::MAX / 2);
    lua.load("for i = 1, 20000 do local t = table.create(1000, i) end").exec().unwrap();
    drop(running);
    assert!(lua.used_memory() < 40 << 20, "320 MB of garbage went through 64 MiB");
}

#[test]
fn a_flag_of_the_shell_is_seen_at_the_next_safepoint() {
    let lua = Lua::new();
    let signals = Arc::new(Signals::default());
    let fuel = Fuel::install(&lua, Arc::clone(&signals));
    let running = fuel.enter(1_000_000);
    let flags = Arc::clone(&signals);
    let raise = lua.create_function(move |_, ()| {
        flags.end_call();
        Ok(())
    });
    let turns: mlua::Function = lua
        .load("local turns = 0 return function(raise) if raise then raise() for i = 1, 9 do turns += 1 end end return turns end")
        .eval()
        .unwrap();
    assert!(turns.call::<u32>(raise.unwrap()).is_err());
    drop(running);
    assert_eq!(turns.call::<u32>(()).unwrap(), 1, "the turn in which it was raised, and no more");
}

#[test]
fn a_text_that_is_too_long_ends_the_call() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    fuel.set_text_max(1 << 20);
    let made = |text: &str| {
        let running = fuel.enter(1_000_000);
        let ok = lua.load(text).exec().is_ok();
        drop(running);
        (ok, fuel.trip())
    };
    assert_eq!(made("local s = string.rep('x', 1048575) .. 'y'"), (true, None));
    assert_eq!(
        made(
            "local s = string.rep('x', 1048575) .. 'yz123456789012345678901234567890123456789012345678901234567890'"
        ),
        (false, Some(Trip::Size))
    );
}

/// Loops whose allocations come and go: freed memory must not show in the fuel.
const LOOPS: [&str; 8] = [
    "local s = 'k' .. n",
    "local s = string.rep('a', 5000)",
    "local s = string.rep('ab', 3000) .. n % 7",
    "local t = {} for i = 1, 9 do t[i] = { n } end",
    "weak[{}] = n",
    "local t = table.create(600, n)",
    "keys['k' .. n] = {} keys['k' .. n - 50] = nil",
    "local f = coroutine.wrap(function() coroutine.yield(n) end) f()",
];

#[test]
fn a_loop_ends_at_the_same_turn_whatever_was_before() {
    for body in LOOPS {
        let text = format!(
            "local weak, keys = setmetatable({{}}, {{ __mode = 'k' }}), {{}}
            return function(count) local n = 0 while true do n += 1 count(n) {body} end end"
        );
        let turns = |history: u32| {
            let lua = Lua::new();
            lua.set_memory_limit(64 << 20).unwrap();
            let fuel = Fuel::install(&lua, Arc::default());
            fuel.set_memory_cap(64 << 20);
            let last = Rc::new(Cell::new(0u32));
            let seen = Rc::clone(&last);
            let count = lua.create_function(move |_, n: u32| {
                if n % 1000 < history {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                }
                seen.set(n);
                Ok(())
            });
            let spin: mlua::Function = lua.load(&text).eval().unwrap();
            let running = fuel.enter(60_000);
            assert!(spin.call::<()>(count.unwrap()).is_err());
            drop(running);
            (last.get(), fuel.trip())
        };
        assert_eq!(turns(0), turns(30), "{body}");
    }
}

#[test]
fn texts_of_this_luau_can_be_looked_at() {
    assert!(Fuel::install(&Lua::new(), Arc::default()).0.fresh.is_known());
}

#[test]
fn loops_over_tables_of_this_luau_can_be_seen() {
    assert!(Fuel::install(&Lua::new(), Arc::default()).0.fresh.widths.get().is_some());
}

/// Entries of a table lie at one place until it has to make room for more.
#[test]
fn the_entries_of_a_table_are_found_where_they_lie() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    let table = lua.create_table().unwrap();
    let empty = fuel.names_of(&table).unwrap();
    (0..5).for_each(|number| table.raw_set(format!("name{number}"), number).unwrap());
    let entries = fuel.names_of(&table).unwrap();
    assert_eq!(entries.bytes, 8 * 32);
    assert_ne!(entries.address, empty.address);
    table.raw_set("name0", 7).unwrap();
    assert_eq!(fuel.names_of(&table).unwrap().address, entries.address);
    (5..9).for_each(|number| table.raw_set(format!("name{number}"), number).unwrap());
    assert_ne!(fuel.names_of(&table).unwrap().address, entries.address);
}

#[test]
fn a_loop_over_a_wide_table_is_paid_for_once_however_it_ends() {
    let wide = "local wide = table.create(40960) wide[1] = 1";
    let spent = |body: &str| counted(10_000_000, &format!("{wide} for i = 1, 1000 do {body} end")).1;
    let plain = spent("");
    let paid = |body: &str| (spent(body) - plain) / 1000;
    let cases = [
        ("for k in wide do end", 160..=164),
        ("for k in wide do break end", 160..=164),
        ("local k = next(wide)", 106..=109),
        ("local k = next(wide, 1)", 106..=109),
        ("local k = pairs(wide)(wide)", 106..=111),
    ];
    for (body, units) in cases {
        assert!(units.contains(&paid(body)), "{body}: {}", paid(body));
    }
    assert_eq!(paid("local it = wide[1]"), 0);
    // Many values beyond the registers of a function.
    assert!(paid("select('#', table.unpack(wide, 1, 300))") < 20);
}

#[test]
fn tables_of_ordinary_growth_are_paid_for_by_the_safepoints_that_fill_them() {
    let spent = |body: &str| counted(10_000_000, &format!("local t = {{}} for i = 1, 50000 do {body} end"));
    let plain = spent("");
    for body in ["t[i] = i", "t[i + 0.5] = i", "t[i] = { x = 1, y = 2, z = 3 }"] {
        assert_eq!(spent(body), plain, "{body}");
    }
    let anew = "for i = 1, 1000 do t['k' .. i] = 1 end
        for i = 1, 2000 do t[1] = 1 t[1] = nil t[2] = 1 t[2] = nil end";
    let made = 2000 * 2 * 1024 * 32;
    let paid = counted(10_000_000, &format!("local t = {{}} {anew}")).1 * super::ROOM_PER_SAFEPOINT;
    assert!(paid + super::ROOM_MAX + 3000 * super::ROOM_PER_SAFEPOINT >= made, "{paid} of {made}");
}

#[test]
fn texts_that_make_instructions_dear_make_safepoints_dear() {
    let turns = |texts: &str| {
        let spent = |turns: u32| counted(10_000_000, &format!("{texts} for i = 1, {turns} do end")).1;
        (spent(5000) - spent(1000)) / 4000
    };
    assert_eq!(turns("local s = 'x'"), 1);
    assert_eq!(turns("local s = string.rep('1', 640)"), 12);
    assert_eq!(turns("local s = string.rep('1', 4000)"), 64);
    assert_eq!(turns("local s = string.rep('1', 20) local t = s .. 'x'"), 1);
    assert_eq!(turns("local x = string.rep('x', 160000) local s, t = x .. 'a', x .. 'b'"), 20);
    assert_eq!(turns("for i = 1, 9 do local x = string.rep('x', 160000) end"), 1, "one text, made again");
}

#[test]
fn short_texts_of_many_digits_are_found_before_long() {
    let text = "local s = string.rep('1', 90) for i = 1, 2000 do end local before = 0 for i = 1, 1000 do end";
    assert!(counted(1_000_000, text).1 >= 3000 + 1000);
}

#[test]
fn a_text_of_too_many_digits_ends_the_call() {
    for text in [
        "string.rep('1', 5000)",
        "string.rep(' ', 20000)",
        "'-' .. string.rep('1', 5000)",
        "'0x' .. string.rep('f', 5000)",
    ] {
        let ended = counted(1_000_000, &format!("local s = {text} while true do end"));
        assert_eq!(ended.0, Some(Trip::Digits), "{text}");
    }
    assert_eq!(counted(100_000, "local s = 'x' .. string.rep('1', 4000) .. string.rep('1', 90)").0, None);
}

/// Goal: a text that was refused never stands where a number may, however it is made, and whether the script
/// has kept it before it was stopped. Method: calls one after another in one VM, without a collection
/// between.
#[test]
fn a_text_of_too_many_digits_is_refused_each_time_it_is_made_and_is_no_number_where_it_was_kept() {
    for text in [
        "string.rep('1', 500000)",
        "'1' .. string.rep('1', 5000)",
        "table.concat(ones)",
        "string.format('%s%s', string.rep('1', 4000), string.rep('1', 4000))",
        "string.sub('x' .. string.rep('1', 5000), 2)",
        "string.rep(' ', 20000) .. '1'",
    ] {
        let lua = Lua::new();
        let fuel = Fuel::install(&lua, Arc::default());
        let run = |text: &str| {
            let function = lua.load(text).into_function().unwrap();
            let running = fuel.enter(1_000_000);
            let ok = function.call::<()>(()).is_ok();
            drop(running);
            (fuel.trip(), ok)
        };
        assert_eq!(run("ones = table.create(5000, '1') kept = {}"), (None, true));
        for time in 1..=3 {
            let made = run(&format!("kept.it = {text} while true do end"));
            assert_eq!(made, (Some(Trip::Digits), false), "{text}, time {time}");
            let used = run(
                "if kept.it and (tonumber(kept.it) or pcall(function() return kept.it + 1 end)) then error() end",
            );
            assert_eq!(used, (None, true), "{text}, time {time}");
        }
    }
}
