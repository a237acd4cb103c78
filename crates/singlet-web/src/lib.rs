//! The kit for building Singlet systems. docs/a-system.md builds one step by step.
//!
//! A [`System`] is declared, opened on its [`Resources`], and served by a [`Server`] with others.
//!
//! - [`api`]: routes, with router, validation and OpenAPI document derived from signatures.
//! - [`problem`]: the errors of a system, as `application/problem+json`.
//! - [`validate`]: request validation with errors per field.
//! - [`identity`]: authentication with JWTs. [`access`]: roles on a resource.
//! - [`live`]: pushes over WebSockets and Server-Sent Events, from the change feeds of tables.
//! - [`job`]: background jobs with leases. [`demo`]: demo data.
//! - [`outbound`]: requests to other services. [`blob`]: uploaded files.
//! - [`page`]: embedded HTML, CSS and ES modules, and the shared style.
//! - [`random`], [`secret`], [`text`], [`keyed_mutex`]: building blocks for systems.
//! - [`idempotency`]: requests that are safe to retry.
//! - [`budget`]: hourly budgets across servers.
//! - [`cursors`]: the shared secret that signs cursors.
//! - [`limit`], [`metrics`], [`request_id`], [`security`]: applied to every request.
//! - [`prelude`]: common imports.

pub mod access;
pub mod api;
pub mod blob;
pub mod budget;
pub mod cursors;
mod declare;
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
pub use server::{
    ConsoleOptions, IdentitySource, Limits, Options, Server, Site, SiteOptions, serve,
};
pub use singlet::yield_now;
pub use store::Store;
pub use system::{OpenError, Opened, Persona, Resources, System};
pub use table::Web;
