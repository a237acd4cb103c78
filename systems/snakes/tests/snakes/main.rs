//! The game from outside: its operations on a store, and its routes over sockets.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod budgets;
mod design;
mod expiry;
mod fixture;
mod http;
mod law;
mod live;
mod matrix;
mod operations;
mod races;
mod refusals;
mod rematch;
mod site;
mod stored;
