//! The parts of a match, as they are stored in the fixture and shown to clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum Format {
    T10,
    T20,
    /// A hundred balls a side. Only score and result are kept.
    Hundred,
    Odi,
    Fc,
    Test,
}

impl Format {
    /// The format that the feed's `type` names, in any case: `T20I`, `List A`, `Test/5day`.
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
    pub fn length(self) -> Duration {
        match self {
            Self::T10 | Self::T20 | Self::Hundred => 5 * HOUR,
            Self::Odi => 10 * HOUR,
            Self::Fc => 96 * HOUR,
            Self::Test => 120 * HOUR,
        }
    }

    /// From the start of a match until its follows expire: 48 h after its end.
    pub fn expiry(self) -> Duration {
        self.length() + 48 * HOUR
    }

    /// How many legal balls an innings has; `None` where it has no limit.
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
    pub fn is_multi_day(self) -> bool {
        self.quota_balls().is_none()
    }

    /// From which ball of innings 1 a score is projected.
    pub fn projected_from(self) -> Option<u32> {
        match self {
            Self::T10 | Self::T20 => Some(30),
            Self::Odi => Some(60),
            Self::Hundred | Self::Fc | Self::Test => None,
        }
    }

    /// The lead from which the follow-on may be enforced.
    pub fn follow_on_lead(self) -> Option<u32> {
        match self {
            Self::Test => Some(200),
            Self::Fc => Some(150),
            Self::T10 | Self::T20 | Self::Hundred | Self::Odi => None,
        }
    }
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Scheduled,
    Toss,
    Delayed,
    Live,
    InningsBreak,
    Interval,
    Stumps,
    Interrupted,
    Finished,
    Abandoned,
    Cancelled,
    Postponed,
}

impl Phase {
    /// The phase that the feed's status names, and the day of "Stump Day 3"; `None` if the status
    /// is unknown. `NS` is [`Phase::Scheduled`].
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

    pub fn is_in_live_index(self) -> bool {
        use Phase::{InningsBreak, Interrupted, Interval, Live, Stumps};
        matches!(self, Live | InningsBreak | Interval | Stumps | Interrupted)
    }

    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Abandoned | Self::Cancelled)
    }

    pub fn is_before_play(self) -> bool {
        matches!(self, Self::Scheduled | Self::Toss | Self::Delayed | Self::Postponed)
    }
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Elected {
    Bat,
    Bowl,
}

#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Toss {
    pub team_id: String,
    pub elected: Elected,
}

#[derive(Attribute, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct InningsScore {
    /// Its number in the match, from 1.
    pub n: u32,
    pub team_id: String,
    pub runs: u32,
    pub wickets: u32,
    pub balls: u32,
    pub declared: bool,
    pub follow_on: bool,
    pub super_over: bool,
}

impl InningsScore {
    pub fn wickets_max(&self) -> u32 {
        if self.super_over { 2 } else { 10 }
    }

    pub fn is_all_out(&self) -> bool {
        self.wickets >= self.wickets_max()
    }

    /// `168/7`, `152` if all are out, `401/6d` if declared, `SO 11/1`.
    pub fn text(&self) -> String {
        match (self.super_over, self.is_all_out(), self.declared) {
            (true, ..) => format!("SO {}/{}", self.runs, self.wickets),
            (_, true, _) => self.runs.to_string(),
            (_, _, true) => format!("{}/{}d", self.runs, self.wickets),
            _ => format!("{}/{}", self.runs, self.wickets),
        }
    }
}

#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Target {
    pub runs: u32,
    pub balls: Option<u32>,
    pub revised: bool,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ResultKind {
    Won,
    Tied,
    Drawn,
    NoResult,
    Abandoned,
    Cancelled,
    Confirming,
}

#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MatchResult {
    pub kind: ResultKind,
    pub winner_team_id: Option<String>,
    pub margin: Option<u32>,
    /// `runs`, `wickets`, or `innings` (an innings and so many runs).
    pub unit: Option<String>,
    pub text: String,
}

impl MatchResult {
    /// A result without a winner.
    pub fn plain(kind: ResultKind, text: &str) -> Self {
        Self { kind, winner_team_id: None, margin: None, unit: None, text: text.to_owned() }
    }

    pub fn is_settled(&self) -> bool {
        self.kind != ResultKind::Confirming
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamLabel {
    pub id: String,
    pub code: String,
    pub name: String,
}

/// The last event. Displays show it until twelve more balls are bowled.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LastEvent {
    pub kind: EventKind,
    pub text: String,
    /// The ball as it is counted: `12.5`. Absent for an event without a ball.
    pub ball: Option<String>,
    pub ball_id: u64,
    pub innings: u32,
    pub good_for: Option<String>,
    /// How the score was then: `KIN 111/4 (12.5)`. Alerts show it.
    pub score: String,
}

/// Events, the most important first.
#[derive(
    Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize, Deserialize, JsonSchema,
)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    MatchEnd,
    InningsEnd,
    HatTrick,
    /// A batter has 100, 200 or 300.
    Hundred,
    FiveWickets,
    Wicket,
    Fifty,
    Stopped,
    Resumed,
    Six,
    Four,
    Maiden,
}

impl EventKind {
    /// 1 is the most important; `Stopped` and `Resumed` are both 8.
    pub fn priority(self) -> u8 {
        self as u8 + u8::from(self <= Self::Stopped)
    }

    pub fn is_alert(self) -> bool {
        self.priority() <= 8
    }

    /// How long the same kind does not fire again, in milliseconds of the feed's time.
    pub fn cooldown_ms(self) -> Option<i64> {
        match self {
            Self::Stopped | Self::Resumed => Some(15 * 60_000),
            Self::Six | Self::Four => Some(60_000),
            Self::Maiden => Some(180_000),
            _ => None,
        }
    }
}
