//! Users: sign-up, profile, own teams, and the lists for admins.

use super::members::is_owner;
use super::{ADMIN_GROUP, RECOVERY_TIME, Service};
use crate::design::{Game, Membership, Player, Team, TeamType, User, UserId};
use crate::error::{Error, Result};
use crate::input::{NewUser, UserChange};
use crate::limits::{LINKS_MAX, PERSONAL_TEAMS_MAX, TEAMS_MAX};
use crate::text::Email;
use crate::view::{GameView, MyTeam};
use singlet::Retryable as _;
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;

/// The first PERSONAL team of a user.
const PERSONAL_NAME: &str = "Personal Stats";

impl Service {
    /// The first sign-in creates user, PERSONAL team, membership and linked player in one
    /// transaction. Returns whether that happened now.
    pub async fn sign_up(&self, caller: &Caller, new: &NewUser) -> Result<(User, bool)> {
        match self.profile(caller).await {
            Err(Error::UserNotFound) => {}
            found => return found.map(|user| (user, false)),
        }
        let now = self.db.now();
        let email = email_of(caller, new.email.as_ref())?;
        let user = User {
            user_id: caller.id()?,
            email: email.ok_or_else(|| Error::invalid("/email", "is required"))?,
            first_name: new.first_name.clone().into(),
            last_name: new.last_name.clone().into(),
            phone_number: new.phone_number.clone().map(String::from),
            team_count: 1,
            personal_count: 1,
            player_count: 1,
            created_at: now,
            updated_at: now,
        };
        let mut transaction = self.transaction(now);
        transaction.push(create(&user));
        let team = self.new_team(&user, PERSONAL_NAME.to_owned(), TeamType::Personal, now)?;
        let player = self.own_player(&user, &team, now)?;
        self.found(&mut transaction, &team, Some(&player));
        match transaction.run().await {
            Ok(()) => Ok((user, true)),
            // Another sign-up with this token was faster, or an answer was lost.
            Err(error) if error.is_retryable() => match self.profile(caller).await {
                Err(Error::UserNotFound) => Err(error),
                found => found.map(|user| (user, false)),
            },
            Err(error) => Err(error),
        }
    }

    /// By GSI1, or by the key while the index lags behind a sign-up.
    pub async fn my_user(&self, caller: &Caller) -> Result<User> {
        let user_id: UserId = caller.id()?;
        match self.db.query(User::by_sub(&user_id)).first().await? {
            Some(user) if user.personal_count > 0 => Ok(user),
            _ => self.profile(caller).await,
        }
    }

    /// A new name is also that of linked players who have the old one. A manager may have put
    /// another name on a roster: that one stays.
    pub async fn change_my_user(&self, caller: &Caller, change: &UserChange) -> Result<User> {
        let work = async |_: &Db<_>| {
            let before = self.profile(caller).await?;
            let mut user = before.clone();
            user.first_name = change.first_name.clone().map_or(user.first_name, String::from);
            user.last_name = change.last_name.clone().map_or(user.last_name, String::from);
            user.email = email_of(caller, change.email.as_ref())?.unwrap_or(user.email);
            user.phone_number =
                change.phone_number.clone().map(String::from).apply(user.phone_number);
            user.updated_at = self.db.now();
            let mut transaction = self.transaction(user.updated_at);
            let (first, last) = (&before.first_name, &before.last_name);
            let is_as_read = User::FIRST_NAME.eq(first).and(User::LAST_NAME.eq(last));
            transaction.push(
                update(User::key(&user.user_id))
                    .set(User::FIRST_NAME, &user.first_name)
                    .set(User::LAST_NAME, &user.last_name)
                    .set(User::EMAIL, &user.email)
                    .set(User::PHONE_NUMBER, user.phone_number.clone())
                    .only_if(is_as_read),
            );
            if (&user.first_name, &user.last_name) != (first, last) {
                let mut players = self.db.query(Player::of_user(&user.user_id)).all().await?;
                players
                    .retain(|one| (&one.first_name, one.last_name.as_ref()) == (first, Some(last)));
                for player in players {
                    transaction.push(
                        update(Player::key(&player.team_id, &player.player_id))
                            .set(Player::FIRST_NAME, &user.first_name)
                            .set(Player::LAST_NAME, Some(user.last_name.clone()))
                            .only_if(Player::USER_ID.eq(&user.user_id)),
                    );
                }
            }
            transaction.run().await?;
            Ok(user)
        };
        self.db.attempt(work).await
    }

