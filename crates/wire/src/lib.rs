//! DynamoDB over HTTP: the engine behind the protocol that every AWS SDK speaks.
//!
//! [`Server`] is the door: bind it to an address with an engine behind it, and serve until told
//! to stop.
//!
//! - `server` and `connection`: sockets, and what becomes of them.
//! - `exchange`: the life of one request; `body`, `target` and `answer` are its parts.
//! - [`Limits`]: every bound, named in one place.

mod answer;
mod body;
mod connection;
mod exchange;
mod limits;
mod options;
mod server;
mod target;

pub use limits::Limits;
pub use options::Options;
pub use server::Server;
