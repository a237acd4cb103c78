//! A browser console for DynamoDB tables and their designs.
//!
//! The pages send DynamoDB requests as JSON to a [`Backend`]: the embedded engine, or any server
//! that speaks DynamoDB's protocol. The console adds designs and a live feed of changes.
//!
//! ```
//! use singlet::backend::Embedded;
//! use singlet_console::Console;
//! use singlet_engine::Engine;
//!
//! let backend = Embedded::new(Engine::memory()?);
//! let router = Console::new(backend, "in memory").router();
//! # let _: axum::Router = router;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The console has no authentication: every caller can read all items, and change them unless it is
//! [read-only](Console::read_only). [`Server`] listens on loopback only; a site that mounts the
//! [router](Console::router) must guard it.

mod answer;
mod assets;
mod changes;
mod designs;
mod server;

pub use assets::{Asset, SHARED};
pub use server::Server;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use singlet::backend::Backend;
use singlet::design::Design;
use std::sync::Arc;

/// The maximum request size: enough for a batch of the largest items, but not for a transaction.
const BODY_BYTES_MAX: usize = 12 << 20;

/// A console for the tables of one backend.
pub struct Console {
    backend: Arc<dyn Backend>,
    about: About,
    designs: Vec<Design>,
}

/// What the pages show about the backend.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct About {
    /// Where the data is.
    place: String,
    /// The endpoint for other clients, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    is_read_only: bool,
}

impl Console {
    /// A console for this backend. `place` says where the data is: `in memory`, `./data`.
    pub fn new(backend: impl Backend, place: impl Into<String>) -> Self {
        let about = About { place: place.into(), endpoint: None, is_read_only: false };
        Self { backend: Arc::new(backend), about, designs: Vec::new() }
    }

    /// Shows these designs with their tables.
    #[must_use]
    pub fn with_designs(mut self, designs: impl IntoIterator<Item = Design>) -> Self {
        self.designs.extend(designs);
        self
    }

    /// Sets the endpoint that commands and code copied from the console use.
    #[must_use]
    pub fn with_endpoint(mut self, url: impl Into<String>) -> Self {
        self.about.endpoint = Some(url.into());
        self
    }

    /// Rejects every write.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.about.is_read_only = true;
        self
    }

    /// The console's pages and requests below `/console`. They import the [shared files](SHARED)
    /// from `/assets`.
    pub fn router(self) -> Router {
        let designs = designs::to_json(&self.designs);
        let shared = Arc::new(Shared { backend: self.backend, about: self.about, designs });
        let router = Router::new()
            .route("/console/about", get(about))
            .route("/console/designs", get(all_designs))
            .route("/console/changes", get(changes::follow))
            .route("/console/request", post(answer::execute))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .with_state(shared);
        assets::add(router, assets::OWN)
    }
}

struct Shared {
    backend: Arc<dyn Backend>,
    about: About,
    /// JSON. Designs do not change while the console runs.
    designs: String,
}

async fn about(State(shared): State<Arc<Shared>>) -> Response {
    answer::json(serde_json::to_vec(&shared.about).unwrap_or_default())
}

async fn all_designs(State(shared): State<Arc<Shared>>) -> Response {
    let mut response = answer::json(shared.designs.clone());
    response.headers_mut().remove(CACHE_CONTROL);
    response.into_response()
}
