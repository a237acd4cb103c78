//! Names and texts written by people.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_segmentation::UnicodeSegmentation as _;

/// Average bytes allowed per character of a name. A family emoji has 25, but no name consists of
/// those alone.
const BYTES_PER_CHARACTER: usize = 16;
/// Input characters allowed per stored one: trimming and NFC shorten a text.
const CHARS_READ: usize = 4;
/// Combining marks allowed in a row. Languages stack up to four; more overflow into adjacent lines.
const MARKS_MAX: usize = 4;
/// Minimum allowance for growth by NFKC: that of a single character. U+FDFA expands to eighteen
/// letters.
const GROWTH_MIN: usize = 17;
/// Variation selector for coloured emoji.
const EMOJI_STYLE: char = '\u{fe0f}';
const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// A display name: one line, trimmed, with single spaces, in NFC.
///
/// ```
/// use singlet_web::text::DisplayName;
///
/// let name = DisplayName::parse("  Zoe\u{308}   B. ", 1..=24).unwrap();
/// assert_eq!(name.as_str(), "Zoë B.");
/// // What looks the same has the same skeleton.
/// let fake = DisplayName::parse("ΖOË В.", 1..=24).unwrap();
/// assert_eq!(fake.skeleton(), name.skeleton());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DisplayName(String);

impl DisplayName {
    /// Parses a name of this many user-perceived characters: a letter with its accents is one, and
    /// so is a flag.
    ///
    /// # Errors
    ///
    /// The rule it breaks: "must have 1 to 24 characters".
    pub fn parse(text: &str, characters: RangeInclusive<usize>) -> Result<Self, Cow<'static, str>> {
        let (min, max) = (*characters.start(), *characters.end());
        let wrong_length = || Err(format!("must have {min} to {max} characters").into());
        // Reject huge input unread.
        if text.len() > BYTES_PER_CHARACTER.saturating_mul(max) {
            return wrong_length();
        }
        let name = text.nfc().collect::<String>();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut count = 0;
        let mut before = None;
        for grapheme in name.graphemes(true) {
            count += 1;
            if grapheme.chars().filter(|character| is_mark(*character)).count() > MARKS_MAX {
                return Err("must have at most four accents on a letter".into());
            }
            check_invisible(grapheme, before)?;
            before = grapheme.chars().next_back();
        }
        if min > 0 && is_blank(&name) {
            return Err("must not be empty".into());
        }
        if !characters.contains(&count) {
            return wrong_length();
        }
        // The skeleton is built from NFKC, so this bounds its length too.
        if name.nfkc().count() > name.chars().count() + max.max(GROWTH_MIN) {
            return Err("must have fewer characters that stand for several letters".into());
        }
        Ok(Self(name))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as a string.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// Equal for names that look alike: ignores case, width, and look-alike letters of other
    /// scripts. Compare skeletons, show names.
    #[must_use]
    pub fn skeleton(&self) -> String {
        skeleton(&self.0)
    }
}

impl fmt::Display for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The case-insensitive skeleton of Unicode's UTS #39: equal for texts that look alike. Never
/// shown.
#[must_use]
pub fn skeleton(text: &str) -> String {
    let flat = |text: &str| unicode_security::skeleton(text).collect::<String>().to_lowercase();
    // First with capitals: one of another script may look Latin while its small letter does not.
    // Then again in lower case, where m becomes rn.
    let skeleton = flat(&flat(&text.nfkc().collect::<String>()));
    // Capital I and small l are equal by now; small i is a third look-alike.
    let skeleton = skeleton.replace('i', "l");
    skeleton.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A multi-line text as stored: trimmed, in NFC, without control or bidi characters. May be empty.
///
/// ```
/// assert_eq!(singlet_web::text::clean_text("  one\r\ntwo\u{202e}\0 "), "one\ntwo");
/// ```
#[must_use]
pub fn clean_text(text: &str) -> String {
    let is_kept = |character: &char| {
        let turns_around = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        matches!(character, '\n' | '\t') || !(character.is_control() || turns_around)
    };
    let text: String = text.nfc().filter(is_kept).collect();
    text.trim().to_owned()
}

/// A [`DisplayName`] of 1 to `MAX` characters, validated during deserialization.
///
/// ```
/// use singlet_web::text::Name;
///
/// let name: Name<24> = "  Zoe\u{308}   B. ".parse().unwrap();
/// assert_eq!(name.as_str(), "Zoë B.");
/// assert!("\u{200b}".parse::<Name<24>>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Name<const MAX: usize>(DisplayName);

impl<const MAX: usize> Name<MAX> {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl<const MAX: usize> FromStr for Name<MAX> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        DisplayName::parse(text, 1..=MAX).map(Self).map_err(TextError)
    }
}

