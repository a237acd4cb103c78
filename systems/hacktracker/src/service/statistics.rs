//! Statistics, counted from at-bats on every read.
//!
//! At-bats are counted while they are read, page by page, and not kept: what is held is a line for
//! each game, and the points of the spray chart.

use super::Service;
use crate::design::{AtBat, AtBatId, Game, GameId, Player, PlayerId, Role, Team, TeamId, UserId};
use crate::error::{Error, Result};
use crate::limits::SPRAY_MAX;
use crate::rules::stats::{Line, Tally};
use crate::view::{
    Career, CareerTeam, GameLine, PlayerStats, SprayPoint, TeamName, TeamPlayerLine, TeamStats,
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use singlet_web::yield_now;
use std::collections::BTreeMap;

const CONCURRENT_MAX: usize = 8;
const GAMES_AT_A_TIME: usize = 100;
/// How many at-bats are counted before other requests may run: less than a millisecond.
const AT_BATS_PER_YIELD: usize = 500;

#[derive(Default)]
struct Batted {
    tally: Tally,
    spray: Vec<(AtBatId, SprayPoint)>,
}

impl Batted {
    fn keep_season(&mut self, games: &BTreeMap<GameId, GameLine>, season: Option<&str>) {
        let Some(season) = season else { return };
        let is_kept = |game_id: &GameId| {
            games.get(game_id).is_some_and(|game| game.season_id.as_deref() == Some(season))
        };
        self.tally.retain(is_kept);
        self.spray.retain(|(_, point)| is_kept(&point.game_id));
    }

    fn stats(self, games: BTreeMap<GameId, GameLine>) -> PlayerStats {
        PlayerStats {
            line: self.tally.line(),
            games: game_lines(self.tally, games),
            spray: newest(self.spray),
        }
    }
}

/// A game in which nothing is counted yet.
fn game_line(game: Game) -> (GameId, GameLine) {
    let Game { game_id, team_id, scheduled_start, opponent_name, season_id, .. } = game;
    let id = game_id.clone();
    let line = Line::default();
    (id, GameLine { game_id, team_id, scheduled_start, opponent_name, season_id, line })
}

impl Service {
    pub async fn at_bats_of(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        paging: &Paging,
    ) -> Result<Page<AtBat>> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await?;
        let newest = AtBat::of_player(player_id).descending().limit(paging.limit());
        Ok(self.db.query(newest).page(paging.cursor()?).await?.into())
    }

    pub async fn player_stats(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        season: Option<&str>,
    ) -> Result<PlayerStats> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await?;
        let mut batted = self.batted(player_id, true).await?;
        let games = self.games_of(&batted.tally).await?;
        batted.keep_season(&games, season);
        Ok(batted.stats(games))
    }

    pub async fn team_stats(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        season: Option<&str>,
    ) -> Result<TeamStats> {
        self.member(caller, team_id, Role::Player).await?;
        let players = self.roster(team_id).await?;
        let games = self.db.query(Game::of_team(team_id)).all().await?;
        let games = games.into_iter().map(game_line).collect();
        let mut all = Tally::default();
        let mut lines = Vec::with_capacity(players.len());
        for (player, mut batted) in self.batted_by_all(players, false).await? {
            yield_now().await;
            batted.keep_season(&games, season);
            lines.push(TeamPlayerLine {
                status: player.status,
                player: player.into(),
                line: batted.tally.line(),
            });
            all.add(&batted.tally);
        }
        Ok(TeamStats { line: all.line(), players: lines })
    }

    /// Over all teams, deleted ones too; of one team or season if wanted.
    pub async fn career(
        &self,
        caller: &Caller,
        team: Option<&TeamId>,
        season: Option<&str>,
    ) -> Result<Career> {
        let user_id: UserId = caller.id()?;
        let mut players = self.db.query(Player::of_user(&user_id)).all().await?;
        if let Some(team) = team {
            players.retain(|player| player.team_id == *team);
            if players.is_empty() {
                return Err(Error::TeamNotFound.because("You have no player in this team."));
            }
        }
        let keys = players.iter().map(|player| Team::key(&player.team_id));
        let teams = self.db.get_many(keys).await?;
        let mut batted = self.batted_by_all(players, true).await?;
        let mut all = Batted::default();
        for (_, batted) in &batted {
            all.tally.add(&batted.tally);
        }
        let games = self.games_of(&all.tally).await?;
        let mut all = Batted::default();
        let mut by_team = Vec::new();
        for ((player, batted), team) in batted.iter_mut().zip(teams) {
            yield_now().await;
            batted.keep_season(&games, season);
            by_team.push(CareerTeam {
                is_deleted: team.as_ref().is_none_or(|team| team.deleted_at.is_some()),
                team: TeamName {
                    team_id: player.team_id.clone(),
                    name: team.map(|team| team.name).unwrap_or_default(),
                },
                player_id: player.player_id.clone(),
                line: batted.tally.line(),
            });
            all.tally.add(&batted.tally);
            all.spray.append(&mut batted.spray);
        }
        Ok(Career { stats: all.stats(games), teams: by_team })
    }

    /// What a player has batted, with the points of the spray chart if they are wanted.
    async fn batted(&self, player_id: &PlayerId, with_spray: bool) -> Result<Batted> {
        let mut at_bats = self.db.query(AtBat::of_player(player_id)).items();
        let mut batted = Batted::default();
        let mut counted = 0_usize;
        while let Some(at_bat) = at_bats.next().await {
            let at_bat = at_bat?;
            counted += 1;
            if counted.is_multiple_of(AT_BATS_PER_YIELD) {
                yield_now().await;
            }
            batted.tally.count(&at_bat);
            batted.spray.extend(spray_point(at_bat).filter(|_| with_spray));
        }
        Ok(batted)
    }

    async fn batted_by_all(
        &self,
        players: Vec<Player>,
        with_spray: bool,
    ) -> Result<Vec<(Player, Batted)>> {
        let reads = players.into_iter().map(async |player| {
            let batted = self.batted(&player.player_id, with_spray).await?;
            Ok::<_, Error>((player, batted))
        });
        stream::iter(reads).buffered(CONCURRENT_MAX).try_collect().await
    }

    async fn games_of(&self, tally: &Tally) -> Result<BTreeMap<GameId, GameLine>> {
        let ids: Vec<&GameId> = tally.games().collect();
        let mut games = BTreeMap::new();
        for ids in ids.chunks(GAMES_AT_A_TIME) {
            let keys = ids.iter().map(|game_id| Game::key(*game_id).consistent());
            let read = self.db.get_many(keys).await?;
            games.extend(read.into_iter().flatten().map(game_line));
        }
        Ok(games)
    }
}

