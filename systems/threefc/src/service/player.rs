//! Players of a league.

use super::changes::Changes;
use super::input::{NewPlayer, PlayerChange};
use super::{ATTEMPTS_MAX, Service};
use crate::design::{LeagueId, LeaguePlayer, PLAYERS_MAX, Player, PlayerId, Role};
use crate::error::Error;
use crate::text::parse_text;
use singlet_web::identity::Caller;

/// How many bytes a nickname has at most.
const NICKNAME_BYTES_MAX: usize = 96;

impl Service {
    /// 28: createPlayer. Scorekeepers too: somebody new comes to the pitch.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::LimitReached`].
    pub async fn create_player(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewPlayer,
    ) -> Result<Player, Error> {
        let id: PlayerId = self.chosen_or_new("/playerId", new.player_id.as_deref())?;
        let work = |_| self.try_create_player(caller, league_id, &id, new);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_create_player(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        player_id: &PlayerId,
        new: &NewPlayer,
    ) -> Result<Player, Error> {
        let scope = self.league_scope(league_id, caller, Role::Scorekeeper).await?;
        let mut league = scope.league;
        if league.players >= PLAYERS_MAX {
            return Err(Error::limit(PLAYERS_MAX, "players in a league"));
        }
        league.players += 1;
        let now = self.db.now();
        let player = Player {
            player_id: player_id.clone(),
            league_id: league_id.clone(),
            nickname: parse_nickname(&new.nickname)?,
            number: new.number.map(parse_number).transpose()?,
            archived: false,
            created_at: now,
            updated_at: now,
        };
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&league);
        changes.create(&player, Error::IdTaken);
        changes.create(&LeaguePlayer::from(player.clone()), Error::IdTaken);
        changes.run().await?;
        Ok(player)
    }

    /// 28: listPlayers, by id.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`].
    pub async fn players(
        &self,
        caller: Option<&Caller>,
        league_id: &LeagueId,
    ) -> Result<Vec<Player>, Error> {
        let scope = self.scope(league_id, caller, || Error::LeagueNotFound).await?;
        scope.require_reader()?;
        let players = self.db.query(LeaguePlayer::of_league(league_id).consistent()).all().await?;
        Ok(players.into_iter().map(Player::from).collect())
    }

    /// 29: getPlayer.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`].
    pub async fn player(&self, caller: Option<&Caller>, id: &PlayerId) -> Result<Player, Error> {
        let player = self.db.get(Player::key(id).consistent()).await?;
        let player = player.ok_or(Error::PlayerNotFound)?;
        let scope = self.scope(&player.league_id, caller, || Error::PlayerNotFound).await?;
        scope.require_reader()?;
        Ok(player)
    }

    /// 29: updatePlayer.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`].
    pub async fn update_player(
        &self,
        caller: &Caller,
        id: &PlayerId,
        change: &PlayerChange,
    ) -> Result<Player, Error> {
        self.db.attempt(|_| self.try_update_player(caller, id, change)).times(ATTEMPTS_MAX).await
    }

    async fn try_update_player(
        &self,
        caller: &Caller,
        id: &PlayerId,
        change: &PlayerChange,
    ) -> Result<Player, Error> {
        let before = self.db.get(Player::key(id).consistent()).await?;
        let before = before.ok_or(Error::PlayerNotFound)?;
        let scope = self.scope(&before.league_id, Some(caller), || Error::PlayerNotFound).await?;
        scope.require(Role::Admin)?;
        let mut player = before.clone();
        if let Some(nickname) = &change.nickname {
            player.nickname = parse_nickname(nickname)?;
        }
        player.number = change.number.clone().apply(player.number).map(parse_number).transpose()?;
        player.archived = change.archived.unwrap_or(player.archived);
        if player != before {
            let key = LeaguePlayer::key(&player.league_id, id);
            let listed = self.db.get(key.consistent()).await?.ok_or_else(Error::changed)?;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&player);
            changes.rewrite(&LeaguePlayer {
                created_at: listed.created_at,
                updated_at: listed.updated_at,
                ..LeaguePlayer::from(player.clone())
            });
            changes.run().await?;
        }
        Ok(player)
    }
}

/// A nickname: 24 characters, which may be of several bytes each. A game names every player in each of
/// their goals, and must not get larger than an answer can be.
fn parse_nickname(text: &str) -> Result<String, Error> {
    let nickname = parse_text("/nickname", text, 1..=24)?;
    match nickname.len() {
        0..=NICKNAME_BYTES_MAX => Ok(nickname),
        _ => Err(Error::invalid("/nickname", "must have fewer pictures or accents")),
    }
}

fn parse_number(number: u8) -> Result<u8, Error> {
    match number {
        0..=99 => Ok(number),
        _ => Err(Error::invalid("/number", "must be 0 to 99")),
    }
}
