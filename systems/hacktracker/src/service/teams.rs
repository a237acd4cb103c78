//! Teams: creating, showing, editing, deleting and recovering them.

use super::members::write_membership;
use super::players::take_number;
use super::users::count_for_user;
use super::{RECOVERY_TIME, Service, TeamAccess, Writes};
use crate::design::{
    MemberStatus, Membership, Player, Role, Team, TeamId, TeamPartition, TeamType, User,
};
use crate::error::{Error, Result};
use crate::input::{NewTeam, TeamChange};
use crate::limits::PERSONAL_TEAMS_MAX;
use crate::view::TeamPage;
use singlet::prelude::*;
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;

const LAST_PERSONAL: &str =
    "This is your last personal team. Add another one before you delete it.";

impl Service {
    /// Team, its owner's membership, and the owner's player if wanted, in one transaction.
    pub async fn create_team(&self, caller: &Caller, new: &NewTeam) -> Result<Team> {
        let work = async |_: &Db<_>| {
            let (user, now) = (self.profile(caller).await?, self.db.now());
            let mut team = self.new_team(&user, new.name.clone().into(), new.team_type, now)?;
            team.description = new.description.as_ref().map(|text| text.as_str().to_owned());
            let mut player = None;
            if new.player.is_some() || team.team_type == TeamType::Personal {
                let mut own = self.own_player(&user, &team, now)?;
                if let Some(new) = &new.player {
                    (own.player_number, own.positions) =
                        (new.player_number, new.positions.to_vec());
                }
                team.player_count = 1;
                player = Some(own);
            }
            let mut transaction = self.transaction(now);
            transaction.push(count_for_user(&user, Some(team.team_type), player.is_some())?);
            self.found(&mut transaction, &team, player.as_ref());
            transaction.run().await?;
            Ok(team)
        };
        self.db.attempt(work).await
    }

    pub(super) fn new_team(
        &self,
        owner: &User,
        name: String,
        team_type: TeamType,
        now: Timestamp,
    ) -> Result<Team> {
        Ok(Team {
            team_id: self.random.id(now)?,
            name,
            description: None,
            owner_id: owner.user_id.clone(),
            team_type,
            owner_count: 1,
            member_count: 1,
            player_count: u32::from(team_type == TeamType::Personal),
            game_count: 0,
            invites_made: 0,
            deleted_at: None,
            deleted_by: None,
            purged_at: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// The owner of a new team as its player.
    pub(super) fn own_player(&self, user: &User, team: &Team, now: Timestamp) -> Result<Player> {
        let (first, last) = (user.first_name.clone(), Some(user.last_name.clone()));
        Ok(Player {
            is_ghost: false,
            user_id: Some(user.user_id.clone()),
            linked_at: Some(now),
            ..self.new_player(&team.team_id, first, last, now)?
        })
    }

    /// Adds a new team with its owner's membership and player to a transaction.
    pub(super) fn found(&self, transaction: &mut Writes<'_>, team: &Team, player: Option<&Player>) {
        let membership = Membership {
            user_id: team.owner_id.clone(),
            team_id: team.team_id.clone(),
            role: Role::Owner,
            status: MemberStatus::Active,
            joined_at: team.created_at,
            invited_by: None,
            player_id: player.map(|player| player.player_id.clone()),
            created_at: team.created_at,
            updated_at: team.created_at,
        };
        transaction.push(create(team));
        write_membership(transaction, None, &membership);
        if let Some(player) = player {
            transaction.push(create(player));
            take_number(transaction, player);
        }
    }

    pub async fn team_page(&self, caller: &Caller, team_id: &TeamId) -> Result<TeamPage> {
        let access = self.member(caller, team_id, Role::Player).await?;
        let partition = self.db.load(TeamPartition::of(team_id).consistent()).await?;
        let partition = partition.ok_or(Error::TeamNotFound)?;
        Ok(TeamPage::new(partition, access.role()))
    }

    pub async fn change_team(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team> {
        self.member(caller, team_id, Role::Owner).await?;
        let mut changed = update(Team::key(team_id)).only_if(Team::DELETED_AT.missing());
        if let Some(name) = &change.name {
            changed = changed.set(Team::NAME, String::from(name.clone()));
        }
        changed = match change.description.clone() {
            Change::Keep => changed,
            Change::Remove => changed.remove(Team::DESCRIPTION),
            Change::Set(text) => changed.set(Team::DESCRIPTION, Some(text.into_string())),
        };
        self.db.run(changed.returning_new().or(Error::TeamDeleted)).await
    }

    /// It can be recovered for thirty days. A user keeps one PERSONAL team.
    pub async fn delete_team(&self, caller: &Caller, team_id: &TeamId) -> Result<()> {
        let work = async |_: &Db<_>| {
            let access = self.owner_of_any(caller, team_id).await?;
            if access.team.deleted_at.is_some() {
                return Ok(());
            }
            let now = self.db.now();
            let mut transaction = self.transaction(now);
            transaction.push(
                update(Team::key(team_id))
                    .set(Team::DELETED_AT, now)
                    .set(Team::DELETED_BY, access.user_id.clone())
                    .only_if(Team::DELETED_AT.missing()),
            );
            if access.is_personal() {
                let user_id = self.profile(caller).await?.user_id;
                let counted = update(User::key(&user_id)).add(User::PERSONAL_COUNT, -1);
                let is_another = User::PERSONAL_COUNT.gt(1);
                let refusal = Error::PersonalTeam.because(LAST_PERSONAL);
                transaction.push(counted.only_if(is_another).or(refusal));
            }
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    pub async fn recover_team(&self, caller: &Caller, team_id: &TeamId) -> Result<()> {
        let work = async |_: &Db<_>| {
            let access = self.owner_of_any(caller, team_id).await?;
            let Some(deleted_at) = access.team.deleted_at else { return Ok(()) };
            if deleted_at <= self.db.now().before(RECOVERY_TIME) {
                return Err(Error::RecoveryExpired);
            }
            let mut transaction = self.transaction(self.db.now());
            transaction.push(
                update(Team::key(team_id))
                    .remove(Team::DELETED_AT)
                    .remove(Team::DELETED_BY)
                    .only_if(Team::DELETED_AT.eq(deleted_at)),
            );
            if access.is_personal() {
                let user_id = self.profile(caller).await?.user_id;
                let counted = update(User::key(&user_id)).add(User::PERSONAL_COUNT, 1);
                let has_room = User::PERSONAL_COUNT.lt(PERSONAL_TEAMS_MAX);
                transaction.push(counted.only_if(has_room).or(Error::TooManyTeams));
            }
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    /// An owner of a team, deleted or not.
    async fn owner_of_any(&self, caller: &Caller, team_id: &TeamId) -> Result<TeamAccess> {
        let mut access = self.access(caller, team_id, Error::TeamNotFound).await?;
        let deleted_at = access.team.deleted_at.take();
        access.require(caller, Role::Owner)?;
        access.team.deleted_at = deleted_at;
        Ok(access)
    }
}
