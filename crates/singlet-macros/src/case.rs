//! Case conversion of field and variant names.

use syn::LitStr;

/// A naming convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `joinedAt`
    Camel,
    /// `JoinedAt`
    Pascal,
    /// `joined_at`
    Snake,
    /// `JOINED_AT`
    ScreamingSnake,
    /// `joined-at`
    Kebab,
    /// `joinedat`
    Lower,
    /// `JOINEDAT`
    Upper,
}

/// The conventions, by their serde names.
const CASES: [(&str, Case); 7] = [
    ("camelCase", Case::Camel),
    ("PascalCase", Case::Pascal),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
];

impl Case {
    pub(crate) fn parse(name: &LitStr) -> syn::Result<Self> {
        let wanted = name.value();
        CASES.iter().find(|(own, _)| *own == wanted).map(|(_, case)| *case).ok_or_else(|| {
            let known: Vec<String> = CASES.iter().map(|(own, _)| format!("`{own}`")).collect();
            syn::Error::new(
                name.span(),
                format!("`rename_all` does not know this; it knows {}", known.join(", ")),
            )
        })
    }

    /// Converts the Rust name of a field or variant.
    pub(crate) fn apply(self, name: &str) -> String {
        let words = words(name);
        let capitalised = |word: &String| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        };
        match self {
            Self::Snake => words.join("_"),
            Self::ScreamingSnake => words.join("_").to_uppercase(),
            Self::Kebab => words.join("-"),
            Self::Lower => words.concat(),
            Self::Upper => words.concat().to_uppercase(),
            Self::Pascal => words.iter().map(capitalised).collect(),
            Self::Camel => {
                let rest = words.iter().skip(1).map(capitalised);
                words.first().cloned().into_iter().chain(rest).collect()
            }
        }
    }
}

/// The words of a snake-case or Pascal-case name, in lowercase.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.split('_').filter(|part| !part.is_empty()) {
        let is_shouted = part.chars().all(|letter| !letter.is_lowercase());
        let mut is_new = true;
        for letter in part.chars() {
            if is_new || (letter.is_uppercase() && !is_shouted) {
                words.push(String::new());
                is_new = false;
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_in_every_way() {
        let all = |name: &str| CASES.map(|(_, case)| case.apply(name)).join(" ");
        let expected = "joinedAt JoinedAt joined_at JOINED_AT joined-at joinedat JOINEDAT";
        assert_eq!(all("joined_at"), expected);
        assert_eq!(all("JoinedAt"), expected);
        assert_eq!(all("id"), "id Id id ID id id ID");
        assert_eq!(Case::Snake.apply("HBP"), "hbp");
    }
}
