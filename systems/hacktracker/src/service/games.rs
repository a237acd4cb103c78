//! Games: schedule, changes, lineups, status, and the score by hand.

use super::text::{LABEL, SEASON, line, optional_line};
use super::{Service, TeamAccess};
use crate::design::{
    AtBat, AtBatId, Book, EventKind, Game, GameId, GameStatus, LastEvent, Player, PlayerId,
    PlayerStatus, Role, Team, TeamId,
};
use crate::error::Error;
use crate::input::{GameChange, NewGame, NewLineup, NewScore, StatusChange};
use crate::limits::{GAMES_MAX, PLAYER_AT_BATS_MAX};
use crate::rules::status::{self, Verb};
use crate::rules::{lineup, scoring, summary};
use crate::view::{GameDetail, GameView, List, ScoringView};
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use std::collections::BTreeMap;

impl Service {
    /// 19: schedules a game.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyGames`] if the team has as many as possible, or if a field is invalid.
    pub async fn create_game(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &NewGame,
    ) -> Result<GameView, Error> {
        self.member(caller, team_id, Role::Manager).await?;
        let now = self.db.now();
        let game = Game {
            game_id: self.random.id(now)?,
            team_id: team_id.clone(),
            status: GameStatus::Scheduled,
            scheduled_start: new.scheduled_start,
            opponent_name: optional_line("/opponentName", new.opponent_name.as_deref(), LABEL)?,
            location: optional_line("/location", new.location.as_deref(), LABEL)?,
            season_id: optional_line("/seasonId", new.season_id.as_deref(), SEASON)?,
            team_score: 0,
            opponent_score: 0,
            lineup: Vec::new(),
            home_away: new.home_away,
            regulation_innings: new.regulation_innings,
            revision: 1,
            last_event: None,
            at_bat_count: 0,
            state: None,
            team_runs: None,
            opponent_runs: None,
            ended_early: None,
            hand_score: None,
            placed: None,
            started_at: None,
            finished_at: None,
            created_at: now,
            updated_at: now,
        };
        let counted = update(Team::key(team_id))
            .add(Team::GAME_COUNT, 1)
            .only_if(Team::GAME_COUNT.lt(GAMES_MAX));
        let written =
            self.db.transact((create(&game).or(Error::changed()), counted.or(Error::TooManyGames)));
        written.await?;
        Ok(game.into())
    }

    /// 20: the schedule, the first game first; those without a date last.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers.
    pub async fn schedule(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        season: Option<&str>,
    ) -> Result<List<GameView>, Error> {
        self.member(caller, team_id, Role::Player).await?;
        let mut games = self.db.query(Game::of_team(team_id)).all().await?;
        games.retain(|game| season.is_none_or(|season| game.season_id.as_deref() == Some(season)));
        games.sort_by(|one, other| {
            let key = |game: &Game| (game.scheduled_start.is_none(), game.scheduled_start);
            key(one).cmp(&key(other)).then_with(|| one.game_id.cmp(&other.game_id))
        });
        Ok(List { items: games.into_iter().map(GameView::from).collect() })
    }

    /// 21: a game with its at-bats, box score and line score.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] for strangers.
    pub async fn game(&self, caller: &Caller, game_id: &GameId) -> Result<GameDetail, Error> {
        let (_, book) = self.book(caller, game_id, Role::Player).await?;
        self.detail_of(book).await
    }

    /// Operation 21 for the live feed, whose subscribers were checked before.
    pub(crate) async fn game_detail(&self, game_id: &GameId) -> Result<GameDetail, Error> {
        let book = self.read_book(game_id).await?;
        self.detail_of(book).await
    }

    async fn detail_of(&self, book: Book) -> Result<GameDetail, Error> {
        let players = self.roster(&book.game.team_id).await?;
        Ok(GameDetail::new(book, players))
    }

