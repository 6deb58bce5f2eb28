//! Fast paths of the most frequent calls, about a character and the time, around mlua.
//!
//! In: a character and the name of a field, or a method that takes little; how long a task is to wait. Out:
//! the answer of the binding of that name. Holds: the answer, the fuel and the mistakes are those of the
//! binding, which is called whenever anything is out of the ordinary: another argument, a character that is
//! gone, a file that loads, fuel that is spent, code that may not wait. Not here: the bindings (`character`,
//! `wait_requests`).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use mlua::{Function, Lua, Table, ffi};

use crate::script::bind::table::{Binding, EntryKind};
use crate::script::state::clock::CodeClock;
use crate::script::vm::lend::{self, Lent};
use crate::script::vm::{Machine, fuel, machine_of, store};
use crate::world::World;
use crate::world::character::Character;

/// How a field of a living character is read.
type Read = fn(&Character) -> QuickAnswer;

/// Fields that are answered here; the functions of the VM know them by their places.
const FIELDS: [(&str, Read); 5] = [
    ("position", |who| QuickAnswer::Vector(who.body.position.to_array())),
    ("facing", |who| QuickAnswer::Number(f64::from(who.facing_rad))),
    ("id", |who| QuickAnswer::Number(f64::from(who.serial))),
    ("alive", |_| QuickAnswer::Flag(true)),
    ("isMoving", |who| QuickAnswer::Flag(who.is_walking())),
];

/// What is answered.
#[derive(Clone, Copy, Debug)]
enum QuickAnswer {
    Vector([f32; 3]),
    Number(f64),
    Flag(bool),
}

/// What is answered here: fields and methods.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name).chain(["distanceTo"])
}

/// What the functions of the VM look at. It lives as long as the VM, whose app data owns it.
struct QuickSight {
    world: Lent<World>,
    machine: Rc<Machine>,
}

impl QuickSight {
    /// The character behind a handle, paid for; none when the binding has to answer.
    fn ask<R>(&self, price: u64, answer: impl FnOnce(&World) -> Option<R>) -> Option<R> {
        if self.machine.is_loading() {
            return None;
        }
        let answer = self.world.look(answer)?;
        // If too little is left, the binding ends the call.
        (self.machine.fuel.left() >= price && fuel::charge_running(price)).then_some(answer)
    }
}

/// Makes the functions of the VM that answer.
pub(crate) struct QuickAnswers {
    sight: Rc<QuickSight>,
}

impl QuickAnswers {
    /// Those of a VM. None where it has no world or no fuel: then the bindings answer.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn of(lua: &Lua) -> mlua::Result<Option<Self>> {
        let machine = machine_of(lua);
        let Some((world, machine)) = lend::slot::<World>(lua).zip(machine) else {
            return Ok(None);
        };
        let sight = Rc::new(QuickSight { world, machine });
        lua.set_app_data(KeptSight(Rc::clone(&sight)));
        Ok(Some(Self { sight }))
    }

    /// The function of a method: a quick one where there is one for it.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn method(&self, lua: &Lua, entry: &Binding, binding: Function) -> mlua::Result<Function> {
        match entry.name() {
            "distanceTo" => self.closure(lua, distance_to, (binding,), 1),
            name if FIELDS.iter().any(|(field, _)| *field == name) && entry.kind == EntryKind::Method => {
                let place = FIELDS.iter().position(|(field, _)| *field == name);
                self.closure(lua, ask_method, (binding, place.unwrap_or_default() as f64), 2)
            }
            _ => Ok(binding),
        }
    }

    /// `__index` of characters: `methods` are found, fields answered, the rest is up to `otherwise`.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn index(&self, lua: &Lua, methods: &Table, otherwise: Function) -> mlua::Result<Function> {
        let known = lua.create_table()?;
        for pair in methods.pairs::<mlua::Value, mlua::Value>() {
            let (name, method) = pair?;
            known.raw_set(name, method)?;
        }
        for (place, (name, _)) in FIELDS.iter().enumerate() {
            if known.raw_get::<mlua::Value>(*name)?.is_nil() {
                known.raw_set(*name, place as f64)?;
            }
        }
        self.closure(lua, index, (otherwise, known), 2)
    }

    /// A function with what it looks at as its first upvalue, and `upvalues`.
    #[allow(unsafe_code)]
    fn closure(
        &self,
        lua: &Lua,
        function: ffi::lua_CFunction,
        upvalues: impl mlua::IntoLuaMulti,
        count: c_int,
    ) -> mlua::Result<Function> {
        let sight: *const QuickSight = Rc::as_ptr(&self.sight);
        // SAFETY: pushes one value, moves it before the `count` upvalues, and makes them one closure.
        unsafe {
            lua.exec_raw(upvalues, move |state| {
                ffi::lua_pushlightuserdata(state, sight.cast_mut().cast::<c_void>());
                ffi::lua_insert(state, -(count + 1));
                ffi::lua_pushcclosurek(state, function, std::ptr::null(), count + 1, None);
            })
        }
    }
}

