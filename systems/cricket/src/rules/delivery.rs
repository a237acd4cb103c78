//! One delivery: read from the feed's score, and kept as one line of text.

use crate::feed::shape::{FeedBall, FeedScore};
use singlet::Attribute;
use singlet::attribute::MapKey;
use std::fmt;
use std::str::FromStr;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "camelCase")]
pub enum WicketKind {
    RunOut,
    Stumped,
    Lbw,
    HitWicket,
    Retired,
    Obstructing,
    TimedOut,
    Bowled,
    Caught,
    #[attribute(rename = "out")]
    Other,
}

impl WicketKind {
    /// What the feed calls a score.
    fn of_score(name: &str) -> Self {
        let has = |part: &str| name.contains(part);
        match () {
            () if has("run out") => Self::RunOut,
            () if has("stump") => Self::Stumped,
            () if has("lbw") => Self::Lbw,
            () if has("hit wicket") => Self::HitWicket,
            () if has("retired") => Self::Retired,
            () if has("obstruct") => Self::Obstructing,
            () if has("timed") => Self::TimedOut,
            () if has("bowled") => Self::Bowled,
            () if has("catch") || has("caught") => Self::Caught,
            () => Self::Other,
        }
    }

    pub fn is_bowlers(self) -> bool {
        !matches!(self, Self::RunOut | Self::Retired | Self::Obstructing | Self::TimedOut)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wicket {
    pub kind: WicketKind,
    pub out: String,
    pub fielder: Option<String>,
}

/// One delivery.
///
/// It is stored as `id|innings|over.ball|striker|nonStriker|bowler|bat|wd|nb|b|lb|kind|out|fielder`:
///
/// ```
/// use cricket::rules::Delivery;
///
/// let text = "17|2|12.5|2005|2004|1009|0|0|0|0|0|caught|2005|1004";
/// let delivery: Delivery = text.parse().unwrap();
/// assert_eq!((delivery.over(), delivery.bowler.as_str()), (12, "1009"));
/// assert_eq!(delivery.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub id: u64,
    /// The innings, from 1.
    pub innings: u32,
    /// The over and the ball as they are counted: `12.5`.
    pub label: String,
    pub striker: String,
    pub non_striker: String,
    pub bowler: String,
    pub bat: u32,
    pub wides: u32,
    pub no_balls: u32,
    pub byes: u32,
    pub leg_byes: u32,
    pub wicket: Option<Wicket>,
}

impl Delivery {
    pub fn from_feed(ball: &FeedBall) -> Option<Self> {
        let text = |id: &Option<String>| clean_id(id.as_deref().unwrap_or_default());
        let striker = text(&ball.batsman_id);
        let ends = [text(&ball.batsman_one_on_creeze_id), text(&ball.batsman_two_on_creeze_id)];
        let non_striker = ends.into_iter().find(|id| *id != striker).unwrap_or_default();
        let (innings, label) = (ball.innings?, ball.label.clone()?);
        let mut delivery = Self {
            id: ball.id,
            innings,
            label,
            striker,
            non_striker,
            bowler: text(&ball.bowler_id),
            bat: 0,
            wides: 0,
            no_balls: 0,
            byes: 0,
            leg_byes: 0,
            wicket: None,
        };
        delivery.read_score(&ball.score, ball);
        Some(delivery)
    }

    /// The table of section 4: the first row that fits.
    fn read_score(&mut self, score: &FeedScore, ball: &FeedBall) {
        let name = score.name.to_ascii_lowercase();
        if name.contains("wide") {
            self.wides = score.runs.max(1);
        } else if score.noball > 0 {
            self.no_balls = score.noball_runs.max(1);
            self.byes = score.bye;
            self.leg_byes = score.leg_bye;
            self.bat = score.runs.saturating_sub(self.no_balls);
        } else if score.bye > 0 || score.leg_bye > 0 {
            self.byes = score.bye;
            self.leg_byes = score.leg_bye;
        } else {
            self.bat = score.runs;
        }
        let is_retired = name.contains("retired");
        let says_out = name.replace("retired", "").contains("out");
        let is_out = (score.is_wicket || score.out) && (!is_retired || says_out);
        if !is_out {
            return;
        }
        let kind = WicketKind::of_score(&name);
        let named = |id: &Option<String>| {
            let id = clean_id(id.as_deref().unwrap_or_default());
            (!id.is_empty() && id != "0").then_some(id)
        };
        let fielder = match kind {
            WicketKind::RunOut => named(&ball.runout_by_id).or_else(|| named(&ball.catchstump_id)),
            WicketKind::Caught | WicketKind::Stumped => named(&ball.catchstump_id),
            _ => None,
        };
        let out = named(&ball.batsmanout_id).unwrap_or_else(|| self.striker.clone());
        self.wicket = Some(Wicket { kind, out, fielder });
    }

