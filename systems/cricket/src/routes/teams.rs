//! Teams and standings.

use super::Shared;
use super::parameters::{OfSeason, OfTeam};
use crate::error::Error;
use crate::service::TeamChange;
use crate::view::{Items, StandingView, TeamView};
use singlet_web::prelude::*;
use singlet_web::problem::Problem;

pub(super) fn add_to(api: Api<Shared>) -> Api<Shared> {
    api.route(Route::get("/teams", list).describe("listTeams", "Lists teams, by name."))
        .route(
            Route::get("/teams/{id}", show)
                .describe("getTeam", "Shows a team.")
                .problems([Error::TeamNotFound]),
        )
        .route(
            Route::patch("/teams/{id}", change)
                .describe("changeTeam", "Changes what admins give a team.")
                .problems([Error::TeamNotFound, Error::NotAnAdmin]),
        )
        .route(
            Route::get("/seasons/{id}/teams", standings)
                .describe("listStandings", "Lists the teams of a season, by position."),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChangeTeam {
    /// A name for small places; empty to take it away.
    #[schemars(length(max = 20))]
    short_name: Option<String>,
    /// `#rrggbb`; empty to take it away.
    #[schemars(length(max = 7))]
    colour: Option<String>,
}

/// Whether a text is `#rrggbb`.
fn is_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#');
    digits.is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

async fn list(State(shared): State<Shared>) -> Result<Json<Items<TeamView>>, Error> {
    let teams = shared.service.teams.all().await?;
    Ok(Json(Items { items: teams.iter().map(TeamView::from).collect() }))
}

async fn show(State(shared): State<Shared>, of: Path<OfTeam>) -> Result<Json<TeamView>, Error> {
    let team = shared.service.teams.get(&of.id()?).await?.ok_or(Error::TeamNotFound)?;
    Ok(Json(TeamView::from(&team)))
}

async fn change(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    body: Body<ChangeTeam>,
) -> Result<Json<TeamView>, Error> {
    if body.colour.as_deref().is_some_and(|colour| !colour.is_empty() && !is_colour(colour)) {
        let detail = "must be a colour, such as #0b6e99";
        return Err(Problem::invalid_field(FieldLocation::Body, "/colour", detail).into());
    }
    let text = |text: &String| Some(clean_text(text)).filter(|text| !text.is_empty());
    let change = TeamChange {
        short_name: body.short_name.as_ref().map(text),
        colour: body.colour.as_ref().map(text),
    };
    let team = shared.service.change_team(&caller, &of.id()?, &change).await?;
    Ok(Json(TeamView::from(&team)))
}

async fn standings(
    State(shared): State<Shared>,
    of: Path<OfSeason>,
) -> Result<Json<Items<StandingView>>, Error> {
    let records = match of.id() {
        Some(season) => shared.service.team_seasons.of_season(&season).await?,
        None => Vec::new(),
    };
    Ok(Json(Items { items: records.into_iter().map(StandingView::from).collect() }))
}
