//! Figures of batters and bowlers.

use super::delivery::{Delivery, WicketKind};
use super::facts::MatchView;
use super::rates::{balls_of, overs_text};
use crate::feed::shape::{FeedBatting, FeedBowling};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The short names of players by their ids.
pub type Players = BTreeMap<String, String>;

/// `R. Iyer` of `Ravi Kumar Iyer`; a single name stays.
pub fn short_name(full: &str) -> String {
    let words: Vec<&str> = full.split_whitespace().collect();
    let name = match words.as_slice() {
        [first, .., last] => match first.chars().next() {
            Some(initial) => format!("{initial}. {last}"),
            None => (*last).to_owned(),
        },
        _ => full.trim().to_owned(),
    };
    name.chars().take(40).collect()
}

/// The name of a player, or `Player 2004` if the feed has not said it.
pub fn player_name(players: &Players, id: &str) -> String {
    players.get(id).cloned().unwrap_or_else(|| format!("Player {id}"))
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Batter {
    pub id: String,
    pub runs: u32,
    pub balls: u32,
    pub fours: u32,
    pub sixes: u32,
    /// How they got out: `c A. Mensah b T. Okafor`.
    #[serde(skip)]
    pub how: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bowler {
    pub id: String,
    /// Legal balls.
    #[serde(skip)]
    pub balls: u32,
    /// Overs of six legal balls in which nothing was charged.
    pub maidens: u32,
    pub runs: u32,
    pub wickets: u32,
    pub wides: u32,
    pub no_balls: u32,
    /// Wickets in successive deliveries, up to the last one.
    #[serde(skip)]
    pub in_a_row: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Extras {
    pub total: u32,
    pub wd: u32,
    pub nb: u32,
    pub b: u32,
    pub lb: u32,
    pub pen: u32,
}

impl Bowler {
    /// `3-0-22-2`: overs, maidens, runs, wickets.
    pub fn figures(&self) -> String {
        format!("{}-{}-{}-{}", overs_text(self.balls), self.maidens, self.runs, self.wickets)
    }
}

/// How a wicket is written: `c A. Mensah b T. Okafor`, `c & b T. Okafor`, `run out (A. Mensah)`.
pub fn how_out(delivery: &Delivery, players: &Players) -> Option<String> {
    let wicket = delivery.wicket.as_ref()?;
    let bowler = player_name(players, &delivery.bowler);
    let fielder = wicket.fielder.as_deref().map(|id| player_name(players, id));
    Some(match wicket.kind {
        WicketKind::Caught if wicket.fielder.as_ref() == Some(&delivery.bowler) => {
            format!("c & b {bowler}")
        }
        WicketKind::Caught => match fielder {
            Some(fielder) => format!("c {fielder} b {bowler}"),
            None => format!("c b {bowler}"),
        },
        WicketKind::Stumped => match fielder {
            Some(fielder) => format!("st {fielder} b {bowler}"),
            None => format!("st b {bowler}"),
        },
        WicketKind::Bowled => format!("b {bowler}"),
        WicketKind::Lbw => format!("lbw b {bowler}"),
        WicketKind::HitWicket => format!("hit wicket b {bowler}"),
        WicketKind::RunOut => match fielder {
            Some(fielder) => format!("run out ({fielder})"),
            None => "run out".to_owned(),
        },
        WicketKind::Retired => "retired out".to_owned(),
        WicketKind::Obstructing => "obstructing the field".to_owned(),
        WicketKind::TimedOut => "timed out".to_owned(),
        WicketKind::Other => format!("b {bowler}"),
    })
}

pub fn of_innings(deliveries: &[Delivery], n: u32) -> impl Iterator<Item = &Delivery> + Clone {
    deliveries.iter().filter(move |delivery| delivery.innings == n)
}

/// The figures of an innings, counted ball by ball.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub runs: u32,
    pub wickets: u32,
    /// Legal balls.
    pub balls: u32,
    pub extras: Extras,
    /// In the order in which they came in.
    pub batters: Vec<Batter>,
    /// In the order in which they came on.
    pub bowlers: Vec<Bowler>,
    pub at_crease: Vec<String>,
    pub striker: Option<String>,
    pub bowler: Option<String>,
    /// Whether the last ball ended a maiden over.
    pub is_maiden: bool,
    over: Over,
}

#[derive(Clone, Debug, Default)]
struct Over {
    number: Option<u32>,
    bowler: String,
    legal: u32,
    charged: u32,
    has_one_bowler: bool,
}

impl Figures {
    pub fn of<'a>(balls: impl Iterator<Item = &'a Delivery>, players: &Players) -> Self {
        let mut figures = Self::default();
        balls.for_each(|ball| figures.add(ball, players));
        figures
    }

    pub fn add(&mut self, ball: &Delivery, players: &Players) {
        self.runs += ball.total();
        self.wickets += u32::from(ball.wicket.is_some());
        self.balls += u32::from(ball.is_legal());
        self.extras.wd += ball.wides;
        self.extras.nb += ball.no_balls;
        self.extras.b += ball.byes;
        self.extras.lb += ball.leg_byes;
        self.extras.total += ball.total() - ball.bat;
        if self.over.number != Some(ball.over()) {
            let (number, bowler) = (Some(ball.over()), ball.bowler.clone());
            self.over = Over { number, bowler, has_one_bowler: true, ..Over::default() };
        } else if self.over.bowler != ball.bowler {
            self.over.has_one_bowler = false;
        }
        self.over.legal += u32::from(ball.is_legal());
        self.over.charged += ball.charged();
        for id in [&ball.striker, &ball.non_striker] {
            if !id.is_empty() && self.batter(id).is_none() {
                self.batters.push(Batter { id: id.clone(), ..Batter::default() });
            }
        }
        if let Some(batter) = self.batter(&ball.striker) {
            batter.runs += ball.bat;
            batter.balls += u32::from(ball.is_faced());
            batter.fours += u32::from(ball.bat == 4);
            batter.sixes += u32::from(ball.bat == 6);
        }
        if let Some(wicket) = &ball.wicket
            && let Some(batter) = self.batter(&wicket.out)
        {
            batter.how = how_out(ball, players);
        }
        if !self.bowlers.iter().any(|bowler| bowler.id == ball.bowler) {
            self.bowlers.push(Bowler { id: ball.bowler.clone(), ..Bowler::default() });
        }
        let Over { legal, charged, has_one_bowler, .. } = self.over;
        self.is_maiden = ball.is_legal() && legal == 6 && charged == 0 && has_one_bowler;
        if let Some(bowler) = self.bowlers.iter_mut().find(|bowler| bowler.id == ball.bowler) {
            bowler.balls += u32::from(ball.is_legal());
            bowler.runs += ball.charged();
            bowler.wickets += u32::from(ball.is_bowlers_wicket());
            bowler.wides += ball.wides;
            bowler.no_balls += ball.no_balls;
            bowler.maidens += u32::from(self.is_maiden);
            bowler.in_a_row = if ball.is_bowlers_wicket() { bowler.in_a_row + 1 } else { 0 };
        }
        self.change_ends(ball);
    }

    /// Who stands where after the ball. An end is empty until the next batter faces.
    fn change_ends(&mut self, ball: &Delivery) {
        let present = |id: &String| (!id.is_empty()).then(|| id.clone());
        let out = ball.wicket.as_ref().map(|wicket| &wicket.out);
        let mut ends =
            [&ball.striker, &ball.non_striker].map(|id| present(id).filter(|id| Some(id) != out));
        let ends_over = self.over.legal == 6 && ball.is_legal();
        if ball.swaps_ends() != ends_over {
            ends.reverse();
        }
        self.at_crease = ends.iter().flatten().cloned().collect();
        let [striker, _] = ends;
        self.striker = striker;
        self.bowler = present(&ball.bowler);
    }

    fn batter(&mut self, id: &str) -> Option<&mut Batter> {
        self.batters.iter_mut().find(|batter| batter.id == id)
    }
}

impl MatchView {
    /// From the balls of an innings, or from the feed's own figures for a match without balls.
    pub fn figures(&self, n: u32) -> Figures {
        if self.deliveries.is_empty() {
            return self.stated_figures(n);
        }
        Figures::of(of_innings(&self.deliveries, n), &self.players)
    }

    fn stated_figures(&self, n: u32) -> Figures {
        let board = format!("S{n}");
        let name = |id: &String| player_name(&self.players, id);
        let batting: Vec<&FeedBatting> =
            self.tables.batting.iter().filter(|line| line.scoreboard == board).collect();
        let bowling: Vec<&FeedBowling> =
            self.tables.bowling.iter().filter(|line| line.scoreboard == board).collect();
        let how = |line: &FeedBatting| match (
            &line.runout_by_id,
            &line.catch_stump_player_id,
            &line.bowling_player_id,
        ) {
            _ if line.active || line.fow_score.is_none() => None,
            (Some(by), ..) => Some(format!("run out ({})", name(by))),
            (_, Some(by), Some(bowler)) => Some(format!("c {} b {}", name(by), name(bowler))),
            (_, _, Some(bowler)) => Some(format!("b {}", name(bowler))),
            _ => Some("out".to_owned()),
        };
        let batters = batting.iter().filter_map(|line| {
            Some(Batter {
                id: line.player_id.clone()?,
                runs: line.score,
                balls: line.ball,
                fours: line.four_x,
                sixes: line.six_x,
                how: how(line),
            })
        });
        let bowlers = bowling.iter().filter_map(|line| {
            Some(Bowler {
                id: line.player_id.clone()?,
                balls: balls_of(&line.overs),
                maidens: line.medians,
                runs: line.runs,
                wickets: line.wickets,
                wides: line.wide,
                no_balls: line.noball,
                in_a_row: 0,
            })
        });
        let active = batting.iter().filter(|line| line.active).take(2);
        Figures {
            batters: batters.collect(),
            bowlers: bowlers.collect(),
            at_crease: active.filter_map(|line| line.player_id.clone()).collect(),
            bowler: bowling.iter().find(|line| line.active).and_then(|line| line.player_id.clone()),
            ..Figures::default()
        }
    }
}
