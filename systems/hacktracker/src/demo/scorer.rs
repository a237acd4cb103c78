//! Somebody with a phone at the field.

use super::{Loader, missing};
use crate::design::{AtBatResult, Game, Half, HitLocation, HitType, PlayerId, TeamId};
use crate::input::{NewAtBat, NewHalf, NewLineup, OpponentRuns, StatusChange};
use crate::rules::half::HalfInning;
use crate::rules::status::Verb;
use crate::view::ScoringView;
use serde_json::{from_value, json};
use singlet::Timestamp;
use singlet_web::Persona;
use singlet_web::demo::DemoError;
use singlet_web::identity::Caller;

/// How often of a thousand.
const RESULTS: [(AtBatResult, u32); 11] = [
    (AtBatResult::Single, 190),
    (AtBatResult::Out, 435),
    (AtBatResult::Bb, 70),
    (AtBatResult::Double, 50),
    (AtBatResult::K, 70),
    (AtBatResult::Fc, 50),
    (AtBatResult::E, 30),
    (AtBatResult::Sac, 35),
    (AtBatResult::Hr, 30),
    (AtBatResult::Hbp, 20),
    (AtBatResult::Triple, 20),
];

pub(super) struct Scorer<'s> {
    pub(super) loader: &'s mut Loader,
    pub(super) caller: Caller,
    pub(super) game: Game,
}

impl<'s> Scorer<'s> {
    pub(super) async fn schedule(
        loader: &'s mut Loader,
        team: &TeamId,
        by: &Persona,
        opponent: &str,
        start: Timestamp,
        is_home: bool,
    ) -> Result<Self, DemoError> {
        let new = json!({
            "opponentName": opponent,
            "scheduledStart": start,
            "location": "Lincoln Park, field 3",
            "seasonId": loader.season,
            "homeAway": is_home.then_some("HOME"),
        });
        let caller = by.caller();
        let game = loader.service.create_game(&caller, team, &from_value(new)?).await?.game;
        loader.pass(60);
        Ok(Self { loader, caller, game })
    }

    pub(super) fn saw(&mut self, scored: ScoringView) -> Result<(), DemoError> {
        self.game = scored.game.game;
        self.loader.pass(75);
        Ok(())
    }

    pub(super) async fn set_lineup(&mut self, lineup: Vec<PlayerId>) -> Result<(), DemoError> {
        let new = NewLineup { revision: self.game.revision, lineup };
        let service = &self.loader.service;
        let scored = service.set_lineup(&self.caller, &self.game.game_id, &new).await?;
        self.saw(scored)
    }

    pub(super) async fn change(&mut self, verb: Verb) -> Result<(), DemoError> {
        let new = StatusChange { revision: self.game.revision, scheduled_start: None };
        let service = &self.loader.service;
        let scored = service.change_status(&self.caller, &self.game.game_id, verb, &new).await?;
        self.saw(scored)
    }

    pub(super) async fn record(&mut self, result: AtBatResult) -> Result<(), DemoError> {
        self.record_as(NewAtBat { result, ..NewAtBat::default() }).await
    }

    pub(super) async fn record_as(&mut self, new: NewAtBat) -> Result<(), DemoError> {
        let (hit_location, hit_type) = self.batted_ball(new.result);
        let new = NewAtBat { revision: self.game.revision, hit_location, hit_type, ..new };
        let service = &self.loader.service;
        let scored = service.record_at_bat(&self.caller, &self.game.game_id, &new).await?;
        self.saw(scored)
    }

    fn batted_ball(&mut self, result: AtBatResult) -> (Option<HitLocation>, Option<HitType>) {
        let demo = &mut self.loader.demo;
        let (near, far, hit_type) = match result {
            AtBatResult::K | AtBatResult::Bb | AtBatResult::Hbp => return (None, None),
            AtBatResult::Hr => (720, 880, HitType::FlyBall),
            AtBatResult::Triple => (560, 690, HitType::LineDrive),
            AtBatResult::Double => (430, 660, HitType::LineDrive),
            AtBatResult::Single => (390, 600, HitType::LineDrive),
            AtBatResult::Sac => (450, 650, HitType::FlyBall),
            AtBatResult::Fc | AtBatResult::E => (180, 330, HitType::GroundOut),
            AtBatResult::Out if demo.below(100) < 50 => (420, 660, HitType::FlyBall),
            AtBatResult::Out => (150, 330, HitType::GroundOut),
        };
        let distance = f64::from(near + demo.below(far - near)) / 1000.0;
        // From foul line to foul line, left to right.
        let angle = (f64::from(demo.below(88)) - 44.0).to_radians();
        let (x, y) = (0.5 + distance * angle.sin(), 0.9 - distance * angle.cos());
        let place = HitLocation { x: x.clamp(0.0, 1.0), y: y.clamp(0.0, 1.0) };
        (Some(place), Some(hit_type))
    }

    fn any_result(&mut self) -> AtBatResult {
        let state = self.game.state.as_ref();
        let has_runner = state.is_some_and(|state| state.bases.iter().any(Option::is_some));
        let outs = state.map_or(0, |state| state.outs);
        let mut number = self.loader.demo.below(1000);
        for (result, weight) in RESULTS {
            if number < weight {
                return match result {
                    AtBatResult::Fc if !has_runner => AtBatResult::Out,
                    AtBatResult::Sac if !has_runner || outs >= 2 => AtBatResult::Out,
                    possible => possible,
                };
            }
            number -= weight;
        }
        AtBatResult::Out
    }

    pub(super) async fn play_half(&mut self, at_bats_max: u8) -> Result<(), DemoError> {
        let inning = self.at()?.inning;
        for _ in 0..at_bats_max {
            let result = self.any_result();
            self.record(result).await?;
            if self.at()? != (HalfInning { inning, half: Half::Team }) {
                break;
            }
        }
        Ok(())
    }

    pub(super) async fn next_half(&mut self, placed: Option<PlayerId>) -> Result<(), DemoError> {
        let HalfInning { inning, half } = self.at()?.next(self.game.home_away);
        let new = NewHalf { revision: self.game.revision, inning, half, placed_runner: placed };
        let service = &self.loader.service;
        let scored = service.change_half(&self.caller, &self.game.game_id, &new).await?;
        self.loader.pass(600);
        self.saw(scored)
    }

    pub(super) async fn opponent(&mut self, inning: u8, runs: u16) -> Result<(), DemoError> {
        let new = OpponentRuns { revision: self.game.revision, runs };
        let (service, id) = (&self.loader.service, &self.game.game_id);
        let scored = service.set_opponent_runs(&self.caller, id, inning, &new).await?;
        self.saw(scored)
    }

    pub(super) async fn spread_opponent_runs(&mut self, total: u16) -> Result<(), DemoError> {
        let innings = self.game.opponent_runs.as_ref().map_or(0, Vec::len);
        let mut left = total;
        for (inning, innings_left) in (1..).zip((1..=u16::try_from(innings)?).rev()) {
            let more = u16::try_from(self.loader.demo.below(3))?;
            let fair = left.min(left / innings_left + more);
            let share = if innings_left == 1 { left } else { fair };
            if share > 0 {
                self.opponent(inning, share).await?;
            }
            left -= share;
        }
        Ok(())
    }

    pub(super) fn at(&self) -> Result<HalfInning, DemoError> {
        let state = self.game.state.as_ref().ok_or_else(|| missing("the state"))?;
        Ok(state.position())
    }
}
