//! Matches: anybody reads them.

use super::{Answer, App, OfMatch, Shared};
use crate::design::{Fixture, TeamId};
use crate::error::Error;
use crate::live::{match_topic, matches_topic};
use crate::rules::{BallLine, Delivery, InningsCard, InningsChart, ball_line, charts, scorecard};
use crate::service::{MatchFilter, MatchPage};
use crate::view::{DisplayView, MatchDetail, MatchList, MatchSummary, sides};
use singlet_web::api::get;
use singlet_web::prelude::*;

const BALLS_PAGE_LEN: usize = 30;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{LeagueNotFound, TeamNotInMatch};
    api.route(
        get("/matches", list_matches)
            .about("Lists matches: those in play, then others by start time.")
            .problems([LeagueNotFound]),
    )
    .route(get("/matches/{match}", get_match).about("Shows a match with its innings."))
    .route(
        get("/matches/{match}/display", get_display)
            .about("Shows a match as phones do, from the side of a team.")
            .problems([TeamNotInMatch]),
    )
    .route(
        get("/matches/{match}/scorecard", get_scorecard)
            .about("Shows batters, bowlers, extras and wickets of every innings."),
    )
    .route(
        get("/matches/{match}/balls", list_balls)
            .about("Lists the balls of a match, the newest first, 30 at a time."),
    )
    .route(
        get("/matches/{match}/charts", get_charts).about("Shows runs and wickets of every over."),
    )
    .route(
        get("/live", watch_matches)
            .about("All matches in play, then `matchChanged` and `matchArchived` as they come."),
    )
    .route(
        get("/matches/{match}/live", watch_match)
            .about(
                "The state of a match, then `display`, `balls`, `stale` and `ended` as they come. \
                 With `list`, also what `/live` sends.",
            )
            .problems([TeamNotInMatch]),
    )
}

async fn list_matches(
    app: App,
    caller: Option<Caller>,
    Query(filter): Query<MatchFilter>,
) -> Answer<MatchList> {
    let service = &app.service;
    let user = caller.as_ref().map(Caller::id).transpose()?;
    let MatchPage { live, items, next } = service.list_matches(&filter).await?;
    let now = service.db.now();
    let all: Vec<Fixture> = live.iter().chain(&items).cloned().collect();
    let names = service.names(&all).await?;
    let follows = service.follows_of(user.as_ref(), &all).await?;
    let summary = |one: &Fixture| MatchSummary::new(one, &names, follows.get(&one.match_id), now);
    Ok(Json(MatchList {
        live: live.iter().map(summary).collect(),
        items: items.iter().map(summary).collect(),
        cursor: next,
    }))
}

async fn get_match(app: App, caller: Option<Caller>, Path(id): OfMatch) -> Answer<MatchDetail> {
    let service = &app.service;
    let user = caller.as_ref().map(Caller::id).transpose()?;
    let fixture = service.find_match(&id).await?;
    let fixtures = std::slice::from_ref(&fixture);
    let names = service.names(fixtures).await?;
    let follows = service.follows_of(user.as_ref(), fixtures).await?;
    let summary = MatchSummary::new(&fixture, &names, follows.get(&id), service.db.now());
    Ok(Json(MatchDetail::new(fixture, summary)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TeamQuery {
    /// One of the two teams, or `neutral`, which is the default.
    team: Option<TeamId>,
}

async fn get_display(
    app: App,
    Path(id): OfMatch,
    Query(query): Query<TeamQuery>,
) -> Answer<DisplayView> {
    let team = query.team.unwrap_or_else(TeamId::neutral);
    let fixture = app.service.find_side(&id, &team).await?;
    let state = app.service.display_of(&fixture, &team, true).await?;
    Ok(Json(DisplayView::new(state, &fixture, app.service.db.now())))
}

#[derive(Serialize, JsonSchema)]
struct Innings<T> {
    /// Without super overs.
    innings: Vec<T>,
}

async fn get_scorecard(app: App, Path(id): OfMatch) -> Answer<Innings<InningsCard>> {
    let record = app.service.match_record(&id).await?;
    let sides = sides(record.cached.as_ref());
    Ok(Json(Innings { innings: scorecard(&record.view(), &sides) }))
}

async fn get_charts(app: App, Path(id): OfMatch) -> Answer<Innings<InningsChart>> {
    let record = app.service.match_record(&id).await?;
    Ok(Json(Innings { innings: charts(&record.view()) }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BallsQuery {
    /// Of one innings only.
    #[schemars(range(min = 1, max = 4))]
    innings: Option<u32>,
    /// Balls before the one with this id.
    #[schemars(length(min = 1, max = 40))]
    before: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Balls {
    /// The newest first.
    items: Vec<BallLine>,
    /// Pass this as `before` to get earlier ones. It is missing when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

async fn list_balls(app: App, Path(id): OfMatch, Query(query): Query<BallsQuery>) -> Answer<Balls> {
    let view = app.service.match_record(&id).await?.view();
    // Ids ascend in time. One that was withdrawn is still a place in between.
    let before = query.before.map_or(u64::MAX, |before| before.parse().unwrap_or(0));
    let is_asked = |ball: &&Delivery| {
        ball.id < before && query.innings.is_none_or(|innings| ball.innings == innings)
    };
    let mut balls: Vec<&Delivery> = view.deliveries.iter().rev().filter(is_asked).collect();
    let has_more = balls.len() > BALLS_PAGE_LEN;
    balls.truncate(BALLS_PAGE_LEN);
    let before = balls.last().filter(|_| has_more).map(|ball| ball.id.to_string());
    let items = balls.iter().map(|ball| ball_line(ball, &view.players)).collect();
    Ok(Json(Balls { items, before }))
}

async fn watch_matches(app: App, last: LastEventId) -> Result<EventStream, Error> {
    Ok(app.streams.matches.subscribe(matches_topic(), last).await?.into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WatchQuery {
    /// One of the two teams, or `neutral`, which is the default.
    team: Option<TeamId>,
    /// Whether the stream has the matches in play, too.
    #[serde(default)]
    list: bool,
}

async fn watch_match(
    app: App,
    Path(id): OfMatch,
    Query(query): Query<WatchQuery>,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let team = query.team.unwrap_or_else(TeamId::neutral);
    let fixture = app.service.find_side(&id, &team).await?;
    let topic = match_topic(&id, &team, query.list);
    let watcher = app.streams.watch(&fixture, &topic);
    let subscription = app.streams.matches.subscribe(topic, last).await?;
    // The check always passes. It keeps the watcher alive as long as the stream.
    Ok(EventStream::new(subscription).recheck(move || {
        let _ = &watcher;
        std::future::ready(Ok(()))
    }))
}
