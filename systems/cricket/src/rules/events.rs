//! Which events fire: from phase changes, and from balls that are confirmed.
//!
//! About one ball in seven is first posted wrong, so a ball counts when a later one exists, when an
//! earlier tick stored the same text, or when the match is over.

use super::delivery::Delivery;
use super::display::headline;
use super::facts::{Facts, MatchView};
use super::figures::{Figures, how_out, player_name};
use super::rates::overs_text;
use super::result::is_complete;
use super::types::{EventKind, InningsScore, LastEvent, Phase, TeamLabel};
use crate::design::{BallId, ProcessingState};

/// At first sight of a match with more balls than this, what happened before fires nothing.
const FIRST_SIGHT_MAX: usize = 12;
/// Under this name `cooldowns` holds since when a result is being confirmed.
pub const CONFIRMING: &str = "confirming";

#[derive(Clone, Debug, PartialEq)]
pub struct Advanced {
    /// The sequence and the expiry are those from before.
    pub progress: ProcessingState,
    pub event: Option<LastEvent>,
}

struct Candidate {
    event: LastEvent,
    key: Option<String>,
    at_ms: i64,
}

/// Considers a snapshot. `before` is `None` at first sight. `is_last` says that this is the last
/// tick of the match: only that one fires `matchEnd`.
pub fn advance(
    known: &MatchView,
    before: Option<&ProcessingState>,
    facts: &Facts,
    feed_ms: i64,
    is_last: bool,
) -> Advanced {
    let is_first_sight = before.is_none() && facts.view.deliveries.len() > FIRST_SIGHT_MAX;
    let mut progress = before.map_or_else(
        || ProcessingState::new(known.match_id.clone()),
        |before| ProcessingState { ball_by_ball: Vec::new(), ..before.clone() },
    );
    let texts: Vec<String> = facts.view.deliveries.iter().map(ToString::to_string).collect();
    let before = before.map_or(&[][..], |before| &before.ball_by_ball);
    let confirmed = confirmed_count(before, facts, &texts);
    let last = progress.last_processed_ball.as_ref();
    let last_before: u64 = last.and_then(|id| id.as_str().parse().ok()).unwrap_or(0);
    let confirmed_balls = facts.view.deliveries.get(..confirmed).unwrap_or_default();
    let mut found = ball_events(known, confirmed_balls, facts, last_before, feed_ms);
    if texts.is_empty() && before.is_empty() {
        found.extend(table_events(known, facts, feed_ms));
    }
    let all_confirmed = confirmed == texts.len();
    found.extend(phase_events(known, facts, feed_ms, all_confirmed, is_last, &progress.fired));
    if let Some(last) = confirmed_balls.last() {
        progress.last_processed_ball = BallId::new(last.id.max(last_before).to_string()).ok();
    }
    progress.ball_by_ball = texts;
    progress.players.clone_from(&facts.view.players);
    match facts.view.result.as_ref().is_some_and(|result| !result.is_settled()) {
        true => {
            progress.cooldowns.entry(CONFIRMING.to_owned()).or_insert(feed_ms);
        }
        false => {
            progress.cooldowns.remove(CONFIRMING);
        }
    }
    let mut chosen: Option<LastEvent> = None;
    for candidate in found {
        if !mark(&mut progress, &candidate) || is_first_sight {
            continue;
        }
        let is_better = chosen.as_ref().is_none_or(|best| {
            let (new, old) = (candidate.event.kind.priority(), best.kind.priority());
            new < old || (new == old && candidate.event.ball_id >= best.ball_id)
        });
        if is_better {
            chosen = Some(candidate.event);
        }
    }
    if chosen.is_some() {
        progress.last_event.clone_from(&chosen);
    } else if let Some(event) = &progress.last_event {
        // The feed may withdraw the ball.
        let is_there = facts.view.deliveries.iter().any(|ball| ball.id == event.ball_id);
        if event.ball.is_some() && !is_there && !facts.view.deliveries.is_empty() {
            progress.last_event = None;
        }
    }
    Advanced { progress, event: chosen }
}

