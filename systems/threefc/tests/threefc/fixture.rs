//! A league with a season, and shorthand for what tests do all the time.

use serde_json::Value as Json;
use singlet::dynamo::{Item, Value};
use singlet::{Db, Timestamp};
use singlet_testing::TestStore;
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use singlet_web::random::Random;
use singlet_web::validate::Distinct;
use std::time::Duration;
use threefc::PERSONAS;
use threefc::design::{
    EventId, Game, GameId, LeagueId, PlayerId, Role, SeasonId, SessionId, TeamId, ThreeFc, UserId,
};
use threefc::error::Error;
use threefc::service::Service;
use threefc::service::input::{
    AcceptInvite, GameChange, GoalChange, NewGame, NewGoal, NewInvite, NewLeague, NewPlayer,
    NewSeason, NewSession, TeamChange,
};
use threefc::view::GameView;

pub(crate) fn ines() -> Caller {
    PERSONAS[0].caller()
}

pub(crate) fn tomasz() -> Caller {
    PERSONAS[1].caller()
}

pub(crate) fn bea() -> Caller {
    PERSONAS[2].caller()
}

pub(crate) fn ruben() -> Caller {
    PERSONAS[3].caller()
}

pub(crate) fn noor() -> Caller {
    PERSONAS[4].caller()
}

/// Somebody who is not in the demo data.
pub(crate) fn somebody(subject: &str) -> Caller {
    Caller { subject: subject.to_owned(), name: Some("Somebody".to_owned()), ..Caller::default() }
}

pub(crate) fn user(caller: &Caller) -> UserId {
    caller.id().unwrap()
}

pub(crate) fn league_id() -> LeagueId {
    LeagueId::new("tidewall").unwrap()
}

pub(crate) fn season_id() -> SeasonId {
    SeasonId::new("spring").unwrap()
}

pub(crate) fn session_id() -> SessionId {
    SessionId::new("day-1").unwrap()
}

pub(crate) fn game_id(id: &str) -> GameId {
    GameId::new(id).unwrap()
}

pub(crate) fn team(id: &str) -> TeamId {
    TeamId::new(id).unwrap()
}

pub(crate) fn player(id: &str) -> PlayerId {
    PlayerId::new(id).unwrap()
}

/// A list without repetitions.
pub(crate) fn distinct<T: PartialEq, const MIN: usize, const MAX: usize>(
    entries: impl IntoIterator<Item = T>,
) -> Distinct<T, MIN, MAX> {
    entries.into_iter().collect::<Vec<T>>().try_into().unwrap()
}

/// The code of the problem with which something was refused; `ok` if it was not.
pub(crate) fn code<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) => error.problem_type().name,
    }
}

/// A service on a store, with the league `tidewall` (Ines, Tomasz, Bea), the season `spring` of the
/// teams red, blue and yellow, three players in each squad (`r1` to `y3`), and the session `day-1`.
pub(crate) struct Fixture {
    pub(crate) store: TestStore,
    pub(crate) service: Service,
}

impl Fixture {
    /// A service on an empty store.
    pub(crate) async fn empty(store: TestStore) -> Self {
        let db: Db<ThreeFc> = store.open().await;
        Self { service: Service::new(db, Random::new()), store }
    }

    pub(crate) async fn new(store: TestStore) -> Self {
        let fixture = Self::empty(store).await;
        fixture.fill().await;
        fixture
    }

    /// Another service on the same store, which knows nothing of the first one.
    pub(crate) fn second(&self) -> Service {
        Service::new(self.store.database(), Random::new())
    }

    pub(crate) async fn fill(&self) {
        let service = &self.service;
        service.create_league(&ines(), &new_league("tidewall")).await.unwrap();
        for (caller, role) in [(tomasz(), Role::Scorekeeper), (bea(), Role::Viewer)] {
            self.join(&ines(), &league_id(), &caller, role).await;
        }
        service.create_season(&ines(), &league_id(), &new_season("spring")).await.unwrap();
        for team_name in ["red", "blue", "yellow"] {
            let mut squad = Vec::new();
            for number in 1..=3_u8 {
                let id = format!("{}{number}", &team_name[..1]);
                service.create_player(&ines(), &league_id(), &new_player(&id)).await.unwrap();
                squad.push(id);
            }
            self.squad(team_name, &squad).await;
        }
        service.create_session(&ines(), &season_id(), &new_session("day-1")).await.unwrap();
    }

    /// Gives somebody a role by an invitation.
    pub(crate) async fn join(&self, admin: &Caller, league: &LeagueId, who: &Caller, role: Role) {
        let invite = self.service.invite(admin, league, &NewInvite { role }).await.unwrap();
        let display_name = who.display_name().parse().unwrap();
        let accept = AcceptInvite { code: invite.code, display_name };
        self.service.accept_invite(who, league, &accept).await.unwrap();
    }

    async fn squad(&self, team_name: &str, squad: &[String]) {
        let squad = distinct(squad.iter().map(|id| player(id)));
        let change = TeamChange { squad_player_ids: Some(squad), ..TeamChange::default() };
        let service = &self.service;
        service.update_team(&ines(), &season_id(), &team(team_name), &change).await.unwrap();
    }

    /// A game of the three teams that begins now.
    pub(crate) async fn game(&self, id: &str) -> GameId {
        let new = new_game(id, self.now());
        self.service.create_game(&ines(), &session_id(), &new).await.unwrap();
        game_id(id)
    }

