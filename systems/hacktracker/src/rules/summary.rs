//! What a game's book shows: box score, line score, and what is wrong in it.

use super::HALF_OUTS;
use super::half::{HalfInning, is_placed, of_inning};
use super::inning;
use super::stats::Line;
use crate::design::{AtBat, Book, Game, GameState, GameStatus, Half, PlayerId};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    pub inning: u8,
    pub outs: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineScore {
    pub team: Vec<u16>,
    pub opponent: Vec<u16>,
    pub left_on_base: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoxRow {
    pub player_id: PlayerId,
    /// The slot. Absent in games of PERSONAL teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batting_order: Option<u8>,
    pub line: Line,
}

/// Closed halves of ours without three outs: not the half that is open or was the last one, and not
/// those that were ended by hand.
pub fn issues(book: &Book) -> Vec<Issue> {
    let early = book.game.ended_early.as_deref().unwrap_or_default();
    let closed = closed_innings(&book.game).filter(|inning| !early.contains(&u16::from(*inning)));
    let issue = |inning: u8| {
        let inning_at_bats = of_inning(&book.at_bats, inning);
        let outs = inning::totals(&inning_at_bats, is_placed(&book.game, inning)).outs;
        (outs != HALF_OUTS).then_some(Issue { inning, outs })
    };
    closed.filter_map(issue).collect()
}

fn closed_innings(game: &Game) -> impl Iterator<Item = u8> {
    let position = game.state.as_ref().map(GameState::position);
    let is_ours = |at: HalfInning| at.half == Half::Team;
    let home_away = game.home_away;
    let end = position.map_or(0, |at| match at.is_top(home_away) || is_ours(at) {
        // Of the present inning our half is open or to come.
        true => at.inning.saturating_sub(1),
        false => at.inning,
    });
    1..=end
}
pub fn line_score(book: &Book) -> LineScore {
    let game = &book.game;
    let mut innings: Vec<u8> = closed_innings(game).collect();
    if game.status == GameStatus::Final {
        let last = game.state.as_ref().filter(|state| state.half == Half::Team);
        innings.extend(last.map(|state| state.inning));
    }
    let left = |inning: &u8| {
        let inning_at_bats = of_inning(&book.at_bats, *inning);
        inning::totals(&inning_at_bats, is_placed(game, *inning)).bases.iter().flatten().count()
    };
    let left: usize = innings.iter().map(left).sum();
    LineScore {
        team: game.team_runs.clone().unwrap_or_default(),
        opponent: game.opponent_runs.clone().unwrap_or_default(),
        left_on_base: u16::try_from(left).unwrap_or(u16::MAX),
    }
}

/// Everybody who batted or is in the lineup, by slot; who came later into a slot is behind.
pub fn box_score(book: &Book) -> Vec<BoxRow> {
    let mut players: Vec<(Option<u8>, &PlayerId)> = Vec::new();
    let batted = book.at_bats.iter().map(|at_bat| (at_bat.batting_order, &at_bat.player_id));
    let lineup = book.game.lineup.iter().zip(1..).map(|(player, slot)| (Some(slot), player));
    for (slot, player) in batted.chain(lineup) {
        if !players.iter().any(|(_, known)| *known == player) {
            players.push((slot, player));
        }
    }
    // Those of one slot stay in the order in which they came.
    players.sort_by_key(|(slot, _)| *slot);
    let row = |(batting_order, player): (Option<u8>, &PlayerId)| {
        let own = |at_bat: &&AtBat| at_bat.player_id == *player;
        let line = Line::of(book.at_bats.iter().filter(own));
        BoxRow { player_id: player.clone(), batting_order, line }
    };
    players.into_iter().map(row).collect()
}
