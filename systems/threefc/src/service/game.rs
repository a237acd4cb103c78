//! Games: creating, changing and deleting them.

use super::changes::Changes;
use super::find::Keys;
use super::game_change::{Audit, Edit};
use super::input::{GameChange, NewGame};
use super::season::parse_length;
use super::{ATTEMPTS_MAX, OpenGame, Service};
use crate::design::{
    AuditAction, AuditRecord, GAMES_MAX, Game, GameId, GameItems, GameStatus, GoalMarker, Player,
    PlayerId, Role, RosterEntry, SeasonId, SeasonMirror, SessionId, SessionMirror, Team, TeamId,
    ThreeFcItem,
};
use crate::error::Error;
use crate::rules::{new_thirds, score_of};
use crate::text::{parse_optional, parse_reference, parse_text};
use crate::view::{EventKind, GameView, Message};
use serde_json::{Value, json};
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;

/// Three different teams.
fn parse_teams(texts: &[String]) -> Result<Vec<TeamId>, Error> {
    let ids = texts.iter().map(|text| parse_reference(text, Error::TeamNotFound));
    let ids: Vec<TeamId> = ids.collect::<Result<_, _>>()?;
    let [one, two, three] = ids.as_slice() else {
        return Err(Error::invalid("/teamIds", "must be three teams"));
    };
    if one == two || one == three || two == three {
        return Err(Error::invalid("/teamIds", "must be three different teams"));
    }
    Ok(ids)
}

