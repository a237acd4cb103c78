//! The endpoint over real sockets, byte by byte: normal clients, hostile clients, and the next
//! client, which must not notice.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

mod client;
mod server;
mod signing;

mod bodies;
mod heads;
mod hosts;
mod http2;
mod load;
mod protocol;
mod signatures;
mod slow_clients;
mod stopping;
