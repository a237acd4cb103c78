//! The squash club.

use super::Shared;
use super::bodies::{MatchBody, PlayerBody};
use super::sites::ListPaging;
use crate::error::Error;
use crate::view::{MatchPage, MatchView, PlayerView, StandingsView};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{
    Api, Body, Created, IfMatch, Json, NoContent, Page, Path, Query, Versioned, delete, get, post,
    put,
};
use singlet_web::identity::Caller;
use singlet_web::problem::Problem;
use singlet_web::validate::FieldLocation;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        DateInvalid, GamesInvalid, MatchNotFound, PlayerInMatches, PlayerNotFound, RangeInvalid,
        RangeTooLarge, SamePlayerTwice, SquashOnly, UnknownPlayer, WinnerMismatch,
    };
    api.route(
        get("/v1/squash/players", players)
            .describe("listPlayers", "Lists players, in the order in which they were added.")
            .problems([SquashOnly]),
    )
    .route(
        post("/v1/squash/players", of_player::create)
            .idempotent()
            .replay_if(check_write)
            .describe("createPlayer", "Adds a player.")
            .problems([SquashOnly]),
    )
    .route(
        get("/v1/squash/players/{id}", of_player::show)
            .describe("getPlayer", "Shows a player.")
            .problems([SquashOnly, PlayerNotFound]),
    )
    .route(
        put("/v1/squash/players/{id}", of_player::change)
            .describe("updatePlayer", "Changes a player.")
            .problems([SquashOnly, PlayerNotFound]),
    )
    .route(
        delete("/v1/squash/players/{id}", of_player::remove)
            .describe("deletePlayer", "Deletes a player whom no match names.")
            .problems([SquashOnly, PlayerNotFound, PlayerInMatches]),
    )
    .route(
        get("/v1/squash/players/{id}/matches", matches_of)
            .describe("listMatchesOf", "Lists the matches of a player, the last entered first.")
            .problems([SquashOnly, PlayerNotFound]),
    )
    .route(
        get("/v1/squash/matches", matches)
            .describe("listMatches", "Lists the matches of a day, or of a range of days.")
            .problems([SquashOnly, DateInvalid, RangeInvalid]),
    )
    .route(
        post("/v1/squash/matches", of_match::create)
            .idempotent()
            .replay_if(check_write)
            .describe("createMatch", "Enters a match.")
            .problems([
                SquashOnly,
                DateInvalid,
                SamePlayerTwice,
                GamesInvalid,
                WinnerMismatch,
                UnknownPlayer,
            ]),
    )
    .route(
        get("/v1/squash/matches/{id}", of_match::show)
            .describe("getMatch", "Shows a match.")
            .problems([SquashOnly, MatchNotFound]),
    )
    .route(
        put("/v1/squash/matches/{id}", of_match::change)
            .describe("updateMatch", "Changes a match.")
            .problems([
                SquashOnly,
                MatchNotFound,
                DateInvalid,
                SamePlayerTwice,
                GamesInvalid,
                WinnerMismatch,
                UnknownPlayer,
            ]),
    )
    .route(
        delete("/v1/squash/matches/{id}", of_match::remove)
            .describe("deleteMatch", "Deletes a match.")
            .problems([SquashOnly, MatchNotFound]),
    )
    .route(
        get("/v1/squash/standings", standings)
            .describe("getStandings", "Standings of players and pairs in a range of days.")
            .problems([SquashOnly, RangeInvalid, RangeTooLarge]),
    )
}

