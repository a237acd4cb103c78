//! The squash club.

use super::{Answer, App, Current, Done, OfMatch, OfPlayer, versioned};
use crate::design::{SquashMatch, SquashPlayer};
use crate::error::{Error, Result};
use crate::rules::{NewMatch, Squash};
use crate::service::{ListPaging, NewPlayer, Service};
use crate::view::{MatchPage, StandingsView};
use singlet_web::api::{delete, get, post, put};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Service>) -> Api<Service> {
    use Error::{
        AccountTaken, DateInvalid, PlayerInMatches, RangeInvalid, RangeTooLarge, SquashOnly,
    };
    api.route(
        get("/v1/squash/players", list_players)
            .about("Lists players, in the order in which they were added.")
            .problems([SquashOnly]),
    )
    .route(
        for_managers(post("/v1/squash/players", create_player))
            .about("Adds a player.")
            .replay_if(check_write)
            .problems([AccountTaken]),
    )
    .route(
        get("/v1/squash/players/{playerId}", get_player)
            .about("Shows a player.")
            .problems([SquashOnly]),
    )
    .route(
        for_managers(put("/v1/squash/players/{playerId}", update_player))
            .about("Changes a player.")
            .problems([AccountTaken]),
    )
    .route(
        for_managers(delete("/v1/squash/players/{playerId}", delete_player))
            .about("Deletes a player whom no match names.")
            .problems([PlayerInMatches]),
    )
    .route(
        get("/v1/squash/players/{playerId}/matches", list_matches_of)
            .about("Lists the matches of a player, the last entered first.")
            .problems([SquashOnly]),
    )
    .route(
        get("/v1/squash/matches", list_matches)
            .about("Lists the matches of a day, or of a range of days.")
            .problems([SquashOnly, DateInvalid, RangeInvalid]),
    )
    .route(
        with_match(post("/v1/squash/matches", create_match))
            .about("Enters a match.")
            .replay_if(check_write),
    )
    .route(
        get("/v1/squash/matches/{matchId}", get_match)
            .about("Shows a match.")
            .problems([SquashOnly]),
    )
    .route(with_match(put("/v1/squash/matches/{matchId}", update_match)).about("Changes a match."))
    .route(
        for_managers(delete("/v1/squash/matches/{matchId}", delete_match))
            .about("Deletes a match."),
    )
    .route(
        get("/v1/squash/standings", get_standings)
            .about("Standings of players and pairs in a range of days, 366 at most.")
            .problems([SquashOnly, RangeInvalid, RangeTooLarge]),
    )
}

fn for_managers(route: Route<Service>) -> Route<Service> {
    route.problems([Error::SquashOnly, Error::SquashManagersOnly])
}

/// A route that takes a match.
fn with_match(route: Route<Service>) -> Route<Service> {
    for_managers(route).problems([
        Error::DateInvalid,
        Error::SamePlayerTwice,
        Error::GamesInvalid,
        Error::WinnerMismatch,
        Error::UnknownPlayer,
    ])
}

/// Replays a stored response only while the caller may still write to the club.
async fn check_write(app: App, caller: Caller) -> Done {
    app.squash(&caller, Squash::Write).await.map(|_| NoContent)
}

async fn list_players(app: App, by: Caller, paging: ListPaging) -> Answer<Page<SquashPlayer>> {
    app.players(&by, &paging).await.map(Json)
}

async fn create_player(
    app: App,
    by: Caller,
    new: Body<NewPlayer>,
) -> Result<Created<SquashPlayer>> {
    let player = app.create_player(&by, &new).await?;
    let version = player.version;
    Ok(Created::at(format!("/v1/squash/players/{}", player.id), player).version(version))
}

async fn get_player(app: App, by: Caller, id: OfPlayer) -> Current<SquashPlayer> {
    app.player(&by, &id).await.map(|one| versioned(one.version, one))
}

async fn update_player(
    app: App,
    by: Caller,
    id: OfPlayer,
    IfMatch(version): IfMatch,
    new: Body<NewPlayer>,
) -> Current<SquashPlayer> {
    app.update_player(&by, &id, version, &new).await.map(|one| versioned(one.version, one))
}

async fn delete_player(app: App, by: Caller, id: OfPlayer) -> Done {
    app.delete_player(&by, &id).await.map(|()| NoContent)
}

async fn list_matches_of(
    app: App,
    by: Caller,
    id: OfPlayer,
    paging: ListPaging,
) -> Answer<MatchPage> {
    app.matches_of(&by, &id, &paging).await.map(Json)
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

async fn list_matches(
    app: App,
    by: Caller,
    Query(days): Query<Days>,
    paging: ListPaging,
) -> Answer<MatchPage> {
    Ok(Json(match days {
        Days { date: Some(date), from: None, to: None } => {
            app.matches_on(&by, &date, &paging).await?
        }
        Days { date: None, from: Some(from), to: Some(to) } => {
            app.matches_between(&by, &from, &to, &paging).await?
        }
        _ => {
            // Check access first: outsiders learn nothing from validation errors.
            app.squash(&by, Squash::Read).await?;
            let detail = "must be a day, or leave it out and give both from and to";
            return Err(Problem::invalid_field(FieldLocation::Query, "date", detail).into());
        }
    }))
}

async fn create_match(app: App, by: Caller, new: Body<NewMatch>) -> Result<Created<SquashMatch>> {
    let one = app.create_match(&by, &new).await?;
    let version = one.version;
    Ok(Created::at(format!("/v1/squash/matches/{}", one.match_id), one).version(version))
}

async fn get_match(app: App, by: Caller, id: OfMatch) -> Current<SquashMatch> {
    app.one_match(&by, &id).await.map(|one| versioned(one.version, one))
}

async fn update_match(
    app: App,
    by: Caller,
    id: OfMatch,
    IfMatch(version): IfMatch,
    new: Body<NewMatch>,
) -> Current<SquashMatch> {
    app.update_match(&by, &id, version, &new).await.map(|one| versioned(one.version, one))
}

async fn delete_match(app: App, by: Caller, id: OfMatch) -> Done {
    app.delete_match(&by, &id).await.map(|()| NoContent)
}

#[derive(Deserialize, JsonSchema)]
struct Range {
    /// The first day: YYYY-MM-DD.
    #[schemars(length(max = 40))]
    from: String,
    /// The last day.
    #[schemars(length(max = 40))]
    to: String,
}

async fn get_standings(app: App, by: Caller, range: Query<Range>) -> Answer<StandingsView> {
    app.standings(&by, &range.from, &range.to).await.map(Json)
}
