//! DynamoDB in process: an embedded, durable store with DynamoDB's semantics.
//!
//! [`Engine`] is the entry point: open a folder or memory, and call an operation. Requests and
//! answers are the types of [`singlet_dynamo`].
//!
//! - `commit`: writes, planned on a snapshot, queued, and committed in groups.
//! - `state`: what readers see; `operation`: one file per operation.
//! - `catalogue`, `layout`, `stream`: tables, indexes and streams, and the keys of their rows.
//! - [`feed`]: every committed change, for listeners within the process.
//! - `lane`: requests that take long to compute.
//! - `maintenance`: background work.
//! - `statistics`: counters and histograms.
//! - [`store`]: storage, in memory or on disk.
//!
//! Programs with many items in memory should choose their allocator: with `mimalloc`, as in the
//! command `singlet`, reading one of a million items takes about half as long as with glibc's.

mod catalogue;
mod check;
mod client;
mod commit;
mod engine;
mod error;
mod execute;
pub mod feed;
mod lane;
mod layout;
mod maintenance;
mod operation;
mod options;
mod state;
mod statistics;
pub mod store;
mod stream;
mod sync;

pub use check::CheckReport;
pub use client::{AnswerRoom, ClientAccount, RequestContext, UNRESERVED_BYTES_MAX};
pub use engine::Engine;
pub use error::{Error, Result};
pub use execute::Started;
pub use options::{Clock, Options, Random};
pub use statistics::{Histogram, Statistics};
pub use store::Durability;