#[derive(Deserialize, JsonSchema)]
struct IdPath {
    /// The id.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Days {
    /// One day: YYYY-MM-DD.
    #[schemars(length(max = 40))]
    date: Option<String>,
    /// The first day of a range.
    #[schemars(length(max = 40))]
    from: Option<String>,
    /// The last day of a range.
    #[schemars(length(max = 40))]
    to: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Range {
    /// The first day.
    #[schemars(length(max = 40))]
    from: String,
    /// The last day.
    #[schemars(length(max = 40))]
    to: String,
}

/// A module with the routes that make, show, change and delete what the club keeps: a player or a
/// match. The functions of the service that do it are named in this order.
macro_rules! routes_of {
    ($module:ident: $view:ty, $body:ty, $path:literal, $id:ident,
     [$create:ident, $show:ident, $change:ident, $delete:ident]) => {
        mod $module {
            use super::*;

            fn versioned(view: $view) -> Versioned<$view> {
                Versioned { version: view.version, value: view }
            }

            pub(super) async fn create(
                State(shared): State<Shared>,
                caller: Caller,
                Body(new): Body<$body>,
            ) -> Result<Created<$view>, Error> {
                let made = shared.service.$create(&caller, &new.into()).await?;
                let (path, version) = (format!("{}/{}", $path, made.$id), made.version);
                Ok(Created::at(path, made).version(version))
            }

            pub(super) async fn show(
                State(shared): State<Shared>,
                caller: Caller,
                of: Path<IdPath>,
            ) -> Result<Versioned<$view>, Error> {
                Ok(versioned(shared.service.$show(&caller, &of.id).await?))
            }

            pub(super) async fn change(
                State(shared): State<Shared>,
                caller: Caller,
                of: Path<IdPath>,
                IfMatch(version): IfMatch,
                Body(new): Body<$body>,
            ) -> Result<Versioned<$view>, Error> {
                let service = &shared.service;
                Ok(versioned(service.$change(&caller, &of.id, version, &new.into()).await?))
            }

            pub(super) async fn remove(
                State(shared): State<Shared>,
                caller: Caller,
                of: Path<IdPath>,
            ) -> Result<NoContent, Error> {
                shared.service.$delete(&caller, &of.id).await.map(|()| NoContent)
            }
        }
    };
}

routes_of!(of_player: PlayerView, PlayerBody, "/v1/squash/players", id,
    [create_player, player, update_player, delete_player]);
routes_of!(of_match: MatchView, MatchBody, "/v1/squash/matches", match_id,
    [create_match, one_match, update_match, delete_match]);

/// Refuses to repeat an answer to those who may no longer change anything in the club.
async fn check_write(State(shared): State<Shared>, caller: Caller) -> Result<NoContent, Error> {
    shared.service.require_squash_write(&caller).await.map(|()| NoContent)
}

async fn players(
    State(shared): State<Shared>,
    caller: Caller,
    paging: ListPaging,
) -> Result<Json<Page<PlayerView>>, Error> {
    Ok(Json(shared.service.players(&caller, &paging).await?))
}

async fn matches_of(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<IdPath>,
    paging: ListPaging,
) -> Result<Json<MatchPage>, Error> {
    Ok(Json(shared.service.matches_of(&caller, &of.id, &paging).await?))
}

async fn matches(
    State(shared): State<Shared>,
    caller: Caller,
    days: Query<Days>,
    paging: ListPaging,
) -> Result<Json<MatchPage>, Error> {
    let service = &shared.service;
    Ok(Json(match &*days {
        Days { date: Some(date), from: None, to: None } => {
            service.matches_on(&caller, date, &paging).await?
        }
        Days { date: None, from: Some(from), to: Some(to) } => {
            service.matches_between(&caller, from, to, &paging).await?
        }
        _ => {
            // Who is not in the club learns nothing, whatever they ask for.
            service.require_squash_read(&caller).await?;
            let detail = "must be a day, or leave it out and give both from and to";
            return Err(Problem::invalid_field(FieldLocation::Query, "date", detail).into());
        }
    }))
}

async fn standings(
    State(shared): State<Shared>,
    caller: Caller,
    range: Query<Range>,
) -> Result<Json<StandingsView>, Error> {
    Ok(Json(shared.service.standings(&caller, &range.from, &range.to).await?))
}
