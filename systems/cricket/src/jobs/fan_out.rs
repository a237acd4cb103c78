//! LiveActivityPush: sends what was ordered.

use super::orders::{MatchOrders, TakenOrders, Waiting, WaitingAlert};
use super::{Jobs, MINUTE};
use crate::design::{
    Claim, Device, Environment, Fixture, Follow, MatchId, PushToken, Subscription, TeamId, UserId,
};
use crate::error::Error;
use crate::push::{
    PushKind, PushMessage, PushOutcome, alert_payload, alert_text, end_payload, fit, start_payload,
    update_payload,
};
use crate::rules::{DisplayState, Phase};
use crate::service::{Followed, StoreError};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use singlet::Timestamp;
use singlet_web::job::{JobError, JobRun, Next};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// An older order is sent only if its state is still the newest.
const ORDER_MS_MAX: i64 = 8_000;
/// How long alerts and updates are valid; reminders, toss and end are valid longer.
const NEWS_VALID_MS: i64 = 60_000;
pub(super) const NOTICE_VALID_MS: i64 = 600_000;
/// How many messages are under way at once.
const IN_FLIGHT_MAX: usize = 2_000;
const MATCHES_AT_ONCE_MAX: usize = 16;
/// Waits between attempts.
const WAITS_MS: [u64; 3] = [1_000, 2_000, 4_000];
/// How long a user's device is remembered, and of how many users.
const DEVICE_MS_MAX: i64 = 60_000;
const DEVICES_MAX: usize = 100_000;
/// How long nothing is sent after the service has refused our settings.
const CLOSED_MS: i64 = 300_000;
/// How long the log adapter waits before it registers an activity, as a phone would.
const PHONE_DELAY: Duration = Duration::from_secs(1);
/// Concurrent runs of `push_orders`.
pub(super) const SENDERS_MAX: u32 = 8;
/// How long a server that stops waits for its messages.
const STOP_TIME_MAX: Duration = Duration::from_secs(8);
/// How long the end of a match waits for its messages.
const END_TIME_MAX: Duration = Duration::from_secs(60);

/// Which token a message goes to, for when it is dead.
pub(super) enum TokenOf {
    /// The device's own.
    Device,
    /// The device's token that starts activities.
    Start(PushToken),
    /// An activity's.
    Activity,
}

/// A message with what is needed to send it.
pub(super) struct Outgoing {
    pub(super) message: PushMessage,
    pub(super) token_of: TokenOf,
    /// In epoch milliseconds.
    pub(super) valid_until: i64,
    /// Dropped when a newer state of this perspective was ordered.
    pub(super) update_of: Option<(TeamId, u64)>,
    /// After a start: the match and the perspective that the phone registers.
    pub(super) starts: Option<TeamId>,
}

impl Outgoing {
    /// Valid until then, in epoch milliseconds: for us, and for the service that delivers it.
    pub(super) fn valid_until(mut self, until: i64) -> Self {
        self.valid_until = until;
        self.message.expires_at = until / 1000;
        self
    }
}

/// What came of a message after all attempts.
enum Delivery {
    Delivered,
    /// A newer state of its perspective was ordered.
    Superseded,
    NotDelivered,
}

