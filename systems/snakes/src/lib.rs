//! Snakes and ladders for several players, live.
//!
//! Read it in this order: [`design`] is the table, [`board`] and [`rules`] are the game as pure
//! functions, [`service`] joins table and rules, `routes` and `live` put it on the web, and `pages` is
//! what people see.
#![allow(missing_docs, reason = "an application, not a library")]

pub mod board;
pub mod code;
mod color;
mod demo;
pub mod design;
pub mod error;
pub mod live;
mod routes;
pub mod rules;
pub mod service;
pub mod view;

pub use routes::{system, system_with};
