//! The adapter for SportMonks v2.0.
//!
//! The token is a part of every address: it is given to the outbound client as a secret, and logs
//! have the path alone.

use super::lenient::{members, number};
use super::port::{Feed, FeedError, FeedFuture, Snapshot};
use super::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use crate::lock;
use axum::extract::Query;
use serde_json::Value;
use singlet::Clock;
use singlet::prelude::*;
use singlet_web::outbound::{Client, ClientOptions};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;
const CALLS_MAX: u32 = 2_000;
const FIXTURE_CALLS_MAX: u32 = 1_500;
/// Ten includes are the feed's limit.
const INCLUDES: &str =
    "localteam,visitorteam,league,venue,runs,lineup,batting,bowling,scoreboards,balls";
/// Between attempts of all calls but those for live scores, where the next poll is the retry. The
/// kit's `Retry` would repeat a 429, and its attempts would not count among the calls of an hour.
const WAITS: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
const PAGES_MAX: u32 = 100;
const TOKEN: &str = "api_token";

/// The parameters of a query.
type Parameters = Vec<(String, String)>;

fn parameters(query: &[(&str, &str)]) -> Parameters {
    query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

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
        path: &str,
        query: &Parameters,
    ) -> Result<Option<Value>, FeedError> {
        self.admit(name)?;
        let request = self.client.get(&self.address(path));
        let request =
            query.iter().fold(request, |request, (name, value)| request.query(name, value));
        let answer = request.secret_query(TOKEN, &self.options.token).send().await;
        let answer = answer.map_err(|error| FeedError::Failed(error.to_string()))?;
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
        path: &str,
        query: &Parameters,
    ) -> Result<Option<Value>, FeedError> {
        for wait in self.options.waits {
            match self.call(name, path, query).await {
                Err(FeedError::Failed(_)) => tokio::time::sleep(wait).await,
                answered => return answered,
            }
        }
        self.call(name, path, query).await
    }

    /// All pages of a list: the next one is where `links.next` leads, or has the next number while
    /// `meta.last_page` is greater.
    async fn list(
        &self,
        name: &'static str,
        path: &str,
        mut query: Parameters,
    ) -> Result<Vec<Value>, FeedError> {
        let mut found = Vec::new();
        for page in 1..=PAGES_MAX {
            let Some(body) = self.call_again(name, path, &query).await? else { break };
            found.extend(body.get("data").map(members).unwrap_or_default().into_iter().cloned());
            let link = body.pointer("/links/next").and_then(Value::as_str);
            let last = body.get("meta").and_then(|meta| number(meta, "last_page")).unwrap_or(1);
            let next = match link.and_then(|link| self.query_of(path, link)) {
                Some(next) => next,
                None if page < last => vec![("page".to_owned(), (page + 1).to_string())],
                None => break,
            };
            // A link may name the page alone: filters and includes stay.
            query.retain(|(name, _)| next.iter().all(|(new, _)| new != name));
            query.extend(next);
        }
        Ok(found)
    }

    async fn all<T>(
        &self,
        name: &'static str,
        read: fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, FeedError> {
        let list = self.list(name, &format!("/{name}"), Parameters::new()).await?;
        Ok(list.iter().filter_map(read).collect())
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.options.base.trim_end_matches('/'))
    }

    /// The query of a link to this path, without the token; `None` for other addresses.
    fn query_of(&self, path: &str, link: &str) -> Option<Parameters> {
        let here = link.strip_prefix(&self.address(path)).unwrap_or(link);
        if !here.starts_with('?') {
            tracing::warn!("the feed's next page is at another address");
            return None;
        }
        let Query(mut query) =
            Query::<Parameters>::try_from_uri(&format!("/{here}").parse().ok()?).ok()?;
        query.retain(|(name, _)| name != TOKEN);
        Some(query)
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
            let query = parameters(&[("include", INCLUDES)]);
            let body = self.call("livescores", "/livescores", &query).await?;
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
            let query = parameters(&[("include", INCLUDES)]);
            let body = self.call_again("fixture", &path, &query).await?;
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
                let query = parameters(&[
                    ("filter[league_id]", league),
                    ("filter[starts_between]", &between),
                    ("include", "localteam,visitorteam,venue"),
                ]);
                let list = self.list("fixtures", "/fixtures", query).await?;
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
            let list = self.list("standings", &path, Parameters::new()).await?;
            Ok(list.iter().filter_map(FeedStanding::from_json).collect())
        })
    }

    fn remaining(&self) -> Option<(u32, bool)> {
        let remaining = lock(&self.endpoints).get("livescores")?.remaining?;
        Some((remaining, remaining < CALLS_MAX / 10))
    }
}
