//! Statistics: counted from at-bats on every read, never stored.

use crate::design::{AtBat, AtBatResult, HitType};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What a player or a team has batted. Averages are text such as `.350`, or null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// Games with a plate appearance.
    pub g: u32,
    /// Plate appearances.
    pub pa: u32,
    /// At-bats.
    pub ab: u32,
    /// Hits.
    pub h: u32,
    /// Singles.
    #[serde(rename = "1B")]
    pub singles: u32,
    /// Doubles.
    #[serde(rename = "2B")]
    pub doubles: u32,
    /// Triples.
    #[serde(rename = "3B")]
    pub triples: u32,
    /// Home runs.
    #[serde(rename = "HR")]
    pub home_runs: u32,
    /// Total bases.
    pub tb: u32,
    /// Runs.
    pub r: u32,
    /// Runs batted in.
    pub rbi: u32,
    /// Walks.
    #[serde(rename = "BB")]
    pub walks: u32,
    /// Hit by pitch.
    #[serde(rename = "HBP")]
    pub hit_by_pitch: u32,
    /// Sacrifices: bunts and flies.
    #[serde(rename = "SAC")]
    pub sacrifices: u32,
    /// Sacrifice flies.
    pub sf: u32,
    /// Fielder's choices.
    #[serde(rename = "FC")]
    pub fielders_choices: u32,
    /// Reached on an error.
    #[serde(rename = "E")]
    pub errors: u32,
    /// Strikeouts.
    #[serde(rename = "K")]
    pub strikeouts: u32,
    /// Outs in the field.
    #[serde(rename = "OUT")]
    pub outs: u32,
    /// Batting average: H/AB.
    pub avg: Option<String>,
    /// On-base percentage: (H+BB+HBP)/(AB+BB+HBP+SF).
    pub obp: Option<String>,
    /// Slugging: TB/AB.
    pub slg: Option<String>,
    /// OBP + SLG.
    pub ops: Option<String>,
}

impl Line {
    /// Counts at-bats.
    pub fn of<'a>(at_bats: impl IntoIterator<Item = &'a AtBat>) -> Self {
        let mut line = Self::default();
        let mut games = BTreeSet::new();
        for at_bat in at_bats {
            games.insert(&at_bat.game_id);
            line.count(at_bat);
        }
        line.g = u32::try_from(games.len()).unwrap_or(u32::MAX);
        line.h = line.singles + line.doubles + line.triples + line.home_runs;
        line.tb = line.singles + 2 * line.doubles + 3 * line.triples + 4 * line.home_runs;
        line.ab = line.h + line.fielders_choices + line.errors + line.strikeouts + line.outs;
        line.with_averages()
    }

    fn count(&mut self, at_bat: &AtBat) {
        self.pa += 1;
        self.rbi += u32::from(at_bat.rbis);
        self.r += u32::from(at_bat.scored);
        let counter = match at_bat.result {
            AtBatResult::K => &mut self.strikeouts,
            AtBatResult::Bb => &mut self.walks,
            AtBatResult::Hbp => &mut self.hit_by_pitch,
            AtBatResult::Single => &mut self.singles,
            AtBatResult::Double => &mut self.doubles,
            AtBatResult::Triple => &mut self.triples,
            AtBatResult::Hr => &mut self.home_runs,
            AtBatResult::Out => &mut self.outs,
            AtBatResult::Sac => &mut self.sacrifices,
            AtBatResult::Fc => &mut self.fielders_choices,
            AtBatResult::E => &mut self.errors,
        };
        *counter += 1;
        if at_bat.result == AtBatResult::Sac && at_bat.hit_type != Some(HitType::Bunt) {
            self.sf += 1;
        }
    }

    fn with_averages(mut self) -> Self {
        let on_base = self.h + self.walks + self.hit_by_pitch;
        let chances = self.ab + self.walks + self.hit_by_pitch + self.sf;
        let obp = Fraction::new(on_base, chances);
        let slg = Fraction::new(self.tb, self.ab);
        self.avg = Fraction::new(self.h, self.ab).map(Fraction::to_text);
        self.ops = obp.zip(slg).map(|(obp, slg)| obp.plus(slg).to_text());
        self.obp = obp.map(Fraction::to_text);
        self.slg = slg.map(Fraction::to_text);
        self
    }
}

/// A fraction, which is rounded once: when it is shown.
#[derive(Clone, Copy)]
struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// `None` if the denominator is 0.
    fn new(numerator: u32, denominator: u32) -> Option<Self> {
        let fraction = Self { numerator: numerator.into(), denominator: denominator.into() };
        (denominator > 0).then_some(fraction)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            numerator: self.numerator * other.denominator + other.numerator * self.denominator,
            denominator: self.denominator * other.denominator,
        }
    }

    /// Three decimals, half up, no zero before the point: `.063`, `1.400`.
    fn to_text(self) -> String {
        let thousandths = (2000 * self.numerator + self.denominator) / (2 * self.denominator);
        match thousandths {
            0..=999 => format!(".{thousandths:03}"),
            _ => format!("{}.{:03}", thousandths / 1000, thousandths % 1000),
        }
    }
}
