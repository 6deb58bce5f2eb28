//! Inferred values: what a value is, as far as a script says so.
//!
//! In: nothing. Out: [`InferredValue`], and the value that two agree on. Not here: finding the value of an
//! expression (`infer`).

use super::tree::{ExprId, FunctionId};
use crate::script::bind::table::Binding;

/// What a value is. Whatever is not certain is unknown, and nothing is said of it.
#[derive(Clone, Debug)]
pub(super) enum InferredValue {
    Unknown,
    Nil,
    Bool,
    Number,
    Text,
    Vector,
    /// A handle: of this type.
    Handle(&'static str),
    /// A global table of the API.
    Library(&'static str),
    /// A global table of Luau.
    Native(String),
    /// A table with fields that the API knows.
    Shape(&'static str),
    List(Box<InferredValue>),
    Map(Box<InferredValue>),
    /// A function of the API.
    Entry(&'static Binding),
    Function(FunctionId),
    /// A table of the script: where it is made.
    Table(ExprId),
    /// `self` in a behaviour: its table.
    Myself(ExprId),
}

impl PartialEq for InferredValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, Self::Unknown)
            | (Self::Nil, Self::Nil)
            | (Self::Bool, Self::Bool)
            | (Self::Number, Self::Number)
            | (Self::Text, Self::Text)
            | (Self::Vector, Self::Vector) => true,
            (Self::Handle(a), Self::Handle(b))
            | (Self::Library(a), Self::Library(b))
            | (Self::Shape(a), Self::Shape(b)) => a == b,
            (Self::Native(a), Self::Native(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Entry(a), Self::Entry(b)) => std::ptr::eq(*a, *b),
            (Self::Function(a), Self::Function(b)) => a == b,
            (Self::Table(a), Self::Table(b)) | (Self::Myself(a), Self::Myself(b)) => a == b,
            _ => false,
        }
    }
}

impl InferredValue {
    /// Both together: what they agree on. Nil gives way.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nil, other) => other,
            (own, Self::Nil) => own,
            (own, other) if own == other => own,
            _ => Self::Unknown,
        }
    }
}
