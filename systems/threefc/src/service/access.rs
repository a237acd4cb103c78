//! Who may do what: the league, and the caller's grant in it.

use super::Service;
use super::find::Keys;
use crate::design::{
    Game, GameId, Grant, League, LeagueId, Player, PlayerId, Role, SeasonId, SeasonMirror,
    SessionId, SessionMirror, ThreeFcItem, UserId, Visibility,
};
use crate::error::Error;
use crate::text::is_user_id;
use singlet_web::access::Access;
use singlet_web::identity::Caller;
use singlet_web::problem::{Problem, UNAUTHENTICATED};

/// A league, and what the caller is in it.
pub(super) struct Scope {
    pub(super) league: League,
    /// The caller's grant.
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

    /// The caller's role.
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

    /// Refuses those who may not see the league: it is as if it did not exist.
    pub(super) fn require_reader(&self) -> Result<(), Error> {
        let may_read = self.league.visibility == Visibility::Public || self.grant.is_some();
        let access = self.access().also_from_visitors();
        Ok(access.require_if(may_read, "people of the league")?)
    }

    /// Refuses those who have neither this role nor a greater one.
    pub(super) fn require(&self, role: Role) -> Result<(), Error> {
        let article = match role {
            Role::Admin => "an admin",
            Role::Scorekeeper => "a scorekeeper or an admin",
            Role::Viewer => "a viewer",
        };
        let access = self.access();
        let who = format!("{article} of {}", self.league.name);
        Ok(access.require_if(access.has(role), who)?)
    }

    /// Refuses those who are not admins, unless it is about themselves.
    pub(super) fn require_admin_or_self(&self, user: &UserId) -> Result<(), Error> {
        let caller = self.caller.as_ref().map(user_id).transpose()?;
        match caller.as_ref() == Some(user) {
            true => self.require_reader(),
            false => self.require(Role::Admin),
        }
    }

    /// The grant by which the caller acts.
    pub(super) fn actor(&self) -> Result<&Grant, Error> {
        self.grant.as_ref().ok_or_else(self.missing)
    }
}

/// The caller as a user of this system.
pub(super) fn user_id(caller: &Caller) -> Result<UserId, Error> {
    let id: UserId = caller.id()?;
    if is_user_id(id.as_str()) {
        return Ok(id);
    }
    Err(Problem::new(&UNAUTHENTICATED).detail("The subject of the token is too long.").into())
}

impl Service {
    /// A league with the caller's grant; `missing` if there is none.
    pub(super) async fn scope(
        &self,
        league_id: &LeagueId,
        caller: Option<&Caller>,
        missing: fn() -> Error,
    ) -> Result<Scope, Error> {
        let mut keys = Keys::default();
        keys.add(&League::key(league_id))?;
        if let Some(caller) = caller {
            keys.add(&Grant::key(league_id, &user_id(caller)?))?;
        }
        let (league, grant) = league_and_grant(self.find(keys).await?);
        Ok(Scope::new(league.ok_or_else(missing)?, grant, caller, missing))
    }

    /// A league in which the caller has this role.
    pub(super) async fn league_scope(
        &self,
        league_id: &LeagueId,
        caller: &Caller,
        role: Role,
    ) -> Result<Scope, Error> {
        let scope = self.scope(league_id, Some(caller), || Error::LeagueNotFound).await?;
        scope.require(role)?;
        Ok(scope)
    }

    /// A season, and its league with the caller's grant.
    pub(super) async fn season_scope(
        &self,
        id: &SeasonId,
        caller: Option<&Caller>,
    ) -> Result<(SeasonMirror, Scope), Error> {
        let season = self.db.get(SeasonMirror::key(id).consistent()).await?;
        let season = season.ok_or(Error::SeasonNotFound)?;
        let scope = self.scope(&season.league_id, caller, || Error::SeasonNotFound).await?;
        Ok((season, scope))
    }

    /// A session, its season, and the league with the caller's grant.
    pub(super) async fn session_scope(
        &self,
        id: &SessionId,
        caller: Option<&Caller>,
    ) -> Result<(SessionMirror, SeasonMirror, Scope), Error> {
        let session = self.db.get(SessionMirror::key(id).consistent()).await?;
        let session = session.ok_or(Error::SessionNotFound)?;
        let season = self.db.get(SeasonMirror::key(&session.season_id).consistent()).await?;
        let season = season.ok_or(Error::SessionNotFound)?;
        let scope = self.scope(&season.league_id, caller, || Error::SessionNotFound).await?;
        Ok((session, season, scope))
    }
}

/// What is asked before an answer is repeated: whether the caller still has the role that the
/// operation needs.
impl Service {
    /// Refuses callers who do not have this role in a league.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`], or 403.
    pub async fn check_league(
        &self,
        caller: &Caller,
        id: &LeagueId,
        role: Role,
    ) -> Result<(), Error> {
        self.league_scope(id, caller, role).await.map(|_| ())
    }

    /// Refuses callers who are neither admins of a league nor this user.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`], or 403.
    pub async fn check_grant(
        &self,
        caller: &Caller,
        id: &LeagueId,
        user: &UserId,
    ) -> Result<(), Error> {
        let scope = self.scope(id, Some(caller), || Error::LeagueNotFound).await?;
        scope.require_admin_or_self(user)
    }

    /// Refuses callers who are not admins of the league of a season.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`], or 403.
    pub async fn check_season_admin(&self, caller: &Caller, id: &SeasonId) -> Result<(), Error> {
        self.season_scope(id, Some(caller)).await?.1.require(Role::Admin)
    }

    /// Refuses callers who are not admins of the league of a session.
    ///
    /// # Errors
    ///
    /// [`Error::SessionNotFound`], or 403.
    pub async fn check_session_admin(&self, caller: &Caller, id: &SessionId) -> Result<(), Error> {
        self.session_scope(id, Some(caller)).await?.2.require(Role::Admin)
    }

    /// Refuses callers who are not admins of the league of a player.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`], or 403.
    pub async fn check_player_admin(&self, caller: &Caller, id: &PlayerId) -> Result<(), Error> {
        let player = self.db.get(Player::key(id).consistent()).await?;
        let league = player.ok_or(Error::PlayerNotFound)?.league_id;
        let scope = self.scope(&league, Some(caller), || Error::PlayerNotFound).await?;
        scope.require(Role::Admin)
    }

    /// Refuses callers who do not have this role in the league of a game.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`], or 403.
    pub async fn check_game(&self, caller: &Caller, id: &GameId, role: Role) -> Result<(), Error> {
        let game = self.db.get(Game::key(id).consistent()).await?.ok_or(Error::GameNotFound)?;
        let scope = self.scope(&game.league_id, Some(caller), || Error::GameNotFound).await?;
        scope.require(role)
    }
}

/// The league and the grant among items.
pub(super) fn league_and_grant(items: Vec<ThreeFcItem>) -> (Option<League>, Option<Grant>) {
    let (mut league, mut grant) = (None, None);
    for item in items {
        match item {
            ThreeFcItem::League(found) => league = Some(found),
            ThreeFcItem::Grant(found) => grant = Some(found),
            _ => {}
        }
    }
    (league, grant)
}
