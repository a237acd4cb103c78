//! Scoring.

use super::{OfGame, Shared, check_scorekeeper, of_revision};
use crate::design::{AtBatId, GameId};
use crate::error::Error;
use crate::input::{AtBatChange, NewAtBat, NewHalf, OpponentRuns, Revision, RunnerMoves};
use crate::view::ScoringView;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{Api, Body, Created, Json, Path, Query, delete, patch, post, put};
use singlet_web::identity::Caller;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    api.route(of_revision(
        post("/games/{game}/atbats", record)
            .idempotent()
            .replay_if(check_scorekeeper)
            .describe("recordAtBat", "Records an at-bat, or inserts one that was missed.")
            .problems([
                Error::WrongHalf,
                Error::PlayImpossible,
                Error::HalfFull,
                Error::GameFull,
                Error::TooManyAtBats,
                Error::LineupInvalid,
                Error::PlayerNotFound,
            ]),
    ))
    .route(of_revision(
        patch("/games/{game}/atbats/{atBat}", correct)
            .describe("correctAtBat", "Corrects an at-bat and replays its inning.")
            .problems([
                Error::AtBatNotFound,
                Error::PlayImpossible,
                Error::TooManyAtBats,
                Error::LineupInvalid,
            ]),
    ))
    .route(of_revision(
        delete("/games/{game}/atbats/{atBat}", remove)
            .describe("removeAtBat", "Removes an at-bat and replays its inning.")
            .problems([Error::AtBatNotFound]),
    ))
    .route(of_revision(
        post("/games/{game}/undo", undo)
            .idempotent()
            .replay_if(check_scorekeeper)
            .describe("undo", "Undoes the last at-bat, or its last runner move.")
            .problems([Error::NothingToUndo]),
    ))
    .route(of_revision(
        post("/games/{game}/runners", move_runners)
            .idempotent()
            .replay_if(check_scorekeeper)
            .describe("moveRunners", "Moves runners between at-bats.")
            .problems([Error::PlayImpossible, Error::WrongHalf, Error::PersonalTeam]),
    ))
    .route(of_revision(
        put("/games/{game}/opponent/{inning}", set_opponent_runs)
            .describe("setOpponentRuns", "Sets the opponent's runs of an inning.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_revision(
        put("/games/{game}/half", change_half)
            .describe("changeHalf", "Goes to the next half, or back to the previous one.")
            .problems([Error::HalfComplete, Error::PersonalTeam]),
    ))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfAtBat {
    /// The id of the game.
    game: GameId,
    /// The id of the at-bat.
    at_bat: AtBatId,
}

#[derive(Deserialize, JsonSchema)]
struct OfInning {
    /// The id of the game.
    game: GameId,
    /// The inning.
    #[schemars(range(min = 1, max = 31))]
    inning: u8,
}

async fn record(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    new: Body<NewAtBat>,
) -> Result<Created<ScoringView>, Error> {
    let scored = shared.service.record_at_bat(&caller, &of.game, &new).await?;
    let id = scored.at_bat.as_ref().map(|at_bat| at_bat.at_bat_id.to_string());
    let location = format!("/games/{}/atbats/{}", of.game, id.unwrap_or_default());
    Ok(Created::at(location, scored))
}

async fn correct(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfAtBat>,
    change: Body<AtBatChange>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.correct_at_bat(&caller, &of.game, &of.at_bat, &change).await?))
}

async fn remove(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfAtBat>,
    seen: Query<Revision>,
) -> Result<Json<ScoringView>, Error> {
    let revision = seen.revision;
    Ok(Json(shared.service.remove_at_bat(&caller, &of.game, &of.at_bat, revision).await?))
}

async fn undo(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    seen: Body<Revision>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.undo(&caller, &of.game, seen.revision).await?))
}

async fn move_runners(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    moves: Body<RunnerMoves>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.move_runners(&caller, &of.game, &moves).await?))
}

async fn set_opponent_runs(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfInning>,
    new: Body<OpponentRuns>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.set_opponent_runs(&caller, &of.game, of.inning, &new).await?))
}

async fn change_half(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    new: Body<NewHalf>,
) -> Result<Json<ScoringView>, Error> {
    Ok(Json(shared.service.change_half(&caller, &of.game, &new).await?))
}
