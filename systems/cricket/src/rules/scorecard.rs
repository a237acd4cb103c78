//! The scorecard, the charts, and the balls as people read them.

use super::delivery::Delivery;
use super::figures::how_out;
use super::figures::{Players, batters, bowlers, of_innings, player_name};
use super::rates::{overs_text, run_rate, strike_rate};
use super::types::InningsScore;
use super::view::MatchView;
use schemars::JsonSchema;
use serde::Serialize;

/// One innings of a scorecard.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InningsCard {
    /// Its number.
    pub n: u32,
    /// The side that bats.
    pub team: String,
    /// Its code.
    pub code: String,
    /// Runs, wickets and overs: `168/7 (20)`.
    pub score: String,
    /// Batters, in their order.
    pub batting: Vec<BattingLine>,
    /// Extras.
    pub extras: Extras,
    /// How the wickets fell.
    pub fall: Vec<FallLine>,
    /// Who did not bat, as far as the line-up is known.
    pub did_not_bat: Vec<String>,
    /// Bowlers, in the order in which they came on.
    pub bowling: Vec<BowlingLine>,
}

/// A batter's line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BattingLine {
    /// Their id.
    pub id: String,
    /// Their short name.
    pub name: String,
    /// How they got out, or `not out`.
    pub how: String,
    /// Runs.
    pub runs: u32,
    /// Balls faced.
    pub balls: u32,
    /// Fours.
    pub fours: u32,
    /// Sixes.
    pub sixes: u32,
    /// Runs in a hundred balls.
    pub strike_rate: Option<String>,
}

/// Extras of an innings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Extras {
    /// All of them.
    pub total: u32,
    /// Wides.
    pub wd: u32,
    /// No-balls.
    pub nb: u32,
    /// Byes.
    pub b: u32,
    /// Leg byes.
    pub lb: u32,
    /// Penalty runs: what the feed's score has beyond the balls.
    pub pen: u32,
}

/// The fall of a wicket: `12/1 (Ode 2.3)`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FallLine {
    /// The score then.
    pub score: String,
    /// Who was out.
    pub name: String,
    /// When.
    pub over: String,
}

/// A bowler's line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BowlingLine {
    /// Their id.
    pub id: String,
    /// Their short name.
    pub name: String,
    /// Overs.
    pub overs: String,
    /// Maidens.
    pub maidens: u32,
    /// Runs.
    pub runs: u32,
    /// Wickets.
    pub wickets: u32,
    /// Wides.
    pub wides: u32,
    /// No-balls.
    pub no_balls: u32,
    /// Runs an over.
    pub economy: Option<String>,
}

/// One innings of the charts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InningsChart {
    /// Its number.
    pub n: u32,
    /// The side that bats.
    pub team: String,
    /// Its code.
    pub code: String,
    /// Its overs.
    pub overs: Vec<OverBar>,
}

/// An over of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OverBar {
    /// Its number, from 1.
    pub o: u32,
    /// Runs.
    pub runs: u32,
    /// Wickets.
    pub wickets: u32,
    /// The score after it.
    pub total: u32,
}

/// A delivery as people read it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BallLine {
    /// Its id.
    pub id: String,
    /// Its innings.
    pub innings: u32,
    /// The over and the ball: `12.5`.
    pub over: String,
    /// What came of it: `4`, `wd`, `W`.
    pub symbol: String,
    /// `T. Okafor to L. Moyo, out: c A. Mensah b T. Okafor`.
    pub text: String,
    /// `wicket`, `six` or `four`.
    pub event: Option<String>,
}

/// The scorecard. `sides` lists the players of the line-up by their team's id, for those who did
/// not bat.
#[must_use]
pub fn scorecard(view: &MatchView, sides: &[(String, String)]) -> Vec<InningsCard> {
    let regular = view.innings.iter().filter(|one| !one.super_over);
    regular.map(|one| innings_card(view, one, sides)).collect()
}

