//! Softball teams: rosters, games scored at-bat by at-bat, and statistics.
//!
//! Read it in this order: [`design`] is the table, [`rules`] are the game as pure functions,
//! [`service`] joins the two, `routes` and `live` put it on the web, and `pages` is what people
//! see.
#![allow(missing_docs, reason = "an application, not a library")]

mod demo;
pub mod design;
pub mod error;
pub mod input;
pub mod limits;
mod live;
mod routes;
pub mod rules;
pub mod service;
pub mod text;
pub mod view;

pub use demo::{ADA, IVAN, NORA, OMAR, PERSONAS, PIA, SKYE, STELLA};
pub use routes::system;
