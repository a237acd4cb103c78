//! Black-box tests of the kit over sockets.

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
mod path_ids;
mod problems;
mod raw;
mod server;
mod sse;
mod system;
mod text;
mod versions;
