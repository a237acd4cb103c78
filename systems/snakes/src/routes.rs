//! HTTP: every function takes a request apart, calls the service, and shows what it says.

use crate::board::{Board, Jump};
use crate::code::parse_code;
use crate::demo;
use crate::design::{Code, PlayerId, Snakes};
use crate::error::Error;
use crate::live;
use crate::rules::Mode;
use crate::service::NAME_CODE_POINTS_MAX;
use crate::service::{Budgets, Joined, NewGame, Service};
use crate::view::{GameSummary, GameView, MoveView, PlayerView};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet_web::api::{
    Api, Argument, Body, Created, Credential, Json, LastEventId, NoContent, Operation, Page,
    Paging, Path, Scheme, delete, get, post,
};
use singlet_web::demo::Demo;
use singlet_web::limit::{ClientLimits, Limiter, Rate};
use singlet_web::live::{Live, SwitchingProtocols, WebSocketUpgrade};
use singlet_web::problem::{ApiError as _, Problem};
use singlet_web::secret::Secret;
use singlet_web::{OpenError, Opened, Resources, System};
use std::net::IpAddr;
use std::sync::Arc;

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

/// The system.
#[must_use]
pub fn system() -> System {
    declaration()
        .open(async |resources: Resources| {
            let service = open_service(&resources).await?;
            Ok(opened(service))
        })
        .demo(async |resources: Resources, demo: Demo| {
            demo::load(&open_service(&resources).await?, &demo).await
        })
}

/// The system on a service that is open already: for tests with dice of their own.
#[must_use]
pub fn system_with(service: Service) -> System {
    declaration().open(move |_| {
        let opened = opened(service.clone());
        async move { Ok(opened) }
    })
}

async fn open_service(resources: &Resources) -> Result<Service, OpenError> {
    let service = Service::new(resources.database().await?, resources.random().clone());
    Ok(service.with_budgets(Budgets::new(resources.web().clone())))
}

fn declaration() -> System {
    System::new(
        "snakes",
        "Snakes and ladders",
        "A game for two to six players in turns, or for three hundred in a race.",
    )
    .design::<Snakes>()
    .problems::<Error>()
}

fn opened(service: Service) -> Opened {
    let live = live::live(&service);
    let pages = singlet_web::assets! {
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
    };
    Opened::new(api(service, live.clone())).pages(pages).live(&live)
}

