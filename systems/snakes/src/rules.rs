//! The rules: what a throw does. Pure functions of the board, the players and the die.

use crate::board::{Board, ROLL_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use singlet_web::random::{Random, RandomUnavailable};
use std::cmp::Ordering;
use std::time::Duration;

pub const PLAYERS_MIN: usize = 2;
/// How long a player may take before the others may remove it: enough for a phone that lost its
/// network to come back.
pub const TURN_TIME_MAX: Duration = Duration::from_secs(60);

#[derive(
    Attribute, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One after the other, two to six players.
    #[default]
    Turns,
    /// Everybody at any time, up to three hundred players.
    Race,
}

impl Mode {
    pub fn players_max(self) -> usize {
        match self {
            Self::Turns => 6,
            Self::Race => 300,
        }
    }
}

/// Throws the die: 1 to 6.
pub fn throw_die(random: &Random) -> Result<u8, RandomUnavailable> {
    Ok(1 + random.below(ROLL_MAX.into())? as u8)
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    None,
    Ladder,
    Snake,
    /// The last square must be hit exactly: the player stays.
    Overshoot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Move {
    /// 1 to 6.
    pub roll: u8,
    /// The player's square before; 0 is the start.
    pub from: u16,
    pub to: u16,
    pub effect: Effect,
    /// Whether this ends the game.
    pub wins: bool,
}

/// Moves a player. There is one jump in a move: from the top of a ladder no snake leads down.
pub fn advance(board: &Board, from: u16, roll: u8) -> Move {
    let target = from.saturating_add(roll.into());
    let to = board.landing(from, roll.into());
    let effect = match to.cmp(&target) {
        _ if target > board.squares() => Effect::Overshoot,
        Ordering::Less => Effect::Snake,
        Ordering::Equal => Effect::None,
        Ordering::Greater => Effect::Ladder,
    };
    Move { roll, from, to, effect, wins: to == board.squares() && effect != Effect::Overshoot }
}

/// Whose turn it is after this player's, among players in the order of play.
pub fn next_turn<'a, P: PartialEq>(players: &'a [P], current: &P) -> Option<&'a P> {
    let place = players.iter().position(|player| player == current);
    place.and_then(|place| players.get(place + 1)).or(players.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Jump;

    fn check(from: u16, roll: u8, to: u16, effect: Effect, wins: bool) {
        let jumps = [(3, 9), (9, 4), (17, 20), (12, 2)];
        let jumps = jumps.map(|(from, to)| Jump { from, to }).to_vec();
        let board = Board::new(20, jumps).unwrap();
        assert_eq!(advance(&board, from, roll), Move { roll, from, to, effect, wins });
    }

    #[test]
    fn a_player_walks_climbs_and_slides() {
        check(0, 1, 1, Effect::None, false);
        check(0, 3, 9, Effect::Ladder, false);
        check(8, 1, 4, Effect::Snake, false);
        check(10, 2, 2, Effect::Snake, false);
    }

    #[test]
    fn there_is_one_jump_in_a_move() {
        // The ladder from 3 ends on 9, where a snake begins.
        check(1, 2, 9, Effect::Ladder, false);
        check(9, 1, 10, Effect::None, false);
    }

    #[test]
    fn the_last_square_must_be_met_exactly() {
        check(18, 2, 20, Effect::None, true);
        check(18, 3, 18, Effect::Overshoot, false);
        check(19, 6, 19, Effect::Overshoot, false);
        check(15, 2, 20, Effect::Ladder, true);
        // Overshooting from the last square is not winning again.
        check(20, 1, 20, Effect::Overshoot, false);
    }

    #[test]
    fn a_die_has_six_sides() {
        let random = Random::scripted(0..6, []);
        let thrown: Vec<u8> = (0..6).map(|_| throw_die(&random).unwrap()).collect();
        assert_eq!(thrown, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn turns_go_round() {
        let players = ["a", "b", "c"];
        assert_eq!(next_turn(&players, &"a"), Some(&"b"));
        assert_eq!(next_turn(&players, &"c"), Some(&"a"));
        assert_eq!(next_turn(&players, &"gone"), Some(&"a"));
        assert_eq!(next_turn(&["a"], &"a"), Some(&"a"));
        assert_eq!(next_turn(&[], &"a"), None);
    }
}
