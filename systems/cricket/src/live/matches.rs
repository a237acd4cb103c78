//! Matches that somebody watches.

use super::{match_topic, matches_topic};
use crate::design::{
    Fixture, Fixtures, FixturesItem, MatchId, MatchProcessingState, MatchProcessingStateItem,
    ProcessingState, TeamId,
};
use crate::error::Error;
use crate::routes::DisplayView;
use crate::rules::{BallLine, Delivery, MatchView, ball_line, display};
use crate::service::Service;
use crate::view::{MatchSummary, is_stale, match_view};
use serde::Serialize;
use serde_json::json;
use singlet::Timestamp;
use singlet_web::job::Next;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The job that sends pages that a score is stale.
pub(super) const STALE_JOB: &str = "push-stale-scores";
/// How often it looks.
pub(super) const STALE_INTERVAL: Duration = Duration::from_secs(5);

/// The pushes of all matches of this service.
pub(super) fn live(service: &Service, watched: &Arc<Watched>) -> Live {
    let state_service = service.clone();
    let (of_fixtures, of_balls) = (Arc::clone(watched), Arc::clone(watched));
    Live::new(move |topic: Topic| {
        let service = state_service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow::<_, Fixtures>(&service.db, move |change| of_fixtures.fixture_changed(change))
    .follow::<_, MatchProcessingState>(&service.db, move |change| of_balls.balls_changed(change))
}

/// The state of a match, as somebody who begins to watch gets it.
#[derive(Serialize)]
struct MatchState {
    sequence: u64,
    display: DisplayView,
    /// Those of this over, the newest first.
    balls: Vec<BallLine>,
}

/// What changed of the balls.
#[derive(Clone, Default, Serialize)]
struct BallsChange {
    sequence: u64,
    /// The newest first.
    added: Vec<BallLine>,
    changed: Vec<BallLine>,
    /// Ids.
    removed: Vec<String>,
}

async fn state(service: &Service, topic: &Topic) -> Result<TopicState, Error> {
    // Pushes take the names from memory.
    service.teams.all().await?;
    service.leagues.all().await?;
    if *topic == matches_topic() {
        let fixtures = service.fixtures.live().await?;
        let names = service.names(&fixtures).await?;
        let now = service.db.now();
        let live = fixtures.iter().map(|one| MatchSummary::new(one, &names, None, now));
        let live: Vec<MatchSummary> = live.collect();
        return Ok(TopicState::unnumbered("matches", &json!({"live": live})));
    }
    let (id, team) = topic.id().split_once('/').ok_or(Error::MatchNotFound)?;
    let id = MatchId::new(id).map_err(|_| Error::MatchNotFound)?;
    let record = service.match_record(&id).await?;
    let view = record.view();
    let fixture = &record.fixture;
    let shown = DisplayView::new(display(&view, team), fixture, service.db.now());
    let balls = this_over(&view);
    let sequence = fixture.sequence;
    let state = MatchState { sequence, display: shown, balls };
    Ok(TopicState::numbered(sequence, "state", &state))
}

/// The balls of the last over, the newest first.
fn this_over(view: &MatchView) -> Vec<BallLine> {
    let Some(last) = view.deliveries.last() else { return Vec::new() };
    let newest = view.deliveries.iter().rev();
    newest
        .take_while(|ball| ball.innings == last.innings && ball.over() == last.over())
        .map(|ball| ball_line(ball, &view.players))
        .collect()
}

/// The matches that somebody watches, as this server knows them. Each is dropped with its last
/// [`Watcher`], so there are never more than streams.
pub(super) struct Watched {
    service: Service,
    live: OnceLock<Live>,
    matches: Mutex<HashMap<MatchId, Watch>>,
}

/// A match that somebody watches. Its two items change in one transaction, and are followed one by
/// one: what belongs together has the same sequence.
struct Watch {
    /// How many streams are open.
    watchers: usize,
    fixture: Fixture,
    processing: Option<ProcessingState>,
    balls: BallsChange,
    /// The sequence of the last push.
    pushed: u64,
    is_stale: bool,
}

impl Watched {
    pub(super) fn new(service: Service) -> Self {
        Self { service, live: OnceLock::new(), matches: Mutex::default() }
    }

    pub(super) fn set_live(&self, live: &Live) {
        // It is set once, when the system opens.
        let _ = self.live.set(live.clone());
    }

    /// Somebody watches a match, until what this returns is dropped.
    pub(super) fn add(self: &Arc<Self>, fixture: &Fixture) -> Watcher {
        let mut matches = self.matches();
        let watch = matches.entry(fixture.match_id.clone()).or_insert_with(|| Watch {
            watchers: 0,
            fixture: fixture.clone(),
            processing: None,
            balls: BallsChange::default(),
            pushed: fixture.sequence,
            is_stale: false,
        });
        watch.watchers += 1;
        Watcher { watched: Arc::clone(self), match_id: fixture.match_id.clone() }
    }

    fn remove(&self, id: &MatchId) {
        let mut matches = self.matches();
        if let Some(watch) = matches.get_mut(id) {
            watch.watchers = watch.watchers.saturating_sub(1);
            if watch.watchers == 0 {
                matches.remove(id);
            }
        }
    }

    /// A match changed.
    fn fixture_changed(&self, change: &ItemChange<FixturesItem>) -> Vec<Push> {
        if self.live.get().is_none_or(|live| live.figures().subscribers == 0) {
            return Vec::new();
        }
        let old = change.old.as_ref().map(|FixturesItem::Fixture(old)| old);
        match (old, change.new.as_ref().map(|FixturesItem::Fixture(new)| new)) {
            (old, Some(new)) => self.fixture_written(old, new),
            (Some(old), None) => {
                let gone = Push::unnumbered(
                    matches_topic(),
                    "matchArchived",
                    &json!({"matchId": old.match_id}),
                );
                let ends = topics(old).into_iter().map(Push::end);
                std::iter::once(gone).chain(ends).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    fn fixture_written(&self, old: Option<&Fixture>, new: &Fixture) -> Vec<Push> {
        let now = self.service.db.now();
        let mut pushes = Vec::new();
        let is_archived = new.archived_at.is_some();
        let is_new = old.is_none_or(|old| old.sequence != new.sequence);
        if is_archived && old.is_none_or(|old| old.archived_at.is_none()) {
            let gone = json!({"matchId": new.match_id});
            pushes.push(Push::unnumbered(matches_topic(), "matchArchived", &gone));
            let ended = json!({"matchId": new.match_id, "result": new.result});
            let topics = topics(new).into_iter();
            pushes.extend(topics.map(|topic| Push::unnumbered(topic, "ended", &ended)));
        } else if is_new {
            let names = self.service.remembered_names();
            let summary = MatchSummary::new(new, &names, None, now);
            pushes.push(Push::unnumbered(matches_topic(), "matchChanged", &summary));
        }
        let mut matches = self.matches();
        if let Some(watch) = matches.get_mut(&new.match_id) {
            watch.fixture = new.clone();
            pushes.extend(watch.stale_pushes(now));
            pushes.extend(watch.change_pushes(&self.service, now));
        }
        pushes
    }

    /// The balls of a match changed.
    fn balls_changed(&self, change: &ItemChange<MatchProcessingStateItem>) -> Vec<Push> {
        let state = |item: &Option<MatchProcessingStateItem>| -> Option<ProcessingState> {
            item.as_ref().map(|MatchProcessingStateItem::ProcessingState(state)| state.clone())
        };
        // Most matches are watched by nobody.
        let Some(MatchProcessingStateItem::ProcessingState(new)) = &change.new else {
            return Vec::new();
        };
        let now = self.service.db.now();
        let mut matches = self.matches();
        let Some(watch) = matches.get_mut(&new.match_id) else { return Vec::new() };
        watch.balls = BallsChange::between(state(&change.old).as_ref(), new);
        watch.processing = Some(new.clone());
        watch.change_pushes(&self.service, now)
    }

    /// Sends those who watch which scores are stale now.
    pub(super) fn push_stale(&self) -> Next {
        let now = self.service.db.now();
        let pushes: Vec<Push> =
            self.matches().values_mut().flat_map(|watch| watch.stale_pushes(now)).collect();
        if let Some(live) = self.live.get() {
            pushes.into_iter().for_each(|push| live.publish(push));
        }
        Next::Interval
    }

    fn matches(&self) -> MutexGuard<'_, HashMap<MatchId, Watch>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// The new display and what changed of the balls, once both items of the match have the same
    /// sequence. Before play there are no balls.
    fn change_pushes(&mut self, service: &Service, now: Timestamp) -> Vec<Push> {
        let fixture = &self.fixture;
        let processing = self.processing.as_ref().filter(|one| one.sequence == fixture.sequence);
        let is_complete = processing.is_some() || fixture.phase.is_before_play();
        if !is_complete || fixture.sequence <= self.pushed {
            return Vec::new();
        }
        self.pushed = fixture.sequence;
        let names = service.remembered_names();
        let view = match_view(fixture, processing, None, &names);
        let mut pushes = Vec::new();
        for (team, topic) in fixture.perspectives().iter().zip(topics(fixture)) {
            let shown = DisplayView::new(display(&view, team.as_str()), fixture, now);
            pushes.push(Push::numbered(topic.clone(), fixture.sequence, "display", &shown));
            if self.balls.sequence == fixture.sequence {
                let balls = &self.balls;
                pushes.push(Push::numbered(topic, fixture.sequence, "balls", balls));
            }
        }
        pushes
    }

    /// That the score is stale, or is not any more.
    fn stale_pushes(&mut self, now: Timestamp) -> Vec<Push> {
        let is_stale = is_stale(&self.fixture, now);
        if is_stale == self.is_stale {
            return Vec::new();
        }
        self.is_stale = is_stale;
        let since = self.fixture.live_updated_at.filter(|_| is_stale);
        let data = json!({"since": since});
        let topics = topics(&self.fixture).into_iter();
        topics.map(|topic| Push::unnumbered(topic, "stale", &data)).collect()
    }
}

/// Somebody who watches a match.
pub(crate) struct Watcher {
    watched: Arc<Watched>,
    match_id: MatchId,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.watched.remove(&self.match_id);
    }
}

impl BallsChange {
    /// What changed from one state to the next.
    fn between(old: Option<&ProcessingState>, new: &ProcessingState) -> Self {
        let texts = |state: &ProcessingState| -> HashMap<u64, String> {
            let balls = state.ball_by_ball.iter();
            balls
                .filter_map(|text| Some((text.parse::<Delivery>().ok()?.id, text.clone())))
                .collect()
        };
        let before = old.map(texts).unwrap_or_default();
        let mut change = Self { sequence: new.sequence, ..Self::default() };
        let mut there = HashSet::new();
        for text in new.ball_by_ball.iter().rev() {
            let Ok(ball) = text.parse::<Delivery>() else { continue };
            there.insert(ball.id);
            match before.get(&ball.id) {
                None => change.added.push(ball_line(&ball, &new.players)),
                Some(earlier) if earlier != text => {
                    change.changed.push(ball_line(&ball, &new.players));
                }
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|id| !there.contains(id));
        change.removed = gone.map(u64::to_string).collect();
        change
    }
}

/// The topics of the three perspectives, in the order of [`Fixture::perspectives`].
fn topics(fixture: &Fixture) -> Vec<Topic> {
    let perspectives: [TeamId; 3] = fixture.perspectives();
    perspectives.iter().map(|team| match_topic(&fixture.match_id, team)).collect()
}
