//! HTTP: every function takes a request apart, calls the service, and shows what it says.

use crate::board::{Board, Jump};
use crate::chance::read_code;
use crate::design::{Code, PlayerId};
use crate::live::Live;
use crate::refusal::{
    ALREADY_STARTED, CROWDED, GAME_FULL, GAME_NOT_FOUND, GAME_OVER, NAME_TAKEN, NOT_REMOVABLE,
    NOT_STARTED, NOT_THE_CREATOR, NOT_YOUR_TURN, PLAYER_NOT_FOUND, Refusal, SNAKES,
    TOO_FEW_PLAYERS, WRONG_SECRET,
};
use crate::rules::Mode;
use crate::secret::Secret;
use crate::service::{Joined, NewGame, Service};
use crate::view::{GameSummary, GameView, MoveView, PlayerView};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet_web::System;
use singlet_web::api::{
    Api, Argument, Body, Created, Credential, Json, NoContent, Operation, Page, Path, Query,
    Scheme, delete, get, post,
};
use singlet_web::limit::{ClientLimits, Limiter, Rate};
use singlet_web::live::{SwitchingProtocols, WebSocketUpgrade};
use singlet_web::page;
use singlet_web::problem::{Problem, UNAVAILABLE};
use std::net::IpAddr;
use std::sync::Arc;

/// How many games a page of the list has, unless the caller says.
const PAGE_ITEMS: u32 = 20;

/// How many games one address may create: sixty at once, and a game every ten seconds
/// after that.
const CREATION_RATE: Rate = Rate { per_second: 0.1, burst: 60.0 };

/// What the routes work on.
#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
    creations: Arc<Limiter<IpAddr>>,
}

/// The system as a server takes it.
#[must_use]
pub fn system(service: Service, live: Live) -> System {
    let pages = page::router(singlet_web::assets! {
        "/" => "pages/index.html",
        "/play/{code}" => "pages/play.html",
        "/snakes.css" => "pages/snakes.css",
        "/index.js" => "pages/index.js",
        "/play.js" => "pages/play.js",
        "/board.js" => "pages/board.js",
        "/identity.js" => "pages/identity.js",
        "/signal.js" => "pages/signal.js",
        "/celebration.js" => "pages/celebration.js",
        "/history.js" => "pages/history.js",
    });
    System {
        name: "snakes",
        title: "Snakes and ladders",
        description: "A game for two to six players in turns, or for three hundred in a race.",
        router: api(service, live).into_router().merge(pages),
        problems: SNAKES,
    }
}

