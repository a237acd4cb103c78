//! Players: roster, numbers, and links to users.

use super::invites::link_update;
use super::{Service, Writes};
use crate::design::{
    MemberStatus, Membership, Player, PlayerId, PlayerNumber, PlayerStatus, Role, Team, TeamId,
    User, UserId,
};
use crate::error::{Error, Result};
use crate::input::{NewPlayer, PlayerChange};
use crate::limits::{LINKS_MAX, PLAYERS_MAX};
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use std::collections::BTreeSet;

impl Service {
    /// All of them fit on one page unless the client asks for fewer.
    pub async fn players(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        paging: &Paging<100, 100>,
    ) -> Result<Page<Player>> {
        self.member(caller, team_id, Role::Player).await?;
        let roster = Player::roster(team_id).limit(paging.limit()).consistent();
        Ok(self.db.query(roster).page(paging.cursor()?).await?.into())
    }

    pub async fn player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<Player> {
        self.member(caller, team_id, Role::Player).await?;
        self.find_player(team_id, player_id).await
    }

    pub(super) async fn find_player(
        &self,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<Player> {
        let player = self.db.get(Player::key(team_id, player_id).consistent()).await?;
        player.ok_or(Error::PlayerNotFound)
    }

    /// Adds up to 25 ghosts, all or none.
    pub async fn add_players(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &[NewPlayer],
    ) -> Result<Page<Player>> {
        let access = self.member(caller, team_id, Role::Manager).await?;
        access.require_managed()?;
        let now = self.db.now();
        let mut players = Vec::with_capacity(new.len());
        for new in new {
            let (first, last) = (new.first_name.clone(), new.last_name.clone().map(String::from));
            players.push(Player {
                player_number: new.player_number,
                positions: new.positions.to_vec(),
                status: new.status.unwrap_or(PlayerStatus::Active),
                ..self.new_player(team_id, first.into(), last, now)?
            });
        }
        let mut numbers = BTreeSet::new();
        let mut given = players.iter().filter_map(|player| player.player_number);
        if let Some(twice) = given.find(|number| !numbers.insert(*number)) {
            return Err(Error::number_taken(twice));
        }
        let added = u32::try_from(players.len()).unwrap_or(u32::MAX);
        let room_before = PLAYERS_MAX.checked_sub(added).ok_or(Error::RosterFull)?;
        let mut transaction = self.transaction(now);
        for player in &players {
            take_number(&mut transaction, player);
            transaction.push(create(player));
        }
        transaction.push(
            update(Team::key(team_id))
                .add(Team::PLAYER_COUNT, i64::from(added))
                .only_if(Team::PLAYER_COUNT.le(room_before))
                .or(Error::RosterFull),
        );
        transaction.run().await?;
        Ok(Page { items: players, next: None })
    }

    /// A ghost.
    pub(super) fn new_player(
        &self,
        team_id: &TeamId,
        first_name: String,
        last_name: Option<String>,
        now: Timestamp,
    ) -> Result<Player> {
        Ok(Player {
            player_id: self.random.id(now)?,
            team_id: team_id.clone(),
            first_name,
            last_name,
            player_number: None,
            positions: Vec::new(),
            status: PlayerStatus::Active,
            is_ghost: true,
            user_id: None,
            linked_at: None,
            batted: None,
            at_bat_count: 0,
            created_at: now,
            updated_at: now,
        })
    }

    /// The linked user may change names and positions.
    pub async fn change_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        change: &PlayerChange,
    ) -> Result<Player> {
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

    /// Writes only the fields of the request, so that concurrent changes of others are kept.
    async fn write_player(
        &self,
        before: &Player,
        change: &PlayerChange,
        condition: Condition<Player>,
    ) -> Result<Player> {
        let (team_id, player_id) = (&before.team_id, &before.player_id);
        let mut transaction = self.transaction(self.db.now());
        let mut changed = update(Player::key(team_id, player_id)).only_if(condition);
        if let Some(name) = &change.first_name {
            changed = changed.set(Player::FIRST_NAME, String::from(name.clone()));
        }
        if change.last_name.is_given() {
            let name = change.last_name.clone().map(String::from).apply(None);
            changed = changed.set(Player::LAST_NAME, name);
        }
        if let Some(own) = &change.positions {
            changed = changed.set(Player::POSITIONS, own.to_vec());
        }
        if let Some(status) = change.status {
            changed = changed.set(Player::STATUS, status);
        }
        let number = change.player_number.clone().apply(before.player_number);
        if number != before.player_number {
            changed = changed
                .set(Player::PLAYER_NUMBER, number)
                .only_if(Player::PLAYER_NUMBER.eq(before.player_number));
            free_number(&mut transaction, before);
            take_number(&mut transaction, &Player { player_number: number, ..before.clone() });
        }
        transaction.push(changed);
        transaction.run().await?;
        self.find_player(team_id, player_id).await
    }

    pub async fn remove_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<()> {
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
            let mut transaction = self.transaction(self.db.now());
            transaction.push(delete(key).only_if(is_as_read));
            transaction.push(
                update(Team::key(team_id)).add(Team::PLAYER_COUNT, -1).or(Error::TeamNotFound),
            );
            free_number(&mut transaction, &player);
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    pub async fn link_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
        user_id: &UserId,
    ) -> Result<Player> {
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
            let mut transaction = self.transaction(now);
            transaction.push(link_update(team_id, player_id, user_id, now));
            transaction.push(
                update(Membership::key(user_id, team_id))
                    .set(Membership::PLAYER_ID, player_id)
                    .only_if(is_free),
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

    /// Takes the link off again: the player is a ghost, and keeps its at-bats. The linked user
    /// may do it, also after leaving the team.
    pub async fn unlink_player(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        player_id: &PlayerId,
    ) -> Result<()> {
        let work = async |_: &Db<_>| {
            let caller_id: UserId = caller.id()?;
            let player = self.db.get(Player::key(team_id, player_id).consistent()).await?;
            let user_id = player.as_ref().and_then(|player| player.user_id.clone());
            self.check_unlink(caller, team_id, user_id.as_ref() == Some(&caller_id)).await?;
            let Some(user_id) = user_id else { return Ok(()) };
            let mut transaction = self.transaction(self.db.now());
            transaction.push(
                update(Player::key(team_id, player_id))
                    .set(Player::IS_GHOST, true)
                    .set(Player::USER_ID, None)
                    .remove(Player::LINKED_AT)
                    .only_if(Player::USER_ID.eq(&user_id)),
            );
            transaction.push(
                update(User::key(&user_id)).add(User::PLAYER_COUNT, -1).or(Error::UserNotFound),
            );
            // Unchanged since it was read: a user who rejoins meanwhile gets the linked player.
            let key = Membership::key(&user_id, team_id);
            match self.membership(&user_id, team_id).await? {
                None => transaction.push(check(key).only_if(Condition::missing())),
                Some(one) if one.player_id.as_ref() == Some(player_id) => transaction.push(
                    update(key)
                        .remove(Membership::PLAYER_ID)
                        .only_if(Membership::PLAYER_ID.eq(player_id)),
                ),
                Some(one) => {
                    transaction.push(check(key).only_if(Membership::PLAYER_ID.eq(one.player_id)))
                }
            }
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    /// Inactive and former members may unlink themselves.
    async fn check_unlink(&self, caller: &Caller, team_id: &TeamId, is_own: bool) -> Result<()> {
        let access = match self.access(caller, team_id, Error::TeamNotFound).await {
            Err(Error::TeamNotFound) if is_own => return Ok(()),
            other => other?,
        };
        match is_own {
            true => access.require_not_deleted()?,
            false => access.require(caller, Role::Manager)?,
        }
        access.require_managed()
    }
}

/// Takes a player's number, if there is one: each is given once in a team.
pub(super) fn take_number(transaction: &mut Writes<'_>, player: &Player) {
    let Some(player_number) = player.player_number else { return };
    let number = PlayerNumber {
        team_id: player.team_id.clone(),
        player_number,
        player_id: player.player_id.clone(),
        created_at: player.created_at,
        updated_at: player.updated_at,
    };
    transaction.push(create(&number).or(Error::number_taken(player_number)));
}

fn free_number(transaction: &mut Writes<'_>, player: &Player) {
    if let Some(number) = player.player_number {
        let is_own = PlayerNumber::PLAYER_ID.eq(&player.player_id);
        transaction.push(delete(PlayerNumber::key(&player.team_id, number)).only_if(is_own));
    }
}
