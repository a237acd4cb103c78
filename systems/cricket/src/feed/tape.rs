//! A recorded or generated match: read once, folded at any position.

use super::shape::{
    FeedBall, FeedBatting, FeedBowling, FeedFixture, FeedRuns, FeedScore, FeedScoreboard,
};
use crate::design::Fixture;
use crate::rules::{Delivery, Figures, Players, WicketKind, of_innings, overs_text};
use serde_json::Value;
use std::collections::BTreeMap;

/// A longer gap is cut to [`CUT_MS`] when breaks are skipped.
const GAP_MS_MIN: i64 = 10 * 60_000;
const CUT_MS: i64 = 4 * 60_000;

#[derive(Debug)]
pub struct Tape {
    name: String,
    duration_ms: i64,
    fixture: Value,
    lines: Vec<(i64, Line)>,
    cuts: Vec<(i64, i64)>,
    cut_before_start: i64,
}

#[derive(Debug)]
enum Line {
    Set(serde_json::Map<String, Value>),
    Ball(Box<FeedBall>),
    Fix(u64, FeedScore),
    Drop(u64),
}

impl Tape {
    /// Reads JSON Lines; `None` if they are not a tape.
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
                let score = FeedScore::from_json(fix.get("score")?)?;
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

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn duration_ms(&self) -> i64 {
        self.duration_ms
    }

    /// The tape's time at a position of the timeline without breaks.
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
    pub fn time_of_status(&self, status: &str, until: i64) -> Option<i64> {
        let is_it = |line: &Line| match line {
            Line::Set(set) => set.get("status").and_then(Value::as_str) == Some(status),
            _ => false,
        };
        let mut lines = self.lines.iter().rev();
        lines.find(|(t, line)| *t < until && is_it(line)).map(|(t, _)| *t)
    }

    /// This match at a time of the tape, with all includes. A tape calls the sides 1 and 2.
    pub fn fold(&self, time: i64, played: &Fixture) -> Option<FeedFixture> {
        let mut fixture = self.fixture.clone();
        let fields = fixture.as_object_mut()?;
        fields.insert("id".to_owned(), Value::from(played.match_id.as_str()));
        let start_ms = played.start_time.as_millis();
        let mut balls: Vec<FeedBall> = Vec::new();
        for (t, line) in self.lines.iter().take_while(|(t, _)| *t <= time) {
            match line {
                Line::Set(set) => {
                    fields.extend(set.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                Line::Ball(ball) => {
                    let updated_at = Some(start_ms + t);
                    balls.push(FeedBall { updated_at, ..(**ball).clone() });
                }
                Line::Fix(id, score) => {
                    if let Some(ball) = balls.iter_mut().rev().find(|ball| ball.id == *id) {
                        ball.score = score.clone();
                        ball.updated_at = Some(start_ms + t);
                    }
                }
                Line::Drop(id) => balls.retain(|ball| ball.id != *id),
            }
        }
        let mut fixture = FeedFixture::from_json(&fixture)?;
        let [home, away] = played.teams().map(ToString::to_string);
        let side = |id: Option<String>| match id.as_deref() {
            Some("1") => Some(home.clone()),
            Some("2") => Some(away.clone()),
            _ => id.clone(),
        };
        for ball in &mut balls {
            ball.team_id = side(ball.team_id.take());
        }
        for player in &mut fixture.lineup {
            player.lineup.team_id = side(player.lineup.team_id.take());
        }
        fixture.toss_won_team_id = side(fixture.toss_won_team_id.take());
        fixture.winner_team_id = side(fixture.winner_team_id.take());
        fixture.localteam_id = Some(home);
        fixture.visitorteam_id = Some(away);
        fixture.league_id = Some(played.league_id.to_string());
        fixture.season_id = Some(played.season_id.to_string());
        fixture.starting_at = Some(start_ms);
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
        let figures = Figures::of(balls.clone(), &Players::new());
        fixture.runs.push(FeedRuns {
            team_id,
            inning: n,
            score: figures.runs,
            wickets: figures.wickets,
            overs: overs_text(figures.balls),
        });
        let extra = FeedScoreboard {
            scoreboard: board.clone(),
            kind: "extra".to_owned(),
            wide: figures.extras.wd,
            noball_runs: figures.extras.nb,
            bye: figures.extras.b,
            leg_bye: figures.extras.lb,
            penalty: 0,
            total: figures.extras.total,
        };
        let (kind, total) = ("total".to_owned(), figures.runs);
        let total = FeedScoreboard { kind, total, ..extra.clone() };
        fixture.scoreboards.extend([extra, total]);
        for batter in figures.batters {
            let out = |ball: &&Delivery| {
                ball.wicket.as_ref().is_some_and(|wicket| wicket.out == batter.id)
            };
            let fall = balls.clone().find(out);
            let wicket = fall.and_then(|ball| ball.wicket.as_ref());
            let is_run_out = wicket.is_some_and(|wicket| wicket.kind == WicketKind::RunOut);
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
        for bowler in figures.bowlers {
            fixture.bowling.push(FeedBowling {
                scoreboard: board.clone(),
                overs: overs_text(bowler.balls),
                medians: bowler.maidens,
                runs: bowler.runs,
                wickets: bowler.wickets,
                wide: bowler.wides,
                noball: bowler.no_balls,
                active: figures.bowler.as_ref() == Some(&bowler.id),
                player_id: Some(bowler.id),
            });
        }
    }
}
