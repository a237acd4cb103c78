//! Targets and results.

use super::rates::balls_of;
use super::score::total_of;
use super::types::{Format, InningsScore, MatchResult, Phase, ResultKind, Target, TeamLabel};
use crate::feed::shape::FeedFixture;

const SUPER_OVER_BALLS: u32 = 6;

/// Whether an innings is over: all out, its balls used up, its target reached, or declared.
pub fn is_complete(format: Format, one: &InningsScore, target: Option<&Target>) -> bool {
    let quota = match (one.super_over, target) {
        (true, _) => Some(SUPER_OVER_BALLS),
        (_, Some(target)) if one.n == 2 && target.balls.is_some() => target.balls,
        _ => format.quota_balls(),
    };
    let chases = chases(format, one.n) && target.is_some_and(|target| one.runs >= target.runs);
    one.is_all_out() || quota.is_some_and(|quota| one.balls >= quota) || one.declared || chases
}

fn chases(format: Format, n: u32) -> bool {
    n == 4 || (n == 2 && !format.is_multi_day())
}

/// What the side that bats last has to reach. In limited overs it is known once innings 1 is over,
/// in others once innings 4 begins.
pub fn target(
    format: Format,
    phase: Phase,
    innings: &[InningsScore],
    revised: (Option<u32>, Option<&str>),
) -> Option<Target> {
    let first = innings.first()?;
    let current = innings.last()?;
    if format.is_multi_day() {
        let own = total_of(innings, &current.team_id);
        let others: u32 =
            innings.iter().filter(|one| one.team_id != current.team_id).map(|one| one.runs).sum();
        let before = own.saturating_sub(current.runs);
        let runs = (others + 1).saturating_sub(before);
        return (current.n == 4).then_some(Target { runs, balls: None, revised: false });
    }
    if current.n > 2 {
        let bat_first = innings.iter().find(|one| one.n == 3)?;
        let is_known = current.n == 4 || is_complete(format, bat_first, None);
        let target =
            Target { runs: bat_first.runs + 1, balls: Some(SUPER_OVER_BALLS), revised: false };
        return is_known.then_some(target);
    }
    let is_known =
        current.n == 2 || phase == Phase::InningsBreak || is_complete(format, first, None);
    if !is_known {
        return None;
    }
    let (runs, overs) = revised;
    let balls = overs.map(balls_of).filter(|balls| *balls > 0).or(format.quota_balls());
    match runs.filter(|runs| *runs > 0) {
        Some(runs) => Some(Target { runs, balls, revised: true }),
        None => Some(Target { runs: first.runs + 1, balls: format.quota_balls(), revised: false }),
    }
}

fn counted(count: u32, unit: &str) -> String {
    match (count, unit) {
        (1, unit) => format!("1 {unit}"),
        (count, unit) => format!("{count} {unit}s"),
    }
}

