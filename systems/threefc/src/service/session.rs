//! Sessions: match days.

use super::changes::Changes;
use super::input::{NewSession, SessionChange};
use super::{ATTEMPTS_MAX, Service};
use crate::design::{
    GameLink, Role, SESSIONS_MAX, SeasonId, SeasonMirror, Session, SessionGames, SessionId,
    SessionMirror,
};
use crate::error::Error;
use crate::text::{parse_optional, parse_text};
use singlet_web::api::Change;
use singlet_web::identity::Caller;

impl Service {
    /// 10: createSession.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::LimitReached`].
    pub async fn create_session(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        new: &NewSession,
    ) -> Result<SessionMirror, Error> {
        let id: SessionId = self.chosen_or_new("/sessionId", new.session_id.as_deref())?;
        let work = |_| self.try_create_session(caller, season_id, &id, new);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_create_session(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        session_id: &SessionId,
        new: &NewSession,
    ) -> Result<SessionMirror, Error> {
        let (mut season, scope) = self.season_scope(season_id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        if season.sessions >= SESSIONS_MAX {
            return Err(Error::limit(SESSIONS_MAX, "sessions in a season"));
        }
        season.sessions += 1;
        let now = self.db.now();
        let mirror = SessionMirror {
            season_id: season_id.clone(),
            session_id: session_id.clone(),
            session_date: new.session_date,
            venue: parse_optional("/venue", new.venue.as_deref(), 60)?,
            games: 0,
            created_at: now,
            updated_at: now,
        };
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&season);
        changes.create(&mirror, Error::IdTaken);
        changes.create(&Session::from(&mirror), Error::IdTaken);
        changes.run().await?;
        Ok(mirror)
    }

    /// 10: listSessions, by date and id.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn sessions(
        &self,
        caller: Option<&Caller>,
        season_id: &SeasonId,
    ) -> Result<Vec<Session>, Error> {
        let (_, scope) = self.season_scope(season_id, caller).await?;
        scope.require_reader()?;
        self.sessions_of(season_id).await
    }

    /// 11: updateSession.
    ///
    /// # Errors
    ///
    /// [`Error::SessionNotFound`].
    pub async fn update_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        change: &SessionChange,
    ) -> Result<SessionMirror, Error> {
        self.db.attempt(|_| self.try_update_session(caller, id, change)).times(ATTEMPTS_MAX).await
    }

    async fn try_update_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        change: &SessionChange,
    ) -> Result<SessionMirror, Error> {
        let (before, _, scope) = self.session_scope(id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        let mut mirror = before.clone();
        mirror.session_date = change.session_date.unwrap_or(mirror.session_date);
        match &change.venue {
            Change::Keep => {}
            Change::Remove => mirror.venue = None,
            Change::Set(venue) => mirror.venue = Some(parse_text("/venue", venue, 1..=60)?),
        }
        if mirror != before {
            let session = self.stored_session(&mirror).await?;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&Session {
                created_at: session.created_at,
                updated_at: session.updated_at,
                ..Session::from(&mirror)
            });
            changes.rewrite(&mirror);
            changes.run().await?;
        }
        Ok(mirror)
    }

    /// The session in the list of its season.
    async fn stored_session(&self, mirror: &SessionMirror) -> Result<Session, Error> {
        let key = Session::key(&mirror.season_id, &mirror.session_id);
        self.db.get(key.consistent()).await?.ok_or_else(Error::changed)
    }

    /// 11: deleteSession.
    ///
    /// # Errors
    ///
    /// [`Error::SessionNotEmpty`].
    pub async fn delete_session(&self, caller: &Caller, id: &SessionId) -> Result<(), Error> {
        self.db.attempt(|_| self.try_delete_session(caller, id)).times(ATTEMPTS_MAX).await
    }

    async fn try_delete_session(&self, caller: &Caller, id: &SessionId) -> Result<(), Error> {
        let (mirror, mut season, scope) = self.session_scope(id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        if mirror.games > 0 {
            return Err(Error::SessionNotEmpty);
        }
        season.sessions = season.sessions.saturating_sub(1);
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&season);
        changes.delete(&mirror);
        changes.delete(&self.stored_session(&mirror).await?);
        changes.run().await
    }

    /// 13: listGames of a session, in the order of their start.
    ///
    /// # Errors
    ///
    /// [`Error::SessionNotFound`].
    pub async fn games(
        &self,
        caller: Option<&Caller>,
        id: &SessionId,
    ) -> Result<Vec<GameLink>, Error> {
        let found = self.db.load(SessionGames::of(id).consistent()).await?;
        let found = found.ok_or(Error::SessionNotFound)?;
        let key = SeasonMirror::key(&found.session.season_id).consistent();
        let season = self.db.get(key).await?.ok_or(Error::SessionNotFound)?;
        let scope = self.scope(&season.league_id, caller, || Error::SessionNotFound).await?;
        scope.require_reader()?;
        Ok(found.games)
    }
}
