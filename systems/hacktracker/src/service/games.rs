//! Games: schedule, changes, lineups, status, and the score by hand.

use super::{Service, TeamAccess};
use crate::design::{
    AtBat, AtBatId, Book, EventKind, Game, GameId, GameStatus, LastEvent, Player, PlayerId,
    PlayerStatus, Role, Team, TeamId,
};
use crate::error::{Error, Result};
use crate::input::{GameChange, NewGame, NewLineup, NewScore, StatusChange};
use crate::limits::{GAMES_MAX, PLAYER_AT_BATS_MAX};
use crate::rules::scoring::{self, Rescored};
use crate::rules::status::{self, Verb};
use crate::rules::{lineup, summary};
use crate::view::{GameDetail, GameView, ScoringView};
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use std::collections::BTreeMap;

impl Service {
    pub async fn create_game(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &NewGame,
    ) -> Result<GameView> {
        self.member(caller, team_id, Role::Manager).await?;
        let now = self.db.now();
        let game = Game {
            game_id: self.random.id(now)?,
            team_id: team_id.clone(),
            status: GameStatus::Scheduled,
            scheduled_start: new.scheduled_start.map(Timestamp::from),
            opponent_name: new.opponent_name.clone().map(String::from),
            location: new.location.clone().map(String::from),
            season_id: new.season_id.clone().map(String::from),
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
        let mut transaction = self.transaction(now);
        transaction.push(create(&game));
        transaction.push(
            update(Team::key(team_id))
                .add(Team::GAME_COUNT, 1)
                .only_if(Team::GAME_COUNT.lt(GAMES_MAX))
                .or(Error::TooManyGames),
        );
        transaction.run().await?;
        Ok(game.into())
    }

    /// GSI3 has games in the order of creation, and so have pages. A page is sorted by date, games
    /// without one last: a team with up to 100 games has its schedule on one page.
    pub async fn schedule(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        season: Option<&str>,
        paging: &Paging<100, 100>,
    ) -> Result<Page<GameView>> {
        self.member(caller, team_id, Role::Player).await?;
        let mut games = Game::of_team(team_id).limit(paging.limit());
        if let Some(season) = season {
            games = games.filter(Game::SEASON_ID.eq(Some(season.to_owned())));
        }
        let mut page = self.db.query(games).page(paging.cursor()?).await?;
        page.items.sort_by_key(|game| (game.scheduled_start.is_none(), game.scheduled_start));
        Ok(Page::from(page).map(GameView::from))
    }

    pub async fn game(&self, caller: &Caller, game_id: &GameId) -> Result<GameDetail> {
        let (_, book) = self.book(caller, game_id, Role::Player).await?;
        self.detail_of(book).await
    }

    /// The same for the live feed, whose subscribers were checked before.
    pub(crate) async fn game_detail(&self, game_id: &GameId) -> Result<GameDetail> {
        self.detail_of(self.read_book(game_id).await?).await
    }

    async fn detail_of(&self, book: Book) -> Result<GameDetail> {
        let players = self.roster(&book.game.team_id).await?;
        Ok(GameDetail::new(book, players))
    }

    pub async fn at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        at_bat_id: &AtBatId,
    ) -> Result<AtBat> {
        self.game_member(caller, game_id, Role::Player).await?;
        let at_bat = self.db.get(AtBat::key(game_id, at_bat_id).consistent()).await?;
        at_bat.ok_or(Error::AtBatNotFound)
    }

    pub async fn change_game(
        &self,
        caller: &Caller,
        game_id: &GameId,
        change: &GameChange,
    ) -> Result<GameView> {
        let (access, book) = self.book(caller, game_id, Role::Manager).await?;
        let book = at_revision(book, change.revision)?;
        let mut game = book.game.clone();
        game.opponent_name =
            change.opponent_name.clone().map(String::from).apply(game.opponent_name);
        game.location = change.location.clone().map(String::from).apply(game.location);
        game.season_id = change.season_id.clone().map(String::from).apply(game.season_id);
        game.scheduled_start =
            change.scheduled_start.clone().map(Timestamp::from).apply(game.scheduled_start);
        game.regulation_innings = change.regulation_innings.clone().apply(game.regulation_innings);
        game.home_away = change.home_away.clone().apply(game.home_away);
        let has_begun = game.state.is_some()
            || matches!(game.status, GameStatus::InProgress | GameStatus::Final);
        if has_begun && game.home_away != book.game.home_away {
            return Err(Error::WrongStatus);
        }
        let after = Rescored::game(&book, game, None);
        Ok(self.commit(&access, &book, after, EventKind::GameChanged).await?.game)
    }

