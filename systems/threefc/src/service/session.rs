//! Sessions: match days.

use super::changes::Changes;
use super::input::{NewSession, SessionChange};
use super::{ADMIN, Need, Service};
use crate::design::*;
use crate::error::{Error, Result};
use singlet_web::identity::Caller;

impl Service {
    /// 10: createSession.
    pub async fn create_session(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        new: &NewSession,
    ) -> Result<SessionMirror> {
        let session_id = self.chosen_or_new(new.session_id.as_ref())?;
        self.attempt(async |_| {
            let (mut season, _) = self.season_for(Some(caller), season_id, ADMIN).await?;
            if season.sessions >= SESSIONS_MAX {
                return Err(Error::limit(SESSIONS_MAX, "sessions in a season"));
            }
            season.sessions += 1;
            let now = self.db.now();
            let mirror = SessionMirror {
                season_id: season_id.clone(),
                session_id: session_id.clone(),
                session_date: new.session_date,
                venue: new.venue.clone().map(String::from),
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
        })
        .await
    }

    /// 10: listSessions, by date and id.
    pub async fn sessions(
        &self,
        caller: Option<&Caller>,
        season_id: &SeasonId,
    ) -> Result<Vec<Session>> {
        self.season_for(caller, season_id, Need::Read).await?;
        let mut sessions = self.db.query(Session::of_season(season_id).consistent()).all().await?;
        sessions.sort_by_key(|session| (session.session_date, session.session_id.clone()));
        Ok(sessions)
    }

    /// 11: updateSession.
    pub async fn update_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        change: &SessionChange,
    ) -> Result<SessionMirror> {
        self.attempt(async |_| {
            let (before, _) = self.session_admin(caller, id).await?;
            let mut mirror = before.clone();
            mirror.session_date = change.session_date.unwrap_or(mirror.session_date);
            mirror.venue = change.venue.clone().map(String::from).apply(mirror.venue.take());
            if mirror != before {
                let mut changes = Changes::new(&self.db);
                changes.rewrite_both(&mirror, &Session::from(&mirror));
                changes.run().await?;
            }
            Ok(mirror)
        })
        .await
    }

    /// 11: deleteSession.
    pub async fn delete_session(&self, caller: &Caller, id: &SessionId) -> Result<()> {
        self.attempt(async |_| {
            let (mirror, mut season) = self.session_admin(caller, id).await?;
            if mirror.games > 0 {
                return Err(Error::SessionNotEmpty);
            }
            season.sessions = season.sessions.saturating_sub(1);
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&season);
            changes.delete(&mirror);
            changes.delete_guarded(&Session::from(&mirror));
            changes.run().await
        })
        .await
    }

    /// 13: listGames of a session, in the order of their start.
    pub async fn games(&self, caller: Option<&Caller>, id: &SessionId) -> Result<Vec<GameLink>> {
        let found = self.db.load(SessionGames::of(id).consistent()).await?;
        let found = found.ok_or(Error::SessionNotFound)?;
        self.season_of(caller, &found.session, Need::Read).await?;
        Ok(found.games)
    }
}
