//! The game as pure functions.

mod types;

pub use types::{
    Elected, EventKind, Format, InningsScore, LastEvent, MatchResult, Phase, ResultKind, Target,
    TeamLabel, Toss,
};
