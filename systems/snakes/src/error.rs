//! Why the game refuses a request.

use crate::board::{BoardFault, FaultKind};
use singlet_web::problem::{BUSY, Problem};
use singlet_web::validate::{FieldError, FieldLocation};

singlet_web::problems! {
    /// Why Snakes refuses a request.
    pub enum Error {
        /// No game has this code. Games are gone a day after the last thing that happened in them.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// No player has this id, or its game is gone.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// Somebody in the game has this name already. Small letters and blanks do not make a
        /// difference.
        NameTaken = 409, "name-taken", "Name taken";
        /// The game has as many players as it can have.
        GameFull = 409, "game-full", "Game full";
        /// Players can join until the game is started.
        AlreadyStarted = 409, "already-started", "Game already started";
        /// There is nothing to roll for before the creator has started the game.
        NotStarted = 409, "not-started", "Game not started";
        /// A game needs at least two players.
        TooFewPlayers = 409, "too-few-players", "Too few players";
        /// It is somebody else's turn.
        NotYourTurn = 409, "not-your-turn", "Not your turn";
        /// Somebody has won.
        GameOver = 409, "game-over", "Game over";
        /// The game is still being played. Play again when it is over.
        NotOver = 409, "not-over", "Game not over";
        /// Only the player who created the game can start it.
        NotTheCreator = 403, "not-the-creator", "Not the creator";
        /// The secret is not that of a player of this game. It was given to the player on joining, and
        /// to nobody else.
        WrongSecret = 403, "wrong-secret", "Wrong secret";
        /// A player leaves by itself. Until the game begins, its creator may take out others; after
        /// that, anybody in it may take out the player whose turn it has been for a minute.
        NotRemovable = 403, "not-removable", "Player not removable";
        /// A socket plays one player. To play another one, open another socket.
        AlreadyJoined = 409, "already-joined", "Already joined";
        /// A socket watches the game until it says joinGame or rejoinGame.
        NotJoined = 409, "not-joined", "Not joined";
    }
}

impl Error {
    /// Somebody else has changed the game since it was read. Nothing was written: the whole
    /// operation can be tried again.
    pub(crate) fn changed() -> Self {
        Problem::new(&BUSY).safe_to_retry().into()
    }

    /// A name that cannot be shown.
    pub(crate) fn invalid_name(detail: impl Into<String>) -> Self {
        Problem::invalid(vec![FieldError::new(FieldLocation::Body, "/name", detail.into())]).into()
    }

    /// A board that cannot be played on.
    pub(crate) fn invalid_board(faults: &[BoardFault]) -> Self {
        Problem::invalid(faults.iter().map(field_error).collect()).into()
    }
}

/// Where in the request a fault of the board is.
fn field_error(fault: &BoardFault) -> FieldError {
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