    /// 22: changes date, opponent, place, season, home or away, and innings.
    ///
    /// # Errors
    ///
    /// [`Error::WrongStatus`] if home or away changes after the start.
    pub async fn change_game(
        &self,
        caller: &Caller,
        game_id: &GameId,
        change: &GameChange,
    ) -> Result<GameView, Error> {
        let (access, book) = self.book_at(caller, game_id, Role::Manager, change.revision).await?;
        let mut game = book.game.clone();
        let changed_text =
            |field: &str, change: &Change<String>, before: Option<String>, characters| match change
            {
                Change::Keep => Ok(before),
                Change::Remove => Ok(None),
                Change::Set(text) => line(field, text, characters).map(Some),
            };
        game.opponent_name =
            changed_text("/opponentName", &change.opponent_name, game.opponent_name, LABEL)?;
        game.location = changed_text("/location", &change.location, game.location, LABEL)?;
        game.season_id = changed_text("/seasonId", &change.season_id, game.season_id, SEASON)?;
        game.scheduled_start = change.scheduled_start.clone().apply(game.scheduled_start);
        game.regulation_innings = change.regulation_innings.clone().apply(game.regulation_innings);
        if game.regulation_innings.is_some_and(|innings| !(1..=9).contains(&innings)) {
            return Err(Error::invalid("/regulationInnings", "must be 1 to 9"));
        }
        game.home_away = change.home_away.clone().apply(game.home_away);
        let has_begun = game.state.is_some()
            || matches!(game.status, GameStatus::InProgress | GameStatus::Final);
        if has_begun && game.home_away != book.game.home_away {
            return Err(Error::WrongStatus);
        }
        let after = Book { game, ..book.clone() };
        let written =
            self.commit(&access, &book, after, EventKind::GameChanged, None, None).await?;
        Ok(written.game)
    }

    /// 22: deletes a game without at-bats.
    ///
    /// # Errors
    ///
    /// [`Error::GameHasAtBats`] for others, [`Error::GameMovedOn`] if the game has another revision
    /// than the one that the caller has seen.
    pub async fn delete_game(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: Option<u64>,
    ) -> Result<(), Error> {
        let work = async |_: &Db<_>| {
            let (_, book) = self.book(caller, game_id, Role::Manager).await?;
            let game = book.game;
            if revision.is_some_and(|revision| revision != game.revision) {
                return Err(Error::game_moved_on(game.into()));
            }
            if game.at_bat_count > 0 {
                return Err(Error::GameHasAtBats);
            }
            // Every at-bat counts the revision up.
            let is_as_read = Game::REVISION.eq(game.revision);
            let counted = update(Team::key(&game.team_id)).add(Team::GAME_COUNT, -1);
            let removed = self.db.transact((
                delete(Game::key(game_id)).only_if(is_as_read).or(Error::changed()),
                counted.or(Error::TeamNotFound),
            ));
            removed.await
        };
        self.db.attempt(work).await
    }

    /// 23: replaces the lineup.
    ///
    /// # Errors
    ///
    /// [`Error::LineupInvalid`], [`Error::WrongStatus`], [`Error::PersonalTeam`].
    pub async fn set_lineup(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewLineup,
    ) -> Result<ScoringView, Error> {
        let work = async |_: &Db<_>| self.try_set_lineup(caller, game_id, new).await;
        self.db.attempt(work).await
    }

    async fn try_set_lineup(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewLineup,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
        let roster = self.roster(&book.game.team_id).await?;
        let game = lineup::replace(&book.game, new.lineup.clone(), &roster)?;
        let after = Book { game, ..book.clone() };
        self.commit(&access, &book, after, EventKind::LineupChanged, None, None).await
    }

    /// 24: starts, finishes, reopens, postpones or reschedules a game.
    ///
    /// # Errors
    ///
    /// [`Error::WrongStatus`], [`Error::LineupInvalid`].
    pub async fn change_status(
        &self,
        caller: &Caller,
        game_id: &GameId,
        verb: Verb,
        change: &StatusChange,
    ) -> Result<ScoringView, Error> {
        let work = async |_: &Db<_>| self.try_change_status(caller, game_id, verb, change).await;
        self.db.attempt(work).await
    }

