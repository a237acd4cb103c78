//! Seasons, their teams and sessions.

use super::league::OfLeague;
use super::{Shared, id_of, paths};
use crate::design::{SeasonId, SeasonMirror, Session, SessionId, SessionMirror, Team, TeamId};
use crate::error::Error;
use crate::live;
use crate::rules::Boards;
use crate::service::input::{
    NewGame, NewSeason, NewSession, NewTeam, SeasonChange, SessionChange, TeamChange,
};
use crate::view::{GameRow, GameView, PlayerRef, SeasonView, StandingsView};
use singlet_web::prelude::*;

paths! {
    /// Of a season.
    OfSeason {
        /// The id of the season.
        season,
    }

    /// Of a team.
    OfTeam {
        /// The id of the season.
        season,
        /// The id of the team.
        team,
    }

    /// Of a session.
    OfSession {
        /// The id of the session.
        session,
    }
}

impl OfSeason {
    fn id(&self) -> Result<SeasonId, Error> {
        id_of(&self.season, Error::SeasonNotFound)
    }
}

impl OfSession {
    fn id(&self) -> Result<SessionId, Error> {
        id_of(&self.session, Error::SessionNotFound)
    }
}

pub(super) async fn create_season(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    new: Body<NewSeason>,
) -> Result<Created<SeasonMirror>, Error> {
    let league = id_of(&of.league, Error::LeagueNotFound)?;
    let season = shared.service.create_season(&caller, &league, &new).await?;
    Ok(Created::at(format!("/v1/seasons/{}", season.season_id), season))
}

pub(super) async fn season(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
) -> Result<Json<SeasonView>, Error> {
    Ok(Json(shared.service.season(caller.as_ref(), &of.id()?).await?))
}

pub(super) async fn standings(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
) -> Result<Json<StandingsView>, Error> {
    let items = shared.service.standings(caller.as_ref(), &of.id()?).await?;
    Ok(Json(StandingsView { items }))
}

pub(super) async fn leaderboards(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
) -> Result<Json<Boards<PlayerRef>>, Error> {
    Ok(Json(shared.service.leaderboards(caller.as_ref(), &of.id()?).await?))
}

pub(super) async fn update_season(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSeason>,
    change: Body<SeasonChange>,
) -> Result<Json<SeasonMirror>, Error> {
    Ok(Json(shared.service.update_season(&caller, &of.id()?, &change).await?))
}

pub(super) async fn delete_season(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSeason>,
) -> Result<NoContent, Error> {
    shared.service.delete_season(&caller, &of.id()?).await?;
    Ok(NoContent)
}

pub(super) async fn create_team(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSeason>,
    new: Body<NewTeam>,
) -> Result<Created<Team>, Error> {
    let season = of.id()?;
    let team = shared.service.create_team(&caller, &season, &new).await?;
    Ok(Created::at(format!("/v1/seasons/{season}/teams"), team))
}

pub(super) async fn list_teams(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
) -> Result<Json<Page<Team>>, Error> {
    let items = shared.service.teams(caller.as_ref(), &of.id()?).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn update_team(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    change: Body<TeamChange>,
) -> Result<Json<Team>, Error> {
    let season = id_of(&of.season, Error::SeasonNotFound)?;
    let team: TeamId = id_of(&of.team, Error::TeamNotFound)?;
    Ok(Json(shared.service.update_team(&caller, &season, &team, &change).await?))
}

pub(super) async fn create_session(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSeason>,
    new: Body<NewSession>,
) -> Result<Created<SessionMirror>, Error> {
    let session = shared.service.create_session(&caller, &of.id()?, &new).await?;
    Ok(Created::at(format!("/v1/sessions/{}/games", session.session_id), session))
}

pub(super) async fn list_sessions(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
) -> Result<Json<Page<Session>>, Error> {
    let items = shared.service.sessions(caller.as_ref(), &of.id()?).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn update_session(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSession>,
    change: Body<SessionChange>,
) -> Result<Json<SessionMirror>, Error> {
    Ok(Json(shared.service.update_session(&caller, &of.id()?, &change).await?))
}

pub(super) async fn delete_session(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSession>,
) -> Result<NoContent, Error> {
    shared.service.delete_session(&caller, &of.id()?).await?;
    Ok(NoContent)
}

pub(super) async fn create_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSession>,
    new: Body<NewGame>,
) -> Result<Created<GameView>, Error> {
    let game = shared.service.create_game(&caller, &of.id()?, &new).await?;
    Ok(Created::at(format!("/v1/games/{}", game.game_id), game))
}

pub(super) async fn list_games(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSession>,
) -> Result<Json<Page<GameRow>>, Error> {
    let items = shared.service.games(caller.as_ref(), &of.id()?).await?;
    Ok(Json(Page { items, next: None }.map(|link| GameRow { updated_at: link.updated_at, link })))
}

pub(super) async fn watch_season(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfSeason>,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let id = of.id()?;
    shared.service.check_season_reader(caller.as_ref(), &id).await?;
    let subscription = shared.live.subscribe(live::season_topic(&id), last).await?;
    let service = shared.service;
    Ok(EventStream::new(subscription).recheck(move || {
        let (service, caller, id) = (service.clone(), caller.clone(), id.clone());
        async move { Ok(service.check_season_reader(caller.as_ref(), &id).await?) }
    }))
}

pub(super) async fn check_season_admin(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSeason>,
) -> Result<NoContent, Error> {
    shared.service.check_season_admin(&caller, &of.id()?).await.map(|()| NoContent)
}

pub(super) async fn check_session_admin(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSession>,
) -> Result<NoContent, Error> {
    shared.service.check_session_admin(&caller, &of.id()?).await.map(|()| NoContent)
}
