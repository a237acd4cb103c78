//! The list of all routes, with what each may refuse.

use super::{Shared, game, league, season};
use crate::error::Error;
use singlet_web::api::{Api, Route, delete, get, patch, post, put};

type Add = fn(Api<Shared>) -> Api<Shared>;

/// All routes.
pub(super) fn api(shared: Shared) -> Api<Shared> {
    let parts: [Add; 5] = [leagues, people, seasons, games, goals];
    parts.into_iter().fold(Api::new(shared), |api, add| add(api))
}

/// A route that may be repeated with an Idempotency-Key: every write. Those that answer with more than
/// what their caller has brought have a check for it (`replay_if`).
fn write(route: Route<Shared>, name: &'static str, description: &'static str) -> Route<Shared> {
    route.describe(name, description).idempotent()
}

fn leagues(api: Api<Shared>) -> Api<Shared> {
    api.route(
        write(
            post("/v1/leagues", league::create_league),
            "createLeague",
            "Creates a league, with the caller as its first admin.",
        )
        .problems([Error::IdTaken, Error::LimitReached]),
    )
    .route(
        get("/v1/leagues", league::list_leagues)
            .describe("listLeagues", "Lists public leagues, by id."),
    )
    .route(get("/v1/me", league::me).describe("me", "Shows the caller's leagues and roles."))
    .route(
        get("/v1/leagues/{league}", league::league)
            .describe("getLeague", "Shows a league and its seasons.")
            .problems([Error::LeagueNotFound]),
    )
    .route(
        write(
            patch("/v1/leagues/{league}", league::update_league),
            "updateLeague",
            "Changes a league.",
        )
        .replay_if(league::check_admin)
        .problems([Error::LeagueNotFound]),
    )
    .route(
        write(
            delete("/v1/leagues/{league}", league::delete_league),
            "deleteLeague",
            "Deletes a league without seasons, with its people and players.",
        )
        .problems([Error::LeagueNotFound, Error::LeagueNotEmpty, Error::LeagueTooLarge]),
    )
    .route(
        write(
            post("/v1/leagues/{league}/players", league::create_player),
            "createPlayer",
            "Creates a player of a league.",
        )
        .replay_if(league::check_scorekeeper)
        .problems([Error::LeagueNotFound, Error::IdTaken, Error::LimitReached]),
    )
    .route(
        get("/v1/leagues/{league}/players", league::list_players)
            .describe("listPlayers", "Lists the players of a league.")
            .problems([Error::LeagueNotFound]),
    )
    .route(
        get("/v1/players/{player}", league::player)
            .describe("getPlayer", "Shows a player.")
            .problems([Error::PlayerNotFound]),
    )
    .route(
        write(
            patch("/v1/players/{player}", league::update_player),
            "updatePlayer",
            "Changes or archives a player.",
        )
        .replay_if(league::check_player_admin)
        .problems([Error::PlayerNotFound]),
    )
}

fn people(api: Api<Shared>) -> Api<Shared> {
    api.route(
        write(
            put("/v1/leagues/{league}/acl/{user}", league::grant_role),
            "grantRole",
            "Gives somebody with a role in some league a role in this one, or another one. Others are \
             invited.",
        )
        .replay_if(league::check_grant)
        .problems([
            Error::LeagueNotFound,
            Error::GrantNotFound,
            Error::UserNotFound,
            Error::LastAdmin,
            Error::LimitReached,
        ]),
    )
    .route(
        write(
            delete("/v1/leagues/{league}/acl/{user}", league::revoke_role),
            "revokeRole",
            "Takes somebody's role away: of others as an admin, or one's own.",
        )
        .problems([Error::LeagueNotFound, Error::GrantNotFound, Error::LastAdmin]),
    )
    .route(
        get("/v1/leagues/{league}/acl", league::list_grants)
            .describe("listGrants", "Lists who has a role in a league.")
            .problems([Error::LeagueNotFound]),
    )
    .route(
        write(
            post("/v1/leagues/{league}/invites", league::invite),
            "invite",
            "Makes an invitation. Its code is told once.",
        )
        .replay_if(league::check_admin)
        .problems([Error::LeagueNotFound, Error::LimitReached]),
    )
    .route(
        get("/v1/leagues/{league}/invites", league::list_invites)
            .describe("listInvites", "Lists open invitations.")
            .problems([Error::LeagueNotFound]),
    )
    .route(
        write(
            delete("/v1/leagues/{league}/invites/{hash}", league::delete_invite),
            "deleteInvite",
            "Deletes an invitation.",
        )
        .problems([Error::LeagueNotFound, Error::InviteNotFound]),
    )
    .route(
        post("/v1/leagues/{league}/invites/preview", league::preview_invite)
            .describe("previewInvite", "Shows what an invitation is to.")
            .problems([Error::InviteNotFound]),
    )
    .route(
        write(
            post("/v1/leagues/{league}/invites/accept", league::accept_invite),
            "acceptInvite",
            "Accepts an invitation.",
        )
        .problems([Error::InviteNotFound, Error::LimitReached]),
    )
}

