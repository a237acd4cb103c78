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
    if name.chars().all(|character| character == ' ' || is_modifier(character)) {
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
/// look the same, or one could turn the text around it. They are those that Unicode calls default
/// ignorable, but for one (see [`is_modifier`]), those that divide lines, and a blank that is none:
/// Braille without a dot.
fn is_unshowable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}')
        || matches!(character, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2800}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}')
        || matches!(character, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(character, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(character, '\u{e0000}'..='\u{e0fff}')
}

/// The one character that cannot be seen and is allowed all the same: keyboards write it after a
/// heart, to have it in colour.
fn is_modifier(character: char) -> bool {
    character == '\u{fe0f}'
}

/// Whether two names are the same to people: whatever their capitals, their width and the colour of
/// their hearts.
///
/// ```
/// assert!(singlet_snakes::name::is_same_name("Ann", "ann"));
/// assert!(singlet_snakes::name::is_same_name("Ann", "Ａnn"));
/// ```
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    folded(one) == folded(other)
}

fn folded(name: &str) -> String {
    let seen = name.chars().filter(|character| !is_modifier(*character));
    seen.map(narrow).collect::<String>().to_lowercase()
}

/// Letters, digits and signs of ASCII have wide twins, for texts in Chinese and Japanese.
fn narrow(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        _ => None,
    }
    .unwrap_or(character)
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
    fn what_cannot_be_seen_makes_no_other_name() {
        for wrong in ["Ann\u{34f}", "\u{2800}", "Ann\u{2800}", "\u{fe0f}", "\u{fe0f} \u{fe0f}"] {
            assert!(read_name(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(read_name("Ann ❤\u{fe0f}"), Ok("Ann ❤\u{fe0f}".to_owned()));
        assert!(is_same_name("Ann ❤", "Ann ❤\u{fe0f}"));
        assert!(is_same_name("Ann", "Ann\u{fe0f}"));
        assert!(is_same_name("ａＮＮ！", "Ann!"));
        assert!(!is_same_name("Ａnn", "Anna"));
    }

    #[test]
    fn small_and_large_letters_are_the_same() {
        assert!(is_same_name("ÄNNE", "änne"));
        assert!(!is_same_name("Ann", "Anna"));
    }
}
