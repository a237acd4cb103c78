//! Live cricket scores, matches to follow, and pushes.
//!
//! Read it in this order: [`design`] has the thirteen tables, [`rules`] the game as pure functions,
//! [`service`] one service per table with the 57 operations, [`feed`] and [`push`] the two ports to
//! the world, [`jobs`] the background work, `routes` and [`live`] the web.
//! [`generate`] makes the matches that the demo replays.
#![allow(missing_docs, reason = "an application, not a library")]

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

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic elsewhere does not make the lock unusable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