    async fn try_change_status(
        &self,
        caller: &Caller,
        game_id: &GameId,
        verb: Verb,
        change: &StatusChange,
    ) -> Result<ScoringView, Error> {
        let (access, book) =
            self.book_at(caller, game_id, Role::Scorekeeper, change.revision).await?;
        let roster: Option<Vec<Player>> = match access.is_personal() {
            true => None,
            false => Some(self.roster(&book.game.team_id).await?),
        };
        let now = self.db.now();
        let (roster, start) = (roster.as_deref(), change.scheduled_start);
        let game = status::apply(&book.game, verb, roster, start, now)?;
        let after = Book { game, ..book.clone() };
        self.commit(&access, &book, after, verb.event(), None, None).await
    }

    /// 25: sets the score by hand.
    ///
    /// # Errors
    ///
    /// [`Error::ScoreDerived`] for a MANAGED game with at-bats.
    pub async fn set_score(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewScore,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.book_at(caller, game_id, Role::Scorekeeper, new.revision).await?;
        let is_personal = access.is_personal();
        let game = scoring::set_score(&book.game, is_personal, new.team_score, new.opponent_score)?;
        let after = Book { game, ..book.clone() };
        self.commit(&access, &book, after, EventKind::GameChanged, None, None).await
    }

    /// A game at the revision that the caller has seen.
    pub(super) async fn book_at(
        &self,
        caller: &Caller,
        game_id: &GameId,
        role: Role,
        revision: u64,
    ) -> Result<(TeamAccess, Book), Error> {
        let (access, book) = self.book(caller, game_id, role).await?;
        Ok((access, at_revision(book, revision)?))
    }

    /// The same of a MANAGED team, for a scorer.
    pub(super) async fn managed_book_at(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: u64,
    ) -> Result<(TeamAccess, Book), Error> {
        let (access, book) = self.book(caller, game_id, Role::Scorekeeper).await?;
        access.require_managed()?;
        Ok((access, at_revision(book, revision)?))
    }

    /// Writes a game and the at-bats that changed, in one transaction, if the game still has the
    /// revision that it was read with.
    pub(super) async fn commit(
        &self,
        access: &TeamAccess,
        before: &Book,
        mut after: Book,
        kind: EventKind,
        at_bat: Option<&AtBatId>,
        inning: Option<u8>,
    ) -> Result<ScoringView, Error> {
        let now = self.db.now();
        let mut transaction = self.db.transaction::<Error>().at(now);
        let mut changed = Vec::new();
        for at_bat in &mut after.at_bats {
            let old = before.at_bats.iter().find(|old| old.at_bat_id == at_bat.at_bat_id);
            if old.is_some_and(|old| old == at_bat) {
                continue;
            }
            at_bat.updated_at = now;
            match old {
                None => transaction.push(create(at_bat).or(Error::changed())),
                Some(_) => transaction
                    .push(put(at_bat).only_if(Condition::exists()).or(Error::GameMovedOn)),
            }
            changed.push(at_bat.clone());
        }
        let is_removed =
            |old: &&AtBat| !after.at_bats.iter().any(|one| one.at_bat_id == old.at_bat_id);
        for removed in before.at_bats.iter().filter(is_removed) {
            let key = AtBat::key(&removed.game_id, &removed.at_bat_id);
            transaction.push(delete(key).only_if(Condition::exists()).or(Error::GameMovedOn));
        }
        for (player_id, change) in at_bats_by_player(before, &after) {
            let counted = update(Player::key(&before.game.team_id, player_id))
                .add(Player::AT_BAT_COUNT, change);
            transaction.push(match change > 0 {
                true => counted
                    .set(Player::BATTED, true)
                    .only_if(Player::AT_BAT_COUNT.lt(PLAYER_AT_BATS_MAX))
                    .or(Error::TooManyAtBats),
                false => counted.or(Error::changed()),
            });
        }
        // The rules have looked at the roster: a player may be removed or set inactive since.
        if matches!(kind, EventKind::LineupChanged | EventKind::GameStarted) {
            for player_id in &after.game.lineup {
                let can_play = Player::STATUS.is_in([PlayerStatus::Active, PlayerStatus::Sub]);
                let key = Player::key(&before.game.team_id, player_id);
                transaction.push(check(key).only_if(can_play).or(Error::changed()));
            }
        }
        let subject = at_bat.and_then(|id| changed.iter().position(|one| one.at_bat_id == *id));
        let subject = subject.map(|index| changed.remove(index));
        let game = &mut after.game;
        game.revision = before.game.revision.saturating_add(1);
        game.updated_at = now;
        game.last_event = Some(LastEvent {
            kind,
            by: access.user_id.clone(),
            at: now,
            at_bat: subject.clone().map(Box::new),
            inning,
        });
        transaction.push(written(game, before.game.revision).or(Error::GameMovedOn));
        match transaction.run().await {
            Err(Error::GameMovedOn) => {
                let present = self.read_book(&before.game.game_id).await?;
                return Err(Error::game_moved_on(present.game.into()));
            }
            Err(Error::TooManyAtBats) => {
                return Err(self.why_not_counted(before, &after).await?);
            }
            other => other?,
        }
        let issues = summary::issues(&after);
        Ok(ScoringView { game: after.game.into(), at_bat: subject, changed, issues })
    }

