//! The issuer's keys: fetched when they are needed, kept, and fetched again when they may have
//! changed.

use super::TokenError;
use super::key::KeySet;
use super::token::Token;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// After this time keys are fetched again, so that one which the issuer has withdrawn is not
/// trusted for ever.
const AGE_MAX: Duration = Duration::from_secs(3600);
/// However many tokens name keys that nobody knows, the issuer is not asked more often than this.
const FETCH_INTERVAL_MIN: Duration = Duration::from_secs(30);
/// How long a fetch may take: callers wait for it.
const FETCH_TIME_MAX: Duration = Duration::from_secs(5);
/// How many bytes a key set may have. One key has half a KB.
const BYTES_MAX: usize = 64 << 10;

/// The keys behind an address.
pub(super) struct Jwks {
    url: String,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    kept: RwLock<Kept>,
    /// Held while fetching, so that one caller asks the issuer and the others wait for the answer.
    fetching: Mutex<()>,
}

#[derive(Clone, Default)]
struct Kept {
    keys: Arc<KeySet>,
    /// When they arrived.
    fetched: Option<Instant>,
    /// When they were last asked for, with or without success.
    tried: Option<Instant>,
}

impl Jwks {
    /// Nothing is fetched before the first token comes. Addresses must be `https`, except on this
    /// machine itself: whoever can change the keys on their way can be anybody.
    pub(super) fn new(url: &str) -> Result<Self, String> {
        let parsed: hyper::Uri = url.parse().map_err(|error| format!("{url}: {error}"))?;
        let host = parsed.host().unwrap_or_default();
        let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&host);
        match parsed.scheme_str() {
            Some("https") => {}
            Some("http") if is_here => {}
            _ => return Err(format!("{url}: the address of keys must begin with https://")),
        }
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| format!("no certificates to trust: {error}"))?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            url: url.to_owned(),
            client: Client::builder(TokioExecutor::new()).build(connector),
            kept: RwLock::default(),
            fetching: Mutex::new(()),
        })
    }

    /// Checks a token's signature. If the issuer's keys are not known yet, are too old, or do not
    /// have the one that the token names, they are fetched before the token is given up.
    pub(super) async fn verify(&self, token: &Token<'_>) -> Result<(), TokenError> {
        let kept = self.kept();
        if kept.fetched.is_some_and(|fetched| fetched.elapsed() < AGE_MAX) {
            match kept.keys.verify(token) {
                Err(TokenError::UnknownKey) => {}
                verified => return verified,
            }
        }
        self.refresh(kept.tried).await;
        let kept = self.kept();
        // When the issuer does not answer, old keys are better than nobody getting in.
        if kept.fetched.is_none() { Err(TokenError::NoKeys) } else { kept.keys.verify(token) }
    }

    fn kept(&self) -> Kept {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the keys, unless that was tried a moment ago, or by somebody else since `seen`.
    async fn refresh(&self, seen: Option<Instant>) {
        let _one_at_a_time = self.fetching.lock().await;
        let mut kept = self.kept();
        let is_too_soon = kept.tried.is_some_and(|tried| tried.elapsed() < FETCH_INTERVAL_MIN);
        if kept.tried != seen || is_too_soon {
            return;
        }
        kept.tried = Some(Instant::now());
        match tokio::time::timeout(FETCH_TIME_MAX, self.fetch()).await {
            Ok(Ok(keys)) => {
                kept.keys = Arc::new(keys);
                kept.fetched = kept.tried;
            }
            Ok(Err(error)) => tracing::warn!(url = self.url, error, "no keys from the issuer"),
            Err(_) => tracing::warn!(url = self.url, "no keys from the issuer in time"),
        }
        *self.kept.write().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    async fn fetch(&self) -> Result<KeySet, String> {
        let url = self.url.parse().map_err(|error: hyper::http::uri::InvalidUri| error.to_string());
        let answer = self.client.get(url?).await.map_err(|error| error.to_string())?;
        if !answer.status().is_success() {
            return Err(format!("status {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), BYTES_MAX).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        let keys = KeySet::parse(&body).ok_or("the answer is no key set")?;
        if keys.is_empty() { Err("no key can be used".to_owned()) } else { Ok(keys) }
    }
}