/// How long a task sleeps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sleep {
    /// A number of seconds: `task.sleep`.
    Seconds,
    /// A number of ticks: `task.ticks`.
    Ticks,
}

/// A function that asks for such a sleep as `binding` does, sooner where all is in order.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn sleep(lua: &Lua, sleep: Sleep, binding: Function) -> mlua::Result<Function> {
    let function = match sleep {
        Sleep::Seconds => sleep_seconds,
        Sleep::Ticks => sleep_ticks,
    };
    // SAFETY: makes one value the upvalue of a closure.
    #[allow(unsafe_code)]
    unsafe {
        lua.exec_raw(binding, move |state| {
            ffi::lua_pushcclosurek(state, function, std::ptr::null(), 1, None);
        })
    }
}

/// Asks for a sleep of the task that runs in the coroutine at an address; the number of the wait. None where
/// the binding has to answer.
fn file_sleep(coroutine: usize, ticks: impl FnOnce(&CodeClock) -> u64) -> Option<f64> {
    store::with_at_hand(|runtime| {
        let id = runtime.running.task()?;
        let is_usual = runtime.running.pending.is_none() && runtime.tasks.runs_in(id, coroutine);
        if !is_usual || !runtime.tasks.go_the_short_way() {
            return None;
        }
        let serial = runtime.tasks.next_serial();
        runtime.running.sleep = Some((serial, runtime.clock.now.after(ticks(&runtime.clock))));
        Some(serial as f64)
    })
}