/// The result that follows from the runs alone; a draw or a match without a result if they decide
/// nothing. `teams` are both sides.
pub fn own_result(
    format: Format,
    innings: &[InningsScore],
    target: Option<&Target>,
    teams: [&TeamLabel; 2],
) -> MatchResult {
    let name = |id: &str| {
        let team = teams.iter().find(|team| team.id == id);
        team.map_or_else(|| id.to_owned(), |team| team.name.clone())
    };
    let other = |id: &str| {
        let team = teams.iter().find(|team| team.id != id);
        team.map_or_else(String::new, |team| team.id.clone())
    };
    let undecided = match format.is_multi_day() {
        true => MatchResult::plain(ResultKind::Drawn, "Match drawn"),
        false => MatchResult::plain(ResultKind::NoResult, "No result"),
    };
    let won = |id: &str, margin: u32, unit: &str, by: String, is_revised: bool| MatchResult {
        kind: ResultKind::Won,
        winner_team_id: Some(id.to_owned()),
        margin: Some(margin),
        unit: Some(unit.to_owned()),
        text: format!("{} won by {by}{}", name(id), if is_revised { " (DLS)" } else { "" }),
    };
    let regular: Vec<&InningsScore> = innings.iter().filter(|one| !one.super_over).collect();
    let Some(last) = regular.last() else { return undecided };
    // An innings defeat: three innings, and the side that batted twice has fewer runs.
    if format.is_multi_day() && last.n == 3 {
        let (own, others) =
            (total_of(innings, &last.team_id), total_of(innings, &other(&last.team_id)));
        if last.is_all_out() && own < others {
            let by = format!("an innings and {}", counted(others - own, "run"));
            return won(&other(&last.team_id), others - own, "innings", by, false);
        }
        return undecided;
    }
    if !chases(format, last.n) {
        return undecided;
    }
    // The target of the last regular innings; in a super over the stored one is of that.
    let first_total = regular.first().map_or(0, |one| one.runs);
    let level = Target { runs: first_total + 1, balls: format.quota_balls(), revised: false };
    let is_super = innings.len() > regular.len();
    let target = match target {
        Some(target) if !is_super => target,
        _ => &level,
    };
    if last.runs >= target.runs {
        let wickets = last.wickets_max().saturating_sub(last.wickets).max(1);
        let mut by = counted(wickets, "wicket");
        let left = target.balls.map_or(0, |balls| balls.saturating_sub(last.balls));
        if left > 0 && !format.is_multi_day() {
            by += &format!(" ({} left)", counted(left, "ball"));
        }
        return won(&last.team_id, wickets, "wickets", by, target.revised);
    }
    if !is_complete(format, last, Some(target)) {
        return undecided;
    }
    let short = target.runs - 1 - last.runs;
    if short > 0 {
        let by = counted(short, "run");
        return won(&other(&last.team_id), short, "runs", by, target.revised);
    }
    let supers: Vec<&InningsScore> = innings.iter().filter(|one| one.super_over).collect();
    let super_winner = match supers.as_slice() {
        [first, second] if first.runs > second.runs => Some(first.team_id.clone()),
        [first, second] if first.runs < second.runs => Some(second.team_id.clone()),
        _ => None,
    };
    let text = match &super_winner {
        Some(winner) => format!("Match tied ({} won the super over)", name(winner)),
        None => "Match tied".to_owned(),
    };
    MatchResult { winner_team_id: super_winner, ..MatchResult::plain(ResultKind::Tied, &text) }
}

/// The result of a match in this phase; `None` while it is not over. Finished without a winner, a
/// tie or a draw, or with a winner whom the runs contradict, it is being confirmed;
/// `is_overdue` says that this has lasted five minutes, after which our own result counts.
pub fn result(
    phase: Phase,
    own: MatchResult,
    feed: &FeedFixture,
    is_overdue: bool,
) -> Option<MatchResult> {
    let plain = MatchResult::plain;
    match phase {
        Phase::Abandoned => Some(plain(ResultKind::Abandoned, "Match abandoned")),
        Phase::Cancelled => Some(plain(ResultKind::Cancelled, "Match cancelled")),
        Phase::Finished => {
            let says = feed.draw_noresult.as_deref().unwrap_or_default().to_ascii_lowercase();
            let is_agreed = match &feed.winner_team_id {
                Some(winner) => own.winner_team_id.as_ref() == Some(winner),
                None if says.contains("no") => {
                    return Some(plain(ResultKind::NoResult, "No result"));
                }
                None if says.contains("draw") => {
                    matches!(own.kind, ResultKind::Drawn | ResultKind::Tied)
                }
                None => own.kind == ResultKind::Tied && own.winner_team_id.is_none(),
            };
            match is_agreed || is_overdue {
                true => Some(own),
                false => Some(plain(ResultKind::Confirming, "Result being confirmed")),
            }
        }
        _ => None,
    }
}
