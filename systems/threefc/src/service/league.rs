//! Leagues.

use super::access::user_id;
use super::changes::Changes;
use super::input::{LeagueChange, Line, NewLeague};
use super::user::leave_league;
use super::{ADMIN, Need, Service};
use crate::design::*;
use crate::error::{ApiError as _, Error, Result};
use crate::view::{LeagueInfo, LeagueView, MyLeague};
use singlet::prelude::*;
use singlet::transaction::OPERATIONS_MAX;
use singlet::{Cursor, Page};
use singlet_web::identity::Caller;
use std::cmp::Reverse;
use std::collections::HashMap;

impl Service {
    /// 1: createLeague. The caller is its first admin.
    pub async fn create_league(&self, caller: &Caller, new: &NewLeague) -> Result<LeagueInfo> {
        let league_id: LeagueId = self.chosen_or_new(new.league_id.as_ref())?;
        let display_name = caller.display_name().parse::<Line<40>>();
        let display_name = display_name.map_err(|rule| Error::invalid("/displayName", rule))?;
        self.attempt(async |_| {
            let user_id = user_id(caller)?;
            let now = self.db.now();
            let league = League {
                league_id: league_id.clone(),
                name: new.name.clone().into(),
                city: new.city.clone().map(String::from),
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
                display_name: display_name.clone().into(),
                granted_by_user_id: user_id.clone(),
                created_at: now,
                updated_at: now,
            };
            let mut changes = Changes::new(&self.db);
            changes.create(&league, Error::IdTaken);
            changes.create(&grant, Error::IdTaken);
            changes.create(&GrantMirror::from(grant), Error::IdTaken);
            if league.visibility == Visibility::Public {
                changes.create(&Listing::from(&league), Error::IdTaken);
            }
            self.join_league(&mut changes, &user_id).await?;
            changes.run().await?;
            Ok(LeagueInfo::new(league, Some(Role::Admin)))
        })
        .await
    }

    /// 2: listLeagues: public leagues, by id.
    pub async fn list_leagues(
        &self,
        limit: usize,
        cursor: Option<Cursor<Listing>>,
    ) -> Result<Page<Listing, Listing>> {
        Ok(self.db.query(Listing::of().limit(limit)).page(cursor).await?)
    }

    /// 2: me: the caller's leagues, by id, one page of them.
    pub async fn me(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<Cursor<GrantMirror>>,
    ) -> Result<(UserId, Page<MyLeague, GrantMirror>)> {
        let user_id = user_id(caller)?;
        let grants = GrantMirror::of_user(&user_id).consistent().limit(limit);
        let Page { items: grants, next } = self.db.query(grants).page(cursor).await?;
        let mut keys = Keys::new();
        for grant in &grants {
            keys.add(League::key(&grant.league_id))?;
        }
        let found = self.db.get_all(keys.consistent()).await?;
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
    pub async fn league(&self, caller: Option<&Caller>, id: &LeagueId) -> Result<LeagueView> {
        let scope = self.league_for(caller, id, Need::Read).await?;
        let mut seasons = self.db.query(Season::of_league(id).consistent()).all().await?;
        seasons.sort_by_key(|season| (Reverse(season.starts_on), season.season_id.clone()));
        let my_role = scope.role();
        Ok(LeagueView { league: LeagueInfo::new(scope.league, my_role), seasons, my_role })
    }

    /// 4: updateLeague.
    pub async fn update_league(
        &self,
        caller: &Caller,
        id: &LeagueId,
        change: &LeagueChange,
    ) -> Result<LeagueInfo> {
        self.attempt(async |_| {
            let before = self.league_for(Some(caller), id, ADMIN).await?.league;
            let mut league = before.clone();
            if let Some(name) = &change.name {
                league.name = name.clone().into();
            }
            league.city = change.city.clone().map(String::from).apply(league.city.take());
            league.visibility = change.visibility.unwrap_or(league.visibility);
            if league != before {
                let mut changes = Changes::new(&self.db);
                changes.rewrite(&league);
                let stored = self.db.get(Listing::key(id).consistent()).await?;
                match (stored, league.visibility) {
                    (None, Visibility::Public) => {
                        changes.create(&Listing::from(&league), Error::changed());
                    }
                    (Some(stored), Visibility::Public) => {
                        let (name, city) = (league.name.clone(), league.city.clone());
                        changes.rewrite(&Listing { name, city, ..stored });
                    }
                    (Some(stored), Visibility::Private) => changes.delete(&stored),
                    (None, Visibility::Private) => {}
                }
                changes.run().await?;
            }
            Ok(LeagueInfo::new(league, Some(Role::Admin)))
        })
        .await
    }

    /// 4: deleteLeague, with its people and players.
    pub async fn delete_league(&self, caller: &Caller, id: &LeagueId) -> Result<()> {
        self.attempt(async |_| {
            let league = self.league_for(Some(caller), id, ADMIN).await?.league;
            if league.seasons > 0 {
                return Err(Error::LeagueNotEmpty);
            }
            let grants = self.db.query(Grant::of_league(id).consistent()).all().await?;
            let invites = self.db.query(Invitation::of_league(id).consistent()).all().await?;
            let players = self.db.query(LeaguePlayer::of_league(id).consistent()).all().await?;
            let mut changes = Changes::new(&self.db);
            changes.delete(&league);
            if league.visibility == Visibility::Public {
                changes.delete_guarded(&Listing::from(&league));
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
        })
        .await
    }
}
