//! What is to be pushed: the newest state of a match and team, and alerts that wait.

use crate::design::{MatchId, TeamId};
use crate::rules::{DisplayState, LastEvent};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// The orders of one server.
#[derive(Default)]
pub(super) struct Orders {
    waiting: Mutex<HashMap<MatchId, MatchOrders>>,
    /// The newest sequence that was ordered, by match and team.
    newest: Mutex<HashMap<(MatchId, TeamId), u64>>,
    pub(super) added: Notify,
}

impl Orders {
    /// Adds an order. It replaces an update that waits; alerts queue.
    pub(super) fn add(&self, order: Order) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        for (team, _) in &order.states {
            newest.insert((order.match_id.clone(), team.clone()), order.sequence);
        }
        drop(newest);
        let mut waiting = self.waiting();
        let own = waiting.entry(order.match_id).or_default();
        for (team, state) in order.states {
            let update =
                Waiting { sequence: order.sequence, state, committed_at: order.committed_at };
            own.updates.insert(team, update);
        }
        if let Some(event) = order.event.filter(|event| event.kind.is_alert()) {
            let (sequence, committed_at) = (order.sequence, order.committed_at);
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

    /// Takes all that waits, without alerts that are no news any more.
    pub(super) fn take(&self, now: i64) -> Vec<(MatchId, MatchOrders)> {
        let mut taken: Vec<_> = std::mem::take(&mut *self.waiting()).into_iter().collect();
        for (_, orders) in &mut taken {
            orders.alerts.retain(|alert| now - alert.committed_at <= ALERT_MS_MAX);
        }
        taken
    }

    /// Whether a newer state of this match and team was ordered.
    pub(super) fn is_superseded(&self, id: &MatchId, team: &TeamId, sequence: u64) -> bool {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.get(&(id.clone(), team.clone())).is_some_and(|newest| *newest > sequence)
    }

    /// Forgets a match that is over.
    pub(super) fn forget(&self, id: &MatchId) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.retain(|(own, _), _| own != id);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<MatchId, MatchOrders>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
