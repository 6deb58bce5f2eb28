//! How long the long forms of tests are.

use std::str::FromStr;

/// A number that the environment gives, or one of its own where it gives none.
pub fn number<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
