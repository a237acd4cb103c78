//! The adapter for SportMonks v2.0.
//!
//! The token is a part of every address: it is given to the outbound client as a secret, and logs
//! have the path alone.

use super::lenient::{members, number};
use super::port::{Feed, FeedError, FeedFuture, Snapshot};
use super::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use crate::lock;
use serde_json::Value;
use singlet::Clock;
use singlet::prelude::*;
use singlet_web::outbound::{Client, ClientOptions, OutboundRequest};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;
const CALLS_MAX: u32 = 2_000;
const FIXTURE_CALLS_MAX: u32 = 1_500;
/// Ten includes are the feed's limit.
const INCLUDES: &str =
    "localteam,visitorteam,league,venue,runs,lineup,batting,bowling,scoreboards,balls";
const WAITS: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
const PAGES_MAX: u32 = 100;

#[derive(Clone)]
pub struct SportMonksOptions {
    /// `https://cricket.sportmonks.com/api/v2.0`, or a server on this machine.
    pub base: String,
    pub token: String,
    pub waits: [Duration; 3],
}

impl SportMonksOptions {
    pub fn new(base: impl Into<String>, token: impl Into<String>) -> Self {
        Self { base: base.into(), token: token.into(), waits: WAITS }
    }
}

pub struct SportMonks {
    options: SportMonksOptions,
    client: Client,
    clock: Clock,
    endpoints: Mutex<HashMap<&'static str, Endpoint>>,
}

#[derive(Clone, Debug, Default)]
struct Endpoint {
    hour_from: i64,
    calls: u32,
    resting_until: i64,
    remaining: Option<u32>,
}

impl SportMonks {
    pub fn new(options: SportMonksOptions, clock: Clock) -> Self {
        let client = Client::lazy(ClientOptions {
            connect_time_max: Duration::from_secs(3),
            request_time_max: Duration::from_secs(8),
            body_bytes_max: 64 << 20,
            http2_only: false,
        });
        Self { options, client, clock, endpoints: Mutex::default() }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_millis()
    }

    fn request(&self, path: &str) -> OutboundRequest {
        let base = self.options.base.trim_end_matches('/');
        let request = self.client.get(&format!("{base}{path}"));
        request.secret_query("api_token", &self.options.token)
    }

    /// Counts a call, unless the endpoint rests.
    fn admit(&self, name: &'static str) -> Result<(), FeedError> {
        let now = self.now();
        let calls_max = if name == "fixture" { FIXTURE_CALLS_MAX } else { CALLS_MAX };
        let mut endpoints = lock(&self.endpoints);
        let endpoint = endpoints.entry(name).or_default();
        if now < endpoint.resting_until {
            return Err(FeedError::Resting { until: endpoint.resting_until });
        }
        if now - endpoint.hour_from >= HOUR_MS {
            *endpoint = Endpoint { hour_from: now, ..Endpoint::default() };
        }
        if endpoint.calls >= calls_max {
            return Err(FeedError::Resting { until: endpoint.hour_from + HOUR_MS });
        }
        endpoint.calls += 1;
        Ok(())
    }

    /// One call: the body, or `None` for 404.
    async fn call(
        &self,
        name: &'static str,
        request: OutboundRequest,
    ) -> Result<Option<Value>, FeedError> {
        self.admit(name)?;
        let answer = request.send().await.map_err(|error| FeedError::Failed(error.to_string()))?;
        let now = self.now();
        if let Some(endpoint) = lock(&self.endpoints).get_mut(name) {
            let left = answer.header("x-ratelimit-remaining").and_then(|text| text.parse().ok());
            endpoint.remaining = left.or(endpoint.remaining);
            if answer.status() == 429 {
                let asked =
                    answer.retry_after().and_then(|wait| i64::try_from(wait.as_millis()).ok());
                let until = asked.map_or(endpoint.hour_from + HOUR_MS, |wait| now + wait);
                endpoint.resting_until = until;
                return Err(FeedError::Resting { until });
            }
        }
        match answer.status() {
            200..=299 => match answer.json::<Value>() {
                Ok(body) => Ok(Some(body)),
                Err(error) => Err(FeedError::Failed(error.to_string())),
            },
            404 => Ok(None),
            status @ (401 | 403) => Err(FeedError::Refused(format!("status {status}"))),
            status => Err(FeedError::Failed(format!("{name}: status {status}"))),
        }
    }

    /// A call that is made again when it fails.
    async fn call_again(
        &self,
        name: &'static str,
        request: impl Fn() -> OutboundRequest,
    ) -> Result<Option<Value>, FeedError> {
        for wait in self.options.waits {
            match self.call(name, request()).await {
                Err(FeedError::Failed(_)) => tokio::time::sleep(wait).await,
                answered => return answered,
            }
        }
        self.call(name, request()).await
    }

