//! DynamoDB's HTTP protocol, as spoken by every AWS SDK, in front of an engine.
//!
//! Start with [`Server`]: bind it to an address and serve an engine until told to stop.
//!
//! - `server` and `connection`: sockets. The edge (`singlet_edge`) accepts them and closes slow
//!   ones.
//! - `exchange`: the life of one request, with its parts `target`, `body`, `answer` and
//!   `rejection`.
//! - `signature`: authentication.
//! - `admission`: how many requests and bytes are admitted; `lane`: threads for large requests;
//!   [`Limits`]: every limit.
//! - `metrics`: counters and histograms.

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