fn game_lines(tally: Tally, mut games: BTreeMap<GameId, GameLine>) -> Vec<GameLine> {
    let line = |(game_id, line)| Some(GameLine { line, ..games.remove(&game_id)? });
    let mut lines: Vec<GameLine> = tally.lines().filter_map(line).collect();
    // Those without a date last; else in the order of creation.
    lines.sort_by_key(|line| (line.scheduled_start.is_none(), line.scheduled_start));
    lines
}

fn spray_point(at_bat: AtBat) -> Option<(AtBatId, SprayPoint)> {
    let AtBat { at_bat_id, game_id, hit_location, result, hit_type, .. } = at_bat;
    let place = hit_location?;
    Some((at_bat_id, SprayPoint { x: place.x, y: place.y, result, hit_type, game_id }))
}

fn newest(mut points: Vec<(AtBatId, SprayPoint)>) -> Vec<SprayPoint> {
    // A career may have ten times as many as are shown, and only those that are shown are sorted.
    if let Some(first) = points.len().checked_sub(SPRAY_MAX).filter(|first| *first > 0) {
        points.select_nth_unstable_by(first, |(one, _), (other, _)| one.cmp(other));
        points.drain(..first);
    }
    points.sort_by(|(one, _), (other, _)| one.cmp(other));
    points.into_iter().map(|(_, point)| point).collect()
}
