//! The network edge: every connection passes through it before a server sees its requests.
//!
//! The edge counts connections, bytes and time per client, so that a hostile client can only use
//! its share. Only complete and verified requests get larger resources; before that a client holds
//! small, bounded ones.
//!
//! - [`listen`] binds an address; [`serve`] accepts connections, closes slow ones and evicts idle
//!   ones.
//! - [`Activity`] tracks one connection; [`WatchedStream`] reports to it.
//! - [`Room`] is memory shared by requests. A client may hold as much of it as it leaves free.
//! - [`Turns`] is a semaphore for CPU-heavy work, handed out round-robin by client.
//! - [`host`] rejects requests meant for another host (DNS rebinding).
//! - [`Exposition`] formats metrics for Prometheus.

mod accept;
mod activity;
mod clock;
mod cpu_time;
mod eviction;
mod exposition;
pub mod host;
mod limits;
mod room;
mod stream;
mod turns;

pub use accept::{Accepted, ConnectionCounters, Holders, client_of, listen, network_of, serve};
pub use activity::{Activity, Executing, InFlight, Received, TakenOver, Transfer};
pub use cpu_time::thread_cpu_time;
pub use exposition::{Exposition, Unit};
pub use limits::Limits;
pub use room::{Reservation, Room, Share, Shares, Taken};
pub use stream::WatchedStream;
pub use turns::{NextTurn, Turn, Turns};
