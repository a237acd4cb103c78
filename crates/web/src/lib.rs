//! What Singlet's systems share on the web.
//!
//! A system declares its routes with [`api`], refuses with [`problem`], and pushes through
//! [`live`]. What meets every request is the [`Server`]'s business.
//!
//! - [`api`]: routes, declared once; the router, the checks and the OpenAPI document follow.
//! - [`problem`]: why a request was refused, as `application/problem+json` with stable codes.
//! - [`validate`]: what is wrong with a request, field by field.
//! - [`identity`]: who is calling, by a JWT.
//! - [`idempotency`]: requests that may be repeated and are carried out once.
//! - [`budget`]: how much people who have not signed in may have stored.
//! - [`cursors`]: pages that go on at another server, or after a restart.
//! - [`live`]: pushes over WebSockets.
//! - [`page`]: HTML, CSS and ES modules in the program, and the look that all pages share.
//! - [`limit`], [`request_id`], [`security`]: what the server does for every request.

pub mod access;
pub mod api;
pub mod blob;
pub mod budget;
pub mod cursors;
pub mod demo;
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
pub use store::Store;
pub use system::{OpenError, Opened, Persona, Resources, System};
pub use table::Web;
