//! The issuer's keys, fetched on demand, cached and refreshed.

use super::TokenError;
use super::key::KeySet;
use super::token::Token;
use crate::outbound::{self, Client, ClientOptions};
use serde_json::{Map, Value};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Maximum age of cached keys, so that revoked keys expire.
const AGE_MAX: Duration = Duration::from_secs(3600);
/// Minimum interval between fetches, however many tokens name unknown keys.
const FETCH_INTERVAL_MIN: Duration = Duration::from_secs(30);
/// Time limit for a fetch: callers wait for it.
const FETCH_TIME_MAX: Duration = Duration::from_secs(5);
/// Maximum size of a key set. A key has about half a KB.
const BYTES_MAX: usize = 64 << 10;

/// The key set at an address.
pub(super) struct Jwks {
    url: String,
    client: Client,
    kept: RwLock<Kept>,
    /// Held while fetching, so that concurrent callers share one fetch.
    fetching: Arc<Mutex<()>>,
}

#[derive(Clone, Default)]
struct Kept {
    keys: Arc<KeySet>,
    /// When the keys arrived.
    fetched: Option<Instant>,
    /// The last attempt, successful or not.
    tried: Option<Instant>,
}

impl Jwks {
    /// Keys are fetched with the first token. The address must be `https`, except on loopback: a
    /// man in the middle could substitute keys.
    pub(super) fn new(url: &str) -> Result<Self, String> {
        outbound::check_address(url).map_err(|error| format!("the keys at {url}: {error}"))?;
        let options = ClientOptions {
            request_time_max: FETCH_TIME_MAX,
            body_bytes_max: BYTES_MAX,
            ..ClientOptions::default()
        };
        let client = Client::new(options).map_err(|error| error.to_string())?;
        let (kept, fetching) = (RwLock::default(), Arc::default());
        Ok(Self { url: url.to_owned(), client, kept, fetching })
    }

    /// Verifies a token's signature and returns its claims. Fetches the keys first if they are
    /// missing, too old, or lack the one the token names.
    pub(super) async fn verify(
        self: &Arc<Self>,
        token: &Token<'_>,
    ) -> Result<Map<String, Value>, TokenError> {
        let kept = self.kept();
        if kept.fetched.is_some_and(|fetched| fetched.elapsed() < AGE_MAX) {
            match kept.keys.verify(token) {
                Err(TokenError::UnknownKey) => {}
                verified => return verified,
            }
        }
        self.refresh(kept.tried).await;
        let kept = self.kept();
        // Stale keys are better than locking every caller out while the issuer is down.
        if kept.fetched.is_none() { Err(TokenError::NoKeys) } else { kept.keys.verify(token) }
    }

    fn kept(&self) -> Kept {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the keys, unless there was a recent attempt or another caller refreshed them since
    /// `seen`.
    ///
    /// A client that disconnects drops this future. So the attempt is recorded before the fetch,
    /// and the fetch runs in its own task: such clients can neither cause more fetches nor cancel
    /// one that others wait for.
    async fn refresh(self: &Arc<Self>, seen: Option<Instant>) {
        let one_at_a_time = Arc::clone(&self.fetching).lock_owned().await;
        let tried = self.kept().tried;
        let is_too_soon = tried.is_some_and(|tried| tried.elapsed() < FETCH_INTERVAL_MIN);
        if tried != seen || is_too_soon {
            return;
        }
        let now = Instant::now();
        self.change(|kept| kept.tried = Some(now));
        let jwks = Arc::clone(self);
        let fetch = tokio::spawn(async move {
            match jwks.fetch().await {
                Ok(keys) => jwks.change(|kept| {
                    kept.keys = Arc::new(keys);
                    kept.fetched = Some(now);
                }),
                Err(error) => tracing::warn!(url = jwks.url, error, "no keys from the issuer"),
            }
            drop(one_at_a_time);
        });
        // A panicked fetch is a failed one.
        let _ = fetch.await;
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) {
        change(&mut self.kept.write().unwrap_or_else(PoisonError::into_inner));
    }

    async fn fetch(&self) -> Result<KeySet, String> {
        let answer = self.client.get(&self.url).send().await.map_err(|error| error.to_string())?;
        if !answer.is_success() {
            return Err(format!("status {}", answer.status()));
        }
        let keys = KeySet::parse(answer.bytes()).ok_or("the answer is no key set")?;
        if keys.is_empty() { Err("no key can be used".to_owned()) } else { Ok(keys) }
    }
}
