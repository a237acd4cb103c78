//! Live updates of matches that pages watch.

use super::{PAGE, matches_topic};
use crate::design::{
    Fixture, Fixtures, FixturesItem, MatchId, MatchProcessingState, MatchProcessingStateItem,
    ProcessingState,
};
use crate::error::Error;
use crate::lock;
use crate::rules::{BallLine, Delivery, MatchView, ball_line, display};
use crate::service::Service;
use crate::view::{DisplayView, MatchSummary, is_stale, match_view};
use serde::Serialize;
use serde_json::json;
use singlet::Timestamp;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

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

/// The first event of a stream.
#[derive(Serialize)]
struct MatchState {
    sequence: u64,
    display: DisplayView,
    /// Those of this over, the newest first.
    balls: Vec<BallLine>,
    /// All matches in play, for a page that lists them beside this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<Vec<MatchSummary>>,
}

#[derive(Clone, Default, Serialize)]
struct BallsChange {
    sequence: u64,
    /// The newest first.
    added: Vec<BallLine>,
    changed: Vec<BallLine>,
    removed: Vec<String>,
}

async fn state(service: &Service, topic: &Topic) -> Result<TopicState, Error> {
    // Pushes take the names from memory.
    service.teams.all().await?;
    service.leagues.all().await?;
    if *topic == matches_topic() {
        let live = summaries(service).await?;
        return Ok(TopicState::unnumbered("matches", &json!({"live": live})));
    }
    let (id, team) = topic.id().split_once('/').ok_or(Error::MatchNotFound)?;
    let id = MatchId::new(id).map_err(|_| Error::MatchNotFound)?;
    let record = service.match_record(&id).await?;
    let view = record.view();
    let fixture = &record.fixture;
    let shown = DisplayView::new(display(&view, team), fixture, service.db.now());
    let live = if topic.kind() == PAGE { Some(summaries(service).await?) } else { None };
    let (sequence, balls) = (fixture.sequence, this_over(&view));
    let state = MatchState { sequence, display: shown, balls, live };
    Ok(TopicState::numbered(sequence, "state", &state))
}

