//! Writes a match as a tape. Lines are written as text: the order of their members is part of the
//! tape, so that the same seed gives the same bytes.

use super::dice::Dice;
use super::fixture::PlayedMatch;
use super::innings::{Dismissal, Outcome, PlayedBall};
use super::name_of;
use crate::feed::shape::FeedScore;
use crate::rules::Format;
use serde::Serialize;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Overs of a day, and after which lunch and tea are.
const DAY_OVERS: u32 = 90;
const LUNCH_OVERS: u32 = 30;
const TEA_OVERS: u32 = 60;

fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// A player's id: 1001 is the first of the home side, 2001 the first of the other.
fn player(side: u32, place: u32) -> u32 {
    side * 1000 + place
}

pub(super) fn write(played: &PlayedMatch) -> String {
    let mut script = Script {
        dice: Dice::new(played.script_seed),
        lines: Vec::new(),
        id: 0,
        t: 0,
        day: 0,
        overs_today: 0,
    };
    script.write_match(played);
    let duration_ms = script.lines.last().map_or(0, |(t, _)| *t);
    let (seed, format) = (played.seed, played.format.as_str());
    let name = name_of(played.format, seed).unwrap_or_default();
    let kind = match played.format {
        Format::Fc => "4day",
        Format::Test => "Test/5day",
        _ => format,
    };
    let lineup = played.players.iter().zip(1..).flat_map(|(names, side)| {
        names.iter().zip(1..).map(move |(name, place)| {
            let (id, name) = (player(side, place), json(name));
            let (captain, keeper) = (place == 1, place == 3);
            format!(
                r#"{{"id":{id},"fullname":{name},"lineup":{{"team_id":{side},"captain":{captain},"wicketkeeper":{keeper},"substitution":false}}}}"#
            )
        })
    });
    let lineup = lineup.collect::<Vec<_>>().join(",");
    let mut text = format!(
        r#"{{"tape":1,"name":"{name}","seed":{seed},"format":"{format}","durationMs":{duration_ms},"fixture":{{"localteam_id":1,"visitorteam_id":2,"type":"{kind}","status":"NS","round":"Generated match","note":"Generated match","venue":{{"name":"Harbour Oval","city":"Nowhere"}}}},"lineup":[{lineup}]}}"#
    );
    for (t, what) in &script.lines {
        text += &format!("\n{{\"t\":{t},{what}}}");
    }
    text.push('\n');
    text
}

struct Script {
    dice: Dice,
    /// When, and the members of the line but `t`.
    lines: Vec<(i64, String)>,
    id: u64,
    t: i64,
    day: i64,
    overs_today: u32,
}

