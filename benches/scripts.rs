//! What scripts cost: the fuel counter, calls in both directions, the guarded libraries.
//!
//! Goal: to see the price of the sandbox beside plain mlua. Method: each line is the fastest of nine rounds;
//! a round repeats the work until it takes at least twenty milliseconds. Plain: the same VM library with
//! nothing of ours in it.

use std::time::Instant;

use mlua::{Function, Lua};
use walkon_runtime::script::vm::convert::function;
use walkon_runtime::script::vm::files::ScriptTexts;
use walkon_runtime::script::vm::{ScriptVm, VmSettings, lend};

/// Turns of the loops below.
const TURNS: f64 = 100_000.0;

const LOOPS: &str = r#"
function empty() for i = 1, 100000 do end end
function add() local n = 0 for i = 1, 100000 do n += i * 0.5 end return n end
function whiles() local n = 0 while n < 100000 do n += 1 end end
local function f(x) return x end
function calls() for i = 1, 100000 do f(i) end end
function floor() local n = 0 for i = 1, 100000 do n += math.floor(i * 0.5) end return n end
function sine() local n = 0 for i = 1, 100000 do n += math.sin(i) end return n end
function random() local n = 0 for i = 1, 100000 do n += math.random() end return n end
function formats() for i = 1, 100000 do local s = string.format("%d: %s", i, "x") end end
function inserts() local t = {} for i = 1, 100000 do table.insert(t, i) end end
function fields() local t, n = { x = 1 }, 0 for i = 1, 100000 do n += t.x end return n end
function protected() for i = 1, 100000 do pcall(f, i) end end
function finds() for i = 1, 100000 do string.find("the guard walks", "walks", 1, true) end end
function texts() for i = 1, 100000 do local s = tostring(i) .. "x" end end
function coroutines() for i = 1, 10000 do coroutine.wrap(f)(i) end end
function nothing() end
function host() for i = 1, 100000 do touch() end end
"#;

#[derive(Default)]
struct World {
    touched: u64,
}

/// Nanoseconds of one call of `work`.
fn measure(mut work: impl FnMut()) -> f64 {
    let mut repeats = 1;
    let round = |repeats: u32, work: &mut dyn FnMut()| {
        let begun = Instant::now();
        (0..repeats).for_each(|_| work());
        begun.elapsed().as_nanos() as f64
    };
    while round(repeats, &mut work) < 2e7 {
        repeats *= 2;
    }
    (0..9).map(|_| round(repeats, &mut work) / f64::from(repeats)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let vm = ScriptVm::new(VmSettings::default()).unwrap();
    lend::install::<World>(vm.lua());
    let touch = function(vm.lua(), "touch", |lua, _| {
        lend::with_world::<World, _>(lua, |world| world.touched += 1).map_err(|error| error.mistake("touch"))
    });
    vm.define("touch", touch.unwrap()).unwrap();
    vm.set_texts(ScriptTexts::new([("loops.lua".to_owned(), LOOPS.to_owned())]).unwrap());
    vm.seal().unwrap();
    let ours = vm.load("loops").unwrap().environment;

    let plain = Lua::new();
    plain.globals().set("touch", plain.create_function(|_, ()| Ok(())).unwrap()).unwrap();
    plain.load(LOOPS).exec().unwrap();
    plain.sandbox(true).unwrap();

    println!("{:<12} {:>10} {:>10} {:>7}", "loop", "plain ns", "walkon ns", "ratio");
    let mut world = World::default();
    for name in [
        "empty",
        "add",
        "whiles",
        "calls",
        "fields",
        "floor",
        "sine",
        "random",
        "formats",
        "inserts",
        "texts",
        "finds",
        "protected",
        "coroutines",
    ] {
        let theirs: Function = plain.globals().get(name).unwrap();
        let function: Function = ours.raw_get(name).unwrap();
        let turns = if name == "coroutines" { TURNS / 10.0 } else { TURNS };
        let before = measure(|| theirs.call::<()>(()).unwrap()) / turns;
        let after = measure(|| drop(vm.call(&function, (), u64::MAX / 2).unwrap())) / turns;
        println!("{name:<12} {before:>10.1} {after:>10.1} {:>7.2}", after / before);
    }

    println!();
    let nothing: Function = ours.raw_get("nothing").unwrap();
    let bare: Function = plain.globals().get("nothing").unwrap();
    println!("{:<40} {:>8.0} ns", "host calls Lua, plain mlua", measure(|| bare.call::<()>(()).unwrap()));
    println!(
        "{:<40} {:>8.0} ns",
        "host calls Lua on fuel",
        measure(|| drop(vm.call(&nothing, (), 1000).unwrap()))
    );
    let task = || drop(vm.resume(&vm.task().unwrap(), &nothing, 1000).unwrap());
    println!("{:<40} {:>8.0} ns", "host starts a task that ends", measure(task));
    println!(
        "{:<40} {:>8.0} ns",
        "phase without a call",
        measure(|| lend::phase(vm.lua(), &mut world, |_| ()))
    );
    let host: Function = ours.raw_get("host").unwrap();
    let call =
        measure(|| lend::phase(vm.lua(), &mut world, |_| drop(vm.call(&host, (), u64::MAX / 2).unwrap())));
    println!("{:<40} {:>8.0} ns", "Lua calls the host, which uses the world", call / TURNS);
    let make = measure(|| drop(ScriptVm::new(VmSettings::default()).unwrap().seal()));
    println!("{:<40} {:>8.0} us", "making and sealing a VM", make / 1000.0);
}
