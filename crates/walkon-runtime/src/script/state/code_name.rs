//! Names of running code, for messages.
//!
//! In: fixed names of the host, names that scripts give. Out: a name that is cheap to clone.

use std::rc::Rc;

/// What messages call the code that runs: `update`, `onArrived`, the name of a task.
#[derive(Clone, Debug)]
pub(crate) enum CodeName {
    /// A name that the host gives; nothing is allocated for it, however often it is called.
    Fixed(&'static str),
    /// A name that was put together, or that a script gave.
    Given(Rc<str>),
}

impl CodeName {
    /// Whether it is the same name as another.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fixed(one), Self::Fixed(other)) if std::ptr::eq(*one, *other) => true,
            _ => **self == **other,
        }
    }
}

impl std::ops::Deref for CodeName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Fixed(name) => name,
            Self::Given(name) => name,
        }
    }
}

impl std::fmt::Display for CodeName {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(self)
    }
}

impl From<&'static str> for CodeName {
    fn from(name: &'static str) -> Self {
        Self::Fixed(name)
    }
}

impl From<String> for CodeName {
    fn from(name: String) -> Self {
        Self::Given(Rc::from(name))
    }
}
