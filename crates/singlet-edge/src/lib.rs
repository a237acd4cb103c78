//! The edge: what every connection meets before a server looks at its requests.
//!
//! A hostile client can only take what it is given here. So connections, bytes and time are
//! counted for each client, and resources go to requests that are complete and verified; before
//! that a client holds only small, bounded ones.
//!
//! - [`listen`] takes an address; [`serve`] accepts connections, closes those of slow clients, and
//!   makes room for new ones.
//! - [`Activity`] is the activity of one connection, and [`WatchedStream`] is what tells it.
//! - [`Room`] is memory that requests share. A client may hold as much of it as is then left.
//! - [`Turns`] are handed out round-robin by client, to what computes for long.
//! - [`host`] refuses requests that were meant for another machine (DNS rebinding).
//! - [`Exposition`] is what servers write their figures to, for Prometheus.

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
