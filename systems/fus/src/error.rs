//! Why FUS refuses a request.

use singlet_picture::PictureFault;
use singlet_web::problem::{ApiError as _, BUSY, Problem, UNAVAILABLE};

pub type Result<T, E = Error> = std::result::Result<T, E>;

singlet_web::problems! {
    pub enum Error {
        /// Only members of the Squash group see the club.
        SquashOnly = 403, "squash-only", "For the squash club only";
        /// Members of the Squash group see the club. Only managers among them change it.
        SquashManagersOnly = 403, "squash-managers-only", "For managers of the squash club only";
        /// You cannot add yourself to a group. Ask someone who manages members.
        SelfJoin = 403, "self-join", "You cannot add yourself";
        /// You can only pass on permissions that you have.
        PermissionNotHeld = 403, "permission-not-held", "You lack a permission of the group";
        /// The site is not in the catalogue.
        SiteNotFound = 404, "site-not-found", "Site not found";
        /// You have not rated this site.
        RatingNotFound = 404, "rating-not-found", "Rating not found";
        /// The comment does not exist, or is not yours.
        CommentNotFound = 404, "comment-not-found", "Comment not found";
        /// No group has this name.
        GroupNotFound = 404, "group-not-found", "Group not found";
        /// The user is not in the group.
        MemberNotFound = 404, "member-not-found", "Member not found";
        /// No user with this id has signed in.
        UserNotFound = 404, "user-not-found", "User not found";
        /// The club has no such player.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// The club has no such match.
        MatchNotFound = 404, "match-not-found", "Match not found";
        /// The image does not exist. Every upload gets a new address.
        ImageNotFound = 404, "image-not-found", "Image not found";
        /// The last change of the site is still being saved. Try again in a minute.
        SiteBusy = 409, "site-busy", "Site is being changed";
        /// A group of this name is being deleted. Try again in a minute.
        GroupBusy = 409, "group-busy", "Group is being deleted";
        /// A group of this name exists already. Upper and lower case make no difference.
        GroupExists = 409, "group-exists", "Group exists";
        /// The group of the squash club cannot be created, changed or deleted.
        GroupReserved = 409, "group-reserved", "Group is reserved";
        /// The user is in 100 groups, which is the limit.
        TooManyGroups = 409, "too-many-groups", "In too many groups";
        /// The site has 100,000 comments, which is the limit.
        TooManyComments = 409, "too-many-comments", "Too many comments";
        /// A moderator has removed the comment. You may delete it.
        CommentRemoved = 409, "comment-removed", "Comment was removed";
        /// The player appears in matches. Delete the matches first.
        PlayerInMatches = 409, "player-in-matches", "Player is in matches";
        /// The account belongs to another player. An account has one player at most.
        AccountTaken = 409, "account-taken", "Account belongs to another player";
        /// The image has too many bytes: 2 MiB for an avatar, 5 MiB for a logo.
        ImageTooLarge = 413, "image-too-large", "Image too large";
        /// The file is not a PNG, JPEG or WebP image, or it is damaged.
        ImageType = 415, "image-type", "Not a PNG, JPEG or WebP image";
        /// Each side must have 64 (logos: 100) to 4,096 pixels.
        ImageDimensions = 422, "image-dimensions", "Too few or too many pixels";
        /// Both ends must be days (YYYY-MM-DD), and the range must not end before it begins.
        RangeInvalid = 422, "range-invalid", "Invalid range";
        /// A range has at most 366 days and 10,000 matches.
        RangeTooLarge = 422, "range-too-large", "Range too large";
        /// The date must be a day of the calendar (YYYY-MM-DD), from 2000-01-01 to tomorrow (UTC).
        DateInvalid = 422, "date-invalid", "Invalid date";
        /// A match is played by four different people.
        SamePlayerTwice = 422, "same-player-twice", "Same player twice";
        /// One pair must have won 3 games, the other one 0, 1 or 2.
        GamesInvalid = 422, "games-invalid", "Invalid score";
        /// The winner is the pair with 3 games.
        WinnerMismatch = 422, "winner-mismatch", "Winner does not fit the games";
        /// One of the players is not in the club.
        UnknownPlayer = 422, "unknown-player", "Unknown player";
    }
}

impl Error {
    /// An error after the first of several transactions has committed. The job `finish-tasks` does
    /// the rest, so the response must not invite a retry: that would create a second site.
    pub(crate) fn after_commit(self) -> Self {
        if self.problem_type() != &BUSY && self.problem_type() != &UNAVAILABLE {
            return self;
        }
        tracing::warn!(error = %self, "the job goes on with a change");
        let detail = "Your change is being saved. Look again in a minute, and do not repeat it.";
        Problem::new(&UNAVAILABLE).detail(detail).into()
    }
}

impl From<PictureFault> for Error {
    fn from(fault: PictureFault) -> Self {
        match fault {
            PictureFault::TooLarge => Self::ImageTooLarge,
            PictureFault::Type => Self::ImageType,
            PictureFault::Dimensions => Self::ImageDimensions,
        }
    }
}
