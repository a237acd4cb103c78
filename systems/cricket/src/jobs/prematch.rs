//! Reminders, and the toss.

use super::Jobs;
use super::fan_out::count_sent;
use crate::design::{Claim, Fixture, MatchId, UserId};
use crate::push::alert_payload;
use crate::rules::{Elected, Phase, Toss, toss};
use crate::service::Updated;
use futures_util::StreamExt as _;
use serde_json::Value;
use singlet::prelude::*;
use std::time::Duration;

const REMINDER: Duration = Duration::from_secs(30 * 60);
/// How long before the start the toss is watched, and after it if the start is delayed.
const TOSS_BEFORE: Duration = Duration::from_secs(60 * 60);
const TOSS_AFTER: Duration = Duration::from_secs(3 * 60 * 60);
const IN_FLIGHT_MAX: usize = 500;

impl Jobs {
    /// Reminds the followers of matches that start within 30 min, each once. Returns how many
    /// messages were delivered.
    pub async fn send_reminders(&self) -> singlet::Result<usize> {
        let service = self.service();
        let now = service.db.now();
        let mut sent = 0;
        for fixture in service.starting_soon(now, now.after(REMINDER)).await? {
            let id = &fixture.match_id;
            if service.prematch.was_sent(id, &Claim::everybody()).await? {
                continue;
            }
            let names = service.names(std::slice::from_ref(&fixture)).await?;
            let [home, away] = names.teams(&fixture);
            let minutes = fixture.start_time.since(now).as_secs().div_ceil(60);
            let title = format!("{} v {} starts in {minutes} min", home.code, away.code);
            let body = match &fixture.venue {
                Some(venue) => format!("{}, {venue}", names.league(&fixture)),
                None => names.league(&fixture).to_owned(),
            };
            let text = (title.as_str(), body.as_str());
            let payload = alert_payload(id.as_str(), fixture.sequence, "reminder", text);
            sent += self.alert_followers(id, &payload, Claim::reminder).await?;
            service.prematch.mark_sent(id, &Claim::everybody()).await?;
        }
        Ok(sent)
    }

    /// Reads matches that start within the hour; alerts followers of who won the toss. Returns how many
    /// messages were delivered.
    pub async fn watch_tosses(&self) -> singlet::Result<usize> {
        let service = self.service();
        let now = service.db.now();
        let soon = service.starting_soon(now.before(TOSS_AFTER), now.after(TOSS_BEFORE)).await?;
        let mut sent = 0;
        for fixture in soon.into_iter().filter(|one| one.toss_notified_at.is_none()) {
            let id = &fixture.match_id;
            let known = match &fixture.toss {
                Some(toss) => Some(toss.clone()),
                None => match self.0.feed.fixture(id.as_str()).await {
                    Ok(found) => found.and_then(|snapshot| toss(&snapshot.fixture)),
                    Err(error) => {
                        tracing::debug!(%error, %id, "the toss could not be read");
                        None
                    }
                },
            };
            let Some(known) = known else { continue };
            if fixture.toss.is_none() && !self.set_toss(&fixture, &known).await? {
                continue;
            }
            let payload = self.toss_payload(&fixture, &known).await?;
            sent += self.alert_followers(id, &payload, Claim::toss).await?;
            let change = update(Fixture::key(id)).set(Fixture::TOSS_NOTIFIED_AT, now);
            service.fixtures.update(change).await?;
        }
        Ok(sent)
    }

    async fn set_toss(&self, read: &Fixture, toss: &Toss) -> singlet::Result<bool> {
        let is_as_read = Fixture::SEQUENCE.eq(read.sequence).and(Fixture::LIVE.missing());
        let change = update(Fixture::key(&read.match_id))
            .set(Fixture::TOSS, toss.clone())
            .set(Fixture::PHASE, Phase::Toss)
            .set(Fixture::SEQUENCE, read.sequence + 1)
            .only_if(is_as_read);
        Ok(matches!(self.service().fixtures.update(change).await?, Updated::Done(_)))
    }

    async fn toss_payload(&self, fixture: &Fixture, toss: &Toss) -> singlet::Result<Value> {
        let names = self.service().names(std::slice::from_ref(fixture)).await?;
        let [home, away] = names.teams(fixture);
        let (winner, other) = if toss.team_id == home.id { (home, away) } else { (away, home) };
        let (chose, first) = match toss.elected {
            Elected::Bat => ("bat", &winner),
            Elected::Bowl => ("bowl", &other),
        };
        let title = format!("Toss: {} chose to {chose}", winner.code);
        let body = format!("{} bat first", first.name);
        let text = (title.as_str(), body.as_str());
        Ok(alert_payload(fixture.match_id.as_str(), fixture.sequence, "toss", text))
    }

    /// Sends an alert once to every follower with a device.
    async fn alert_followers(
        &self,
        id: &MatchId,
        payload: &Value,
        claim: impl Fn(&UserId) -> Claim + Copy + Send + Sync,
    ) -> singlet::Result<usize> {
        let alerts = self.service().follows.followers(id).map(|follow| async move {
            let follow = follow?;
            if !self.service().prematch.mark_sent(id, &claim(&follow.user_id)).await? {
                return Ok(0);
            }
            let Some(device) = self.device_of(&follow.user_id).await? else { return Ok(0) };
            let alert = self.to_device(id, &device, payload.clone()).notice();
            Ok(usize::from(self.deliver(alert).await))
        });
        count_sent(alerts, IN_FLIGHT_MAX).await
    }
}
