//! Which events fire: from phase changes, and from balls that are confirmed.
//!
//! About one ball in seven is first posted wrong, so a ball counts when a later one exists, when an
//! earlier tick stored the same text, or when the match is over.

use super::delivery::Delivery;
use super::display::headline;
use super::facts::{Facts, StoredMatch};
use super::figures::{Players, bowlers, how_out, of_innings, player_name};
use super::rates::overs_text;
use super::result::is_complete;
use super::types::{EventKind, InningsScore, LastEvent, Phase};
use super::view::MatchView;
use std::collections::BTreeMap;

/// At first sight of a match with more balls than this, what happened before fires nothing.
const FIRST_SIGHT_MAX: usize = 12;
/// Under this name `cooldowns` holds since when a result is being confirmed.
pub const CONFIRMING: &str = "confirming";

/// How far the balls of a match are processed; what `match-processing-state` keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The last ball whose events were considered.
    pub last_processed_ball: Option<u64>,
    /// All deliveries, one text each.
    pub ball_by_ball: Vec<String>,
    /// Short names.
    pub players: Players,
    /// What a display shows as having just happened.
    pub last_event: Option<LastEvent>,
    /// Keys of events that fire once.
    pub fired: Vec<String>,
    /// When a kind of event fired last, in the feed's time.
    pub cooldowns: BTreeMap<String, i64>,
}

/// What a tick makes of a snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Advanced {
    /// The next progress.
    pub progress: Progress,
    /// The one event of this tick, if any.
    pub event: Option<LastEvent>,
}

/// An event before it is chosen.
struct Candidate {
    event: LastEvent,
    /// It fires once under this key.
    key: Option<String>,
    at_ms: i64,
}

/// Considers a snapshot. `before` is `None` at first sight. `is_last` says that this is the last
/// tick of the match: only that one fires `matchEnd`.
#[must_use]
pub fn advance(
    known: &StoredMatch,
    before: Option<&Progress>,
    facts: &Facts,
    feed_ms: i64,
    is_last: bool,
) -> Advanced {
    let is_first_sight = before.is_none() && facts.deliveries.len() > FIRST_SIGHT_MAX;
    let empty = Progress::default();
    let before = before.unwrap_or(&empty);
    let texts: Vec<String> = facts.deliveries.iter().map(ToString::to_string).collect();
    let confirmed = confirmed_count(before, facts, &texts);
    let last_before = before.last_processed_ball.unwrap_or(0);
    let confirmed_balls = facts.deliveries.get(..confirmed).unwrap_or_default();
    let mut found = ball_events(known, confirmed_balls, facts, last_before, feed_ms);
    if facts.deliveries.is_empty() && before.ball_by_ball.is_empty() {
        found.extend(table_events(known, facts, feed_ms));
    }
    let all_confirmed = confirmed == facts.deliveries.len();
    found.extend(phase_events(known, facts, feed_ms, all_confirmed, is_last, &before.fired));

    let mut progress = Progress {
        last_processed_ball: confirmed_balls
            .last()
            .map(|ball| ball.id.max(last_before))
            .or(before.last_processed_ball),
        ball_by_ball: texts,
        players: facts.players.clone(),
        last_event: before.last_event.clone(),
        fired: before.fired.clone(),
        cooldowns: before.cooldowns.clone(),
    };
    match facts.result.as_ref().is_some_and(|result| !result.is_settled()) {
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
        let is_there = facts.deliveries.iter().any(|ball| ball.id == event.ball_id);
        if event.ball.is_some() && !is_there && !facts.deliveries.is_empty() {
            progress.last_event = None;
        }
    }
    Advanced { progress, event: chosen }
}

