//! What players are called.

/// How many characters a name may have.
pub const NAME_CHARS_MAX: u32 = 24;

/// A name as it is shown: without blanks around it, and with single ones within.
///
/// # Errors
///
/// What is wrong with it, to be said after "the name".
pub fn read_name(text: &str) -> Result<String, &'static str> {
    // Nobody needs a megabyte to be looked at before it is refused.
    if text.len() > 16 * NAME_CHARS_MAX as usize {
        return Err("must have at most 24 characters");
    }
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err("must not be empty");
    }
    if name.chars().count() > NAME_CHARS_MAX as usize {
        return Err("must have at most 24 characters");
    }
    if name.chars().any(is_unshowable) {
        return Err("must have no characters that cannot be seen or that turn text around");
    }
    Ok(name)
}

/// Characters that change how others are shown, or that cannot be seen: with them two names could
/// look the same, or one could turn the text around it.
fn is_unshowable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}')
        || matches!(character, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(character, '\u{e0000}'..='\u{e0fff}')
}

/// Whether two names are the same to people.
///
/// ```
/// assert!(singlet_snakes::name::is_same_name("Ann", "ann"));
/// ```
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tidied() {
        assert_eq!(read_name("  Ann   B. "), Ok("Ann B.".to_owned()));
        assert_eq!(read_name("Zoë 🐍"), Ok("Zoë 🐍".to_owned()));
        // Markup is text like any other. Where it is shown, it is shown as text.
        assert_eq!(read_name("<b>Bob</b>"), Ok("<b>Bob</b>".to_owned()));
    }

    #[test]
    fn what_cannot_be_shown_is_no_name() {
        let long = "x".repeat(25);
        let megabyte = "x".repeat(1 << 20);
        for wrong in ["", "   ", "a\u{0}b", "a\u{202e}b", "\u{200b}", "a\u{feff}", &long, &megabyte]
        {
            assert!(read_name(wrong).is_err(), "{wrong:?}");
        }
        assert!(read_name(&"ä".repeat(24)).is_ok());
    }

    #[test]
    fn small_and_large_letters_are_the_same() {
        assert!(is_same_name("ÄNNE", "änne"));
        assert!(!is_same_name("Ann", "Anna"));
    }
}
