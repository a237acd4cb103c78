//! The rules: what a throw does. Pure functions of the board, the players and the die.

use crate::board::{Board, ROLL_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use singlet_web::random::{Random, RandomUnavailable};
use std::time::Duration;

/// How many players it takes.
pub const PLAYERS_MIN: usize = 2;
/// How long a player may take for its turn before the others may go on without it. Long enough for
/// a phone that has lost its network to come back.
pub const TURN_TIME_MAX: Duration = Duration::from_secs(60);

/// How a game is played.
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
    /// How many players there may be.
    #[must_use]
    pub fn players_max(self) -> usize {
        match self {
            Self::Turns => 6,
            Self::Race => 300,
        }
    }
}

/// A throw of the die: one to six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll(u8);

impl Roll {
    /// A throw, if the die has that many eyes.
    #[must_use]
    pub fn new(eyes: u8) -> Option<Self> {
        (1..=ROLL_MAX as u8).contains(&eyes).then_some(Self(eyes))
    }

    /// Throws the die.
    ///
    /// # Errors
    ///
    /// If the operating system gives no random numbers.
    pub fn throw(random: &Random) -> Result<Self, RandomUnavailable> {
        let number = random.below(ROLL_MAX.into())?;
        u8::try_from(number + 1).ok().and_then(Self::new).ok_or(RandomUnavailable)
    }

    /// How many eyes were thrown.
    #[must_use]
    pub fn eyes(self) -> u8 {
        self.0
    }
}

/// What happened to a player on the way.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing but squares.
    None,
    /// Up a ladder.
    Ladder,
    /// Down a snake.
    Snake,
    /// The last square must be met exactly: the player stays where it was.
    Overshoot,
}

/// One move of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What was thrown.
    pub roll: Roll,
    /// Where the player was. 0 is the start, before the first square.
    pub from: u16,
    /// Where the player is now.
    pub to: u16,
    /// What happened on the way.
    pub effect: Effect,
    /// Whether this ends the game.
    pub wins: bool,
}

/// Moves a player. There is one jump in a move: a ladder that ends where a snake begins is climbed,
/// and that is all.
///
/// ```
/// use snakes::{board::Board, rules::{Effect, Roll, advance}};
///
/// let step = advance(&Board::default(), 22, Roll::new(6).unwrap());
/// assert_eq!((step.to, step.effect, step.wins), (84, Effect::Ladder, false));
/// ```
#[must_use]
pub fn advance(board: &Board, from: u16, roll: Roll) -> Move {
    let target = from.saturating_add(roll.0.into());
    let to = board.landing(from, roll.0.into());
    let effect = if target > board.squares() {
        Effect::Overshoot
    } else {
        match to.cmp(&target) {
            std::cmp::Ordering::Less => Effect::Snake,
            std::cmp::Ordering::Equal => Effect::None,
            std::cmp::Ordering::Greater => Effect::Ladder,
        }
    };
    Move { roll, from, to, effect, wins: to == board.squares() && effect != Effect::Overshoot }
}

/// Whose turn it is after this player's, among players in the order in which they joined.
/// `None` if there is nobody else, and the player is gone as well.
///
/// ```
/// use snakes::rules::next_turn;
///
/// assert_eq!(next_turn(&["Ann", "Bob", "Cleo"], &"Cleo"), Some(&"Ann"));
/// assert_eq!(next_turn(&["Ann"], &"Ann"), Some(&"Ann"));
/// ```
#[must_use]
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
        let roll = Roll::new(roll).unwrap();
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
        // Nobody moves from the last square, and staying there is not winning again.
        check(20, 1, 20, Effect::Overshoot, false);
    }

    #[test]
    fn a_die_has_six_sides() {
        assert_eq!(Roll::new(0), None);
        assert_eq!(Roll::new(7), None);
        assert_eq!((1..=6).filter_map(Roll::new).count(), 6);
    }

    #[test]
    fn turns_go_round() {
        let players = ["a", "b", "c"];
        assert_eq!(next_turn(&players, &"a"), Some(&"b"));
        assert_eq!(next_turn(&players, &"c"), Some(&"a"));
        // One who has left hands on to the first.
        assert_eq!(next_turn(&players, &"gone"), Some(&"a"));
        assert_eq!(next_turn(&[], &"a"), None);
    }
}
