//! What jobs, locks, the feed and replays do.

use super::{ADMIN_TOPIC, job_views};
use crate::error::Error;
use crate::jobs::Jobs;
use crate::service::Service;
use crate::view::LockView;
use serde_json::{Value, json};
use singlet_web::job::{JobStatuses, Next};
use singlet_web::live::{Live, Push};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The job that sends operators what happens.
pub(super) const FEED_JOB: &str = "push-operations";
/// How often it looks.
pub(super) const FEED_INTERVAL: Duration = Duration::from_secs(1);

/// Sends operators what has changed since it was last sent. Clones are one.
#[derive(Clone)]
pub(super) struct AdminFeed {
    service: Service,
    jobs: Jobs,
    statuses: JobStatuses,
    live: Live,
    /// What was sent last, by event and name.
    sent: Arc<Mutex<HashMap<(&'static str, String), Value>>>,
}

impl AdminFeed {
    pub(super) fn new(service: &Service, jobs: &Jobs, statuses: &JobStatuses, live: &Live) -> Self {
        let (service, jobs) = (service.clone(), jobs.clone());
        let (statuses, live) = (statuses.clone(), live.clone());
        Self { service, jobs, statuses, live, sent: Arc::default() }
    }

    /// Sends what has changed, if anybody listens.
    pub(super) async fn push_changes(&self) -> Result<Next, Error> {
        if self.live.figures().subscribers == 0 {
            self.sent.lock().unwrap_or_else(PoisonError::into_inner).clear();
            return Ok(Next::Interval);
        }
        let mut events: Vec<(&'static str, String, Value)> = Vec::new();
        for job in job_views(&self.statuses) {
            events.push(("job", job.name.clone(), json!(job)));
        }
        let locks = self.service.locks.all().await?;
        let locks: Vec<LockView> = locks.into_iter().map(LockView::from).collect();
        events.push(("lock", String::new(), json!({"items": locks})));
        events.push(("feed", String::new(), json!(self.jobs.feed_status())));
        for fixture in self.service.fixtures.live().await? {
            let Some(replay) = self.jobs.replay_view(&fixture) else { continue };
            let id = fixture.match_id.to_string();
            let data = json!({"matchId": id, "replay": replay, "sequence": fixture.sequence});
            events.push(("replay", id, data));
        }
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        for (event, name, data) in events {
            let last = sent.insert((event, name), data.clone());
            if last.as_ref() != Some(&data) {
                self.live.publish(Push::unnumbered(ADMIN_TOPIC, event, &data));
            }
        }
        Ok(Next::Interval)
    }
}
