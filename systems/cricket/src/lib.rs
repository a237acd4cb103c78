//! Live cricket scores, matches to follow, and pushes.
//!
//! Read it in this order: [`design`] has the thirteen tables, [`rules`] the game as pure functions,
//! [`service`] one service per table with the 57 operations, [`feed`] and [`push`] the two ports to
//! the world, [`jobs`] what runs in the background, `routes` and [`live`] what is on the web.
//! [`generate`] makes the matches that the demo replays.

pub mod demo;
pub mod design;
pub mod error;
pub mod feed;
pub mod generate;
pub mod jobs;
pub mod live;
pub mod push;
mod routes;
pub mod rules;
pub mod service;
pub mod view;

pub use routes::system;
