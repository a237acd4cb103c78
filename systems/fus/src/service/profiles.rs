//! Profiles: what people show of themselves, and when they signed in.

use super::{Service, user_of};
use crate::design::{Profile, UserId};
use crate::error::{Error, Result};
use crate::rules::Permission;
use crate::view::{Me, Person, UserView, stand_in_name};
use singlet::prelude::*;
use singlet_web::prelude::*;

/// How many people are shown to pick from.
const PEOPLE_MAX: usize = 20;

/// Time (the token's `auth_time`, or else its `iat`) and address of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    pub at: Timestamp,
    pub ip: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewProfile {
    /// What others call you: 1 to 40 characters.
    pub display_name: Name<40>,
    /// What you say about yourself, in at most 500 characters.
    #[serde(default)]
    pub description: CleanText<500, 0>,
}

impl Service {
    /// 16: records a sign-in unless a later one is stored. Creates the profile on the first one.
    pub async fn record_login(&self, caller: &Caller, sign_in: &SignIn) -> Result<Me> {
        let user = user_of(caller)?;
        self.db.attempt(|_| self.try_record_login(caller, &user, sign_in)).await?;
        self.me(caller).await
    }

    async fn try_record_login(
        &self,
        caller: &Caller,
        user: &UserId,
        sign_in: &SignIn,
    ) -> Result<()> {
        let Some(profile) = self.db.get(Profile::key(user).consistent()).await? else {
            let new = new_profile(caller, user, sign_in, self.db.now());
            return Ok(self.db.run(create(&new)).await?);
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

    /// The caller's profile, created if missing.
    pub(super) async fn own_profile(&self, caller: &Caller, sign_in: &SignIn) -> Result<Profile> {
        let user = user_of(caller)?;
        if let Some(profile) = self.db.get(Profile::key(&user).consistent()).await? {
            return Ok(profile);
        }
        self.db.attempt(|_| self.try_record_login(caller, &user, sign_in)).await?;
        let made = self.db.get(Profile::key(&user).consistent()).await?;
        made.ok_or_else(Error::changed)
    }

    /// 17: changes what others see. Repeating it writes nothing.
    pub async fn update_profile(
        &self,
        caller: &Caller,
        sign_in: &SignIn,
        new: &NewProfile,
    ) -> Result<Me> {
        let (name, description) = (new.display_name.as_str(), new.description.as_str());
        let profile = self.own_profile(caller, sign_in).await?;
        if profile.display_name != name || profile.description != description {
            let changed = update(Profile::key(&profile.sub))
                .set(Profile::ENTITY_SK, Profile::sort_key(name, &profile.sub))
                .set(Profile::DISPLAY_NAME, name)
                .set(Profile::DESCRIPTION, description)
                .set(Profile::UPDATED_AT, self.db.now());
            self.db.run(changed).await?;
        }
        self.me(caller).await
    }

    /// R9: the caller and their rights. Works without a profile.
    pub async fn me(&self, caller: &Caller) -> Result<Me> {
        let rights = self.rights(caller).await?;
        let stored = self.db.get(Profile::key(&rights.user).consistent()).await?;
        let has_profile = stored.is_some();
        let profile = stored.unwrap_or_else(|| {
            let at = self.db.now();
            new_profile(caller, &rights.user, &SignIn { at, ip: None }, at)
        });
        Ok(Me {
            user: UserView::new(profile, has_profile),
            roles: rights.roles.into_iter().collect(),
            permissions: rights.permissions.into_iter().collect(),
            groups: rights.groups.into_iter().map(|group| group.name).collect(),
            squash: rights.squash,
        })
    }

    /// R9: a user. The last sign-in is visible to the user and to holders of logins.read.
    pub async fn user(&self, caller: Option<&Caller>, id: &UserId) -> Result<UserView> {
        // A caller without a valid id sees what visitors see.
        let sees_login = match caller.filter(|caller| user_of(caller).is_ok()) {
            None => false,
            Some(caller) => {
                let rights = self.rights(caller).await?;
                rights.user == *id || rights.has(Permission::ReadLogins)
            }
        };
        let profile = self.db.get(Profile::key(id).consistent()).await?;
        Ok(UserView::new(profile.ok_or(Error::UserNotFound)?, sees_login))
    }

    /// R9: up to 20 people whose names start with the prefix.
    pub async fn people(&self, caller: &Caller, prefix: &str) -> Result<Vec<Person>> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        let prefix = Profile::searched_name(prefix.trim());
        let people = match prefix.is_empty() {
            true => self.db.query(Profile::people().limit(PEOPLE_MAX)).all().await?,
            false => {
                let named = Profile::people().starting_with(prefix).limit(PEOPLE_MAX);
                self.db.query(named).all().await?
            }
        };
        let shown = people
            .into_iter()
            .map(|profile| Person { user_id: profile.sub, display_name: profile.display_name });
        Ok(shown.collect())
    }
}

/// The name comes from the token, or is derived from the subject.
fn new_profile(caller: &Caller, user: &UserId, sign_in: &SignIn, now: Timestamp) -> Profile {
    let name = caller.name.as_deref().and_then(|name| name.parse::<Name<40>>().ok());
    let display_name = name.map_or_else(|| stand_in_name(user), |name| name.as_str().to_owned());
    Profile {
        entity_sk: Profile::sort_key(&display_name, user),
        sub: user.clone(),
        display_name,
        description: String::new(),
        avatar_key: None,
        player_id: None,
        updated_at: now,
        group_count: 0,
        last_login_at: Some(sign_in.at),
        last_login_ip: sign_in.ip.clone(),
    }
}
