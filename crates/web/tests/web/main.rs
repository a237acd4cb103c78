//! What the crate does for every system, seen from outside: over sockets, byte by byte.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod api;
mod client;
mod cursors;
mod games;
mod idempotency;
mod identity;
mod jobs;
mod leases;
mod live;
mod server;
mod sse;
