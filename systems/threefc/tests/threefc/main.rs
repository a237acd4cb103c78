//! 3FC from outside: its operations on every backend, and its routes over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod design;
mod fixture;
mod games;
mod goals;
mod http;
mod ids;
mod law;
mod leagues;
mod limits;
mod live;
mod matrix;
mod people;
mod races;
mod reads;
mod replay;
mod rules;
mod stored;
mod tables;
