//! DynamoDB in process: an embedded, durable store with DynamoDB's semantics.
//!
//! [`Engine`] is the door: open a folder or memory, and call an operation. Requests and answers
//! are the types of [`singlet_dynamo`].
//!
//! - `commit`: writes, gathered in a queue, evaluated on a stage, committed in groups.
//! - `state`: what readers see; `operation`: one file for each operation.
//! - `catalogue`, `layout`, `stream`: what there is, and where its rows lie.
//! - [`feed`]: every committed change, to whoever listens.
//! - `lane`: where requests that take long to compute go on.
//! - `maintenance`: what the engine does by itself.
//! - `statistics`: what the engine has done, in figures.
//! - [`store`]: the seam to what keeps the rows.
//!
//! A program with many items in memory does well to choose its allocator: with `mimalloc`, as in
//! the command `singlet`, reading one of a million items takes about half as long as with glibc's.

mod catalogue;
mod check;
mod client;
mod commit;
mod engine;
mod error;
mod execute;
pub mod feed;
mod heavy;
mod lane;
mod layout;
mod maintenance;
mod operation;
mod options;
mod state;
mod statistics;
pub mod store;
mod stream;

pub use check::CheckReport;
pub use client::{AnswerRoom, ClientAccount, RequestContext, UNRESERVED_BYTES_MAX};
pub use engine::Engine;
pub use error::{Error, Result};
pub use execute::Started;
pub use options::{Clock, Options, Random};
pub use statistics::{Histogram, Statistics};
pub use store::Durability;
