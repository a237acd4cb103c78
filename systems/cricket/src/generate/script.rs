//! Writes a match as a tape.

use super::dice::Dice;
use super::fixture::PlayedMatch;
use super::innings::{Dismissal, Outcome, PlayedBall};
use super::name_of;
use serde::Serialize;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Overs of a day, and after which lunch and tea are.
const DAY_OVERS: u32 = 90;
const LUNCH_OVERS: u32 = 30;
const TEA_OVERS: u32 = 60;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    tape: u32,
    name: &'a str,
    seed: u64,
    format: &'a str,
    duration_ms: i64,
    fixture: FixtureLine,
    lineup: Vec<PlayerLine<'a>>,
}

#[derive(Serialize)]
struct FixtureLine {
    localteam_id: u32,
    visitorteam_id: u32,
    r#type: &'static str,
    status: &'static str,
    round: &'static str,
    note: &'static str,
    venue: VenueLine,
}

#[derive(Serialize)]
struct VenueLine {
    name: &'static str,
    city: &'static str,
}

#[derive(Serialize)]
struct PlayerLine<'a> {
    id: u32,
    fullname: &'a str,
    lineup: PlaceLine,
}

#[derive(Serialize)]
struct PlaceLine {
    team_id: u32,
    captain: bool,
    wicketkeeper: bool,
    substitution: bool,
}

#[derive(Serialize)]
struct Line {
    t: i64,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Set(SetLine),
    Ball(Box<BallLine>),
    Fix { id: u64, score: ScoreLine },
    Drop(u64),
}

#[derive(Default, Serialize)]
struct SetLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    toss_won_team_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elected: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner_team_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_noresult: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    super_over: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follow_on: Option<bool>,
}

#[derive(Serialize)]
struct BallLine {
    id: u64,
    ball: String,
    scoreboard: String,
    team_id: u32,
    batsman_id: u32,
    batsman_one_on_creeze_id: u32,
    batsman_two_on_creeze_id: u32,
    bowler_id: u32,
    batsmanout_id: Option<u32>,
    catchstump_id: Option<u32>,
    runout_by_id: Option<u32>,
    score: ScoreLine,
}

#[derive(Clone, Default, PartialEq, Serialize)]
struct ScoreLine {
    name: String,
    runs: u32,
    four: bool,
    six: bool,
    bye: u32,
    leg_bye: u32,
    noball: u32,
    noball_runs: u32,
    is_wicket: bool,
    out: bool,
    ball: bool,
}

/// A player's id: 1001 is the first of the home side, 2001 the first of the other.
fn player(side: u32, place: u32) -> u32 {
    side * 1000 + place
}

/// Writes the tape.
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
    let duration_ms = script.lines.last().map_or(0, |line| line.t);
    let name = name_of(played.format, played.seed).unwrap_or_default();
    let lineup = played.players.iter().zip(1..).flat_map(|(names, side)| {
        names.iter().zip(1..).map(move |(fullname, place)| PlayerLine {
            id: player(side, place),
            fullname,
            lineup: PlaceLine {
                team_id: side,
                captain: place == 1,
                wicketkeeper: place == 3,
                substitution: false,
            },
        })
    });
    let header = Header {
        tape: 1,
        name: &name,
        seed: played.seed,
        format: played.format.as_str(),
        duration_ms,
        fixture: FixtureLine {
            localteam_id: 1,
            visitorteam_id: 2,
            r#type: match played.format.is_multi_day() {
                true if played.format == crate::rules::Format::Fc => "4day",
                true => "Test/5day",
                false => played.format.as_str(),
            },
            status: "NS",
            round: "Generated match",
            note: "Generated match",
            venue: VenueLine { name: "Harbour Oval", city: "Nowhere" },
        },
        lineup: lineup.collect(),
    };
    let mut text = serde_json::to_string(&header).unwrap_or_default();
    for line in &script.lines {
        text.push('\n');
        text += &serde_json::to_string(line).unwrap_or_default();
    }
    text.push('\n');
    text
}

struct Script {
    dice: Dice,
    lines: Vec<Line>,
    id: u64,
    t: i64,
    day: i64,
    overs_today: u32,
}

impl Script {
    fn set(&mut self, t: i64, set: SetLine) {
        self.lines.push(Line { t, what: What::Set(set) });
    }

    fn status(&mut self, t: i64, status: &str) {
        self.set(t, SetLine { status: Some(status.to_owned()), ..SetLine::default() });
    }

