//! The score of an innings: counted from balls, or taken from the feed's runs.

use super::delivery::Delivery;
use super::rates::{balls_of, overs_text};
use super::types::{Format, InningsScore, Phase};
use crate::feed::shape::{FeedFixture, FeedRuns};
use std::collections::BTreeMap;

/// The innings of a match. Of balls and `runs`, whichever has more legal balls counts; with as many
/// but other runs, `runs`.
pub fn innings_scores(
    format: Format,
    phase: Phase,
    feed: &FeedFixture,
    deliveries: &[Delivery],
) -> Vec<InningsScore> {
    let mut scores: BTreeMap<u32, InningsScore> = BTreeMap::new();
    let teams = batting_teams(feed);
    for delivery in deliveries {
        let score = scores.entry(delivery.innings).or_insert_with(|| InningsScore {
            n: delivery.innings,
            team_id: teams.get(&delivery.innings).cloned().unwrap_or_default(),
            ..InningsScore::default()
        });
        score.runs += delivery.total();
        score.balls += u32::from(delivery.is_legal());
        score.wickets += u32::from(delivery.wicket.is_some());
    }
    for runs in &feed.runs {
        let stated = score_of_runs(runs, &teams);
        let score = scores.entry(runs.inning).or_insert_with(|| stated.clone());
        let is_other = stated.runs != score.runs || stated.wickets != score.wickets;
        if stated.balls > score.balls || (stated.balls == score.balls && is_other) {
            *score = stated;
        }
    }
    let last = scores.keys().copied().max().unwrap_or(0);
    let mut previous: Option<String> = None;
    for score in scores.values_mut() {
        score.super_over = score.n > 2 && !format.is_multi_day() && feed.super_over;
        let is_over = score.n < last || phase == Phase::InningsBreak;
        score.declared = format.is_multi_day() && is_over && score.wickets < 10;
        let bats_again = previous.as_ref() == Some(&score.team_id);
        score.follow_on = score.n == 3 && format.is_multi_day() && feed.follow_on && bats_again;
        previous = Some(score.team_id.clone());
    }
    scores.into_values().collect()
}

fn score_of_runs(runs: &FeedRuns, teams: &BTreeMap<u32, String>) -> InningsScore {
    let team_id = runs.team_id.clone().or_else(|| teams.get(&runs.inning).cloned());
    InningsScore {
        n: runs.inning,
        team_id: team_id.unwrap_or_default(),
        runs: runs.score,
        wickets: runs.wickets.min(10),
        balls: balls_of(&runs.overs),
        ..InningsScore::default()
    }
}

fn batting_teams(feed: &FeedFixture) -> BTreeMap<u32, String> {
    let mut teams = BTreeMap::new();
    for ball in &feed.balls {
        if let (Some(innings), Some(team)) = (ball.innings, &ball.team_id) {
            teams.entry(innings).or_insert_with(|| team.clone());
        }
    }
    for runs in &feed.runs {
        if let Some(team) = &runs.team_id {
            teams.insert(runs.inning, team.clone());
        }
    }
    teams
}

/// What one side has scored: `168/7 (20)`, `152 (18.3)`, `401/6d & 122/3 (34)`,
/// `255 & 41/1 (12) f/o`, `165/8 (20) & SO 11/1`; `None` before it bats.
pub fn score_text(innings: &[InningsScore], team_id: &str) -> Option<String> {
    let own: Vec<&InningsScore> = innings.iter().filter(|one| one.team_id == team_id).collect();
    let last = own.iter().rposition(|one| !one.super_over);
    let mut text = String::new();
    for (index, one) in own.iter().enumerate() {
        if index > 0 {
            text += " & ";
        }
        text += &one.text();
        if Some(index) == last {
            text += &format!(" ({})", overs_text(one.balls));
        }
        if one.follow_on {
            text += " f/o";
        }
    }
    (!text.is_empty()).then_some(text)
}

/// All runs of one side, without super overs.
pub fn total_of(innings: &[InningsScore], team_id: &str) -> u32 {
    let own = innings.iter().filter(|one| one.team_id == team_id && !one.super_over);
    own.map(|one| one.runs).sum()
}
