//! Type inference: the values of the expressions of a script, without running it.
//!
//! In: a tree, the API. Out: a value for each expression, unknown where the text does not say. Holds: the
//! value of a variable is what all its assignments agree on; asking is bounded, since nothing is asked twice.
//! Not here: mistakes (`rules`).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::api::{Api, ApiField};
use super::role::ScriptRole;
use super::tree::{Assigned, ExprId, ExprKind, FunctionId, LocalId, SyntaxTree, ValueUse};
use super::value::InferredValue;
use crate::script::bind::table::{self, Binding};
use crate::script::types::luau_type::{self, Type};

/// How far one answer may hang on others.
const DEPTH_MAX: u32 = 100;

#[derive(Clone, Debug)]
enum InferState {
    Open,
    Asked,
    Known(InferredValue),
}

/// A script that is being looked at.
pub(super) struct Reading<'a> {
    pub tree: &'a SyntaxTree,
    pub api: &'a Api,
    pub role: ScriptRole,
    exprs: RefCell<Vec<InferState>>,
    locals: RefCell<Vec<InferState>>,
    /// What stands under names of tables, of `self` and of the file, and what functions give back.
    fields: RefCell<BTreeMap<(Option<ExprId>, String), InferState>>,
    results: RefCell<BTreeMap<(FunctionId, usize), InferState>>,
    depth: Cell<u32>,
}

/// A call of a function of the API.
#[derive(Clone, Debug)]
pub(super) struct ApiCall<'a> {
    pub entry: &'static Binding,
    pub args: &'a [ExprId],
    /// A method called with a dot, or a function with a colon.
    pub is_crossed: bool,
}

