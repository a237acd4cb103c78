//! Games.

use super::{App, Done, OfGame, Reply, Shared, whole};
use crate::design::{AuditRecord, EventId, GameId, PlayerId, TeamId};
use crate::error::{Error, Result};
use crate::live;
use crate::service::input::{
    AbandonGame, AssignRoster, FinishGame, GameChange, GoalChange, NewGoal, ThirdChange, ThirdTime,
    UndoGoal,
};
use crate::service::{ADMIN, Need, SCOREKEEPER};
use crate::view::{GameView, GoalView, RosterView};
use serde::de::DeserializeOwned;
use singlet_web::api::{delete, get, patch, post, put};
use singlet_web::prelude::*;

/// What every change of an open game may answer.
const OF_CHANGES: [Error; 3] = [Error::GameFinished, Error::GameAbandoned, Error::TooManyChanges];
const OF_GOALS: [Error; 4] =
    [Error::NoThirdRunning, Error::ThirdOutOfOrder, Error::TeamNotInGame, Error::PlayerNotOnRoster];

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::*;
    let api = api
        .route(
            get("/v1/games/{game}", get_game)
                .about("Shows a game with its score, goals and rosters."),
        )
        .route(
            patch("/v1/games/{game}", update_game)
                .about(
                    "Changes start, session or pitch of a game; before it begins, also its teams.",
                )
                .replay_if(as_admin)
                .problems([
                    SessionNotFound,
                    GameStarted,
                    OtherSeason,
                    TeamNotFound,
                    TeamRetired,
                    LimitReached,
                    TooManyChanges,
                ]),
        )
        .route(
            delete("/v1/games/{game}", delete_game)
                .about("Deletes a game in which nothing has happened.")
                .problems([GameAbandoned, GameHasHistory]),
        )
        .route(
            post("/v1/games/{game}/thirds/{third}/start", start_third)
                .about("Starts a third.")
                .replay_if(as_scorekeeper_of::<ThirdNumber>)
                .problems(OF_CHANGES)
                .problems([ThirdOutOfOrder, ThirdOver]),
        )
        .route(
            post("/v1/games/{game}/thirds/{third}/finish", finish_third)
                .about("Finishes a third.")
                .replay_if(as_scorekeeper_of::<ThirdNumber>)
                .problems(OF_CHANGES)
                .problems([ThirdOutOfOrder]),
        )
        .route(
            patch("/v1/games/{game}/thirds/{third}", correct_third)
                .about("Corrects the times of a third, or takes the latest start or finish back.")
                .replay_if(as_scorekeeper_of::<ThirdNumber>)
                .problems(OF_CHANGES)
                .problems([ThirdOutOfOrder, ThirdHasGoals]),
        )
        .route(
            post("/v1/games/{game}/finish", finish_game)
                .about("Finishes a game: it counts from now on. Admins may do so with open thirds.")
                .replay_if(as_finisher)
                .problems([GameAbandoned, ThirdsOpen]),
        )
        .route(
            post("/v1/games/{game}/abandon", abandon_game)
                .about("Abandons a game: it does not count.")
                .replay_if(as_scorekeeper)
                .problems([GameFinished, TeamNotInGame]),
        )
        .route(
            post("/v1/games/{game}/reopen", reopen_game)
                .about("Reopens a game that was finished or abandoned.")
                .replay_if(as_admin)
                .problems([GameNotClosed, TooManyChanges]),
        )
        .route(
            get("/v1/games/{game}/audit", list_audit)
                .about("Lists who changed what in a game, newest first."),
        )
        .route(
            get("/v1/games/{game}/live", watch_game)
                .about("Server-Sent Events: `state`, then a message for each change of the game."),
        );
    // A goal has a marker with its event id, so entering or removing it a second time changes nothing.
    api.route(
        post("/v1/games/{game}/goals", add_goal)
            .about("Enters a goal. The same goal sent again is one goal.")
            .unkeyed()
            .problems(OF_CHANGES)
            .problems(OF_GOALS)
            .problems([EventIdTaken, LimitReached]),
    )
    .route(
        get("/v1/games/{game}/goals", list_goals)
            .about("Lists the goals of a game, in the order of the timeline."),
    )
    .route(
        patch("/v1/games/{game}/goals/{event}", edit_goal)
            .about("Changes a goal, or moves it in the timeline.")
            .replay_if(as_scorekeeper_of::<EventId>)
            .problems(OF_CHANGES)
            .problems(OF_GOALS),
    )
    .route(
        delete("/v1/games/{game}/goals/{event}", delete_goal)
            .about("Removes a goal. Repeated, it changes nothing.")
            .unkeyed()
            .problems(OF_CHANGES),
    )
    .route(
        post("/v1/games/{game}/goals/undo", undo_goal)
            .about("Removes the goal that was entered last, if it is the expected one.")
            .unkeyed()
            .problems(OF_CHANGES)
            .problems([GoalNotFound, NotTheLatest]),
    )
    .route(
        put("/v1/games/{game}/roster/{player}", assign_roster)
            .about("Puts a player on the roster of a team.")
            .replay_if(as_scorekeeper_of::<PlayerId>)
            .problems(OF_CHANGES)
            .problems([PlayerArchived, TeamNotInGame, RosterFull]),
    )
    .route(
        delete("/v1/games/{game}/roster/{player}", remove_roster)
            .about("Removes a player from the rosters of this game.")
            .replay_if(as_scorekeeper_of::<PlayerId>)
            .problems(OF_CHANGES)
            .problems([PlayerHasGoals]),
    )
    .route(
        get("/v1/games/{game}/roster", list_roster)
            .about("Lists the rosters of a game, or that of one team.")
            .problems([TeamNotInGame]),
    )
}

