//! Three-sided football: durable goals, and the page of a season.

use super::league::League;
use super::{Outcome, Rows, database, scaled};
use crate::folder::Folder;
use ::systems::threefc::design::GameId;
use ::systems::threefc::service::Service;
use singlet::engine::Clock;
use singlet_web::random::Random;

const CALLERS: usize = 16;
/// Goals per game: each goal reads and returns all earlier ones.
const GAME_GOALS: usize = 60;
const SEASON_GAMES: usize = scaled(100, 10);

async fn service(folder: Option<&Folder>) -> Outcome<Service> {
    Ok(Service::new(database(folder, Clock::system()).await?, Random::new()))
}

/// Enters goals in one game after the other.
struct Scorer {
    league: League,
    games: Vec<GameId>,
    goals: usize,
}

impl Scorer {
    async fn enter_goal(mut self) -> Outcome<Option<Self>> {
        let Some(game) = self.games.get(self.goals / GAME_GOALS) else { return Ok(None) };
        self.league.add_goal(game, self.goals).await?;
        self.goals += 1;
        Ok(Some(self))
    }
}

pub(super) async fn goals(rows: &Rows) -> Outcome<()> {
    let title = format!("3FC: goals on the disk, {CALLERS} callers");
    if !rows.wants(&title) {
        return Ok(());
    }
    let folder = Folder::new("threefc");
    let service = service(Some(&folder)).await?;
    let mut scorers = Vec::new();
    for number in 0..CALLERS {
        let league = League::new(&service, number).await?;
        let games = league.games(scaled(10, 1)).await?;
        for game in &games {
            league.start(game).await?;
        }
        scorers.push(Scorer { league, games, goals: 0 });
    }
    rows.measure(&title, 1, scorers, Scorer::enter_goal).await
}

pub(super) async fn season_page(rows: &Rows) -> Outcome<()> {
    let title = format!("3FC: page of a season of {SEASON_GAMES} games, in memory");
    if !rows.wants(&title) {
        return Ok(());
    }
    let service = service(None).await?;
    let league = League::new(&service, 0).await?;
    for game in league.games(SEASON_GAMES).await? {
        league.start(&game).await?;
        for number in 0..3 {
            league.add_goal(&game, number).await?;
        }
        league.finish(&game).await?;
    }
    let view = service.season(None, &league.season).await?;
    let played: u32 = view.standings.iter().map(|row| row.played).sum();
    if played as usize != 3 * SEASON_GAMES {
        return Err(format!("{played} games are counted").into());
    }
    let clients = vec![(service, league.season)];
    rows.measure(&title, 1, clients, |(service, season)| async move {
        service.season(None, &season).await?;
        Ok(Some((service, season)))
    })
    .await
}
