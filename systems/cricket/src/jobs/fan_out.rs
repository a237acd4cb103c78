//! LiveActivityPush: sends orders.

use super::orders::{MatchOrders, PushUnderWay, States, Waiting};
use super::{Jobs, MINUTE};
use crate::design::{
    Claim, Device, Environment, Fixture, Follow, MatchId, PushToken, Subscription, TeamId, UserId,
};
use crate::error::Error;
use crate::lock;
use crate::push::{
    PushKind, PushMessage, PushOutcome, alert_payload, alert_text, end_payload, fit, start_payload,
    update_payload,
};
use crate::rules::{DisplayState, LastEvent, Phase};
use crate::service::Followed;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use singlet::{Result, Timestamp};
use singlet_web::job::{JobError, JobRun, Next};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// An older order is sent only if its state is still the newest.
const ORDER_MS_MAX: i64 = 8_000;
/// How long alerts and updates are valid; reminders, toss and end are valid longer.
const NEWS_VALID_SECONDS: i64 = 60;
const NOTICE_VALID_SECONDS: i64 = 600;
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

pub(super) struct Outgoing {
    message: PushMessage,
    /// The perspective of a state; an update is dropped when a newer one was ordered.
    team: Option<TeamId>,
    /// The device whose token starts an activity.
    device: Option<PushToken>,
}

impl Outgoing {
    /// A notice is valid for longer than news.
    pub(super) fn notice(mut self) -> Self {
        self.message.expires_at += NOTICE_VALID_SECONDS - NEWS_VALID_SECONDS;
        self
    }
}

/// The outcome of a message after all attempts.
enum Delivery {
    Delivered,
    /// A newer state of its perspective was ordered.
    Superseded,
    NotDelivered,
}

/// Adds up how many messages were sent, so many at once.
pub(super) async fn count_sent(
    sends: impl Stream<Item = impl Future<Output = Result<usize>> + Send> + Send,
    at_once: usize,
) -> Result<usize> {
    let sent = sends.buffer_unordered(at_once).boxed();
    sent.try_fold(0, |sum, count| std::future::ready(Ok(sum + count))).await
}

impl Jobs {
    /// Pushes orders for a minute, or until the server stops.
    ///
    /// Senders are separate tasks: a message that is retried delays no other match, and the end of a
    /// run aborts none.
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

    /// Sends all orders. Returns how many messages were delivered.
    pub async fn push_orders(&self) -> Result<usize> {
        self.push_taken(self.0.orders.take(self.now_ms())).await
    }

