//! Cricket from outside: its operations on every backend, and its routes over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod design;
mod endings;
mod faults;
mod feeds;
mod fixture;
mod generator;
mod http;
mod instances;
mod law;
mod live;
mod locks;
mod matrix;
mod operations;
mod pushes;
mod replays;
mod retries;
mod rules;
mod site;
mod stored;
