//! A recorded or generated match: read once, folded at any position.

use super::shape::{
    FeedBall, FeedBatting, FeedBowling, FeedFixture, FeedRuns, FeedScore, FeedScoreboard,
};
use crate::rules::{Delivery, Players, batters, bowlers, of_innings, overs_text};
use serde_json::Value;
use std::collections::BTreeMap;

/// A longer gap is cut to [`CUT_MS`] when breaks are skipped.
const GAP_MS_MIN: i64 = 10 * 60_000;
const CUT_MS: i64 = 4 * 60_000;

/// A tape that was read.
#[derive(Debug)]
pub struct Tape {
    name: String,
    duration_ms: i64,
    fixture: Value,
    lines: Vec<(i64, Line)>,
    /// Gaps that are cut: where they begin, and how much is left out.
    cuts: Vec<(i64, i64)>,
    /// How much is left out between the toss and the start.
    cut_before_start: i64,
}

#[derive(Debug)]
enum Line {
    Set(serde_json::Map<String, Value>),
    Ball(Box<FeedBall>),
    Fix(u64, FeedScore),
    Drop(u64),
}

/// Who plays: a tape calls the sides 1 and 2.
#[derive(Clone, Debug)]
pub struct TapeTeams {
    /// The match.
    pub match_id: String,
    /// The league.
    pub league_id: String,
    /// The season.
    pub season_id: String,
    /// The home side.
    pub home: String,
    /// The away side.
    pub away: String,
    /// When it begins, in epoch milliseconds.
    pub start_ms: i64,
}

