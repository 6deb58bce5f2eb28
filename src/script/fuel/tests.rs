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
    assert_eq!(fuel.trip(), None, "the next call begins anew");
}

#[test]
fn large_allocations_count_a_safepoint_for_each_kib() {
    let text = |bytes: u32| format!("local s = string.rep('x', {bytes})");
    let difference = counted(1_000_000, &text(1 << 20)).1 - counted(1_000_000, &text(1000)).1;
    assert!((1024..1100).contains(&difference), "{difference}");
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
                flags.late.store(true, Ordering::Relaxed)
            } else {
                flags.stop.store(true, Ordering::Relaxed)
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
fn half_of_the_memory_in_use_collects_garbage_at_a_safepoint() {
    let lua = Lua::new();
    let fuel = Fuel::install(&lua, Arc::default());
    lua.gc_stop();
    lua.set_memory_limit(64 << 20).unwrap();
    fuel.set_memory_cap(64 << 20);
    let running = fuel.enter(u64::MAX / 2);
    lua.load("for i = 1, 20000 do local t = table.create(1000, i) end").exec().unwrap();
    drop(running);
    assert!(lua.used_memory() < 40 << 20, "320 MB of garbage went through 64 MiB with the collector off");
}