    pub async fn list_users(&self, caller: &Caller, paging: &Paging) -> Result<Page<User>> {
        caller.require_group(ADMIN_GROUP)?;
        let all = self.db.query(User::all().limit(paging.limit()));
        Ok(all.page(paging.cursor()?).await?.into())
    }

    pub async fn list_teams(&self, caller: &Caller, paging: &Paging) -> Result<Page<Team>> {
        caller.require_group(ADMIN_GROUP)?;
        let all = Team::all().limit(paging.limit()).filter(Team::DELETED_AT.missing());
        Ok(self.db.query(all).page(paging.cursor()?).await?.into())
    }

    pub async fn list_games(&self, caller: &Caller, paging: &Paging) -> Result<Page<GameView>> {
        caller.require_group(ADMIN_GROUP)?;
        let all = self.db.query(Game::all().limit(paging.limit()));
        Ok(Page::from(all.page(paging.cursor()?).await?).map(GameView::from))
    }

    /// Deleted teams are shown to their owners only.
    pub async fn my_teams(
        &self,
        caller: &Caller,
        paging: &Paging<100, 100>,
    ) -> Result<Page<MyTeam>> {
        let user_id: UserId = caller.id()?;
        let own = Membership::teams_of(&user_id).limit(paging.limit()).consistent();
        let page = Page::from(self.db.query(own).page(paging.cursor()?).await?);
        let keys = page.items.iter().map(|own| Team::key(&own.team_id).consistent());
        let mut teams = self.db.get_many(keys).await?.into_iter();
        Ok(page.filter_map(|membership| {
            let team = teams.next().flatten()?;
            let is_shown = team.deleted_at.is_none() || is_owner(&membership);
            is_shown.then(|| MyTeam {
                recoverable_until: team.deleted_at.map(|at| at.after(RECOVERY_TIME)),
                team,
                role: membership.role,
                status: membership.status,
                player_id: membership.player_id,
            })
        }))
    }
}

/// The address of the token wins.
fn email_of(caller: &Caller, given: Option<&Email>) -> Result<Option<String>> {
    let of_token = caller.email.as_ref().map(|text| text.parse::<Email>()).transpose();
    let of_token = of_token.map_err(|why| Error::invalid("/email", why))?;
    Ok(of_token.or_else(|| given.cloned()).map(String::from))
}

/// Counts a new team or linked player, if there is room.
pub(super) fn count_for_user(
    user: &User,
    team: Option<TeamType>,
    player: bool,
) -> Result<Update<User>> {
    let mut counted = update(User::key(&user.user_id));
    if team.is_some() {
        if user.team_count >= TEAMS_MAX {
            return Err(Error::TooManyTeams);
        }
        counted = counted.add(User::TEAM_COUNT, 1).only_if(User::TEAM_COUNT.lt(TEAMS_MAX));
    }
    if team == Some(TeamType::Personal) {
        if user.personal_count >= PERSONAL_TEAMS_MAX {
            return Err(Error::TooManyTeams);
        }
        let has_room = User::PERSONAL_COUNT.lt(PERSONAL_TEAMS_MAX);
        counted = counted.add(User::PERSONAL_COUNT, 1).only_if(has_room);
    }
    if player {
        if user.player_count >= LINKS_MAX {
            return Err(Error::TooManyLinks);
        }
        counted = counted.add(User::PLAYER_COUNT, 1).only_if(User::PLAYER_COUNT.lt(LINKS_MAX));
    }
    Ok(counted)
}
