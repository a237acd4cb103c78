//! What phones and pages show of a match: one state for each side, and one for neutral followers.

use super::delivery::Delivery;
use super::facts::MatchView;
use super::figures::{Figures, of_innings, player_name};
use super::rates::{projected, run_rate};
use super::result::is_complete;
use super::score::{score_text, total_of};
use super::types::{Elected, EventKind, Format, InningsScore, LastEvent, Phase, TeamLabel};
use crate::design::{LeagueCode, MatchId, NEUTRAL};
use ring::digest::{SHA256, digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const EVENT_DELIVERIES: usize = 12;

/// A match as phones and pages show it. Every key is present; absent values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisplayState {
    pub v: u32,
    pub match_id: MatchId,
    /// For whom it is: a team's id, or `neutral`.
    pub team: String,
    pub league: LeagueCode,
    pub format: Format,
    pub phase: Phase,
    pub day: Option<u32>,
    /// Both sides, that of the perspective first.
    pub teams: Vec<DisplayTeam>,
    pub batting: Option<String>,
    pub innings: Option<u32>,
    /// The two at the crease, in batting order.
    pub batters: Vec<DisplayBatter>,
    pub bowler: Option<DisplayBowler>,
    pub this_over: Vec<String>,
    pub target: Option<u32>,
    pub need: Option<u32>,
    pub balls_left: Option<u32>,
    pub run_rate: Option<String>,
    pub required_rate: Option<String>,
    /// What innings 1 ends with at this rate.
    pub projected: Option<u32>,
    pub headline: String,
    pub event: Option<DisplayEvent>,
    pub result: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisplayTeam {
    #[serde(flatten)]
    pub team: TeamLabel,
    pub score: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisplayBatter {
    pub id: String,
    pub name: String,
    pub runs: u32,
    pub balls: u32,
    pub fours: u32,
    pub sixes: u32,
    pub on_strike: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisplayBowler {
    pub id: String,
    pub name: String,
    /// `3-0-22-2`.
    pub figures: String,
}

/// The last event, as one side sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisplayEvent {
    pub kind: EventKind,
    /// `WICKET!`.
    pub title: String,
    pub text: String,
    /// The ball: `12.5`.
    pub ball: Option<String>,
    pub innings: u32,
    pub mood: Mood,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mood {
    Good,
    Bad,
    Neutral,
}

impl DisplayState {
    /// SHA-256 of the state in JSON, with sorted keys and no spaces, in hexadecimal digits.
    pub fn hash(&self) -> String {
        // A map of the library is sorted.
        let text = serde_json::to_value(self).unwrap_or_default().to_string();
        let hash = digest(&SHA256, text.as_bytes());
        hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The state for a side, or for [`NEUTRAL`] followers.
pub fn display(view: &MatchView, team: &str) -> DisplayState {
    let current = view.current();
    let chase = Chase::of(view);
    let figures = current.map(|one| at_the_crease(view, one)).unwrap_or_default();
    let sides = match team == view.away.id {
        true => [&view.away, &view.home],
        false => [&view.home, &view.away],
    };
    let teams = sides
        .map(|side| DisplayTeam { team: side.clone(), score: score_text(&view.innings, &side.id) });
    let regular = current.filter(|one| !one.super_over);
    DisplayState {
        v: 1,
        match_id: view.match_id.clone(),
        team: team.to_owned(),
        league: view.league_code.clone(),
        format: view.format,
        phase: view.phase,
        day: view.day,
        teams: teams.into(),
        batting: current.map(|one| one.team_id.clone()),
        innings: current.map(|one| one.n),
        batters: figures.0,
        bowler: figures.1,
        this_over: figures.2,
        target: chase.as_ref().map(|chase| chase.target),
        need: chase.as_ref().map(|chase| chase.need),
        balls_left: chase.as_ref().and_then(|chase| chase.balls_left),
        run_rate: regular.and_then(|one| run_rate(one.runs, one.balls)),
        required_rate: chase.as_ref().and_then(Chase::required_rate),
        projected: regular.and_then(|one| projected_of(view, one)),
        headline: headline(view),
        event: event(view, team),
        result: view.result.as_ref().map(|result| result.text.clone()),
    }
}

struct Chase {
    target: u32,
    need: u32,
    balls_left: Option<u32>,
    is_super: bool,
}

impl Chase {
    fn of(view: &MatchView) -> Option<Self> {
        let (target, current) = (view.target.as_ref()?, view.current()?);
        // Between the innings the target is known, and the chase has not begun.
        let begun = current.n == 4 || (current.n == 2 && !view.format.is_multi_day());
        let (runs, balls) = if begun { (current.runs, current.balls) } else { (0, 0) };
        Some(Self {
            target: target.runs,
            need: target.runs.saturating_sub(runs),
            balls_left: target.balls.map(|quota| quota.saturating_sub(balls)),
            is_super: current.super_over,
        })
    }

    fn required_rate(&self) -> Option<String> {
        if self.is_super {
            return None;
        }
        run_rate(self.need, self.balls_left?)
    }
}

fn projected_of(view: &MatchView, one: &InningsScore) -> Option<u32> {
    let (from, quota) = (view.format.projected_from()?, view.format.quota_balls()?);
    let is_open = one.n == 1 && one.balls >= from && view.target.is_none();
    if is_open { projected(one.runs, one.balls, quota) } else { None }
}

type AtTheCrease = (Vec<DisplayBatter>, Option<DisplayBowler>, Vec<String>);

fn at_the_crease(view: &MatchView, one: &InningsScore) -> AtTheCrease {
    let balls = of_innings(&view.deliveries, one.n);
    if one.super_over {
        return (Vec::new(), None, balls.map(Delivery::symbol).collect());
    }
    let Figures { batters, bowlers, at_crease, striker, bowler, .. } = view.figures(one.n);
    let shown = batters.into_iter().filter(|batter| at_crease.contains(&batter.id));
    let shown = shown.map(|batter| DisplayBatter {
        name: player_name(&view.players, &batter.id),
        on_strike: striker.as_ref() == Some(&batter.id),
        id: batter.id,
        runs: batter.runs,
        balls: batter.balls,
        fours: batter.fours,
        sixes: batter.sixes,
    });
    let bowler = bowlers.into_iter().find(|one| Some(&one.id) == bowler.as_ref());
    let bowler = bowler.map(|bowler| DisplayBowler {
        name: player_name(&view.players, &bowler.id),
        figures: bowler.figures(),
        id: bowler.id,
    });
    let over = balls.clone().last().map(Delivery::over);
    let this_over = balls.filter(|ball| Some(ball.over()) == over).map(Delivery::symbol);
    (shown.collect(), bowler, this_over.collect())
}

fn event(view: &MatchView, team: &str) -> Option<DisplayEvent> {
    let last = view.last_event.as_ref()?;
    let is_next_begun = view.current().is_some_and(|one| one.n > last.innings);
    if last.kind == EventKind::InningsEnd && is_next_begun {
        return None;
    }
    let later = view.deliveries.iter().rev().take_while(|ball| ball.id > last.ball_id).count();
    if later >= EVENT_DELIVERIES {
        return None;
    }
    Some(DisplayEvent {
        kind: last.kind,
        title: event_title(last, team).to_owned(),
        text: last.text.clone(),
        ball: last.ball.clone(),
        innings: last.innings,
        mood: mood(last, team),
    })
}

pub fn mood(event: &LastEvent, team: &str) -> Mood {
    match &event.good_for {
        Some(good_for) if team != NEUTRAL => {
            if good_for == team {
                Mood::Good
            } else {
                Mood::Bad
            }
        }
        _ => Mood::Neutral,
    }
}

pub fn event_title(event: &LastEvent, team: &str) -> &'static str {
    match (event.kind, mood(event, team)) {
        (EventKind::MatchEnd, _) => "RESULT",
        (EventKind::InningsEnd, _) => "INNINGS OVER",
        (EventKind::HatTrick, _) => "HAT-TRICK",
        (EventKind::Hundred, _) => "HUNDRED",
        (EventKind::FiveWickets, _) => "FIVE WICKETS",
        (EventKind::Wicket, Mood::Good) => "WICKET!",
        (EventKind::Wicket, Mood::Bad) => "Wicket lost",
        (EventKind::Wicket, Mood::Neutral) => "WICKET",
        (EventKind::Fifty, _) => "FIFTY",
        (EventKind::Stopped, _) => "Play stopped",
        (EventKind::Resumed, _) => "Play resumed",
        (EventKind::Six, _) => "SIX",
        (EventKind::Four, _) => "FOUR",
        (EventKind::Maiden, _) => "MAIDEN",
    }
}

/// The toss in a line: `Kinsale Kestrels won the toss and chose to bowl`.
pub fn toss_text(view: &MatchView) -> Option<String> {
    let toss = view.toss.as_ref()?;
    let chose = match toss.elected {
        Elected::Bat => "bat",
        Elected::Bowl => "bowl",
    };
    Some(format!("{} won the toss and chose to {chose}", view.team(&toss.team_id).name))
}

pub fn headline(view: &MatchView) -> String {
    if let Some(result) = &view.result {
        return result.text.clone();
    }
    let day = view.day.map(|day| format!(", day {day}")).unwrap_or_default();
    let standing = || standing(view);
    match view.phase {
        Phase::Scheduled => "Not started".to_owned(),
        Phase::Toss => toss_text(view).unwrap_or_else(|| "Not started".to_owned()),
        Phase::Delayed => "Start delayed".to_owned(),
        Phase::Postponed => "Match postponed".to_owned(),
        Phase::Interrupted => "Play stopped".to_owned(),
        Phase::Interval => {
            let status = view.status.trim();
            let name = status.strip_suffix(" Break").unwrap_or(status);
            format!("{name}{day}")
        }
        Phase::Stumps => match standing() {
            Some(standing) => format!("Stumps{day}: {standing}"),
            None => format!("Stumps{day}"),
        },
        Phase::InningsBreak => innings_break(view),
        Phase::Live => match view.current() {
            Some(one) if one.n != 4 && is_between(view, one) => innings_break(view),
            _ => in_play(view),
        },
        Phase::Finished | Phase::Abandoned | Phase::Cancelled => "Match over".to_owned(),
    }
}

/// Whether an innings is over and the next one has not begun.
fn is_between(view: &MatchView, one: &InningsScore) -> bool {
    let is_chase = one.n == 2 && !view.format.is_multi_day();
    !is_chase && is_complete(view.format, one, None)
}

fn innings_break(view: &MatchView) -> String {
    match (&view.target, standing(view)) {
        (Some(target), _) => format!("Innings break: target {}", target.runs),
        (None, Some(standing)) => format!("Innings break: {standing}"),
        (None, None) => "Innings break".to_owned(),
    }
}

fn in_play(view: &MatchView) -> String {
    let Some(one) = view.current() else {
        return toss_text(view).unwrap_or_else(|| "In play".to_owned());
    };
    let name = &view.team(&one.team_id).name;
    let begins = if one.super_over { "Super over: " } else { "" };
    if let Some(chase) = Chase::of(view) {
        return match (chase.need, chase.balls_left) {
            (0, _) => format!("{begins}{name} reached the target"),
            (need, Some(1)) => format!("{begins}{name} need {need} from 1 ball"),
            (need, Some(balls)) => format!("{begins}{name} need {need} from {balls} balls"),
            (need, None) => format!("{name} need {need} to win"),
        };
    }
    if one.super_over {
        return format!("Super over: {name} bat");
    }
    if let Some(standing) = standing(view) {
        return standing;
    }
    let rate = run_rate(one.runs, one.balls);
    match (projected_of(view, one), rate) {
        (Some(projected), _) => format!("Projected {projected}"),
        (None, Some(rate)) => format!("Run rate {rate}"),
        (None, None) => toss_text(view).unwrap_or_else(|| format!("{name} bat")),
    }
}

/// In matches of several days, from innings 2 on: `South Isles trail by 25`.
fn standing(view: &MatchView) -> Option<String> {
    let one = view.current().filter(|one| view.format.is_multi_day() && one.n >= 2)?;
    let own = total_of(&view.innings, &one.team_id);
    let others = total_of(&view.innings, &view.other(&one.team_id).id);
    let name = &view.team(&one.team_id).name;
    Some(match own.cmp(&others) {
        std::cmp::Ordering::Less => format!("{name} trail by {}", others - own),
        std::cmp::Ordering::Equal => "Scores level".to_owned(),
        std::cmp::Ordering::Greater => format!("{name} lead by {}", own - others),
    })
}
