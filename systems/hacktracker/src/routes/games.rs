//! Games: schedule, lineup, status, live feed.

use super::{
    OfGame, OfSeason, OfTeam, Shared, check_manager, check_scorekeeper, of_game, of_revision,
    of_team,
};
use crate::design::Role;
use crate::error::Error;
use crate::input::{GameChange, NewGame, NewLineup, NewScore, StatusChange};
use crate::live;
use crate::rules::status::Verb;
use crate::view::{GameDetail, GameView, List, ScoringView};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{
    Api, Body, Created, Json, LastEventId, NoContent, Path, Query, delete, get, patch, post, put,
};
use singlet_web::identity::Caller;
use singlet_web::live::EventStream;
use singlet_web::problem::Problem;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    statuses(api)
        .route(of_team(
            post("/teams/{team}/games", create_game)
                .idempotent()
                .replay_if(check_manager)
                .describe("createGame", "Schedules a game.")
                .problems([Error::TooManyGames]),
        ))
        .route(of_team(
            get("/teams/{team}/games", schedule)
                .describe("listSchedule", "Shows the schedule with results."),
        ))
        .route(of_game(
            get("/games/{game}", show_game)
                .describe("getGame", "Shows a game with its at-bats, box score and line score."),
        ))
        .route(of_revision(
            patch("/games/{game}", change_game)
                .describe("changeGame", "Changes date, opponent, place, season or innings."),
        ))
        .route(of_game(
            delete("/games/{game}", delete_game)
                .describe("deleteGame", "Deletes a game without at-bats.")
                .problems([Error::GameHasAtBats, Error::GameMovedOn]),
        ))
        .route(of_revision(
            put("/games/{game}/lineup", set_lineup)
                .describe("setLineup", "Replaces the lineup.")
                .problems([Error::LineupInvalid, Error::PersonalTeam]),
        ))
        .route(of_revision(
            put("/games/{game}/score", set_score)
                .describe("setScore", "Sets the score by hand.")
                .problems([Error::ScoreDerived]),
        ))
        .route(of_game(get("/games/{game}/events", watch).describe(
            "watchGame",
            "Everything that happens in the game, after its present state.",
        )))
}

fn statuses(api: Api<Shared>) -> Api<Shared> {
    api.route(of_status(
        post("/games/{game}/start", start)
            .idempotent()
            .describe("startGame", "Starts a game that is scheduled."),
    ))
    .route(of_status(
        post("/games/{game}/finish", finish)
            .idempotent()
            .describe("finishGame", "Finishes a game."),
    ))
    .route(of_status(
        post("/games/{game}/reopen", reopen)
            .idempotent()
            .describe("reopenGame", "Goes on with a game that was finished."),
    ))
    .route(of_status(
        post("/games/{game}/postpone", postpone)
            .idempotent()
            .describe("postponeGame", "Postpones a game. At-bats, state and score are kept."),
    ))
    .route(of_status(
        post("/games/{game}/reschedule", reschedule)
            .idempotent()
            .describe("rescheduleGame", "Gives a postponed game a new date."),
    ))
}

#[derive(Deserialize, JsonSchema)]
struct SeenRevision {
    /// The revision that the client has seen, if it matters.
    revision: Option<u64>,
}

fn of_status(route: singlet_web::api::Route<Shared>) -> singlet_web::api::Route<Shared> {
    of_revision(route).replay_if(check_scorekeeper).problems([Error::LineupInvalid])
}

async fn create_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    new: Body<NewGame>,
) -> Result<Created<GameView>, Error> {
    let game = shared.service.create_game(&caller, &of.team, &new).await?;
    Ok(Created::at(format!("/games/{}", game.game.game_id), game))
}

async fn schedule(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    season: Query<OfSeason>,
) -> Result<Json<List<GameView>>, Error> {
    let season = season.season.as_deref();
    Ok(Json(shared.service.schedule(&caller, &of.team, season).await?))
}

async fn show_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<Json<GameDetail>, Error> {
    Ok(Json(shared.service.game(&caller, &of.game).await?))
}

async fn change_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<GameChange>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.change_game(&caller, &of.game, &change).await?))
}

async fn delete_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    seen: Query<SeenRevision>,
) -> Result<NoContent, Error> {
    shared.service.delete_game(&caller, &of.game, seen.revision).await.map(|()| NoContent)
}

async fn set_lineup(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    new: Body<NewLineup>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.set_lineup(&caller, &of.game, &new).await?))
}

async fn set_score(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    new: Body<NewScore>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.set_score(&caller, &of.game, &new).await?))
}

async fn start(
    state: State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<StatusChange>,
) -> Result<Json<ScoringView>, Error> {
    change_status(&state, &caller, &of, Verb::Start, &change).await
}

async fn finish(
    state: State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<StatusChange>,
) -> Result<Json<ScoringView>, Error> {
    change_status(&state, &caller, &of, Verb::Finish, &change).await
}

async fn reopen(
    state: State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<StatusChange>,
) -> Result<Json<ScoringView>, Error> {
    change_status(&state, &caller, &of, Verb::Reopen, &change).await
}

async fn postpone(
    state: State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<StatusChange>,
) -> Result<Json<ScoringView>, Error> {
    change_status(&state, &caller, &of, Verb::Postpone, &change).await
}

async fn reschedule(
    state: State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<StatusChange>,
) -> Result<Json<ScoringView>, Error> {
    change_status(&state, &caller, &of, Verb::Reschedule, &change).await
}

async fn change_status(
    shared: &Shared,
    caller: &Caller,
    of: &OfGame,
    verb: Verb,
    change: &StatusChange,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.change_status(caller, &of.game, verb, change).await?))
}

/// 36: everything that happens in a game, for active members of its team. That is checked again
/// every minute.
async fn watch(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let game_id = of.game.clone();
    shared.service.check_game(&caller, &game_id, Role::Player).await?;
    let subscription = shared.live.subscribe(live::topic(&game_id), last).await?;
    let service = shared.service;
    Ok(EventStream::new(subscription).recheck(move || {
        let (service, caller, game_id) = (service.clone(), caller.clone(), game_id.clone());
        async move {
            let checked = service.check_game(&caller, &game_id, Role::Player).await;
            checked.map_err(Problem::from)
        }
    }))
}