impl<'a> Reading<'a> {
    pub fn new(tree: &'a SyntaxTree, api: &'a Api, role: ScriptRole) -> Self {
        Self {
            tree,
            api,
            role,
            exprs: RefCell::new(vec![InferState::Open; tree.exprs.len()]),
            locals: RefCell::new(vec![InferState::Open; tree.locals.len()]),
            fields: RefCell::default(),
            results: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// What an expression is.
    pub fn value(&self, id: ExprId) -> InferredValue {
        let before = self.exprs.borrow()[id.0 as usize].clone();
        match before {
            InferState::Known(value) => value,
            InferState::Asked => InferredValue::Unknown,
            InferState::Open if self.depth.get() >= DEPTH_MAX => InferredValue::Unknown,
            InferState::Open => {
                self.exprs.borrow_mut()[id.0 as usize] = InferState::Asked;
                self.depth.set(self.depth.get() + 1);
                let value = self.find(id);
                self.depth.set(self.depth.get() - 1);
                self.exprs.borrow_mut()[id.0 as usize] = InferState::Known(value.clone());
                value
            }
        }
    }

    fn find(&self, id: ExprId) -> InferredValue {
        match self.tree.kind(id) {
            ExprKind::Nil => InferredValue::Nil,
            ExprKind::Bool(_) | ExprKind::Test => InferredValue::Bool,
            ExprKind::Number(_) => InferredValue::Number,
            ExprKind::Text(_) | ExprKind::Join(..) => InferredValue::Text,
            ExprKind::Rest => InferredValue::Unknown,
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Global(name) => self.global(name),
            ExprKind::Field(object, name) => self.field(&self.value(*object), &name.text),
            ExprKind::Index(object, _) => match self.value(*object) {
                InferredValue::List(entry) | InferredValue::Map(entry) => *entry,
                _ => InferredValue::Unknown,
            },
            ExprKind::Call(..) | ExprKind::Method(..) => self.result(id, 0),
            ExprKind::Function(function) => InferredValue::Function(*function),
            ExprKind::Table(_) => InferredValue::Table(id),
            ExprKind::And(right) => self.value(*right),
            ExprKind::Or(left, right) => self.value(*left).join(self.value(*right)),
            ExprKind::Sum(parts) => {
                let all_numbers = parts.iter().all(|part| self.value(*part) == InferredValue::Number);
                if all_numbers { InferredValue::Number } else { InferredValue::Unknown }
            }
            ExprKind::Minus(inner) => match self.value(*inner) {
                InferredValue::Number => InferredValue::Number,
                _ => InferredValue::Unknown,
            },
            ExprKind::Choice(values) => values
                .iter()
                .map(|value| self.value(*value))
                .reduce(InferredValue::join)
                .unwrap_or(InferredValue::Unknown),
            ExprKind::Cast(own) => self.api.annotated(own),
        }
    }

    fn global(&self, name: &str) -> InferredValue {
        if self.tree.globals_named(name).next().is_none() {
            return self.api.global(name);
        }
        self.remembered(None, name, || {
            let written = self.tree.globals_named(name);
            let values =
                written.map(|write| write.value.map_or(InferredValue::Unknown, |value| self.value(value)));
            values.reduce(InferredValue::join).unwrap_or(InferredValue::Unknown)
        })
    }

    /// A value that was found once is not looked for again; one that is being looked for adds nothing to
    /// itself.
    fn remembered(
        &self,
        table: Option<ExprId>,
        name: &str,
        find: impl FnOnce() -> InferredValue,
    ) -> InferredValue {
        let key = (table, name.to_owned());
        match self.fields.borrow().get(&key) {
            Some(InferState::Known(value)) => return value.clone(),
            Some(InferState::Asked) => return InferredValue::Unknown,
            _ => {}
        }
        self.fields.borrow_mut().insert(key.clone(), InferState::Asked);
        let value = find();
        self.fields.borrow_mut().insert(key, InferState::Known(value.clone()));
        value
    }

    /// The value of a local: what all its assignments agree on.
    pub fn local(&self, id: LocalId) -> InferredValue {
        let before = self.locals.borrow()[id.0 as usize].clone();
        match before {
            InferState::Known(value) => value,
            // What is given to itself adds nothing.
            InferState::Asked => InferredValue::Nil,
            InferState::Open => {
                self.locals.borrow_mut()[id.0 as usize] = InferState::Asked;
                let value = self.find_local(id);
                self.locals.borrow_mut()[id.0 as usize] = InferState::Known(value.clone());
                value
            }
        }
    }

    fn find_local(&self, id: LocalId) -> InferredValue {
        let local = self.tree.local(id);
        let annotated = local.annotation.as_ref().map(|own| self.api.annotated(own));
        // `self: Behaviour`, or of a type of the script's own, is the `self` of this behaviour.
        let is_self = matches!(local.given.as_slice(), [Assigned::Param(_, 0)])
            && matches!(annotated, Some(InferredValue::Unknown | InferredValue::Shape("Behaviour")));
        if let Some(value) = annotated.clone().filter(|_| !is_self) {
            return value;
        }
        let given = local.given.iter().map(|given| match *given {
            Assigned::Value(value) => self.value(value),
            Assigned::Result(call, index) => self.result(call, index),
            Assigned::Param(function, index) => self.param(function, index),
            Assigned::Loop(over, index) => self.looped(over, index),
            Assigned::Unknown => InferredValue::Unknown,
        });
        match given.reduce(InferredValue::join).unwrap_or(InferredValue::Unknown) {
            InferredValue::Unknown => annotated.unwrap_or(InferredValue::Unknown),
            value => value,
        }
    }

    /// A variable of a loop.
    fn looped(&self, over: ExprId, index: usize) -> InferredValue {
        let list = match self.tree.kind(over) {
            ExprKind::Call(callee, args) => match (self.tree.kind(*callee), args.first()) {
                (ExprKind::Global(name), Some(list)) if name == "ipairs" || name == "pairs" => *list,
                _ => return InferredValue::Unknown,
            },
            _ => over,
        };
        match (self.value(list), index) {
            (InferredValue::List(_), 0) => InferredValue::Number,
            (InferredValue::List(entry) | InferredValue::Map(entry), 1) => *entry,
            _ => InferredValue::Unknown,
        }
    }

    /// A field or method of the value of an expression.
    pub fn member(&self, object: ExprId, name: &str) -> InferredValue {
        self.field(&self.value(object), name)
    }

    /// A field of something.
    fn field(&self, object: &InferredValue, name: &str) -> InferredValue {
        if let Some(entry) = self.api.entry(object, name) {
            return match entry.kind {
                table::EntryKind::Field => self.api.result(entry, 0),
                _ => InferredValue::Entry(entry),
            };
        }
        match object {
            InferredValue::Shape(shape) => {
                let fields = self.api.fields(shape).unwrap_or_default();
                let found = fields.into_iter().find(|field| field.name == name);
                found.map_or(InferredValue::Unknown, |field| self.field_value(&field))
            }
            InferredValue::Map(entry) => (**entry).clone(),
            InferredValue::Myself(own) => self.of_myself(*own, name),
            InferredValue::Table(made) => self.of_table(*made, name),
            _ => InferredValue::Unknown,
        }
    }

    /// A field of the API that may be anything and is named like a library is that library: `self.log`.
    fn field_value(&self, field: &ApiField) -> InferredValue {
        match self.api.value(&field.own) {
            InferredValue::Unknown => match self.api.global(&field.name) {
                InferredValue::Library(name) => InferredValue::Library(name),
                _ => InferredValue::Unknown,
            },
            value => value,
        }
    }

    fn of_myself(&self, own: ExprId, name: &str) -> InferredValue {
        let fields = self.api.fields("Behaviour").unwrap_or_default();
        if let Some(field) = fields.iter().find(|field| field.name == name) {
            return self.field_value(field);
        }
        // A name that no field has: what a field of `self` is, beside the table's own.
        self.remembered(Some(own), &format!("self.{name}"), || {
            let is_set = self.tree.fields_named(name).any(|write| {
                matches!(self.tree.kind(write.object), ExprKind::Local(_))
                    && self.value(write.object) == InferredValue::Myself(own)
            });
            if is_set { InferredValue::Unknown } else { self.of_table(own, name) }
        })
    }

    fn of_table(&self, made: ExprId, name: &str) -> InferredValue {
        self.remembered(Some(made), name, || {
            let values = self.tree.named_in(made, name);
            let values = values.map(|value| value.map_or(InferredValue::Unknown, |value| self.value(value)));
            values.reduce(InferredValue::join).unwrap_or(InferredValue::Unknown)
        })
    }

    /// One of the results of a call.
    pub fn result(&self, call: ExprId, index: usize) -> InferredValue {
        if let Some(called) = self.called(call) {
            return self.api.result(called.entry, index);
        }
        let callee = match self.tree.kind(call) {
            ExprKind::Call(callee, args) => {
                if let (ExprKind::Global(name), Some(first)) = (self.tree.kind(*callee), args.first())
                    && name == "assert"
                    && index == 0
                {
                    return self.value(*first);
                }
                self.value(*callee)
            }
            ExprKind::Method(object, name, _) => self.field(&self.value(*object), &name.text),
            _ => InferredValue::Unknown,
        };
        let InferredValue::Function(function) = callee else { return InferredValue::Unknown };
        let before = self.results.borrow().get(&(function, index)).cloned();
        match before {
            Some(InferState::Known(value)) => return value,
            Some(_) => return InferredValue::Unknown,
            None => {}
        }
        self.results.borrow_mut().insert((function, index), InferState::Asked);
        let value = self.given_back(function, index);
        self.results.borrow_mut().insert((function, index), InferState::Known(value.clone()));
        value
    }

    /// What all returns of a function agree on, at one place.
    fn given_back(&self, function: FunctionId, index: usize) -> InferredValue {
        let returns = self.tree.function(function).returns.iter();
        let given = returns.map(|values| match values.get(index) {
            Some(value) => self.value(*value),
            None => InferredValue::Unknown,
        });
        given.reduce(InferredValue::join).unwrap_or(InferredValue::Unknown)
    }

    /// The function of the API that a call calls.
    pub fn called(&self, call: ExprId) -> Option<ApiCall<'a>> {
        match self.tree.kind(call) {
            ExprKind::Call(callee, args) => {
                let InferredValue::Entry(entry) = self.value(*callee) else { return None };
                let is_crossed = entry.kind == table::EntryKind::Method;
                Some(ApiCall { entry, args, is_crossed })
            }
            ExprKind::Method(object, name, args) => {
                let entry = self.api.callee(&self.value(*object), &name.text)?;
                let is_crossed = entry.kind == table::EntryKind::Function;
                Some(ApiCall { entry, args, is_crossed })
            }
            _ => None,
        }
    }

    /// A parameter: the argument that its function is called with, where the API says so.
    fn param(&self, function: FunctionId, index: usize) -> InferredValue {
        let own = self.tree.function(function);
        match self.wanted_function(function) {
            Some(FunctionUse::Method) if index == 0 => match self.role {
                ScriptRole::Behaviour(made) => InferredValue::Myself(made),
                _ => InferredValue::Unknown,
            },
            Some(FunctionUse::Typed(Type::Function(params, _), _)) => {
                let found = params.get(index).map(|(_, own)| own);
                match found {
                    Some(Type::Name(name)) if name == "Behaviour" => match self.role {
                        ScriptRole::Behaviour(made) => InferredValue::Myself(made),
                        _ => InferredValue::Shape("Behaviour"),
                    },
                    Some(own) => self.api.value(own),
                    None => InferredValue::Unknown,
                }
            }
            Some(FunctionUse::Typed(_, doc)) if index == usize::from(own.is_method) => self.payload(doc),
            _ => InferredValue::Unknown,
        }
    }

    /// What a handler is given, when the table says `payload WalkResult`.
    fn payload(&self, doc: &str) -> InferredValue {
        let after = doc.split_once("payload ").map(|(_, after)| after);
        let name = after.and_then(|after| after.split(|c: char| !c.is_alphanumeric()).next());
        name.map_or(InferredValue::Unknown, |name| self.api.annotated(name))
    }

    /// What a function is wanted for, where it is made.
    pub fn wanted_function(&self, function: FunctionId) -> Option<FunctionUse> {
        let made = self.tree.function(function).made_by?;
        match &self.tree.expr(made).used {
            ValueUse::Argument(..) => {
                let (own, doc) = self.wanted(made)?;
                Some(FunctionUse::Typed(function_type(self.api, &own)?, doc))
            }
            ValueUse::Item(table, Some(name)) => self.wanted_in(*table, name),
            ValueUse::Field(object, name) => {
                let InferredValue::Table(table) = self.value(*object) else { return None };
                self.wanted_in(table, name)
            }
            ValueUse::Global(name) if self.role == ScriptRole::Level => self.definition("LevelScript", name),
            _ => None,
        }
    }

    fn definition(&self, shape: &str, name: &str) -> Option<FunctionUse> {
        let field = self.api.fields(shape)?.into_iter().find(|field| field.name == name)?;
        Some(FunctionUse::Typed(function_type(self.api, &field.own)?, field.doc))
    }

    /// What a function under a name of a table is wanted for.
    fn wanted_in(&self, table: ExprId, name: &str) -> Option<FunctionUse> {
        match self.role {
            ScriptRole::Behaviour(own) if own == table => {
                return self.definition("BehaviourDefinition", name).or(Some(FunctionUse::Method));
            }
            // Handlers of events are methods too.
            ScriptRole::Behaviour(own) if self.tree.entry(own, "on") == Some(table) => {
                return Some(FunctionUse::Method);
            }
            ScriptRole::Cinematic(own) if own == table => return self.definition("SceneDefinition", name),
            _ => {}
        }
        let (own, _) = self.wanted(table)?;
        let Type::Name(shape) = bare(&own) else { return None };
        self.definition(shape, name)
    }

    /// The type that is wanted of an argument, and what is said of it.
    pub fn wanted(&self, arg: ExprId) -> Option<(Type, &'static str)> {
        let ValueUse::Argument(call) = self.tree.expr(arg).used else { return None };
        let called = self.called(call)?;
        let (index, _) = self.arguments(&called)?.into_iter().find(|(_, value)| *value == arg)?;
        let param = called.entry.params.get(index)?;
        Some((luau_type::read(param.luau)?, called.entry.doc))
    }

    /// Which parameter each argument of a call is for; none when that is not certain.
    pub fn arguments(&self, called: &ApiCall<'_>) -> Option<Vec<(usize, ExprId)>> {
        let mut args = called.args.iter();
        if called.is_crossed {
            return None;
        }
        let mut list = Vec::new();
        for (index, param) in called.entry.params.iter().enumerate() {
            let Some(arg) = args.next() else { break };
            if param.name == "..." {
                break;
            }
            list.push((index, *arg));
            if is_flat(called.entry, param.luau) && self.tree.kind(*arg).is_number_or_unknown(self, *arg) {
                // A number in place of a place is x, and z comes next.
                match args.clone().next().map(|next| self.value(*next)) {
                    Some(InferredValue::Number) => {
                        list.pop();
                        args.next();
                    }
                    Some(InferredValue::Unknown) => {
                        list.pop();
                        return Some(list);
                    }
                    _ => {}
                }
            }
        }
        Some(list)
    }
}

/// Whether a parameter may also be given as two numbers, x and z: verbs that walk a character somewhere.
fn is_flat(entry: &Binding, luau: &str) -> bool {
    entry.kind == table::EntryKind::Method && luau.split(" | ").any(|part| part == "Place")
}

impl ExprKind {
    fn is_number_or_unknown(&self, reading: &Reading<'_>, id: ExprId) -> bool {
        matches!(reading.value(id), InferredValue::Number | InferredValue::Unknown)
    }
}

/// What a function is wanted for.
#[derive(Clone, Debug)]
pub(super) enum FunctionUse {
    /// A method of a behaviour: `self` comes first.
    Method,
    /// A function of this type, or a handler, and what is said of it.
    Typed(Type, &'static str),
}

/// The type without its question mark.
pub(super) fn bare(own: &Type) -> &Type {
    match own {
        Type::Optional(inner) => bare(inner),
        _ => own,
    }
}

/// The function among the types that are wanted; a handler as it stands.
fn function_type(api: &Api, own: &Type) -> Option<Type> {
    match bare(own) {
        own @ Type::Function(..) => Some(own.clone()),
        Type::Name(name) if name == "Handler" => Some(Type::Name(name.clone())),
        Type::Union(parts) => {
            let mut functions = parts.iter().filter_map(|part| function_type(api, part));
            let first = functions.next()?;
            functions.next().is_none().then_some(first)
        }
        own @ Type::Name(_) => match api.unfolded(own) {
            same if same == own => None,
            other => function_type(api, other),
        },
        _ => None,
    }
}
