//! Why the game refuses a request.

pub type Result<T, E = Error> = std::result::Result<T, E>;

singlet_web::problems! {
    pub enum Error {
        /// No game has this code. Games are deleted a day after their last change.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// No player has this id, or its game was deleted.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// Another player of the game has this name, or one that looks like it.
        NameTaken = 409, "name-taken", "Name taken";
        /// The game has as many players as it can have.
        GameFull = 409, "game-full", "Game full";
        /// Players can join until the game is started.
        AlreadyStarted = 409, "already-started", "Game already started";
        /// The creator has not started the game yet.
        NotStarted = 409, "not-started", "Game not started";
        /// A game needs at least two players.
        TooFewPlayers = 409, "too-few-players", "Too few players";
        /// It is another player's turn.
        NotYourTurn = 409, "not-your-turn", "Not your turn";
        /// The game has ended.
        GameOver = 409, "game-over", "Game over";
        /// The game is still being played. Play again when it is over.
        NotOver = 409, "not-over", "Game not over";
        /// Only the player who created the game can start it.
        NotTheCreator = 403, "not-the-creator", "Not the creator";
        /// No player of this game has this secret. Players get theirs on joining.
        WrongSecret = 403, "wrong-secret", "Wrong secret";
        /// Players remove themselves. Until the game begins, its creator may remove others; after
        /// that, every player may remove the one whose turn it has been for a minute.
        NotRemovable = 403, "not-removable", "Player not removable";
        /// A socket plays one player. To play another one, open another socket.
        AlreadyJoined = 409, "already-joined", "Already joined";
        /// A socket watches the game until it sends joinGame or rejoinGame.
        NotJoined = 409, "not-joined", "Not joined";
    }
}
