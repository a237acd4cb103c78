//! Who may do what: the league, and the caller's grant in it.

use super::Service;
use crate::design::*;
use crate::error::{Error, Result};
use singlet::Key;
use singlet::prelude::*;
use singlet_web::access::Access;
use singlet_web::identity::Caller;
use singlet_web::problem::{Problem, UNAUTHENTICATED};

/// The subject of a token has at most 255 characters, and each may be percent-encoded.
const USER_ID_BYTES_MAX: usize = 3 * 255;

/// What an operation needs of its caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Any role, or a public league.
    Read,
    /// This role or a greater one.
    Role(Role),
}

pub(crate) const SCOREKEEPER: Need = Need::Role(Role::Scorekeeper);
pub(crate) const ADMIN: Need = Need::Role(Role::Admin);

/// A league, and the caller's grant in it.
pub(crate) struct Scope {
    pub(super) league: League,
    pub(super) grant: Option<Grant>,
    caller: Option<Caller>,
    missing: fn() -> Error,
}

impl Scope {
    pub(super) fn new(
        league: League,
        grant: Option<Grant>,
        caller: Option<&Caller>,
        missing: fn() -> Error,
    ) -> Self {
        Self { league, grant, caller: caller.cloned(), missing }
    }

    pub(super) fn role(&self) -> Option<Role> {
        self.grant.as_ref().map(|grant| grant.role)
    }

    pub(super) fn is_admin(&self) -> bool {
        self.role() == Some(Role::Admin)
    }

    fn access(&self) -> Access<Role> {
        let access = Access::new(self.caller.as_ref(), self.role());
        match self.league.visibility {
            Visibility::Public => access,
            Visibility::Private => access.hidden_as((self.missing)()),
        }
    }

    /// Refuses callers without this permission. A private league is hidden from people without a
    /// role in it.
    pub(super) fn require(&self, need: Need) -> Result<()> {
        let access = self.access();
        let article = match need {
            Need::Read => {
                let may_read = self.league.visibility == Visibility::Public || self.grant.is_some();
                let access = access.also_from_visitors();
                return Ok(access.require_if(may_read, "people of the league")?);
            }
            Need::Role(Role::Admin) => "an admin",
            Need::Role(Role::Scorekeeper) => "a scorekeeper or an admin",
            Need::Role(Role::Viewer) => "a viewer",
        };
        let who = format!("{article} of {}", self.league.name);
        Ok(access.require_if(self.role().map(Need::Role) >= Some(need), who)?)
    }

    /// The grant by which the caller acts.
    pub(super) fn actor(&self) -> Result<&Grant> {
        self.grant.as_ref().ok_or_else(self.missing)
    }
}

pub(super) fn user_id(caller: &Caller) -> Result<UserId> {
    let id: UserId = caller.id()?;
    if id.as_str().len() <= USER_ID_BYTES_MAX {
        return Ok(id);
    }
    Err(Problem::new(&UNAUTHENTICATED).detail("The subject of the token is too long.").into())
}

/// What operations begin with. Routes use the checks too, before they repeat an answer.
impl Service {
    /// A league with the caller's grant; the error `missing` if there is none.
    pub(super) async fn scope(
        &self,
        league_id: &LeagueId,
        caller: Option<&Caller>,
        missing: fn() -> Error,
    ) -> Result<Scope> {
        let mut keys = Keys::new();
        keys.add(League::key(league_id))?;
        if let Some(caller) = caller {
            keys.add(Grant::key(league_id, user_id(caller)?))?;
        }
        let (mut league, mut grant) = (None, None);
        for item in self.db.get_all(keys.consistent()).await? {
            match item {
                ThreeFcItem::League(found) => league = Some(found),
                ThreeFcItem::Grant(found) => grant = Some(found),
                _ => {}
            }
        }
        Ok(Scope::new(league.ok_or_else(missing)?, grant, caller, missing))
    }

    /// An item with its league, for callers who have what is needed.
    async fn scoped<E: Stamped>(
        &self,
        key: Key<E>,
        league: fn(&E) -> &LeagueId,
        caller: Option<&Caller>,
        need: Need,
        missing: fn() -> Error,
    ) -> Result<(E, Scope)> {
        let item = self.db.get(key.consistent()).await?.ok_or_else(missing)?;
        let scope = self.scope(league(&item), caller, missing).await?;
        scope.require(need)?;
        Ok((item, scope))
    }

    pub(crate) async fn league_for(
        &self,
        caller: Option<&Caller>,
        id: &LeagueId,
        need: Need,
    ) -> Result<Scope> {
        let scope = self.scope(id, caller, || Error::LeagueNotFound).await?;
        scope.require(need)?;
        Ok(scope)
    }

    /// A league for its admins, and for people who act on their own grant.
    pub(crate) async fn league_of_user(
        &self,
        caller: &Caller,
        id: &LeagueId,
        user: &UserId,
    ) -> Result<Scope> {
        let need = if user_id(caller)? == *user { Need::Read } else { ADMIN };
        self.league_for(Some(caller), id, need).await
    }

    pub(crate) async fn season_for(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
        need: Need,
    ) -> Result<(SeasonMirror, Scope)> {
        let (key, missing) = (SeasonMirror::key(id), || Error::SeasonNotFound);
        self.scoped(key, |season| &season.league_id, caller, need, missing).await
    }

    /// The season of a session.
    pub(super) async fn season_of(
        &self,
        caller: Option<&Caller>,
        session: &SessionMirror,
        need: Need,
    ) -> Result<SeasonMirror> {
        let (key, missing) = (SeasonMirror::key(&session.season_id), || Error::SessionNotFound);
        let found = self.scoped(key, |season| &season.league_id, caller, need, missing).await?;
        Ok(found.0)
    }

    pub(crate) async fn session_admin(
        &self,
        caller: &Caller,
        id: &SessionId,
    ) -> Result<(SessionMirror, SeasonMirror)> {
        let session = self.db.get(SessionMirror::key(id).consistent()).await?;
        let session = session.ok_or(Error::SessionNotFound)?;
        let season = self.season_of(Some(caller), &session, ADMIN).await?;
        Ok((session, season))
    }

    pub(crate) async fn player_for(
        &self,
        caller: Option<&Caller>,
        id: &PlayerId,
        need: Need,
    ) -> Result<Player> {
        let (key, missing) = (Player::key(id), || Error::PlayerNotFound);
        Ok(self.scoped(key, |player| &player.league_id, caller, need, missing).await?.0)
    }

    pub(crate) async fn game_for(
        &self,
        caller: Option<&Caller>,
        id: &GameId,
        need: Need,
    ) -> Result<Game> {
        let (key, missing) = (Game::key(id), || Error::GameNotFound);
        Ok(self.scoped(key, |game| &game.league_id, caller, need, missing).await?.0)
    }
}
