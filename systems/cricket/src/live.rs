//! Pushes to pages.
//!
//! `matches` follows the change feeds of `cricket-fixtures` and `match-processing-state`; its
//! numbers are the sequences of matches. `pushes` passes on messages to phones, and `admin` the
//! state of jobs, locks, the feed and replays.

mod matches;

use crate::design::{Fixture, MatchId, TeamId};
use crate::error::Error;
use crate::jobs::Jobs;
use crate::lock;
use crate::service::Service;
use matches::{Watched, Watcher};
use serde_json::{Value, json};
use singlet_web::job::{Job, JobStatus, JobStatuses, Next};
use singlet_web::live::{Live, Push, Topic};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The name of the system, by which the kit lists its jobs.
const SYSTEM: &str = "cricket";
const STALE_JOB: &str = "push-stale-scores";
const STALE_INTERVAL: Duration = Duration::from_secs(5);
const OPERATIONS_JOB: &str = "push-operations";
const OPERATIONS_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) const ADMIN_TOPIC: &str = "admin";

pub(crate) fn matches_topic() -> Topic {
    Topic::from("matches")
}

/// The kind of topics for pages that list all matches beside one.
const PAGE: &str = "page";

/// Everybody who watches a match from the side of a team, alone or beside the list.
pub(crate) fn match_topic(id: &MatchId, team: &TeamId, has_list: bool) -> Topic {
    Topic::new(if has_list { PAGE } else { "match" }, format_args!("{id}/{team}"))
}

/// What pages watch. Clones are one.
#[derive(Clone)]
pub struct Streams {
    pub(crate) matches: Live,
    pub(crate) pushes: Live,
    pub(crate) admin: Live,
    watched: Arc<Watched>,
    service: Service,
    jobs: Jobs,
    statuses: JobStatuses,
    /// What operators have seen.
    sent: Arc<Mutex<HashMap<(&'static str, String), Value>>>,
}

impl Streams {
    pub fn new(service: &Service, jobs: &Jobs, statuses: &JobStatuses) -> Self {
        let watched = Arc::new(Watched::new(service.clone()));
        let matches = matches::live(service, &watched);
        Self {
            matches,
            pushes: jobs.outbox().live.clone(),
            admin: Live::signals("ready"),
            watched,
            service: service.clone(),
            jobs: jobs.clone(),
            statuses: statuses.clone(),
            sent: Arc::default(),
        }
    }

    pub(crate) fn all(&self) -> [&Live; 3] {
        [&self.matches, &self.pushes, &self.admin]
    }

    /// Pushes the changes of a match to a topic until the guard is dropped.
    pub(crate) fn watch(&self, fixture: &Fixture, topic: &Topic) -> Watcher {
        self.watched.add(fixture, topic)
    }

    /// Jobs for events that no change of a table causes: stale scores, and the state of jobs and
    /// locks. Each server runs them for its own pages.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let (scores, streams) = (self.clone(), self.clone());
        vec![
            Job::every(STALE_JOB, STALE_INTERVAL, move |_| {
                scores
                    .watched
                    .stale_pushes()
                    .into_iter()
                    .for_each(|push| scores.matches.publish(push));
                std::future::ready(Ok(Next::Interval))
            }),
            Job::every(OPERATIONS_JOB, OPERATIONS_INTERVAL, move |_| {
                let streams = streams.clone();
                async move { Ok(streams.push_operations().await?) }
            }),
        ]
    }

    /// The jobs of this system, except those that only push to pages.
    pub(crate) fn own_jobs(&self) -> Vec<JobStatus> {
        let own = self.statuses.all().into_iter().filter(|status| status.system == SYSTEM);
        own.filter(|status| ![STALE_JOB, OPERATIONS_JOB].contains(&status.name)).collect()
    }

    /// Sends operators what has changed of jobs, locks, the feed and replays.
    async fn push_operations(&self) -> Result<Next, Error> {
        if self.admin.figures().subscribers == 0 {
            lock(&self.sent).clear();
            return Ok(Next::Interval);
        }
        let mut events: Vec<(&'static str, String, Value)> = Vec::new();
        for job in self.own_jobs() {
            events.push(("job", job.name.to_owned(), json!(job)));
        }
        let locks = self.service.locks.all().await?;
        events.push(("lock", String::new(), json!({"items": locks})));
        events.push(("feed", String::new(), json!(self.jobs.feed_status())));
        for fixture in self.service.fixtures.live().await? {
            let Some(replay) = self.jobs.replay_view(&fixture) else { continue };
            let id = fixture.match_id.to_string();
            let data = json!({"matchId": id, "replay": replay, "sequence": fixture.sequence});
            events.push(("replay", id, data));
        }
        let mut sent = lock(&self.sent);
        for (event, name, data) in events {
            let last = sent.insert((event, name), data.clone());
            if last.as_ref() != Some(&data) {
                self.admin.publish(Push::unnumbered(ADMIN_TOPIC, event, &data));
            }
        }
        Ok(Next::Interval)
    }
}
