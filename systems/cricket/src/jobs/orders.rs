//! What is to be pushed: the newest state of a match and team, and alerts that wait.

use crate::design::{MatchId, TeamId};
use crate::rules::{DisplayState, LastEvent};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Alerts that wait; older ones are dropped.
const ALERTS_MAX: usize = 8;
/// How long an alert is news.
const ALERT_MS_MAX: i64 = 60_000;

/// What a tick has committed, and is to be pushed.
#[derive(Clone, Debug)]
pub struct Order {
    /// The match.
    pub match_id: MatchId,
    /// Its sequence.
    pub sequence: u64,
    /// What happened, if something did.
    pub event: Option<LastEvent>,
    /// The states that differ from those pushed before, by perspective.
    pub states: Vec<(TeamId, DisplayState)>,
    /// In epoch milliseconds.
    pub committed_at: i64,
}

/// A state that waits to be pushed.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) sequence: u64,
    pub(super) state: DisplayState,
    pub(super) committed_at: i64,
}

/// An alert that waits to be pushed.
#[derive(Clone, Debug)]
pub(super) struct WaitingAlert {
    pub(super) sequence: u64,
    pub(super) event: LastEvent,
    pub(super) committed_at: i64,
}

/// All that waits for one match.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchOrders {
    pub(super) updates: BTreeMap<TeamId, Waiting>,
    pub(super) alerts: VecDeque<WaitingAlert>,
    /// Start activities: the day, and the states.
    pub(super) start: Option<(u32, Vec<(TeamId, DisplayState)>)>,
}

/// What was taken of one match, to be pushed.
pub(super) struct TakenOrders {
    pub(super) match_id: MatchId,
    pub(super) orders: MatchOrders,
    /// To be dropped when all is sent.
    pub(super) under_way: PushUnderWay,
}

/// Counts as a push of its match until it is dropped.
pub(super) struct PushUnderWay {
    of: Arc<Orders>,
    match_id: MatchId,
}

impl Drop for PushUnderWay {
    fn drop(&mut self) {
        let mut under_way = self.of.under_way();
        if let Some(count) = under_way.get_mut(&self.match_id) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.match_id);
            }
        }
        drop(under_way);
        self.of.finished.notify_waiters();
    }
}

/// The orders of one server.
#[derive(Default)]
pub(super) struct Orders {
    waiting: Mutex<HashMap<MatchId, MatchOrders>>,
    /// The newest state that was ordered, by match and team.
    newest: Mutex<HashMap<(MatchId, TeamId), Waiting>>,
    /// How many pushes of a match are under way.
    under_way: Mutex<HashMap<MatchId, usize>>,
    pub(super) added: Notify,
    finished: Notify,
}

impl Orders {
    /// Adds an order. It replaces an update that waits; alerts queue.
    pub(super) fn add(&self, order: Order) {
        let (sequence, committed_at) = (order.sequence, order.committed_at);
        let waits = |state| Waiting { sequence, state, committed_at };
        let updates: Vec<(TeamId, Waiting)> =
            order.states.into_iter().map(|(team, state)| (team, waits(state))).collect();
        let mut newest = self.newest();
        for (team, update) in &updates {
            newest.insert((order.match_id.clone(), team.clone()), update.clone());
        }
        drop(newest);
        let mut waiting = self.waiting();
        let own = waiting.entry(order.match_id).or_default();
        own.updates.extend(updates);
        if let Some(event) = order.event.filter(|event| event.kind.is_alert()) {
            own.alerts.push_back(WaitingAlert { sequence, event, committed_at });
            if own.alerts.len() > ALERTS_MAX {
                own.alerts.pop_front();
            }
        }
        drop(waiting);
        self.added.notify_one();
    }

    /// Orders activities to be started.
    pub(super) fn start(&self, id: &MatchId, day: u32, states: Vec<(TeamId, DisplayState)>) {
        self.waiting().entry(id.clone()).or_default().start = Some((day, states));
        self.added.notify_one();
    }

    /// Takes all that waits, without alerts that are no news any more. What was taken counts as
    /// under way at once.
    pub(super) fn take(self: &Arc<Self>, now: i64) -> Vec<TakenOrders> {
        let mut waiting = self.waiting();
        let mut under_way = self.under_way();
        let taken = std::mem::take(&mut *waiting).into_iter().map(|(match_id, mut orders)| {
            orders.alerts.retain(|alert| now - alert.committed_at <= ALERT_MS_MAX);
            *under_way.entry(match_id.clone()).or_default() += 1;
            let guard = PushUnderWay { of: Arc::clone(self), match_id: match_id.clone() };
            TakenOrders { match_id, orders, under_way: guard }
        });
        taken.collect()
    }

    /// Waits until no push of a match is under way.
    pub(super) async fn until_pushed(&self, id: &MatchId) {
        loop {
            let mut finished = pin!(self.finished.notified());
            // From here on no notification is missed.
            finished.as_mut().enable();
            if !self.under_way().contains_key(id) {
                return;
            }
            finished.await;
        }
    }

    /// Whether a newer state of this match and team was ordered.
    pub(super) fn is_superseded(&self, id: &MatchId, team: &TeamId, sequence: u64) -> bool {
        let newest = self.newest();
        let newest = newest.get(&(id.clone(), team.clone()));
        newest.is_some_and(|newest| newest.sequence > sequence)
    }

    /// The newest state of this match and team that was ordered.
    pub(super) fn newest_of(&self, id: &MatchId, team: &TeamId) -> Option<Waiting> {
        self.newest().get(&(id.clone(), team.clone())).cloned()
    }

    /// Forgets a match that is over.
    pub(super) fn forget(&self, id: &MatchId) {
        self.newest().retain(|(own, _), _| own != id);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<MatchId, MatchOrders>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newest(&self) -> MutexGuard<'_, HashMap<(MatchId, TeamId), Waiting>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<MatchId, usize>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
