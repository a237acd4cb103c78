//! Users: the first sign-in, one's own profile and teams, and the lists for admins.

use super::text::{NAME, email, line, phone_number};
use super::{ADMIN_GROUP, RECOVERY_TIME, Service};
use crate::design::{
    Game, MemberStatus, Membership, Player, PlayerStatus, Role, Team, TeamMember, TeamType, User,
    UserId,
};
use crate::error::Error;
use crate::input::{NewUser, UserChange};
use crate::limits::{LINKS_MAX, TEAMS_MAX};
use crate::view::{GameView, List, MyTeam};
use singlet::Retryable as _;
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::api::{Change, Page, Paging};
use singlet_web::identity::Caller;

/// What the team of one's own at-bats is called.
const PERSONAL_NAME: &str = "Personal Stats";

impl Service {
    /// 1: the first sign-in. User, PERSONAL team, membership and linked player are created in one
    /// transaction. Returns whether that happened now.
    ///
    /// # Errors
    ///
    /// If a field is invalid, or neither the token nor the body has an e-mail address.
    pub async fn sign_up(&self, caller: &Caller, new: &NewUser) -> Result<(User, bool), Error> {
        match self.profile(caller).await {
            Err(Error::UserNotFound) => {}
            found => return found.map(|user| (user, false)),
        }
        let (now, user_id): (_, UserId) = (self.db.now(), caller.id()?);
        let address = caller.email.as_deref().or(new.email.as_deref());
        let address = address.ok_or_else(|| Error::invalid("/email", "is required"))?;
        let user = User {
            user_id: user_id.clone(),
            email: email(address)?,
            first_name: line("/firstName", &new.first_name, NAME)?,
            last_name: line("/lastName", &new.last_name, NAME)?,
            phone_number: new.phone_number.as_deref().map(phone_number).transpose()?,
            team_count: 1,
            player_count: 1,
            created_at: now,
            updated_at: now,
        };
        let team = Team {
            team_id: self.random.id(now)?,
            name: PERSONAL_NAME.to_owned(),
            description: None,
            owner_id: user_id.clone(),
            team_type: TeamType::Personal,
            owner_count: 1,
            member_count: 1,
            player_count: 1,
            game_count: 0,
            invites_made: 0,
            deleted_at: None,
            deleted_by: None,
            purged_at: None,
            created_at: now,
            updated_at: now,
        };
        let player = Player {
            player_id: self.random.id(now)?,
            team_id: team.team_id.clone(),
            first_name: user.first_name.clone(),
            last_name: Some(user.last_name.clone()),
            player_number: None,
            positions: Vec::new(),
            status: PlayerStatus::Active,
            is_ghost: false,
            user_id: Some(user_id.clone()),
            linked_at: Some(now),
            batted: None,
            at_bat_count: 0,
            created_at: now,
            updated_at: now,
        };
        let mut membership = first_membership(&team, now);
        membership.player_id = Some(player.player_id.clone());
        let member = team_member_of(&membership);
        let written = self.db.transact((
            create(&user).or(Error::changed()),
            create(&team).or(Error::changed()),
            create(&membership).or(Error::changed()),
            create(&member).or(Error::changed()),
            create(&player).or(Error::changed()),
        ));
        match written.await {
            Ok(()) => Ok((user, true)),
            // Somebody else has signed up with this token, or an answer was lost.
            Err(error) if error.is_retryable() => match self.profile(caller).await {
                Err(Error::UserNotFound) => Err(error),
                found => found.map(|user| (user, false)),
            },
            Err(error) => Err(error),
        }
    }

    /// 2: my profile. By GSI1; who has just signed up is not there yet, and is read by the key.
    ///
    /// # Errors
    ///
    /// [`Error::UserNotFound`] before the first sign-in.
    pub async fn my_user(&self, caller: &Caller) -> Result<User, Error> {
        let user_id: UserId = caller.id()?;
        match self.db.query(User::by_sub(&user_id)).first().await? {
            Some(user) => Ok(user),
            None => self.profile(caller).await,
        }
    }

    /// 2: changes my profile.
    ///
    /// # Errors
    ///
    /// [`Error::UserNotFound`] before the first sign-in, or if a field is invalid.
    pub async fn change_my_user(
        &self,
        caller: &Caller,
        change: &UserChange,
    ) -> Result<User, Error> {
        let user_id: UserId = caller.id()?;
        let mut changed = update(User::key(&user_id));
        if let Some(name) = &change.first_name {
            changed = changed.set(User::FIRST_NAME, line("/firstName", name, NAME)?);
        }
        if let Some(name) = &change.last_name {
            changed = changed.set(User::LAST_NAME, line("/lastName", name, NAME)?);
        }
        if let Some(address) = caller.email.as_deref().or(change.email.as_deref()) {
            changed = changed.set(User::EMAIL, email(address)?);
        }
        changed = match &change.phone_number {
            Change::Keep => changed,
            Change::Remove => changed.remove(User::PHONE_NUMBER),
            Change::Set(number) => changed.set(User::PHONE_NUMBER, phone_number(number)?),
        };
        self.db.run(changed.returning_new().or(Error::UserNotFound)).await
    }