    /// All pages of a list: the next one is where `links.next` leads, or has the next number while
    /// `meta.last_page` is greater.
    async fn list(
        &self,
        name: &'static str,
        request: impl Fn(u32) -> OutboundRequest,
    ) -> Result<Vec<Value>, FeedError> {
        let mut found = Vec::new();
        let mut link: Option<String> = None;
        for page in 1..=PAGES_MAX {
            let next = || match &link {
                Some(link) => self.request(link),
                None => request(page),
            };
            let Some(body) = self.call_again(name, next).await? else { break };
            found.extend(body.get("data").map(members).unwrap_or_default().into_iter().cloned());
            link = body.pointer("/links/next").and_then(|next| self.path_of(next.as_str()?));
            let last = body.get("meta").and_then(|meta| number(meta, "last_page")).unwrap_or(1);
            if link.is_none() && page >= last {
                break;
            }
        }
        Ok(found)
    }

    async fn all<T>(
        &self,
        name: &'static str,
        read: fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, FeedError> {
        let path = format!("/{name}");
        let request = |page: u32| self.request(&path).query("page", &page.to_string());
        Ok(self.list(name, request).await?.iter().filter_map(read).collect())
    }

    /// Path and query of an address below our base, without the token; `None` for other addresses.
    fn path_of(&self, address: &str) -> Option<String> {
        let below = address.strip_prefix(self.options.base.trim_end_matches('/'));
        let Some(below) = below.filter(|below| below.starts_with('/')) else {
            tracing::warn!("the feed's next page is on another server");
            return None;
        };
        let (path, query) = below.split_once('?').unwrap_or((below, ""));
        let query = query.split('&').filter(|part| !part.starts_with("api_token="));
        Some(format!("{path}?{}", query.collect::<Vec<_>>().join("&")))
    }

    fn snapshot(&self, value: &Value) -> Option<Snapshot> {
        let now = self.now();
        Some(Snapshot { fixture: FeedFixture::from_json(value)?, feed_at: now, feed_ms: now })
    }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Feed for SportMonks {
    fn name(&self) -> &'static str {
        "sportmonks"
    }

    fn live(&self) -> FeedFuture<'_, Vec<Snapshot>> {
        Box::pin(async move {
            let request = self.request("/livescores").query("include", INCLUDES);
            let body = self.call("livescores", request).await?;
            let body =
                body.ok_or_else(|| FeedError::Failed("livescores: status 404".to_owned()))?;
            let Some(data) = body.get("data") else {
                return Err(FeedError::Failed("livescores: no data".to_owned()));
            };
            Ok(members(data).into_iter().filter_map(|one| self.snapshot(one)).collect())
        })
    }

    fn fixture<'a>(&'a self, id: &'a str) -> FeedFuture<'a, Option<Snapshot>> {
        Box::pin(async move {
            if !is_id(id) {
                return Ok(None);
            }
            let path = format!("/fixtures/{id}");
            let request = || self.request(&path).query("include", INCLUDES);
            let body = self.call_again("fixture", request).await?;
            Ok(body.and_then(|body| self.snapshot(body.get("data")?)))
        })
    }

    fn fixtures<'a>(
        &'a self,
        leagues: &'a [String],
        from: Timestamp,
        to: Timestamp,
    ) -> FeedFuture<'a, Vec<Snapshot>> {
        Box::pin(async move {
            let day = |at: Timestamp| at.to_string().chars().take(10).collect::<String>();
            let between = format!("{},{}", day(from), day(to));
            let mut found = Vec::new();
            for league in leagues {
                let request = |page: u32| {
                    self.request("/fixtures")
                        .query("filter[league_id]", league)
                        .query("filter[starts_between]", &between)
                        .query("include", "localteam,visitorteam,venue")
                        .query("page", &page.to_string())
                };
                let list = self.list("fixtures", request).await?;
                found.extend(list.iter().filter_map(|one| self.snapshot(one)));
            }
            Ok(found)
        })
    }

    fn leagues(&self) -> FeedFuture<'_, Vec<FeedLeague>> {
        Box::pin(self.all("leagues", FeedLeague::from_json))
    }

    fn teams(&self) -> FeedFuture<'_, Vec<FeedTeam>> {
        Box::pin(self.all("teams", FeedTeam::from_json))
    }

    fn standings<'a>(&'a self, season: &'a str) -> FeedFuture<'a, Vec<FeedStanding>> {
        Box::pin(async move {
            if !is_id(season) {
                return Ok(Vec::new());
            }
            let path = format!("/standings/season/{season}");
            let list = self.list("standings", |_| self.request(&path)).await?;
            Ok(list.iter().filter_map(FeedStanding::from_json).collect())
        })
    }

    fn remaining(&self) -> Option<(u32, bool)> {
        let remaining = lock(&self.endpoints).get("livescores")?.remaining?;
        Some((remaining, remaining < CALLS_MAX / 10))
    }
}