/// Notes an event; `false` if it fired already, or too recently.
fn mark(progress: &mut Progress, candidate: &Candidate) -> bool {
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
fn confirmed_count(before: &Progress, facts: &Facts, texts: &[String]) -> usize {
    let Some(last) = texts.last() else { return 0 };
    let is_confirmed =
        facts.phase.is_final() || before.ball_by_ball.iter().rev().any(|text| text == last);
    if is_confirmed { texts.len() } else { texts.len() - 1 }
}

/// What a bowler has done so far in an innings.
#[derive(Default)]
struct Spell {
    wickets: u32,
    in_a_row: u32,
}

/// Events of the deliveries after `last_before`.
fn ball_events(
    known: &StoredMatch,
    deliveries: &[Delivery],
    facts: &Facts,
    last_before: u64,
    feed_ms: i64,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut innings = 0;
    let (mut runs, mut wickets, mut balls) = (0, 0, 0);
    let mut batters: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut spells: BTreeMap<&str, Spell> = BTreeMap::new();
    // Of the over: its number, its bowler, legal balls, charged runs.
    let mut over: (u32, &str, u32, u32) = (u32::MAX, "", 0, 0);
    for ball in deliveries {
        if ball.innings != innings {
            innings = ball.innings;
            (runs, wickets, balls) = (0, 0, 0);
            batters.clear();
            spells.clear();
            over = (u32::MAX, "", 0, 0);
        }
        runs += ball.total();
        wickets += u32::from(ball.wicket.is_some());
        balls += u32::from(ball.is_legal());
        if over.0 != ball.over() || over.1 != ball.bowler {
            over = (ball.over(), &ball.bowler, 0, 0);
        }
        over.2 += u32::from(ball.is_legal());
        over.3 += ball.charged();
        let batter = batters.entry(&ball.striker).or_default();
        let runs_before = batter.0;
        batter.0 += ball.bat;
        batter.1 += u32::from(ball.is_faced());
        let batter = *batter;
        let spell = spells.entry(&ball.bowler).or_default();
        spell.wickets += u32::from(ball.is_bowlers_wicket());
        spell.in_a_row = if ball.is_bowlers_wicket() { spell.in_a_row + 1 } else { 0 };
        if ball.id <= last_before {
            continue;
        }
        let one = facts.innings.iter().find(|one| one.n == innings);
        let is_super = one.is_some_and(|one| one.super_over);
        let batting = one.map(|one| one.team_id.clone()).unwrap_or_default();
        let bowling = match batting == known.home.id {
            true => known.away.id.clone(),
            false => known.home.id.clone(),
        };
        let code = if batting == known.home.id { &known.home.code } else { &known.away.code };
        let score = format!("{code} {runs}/{wickets} ({})", overs_text(balls));
        let at_ms = facts.ball_times.get(&ball.id).copied().unwrap_or(feed_ms);
        let mut fire = |kind, text: String, good_for: &str, key: Option<String>| {
            let event = LastEvent {
                kind,
                text,
                ball: Some(ball.label.clone()),
                ball_id: ball.id,
                innings,
                good_for: Some(good_for.to_owned()),
                score: score.clone(),
            };
            found.push(Candidate { event, key, at_ms });
        };
        let name = |id: &str| player_name(&facts.players, id);
        let with_score =
            |id: &str, (runs, balls): (u32, u32)| format!("{} {runs} ({balls})", name(id));
        let figures = || {
            let so_far = of_innings(deliveries, innings).take_while(|one| one.id <= ball.id);
            let all = bowlers(so_far);
            let own = all.iter().find(|one| one.id == ball.bowler);
            own.map(|own| format!("{} {}", name(&own.id), own.figures())).unwrap_or_default()
        };
        if !is_super {
            let hundreds = (1..=3).map(|n| n * 100).filter(|n| runs_before < *n && batter.0 >= *n);
            for hundred in hundreds {
                let key = Some(format!("{hundred}:{}:{innings}", ball.striker));
                let text = with_score(&ball.striker, batter);
                fire(EventKind::Hundred, text, &batting, key);
            }
            if runs_before < 50 && batter.0 >= 50 {
                let key = Some(format!("50:{}:{innings}", ball.striker));
                fire(EventKind::Fifty, with_score(&ball.striker, batter), &batting, key);
            }
            if ball.is_bowlers_wicket() && spell.in_a_row >= 3 {
                let key = Some(format!("hat:{}", ball.id));
                fire(EventKind::HatTrick, name(&ball.bowler), &bowling, key);
            }
            if ball.is_bowlers_wicket() && spell.wickets == 5 {
                let key = Some(format!("5w:{}:{innings}", ball.bowler));
                fire(EventKind::FiveWickets, figures(), &bowling, key);
            }
        }
        if let Some(wicket) = &ball.wicket {
            let out = batters.get(wicket.out.as_str()).copied().unwrap_or_default();
            let how = how_out(ball, &facts.players).unwrap_or_default();
            let text = format!("{} {how} {} ({})", name(&wicket.out), out.0, out.1);
            fire(EventKind::Wicket, text, &bowling, None);
        }
        match ball.bat {
            6 => fire(EventKind::Six, with_score(&ball.striker, batter), &batting, None),
            4 => fire(EventKind::Four, with_score(&ball.striker, batter), &batting, None),
            _ => (),
        }
        let is_maiden = over.2 == 6 && over.3 == 0 && ball.is_legal();
        if is_maiden && !known.format.is_multi_day() && !is_super {
            fire(EventKind::Maiden, figures(), &bowling, None);
        }
    }
    found
}

/// Events of a match without balls: what differs from the scores stored last.
fn table_events(known: &StoredMatch, facts: &Facts, feed_ms: i64) -> Vec<Candidate> {
    let mut found = Vec::new();
    let name = |id: &str| player_name(&facts.players, id);
    for one in &facts.innings {
        let before = known.innings.iter().find(|before| before.n == one.n);
        let (batting, bowling) = match one.team_id == known.home.id {
            true => (&known.home, &known.away),
            false => (&known.away, &known.home),
        };
        let score = score_line(one, &batting.code);
        let mut fire = |kind, text: String, good_for: &str, key: Option<String>| {
            let event = LastEvent {
                kind,
                text,
                ball: None,
                ball_id: 0,
                innings: one.n,
                good_for: Some(good_for.to_owned()),
                score: score.clone(),
            };
            found.push(Candidate { event, key, at_ms: feed_ms });
        };
        if before.is_some_and(|before| before.wickets < one.wickets) {
            fire(EventKind::Wicket, score.clone(), &bowling.id, None);
        }
        let board = format!("S{}", one.n);
        for batter in facts.tables.batting.iter().filter(|batter| batter.scoreboard == board) {
            let Some(id) = &batter.player_id else { continue };
            let text = format!("{} {} ({})", name(id), batter.score, batter.ball);
            for hundred in (1..=3).map(|n| n * 100).filter(|n| batter.score >= *n) {
                let key = format!("{hundred}:{id}:{}", one.n);
                fire(EventKind::Hundred, text.clone(), &batting.id, Some(key));
            }
            if batter.score >= 50 {
                fire(EventKind::Fifty, text, &batting.id, Some(format!("50:{id}:{}", one.n)));
            }
        }
    }
    found
}

fn score_line(one: &InningsScore, code: &str) -> String {
    format!("{code} {}/{} ({})", one.runs, one.wickets, overs_text(one.balls))
}

/// Events of a change of phase, of an innings that is over, and of a result.
fn phase_events(
    known: &StoredMatch,
    facts: &Facts,
    feed_ms: i64,
    all_confirmed: bool,
    is_last: bool,
    fired: &[String],
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let ball_id = facts.deliveries.last().map_or(0, |ball| ball.id);
    let current = facts.innings.last();
    let n = current.map_or(0, |one| one.n);
    let versus = format!("{} v {}", known.home.code, known.away.code);
    let score_of = |one: &InningsScore| {
        let is_home = one.team_id == known.home.id;
        score_line(one, if is_home { &known.home.code } else { &known.away.code })
    };
    let score = current.map_or_else(|| versus.clone(), score_of);
    let mut fire = |kind, text: String, innings, good_for: Option<String>, key: Option<String>| {
        let ended = facts.innings.iter().find(|one| one.n == innings);
        let score = match (kind, ended) {
            (EventKind::MatchEnd, _) => versus.clone(),
            (EventKind::InningsEnd, Some(ended)) => score_of(ended),
            _ => score.clone(),
        };
        let event = LastEvent { kind, text, ball: None, ball_id, innings, good_for, score };
        found.push(Candidate { event, key, at_ms: feed_ms });
    };
    if facts.phase == Phase::Interrupted && known.phase != Phase::Interrupted {
        fire(EventKind::Stopped, score.clone(), n, None, None);
    }
    if facts.phase == Phase::Live && known.phase == Phase::Interrupted {
        fire(EventKind::Resumed, score.clone(), n, None, None);
    }
    for one in &facts.innings {
        // The result tells how the last innings ended.
        let decides = one.n == 4 || (one.n == 2 && !known.format.is_multi_day());
        let is_done = one.n < n
            || (!decides && all_confirmed && is_complete(known.format, one, facts.target.as_ref()))
            || (one.n == n && facts.phase == Phase::InningsBreak);
        let key = format!("inn:{}", one.n);
        if is_done && !facts.phase.is_final() && !fired.contains(&key) {
            let text = headline(&MatchView::new(known, facts, None));
            fire(EventKind::InningsEnd, text, one.n, None, Some(key));
        }
    }
    if let Some(result) = facts.result.as_ref().filter(|result| is_last && result.is_settled()) {
        let winner = result.winner_team_id.clone();
        fire(EventKind::MatchEnd, result.text.clone(), n, winner, Some("end".to_owned()));
    }
    found
}
