//! Leagues, teams and standings.

use super::admin::Admin;
use super::{Answer, App, Done, Shared};
use crate::design::{League, LeagueId, SeasonId, Team, TeamId, TeamSeason};
use crate::error::Error;
use crate::view::Items;
use singlet::prelude::update;
use singlet_web::api::{delete, get, patch};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::LeagueInFeed;
    api.route(get("/teams", list_teams).about("Lists teams, by name."))
        .route(get("/teams/{team}", get_team).about("Shows a team."))
        .route(patch("/teams/{team}", change_team).about("Changes what admins give a team."))
        .route(
            get("/seasons/{season}/teams", list_standings)
                .about("Lists the teams of a season, by position."),
        )
        .route(get("/leagues", list_leagues).about("Lists leagues, by name."))
        .route(get("/leagues/{league}", get_league).about("Shows a league."))
        .route(patch("/leagues/{league}", change_league).about("Turns a league on or off."))
        .route(
            delete("/leagues/{league}", delete_league)
                .about("Deletes a league that the feed does not list any more.")
                .problems([LeagueInFeed]),
        )
}

async fn list_teams(app: App) -> Answer<Items<Team>> {
    Ok(Json(Items { items: app.service.teams.all().await?.to_vec() }))
}

async fn get_team(app: App, id: Path<TeamId>) -> Answer<Team> {
    app.service.teams.get(&id.0).await?.map(Json).ok_or(Error::TeamNotFound)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChangeTeam {
    /// A name for small places; empty to take it away.
    #[schemars(length(max = 20))]
    short_name: Option<String>,
    /// `#rrggbb`; empty to take it away.
    #[schemars(with = "Option<String>", length(max = 7))]
    colour: Option<Colour>,
}

/// `None` takes it away.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Colour(Option<String>);

impl TryFrom<String> for Colour {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.strip_prefix('#').unwrap_or_default();
        let is_colour = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match text.is_empty() || is_colour {
            true => Ok(Self(Some(text).filter(|text| !text.is_empty()))),
            false => Err("must be a colour, such as #0b6e99"),
        }
    }
}

async fn change_team(
    app: App,
    _: Admin,
    Path(id): Path<TeamId>,
    body: Body<ChangeTeam>,
) -> Answer<Team> {
    let mut change = update(Team::key(&id));
    if let Some(short_name) = &body.short_name {
        let text = clean_text(short_name);
        change = change.set(Team::SHORT_NAME, Some(text).filter(|text| !text.is_empty()));
    }
    if let Some(Colour(colour)) = &body.colour {
        change = change.set(Team::COLOUR, colour.clone());
    }
    app.service.teams.update(change).await?.map(Json).ok_or(Error::TeamNotFound)
}

async fn list_standings(app: App, Path(season): Path<SeasonId>) -> Answer<Items<TeamSeason>> {
    let items = app.service.team_seasons.of_season(&season).await?;
    if items.is_empty() {
        let leagues = app.service.leagues.all().await?;
        let mut seasons = leagues.iter().filter_map(|league| league.season_id.as_ref());
        if !seasons.any(|known| *known == season) {
            return Err(Error::SeasonNotFound);
        }
    }
    Ok(Json(Items { items }))
}

async fn list_leagues(app: App) -> Answer<Items<League>> {
    Ok(Json(Items { items: app.service.leagues.all().await?.to_vec() }))
}

async fn get_league(app: App, Path(id): Path<LeagueId>) -> Answer<League> {
    app.service.leagues.get(&id).await?.map(Json).ok_or(Error::LeagueNotFound)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeLeague {
    /// Whether its matches are fetched.
    active: bool,
}

async fn change_league(
    app: App,
    _: Admin,
    Path(id): Path<LeagueId>,
    body: Body<ChangeLeague>,
) -> Answer<League> {
    let change = update(League::key(&id)).set(League::ACTIVE, body.active);
    app.service.leagues.update(change).await?.map(Json).ok_or(Error::LeagueNotFound)
}

async fn delete_league(app: App, _: Admin, Path(id): Path<LeagueId>) -> Done {
    let leagues = &app.service.leagues;
    if leagues.get(&id).await?.is_none() {
        return Err(Error::LeagueNotFound);
    }
    if app.jobs.league_in_feed(&id).await? {
        return Err(Error::LeagueInFeed);
    }
    leagues.delete(&id).await?.map(|_| NoContent).ok_or(Error::LeagueNotFound)
}
