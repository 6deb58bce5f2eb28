//! The registration table: one entry for every name that scripts see.
//!
//! In: lists of entries, one beside the code of each Lua type. Out: what the VM registers, the editor
//! definitions (`script::types`), the API list, the examples and argument checks of the tests. Holds: a name
//! that is not in the table does not exist in Lua, and a name that is in it has an example that runs. Not
//! here: what the functions do.

use mlua::Lua;

pub use crate::script::bind::call::HostResult;
use crate::script::vm::convert::Args;

/// The code of one entry. Methods and fields of a handle find the handle as first argument.
pub type Native = fn(&Lua, &mut Args) -> HostResult;

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// `nav.findPath(...)`.
    Function,
    /// `guard:walkTo(...)`.
    Method,
    /// `guard.position`, `level.tick`.
    Field,
}

/// Where the code of an entry is.
#[derive(Clone, Copy, Debug)]
pub enum EntryBody {
    /// In Rust.
    Native(Native),
    /// In the prelude, because it waits.
    Prelude,
}

/// One parameter of a function, or one field of a table.
#[derive(Clone, Copy, Debug)]
pub struct ApiParam {
    /// Its name.
    pub name: &'static str,
    /// Its Luau type; ends in `?` where it may be left out.
    pub luau: &'static str,
    /// A Lua expression of that type, valid in the level of the tests.
    pub sample: &'static str,
    /// What it means, for fields of tables; empty for parameters, which the entry's sentence explains.
    pub doc: &'static str,
}

impl ApiParam {
    /// Whether it may be left out.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.luau.ends_with('?')
    }
}

/// A parameter.
#[must_use]
pub const fn param(name: &'static str, luau: &'static str, sample: &'static str) -> ApiParam {
    ApiParam { name, luau, sample, doc: "" }
}

/// A field of a table.
#[must_use]
pub const fn field(
    name: &'static str,
    luau: &'static str,
    sample: &'static str,
    doc: &'static str,
) -> ApiParam {
    ApiParam { name, luau, sample, doc }
}

/// Two lists of fields as one; `ALL` is the sum of their lengths.
#[must_use]
pub const fn joined<const FIRST: usize, const THEN: usize, const ALL: usize>(
    first: [ApiParam; FIRST],
    then: [ApiParam; THEN],
) -> [ApiParam; ALL] {
    assert!(FIRST + THEN == ALL, "the joined list holds both");
    let mut all = [first[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < FIRST { first[at] } else { then[at - FIRST] };
        at += 1;
    }
    all
}

/// The names of fields, as `Args::options` takes them.
#[must_use]
pub const fn names<const COUNT: usize>(fields: &[ApiParam; COUNT]) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut at = 0;
    while at < COUNT {
        names[at] = fields[at].name;
        at += 1;
    }
    names
}

/// One name that scripts see.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The library or handle type it belongs to: `nav`, `Character`.
    pub owner: &'static str,
    /// What messages call it: `nav.findPath`, `walkTo`, `position`.
    pub called: &'static str,
    /// How it is used.
    pub kind: EntryKind,
    /// Its parameters, without the handle of a method.
    pub params: &'static [ApiParam],
    /// Luau types of its results, separated by commas; empty for none.
    pub returns: &'static str,
    /// Whether the calling task waits.
    pub waits: bool,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
    /// Lua that uses it; runs in the tests, in a level with what `tests/script/script_api.rs` lists.
    pub example: &'static str,
    /// Codes of mistakes that it raises besides those every function shares.
    pub raises: &'static str,
    /// The fuel it takes, besides the lengths of its texts, lists and plain data, which are counted where
    /// they are read.
    pub price: u64,
    /// Its code.
    pub body: EntryBody,
}

impl Binding {
    /// The fuel of a field that says nothing else.
    pub const FIELD_PRICE: u64 = 2;
    /// The fuel of a function or method that says nothing else.
    pub const CALL_PRICE: u64 = 8;

    const fn new(owner: &'static str, called: &'static str, kind: EntryKind, body: EntryBody) -> Self {
        let (params, returns, doc, example, raises): (&'static [ApiParam], _, _, _, _) =
            (&[], "", "", "", "");
        let price = if matches!(kind, EntryKind::Field) { Self::FIELD_PRICE } else { Self::CALL_PRICE };
        Self { owner, called, kind, params, returns, waits: false, doc, example, raises, price, body }
    }

    /// A function of a library; `called` is the whole name.
    #[must_use]
    pub const fn function(owner: &'static str, called: &'static str, body: Native) -> Self {
        Self::new(owner, called, EntryKind::Function, EntryBody::Native(body))
    }

    /// A method of a handle.
    #[must_use]
    pub const fn method(owner: &'static str, called: &'static str, body: Native) -> Self {
        Self::new(owner, called, EntryKind::Method, EntryBody::Native(body))
    }

    /// A method of a handle that waits: its code is in the prelude.
    #[must_use]
    pub const fn waiting_method(owner: &'static str, called: &'static str) -> Self {
        Self { waits: true, ..Self::new(owner, called, EntryKind::Method, EntryBody::Prelude) }
    }

    /// A function of a library that waits: its code is in the prelude.
    #[must_use]
    pub const fn waiting_function(owner: &'static str, called: &'static str) -> Self {
        Self { waits: true, ..Self::new(owner, called, EntryKind::Function, EntryBody::Prelude) }
    }

    /// A field of a handle or library.
    #[must_use]
    pub const fn field(owner: &'static str, called: &'static str, luau: &'static str, body: Native) -> Self {
        Self { returns: luau, ..Self::new(owner, called, EntryKind::Field, EntryBody::Native(body)) }
    }

    /// The name without its library: `findPath`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.called.rsplit('.').next().unwrap_or(self.called)
    }
}

/// A table with known fields that functions take or give.
#[derive(Clone, Copy, Debug)]
pub struct TableType {
    /// The name of its type.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its fields, in the order of the reference.
    pub fields: &'static [ApiParam],
}

/// A type that is another type.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// Its name.
    pub name: &'static str,
    /// The Luau type behind it.
    pub luau: &'static str,
    /// What it is.
    pub doc: &'static str,
}

/// A library or handle type: what stands above its entries in the definitions.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// `nav`, `Character`.
    pub name: &'static str,
    /// Whether it is a type of handles; else it is a global table.
    pub is_type: bool,
    /// What it is.
    pub doc: &'static str,
}
