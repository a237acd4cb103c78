//! The board: numbered squares, with snakes and ladders between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The smallest board: a few throws.
pub const SIZE_MIN: u16 = 10;
/// The largest board: twenty rows of twenty, which can still be seen on a screen.
pub const SIZE_MAX: u16 = 400;
/// The highest throw of the die.
pub const ROLL_MAX: u16 = 6;

/// A snake or a ladder: whoever lands on `from` goes on to `to`.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// Where it begins.
    pub from: u16,
    /// Where it ends: higher up for a ladder, further down for a snake.
    pub to: u16,
}

/// A board that can be played on.
///
/// ```
/// use snakes::board::{Board, Jump};
///
/// let board = Board::default();
/// assert_eq!((board.squares(), board.jump_from(28)), (100, Some(84)));
/// let ladder_to_nowhere = Jump { from: 5, to: 11 };
/// assert!(Board::new(10, vec![ladder_to_nowhere]).is_err());
/// ```
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Board {
    /// How many squares there are; the last one wins.
    size: u16,
    /// The snakes and ladders, in no particular order.
    snakes_and_ladders: Vec<Jump>,
}

/// What is wrong with a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFault {
    /// Which jump is meant, counted from 0; `None` for the size, or the board as a whole.
    pub jump: Option<usize>,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What can be wrong with a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The board is too small or too large.
    Size,
    /// The jump does not begin on the board, or begins on its last square.
    From,
    /// The jump does not end on the board.
    To,
    /// The jump leads nowhere.
    Nowhere,
    /// Another jump begins on the same square.
    Twice,
    /// The jump leads back to itself over others.
    Cycle,
    /// Somewhere on the board a player could be for ever.
    Trap,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(f, "must be from {SIZE_MIN} to {SIZE_MAX}"),
            Self::From => f.write_str("must be a square before the last one"),
            Self::To => f.write_str("must be a square of the board"),
            Self::Nowhere => f.write_str("must be another square than the one where it begins"),
            Self::Twice => f.write_str("must begin where no other snake or ladder begins"),
            Self::Cycle => f.write_str("must not lead back to where it begins, over others"),
            Self::Trap => f.write_str("must leave a way to the last square, wherever a player is"),
        }
    }
}

impl Board {
    /// Makes a board, if it can be played on.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, in the order of the jumps.
    pub fn new(size: u16, jumps: Vec<Jump>) -> Result<Self, Vec<BoardFault>> {
        if !(SIZE_MIN..=SIZE_MAX).contains(&size) {
            return Err(vec![BoardFault { jump: None, kind: FaultKind::Size }]);
        }
        let ends: BTreeMap<u16, u16> = jumps.iter().map(|jump| (jump.from, jump.to)).collect();
        let mut begun = BTreeSet::new();
        let fault = |jump: &Jump, is_first: bool| {
            if !(1..size).contains(&jump.from) {
                Some(FaultKind::From)
            } else if !(1..=size).contains(&jump.to) {
                Some(FaultKind::To)
            } else if jump.from == jump.to {
                Some(FaultKind::Nowhere)
            } else if !is_first {
                Some(FaultKind::Twice)
            } else if leads_back(jump.from, &ends) {
                Some(FaultKind::Cycle)
            } else {
                None
            }
        };
        let faults = jumps.iter().enumerate().filter_map(|(index, jump)| {
            let kind = fault(jump, begun.insert(jump.from))?;
            Some(BoardFault { jump: Some(index), kind })
        });
        let faults: Vec<BoardFault> = faults.collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let board = Self { size, snakes_and_ladders: jumps };
        if board.has_trap() {
            return Err(vec![BoardFault { jump: None, kind: FaultKind::Trap }]);
        }
        Ok(board)
    }

    /// How many squares there are; the last one wins.
    #[must_use]
    pub fn squares(&self) -> u16 {
        self.size
    }

    /// The snakes and ladders.
    #[must_use]
    pub fn jumps(&self) -> &[Jump] {
        &self.snakes_and_ladders
    }

    /// Where the snake or ladder that begins on this square ends.
    #[must_use]
    pub fn jump_from(&self, square: u16) -> Option<u16> {
        self.snakes_and_ladders.iter().find(|jump| jump.from == square).map(|jump| jump.to)
    }

    /// Where a player on this square is after a throw. Whoever would go past the end stays.
    pub(crate) fn landing(&self, position: u16, roll: u16) -> u16 {
        let target = position.saturating_add(roll);
        if target > self.size { position } else { self.jump_from(target).unwrap_or(target) }
    }

