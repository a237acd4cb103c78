//! Players of the squash club.

use super::{Service, parse_user, player_id, texts};
use crate::design::{PlayerId, SquashPlayer, UserId};
use crate::error::Error;
use crate::rules::Squash;
use crate::view::PlayerView;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::changed_meanwhile;

/// How many characters an e-mail address has at most.
const EMAIL_LEN_MAX: usize = 254;

/// A player as a manager of the club writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPlayer {
    /// What they are called.
    pub name: String,
    /// Their e-mail address, for managers.
    pub email: Option<String>,
    /// Their account.
    pub user_id: Option<String>,
}

struct ValidPlayer {
    name: String,
    email: Option<String>,
    user_id: Option<UserId>,
}

impl NewPlayer {
    fn check(&self) -> Result<ValidPlayer, Error> {
        let given = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let email = given(&self.email);
        if email.as_deref().is_some_and(|email| !is_email(email)) {
            return Err(Error::invalid("/email", "must be an e-mail address"));
        }
        let user_id = given(&self.user_id).map(|text| {
            parse_user(&text).ok_or_else(|| Error::invalid("/userId", "must be the id of a user"))
        });
        let name = texts::name("/name", &self.name, 60)?;
        Ok(ValidPlayer { name, email, user_id: user_id.transpose()? })
    }
}

/// Something on both sides of one @. Whether mail arrives is not known without sending some.
fn is_email(text: &str) -> bool {
    let is_plain =
        !text.chars().any(|character| character.is_whitespace() || character.is_control());
    let has_sides = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    is_plain && has_sides && text.chars().count() <= EMAIL_LEN_MAX
}

impl Service {
    /// 19: adds a player.
    ///
    /// # Errors
    ///
    /// If the caller does not manage the club.
    pub async fn create_player(
        &self,
        caller: &Caller,
        new: &NewPlayer,
    ) -> Result<PlayerView, Error> {
        self.squash(caller, Squash::Write).await?;
        let ValidPlayer { name, email, user_id } = new.check()?;
        let now = self.db.now();
        let player = SquashPlayer {
            id: self.random.id(now)?,
            name,
            email,
            user_id,
            match_count: 0,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        self.db.run(create(&player)).await?;
        Ok(PlayerView::new(player, true))
    }

    /// 19: changes a player.
    ///
    /// # Errors
    ///
    /// If the caller does not manage the club, or the version is an older one.
    pub async fn update_player(
        &self,
        caller: &Caller,
        id: &str,
        version: u64,
        new: &NewPlayer,
    ) -> Result<PlayerView, Error> {
        self.squash(caller, Squash::Write).await?;
        let (id, new) = (player_id(id)?, new.check()?);
        let changed = update(SquashPlayer::key(&id))
            .set(SquashPlayer::NAME, new.name)
            .set(SquashPlayer::EMAIL, new.email)
            .set(SquashPlayer::USER_ID, new.user_id)
            .set(SquashPlayer::VERSION, version.saturating_add(1))
            .set(SquashPlayer::UPDATED_AT, self.db.now())
            .only_if(SquashPlayer::VERSION.eq(version));
        match self.db.run(changed.returning_new()).await {
            Err(singlet::Error::ConditionFailed { .. }) => {
                let stored = self.stored_player(&id).await?.version;
                Err(changed_meanwhile(version, stored).into())
            }
            other => Ok(PlayerView::new(other?, true)),
        }
    }

    /// 20: deletes a player whom no match names. A match that is being entered has either counted
    /// them first, or finds no player.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerInMatches`] if matches name them.
    pub async fn delete_player(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        self.squash(caller, Squash::Write).await?;
        let id = player_id(id)?;
        let unused = delete(SquashPlayer::key(&id)).only_if(SquashPlayer::MATCH_COUNT.eq(0));
        match self.db.run(unused).await {
            Err(singlet::Error::ConditionFailed { .. }) => {
                self.stored_player(&id).await?;
                Err(Error::PlayerInMatches)
            }
            other => Ok(other?),
        }
    }

    async fn stored_player(&self, id: &PlayerId) -> Result<SquashPlayer, Error> {
        let player = self.db.get(SquashPlayer::key(id).consistent()).await?;
        player.ok_or(Error::PlayerNotFound)
    }

    /// R11: all players, in the order in which they were added. E-mail addresses are for managers.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club.
    pub async fn players<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        paging: &Paging<D, M>,
    ) -> Result<Page<PlayerView>, Error> {
        let rights = self.squash(caller, Squash::Read).await?;
        let all = SquashPlayer::all().limit(paging.limit());
        let page = self.db.query(all).page(paging.cursor()?).await?;
        let with_email = rights.squash == Squash::Write;
        Ok(Page::from(page).map(|player| PlayerView::new(player, with_email)))
    }

    /// R11: a player.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club, or there is no such player.
    pub async fn player(&self, caller: &Caller, id: &str) -> Result<PlayerView, Error> {
        let rights = self.squash(caller, Squash::Read).await?;
        let player = self.stored_player(&player_id(id)?).await?;
        Ok(PlayerView::new(player, rights.squash == Squash::Write))
    }
}
