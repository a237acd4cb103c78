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
mod users;

pub use purge::RECOVERY_TIME;

use crate::design::{
    Book, Game, GameId, HackTracker, MemberStatus, Membership, Player, Role, Team, TeamId,
    TeamType, User, UserId,
};
use crate::error::{Error, Result};
use crate::rules::scoring::sort_at_bats;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet_web::access::Access;
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use singlet_web::random::Random;

/// A transaction that is tried again if another request was faster.
type Writes<'d> = Transaction<'d, HackTracker, Error>;

/// The group whose members list all users, teams and games.
pub const ADMIN_GROUP: &str = "Admin";

/// Clones share the database handle.
#[derive(Clone)]
pub struct Service {
    db: Db<HackTracker>,
    random: Random,
}

/// A caller who is a member of a team, and the team.
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
    fn require(&self, caller: &Caller, role: Role) -> Result<()> {
        self.require_active()?;
        Access::new(Some(caller), Some(self.role())).require(role)?;
        self.require_not_deleted()
    }

    /// The same for rights that do not only depend on the caller's role.
    fn require_if(&self, caller: &Caller, allowed: bool, who: &str) -> Result<()> {
        self.require_active()?;
        Access::new(Some(caller), Some(self.role())).require_if(allowed, who)?;
        self.require_not_deleted()
    }

    fn require_active(&self) -> Result<()> {
        match self.membership.status {
            MemberStatus::Active => Ok(()),
            MemberStatus::Inactive => Err(Error::MembershipInactive),
        }
    }

    fn require_not_deleted(&self) -> Result<()> {
        match self.team.deleted_at {
            None => Ok(()),
            Some(_) => Err(Error::TeamDeleted),
        }
    }

    /// Refuses what PERSONAL teams do not have.
    fn require_managed(&self) -> Result<()> {
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
    pub fn new(db: Db<HackTracker>, random: Random) -> Self {
        Self { db, random }
    }

    pub fn db(&self) -> &Db<HackTracker> {
        &self.db
    }

    fn transaction(&self, now: Timestamp) -> Writes<'_> {
        self.db.transaction().at(now).or(Error::changed)
    }

    /// Strangers get `missing`, as for an unknown id.
    async fn access(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        missing: Error,
    ) -> Result<TeamAccess> {
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
    pub(crate) async fn member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<TeamAccess> {
        let access = self.access(caller, team_id, Error::TeamNotFound).await?;
        access.require(caller, role)?;
        Ok(access)
    }

    /// A member of a game's team with at least this role.
    pub(crate) async fn game_member(
        &self,
        caller: &Caller,
        game_id: &GameId,
        role: Role,
    ) -> Result<TeamAccess> {
        let game = self.db.get(Game::key(game_id).consistent()).await?;
        let team_id = game.ok_or(Error::GameNotFound)?.team_id;
        let access = self.access(caller, &team_id, Error::GameNotFound).await?;
        access.require(caller, role)?;
        Ok(access)
    }

    /// A game with its at-bats in order, for a member of its team with at least this role.
    async fn book(
        &self,
        caller: &Caller,
        game_id: &GameId,
        role: Role,
    ) -> Result<(TeamAccess, Book)> {
        let book = self.read_book(game_id).await?;
        let access = self.access(caller, &book.game.team_id, Error::GameNotFound).await?;
        access.require(caller, role)?;
        Ok((access, book))
    }

    async fn read_book(&self, game_id: &GameId) -> Result<Book> {
        let book = self.db.load(Book::of(game_id).consistent()).await?;
        let mut book = book.ok_or(Error::GameNotFound)?;
        sort_at_bats(&mut book.at_bats);
        Ok(book)
    }

    async fn roster(&self, team_id: &TeamId) -> Result<Vec<Player>> {
        Ok(self.db.query(Player::roster(team_id).consistent()).all().await?)
    }

    /// The caller's profile. Users of older versions have no count of PERSONAL teams: these are
    /// counted when it is needed for the first time.
    async fn profile(&self, caller: &Caller) -> Result<User> {
        let user_id: UserId = caller.id()?;
        let key = User::key(&user_id);
        let user = self.db.get(key.clone().consistent()).await?.ok_or(Error::UserNotFound)?;
        if user.personal_count > 0 {
            return Ok(user);
        }
        let is_label =
            |team: &Team| team.team_type == TeamType::Personal && team.deleted_at.is_none();
        let teams = self.memberships(&user_id).await?;
        let count = teams.iter().filter(|(_, team)| is_label(team)).count() as u32;
        let counted = update(key).set(User::PERSONAL_COUNT, count);
        let counted = counted.only_if(User::PERSONAL_COUNT.missing()).returning_new();
        self.db.run(counted.or(Error::changed())).await
    }

    /// A user's memberships with the teams, deleted ones too.
    async fn memberships(&self, user_id: &UserId) -> Result<Vec<(Membership, Team)>> {
        let memberships = self.db.query(Membership::teams_of(user_id).consistent()).all().await?;
        let keys = memberships.iter().map(|membership| Team::key(&membership.team_id).consistent());
        let teams = self.db.get_many(keys).await?;
        Ok(memberships
            .into_iter()
            .zip(teams)
            .filter_map(|(one, team)| Some((one, team?)))
            .collect())
    }
}