    /// The same, and its first third runs.
    pub(crate) async fn live_game(&self, id: &str) -> GameId {
        let game = self.game(id).await;
        self.service.start_third(&tomasz(), &game, 1, None).await.unwrap();
        game
    }

    /// Plays what is left of a game, and finishes it.
    pub(crate) async fn finish(&self, game: &GameId) -> GameView {
        for third in 1..=3 {
            match self.service.start_third(&tomasz(), game, third, None).await {
                Err(Error::ThirdOver) => continue,
                other => other.unwrap(),
            };
            self.service.finish_third(&tomasz(), game, third, None).await.unwrap();
        }
        self.service.finish_game(&tomasz(), game, false).await.unwrap()
    }

    /// Enters a goal, and returns its event id.
    pub(crate) async fn goal(&self, game: &GameId, goal: &NewGoal) -> EventId {
        self.service.add_goal(&tomasz(), game, goal).await.unwrap();
        goal.event_id.0.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.service.db().now()
    }

    pub(crate) fn advance(&self, duration: Duration) {
        self.store.clock.advance(i64::try_from(duration.as_millis()).unwrap());
    }

    /// The clock at so many minutes and seconds after a moment.
    pub(crate) fn set_time(&self, start: Timestamp, minutes: u64, seconds: u64) {
        let at = start.after(Duration::from_secs(60 * minutes + seconds));
        self.store.clock.set(at.as_millis());
    }

    /// All items, by their keys.
    pub(crate) async fn items(&self) -> Vec<(String, Item)> {
        let items = self.store.items::<ThreeFc>().await;
        let mut items: Vec<(String, Item)> = items
            .into_iter()
            .map(|item| (format!("{} {}", text(&item, "pk"), text(&item, "sk")), item))
            .collect();
        items.sort_by(|one, other| one.0.cmp(&other.0));
        items
    }

    /// The keys of all items.
    pub(crate) async fn keys(&self) -> Vec<String> {
        self.items().await.into_iter().map(|(key, _)| key).collect()
    }

    /// The keys that begin so.
    pub(crate) async fn keys_of(&self, prefix: &str) -> Vec<String> {
        let mut keys = self.keys().await;
        keys.retain(|key| key.starts_with(prefix));
        keys
    }

    /// What an item holds.
    pub(crate) async fn data(&self, key: &str) -> Json {
        let items = self.items().await;
        let found = items.iter().find(|(of, _)| of == key);
        let (_, item) = found.unwrap_or_else(|| panic!("no item {key}"));
        serde_json::from_str(&text(item, "data")).unwrap()
    }

    /// A game as it is stored.
    pub(crate) async fn stored_game(&self, id: &GameId) -> Game {
        self.service.db().get(Game::key(id).consistent()).await.unwrap().unwrap()
    }

    pub(crate) async fn view(&self, id: &GameId) -> GameView {
        self.service.game(None, id).await.unwrap()
    }
}

pub(crate) fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(Value::S(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

pub(crate) fn new_league(id: &str) -> NewLeague {
    NewLeague {
        league_id: Some(id.parse().unwrap()),
        name: "Tidewall".parse().unwrap(),
        city: Some("Port Merrow".parse().unwrap()),
        visibility: None,
    }
}

pub(crate) fn new_season(id: &str) -> NewSeason {
    NewSeason {
        season_id: Some(id.parse().unwrap()),
        name: "Spring".parse().unwrap(),
        starts_on: None,
        ends_on: None,
        third_length_minutes: None,
        teams: None,
    }
}

pub(crate) fn new_session(id: &str) -> NewSession {
    NewSession {
        session_id: Some(id.parse().unwrap()),
        session_date: "2026-05-03".parse().unwrap(),
        venue: None,
    }
}

pub(crate) fn new_player(id: &str) -> NewPlayer {
    NewPlayer {
        player_id: Some(id.parse().unwrap()),
        nickname: id.to_uppercase().parse().unwrap(),
        number: None,
    }
}

pub(crate) fn new_game(id: &str, start: Timestamp) -> NewGame {
    NewGame {
        game_id: Some(id.parse().unwrap()),
        game_start_ts: start.try_into().unwrap(),
        team_ids: distinct(["red", "blue", "yellow"].map(team)),
        pitch: None,
        third_length_minutes: None,
    }
}

/// A new event id.
pub(crate) fn event_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap());
    Random::new().uuid_v7(now).unwrap()
}

/// A goal without names, now: who let it in, and who scored; nobody for an own goal.
pub(crate) fn new_goal(conceding: &str, scoring: Option<&str>) -> NewGoal {
    NewGoal {
        event_id: event_id().parse().unwrap(),
        conceding_team_id: team(conceding),
        scoring_team_id: scoring.map(team),
        own_goal: scoring.is_none(),
        scorer_player_id: None,
        assist_player_ids: Distinct::default(),
        third: None,
        occurred_at: None,
        game_minute: None,
    }
}

/// The same by somebody, by hand.
pub(crate) fn by_hand(goal: NewGoal, third: u8, minute: u16) -> NewGoal {
    NewGoal { third: Some(third), game_minute: Some(minute), ..goal }
}

pub(crate) fn by(goal: NewGoal, scorer: &str, assists: &[&str]) -> NewGoal {
    NewGoal {
        scorer_player_id: Some(player(scorer)),
        assist_player_ids: distinct(assists.iter().map(|one| player(one))),
        ..goal
    }
}

/// A change that changes nothing.
pub(crate) fn no_change() -> GoalChange {
    GoalChange::default()
}

/// The same for a game.
pub(crate) fn no_game_change() -> GameChange {
    GameChange::default()
}
