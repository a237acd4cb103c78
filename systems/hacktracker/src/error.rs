//! Why HackTracker refuses a request.

use crate::design::Game;
use crate::view::GameView;
use singlet_web::problem::ApiError as _;

pub type Result<T, E = Error> = std::result::Result<T, E>;

singlet_web::problems! {
    /// Why HackTracker refuses a request.
    pub enum Error {
        /// The caller has no profile yet. Create one with POST /users.
        UserNotFound = 404, "user-not-found", "User not found";
        /// There is no such team, or you are not a member. Ask an owner for an invite link.
        TeamNotFound = 404, "team-not-found", "Team not found";
        /// The user is not a member of the team. Invite them first.
        MemberNotFound = 404, "member-not-found", "Member not found";
        /// The player is not on the team's roster. It may have been removed: read the roster again.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// There is no such game, or you are not a member of its team.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// The game has no such at-bat. It may have been removed: read the game again.
        AtBatNotFound = 404, "at-bat-not-found", "At-bat not found";
        /// The invite was used or withdrawn, or has expired. Ask for a new one.
        InviteNotFound = 404, "invite-not-found", "Invite not found";
        /// Your membership of the team is inactive. An owner can activate it.
        MembershipInactive = 403, "membership-inactive", "Membership inactive";
        /// The team is deleted. An owner can recover it for thirty days.
        TeamDeleted = 410, "team-deleted", "Team deleted";
        /// The team was deleted more than thirty days ago. Create a new one.
        RecoveryExpired = 410, "recovery-expired", "Recovery expired";
        /// This cannot happen with these bases and outs. Change the result or where runners end.
        PlayImpossible = 422, "play-impossible", "Play impossible";
        /// A personal team has one player and one owner, and no lineups, runners or halves. Create a
        /// managed team for those.
        PersonalTeam = 409, "personal-team", "Not in a personal team";
        /// The player is already linked to a user. Unlink it first.
        PlayerLinked = 409, "player-linked", "Player already linked";
        /// A user has at most 50 teams, deleted ones included, and 10 personal ones. Leave or delete
        /// one first.
        TooManyTeams = 409, "too-many-teams", "Too many teams";
        /// A user is linked to at most 50 players. Unlink one first.
        TooManyLinks = 409, "too-many-links", "Too many linked players";
        /// A team has at most 200 members. Remove one first.
        TeamFull = 409, "team-full", "Team full";
        /// A team has at most 1,000 games. Delete one without at-bats, or create another team.
        TooManyGames = 409, "too-many-games", "Too many games";
        /// A player has at most 10,000 at-bats. Add another player.
        TooManyAtBats = 409, "too-many-at-bats", "Too many at-bats";
        /// A team has at most 200 open invites. Withdraw some, or wait until they are used.
        TooManyInvites = 409, "too-many-invites", "Too many open invites";
        /// The member has another player in this team. Unlink that one first.
        MemberLinked = 409, "member-linked", "Member already linked";
        /// You are already an active member of the team.
        AlreadyMember = 409, "already-member", "Already a member";
        /// A team needs an active owner. Make somebody else an owner first.
        LastOwner = 409, "last-owner", "Last owner";
        /// Another player of the team has this number. Choose another one.
        NumberTaken = 409, "number-taken", "Number taken";
        /// A roster has at most 100 players. Remove one first.
        RosterFull = 409, "roster-full", "Roster full";
        /// The player has at-bats. Set them inactive instead.
        PlayerHasAtBats = 409, "player-has-at-bats", "Player has at-bats";
        /// The game's status does not allow this. Start, finish, reopen or reschedule it first.
        WrongStatus = 409, "wrong-status", "Wrong status";
        /// The game has at-bats. Remove them first, or postpone the game.
        GameHasAtBats = 409, "game-has-at-bats", "Game has at-bats";
        /// A lineup has different players of the roster, active or sub. A game needs 4 to 30.
        LineupInvalid = 409, "lineup-invalid", "Lineup invalid";
        /// The score follows from the at-bats. Correct those instead.
        ScoreDerived = 409, "score-derived", "Score follows from the at-bats";
        /// The opponent is batting. Begin our half first.
        WrongHalf = 409, "wrong-half", "The opponent is batting";
        /// An inning has at most 60 at-bats. End the half.
        HalfFull = 409, "half-full", "Half full";
        /// A game has at most 500 at-bats. Finish it.
        GameFull = 409, "game-full", "Game full";
        /// This half has no at-bat to undo. Correct earlier ones in the list of plays.
        NothingToUndo = 409, "nothing-to-undo", "Nothing to undo";
        /// The half has three outs. Undo or correct an at-bat first.
        HalfComplete = 409, "half-complete", "Half complete";
        /// Somebody else has changed the game since you read it. `game` is the present one: decide
        /// again with its revision.
        GameMovedOn = 409, "game-moved-on", "Game moved on";
    }
}

impl Error {
    pub(crate) fn number_taken(number: u8) -> Self {
        let detail = format!("Number {number} is taken. Choose another one.");
        Self::NumberTaken.because(detail).with("playerNumber", number)
    }

    /// Carries the game as it is now.
    pub(crate) fn game_moved_on(game: Game) -> Self {
        Self::GameMovedOn.with("game", GameView::from(game))
    }
}
