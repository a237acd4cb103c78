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

pub const HALF_OUTS: u8 = 3;
/// How many innings a game has at most.
pub const INNINGS_MAX: u8 = 30;
/// How many at-bats an inning has at most.
pub const INNING_AT_BATS_MAX: usize = 60;
/// How many moves an at-bat has at most.
pub const MOVES_MAX: usize = 20;
