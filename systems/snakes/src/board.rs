//! The board: numbered squares, with snakes and ladders between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Attribute;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

pub const SIZE_MIN: u16 = 10;
/// Twenty rows of twenty, which can still be seen on a screen.
pub const SIZE_MAX: u16 = 400;
pub const ROLL_MAX: u16 = 6;

/// A snake or a ladder: a player who lands on `from` goes on to `to`.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    pub from: u16,
    /// Higher than `from` for a ladder, lower for a snake.
    pub to: u16,
}

/// A board that can be played on.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Board {
    /// How many squares there are; the last one wins.
    size: u16,
    snakes_and_ladders: Vec<Jump>,
}

/// A mistake in a board: the JSON pointer of the field, and what the field must be.
pub type BoardFault = (String, &'static str);

impl Board {
    /// Makes a board, or lists everything that is wrong with it.
    pub fn new(size: u16, jumps: Vec<Jump>) -> Result<Self, Vec<BoardFault>> {
        if !(SIZE_MIN..=SIZE_MAX).contains(&size) {
            return Err(vec![("/size".to_owned(), "must be from 10 to 400")]);
        }
        let ends: BTreeMap<u16, u16> = jumps.iter().map(|jump| (jump.from, jump.to)).collect();
        let mut begun = BTreeSet::new();
        let fault = |jump: &Jump, is_first: bool| match jump {
            Jump { from, .. } if !(1..size).contains(from) => {
                Some(("/from", "must be a square before the last one"))
            }
            Jump { to, .. } if !(1..=size).contains(to) => {
                Some(("/to", "must be a square of the board"))
            }
            Jump { from, to } if from == to => {
                Some(("/to", "must be another square than where it begins"))
            }
            _ if !is_first => Some(("", "must begin where no other snake or ladder begins")),
            Jump { from, .. } if leads_back(*from, &ends) => {
                Some(("", "must not lead back to where it begins"))
            }
            _ => None,
        };
        let faults = jumps.iter().enumerate().filter_map(|(index, jump)| {
            let (member, must) = fault(jump, begun.insert(jump.from))?;
            Some((format!("/snakesAndLadders/{index}{member}"), must))
        });
        let faults: Vec<BoardFault> = faults.collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let board = Self { size, snakes_and_ladders: jumps };
        if board.has_trap() {
            return Err(vec![(String::new(), "must leave a way to the end from every square")]);
        }
        Ok(board)
    }

    pub fn squares(&self) -> u16 {
        self.size
    }

    pub fn jumps(&self) -> &[Jump] {
        &self.snakes_and_ladders
    }

    /// Where the snake or ladder that begins on this square ends.
    pub fn jump_from(&self, square: u16) -> Option<u16> {
        self.snakes_and_ladders.iter().find(|jump| jump.from == square).map(|jump| jump.to)
    }

    /// Where a throw leads from this square. A throw past the end leads nowhere.
    pub(crate) fn landing(&self, position: u16, roll: u16) -> u16 {
        let target = position.saturating_add(roll);
        if target > self.size { position } else { self.jump_from(target).unwrap_or(target) }
    }

    /// Whether a player can reach a square from which no throws lead to the end, such as any
    /// square before six snakes in a row.
    fn has_trap(&self) -> bool {
        let mut reached = BTreeSet::from([0]);
        let mut came_from: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        let mut unseen = vec![0];
        while let Some(position) = unseen.pop() {
            for landing in (1..=ROLL_MAX).map(|roll| self.landing(position, roll)) {
                came_from.entry(landing).or_default().push(position);
                if reached.insert(landing) {
                    unseen.push(landing);
                }
            }
        }
        // Backwards from the end.
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
    let way = successors(ends.get(&from), |square| ends.get(square));
    // More steps than jumps would be going around in a circle without `from`.
    way.take(ends.len()).any(|square| *square == from)
}

#[rustfmt::skip]
const LADDERS: [(u16, u16); 10] = [
    (2, 38), (7, 14), (8, 31), (15, 26), (21, 42), (28, 84), (36, 44), (51, 67), (71, 91), (78, 98),
];
#[rustfmt::skip]
const SNAKES: [(u16, u16); 10] = [
    (16, 6), (46, 25), (49, 11), (62, 19), (64, 60), (74, 53), (89, 68), (92, 88), (95, 75), (99, 80),
];

/// A hundred squares.
impl Default for Board {
    fn default() -> Self {
        let jumps = LADDERS.into_iter().chain(SNAKES).map(|(from, to)| Jump { from, to });
        Self { size: 100, snakes_and_ladders: jumps.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a board that are refused.
    fn faults(size: u16, jumps: &[(u16, u16)]) -> Vec<String> {
        let jumps = jumps.iter().map(|&(from, to)| Jump { from, to }).collect();
        let faults = Board::new(size, jumps).err().unwrap_or_default();
        faults.into_iter().map(|(field, _)| field.replace("/snakesAndLadders/", "")).collect()
    }

    #[test]
    fn the_default_board_is_a_board() {
        let board = Board::default();
        assert_eq!(Board::new(board.squares(), board.jumps().to_vec()), Ok(board));
    }

    #[test]
    fn boards_have_a_sensible_size() {
        assert_eq!(faults(SIZE_MIN - 1, &[]), ["/size"]);
        assert_eq!(faults(SIZE_MAX + 1, &[]), ["/size"]);
        assert_eq!(faults(0, &[(1, 2)]), ["/size"]);
        assert!(faults(SIZE_MIN, &[]).is_empty());
        assert!(faults(SIZE_MAX, &[(399, 1)]).is_empty());
    }

    #[test]
    fn every_bad_jump_is_named() {
        let jumps = [(0, 5), (20, 5), (21, 5), (5, 0), (6, 21), (7, 7), (8, 9), (8, 10)];
        let expected = ["0/from", "1/from", "2/from", "3/to", "4/to", "5/to", "7"];
        assert_eq!(faults(20, &jumps), expected);
        assert_eq!(faults(20, &[(u16::MAX, u16::MAX)]), ["0/from"]);
    }

    #[test]
    fn chains_are_fine_and_cycles_are_not() {
        assert!(faults(20, &[(2, 5), (5, 9), (9, 12)]).is_empty());
        assert_eq!(faults(20, &[(2, 5), (5, 2)]), ["0", "1"]);
        // The way into a cycle is not part of it.
        assert_eq!(faults(20, &[(2, 5), (5, 9), (9, 12), (12, 5)]), ["1", "2", "3"]);
    }

    #[test]
    fn a_board_that_nobody_can_finish_is_refused() {
        let wall: Vec<(u16, u16)> = (14..20).map(|from| (from, 1)).collect();
        assert_eq!(faults(20, &wall), [""]);
        // With a ladder over the wall it can be finished.
        let with_ladder: Vec<(u16, u16)> = wall.iter().copied().chain([(5, 20)]).collect();
        assert!(faults(20, &with_ladder).is_empty());
        // A roll of six passes five snakes.
        assert!(faults(20, &wall[1..]).is_empty());
    }
}