    /// 3: all users, for admins.
    ///
    /// # Errors
    ///
    /// 403 for everybody else.
    pub async fn list_users(&self, caller: &Caller, paging: &Paging) -> Result<Page<User>, Error> {
        caller.require_group(ADMIN_GROUP)?;
        let all = self.db.query(User::all().limit(paging.limit()));
        Ok(all.page(paging.cursor()?).await?.into())
    }

    /// 3: all teams that are not deleted, for admins.
    ///
    /// # Errors
    ///
    /// 403 for everybody else.
    pub async fn list_teams(&self, caller: &Caller, paging: &Paging) -> Result<Page<Team>, Error> {
        caller.require_group(ADMIN_GROUP)?;
        let all = Team::all().limit(paging.limit()).filter(Team::DELETED_AT.missing());
        Ok(self.db.query(all).page(paging.cursor()?).await?.into())
    }

    /// 3: all games, for admins.
    ///
    /// # Errors
    ///
    /// 403 for everybody else.
    pub async fn list_games(
        &self,
        caller: &Caller,
        paging: &Paging,
    ) -> Result<Page<GameView>, Error> {
        caller.require_group(ADMIN_GROUP)?;
        let all = self.db.query(Game::all().limit(paging.limit()));
        Ok(Page::from(all.page(paging.cursor()?).await?).map(GameView::from))
    }

    /// 5: my teams. Deleted ones are shown to their owners only.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn my_teams(&self, caller: &Caller) -> Result<List<MyTeam>, Error> {
        let user_id: UserId = caller.id()?;
        let memberships = self.db.query(Membership::teams_of(&user_id).consistent()).all().await?;
        let keys = memberships.iter().map(|membership| Team::key(&membership.team_id).consistent());
        let teams = self.db.get_many(keys).await?;
        let shown = memberships.into_iter().zip(teams).filter_map(|(membership, team)| {
            let (team, is_owner) = (team?, membership.role == Role::Owner);
            let is_active = membership.status == MemberStatus::Active;
            (team.deleted_at.is_none() || (is_owner && is_active)).then(|| MyTeam {
                recoverable_until: team.deleted_at.map(|at| at.after(RECOVERY_TIME)),
                team,
                role: membership.role,
                status: membership.status,
                player_id: membership.player_id,
            })
        });
        Ok(List { items: shown.collect() })
    }
}

/// What a user gets one more of.
#[derive(Clone, Copy)]
pub(super) struct OneMore {
    /// A team.
    pub(super) team: bool,
    /// A linked player.
    pub(super) player: bool,
}

/// Counts what a user gets. Refuses it if there are as many as possible.
pub(super) fn count_for_user(user: &User, more: OneMore) -> Result<Update<User>, Error> {
    let mut counted = update(User::key(&user.user_id));
    if more.team {
        if user.team_count >= TEAMS_MAX {
            return Err(Error::TooManyTeams);
        }
        counted = counted.add(User::TEAM_COUNT, 1).only_if(User::TEAM_COUNT.lt(TEAMS_MAX));
    }
    if more.player {
        if user.player_count >= LINKS_MAX {
            return Err(Error::TooManyLinks);
        }
        counted = counted.add(User::PLAYER_COUNT, 1).only_if(User::PLAYER_COUNT.lt(LINKS_MAX));
    }
    Ok(counted)
}

/// The membership of a team's first owner.
pub(super) fn first_membership(team: &Team, now: Timestamp) -> Membership {
    Membership {
        user_id: team.owner_id.clone(),
        team_id: team.team_id.clone(),
        role: Role::Owner,
        status: MemberStatus::Active,
        joined_at: now,
        invited_by: None,
        player_id: None,
        created_at: now,
        updated_at: now,
    }
}

/// The membership the other way round.
pub(super) fn team_member_of(membership: &Membership) -> TeamMember {
    TeamMember {
        user_id: membership.user_id.clone(),
        team_id: membership.team_id.clone(),
        role: membership.role,
        status: membership.status,
        joined_at: membership.joined_at,
        created_at: membership.created_at,
        updated_at: membership.updated_at,
    }
}