/// 1, 2 or 3.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline, extend("minimum" = 1, "maximum" = 3))]
struct ThirdNumber(u8);

#[derive(Deserialize, JsonSchema)]
struct RosterQuery {
    /// The id of a team.
    team: Option<TeamId>,
}

forward! {
    update_game = update_game(game: GameId)[change: Body<GameChange>] -> GameView;
    delete_game = delete_game(game: GameId);
    abandon_game = abandon_game(game: GameId)[abandon: Body<AbandonGame>] -> GameView;
    reopen_game = reopen_game(game: GameId) -> GameView;
    edit_goal = edit_goal(game: GameId, event: EventId)[change: Body<GoalChange>] -> GameView;
    delete_goal = delete_goal(game: GameId, event: EventId) -> GameView;
    remove_roster = remove_roster(game: GameId, player: PlayerId) -> GameView;
}

async fn get_game(app: App, by: Option<Caller>, id: OfGame) -> Reply<GameView> {
    app.game(by.as_ref(), &id).await.map(Json)
}

async fn start_third(
    app: App,
    by: Caller,
    Path((game, third)): Path<(GameId, ThirdNumber)>,
    time: Body<ThirdTime>,
) -> Reply<GameView> {
    app.start_third(&by, &game, third.0, time.at).await.map(Json)
}

async fn finish_third(
    app: App,
    by: Caller,
    Path((game, third)): Path<(GameId, ThirdNumber)>,
    time: Body<ThirdTime>,
) -> Reply<GameView> {
    app.finish_third(&by, &game, third.0, time.at).await.map(Json)
}

async fn correct_third(
    app: App,
    by: Caller,
    Path((game, third)): Path<(GameId, ThirdNumber)>,
    change: Body<ThirdChange>,
) -> Reply<GameView> {
    app.correct_third(&by, &game, third.0, &change).await.map(Json)
}

async fn finish_game(
    app: App,
    by: Caller,
    id: OfGame,
    finish: Body<FinishGame>,
) -> Reply<GameView> {
    app.finish_game(&by, &id, finish.force).await.map(Json)
}

async fn list_audit(
    app: App,
    by: Caller,
    id: OfGame,
    paging: Paging<50, 50>,
) -> Reply<Page<AuditRecord>> {
    let page = app.audit(&by, &id, paging.limit(), paging.cursor()?).await?;
    Ok(Json(page.into()))
}

async fn watch_game(
    app: App,
    by: Option<Caller>,
    id: OfGame,
    last: LastEventId,
) -> Result<EventStream> {
    app.game_for(by.as_ref(), &id, Need::Read).await?;
    let subscription = app.live.subscribe(live::game_topic(&id), last).await?;
    Ok(EventStream::new(subscription).recheck(move || {
        let (app, by, id) = (app.clone(), by.clone(), id.clone());
        async move { Ok(app.game_for(by.as_ref(), &id, Need::Read).await.map(|_| ())?) }
    }))
}

async fn add_goal(
    app: App,
    by: Caller,
    id: OfGame,
    new: Body<NewGoal>,
) -> Result<CreatedOrFound<GameView>> {
    let (game, is_new) = app.add_goal(&by, &id, &new).await?;
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at(format!("/v1/games/{}/goals", id.0), game)),
        false => CreatedOrFound::Found(game),
    })
}

async fn list_goals(app: App, by: Option<Caller>, id: OfGame) -> Reply<Page<GoalView>> {
    Ok(whole(app.goals(by.as_ref(), &id).await?))
}

async fn undo_goal(app: App, by: Caller, id: OfGame, undo: Body<UndoGoal>) -> Reply<GameView> {
    app.undo_goal(&by, &id, &undo.expected_event_id).await.map(Json)
}

async fn assign_roster(
    app: App,
    by: Caller,
    Path((game, player)): Path<(GameId, PlayerId)>,
    assign: Body<AssignRoster>,
) -> Reply<GameView> {
    app.assign_roster(&by, &game, &player, &assign.team_id).await.map(Json)
}

async fn list_roster(
    app: App,
    by: Option<Caller>,
    id: OfGame,
    query: Query<RosterQuery>,
) -> Reply<Page<RosterView>> {
    Ok(whole(app.roster(by.as_ref(), &id, query.team.as_ref()).await?))
}

async fn as_admin(app: App, by: Caller, id: OfGame) -> Done {
    app.game_for(Some(&by), &id, ADMIN).await.map(|_| NoContent)
}

async fn as_scorekeeper(app: App, by: Caller, id: OfGame) -> Done {
    app.game_for(Some(&by), &id, SCOREKEEPER).await.map(|_| NoContent)
}

/// The same for a route with another parameter.
async fn as_scorekeeper_of<T>(app: App, by: Caller, Path((id, _)): Path<(GameId, T)>) -> Done
where
    T: DeserializeOwned + JsonSchema + Send,
{
    app.game_for(Some(&by), &id, SCOREKEEPER).await.map(|_| NoContent)
}

/// Finishing with open thirds takes an admin, also the second time.
async fn as_finisher(app: App, by: Caller, id: OfGame, finish: Body<FinishGame>) -> Done {
    let need = if finish.force { ADMIN } else { SCOREKEEPER };
    app.game_for(Some(&by), &id, need).await.map(|_| NoContent)
}
