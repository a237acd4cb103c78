//! The service's first checks: members against the constraints of their shape.
//!
//! Unlike later errors, these are collected, at most ten, and reported together: `2 validation
//! errors detected: Value null at 'key' failed to satisfy constraint: Member must not be null;
//! Value …`.
//!
//! The order in which operations on items check their members is that of a Java `HashMap` by name,
//! with 16 buckets for up to 12 members and 32 for more: by bucket, which is the lowest bits of `h
//! ^ (h >>> 16)`, where `h` is Java's hash of the name. All recordings of several violations agree.

use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use std::fmt;

/// The number of violations that the service reports at once.
const TOLD_MAX: usize = 10;

/// The violations found so far.
///
/// ```
/// use singlet_dynamo::constraint::Constraints;
///
/// let mut constraints = Constraints::default();
/// constraints.required("key", &None::<()>);
/// constraints.at_least("limit", Some(0), 1);
/// assert_eq!(
///     constraints.finish().unwrap_err().message(),
///     "2 validation errors detected: Value null at 'key' failed to satisfy constraint: \
///      Member must not be null; Value '0' at 'limit' failed to satisfy constraint: \
///      Member must have value greater than or equal to 1"
/// );
/// ```
#[derive(Default)]
pub struct Constraints {
    violations: Vec<String>,
}

impl Constraints {
    /// A required member.
    pub fn required<T>(&mut self, path: &str, member: &Option<T>) {
        if member.is_none() {
            self.violate("null", path, "Member must not be null");
        }
    }

    /// A number with a lower bound.
    pub fn at_least(&mut self, path: &str, number: Option<i64>, min: i64) {
        if let Some(number) = number.filter(|number| *number < min) {
            self.violate(
                Quoted(number),
                path,
                format_args!("Member must have value greater than or equal to {min}"),
            );
        }
    }

    /// A number with an upper bound.
    pub fn at_most(&mut self, path: &str, number: Option<i64>, max: i64) {
        if let Some(number) = number.filter(|number| *number > max) {
            self.violate(
                Quoted(number),
                path,
                format_args!("Member must have value less than or equal to {max}"),
            );
        }
    }

    /// A string, list or map with a minimum length; `shown` is the member as the service prints it.
    pub fn length_at_least(
        &mut self,
        path: &str,
        shown: impl fmt::Display,
        len: usize,
        min: usize,
    ) {
        if len < min {
            self.violate(
                Quoted(shown),
                path,
                format_args!("Member must have length greater than or equal to {min}"),
            );
        }
    }

    /// A string, list or map with a maximum length.
    pub fn length_at_most(&mut self, path: &str, shown: impl fmt::Display, len: usize, max: usize) {
        if len > max {
            self.violate(
                Quoted(shown),
                path,
                format_args!("Member must have length less than or equal to {max}"),
            );
        }
    }

    /// A string with a pattern, which the caller has checked.
    pub fn pattern(&mut self, path: &str, text: &str, pattern: &str, fits: bool) {
        if !fits {
            self.violate(
                Quoted(text),
                path,
                format_args!("Member must satisfy regular expression pattern: {pattern}"),
            );
        }
    }

    /// A string with a fixed set of values; returns its meaning. `choices` are in the service's
    /// order.
    pub fn one_of<T: Copy>(
        &mut self,
        path: &str,
        text: Option<&str>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = text?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.violate(
                Quoted(text),
                path,
                format_args!("Member must satisfy enum value set: [{}]", names.join(", ")),
            );
        }
        found
    }

    /// A violation in the service's wording; `value` is printed unchanged.
    pub fn violate(&mut self, value: impl fmt::Display, path: &str, constraint: impl fmt::Display) {
        if self.violations.len() < TOLD_MAX {
            self.violations.push(format!(
                "Value {value} at '{}' failed to satisfy constraint: {constraint}",
                Excerpt(path)
            ));
        }
    }

    /// A `ValidationException` with all violations, if there are any.
    pub fn finish(self) -> Result<()> {
        match self.violations.len() {
            0 => Ok(()),
            1 => Err(self.told("1 validation error detected: ")),
            count => Err(self.told(&format!("{count} validation errors detected: "))),
        }
    }

    fn told(self, prefix: &str) -> Error {
        Error::validation(format!("{prefix}{}", self.violations.join("; ")))
    }
}

/// Checks the length of a list or map for which the service uses a newer framework: its message has
/// the member's name as in the body, and omits the value.
pub(crate) fn check_length(path: &str, len: usize, min: usize, max: usize) -> Result<()> {
    let (bound, limit) = match len {
        _ if len < min => ("greater", min),
        _ if len > max => ("less", max),
        _ => return Ok(()),
    };
    Err(Error::validation(format!(
        "1 validation error detected: Value at '{}' failed to satisfy constraint: \
         Member must have length {bound} than or equal to {limit}",
        Excerpt(path)
    )))
}

/// A value in quotes, which the service puts around everything but `null`. Long values are
/// truncated.
pub struct Quoted<T>(pub T);

impl<T: fmt::Display> fmt::Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", Excerpt(&self.0))
    }
}

/// A list as Java prints it: `[a, b]`. A truncated list shows its beginning and the number of
/// remaining elements: `[a, b, ...(7 more)]`.
pub struct JavaList<'a, T> {
    /// All elements, or the first ones.
    pub elements: &'a [T],
    /// The total number of elements.
    pub count: usize,
}

impl<'a, T> JavaList<'a, T> {
    /// A complete list.
    pub fn of(elements: &'a [T]) -> Self {
        Self { elements, count: elements.len() }
    }
}

impl<T: fmt::Display> fmt::Display for JavaList<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (place, element) in self.elements.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            element.fmt(f)?;
        }
        match self.count.saturating_sub(self.elements.len()) {
            0 => f.write_str("]"),
            more => write!(f, ", ...({more} more)]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_ten_violations_are_reported() {
        let mut constraints = Constraints::default();
        for _ in 0..12 {
            constraints.required("tableName", &None::<()>);
        }
        let error = constraints.finish().unwrap_err();
        assert!(
            error.message().starts_with("10 validation errors detected: Value null at 'tableName'")
        );
    }

    #[test]
    fn a_truncated_list_counts_the_remaining_elements() {
        assert_eq!(JavaList::of(&["a", "b"]).to_string(), "[a, b]");
        assert_eq!(JavaList { elements: &["a", "b"], count: 9 }.to_string(), "[a, b, ...(7 more)]");
        let mut constraints = Constraints::default();
        constraints.length_at_most("x.".repeat(9000).as_str(), "y".repeat(9000), 9000, 3);
        let error = constraints.finish().unwrap_err();
        assert!(error.message().contains("y...(4904 more bytes)' at 'x."), "{error}");
        assert!(error.message().ends_with("less than or equal to 3"), "{error}");
        assert!(error.message().len() < 9000);
    }

    #[test]
    fn choices_are_listed_in_the_services_order() {
        let mut constraints = Constraints::default();
        let choices = [("INDEXES", 1), ("TOTAL", 2), ("NONE", 3)];
        assert_eq!(constraints.one_of("x", Some("TOTAL"), &choices), Some(2));
        assert_eq!(constraints.one_of("returnConsumedCapacity", Some("hi"), &choices), None);
        assert_eq!(
            constraints.finish().unwrap_err().message(),
            "1 validation error detected: Value 'hi' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
        );
    }
}
