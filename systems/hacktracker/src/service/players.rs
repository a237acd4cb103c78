//! Players: the roster, numbers, and who is linked to a user.

use super::invites::link_update;
use super::teams::number_of;
use super::text::{NAME, line, optional_line, positions};
use super::{Service, TeamAccess};
use crate::design::{
    MemberStatus, Membership, Player, PlayerId, PlayerNumber, PlayerStatus, Role, Team, TeamId,
    User, UserId,
};
use crate::error::Error;
use crate::input::{NewPlayer, PlayerChange};
use crate::limits::{LINKS_MAX, PLAYERS_MAX};
use crate::view::List;
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use std::collections::BTreeSet;

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
        let added = u32::try_from(players.len()).unwrap_or(u32::MAX);
        let room_before = PLAYERS_MAX.checked_sub(added).ok_or(Error::RosterFull)?;
        let mut transaction = self.db.transaction::<Error>().at(now);
        for player in &players {
            if let Some(number) = number_of(player, now) {
                transaction.push(create(&number).or(Error::number_taken(number.player_number)));
            }
            transaction.push(create(player).or(Error::changed()));
        }
        transaction.push(
            update(Team::key(team_id))
                .add(Team::PLAYER_COUNT, i64::from(added))
                .only_if(Team::PLAYER_COUNT.le(room_before))
                .or(Error::RosterFull),
        );
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
            at_bat_count: 0,
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
            let is_own_fields_only = !change.player_number.is_given() && change.status.is_none();
            let allowed = access.role() >= Role::Manager || (is_own && is_own_fields_only);
            access.require_if(caller, allowed, "an owner or a manager")?;
            let before = before.ok_or(Error::PlayerNotFound)?;
            let is_as_allowed = match access.role() >= Role::Manager {
                true => Condition::exists(),
                false => Player::USER_ID.eq(&access.user_id),
            };
            self.write_player(&before, change, is_as_allowed).await
        };
        self.db.attempt(work).await
    }

    /// Writes what was asked for and nothing else: somebody else may change the rest meanwhile.
    async fn write_player(
        &self,
        before: &Player,
        change: &PlayerChange,
        condition: Condition<Player>,
    ) -> Result<Player, Error> {
        let (team_id, player_id) = (&before.team_id, &before.player_id);
        let now = self.db.now();
        let mut transaction = self.db.transaction::<Error>().at(now);
        let mut changed = update(Player::key(team_id, player_id)).only_if(condition);
        if let Some(name) = &change.first_name {
            changed = changed.set(Player::FIRST_NAME, line("/firstName", name, NAME)?);
        }
        changed = match &change.last_name {
            Change::Keep => changed,
            Change::Remove => changed.remove(Player::LAST_NAME),
            Change::Set(name) => {
                changed.set(Player::LAST_NAME, Some(line("/lastName", name, NAME)?))
            }
        };
        if let Some(own) = &change.positions {
            changed = changed.set(Player::POSITIONS, positions("/positions", own.clone())?);
        }
        if let Some(status) = change.status {
            changed = changed.set(Player::STATUS, status);
        }
        let number = change.player_number.clone().apply(before.player_number);
        if number.is_some_and(|number| number > 99) {
            return Err(Error::invalid("/playerNumber", "must be 0 to 99"));
        }
        if number != before.player_number {
            changed = changed
                .set(Player::PLAYER_NUMBER, number)
                .only_if(Player::PLAYER_NUMBER.eq(before.player_number));
            if let Some(number) = before.player_number {
                transaction.push(
                    delete(PlayerNumber::key(team_id, number))
                        .only_if(PlayerNumber::PLAYER_ID.eq(player_id))
                        .or(Error::changed()),
                );
            }
            let after = Player { player_number: number, ..before.clone() };
            if let Some(number) = number_of(&after, now) {
                transaction.push(create(&number).or(Error::number_taken(number.player_number)));
            }
        }
        transaction.push(changed.or(Error::changed()));
        transaction.run().await?;
        self.find_player(team_id, player_id).await
    }

    /// 17: removes a ghost who has no at-bat.
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
            if player.at_bat_count > 0 {
                return Err(Error::PlayerHasAtBats);
            }
            let is_as_read = Player::IS_GHOST
                .eq(true)
                .and(Player::AT_BAT_COUNT.eq(0))
                .and(Player::PLAYER_NUMBER.eq(player.player_number));
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(delete(key).only_if(is_as_read).or(Error::changed()));
            transaction.push(
                update(Team::key(team_id)).add(Team::PLAYER_COUNT, -1).or(Error::TeamNotFound),
            );
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
    /// [`Error::PlayerLinked`], [`Error::MemberLinked`], [`Error::MemberNotFound`],
    /// [`Error::TooManyLinks`].
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
            transaction.push(link_update(team_id, player_id, user_id, now).or(Error::changed()));
            transaction.push(
                update(Membership::key(user_id, team_id))
                    .set(Membership::PLAYER_ID, player_id)
                    .only_if(is_free)
                    .or(Error::changed()),
            );
            transaction.push(
                update(User::key(user_id))
                    .add(User::PLAYER_COUNT, 1)
                    .only_if(User::PLAYER_COUNT.lt(LINKS_MAX))
                    .or(Error::TooManyLinks),
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
            transaction.push(
                update(User::key(&user_id)).add(User::PLAYER_COUNT, -1).or(Error::UserNotFound),
            );
            // The membership is as it was read: who comes back meanwhile gets the linked player.
            let key = Membership::key(&user_id, team_id);
            match self.membership(&user_id, team_id).await? {
                None => {
                    transaction.push(check(key).only_if(Condition::missing()).or(Error::changed()))
                }
                Some(one) if one.player_id.as_ref() == Some(player_id) => transaction.push(
                    update(key)
                        .remove(Membership::PLAYER_ID)
                        .only_if(Membership::PLAYER_ID.eq(player_id))
                        .or(Error::changed()),
                ),
                Some(one) => transaction.push(
                    check(key)
                        .only_if(Membership::PLAYER_ID.eq(one.player_id))
                        .or(Error::changed()),
                ),
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
