//! Names and texts that people write.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_segmentation::UnicodeSegmentation as _;

/// How many bytes a character of a name may have on average, as it is sent. A family of emoji has
/// 25, and nobody has a name of those alone.
const BYTES_PER_CHARACTER: usize = 16;
/// How many combining marks may follow each other. Languages stack up to four; more of them run
/// over the lines above and below.
const MARKS_MAX: usize = 4;
/// How many characters the compatibility form of a name may have more, however short the name must
/// be: as many as that of one character has. U+FDFA stands for eighteen letters.
const GROWTH_MIN: usize = 17;
/// What follows an emoji to have it in colour.
const EMOJI_STYLE: char = '\u{fe0f}';
const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// A name as it is shown: one line, without blanks around it, single blanks within, in NFC.
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
    /// Reads a name with so many characters, as readers count them: a letter with its accents is
    /// one, and a flag is one.
    ///
    /// # Errors
    ///
    /// What the name must be: "must have 1 to 24 characters".
    pub fn parse(text: &str, characters: RangeInclusive<usize>) -> Result<Self, Cow<'static, str>> {
        let (min, max) = (*characters.start(), *characters.end());
        let wrong_length = || Err(format!("must have {min} to {max} characters").into());
        // A megabyte is refused unread.
        if text.len() > BYTES_PER_CHARACTER.saturating_mul(max) {
            return wrong_length();
        }
        let name = text.nfc().collect::<String>();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut count = 0;
        let mut is_blank = true;
        let mut before = None;
        for grapheme in name.graphemes(true) {
            count += 1;
            is_blank &=
                grapheme.chars().all(|character| character == ' ' || is_ignorable(character));
            if grapheme.chars().filter(|character| is_mark(*character)).count() > MARKS_MAX {
                return Err("must have at most four accents on a letter".into());
            }
            check_invisible(grapheme, before)?;
            before = grapheme.chars().next_back();
        }
        if is_blank && min > 0 {
            return Err("must not be empty".into());
        }
        if !characters.contains(&count) {
            return wrong_length();
        }
        // The skeleton is made of the compatibility form, so that its length is bounded too.
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

    /// The name as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// The same for all names that people would take for this one: Latin capitals, width, and
    /// letters of other scripts that look the same make no difference. Compare skeletons, and
    /// show names.
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

/// What a text looks like, whatever it is written with: the skeleton of Unicode's UTS #39, without
/// capitals. Texts that look alike have the same. It is never shown.
#[must_use]
pub fn skeleton(text: &str) -> String {
    let flat = |text: &str| unicode_security::skeleton(text).collect::<String>().to_lowercase();
    // First as it is: a capital of another script may look like a Latin one, and its small letter
    // like none. Then the small letters: an m becomes rn.
    let skeleton = flat(&flat(&text.nfkc().collect::<String>()));
    // A capital I and a small L look the same, and were made one by now; a small i is a third.
    let skeleton = skeleton.replace('i', "l");
    skeleton.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of several lines as it is stored: without blanks around it, in NFC, and without
/// characters that control a terminal or turn the text after them around. It may be empty then.
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

/// A text of 1 to `CHARS_MAX` characters, as [`clean_text`] returns it. A blank one is refused. In a
/// request body it is checked when the body is read.
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
pub struct CleanText<const CHARS_MAX: usize>(String);

impl<const CHARS_MAX: usize> CleanText<CHARS_MAX> {
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

/// What is wrong with a text: it is blank, or too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError(Cow<'static, str>);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

impl<const CHARS_MAX: usize> FromStr for CleanText<CHARS_MAX> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let text = clean_text(text);
        if text.chars().all(|character| character.is_whitespace() || is_ignorable(character)) {
            return Err(TextError("must not be blank".into()));
        }
        if text.chars().count() > CHARS_MAX {
            return Err(TextError(format!("must have at most {CHARS_MAX} characters").into()));
        }
        Ok(Self(text))
    }
}

impl<const CHARS_MAX: usize> TryFrom<String> for CleanText<CHARS_MAX> {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        text.parse()
    }
}

impl<const CHARS_MAX: usize> JsonSchema for CleanText<CHARS_MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("CleanText")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1, "maxLength": CHARS_MAX})
    }
}

fn is_mark(character: char) -> bool {
    is_combining_mark(character) && !is_ignorable(character)
}

/// Refuses characters that cannot be seen where they change nothing, and those that turn text
/// around: with them two names could look the same.
fn check_invisible(grapheme: &str, mut before: Option<char>) -> Result<(), &'static str> {
    let mut rest = grapheme.chars();
    while let Some(character) = rest.next() {
        let is_needed = match character {
            EMOJI_STYLE => true,
            // After a sign that joins consonants (IDNA's rule), or inside an emoji.
            JOINER => {
                let after = rest.clone().next().is_some_and(|next| !is_ignorable(next));
                before.is_some_and(is_virama) || after
            }
            NON_JOINER => before.is_some_and(|before| is_virama(before) || is_cursive(before)),
            // The flags of England, Scotland and Wales are spelled with tags.
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

/// Letters of scripts whose letters are joined as in handwriting: Arabic, Syriac, N'Ko and theirs.
fn is_cursive(character: char) -> bool {
    character.is_alphabetic() && matches!(character, '\u{620}'..='\u{8ff}')
}

/// Characters that are not shown: those that Unicode calls default ignorable, those that divide
/// lines, annotations, and Braille without a dot.
fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}')
        || matches!(character, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2800}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(character, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(character, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(character, '\u{e0000}'..='\u{e0fff}')
}