/// Notes an event; `false` if it fired already, or too recently.
fn mark(progress: &mut ProcessingState, candidate: &Candidate) -> bool {
    if let Some(key) = &candidate.key {
        if progress.fired.contains(key) {
            return false;
        }
        progress.fired.push(key.clone());
    }
    let kind = candidate.event.kind;
    if let Some(cooldown) = kind.cooldown_ms() {
        let last = progress.cooldowns.get(kind.as_str());
        // Seeking back in a replay clears them; a feed whose clock goes back must not silence us.
        if last.is_some_and(|last| (0..cooldown).contains(&(candidate.at_ms - last))) {
            return false;
        }
        progress.cooldowns.insert(kind.as_str().to_owned(), candidate.at_ms);
    }
    true
}

/// How many deliveries from the start are confirmed: all but the last, and that one too if an
/// earlier tick stored the same, or if the match is over.
fn confirmed_count(before: &[String], facts: &Facts, texts: &[String]) -> usize {
    let Some(last) = texts.last() else { return 0 };
    let is_confirmed = facts.view.phase.is_final() || before.iter().rev().any(|text| text == last);
    if is_confirmed { texts.len() } else { texts.len() - 1 }
}

/// Events of the deliveries after `last_before`.
fn ball_events(
    known: &MatchView,
    deliveries: &[Delivery],
    facts: &Facts,
    last_before: u64,
    feed_ms: i64,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut innings = 0;
    let mut figures = Figures::default();
    let players = &facts.view.players;
    let batter_of = |figures: &Figures, id: &str| {
        let batter = figures.batters.iter().find(|batter| batter.id == id);
        batter.map_or((0, 0), |batter| (batter.runs, batter.balls))
    };
    for ball in deliveries {
        if ball.innings != innings {
            innings = ball.innings;
            figures = Figures::default();
        }
        let (runs_before, _) = batter_of(&figures, &ball.striker);
        figures.add(ball, players);
        if ball.id <= last_before {
            continue;
        }
        let one = facts.view.innings.iter().find(|one| one.n == innings);
        let is_super = one.is_some_and(|one| one.super_over);
        let batting = known.team(one.map_or("", |one| &one.team_id));
        let bowling = known.other(&batting.id);
        let Figures { runs, wickets, balls, .. } = figures;
        let score = format!("{} {runs}/{wickets} ({})", batting.code, overs_text(balls));
        let at_ms = facts.ball_times.get(&ball.id).copied().unwrap_or(feed_ms);
        let mut fire = |kind, text: String, good_for: &TeamLabel, key: Option<String>| {
            let event = LastEvent {
                kind,
                text,
                ball: Some(ball.label.clone()),
                ball_id: ball.id,
                innings,
                good_for: Some(good_for.id.clone()),
                score: score.clone(),
            };
            found.push(Candidate { event, key, at_ms });
        };
        let name = |id: &str| player_name(players, id);
        let (own, faced) = batter_of(&figures, &ball.striker);
        let with_score = || format!("{} {own} ({faced})", name(&ball.striker));
        let bowler = figures.bowlers.iter().find(|bowler| bowler.id == ball.bowler);
        let Some(bowler) = bowler else { continue };
        let bowled = || format!("{} {}", name(&bowler.id), bowler.figures());
        if !is_super {
            for hundred in passed_hundreds(own).filter(|hundred| runs_before < *hundred) {
                let key = Some(format!("{hundred}:{}:{innings}", ball.striker));
                fire(EventKind::Hundred, with_score(), batting, key);
            }
            if runs_before < 50 && own >= 50 {
                let key = Some(format!("50:{}:{innings}", ball.striker));
                fire(EventKind::Fifty, with_score(), batting, key);
            }
            if bowler.in_a_row >= 3 {
                let key = Some(format!("hat:{}", ball.id));
                fire(EventKind::HatTrick, name(&ball.bowler), bowling, key);
            }
            if ball.is_bowlers_wicket() && bowler.wickets == 5 {
                let key = Some(format!("5w:{}:{innings}", ball.bowler));
                fire(EventKind::FiveWickets, bowled(), bowling, key);
            }
        }
        if let Some(wicket) = &ball.wicket {
            let (runs, balls) = batter_of(&figures, &wicket.out);
            let how = how_out(ball, players).unwrap_or_default();
            let text = format!("{} {how} {runs} ({balls})", name(&wicket.out));
            fire(EventKind::Wicket, text, bowling, None);
        }
        match ball.bat {
            6 => fire(EventKind::Six, with_score(), batting, None),
            4 => fire(EventKind::Four, with_score(), batting, None),
            _ => (),
        }
        if figures.is_maiden && !known.format.is_multi_day() && !is_super {
            fire(EventKind::Maiden, bowled(), bowling, None);
        }
    }
    found
}

