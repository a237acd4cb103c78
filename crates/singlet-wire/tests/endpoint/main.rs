//! The endpoint over real sockets, byte by byte: what clients send, what hostile ones send, and that
//! the next client never notices.
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