    /// Sends all orders of a match so far, and waits until they are sent, also by other senders.
    pub(super) async fn push_all_of(&self, id: &MatchId) {
        let taken = self.0.orders.take(self.now_ms());
        let jobs = self.clone();
        // A separate task: the orders of other matches are sent even if this one is cancelled.
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

    /// A failed push of one match does not stop the others.
    async fn push_taken(&self, taken: Vec<(PushUnderWay, MatchOrders)>) -> Result<usize> {
        let pushes = stream::iter(taken).map(|(under_way, orders)| async move {
            self.push_match(&under_way.match_id, orders).await
        });
        let pushes = pushes.buffer_unordered(MATCHES_AT_ONCE_MAX).boxed();
        pushes.collect::<Vec<_>>().await.into_iter().sum()
    }

    async fn push_match(&self, id: &MatchId, orders: MatchOrders) -> Result<usize> {
        let orders = &self.still_valid(id, orders).await?;
        let subscriptions: Vec<Subscription> =
            self.service().subscriptions.of_match(id).try_collect().await?;
        let users: &HashSet<UserId> =
            &subscriptions.iter().map(|one| one.user_id.clone()).collect();
        let updates = stream::iter(&subscriptions).map(|subscription| async move {
            let Some(update) = orders.updates.get(&subscription.team_id) else { return Ok(0) };
            if orders.alerts.is_empty() {
                return self.send_update(id, subscription, update, None).await;
            }
            let mut sent = 0;
            for alert in &orders.alerts {
                sent += self.send_update(id, subscription, update, Some(alert)).await?;
            }
            Ok(sent)
        });
        let sent = count_sent(updates, IN_FLIGHT_MAX).await?;
        if orders.alerts.is_empty() && orders.start.is_none() {
            return Ok(sent);
        }
        let league = &self.league_name(id).await?;
        let others = self.service().follows.followers(id).map(|follow| async move {
            let follow = follow?;
            if users.contains(&follow.user_id) {
                return Ok(0);
            }
            let Some(device) = self.device_of(&follow.user_id).await? else { return Ok(0) };
            let mut sent = 0;
            for Waiting { sequence, what: event, .. } in &orders.alerts {
                let (title, body) = alert_text(event, follow.team_id.as_str());
                let text = (title.as_str(), body.as_str());
                let payload = alert_payload(id.as_str(), *sequence, event.kind.as_str(), text);
                let mut outgoing = self.to_device(id, &device, payload);
                outgoing.message.sequence = Some(*sequence);
                sent += usize::from(self.deliver(outgoing).await);
            }
            if let Some((day, states)) = &orders.start
                && let Some((_, state)) = states.iter().find(|(team, _)| *team == follow.team_id)
            {
                let is_sent = self.start_activity(id, *day, &follow, &device, state, league);
                sent += usize::from(is_sent.await?);
            }
            Ok(sent)
        });
        Ok(sent + count_sent(others, IN_FLIGHT_MAX).await?)
    }

    /// Sends a state to an activity, with an alert if there is one. An alert is not lost with a state
    /// that is superseded: it then goes out with the newest one. Returns how many were delivered.
    async fn send_update(
        &self,
        id: &MatchId,
        subscription: &Subscription,
        update: &Waiting<DisplayState>,
        alert: Option<&Waiting<LastEvent>>,
    ) -> Result<usize> {
        let (user, team) = (&subscription.user_id, &subscription.team_id);
        let mut update = update.clone();
        let mut outgoing = self
            .to_activity(id, user, &subscription.push_token, PushKind::Update, Value::Null)
            .await?;
        outgoing.message.priority = if alert.is_some() { 10 } else { 5 };
        outgoing.team = Some(team.clone());
        loop {
            let text = alert.map(|alert| alert_text(&alert.what, &update.what.team));
            let text = text.as_ref().map(|(title, body)| (title.as_str(), body.as_str()));
            outgoing.message.payload =
                update_payload(&update.what, text, update.committed_at / 1000);
            outgoing.message.sequence = Some(update.sequence);
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
    async fn still_valid(&self, id: &MatchId, mut orders: MatchOrders) -> Result<MatchOrders> {
        let now = self.now_ms();
        let is_old = |committed_at: i64| now - committed_at > ORDER_MS_MAX;
        let mut updates = orders.updates.values().map(|update| update.committed_at);
        let mut alerts = orders.alerts.iter().map(|alert| alert.committed_at);
        if !updates.any(is_old) && !alerts.any(is_old) {
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
            !is_old(update.committed_at) || newest.get(team) == Some(&update.sequence)
        });
        orders.alerts.retain(|alert| {
            !is_old(alert.committed_at) || newest.values().any(|newest| *newest == alert.sequence)
        });
        Ok(orders)
    }

    async fn league_name(&self, id: &MatchId) -> Result<String> {
        let Some(fixture) = self.service().fixtures.get(id).await? else {
            return Ok(String::new());
        };
        let names = self.service().names(std::slice::from_ref(&fixture)).await?;
        Ok(names.league(&fixture).to_owned())
    }

    /// Orders activities to be started, once for each day of a match that is live.
    pub(super) fn start_activities_once(
        &self,
        id: &MatchId,
        phase: Phase,
        day: Option<u32>,
        states: States,
    ) {
        let day = day.unwrap_or(1);
        if phase == Phase::Live && self.live().started.insert((id.clone(), day)) {
            self.0.orders.start(id, day, states);
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
    ) -> Result<bool> {
        let Some(token) = &device.push_to_start_token else { return Ok(false) };
        let user = &follow.user_id;
        if !self.service().prematch.mark_sent(id, &Claim::start(day, user)).await? {
            return Ok(false);
        }
        let payload = start_payload(state, league, self.now_ms() / 1000);
        let outgoing = Outgoing {
            team: Some(follow.team_id.clone()),
            device: Some(device.device_token.clone()),
            ..self.outgoing(id, user, token, device.environment, PushKind::Start, payload)
        };
        Ok(self.deliver(outgoing).await)
    }

    /// Pushes outside of the ticks. If too many do already, a follower gets the activity with the
    /// next tick, and one that should end does so by its stale date.
    fn in_background(&self, work: impl Future<Output = Result<()>> + Send + 'static) {
        let Ok(permit) = Arc::clone(&self.0.background).try_acquire_owned() else {
            return tracing::warn!("too many activities start and end at once: one was skipped");
        };
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = work.await {
                tracing::warn!(%error, "an activity was not started, changed or ended");
            }
        });
    }

    /// Starts an activity at once for a user who follows a match that is live.
    pub fn start_activity_in_background(&self, fixture: &Fixture, follow: &Follow) {
        if fixture.phase.is_in_live_index() && fixture.live.is_some() {
            let (jobs, fixture, follow) = (self.clone(), fixture.clone(), follow.clone());
            self.in_background(async move { jobs.start_for(&fixture, &follow).await.map(drop) });
        }
    }

    /// What [`start_activity_in_background`](Self::start_activity_in_background) does.
    pub async fn start_for(&self, fixture: &Fixture, follow: &Follow) -> Result<bool> {
        let (id, user) = (&fixture.match_id, &follow.user_id);
        // They may have got their phone a moment ago.
        let Some(device) = self.service().devices.of_user(user).await? else { return Ok(false) };
        let activities = &self.service().subscriptions;
        if !activities.still_registered(id, user, &follow.activities).await?.is_empty() {
            return Ok(false);
        }
        let state = self.service().display_of(fixture, &follow.team_id, false).await?;
        let league = self.league_name(id).await?;
        let day = fixture.day.unwrap_or(1);
        self.start_activity(id, day, follow, &device, &state, &league).await
    }

    /// Shows the side at once that a user has chosen, in their activities that showed another one.
    pub fn update_activities(&self, followed: &Followed) {
        let Followed { fixture, follow, changed } = followed;
        self.push_to_activities(fixture, &follow.user_id, &follow.team_id, changed.clone(), false);
    }

    /// Ends activities at once: their user does not follow the match any more.
    pub fn end_activities(&self, fixture: &Fixture, user: &UserId, tokens: Vec<PushToken>) {
        self.push_to_activities(fixture, user, &TeamId::neutral(), tokens, true);
    }

    fn push_to_activities(
        &self,
        fixture: &Fixture,
        user: &UserId,
        team: &TeamId,
        tokens: Vec<PushToken>,
        is_end: bool,
    ) {
        if tokens.is_empty() {
            return;
        }
        let jobs = self.clone();
        let (fixture, user, team) = (fixture.clone(), user.clone(), team.clone());
        self.in_background(async move {
            let state = jobs.service().display_of(&fixture, &team, false).await?;
            let now = jobs.now_ms() / 1000;
            let (kind, payload) = match is_end {
                true => (PushKind::End, end_payload(&state, now, true)),
                false => (PushKind::Update, update_payload(&state, None, now)),
            };
            for token in &tokens {
                let (id, payload) = (&fixture.match_id, payload.clone());
                let message = jobs.to_activity(id, &user, token, kind, payload).await?;
                jobs.deliver(if is_end { message.notice() } else { message }).await;
            }
            Ok(())
        });
    }

    /// Ends all activities of a match; waits up to a minute.
    pub(super) async fn end_all(&self, fixture: &Fixture) -> Result<()> {
        let id = &fixture.match_id;
        let mut states = HashMap::new();
        for team in fixture.perspectives() {
            let state = self.service().display_of(fixture, &team, false).await?;
            states.insert(team, state);
        }
        let states = &states;
        let ends = self.service().subscriptions.of_match(id).map(|subscription| async move {
            let Subscription { user_id, push_token, team_id, .. } = &subscription?;
            let Some(state) = states.get(team_id) else { return Ok(0) };
            let payload = end_payload(state, self.now_ms() / 1000, false);
            let end = self.to_activity(id, user_id, push_token, PushKind::End, payload).await?;
            Ok(usize::from(self.deliver(end.notice()).await))
        });
        match tokio::time::timeout(END_TIME_MAX, count_sent(ends, IN_FLIGHT_MAX)).await {
            Ok(done) => done.map(drop),
            Err(_) => {
                tracing::warn!(%id, "not all activities were ended in time");
                Ok(())
            }
        }
    }

    /// A message that is news, with priority 10.
    fn outgoing(
        &self,
        id: &MatchId,
        user: &UserId,
        token: &PushToken,
        environment: Environment,
        kind: PushKind,
        payload: Value,
    ) -> Outgoing {
        Outgoing {
            message: PushMessage {
                user: user.clone(),
                match_id: id.clone(),
                token: token.clone(),
                environment,
                kind,
                payload,
                priority: 10,
                expires_at: self.now_ms() / 1000 + NEWS_VALID_SECONDS,
                sequence: None,
            },
            team: None,
            device: None,
        }
    }

    /// A message to an activity: its token is known where that of the user's device is.
    async fn to_activity(
        &self,
        id: &MatchId,
        user: &UserId,
        token: &PushToken,
        kind: PushKind,
        payload: Value,
    ) -> Result<Outgoing> {
        let device = self.device_of(user).await?;
        let environment = device.map_or(Environment::Production, |device| device.environment);
        Ok(self.outgoing(id, user, token, environment, kind, payload))
    }

    /// An alert to a device.
    pub(super) fn to_device(&self, id: &MatchId, device: &Device, payload: Value) -> Outgoing {
        let (user, token) = (&device.user_id, &device.device_token);
        self.outgoing(id, user, token, device.environment, PushKind::Alert, payload)
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
            if let (Some(team), Some(sequence)) = (&outgoing.team, message.sequence)
                && self.0.orders.is_superseded(&message.match_id, team, sequence)
            {
                return Delivery::Superseded;
            }
            let is_closed = now < self.0.push_closed_until.load(Ordering::SeqCst);
            if is_closed || now / 1000 > message.expires_at {
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
        if message.kind == PushKind::Start
            && let Some(team) = outgoing.team.clone()
            && self.0.sender.registers_activities()
        {
            let (jobs, id, user) = (self.clone(), message.match_id.clone(), message.user.clone());
            tokio::spawn(async move {
                tokio::time::sleep(PHONE_DELAY).await;
                if let Err(error) = jobs.register_activity(&id, &user, &team).await {
                    tracing::info!(%error, "an activity did not register itself");
                }
            });
        }
    }

    /// What a phone does after a start.
    async fn register_activity(
        &self,
        id: &MatchId,
        user: &UserId,
        team: &TeamId,
    ) -> Result<(), Error> {
        let service = self.service();
        let Ok(token) = PushToken::new(format!("log-{}", service.random.uuid_v4()?)) else {
            return Ok(());
        };
        match service.register_activity(id, user, &token, team).await {
            // They have stopped to follow the match while the activity started.
            Err(Error::NotFollowing) => {
                let fixture = service.find_match(id).await?;
                self.end_activities(&fixture, user, vec![token]);
                Ok(())
            }
            registered => registered.map(drop),
        }
    }

    async fn forget_token(&self, outgoing: &Outgoing, since: Option<i64>) {
        let (service, message) = (self.service(), &outgoing.message);
        let (user, token) = (&message.user, &message.token);
        let (kind, device) = (message.kind, outgoing.device.as_ref());
        let removed = match (kind, device, since.map(Timestamp::from_millis)) {
            (PushKind::Update | PushKind::End, ..) => {
                service.subscriptions.remove(&message.match_id, token).await
            }
            (_, Some(device), _) => service.devices.remove_push_to_start(user, device, token).await,
            (_, None, None) => service.devices.delete(user, token).await.map(|old| old.is_some()),
            (_, None, Some(since)) => {
                service.devices.delete_unless_seen_since(user, token, since).await
            }
        };
        lock(&self.0.devices).remove(user);
        match removed {
            Ok(removed) => tracing::info!(token = token.end(), removed, "a push token is dead"),
            Err(error) => tracing::warn!(%error, "a dead push token was not removed"),
        }
    }

    /// A user's device, remembered for a minute.
    pub(super) async fn device_of(&self, user: &UserId) -> Result<Option<Device>> {
        let now = self.now_ms();
        let devices = || lock(&self.0.devices);
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
