//! The scorecard, the charts, and the balls as people read them.

use super::delivery::Delivery;
use super::facts::MatchView;
use super::figures::{Batter, Bowler, Extras, Figures, Players, how_out, of_innings, player_name};
use super::rates::{overs_text, run_rate, strike_rate};
use super::types::InningsScore;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InningsCard {
    pub n: u32,
    pub team: String,
    pub code: String,
    /// Runs, wickets and overs: `168/7 (20)`.
    pub score: String,
    pub batting: Vec<BattingLine>,
    pub extras: Extras,
    pub fall: Vec<FallLine>,
    pub did_not_bat: Vec<String>,
    /// Bowlers, in the order in which they came on.
    pub bowling: Vec<BowlingLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BattingLine {
    #[serde(flatten)]
    pub batter: Batter,
    pub name: String,
    /// How they got out, or `not out`.
    pub how: String,
    /// Runs in a hundred balls.
    pub strike_rate: Option<String>,
}

/// The fall of a wicket: `12/1 (Ode 2.3)`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FallLine {
    pub score: String,
    pub name: String,
    pub over: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BowlingLine {
    #[serde(flatten)]
    pub bowler: Bowler,
    pub name: String,
    pub overs: String,
    /// Runs an over.
    pub economy: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InningsChart {
    pub n: u32,
    pub team: String,
    pub code: String,
    pub overs: Vec<OverBar>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OverBar {
    /// Its number, from 1.
    pub o: u32,
    pub runs: u32,
    pub wickets: u32,
    pub total: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BallLine {
    pub id: String,
    pub innings: u32,
    /// The over and the ball: `12.5`.
    pub over: String,
    /// Its outcome: `4`, `wd`, `W`.
    pub symbol: String,
    /// `T. Okafor to L. Moyo, out: c A. Mensah b T. Okafor`.
    pub text: String,
    /// `wicket`, `six` or `four`.
    pub event: Option<String>,
}

/// The scorecard. `sides` lists the players of the line-up by their team's id, for those who did
/// not bat.
pub fn scorecard(view: &MatchView, sides: &[(String, String)]) -> Vec<InningsCard> {
    let regular = view.innings.iter().filter(|one| !one.super_over);
    regular.map(|one| innings_card(view, one, sides)).collect()
}

fn innings_card(view: &MatchView, one: &InningsScore, sides: &[(String, String)]) -> InningsCard {
    let name = |id: &str| player_name(&view.players, id);
    let mut so_far = Figures::default();
    let mut fall = Vec::new();
    for ball in of_innings(&view.deliveries, one.n) {
        so_far.add(ball, &view.players);
        if let Some(wicket) = &ball.wicket {
            let score = format!("{}/{}", so_far.runs, so_far.wickets);
            fall.push(FallLine { score, name: name(&wicket.out), over: ball.label.clone() });
        }
    }
    let mut extras = so_far.extras;
    if so_far.runs > 0 {
        extras.pen = one.runs.saturating_sub(so_far.runs);
        extras.total += extras.pen;
    }
    let figures = view.figures(one.n);
    let batting = figures.batters.into_iter().map(|batter| BattingLine {
        name: name(&batter.id),
        how: batter.how.clone().unwrap_or_else(|| "not out".to_owned()),
        strike_rate: strike_rate(batter.runs, batter.balls),
        batter,
    });
    let batting: Vec<BattingLine> = batting.collect();
    let bowling = figures.bowlers.into_iter().map(|bowler| BowlingLine {
        name: name(&bowler.id),
        overs: overs_text(bowler.balls),
        economy: run_rate(bowler.runs, bowler.balls),
        bowler,
    });
    let did_not_bat = sides
        .iter()
        .filter(|(team, id)| {
            *team == one.team_id && !batting.iter().any(|line| line.batter.id == *id)
        })
        .map(|(_, id)| name(id));
    let team = view.team(&one.team_id);
    InningsCard {
        n: one.n,
        team: team.name.clone(),
        code: team.code.clone(),
        score: format!("{} ({})", one.text(), overs_text(one.balls)),
        did_not_bat: did_not_bat.collect(),
        batting,
        extras,
        fall,
        bowling: bowling.collect(),
    }
}

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

/// A delivery as people read it: `T. Okafor to J. Brandt, no run`.
pub fn ball_line(ball: &Delivery, players: &Players) -> BallLine {
    let name = |id: &str| player_name(players, id);
    let outcome = match (&ball.wicket, how_out(ball, players)) {
        (Some(wicket), Some(how)) => format!("WICKET {} {how}", name(&wicket.out)),
        _ => in_words(ball),
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

/// The outcome of a delivery without a wicket: `2 runs`, `wide`, `no ball, 1 leg bye`.
fn in_words(ball: &Delivery) -> String {
    let bat = match ball.bat {
        0 => None,
        4 => Some("FOUR".to_owned()),
        6 => Some("SIX".to_owned()),
        1 => Some("1 run".to_owned()),
        runs => Some(format!("{runs} runs")),
    };
    let extra = |count: u32, one: &str, several: &str| match count {
        0 => None,
        1 => Some(one.to_owned()),
        count => Some(format!("{count} {several}")),
    };
    let parts = [
        extra(ball.wides, "wide", "wides"),
        extra(ball.no_balls.min(1), "no ball", ""),
        bat,
        extra(ball.byes, "1 bye", "byes"),
        extra(ball.leg_byes, "1 leg bye", "leg byes"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no run".to_owned() } else { parts.join(", ") }
}
