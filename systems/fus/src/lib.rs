//! A catalogue of sites with ratings and comments, and a squash club.
//!
//! Read it in this order: [`design`] is the table, [`rules`] are pure functions, [`service`] has the
//! operations, `routes` puts them on the web, and `pages` is what people see.
#![allow(missing_docs, reason = "an application, not a library")]

pub mod design;
pub mod error;
pub mod rules;
pub mod service;
pub mod view;

mod demo;
mod routes;

pub use demo::PERSONAS;
pub use routes::{system, system_with};
pub use service::DeletionMode;