fn api(service: Service, live: Live) -> Api<Shared> {
    let creations = Arc::new(Limiter::new(CREATION_RATE));
    Api::new(Shared { service, live, creations })
        .route(
            post("/games", create)
                .idempotent()
                .describe("createGame", "Makes a game, with the caller as its first player."),
        )
        .route(get("/games", list).describe("listGames", "Lists games, the newest first."))
        .route(
            get("/games/{code}", show)
                .describe("getGame", "Shows a game and all its players.")
                .problems([Error::GameNotFound]),
        )
        .route(
            post("/games/{code}/players", join)
                .idempotent()
                .describe("joinGame", "Joins a game that has not begun.")
                .problems([
                    Error::GameNotFound,
                    Error::NameTaken,
                    Error::GameFull,
                    Error::AlreadyStarted,
                ]),
        )
        .route(
            post("/games/{code}/start", start)
                .describe("startGame", "Starts a game. Only its creator can.")
                .problems([
                    Error::GameNotFound,
                    Error::NotTheCreator,
                    Error::AlreadyStarted,
                    Error::GameOver,
                    Error::TooFewPlayers,
                ]),
        )
        .route(
            post("/games/{code}/roll", roll)
                .idempotent()
                .describe("rollDice", "Rolls the die and moves the caller.")
                .problems([
                    Error::GameNotFound,
                    Error::NotStarted,
                    Error::NotYourTurn,
                    Error::GameOver,
                ]),
        )
        .route(
            post("/games/{code}/rematch", rematch)
                .idempotent()
                .describe(
                    "playAgain",
                    "Plays again with the same people on the same board, when a game is over. The \
                     first who asks creates the game; the others join it.",
                )
                .problems([
                    Error::GameNotFound,
                    Error::NotOver,
                    Error::NameTaken,
                    Error::GameFull,
                    Error::AlreadyStarted,
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
                .problems([Error::GameNotFound, Error::PlayerNotFound, Error::NotRemovable]),
        )
        .route(
            get("/players/{id}", player)
                .describe("getPlayer", "Shows a player.")
                .problems([Error::PlayerNotFound]),
        )
        .route(
            get("/games/{code}/socket", socket)
                .describe(
                    "followGame",
                    "Opens a socket on which everything that happens in the game is pushed, in \
                     order, after its present state. Messages in: joinGame {name}, rejoinGame \
                     {secret}, startGame, rollDice, ping. Messages out: gameState, joinedGame, \
                     playerJoined, playerLeft, playerMoved, gameStarted, gameEnded, \
                     rematchOffered, error, pong.",
                )
                // All but the first are sent on the socket.
                .problems([
                    Error::GameNotFound,
                    Error::AlreadyJoined,
                    Error::NotJoined,
                    Error::NameTaken,
                    Error::GameFull,
                    Error::AlreadyStarted,
                    Error::WrongSecret,
                    Error::PlayerNotFound,
                    Error::NotTheCreator,
                    Error::TooFewPlayers,
                    Error::NotStarted,
                    Error::NotYourTurn,
                    Error::GameOver,
                ]),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateGame {
    /// What the creator is called: 1 to 24 characters as people count them.
    #[schemars(length(min = 1, max = NAME_CODE_POINTS_MAX))]
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
    /// What the player is called: 1 to 24 characters as people count them.
    #[schemars(length(min = 1, max = NAME_CODE_POINTS_MAX))]
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
    fn code(&self) -> Result<Code, Error> {
        parse_code(&self.code).ok_or(Error::GameNotFound)
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

fn player_id(text: &str) -> Result<PlayerId, Error> {
    PlayerId::new(text).map_err(|_| Error::PlayerNotFound)
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
        operation.add_problem(Error::WrongSecret.problem_type());
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PlayerAuth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let header = parts.headers.get("player-secret").and_then(|value| value.to_str().ok());
        header.and_then(Secret::parse).map(Self).ok_or_else(|| {
            Problem::new(Error::WrongSecret.problem_type())
                .detail("the header Player-Secret is missing, or no secret")
        })
    }
}

async fn create(
    State(shared): State<Shared>,
    client: ClientLimits,
    Body(new): Body<CreateGame>,
) -> Result<Created<Welcome>, Error> {
    client.charge_by(&shared.creations)?;
    let board = match new.board {
        Some(NewBoard { size, snakes_and_ladders }) => {
            Board::new(size, snakes_and_ladders).map_err(|faults| Error::invalid_board(&faults))?
        }
        None => Board::default(),
    };
    let new = NewGame { name: new.name, mode: new.mode, board };
    let joined = shared.service.for_client(&client).create_game(new).await?;
    let location = format!("/games/{}", joined.lobby.game.code);
    Ok(Created::at(location, joined.into()))
}

async fn list(
    State(shared): State<Shared>,
    paging: Paging,
) -> Result<Json<Page<GameSummary>>, Error> {
    let page = shared.service.newest_games(paging.limit(), paging.cursor()?).await?;
    Ok(Json(Page::from(page).map(GameSummary::from)))
}

async fn show(State(shared): State<Shared>, of: Path<OfGame>) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.view(&of.code()?).await?))
}

async fn join(
    State(shared): State<Shared>,
    client: ClientLimits,
    of: Path<OfGame>,
    body: Body<JoinGame>,
) -> Result<Created<Welcome>, Error> {
    let joined = shared.service.for_client(&client).join(&of.code()?, &body.name).await?;
    let location = format!("/players/{}", joined.player.id);
    Ok(Created::at(location, joined.into()))
}

async fn start(
    State(shared): State<Shared>,
    client: ClientLimits,
    of: Path<OfGame>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<Json<GameView>, Error> {
    let service = shared.service.for_client(&client);
    Ok(Json(service.start(&of.code()?, &secret).await?.into()))
}

async fn roll(
    State(shared): State<Shared>,
    client: ClientLimits,
    of: Path<OfGame>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<Json<MoveView>, Error> {
    let (player, step) = shared.service.for_client(&client).roll(&of.code()?, &secret).await?;
    Ok(Json(MoveView::new(&player, &step)))
}

async fn rematch(
    State(shared): State<Shared>,
    client: ClientLimits,
    of: Path<OfGame>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<Created<Welcome>, Error> {
    let code = of.code()?;
    // The first who plays again creates a game; the others join it.
    if shared.service.game(&code).await?.rematch_code.is_none() {
        client.charge_by(&shared.creations)?;
    }
    let joined = shared.service.for_client(&client).rematch(&code, &secret).await?;
    let location = format!("/games/{}", joined.lobby.game.code);
    Ok(Created::at(location, joined.into()))
}

async fn leave(
    State(shared): State<Shared>,
    client: ClientLimits,
    of: Path<OfGameAndPlayer>,
    PlayerAuth(secret): PlayerAuth,
) -> Result<NoContent, Error> {
    let code = OfGame { code: of.code.clone() }.code()?;
    shared.service.for_client(&client).leave(&code, &player_id(&of.id)?, &secret).await?;
    Ok(NoContent)
}

async fn player(
    State(shared): State<Shared>,
    of: Path<OfPlayer>,
) -> Result<Json<PlayerView>, Error> {
    Ok(Json(shared.service.player(&player_id(&of.id)?).await?.into()))
}

async fn socket(
    State(shared): State<Shared>,
    of: Path<OfGame>,
    last: LastEventId,
    upgrade: WebSocketUpgrade,
) -> Result<SwitchingProtocols, Error> {
    let code = of.code()?;
    // Who asks for a game that does not exist gets a problem and no socket.
    let subscription = shared.live.subscribe(live::topic(&code), last).await?;
    let service = shared.service;
    Ok(upgrade.serve(move |socket| live::session(service, code, subscription, socket)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use singlet::Db;
    use singlet_web::problem::RATE_LIMITED;
    use singlet_web::random::Random;

    /// What an address may do at once, and nothing comes back while a test runs on a slow machine.
    const ONCE: Rate = Rate { per_second: 1e-6, ..CREATION_RATE };

    /// One address could create three hundred games a second, and each was kept for a day.
    #[tokio::test]
    async fn one_address_creates_so_many_games_and_no_more() {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Random::new());
        let live = live::live(&service);
        let creations = Arc::new(Limiter::new(ONCE));
        let shared = Shared { service: service.clone(), live, creations };
        let plenty = Rate { per_second: 1e9, burst: 1e9 };
        let create_from = async |address: [u8; 4]| {
            let client = ClientLimits::with_stored_rate(address.into(), plenty);
            let new = CreateGame { name: "Ann".to_owned(), mode: Mode::Turns, board: None };
            create(State(shared.clone()), client, Body(new)).await.map(|_| ())
        };
        for _ in 0..60 {
            create_from([192, 0, 2, 1]).await.unwrap();
        }
        assert_eq!(create_from([192, 0, 2, 1]).await.unwrap_err().problem_type(), &RATE_LIMITED);
        create_from([192, 0, 2, 2]).await.unwrap();
        assert_eq!(service.newest_games(100, None).await.unwrap().items.len(), 61);
    }

    /// Games that were made by playing again did not count: a stranger with two players could have
    /// one game after the other.
    #[tokio::test]
    async fn games_made_by_playing_again_count() {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Random::new());
        let creations = Arc::new(Limiter::new(ONCE));
        let live = live::live(&service);
        let shared = Shared { service: service.clone(), live, creations };
        let plenty = Rate { per_second: 1e9, burst: 1e9 };
        let client = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), plenty);
        let play_again = async |code: &Code, secret: &Secret| {
            let of = Path(OfGame { code: code.to_string() });
            let auth = PlayerAuth(secret.clone());
            rematch(State(shared.clone()), client.clone(), of, auth).await.map(|_| ())
        };
        let over = async || {
            let new = NewGame { name: "Ann".to_owned(), ..NewGame::default() };
            let ann = service.create_game(new).await.unwrap();
            let code = ann.lobby.game.code;
            let bob = service.join(&code, "Bob").await.unwrap();
            let cleo = service.join(&code, "Cleo").await.unwrap();
            service.start(&code, &ann.secret).await.unwrap();
            while service.game(&code).await.unwrap().status != crate::design::Status::Finished {
                for secret in [&ann.secret, &bob.secret, &cleo.secret] {
                    let _ = service.roll(&code, secret).await;
                }
            }
            (code, ann.secret, bob.secret)
        };
        let (first, ann, bob) = over().await;
        play_again(&first, &ann).await.unwrap();
        for _ in 1..60 {
            let (code, ann, _) = over().await;
            play_again(&code, &ann).await.unwrap();
        }
        let (code, one, _) = over().await;
        assert_eq!(play_again(&code, &one).await.unwrap_err().problem_type(), &RATE_LIMITED);
        // Joining the game that somebody else has made is no new game.
        play_again(&first, &bob).await.unwrap();
    }
}
