//! Lineups: who bats in which order.

use crate::design::{Game, GameStatus, Player, PlayerId, PlayerStatus};
use crate::error::{Error, Result};
use singlet_web::problem::ApiError as _;
use std::collections::BTreeSet;

pub const LINEUP_MIN: usize = 4;
/// How many players a lineup has at most.
pub const LINEUP_MAX: usize = 30;

pub fn check(lineup: &[PlayerId], roster: &[Player], players_min: usize) -> Result<()> {
    let invalid = |why: String| Err(Error::LineupInvalid.because(why));
    if !(players_min..=LINEUP_MAX).contains(&lineup.len()) {
        return invalid(format!("A lineup has {players_min} to {LINEUP_MAX} players."));
    }
    let mut seen = BTreeSet::new();
    for id in lineup {
        if !seen.insert(id) {
            return invalid(format!("{id} is in the lineup twice."));
        }
        match roster.iter().find(|player| player.player_id == *id) {
            None => return invalid(format!("{id} is not on the roster.")),
            Some(player) if player.status == PlayerStatus::Inactive => {
                return invalid(format!("{} is inactive.", player.first_name));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Replaces the lineup. If the player who is up is still in it, he stays up; else his slot does.
pub fn replace(game: &Game, lineup: Vec<PlayerId>, roster: &[Player]) -> Result<Game> {
    let players_min = match game.status {
        GameStatus::Scheduled => 0,
        GameStatus::InProgress => LINEUP_MIN,
        GameStatus::Final | GameStatus::Postponed => return Err(Error::WrongStatus),
    };
    check(&lineup, roster, players_min)?;
    let mut game = game.clone();
    if let Some(state) = &mut game.state {
        let index = usize::from(state.next_batting_order).checked_sub(1);
        let up = index.and_then(|index| game.lineup.get(index));
        let slot = up.and_then(|up| lineup.iter().position(|one| one == up));
        state.next_batting_order = match slot.and_then(|slot| u8::try_from(slot + 1).ok()) {
            Some(slot) => slot,
            // The slot is gone: the first one is up.
            None if usize::from(state.next_batting_order) > lineup.len() => 1,
            None => state.next_batting_order,
        };
    }
    game.lineup = lineup;
    Ok(game)
}
