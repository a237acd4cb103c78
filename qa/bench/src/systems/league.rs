//! A league with games, through the service.

use super::Outcome;
use ::systems::threefc::design::{GameId, LeagueId, SeasonId, SessionId, TeamId};
use ::systems::threefc::service::Service;
use ::systems::threefc::service::input::{
    NewGame, NewGoal, NewLeague, NewPlayer, NewSeason, NewSession, TeamChange,
};
use serde_json::{from_value, json};
use singlet_web::identity::Caller;
use singlet_web::random::Random;

/// The maximum number of games in a session.
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
        let new: NewLeague = from_value(json!({"leagueId": name, "name": "Tidewall"}))?;
        service.create_league(&admin, &new).await?;
        let (league, season) = (LeagueId::new(name.as_str())?, SeasonId::new(name.as_str())?);
        let new: NewSeason = from_value(json!({"seasonId": name, "name": "Spring"}))?;
        service.create_season(&admin, &league, &new).await?;
        for team in TEAMS {
            let mut squad = Vec::new();
            for place in 0..SQUAD {
                let id = format!("{name}-{team}-{place}");
                let new = json!({"playerId": id, "nickname": format!("Player {place}")});
                let new: NewPlayer = from_value(new)?;
                service.create_player(&admin, &league, &new).await?;
                squad.push(id);
            }
            let change: TeamChange = from_value(json!({"squadPlayerIds": squad}))?;
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
                let new = json!({"sessionId": id, "sessionDate": "2026-05-03"});
                let new: NewSession = from_value(new)?;
                self.service.create_session(&self.admin, &self.season, &new).await?;
            }
            let id = format!("{}-game-{number}", self.name);
            let start = "2026-05-03T14:00:00Z";
            let new = json!({"gameId": id, "gameStartTs": start, "teamIds": TEAMS});
            let new: NewGame = from_value(new)?;
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

    /// Enters a goal. Teams and scorers alternate by number.
    pub(super) async fn add_goal(&self, game: &GameId, number: usize) -> Outcome<()> {
        let [scoring, conceding] =
            [number, number + 1].map(|place| TEAMS.get(place % 3).copied().unwrap_or("red"));
        let name = &self.name;
        let goal: NewGoal = from_value(json!({
            "eventId": Random::new().uuid_v7(self.service.db().now())?,
            "concedingTeamId": conceding,
            "scoringTeamId": scoring,
            "scorerPlayerId": format!("{name}-{scoring}-{}", number % SQUAD),
            "assistPlayerIds": [format!("{name}-{scoring}-{}", (number + 1) % SQUAD)],
        }))?;
        self.service.add_goal(&self.admin, game, &goal).await?;
        Ok(())
    }

    /// Finishes a game, with the thirds as they are.
    pub(super) async fn finish(&self, game: &GameId) -> Outcome<()> {
        self.service.finish_game(&self.admin, game, true).await?;
        Ok(())
    }
}
