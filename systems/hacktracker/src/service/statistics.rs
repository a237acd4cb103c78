//! Statistics, counted from at-bats on every read.

use super::Service;
use crate::design::{AtBat, Game, GameId, Player, PlayerId, Role, Team, TeamId, UserId};
use crate::error::Error;
use crate::rules::stats::Line;
use crate::view::{
    Career, CareerTeam, GameLine, PlayerStats, SprayPoint, TeamPlayerLine, TeamStats,
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use std::collections::BTreeMap;

/// How many players' at-bats are read at the same time.
const CONCURRENT_MAX: usize = 8;

impl Service {
    /// 32: a player's at-bats, the newest first.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`] if the player is not on the roster.
    pub async fn at_bats_of(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        paging: &Paging,
    ) -> Result<Page<AtBat>, Error> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await?;
        let newest = AtBat::of_player(player_id).descending().limit(paging.limit());
        Ok(self.db.query(newest).page(paging.cursor()?).await?.into())
    }

    /// 33: a player's statistics, of one season if wanted.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`] if the player is not on the roster.
    pub async fn player_stats(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        season: Option<&str>,
    ) -> Result<PlayerStats, Error> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await?;
        let at_bats = self.db.query(AtBat::of_player(player_id)).all().await?;
        let games = self.games_of(&at_bats).await?;
        let at_bats = of_season(at_bats, &games, season);
        Ok(PlayerStats {
            line: Line::of(&at_bats),
            games: game_lines(&at_bats, &games),
            spray: spray(&at_bats),
        })
    }

    /// 34: the team's statistics, of one season if wanted.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers.
    pub async fn team_stats(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        season: Option<&str>,
    ) -> Result<TeamStats, Error> {
        self.member(caller, team_id, Role::Player).await?;
        let players = self.roster(team_id).await?;
        let games = self.db.query(Game::of_team(team_id)).all().await?;
        let games = games.into_iter().map(|game| (game.game_id.clone(), game)).collect();
        let mut all = Vec::new();
        let mut lines = Vec::with_capacity(players.len());
        for (player, at_bats) in self.at_bats_of_all(players).await? {
            let at_bats = of_season(at_bats, &games, season);
            lines.push(TeamPlayerLine {
                player: (&player).into(),
                status: player.status,
                line: Line::of(&at_bats),
            });
            all.extend(at_bats);
        }
        Ok(TeamStats { line: Line::of(&all), players: lines })
    }

    /// 35: my statistics over all teams, deleted ones too.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn career(&self, caller: &Caller) -> Result<Career, Error> {
        let user_id: UserId = caller.id()?;
        let players = self.db.query(Player::of_user(&user_id)).all().await?;
        let keys = players.iter().map(|player| Team::key(&player.team_id));
        let teams = self.db.get_many(keys).await?;
        let mut all = Vec::new();
        let mut by_team = Vec::new();
        for ((player, at_bats), team) in self.at_bats_of_all(players).await?.into_iter().zip(teams)
        {
            by_team.push(CareerTeam {
                team_id: player.team_id,
                is_deleted: team.as_ref().is_none_or(|team| team.deleted_at.is_some()),
                name: team.map(|team| team.name).unwrap_or_default(),
                player_id: player.player_id,
                line: Line::of(&at_bats),
            });
            all.extend(at_bats);
        }
        let games = self.games_of(&all).await?;
        Ok(Career {
            line: Line::of(&all),
            games: game_lines(&all, &games),
            spray: spray(&all),
            teams: by_team,
        })
    }

    /// Players with their at-bats, in the order of the players.
    async fn at_bats_of_all(
        &self,
        players: Vec<Player>,
    ) -> Result<Vec<(Player, Vec<AtBat>)>, Error> {
        let reads = players.into_iter().map(async |player| {
            let at_bats = self.db.query(AtBat::of_player(&player.player_id)).all().await?;
            Ok::<_, Error>((player, at_bats))
        });
        stream::iter(reads).buffered(CONCURRENT_MAX).try_collect().await
    }

    /// The games of at-bats.
    async fn games_of(&self, at_bats: &[AtBat]) -> Result<BTreeMap<GameId, Game>, Error> {
        let mut ids: Vec<&GameId> = at_bats.iter().map(|at_bat| &at_bat.game_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let games = self.db.get_many(ids.into_iter().map(Game::key)).await?;
        Ok(games.into_iter().flatten().map(|game| (game.game_id.clone(), game)).collect())
    }
}

fn of_season(
    mut at_bats: Vec<AtBat>,
    games: &BTreeMap<GameId, Game>,
    season: Option<&str>,
) -> Vec<AtBat> {
    if let Some(season) = season {
        at_bats.retain(|at_bat| {
            let game = games.get(&at_bat.game_id);
            game.is_some_and(|game| game.season_id.as_deref() == Some(season))
        });
    }
    at_bats
}

/// By game, the first one first.
fn game_lines(at_bats: &[AtBat], games: &BTreeMap<GameId, Game>) -> Vec<GameLine> {
    let mut by_game: BTreeMap<&GameId, Vec<&AtBat>> = BTreeMap::new();
    for at_bat in at_bats {
        by_game.entry(&at_bat.game_id).or_default().push(at_bat);
    }
    let mut lines: Vec<GameLine> = by_game
        .into_iter()
        .filter_map(|(game_id, own)| {
            let (game, first) = (games.get(game_id), own.first()?);
            Some(GameLine {
                game_id: game_id.clone(),
                team_id: first.team_id.clone(),
                scheduled_start: game.and_then(|game| game.scheduled_start),
                opponent_name: game.and_then(|game| game.opponent_name.clone()),
                season_id: game.and_then(|game| game.season_id.clone()),
                line: Line::of(own),
            })
        })
        .collect();
    // Those without a date last; else in the order of creation.
    lines.sort_by_key(|line| (line.scheduled_start.is_none(), line.scheduled_start));
    lines
}

fn spray(at_bats: &[AtBat]) -> Vec<SprayPoint> {
    let point = |at_bat: &AtBat| {
        let place = at_bat.hit_location?;
        let (result, hit_type) = (at_bat.result, at_bat.hit_type);
        let game_id = at_bat.game_id.clone();
        Some(SprayPoint { x: place.x, y: place.y, result, hit_type, game_id })
    };
    at_bats.iter().filter_map(point).collect()
}
