//! Matches: anybody reads them.

use super::Shared;
use super::parameters::{OfMatch, team_of, user_of};
use crate::design::{Fixture, ID_BYTES_MAX, LeagueCode, MatchId, TeamId};
use crate::error::Error;
use crate::live::{match_topic, matches_topic};
use crate::rules::{
    BallLine, Delivery, DisplayState, InningsCard, InningsChart, ball_line, charts, scorecard,
};
use crate::service::MatchFilter;
use crate::view::{MatchDetail, MatchList, MatchSummary, is_stale, sides};
use singlet::Timestamp;
use singlet_web::prelude::*;
use singlet_web::problem::Problem;

/// How many ids a list may ask for.
const IDS_MAX: usize = 100;
/// How many balls a page has.
const BALLS_PAGE_LEN: usize = 30;

pub(super) fn add_to(api: Api<Shared>) -> Api<Shared> {
    api.route(Route::get("/matches", list).describe(
        "listMatches",
        "Lists matches: those in play, then others by start time, from two days ago to seven days \
         ahead.",
    ))
    .route(
        Route::get("/matches/{id}", show)
            .describe("getMatch", "Shows a match with its innings.")
            .problems([Error::MatchNotFound]),
    )
    .route(
        Route::get("/matches/{id}/display", show_display)
            .describe("getDisplay", "Shows a match as phones do, from the side of a team.")
            .problems([Error::MatchNotFound, Error::TeamNotInMatch]),
    )
    .route(
        Route::get("/matches/{id}/scorecard", show_scorecard)
            .describe(
                "getScorecard",
                "Shows batters, bowlers, extras and wickets of every innings.",
            )
            .problems([Error::MatchNotFound]),
    )
    .route(
        Route::get("/matches/{id}/balls", list_balls)
            .describe("listBalls", "Lists the balls of a match, the newest first, 30 at a time.")
            .problems([Error::MatchNotFound]),
    )
    .route(
        Route::get("/matches/{id}/charts", show_charts)
            .describe("getCharts", "Shows runs and wickets of every over.")
            .problems([Error::MatchNotFound]),
    )
    .route(Route::get("/live", watch_all).describe(
        "watchMatches",
        "All matches in play, then `matchChanged` and `matchArchived` as they come.",
    ))
    .route(
        Route::get("/matches/{id}/live", watch)
            .describe(
                "watchMatch",
                "The state of a match, then `display`, `balls`, `stale` and `ended` as they come.",
            )
            .problems([Error::MatchNotFound, Error::TeamNotInMatch]),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// The code of a league.
    #[schemars(length(min = 1, max = 40))]
    league: Option<String>,
    /// The earliest start, such as 2026-11-16T00:00:00Z.
    #[schemars(length(max = 40))]
    from: Option<String>,
    /// The latest start.
    #[schemars(length(max = 40))]
    to: Option<String>,
    /// Ids of matches instead, separated by commas: at most 100.
    #[schemars(length(min = 1, max = 8000))]
    ids: Option<String>,
    /// What the answer before gave as `cursor`.
    #[schemars(length(min = 1, max = 8448))]
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TeamQuery {
    /// One of the two teams, or `neutral`.
    #[schemars(length(min = 1, max = 40))]
    team: Option<String>,
}

impl TeamQuery {
    fn team(&self) -> Result<TeamId, Error> {
        self.team.as_deref().map_or_else(|| Ok(TeamId::neutral()), team_of)
    }
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

/// What is shown of a match, with when it was updated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisplayView {
    #[serde(flatten)]
    state: DisplayState,
    /// When the last tick was.
    updated_at: Option<String>,
    /// Whether the score may be behind.
    stale: bool,
}

impl DisplayView {
    pub(crate) fn new(state: DisplayState, fixture: &Fixture, now: Timestamp) -> Self {
        let updated_at = fixture.live_updated_at.map(|at| at.to_string());
        Self { state, updated_at, stale: is_stale(fixture, now) }
    }
}

#[derive(Serialize, JsonSchema)]
struct Scorecard {
    /// The innings, without super overs.
    innings: Vec<InningsCard>,
}

#[derive(Serialize, JsonSchema)]
struct Charts {
    /// The innings, without super overs.
    innings: Vec<InningsChart>,
}

#[derive(Serialize, JsonSchema)]
struct Balls {
    /// The newest first.
    items: Vec<BallLine>,
    /// Pass this as `before` to get earlier ones. It is missing when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

fn moment(field: &'static str, text: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    let parse = |text: &str| {
        text.parse().map_err(|_| {
            let detail = "must be a moment in UTC, such as 2026-11-16T14:30:00Z";
            Problem::invalid_field(FieldLocation::Query, field, detail)
        })
    };
    text.map(parse).transpose()
}

async fn list(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    query: Query<ListQuery>,
) -> Result<Json<MatchList>, Error> {
    let service = &shared.service;
    let user = caller.as_ref().map(user_of).transpose()?;
    let (live, items, cursor) = match &query.ids {
        Some(ids) => {
            // What is no id is no match.
            let ids = ids.split(',').map(str::trim).filter(|id| id.len() <= ID_BYTES_MAX);
            let ids: Vec<MatchId> = ids.filter_map(|id| MatchId::new(id).ok()).collect();
            if ids.len() > IDS_MAX {
                let detail = format!("must be at most {IDS_MAX} ids");
                return Err(Problem::invalid_field(FieldLocation::Query, "ids", detail).into());
            }
            let mut found = service.fixtures.get_many(&ids).await?;
            let items: Vec<Fixture> = ids.iter().filter_map(|id| found.remove(id)).collect();
            (Vec::new(), items, None)
        }
        None => {
            let Ok(league) = query.league.as_deref().map(LeagueCode::new).transpose() else {
                // What is no code is no league, and has no matches.
                return Ok(Json(MatchList::default()));
            };
            let filter = MatchFilter {
                league,
                from: moment("from", query.from.as_deref())?,
                to: moment("to", query.to.as_deref())?,
                cursor: query.cursor.clone(),
            };
            let page = service.list_matches(&filter).await?;
            (page.live, page.items, page.next)
        }
    };
    let now = service.db.now();
    let all: Vec<Fixture> = live.iter().chain(&items).cloned().collect();
    let names = service.names(&all).await?;
    let follows = service.follows_of(user.as_ref(), &all).await?;
    let summary = |one: &Fixture| MatchSummary::new(one, &names, follows.get(&one.match_id), now);
    Ok(Json(MatchList {
        live: live.iter().map(summary).collect(),
        items: items.iter().map(summary).collect(),
        cursor,
    }))
}

async fn show(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfMatch>,
) -> Result<Json<MatchDetail>, Error> {
    let service = &shared.service;
    let user = caller.as_ref().map(user_of).transpose()?;
    let fixture = service.find_match(&of.id()?).await?;
    let fixtures = std::slice::from_ref(&fixture);
    let names = service.names(fixtures).await?;
    let follows = service.follows_of(user.as_ref(), fixtures).await?;
    let follow = follows.get(&fixture.match_id);
    let summary = MatchSummary::new(&fixture, &names, follow, service.db.now());
    Ok(Json(MatchDetail::new(&fixture, summary)))
}

async fn show_display(
    State(shared): State<Shared>,
    of: Path<OfMatch>,
    query: Query<TeamQuery>,
) -> Result<Json<DisplayView>, Error> {
    let (fixture, state) = shared.service.display(&of.id()?, &query.team()?).await?;
    Ok(Json(DisplayView::new(state, &fixture, shared.service.db.now())))
}

async fn show_scorecard(
    State(shared): State<Shared>,
    of: Path<OfMatch>,
) -> Result<Json<Scorecard>, Error> {
    let record = shared.service.match_record(&of.id()?).await?;
    let sides = sides(record.cached.as_ref());
    Ok(Json(Scorecard { innings: scorecard(&record.view(), &sides) }))
}

async fn show_charts(
    State(shared): State<Shared>,
    of: Path<OfMatch>,
) -> Result<Json<Charts>, Error> {
    let record = shared.service.match_record(&of.id()?).await?;
    Ok(Json(Charts { innings: charts(&record.view()) }))
}

async fn list_balls(
    State(shared): State<Shared>,
    of: Path<OfMatch>,
    query: Query<BallsQuery>,
) -> Result<Json<Balls>, Error> {
    let record = shared.service.match_record(&of.id()?).await?;
    let view = record.view();
    let before = query.before.as_deref();
    let balls = view.deliveries.iter().rev();
    let mut balls: Vec<&Delivery> = match before {
        // Ids ascend in time. One that was withdrawn is still a place in between.
        Some(before) => match before.parse::<u64>() {
            Ok(before) => balls.filter(|ball| ball.id < before).collect(),
            Err(_) => Vec::new(),
        },
        None => balls.collect(),
    };
    balls.retain(|ball| query.innings.is_none_or(|innings| ball.innings == innings));
    let has_more = balls.len() > BALLS_PAGE_LEN;
    balls.truncate(BALLS_PAGE_LEN);
    let before = balls.last().filter(|_| has_more).map(|ball| ball.id.to_string());
    let items = balls.iter().map(|ball| ball_line(ball, &view.players)).collect();
    Ok(Json(Balls { items, before }))
}

async fn watch_all(State(shared): State<Shared>, last: LastEventId) -> Result<EventStream, Error> {
    Ok(shared.streams.matches.subscribe(matches_topic(), last).await?.into())
}

async fn watch(
    State(shared): State<Shared>,
    of: Path<OfMatch>,
    query: Query<TeamQuery>,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let (id, team) = (of.id()?, query.team()?);
    let fixture = shared.service.find_match(&id).await?;
    if !fixture.has_perspective(&team) {
        return Err(Error::TeamNotInMatch);
    }
    let watcher = shared.streams.watch(&fixture);
    let subscription = shared.streams.matches.subscribe(match_topic(&id, &team), last).await?;
    // The check refuses nobody. The stream owns it, and with it the watcher, until it ends.
    Ok(EventStream::new(subscription).recheck(move || {
        let _ = &watcher;
        std::future::ready(Ok(()))
    }))
}
