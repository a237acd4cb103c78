//! Why FUS refuses a request.

use crate::rules::MatchFault;
use singlet_picture::PictureFault;
use singlet_web::problem::{ApiError as _, BUSY, Problem, UNAVAILABLE};
use singlet_web::validate::FieldLocation;

singlet_web::problems! {
    /// Why FUS refuses a request.
    pub enum Error {
        /// Squash is for members of the Squash group; to change something one must be a manager too.
        SquashOnly = 403, "squash-only", "For the squash club only";
        /// Nobody adds themselves to a group. Somebody else has to.
        SelfJoin = 403, "self-join", "You cannot add yourself";
        /// A permission is passed on only by those who have it.
        PermissionNotHeld = 403, "permission-not-held", "You lack a permission of the group";
        /// The site is not in the catalogue.
        SiteNotFound = 404, "site-not-found", "Site not found";
        /// You have not rated this site.
        RatingNotFound = 404, "rating-not-found", "Rating not found";
        /// The comment does not exist, or is not yours.
        CommentNotFound = 404, "comment-not-found", "Comment not found";
        /// No group has this name.
        GroupNotFound = 404, "group-not-found", "Group not found";
        /// They are not in the group.
        MemberNotFound = 404, "member-not-found", "Member not found";
        /// Nobody with this id has signed in here.
        UserNotFound = 404, "user-not-found", "User not found";
        /// The club has no such player.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// The club has no such match.
        MatchNotFound = 404, "match-not-found", "Match not found";
        /// There is no such image. Every upload has a new address.
        ImageNotFound = 404, "image-not-found", "Image not found";
        /// The last change of the site is still being saved. Try again in a minute.
        SiteBusy = 409, "site-busy", "Site is being changed";
        /// A group of this name is being deleted. Try again in a minute.
        GroupBusy = 409, "group-busy", "Group is being deleted";
        /// A group of this name exists already.
        GroupExists = 409, "group-exists", "Group exists";
        /// The group of the squash club cannot be made, changed or deleted.
        GroupReserved = 409, "group-reserved", "Group is reserved";
        /// They are in a hundred groups, and nobody is in more.
        TooManyGroups = 409, "too-many-groups", "In too many groups";
        /// The site has 100,000 comments, and no site has more.
        TooManyComments = 409, "too-many-comments", "Too many comments";
        /// A moderator has removed the comment. You may delete it.
        CommentRemoved = 409, "comment-removed", "Comment was removed";
        /// Matches name the player. Delete those first.
        PlayerInMatches = 409, "player-in-matches", "Player is in matches";
        /// The image has too many bytes: 2 MiB for an avatar, 5 MiB for a logo.
        ImageTooLarge = 413, "image-too-large", "Image too large";
        /// The file is no PNG, JPEG or WebP image, or cannot be read.
        ImageType = 415, "image-type", "Not a PNG, JPEG or WebP image";
        /// Each side must have 64 (logos: 100) to 4096 pixels.
        ImageDimensions = 422, "image-dimensions", "Too few or too many pixels";
        /// The range ends before it begins.
        RangeInvalid = 422, "range-invalid", "Range ends before it begins";
        /// A range has at most 366 days and 10,000 matches.
        RangeTooLarge = 422, "range-too-large", "Range too large";
        /// The day is not in the calendar, before 2000, or after tomorrow.
        DateInvalid = 422, "date-invalid", "Invalid date";
        /// Four different people play.
        SamePlayerTwice = 422, "same-player-twice", "Same player twice";
        /// One pair has three games, the other one none, one or two.
        GamesInvalid = 422, "games-invalid", "Invalid score";
        /// The winner is the pair with three games.
        WinnerMismatch = 422, "winner-mismatch", "Winner does not fit the games";
        /// One of the players is not in the club.
        UnknownPlayer = 422, "unknown-player", "Unknown player";
    }
}

impl Error {
    /// Somebody else was faster. Nothing was written: the whole operation can be tried again.
    pub(crate) fn changed() -> Self {
        Problem::new(&BUSY).safe_to_retry().into()
    }

    /// A field of the body that cannot be stored.
    pub(crate) fn invalid(field: &str, detail: impl Into<String>) -> Self {
        Problem::invalid_field(FieldLocation::Body, field, detail.into()).into()
    }

    /// Every retry lost: 503.
    pub(crate) fn after_retries(self) -> Self {
        if self.problem_type() == &BUSY {
            return Problem::new(&UNAVAILABLE).safe_to_retry().into();
        }
        self
    }

    /// An error after the first transaction of several is committed. The job `finish-tasks` does
    /// the rest, so the answer must not say that nothing was done: a client that repeats the
    /// request would create a second site.
    pub(crate) fn after_commit(self) -> Self {
        if self.problem_type() != &BUSY && self.problem_type() != &UNAVAILABLE {
            return self;
        }
        tracing::warn!(error = %self, "the job goes on with a change");
        let detail = "Your change is being saved. Look again in a minute, and do not repeat it.";
        Problem::new(&UNAVAILABLE).detail(detail).into()
    }
}

impl From<MatchFault> for Error {
    fn from(fault: MatchFault) -> Self {
        match fault {
            MatchFault::Date => Self::DateInvalid,
            MatchFault::SamePlayerTwice => Self::SamePlayerTwice,
            MatchFault::Games => Self::GamesInvalid,
            MatchFault::Winner => Self::WinnerMismatch,
        }
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
