//! Statistics, counted from at-bats on every read.
//!
//! At-bats are counted while they are read, page by page, and not kept: what is held is a line for
//! each game, and the points of the spray chart.

use super::Service;
use crate::design::{AtBat, AtBatId, Game, GameId, Player, PlayerId, Role, Team, TeamId, UserId};
use crate::error::Error;
use crate::limits::SPRAY_MAX;
use crate::rules::stats::Tally;
use crate::view::{
    Career, CareerTeam, GameLine, PlayerStats, SprayPoint, TeamPlayerLine, TeamStats,
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use singlet::Timestamp;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::yield_now;
use std::collections::BTreeMap;

/// How many players' at-bats are read at the same time.
const CONCURRENT_MAX: usize = 8;
/// How many games are read at a time.
const GAMES_AT_A_TIME: usize = 100;
/// How many at-bats are counted before other requests may run: less than a millisecond.
const AT_BATS_PER_YIELD: usize = 500;

/// What a player has batted.
#[derive(Default)]
struct Batted {
    tally: Tally,
    spray: Vec<(AtBatId, SprayPoint)>,
}

impl Batted {
    /// Leaves out all games but those of a season.
    fn keep_season(&mut self, games: &BTreeMap<GameId, GameFacts>, season: Option<&str>) {
        let Some(season) = season else { return };
        let is_kept = |game_id: &GameId| {
            games.get(game_id).is_some_and(|game| game.season_id.as_deref() == Some(season))
        };
        self.tally.retain(is_kept);
        self.spray.retain(|(_, point)| is_kept(&point.game_id));
    }
}

/// What statistics say about a game.
struct GameFacts {
    team_id: TeamId,
    scheduled_start: Option<Timestamp>,
    opponent_name: Option<String>,
    season_id: Option<String>,
}

impl GameFacts {
    fn of(game: Game) -> (GameId, Self) {
        let Game { game_id, team_id, scheduled_start, opponent_name, season_id, .. } = game;
        (game_id, Self { team_id, scheduled_start, opponent_name, season_id })
    }
}

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
        let mut batted = self.batted(player_id, true).await?;
        let games = self.games_of(&batted.tally).await?;
        batted.keep_season(&games, season);
        Ok(PlayerStats {
            line: batted.tally.line(),
            games: game_lines(batted.tally, games),
            spray: newest(batted.spray),
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
        let games = games.into_iter().map(GameFacts::of).collect();
        let mut all = Tally::default();
        let mut lines = Vec::with_capacity(players.len());
        for (player, mut batted) in self.batted_by_all(players, false).await? {
            yield_now().await;
            batted.keep_season(&games, season);
            lines.push(TeamPlayerLine {
                player: (&player).into(),
                status: player.status,
                line: batted.tally.line(),
            });
            all.add(&batted.tally);
        }
        Ok(TeamStats { line: all.line(), players: lines })
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
        let mut all = Batted::default();
        let mut by_team = Vec::new();
        let batted = self.batted_by_all(players, true).await?;
        for ((player, batted), team) in batted.into_iter().zip(teams) {
            yield_now().await;
            by_team.push(CareerTeam {
                team_id: player.team_id,
                is_deleted: team.as_ref().is_none_or(|team| team.deleted_at.is_some()),
                name: team.map(|team| team.name).unwrap_or_default(),
                player_id: player.player_id,
                line: batted.tally.line(),
            });
            all.tally.add(&batted.tally);
            all.spray.extend(batted.spray);
        }
        let games = self.games_of(&all.tally).await?;
        Ok(Career {
            line: all.tally.line(),
            games: game_lines(all.tally, games),
            spray: newest(all.spray),
            teams: by_team,
        })
    }

    /// What a player has batted, with the points of the spray chart if they are wanted.
    async fn batted(&self, player_id: &PlayerId, with_spray: bool) -> Result<Batted, Error> {
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

    /// Players with what they have batted, in the order of the players.
    async fn batted_by_all(
        &self,
        players: Vec<Player>,
        with_spray: bool,
    ) -> Result<Vec<(Player, Batted)>, Error> {
        let reads = players.into_iter().map(async |player| {
            let batted = self.batted(&player.player_id, with_spray).await?;
            Ok::<_, Error>((player, batted))
        });
        stream::iter(reads).buffered(CONCURRENT_MAX).try_collect().await
    }

    /// The games that were counted.
    async fn games_of(&self, tally: &Tally) -> Result<BTreeMap<GameId, GameFacts>, Error> {
        let ids: Vec<&GameId> = tally.games().collect();
        let mut games = BTreeMap::new();
        for ids in ids.chunks(GAMES_AT_A_TIME) {
            let keys = ids.iter().map(|game_id| Game::key(*game_id).consistent());
            let read = self.db.get_many(keys).await?;
            games.extend(read.into_iter().flatten().map(GameFacts::of));
        }
        Ok(games)
    }
}

/// By game, the first one first.
fn game_lines(tally: Tally, mut games: BTreeMap<GameId, GameFacts>) -> Vec<GameLine> {
    let line = |(game_id, line)| {
        let game = games.remove(&game_id)?;
        let GameFacts { team_id, scheduled_start, opponent_name, season_id } = game;
        Some(GameLine { game_id, team_id, scheduled_start, opponent_name, season_id, line })
    };
    let mut lines: Vec<GameLine> = tally.lines().filter_map(line).collect();
    // Those without a date last; else in the order of creation.
    lines.sort_by_key(|line| (line.scheduled_start.is_none(), line.scheduled_start));
    lines
}

/// Where the ball of an at-bat came down.
fn spray_point(at_bat: AtBat) -> Option<(AtBatId, SprayPoint)> {
    let AtBat { at_bat_id, game_id, hit_location, result, hit_type, .. } = at_bat;
    let place = hit_location?;
    Some((at_bat_id, SprayPoint { x: place.x, y: place.y, result, hit_type, game_id }))
}

/// The newest points, the oldest of them first.
fn newest(mut points: Vec<(AtBatId, SprayPoint)>) -> Vec<SprayPoint> {
    // A career may have ten times as many as are shown, and only those that are shown are sorted.
    if let Some(first) = points.len().checked_sub(SPRAY_MAX).filter(|first| *first > 0) {
        points.select_nth_unstable_by(first, |(one, _), (other, _)| one.cmp(other));
        points.drain(..first);
    }
    points.sort_by(|(one, _), (other, _)| one.cmp(other));
    points.into_iter().map(|(_, point)| point).collect()
}
