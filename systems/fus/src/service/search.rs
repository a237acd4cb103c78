//! Search as you type, in two Queries that read at most 105 items.

use super::Service;
use crate::design::{SiteWord, Tag, WordStart};
use crate::error::Result;
use crate::rules::{WORD_CHARS_MAX, fold, has_words, parse_tag, typed_words};
use crate::view::{FoundSite, SearchResult};
use std::collections::BTreeSet;

/// Maximum number of word items used. One more is read to detect a partial result.
const WORDS_READ_MAX: usize = 99;
const SITES_MAX: usize = 8;
const TAGS_MAX: usize = 5;

impl Service {
    /// R4: matching tags, and sites that match every word. The longest word is queried; the others
    /// must be prefixes of the site's words.
    pub async fn search(&self, typed: &str) -> Result<SearchResult> {
        let words = typed_words(typed);
        let mut found = SearchResult::default();
        let count = |word: &String| word.chars().count();
        if words.is_empty() {
            return Ok(found);
        }
        found.tags = self.tags_like(typed).await?;
        // Matches no word, and may not fit into a key.
        if words.iter().any(|word| count(word) > WORD_CHARS_MAX) {
            return Ok(found);
        }
        // The first of the longest words: the last is often incomplete.
        let longest = words.iter().rev().max_by_key(|word| count(word));
        let Some(longest) = longest.filter(|word| count(word) >= 2) else { return Ok(found) };
        let Ok(start) = WordStart::new(longest.chars().take(2).collect::<String>()) else {
            return Ok(found);
        };
        let query = SiteWord::beginning_with(&start).starting_with(longest).limit(WORDS_READ_MAX);
        let page = self.db.query(query).page(None).await?;
        found.partial = page.next.is_some();
        let mut seen = BTreeSet::new();
        let mut sites: Vec<SiteWord> = page.items;
        sites.retain(|item| has_words(&item.words, &words) && seen.insert(item.id.clone()));
        // Rank titles that start with the query first, then titles that match every word, then
        // hosts.
        let start = fold(typed.trim());
        sites.sort_by_cached_key(|item| {
            let title = fold(&item.title);
            (!title.starts_with(&start), !has_words(&typed_words(&item.title), &words))
        });
        let shown = sites.into_iter().take(SITES_MAX);
        found.sites = shown.map(|SiteWord { id, title, .. }| FoundSite { id, title }).collect();
        Ok(found)
    }

    /// Tags that start with the last word, as tags are spelled.
    async fn tags_like(&self, typed: &str) -> Result<Vec<String>> {
        let last = typed.split_whitespace().next_back().and_then(parse_tag);
        let Some(start) = last else { return Ok(Vec::new()) };
        let tags = self.db.query(Tag::all().starting_with(&start).limit(TAGS_MAX)).all().await?;
        Ok(tags.into_iter().map(|Tag { tag, .. }| tag.to_string()).collect())
    }
}
