//! HTTP: each function takes a request apart, calls the service, and shows the result.

use crate::board::{Board, Jump};
use crate::code::TypedCode;
use crate::demo;
use crate::design::{Lobby, Player, PlayerId, Snakes};
use crate::error::{Error, Result};
use crate::live;
use crate::rules::Mode;
use crate::service::{Budgets, Joined, NewGame, PlayerName, Service};
use crate::view::{GameSummary, PlayerMove};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use singlet_web::api::{Argument, Credential, Operation, Scheme, delete, get, post};
use singlet_web::limit::ClientLimits;
use singlet_web::prelude::*;
use singlet_web::secret::Secret;
use singlet_web::validate::FieldError;
use std::borrow::Cow;

#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
}

pub fn system() -> System {
    declaration()
        .open(async |resources: Resources| Ok(opened(open_service(&resources).await?)))
        .demo(async |resources: Resources, demo: Demo| {
            demo::load(&open_service(&resources).await?, &demo).await
        })
}

/// The system on a service that is open already: for tests with scripted dice.
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
    .accepts(crate::design::accepted())
    .problems::<Error>()
}

fn opened(service: Service) -> Opened {
    let live = live::live(&service);
    let pages = assets! {
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
    let api = Api::new(Shared { service, live: live.clone() })
        .path_ids([
            ("code", "The code of the game.", Error::GameNotFound),
            ("id", "The id of the player.", Error::PlayerNotFound),
        ])
        .keyed_writes();
    Opened::new(routes(api)).pages(pages).live(&live)
}

fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        AlreadyJoined, AlreadyStarted, GameFull, GameOver, NameTaken, NotJoined, NotOver,
        NotRemovable, NotStarted, NotTheCreator, NotYourTurn, PlayerNotFound, TooFewPlayers,
        WrongSecret,
    };
    api.route(
        post("/games", create_game).about("Makes a game, with the caller as its first player."),
    )
    .route(get("/games", list_games).about("Lists games, the newest first."))
    .route(get("/games/{code}", get_game).about("Shows a game and all its players."))
    .route(
        post("/games/{code}/players", join_game)
            .about("Joins a game that has not begun.")
            .problems([NameTaken, GameFull, AlreadyStarted]),
    )
    .route(
        post("/games/{code}/start", start_game)
            .unkeyed()
            .about("Starts a game. Only its creator can.")
            .problems([NotTheCreator, AlreadyStarted, GameOver, TooFewPlayers]),
    )
    .route(
        post("/games/{code}/roll", roll_dice)
            .about("Rolls the die and moves the caller.")
            .problems([NotStarted, NotYourTurn, GameOver]),
    )
    .route(
        post("/games/{code}/rematch", play_again)
            .about(
                "Plays again with the same people on the same board, when a game is over. The \
                 first who asks creates the game; the others join it.",
            )
            .problems([NotOver, NameTaken, GameFull, AlreadyStarted]),
    )
    .route(
        delete("/games/{code}/players/{id}", leave_game)
            .unkeyed()
            .about(
                "Removes a player from the game: the caller; before the game begins, any player, \
                 if the caller is its creator; after that, the player whose turn it has been for \
                 a minute.",
            )
            .problems([NotRemovable]),
    )
    .route(get("/players/{id}", get_player).about("Shows a player."))
    .route(
        get("/games/{code}/socket", follow_game)
            .about(
                "Opens a socket on which everything that happens in the game is pushed, in order, \
                 after its present state. Messages in: joinGame {name}, rejoinGame {secret}, \
                 startGame, rollDice, ping. Messages out: gameState, joinedGame, playerJoined, \
                 playerLeft, playerMoved, gameStarted, gameEnded, rematchOffered, error, pong.",
            )
            // These are sent on the socket.
            .problems([
                AlreadyJoined,
                NotJoined,
                NameTaken,
                GameFull,
                AlreadyStarted,
                WrongSecret,
                PlayerNotFound,
                NotTheCreator,
                TooFewPlayers,
                NotStarted,
                NotYourTurn,
                GameOver,
            ]),
    )
}

/// The secret of the calling player.
struct PlayerAuth(Secret);

