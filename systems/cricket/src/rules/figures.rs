//! What batters and bowlers have done in an innings.

use super::delivery::{Delivery, WicketKind};
use super::rates::overs_text;
use std::collections::BTreeMap;

/// The short names of players by their ids.
pub type Players = BTreeMap<String, String>;

/// `R. Iyer` of `Ravi Iyer`; a single name stays.
///
/// ```
/// use cricket::rules::short_name;
///
/// assert_eq!(short_name("Ravi Kumar Iyer"), "R. Iyer");
/// assert_eq!(short_name("Ode"), "Ode");
/// ```
#[must_use]
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
#[must_use]
pub fn player_name(players: &Players, id: &str) -> String {
    players.get(id).cloned().unwrap_or_else(|| format!("Player {id}"))
}

/// A batter's innings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batter {
    /// Who.
    pub id: String,
    /// Runs off the bat.
    pub runs: u32,
    /// Balls faced.
    pub balls: u32,
    /// Fours.
    pub fours: u32,
    /// Sixes.
    pub sixes: u32,
    /// How they got out: `c A. Mensah b T. Okafor`.
    pub how: Option<String>,
}

/// A bowler's innings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bowler {
    /// Who.
    pub id: String,
    /// Legal balls.
    pub balls: u32,
    /// Overs of six legal balls in which nothing was charged.
    pub maidens: u32,
    /// Runs charged.
    pub runs: u32,
    /// Wickets.
    pub wickets: u32,
    /// Wides.
    pub wides: u32,
    /// No-balls.
    pub no_balls: u32,
}

impl Bowler {
    /// `3-0-22-2`: overs, maidens, runs, wickets.
    #[must_use]
    pub fn figures(&self) -> String {
        format!("{}-{}-{}-{}", overs_text(self.balls), self.maidens, self.runs, self.wickets)
    }
}

/// Who stands where after the last delivery. An end is empty until the next batter faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crease {
    /// Who faces the next ball.
    pub striker: Option<String>,
    /// Who does not.
    pub non_striker: Option<String>,
    /// Who bowls, or has bowled the last ball.
    pub bowler: Option<String>,
}

/// How a wicket is written: `c A. Mensah b T. Okafor`, `c & b T. Okafor`, `run out (A. Mensah)`.
#[must_use]
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

/// The deliveries of one innings.
pub fn of_innings(deliveries: &[Delivery], n: u32) -> impl Iterator<Item = &Delivery> + Clone {
    deliveries.iter().filter(move |delivery| delivery.innings == n)
}

/// All batters who came in, in their order.
pub fn batters<'a>(
    deliveries: impl Iterator<Item = &'a Delivery>,
    players: &Players,
) -> Vec<Batter> {
    let mut found: Vec<Batter> = Vec::new();
    for delivery in deliveries {
        for id in [&delivery.striker, &delivery.non_striker] {
            if !id.is_empty() && !found.iter().any(|batter| batter.id == *id) {
                found.push(Batter { id: id.clone(), ..Batter::default() });
            }
        }
        if let Some(batter) = found.iter_mut().find(|batter| batter.id == delivery.striker) {
            batter.runs += delivery.bat;
            batter.balls += u32::from(delivery.is_faced());
            batter.fours += u32::from(delivery.bat == 4);
            batter.sixes += u32::from(delivery.bat == 6);
        }
        let out = delivery.wicket.as_ref().map(|wicket| &wicket.out);
        if let Some(batter) = found.iter_mut().find(|batter| Some(&batter.id) == out) {
            batter.how = how_out(delivery, players);
        }
    }
    found
}

/// All bowlers, in the order in which they came on.
pub fn bowlers<'a>(deliveries: impl Iterator<Item = &'a Delivery>) -> Vec<Bowler> {
    let mut found: Vec<Bowler> = Vec::new();
    // Of the over: its number, bowler, legal balls, charged runs, and whether one bowler had it.
    let mut over: Option<(u32, String, u32, u32, bool)> = None;
    for delivery in deliveries {
        let index = match found.iter().position(|bowler| bowler.id == delivery.bowler) {
            Some(index) => index,
            None => {
                found.push(Bowler { id: delivery.bowler.clone(), ..Bowler::default() });
                found.len() - 1
            }
        };
        match &mut over {
            Some((number, bowler, legal, charged, is_one)) if *number == delivery.over() => {
                *legal += u32::from(delivery.is_legal());
                *charged += delivery.charged();
                *is_one = *is_one && *bowler == delivery.bowler;
            }
            _ => {
                let legal = u32::from(delivery.is_legal());
                let bowler = delivery.bowler.clone();
                over = Some((delivery.over(), bowler, legal, delivery.charged(), true));
            }
        }
        let Some(bowler) = found.get_mut(index) else { continue };
        bowler.balls += u32::from(delivery.is_legal());
        bowler.runs += delivery.charged();
        bowler.wickets += u32::from(delivery.is_bowlers_wicket());
        bowler.wides += delivery.wides;
        bowler.no_balls += delivery.no_balls;
        if delivery.is_legal() && matches!(over, Some((_, _, 6, 0, true))) {
            bowler.maidens += 1;
        }
    }
    found
}

/// Who stands where after these deliveries of one innings.
pub fn crease<'a>(deliveries: impl Iterator<Item = &'a Delivery>) -> Crease {
    let mut over = (u32::MAX, 0);
    let mut crease = Crease::default();
    for delivery in deliveries {
        if over.0 != delivery.over() {
            over = (delivery.over(), 0);
        }
        over.1 += u32::from(delivery.is_legal());
        let present = |id: &String| (!id.is_empty()).then(|| id.clone());
        let mut ends = [present(&delivery.striker), present(&delivery.non_striker)];
        if delivery.swaps_ends() {
            ends.reverse();
        }
        if let Some(wicket) = &delivery.wicket {
            for end in &mut ends {
                if end.as_ref() == Some(&wicket.out) {
                    *end = None;
                }
            }
        }
        if over.1 == 6 && delivery.is_legal() {
            ends.reverse();
        }
        let [striker, non_striker] = ends;
        crease = Crease { striker, non_striker, bowler: present(&delivery.bowler) };
    }
    crease
}