impl Service {
    /// 12: createGame, with rosters from the three squads.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::TeamNotFound`], [`Error::TeamRetired`],
    /// [`Error::LimitReached`].
    pub async fn create_game(
        &self,
        caller: &Caller,
        session_id: &SessionId,
        new: &NewGame,
    ) -> Result<GameView, Error> {
        let id: GameId = self.chosen_or_new("/gameId", new.game_id.as_deref())?;
        let work = |_| self.try_create_game(caller, session_id, &id, new);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), &id).await
    }

    async fn try_create_game(
        &self,
        caller: &Caller,
        session_id: &SessionId,
        game_id: &GameId,
        new: &NewGame,
    ) -> Result<(), Error> {
        let (mut session, season, scope) = self.session_scope(session_id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        let team_ids = parse_teams(&new.team_ids)?;
        let length = match new.third_length_minutes {
            Some(minutes) => parse_length(minutes)?,
            None => season.third_length_minutes,
        };
        if session.games >= GAMES_MAX {
            return Err(Error::limit(GAMES_MAX, "games in a session"));
        }
        session.games += 1;
        let now = self.db.now();
        let score = score_of(&team_ids, []);
        let thirds = new_thirds();
        let status = GameStatus::Scheduled;
        let last_event = Message {
            kind: EventKind::GameChanged,
            sequence: 1,
            at: now,
            status,
            thirds: thirds.clone(),
            score: score.clone(),
            goal: None,
            event_id: None,
            player: None,
            team_id: None,
            result: None,
            abandoned: None,
        };
        let game = Game {
            game_id: game_id.clone(),
            league_id: season.league_id.clone(),
            season_id: season.season_id.clone(),
            session_id: session_id.clone(),
            game_start_ts: new.game_start_ts,
            pitch: parse_optional("/pitch", new.pitch.as_deref(), 20)?,
            team_ids: team_ids.clone(),
            third_length_minutes: length,
            status,
            thirds,
            score,
            goals: 0,
            sequence: 1,
            last_event,
            finished_at: None,
            result: None,
            abandoned: None,
            created_at: now,
            updated_at: now,
        };
        let teams = self.playing_teams(&season.season_id, &team_ids).await?;
        let roster = self.squads(game_id, &teams, now).await?;
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&session);
        changes.create(&game, Error::IdTaken);
        changes.create(&game.link(), Error::IdTaken);
        for entry in &roster {
            changes.create(entry, Error::changed());
        }
        for team in &teams {
            changes.check(team);
        }
        changes.run().await
    }

    /// Teams that can play.
    async fn playing_teams(
        &self,
        season_id: &SeasonId,
        ids: &[TeamId],
    ) -> Result<Vec<Team>, Error> {
        let keys = ids.iter().map(|id| Team::key(season_id, id).consistent());
        let teams: Vec<Option<Team>> = self.db.get_many(keys).await?;
        let teams: Option<Vec<Team>> = teams.into_iter().collect();
        let teams = teams.ok_or(Error::TeamNotFound)?;
        match teams.iter().any(|team| team.retired) {
            true => Err(Error::TeamRetired),
            false => Ok(teams),
        }
    }

    /// Rosters from the squads of teams, without archived players.
    async fn squads(
        &self,
        game_id: &GameId,
        teams: &[Team],
        now: Timestamp,
    ) -> Result<Vec<RosterEntry>, Error> {
        let mut keys = Keys::default();
        for player in teams.iter().flat_map(|team| &team.squad_player_ids) {
            keys.add(&Player::key(player))?;
        }
        let found = self.find(keys).await?;
        let plays = |id: &PlayerId| {
            found.iter().any(|item| {
                matches!(item, ThreeFcItem::Player(one) if one.player_id == *id && !one.archived)
            })
        };
        let mut roster: Vec<RosterEntry> = Vec::new();
        for team in teams {
            for player in team.squad_player_ids.iter().filter(|player| plays(player)) {
                if roster.iter().any(|entry| entry.player_id == *player) {
                    continue;
                }
                roster.push(RosterEntry {
                    game_id: game_id.clone(),
                    team_id: team.team_id.clone(),
                    player_id: player.clone(),
                    created_at: now,
                    updated_at: now,
                });
            }
        }
        Ok(roster)
    }

    /// 15: updateGame: another start, session, pitch, or, before it has begun, other teams.
    ///
    /// # Errors
    ///
    /// [`Error::GameStarted`], [`Error::OtherSeason`], [`Error::TeamNotFound`],
    /// [`Error::TeamRetired`], [`Error::SessionNotFound`], [`Error::LimitReached`].
    pub async fn update_game(
        &self,
        caller: &Caller,
        id: &GameId,
        change: &GameChange,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_update_game(caller, id, change);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_update_game(
        &self,
        caller: &Caller,
        id: &GameId,
        change: &GameChange,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Admin).await?;
        let mut items = open.before.clone();
        let game = &mut items.game;
        game.game_start_ts = change.game_start_ts.unwrap_or(game.game_start_ts);
        match &change.pitch {
            Change::Keep => {}
            Change::Remove => game.pitch = None,
            Change::Set(pitch) => game.pitch = Some(parse_text("/pitch", pitch, 1..=20)?),
        }
        if let Some(minutes) = change.third_length_minutes {
            game.third_length_minutes = parse_length(minutes)?;
        }
        if let Some(teams) = &change.team_ids {
            game.team_ids = parse_teams(teams)?;
        }
        let before = open.game();
        let is_recast = game.team_ids != before.team_ids
            || game.third_length_minutes != before.third_length_minutes;
        let has_started =
            before.has_begun() || before.goals > 0 || before.status == GameStatus::Finished;
        if is_recast && has_started {
            return Err(Error::GameStarted);
        }
        let (mut sessions, mut seen_teams) = (Vec::new(), Vec::new());
        if let Some(text) =
            change.session_id.as_deref().filter(|one| *one != before.session_id.as_str())
        {
            let target = parse_reference(text, Error::SessionNotFound)?;
            sessions = self.move_between(caller, &open, &target).await?;
            game.session_id = target;
        }
        if game.team_ids != before.team_ids {
            let joining: Vec<TeamId> = game
                .team_ids
                .iter()
                .filter(|one| !before.team_ids.contains(one))
                .cloned()
                .collect();
            let teams = self.playing_teams(&game.season_id, &joining).await?;
            let team_ids = game.team_ids.clone();
            if let Some(abandoned) = &mut game.abandoned {
                abandoned.absent_team_ids.retain(|absent| team_ids.contains(absent));
            }
            items.roster.retain(|entry| team_ids.contains(&entry.team_id));
            for entry in self.squads(id, &teams, open.now).await? {
                // Somebody who is lent to another team stays there.
                if !items.roster.iter().any(|one| one.player_id == entry.player_id) {
                    items.roster.push(entry);
                }
            }
            seen_teams = teams;
        }
        if items == open.before {
            return Ok(());
        }
        let is_audited = has_started || before.status == GameStatus::Abandoned;
        let audit = Audit::new(
            AuditAction::GameChanged,
            Some(fixture_payload(before)),
            Some(fixture_payload(&items.game)),
        );
        let mut edit = Edit::new(EventKind::GameChanged, items);
        edit.audit = is_audited.then_some(audit);
        edit.sessions = sessions;
        edit.seen_teams = seen_teams;
        self.commit(&open, edit).await
    }

    /// The sessions that lose and gain a game.
    async fn move_between(
        &self,
        caller: &Caller,
        open: &OpenGame,
        target: &SessionId,
    ) -> Result<Vec<SessionMirror>, Error> {
        let keys = [&open.game().session_id, target];
        let keys = keys.map(|id| SessionMirror::key(id).consistent());
        let found: Vec<Option<SessionMirror>> = self.db.get_many(keys).await?;
        let mut found = found.into_iter();
        let from = found.next().flatten().ok_or_else(Error::changed)?;
        let to = found.next().flatten().ok_or(Error::SessionNotFound)?;
        if to.season_id != open.game().season_id {
            // A session of a private league is as if it did not exist.
            let season = self.db.get(SeasonMirror::key(&to.season_id).consistent()).await?;
            let season = season.ok_or(Error::SessionNotFound)?;
            let missing = || Error::SessionNotFound;
            self.scope(&season.league_id, Some(caller), missing).await?.require_reader()?;
            return Err(Error::OtherSeason);
        }
        if to.games >= GAMES_MAX {
            return Err(Error::limit(GAMES_MAX, "games in a session"));
        }
        let from = SessionMirror { games: from.games.saturating_sub(1), ..from };
        let to = SessionMirror { games: to.games + 1, ..to };
        Ok(vec![from, to])
    }

    /// 16: deleteGame, as long as nothing has happened in it.
    ///
    /// # Errors
    ///
    /// [`Error::GameAbandoned`], [`Error::GameHasHistory`].
    pub async fn delete_game(&self, caller: &Caller, id: &GameId) -> Result<(), Error> {
        self.db.attempt(|_| self.try_delete_game(caller, id)).times(ATTEMPTS_MAX).await
    }

    async fn try_delete_game(&self, caller: &Caller, id: &GameId) -> Result<(), Error> {
        let OpenGame { before: GameItems { goals, game, roster }, .. } =
            self.open_game(caller, id, Role::Admin).await?;
        if game.status == GameStatus::Abandoned {
            return Err(Error::GameAbandoned);
        }
        let history = History::of(id).sort_key_until("GOAL#").consistent();
        let history = self.db.query(history).first().await?;
        if history.is_some() || !goals.is_empty() || game.has_begun() {
            return Err(Error::GameHasHistory);
        }
        let key = SessionMirror::key(&game.session_id).consistent();
        let session = self.db.get(key).await?.ok_or_else(Error::changed)?;
        let mut changes = Changes::new(&self.db);
        changes.delete(&game);
        changes.rewrite(&SessionMirror { games: session.games.saturating_sub(1), ..session });
        changes.delete_guarded(&game.link());
        for entry in &roster {
            changes.delete_guarded(entry);
        }
        changes.run().await
    }
}

/// The audit records and goal markers of a game.
#[derive(Collection)]
#[expect(dead_code, reason = "it matters only whether there is one")]
enum History {
    Audit(AuditRecord),
    Marker(GoalMarker),
}

/// A game as audit records keep it when somebody changes its start, place, teams or times.
pub(super) fn fixture_payload(game: &Game) -> Value {
    json!({
        "sessionId": game.session_id,
        "gameStartTs": game.game_start_ts,
        "pitch": game.pitch,
        "teamIds": game.team_ids,
        "thirdLengthMinutes": game.third_length_minutes,
        "status": game.status,
        "thirds": game.thirds,
        "score": game.score,
        "finishedAt": game.finished_at,
        "result": game.result,
        "abandoned": game.abandoned,
    })
}
