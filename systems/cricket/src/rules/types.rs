//! What a match is made of, as it is stored in the fixture and shown to clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// How long a match is, and by which rules it is scored.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum Format {
    /// Ten overs a side.
    T10,
    /// Twenty overs a side.
    T20,
    /// A hundred balls a side. Only score and result are kept.
    Hundred,
    /// Fifty overs a side.
    Odi,
    /// First class: four days, two innings a side.
    Fc,
    /// Five days, two innings a side.
    Test,
}

impl Format {
    /// The format that the feed's `type` names, whatever its case: `T20I`, `List A`, `Test/5day`.
    #[must_use]
    pub fn from_feed(text: &str) -> Option<Self> {
        let text = text.to_ascii_uppercase();
        let has = |part: &str| text.contains(part);
        match () {
            () if has("T10") => Some(Self::T10),
            () if has("T20") => Some(Self::T20),
            () if has("ODI") || has("LIST") => Some(Self::Odi),
            () if has("4DAY") => Some(Self::Fc),
            () if has("TEST") || has("5DAY") => Some(Self::Test),
            () if has("100") => Some(Self::Hundred),
            () => None,
        }
    }

    /// How long a match may take from its start. Follows are kept 48 h longer.
    #[must_use]
    pub fn length(self) -> Duration {
        match self {
            Self::T10 | Self::T20 | Self::Hundred => 5 * HOUR,
            Self::Odi => 10 * HOUR,
            Self::Fc => 96 * HOUR,
            Self::Test => 120 * HOUR,
        }
    }

    /// When what belongs to a match may be forgotten, counted from its start: 48 h after its end.
    #[must_use]
    pub fn expiry(self) -> Duration {
        self.length() + 48 * HOUR
    }

    /// How many legal balls an innings has; `None` where it has no limit.
    #[must_use]
    pub fn quota_balls(self) -> Option<u32> {
        match self {
            Self::T10 => Some(60),
            Self::T20 => Some(120),
            Self::Hundred => Some(100),
            Self::Odi => Some(300),
            Self::Fc | Self::Test => None,
        }
    }

    /// Whether a match has days, sessions and two innings a side.
    #[must_use]
    pub fn is_multi_day(self) -> bool {
        self.quota_balls().is_none()
    }

    /// From which ball of innings 1 a score is projected.
    #[must_use]
    pub fn projected_from(self) -> Option<u32> {
        match self {
            Self::T10 | Self::T20 => Some(30),
            Self::Odi => Some(60),
            Self::Hundred | Self::Fc | Self::Test => None,
        }
    }

    /// The lead from which the follow-on may be enforced.
    #[must_use]
    pub fn follow_on_lead(self) -> Option<u32> {
        match self {
            Self::Test => Some(200),
            Self::Fc => Some(150),
            Self::T10 | Self::T20 | Self::Hundred | Self::Odi => None,
        }
    }
}

/// Where a match stands.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It has not begun.
    Scheduled,
    /// It has not begun, and the toss is known.
    Toss,
    /// It begins later than planned.
    Delayed,
    /// Balls are bowled.
    Live,
    /// Between two innings.
    InningsBreak,
    /// Lunch, tea or dinner.
    Interval,
    /// The day is over, the match is not.
    Stumps,
    /// Rain, bad light.
    Interrupted,
    /// It is over.
    Finished,
    /// It ended without a result before it could be completed.
    Abandoned,
    /// It will not take place.
    Cancelled,
    /// It takes place on another day.
    Postponed,
}

impl Phase {
    /// The phase that the feed's status names, and the day of "Stump Day 3"; `None` if the status
    /// is unknown. `NS` is [`Phase::Scheduled`].
    #[must_use]
    pub fn from_feed(status: &str) -> Option<(Self, Option<u32>)> {
        let status = status.trim().to_ascii_lowercase();
        if let Some(day) = status.strip_prefix("stump day") {
            return Some((Self::Stumps, day.trim().parse().ok()));
        }
        let phase = match status.as_str() {
            "ns" => Self::Scheduled,
            "delayed" => Self::Delayed,
            "1st innings" | "2nd innings" | "3rd innings" | "4th innings" => Self::Live,
            "innings break" => Self::InningsBreak,
            "lunch" | "tea break" | "dinner" => Self::Interval,
            "int." => Self::Interrupted,
            "finished" => Self::Finished,
            "aban." => Self::Abandoned,
            "cancl." => Self::Cancelled,
            "postp." => Self::Postponed,
            _ => return None,
        };
        Some((phase, None))
    }

    /// Whether a match in this phase is in the live index.
    #[must_use]
    pub fn is_in_live_index(self) -> bool {
        use Phase::{InningsBreak, Interrupted, Interval, Live, Stumps};
        matches!(self, Live | InningsBreak | Interval | Stumps | Interrupted)
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Abandoned | Self::Cancelled)
    }

    /// Whether the match has not begun.
    #[must_use]
    pub fn is_before_play(self) -> bool {
        matches!(self, Self::Scheduled | Self::Toss | Self::Delayed | Self::Postponed)
    }
}

