//! The squash club.

use super::Shared;
use super::bodies::{MatchBody, PlayerBody};
use super::sites::Fifty;
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
        post("/v1/squash/players", create_player)
            .idempotent()
            .describe("createPlayer", "Adds a player.")
            .problems([SquashOnly]),
    )
    .route(
        get("/v1/squash/players/{id}", player)
            .describe("getPlayer", "Shows a player.")
            .problems([SquashOnly, PlayerNotFound]),
    )
    .route(
        put("/v1/squash/players/{id}", update_player)
            .describe("updatePlayer", "Changes a player.")
            .problems([SquashOnly, PlayerNotFound]),
    )
    .route(
        delete("/v1/squash/players/{id}", delete_player)
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
        post("/v1/squash/matches", create_match)
            .idempotent()
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
        get("/v1/squash/matches/{id}", show_match)
            .describe("getMatch", "Shows a match.")
            .problems([SquashOnly, MatchNotFound]),
    )
    .route(
        put("/v1/squash/matches/{id}", update_match)
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
        delete("/v1/squash/matches/{id}", delete_match)
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
struct Of {
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

fn versioned_player(player: PlayerView) -> Versioned<PlayerView> {
    Versioned { version: player.version, value: player }
}

fn versioned_match(one: MatchView) -> Versioned<MatchView> {
    Versioned { version: one.version, value: one }
}

async fn players(
    State(shared): State<Shared>,
    caller: Caller,
    paging: Fifty,
) -> Result<Json<Page<PlayerView>>, Error> {
    Ok(Json(shared.service.players(&caller, &paging).await?))
}

async fn create_player(
    State(shared): State<Shared>,
    caller: Caller,
    Body(new): Body<PlayerBody>,
) -> Result<Created<PlayerView>, Error> {
    let player = shared.service.create_player(&caller, &new.into()).await?;
    let version = player.version;
    Ok(Created::at(format!("/v1/squash/players/{}", player.id), player).version(version))
}

async fn player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
) -> Result<Versioned<PlayerView>, Error> {
    Ok(versioned_player(shared.service.player(&caller, &of.id).await?))
}

async fn update_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
    IfMatch(version): IfMatch,
    Body(new): Body<PlayerBody>,
) -> Result<Versioned<PlayerView>, Error> {
    let player = shared.service.update_player(&caller, &of.id, version, &new.into()).await?;
    Ok(versioned_player(player))
}

async fn delete_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
) -> Result<NoContent, Error> {
    shared.service.delete_player(&caller, &of.id).await.map(|()| NoContent)
}

async fn matches_of(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
    paging: Fifty,
) -> Result<Json<MatchPage>, Error> {
    Ok(Json(shared.service.matches_of(&caller, &of.id, &paging).await?))
}

async fn matches(
    State(shared): State<Shared>,
    caller: Caller,
    days: Query<Days>,
    paging: Fifty,
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

async fn create_match(
    State(shared): State<Shared>,
    caller: Caller,
    Body(new): Body<MatchBody>,
) -> Result<Created<MatchView>, Error> {
    let one = shared.service.create_match(&caller, &new.into()).await?;
    let version = one.version;
    Ok(Created::at(format!("/v1/squash/matches/{}", one.match_id), one).version(version))
}

async fn show_match(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
) -> Result<Versioned<MatchView>, Error> {
    Ok(versioned_match(shared.service.one_match(&caller, &of.id).await?))
}

async fn update_match(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
    IfMatch(version): IfMatch,
    Body(new): Body<MatchBody>,
) -> Result<Versioned<MatchView>, Error> {
    let one = shared.service.update_match(&caller, &of.id, version, &new.into()).await?;
    Ok(versioned_match(one))
}

async fn delete_match(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<Of>,
) -> Result<NoContent, Error> {
    shared.service.delete_match(&caller, &of.id).await.map(|()| NoContent)
}

async fn standings(
    State(shared): State<Shared>,
    caller: Caller,
    range: Query<Range>,
) -> Result<Json<StandingsView>, Error> {
    Ok(Json(shared.service.standings(&caller, &range.from, &range.to).await?))
}