fn passed_hundreds(runs: u32) -> impl Iterator<Item = u32> {
    [100, 200, 300].into_iter().filter(move |hundred| runs >= *hundred)
}

/// Events of a match without balls: what differs from the scores stored last.
fn table_events(known: &MatchView, facts: &Facts, feed_ms: i64) -> Vec<Candidate> {
    let mut found = Vec::new();
    for one in &facts.view.innings {
        let before = known.innings.iter().find(|before| before.n == one.n);
        let batting = known.team(&one.team_id);
        let score = score_line(known, one);
        let mut fire = |kind, text: String, good_for: &TeamLabel, key: Option<String>| {
            let (good_for, score) = (Some(good_for.id.clone()), score.clone());
            let (ball, ball_id, innings) = (None, 0, one.n);
            let event = LastEvent { kind, text, ball, ball_id, innings, good_for, score };
            found.push(Candidate { event, key, at_ms: feed_ms });
        };
        if before.is_some_and(|before| before.wickets < one.wickets) {
            fire(EventKind::Wicket, score.clone(), known.other(&batting.id), None);
        }
        let board = format!("S{}", one.n);
        for batter in facts.view.tables.batting.iter().filter(|batter| batter.scoreboard == board) {
            let Some(id) = &batter.player_id else { continue };
            let name = player_name(&facts.view.players, id);
            let text = format!("{name} {} ({})", batter.score, batter.ball);
            for hundred in passed_hundreds(batter.score) {
                let key = format!("{hundred}:{id}:{}", one.n);
                fire(EventKind::Hundred, text.clone(), batting, Some(key));
            }
            if batter.score >= 50 {
                fire(EventKind::Fifty, text, batting, Some(format!("50:{id}:{}", one.n)));
            }
        }
    }
    found
}

fn score_line(known: &MatchView, one: &InningsScore) -> String {
    let code = &known.team(&one.team_id).code;
    format!("{code} {}/{} ({})", one.runs, one.wickets, overs_text(one.balls))
}

/// Events of a change of phase, of an innings that is over, and of a result.
fn phase_events(
    known: &MatchView,
    facts: &Facts,
    feed_ms: i64,
    all_confirmed: bool,
    is_last: bool,
    fired: &[String],
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let ball_id = facts.view.deliveries.last().map_or(0, |ball| ball.id);
    let current = facts.view.innings.last();
    let n = current.map_or(0, |one| one.n);
    let versus = format!("{} v {}", known.home.code, known.away.code);
    let score = current.map_or_else(|| versus.clone(), |one| score_line(known, one));
    let mut fire = |kind, text: String, innings, good_for: Option<String>, key: Option<String>| {
        let ended = facts.view.innings.iter().find(|one| one.n == innings);
        let score = match (kind, ended) {
            (EventKind::MatchEnd, _) => versus.clone(),
            (EventKind::InningsEnd, Some(ended)) => score_line(known, ended),
            _ => score.clone(),
        };
        let event = LastEvent { kind, text, ball: None, ball_id, innings, good_for, score };
        found.push(Candidate { event, key, at_ms: feed_ms });
    };
    if facts.view.phase == Phase::Interrupted && known.phase != Phase::Interrupted {
        fire(EventKind::Stopped, score.clone(), n, None, None);
    }
    if facts.view.phase == Phase::Live && known.phase == Phase::Interrupted {
        fire(EventKind::Resumed, score.clone(), n, None, None);
    }
    for one in &facts.view.innings {
        // The result tells how the last innings ended.
        let decides = one.n == 4 || (one.n == 2 && !known.format.is_multi_day());
        let is_done = one.n < n
            || (!decides
                && all_confirmed
                && is_complete(known.format, one, facts.view.target.as_ref()))
            || (one.n == n && facts.view.phase == Phase::InningsBreak);
        let key = format!("inn:{}", one.n);
        if is_done && !facts.view.phase.is_final() && !fired.contains(&key) {
            let text = headline(&facts.view);
            fire(EventKind::InningsEnd, text, one.n, None, Some(key));
        }
    }
    if let Some(result) = facts.view.result.as_ref().filter(|result| is_last && result.is_settled())
    {
        let winner = result.winner_team_id.clone();
        fire(EventKind::MatchEnd, result.text.clone(), n, winner, Some("end".to_owned()));
    }
    found
}
