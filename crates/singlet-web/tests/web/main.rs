//! What the crate does for every system, seen from outside: over sockets, byte by byte.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

mod access;
mod api;
mod blobs;
mod client;
mod cursors;
mod demo;
mod games;
mod guestbook;
mod handshake;
mod heavy;
mod idempotency;
mod identity;
mod jobs;
mod leases;
mod live;
mod openapi;
mod outbound;
mod paging;
mod problems;
mod raw;
mod server;
mod sse;
mod system;
mod text;
mod versions;
