//! DynamoDB over HTTP: the engine behind the protocol that every AWS SDK speaks.
//!
//! [`Server`] is the door: bind it to an address with an engine behind it, and serve until told
//! to stop.
//!
//! - `server` and `connection`: sockets, and what becomes of them. Accepting them, and closing
//!   those of slow clients, is the edge's (`singlet_edge`).
//! - `exchange`: the life of one request. `target`, `body`, `answer` and `rejection` are its parts.
//! - `signature`: who sent a request.
//! - `admission`: how much is taken on at a time; `lane`: where large requests are read and
//!   written. [`Limits`]: every bound, named in one place.
//! - `metrics`: what was done, in figures.

mod admission;
mod answer;
mod body;
mod connection;
mod exchange;
mod lane;
mod limits;
mod metrics;
mod options;
mod rejection;
mod server;
mod signature;
mod target;

pub use limits::Limits;
pub use options::Options;
pub use server::{BindError, Server};
pub use signature::{Credentials, CredentialsError};
