//! Somebody with a phone at the field.

use super::{DemoLoader, OMAR, SKYE, missing};
use crate::design::{AtBatResult, GameId, Half, HitLocation, HitType, HomeAway, PlayerId};
use crate::input::{NewAtBat, NewGame, NewHalf, NewLineup, OpponentRuns, StatusChange};
use crate::rules::status::Verb;
use crate::view::{GameView, ScoringView};
use singlet::Timestamp;
use singlet_web::demo::DemoError;
use singlet_web::identity::Caller;

/// How often each result occurs, in thousandths.
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

/// Scores one game.
pub(super) struct Scorer<'s> {
    pub(super) loader: &'s mut DemoLoader,
    pub(super) caller: Caller,
    pub(super) game_id: GameId,
    pub(super) game: GameView,
}

impl<'s> Scorer<'s> {
    /// Schedules a game of a team, for this moment.
    pub(super) async fn schedule(
        loader: &'s mut DemoLoader,
        team: &crate::design::TeamId,
        by: &Caller,
        opponent: &str,
        start: Timestamp,
        home_away: HomeAway,
        season: Option<&str>,
    ) -> Result<Self, DemoError> {
        let new = NewGame {
            opponent_name: Some(opponent.to_owned()),
            scheduled_start: Some(start),
            location: Some("Lincoln Park, field 3".to_owned()),
            season_id: season.map(str::to_owned),
            home_away: (home_away == HomeAway::Home).then_some(home_away),
            regulation_innings: None,
        };
        let game = loader.service.create_game(by, team, &new).await?;
        let game_id = game.game.game_id.clone();
        loader.pass(60);
        Ok(Self { loader, caller: by.clone(), game_id, game })
    }

    /// By the scorekeeper from here on.
    pub(super) fn handed_to_skye(mut self) -> Self {
        self.caller = SKYE.caller();
        self
    }

    fn revision(&self) -> u64 {
        self.game.game.revision
    }

    fn saw(&mut self, scored: ScoringView) {
        self.game = scored.game;
        self.loader.pass(75);
    }

    pub(super) async fn set_lineup(&mut self, lineup: Vec<PlayerId>) -> Result<(), DemoError> {
        let new = NewLineup { revision: self.revision(), lineup };
        let scored = self.loader.service.set_lineup(&self.caller, &self.game_id, &new).await?;
        self.saw(scored);
        Ok(())
    }

    pub(super) async fn change(&mut self, verb: Verb) -> Result<(), DemoError> {
        let change = StatusChange { revision: self.revision(), scheduled_start: None };
        let service = self.loader.service.clone();
        let scored = service.change_status(&self.caller, &self.game_id, verb, &change).await?;
        self.saw(scored);
        Ok(())
    }

    pub(super) async fn record(&mut self, result: AtBatResult) -> Result<(), DemoError> {
        let (hit_location, hit_type) = self.batted_ball(result);
        let new = NewAtBat {
            revision: self.revision(),
            result,
            player_id: None,
            hit_location,
            hit_type,
            rbis: None,
            moves: None,
            insert: None,
            inning: None,
            outs: None,
            scored: None,
        };
        let scored = self.loader.service.record_at_bat(&self.caller, &self.game_id, &new).await?;
        self.saw(scored);
        Ok(())
    }

    /// Where the ball comes down, and how it was hit.
    pub(super) fn batted_ball(
        &mut self,
        result: AtBatResult,
    ) -> (Option<HitLocation>, Option<HitType>) {
        let (near, far, hit_type) = match result {
            AtBatResult::K | AtBatResult::Bb | AtBatResult::Hbp => return (None, None),
            AtBatResult::Hr => (720, 880, HitType::FlyBall),
            AtBatResult::Triple => (560, 690, HitType::LineDrive),
            AtBatResult::Double => (430, 660, HitType::LineDrive),
            AtBatResult::Single => (390, 600, HitType::LineDrive),
            AtBatResult::Sac => (450, 650, HitType::FlyBall),
            AtBatResult::Fc | AtBatResult::E => (180, 330, HitType::GroundOut),
            AtBatResult::Out if self.loader.chance(50) => (420, 660, HitType::FlyBall),
            AtBatResult::Out => (150, 330, HitType::GroundOut),
        };
        let distance = f64::from(near + self.loader.demo.below(far - near)) / 1000.0;
        // From foul line to foul line, left to right.
        let angle = (f64::from(self.loader.demo.below(88)) - 44.0).to_radians();
        let (x, y) = (0.5 + distance * angle.sin(), 0.9 - distance * angle.cos());
        let place = HitLocation { x: x.clamp(0.0, 1.0), y: y.clamp(0.0, 1.0) };
        (Some(place), Some(hit_type))
    }

    /// A result that can happen now.
    fn any_result(&mut self) -> AtBatResult {
        let state = self.game.game.state.as_ref();
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

    /// Our half, to its third out, or to so many at-bats.
    pub(super) async fn play_half(&mut self, at_bats_max: u8) -> Result<(), DemoError> {
        let inning = self.inning()?;
        for _ in 0..at_bats_max {
            let result = self.any_result();
            self.record(result).await?;
            if self.half()? == Half::Opponent || self.inning()? != inning {
                break;
            }
        }
        Ok(())
    }

    /// The next half, with a tie-break runner if one is named.
    pub(super) async fn next_half(
        &mut self,
        placed_runner: Option<PlayerId>,
    ) -> Result<(), DemoError> {
        let state = self.game.game.state.as_ref().ok_or_else(|| missing("the state"))?;
        let next = state.position().next(self.game.game.home_away);
        let revision = self.revision();
        let new = NewHalf { revision, inning: next.inning, half: next.half, placed_runner };
        let scored = self.loader.service.change_half(&self.caller, &self.game_id, &new).await?;
        self.saw(scored);
        self.loader.pass(600);
        Ok(())
    }

    pub(super) async fn opponent(&mut self, inning: u8, runs: u16) -> Result<(), DemoError> {
        let new = OpponentRuns { revision: self.revision(), runs };
        let service = self.loader.service.clone();
        let scored = service.set_opponent_runs(&self.caller, &self.game_id, inning, &new).await?;
        self.saw(scored);
        Ok(())
    }

    /// Spreads the opponent's runs over the innings that have begun.
    pub(super) async fn spread_opponent_runs(&mut self, total: u16) -> Result<(), DemoError> {
        let innings = self.game.game.opponent_runs.as_ref().map_or(0, Vec::len);
        let mut left = total;
        for inning in 1..=u8::try_from(innings).unwrap_or(0) {
            let innings_left = u16::try_from(innings).unwrap_or(0) - u16::from(inning) + 1;
            let fair = left / innings_left;
            let more = u16::try_from(self.loader.demo.below(3)).unwrap_or(0);
            let share = if innings_left == 1 { left } else { left.min(fair + more) };
            if share > 0 {
                self.opponent(inning, share).await?;
            }
            left -= share;
        }
        Ok(())
    }

    pub(super) fn half(&self) -> Result<Half, DemoError> {
        let state = self.game.game.state.as_ref();
        state.map(|state| state.half).ok_or_else(|| missing("the state"))
    }

    pub(super) fn inning(&self) -> Result<u8, DemoError> {
        let state = self.game.game.state.as_ref();
        state.map(|state| state.inning).ok_or_else(|| missing("the state"))
    }
}

/// Who schedules games.
pub(super) fn manager() -> Caller {
    OMAR.caller()
}
