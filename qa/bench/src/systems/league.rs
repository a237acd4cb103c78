//! A league with games, through the service.

use super::Outcome;
use ::systems::threefc::design::{GameId, LeagueId, SeasonId, SessionId, TeamId};
use ::systems::threefc::service::Service;
use ::systems::threefc::service::input::{
    NewGame, NewGoal, NewLeague, NewPlayer, NewSeason, NewSession, TeamChange,
};
use singlet_web::identity::Caller;
use singlet_web::random::Random;

/// Games of a session: as many as there can be.
const SESSION_GAMES: usize = 50;
const TEAMS: [&str; 3] = ["red", "blue", "yellow"];
const SQUAD: usize = 10;

/// A league with a season of three teams of ten players.
#[derive(Clone)]
pub(super) struct League {
    service: Service,
    admin: Caller,
    name: String,
    pub(super) season: SeasonId,
}

impl League {
    pub(super) async fn new(service: &Service, number: usize) -> Outcome<Self> {
        let name = format!("league-{number}");
        let admin = Caller { subject: format!("admin-{number}"), ..Caller::default() };
        let new = NewLeague {
            league_id: Some(name.clone()),
            name: "Tidewall".to_owned(),
            city: None,
            visibility: None,
        };
        service.create_league(&admin, &new).await?;
        let (league, season) = (LeagueId::new(name.as_str())?, SeasonId::new(name.as_str())?);
        let new = NewSeason {
            season_id: Some(name.clone()),
            name: "Spring".to_owned(),
            starts_on: None,
            ends_on: None,
            third_length_minutes: None,
            teams: None,
        };
        service.create_season(&admin, &league, &new).await?;
        for team in TEAMS {
            let mut squad = Vec::new();
            for place in 0..SQUAD {
                let id = format!("{name}-{team}-{place}");
                let nickname = format!("Player {place}");
                let new = NewPlayer { player_id: Some(id.clone()), nickname, number: None };
                service.create_player(&admin, &league, &new).await?;
                squad.push(id);
            }
            let change = TeamChange {
                name: None,
                code: None,
                color: None,
                squad_player_ids: Some(squad),
                retired: None,
            };
            service.update_team(&admin, &season, &TeamId::new(team)?, &change).await?;
        }
        Ok(Self { service: service.clone(), admin, name, season })
    }

    /// Creates games that have not begun.
    pub(super) async fn games(&self, count: usize) -> Outcome<Vec<GameId>> {
        let mut games = Vec::new();
        for number in 0..count {
            let id = format!("{}-day-{}", self.name, number / SESSION_GAMES);
            let session = SessionId::new(id.as_str())?;
            if number % SESSION_GAMES == 0 {
                let session_date = "2026-05-03".parse()?;
                let new = NewSession { session_id: Some(id), session_date, venue: None };
                self.service.create_session(&self.admin, &self.season, &new).await?;
            }
            let id = format!("{}-game-{number}", self.name);
            let new = NewGame {
                game_id: Some(id.clone()),
                game_start_ts: "2026-05-03T14:00:00Z".parse()?,
                team_ids: TEAMS.map(str::to_owned).to_vec(),
                pitch: None,
                third_length_minutes: None,
            };
            self.service.create_game(&self.admin, &session, &new).await?;
            games.push(GameId::new(id)?);
        }
        Ok(games)
    }

    /// Starts the first third.
    pub(super) async fn start(&self, game: &GameId) -> Outcome<()> {
        self.service.start_third(&self.admin, game, 1, None).await?;
        Ok(())
    }

    /// Enters a goal. Teams and scorers take turns by its number.
    pub(super) async fn add_goal(&self, game: &GameId, number: usize) -> Outcome<()> {
        let [scoring, conceding] =
            [number, number + 1].map(|place| TEAMS.get(place % 3).copied().unwrap_or("red"));
        let name = &self.name;
        let goal = NewGoal {
            event_id: Random::new().uuid_v7(self.service.db().now())?,
            conceding_team_id: conceding.to_owned(),
            scoring_team_id: Some(scoring.to_owned()),
            own_goal: false,
            scorer_player_id: Some(format!("{name}-{scoring}-{}", number % SQUAD)),
            assist_player_ids: vec![format!("{name}-{scoring}-{}", (number + 1) % SQUAD)],
            third: None,
            occurred_at: None,
            game_minute: None,
        };
        self.service.add_goal(&self.admin, game, &goal).await?;
        Ok(())
    }

    /// Finishes a game, with the thirds as they are.
    pub(super) async fn finish(&self, game: &GameId) -> Outcome<()> {
        self.service.finish_game(&self.admin, game, true).await?;
        Ok(())
    }
}
