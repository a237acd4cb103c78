//! The rules of the catalogue and of the club: pure functions, without a store and without a clock.

mod address;
mod permission;
mod rating;
mod squash;
mod standings;
mod text;

pub use address::{Address, parse_address};
pub use permission::{Permission, Role, Squash, combine, squash_access};
pub use rating::average_tenths;
pub use squash::{MatchResult, NewMatch, check_match};
pub use standings::{Form, Line, Standings, StandingsCount, Totals, in_order};
pub use text::{
    NewTag, NewTags, WORD_CHARS_MAX, WORDS_MAX, fold, has_words, parse_tag, site_words, typed_words,
};