    /// Why a player cannot have another at-bat: there are too many, or the player is gone.
    async fn why_not_counted(&self, before: &Book, after: &Book) -> Result<Error, Error> {
        for (player_id, change) in at_bats_by_player(before, after) {
            let key = Player::key(&before.game.team_id, player_id).consistent();
            if change <= 0 || self.db.get(key).await?.is_some() {
                continue;
            }
            // Whoever is up by the lineup was not named in the request.
            return Ok(match after.game.lineup.contains(player_id) {
                true => Error::lineup_invalid(
                    "A player of the lineup is no longer on the roster. Change the lineup.",
                ),
                false => Error::invalid("/playerId", "must be on the roster"),
            });
        }
        Ok(Error::TooManyAtBats)
    }
}

/// Refuses a game that has changed since the caller has seen it.
fn at_revision(book: Book, revision: u64) -> Result<Book, Error> {
    match book.game.revision == revision {
        true => Ok(book),
        false => Err(Error::game_moved_on(book.game.into())),
    }
}

/// By how much the numbers of the players' at-bats change.
fn at_bats_by_player<'b>(before: &'b Book, after: &'b Book) -> BTreeMap<&'b PlayerId, i64> {
    let mut changes = BTreeMap::new();
    for (book, step) in [(before, -1), (after, 1)] {
        for at_bat in &book.at_bats {
            *changes.entry(&at_bat.player_id).or_default() += step;
        }
    }
    changes.retain(|_, change| *change != 0);
    changes
}

/// Writes everything of a game that can change, if it still has this revision.
fn written(game: &Game, revision: u64) -> singlet::operation::Update<Game> {
    update(Game::key(&game.game_id))
        .set(Game::STATUS, game.status)
        .set(Game::SCHEDULED_START, game.scheduled_start)
        .set(Game::OPPONENT_NAME, game.opponent_name.clone())
        .set(Game::LOCATION, game.location.clone())
        .set(Game::SEASON_ID, game.season_id.clone())
        .set(Game::TEAM_SCORE, game.team_score)
        .set(Game::OPPONENT_SCORE, game.opponent_score)
        .set(Game::LINEUP, &game.lineup)
        .set(Game::HOME_AWAY, game.home_away)
        .set(Game::REGULATION_INNINGS, game.regulation_innings)
        .set(Game::REVISION, game.revision)
        .set(Game::LAST_EVENT, game.last_event.clone())
        .set(Game::AT_BAT_COUNT, game.at_bat_count)
        .set(Game::STATE, game.state.clone())
        .set(Game::TEAM_RUNS, game.team_runs.clone())
        .set(Game::OPPONENT_RUNS, game.opponent_runs.clone())
        .set(Game::ENDED_EARLY, game.ended_early.clone())
        .set(Game::HAND_SCORE, game.hand_score)
        .set(Game::PLACED, game.placed.clone())
        .set(Game::STARTED_AT, game.started_at)
        .set(Game::FINISHED_AT, game.finished_at)
        .only_if(Game::REVISION.eq(revision))
}
