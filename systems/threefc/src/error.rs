//! Why a request is refused.

pub(crate) use singlet_web::problem::ApiError;
use std::borrow::Cow;

singlet_web::problems! {
    /// Why 3FC refuses a request.
    pub enum Error {
        /// No league has this id, or it is private and you have no access.
        LeagueNotFound = 404, "league-not-found", "League not found";
        /// No season has this id, or its league is private and you have no access.
        SeasonNotFound = 404, "season-not-found", "Season not found";
        /// No team of the season has this id.
        TeamNotFound = 404, "team-not-found", "Team not found";
        /// No session has this id, or its league is private and you have no access.
        SessionNotFound = 404, "session-not-found", "Session not found";
        /// No game has this id, or its league is private and you have no access.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// The game has no goal with this event id, or it was removed.
        GoalNotFound = 404, "goal-not-found", "Goal not found";
        /// No player of the league has this id, or the league is private and you have no access.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// This person has no role in the league.
        GrantNotFound = 404, "grant-not-found", "Grant not found";
        /// This person has no role in any league. Send an invitation instead.
        UserNotFound = 404, "user-not-found", "User not found";
        /// The invitation was used or deleted, or has expired. Ask for a new one.
        InviteNotFound = 404, "invite-not-found", "Invitation not found";
        /// The id is taken. Choose another one, or leave it out.
        IdTaken = 409, "id-taken", "Id taken";
        /// Another team of the season has this code. Choose another one.
        CodeTaken = 409, "code-taken", "Code taken";
        /// No more can be added. `limit` is the maximum.
        LimitReached = 409, "limit-reached", "Limit reached";
        /// The league has seasons. Delete them first.
        LeagueNotEmpty = 409, "league-not-empty", "League not empty";
        /// The league has more items than can be deleted at once. Make it private instead, or remove
        /// roles first.
        LeagueTooLarge = 409, "league-too-large", "League too large";
        /// The season has sessions. Delete them first.
        SeasonNotEmpty = 409, "season-not-empty", "Season not empty";
        /// The session has games. Move or delete them first.
        SessionNotEmpty = 409, "session-not-empty", "Session not empty";
        /// The player is in another squad of the season. Remove the player there first.
        PlayerInOtherSquad = 409, "player-in-other-squad", "Player in another squad";
        /// The team is retired. Choose another one.
        TeamRetired = 409, "team-retired", "Team retired";
        /// Teams and length cannot change once a third has started or a goal exists.
        GameStarted = 409, "game-started", "Game already started";
        /// A game moves between sessions of its season only.
        OtherSeason = 409, "other-season", "Session of another season";
        /// The game has a goal, a third or an audit record. Abandon it instead.
        GameHasHistory = 409, "game-has-history", "Game has history";
        /// The game is finished. An admin can still correct it, or reopen it.
        GameFinished = 409, "game-finished", "Game finished";
        /// The game was abandoned. An admin can reopen it.
        GameAbandoned = 409, "game-abandoned", "Game abandoned";
        /// The game was changed as often as a game can be. It can still be finished or abandoned.
        TooManyChanges = 409, "too-many-changes", "Too many changes";
        /// The game is neither finished nor abandoned.
        GameNotClosed = 409, "game-not-closed", "Game not closed";
        /// A third starts when the one before it has finished, and finishes when it has started.
        ThirdOutOfOrder = 409, "third-out-of-order", "Third out of order";
        /// The third has finished.
        ThirdOver = 409, "third-over", "Third over";
        /// The start of a third with goals cannot be taken back. Move its goals first.
        ThirdHasGoals = 409, "third-has-goals", "Third has goals";
        /// A third has not finished. Finish all three; an admin may finish the game by force.
        ThirdsOpen = 409, "thirds-open", "Thirds open";
        /// No third is running. Start one, or give third and minute.
        NoThirdRunning = 409, "no-third-running", "No third running";
        /// The team does not play in this game.
        TeamNotInGame = 409, "team-not-in-game", "Team not in the game";
        /// The scorer is not on the roster of the scoring team, or an assist is on no roster.
        PlayerNotOnRoster = 409, "player-not-on-roster", "Player not on the roster";
        /// The event id belongs to another goal of this game. Make a new one.
        EventIdTaken = 409, "event-id-taken", "Event id taken";
        /// Another goal was entered later: `latestEventId`.
        NotTheLatest = 409, "not-the-latest", "Not the latest goal";
        /// The player is archived. An admin can bring the player back.
        PlayerArchived = 409, "player-archived", "Player archived";
        /// The team has as many players as a roster can have.
        RosterFull = 409, "roster-full", "Roster full";
        /// The player is named in a goal of this game. Change the goal first.
        PlayerHasGoals = 409, "player-has-goals", "Player has goals";
        /// A league needs an admin. Make another person an admin first.
        LastAdmin = 409, "last-admin", "Last admin";
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// `what` completes "There can be at most 60 …".
    pub(crate) fn limit(limit: u32, what: &str) -> Self {
        Self::limit_because(limit, format!("There can be at most {limit} {what}."))
    }

    pub(crate) fn limit_because(limit: u32, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::LimitReached.because(detail).with("limit", limit)
    }
}