/// What the winner of the toss chose to do first.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Elected {
    /// To bat.
    Bat,
    /// To bowl.
    Bowl,
}

/// Who won the toss.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Toss {
    /// The team that won it.
    pub team_id: String,
    /// What it chose.
    pub elected: Elected,
}

/// The score of one innings.
#[derive(Attribute, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct InningsScore {
    /// Its number in the match, from 1.
    pub n: u32,
    /// The side that bats.
    pub team_id: String,
    /// Runs, extras included.
    pub runs: u32,
    /// Wickets that fell.
    pub wickets: u32,
    /// Legal balls.
    pub balls: u32,
    /// Whether the captain ended it.
    pub declared: bool,
    /// Whether the side bats again at once because it trails by so much.
    pub follow_on: bool,
    /// Whether it is a super over.
    pub super_over: bool,
}

impl InningsScore {
    /// How many wickets end it.
    #[must_use]
    pub fn wickets_max(&self) -> u32 {
        if self.super_over { 2 } else { 10 }
    }

    /// Whether all batters are out.
    #[must_use]
    pub fn is_all_out(&self) -> bool {
        self.wickets >= self.wickets_max()
    }
}

/// What the side that bats last has to reach.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// So many runs win.
    pub runs: u32,
    /// In so many legal balls, if there is a limit.
    pub balls: Option<u32>,
    /// Whether it was set anew after an interruption.
    pub revised: bool,
}

/// How a match ended.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ResultKind {
    /// One side won.
    Won,
    /// Level; a super over may have decided it.
    Tied,
    /// Two innings a side were not completed in time.
    Drawn,
    /// Too little was played.
    NoResult,
    /// Given up.
    Abandoned,
    /// It did not take place.
    Cancelled,
    /// Over, but the feed has not named the winner, or names another than the runs do.
    Confirming,
}

/// The result of a match.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MatchResult {
    /// Its kind.
    pub kind: ResultKind,
    /// Who won, also by a super over.
    pub winner_team_id: Option<String>,
    /// By how many runs or wickets.
    pub margin: Option<u32>,
    /// `runs`, `wickets`, or `innings` (an innings and so many runs).
    pub unit: Option<String>,
    /// The result as people read it.
    pub text: String,
}

impl MatchResult {
    /// Whether it will not change any more.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.kind != ResultKind::Confirming
    }
}

/// What people call a team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamLabel {
    /// Its id.
    pub id: String,
    /// Three letters: `HAR`.
    pub code: String,
    /// `Harbour Hawks`.
    pub name: String,
}

/// What has just happened, until twelve more balls are bowled.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LastEvent {
    /// What it is.
    pub kind: EventKind,
    /// What people read below the title: who and how.
    pub text: String,
    /// The ball as it is counted: `12.5`. Absent for what is no ball.
    pub ball: Option<String>,
    /// The id of the ball, or of the last one before it happened.
    pub ball_id: u64,
    /// In which innings.
    pub innings: u32,
    /// The side for which it is good, if it is good for one of them.
    pub good_for: Option<String>,
    /// How the score was then: `KIN 111/4 (12.5)`. Alerts show it.
    pub score: String,
}

/// What can happen in a match. The order is that of importance.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    /// The result is settled.
    MatchEnd,
    /// An innings is over.
    InningsEnd,
    /// Three wickets in three balls of one bowler.
    HatTrick,
    /// A batter has 100, 200 or 300.
    Hundred,
    /// A bowler's fifth wicket of the innings.
    FiveWickets,
    /// A wicket.
    Wicket,
    /// A batter has 50.
    Fifty,
    /// Play stopped.
    Stopped,
    /// Play goes on.
    Resumed,
    /// Six off the bat.
    Six,
    /// Four off the bat.
    Four,
    /// An over in which nothing is charged to the bowler.
    Maiden,
}

impl EventKind {
    /// 1 is the most important.
    #[must_use]
    pub fn priority(self) -> u8 {
        match self {
            Self::MatchEnd => 1,
            Self::InningsEnd => 2,
            Self::HatTrick => 3,
            Self::Hundred => 4,
            Self::FiveWickets => 5,
            Self::Wicket => 6,
            Self::Fifty => 7,
            Self::Stopped | Self::Resumed => 8,
            Self::Six => 9,
            Self::Four => 10,
            Self::Maiden => 11,
        }
    }

    /// Whether phones buzz.
    #[must_use]
    pub fn is_alert(self) -> bool {
        self.priority() <= 8
    }

    /// How long the same kind does not fire again, in milliseconds of the feed's time.
    #[must_use]
    pub fn cooldown_ms(self) -> Option<i64> {
        match self {
            Self::Stopped | Self::Resumed => Some(15 * 60_000),
            Self::Six | Self::Four => Some(60_000),
            Self::Maiden => Some(180_000),
            _ => None,
        }
    }
}
