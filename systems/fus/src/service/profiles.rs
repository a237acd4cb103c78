//! Profiles: what people show of themselves, and when they signed in.

use super::{Service, parse_user, texts, user_of};
use crate::design::{Profile, UserId};
use crate::error::Error;
use crate::rules::Permission;
use crate::view::{Me, Person, UserView, avatar_url, display_name, stand_in_name};
use singlet::prelude::*;
use singlet_web::identity::Caller;

/// How many people are shown to pick from.
const PEOPLE_MAX: usize = 20;

/// When somebody signed in, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The token's `auth_time`, or else its `iat`.
    pub at: Timestamp,
    /// The address that the server sees.
    pub ip: Option<String>,
}

impl Service {
    /// 16: notes that somebody has signed in, unless a later time is stored, and makes their
    /// profile the first time.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn record_login(&self, caller: &Caller, sign_in: &SignIn) -> Result<Me, Error> {
        let user = user_of(caller)?;
        self.retrying(|| self.try_record_login(caller, &user, sign_in)).await?;
        self.me(caller).await
    }

    async fn try_record_login(
        &self,
        caller: &Caller,
        user: &UserId,
        sign_in: &SignIn,
    ) -> Result<(), Error> {
        let Some(profile) = self.db.get(Profile::key(user).consistent()).await? else {
            return Ok(self
                .db
                .run(create(&new_profile(caller, user, sign_in, self.db.now())))
                .await?);
        };
        if profile.last_login_at.is_some_and(|stored| stored >= sign_in.at) {
            return Ok(());
        }
        let is_later = Profile::LAST_LOGIN_AT.missing().or(Profile::LAST_LOGIN_AT.lt(sign_in.at));
        let noted = update(Profile::key(user))
            .set(Profile::LAST_LOGIN_AT, sign_in.at)
            .set(Profile::LAST_LOGIN_IP, sign_in.ip.clone())
            .only_if(is_later);
        Ok(self.db.run(noted).await?)
    }

    /// The caller's profile, which is made if it is missing.
    pub(super) async fn own_profile(
        &self,
        caller: &Caller,
        sign_in: &SignIn,
    ) -> Result<Profile, Error> {
        let user = user_of(caller)?;
        if let Some(profile) = self.db.get(Profile::key(&user).consistent()).await? {
            return Ok(profile);
        }
        self.retrying(|| self.try_record_login(caller, &user, sign_in)).await?;
        let made = self.db.get(Profile::key(&user).consistent()).await?;
        made.ok_or_else(Error::changed)
    }

    /// 17: changes what others see. Repeating it writes nothing.
    ///
    /// # Errors
    ///
    /// If the name cannot be shown.
    pub async fn update_profile(
        &self,
        caller: &Caller,
        sign_in: &SignIn,
        display_name: &str,
        description: &str,
    ) -> Result<Me, Error> {
        let name = texts::name("/displayName", display_name, 40)?;
        let description = texts::lines("/description", description, 0..=500)?;
        let profile = self.own_profile(caller, sign_in).await?;
        if profile.display_name != name || profile.description != description {
            let changed = update(Profile::key(&profile.sub))
                .set(Profile::ENTITY_SK, Profile::sort_key(&name, &profile.sub))
                .set(Profile::DISPLAY_NAME, name)
                .set(Profile::DESCRIPTION, description)
                .set(Profile::UPDATED_AT, self.db.now());
            self.db.run(changed).await?;
        }
        self.me(caller).await
    }

    /// R9: the caller, with what they may do.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn me(&self, caller: &Caller) -> Result<Me, Error> {
        let rights = self.rights(caller).await?;
        let profile = self.db.get(Profile::key(&rights.user).consistent()).await?;
        let profile = profile.as_ref();
        let last_login_at = profile.and_then(|profile| profile.last_login_at);
        Ok(Me {
            user_id: rights.user.to_string(),
            display_name: match profile {
                None => claimed_name(caller, &rights.user),
                some => display_name(&rights.user, some),
            },
            description: profile.map(|one| one.description.clone()).unwrap_or_default(),
            avatar_url: profile.and_then(avatar_url),
            last_login_at: last_login_at.map(|at| at.to_string()),
            last_login_ip: profile.and_then(|profile| profile.last_login_ip.clone()),
            roles: rights.roles.iter().copied().collect(),
            permissions: rights.permissions.iter().copied().collect(),
            groups: rights.groups.iter().map(|group| group.name.to_string()).collect(),
            squash: rights.squash,
        })
    }

    /// R9: somebody. When they signed in is for themselves and for those with logins.read.
    ///
    /// # Errors
    ///
    /// [`Error::UserNotFound`] if nobody with this id has signed in.
    pub async fn user(&self, caller: Option<&Caller>, user: &str) -> Result<UserView, Error> {
        let id = parse_user(user).ok_or(Error::UserNotFound)?;
        // Whoever has no id here sees what visitors see.
        let sees_login = match caller.filter(|caller| user_of(caller).is_ok()) {
            None => false,
            Some(caller) => {
                let rights = self.rights(caller).await?;
                rights.user == id || rights.has(Permission::ReadLogins)
            }
        };
        let profile = self.db.get(Profile::key(&id).consistent()).await?;
        Ok(UserView::new(profile.ok_or(Error::UserNotFound)?, sees_login))
    }

    /// R9: people whose names begin so, at most 20.
    ///
    /// # Errors
    ///
    /// If the caller may not see people.
    pub async fn people(&self, caller: &Caller, prefix: &str) -> Result<Vec<Person>, Error> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        let prefix = Profile::searched_name(prefix.trim());
        let people = match prefix.is_empty() {
            true => self.db.query(Profile::people().limit(PEOPLE_MAX)).all().await?,
            false => {
                let named = Profile::people().starting_with(prefix).limit(PEOPLE_MAX);
                self.db.query(named).all().await?
            }
        };
        let shown = people.into_iter().map(|profile| Person {
            user_id: profile.sub.to_string(),
            display_name: profile.display_name,
        });
        Ok(shown.collect())
    }
}

/// The name in the token, or one made of the subject.
fn claimed_name(caller: &Caller, user: &UserId) -> String {
    let name = caller.name.as_deref().and_then(|name| texts::name("/name", name, 40).ok());
    name.unwrap_or_else(|| stand_in_name(user))
}

fn new_profile(caller: &Caller, user: &UserId, sign_in: &SignIn, now: Timestamp) -> Profile {
    let display_name = claimed_name(caller, user);
    Profile {
        entity_sk: Profile::sort_key(&display_name, user),
        sub: user.clone(),
        display_name,
        description: String::new(),
        avatar_key: None,
        updated_at: now,
        group_count: 0,
        last_login_at: Some(sign_in.at),
        last_login_ip: sign_in.ip.clone(),
    }
}