fn innings_card(view: &MatchView, one: &InningsScore, sides: &[(String, String)]) -> InningsCard {
    let balls = of_innings(&view.deliveries, one.n);
    let name = |id: &str| player_name(&view.players, id);
    let came_in = batters(balls.clone(), &view.players);
    let mut extras = Extras::default();
    let mut fall = Vec::new();
    let (mut runs, mut wickets) = (0, 0);
    for ball in balls.clone() {
        extras.wd += ball.wides;
        extras.nb += ball.no_balls;
        extras.b += ball.byes;
        extras.lb += ball.leg_byes;
        runs += ball.total();
        if let Some(wicket) = &ball.wicket {
            wickets += 1;
            let score = format!("{runs}/{wickets}");
            fall.push(FallLine { score, name: name(&wicket.out), over: ball.label.clone() });
        }
    }
    if runs > 0 {
        extras.pen = one.runs.saturating_sub(runs);
    }
    extras.total = extras.wd + extras.nb + extras.b + extras.lb + extras.pen;
    let mut batting: Vec<BattingLine> = came_in
        .iter()
        .map(|batter| BattingLine {
            id: batter.id.clone(),
            name: name(&batter.id),
            how: batter.how.clone().unwrap_or_else(|| "not out".to_owned()),
            runs: batter.runs,
            balls: batter.balls,
            fours: batter.fours,
            sixes: batter.sixes,
            strike_rate: strike_rate(batter.runs, batter.balls),
        })
        .collect();
    let mut bowling: Vec<BowlingLine> = bowlers(balls)
        .into_iter()
        .map(|bowler| BowlingLine {
            name: name(&bowler.id),
            overs: overs_text(bowler.balls),
            maidens: bowler.maidens,
            runs: bowler.runs,
            wickets: bowler.wickets,
            wides: bowler.wides,
            no_balls: bowler.no_balls,
            economy: run_rate(bowler.runs, bowler.balls),
            id: bowler.id,
        })
        .collect();
    if view.deliveries.is_empty() {
        (batting, bowling) = from_tables(view, one.n);
    }
    let did_not_bat = sides
        .iter()
        .filter(|(team, id)| *team == one.team_id && !batting.iter().any(|line| line.id == *id))
        .map(|(_, id)| name(id));
    let team = view.team(&one.team_id);
    let wickets_text = if one.is_all_out() { String::new() } else { format!("/{}", one.wickets) };
    let declared = if one.declared { "d" } else { "" };
    InningsCard {
        n: one.n,
        team: team.name.clone(),
        code: team.code.clone(),
        score: format!("{}{wickets_text}{declared} ({})", one.runs, overs_text(one.balls)),
        did_not_bat: did_not_bat.collect(),
        batting,
        extras,
        fall,
        bowling,
    }
}

/// The feed's own figures, for matches without balls.
fn from_tables(view: &MatchView, n: u32) -> (Vec<BattingLine>, Vec<BowlingLine>) {
    let board = format!("S{n}");
    let name = |id: &str| player_name(&view.players, id);
    let batting = view.tables.batting.iter().filter(|line| line.scoreboard == board);
    let batting = batting.filter_map(|line| {
        let id = line.player_id.clone()?;
        let how = match (&line.runout_by_id, &line.catch_stump_player_id, &line.bowling_player_id) {
            _ if line.active || line.fow_score.is_none() => "not out".to_owned(),
            (Some(by), ..) => format!("run out ({})", name(by)),
            (_, Some(catcher), Some(bowler)) => format!("c {} b {}", name(catcher), name(bowler)),
            (_, _, Some(bowler)) => format!("b {}", name(bowler)),
            _ => "out".to_owned(),
        };
        Some(BattingLine {
            name: name(&id),
            id,
            how,
            runs: line.score,
            balls: line.ball,
            fours: line.four_x,
            sixes: line.six_x,
            strike_rate: strike_rate(line.score, line.ball),
        })
    });
    let bowling = view.tables.bowling.iter().filter(|line| line.scoreboard == board);
    let bowling = bowling.filter_map(|line| {
        let id = line.player_id.clone()?;
        Some(BowlingLine {
            name: name(&id),
            id,
            overs: line.overs.clone(),
            maidens: line.medians,
            runs: line.runs,
            wickets: line.wickets,
            wides: line.wide,
            no_balls: line.noball,
            economy: run_rate(line.runs, super::rates::balls_of(&line.overs)),
        })
    });
    (batting.collect(), bowling.collect())
}

/// Runs and wickets of every over.
#[must_use]
pub fn charts(view: &MatchView) -> Vec<InningsChart> {
    let regular = view.innings.iter().filter(|one| !one.super_over);
    regular
        .map(|one| {
            let mut overs: Vec<OverBar> = Vec::new();
            for ball in of_innings(&view.deliveries, one.n) {
                let o = ball.over() + 1;
                let total = overs.last().map_or(0, |bar| bar.total) + ball.total();
                let wickets = u32::from(ball.wicket.is_some());
                match overs.last_mut() {
                    Some(bar) if bar.o == o => {
                        bar.runs += ball.total();
                        bar.wickets += wickets;
                        bar.total = total;
                    }
                    _ => overs.push(OverBar { o, runs: ball.total(), wickets, total }),
                }
            }
            let team = view.team(&one.team_id);
            InningsChart { n: one.n, team: team.name.clone(), code: team.code.clone(), overs }
        })
        .collect()
}

/// A delivery as people read it: `T. Okafor to J. Brandt, 0`.
#[must_use]
pub fn ball_line(ball: &Delivery, players: &Players) -> BallLine {
    let name = |id: &str| player_name(players, id);
    let outcome = match (&ball.wicket, how_out(ball, players)) {
        (Some(wicket), Some(how)) => format!("WICKET {} {how}", name(&wicket.out)),
        _ => match (ball.bat, ball.is_legal() && ball.byes + ball.leg_byes == 0) {
            (6, _) => "SIX".to_owned(),
            (4, _) => "FOUR".to_owned(),
            (runs, true) => runs.to_string(),
            _ => ball.symbol(),
        },
    };
    let event = match (&ball.wicket, ball.bat) {
        (Some(_), _) => Some("wicket"),
        (None, 6) => Some("six"),
        (None, 4) => Some("four"),
        _ => None,
    };
    BallLine {
        id: ball.id.to_string(),
        innings: ball.innings,
        over: ball.label.clone(),
        symbol: ball.symbol(),
        text: format!("{} to {}, {outcome}", name(&ball.bowler), name(&ball.striker)),
        event: event.map(str::to_owned),
    }
}