/// A text of `CHARS_MIN` to `CHARS_MAX` characters, cleaned by [`clean_text`] and validated during
/// deserialization. Blank texts are rejected unless `CHARS_MIN` is 0.
///
/// ```
/// use singlet_web::text::CleanText;
///
/// let text: CleanText<20> = "  Thank you. ".parse().unwrap();
/// assert_eq!(text.as_str(), "Thank you.");
/// assert!(" \u{200b}\n".parse::<CleanText<20>>().is_err());
/// assert!("Thank you very, very much.".parse::<CleanText<20>>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CleanText<const CHARS_MAX: usize, const CHARS_MIN: usize = 1>(String);

impl<const CHARS_MAX: usize, const CHARS_MIN: usize> CleanText<CHARS_MAX, CHARS_MIN> {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as a string.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// The rule a text breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError(Cow<'static, str>);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

/// A missing text is empty, if that is allowed.
impl<const CHARS_MAX: usize> Default for CleanText<CHARS_MAX, 0> {
    fn default() -> Self {
        Self(String::new())
    }
}

impl<const CHARS_MAX: usize, const CHARS_MIN: usize> FromStr for CleanText<CHARS_MAX, CHARS_MIN> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let text = clean_text(text);
        let chars = text.chars().count();
        if CHARS_MIN > 0 && is_blank(&text) {
            return Err(TextError("must not be blank".into()));
        }
        if chars < CHARS_MIN {
            return Err(TextError(format!("must have at least {CHARS_MIN} characters").into()));
        }
        if chars > CHARS_MAX {
            return Err(TextError(format!("must have at most {CHARS_MAX} characters").into()));
        }
        Ok(Self(text))
    }
}

macro_rules! in_requests {
    ($($name:ident[$($generic:ident),+], $min:expr, $max:expr;)+) => {
        $(
            impl<$(const $generic: usize),+> TryFrom<String> for $name<$($generic),+> {
                type Error = TextError;

                fn try_from(text: String) -> Result<Self, TextError> {
                    text.parse()
                }
            }

            impl<$(const $generic: usize),+> JsonSchema for $name<$($generic),+> {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    Cow::Borrowed(stringify!($name))
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({"type": "string", "minLength": $min, "maxLength": $max})
                }
            }
        )+
    };
}

in_requests! {
    Name[MAX], 1, MAX * BYTES_PER_CHARACTER;
    // The length is checked after cleaning.
    CleanText[CHARS_MAX, CHARS_MIN], CHARS_MIN, CHARS_MAX * CHARS_READ;
}

/// Whether a text has no visible character. Accents alone are invisible.
fn is_blank(text: &str) -> bool {
    let is_unseen = |one: char| one.is_whitespace() || is_ignorable(one) || is_combining_mark(one);
    text.chars().all(is_unseen)
}

fn is_mark(character: char) -> bool {
    is_combining_mark(character) && !is_ignorable(character)
}

/// Rejects invisible characters without effect and bidi controls, which make different names look
/// the same.
fn check_invisible(grapheme: &str, mut before: Option<char>) -> Result<(), &'static str> {
    let mut rest = grapheme.chars();
    while let Some(character) = rest.next() {
        let is_needed = match character {
            EMOJI_STYLE => true,
            // After a virama (IDNA's rule), or inside an emoji.
            JOINER => {
                let after = rest.clone().next().is_some_and(|next| !is_ignorable(next));
                before.is_some_and(is_virama) || after
            }
            NON_JOINER => before.is_some_and(|before| is_virama(before) || is_cursive(before)),
            // The flags of England, Scotland and Wales use tag characters.
            '\u{e0020}'..='\u{e007f}' => grapheme.starts_with('\u{1f3f4}'),
            other => !is_ignorable(other) && !other.is_control(),
        };
        if !is_needed {
            return Err("must have no invisible characters and none that turn text around");
        }
        before = Some(character);
    }
    Ok(())
}

/// The sign of Indic scripts that joins two consonants.
fn is_virama(character: char) -> bool {
    canonical_combining_class(character) == 9
}

/// Letters of cursive scripts: Arabic, Syriac, N'Ko and related ones.
fn is_cursive(character: char) -> bool {
    character.is_alphabetic() && matches!(character, '\u{620}'..='\u{8ff}')
}

/// Invisible characters: Unicode's default ignorables, line separators, annotations, and blank
/// Braille.
fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}')
        || matches!(character, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2800}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(character, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(character, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(character, '\u{e0000}'..='\u{e0fff}')
}
