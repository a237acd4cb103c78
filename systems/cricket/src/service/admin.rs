//! What operators do, and who they are.

use super::{FixturePage, Service};
use crate::design::{League, LeagueId, Lock, MatchId, Team, TeamId};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::access::Access;
use singlet_web::identity::Caller;

/// The group of operators.
pub const ADMIN_GROUP: &str = "cricket-admin";

singlet_web::roles! {
    /// What a caller is to the whole system.
    pub enum Role { Admin }
}

/// Refuses callers who are not in the group `cricket-admin`.
///
/// # Errors
///
/// [`Error::NotAnAdmin`].
pub fn require_admin(caller: &Caller) -> Result<(), Error> {
    let role = caller.groups.contains(ADMIN_GROUP).then_some(Role::Admin);
    let access = Access::new(Some(caller), role).hidden_as(Error::NotAnAdmin);
    Ok(access.require(Role::Admin)?)
}

/// What an admin gives a team.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamChange {
    /// A name for small places; `Some(None)` takes it away.
    pub short_name: Option<Option<String>>,
    /// `#rrggbb`; `Some(None)` takes it away.
    pub colour: Option<Option<String>>,
}

impl Service {
    /// Changes what an admin gives a team.
    pub async fn change_team(
        &self,
        caller: &Caller,
        id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team, Error> {
        require_admin(caller)?;
        let mut update = update(Team::key(id));
        if let Some(short_name) = &change.short_name {
            update = update.set(Team::SHORT_NAME, short_name.clone());
        }
        if let Some(colour) = &change.colour {
            update = update.set(Team::COLOUR, colour.clone());
        }
        self.teams.update(update).await?.ok_or(Error::TeamNotFound)
    }

    /// Turns a league on or off.
    pub async fn set_league_active(
        &self,
        caller: &Caller,
        id: &LeagueId,
        active: bool,
    ) -> Result<League, Error> {
        require_admin(caller)?;
        let change = update(League::key(id)).set(League::ACTIVE, active);
        self.leagues.update(change).await?.ok_or(Error::LeagueNotFound)
    }

    /// Deletes a league that the feed does not list any more.
    pub async fn delete_league(
        &self,
        caller: &Caller,
        id: &LeagueId,
        is_in_feed: impl AsyncFnOnce(&LeagueId) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        require_admin(caller)?;
        if self.leagues.get(id).await?.is_none() {
            return Err(Error::LeagueNotFound);
        }
        if is_in_feed(id).await? {
            return Err(Error::LeagueInFeed);
        }
        self.leagues.delete(id).await?.map(|_| ()).ok_or(Error::LeagueNotFound)
    }

    /// The matches of a league, whatever they are.
    pub async fn admin_matches(
        &self,
        caller: &Caller,
        league: &LeagueId,
        after: Option<&MatchId>,
    ) -> Result<FixturePage, Error> {
        require_admin(caller)?;
        Ok(self.fixtures.of_league_id(league, after).await?)
    }

    /// Who has which lock.
    pub async fn admin_locks(&self, caller: &Caller) -> Result<Vec<Lock>, Error> {
        require_admin(caller)?;
        Ok(self.locks.all().await?)
    }
}
