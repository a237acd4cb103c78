//! Why HackTracker refuses a request.

use crate::rules::Impossible;
use crate::view::GameView;
use serde_json::json;
use singlet_web::problem::{ApiError as _, BUSY, Problem};
use singlet_web::validate::FieldLocation;

singlet_web::problems! {
    /// Why HackTracker refuses a request.
    pub enum Error {
        /// The caller has no profile yet. Create one with POST /users.
        UserNotFound = 404, "user-not-found", "User not found";
        /// There is no such team, or the caller is no member of it.
        TeamNotFound = 404, "team-not-found", "Team not found";
        /// The user is no member of the team.
        MemberNotFound = 404, "member-not-found", "Member not found";
        /// The player is not on the roster of the team.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// There is no such game, or the caller is no member of its team.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// The game has no such at-bat.
        AtBatNotFound = 404, "at-bat-not-found", "At-bat not found";
        /// The invite was used or withdrawn, or has expired. Ask for another one.
        InviteNotFound = 404, "invite-not-found", "Invite not found";
        /// The caller's membership of the team is inactive. An owner can activate it.
        MembershipInactive = 403, "membership-inactive", "Membership inactive";
        /// The team is deleted. An owner can recover it within thirty days.
        TeamDeleted = 410, "team-deleted", "Team deleted";
        /// The team was deleted more than thirty days ago.
        RecoveryExpired = 410, "recovery-expired", "Recovery expired";
        /// This cannot happen with these bases and outs.
        PlayImpossible = 422, "play-impossible", "Play impossible";
        /// A PERSONAL team has one player and one owner, and no lineups, runners or halves.
        PersonalTeam = 409, "personal-team", "Not in a personal team";
        /// The player is linked to a user.
        PlayerLinked = 409, "player-linked", "Player already linked";
        /// A user is a member of at most 50 teams, deleted ones included. Leave one first.
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
        /// The member has another player in this team.
        MemberLinked = 409, "member-linked", "Member already linked";
        /// The caller is an active member of the team.
        AlreadyMember = 409, "already-member", "Already a member";
        /// A team has at least one active owner.
        LastOwner = 409, "last-owner", "Last owner";
        /// Another player of the team has this number.
        NumberTaken = 409, "number-taken", "Number taken";
        /// A roster has at most 100 players.
        RosterFull = 409, "roster-full", "Roster full";
        /// The player has at-bats. Set it inactive instead.
        PlayerHasAtBats = 409, "player-has-at-bats", "Player has at-bats";
        /// The game is in another status than this needs.
        WrongStatus = 409, "wrong-status", "Wrong status";
        /// The game has at-bats. Remove them first, or postpone the game.
        GameHasAtBats = 409, "game-has-at-bats", "Game has at-bats";
        /// A lineup has different players of the roster, active or sub; a game that is played has 4
        /// to 30.
        LineupInvalid = 409, "lineup-invalid", "Lineup invalid";
        /// The score of a game with at-bats follows from them.
        ScoreDerived = 409, "score-derived", "Score follows from the at-bats";
        /// The opponent bats. Begin our half first.
        WrongHalf = 409, "wrong-half", "The opponent bats";
        /// An inning has at most 60 at-bats.
        HalfFull = 409, "half-full", "Half full";
        /// A game has at most 500 at-bats.
        GameFull = 409, "game-full", "Game full";
        /// This half has no at-bat that could be undone.
        NothingToUndo = 409, "nothing-to-undo", "Nothing to undo";
        /// The half has three outs. Undo or correct an at-bat first.
        HalfComplete = 409, "half-complete", "Half complete";
        /// Somebody else has changed the game since it was read. `game` is how it is now.
        GameMovedOn = 409, "game-moved-on", "Game moved on";
    }
}

impl Error {
    /// Somebody else has changed what was read. Nothing was written: the whole operation can be
    /// tried again.
    pub(crate) fn changed() -> Self {
        Problem::new(&BUSY).safe_to_retry().into()
    }

    /// A field of the body that breaks a rule.
    pub(crate) fn invalid(field: &str, detail: impl Into<String>) -> Self {
        Problem::invalid_field(FieldLocation::Body, field, detail.into()).into()
    }

    /// The number that is taken, by name.
    pub(crate) fn number_taken(number: u8) -> Self {
        Problem::new(Self::NumberTaken.problem_type())
            .detail(format!("Number {number} is taken. Choose another one."))
            .with("playerNumber", number)
            .into()
    }

    /// The game as it is now.
    pub(crate) fn game_moved_on(game: GameView) -> Self {
        Problem::new(Self::GameMovedOn.problem_type()).with("game", json!(game)).into()
    }

    /// Why the lineup is refused.
    pub(crate) fn lineup_invalid(detail: impl Into<String>) -> Self {
        Problem::new(Self::LineupInvalid.problem_type()).detail(detail.into()).into()
    }
}

impl From<Impossible> for Error {
    fn from(why: Impossible) -> Self {
        match why {
            Impossible::Play(detail) => {
                Problem::new(Self::PlayImpossible.problem_type()).detail(detail).into()
            }
            Impossible::Field(field, detail) => Self::invalid(field, detail),
            Impossible::WrongStatus => Self::WrongStatus,
            Impossible::WrongHalf => Self::WrongHalf,
            Impossible::HalfFull => Self::HalfFull,
            Impossible::GameFull => Self::GameFull,
            Impossible::HalfComplete => Self::HalfComplete,
            Impossible::NothingToUndo => Self::NothingToUndo,
            Impossible::AtBatNotFound => Self::AtBatNotFound,
            Impossible::ScoreDerived => Self::ScoreDerived,
            Impossible::LineupInvalid(detail) => Self::lineup_invalid(detail),
        }
    }
}
