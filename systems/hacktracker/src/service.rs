//! The operations of the specification, each a function.
//!
//! Who may do what is decided here: `TeamAccess` is made from the stored membership and requires
//! a role. Every change of a game goes through the condition on its revision.

mod games;
mod invites;
mod members;
mod players;
mod purge;
mod scoring;
mod statistics;
mod teams;
mod text;
mod users;

pub use purge::RECOVERY_TIME;

use crate::design::{
    Book, Game, GameId, HackTracker, MemberStatus, Membership, Player, Role, Team, TeamId,
    TeamType, User, UserId,
};
use crate::error::Error;
use crate::rules::scoring::sort_at_bats;
use singlet::prelude::*;
use singlet_web::access::Access;
use singlet_web::identity::Caller;
use singlet_web::random::Random;

/// The group whose members list all users, teams and games.
pub const ADMIN_GROUP: &str = "Admin";

/// The operations. Clones share the database handle.
#[derive(Clone)]
pub struct Service {
    db: Db<HackTracker>,
    random: Random,
}

/// A caller who is a member of a team, and the team.
#[derive(Clone, Debug)]
pub(crate) struct TeamAccess {
    user_id: UserId,
    team: Team,
    membership: Membership,
}

impl TeamAccess {
    fn role(&self) -> Role {
        self.membership.role
    }

    /// Refuses inactive members, then those with a lesser role, then everybody if the team is
    /// deleted.
    fn require(&self, caller: &Caller, role: Role) -> Result<(), Error> {
        self.require_active()?;
        Access::new(Some(caller), Some(self.role())).require(role)?;
        self.require_not_deleted()
    }

    /// The same for rights that do not only depend on the caller's role.
    fn require_if(&self, caller: &Caller, allowed: bool, who: &str) -> Result<(), Error> {
        self.require_active()?;
        Access::new(Some(caller), Some(self.role())).require_if(allowed, who)?;
        self.require_not_deleted()
    }

    fn require_active(&self) -> Result<(), Error> {
        match self.membership.status {
            MemberStatus::Active => Ok(()),
            MemberStatus::Inactive => Err(Error::MembershipInactive),
        }
    }

    fn require_not_deleted(&self) -> Result<(), Error> {
        match self.team.deleted_at {
            None => Ok(()),
            Some(_) => Err(Error::TeamDeleted),
        }
    }

    /// Refuses what PERSONAL teams do not have.
    fn require_managed(&self) -> Result<(), Error> {
        match self.team.team_type {
            TeamType::Managed => Ok(()),
            TeamType::Personal => Err(Error::PersonalTeam),
        }
    }

    fn is_personal(&self) -> bool {
        self.team.team_type == TeamType::Personal
    }
}

impl Service {
    /// A service on a database that has the table.
    #[must_use]
    pub fn new(db: Db<HackTracker>, random: Random) -> Self {
        Self { db, random }
    }

    /// The database, for those who follow its changes.
    #[must_use]
    pub fn db(&self) -> &Db<HackTracker> {
        &self.db
    }

    /// The caller's membership and the team; strangers get `missing`, as for an unknown id.
    async fn access(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        missing: Error,
    ) -> Result<TeamAccess, Error> {
        let user_id: UserId = caller.id()?;
        let (membership, team) = futures_util::try_join!(
            self.db.get(Membership::key(&user_id, team_id).consistent()),
            self.db.get(Team::key(team_id).consistent()),
        )?;
        match membership.zip(team) {
            Some((membership, team)) => Ok(TeamAccess { user_id, team, membership }),
            None => Err(missing),
        }
    }

    /// A member of a team with at least this role.
    async fn member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<TeamAccess, Error> {
        let access = self.access(caller, team_id, Error::TeamNotFound).await?;
        access.require(caller, role)?;
        Ok(access)
    }

    /// Refuses callers without at least this role in a team: asked before an answer is repeated.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers, 403 for members with a lesser role.
    pub async fn check_member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<(), Error> {
        self.member(caller, team_id, role).await.map(|_| ())
    }

    /// Refuses callers without at least this role in the team of a game.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] for strangers, 403 for members with a lesser role.
    pub async fn check_game(
        &self,
        caller: &Caller,
        game_id: &GameId,
        role: Role,
    ) -> Result<(), Error> {
        let game = self.db.get(Game::key(game_id).consistent()).await?;
        let team_id = game.ok_or(Error::GameNotFound)?.team_id;
        let access = self.access(caller, &team_id, Error::GameNotFound).await?;
        access.require(caller, role)
    }

    /// A game with its at-bats in order, for a member of its team with at least this role.
    async fn book(
        &self,
        caller: &Caller,
        game_id: &GameId,
        role: Role,
    ) -> Result<(TeamAccess, Book), Error> {
        let book = self.read_book(game_id).await?;
        let access = self.access(caller, &book.game.team_id, Error::GameNotFound).await?;
        access.require(caller, role)?;
        Ok((access, book))
    }

    async fn read_book(&self, game_id: &GameId) -> Result<Book, Error> {
        let book = self.db.load(Book::of(game_id).consistent()).await?;
        let mut book = book.ok_or(Error::GameNotFound)?;
        sort_at_bats(&mut book.at_bats);
        Ok(book)
    }

    async fn roster(&self, team_id: &TeamId) -> Result<Vec<Player>, Error> {
        Ok(self.db.query(Player::roster(team_id).consistent()).all().await?)
    }

    /// The caller's profile.
    async fn profile(&self, caller: &Caller) -> Result<User, Error> {
        let user_id: UserId = caller.id()?;
        self.db.get(User::key(&user_id).consistent()).await?.ok_or(Error::UserNotFound)
    }
}
