//! Scoring.

use super::{App, OfGame, Reply, Shared, check_scorekeeper};
use crate::design::{AtBat, AtBatId, GameId};
use crate::error::{Error, Result};
use crate::input::{AtBatChange, NewAtBat, NewHalf, OpponentRuns, Revision, RunnerMoves};
use crate::view::ScoringView;
use singlet_web::api::{delete, get, patch, post, put};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        GameFull, GameMovedOn, HalfComplete, HalfFull, LineupInvalid, NothingToUndo, PersonalTeam,
        PlayImpossible, PlayerNotFound, TooManyAtBats, WrongHalf, WrongStatus,
    };
    api.route(
        post("/games/{game}/atbats", record_at_bat)
            .about("Records an at-bat, or inserts one that was missed.")
            .problems([GameMovedOn, WrongStatus, WrongHalf, PlayImpossible, HalfFull, GameFull])
            .problems([TooManyAtBats, LineupInvalid, PlayerNotFound])
            .idempotent()
            .replay_if(check_scorekeeper),
    )
    .route(get("/games/{game}/atbats/{atBat}", get_at_bat).about("Shows an at-bat."))
    .route(
        patch("/games/{game}/atbats/{atBat}", correct_at_bat)
            .about("Corrects an at-bat and replays its inning.")
            .problems([GameMovedOn, WrongStatus, PlayImpossible, TooManyAtBats, LineupInvalid]),
    )
    .route(
        delete("/games/{game}/atbats/{atBat}", remove_at_bat)
            .about("Removes an at-bat and replays its inning.")
            .problems([GameMovedOn, WrongStatus]),
    )
    .route(
        post("/games/{game}/undo", undo)
            .about("Undoes the last at-bat, or its last runner move.")
            .problems([GameMovedOn, WrongStatus, NothingToUndo])
            .idempotent()
            .replay_if(check_scorekeeper),
    )
    .route(
        post("/games/{game}/runners", move_runners)
            .about("Moves runners between at-bats.")
            .problems([GameMovedOn, WrongStatus, PlayImpossible, WrongHalf, PersonalTeam])
            .idempotent()
            .replay_if(check_scorekeeper),
    )
    .route(
        put("/games/{game}/opponent/{inning}", set_opponent_runs)
            .about("Sets the opponent's runs of an inning.")
            .problems([GameMovedOn, WrongStatus, PersonalTeam]),
    )
    .route(
        put("/games/{game}/half", change_half)
            .about("Goes to the next half, or back to the previous one.")
            .problems([GameMovedOn, WrongStatus, HalfComplete, PersonalTeam]),
    )
}

forward! {
    get_at_bat = at_bat(game: GameId, at_bat: AtBatId) -> AtBat;
    correct_at_bat = correct_at_bat(game: GameId, at_bat: AtBatId)[change: Body<AtBatChange>] -> ScoringView;
    remove_at_bat = remove_at_bat(game: GameId, at_bat: AtBatId)[seen: Query<Revision>] -> ScoringView;
    undo = undo(game: GameId)[seen: Body<Revision>] -> ScoringView;
    move_runners = move_runners(game: GameId)[moves: Body<RunnerMoves>] -> ScoringView;
    change_half = change_half(game: GameId)[new: Body<NewHalf>] -> ScoringView;
}

async fn record_at_bat(
    app: App,
    by: Caller,
    game: OfGame,
    new: Body<NewAtBat>,
) -> Result<Created<ScoringView>> {
    let scored = app.record_at_bat(&by, &game, &new).await?;
    let id = scored.at_bat.as_ref().map(|at_bat| at_bat.at_bat_id.to_string());
    let location = format!("/games/{}/atbats/{}", game.0, id.unwrap_or_default());
    Ok(Created::at(location, scored))
}

async fn set_opponent_runs(
    app: App,
    by: Caller,
    Path((game, inning)): Path<(GameId, u8)>,
    new: Body<OpponentRuns>,
) -> Reply<ScoringView> {
    app.set_opponent_runs(&by, &game, inning, &new).await.map(Json)
}
