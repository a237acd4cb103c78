//! Search while somebody types: two Queries, 105 items at most, however large the catalogue is.

use super::Service;
use crate::design::{SiteWord, Tag, WordStart};
use crate::error::Error;
use crate::rules::{WORD_CHARS_MAX, typed_words};
use crate::view::{FoundSite, SearchResult};

/// How many words are looked at: one more is read, which tells whether there are more.
const WORDS_READ_MAX: usize = 99;
/// How many sites are shown.
const SITES_MAX: usize = 8;
/// How many tags are shown.
const TAGS_MAX: usize = 5;

impl Service {
    /// R4: tags that begin with the last word, and sites that have all words. The longest word is
    /// looked for; the others must begin a word of the same site.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn search(&self, typed: &str) -> Result<SearchResult, Error> {
        let words = typed_words(typed);
        let mut found = SearchResult::default();
        let count = |word: &String| word.chars().count();
        // A longer one begins no word and no tag, and has no room in a key.
        let is_too_long = |word: &String| count(word) > WORD_CHARS_MAX;
        let Some(last) = words.last() else { return Ok(found) };
        if !is_too_long(last) {
            let tags = self.db.query(Tag::all().starting_with(last).limit(TAGS_MAX)).all().await?;
            found.tags = tags.into_iter().map(|item| item.tag.to_string()).collect();
        }
        if words.iter().any(is_too_long) {
            return Ok(found);
        }
        // Of words of one length the first: the last one is often not complete.
        let longest = words.iter().rev().max_by_key(|word| count(word));
        let Some(longest) = longest.filter(|word| count(word) >= 2) else { return Ok(found) };
        let Ok(start) = WordStart::new(longest.chars().take(2).collect::<String>()) else {
            return Ok(found);
        };
        let query = SiteWord::beginning_with(&start).starting_with(longest).limit(WORDS_READ_MAX);
        let page = self.db.query(query).page(None).await?;
        found.partial = page.next.is_some();
        for item in page.items {
            let has = |word: &String| item.words.iter().any(|one| one.starts_with(word.as_str()));
            let id = item.id.to_string();
            let is_new = !found.sites.iter().any(|site| site.id == id);
            if is_new && found.sites.len() < SITES_MAX && words.iter().all(has) {
                found.sites.push(FoundSite { id, title: item.title });
            }
        }
        Ok(found)
    }
}
