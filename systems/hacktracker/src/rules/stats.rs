//! Statistics: counted from at-bats on every read, never stored.

use crate::design::{AtBat, AtBatResult, GameId, HitType};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a player or a team has batted. Averages are text such as `.350`, or null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// Games with a plate appearance.
    pub g: u32,
    /// Plate appearances.
    pub pa: u32,
    pub ab: u32,
    pub h: u32,
    #[serde(rename = "1B")]
    pub singles: u32,
    #[serde(rename = "2B")]
    pub doubles: u32,
    #[serde(rename = "3B")]
    pub triples: u32,
    #[serde(rename = "HR")]
    pub home_runs: u32,
    /// Total bases.
    pub tb: u32,
    pub r: u32,
    pub rbi: u32,
    #[serde(rename = "BB")]
    pub walks: u32,
    #[serde(rename = "HBP")]
    pub hit_by_pitch: u32,
    #[serde(rename = "SAC")]
    pub sacrifices: u32,
    /// Sacrifice flies, which `SAC` has too.
    pub sf: u32,
    #[serde(rename = "FC")]
    pub fielders_choices: u32,
    #[serde(rename = "E")]
    pub errors: u32,
    #[serde(rename = "K")]
    pub strikeouts: u32,
    #[serde(rename = "OUT")]
    pub outs: u32,
    /// H/AB.
    pub avg: Option<String>,
    /// (H+BB+HBP)/(AB+BB+HBP+SF).
    pub obp: Option<String>,
    /// TB/AB.
    pub slg: Option<String>,
    /// OBP + SLG, rounded once.
    pub ops: Option<String>,
}

impl Line {
    pub fn of<'a>(at_bats: impl IntoIterator<Item = &'a AtBat>) -> Self {
        let mut tally = Tally::default();
        for at_bat in at_bats {
            tally.count(at_bat);
        }
        tally.line()
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

    fn add(&mut self, other: &Self) {
        self.pa += other.pa;
        self.r += other.r;
        self.rbi += other.rbi;
        self.singles += other.singles;
        self.doubles += other.doubles;
        self.triples += other.triples;
        self.home_runs += other.home_runs;
        self.walks += other.walks;
        self.hit_by_pitch += other.hit_by_pitch;
        self.sacrifices += other.sacrifices;
        self.sf += other.sf;
        self.fielders_choices += other.fielders_choices;
        self.errors += other.errors;
        self.strikeouts += other.strikeouts;
        self.outs += other.outs;
    }

    fn with_averages(mut self) -> Self {
        self.h = self.singles + self.doubles + self.triples + self.home_runs;
        self.tb = self.singles + 2 * self.doubles + 3 * self.triples + 4 * self.home_runs;
        self.ab = self.h + self.fielders_choices + self.errors + self.strikeouts + self.outs;
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

/// At-bats counted by game, one after the other, so that they need not be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Counts without what follows from them.
    games: BTreeMap<GameId, Line>,
}

impl Tally {
    pub fn count(&mut self, at_bat: &AtBat) {
        match self.games.get_mut(&at_bat.game_id) {
            Some(line) => line.count(at_bat),
            None => {
                let mut line = Line::default();
                line.count(at_bat);
                self.games.insert(at_bat.game_id.clone(), line);
            }
        }
    }

    pub fn add(&mut self, other: &Self) {
        for (game_id, line) in &other.games {
            self.games.entry(game_id.clone()).or_default().add(line);
        }
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&GameId) -> bool) {
        self.games.retain(|game_id, _| is_kept(game_id));
    }

    pub fn games(&self) -> impl Iterator<Item = &GameId> {
        self.games.keys()
    }
    pub fn line(&self) -> Line {
        let g = u32::try_from(self.games.len()).unwrap_or(u32::MAX);
        let mut all = Line { g, ..Line::default() };
        for line in self.games.values() {
            all.add(line);
        }
        all.with_averages()
    }

    pub fn lines(self) -> impl Iterator<Item = (GameId, Line)> {
        let line = |(game_id, line)| (game_id, Line { g: 1, ..line }.with_averages());
        self.games.into_iter().map(line)
    }
}

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
