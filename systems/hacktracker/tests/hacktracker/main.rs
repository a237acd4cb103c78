//! HackTracker from outside: rules, operations on a store, and routes.
//!
//! Tests named `case_07_…` are the acceptance cases of the specification. Those about pages are in
//! the browser's tests.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod careers;
mod demo;
mod design;
mod faults;
mod fixture;
mod games;
mod http;
mod ids;
mod labels;
mod law;
mod limits;
mod matrix;
mod operations;
mod paging;
mod races;
mod random_games;
mod random_stored_games;
mod rules;
mod scoring;
mod stored;
mod teams;
mod watched;
