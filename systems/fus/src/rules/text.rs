//! Words by which sites are found, and tags.

use singlet_web::prelude::*;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Maximum number of indexed words per site.
pub const WORDS_MAX: usize = 40;
const TAG_CHARS_MAX: usize = 40;
const TAGS_MAX: usize = 200;
const WORD_CHARS_MIN: usize = 2;
/// Maximum length of a word; tags are no longer than this.
pub const WORD_CHARS_MAX: usize = 40;
/// Maximum number of words of a query that are used.
const TYPED_MAX: usize = 20;

/// Folds text for comparison: NFKC, lower case, no accents.
///
/// ```
/// assert_eq!(fus::rules::fold("Ｚoë's Café"), "zoe's cafe");
/// ```
pub fn fold(text: &str) -> String {
    let small = text.nfkc().collect::<String>().to_lowercase();
    small.nfkd().filter(|character| !is_combining_mark(*character)).nfc().collect()
}

/// The words of a folded text: letters and digits, in their order.
fn split(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The words of a site: of its title, then of its host. Each once, in this order.
///
/// ```
/// let words = fus::rules::site_words("Rust by Example", "rust.example");
/// assert_eq!(words, ["rust", "by", "example"]);
/// ```
pub fn site_words(title: &str, host: &str) -> Vec<String> {
    let folded = format!("{} {}", fold(title), fold(host));
    let mut seen = BTreeSet::new();
    split(&folded)
        .filter(|word| {
            (WORD_CHARS_MIN..=WORD_CHARS_MAX).contains(&word.chars().count()) && seen.insert(*word)
        })
        .take(WORDS_MAX)
        .map(str::to_owned)
        .collect()
}

/// The words of a query, in order, including single characters.
pub fn typed_words(typed: &str) -> Vec<String> {
    split(&fold(typed)).take(TYPED_MAX).map(str::to_owned).collect()
}

/// Whether every typed word begins one of these words.
pub fn has_words(words: &[String], typed: &[String]) -> bool {
    typed.iter().all(|typed| words.iter().any(|word| word.starts_with(typed.as_str())))
}

/// Normalizes a tag: lower case letters, digits, `-`, `+` and `.`. Returns None for invalid text. A
/// leading `#` is dropped; elsewhere it is part of the name, as in "C#".
///
/// ```
/// use fus::rules::parse_tag;
///
/// assert_eq!(parse_tag(" #Harbour Links ").as_deref(), Some("harbour-links"));
/// assert_eq!(parse_tag("C#").as_deref(), Some("csharp"));
/// assert_eq!(parse_tag("<b>"), None);
/// ```
pub fn parse_tag(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('#');
    let small = text.nfc().collect::<String>().to_lowercase();
    let tag = small.split_whitespace().collect::<Vec<_>>().join("-").replace('#', "sharp");
    let is_allowed =
        |character: char| character.is_alphanumeric() || matches!(character, '-' | '+' | '.');
    let is_tag = (1..=TAG_CHARS_MAX).contains(&tag.chars().count()) && tag.chars().all(is_allowed);
    is_tag.then_some(tag)
}

/// A tag in a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct NewTag(#[schemars(length(min = 1, max = 160))] pub String);

impl TryFrom<String> for NewTag {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        parse_tag(&text).map(Self).ok_or("must be 1 to 40 letters, digits, -, + or .")
    }
}

/// The tags of a site in a request, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<NewTag>")]
pub struct NewTags(pub Vec<String>);

impl TryFrom<Vec<NewTag>> for NewTags {
    type Error = &'static str;

    fn try_from(tags: Vec<NewTag>) -> Result<Self, Self::Error> {
        let mut seen = BTreeSet::new();
        let mut tags: Vec<String> = tags.into_iter().map(|NewTag(tag)| tag).collect();
        tags.retain(|tag| seen.insert(tag.clone()));
        if tags.len() > TAGS_MAX { Err("must have at most 200 entries") } else { Ok(Self(tags)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_split_and_counted() {
        let rows: [(&str, &str, &[&str]); 6] = [
            (
                "Rust by Example",
                "doc.rust-lang.org",
                &["rust", "by", "example", "doc", "lang", "org"],
            ),
            ("Café Zoë", "x.example", &["cafe", "zoe", "example"]),
            ("A B C", "d", &[]),
            ("Ⅳ ﬁne", "", &["iv", "fine"]),
            ("rust RUST Rüst", "", &["rust"]),
            ("日本語 の 本", "例え.jp", &["日本語", "例え", "jp"]),
        ];
        for (title, host, expected) in rows {
            assert_eq!(site_words(title, host), expected, "{title}");
        }
        let long = "x".repeat(41);
        assert_eq!(site_words(&long, ""), [] as [&str; 0]);
        let many: String = (10..99).map(|number| format!("w{number} ")).collect();
        assert_eq!(site_words(&many, "").len(), WORDS_MAX);
    }

    #[test]
    fn typed_words_may_be_short() {
        assert_eq!(typed_words("rust b"), ["rust", "b"]);
        assert_eq!(typed_words("  #!  "), [] as [&str; 0]);
    }

    #[test]
    fn tags_have_one_spelling() {
        let rows = [
            ("rust", Some("rust")),
            ("Harbour  Links", Some("harbour-links")),
            ("#rust", Some("rust")),
            (" ##Rust by example", Some("rust-by-example")),
            ("C#", Some("csharp")),
            ("#C# tips", Some("csharp-tips")),
            ("#", None),
            ("C++", Some("c++")),
            ("node.js", Some("node.js")),
            ("Übung", Some("übung")),
            ("", None),
            ("   ", None),
            ("a/b", None),
            ("<script>", None),
            ("a_b", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_tag(text).as_deref(), expected, "{text:?}");
        }
        assert!(parse_tag(&"x".repeat(40)).is_some());
        assert!(parse_tag(&"x".repeat(41)).is_none());
    }
}
