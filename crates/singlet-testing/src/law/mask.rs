//! Masks random values, so that the items of two runs can be compared.

use super::effects::Effects;
use std::collections::BTreeSet;

/// The words that two undisturbed runs have in common. All others are random ids, codes and hashes
/// and are replaced by `*`.
pub(super) struct Mask(BTreeSet<String>);

impl Mask {
    pub(super) fn of(one: &Effects, other: &Effects) -> Self {
        let words = |effects: &Effects| -> BTreeSet<String> {
            let texts: Vec<String> = effects.iter().map(text).collect();
            texts.iter().flat_map(|text| words(text)).map(|(_, word)| word.to_owned()).collect()
        };
        Self(words(one).intersection(&words(other)).cloned().collect())
    }

    /// One sorted line per item, with random words masked.
    pub(super) fn apply(&self, effects: &Effects) -> Vec<String> {
        let mut texts: Vec<String> = effects.iter().map(|one| self.hide(&text(one))).collect();
        texts.sort_unstable();
        texts
    }

    fn hide(&self, text: &str) -> String {
        let (mut out, mut end) = (String::with_capacity(text.len()), 0);
        for (start, word) in words(text) {
            out.push_str(&text[end..start]);
            out.push_str(if self.0.contains(word) { word } else { "*" });
            end = start + word.len();
        }
        out + &text[end..]
    }
}

/// An item with its table, or the key of a deleted one.
fn text(((table, key), item): &(super::effects::ItemKey, Option<singlet::dynamo::Item>)) -> String {
    match item {
        Some(item) => format!("{table} {item:?}"),
        None => format!("{table} {key} is deleted"),
    }
}

/// The words of a text with their offsets. Ids and times are one word each.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_.:+=/~".contains(letter);
    text.split(move |letter| !is_part(letter))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet::dynamo::{Item, Value};

    fn run(id: &str, score: &str) -> Effects {
        let key = ("games".to_owned(), format!("GAME#{id}"));
        let item = Item::from([("id", Value::from(id)), ("score", Value::from(score))]);
        vec![(key, Some(item))]
    }

    #[test]
    fn ids_that_differ_are_hidden_and_a_wrong_score_is_not() {
        let mask = Mask::of(&run("a1", "3"), &run("b2", "3"));
        let done = mask.apply(&run("a1", "3"));
        assert_eq!(mask.apply(&run("c3", "3")), done);
        assert_ne!(mask.apply(&run("c3", "4")), done);
    }

    #[test]
    fn the_parts_of_a_key_are_words() {
        let found: Vec<&str> =
            words("GAME#x-1#2026-05-04T10:00:00.000Z {S:a}").map(|one| one.1).collect();
        assert_eq!(found, ["GAME", "x-1", "2026-05-04T10:00:00.000Z", "S:a"]);
    }
}
