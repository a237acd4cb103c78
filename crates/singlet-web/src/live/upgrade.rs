//! The WebSocket handshake of RFC 6455.

use super::socket::{self, Socket};
use crate::api::{Argument, DeclaredProblems, Operation, Reply};
use crate::limit::ClientLimits;
use crate::problem::{INTERNAL, INVALID, MALFORMED, Problem, UNAVAILABLE, UPGRADE_REQUIRED};
use crate::server::{ConnectionGuard, StreamPermit};
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use std::future::Future;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

/// Extractor for a WebSocket upgrade request.
pub struct WebSocketUpgrade {
    accept: HeaderValue,
    on_upgrade: OnUpgrade,
    guard: ConnectionGuard,
    permit: StreamPermit,
    limits: Option<ClientLimits>,
    declared: DeclaredProblems,
}

/// The 101 response that upgrades the connection.
pub struct SwitchingProtocols(Response<Body>);

impl WebSocketUpgrade {
    /// Accepts the upgrade and runs the session once the connection has switched.
    #[must_use]
    pub fn serve<F>(self, session: impl FnOnce(Socket) -> F + Send + 'static) -> SwitchingProtocols
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Self { accept, on_upgrade, guard, permit, limits, declared } = self;
        tokio::spawn(async move {
            // The connection may end before the upgrade completes.
            let Ok(upgraded) = on_upgrade.await else { return };
            let io = TokioIo::new(upgraded);
            let config = Some(socket::config());
            let stream = WebSocketStream::from_raw_socket(io, Role::Server, config).await;
            session(Socket::new(stream, guard, limits, declared)).await;
            drop(permit);
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        SwitchingProtocols(response)
    }
}

impl Argument for WebSocketUpgrade {
    fn describe(operation: &mut Operation<'_>) {
        operation.header("Upgrade", true, "websocket");
        // The last two are for messages on the socket.
        for problem_type in [&UPGRADE_REQUIRED, &UNAVAILABLE, &MALFORMED, &INVALID] {
            operation.add_problem(problem_type);
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WebSocketUpgrade {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let accept = accept(&parts.headers).ok_or_else(|| {
            Problem::new(&UPGRADE_REQUIRED).detail("this address speaks WebSocket, version 13")
        })?;
        let on_upgrade = parts.extensions.remove::<OnUpgrade>();
        let guard = parts.extensions.get::<ConnectionGuard>().cloned();
        let limits = parts.extensions.get::<ClientLimits>().cloned();
        let declared = DeclaredProblems::of(&parts.extensions);
        match (on_upgrade, guard) {
            (Some(on_upgrade), Some(guard)) => {
                let permit = guard.acquire_stream().ok_or(Problem::new(&UNAVAILABLE))?;
                Ok(Self { accept, on_upgrade, guard, permit, limits, declared })
            }
            _ => Err(Problem::new(&INTERNAL)),
        }
    }
}

/// The accept key, if these headers ask for a WebSocket of the supported version.
fn accept(headers: &HeaderMap) -> Option<HeaderValue> {
    let has_word = |name: HeaderName, word: &str| {
        let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.any(|value| value.split(',').any(|one| one.trim().eq_ignore_ascii_case(word)))
    };
    let is_asked = has_word(header::CONNECTION, "upgrade")
        && has_word(header::UPGRADE, "websocket")
        && has_word(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_asked)?.as_bytes();
    BASE64_STANDARD.decode(key).ok().filter(|key| key.len() == 16)?;
    HeaderValue::try_from(derive_accept_key(key)).ok()
}

impl Reply for SwitchingProtocols {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies_without_body(101, "The connection is a WebSocket from now on.");
    }
}

impl IntoResponse for SwitchingProtocols {
    fn into_response(self) -> Response<Body> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(changes: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let good = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            // The example of RFC 6455.
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        for (name, value) in good.iter().chain(changes) {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn the_key_of_the_standard_is_accepted_as_in_the_standard() {
        assert_eq!(accept(&headers(&[])).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn what_is_no_handshake_is_not_accepted() {
        for wrong in [
            ("connection", "keep-alive"),
            ("upgrade", "h2c"),
            ("sec-websocket-version", "8"),
            ("sec-websocket-key", "dGhlIHNhbXBsZQ=="),
            ("sec-websocket-key", "not base64"),
        ] {
            assert_eq!(accept(&headers(&[wrong])), None, "{wrong:?}");
        }
        assert_eq!(accept(&HeaderMap::new()), None);
    }
}