async fn summaries(service: &Service) -> Result<Vec<MatchSummary>, Error> {
    let fixtures = service.fixtures.live().await?;
    let (names, now) = (service.names(&fixtures).await?, service.db.now());
    Ok(fixtures.iter().map(|one| MatchSummary::new(one, &names, None, now)).collect())
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

/// The watched matches. Each is dropped with its last [`Watcher`], so there are never more than
/// streams.
pub(super) struct Watched {
    service: Service,
    matches: Mutex<HashMap<MatchId, Watch>>,
}

/// A watched match. Its two items change in one transaction, and arrive one by one: they belong
/// together if they have the same sequence.
struct Watch {
    /// How many watch each topic of the match.
    topics: HashMap<Topic, usize>,
    fixture: Fixture,
    processing: Option<ProcessingState>,
    balls: BallsChange,
    pushed: u64,
    is_stale: bool,
}

impl Watched {
    pub(super) fn new(service: Service) -> Self {
        Self { service, matches: Mutex::default() }
    }

    /// Counts a watcher of a topic until the guard is dropped.
    pub(super) fn add(self: &Arc<Self>, fixture: &Fixture, topic: &Topic) -> Watcher {
        let mut matches = lock(&self.matches);
        let watch = matches.entry(fixture.match_id.clone()).or_insert_with(|| Watch {
            topics: HashMap::new(),
            fixture: fixture.clone(),
            processing: None,
            balls: BallsChange::default(),
            pushed: fixture.sequence,
            is_stale: false,
        });
        *watch.topics.entry(topic.clone()).or_default() += 1;
        let (match_id, topic) = (fixture.match_id.clone(), topic.clone());
        Watcher { watched: Arc::clone(self), match_id, topic }
    }

    fn remove(&self, id: &MatchId, topic: &Topic) {
        let mut matches = lock(&self.matches);
        let Some(watch) = matches.get_mut(id) else { return };
        if let Some(watchers) = watch.topics.get_mut(topic) {
            *watchers -= 1;
        }
        watch.topics.retain(|_, watchers| *watchers > 0);
        if watch.topics.is_empty() {
            matches.remove(id);
        }
    }

    /// To the list of matches, and to pages that show it beside a match.
    fn list_pushes(&self, event: &'static str, data: &impl Serialize) -> Vec<Push> {
        let matches = lock(&self.matches);
        let topics = matches.values().flat_map(|watch| watch.topics.keys());
        let pages = topics.filter(|topic| topic.kind() == PAGE).cloned();
        let pushed = pages.chain([matches_topic()]);
        pushed.map(|topic| Push::unnumbered(topic, event, data)).collect()
    }

    fn topics_of(&self, id: &MatchId) -> Vec<Topic> {
        let matches = lock(&self.matches);
        matches.get(id).map(|watch| watch.topics.keys().cloned().collect()).unwrap_or_default()
    }

    fn fixture_changed(&self, change: &ItemChange<FixturesItem>) -> Vec<Push> {
        let old = change.old.as_ref().map(|FixturesItem::Fixture(old)| old);
        match (old, change.new.as_ref().map(|FixturesItem::Fixture(new)| new)) {
            (old, Some(new)) => self.fixture_written(old, new),
            (Some(old), None) => {
                let mut pushes =
                    self.list_pushes("matchArchived", &json!({"matchId": old.match_id}));
                pushes.extend(self.topics_of(&old.match_id).into_iter().map(Push::end));
                pushes
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
            pushes = self.list_pushes("matchArchived", &json!({"matchId": new.match_id}));
            let ended = json!({"matchId": new.match_id, "result": new.result});
            let topics = self.topics_of(&new.match_id).into_iter();
            pushes.extend(topics.map(|topic| Push::unnumbered(topic, "ended", &ended)));
        } else if is_new {
            let names = self.service.remembered_names();
            let summary = MatchSummary::new(new, &names, None, now);
            pushes = self.list_pushes("matchChanged", &summary);
        }
        let mut matches = lock(&self.matches);
        if let Some(watch) = matches.get_mut(&new.match_id) {
            watch.fixture = new.clone();
            pushes.extend(watch.stale_pushes(now));
            pushes.extend(watch.change_pushes(&self.service, now));
        }
        pushes
    }

    fn balls_changed(&self, change: &ItemChange<MatchProcessingStateItem>) -> Vec<Push> {
        let state = |item: &Option<MatchProcessingStateItem>| -> Option<ProcessingState> {
            item.as_ref().map(|MatchProcessingStateItem::ProcessingState(state)| state.clone())
        };
        let Some(MatchProcessingStateItem::ProcessingState(new)) = &change.new else {
            return Vec::new();
        };
        let now = self.service.db.now();
        let mut matches = lock(&self.matches);
        let Some(watch) = matches.get_mut(&new.match_id) else { return Vec::new() };
        watch.balls = BallsChange::between(state(&change.old).as_ref(), new);
        watch.processing = Some(new.clone());
        watch.change_pushes(&self.service, now)
    }

    /// Which scores are stale now, or are not any more.
    pub(super) fn stale_pushes(&self) -> Vec<Push> {
        let now = self.service.db.now();
        lock(&self.matches).values_mut().flat_map(|watch| watch.stale_pushes(now)).collect()
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
        for topic in self.topics.keys() {
            let (_, team) = topic.id().split_once('/').unwrap_or_default();
            let shown = DisplayView::new(display(&view, team), fixture, now);
            pushes.push(Push::numbered(topic.clone(), fixture.sequence, "display", &shown));
            if self.balls.sequence == fixture.sequence {
                let balls = &self.balls;
                pushes.push(Push::numbered(topic.clone(), fixture.sequence, "balls", balls));
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
        let topics = self.topics.keys().cloned();
        topics.map(|topic| Push::unnumbered(topic, "stale", &data)).collect()
    }
}

pub(crate) struct Watcher {
    watched: Arc<Watched>,
    match_id: MatchId,
    topic: Topic,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.watched.remove(&self.match_id, &self.topic);
    }
}

impl BallsChange {
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
