//! Identifiers: text that never contains `#`.

use singlet::prelude::*;

id! {
    /// A match: the feed's fixture id.
    MatchId,
    /// A league's short code, such as CTL.
    LeagueCode,
    /// A league: the feed's id.
    LeagueId,
    /// A team: the feed's id, or `neutral` for those who follow a match but no side.
    TeamId,
    /// A season of a league: the feed's id.
    SeasonId,
    /// A user: the subject of the token.
    UserId,
    /// A player: the feed's id.
    PlayerId,
    /// A delivery: the feed's id.
    BallId,
    /// A token to which pushes are sent: of a device, of an activity, or to start an activity.
    PushToken,
}

/// How many bytes an id from a client may have. Keys of tables take 1,024.
pub const ID_BYTES_MAX: usize = 128;

/// How the team of somebody who follows no side is written.
const NEUTRAL: &str = "neutral";

impl TeamId {
    /// Stands for the team of somebody who follows a match but no side.
    #[must_use]
    pub fn neutral() -> Self {
        Self(NEUTRAL.to_owned())
    }

    /// Whether this is [`TeamId::neutral`].
    #[must_use]
    pub fn is_neutral(&self) -> bool {
        self.0 == NEUTRAL
    }
}

impl PushToken {
    /// The token as logs and pages may show it: `…` and its last four characters.
    #[must_use]
    pub fn end(&self) -> String {
        let skipped = self.0.chars().count().saturating_sub(4);
        format!("…{}", self.0.chars().skip(skipped).collect::<String>())
    }
}
