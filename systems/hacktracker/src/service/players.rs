//! Players: the roster, numbers, and who is linked to a user.

use super::invites::linked;
use super::teams::number_of;
use super::words::{NAME, line, optional_line, positions};
use super::{Service, TeamAccess};
use crate::design::{
    MemberStatus, Membership, Player, PlayerId, PlayerNumber, PlayerStatus, Role, TeamId, UserId,
};
use crate::error::Error;
use crate::input::{NewPlayer, PlayerChange};
use crate::view::List;
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use std::collections::BTreeSet;

/// How many players a roster has at most. Two additions at once may exceed it.
const ROSTER_MAX: usize = 100;

impl Service {
    /// 14: the roster.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers.
    pub async fn players(&self, caller: &Caller, team_id: &TeamId) -> Result<List<Player>, Error> {
        self.member(caller, team_id, Role::Player).await?;
        Ok(List { items: self.roster(team_id).await? })
    }

    /// 14: one player.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`] if it is not on the roster.
    pub async fn player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<Player, Error> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await
    }

    pub(super) async fn find_player(
        &self,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<Player, Error> {
        let player = self.db.get(Player::key(team_id, player_id).consistent()).await?;
        player.ok_or(Error::PlayerNotFound)
    }

    /// 15: adds up to 25 ghosts, all or none.
    ///
    /// # Errors
    ///
    /// [`Error::NumberTaken`] with the number, [`Error::RosterFull`].
    pub async fn add_players(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &[NewPlayer],
    ) -> Result<List<Player>, Error> {
        let access = self.member(caller, team_id, Role::Manager).await?;
        access.require_managed()?;
        let now = self.db.now();
        let mut players = Vec::with_capacity(new.len());
        let mut numbers = BTreeSet::new();
        for (index, new) in new.iter().enumerate() {
            let player = self.new_player(team_id, index, new, now)?;
            if let Some(number) = player.player_number.filter(|number| !numbers.insert(*number)) {
                return Err(Error::number_taken(number));
            }
            players.push(player);
        }
        let count = self.db.query(Player::roster(team_id).consistent()).count().await?;
        if count + players.len() > ROSTER_MAX {
            return Err(Error::RosterFull);
        }
        let mut transaction = self.db.transaction::<Error>().at(now);
        for player in &players {
            if let Some(number) = number_of(player, now) {
                transaction.push(create(&number).or(Error::number_taken(number.player_number)));
            }
            transaction.push(create(player).or(Error::changed()));
        }
        transaction.run().await?;
        Ok(List { items: players })
    }

    fn new_player(
        &self,
        team_id: &TeamId,
        index: usize,
        new: &NewPlayer,
        now: Timestamp,
    ) -> Result<Player, Error> {
        let field = |name: &str| format!("/players/{index}/{name}");
        Ok(Player {
            player_id: self.random.id(now)?,
            team_id: team_id.clone(),
            first_name: line(&field("firstName"), &new.first_name, NAME)?,
            last_name: optional_line(&field("lastName"), new.last_name.as_deref(), NAME)?,
            player_number: new.player_number,
            positions: positions(&field("positions"), new.positions.clone())?,
            status: new.status.unwrap_or(PlayerStatus::Active),
            is_ghost: true,
            user_id: None,
            linked_at: None,
            batted: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// 16: changes a player. The linked user may change names and positions.
    ///
    /// # Errors
    ///
    /// [`Error::NumberTaken`] if somebody else has the number.
    pub async fn change_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        change: &PlayerChange,
    ) -> Result<Player, Error> {
        let work = async |_: &Db<_>| {
            let access = self.access(caller, team_id, Error::TeamNotFound).await?;
            let before = self.db.get(Player::key(team_id, player_id).consistent()).await?;
            let is_own = before
                .as_ref()
                .is_some_and(|before| before.user_id.as_ref() == Some(&access.user_id));
            let is_small = !change.player_number.is_given() && change.status.is_none();
            let allowed = access.role() >= Role::Manager || (is_own && is_small);
            access.require_if(caller, allowed, "an owner or a manager")?;
            let before = before.ok_or(Error::PlayerNotFound)?;
            let after = changed(&before, change)?;
            self.write_player(&before, &after).await
        };
        self.db.attempt(work).await
    }

    async fn write_player(&self, before: &Player, after: &Player) -> Result<Player, Error> {
        let (team_id, player_id) = (&before.team_id, &before.player_id);
        let now = self.db.now();
        let mut transaction = self.db.transaction::<Error>().at(now);
        if before.player_number != after.player_number {
            if let Some(number) = before.player_number {
                transaction.push(
                    delete(PlayerNumber::key(team_id, number))
                        .only_if(PlayerNumber::PLAYER_ID.eq(player_id))
                        .or(Error::changed()),
                );
            }
            if let Some(number) = number_of(after, now) {
                transaction.push(create(&number).or(Error::number_taken(number.player_number)));
            }
        }
        transaction.push(
            update(Player::key(team_id, player_id))
                .set(Player::FIRST_NAME, &after.first_name)
                .set(Player::LAST_NAME, after.last_name.clone())
                .set(Player::PLAYER_NUMBER, after.player_number)
                .set(Player::POSITIONS, &after.positions)
                .set(Player::STATUS, after.status)
                .only_if(Player::PLAYER_NUMBER.eq(before.player_number))
                .or(Error::changed()),
        );
        transaction.run().await?;
        self.find_player(team_id, player_id).await
    }

    /// 17: removes a ghost who has never batted.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerLinked`], [`Error::PlayerHasAtBats`].
    pub async fn remove_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<(), Error> {
        let work = async |_: &Db<_>| {
            let access = self.member(caller, team_id, Role::Manager).await?;
            access.require_managed()?;
            let key = Player::key(team_id, player_id);
            let Some(player) = self.db.get(key.clone().consistent()).await? else { return Ok(()) };
            if !player.is_ghost {
                return Err(Error::PlayerLinked);
            }
            if player.batted == Some(true) {
                return Err(Error::PlayerHasAtBats);
            }
            let is_as_read = Player::IS_GHOST
                .eq(true)
                .and(Player::BATTED.missing())
                .and(Player::PLAYER_NUMBER.eq(player.player_number));
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(delete(key).only_if(is_as_read).or(Error::changed()));
            if let Some(number) = player.player_number {
                transaction.push(
                    delete(PlayerNumber::key(team_id, number))
                        .only_if(PlayerNumber::PLAYER_ID.eq(player_id))
                        .or(Error::changed()),
                );
            }
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    /// 18: links a ghost to an active member who has no player here.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerLinked`], [`Error::MemberLinked`], [`Error::MemberNotFound`].
    pub async fn link_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        user_id: &UserId,
    ) -> Result<Player, Error> {
        let work = async |_: &Db<_>| {
            let access = self.member(caller, team_id, Role::Manager).await?;
            access.require_managed()?;
            let player = self.find_player(team_id, player_id).await?;
            if player.user_id.as_ref() == Some(user_id) {
                return Ok(player);
            }
            if !player.is_ghost {
                return Err(Error::PlayerLinked);
            }
            let membership = self.membership(user_id, team_id).await?;
            let membership = membership.ok_or(Error::MemberNotFound)?;
            if membership.player_id.is_some() {
                return Err(Error::MemberLinked);
            }
            if membership.status == MemberStatus::Inactive {
                return Err(Error::invalid("/userId", "must be an active member"));
            }
            let now = self.db.now();
            let is_free =
                Membership::STATUS.eq(MemberStatus::Active).and(Membership::PLAYER_ID.missing());
            let mut transaction = self.db.transaction::<Error>().at(now);
            transaction.push(linked(team_id, player_id, user_id, now).or(Error::changed()));
            transaction.push(
                update(Membership::key(user_id, team_id))
                    .set(Membership::PLAYER_ID, player_id)
                    .only_if(is_free)
                    .or(Error::changed()),
            );
            transaction.run().await?;
            self.find_player(team_id, player_id).await
        };
        self.db.attempt(work).await
    }

    /// 18: takes the link off again: the player is a ghost, and keeps its at-bats. The linked user
    /// may do it, also after leaving the team.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers who are not linked.
    pub async fn unlink_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<(), Error> {
        let work = async |_: &Db<_>| {
            let caller_id: UserId = caller.id()?;
            let player = self.db.get(Player::key(team_id, player_id).consistent()).await?;
            let user_id = player.as_ref().and_then(|player| player.user_id.clone());
            self.check_unlink(caller, team_id, user_id.as_ref() == Some(&caller_id)).await?;
            let Some(user_id) = user_id else { return Ok(()) };
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(
                update(Player::key(team_id, player_id))
                    .set(Player::IS_GHOST, true)
                    .set(Player::USER_ID, None)
                    .remove(Player::LINKED_AT)
                    .only_if(Player::USER_ID.eq(&user_id))
                    .or(Error::changed()),
            );
            let membership = self.membership(&user_id, team_id).await?;
            if membership.is_some_and(|one| one.player_id.as_ref() == Some(player_id)) {
                transaction.push(
                    update(Membership::key(&user_id, team_id))
                        .remove(Membership::PLAYER_ID)
                        .only_if(Membership::PLAYER_ID.eq(player_id))
                        .or(Error::changed()),
                );
            }
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    async fn check_unlink(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        is_own: bool,
    ) -> Result<(), Error> {
        let access: Result<TeamAccess, Error> =
            self.access(caller, team_id, Error::TeamNotFound).await;
        match access {
            // Inactive members, too.
            Ok(access) if is_own => {
                access.require_not_deleted()?;
                access.require_managed()
            }
            Ok(access) => {
                access.require(caller, Role::Manager)?;
                access.require_managed()
            }
            Err(Error::TeamNotFound) if is_own => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The player after a change.
fn changed(before: &Player, change: &PlayerChange) -> Result<Player, Error> {
    let mut after = before.clone();
    if let Some(name) = &change.first_name {
        after.first_name = line("/firstName", name, NAME)?;
    }
    after.last_name = match &change.last_name {
        Change::Keep => after.last_name,
        Change::Remove => None,
        Change::Set(name) => Some(line("/lastName", name, NAME)?),
    };
    after.player_number = change.player_number.clone().apply(after.player_number);
    if after.player_number.is_some_and(|number| number > 99) {
        return Err(Error::invalid("/playerNumber", "must be 0 to 99"));
    }
    if let Some(own) = &change.positions {
        after.positions = positions("/positions", own.clone())?;
    }
    after.status = change.status.unwrap_or(after.status);
    Ok(after)
}