fn seasons(api: Api<Shared>) -> Api<Shared> {
    api.route(
        write(
            post("/v1/leagues/{league}/seasons", season::create_season),
            "createSeason",
            "Creates a season with teams.",
        )
        .replay_if(league::check_admin)
        .problems([
            Error::LeagueNotFound,
            Error::IdTaken,
            Error::CodeTaken,
            Error::LimitReached,
        ]),
    )
    .route(
        get("/v1/seasons/{season}", season::season)
            .describe("getSeason", "Shows a season: table, leaderboards, teams and sessions.")
            .problems([Error::SeasonNotFound]),
    )
    .route(
        get("/v1/seasons/{season}/standings", season::standings)
            .describe("getStandings", "Shows the table of a season.")
            .problems([Error::SeasonNotFound]),
    )
    .route(
        get("/v1/seasons/{season}/leaderboards", season::leaderboards)
            .describe("getLeaderboards", "Shows the leaderboards of a season.")
            .problems([Error::SeasonNotFound]),
    )
    .route(
        write(
            patch("/v1/seasons/{season}", season::update_season),
            "updateSeason",
            "Changes a season.",
        )
        .replay_if(season::check_season_admin)
        .problems([Error::SeasonNotFound]),
    )
    .route(
        write(
            delete("/v1/seasons/{season}", season::delete_season),
            "deleteSeason",
            "Deletes a season without sessions, with its teams.",
        )
        .problems([Error::SeasonNotFound, Error::SeasonNotEmpty]),
    )
    .route(
        write(
            post("/v1/seasons/{season}/teams", season::create_team),
            "createTeam",
            "Creates a team.",
        )
        .replay_if(season::check_season_admin)
        .problems([
            Error::SeasonNotFound,
            Error::IdTaken,
            Error::CodeTaken,
            Error::LimitReached,
        ]),
    )
    .route(
        get("/v1/seasons/{season}/teams", season::list_teams)
            .describe("listTeams", "Lists the teams of a season.")
            .problems([Error::SeasonNotFound]),
    )
    .route(
        write(
            patch("/v1/seasons/{season}/teams/{team}", season::update_team),
            "updateTeam",
            "Changes a team and its squad, or retires it.",
        )
        .replay_if(season::check_season_admin)
        .problems([
            Error::SeasonNotFound,
            Error::TeamNotFound,
            Error::CodeTaken,
            Error::PlayerNotFound,
            Error::PlayerInOtherSquad,
        ]),
    )
    .route(
        write(
            post("/v1/seasons/{season}/sessions", season::create_session),
            "createSession",
            "Creates a session: one match day.",
        )
        .replay_if(season::check_season_admin)
        .problems([Error::SeasonNotFound, Error::IdTaken, Error::LimitReached]),
    )
    .route(
        get("/v1/seasons/{season}/sessions", season::list_sessions)
            .describe("listSessions", "Lists the sessions of a season, by date.")
            .problems([Error::SeasonNotFound]),
    )
    .route(
        write(
            patch("/v1/sessions/{session}", season::update_session),
            "updateSession",
            "Changes a session.",
        )
        .replay_if(season::check_session_admin)
        .problems([Error::SessionNotFound]),
    )
    .route(
        write(
            delete("/v1/sessions/{session}", season::delete_session),
            "deleteSession",
            "Deletes a session without games.",
        )
        .problems([Error::SessionNotFound, Error::SessionNotEmpty]),
    )
    .route(
        get("/v1/seasons/{season}/live", season::watch_season)
            .describe(
                "watchSeason",
                "Server-Sent Events: `ready`, then `gameRow` for each change of a game in the \
                 list of its session, and `gameRemoved` when it leaves that list.",
            )
            .problems([Error::SeasonNotFound]),
    )
}

