//! The issuer's keys: fetched when they are needed, kept, and fetched again when they may have
//! changed.

use super::TokenError;
use super::key::KeySet;
use super::token::Token;
use crate::outbound::{self, Client, ClientOptions};
use serde_json::{Map, Value};
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
    client: Client,
    kept: RwLock<Kept>,
    /// Held while fetching, so that one caller asks the issuer and the others wait for the answer.
    fetching: Arc<Mutex<()>>,
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

    /// Checks a token's signature and returns its claims. If the issuer's keys are not known yet,
    /// are too old, or do not have the one that the token names, they are fetched before the token
    /// is given up.
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
        // When the issuer does not answer, old keys are better than nobody getting in.
        if kept.fetched.is_none() { Err(TokenError::NoKeys) } else { kept.keys.verify(token) }
    }

    fn kept(&self) -> Kept {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the keys, unless that was tried a moment ago, or by somebody else since `seen`.
    ///
    /// A client that hangs up drops this future. So the attempt is noted before the fetch begins,
    /// and the fetch is a task of its own: neither can such clients have the issuer asked more
    /// often, nor can they keep the others from its keys.
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
        // A task that has panicked has fetched nothing.
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
