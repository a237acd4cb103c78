//! Test support for all crates of the workspace. Never a dependency of a product.
//!
//! For the language and the engine:
//!
//! - [`cases`] reads the validation cases: requests and the service's answers.
//! - [`differential`] compares an implementation with the reference.
//! - [`disk`] is a disk that loses power, fails and flips bits on demand.
//! - [`fuzz`] holds the fuzz targets, and runs them without cargo-fuzz.
//! - [`generator`] makes random requests, valid and invalid.
//! - [`history`] checks concurrent histories for linearizability.
//! - [`naive`] is a second, plain evaluator of expressions.
//! - [`random`] is seeded randomness.
//! - [`mod@reference`] is the simplest implementation of the engine's semantics.
//! - [`strategy`] makes values, items and expressions for property tests.
//! - [`Log`] captures log output.
//!
//! For systems, with the feature `backends`:
//!
//! - `TestStore`: a store for one test, on any backend, with a fixed clock. `on_every_backend!` runs
//!   a test on all of them: in memory, in a folder, at the endpoint of this project through the AWS
//!   SDK, and on DynamoDB Local.
//! - `at_every_request`: fails each request of an operation in turn, to test that the operation
//!   leaves all or nothing.
//! - `Intercepted`: a backend that shows each request to the test first.
//! - `at_once`: concurrent callers.
//! - `check_matrix`: the authorization matrix, compared with a text file.
//!
//! With the feature `server`, `Law` checks all writing operations of a system for faults, clients
//! that go away, repetitions and malformed ids, and counts their requests to the store; `law_tests!`
//! declares its tests. `TestServer` is a server with systems that fails on undeclared problems, and
//! clients signed in as the personas of the demo data.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

#[cfg(feature = "backends")]
mod backends;
pub mod cases;
#[cfg(feature = "backends")]
mod concurrency;
#[cfg(feature = "server")]
mod declarations;
pub mod differential;
pub mod disk;
#[cfg(feature = "backends")]
mod faults;
pub mod fuzz;
pub mod generator;
pub mod history;
#[cfg(feature = "backends")]
mod intercepted;
#[cfg(feature = "server")]
mod law;
mod log;
#[cfg(feature = "backends")]
mod matrix;
pub mod naive;
pub mod random;
pub mod reference;
#[cfg(feature = "backends")]
mod remote;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "backends")]
mod store;
pub mod strategy;

#[cfg(feature = "backends")]
pub use concurrency::{at_once, run};
#[cfg(feature = "backends")]
pub use faults::{Fault, at_every_request};
#[cfg(feature = "backends")]
pub use intercepted::Intercepted;
#[cfg(feature = "server")]
pub use law::{Law, TestRequest};
pub use log::Log;
#[cfg(feature = "backends")]
pub use matrix::check_matrix;
#[cfg(feature = "backends")]
pub use remote::{LOCAL_VARIABLE, loader};
#[cfg(feature = "server")]
pub use server::{TestClient, TestEvents, TestResponse, TestServer, TestSocket};
#[cfg(feature = "backends")]
pub use store::{Snapshot, TestStore, fixed_clock};
