//! Players of the squash club. The account's profile names the player, so an account has at most
//! one.

use super::{ListPaging, Service};
use crate::design::{Fus, PlayerId, Profile, SquashPlayer, UserId};
use crate::error::{Error, Result};
use crate::rules::Squash;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet_web::prelude::*;
use singlet_web::problem::changed_meanwhile;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewPlayer {
    /// 1 to 60 characters.
    pub name: Name<60>,
    /// Visible to managers of the club only.
    pub email: Option<Email>,
    /// An account that has signed in and belongs to no other player.
    pub user_id: Option<UserId>,
}

/// An optional e-mail address: text on both sides of a single @. Delivery is not checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct Email(#[schemars(length(max = 254))] pub String);

impl TryFrom<String> for Email {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.trim();
        let is_plain = !text.chars().any(|one| one.is_whitespace() || one.is_control());
        let has_sides = text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !host.contains('@')
        });
        match text.is_empty() || (is_plain && has_sides) {
            true => Ok(Self(text.to_owned())),
            false => Err("must be an e-mail address"),
        }
    }
}

impl Service {
    /// 19: adds a player.
    pub async fn create_player(&self, caller: &Caller, new: &NewPlayer) -> Result<SquashPlayer> {
        self.squash(caller, Squash::Write).await?;
        self.db.attempt(|_| self.write_player(None, new)).await
    }

    /// 19: changes a player.
    pub async fn update_player(
        &self,
        caller: &Caller,
        id: &PlayerId,
        version: u64,
        new: &NewPlayer,
    ) -> Result<SquashPlayer> {
        self.squash(caller, Squash::Write).await?;
        self.db
            .attempt(async |_| {
                let old = self.stored_player(id).await?;
                if old.version != version {
                    return Err(changed_meanwhile(version, old.version).into());
                }
                self.write_player(Some(old), new).await
            })
            .await
    }

    async fn write_player(
        &self,
        old: Option<SquashPlayer>,
        new: &NewPlayer,
    ) -> Result<SquashPlayer> {
        let email = new.email.as_ref().filter(|Email(email)| !email.is_empty());
        let now = self.db.now();
        let (before, is_new) = (old.as_ref().and_then(|old| old.user_id.clone()), old.is_none());
        let (id, match_count, version, created_at) = match old {
            None => (self.random.id(now)?, 0, 0, now),
            Some(old) => (old.id, old.match_count, old.version, old.created_at),
        };
        let player = SquashPlayer {
            id,
            name: new.name.as_str().to_owned(),
            email: email.map(|Email(email)| email.clone()),
            user_id: new.user_id.clone(),
            match_count,
            version: version + 1,
            created_at,
            updated_at: now,
        };
        let mut transaction = self.db.transaction::<Error>();
        if is_new {
            transaction.push(create(&player).or(Error::changed()));
        } else {
            // An update, not a put: matches increment a counter in the same item.
            let changed = update(SquashPlayer::key(&player.id))
                .set(SquashPlayer::NAME, &player.name)
                .set(SquashPlayer::EMAIL, player.email.clone())
                .set(SquashPlayer::USER_ID, player.user_id.clone())
                .set(SquashPlayer::VERSION, player.version)
                .set(SquashPlayer::UPDATED_AT, now)
                .only_if(SquashPlayer::VERSION.eq(version));
            transaction.push(changed.or(Error::changed()));
        }
        self.link(&mut transaction, &player.id, before.as_ref(), player.user_id.as_ref()).await?;
        transaction.run().await?;
        Ok(player)
    }

    /// 20: deletes a player without matches. A concurrent new match has either counted the player
    /// first or fails.
    pub async fn delete_player(&self, caller: &Caller, id: &PlayerId) -> Result<()> {
        self.squash(caller, Squash::Write).await?;
        self.db
            .attempt(async |_| {
                let player = self.stored_player(id).await?;
                if player.match_count > 0 {
                    return Err(Error::PlayerInMatches);
                }
                let unused =
                    SquashPlayer::MATCH_COUNT.eq(0).and(SquashPlayer::VERSION.eq(player.version));
                let gone = delete(SquashPlayer::key(id)).only_if(unused);
                let mut transaction = self.db.transaction::<Error>();
                transaction.push(gone.or(Error::changed()));
                self.link(&mut transaction, id, player.user_id.as_ref(), None).await?;
                transaction.run().await
            })
            .await
    }

    /// Points the profile of `after`'s account at the player and clears the link of the previous
    /// account.
    async fn link(
        &self,
        transaction: &mut Transaction<'_, Fus, Error>,
        id: &PlayerId,
        before: Option<&UserId>,
        after: Option<&UserId>,
    ) -> Result<()> {
        if let Some(user) = before.filter(|_| before != after) {
            let profile = self.db.get(Profile::key(user).consistent()).await?;
            if profile.is_some_and(|profile| profile.player_id.as_ref() == Some(id)) {
                let free = update(Profile::key(user)).remove(Profile::PLAYER_ID);
                transaction.push(free.only_if(Profile::PLAYER_ID.eq(id)).or(Error::changed()));
            }
        }
        if let Some(user) = after {
            let profile = self.db.get(Profile::key(user).consistent()).await?;
            let unknown = || Error::invalid("/userId", "must be somebody who has signed in here");
            match profile.ok_or_else(unknown)?.player_id {
                Some(named) if named == *id => {}
                Some(_) => return Err(Error::AccountTaken),
                None => {
                    let taken = update(Profile::key(user)).set(Profile::PLAYER_ID, id);
                    let is_free = Profile::PLAYER_ID.missing();
                    transaction.push(taken.only_if(is_free).or(Error::changed()));
                }
            }
        }
        Ok(())
    }

    async fn stored_player(&self, id: &PlayerId) -> Result<SquashPlayer> {
        let player = self.db.get(SquashPlayer::key(id).consistent()).await?;
        player.ok_or(Error::PlayerNotFound)
    }

    /// R11: all players, in the order in which they were added. E-mail addresses are for managers.
    pub async fn players(
        &self,
        caller: &Caller,
        paging: &ListPaging,
    ) -> Result<Page<SquashPlayer>> {
        let rights = self.squash(caller, Squash::Read).await?;
        let all = SquashPlayer::all().limit(paging.limit());
        let page = self.db.query(all).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(|player| seen_with(rights.squash, player)))
    }

    /// R11: a player.
    pub async fn player(&self, caller: &Caller, id: &PlayerId) -> Result<SquashPlayer> {
        let rights = self.squash(caller, Squash::Read).await?;
        Ok(seen_with(rights.squash, self.stored_player(id).await?))
    }
}

fn seen_with(right: Squash, player: SquashPlayer) -> SquashPlayer {
    let email = player.email.filter(|_| right == Squash::Write);
    SquashPlayer { email, ..player }
}