    fn write_match(&mut self, played: &PlayedMatch) {
        let elected = Some(if played.chose_to_bat { "batting" } else { "bowling" });
        let toss = SetLine { toss_won_team_id: Some(played.toss), elected, ..SetLine::default() };
        self.set(-20 * MINUTE, toss);
        let count = played.innings.len();
        for (one, n) in played.innings.iter().zip(1_u32..) {
            if one.is_super && n == 3 {
                self.set(self.t, SetLine { super_over: Some(true), ..SetLine::default() });
            }
            let ordinal = match n {
                1 => "1st Innings",
                2 => "2nd Innings",
                3 => "3rd Innings",
                _ => "4th Innings",
            };
            if played.follow_on && n == 3 {
                self.set(self.t, SetLine { follow_on: Some(true), ..SetLine::default() });
            }
            self.status(self.t, ordinal);
            for ball in &one.innings.balls {
                self.ball(played, n, one.side, ball, ordinal);
            }
            let is_last = n as usize == count;
            let is_multi_day = played.format.is_multi_day();
            let ended_mid_over = one.innings.balls.last().is_some_and(|ball| !ball.ends_over);
            if is_multi_day && ended_mid_over {
                self.overs_today += 1;
            }
            if is_last {
                break;
            }
            self.t += 30 * SECOND;
            // A session may have ended with the innings.
            if is_multi_day && self.overs_today >= DAY_OVERS {
                self.stumps();
            } else {
                self.status(self.t, "Innings Break");
                self.t += 20 * MINUTE;
            }
        }
        self.finish(played);
    }

    fn finish(&mut self, played: &PlayedMatch) {
        self.t += 60 * SECOND;
        self.status(self.t, "Finished");
        self.t += 45 * SECOND;
        let draw_noresult = match (played.winner, played.format.is_multi_day()) {
            (None, true) => Some("draw"),
            _ => None,
        };
        let end = SetLine { winner_team_id: played.winner, draw_noresult, ..SetLine::default() };
        self.set(self.t, end);
    }

    /// The night. The next day begins at the same time as the first.
    fn stumps(&mut self) {
        self.day += 1;
        let status = format!("Stump Day {}", self.day);
        self.status(self.t, &status);
        self.t = (self.day * DAY).max(self.t + 10 * HOUR);
        self.overs_today = 0;
    }

