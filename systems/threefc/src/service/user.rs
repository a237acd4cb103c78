//! Limits the number of leagues per user.
//!
//! The number is kept in an item of the user, which every new and every revoked grant rewrites: so
//! the limit holds also when many grants are made at once.

use super::Service;
use super::changes::Changes;
use crate::design::{LEAGUES_GRANTED_MAX, LEAGUES_MAX, User, UserId};
use crate::error::{ApiError as _, Error, Result};

impl Service {
    /// `None` for people without a role in any league.
    pub(super) async fn user(&self, id: &UserId) -> Result<Option<User>> {
        Ok(self.db.get(User::key(id).consistent()).await?)
    }

    /// Counts one more league for a user who joins it themselves.
    pub(super) async fn join_league(&self, changes: &mut Changes<'_>, id: &UserId) -> Result<()> {
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

    /// Counts one more league for a user whom an admin adds. They must have a role elsewhere: only
    /// people themselves become users.
    pub(super) async fn add_to_league(&self, changes: &mut Changes<'_>, id: &UserId) -> Result<()> {
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

/// Counts one league less for a user.
pub(super) fn leave_league(changes: &mut Changes<'_>, user: User) {
    match user.leagues {
        0 | 1 => changes.delete(&user),
        leagues => changes.rewrite(&User { leagues: leagues - 1, ..user }),
    }
}
