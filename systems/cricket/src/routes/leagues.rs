//! Leagues.

use super::Shared;
use super::parameters::OfLeague;
use crate::error::Error;
use crate::view::{Items, LeagueView};
use singlet_web::prelude::*;

pub(super) fn add_to(api: Api<Shared>) -> Api<Shared> {
    api.route(Route::get("/leagues", list).describe("listLeagues", "Lists leagues, by name."))
        .route(
            Route::get("/leagues/{id}", show)
                .describe("getLeague", "Shows a league.")
                .problems([Error::LeagueNotFound]),
        )
        .route(
            Route::patch("/leagues/{id}", change)
                .describe("changeLeague", "Turns a league on or off.")
                .problems([Error::LeagueNotFound, Error::NotAnAdmin]),
        )
        .route(
            Route::delete("/leagues/{id}", remove)
                .describe("deleteLeague", "Deletes a league that the feed does not list any more.")
                .problems([Error::LeagueNotFound, Error::LeagueInFeed, Error::NotAnAdmin]),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeLeague {
    /// Whether its matches are fetched.
    active: bool,
}

async fn list(State(shared): State<Shared>) -> Result<Json<Items<LeagueView>>, Error> {
    let leagues = shared.service.leagues.all().await?;
    Ok(Json(Items { items: leagues.iter().map(LeagueView::from).collect() }))
}

async fn show(State(shared): State<Shared>, of: Path<OfLeague>) -> Result<Json<LeagueView>, Error> {
    let league = shared.service.leagues.get(&of.id()?).await?.ok_or(Error::LeagueNotFound)?;
    Ok(Json(LeagueView::from(&league)))
}

async fn change(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    body: Body<ChangeLeague>,
) -> Result<Json<LeagueView>, Error> {
    let league = shared.service.set_league_active(&caller, &of.id()?, body.active).await?;
    Ok(Json(LeagueView::from(&league)))
}

async fn remove(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<NoContent, Error> {
    let is_in_feed = async |id: &_| shared.jobs.league_in_feed(id).await;
    shared.service.delete_league(&caller, &of.id()?, is_in_feed).await?;
    Ok(NoContent)
}
