//! Cricket from outside: its operations on every backend, and its routes over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod design;
mod fixture;
mod generator;
mod locks;
mod operations;
mod retries;
mod stored;
