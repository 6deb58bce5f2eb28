//! The syntax tree for rules: expressions in one list, each with its user, and the values of every name.
//!
//! In: what `lower` makes of a syntax tree. Out: the tree. Holds: locals are told from globals; the order of
//! the list is the order of the text, calls after their arguments. Not here: inferring values (`infer`).

use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::base::ordered::CollectOrdered;

/// Where something stands in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPlace {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// First byte, and one past the last.
    pub start: u32,
    pub end: u32,
}

impl TextPlace {
    /// From the beginning of this to the end of another.
    pub fn to(self, last: Self) -> Self {
        Self { end: last.end, ..self }
    }
}

macro_rules! id {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) struct $name(pub u32);
    };
}
id!(ExprId, "An expression of a tree.");
id!(FunctionId, "A function of a tree; 0 is the body of the file.");
id!(LocalId, "A local variable or parameter of a tree.");

/// The body of the file.
pub(super) const BODY: FunctionId = FunctionId(0);

/// A name as it is written somewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub text: String,
    pub place: TextPlace,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub place: TextPlace,
    /// The function it stands in.
    pub function: FunctionId,
    pub used: ValueUse,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Nil,
    Bool(bool),
    Number(f64),
    Text(String),
    /// `...`.
    Rest,
    Local(LocalId),
    Global(String),
    /// `object.name`.
    Field(ExprId, Word),
    /// `object[key]`.
    Index(ExprId, ExprId),
    /// `callee(args)`.
    Call(ExprId, Vec<ExprId>),
    /// `object:name(args)`.
    Method(ExprId, Word, Vec<ExprId>),
    Function(FunctionId),
    Table(Vec<TableItem>),
    /// `a .. b`: a.
    Join(ExprId),
    /// `a and b`: b.
    And(ExprId),
    Or(ExprId, ExprId),
    /// A sum, a product, a length: a number, or a vector.
    Sum(Vec<ExprId>),
    Minus(ExprId),
    /// A comparison or `not`.
    Test,
    /// `if a then b else c`: its values.
    Choice(Vec<ExprId>),
    /// `value :: type`.
    Cast(String),
}

#[derive(Clone, Debug)]
pub(super) enum TableItem {
    Named(Word, ExprId),
    Keyed(ExprId, ExprId),
    Listed(ExprId),
}

/// What becomes of the value of an expression.
#[derive(Clone, Debug, Default)]
pub(super) enum ValueUse {
    #[default]
    Other,
    /// A statement of its own: the result is dropped.
    Dropped,
    /// An argument of a call.
    Argument(ExprId),
    /// A value in a table, under this name.
    Item(ExprId, Option<String>),
    /// Written to a field of an object; `:` for methods.
    Field(ExprId, String),
    Global(String),
}

/// How a function is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionForm {
    /// With a dot, or without a table.
    Plain,
    /// With a colon.
    Method,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    /// `self` is the first parameter of a method.
    pub params: Vec<LocalId>,
    /// Declared with a colon.
    pub is_method: bool,
    /// The expression that makes it; none for the body of the file.
    pub made_by: Option<ExprId>,
    pub returns: Vec<Vec<ExprId>>,
}

#[derive(Clone, Debug)]
pub(super) struct Local {
    pub name: String,
    /// The values that it is given, by declaration and by assignments.
    pub given: Vec<Assigned>,
    /// Its type as the script declares it.
    pub annotation: Option<String>,
}

/// The values that a variable is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Assigned {
    Value(ExprId),
    /// One of the results of a call: not the first.
    Result(ExprId, usize),
    /// A parameter: which.
    Param(FunctionId, usize),
    /// A variable of a loop over the values of a call or table: which.
    Loop(ExprId, usize),
    Unknown,
}

/// A value written to a field: `object.name = value`, `function object:name()`.
#[derive(Clone, Debug)]
pub(super) struct FieldWrite {
    pub object: ExprId,
    pub name: Word,
    pub value: Option<ExprId>,
}

/// A value written to a global.
#[derive(Clone, Debug)]
pub(super) struct GlobalWrite {
    pub name: Word,
    pub value: Option<ExprId>,
}

/// A loop whose condition is always true.
#[derive(Clone, Debug)]
pub(super) struct Endless {
    /// The word it begins with.
    pub place: TextPlace,
    pub function: FunctionId,
    /// Expressions in it: the first, and one past the last.
    pub inside: (u32, u32),
    /// Whether a `break` or a `return` leaves it.
    pub is_left: bool,
}

/// Where to look, so that no question goes through the whole tree.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Field writes by the table that they write to, when the file makes it.
    to_table: BTreeMap<ExprId, Vec<usize>>,
    fields: BTreeMap<String, Vec<usize>>,
    globals: BTreeMap<String, Vec<usize>>,
    /// Names in table constructors.
    made: BTreeMap<ExprId, BTreeMap<String, Vec<ExprId>>>,
    of_function: Vec<Vec<ExprId>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SyntaxTree {
    pub exprs: Vec<Expr>,
    pub functions: Vec<Function>,
    pub locals: Vec<Local>,
    pub field_writes: Vec<FieldWrite>,
    pub global_writes: Vec<GlobalWrite>,
    /// What loops go over.
    pub loops: Vec<ExprId>,
    /// Values written under a key: the object, the key.
    pub key_writes: Vec<(ExprId, ExprId)>,
    /// Loops whose condition is always true.
    pub endless: Vec<Endless>,
    /// What is compared with `==` and `~=`.
    pub compared: Vec<(ExprId, ExprId)>,
    index: Index,
}

