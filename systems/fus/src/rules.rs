//! The rules of the catalogue and of the club: pure functions, without a store and without a clock.

mod address;
mod permission;
mod rating;
mod squash;
mod standings;
mod text;

pub use address::{URL_CHARS_MAX, parse_address};
pub use permission::{Permission, Role, Squash, combine, squash_access};
pub use rating::{average_tenths, bars, half_stars};
pub use squash::{MatchFault, MatchResult, NewMatch, check_match};
pub use standings::{Form, Line, Played, Standings, StandingsCount, in_order, standings};
pub use text::{
    TAG_CHARS_MAX, WORD_CHARS_MAX, WORDS_MAX, fold, parse_tag, site_words, typed_words,
};
