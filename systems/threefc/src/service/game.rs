//! Games: creating, changing and deleting them.

use super::changes::Changes;
use super::game_change::{Audit, Edit, OpenGame};
use super::input::{GameChange, NewGame, ThirdLength};
use super::{ADMIN, Need, Service};
use crate::design::*;
use crate::error::{ApiError as _, Error, Result};
use crate::rules::{new_thirds, score_of};
use crate::view::GameView;
use singlet::prelude::*;
use singlet_web::identity::Caller;
use std::collections::BTreeSet;

impl Service {
    /// 12: createGame, with rosters from the three squads.
    pub async fn create_game(
        &self,
        caller: &Caller,
        session_id: &SessionId,
        new: &NewGame,
    ) -> Result<GameView> {
        let game_id = self.chosen_or_new(new.game_id.as_ref())?;
        self.attempt(async |_| {
            let (session, season) = self.session_admin(caller, session_id).await?;
            if session.games >= GAMES_MAX {
                return Err(Error::limit(GAMES_MAX, "games in a session"));
            }
            let length = new.third_length_minutes.map(ThirdLength::minutes);
            let (score, thirds) = (score_of(&new.team_ids, []), new_thirds());
            let now = self.db.now();
            let game = Game {
                game_id: game_id.clone(),
                league_id: season.league_id.clone(),
                season_id: season.season_id.clone(),
                session_id: session_id.clone(),
                game_start_ts: new.game_start_ts.into(),
                pitch: new.pitch.clone().map(String::from),
                team_ids: new.team_ids.to_vec(),
                third_length_minutes: length.unwrap_or(season.third_length_minutes),
                status: GameStatus::Scheduled,
                last_event: Message::first(&thirds, &score, now),
                thirds,
                score,
                goals: 0,
                sequence: 1,
                finished_at: None,
                result: None,
                abandoned: None,
                created_at: now,
                updated_at: now,
            };
            let teams = self.playing_teams(&season.season_id, &game.team_ids).await?;
            let (roster, _) = self.squads(&game_id, &teams, now).await?;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&SessionMirror { games: session.games + 1, ..session });
            changes.create(&game, Error::IdTaken);
            changes.create(&game.link(), Error::IdTaken);
            for entry in &roster {
                changes.create(entry, Error::changed());
            }
            for team in &teams {
                changes.check(team);
            }
            changes.run().await
        })
        .await?;
        self.game(Some(caller), &game_id).await
    }

    /// Teams that can play.
    async fn playing_teams(&self, season_id: &SeasonId, ids: &[TeamId]) -> Result<Vec<Team>> {
        let keys = ids.iter().map(|id| Team::key(season_id, id).consistent());
        let teams: Vec<Option<Team>> = self.db.get_many(keys).await?;
        let teams: Option<Vec<Team>> = teams.into_iter().collect();
        let teams = teams.ok_or(Error::TeamNotFound)?;
        match teams.iter().any(|team| team.retired) {
            true => Err(Error::TeamRetired),
            false => Ok(teams),
        }
    }

    /// Rosters from the squads of teams, without archived players, and the players' names.
    async fn squads(
        &self,
        game_id: &GameId,
        teams: &[Team],
        now: Timestamp,
    ) -> Result<(Vec<RosterEntry>, Vec<PlayerRef>)> {
        let mut keys = Keys::new();
        for player in teams.iter().flat_map(|team| &team.squad_player_ids) {
            keys.add(Player::key(player))?;
        }
        let found = self.db.get_all(keys.consistent()).await?;
        let players = found.iter().filter_map(|item| match item {
            ThreeFcItem::Player(player) if !player.archived => Some(PlayerRef::from(player)),
            _ => None,
        });
        let players: Vec<PlayerRef> = players.collect();
        let mut placed: BTreeSet<&PlayerId> = BTreeSet::new();
        let mut roster: Vec<RosterEntry> = Vec::new();
        for team in teams {
            for player in &team.squad_player_ids {
                let plays = players.iter().any(|one| one.player_id == *player);
                if plays && placed.insert(player) {
                    roster.push(RosterEntry {
                        game_id: game_id.clone(),
                        team_id: team.team_id.clone(),
                        player_id: player.clone(),
                        created_at: now,
                        updated_at: now,
                    });
                }
            }
        }
        Ok((roster, players))
    }

    /// 15: updateGame: another start, session, pitch, or, before it has begun, other teams.
    pub async fn update_game(
        &self,
        caller: &Caller,
        id: &GameId,
        change: &GameChange,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let mut open = self.open_game(caller, id, ADMIN, None).await?;
            let before = open.game().clone();
            let mut items = open.before.clone();
            let game = &mut items.game;
            game.game_start_ts = change.game_start_ts.map_or(game.game_start_ts, Timestamp::from);
            game.pitch = change.pitch.clone().map(String::from).apply(game.pitch.take());
            if let Some(length) = change.third_length_minutes {
                game.third_length_minutes = length.minutes();
            }
            if let Some(teams) = &change.team_ids {
                game.team_ids = teams.to_vec();
            }
            let is_recast = game.team_ids != before.team_ids
                || game.third_length_minutes != before.third_length_minutes;
            let has_started =
                before.has_begun() || before.goals > 0 || before.status == GameStatus::Finished;
            if is_recast && has_started {
                return Err(Error::GameStarted);
            }
            let mut changes = Changes::as_of(&self.db, open.now);
            if let Some(target) = change.session_id.as_ref().filter(|id| **id != game.session_id) {
                open.context.session =
                    self.move_between(caller, &open, target, &mut changes).await?;
                game.session_id = target.clone();
            }
            if game.team_ids != before.team_ids {
                let joining = game.team_ids.iter().filter(|one| !before.team_ids.contains(one));
                let joining: Vec<TeamId> = joining.cloned().collect();
                let teams = self.playing_teams(&game.season_id, &joining).await?;
                let team_ids = game.team_ids.clone();
                if let Some(abandoned) = &mut game.abandoned {
                    abandoned.absent_team_ids.retain(|absent| team_ids.contains(absent));
                }
                items.roster.retain(|entry| team_ids.contains(&entry.team_id));
                let (squads, names) = self.squads(id, &teams, open.now).await?;
                for entry in squads {
                    // A player who is lent to another team stays there.
                    if !items.roster.iter().any(|one| one.player_id == entry.player_id) {
                        items.roster.push(entry);
                    }
                }
                for team in &teams {
                    changes.check(team);
                }
                let names = names.into_iter().map(|name| (name.player_id.clone(), name));
                open.context.names.extend(names);
                open.context.teams.extend(teams);
            }
            if items == open.before {
                return Ok(open.unchanged());
            }
            let is_audited = has_started || before.status == GameStatus::Abandoned;
            let audit = is_audited.then(|| Audit::of_game(AuditAction::GameChanged));
            let edit = self.edit(&open, EventKind::GameChanged, items);
            self.commit(&open, Edit { audit, changes, ..edit }).await
        })
        .await
    }

    /// Counts a game in its new session and no longer in the old one. Returns the new session.
    async fn move_between(
        &self,
        caller: &Caller,
        open: &OpenGame,
        target: &SessionId,
        changes: &mut Changes<'_>,
    ) -> Result<SessionMirror> {
        let keys = [&open.game().session_id, target];
        let keys = keys.map(|id| SessionMirror::key(id).consistent());
        let mut found = self.db.get_many(keys).await?.into_iter();
        let from = found.next().flatten().ok_or_else(Error::changed)?;
        let to: SessionMirror = found.next().flatten().ok_or(Error::SessionNotFound)?;
        if to.season_id != open.game().season_id {
            // A session of a private league is as if it did not exist.
            self.season_of(Some(caller), &to, Need::Read).await?;
            return Err(Error::OtherSeason);
        }
        if to.games >= GAMES_MAX {
            return Err(Error::limit(GAMES_MAX, "games in a session"));
        }
        changes.rewrite(&SessionMirror { games: from.games.saturating_sub(1), ..from });
        let to = SessionMirror { games: to.games + 1, ..to };
        changes.rewrite(&to);
        Ok(to)
    }

    /// 16: deleteGame, as long as nothing has happened in it.
    pub async fn delete_game(&self, caller: &Caller, id: &GameId) -> Result<()> {
        self.attempt(async |_| {
            let OpenGame { before: GameItems { goals, game, roster }, context, .. } =
                self.open_game(caller, id, ADMIN, None).await?;
            if game.status == GameStatus::Abandoned {
                return Err(Error::GameAbandoned);
            }
            let history = History::of(id).sort_key_until("GOAL#").consistent();
            let history = self.db.query(history).first().await?;
            if history.is_some() || !goals.is_empty() || game.has_begun() {
                return Err(Error::GameHasHistory);
            }
            let session = context.session;
            let mut changes = Changes::new(&self.db);
            changes.delete(&game);
            changes.rewrite(&SessionMirror { games: session.games.saturating_sub(1), ..session });
            changes.delete_guarded(&game.link());
            for entry in &roster {
                changes.delete_guarded(entry);
            }
            changes.run().await
        })
        .await
    }
}

/// The audit records and goal markers of a game.
#[derive(Collection)]
#[expect(dead_code, reason = "it matters only whether there is one")]
enum History {
    Audit(AuditRecord),
    Marker(GoalMarker),
}
