//! Games: schedule, lineup, status, live feed.

use super::{
    App, Done, OfGame, OfTeam, Reply, Season, Shared, WholePaging, check_manager, check_scorekeeper,
};
use crate::design::{GameId, Role};
use crate::error::{Error, Result};
use crate::input::{GameChange, NewGame, NewLineup, NewScore, StatusChange};
use crate::live;
use crate::rules::status::Verb;
use crate::view::{GameDetail, GameView, ScoringView};
use singlet_web::api::{delete, get, patch, post, put};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        GameHasAtBats, GameMovedOn, LineupInvalid, PersonalTeam, ScoreDerived, TooManyGames,
        WrongStatus,
    };
    let mut api = api;
    for (path, verb, name, about) in [
        ("/games/{game}/start", Verb::Start, "startGame", "Starts a game that is scheduled."),
        ("/games/{game}/finish", Verb::Finish, "finishGame", "Finishes a game."),
        ("/games/{game}/reopen", Verb::Reopen, "reopenGame", "Resumes a game that was finished."),
        (
            "/games/{game}/postpone",
            Verb::Postpone,
            "postponeGame",
            "Postpones a game. At-bats, state and score are kept.",
        ),
        (
            "/games/{game}/reschedule",
            Verb::Reschedule,
            "rescheduleGame",
            "Gives a postponed game a new date.",
        ),
    ] {
        let change = async move |app: App, by: Caller, game: OfGame, change: Body<StatusChange>| {
            app.change_status(&by, &game, verb, &change).await.map(Json)
        };
        api = api.route(
            post(path, change)
                .describe(name, about)
                .problems([GameMovedOn, WrongStatus, LineupInvalid])
                .idempotent()
                .replay_if(check_scorekeeper),
        );
    }
    api.route(
        post("/teams/{team}/games", create_game)
            .about("Schedules a game.")
            .problems([TooManyGames])
            .idempotent()
            .replay_if(check_manager),
    )
    .route(
        get("/teams/{team}/games", list_schedule)
            .about("Shows the schedule with results. Pages follow the order of creation."),
    )
    .route(
        get("/games/{game}", get_game)
            .about("Shows a game with its at-bats, box score and line score."),
    )
    .route(
        patch("/games/{game}", change_game)
            .about("Changes date, opponent, place, season or innings.")
            .problems([GameMovedOn, WrongStatus]),
    )
    .route(
        delete("/games/{game}", delete_game)
            .about("Deletes a game without at-bats.")
            .problems([GameHasAtBats, GameMovedOn]),
    )
    .route(put("/games/{game}/lineup", set_lineup).about("Replaces the lineup.").problems([
        GameMovedOn,
        WrongStatus,
        LineupInvalid,
        PersonalTeam,
    ]))
    .route(put("/games/{game}/score", set_score).about("Sets the score by hand.").problems([
        GameMovedOn,
        WrongStatus,
        ScoreDerived,
    ]))
    .route(
        get("/games/{game}/events", watch_game)
            .about("Everything that happens in the game, after its present state."),
    )
}

forward! {
    get_game = game(game: GameId) -> GameDetail;
    change_game = change_game(game: GameId)[change: Body<GameChange>] -> GameView;
    set_lineup = set_lineup(game: GameId)[new: Body<NewLineup>] -> ScoringView;
    set_score = set_score(game: GameId)[new: Body<NewScore>] -> ScoringView;
}

async fn create_game(
    app: App,
    by: Caller,
    team: OfTeam,
    new: Body<NewGame>,
) -> Result<Created<GameView>> {
    let game = app.create_game(&by, &team, &new).await?;
    Ok(Created::at(format!("/games/{}", game.game.game_id), game))
}

async fn list_schedule(
    app: App,
    by: Caller,
    team: OfTeam,
    season: Season,
    paging: WholePaging,
) -> Reply<Page<GameView>> {
    app.schedule(&by, &team, season.season.as_deref(), &paging).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
struct SeenRevision {
    /// The revision that the client has seen, if it matters.
    revision: Option<u64>,
}

async fn delete_game(app: App, by: Caller, game: OfGame, seen: Query<SeenRevision>) -> Done {
    app.delete_game(&by, &game, seen.revision).await.map(|()| NoContent)
}

/// For active members of the team, which is checked again every minute.
async fn watch_game(
    State(app): App,
    by: Caller,
    Path(game): OfGame,
    last: LastEventId,
) -> Result<EventStream> {
    app.game_member(&by, &game, Role::Player).await?;
    let subscription = app.live.subscribe(live::topic(&game), last).await?;
    Ok(EventStream::new(subscription).recheck(move || {
        let (app, by, game) = (app.clone(), by.clone(), game.clone());
        async move {
            let checked = app.game_member(&by, &game, Role::Player).await;
            checked.map(|_| ()).map_err(Problem::from)
        }
    }))
}