fn api(service: Service, live: Live) -> Api<Shared> {
    let description = "Snakes and ladders for several players. Create a game, share its code, and play \
                 over HTTP or over a socket.";
    let creations = Arc::new(Limiter::new(CREATION_RATE));
    Api::new("snakes", description, Shared { service, live, creations })
        .route(
            post("/games", create)
                .idempotent()
                .describe("createGame", "Makes a game, with the caller as its first player.")
                .problems([&CROWDED, &UNAVAILABLE]),
        )
        .route(get("/games", list).describe("listGames", "Lists games, the newest first."))
        .route(
            get("/games/{code}", show)
                .describe("getGame", "Shows a game and all its players.")
                .problems([&GAME_NOT_FOUND]),
        )
        .route(
            post("/games/{code}/players", join)
                .idempotent()
                .describe("joinGame", "Joins a game that has not begun.")
                .problems([
                    &GAME_NOT_FOUND,
                    &NAME_TAKEN,
                    &GAME_FULL,
                    &ALREADY_STARTED,
                    &CROWDED,
                    &UNAVAILABLE,
                ]),
        )
        .route(
            post("/games/{code}/start", start)
                .describe("startGame", "Starts a game. Only its creator can.")
                .problems([
                    &GAME_NOT_FOUND,
                    &NOT_THE_CREATOR,
                    &ALREADY_STARTED,
                    &GAME_OVER,
                    &TOO_FEW_PLAYERS,
                    &CROWDED,
                    &UNAVAILABLE,
                ]),
        )
        .route(
            post("/games/{code}/roll", roll)
                .idempotent()
                .describe("rollDice", "Rolls the die and moves the caller.")
                .problems([
                    &GAME_NOT_FOUND,
                    &NOT_STARTED,
                    &NOT_YOUR_TURN,
                    &GAME_OVER,
                    &CROWDED,
                    &UNAVAILABLE,
                ]),
        )
        .route(
            delete("/games/{code}/players/{id}", leave)
                .describe(
                    "leaveGame",
                    "Takes a player out of the game, for good: the caller; before the game begins, \
                     anybody, if the caller is its creator; after that, the player whose turn it \
                     has been for a minute.",
                )
                .problems([
                    &GAME_NOT_FOUND,
                    &PLAYER_NOT_FOUND,
                    &NOT_REMOVABLE,
                    &CROWDED,
                    &UNAVAILABLE,
                ]),
        )
        .route(
            get("/players/{id}", player)
                .describe("getPlayer", "Shows a player.")
                .problems([&PLAYER_NOT_FOUND]),
        )
        .route(
            get("/games/{code}/socket", socket)
                .describe(
                    "followGame",
                    "Opens a socket on which everything that happens in the game is pushed, in \
                     order, after its present state. Messages in: joinGame {name}, rejoinGame \
                     {secret}, startGame, rollDice, ping. Messages out: gameState, joinedGame, \
                     playerJoined, playerLeft, playerMoved, gameStarted, gameEnded, error, pong.",
                )
                .problems([&GAME_NOT_FOUND]),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateGame {
    /// What the creator is called.
    #[schemars(length(min = 1, max = 24))]
    name: String,
    /// How the game is played: in turns, unless said otherwise.
    #[serde(default)]
    mode: Mode,
    /// What it is played on: the board of a hundred squares, unless another one is brought along.
    board: Option<NewBoard>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewBoard {
    /// How many squares there are; the last one wins.
    #[schemars(range(min = 10, max = 400))]
    size: u16,
    /// The snakes and ladders.
    #[schemars(length(max = 200))]
    snakes_and_ladders: Vec<Jump>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinGame {
    /// What the player is called.
    #[schemars(length(min = 1, max = 24))]
    name: String,
}

/// A player who has just joined.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Welcome {
    /// The new player.
    player: PlayerView,
    /// By which the player acts, in the header Player-Secret. It is told this once.
    secret: String,
    /// The game.
    game: GameView,
}

impl From<Joined> for Welcome {
    fn from(joined: Joined) -> Self {
        Self {
            player: joined.player.into(),
            secret: joined.secret.reveal().to_owned(),
            game: joined.lobby.into(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct OfGame {
    /// The code of the game.
    code: String,
}

impl OfGame {
    fn code(&self) -> Result<Code, Problem> {
        let code = read_code(&self.code).and_then(|code| Code::new(code).ok());
        code.ok_or_else(|| Problem::new(&GAME_NOT_FOUND))
    }
}

#[derive(Deserialize, JsonSchema)]
struct OfGameAndPlayer {
    /// The code of the game.
    code: String,
    /// The id of the player.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct OfPlayer {
    /// The id of the player.
    id: String,
}

fn player_id(text: &str) -> Result<PlayerId, Problem> {
    PlayerId::new(text).map_err(|_| Problem::new(&PLAYER_NOT_FOUND))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    /// How many games to show.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// What the answer before gave as `next`.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Since {
    /// The number of the last event that the client has seen. It gets those after it, or the
    /// present state if that is too long ago.
    after: Option<u64>,
}

/// How a player shows that it is that player.
static PLAYER_SECRET: Scheme = Scheme {
    name: "playerSecret",
    kind: Credential::Header("Player-Secret"),
    description: "What the player was given on joining.",
};

/// The secret in the head of a request.
struct PlayerAuth(Secret);

impl Argument for PlayerAuth {
    fn describe(operation: &mut Operation<'_>) {
        operation.requires(&PLAYER_SECRET);
        operation.add_problem(&WRONG_SECRET);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PlayerAuth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let header = parts.headers.get("player-secret").and_then(|value| value.to_str().ok());
        header.and_then(Secret::read).map(Self).ok_or_else(|| {
            Problem::new(&WRONG_SECRET).detail("the header Player-Secret is missing, or no secret")
        })
    }
}

async fn create(
    State(shared): State<Shared>,
    account: ClientLimits,
    Body(new): Body<CreateGame>,
) -> Result<Created<Welcome>, Problem> {
    account.charge_by(&shared.creations)?;
    let board = match new.board {
        Some(NewBoard { size, snakes_and_ladders }) => {
            Board::new(size, snakes_and_ladders).map_err(Refusal::InvalidBoard)?
        }
        None => Board::default(),
    };
    let new = NewGame { name: new.name, mode: new.mode, board };
    let joined = shared.service.for_account(&account).create_game(new).await?;
    let location = format!("/snakes/games/{}", joined.lobby.game.code);
    Ok(Created { location, value: joined.into() })
}

async fn list(
    State(shared): State<Shared>,
    page: Query<PageQuery>,
) -> Result<Json<Page<GameSummary>>, Problem> {
    let limit = page.limit.unwrap_or(PAGE_ITEMS) as usize;
    let page = shared.service.newest_games(limit, page.cursor.as_deref()).await?;
    let items = page.items.into_iter().map(GameSummary::from).collect();
    Ok(Json(Page { items, next: page.next.map(|cursor| cursor.to_string()) }))
}

async fn show(State(shared): State<Shared>, of: Path<OfGame>) -> Result<Json<GameView>, Problem> {
    Ok(Json(shared.service.lobby(&of.code()?).await?.into()))
}

async fn join(
    State(shared): State<Shared>,
    account: ClientLimits,
    of: Path<OfGame>,
    body: Body<JoinGame>,
) -> Result<Created<Welcome>, Problem> {
    let joined = shared.service.for_account(&account).join(&of.code()?, &body.name).await?;
    let location = format!("/snakes/players/{}", joined.player.id);
    Ok(Created { location, value: joined.into() })
}

async fn start(
    State(shared): State<Shared>,
    account: ClientLimits,
    of: Path<OfGame>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<Json<GameView>, Problem> {
    let service = shared.service.for_account(&account);
    Ok(Json(service.start(&of.code()?, &secret).await?.into()))
}

async fn roll(
    State(shared): State<Shared>,
    account: ClientLimits,
    of: Path<OfGame>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<Json<MoveView>, Problem> {
    let (player, step) = shared.service.for_account(&account).roll(&of.code()?, &secret).await?;
    Ok(Json(MoveView::new(&player, &step)))
}

async fn leave(
    State(shared): State<Shared>,
    account: ClientLimits,
    of: Path<OfGameAndPlayer>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<NoContent, Problem> {
    let code = OfGame { code: of.code.clone() }.code()?;
    shared.service.for_account(&account).leave(&code, &player_id(&of.id)?, &secret).await?;
    Ok(NoContent)
}

async fn player(
    State(shared): State<Shared>,
    of: Path<OfPlayer>,
) -> Result<Json<PlayerView>, Problem> {
    Ok(Json(shared.service.player(&player_id(&of.id)?).await?.into()))
}

async fn socket(
    State(shared): State<Shared>,
    of: Path<OfGame>,
    since: Query<Since>,
    upgrade: WebSocketUpgrade,
) -> Result<SwitchingProtocols, Problem> {
    let code = of.code()?;
    // Whoever asks for a game that is not there is told before there is a socket.
    shared.service.game(&code).await?;
    let after = since.after;
    Ok(upgrade.serve(async move |socket| shared.live.session(code, after, socket).await))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use crate::chance::Chance;
    use crate::design::Snakes;
    use singlet::Db;
    use singlet_web::problem::RATE_LIMITED;

    /// One address could create three hundred games a second, and each was kept for a day.
    #[tokio::test]
    async fn one_address_creates_so_many_games_and_no_more() {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Chance::system());
        let live = Live::new(service.clone());
        let creations = Arc::new(Limiter::new(CREATION_RATE));
        let shared = Shared { service: service.clone(), live, creations };
        let plenty = Rate { per_second: 1e9, burst: 1e9 };
        let create_from = async |address: [u8; 4]| {
            let account = ClientLimits::with_stored_rate(address.into(), plenty);
            let new = CreateGame { name: "Ann".to_owned(), mode: Mode::Turns, board: None };
            create(State(shared.clone()), account, Body(new)).await.map(|_| ())
        };
        for _ in 0..60 {
            create_from([192, 0, 2, 1]).await.unwrap();
        }
        assert_eq!(create_from([192, 0, 2, 1]).await.unwrap_err().code(), &RATE_LIMITED);
        create_from([192, 0, 2, 2]).await.unwrap();
        assert_eq!(service.newest_games(100, None).await.unwrap().items.len(), 61);
    }
}