    /// The number of the over, from 0.
    pub fn over(&self) -> u32 {
        self.label.split('.').next().and_then(|over| over.parse().ok()).unwrap_or(0)
    }

    pub fn total(&self) -> u32 {
        self.bat + self.wides + self.no_balls + self.byes + self.leg_byes
    }

    /// Whether it counts as one of the six of the over.
    pub fn is_legal(&self) -> bool {
        self.wides == 0 && self.no_balls == 0
    }

    pub fn is_faced(&self) -> bool {
        self.wides == 0
    }

    pub fn charged(&self) -> u32 {
        self.wides + self.no_balls + self.bat
    }

    /// Whether the batters change ends: after odd runs, of wides one less.
    pub fn swaps_ends(&self) -> bool {
        let run = self.bat + self.byes + self.leg_byes + self.wides.saturating_sub(1);
        run % 2 == 1
    }

    pub fn is_bowlers_wicket(&self) -> bool {
        self.wicket.as_ref().is_some_and(|wicket| wicket.kind.is_bowlers())
    }

    /// How an over shows it: `4`, `wd`, `5wd`, `1nb`, `1lb`, `W`, `1W`.
    pub fn symbol(&self) -> String {
        let counted = |count: u32, unit: &str| match count {
            0 => unit.to_owned(),
            count => format!("{count}{unit}"),
        };
        if self.wicket.is_some() {
            return counted(self.total(), "W");
        }
        match (self.wides, self.no_balls, self.byes, self.leg_byes) {
            (1, ..) => "wd".to_owned(),
            (wides @ 2.., ..) => format!("{wides}wd"),
            (_, 1.., byes, leg_byes) => counted(self.bat + byes + leg_byes, "nb"),
            (_, _, byes @ 1.., _) => format!("{byes}b"),
            (_, _, _, leg_byes @ 1..) => format!("{leg_byes}lb"),
            _ => self.bat.to_string(),
        }
    }
}

/// An id without the character that separates the parts of a line.
fn clean_id(id: &str) -> String {
    id.chars().filter(|letter| *letter != '|').take(20).collect()
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, innings, label, striker, non_striker, bowler, .. } = self;
        let Self { bat, wides, no_balls, byes, leg_byes, .. } = self;
        write!(f, "{id}|{innings}|{label}|{striker}|{non_striker}|{bowler}|")?;
        write!(f, "{bat}|{wides}|{no_balls}|{byes}|{leg_byes}|")?;
        match &self.wicket {
            None => f.write_str("||"),
            Some(Wicket { kind, out, fielder }) => {
                write!(f, "{}|{out}|{}", kind.as_str(), fielder.as_deref().unwrap_or_default())
            }
        }
    }
}

const NOT_A_DELIVERY: &str = "the text is not a delivery";

impl FromStr for Delivery {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('|');
        let mut text = || parts.next().map(str::to_owned).ok_or(NOT_A_DELIVERY);
        let number = |text: String| text.parse::<u32>().map_err(|_| NOT_A_DELIVERY);
        let mut delivery = Self {
            id: text()?.parse().map_err(|_| NOT_A_DELIVERY)?,
            innings: number(text()?)?,
            label: text()?,
            striker: text()?,
            non_striker: text()?,
            bowler: text()?,
            bat: number(text()?)?,
            wides: number(text()?)?,
            no_balls: number(text()?)?,
            byes: number(text()?)?,
            leg_byes: number(text()?)?,
            wicket: None,
        };
        let (kind, out, fielder) = (text()?, text()?, text()?);
        if parts.next().is_some() {
            return Err(NOT_A_DELIVERY);
        }
        if !kind.is_empty() {
            let kind = WicketKind::from_name(&kind).map_err(|_| NOT_A_DELIVERY)?;
            let fielder = Some(fielder).filter(|fielder| !fielder.is_empty());
            delivery.wicket = Some(Wicket { kind, out, fielder });
        }
        Ok(delivery)
    }
}
