//! The edge: what every connection meets before a server looks at its requests.
//!
//! A hostile client can only take what it is given here. So connections, bytes and time are
//! counted for each client, and resources go to requests that are complete and verified; before
//! that a client holds only small, bounded ones.
//!
//! - [`listen`] takes an address; [`serve`] accepts connections, closes those of slow clients, and makes room for new ones.
//! - [`Pulse`] is how one connection is getting on, and [`WatchedStream`] is what tells it.
//! - [`Room`] is memory that requests share. A client may hold as much of it as it leaves to
//!   others, so that there is always some left for the next one.
//! - [`host`] refuses requests that were meant for another machine (DNS rebinding).

mod accept;
mod clock;
pub mod host;
mod limits;
mod pulse;
mod room;
mod stream;

pub use accept::{Accepted, Figures, client_of, listen, network_of, serve};
pub use limits::Limits;
pub use pulse::{Executing, InFlight, Pulse, Received, TakenOver, Transfer};
pub use room::{Hold, Room, Share, Shares};
pub use stream::WatchedStream;
