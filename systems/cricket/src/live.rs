//! Pushes to pages.
//!
//! `matches` follows the change feeds of `cricket-fixtures` and `match-processing-state`; its
//! numbers are the sequences of matches. `pushes` passes on what was sent to phones, and `admin`
//! what jobs and locks do.

mod admin;
mod matches;

use crate::design::{Fixture, MatchId, TeamId, UserId};
use crate::error::Error;
use crate::jobs::Jobs;
use crate::service::{Service, require_admin};
use crate::view::JobView;
use admin::AdminFeed;
use matches::{Watched, Watcher};
use serde_json::json;
use singlet_web::api::LastEventId;
use singlet_web::identity::Caller;
use singlet_web::job::{Job, JobStatuses};
use singlet_web::live::{Live, Push, Subscription, Topic, TopicState};
use std::sync::Arc;

/// The name of the system, by which the kit lists its jobs.
const SYSTEM: &str = "cricket";
/// All operators.
const ADMIN_TOPIC: &str = "admin";

/// Everybody who watches the list of matches.
pub(crate) fn matches_topic() -> Topic {
    Topic::from("matches")
}

/// Everybody who watches a match from the side of a team.
pub(crate) fn match_topic(id: &MatchId, team: &TeamId) -> Topic {
    Topic::new("match", format_args!("{id}/{team}"))
}

/// What is pushed to a user.
pub(crate) fn pushes_topic(user: &UserId) -> Topic {
    Topic::new("pushes", user)
}

/// What pages watch. Clones are one.
#[derive(Clone)]
pub struct Streams {
    /// The list of matches, and each match.
    pub(crate) matches: Live,
    /// What is pushed to users.
    pub(crate) pushes: Live,
    /// What jobs and locks do.
    pub(crate) admin: Live,
    watched: Arc<Watched>,
    feed: AdminFeed,
    statuses: JobStatuses,
}

impl Streams {
    /// The pushes of these services and jobs.
    #[must_use]
    pub fn new(service: &Service, jobs: &Jobs, statuses: &JobStatuses) -> Self {
        let watched = Arc::new(Watched::new(service.clone()));
        let matches = matches::live(service, &watched);
        watched.set_live(&matches);
        let outbox = jobs.outbox().clone();
        let since = outbox.since().to_string();
        let ready = TopicState::unnumbered("ready", &json!({"since": since}));
        let pushes = Live::new(move |_| std::future::ready(Ok(Some(ready.clone()))));
        let passed_on = pushes.clone();
        outbox.on_message(Arc::new(move |user: &UserId, message: &crate::push::Message| {
            passed_on.publish(Push::unnumbered(pushes_topic(user), "push", message));
        }));
        let admin = Live::signals("ready");
        let feed = AdminFeed::new(service, jobs, statuses, &admin);
        Self { matches, pushes, admin, watched, feed, statuses: statuses.clone() }
    }

    /// What the server is to follow.
    pub(crate) fn all(&self) -> [&Live; 3] {
        [&self.matches, &self.pushes, &self.admin]
    }

    /// Somebody watches a match, until what this returns is dropped: its changes are written down.
    pub(crate) fn watch(&self, fixture: &Fixture) -> Watcher {
        self.watched.add(fixture)
    }

    /// What operators watch: jobs, locks, the feed and replays.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdmin`].
    pub(crate) async fn watch_operations(
        &self,
        caller: &Caller,
        last: LastEventId,
    ) -> Result<Subscription, Error> {
        require_admin(caller)?;
        Ok(self.admin.subscribe(Topic::from(ADMIN_TOPIC), last).await?)
    }

    /// The jobs that send pages what no change of a table does: that a score is stale, and what jobs
    /// and locks do. Each server runs them for its own pages.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let (watched, feed) = (Arc::clone(&self.watched), self.feed.clone());
        vec![
            Job::every(matches::STALE_JOB, matches::STALE_INTERVAL, move |_| {
                let watched = Arc::clone(&watched);
                async move { Ok(watched.push_stale()) }
            }),
            Job::every(admin::FEED_JOB, admin::FEED_INTERVAL, move |_| {
                let feed = feed.clone();
                async move { Ok(feed.push_changes().await?) }
            }),
        ]
    }

    /// The jobs of this system, without those that only push to pages.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdmin`].
    pub(crate) fn jobs_for(&self, caller: &Caller) -> Result<Vec<JobView>, Error> {
        require_admin(caller)?;
        Ok(job_views(&self.statuses))
    }
}

fn job_views(statuses: &JobStatuses) -> Vec<JobView> {
    let own = statuses.all().into_iter().filter(|status| status.system == SYSTEM);
    own.filter(|status| ![matches::STALE_JOB, admin::FEED_JOB].contains(&status.name))
        .map(JobView::from)
        .collect()
}
