//! What the tests of systems share.
//!
//! - [`TestStore`]: a store for one test, on any backend, with a fixed clock.
//!   [`on_every_backend!`] runs a test on all of them: in memory, in a folder, at the endpoint of
//!   this project through the AWS SDK, and on DynamoDB Local.
//! - [`at_every_request`]: lets each request of an operation fail in turn, so that a test can check
//!   that the operation leaves all or nothing.
//! - [`at_once`]: many callers at the same moment.
//! - [`check_matrix`]: who may do what, compared with a table that is kept as a text.
//! - [`Log`]: what was logged, for tests to read.
//! - `TestServer` (feature `server`): a server with systems, strict about undeclared problems, and
//!   clients that are signed in as the personas of the demo data.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

mod backends;
mod concurrency;
#[cfg(feature = "server")]
mod declarations;
mod faults;
mod log;
mod matrix;
mod remote;
#[cfg(feature = "server")]
mod server;
mod store;

pub use concurrency::{at_once, run};
pub use faults::{Fault, at_every_request};
pub use log::Log;
pub use matrix::check_matrix;
pub use remote::{LOCAL_VARIABLE, loader};
#[cfg(feature = "server")]
pub use server::{TestClient, TestEvents, TestResponse, TestServer, TestSocket};
pub use store::{Snapshot, TestStore, fixed_clock};
