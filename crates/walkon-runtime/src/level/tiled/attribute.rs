//! Reads attributes of elements: numbers in their range, classes.
//!
//! In: an element and the name of an attribute. Out: its value; or none, or a default, after a finding at its
//! place. Not here: what it means (`read`, `object`).

use std::ops::RangeInclusive;

use super::files::{Here, Import, short};
use super::tree::Element;
use crate::level::diagnostic::code;

/// Largest number of pixels or degrees.
pub(super) const NUMBER_MAX: f64 = 1e9;

/// A whole number that must be there.
pub(super) fn whole(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    name: &str,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    if element.attribute(name).is_none() {
        let message = format!("{} has no {name}", element.name);
        import.error(here, code::MISSING_FIELD, element.span, message);
        return None;
    }
    optional_whole(import, here, element, name, range)
}

/// A whole number, none when it is not there or after a finding.
pub(super) fn optional_whole(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    name: &str,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    let attribute = element.attribute(name)?;
    let stated = attribute.value.trim();
    match stated.parse::<i64>() {
        Ok(number) if range.contains(&number) => Some(number),
        Ok(number) => {
            let (what, least, most) = (sentence(element, name), range.start(), range.end());
            let message = format!("{what} is {number}, expected {least} to {most}");
            import.error(here, code::LIMIT, attribute.span, message);
            None
        }
        Err(_) => {
            let shown = short(stated);
            let message = format!("{} is \"{shown}\", expected a whole number", sentence(element, name));
            import.error(here, code::TYPE, attribute.span, message);
            None
        }
    }
}

fn sentence(element: &Element<'_>, name: &str) -> String {
    format!("{name} of the {}", element.name)
}

/// A finite number; `default` when it is not there or after a finding.
pub(super) fn number(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    name: &str,
    default: f64,
) -> f64 {
    let Some(attribute) = element.attribute(name) else { return default };
    match attribute.value.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value.abs() <= NUMBER_MAX => value + 0.0,
        Ok(value) if value.is_finite() => {
            let shown = short(&attribute.value);
            let what = sentence(element, name);
            let message = format!("{what} is \"{shown}\", expected -{NUMBER_MAX} to {NUMBER_MAX}");
            import.error(here, code::LIMIT, attribute.span, message);
            default
        }
        _ => {
            let shown = short(&attribute.value);
            let message = format!("{} is \"{shown}\", expected a finite number", sentence(element, name));
            import.error(here, code::NUMBER, attribute.span, message);
            default
        }
    }
}

/// The class of a thing: `class`, or `type` in files of versions before 1.9 and after 1.10.
pub(super) fn class_of(element: &Element<'_>) -> String {
    let class = element.value("class");
    (if class.is_empty() { element.value("type") } else { class }).to_owned()
}