impl SyntaxTree {
    /// The finished tree, which can be asked.
    pub fn indexed(mut self) -> Self {
        let mut index = Index { of_function: vec![Vec::new(); self.functions.len()], ..Index::default() };
        for (at, write) in self.field_writes.iter().enumerate() {
            index.fields.entry(write.name.text.clone()).or_default().push(at);
            if let Some((table, _)) = self.table(write.object) {
                index.to_table.entry(table).or_default().push(at);
            }
        }
        for (at, write) in self.global_writes.iter().enumerate() {
            index.globals.entry(write.name.text.clone()).or_default().push(at);
        }
        for id in self.ids() {
            index.of_function[self.expr(id).function.0 as usize].push(id);
            let ExprKind::Table(items) = self.kind(id) else { continue };
            for item in items {
                if let TableItem::Named(word, value) = item {
                    let made = index.made.entry(id).or_default();
                    made.entry(word.text.clone()).or_default().push(*value);
                }
            }
        }
        self.index = index;
        self
    }

    /// The expressions of a function, without those of functions in it.
    pub fn exprs_of(&self, function: FunctionId) -> &[ExprId] {
        self.index.of_function.get(function.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Values written to fields of a name, whatever has the fields.
    pub fn fields_named(&self, name: &str) -> impl Iterator<Item = &FieldWrite> {
        self.index.fields.get(name).into_iter().flatten().map(|at| &self.field_writes[*at])
    }

    /// Whether the file does more with the behaviour of a character than ask it for a field, write one or
    /// call its function: what gets it may give it fields.
    pub fn hands_out_behaviours(&self) -> bool {
        let asked: BTreeSet<ExprId> = self
            .exprs
            .iter()
            .filter_map(|expr| match &expr.kind {
                ExprKind::Field(object, _) | ExprKind::Method(object, ..) => Some(*object),
                _ => None,
            })
            .chain(self.field_writes.iter().map(|write| write.object))
            .collect_set();
        let is_behaviour =
            |id: ExprId| matches!(self.kind(id), ExprKind::Field(_, word) if word.text == "behaviour");
        self.ids().any(|id| is_behaviour(id) && !asked.contains(&id))
    }

    /// Values written to a global.
    pub fn globals_named(&self, name: &str) -> impl Iterator<Item = &GlobalWrite> {
        self.index.globals.get(name).into_iter().flatten().map(|at| &self.global_writes[*at])
    }

    /// What stands under a name in a table: each value, none for one that is not known.
    pub fn named_in(&self, table: ExprId, name: &str) -> impl Iterator<Item = Option<ExprId>> {
        let made = self.index.made.get(&table).and_then(|names| names.get(name));
        let written = self
            .fields_named(name)
            .filter(move |write| self.table(write.object).is_some_and(|(made, _)| made == table));
        made.into_iter().flatten().map(|value| Some(*value)).chain(written.map(|write| write.value))
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.expr(id).kind
    }

    pub fn place(&self, id: ExprId) -> TextPlace {
        self.expr(id).place
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    /// Every expression, in the order of the list.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.exprs.len() as u32).map(ExprId)
    }

    /// The text in quotes that an expression is, itself or through locals that are given nothing else.
    pub fn text(&self, id: ExprId) -> Option<&str> {
        let mut at = id;
        // A local may stand for a local; a chain longer than this is nobody's constant.
        for _ in 0..8 {
            match self.kind(at) {
                ExprKind::Text(text) => return Some(text),
                ExprKind::Local(local) => match self.local(*local).given.as_slice() {
                    [Assigned::Value(value)] => at = *value,
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }

    /// The table that an expression is, itself or through a local that is given nothing else.
    pub fn table(&self, id: ExprId) -> Option<(ExprId, &[TableItem])> {
        match self.kind(id) {
            ExprKind::Table(items) => Some((id, items)),
            ExprKind::Local(local) => match self.local(*local).given.as_slice() {
                [Assigned::Value(value)] => match self.kind(*value) {
                    ExprKind::Table(items) => Some((*value, items)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Values written to fields of a table after it was made.
    pub fn writes_to(&self, table: ExprId) -> impl Iterator<Item = &FieldWrite> {
        self.index.to_table.get(&table).into_iter().flatten().map(|at| &self.field_writes[*at])
    }

    /// What stands under a name in a table, by its constructor or written later; none when it is not known.
    pub fn entry(&self, table: ExprId, name: &str) -> Option<ExprId> {
        self.named_in(table, name).next()?
    }

    /// Every name that a table has, with the value where it is known.
    pub fn names_in(&self, table: ExprId) -> Vec<(&Word, Option<ExprId>)> {
        let ExprKind::Table(items) = self.kind(table) else { return Vec::new() };
        let own = items.iter().filter_map(|item| match item {
            TableItem::Named(word, value) => Some((word, Some(*value))),
            _ => None,
        });
        own.chain(self.writes_to(table).map(|write| (&write.name, write.value))).collect()
    }
}