impl Tape {
    /// Reads JSON Lines; `None` if they are not a tape.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rows = text.lines().map(serde_json::from_str::<Value>);
        let header = rows.next()?.ok()?;
        if header.get("tape")?.as_u64() != Some(1) {
            return None;
        }
        let mut fixture = header.get("fixture")?.clone();
        fixture.as_object_mut()?.insert("lineup".to_owned(), header.get("lineup")?.clone());
        let mut lines = Vec::new();
        for row in rows {
            let row = row.ok()?;
            let t = row.get("t")?.as_i64()?;
            let line = if let Some(set) = row.get("set") {
                Line::Set(set.as_object()?.clone())
            } else if let Some(ball) = row.get("ball") {
                Line::Ball(Box::new(FeedBall::from_json(ball)?))
            } else if let Some(fix) = row.get("fix") {
                let score = FeedScore::from_json(fix.get("score")?);
                Line::Fix(fix.get("id")?.as_u64()?, score)
            } else {
                Line::Drop(row.get("drop")?.as_u64()?)
            };
            lines.push((t, line));
        }
        lines.sort_by_key(|(t, _)| *t);
        let mut cuts = Vec::new();
        let times: Vec<i64> = lines.iter().map(|(t, _)| *t).filter(|t| *t >= 0).collect();
        for pair in times.windows(2) {
            if let [from, to] = pair
                && to - from > GAP_MS_MIN
            {
                cuts.push((*from, to - from - CUT_MS));
            }
        }
        let toss = lines.iter().map(|(t, _)| *t).rfind(|t| *t < 0).unwrap_or(0);
        let cut_before_start = if -toss > GAP_MS_MIN { -toss - CUT_MS } else { 0 };
        Some(Self {
            cut_before_start,
            name: header.get("name")?.as_str()?.to_owned(),
            duration_ms: header.get("durationMs")?.as_i64()?,
            fixture,
            lines,
            cuts,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long it is, in its own time.
    #[must_use]
    pub fn duration_ms(&self) -> i64 {
        self.duration_ms
    }

    /// The tape's time at a position of the timeline without breaks.
    #[must_use]
    pub fn time_at(&self, position: i64, skip_breaks: bool) -> i64 {
        if !skip_breaks {
            return position;
        }
        if position < 0 {
            return position - self.cut_before_start;
        }
        let mut time = position;
        for (from, left_out) in &self.cuts {
            if time > from + CUT_MS {
                time += left_out;
            }
        }
        time
    }

    /// The position of the timeline without breaks at a time of the tape.
    #[must_use]
    pub fn position_of(&self, time: i64, skip_breaks: bool) -> i64 {
        if !skip_breaks {
            return time;
        }
        if time < 0 {
            return (time + self.cut_before_start).min(0);
        }
        let mut position = time;
        for (from, left_out) in &self.cuts {
            position -= (time - from - CUT_MS).clamp(0, *left_out);
        }
        position
    }

    /// When the ball `over.ball` of an innings is there, corrected; the last one of that label.
    #[must_use]
    pub fn time_of_ball(&self, innings: u32, label: &str) -> Option<i64> {
        let mut found = None;
        for (t, line) in &self.lines {
            if let Line::Ball(ball) = line
                && ball.innings == Some(innings)
                && ball.label.as_deref() == Some(label)
            {
                found = Some(*t + 9_000);
            }
        }
        found
    }

    /// When the tape sets this status for the last time before `until`.
    #[must_use]
    pub fn time_of_status(&self, status: &str, until: i64) -> Option<i64> {
        let is_it = |line: &Line| match line {
            Line::Set(set) => set.get("status").and_then(Value::as_str) == Some(status),
            _ => false,
        };
        let mut lines = self.lines.iter().rev();
        lines.find(|(t, line)| *t < until && is_it(line)).map(|(t, _)| *t)
    }

    /// The match at a time of the tape, with all includes.
    #[must_use]
    pub fn fold(&self, time: i64, teams: &TapeTeams) -> Option<FeedFixture> {
        let mut fixture = self.fixture.clone();
        let fields = fixture.as_object_mut()?;
        fields.insert("id".to_owned(), Value::from(teams.match_id.as_str()));
        let mut balls: Vec<FeedBall> = Vec::new();
        for (t, line) in self.lines.iter().take_while(|(t, _)| *t <= time) {
            match line {
                Line::Set(set) => {
                    fields.extend(set.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                Line::Ball(ball) => {
                    let updated_at = Some(teams.start_ms + t);
                    balls.push(FeedBall { updated_at, ..(**ball).clone() });
                }
                Line::Fix(id, score) => {
                    if let Some(ball) = balls.iter_mut().rev().find(|ball| ball.id == *id) {
                        ball.score = score.clone();
                        ball.updated_at = Some(teams.start_ms + t);
                    }
                }
                Line::Drop(id) => balls.retain(|ball| ball.id != *id),
            }
        }
        let mut fixture = FeedFixture::from_json(&fixture)?;
        let side = |id: Option<String>| match id.as_deref() {
            Some("1") => Some(teams.home.clone()),
            Some("2") => Some(teams.away.clone()),
            _ => id.clone(),
        };
        for ball in &mut balls {
            ball.team_id = side(ball.team_id.take());
        }
        for player in &mut fixture.lineup {
            player.lineup.team_id = side(player.lineup.team_id.take());
        }
        fixture.localteam_id = Some(teams.home.clone());
        fixture.visitorteam_id = Some(teams.away.clone());
        fixture.league_id = Some(teams.league_id.clone());
        fixture.season_id = Some(teams.season_id.clone());
        fixture.starting_at = Some(teams.start_ms);
        fixture.toss_won_team_id = side(fixture.toss_won_team_id.take());
        fixture.winner_team_id = side(fixture.winner_team_id.take());
        fixture.balls = balls;
        add_tables(&mut fixture);
        Some(fixture)
    }
}

/// Runs, scoreboards, batting and bowling, as they follow from the balls.
fn add_tables(fixture: &mut FeedFixture) {
    let deliveries: Vec<Delivery> = fixture.balls.iter().filter_map(Delivery::from_feed).collect();
    let mut batting_sides: BTreeMap<u32, Option<String>> = BTreeMap::new();
    for ball in &fixture.balls {
        if let Some(innings) = ball.innings {
            batting_sides.entry(innings).or_insert_with(|| ball.team_id.clone());
        }
    }
    for (n, team_id) in batting_sides {
        let balls = of_innings(&deliveries, n);
        let board = format!("S{n}");
        let legal = balls.clone().filter(|ball| ball.is_legal()).count() as u32;
        let sum = |part: fn(&Delivery) -> u32| balls.clone().map(part).sum::<u32>();
        fixture.runs.push(FeedRuns {
            team_id,
            inning: n,
            score: sum(Delivery::total),
            wickets: balls.clone().filter(|ball| ball.wicket.is_some()).count() as u32,
            overs: overs_text(legal),
        });
        let extra = FeedScoreboard {
            scoreboard: board.clone(),
            kind: "extra".to_owned(),
            wide: sum(|ball| ball.wides),
            noball_runs: sum(|ball| ball.no_balls),
            bye: sum(|ball| ball.byes),
            leg_bye: sum(|ball| ball.leg_byes),
            penalty: 0,
            total: sum(|ball| ball.total() - ball.bat),
        };
        let total = FeedScoreboard {
            kind: "total".to_owned(),
            total: sum(Delivery::total),
            ..extra.clone()
        };
        fixture.scoreboards.extend([extra, total]);
        let crease = crate::rules::crease(balls.clone());
        for batter in batters(balls.clone(), &Players::new()) {
            let fall = balls
                .clone()
                .find(|ball| ball.wicket.as_ref().is_some_and(|wicket| wicket.out == batter.id));
            let wicket = fall.and_then(|ball| ball.wicket.as_ref());
            let is_run_out =
                wicket.is_some_and(|wicket| wicket.kind == crate::rules::WicketKind::RunOut);
            let fielder = wicket.and_then(|wicket| wicket.fielder.clone());
            fixture.batting.push(FeedBatting {
                scoreboard: board.clone(),
                score: batter.runs,
                ball: batter.balls,
                four_x: batter.fours,
                six_x: batter.sixes,
                active: batter.how.is_none(),
                catch_stump_player_id: fielder.clone().filter(|_| !is_run_out),
                runout_by_id: fielder.filter(|_| is_run_out),
                bowling_player_id: fall.filter(|_| !is_run_out).map(|ball| ball.bowler.clone()),
                fow_score: fall.map(|fall| {
                    balls.clone().take_while(|ball| ball.id <= fall.id).map(Delivery::total).sum()
                }),
                fow_balls: fall.map(|fall| fall.label.clone()),
                player_id: Some(batter.id),
            });
        }
        for bowler in bowlers(balls) {
            fixture.bowling.push(FeedBowling {
                scoreboard: board.clone(),
                overs: overs_text(bowler.balls),
                medians: bowler.maidens,
                runs: bowler.runs,
                wickets: bowler.wickets,
                wide: bowler.wides,
                noball: bowler.no_balls,
                active: crease.bowler.as_ref() == Some(&bowler.id),
                player_id: Some(bowler.id),
            });
        }
    }
}