impl Script {
    fn set(&mut self, t: i64, members: &str) {
        self.lines.push((t, format!(r#""set":{{{members}}}"#)));
    }

    fn status(&mut self, status: &str) {
        self.set(self.t, &format!(r#""status":"{status}""#));
    }

    fn write_match(&mut self, played: &PlayedMatch) {
        let elected = if played.chose_to_bat { "batting" } else { "bowling" };
        let toss = format!(r#""toss_won_team_id":{},"elected":"{elected}""#, played.toss);
        self.set(-20 * MINUTE, &toss);
        let is_multi_day = played.format.is_multi_day();
        let ordinals = ["1st Innings", "2nd Innings", "3rd Innings", "4th Innings"];
        for ((one, n), ordinal) in played.innings.iter().zip(1_u32..).zip(ordinals) {
            if one.is_super && n == 3 {
                self.set(self.t, r#""super_over":true"#);
            }
            if played.follow_on && n == 3 {
                self.set(self.t, r#""follow_on":true"#);
            }
            self.status(ordinal);
            for ball in &one.balls {
                self.ball(played, n, one.side, ball, ordinal);
            }
            let ended_mid_over = one.balls.last().is_some_and(|ball| !ball.ends_over);
            self.overs_today += u32::from(is_multi_day && ended_mid_over);
            if n as usize == played.innings.len() {
                break;
            }
            self.t += 30 * SECOND;
            // A session may have ended with the innings.
            if is_multi_day && self.overs_today >= DAY_OVERS {
                self.stumps();
            } else {
                self.status("Innings Break");
                self.t += 20 * MINUTE;
            }
        }
        self.t += 60 * SECOND;
        self.status("Finished");
        self.t += 45 * SECOND;
        let end = match played.winner {
            Some(winner) => format!(r#""winner_team_id":{winner}"#),
            None if is_multi_day => r#""draw_noresult":"draw""#.to_owned(),
            None => String::new(),
        };
        self.set(self.t, &end);
    }

    /// The night. The next day begins at the same time as the first.
    fn stumps(&mut self) {
        self.day += 1;
        self.status(&format!("Stump Day {}", self.day));
        self.t = (self.day * DAY).max(self.t + 10 * HOUR);
        self.overs_today = 0;
    }

    fn ball(&mut self, played: &PlayedMatch, n: u32, side: u32, ball: &PlayedBall, ordinal: &str) {
        let is_multi_day = played.format.is_multi_day();
        self.t += if is_multi_day { 34 * SECOND } else { 40 * SECOND };
        self.id += 1;
        let (id, t) = (self.id, self.t);
        let right = score_of(ball.outcome);
        let is_wrong_first = self.dice.below(25) == 0;
        let posted = if is_wrong_first { wrong_score(&right) } else { right.clone() };
        self.lines.push((t, ball_line(id, n, side, ball, Some(ball.outcome), &posted)));
        if is_wrong_first {
            let fix = format!(r#""fix":{{"id":{id},"score":{}}}"#, json(right));
            self.lines.push((t + 8 * SECOND, fix));
        }
        if self.dice.below(300) == 0 {
            self.id += 1;
            let extra = ball_line(self.id, n, side, ball, None, &plain("No Run", 0));
            self.lines.push((t + 10 * SECOND, extra));
            self.lines.push((t + 18 * SECOND, format!(r#""drop":{}"#, self.id)));
        }
        if ball.outcome.is_wicket() {
            self.t += 120 * SECOND;
        }
        if !ball.ends_over {
            return;
        }
        self.t += 30 * SECOND;
        if !is_multi_day {
            return;
        }
        self.overs_today += 1;
        let innings = played.innings.get(n as usize - 1);
        let last = innings.and_then(|one| one.balls.last());
        if last.is_none_or(|last| (last.over, last.ball) == (ball.over, ball.ball)) {
            return;
        }
        match self.overs_today {
            LUNCH_OVERS => self.pause("Lunch", 40 * MINUTE),
            TEA_OVERS => self.pause("Tea Break", 20 * MINUTE),
            DAY_OVERS.. => self.stumps(),
            _ => return,
        }
        self.status(ordinal);
    }

    fn pause(&mut self, status: &str, length: i64) {
        self.status(status);
        self.t += length;
    }
}

/// A ball with this score. The outcome tells who is out.
fn ball_line(
    id: u64,
    n: u32,
    side: u32,
    ball: &PlayedBall,
    outcome: Option<Outcome>,
    score: &FeedScore,
) -> String {
    let PlayedBall { over, ball: number, .. } = ball;
    let (striker, non_striker) = (player(side, ball.striker), player(side, ball.non_striker));
    let (bowler, score) = (player(3 - side, ball.bowler), json(score));
    let (out, catcher, thrower) = match outcome {
        Some(Outcome::Out(Dismissal::Caught | Dismissal::Stumped, fielder)) => {
            (Some(striker), Some(player(3 - side, fielder)), None)
        }
        Some(Outcome::Out(..)) => (Some(striker), None, None),
        Some(Outcome::RunOut(_, is_striker, fielder)) => {
            let out = if is_striker { striker } else { non_striker };
            (Some(out), None, Some(player(3 - side, fielder)))
        }
        _ => (None, None, None),
    };
    let (out, catcher, thrower) = (json(out), json(catcher), json(thrower));
    format!(
        r#""ball":{{"id":{id},"ball":"{over}.{number}","scoreboard":"S{n}","team_id":{side},"batsman_id":{striker},"batsman_one_on_creeze_id":{striker},"batsman_two_on_creeze_id":{non_striker},"bowler_id":{bowler},"batsmanout_id":{out},"catchstump_id":{catcher},"runout_by_id":{thrower},"score":{score}}}"#
    )
}

fn plain(name: &str, runs: u32) -> FeedScore {
    FeedScore { name: name.to_owned(), runs, ball: true, ..FeedScore::default() }
}

fn score_of(outcome: Outcome) -> FeedScore {
    let counted = |count: u32, unit: &str| match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    };
    match outcome {
        Outcome::Wide(runs) => FeedScore { ball: false, ..plain(&counted(runs, "Wide"), runs) },
        Outcome::NoBall(bat) => {
            let name = match bat {
                0 => "1 No Ball".to_owned(),
                4 => "1 No Ball + FOUR".to_owned(),
                6 => "1 No Ball + SIX".to_owned(),
                bat => format!("1 No Ball + {}", counted(bat, "Run")),
            };
            FeedScore {
                noball: 1,
                noball_runs: 1,
                ball: false,
                four: bat == 4,
                six: bat == 6,
                ..plain(&name, bat + 1)
            }
        }
        Outcome::Runs(0) => plain("No Run", 0),
        Outcome::Runs(4) => FeedScore { four: true, ..plain("FOUR", 4) },
        Outcome::Runs(6) => FeedScore { six: true, ..plain("SIX", 6) },
        Outcome::Runs(runs) => plain(&counted(runs, "Run"), runs),
        Outcome::LegBye(runs) => {
            FeedScore { leg_bye: runs, ..plain(&counted(runs, "Leg Bye"), runs) }
        }
        Outcome::Bye(runs) => FeedScore { bye: runs, ..plain(&counted(runs, "Bye"), runs) },
        Outcome::Out(kind, _) => {
            let name = match kind {
                Dismissal::Caught => "Catch Out",
                Dismissal::Bowled => "Clean Bowled",
                Dismissal::Lbw => "LBW OUT",
                Dismissal::Stumped => "Stump Out",
                Dismissal::HitWicket => "Hit Wicket",
            };
            FeedScore { is_wicket: true, out: true, ..plain(name, 0) }
        }
        Outcome::RunOut(runs, ..) => {
            let name = if runs == 0 { "Run Out".to_owned() } else { format!("Run Out + {runs}") };
            FeedScore { is_wicket: true, out: true, ..plain(&name, runs) }
        }
    }
}

/// The score that is posted first by mistake.
fn wrong_score(right: &FeedScore) -> FeedScore {
    if right.name == "5 Wides" {
        return FeedScore { four: true, ..plain("FOUR", 4) };
    }
    let wrong = plain("No Run", 0);
    if right.leg_bye > 0 || *right == wrong { plain("1 Run", 1) } else { wrong }
}