static PLAYER_SECRET: Scheme = Scheme {
    name: "playerSecret",
    kind: Credential::Header("Player-Secret"),
    description: "What the player was given on joining.",
};

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
            Error::WrongSecret.because("the header Player-Secret is missing or malformed").into()
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateGame {
    /// The creator's name: 1 to 24 characters as people count them. Parsed with the board, so that
    /// all errors are reported at once.
    #[schemars(with = "PlayerName")]
    name: String,
    #[serde(default)]
    mode: Mode,
    /// Without it, the usual board of a hundred squares.
    board: Option<NewBoard>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewBoard {
    /// How many squares there are; the last one wins.
    #[schemars(range(min = 10, max = 400))]
    size: u16,
    #[schemars(length(max = 200))]
    snakes_and_ladders: Vec<Jump>,
}

impl CreateGame {
    /// The game, or all that is wrong with its name and its board.
    fn parse(self) -> Result<NewGame> {
        let name = self.name.parse::<PlayerName>();
        let board = self.board.map(|new| Board::new(new.size, new.snakes_and_ladders)).transpose();
        let mut errors = Vec::new();
        let mut refuse = |field: String, detail: Cow<'static, str>| {
            errors.push(FieldError::new(FieldLocation::Body, field, detail));
        };
        if let Err(rule) = &name {
            refuse("/name".to_owned(), rule.to_string().into());
        }
        for (field, detail) in board.as_ref().err().into_iter().flatten() {
            refuse(format!("/board{field}"), (*detail).into());
        }
        match (name, board) {
            (Ok(name), Ok(board)) => Ok(NewGame {
                name: name.as_str().to_owned(),
                mode: self.mode,
                board: board.unwrap_or_default(),
            }),
            _ => Err(Problem::invalid(errors).into()),
        }
    }
}

type App = State<Shared>;
type OfGame = Path<TypedCode>;
type Answer<T> = Result<Json<T>>;

async fn create_game(
    app: App,
    client: ClientLimits,
    Body(new): Body<CreateGame>,
) -> Result<Created<Joined>> {
    let joined = app.service.for_client(&client).create_game(new.parse()?).await?;
    Ok(Created::at(format!("/games/{}", joined.player.game_code), joined))
}

async fn list_games(app: App, paging: Paging) -> Answer<Page<GameSummary>> {
    let page = app.service.newest_games(paging.limit(), paging.cursor()?).await?;
    Ok(Json(Page::from(page).map(GameSummary::from)))
}

async fn get_game(app: App, code: OfGame) -> Answer<Lobby> {
    app.service.view(&code).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinGame {
    /// 1 to 24 characters as people count them.
    name: PlayerName,
}

async fn join_game(
    app: App,
    client: ClientLimits,
    code: OfGame,
    new: Body<JoinGame>,
) -> Result<Created<Joined>> {
    let joined = app.service.for_client(&client).join(&code, new.name.as_str()).await?;
    Ok(Created::at(format!("/players/{}", joined.player.id), joined))
}

async fn start_game(app: App, client: ClientLimits, code: OfGame, by: PlayerAuth) -> Answer<Lobby> {
    app.service.for_client(&client).start(&code, &by.0).await.map(Json)
}

async fn roll_dice(
    app: App,
    client: ClientLimits,
    code: OfGame,
    by: PlayerAuth,
) -> Answer<PlayerMove> {
    let (player_id, step) = app.service.for_client(&client).roll(&code, &by.0).await?;
    Ok(Json(PlayerMove { player_id, step }))
}

async fn play_again(
    app: App,
    client: ClientLimits,
    code: OfGame,
    by: PlayerAuth,
) -> Result<Created<Joined>> {
    let joined = app.service.for_client(&client).rematch(&code, &by.0).await?;
    Ok(Created::at(format!("/games/{}", joined.player.game_code), joined))
}

async fn leave_game(
    app: App,
    client: ClientLimits,
    Path((code, player)): Path<(TypedCode, PlayerId)>,
    by: PlayerAuth,
) -> Result<NoContent> {
    app.service.for_client(&client).leave(&code, &player, &by.0).await.map(|()| NoContent)
}

async fn get_player(app: App, player: Path<PlayerId>) -> Answer<Player> {
    app.service.player(&player).await.map(Json)
}

async fn follow_game(
    State(shared): State<Shared>,
    Path(TypedCode(code)): Path<TypedCode>,
    last: LastEventId,
    upgrade: WebSocketUpgrade,
) -> Result<SwitchingProtocols> {
    // A game that does not exist is a problem, not a socket.
    let subscription = shared.live.subscribe(live::topic(&code), last).await?;
    let service = shared.service;
    Ok(upgrade.serve(move |socket| live::session(service, code, subscription, socket)))
}
