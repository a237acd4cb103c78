//! Teams: creating, showing, editing, deleting and recovering them.

use super::text::{TEAM_NAME, description, line, positions};
use super::users::{OneMore, count_for_user, first_membership, team_member_of};
use super::{RECOVERY_TIME, Service};
use crate::design::{
    Player, PlayerNumber, PlayerStatus, Role, Team, TeamId, TeamPartition, TeamType, UserId,
};
use crate::error::Error;
use crate::input::{NewTeam, TeamChange};
use crate::view::TeamPage;
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;

impl Service {
    /// 4: creates a team with its owner's membership, and with the owner's player if wanted, in one
    /// transaction.
    ///
    /// # Errors
    ///
    /// [`Error::UserNotFound`] before the first sign-in, [`Error::TooManyTeams`] and
    /// [`Error::TooManyLinks`] if the caller has as many as possible, or if a field is invalid.
    pub async fn create_team(&self, caller: &Caller, new: &NewTeam) -> Result<Team, Error> {
        let work = async |_: &Db<_>| self.try_create_team(caller, new).await;
        self.db.attempt(work).await
    }

    async fn try_create_team(&self, caller: &Caller, new: &NewTeam) -> Result<Team, Error> {
        let user = self.profile(caller).await?;
        let now = self.db.now();
        let has_player = new.player.is_some();
        let team = Team {
            team_id: self.random.id(now)?,
            name: line("/name", &new.name, TEAM_NAME)?,
            description: description(new.description.as_deref())?,
            owner_id: user.user_id.clone(),
            team_type: TeamType::Managed,
            owner_count: 1,
            member_count: 1,
            player_count: u32::from(has_player),
            game_count: 0,
            invites_made: 0,
            deleted_at: None,
            deleted_by: None,
            purged_at: None,
            created_at: now,
            updated_at: now,
        };
        let mut membership = first_membership(&team, now);
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(
            count_for_user(&user, OneMore { team: true, player: has_player })?.or(Error::changed()),
        );
        transaction.push(create(&team).or(Error::changed()));
        if let Some(own) = &new.player {
            let player = Player {
                player_id: self.random.id(now)?,
                team_id: team.team_id.clone(),
                first_name: user.first_name,
                last_name: Some(user.last_name),
                player_number: own.player_number,
                positions: positions("/player/positions", own.positions.clone())?,
                status: PlayerStatus::Active,
                is_ghost: false,
                user_id: Some(user.user_id),
                linked_at: Some(now),
                batted: None,
                at_bat_count: 0,
                created_at: now,
                updated_at: now,
            };
            membership.player_id = Some(player.player_id.clone());
            if let Some(number) = number_of(&player, now) {
                transaction.push(create(&number).or(Error::number_taken(number.player_number)));
            }
            transaction.push(create(&player).or(Error::changed()));
        }
        transaction.push(create(&membership).or(Error::changed()));
        transaction.push(create(&team_member_of(&membership)).or(Error::changed()));
        transaction.run().await?;
        Ok(team)
    }

    /// 6: a team with its members, its roster and its invites, in one Query.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers.
    pub async fn team_page(&self, caller: &Caller, team_id: &TeamId) -> Result<TeamPage, Error> {
        let access = self.member(caller, team_id, Role::Player).await?;
        let partition = self.db.load(TeamPartition::of(team_id).consistent()).await?;
        let partition = partition.ok_or(Error::TeamNotFound)?;
        Ok(TeamPage::new(partition, access.role()))
    }

    /// 7: changes name and description.
    ///
    /// # Errors
    ///
    /// [`Error::PersonalTeam`] for PERSONAL teams.
    pub async fn change_team(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team, Error> {
        let access = self.member(caller, team_id, Role::Owner).await?;
        access.require_managed()?;
        let mut changed = update(Team::key(team_id)).only_if(Team::DELETED_AT.missing());
        if let Some(name) = &change.name {
            changed = changed.set(Team::NAME, line("/name", name, TEAM_NAME)?);
        }
        changed = match &change.description {
            Change::Keep => changed,
            Change::Remove => changed.remove(Team::DESCRIPTION),
            Change::Set(text) => changed.set(Team::DESCRIPTION, description(Some(text))?),
        };
        self.db.run(changed.returning_new().or(Error::TeamDeleted)).await
    }

    /// 8: deletes a team. It can be recovered for thirty days.
    ///
    /// # Errors
    ///
    /// [`Error::PersonalTeam`] for PERSONAL teams.
    pub async fn delete_team(&self, caller: &Caller, team_id: &TeamId) -> Result<(), Error> {
        let user_id = self.owner_of_any(caller, team_id).await?;
        let now = self.db.now();
        let deleted = update(Team::key(team_id))
            .set(Team::DELETED_AT, now)
            .set(Team::DELETED_BY, user_id)
            .only_if(Team::DELETED_AT.missing());
        match self.db.run(deleted).await {
            // It is deleted already.
            Err(singlet::Error::ConditionFailed { item: Some(_), .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    /// 8: recovers a team that was deleted less than thirty days ago.
    ///
    /// # Errors
    ///
    /// [`Error::RecoveryExpired`] if it was deleted earlier.
    pub async fn recover_team(&self, caller: &Caller, team_id: &TeamId) -> Result<(), Error> {
        self.owner_of_any(caller, team_id).await?;
        let limit = self.db.now().before(RECOVERY_TIME);
        let is_young = Team::DELETED_AT.missing().or(Team::DELETED_AT.gt(limit));
        let recovered = update(Team::key(team_id))
            .remove(Team::DELETED_AT)
            .remove(Team::DELETED_BY)
            .only_if(is_young);
        self.db.run(recovered.or(Error::RecoveryExpired)).await
    }

    /// The caller, who is an owner of a MANAGED team, deleted or not.
    async fn owner_of_any(&self, caller: &Caller, team_id: &TeamId) -> Result<UserId, Error> {
        let mut access = self.access(caller, team_id, Error::TeamNotFound).await?;
        access.team.deleted_at = None;
        access.require(caller, Role::Owner)?;
        access.require_managed()?;
        Ok(access.user_id)
    }
}

/// The item that keeps a player's number from being given twice.
pub(super) fn number_of(player: &Player, now: Timestamp) -> Option<PlayerNumber> {
    Some(PlayerNumber {
        team_id: player.team_id.clone(),
        player_number: player.player_number?,
        player_id: player.player_id.clone(),
        created_at: now,
        updated_at: now,
    })
}
