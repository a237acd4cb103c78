//! Leagues of three-sided football: live scores, standings and leaderboards.
//!
//! Read it in this order: [`design`] is the table, [`rules`] are results, minutes, standings and
//! leaderboards as pure functions, [`service`] has the operations, [`view`] is what clients see,
//! `routes` and `live` put it on the web, and `pages` is what people see.
#![allow(missing_docs, reason = "an application, not a library")]

mod demo;
pub mod design;
pub mod error;
mod live;
mod routes;
pub mod rules;
pub mod service;
mod text;
pub mod view;

pub use demo::PERSONAS;
pub use routes::system;