    fn ball(&mut self, played: &PlayedMatch, n: u32, side: u32, ball: &PlayedBall, ordinal: &str) {
        let is_multi_day = played.format.is_multi_day();
        self.t += if is_multi_day { 34 * SECOND } else { 40 * SECOND };
        self.id += 1;
        let (id, t) = (self.id, self.t);
        let line = ball_line(id, n, side, ball);
        let right = line.score.clone();
        let is_wrong_first = self.dice.below(25) == 0;
        let posted = if is_wrong_first { wrong_score(&right) } else { right.clone() };
        let (label, scoreboard) = (line.ball.clone(), line.scoreboard.clone());
        let first = BallLine { score: posted, ..line };
        self.lines.push(Line { t, what: What::Ball(Box::new(first)) });
        if is_wrong_first {
            let fix = What::Fix { id, score: right };
            self.lines.push(Line { t: t + 8 * SECOND, what: fix });
        }
        if self.dice.below(300) == 0 {
            self.id += 1;
            let extra = BallLine {
                id: self.id,
                ball: label,
                scoreboard,
                team_id: side,
                batsman_id: player(side, ball.striker),
                batsman_one_on_creeze_id: player(side, ball.striker),
                batsman_two_on_creeze_id: player(side, ball.non_striker),
                bowler_id: player(3 - side, ball.bowler),
                batsmanout_id: None,
                catchstump_id: None,
                runout_by_id: None,
                score: plain("No Run", 0),
            };
            let what = What::Ball(Box::new(extra));
            self.lines.push(Line { t: t + 10 * SECOND, what });
            self.lines.push(Line { t: t + 18 * SECOND, what: What::Drop(self.id) });
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
        let pause = match self.overs_today {
            LUNCH_OVERS => Some(("Lunch", 40 * MINUTE)),
            TEA_OVERS => Some(("Tea Break", 20 * MINUTE)),
            _ => None,
        };
        let is_more = self.more_follows(played, n, ball);
        match pause {
            Some((status, length)) if is_more => {
                self.status(self.t, status);
                self.t += length;
                self.status(self.t, ordinal);
            }
            _ if self.overs_today >= DAY_OVERS && is_more => {
                self.stumps();
                self.status(self.t, ordinal);
            }
            _ => (),
        }
    }

    /// Whether this innings goes on after the ball.
    fn more_follows(&self, played: &PlayedMatch, n: u32, ball: &PlayedBall) -> bool {
        let innings = played.innings.get(n as usize - 1);
        let last = innings.and_then(|one| one.innings.balls.last());
        last.is_some_and(|last| (last.over, last.ball) != (ball.over, ball.ball))
    }
}

fn ball_line(id: u64, n: u32, side: u32, ball: &PlayedBall) -> BallLine {
    let (striker, non_striker) = (player(side, ball.striker), player(side, ball.non_striker));
    let mut line = BallLine {
        id,
        ball: format!("{}.{}", ball.over, ball.ball),
        scoreboard: format!("S{n}"),
        team_id: side,
        batsman_id: striker,
        batsman_one_on_creeze_id: striker,
        batsman_two_on_creeze_id: non_striker,
        bowler_id: player(3 - side, ball.bowler),
        batsmanout_id: None,
        catchstump_id: None,
        runout_by_id: None,
        score: score_line(ball.outcome),
    };
    match ball.outcome {
        Outcome::Out(kind, fielder) => {
            line.batsmanout_id = Some(striker);
            if matches!(kind, Dismissal::Caught | Dismissal::Stumped) {
                line.catchstump_id = Some(player(3 - side, fielder));
            }
        }
        Outcome::RunOut(_, is_striker, fielder) => {
            line.batsmanout_id = Some(if is_striker { striker } else { non_striker });
            line.runout_by_id = Some(player(3 - side, fielder));
        }
        _ => (),
    }
    line
}

fn plain(name: &str, runs: u32) -> ScoreLine {
    ScoreLine { name: name.to_owned(), runs, ball: true, ..ScoreLine::default() }
}

fn score_line(outcome: Outcome) -> ScoreLine {
    let counted = |count: u32, unit: &str| match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    };
    match outcome {
        Outcome::Wide(runs) => ScoreLine { ball: false, ..plain(&counted(runs, "Wide"), runs) },
        Outcome::NoBall(bat) => {
            let name = match bat {
                0 => "1 No Ball".to_owned(),
                4 => "1 No Ball + FOUR".to_owned(),
                6 => "1 No Ball + SIX".to_owned(),
                bat => format!("1 No Ball + {}", counted(bat, "Run")),
            };
            ScoreLine {
                noball: 1,
                noball_runs: 1,
                ball: false,
                four: bat == 4,
                six: bat == 6,
                ..plain(&name, bat + 1)
            }
        }
        Outcome::Runs(0) => plain("No Run", 0),
        Outcome::Runs(4) => ScoreLine { four: true, ..plain("FOUR", 4) },
        Outcome::Runs(6) => ScoreLine { six: true, ..plain("SIX", 6) },
        Outcome::Runs(runs) => plain(&counted(runs, "Run"), runs),
        Outcome::LegBye(runs) => {
            ScoreLine { leg_bye: runs, ..plain(&counted(runs, "Leg Bye"), runs) }
        }
        Outcome::Bye(runs) => ScoreLine { bye: runs, ..plain(&counted(runs, "Bye"), runs) },
        Outcome::Out(kind, _) => {
            let name = match kind {
                Dismissal::Caught => "Catch Out",
                Dismissal::Bowled => "Clean Bowled",
                Dismissal::Lbw => "LBW OUT",
                Dismissal::Stumped => "Stump Out",
                Dismissal::HitWicket => "Hit Wicket",
            };
            ScoreLine { is_wicket: true, out: true, ..plain(name, 0) }
        }
        Outcome::RunOut(runs, ..) => {
            let name = if runs == 0 { "Run Out".to_owned() } else { format!("Run Out + {runs}") };
            ScoreLine { is_wicket: true, out: true, ..plain(&name, runs) }
        }
    }
}

/// What is posted first by mistake.
fn wrong_score(right: &ScoreLine) -> ScoreLine {
    if right.name == "5 Wides" {
        return ScoreLine { four: true, ..plain("FOUR", 4) };
    }
    if right.leg_bye > 0 {
        return plain("1 Run", 1);
    }
    let wrong = plain("No Run", 0);
    if *right == wrong { plain("1 Run", 1) } else { wrong }
}