    pub async fn delete_game(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: Option<u64>,
    ) -> Result<()> {
        let work = async |_: &Db<_>| {
            let (_, book) = self.book(caller, game_id, Role::Manager).await?;
            let game = book.game;
            if revision.is_some_and(|revision| revision != game.revision) {
                return Err(Error::game_moved_on(game));
            }
            if game.at_bat_count > 0 {
                return Err(Error::GameHasAtBats);
            }
            let mut transaction = self.transaction(self.db.now());
            // Every at-bat counts the revision up.
            let is_as_read = Game::REVISION.eq(game.revision);
            transaction.push(delete(Game::key(game_id)).only_if(is_as_read));
            let counted = update(Team::key(&game.team_id)).add(Team::GAME_COUNT, -1);
            transaction.push(counted.or(Error::TeamNotFound));
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    pub async fn set_lineup(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewLineup,
    ) -> Result<ScoringView> {
        let work = async |_: &Db<_>| {
            let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
            let roster = self.roster(&book.game.team_id).await?;
            let game = lineup::replace(&book.game, new.lineup.clone(), &roster)?;
            let after = Rescored::game(&book, game, None);
            self.commit(&access, &book, after, EventKind::LineupChanged).await
        };
        self.db.attempt(work).await
    }

    pub async fn change_status(
        &self,
        caller: &Caller,
        game_id: &GameId,
        verb: Verb,
        change: &StatusChange,
    ) -> Result<ScoringView> {
        let work = async |_: &Db<_>| {
            let (access, book) = self.book_at(caller, game_id, change.revision).await?;
            let roster = match access.is_personal() {
                true => None,
                false => Some(self.roster(&book.game.team_id).await?),
            };
            let (roster, start) = (roster.as_deref(), change.scheduled_start.map(Timestamp::from));
            let game = status::apply(&book.game, verb, roster, start, self.db.now())?;
            self.commit(&access, &book, Rescored::game(&book, game, None), verb.event()).await
        };
        self.db.attempt(work).await
    }

    pub async fn set_score(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewScore,
    ) -> Result<ScoringView> {
        let (access, book) = self.book_at(caller, game_id, new.revision).await?;
        let is_personal = access.is_personal();
        let game = scoring::set_score(&book.game, is_personal, new.team_score, new.opponent_score)?;
        let after = Rescored::game(&book, game, None);
        self.commit(&access, &book, after, EventKind::GameChanged).await
    }

    /// A game at the revision that the scorer has seen.
    pub(super) async fn book_at(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: u64,
    ) -> Result<(TeamAccess, Book)> {
        let (access, book) = self.book(caller, game_id, Role::Scorekeeper).await?;
        Ok((access, at_revision(book, revision)?))
    }

    /// The same of a MANAGED team.
    pub(super) async fn managed_book_at(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: u64,
    ) -> Result<(TeamAccess, Book)> {
        let (access, book) = self.book_at(caller, game_id, revision).await?;
        access.require_managed()?;
        Ok((access, book))
    }

    /// Writes a game and the at-bats that changed, in one transaction, if the game still has the
    /// revision that it was read with.
    pub(super) async fn commit(
        &self,
        access: &TeamAccess,
        before: &Book,
        after: Rescored,
        kind: EventKind,
    ) -> Result<ScoringView> {
        let Rescored { book: mut after, inning, at_bat } = after;
        let now = self.db.now();
        let mut transaction = self.db.transaction().at(now).or(|| Error::GameMovedOn);
        let mut changed = Vec::new();
        for at_bat in after.at_bats.iter_mut().filter(|one| !before.at_bats.contains(one)) {
            at_bat.updated_at = now;
            changed.push(at_bat.clone());
        }
        transaction.replace(&before.at_bats, &after.at_bats);
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
        let subject = changed.iter().position(|one| Some(&one.at_bat_id) == at_bat.as_ref());
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
        transaction.push(put(&*game).only_if(Game::REVISION.eq(before.game.revision)));
        match transaction.run().await {
            Err(Error::GameMovedOn) => {
                let present = self.read_book(&before.game.game_id).await?;
                return Err(Error::game_moved_on(present.game));
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
    async fn why_not_counted(&self, before: &Book, after: &Book) -> Result<Error> {
        for (player_id, change) in at_bats_by_player(before, after) {
            let key = Player::key(&before.game.team_id, player_id).consistent();
            if change <= 0 || self.db.get(key).await?.is_some() {
                continue;
            }
            // Whoever is up by the lineup was not named in the request.
            return Ok(match after.game.lineup.contains(player_id) {
                true => Error::LineupInvalid.because(
                    "A player of the lineup is no longer on the roster. Change the lineup.",
                ),
                false => Error::invalid("/playerId", "must be on the roster"),
            });
        }
        Ok(Error::TooManyAtBats)
    }
}

fn at_revision(book: Book, revision: u64) -> Result<Book> {
    match book.game.revision == revision {
        true => Ok(book),
        false => Err(Error::game_moved_on(book.game)),
    }
}

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
