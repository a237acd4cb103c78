//! The rules as pure functions: no store, no clock, no random numbers.
//!
//! [`play`] says what one play does, [`inning`] replays the at-bats of an inning, [`half`] knows who
//! bats when, [`scoring`] and [`personal`] change a game's [`Book`](crate::design::Book), [`status`]
//! and [`lineup`] its game, [`summary`] and [`stats`] show what is in it.

pub mod half;
pub mod inning;
pub mod lineup;
pub mod personal;
pub mod play;
pub mod scoring;
pub mod stats;
pub mod status;
pub mod summary;

/// How many outs end a half.
pub const HALF_OUTS: u8 = 3;
/// How many innings a game has at most.
pub const INNINGS_MAX: u8 = 30;
/// How many at-bats an inning has at most.
pub const INNING_AT_BATS_MAX: usize = 60;
/// How many moves an at-bat has at most.
pub const MOVES_MAX: usize = 20;

/// Why a game cannot be changed like this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// The play contradicts the bases or the outs; this is why.
    Play(String),
    /// A field of the request breaks a rule.
    Field(&'static str, &'static str),
    /// The game is in another status.
    WrongStatus,
    /// The opponent bats.
    WrongHalf,
    /// The inning has as many at-bats as it can have.
    HalfFull,
    /// The game has as many at-bats as it can have.
    GameFull,
    /// The half has three outs.
    HalfComplete,
    /// There is nothing to undo.
    NothingToUndo,
    /// The game has no such at-bat.
    AtBatNotFound,
    /// The score follows from the at-bats.
    ScoreDerived,
    /// The lineup cannot play; this is why.
    LineupInvalid(String),
}

impl Impossible {
    fn play(why: impl Into<String>) -> Self {
        Self::Play(why.into())
    }
}
