//! In how many leagues somebody has a role.
//!
//! The number is kept in an item of its own, which every new grant and every revoked one rewrites:
//! so the limit holds also when many grants are made at once.

use super::Service;
use super::changes::Changes;
use crate::design::{LEAGUES_GRANTED_MAX, LEAGUES_MAX, User, UserId};
use crate::error::Error;

impl Service {
    /// Somebody with a role in a league; `None` for everybody else.
    pub(super) async fn user(&self, id: &UserId) -> Result<Option<User>, Error> {
        Ok(self.db.get(User::key(id).consistent()).await?)
    }

    /// Adds that the caller gets a role in one more league, by their own doing.
    pub(super) async fn join_league(
        &self,
        changes: &mut Changes<'_>,
        id: &UserId,
    ) -> Result<(), Error> {
        let now = self.db.now();
        match self.user(id).await? {
            None => {
                let user =
                    User { user_id: id.clone(), leagues: 1, created_at: now, updated_at: now };
                changes.create(&user, Error::changed());
            }
            Some(user) if user.leagues >= LEAGUES_MAX => {
                return Err(Error::limit(LEAGUES_MAX, "leagues for one person"));
            }
            Some(user) => changes.rewrite(&User { leagues: user.leagues + 1, ..user }),
        }
        Ok(())
    }

    /// Adds that somebody else gets a role in one more league. They must have one elsewhere: nobody
    /// is made a user without their own doing.
    pub(super) async fn add_to_league(
        &self,
        changes: &mut Changes<'_>,
        id: &UserId,
    ) -> Result<(), Error> {
        let user = self.user(id).await?.ok_or(Error::UserNotFound)?;
        if user.leagues >= LEAGUES_GRANTED_MAX {
            let detail = "This person has too many leagues to be added to another one. \
                          Send an invitation instead.";
            return Err(Error::limit_because(LEAGUES_GRANTED_MAX, detail));
        }
        changes.rewrite(&User { leagues: user.leagues + 1, ..user });
        Ok(())
    }
}

/// Adds that somebody loses the role in one league.
pub(super) fn leave_league(changes: &mut Changes<'_>, user: User) {
    match user.leagues {
        0 | 1 => changes.delete(&user),
        leagues => changes.rewrite(&User { leagues: leagues - 1, ..user }),
    }
}