/// Keeps the sight alive as long as the VM.
struct KeptSight(#[expect(dead_code, reason = "it is kept, not read")] Rc<QuickSight>);

/// The functions of the VM.
///
/// Why this is sound: the first upvalue of each is the address of the [`QuickSight`] that the app data of the
/// VM owns, as long as the VM lives. Nothing with a destructor is alive when Lua is called or raises. What is
/// read of the world is copied out of a borrow that ends before anything is pushed. A C function has twenty
/// slots of stack beside its arguments; `otherwise` asks for more. The functions that ask for a sleep have
/// the binding as their one upvalue; what they look at is borrowed and given back before anything is pushed,
/// and no Lua value is dropped meanwhile.
#[allow(unsafe_code)]
mod raw {
    use std::ffi::c_int;

    use mlua::{LightUserData, ffi};

    use crate::base::geom::flat_distance;
    use crate::base::ids::CharacterId;
    use crate::script::bind::quick_answers::{FIELDS, QuickAnswer, QuickSight, file_sleep};
    use crate::script::bind::table::Binding;
    use crate::script::state::waits::{SECONDS_MAX, TICKS_MAX};
    use crate::script::vm::handles::of_light;

    unsafe fn sight<'a>(state: *mut ffi::lua_State) -> &'a QuickSight {
        // SAFETY: as said above.
        unsafe { &*ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<QuickSight>() }
    }

    /// The character that an argument is.
    unsafe fn character(state: *mut ffi::lua_State, at: c_int) -> Option<CharacterId> {
        // SAFETY: reads one value of the stack.
        unsafe {
            let is_light = ffi::lua_type(state, at) == ffi::LUA_TLIGHTUSERDATA;
            is_light.then(|| of_light(LightUserData(ffi::lua_touserdata(state, at)))).flatten()
        }
    }

    unsafe fn push(state: *mut ffi::lua_State, answer: QuickAnswer) -> c_int {
        // SAFETY: pushes one value.
        unsafe {
            match answer {
                QuickAnswer::Vector([x, y, z]) => ffi::lua_pushvector(state, x, y, z),
                QuickAnswer::Number(number) => ffi::lua_pushnumber(state, number),
                QuickAnswer::Flag(flag) => ffi::lua_pushboolean(state, c_int::from(flag)),
            }
        }
        1
    }

    /// Calls the second upvalue with all arguments, and gives what it gives.
    unsafe fn otherwise(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: the functions that answer have two upvalues.
        unsafe { call_upvalue(state, 2) }
    }

    /// Calls an upvalue with all arguments, and gives what it gives.
    unsafe fn call_upvalue(state: *mut ffi::lua_State, upvalue: c_int) -> c_int {
        // SAFETY: room for one more value is asked for; the results are all that is left on the stack.
        unsafe {
            let arguments = ffi::lua_gettop(state);
            ffi::lua_rawcheckstack(state, 1);
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(upvalue));
            ffi::lua_insert(state, 1);
            ffi::lua_call(state, arguments, ffi::LUA_MULTRET);
            ffi::lua_gettop(state)
        }
    }

    /// The answer of a field for the first argument.
    unsafe fn ask(state: *mut ffi::lua_State, field: usize, price: u64) -> Option<QuickAnswer> {
        // SAFETY: as said above.
        let (sight, id) = unsafe { (sight(state), character(state, 1)?) };
        let (_, read) = FIELDS.get(field)?;
        sight.ask(price, |world| world.characters.alive(id).map(read))
    }

    pub(super) unsafe extern "C-unwind" fn index(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: as said above; `__index` is called with two arguments.
        unsafe {
            ffi::lua_pushvalue(state, 2);
            ffi::lua_rawget(state, ffi::lua_upvalueindex(3));
            match ffi::lua_type(state, -1) {
                ffi::LUA_TFUNCTION => return 1,
                ffi::LUA_TNUMBER => {
                    if let Some(answer) =
                        ask(state, ffi::lua_tonumber(state, -1) as usize, Binding::FIELD_PRICE)
                    {
                        return push(state, answer);
                    }
                }
                _ => {}
            }
            ffi::lua_settop(state, 2);
            otherwise(state)
        }
    }

    pub(super) unsafe extern "C-unwind" fn ask_method(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: as said above.
        unsafe {
            let field = ffi::lua_tonumber(state, ffi::lua_upvalueindex(3)) as usize;
            match ask(state, field, Binding::CALL_PRICE) {
                Some(answer) => push(state, answer),
                None => otherwise(state),
            }
        }
    }

    pub(super) unsafe extern "C-unwind" fn distance_to(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: as said above.
        unsafe {
            let sight = sight(state);
            let metres = character(state, 1).zip(character(state, 2)).and_then(|(one, other)| {
                sight.ask(Binding::CALL_PRICE, |world| {
                    let (one, other) = (world.characters.alive(one)?, world.characters.alive(other)?);
                    Some(flat_distance(one.body.position, other.body.position))
                })
            });
            match metres {
                Some(metres) => push(state, QuickAnswer::Number(f64::from(metres))),
                None => otherwise(state),
            }
        }
    }

    /// The one argument, if it is a number.
    unsafe fn number(state: *mut ffi::lua_State) -> Option<f64> {
        // SAFETY: reads the stack.
        unsafe {
            let is_number = ffi::lua_gettop(state) == 1 && ffi::lua_type(state, 1) == ffi::LUA_TNUMBER;
            is_number.then(|| ffi::lua_tonumber(state, 1))
        }
    }

    /// Gives the number of the wait, or what the binding gives.
    unsafe fn sleep(state: *mut ffi::lua_State, wait: Option<f64>) -> c_int {
        // SAFETY: as said above.
        unsafe {
            match wait {
                Some(wait) => push(state, QuickAnswer::Number(wait)),
                None => call_upvalue(state, 1),
            }
        }
    }

    pub(super) unsafe extern "C-unwind" fn sleep_seconds(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: as said above.
        unsafe {
            let seconds = number(state).filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds));
            let wait = |seconds: f64| file_sleep(state.addr(), |clock| clock.ticks(seconds));
            sleep(state, seconds.and_then(wait))
        }
    }

    pub(super) unsafe extern "C-unwind" fn sleep_ticks(state: *mut ffi::lua_State) -> c_int {
        // SAFETY: as said above.
        unsafe {
            let is_count = |ticks: &f64| (1.0..=TICKS_MAX as f64).contains(ticks) && ticks.fract() == 0.0;
            let wait = |ticks: f64| file_sleep(state.addr(), |_| ticks as u64);
            sleep(state, number(state).filter(is_count).and_then(wait))
        }
    }
}

use raw::{ask_method, distance_to, index, sleep_seconds, sleep_ticks};
