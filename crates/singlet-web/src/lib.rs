//! The kit that Singlet's systems are built with. docs/a-system.md builds one step by step.
//!
//! A [`System`] is declared, opened on its [`Resources`], and served by a [`Server`] with others.
//!
//! - [`api`]: routes, declared once; the router, the checks and the OpenAPI document follow.
//! - [`problem`]: the errors of a system, declared once, as `application/problem+json`.
//! - [`validate`]: what is wrong with a request, field by field.
//! - [`identity`]: who is calling, by a JWT. [`access`]: what they may do with one resource.
//! - [`live`]: pushes over WebSockets and Server-Sent Events, from the change feed of tables.
//! - [`job`]: work in the background, with leases. [`demo`]: demo data.
//! - [`outbound`]: requests to other services. [`blob`]: uploaded files.
//! - [`page`]: HTML, CSS and ES modules in the program, and the look that all pages share.
//! - [`random`], [`secret`], [`text`], [`keyed_mutex`]: small things that every system needs.
//! - [`idempotency`]: requests that may be repeated and are carried out once.
//! - [`budget`]: how much people who have not signed in may have stored.
//! - [`cursors`]: pages that go on at another server, or after a restart.
//! - [`limit`], [`metrics`], [`request_id`], [`security`]: what the server does for every request.
//! - [`prelude`]: what a system writes all the time, in one line.

pub mod access;
pub mod api;
pub mod blob;
pub mod budget;
pub mod cursors;
pub mod demo;
mod etag;
#[cfg(test)]
#[path = "../tests/web/handshake.rs"]
mod handshake;
mod heavy;
pub mod idempotency;
pub mod identity;
pub mod job;
pub mod keyed_mutex;
pub mod limit;
pub mod live;
pub mod metrics;
pub mod outbound;
pub mod page;
pub mod prelude;
pub mod problem;
pub mod random;
pub mod request_id;
pub mod secret;
pub mod security;
mod server;
mod store;
mod system;
mod table;
pub mod text;
pub mod validate;

pub use demo::{Demo, DemoError, DemoPolicy};
pub use server::{IdentitySource, Limits, Options, Server, Site, SiteOptions, serve};
pub use singlet::yield_now;
pub use store::Store;
pub use system::{OpenError, Opened, Persona, Resources, System};
pub use table::Web;
