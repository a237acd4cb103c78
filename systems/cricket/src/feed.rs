//! Where scores come from: a port, and two adapters.
//!
//! - `port`: what a feed can be asked.
//! - [`shape`]: the shapes of SportMonks v2.0, read leniently.
//! - `sportmonks`: the adapter for the service of that name.
//! - `tape`, `replay`: generated matches, played from tapes. The default.

mod lenient;
mod port;
mod replay;
pub mod shape;
mod sportmonks;
mod tape;

pub use port::{Feed, FeedError, FeedFuture, Snapshot};
pub use replay::{ReplayFeed, SoughtBall, position_at};
pub use sportmonks::{SportMonks, SportMonksOptions};
pub use tape::Tape;
