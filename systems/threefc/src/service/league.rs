//! Leagues.

use super::access::user_id;
use super::changes::Changes;
use super::find::Keys;
use super::input::{LeagueChange, NewLeague};
use super::user::leave_league;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{
    Grant, GrantMirror, Invitation, League, LeagueId, LeaguePlayer, Listing, Player, Role, Season,
    ThreeFcItem, User, UserId, Visibility,
};
use crate::error::Error;
use crate::text::{parse_optional, parse_text};
use crate::view::{LeagueInfo, LeagueView, MyLeague};
use singlet::transaction::OPERATIONS_MAX;
use singlet::{Cursor, Page};
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use std::cmp::Reverse;
use std::collections::HashMap;

impl Service {
    /// 1: createLeague. The caller is its first admin.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::LimitReached`].
    pub async fn create_league(
        &self,
        caller: &Caller,
        new: &NewLeague,
    ) -> Result<LeagueInfo, Error> {
        let league_id: LeagueId = self.chosen_or_new("/leagueId", new.league_id.as_deref())?;
        let work = |_| self.try_create_league(caller, &league_id, new);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_create_league(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewLeague,
    ) -> Result<LeagueInfo, Error> {
        let user_id = user_id(caller)?;
        let now = self.db.now();
        let league = League {
            league_id: league_id.clone(),
            name: parse_text("/name", &new.name, 1..=60)?,
            city: parse_optional("/city", new.city.as_deref(), 40)?,
            visibility: new.visibility.unwrap_or_default(),
            created_by_user_id: user_id.clone(),
            admins: 1,
            grants: 1,
            invites: 0,
            seasons: 0,
            players: 0,
            created_at: now,
            updated_at: now,
        };
        let grant = Grant {
            league_id: league_id.clone(),
            user_id: user_id.clone(),
            role: Role::Admin,
            display_name: parse_text("/displayName", caller.display_name(), 1..=40)?,
            granted_by_user_id: user_id.clone(),
            created_at: now,
            updated_at: now,
        };
        let mut changes = Changes::new(&self.db);
        changes.create(&league, Error::IdTaken);
        changes.create(&grant, Error::IdTaken);
        changes.create(&GrantMirror::from(grant), Error::IdTaken);
        if league.visibility == Visibility::Public {
            changes.create(&listing(&league), Error::IdTaken);
        }
        self.join_league(&mut changes, &user_id).await?;
        changes.run().await?;
        Ok(LeagueInfo::new(&league, Some(Role::Admin)))
    }

    /// 2: listLeagues: public leagues, by id.
    ///
    /// # Errors
    ///
    /// If the cursor belongs to another list.
    pub async fn list_leagues(
        &self,
        limit: usize,
        cursor: Option<Cursor<Listing>>,
    ) -> Result<Page<Listing, Listing>, Error> {
        Ok(self.db.query(Listing::of().limit(limit)).page(cursor).await?)
    }

    /// 2: me: the caller's leagues, by id, one page of them.
    ///
    /// # Errors
    ///
    /// If the cursor belongs to another list.
    pub async fn me(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<Cursor<GrantMirror>>,
    ) -> Result<(UserId, Page<MyLeague, GrantMirror>), Error> {
        let user_id = user_id(caller)?;
        let grants = GrantMirror::of_user(&user_id).consistent().limit(limit);
        let Page { items: grants, next } = self.db.query(grants).page(cursor).await?;
        let mut keys = Keys::default();
        for grant in &grants {
            keys.add(&League::key(&grant.league_id))?;
        }
        let found = self.find(keys).await?;
        let names = found.into_iter().filter_map(|item| match item {
            ThreeFcItem::League(league) => Some((league.league_id, league.name)),
            _ => None,
        });
        let mut names: HashMap<LeagueId, String> = names.collect();
        let items = grants.into_iter().filter_map(|grant| {
            let name = names.remove(&grant.league_id)?;
            Some(MyLeague { league_id: grant.league_id, name, role: grant.role })
        });
        Ok((user_id, Page { items: items.collect(), next }))
    }

    /// 3: getLeague, with its seasons, the newest first.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`].
    pub async fn league(
        &self,
        caller: Option<&Caller>,
        id: &LeagueId,
    ) -> Result<LeagueView, Error> {
        let scope = self.scope(id, caller, || Error::LeagueNotFound).await?;
        scope.require_reader()?;
        let mut seasons = self.db.query(Season::of_league(id).consistent()).all().await?;
        seasons.sort_by_key(|season| (Reverse(season.starts_on), season.season_id.clone()));
        let league = LeagueInfo::new(&scope.league, scope.role());
        Ok(LeagueView { league, seasons, my_role: scope.role() })
    }

    /// 4: updateLeague.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`].
    pub async fn update_league(
        &self,
        caller: &Caller,
        id: &LeagueId,
        change: &LeagueChange,
    ) -> Result<LeagueInfo, Error> {
        self.db.attempt(|_| self.try_update_league(caller, id, change)).times(ATTEMPTS_MAX).await
    }

    async fn try_update_league(
        &self,
        caller: &Caller,
        id: &LeagueId,
        change: &LeagueChange,
    ) -> Result<LeagueInfo, Error> {
        let scope = self.league_scope(id, caller, Role::Admin).await?;
        let before = scope.league;
        let mut league = before.clone();
        if let Some(name) = &change.name {
            league.name = parse_text("/name", name, 1..=60)?;
        }
        match &change.city {
            Change::Keep => {}
            Change::Remove => league.city = None,
            Change::Set(city) => league.city = Some(parse_text("/city", city, 1..=40)?),
        }
        league.visibility = change.visibility.unwrap_or(league.visibility);
        if league != before {
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&league);
            let stored = self.db.get(Listing::key(id).consistent()).await?;
            match (stored, league.visibility) {
                (None, Visibility::Public) => changes.create(&listing(&league), Error::changed()),
                (Some(stored), Visibility::Public) => {
                    let (name, city) = (league.name.clone(), league.city.clone());
                    changes.rewrite(&Listing { name, city, ..stored });
                }
                (Some(stored), Visibility::Private) => changes.delete(&stored),
                (None, Visibility::Private) => {}
            }
            changes.run().await?;
        }
        Ok(LeagueInfo::new(&league, Some(Role::Admin)))
    }