fn games(api: Api<Shared>) -> Api<Shared> {
    api.route(
        write(
            post("/v1/sessions/{session}/games", season::create_game),
            "createGame",
            "Creates a game, with rosters from the squads of its teams.",
        )
        .replay_if(season::check_session_admin)
        .problems([
            Error::SessionNotFound,
            Error::IdTaken,
            Error::TeamNotFound,
            Error::TeamRetired,
            Error::LimitReached,
        ]),
    )
    .route(
        get("/v1/sessions/{session}/games", season::list_games)
            .describe("listGames", "Lists the games of a session, in the order of their start.")
            .problems([Error::SessionNotFound]),
    )
    .route(
        get("/v1/games/{game}", game::game)
            .describe("getGame", "Shows a game with its score, goals and rosters.")
            .problems([Error::GameNotFound]),
    )
    .route(
        write(
            patch("/v1/games/{game}", game::update_game),
            "updateGame",
            "Changes start, session or pitch of a game; before it has begun, also its teams.",
        )
        .replay_if(game::check_admin)
        .problems([
            Error::GameNotFound,
            Error::SessionNotFound,
            Error::GameStarted,
            Error::OtherSeason,
            Error::TeamNotFound,
            Error::TeamRetired,
            Error::LimitReached,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            delete("/v1/games/{game}", game::delete_game),
            "deleteGame",
            "Deletes a game in which nothing has happened.",
        )
        .problems([Error::GameNotFound, Error::GameAbandoned, Error::GameHasHistory]),
    )
    .route(
        write(
            post("/v1/games/{game}/thirds/{third}/start", game::start_third),
            "startThird",
            "Starts a third.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::ThirdOutOfOrder,
            Error::ThirdOver,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            post("/v1/games/{game}/thirds/{third}/finish", game::finish_third),
            "finishThird",
            "Finishes a third.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::ThirdOutOfOrder,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            patch("/v1/games/{game}/thirds/{third}", game::correct_third),
            "correctThird",
            "Corrects the times of a third, or takes the latest start or finish back.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::ThirdOutOfOrder,
            Error::ThirdHasGoals,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            post("/v1/games/{game}/finish", game::finish_game),
            "finishGame",
            "Finishes a game: it counts from now on. Admins may do so with open thirds.",
        )
        .replay_if(game::check_finish)
        .problems([Error::GameNotFound, Error::GameAbandoned, Error::ThirdsOpen]),
    )
    .route(
        write(
            post("/v1/games/{game}/abandon", game::abandon_game),
            "abandonGame",
            "Abandons a game: it does not count.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([Error::GameNotFound, Error::GameFinished, Error::TeamNotInGame]),
    )
    .route(
        write(
            post("/v1/games/{game}/reopen", game::reopen_game),
            "reopenGame",
            "Reopens a game that was finished or abandoned.",
        )
        .replay_if(game::check_admin)
        .problems([Error::GameNotFound, Error::GameNotClosed, Error::TooManyChanges]),
    )
    .route(
        get("/v1/games/{game}/audit", game::list_audit)
            .describe("listAudit", "Lists who changed what in a game, newest first.")
            .problems([Error::GameNotFound]),
    )
    .route(
        get("/v1/games/{game}/live", game::watch_game)
            .describe(
                "watchGame",
                "Server-Sent Events: `state`, then a message for each change of the game.",
            )
            .problems([Error::GameNotFound]),
    )
}

fn goals(api: Api<Shared>) -> Api<Shared> {
    api.route(
        write(
            post("/v1/games/{game}/goals", game::add_goal),
            "addGoal",
            "Enters a goal. The same goal sent again is one goal.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::NoThirdRunning,
            Error::ThirdOutOfOrder,
            Error::TeamNotInGame,
            Error::PlayerNotOnRoster,
            Error::EventIdTaken,
            Error::LimitReached,
            Error::TooManyChanges,
        ]),
    )
    .route(
        get("/v1/games/{game}/goals", game::list_goals)
            .describe("listGoals", "Lists the goals of a game, in the order of the timeline.")
            .problems([Error::GameNotFound]),
    )
    .route(
        write(
            patch("/v1/games/{game}/goals/{event}", game::edit_goal),
            "editGoal",
            "Changes a goal, or moves it in the timeline.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GoalNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::NoThirdRunning,
            Error::ThirdOutOfOrder,
            Error::TeamNotInGame,
            Error::PlayerNotOnRoster,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            delete("/v1/games/{game}/goals/{event}", game::delete_goal),
            "deleteGoal",
            "Removes a goal.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GoalNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            post("/v1/games/{game}/goals/undo", game::undo_goal),
            "undoGoal",
            "Removes the goal that was entered last, if it is the expected one.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GoalNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::NotTheLatest,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            put("/v1/games/{game}/roster/{player}", game::assign_roster),
            "assignRoster",
            "Lets a player play for a team in this game.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::PlayerNotFound,
            Error::PlayerArchived,
            Error::TeamNotInGame,
            Error::RosterFull,
            Error::TooManyChanges,
        ]),
    )
    .route(
        write(
            delete("/v1/games/{game}/roster/{player}", game::remove_roster),
            "removeRoster",
            "Takes a player off the rosters of this game.",
        )
        .replay_if(game::check_scorekeeper)
        .problems([
            Error::GameNotFound,
            Error::GameFinished,
            Error::GameAbandoned,
            Error::PlayerNotFound,
            Error::PlayerHasGoals,
            Error::TooManyChanges,
        ]),
    )
    .route(
        get("/v1/games/{game}/roster", game::list_roster)
            .describe("listRoster", "Lists who plays for whom in a game.")
            .problems([Error::GameNotFound, Error::TeamNotInGame]),
    )
}