    /// Whether a player can get somewhere from where no throws lead to the end. Six snakes in a
    /// row, one before the last square, are such a trap.
    fn has_trap(&self) -> bool {
        let mut reached = BTreeSet::from([0]);
        let mut came_from: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        let mut unseen = vec![0];
        while let Some(position) = unseen.pop() {
            for roll in 1..=ROLL_MAX {
                let landing = self.landing(position, roll);
                came_from.entry(landing).or_default().push(position);
                if reached.insert(landing) {
                    unseen.push(landing);
                }
            }
        }
        // Back from the end: who can get there?
        let mut hopeful = BTreeSet::new();
        unseen.push(self.size);
        while let Some(position) = unseen.pop() {
            if hopeful.insert(position) {
                unseen.extend(came_from.get(&position).into_iter().flatten());
            }
        }
        reached.iter().any(|position| !hopeful.contains(position))
    }
}

/// Whether jump after jump leads back to this square.
fn leads_back(from: u16, ends: &BTreeMap<u16, u16>) -> bool {
    let mut square = from;
    // More steps than jumps would be going around in a circle that does not hold `from`.
    for _ in 0..ends.len() {
        match ends.get(&square) {
            Some(&next) if next == from => return true,
            Some(&next) => square = next,
            None => return false,
        }
    }
    false
}

/// The board of a hundred squares that is played on unless somebody brings another.
impl Default for Board {
    fn default() -> Self {
        let ladders = [
            (2, 38),
            (7, 14),
            (8, 31),
            (15, 26),
            (21, 42),
            (28, 84),
            (36, 44),
            (51, 67),
            (71, 91),
            (78, 98),
        ];
        let snakes = [
            (16, 6),
            (46, 25),
            (49, 11),
            (62, 19),
            (64, 60),
            (74, 53),
            (89, 68),
            (92, 88),
            (95, 75),
            (99, 80),
        ];
        let jumps = ladders.into_iter().chain(snakes).map(|(from, to)| Jump { from, to });
        Self { size: 100, snakes_and_ladders: jumps.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(size: u16, jumps: &[(u16, u16)]) -> Vec<(Option<usize>, FaultKind)> {
        let jumps = jumps.iter().map(|&(from, to)| Jump { from, to }).collect();
        let faults = Board::new(size, jumps).err().unwrap_or_default();
        faults.into_iter().map(|fault| (fault.jump, fault.kind)).collect()
    }

    #[test]
    fn the_default_board_is_a_board() {
        let board = Board::default();
        assert_eq!(Board::new(board.squares(), board.jumps().to_vec()), Ok(board));
    }

    #[test]
    fn boards_have_a_sensible_size() {
        assert_eq!(faults(9, &[]), [(None, FaultKind::Size)]);
        assert_eq!(faults(401, &[]), [(None, FaultKind::Size)]);
        assert_eq!(faults(0, &[(1, 2)]), [(None, FaultKind::Size)]);
        assert_eq!(faults(10, &[]), []);
        assert_eq!(faults(400, &[(399, 1)]), []);
    }

    #[test]
    fn every_bad_jump_is_named() {
        let jumps = [(0, 5), (20, 5), (21, 5), (5, 0), (6, 21), (7, 7), (8, 9), (8, 10)];
        assert_eq!(
            faults(20, &jumps),
            [
                (Some(0), FaultKind::From),
                (Some(1), FaultKind::From),
                (Some(2), FaultKind::From),
                (Some(3), FaultKind::To),
                (Some(4), FaultKind::To),
                (Some(5), FaultKind::Nowhere),
                (Some(7), FaultKind::Twice),
            ]
        );
        assert_eq!(faults(20, &[(u16::MAX, u16::MAX)]), [(Some(0), FaultKind::From)]);
    }

    #[test]
    fn chains_are_fine_and_cycles_are_not() {
        assert_eq!(faults(20, &[(2, 5), (5, 9), (9, 12)]), []);
        assert_eq!(
            faults(20, &[(2, 5), (5, 2)]),
            [(Some(0), FaultKind::Cycle), (Some(1), FaultKind::Cycle)]
        );
        // The way into a cycle is not part of it.
        assert_eq!(
            faults(20, &[(2, 5), (5, 9), (9, 12), (12, 5)]),
            [(Some(1), FaultKind::Cycle), (Some(2), FaultKind::Cycle), (Some(3), FaultKind::Cycle)]
        );
    }

    #[test]
    fn a_board_that_nobody_can_finish_is_refused() {
        let wall: Vec<(u16, u16)> = (14..20).map(|from| (from, 1)).collect();
        assert_eq!(faults(20, &wall), [(None, FaultKind::Trap)]);
        // With a ladder over the wall it can be finished.
        let with_ladder: Vec<(u16, u16)> = wall.iter().copied().chain([(5, 20)]).collect();
        assert_eq!(faults(20, &with_ladder), []);
        // A ladder out of which no way leads, behind an ordinary board.
        let narrow: Vec<(u16, u16)> = (15..20).map(|from| (from, 1)).collect();
        assert_eq!(faults(20, &narrow), []);
    }
}
