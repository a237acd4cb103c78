//! Why the game refuses something.

use crate::board::BoardFault;
use crate::chance::RandomUnavailable;
use singlet::Retryable;
use singlet_web::problem::{INTERNAL, Problem, UNAVAILABLE};
use singlet_web::validate::{FieldError, FieldLocation};
use std::fmt;

singlet_web::problems! {
    /// Why Snakes refuses something.
    pub SNAKES;
    /// No game has this code. Games are gone a day after the last thing that happened in them.
    GAME_NOT_FOUND = 404, "game-not-found", "There is no such game";
    /// No player has this id, or its game is gone.
    PLAYER_NOT_FOUND = 404, "player-not-found", "There is no such player";
    /// Somebody in the game has this name already. Small letters and blanks do not make a
    /// difference.
    NAME_TAKEN = 409, "name-taken", "The name is taken";
    /// The game has as many players as it can have.
    GAME_FULL = 409, "game-full", "The game is full";
    /// Players can join until the game is started.
    ALREADY_STARTED = 409, "already-started", "The game has begun";
    /// There is nothing to roll for before the creator has started the game.
    NOT_STARTED = 409, "not-started", "The game has not begun";
    /// It takes two.
    TOO_FEW_PLAYERS = 409, "too-few-players", "Too few players";
    /// It is somebody else's turn.
    NOT_YOUR_TURN = 409, "not-your-turn", "It is not your turn";
    /// Somebody has won.
    GAME_OVER = 409, "game-over", "The game is over";
    /// The game is still being played. Play again when it is over.
    NOT_OVER = 409, "not-over", "The game is not over";
    /// Only the player who created the game can start it.
    NOT_THE_CREATOR = 403, "not-the-creator", "Only the creator can do this";
    /// The secret is not that of a player of this game. It was given to the player on joining, and
    /// to nobody else.
    WRONG_SECRET = 403, "wrong-secret", "The secret is wrong";
    /// A player leaves by itself. Until the game begins, its creator may take out others; after
    /// that, anybody in it may take out the player whose turn it has been for a minute.
    NOT_REMOVABLE = 403, "not-removable", "This player is not yours to take out";
    /// A socket plays one player. To play another one, open another socket.
    ALREADY_JOINED = 409, "already-joined", "This socket plays somebody already";
    /// A socket watches the game until it says joinGame or rejoinGame.
    NOT_JOINED = 409, "not-joined", "This socket plays nobody";
    /// Too many others changed the game at the same moment. Try again.
    CROWDED = 503, "crowded", "Too much at once";
}

/// Why the game refuses something.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// See [`GAME_NOT_FOUND`].
    GameNotFound,
    /// See [`PLAYER_NOT_FOUND`].
    PlayerNotFound,
    /// See [`NAME_TAKEN`].
    NameTaken,
    /// See [`GAME_FULL`].
    GameFull,
    /// See [`ALREADY_STARTED`].
    AlreadyStarted,
    /// See [`NOT_STARTED`].
    NotStarted,
    /// See [`TOO_FEW_PLAYERS`].
    TooFewPlayers,
    /// See [`NOT_YOUR_TURN`].
    NotYourTurn,
    /// See [`GAME_OVER`].
    GameOver,
    /// See [`NOT_OVER`].
    NotOver,
    /// See [`NOT_THE_CREATOR`].
    NotTheCreator,
    /// See [`WRONG_SECRET`].
    WrongSecret,
    /// See [`NOT_REMOVABLE`].
    NotRemovable,
    /// Somebody else has changed the game since it was read. See [`CROWDED`].
    Crowded,
    /// A name that cannot be shown.
    InvalidName(&'static str),
    /// A board that cannot be played on.
    InvalidBoard(Vec<BoardFault>),
    /// A cursor that was not made for this list.
    InvalidCursor,
    /// Too much is stored already, in all or for the client's address. The problem says when to come
    /// back.
    OverBudget(Problem),
    /// The operating system gives no random numbers.
    RandomUnavailable,
    /// The store does not do what it should.
    Store(singlet::Error),
}

impl From<singlet::Error> for Refusal {
    fn from(error: singlet::Error) -> Self {
        match error {
            singlet::Error::Cursor => Self::InvalidCursor,
            singlet::Error::Conflict { .. } => Self::Crowded,
            other => Self::Store(other),
        }
    }
}

impl Retryable for Refusal {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Crowded)
    }
}

impl From<RandomUnavailable> for Refusal {
    fn from(_: RandomUnavailable) -> Self {
        Self::RandomUnavailable
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::OverBudget(problem)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::GameNotFound => &GAME_NOT_FOUND,
            Refusal::PlayerNotFound => &PLAYER_NOT_FOUND,
            Refusal::NameTaken => &NAME_TAKEN,
            Refusal::GameFull => &GAME_FULL,
            Refusal::AlreadyStarted => &ALREADY_STARTED,
            Refusal::NotStarted => &NOT_STARTED,
            Refusal::TooFewPlayers => &TOO_FEW_PLAYERS,
            Refusal::NotYourTurn => &NOT_YOUR_TURN,
            Refusal::GameOver => &GAME_OVER,
            Refusal::NotOver => &NOT_OVER,
            Refusal::NotTheCreator => &NOT_THE_CREATOR,
            Refusal::WrongSecret => &WRONG_SECRET,
            Refusal::NotRemovable => &NOT_REMOVABLE,
            // Every attempt was refused by a condition, or by the store as a whole.
            Refusal::Crowded => return Self::new(&CROWDED).safe_to_retry(),
            Refusal::InvalidName(what) => {
                return Self::invalid(vec![FieldError::new(FieldLocation::Body, "/name", what)]);
            }
            Refusal::InvalidBoard(faults) => {
                return Self::invalid(faults.iter().map(board_fault).collect());
            }
            Refusal::InvalidCursor => {
                let what = "must be what an earlier answer gave as `next`";
                return Self::invalid(vec![FieldError::new(FieldLocation::Query, "cursor", what)]);
            }
            Refusal::OverBudget(problem) => return problem,
            Refusal::Store(singlet::Error::Throttled { .. }) => &UNAVAILABLE,
            Refusal::RandomUnavailable | Refusal::Store(_) => {
                tracing::error!(%refusal, "the game cannot go on");
                &INTERNAL
            }
        };
        Self::new(code)
    }
}

/// Where in the request a fault of the board is.
fn board_fault(fault: &BoardFault) -> FieldError {
    use crate::board::FaultKind;
    let field = match (fault.jump, fault.kind) {
        (None, FaultKind::Size) => "/board/size".to_owned(),
        (None, _) => "/board".to_owned(),
        (Some(jump), FaultKind::From) => format!("/board/snakesAndLadders/{jump}/from"),
        (Some(jump), FaultKind::To | FaultKind::Nowhere) => {
            format!("/board/snakesAndLadders/{jump}/to")
        }
        (Some(jump), _) => format!("/board/snakesAndLadders/{jump}"),
    };
    FieldError::new(FieldLocation::Body, field, fault.kind.to_string())
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::OverBudget(problem) => problem.fmt(f),
            Self::RandomUnavailable => f.write_str("the operating system gives no random numbers"),
            other => write!(f, "{other:?}"),
        }
    }
}

impl std::error::Error for Refusal {}
