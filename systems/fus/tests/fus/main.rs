//! Tests of FUS: operations on every backend and routes over HTTP. Acceptance cases keep the
//! specification's numbers; page cases are in browser/fus.test.js.

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
mod fixture;
mod hostile;
mod http;
mod invariants;
mod jobs;
mod law;
mod matrix;
mod operations;
mod races;
mod standings;
mod stored;