impl Jobs {
    /// Pushes what is ordered, for a minute or until the server stops.
    ///
    /// Senders are tasks of their own: a message that is tried again delays no other match, and the
    /// end of a run aborts none.
    ///
    /// # Errors
    ///
    /// If the store fails while the server stops.
    pub async fn run_push(self, run: JobRun) -> Result<Next, JobError> {
        let run_end = tokio::time::Instant::now() + MINUTE;
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&self.0.senders).acquire_owned() => permit?,
                () = run.stopping() => break,
            };
            let jobs = self.clone();
            tokio::spawn(async move {
                let _permit = permit;
                if let Err(error) = jobs.push_orders().await {
                    tracing::warn!(%error, "orders were not pushed");
                }
            });
            tokio::select! {
                () = self.0.orders.added.notified() => {}
                () = run.stopping() => break,
                () = tokio::time::sleep_until(run_end) => {
                    return Ok(Next::In(Duration::from_millis(10)));
                }
            }
        }
        let all_sent = self.0.senders.acquire_many(SENDERS_MAX);
        let _ = tokio::time::timeout(STOP_TIME_MAX, all_sent).await;
        self.push_orders().await?;
        // Another server takes over at once.
        self.release_feed_lock().await?;
        Ok(Next::Interval)
    }

    /// Sends all that was ordered. Returns how many messages were delivered.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn push_orders(&self) -> Result<usize, StoreError> {
        self.push_taken(self.0.orders.take(self.now_ms())).await
    }

    /// Sends all that was ordered so far of a match, and waits until it is sent: also what other
    /// senders have taken.
    pub(super) async fn push_all_of(&self, id: &MatchId) {
        let taken = self.0.orders.take(self.now_ms());
        let jobs = self.clone();
        // A task of its own: what was taken of other matches is sent whatever becomes of this one.
        tokio::spawn(async move {
            if let Err(error) = jobs.push_taken(taken).await {
                tracing::warn!(%error, "orders were not pushed");
            }
        });
        let pushed = self.0.orders.until_pushed(id);
        if tokio::time::timeout(END_TIME_MAX, pushed).await.is_err() {
            tracing::warn!(%id, "not all messages of a match were sent before its end");
        }
    }

    /// A match whose push fails does not stop those of the others.
    async fn push_taken(&self, taken: Vec<TakenOrders>) -> Result<usize, StoreError> {
        let pushes = stream::iter(taken).map(|taken| async move {
            let TakenOrders { match_id, orders, under_way } = taken;
            let sent = self.push_match(&match_id, orders).await;
            drop(under_way);
            sent
        });
        let pushes = pushes.buffer_unordered(MATCHES_AT_ONCE_MAX).boxed();
        pushes.collect::<Vec<_>>().await.into_iter().sum()
    }

    async fn push_match(&self, id: &MatchId, orders: MatchOrders) -> Result<usize, StoreError> {
        let orders = self.still_valid(id, orders).await?;
        let subscriptions: Vec<Subscription> =
            self.service().subscriptions.of_match(id).try_collect().await?;
        let users: HashSet<UserId> = subscriptions.iter().map(|one| one.user_id.clone()).collect();
        let alerts = &orders.alerts;
        let updates = stream::iter(&subscriptions).map(|subscription| {
            let update = orders.updates.get(&subscription.team_id);
            async move {
                let Some(update) = update else { return Ok(0) };
                if alerts.is_empty() {
                    return self.send_update(id, subscription, update, None).await;
                }
                let mut sent = 0;
                for alert in alerts {
                    sent += self.send_update(id, subscription, update, Some(alert)).await?;
                }
                Ok::<usize, StoreError>(sent)
            }
        });
        let mut sent: usize = updates
            .buffer_unordered(IN_FLIGHT_MAX)
            .boxed()
            .try_fold(0, |sum, count| std::future::ready(Ok(sum + count)))
            .await?;
        if orders.alerts.is_empty() && orders.start.is_none() {
            return Ok(sent);
        }
        let (orders, users) = (&orders, &users);
        let league = self.league_name(id).await?;
        let league = league.as_str();
        let others = self.service().follows.followers(id).map(|follow| async move {
            let follow = follow?;
            if users.contains(&follow.user_id) {
                return Ok(0);
            }
            let Some(device) = self.device_of(&follow.user_id).await? else { return Ok(0) };
            let mut sent = 0;
            for alert in &orders.alerts {
                let (title, body) = alert_text(&alert.event, follow.team_id.as_str());
                let kind = alert.event.kind.as_str();
                let text = (title.as_str(), body.as_str());
                let payload = alert_payload(id.as_str(), alert.sequence, kind, text);
                let mut outgoing = self.to_device(id, &device, payload);
                outgoing.message.sequence = Some(alert.sequence);
                sent += usize::from(self.deliver(outgoing).await);
            }
            if let Some((day, states)) = &orders.start {
                let state = states.iter().find(|(team, _)| *team == follow.team_id);
                if let Some((_, state)) = state {
                    let is_sent = self.start_activity(id, *day, &follow, &device, state, league);
                    sent += usize::from(is_sent.await?);
                }
            }
            Ok::<usize, StoreError>(sent)
        });
        sent += others
            .buffer_unordered(IN_FLIGHT_MAX)
            .boxed()
            .try_fold(0, |sum, count| std::future::ready(Ok(sum + count)))
            .await?;
        Ok(sent)
    }

    /// Sends a state to an activity, with an alert if there is one. An alert is not lost with a state
    /// that is superseded: it then goes out with the newest one. Returns how many were delivered.
    async fn send_update(
        &self,
        id: &MatchId,
        subscription: &Subscription,
        update: &Waiting,
        alert: Option<&WaitingAlert>,
    ) -> Result<usize, StoreError> {
        let (user, team) = (&subscription.user_id, &subscription.team_id);
        let environment = environment_of(self.device_of(user).await?.as_ref());
        let kind = (PushKind::Update, if alert.is_some() { 10 } else { 5 });
        let valid_until = self.now_ms() + NEWS_VALID_MS;
        let mut update = update.clone();
        loop {
            let text = alert.map(|alert| alert_text(&alert.event, update.state.team.as_str()));
            let text = text.as_ref().map(|(title, body)| (title.as_str(), body.as_str()));
            let payload = update_payload(&update.state, text, update.committed_at / 1000);
            let token = &subscription.push_token;
            let mut outgoing =
                self.outgoing(id, user, token, environment, kind, payload).valid_until(valid_until);
            outgoing.message.sequence = Some(update.sequence);
            outgoing.update_of = Some((team.clone(), update.sequence));
            match self.send_with_retries(&outgoing).await {
                Delivery::Delivered => return Ok(1),
                Delivery::NotDelivered => return Ok(0),
                Delivery::Superseded if alert.is_none() => return Ok(0),
                Delivery::Superseded => match self.0.orders.newest_of(id, team) {
                    Some(newest) => update = newest,
                    // The match was cleaned up meanwhile.
                    None => return Ok(0),
                },
            }
        }
    }

    /// Without orders older than 8 s whose state is not the newest any more.
    async fn still_valid(
        &self,
        id: &MatchId,
        mut orders: MatchOrders,
    ) -> Result<MatchOrders, StoreError> {
        let now = self.now_ms();
        let old = |committed_at: i64| now - committed_at > ORDER_MS_MAX;
        let updates_old = orders.updates.values().any(|update| old(update.committed_at));
        let alerts_old = orders.alerts.iter().any(|alert| old(alert.committed_at));
        if !updates_old && !alerts_old {
            return Ok(orders);
        }
        let Some(fixture) = self.service().fixtures.get_consistent(id).await? else {
            return Ok(MatchOrders::default());
        };
        let mut newest: HashMap<TeamId, u64> = HashMap::new();
        for team in fixture.perspectives() {
            if let Some(hash) = self.service().hashes.get(id, &team).await? {
                newest.insert(team, hash.sequence);
            }
        }
        orders.updates.retain(|team, update| {
            !old(update.committed_at) || newest.get(team) == Some(&update.sequence)
        });
        orders.alerts.retain(|alert| {
            !old(alert.committed_at) || newest.values().any(|newest| *newest == alert.sequence)
        });
        Ok(orders)
    }

    async fn league_name(&self, id: &MatchId) -> Result<String, StoreError> {
        let Some(fixture) = self.service().fixtures.get(id).await? else {
            return Ok(String::new());
        };
        let names = self.service().names(std::slice::from_ref(&fixture)).await?;
        Ok(names.league(&fixture).to_owned())
    }

    /// Orders activities to be started, once for each day of a match that is live.
    pub(super) fn start_activities_once(
        &self,
        fixture: &Fixture,
        states: &[(TeamId, DisplayState)],
    ) {
        let day = fixture.day.unwrap_or(1);
        let is_first = fixture.phase == Phase::Live
            && self.live().started.insert((fixture.match_id.clone(), day));
        if is_first {
            self.0.orders.start(&fixture.match_id, day, states.to_vec());
        }
    }

    /// Starts an activity of a follower, unless that was done this day.
    async fn start_activity(
        &self,
        id: &MatchId,
        day: u32,
        follow: &Follow,
        device: &Device,
        state: &DisplayState,
        league: &str,
    ) -> Result<bool, StoreError> {
        let Some(token) = &device.push_to_start_token else { return Ok(false) };
        let claim = Claim::start(day, &follow.user_id);
        if !self.service().prematch.mark_sent(id, &claim).await? {
            return Ok(false);
        }
        let payload = start_payload(state, league, self.now_ms() / 1000);
        let kind = (PushKind::Start, 10);
        let user = &follow.user_id;
        let outgoing = Outgoing {
            token_of: TokenOf::Start(device.device_token.clone()),
            starts: Some(follow.team_id.clone()),
            ..self.outgoing(id, user, token, device.environment, kind, payload)
        };
        Ok(self.deliver(outgoing).await)
    }

    /// Leave to push outside of the ticks. If too many do already, a follower gets the activity with
    /// the next tick, and one that should end does so by its stale date.
    fn background_permit(&self) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.0.background).try_acquire_owned().ok();
        if permit.is_none() {
            tracing::warn!("too many activities are started and ended at once: one was skipped");
        }
        permit
    }

    /// Starts an activity at once for somebody who follows a match that is live.
    pub fn start_activity_in_background(&self, fixture: &Fixture, follow: &Follow) {
        if !fixture.phase.is_in_live_index() || fixture.live.is_none() {
            return;
        }
        let Some(permit) = self.background_permit() else { return };
        let (jobs, fixture, follow) = (self.clone(), fixture.clone(), follow.clone());
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = jobs.start_for(&fixture, &follow).await {
                tracing::warn!(%error, "an activity was not started");
            }
        });
    }

    /// What [`start_activity_in_background`](Self::start_activity_in_background) does, to be waited
    /// for.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn start_for(&self, fixture: &Fixture, follow: &Follow) -> Result<bool, StoreError> {
        let id = &fixture.match_id;
        // They may have got their phone a moment ago.
        let device = self.service().devices.of_user(&follow.user_id).await?;
        let Some(device) = device else { return Ok(false) };
        let activities = &self.service().subscriptions;
        let own = activities.still_registered(id, &follow.user_id, &follow.activities).await?;
        if !own.is_empty() {
            return Ok(false);
        }
        let state = self.service().display_of(fixture, &follow.team_id).await?;
        let league = self.league_name(id).await?;
        let day = fixture.day.unwrap_or(1);
        self.start_activity(id, day, follow, &device, &state, &league).await
    }

    /// Shows the side at once that a user has chosen, in their activities that showed another one.
    pub fn update_activities(&self, followed: &Followed) {
        if followed.changed.is_empty() {
            return;
        }
        let Some(permit) = self.background_permit() else { return };
        let (jobs, followed) = (self.clone(), followed.clone());
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = jobs.send_state(&followed).await {
                tracing::warn!(%error, "activities do not show the new side yet");
            }
        });
    }

    async fn send_state(&self, followed: &Followed) -> Result<(), StoreError> {
        let (fixture, follow) = (&followed.fixture, &followed.follow);
        let state = self.service().display_of(fixture, &follow.team_id).await?;
        let payload = update_payload(&state, None, self.now_ms() / 1000);
        let device = self.device_of(&follow.user_id).await?;
        let (environment, kind) = (environment_of(device.as_ref()), (PushKind::Update, 10));
        for token in &followed.changed {
            let (id, user) = (&fixture.match_id, &follow.user_id);
            self.deliver(self.outgoing(id, user, token, environment, kind, payload.clone())).await;
        }
        Ok(())
    }

    /// Ends activities at once: their user does not follow the match any more.
    pub fn end_activities(&self, fixture: &Fixture, user: &UserId, tokens: &[PushToken]) {
        if tokens.is_empty() {
            return;
        }
        let Some(permit) = self.background_permit() else { return };
        let (jobs, fixture, user) = (self.clone(), fixture.clone(), user.clone());
        let tokens = tokens.to_vec();
        tokio::spawn(async move {
            let _permit = permit;
            let state = match jobs.service().display_of(&fixture, &TeamId::neutral()).await {
                Ok(state) => state,
                Err(error) => return tracing::warn!(%error, "activities were not ended"),
            };
            let payload = end_payload(&state, jobs.now_ms() / 1000, true);
            let device = jobs.device_of(&user).await.ok().flatten();
            let environment = environment_of(device.as_ref());
            for token in &tokens {
                let kind = (PushKind::End, 10);
                let id = &fixture.match_id;
                let outgoing = jobs.outgoing(id, &user, token, environment, kind, payload.clone());
                let valid_until = jobs.now_ms() + NOTICE_VALID_MS;
                jobs.deliver(outgoing.valid_until(valid_until)).await;
            }
        });
    }

    /// Ends all activities of a match; waits up to a minute.
    pub(super) async fn end_all(&self, fixture: &Fixture) -> Result<(), StoreError> {
        let id = &fixture.match_id;
        let mut states = HashMap::new();
        for team in fixture.perspectives() {
            let state = self.service().display_of(fixture, &team).await?;
            states.insert(team, state);
        }
        let states = &states;
        let ends = self.service().subscriptions.of_match(id).map(|subscription| async move {
            let subscription = subscription?;
            let Some(state) = states.get(&subscription.team_id) else { return Ok(()) };
            let payload = end_payload(state, self.now_ms() / 1000, false);
            let device = self.device_of(&subscription.user_id).await?;
            let environment = environment_of(device.as_ref());
            let kind = (PushKind::End, 10);
            let (user, token) = (&subscription.user_id, &subscription.push_token);
            let outgoing = self.outgoing(id, user, token, environment, kind, payload);
            self.deliver(outgoing.valid_until(self.now_ms() + NOTICE_VALID_MS)).await;
            Ok::<(), StoreError>(())
        });
        let all = ends.buffer_unordered(IN_FLIGHT_MAX).boxed().try_collect::<Vec<()>>();
        match tokio::time::timeout(END_TIME_MAX, all).await {
            Ok(done) => done.map(|_| ()),
            Err(_) => {
                tracing::warn!(%id, "not all activities were ended in time");
                Ok(())
            }
        }
    }

    /// A message that is news.
    fn outgoing(
        &self,
        id: &MatchId,
        user: &UserId,
        token: &PushToken,
        environment: Environment,
        (kind, priority): (PushKind, u8),
        payload: Value,
    ) -> Outgoing {
        let valid_until = self.now_ms() + NEWS_VALID_MS;
        Outgoing {
            message: PushMessage {
                user: user.clone(),
                match_id: id.clone(),
                token: token.clone(),
                environment,
                kind,
                payload,
                priority,
                expires_at: valid_until / 1000,
                sequence: None,
            },
            token_of: TokenOf::Activity,
            valid_until,
            update_of: None,
            starts: None,
        }
    }

    /// An alert to a device.
    pub(super) fn to_device(&self, id: &MatchId, device: &Device, payload: Value) -> Outgoing {
        let (user, token) = (&device.user_id, &device.device_token);
        let kind = (PushKind::Alert, 10);
        Outgoing {
            token_of: TokenOf::Device,
            ..self.outgoing(id, user, token, device.environment, kind, payload)
        }
    }

    /// Sends a message. Returns whether it was delivered.
    pub(super) async fn deliver(&self, outgoing: Outgoing) -> bool {
        matches!(self.send_with_retries(&outgoing).await, Delivery::Delivered)
    }

    /// Sends a message; again after 1, 2 and 4 s while it is valid and not superseded.
    async fn send_with_retries(&self, outgoing: &Outgoing) -> Delivery {
        let message = &outgoing.message;
        for wait in WAITS_MS.iter().map(Some).chain([None]) {
            let now = self.now_ms();
            let is_superseded = outgoing.update_of.as_ref().is_some_and(|(team, sequence)| {
                self.0.orders.is_superseded(&message.match_id, team, *sequence)
            });
            let is_closed = now < self.0.push_closed_until.load(Ordering::SeqCst);
            if is_superseded {
                return Delivery::Superseded;
            }
            if is_closed || now > outgoing.valid_until {
                return Delivery::NotDelivered;
            }
            match self.0.sender.send(message).await {
                PushOutcome::Delivered => {
                    self.note_delivered(outgoing);
                    return Delivery::Delivered;
                }
                PushOutcome::TokenDead { since } => {
                    self.forget_token(outgoing, since).await;
                    return Delivery::NotDelivered;
                }
                PushOutcome::Again(reason) => {
                    let Some(wait) = wait else {
                        tracing::warn!(reason, token = message.token.end(), "a push was given up");
                        return Delivery::NotDelivered;
                    };
                    let wait = *wait as f64 * (0.8 + 0.4 * self.jitter());
                    tokio::time::sleep(Duration::from_millis(wait as u64)).await;
                }
                PushOutcome::Misconfigured(reason) => {
                    tracing::error!(reason, "the push service refuses our settings");
                    self.0.push_closed_until.store(now + CLOSED_MS, Ordering::SeqCst);
                    return Delivery::NotDelivered;
                }
                PushOutcome::Dropped(reason) => {
                    tracing::warn!(reason, token = message.token.end(), "a push was refused");
                    return Delivery::NotDelivered;
                }
            }
        }
        Delivery::NotDelivered
    }

    fn note_delivered(&self, outgoing: &Outgoing) {
        let message = &outgoing.message;
        let text = fit(&message.payload).unwrap_or_default();
        self.0.outbox.add(message, &text, self.service().db.now());
        let Some(team) = outgoing.starts.clone().filter(|_| self.0.sender.registers_activities())
        else {
            return;
        };
        let (jobs, id, user) = (self.clone(), message.match_id.clone(), message.user.clone());
        tokio::spawn(async move {
            tokio::time::sleep(PHONE_DELAY).await;
            if let Err(error) = jobs.register_activity(&id, &user, &team).await {
                tracing::info!(%error, "an activity did not register itself");
            }
        });
    }

    /// What a phone does after a start.
    async fn register_activity(
        &self,
        id: &MatchId,
        user: &UserId,
        team: &TeamId,
    ) -> Result<(), Error> {
        let service = self.service();
        let uuid = service.random.uuid_v4().map_err(|_| singlet::Error::RandomUnavailable)?;
        let Ok(token) = PushToken::new(format!("log-{uuid}")) else { return Ok(()) };
        match service.register_activity(id, user, &token, team).await {
            // They have stopped to follow the match while the activity started.
            Err(Error::NotFollowing) => {
                let fixture = service.find_match(id).await?;
                self.end_activities(&fixture, user, &[token]);
                Ok(())
            }
            registered => registered.map(|_| ()),
        }
    }

    /// Removes a token that is dead.
    async fn forget_token(&self, outgoing: &Outgoing, since: Option<i64>) {
        let (service, message) = (self.service(), &outgoing.message);
        let (user, token) = (&message.user, &message.token);
        let removed = match (&outgoing.token_of, since) {
            (TokenOf::Activity, _) => service.subscriptions.remove(&message.match_id, token).await,
            (TokenOf::Start(device), _) => {
                service.devices.remove_push_to_start(user, device, token).await
            }
            (TokenOf::Device, None) => {
                service.devices.delete(user, token).await.map(|old| old.is_some())
            }
            (TokenOf::Device, Some(since)) => {
                let since = Timestamp::from_millis(since);
                service.devices.delete_unless_seen_since(user, token, since).await
            }
        };
        self.0.devices.lock().unwrap_or_else(PoisonError::into_inner).remove(user);
        match removed {
            Ok(removed) => tracing::info!(token = token.end(), removed, "a push token is dead"),
            Err(error) => tracing::warn!(%error, "a dead push token was not removed"),
        }
    }

    /// A user's device, remembered for a minute.
    pub(super) async fn device_of(&self, user: &UserId) -> Result<Option<Device>, StoreError> {
        let now = self.now_ms();
        let devices = || self.0.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, device)) = devices().get(user)
            && now - at < DEVICE_MS_MAX
        {
            return Ok(device.clone());
        }
        let device = self.service().devices.of_user(user).await?;
        let mut devices = devices();
        if devices.len() >= DEVICES_MAX {
            devices.clear();
        }
        devices.insert(user.clone(), (now, device.clone()));
        Ok(device)
    }
}

fn environment_of(device: Option<&Device>) -> Environment {
    device.map_or(Environment::Production, |device| device.environment)
}
