//! Seasons, their teams and sessions.

use super::league::as_admin;
use super::{App, Done, OfLeague, OfSeason, OfSession, Reply, Shared, whole};
use crate::design::*;
use crate::error::{Error, Result};
use crate::live;
use crate::rules::{Boards, StandingRow};
use crate::service::input::{
    NewGame, NewSeason, NewSession, NewTeam, SeasonChange, SessionChange, TeamChange,
};
use crate::service::{ADMIN, Need};
use crate::view::{GameRow, GameView, PlayerRef, SeasonView};
use singlet_web::api::{delete, get, patch, post};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::*;
    api.route(
        post("/v1/leagues/{league}/seasons", create_season)
            .about("Creates a season with teams.")
            .replay_if(as_admin)
            .problems([IdTaken, CodeTaken, LimitReached]),
    )
    .route(
        get("/v1/seasons/{season}", get_season)
            .about("Shows a season: table, leaderboards, teams and sessions."),
    )
    .route(
        get("/v1/seasons/{season}/standings", get_standings).about("Shows the table of a season."),
    )
    .route(
        get("/v1/seasons/{season}/leaderboards", get_leaderboards)
            .about("Shows the leaderboards of a season."),
    )
    .route(
        patch("/v1/seasons/{season}", update_season)
            .about("Changes a season.")
            .replay_if(as_season_admin),
    )
    .route(
        delete("/v1/seasons/{season}", delete_season)
            .about("Deletes a season without sessions, with its teams.")
            .problems([SeasonNotEmpty]),
    )
    .route(
        post("/v1/seasons/{season}/teams", create_team)
            .about("Creates a team.")
            .replay_if(as_season_admin)
            .problems([IdTaken, CodeTaken, LimitReached]),
    )
    .route(get("/v1/seasons/{season}/teams", list_teams).about("Lists the teams of a season."))
    .route(
        patch("/v1/seasons/{season}/teams/{team}", update_team)
            .about("Changes a team and its squad, or retires it.")
            .replay_if(as_team_admin)
            .problems([CodeTaken, PlayerNotFound, PlayerInOtherSquad]),
    )
    .route(
        post("/v1/seasons/{season}/sessions", create_session)
            .about("Creates a session: one match day.")
            .replay_if(as_season_admin)
            .problems([IdTaken, LimitReached]),
    )
    .route(
        get("/v1/seasons/{season}/sessions", list_sessions)
            .about("Lists the sessions of a season, by date."),
    )
    .route(
        patch("/v1/sessions/{session}", update_session)
            .about("Changes a session.")
            .replay_if(as_session_admin),
    )
    .route(
        delete("/v1/sessions/{session}", delete_session)
            .about("Deletes a session without games.")
            .problems([SessionNotEmpty]),
    )
    .route(
        post("/v1/sessions/{session}/games", create_game)
            .about("Creates a game, with rosters from the squads of its teams.")
            .replay_if(as_session_admin)
            .problems([IdTaken, TeamNotFound, TeamRetired, LimitReached]),
    )
    .route(
        get("/v1/sessions/{session}/games", list_games)
            .about("Lists the games of a session, in the order of their start."),
    )
    .route(get("/v1/seasons/{season}/live", watch_season).about(
        "Server-Sent Events: `ready`, then `gameRow` for each change of a game in the list of its \
         session, and `gameRemoved` when it leaves that list.",
    ))
}

forward! {
    update_season = update_season(season: SeasonId)[change: Body<SeasonChange>] -> SeasonMirror;
    delete_season = delete_season(season: SeasonId);
    update_team = update_team(season: SeasonId, team: TeamId)[change: Body<TeamChange>] -> Team;
    update_session = update_session(session: SessionId)[change: Body<SessionChange>] -> SessionMirror;
    delete_session = delete_session(session: SessionId);
}

async fn create_season(
    app: App,
    by: Caller,
    league: OfLeague,
    new: Body<NewSeason>,
) -> Result<Created<SeasonMirror>> {
    let season = app.create_season(&by, &league, &new).await?;
    Ok(Created::at(format!("/v1/seasons/{}", season.season_id), season))
}

async fn get_season(app: App, by: Option<Caller>, id: OfSeason) -> Reply<SeasonView> {
    app.season(by.as_ref(), &id).await.map(Json)
}

async fn get_standings(app: App, by: Option<Caller>, id: OfSeason) -> Reply<Page<StandingRow>> {
    Ok(whole(app.standings(by.as_ref(), &id).await?))
}

async fn get_leaderboards(app: App, by: Option<Caller>, id: OfSeason) -> Reply<Boards<PlayerRef>> {
    app.leaderboards(by.as_ref(), &id).await.map(Json)
}

async fn create_team(
    app: App,
    by: Caller,
    season: OfSeason,
    new: Body<NewTeam>,
) -> Result<Created<Team>> {
    let team = app.create_team(&by, &season, &new).await?;
    Ok(Created::at(format!("/v1/seasons/{}/teams", season.0), team))
}

async fn list_teams(app: App, by: Option<Caller>, season: OfSeason) -> Reply<Page<Team>> {
    Ok(whole(app.teams(by.as_ref(), &season).await?))
}

async fn create_session(
    app: App,
    by: Caller,
    season: OfSeason,
    new: Body<NewSession>,
) -> Result<Created<SessionMirror>> {
    let session = app.create_session(&by, &season, &new).await?;
    Ok(Created::at(format!("/v1/sessions/{}/games", session.session_id), session))
}

async fn list_sessions(app: App, by: Option<Caller>, season: OfSeason) -> Reply<Page<Session>> {
    Ok(whole(app.sessions(by.as_ref(), &season).await?))
}

async fn create_game(
    app: App,
    by: Caller,
    session: OfSession,
    new: Body<NewGame>,
) -> Result<Created<GameView>> {
    let game = app.create_game(&by, &session, &new).await?;
    Ok(Created::at(format!("/v1/games/{}", game.game_id), game))
}

async fn list_games(app: App, by: Option<Caller>, session: OfSession) -> Reply<Page<GameRow>> {
    Ok(whole(app.games(by.as_ref(), &session).await?))
}

async fn watch_season(
    app: App,
    by: Option<Caller>,
    id: OfSeason,
    last: LastEventId,
) -> Result<EventStream> {
    app.season_for(by.as_ref(), &id, Need::Read).await?;
    let subscription = app.live.subscribe(live::season_topic(&id), last).await?;
    Ok(EventStream::new(subscription).recheck(move || {
        let (app, by, id) = (app.clone(), by.clone(), id.clone());
        async move { Ok(app.season_for(by.as_ref(), &id, Need::Read).await.map(|_| ())?) }
    }))
}

async fn as_season_admin(app: App, by: Caller, season: OfSeason) -> Done {
    app.season_for(Some(&by), &season, ADMIN).await.map(|_| NoContent)
}

async fn as_team_admin(app: App, by: Caller, Path((season, _)): Path<(SeasonId, TeamId)>) -> Done {
    app.season_for(Some(&by), &season, ADMIN).await.map(|_| NoContent)
}

async fn as_session_admin(app: App, by: Caller, session: OfSession) -> Done {
    app.session_admin(&by, &session).await.map(|_| NoContent)
}
