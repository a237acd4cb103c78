//! Orders to push: the newest state of a match and team, and waiting alerts.

use crate::design::{MatchId, TeamId};
use crate::lock;
use crate::rules::{DisplayState, LastEvent};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Alerts that wait; older ones are dropped.
const ALERTS_MAX: usize = 8;
/// How long an alert is news.
const ALERT_MS_MAX: i64 = 60_000;

/// A part of an order: a state, or an event to alert of.
#[derive(Clone, Debug)]
pub(super) struct Waiting<T> {
    pub(super) sequence: u64,
    /// In epoch milliseconds.
    pub(super) committed_at: i64,
    pub(super) what: T,
}

pub(super) type States = Vec<(TeamId, DisplayState)>;

#[derive(Clone, Debug, Default)]
pub(super) struct MatchOrders {
    pub(super) updates: BTreeMap<TeamId, Waiting<DisplayState>>,
    pub(super) alerts: VecDeque<Waiting<LastEvent>>,
    /// The day on which activities start.
    pub(super) start: Option<(u32, States)>,
}

/// Counts as a push of its match until it is dropped.
pub(super) struct PushUnderWay {
    of: Arc<Orders>,
    pub(super) match_id: MatchId,
}

impl Drop for PushUnderWay {
    fn drop(&mut self) {
        let mut state = lock(&self.of.state);
        if let Some(count) = state.under_way.get_mut(&self.match_id) {
            *count -= 1;
            if *count == 0 {
                state.under_way.remove(&self.match_id);
            }
        }
        drop(state);
        self.of.finished.notify_waiters();
    }
}

#[derive(Default)]
pub(super) struct Orders {
    state: Mutex<State>,
    pub(super) added: Notify,
    finished: Notify,
}

#[derive(Default)]
struct State {
    waiting: HashMap<MatchId, MatchOrders>,
    /// The newest state that was ordered, by match and team.
    newest: HashMap<(MatchId, TeamId), Waiting<DisplayState>>,
    /// How many pushes of a match are under way.
    under_way: HashMap<MatchId, usize>,
}

impl Orders {
    /// Orders to push a tick that was committed. Its states replace those that wait; alerts queue.
    pub(super) fn add(
        &self,
        id: &MatchId,
        (sequence, committed_at): (u64, i64),
        event: Option<LastEvent>,
        states: States,
    ) {
        let State { waiting, newest, .. } = &mut *lock(&self.state);
        let own = waiting.entry(id.clone()).or_default();
        for (team, state) in states {
            let update = Waiting { sequence, committed_at, what: state };
            newest.insert((id.clone(), team.clone()), update.clone());
            own.updates.insert(team, update);
        }
        if let Some(event) = event.filter(|event| event.kind.is_alert()) {
            own.alerts.push_back(Waiting { sequence, committed_at, what: event });
            if own.alerts.len() > ALERTS_MAX {
                own.alerts.pop_front();
            }
        }
        self.added.notify_one();
    }

    /// Orders activities to be started.
    pub(super) fn start(&self, id: &MatchId, day: u32, states: States) {
        lock(&self.state).waiting.entry(id.clone()).or_default().start = Some((day, states));
        self.added.notify_one();
    }

    /// Takes all waiting orders, except alerts that are too old. They count as under way at once.
    pub(super) fn take(self: &Arc<Self>, now: i64) -> Vec<(PushUnderWay, MatchOrders)> {
        let State { waiting, under_way, .. } = &mut *lock(&self.state);
        let taken = std::mem::take(waiting).into_iter().map(|(match_id, mut orders)| {
            orders.alerts.retain(|alert| now - alert.committed_at <= ALERT_MS_MAX);
            *under_way.entry(match_id.clone()).or_default() += 1;
            (PushUnderWay { of: Arc::clone(self), match_id }, orders)
        });
        taken.collect()
    }

    /// Waits until no push of a match is under way.
    pub(super) async fn until_pushed(&self, id: &MatchId) {
        loop {
            let mut finished = pin!(self.finished.notified());
            // From here on no notification is missed.
            finished.as_mut().enable();
            if !lock(&self.state).under_way.contains_key(id) {
                return;
            }
            finished.await;
        }
    }

    pub(super) fn is_superseded(&self, id: &MatchId, team: &TeamId, sequence: u64) -> bool {
        self.newest_of(id, team).is_some_and(|newest| newest.sequence > sequence)
    }

    /// The newest state of this match and team that was ordered.
    pub(super) fn newest_of(&self, id: &MatchId, team: &TeamId) -> Option<Waiting<DisplayState>> {
        lock(&self.state).newest.get(&(id.clone(), team.clone())).cloned()
    }

    pub(super) fn forget(&self, id: &MatchId) {
        lock(&self.state).newest.retain(|(own, _), _| own != id);
    }
}
