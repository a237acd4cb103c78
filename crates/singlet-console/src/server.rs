//! Serves the console on a loopback port.

use crate::{Console, SHARED, assets};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use singlet_edge::host;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// Security headers: only the console's own scripts, no frames, no referrer.
const SECURITY: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Serves a console on loopback, without authentication.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
}

impl Server {
    /// Binds a loopback port; 0 picks a free one.
    ///
    /// # Errors
    ///
    /// If the port is taken.
    pub async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Self { listener })
    }

    /// The address it listens on.
    ///
    /// # Errors
    ///
    /// If the operating system cannot report it.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves the console until the future is ready.
    ///
    /// # Errors
    ///
    /// If the listener fails.
    pub async fn serve(
        self,
        console: Console,
        until: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let router = standalone(console);
        let serving = axum::serve(self.listener, router);
        // Do not wait for feeds: they never end.
        tokio::select! {
            outcome = serving => outcome,
            () = until => Ok(()),
        }
    }
}

fn standalone(console: Console) -> Router {
    let router = console.router().route("/", get(|| async { Redirect::temporary("/console") }));
    assets::add(router, SHARED).layer(from_fn(guard))
}

/// Rejects other host names, against DNS rebinding: a foreign site could otherwise reach the
/// console through a visitor's browser.
async fn guard(request: Request, next: Next) -> Response {
    if !host::of_parts(request.uri(), request.headers()).is_some_and(host::is_local) {
        return (StatusCode::MISDIRECTED_REQUEST, "The console answers to localhost only.\n")
            .into_response();
    }
    let mut response = next.run(request).await;
    for (name, value) in SECURITY {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
