//! Truncates quoted parts of a request in error messages.
//!
//! The service quotes invalid values in full. Here a value is truncated to [`EXCERPT_SIZE_MAX`]
//! bytes: an error of 270 MB is useless, and costs the server more than the request cost its
//! sender.

use std::fmt::{self, Write as _};

/// Maximum size of one quoted value. No recorded error is that long, and ten violated constraints
/// with a value each stay below the limit of the whole message.
pub(crate) const EXCERPT_SIZE_MAX: usize = 4096;

/// Displays a value, truncated to [`EXCERPT_SIZE_MAX`] bytes with the number of remaining bytes:
/// `aaaa...(12 more bytes)`.
pub(crate) struct Excerpt<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for Excerpt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut window = Window { out: f, left: EXCERPT_SIZE_MAX, more: 0 };
        write!(window, "{}", self.0)?;
        match window.more {
            0 => Ok(()),
            more => write!(f, "...({more} more bytes)"),
        }
    }
}

/// Passes on the first bytes and counts the others.
struct Window<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
    more: usize,
}

impl fmt::Write for Window<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // After the first dropped byte, nothing may follow.
        let fits = if self.more > 0 { 0 } else { text.floor_char_boundary(self.left) };
        let (shown, rest) = text.split_at(fits);
        self.left -= shown.len();
        self.more += rest.len();
        self.out.write_str(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_between_two_characters() {
        let text = "é".repeat(EXCERPT_SIZE_MAX / 2);
        assert_eq!(Excerpt(&text).to_string(), text);
        let shown = Excerpt(format_args!("x{text}y")).to_string();
        assert_eq!(shown, format!("x{}...(3 more bytes)", "é".repeat(EXCERPT_SIZE_MAX / 2 - 1)));
    }
}