    /// 4: deleteLeague, with its people and players.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotEmpty`], [`Error::LeagueTooLarge`].
    pub async fn delete_league(&self, caller: &Caller, id: &LeagueId) -> Result<(), Error> {
        self.db.attempt(|_| self.try_delete_league(caller, id)).times(ATTEMPTS_MAX).await
    }

    async fn try_delete_league(&self, caller: &Caller, id: &LeagueId) -> Result<(), Error> {
        let scope = self.league_scope(id, caller, Role::Admin).await?;
        if scope.league.seasons > 0 {
            return Err(Error::LeagueNotEmpty);
        }
        let grants = self.db.query(Grant::of_league(id).consistent()).all().await?;
        let invites = self.db.query(Invitation::of_league(id).consistent()).all().await?;
        let players = self.db.query(LeaguePlayer::of_league(id).consistent()).all().await?;
        let mut changes = Changes::new(&self.db);
        changes.delete(&scope.league);
        if scope.league.visibility == Visibility::Public {
            changes.delete_guarded(&listing(&scope.league));
        }
        let keys = grants.iter().map(|grant| User::key(&grant.user_id).consistent());
        let users: Vec<Option<User>> = self.db.get_many(keys).await?;
        for grant in grants {
            changes.delete_guarded(&grant);
            changes.delete_guarded(&GrantMirror::from(grant));
        }
        for user in users.into_iter().flatten() {
            leave_league(&mut changes, user);
        }
        for invite in &invites {
            changes.delete_guarded(invite);
        }
        for player in players {
            changes.delete_guarded(&player);
            changes.delete_guarded(&Player::from(player));
        }
        if changes.len() > OPERATIONS_MAX {
            return Err(Error::LeagueTooLarge);
        }
        changes.run().await
    }
}

fn listing(league: &League) -> Listing {
    Listing {
        league_id: league.league_id.clone(),
        name: league.name.clone(),
        city: league.city.clone(),
        created_at: league.created_at,
        updated_at: league.updated_at,
    }
}

/// Whether somebody is the only admin.
pub(super) fn is_last_admin(league: &League, grant: &Grant) -> bool {
    grant.role == Role::Admin && league.admins <= 1
}
