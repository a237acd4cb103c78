//! Players of a league.

use super::changes::Changes;
use super::input::{NewPlayer, PlayerChange};
use super::{ADMIN, Need, SCOREKEEPER, Service};
use crate::design::{LeagueId, LeaguePlayer, PLAYERS_MAX, Player, PlayerId};
use crate::error::{Error, Result};
use singlet_web::identity::Caller;

impl Service {
    /// 28: createPlayer. Scorekeepers too: new people come to the pitch.
    pub async fn create_player(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewPlayer,
    ) -> Result<Player> {
        let player_id: PlayerId = self.chosen_or_new(new.player_id.as_ref())?;
        self.attempt(async |_| {
            let mut league = self.league_for(Some(caller), league_id, SCOREKEEPER).await?.league;
            if league.players >= PLAYERS_MAX {
                return Err(Error::limit(PLAYERS_MAX, "players in a league"));
            }
            league.players += 1;
            let now = self.db.now();
            let player = Player {
                player_id: player_id.clone(),
                league_id: league_id.clone(),
                nickname: new.nickname.clone().into(),
                number: new.number,
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
        })
        .await
    }

    /// 28: listPlayers, by id.
    pub async fn players(
        &self,
        caller: Option<&Caller>,
        league_id: &LeagueId,
    ) -> Result<Vec<LeaguePlayer>> {
        self.league_for(caller, league_id, Need::Read).await?;
        Ok(self.db.query(LeaguePlayer::of_league(league_id).consistent()).all().await?)
    }

    /// 29: getPlayer.
    pub async fn player(&self, caller: Option<&Caller>, id: &PlayerId) -> Result<Player> {
        self.player_for(caller, id, Need::Read).await
    }

    /// 29: updatePlayer.
    pub async fn update_player(
        &self,
        caller: &Caller,
        id: &PlayerId,
        change: &PlayerChange,
    ) -> Result<Player> {
        self.attempt(async |_| {
            let before = self.player_for(Some(caller), id, ADMIN).await?;
            let mut player = before.clone();
            if let Some(nickname) = &change.nickname {
                player.nickname = nickname.clone().into();
            }
            player.number = change.number.clone().apply(player.number);
            player.archived = change.archived.unwrap_or(player.archived);
            if player != before {
                let mut changes = Changes::new(&self.db);
                changes.rewrite_both(&player, &LeaguePlayer::from(player.clone()));
                changes.run().await?;
            }
            Ok(player)
        })
        .await
    }
}
