//! Enumerated values of a level file: sets of words, each declared once.
//!
//! In: `choices!` with an enum whose variants carry their word. Out: the enum, its words with their meaning
//! for reader, schema and writer. Holds: words keep the order of the declaration. Not here: the keys that
//! they are values of (`object`).

/// An enum whose variants are words of the level file.
pub(crate) trait Choices: Copy + PartialEq + 'static {
    /// What the schema calls it.
    const TITLE: &'static str;
    /// What it is, line by line.
    const DOC: &'static [&'static str];
    /// Each word with its variant, and what it means, line by line.
    const ALL: &'static [(&'static str, Self, &'static [&'static str])];
}

/// Declares an enum with the words that a level has for its variants.
macro_rules! choices {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident $(, default $default:ident)? {
            $($(#[doc = $word_doc:literal])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $word_doc])* $variant,)*
        }

        $(impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?

        impl $crate::level::choices::Choices for $name {
            const TITLE: &'static str = stringify!($name);
            const DOC: &'static [&'static str] = &[$($doc),*];
            const ALL: &'static [(&'static str, Self, &'static [&'static str])] =
                &[$(($word, Self::$variant, &[$($word_doc),*])),*];
        }

        impl $name {
            /// The word in levels.
            #[must_use]
            #[allow(dead_code, reason = "not every word is shown again")]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}
pub(crate) use choices;
