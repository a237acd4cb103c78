//! FUS from outside: its operations on every backend, and its routes over HTTP. Acceptance cases
//! of the specification carry their numbers; those of pages are in browser/fus.test.js.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod backend;
mod bounds;
mod cases_groups;
mod cases_images;
mod cases_large;
mod cases_ratings;
mod cases_squash;
mod cases_tags;
mod demo;
mod design;
mod faults;
mod fixture;
mod hostile;
mod http;
mod invariants;
mod jobs;
mod matrix;
mod operations;
mod races;
mod standings;
mod stored;
