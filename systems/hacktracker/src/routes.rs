//! HTTP: each file has its routes in a table, and below it the functions that take requests apart.

mod games;
mod scoring;
mod teams;
mod users;

use crate::demo;
use crate::design::{GameId, HackTracker, PlayerId, Role, TeamId};
use crate::error::{Error, Result};
use crate::live;
use crate::service::Service;
use singlet_web::prelude::*;
use std::ops::Deref;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PURGE_LEASE: Duration = Duration::from_secs(60);

#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
}

impl Deref for Shared {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

type App = State<Shared>;
type Reply<T> = Result<Json<T>>;
type Done = Result<NoContent>;
type Season = Query<OfSeason>;
/// Lists that usually fit on one page.
type WholePaging = Paging<100, 100>;
type OfTeam = Path<TeamId>;
type OfPlayer = Path<(TeamId, PlayerId)>;
type OfGame = Path<GameId>;

pub fn system() -> System {
    System::new(
        "hacktracker",
        "HackTracker",
        "Softball teams: rosters, games scored at-bat by at-bat, and statistics.",
    )
    .design::<HackTracker>()
    .accepts(crate::design::accepted())
    .problems::<Error>()
    .personas(demo::PERSONAS)
    .open(async |resources: Resources| Ok(opened(open_service(&resources).await?)))
    .demo(async |resources: Resources, demo: Demo| {
        demo::load(&open_service(&resources).await?, demo).await
    })
}

async fn open_service(resources: &Resources) -> Result<Service, OpenError> {
    Ok(Service::new(resources.database().await?, resources.random().clone()))
}

fn opened(service: Service) -> Opened {
    let live = live::live(&service);
    let pages = assets! {
        "/" => "pages/index.html",
        "/team/{team}" => "pages/team.html",
        "/game/{game}" => "pages/game.html",
        "/score/{game}" => "pages/score.html",
        "/player/{team}/{player}" => "pages/player.html",
        "/me" => "pages/player.html",
        "/join/{team}/{code}" => "pages/join.html",
        "/admin" => "pages/admin.html",
        "/hacktracker.css" => "pages/hacktracker.css",
        "/admin.js" => "pages/admin.js",
        "/index.js" => "pages/index.js",
        "/team.js" => "pages/team.js",
        "/roster.js" => "pages/roster.js",
        "/roster-lines.js" => "pages/roster-lines.js",
        "/schedule.js" => "pages/schedule.js",
        "/team-stats.js" => "pages/team-stats.js",
        "/members.js" => "pages/members.js",
        "/game.js" => "pages/game.js",
        "/lineup.js" => "pages/lineup.js",
        "/game-form.js" => "pages/game-form.js",
        "/game-view.js" => "pages/game-view.js",
        "/score.js" => "pages/score.js",
        "/score-bar.js" => "pages/score-bar.js",
        "/score-book.js" => "pages/score-book.js",
        "/score-halves.js" => "pages/score-halves.js",
        "/score-panel.js" => "pages/score-panel.js",
        "/score-plays.js" => "pages/score-plays.js",
        "/score-queue.js" => "pages/score-queue.js",
        "/score-undo.js" => "pages/score-undo.js",
        "/play-editor.js" => "pages/play-editor.js",
        "/player.js" => "pages/player.js",
        "/join.js" => "pages/join.js",
        "/rules.js" => "pages/rules.js",
        "/field.js" => "pages/field.js",
        "/words.js" => "pages/words.js",
        "/signed-in.js" => "pages/signed-in.js",
        "/score-form.js" => "pages/score-form.js",
    };
    let api = Api::new(Shared { service: service.clone(), live: live.clone() })
        .path_ids([
            ("team", "The id of the team.", Error::TeamNotFound),
            ("user", "The id of the user.", Error::MemberNotFound),
            ("code", "The code of the invite.", Error::InviteNotFound),
            ("player", "The id of the player.", Error::PlayerNotFound),
            ("game", "The id of the game.", Error::GameNotFound),
            ("atBat", "The id of the at-bat.", Error::AtBatNotFound),
        ])
        .path_problems("team", [Error::MembershipInactive, Error::TeamDeleted])
        .path_problems("game", [Error::MembershipInactive, Error::TeamDeleted]);
    let api = scoring::routes(games::routes(teams::routes(users::routes(api))));
    let purge = Job::every("remove-members-of-deleted-teams", DAY, move |run| {
        service.clone().purge_job(run)
    });
    Opened::new(api).pages(pages).live(&live).job(purge.leased(PURGE_LEASE))
}

#[derive(Deserialize, JsonSchema)]
struct OfSeason {
    /// Only this season.
    #[schemars(length(min = 1, max = 160))]
    season: Option<String>,
}

/// Stored answers are not repeated to callers who may no longer manage the team.
async fn check_manager(app: App, by: Caller, team: OfTeam) -> Done {
    app.member(&by, &team, Role::Manager).await.map(|_| NoContent)
}

/// Nor to those who may no longer score the game.
async fn check_scorekeeper(app: App, by: Caller, game: OfGame) -> Done {
    app.game_member(&by, &game, Role::Scorekeeper).await.map(|_| NoContent)
}
