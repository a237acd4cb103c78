//! Small mutations of valid inputs.
//!
//! Parsers reject random bytes immediately. A valid input with one or two changes gets far into a
//! parser.

use super::Random;

/// Tokens that are meaningful to one of the parsers.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\"",
    b",",
    b":",
    b".",
    b"#",
    b"\\",
    b"-",
    b"0",
    b" ",
    b"{\"S\":\"\"}",
    b"{\"N\":\"1\"}",
    b"{\"B\":\"AA==\"}",
    b"{\"NULL\":true}",
    b"{\"BOOL\":false}",
    b"{\"L\":[",
    b"{\"M\":{\"a\":",
    b"{\"SS\":[\"a\",\"a\"]}",
    b"{\"NS\":[\"1\",\"1.0\"]}",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\xff",
    b"\xc3",
    b"\0",
    "\u{10ffff}".as_bytes(),
    b"1e125",
    b"9e126",
    b"1e-130",
    b"1e-131",
    b"-0.0",
    b"1e99999999999",
    b"99999999999999999999999999999999999999",
    b"0.00000000000000000000000000000000000001",
    b" AND ",
    b" OR ",
    b" NOT ",
    b" IN (",
    b" BETWEEN ",
    b" = ",
    b" <> ",
    b" <= ",
    b" + ",
    b" - ",
    b"SET ",
    b"REMOVE ",
    b"ADD ",
    b"DELETE ",
    b"if_not_exists(",
    b"list_append(",
    b"size(",
    b"attribute_exists(",
    b"attribute_not_exists(",
    b"attribute_type(",
    b"begins_with(",
    b"contains(",
    b"[0]",
    b"[99999999999]",
    b"#a",
    b":a",
    b"a.b",
    b"status",
];

/// The maximum length of a mutated input. Longer ones are slow and find nothing new.
const LENGTH_MAX: usize = 16 * 1024;

/// Applies one to four small mutations to one of the seeds.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = random.one_of(seeds).cloned().unwrap_or_default();
    for _ in 0..=random.below(4) {
        mutate_once(&mut input, seeds, random);
    }
    input.truncate(LENGTH_MAX);
    input
}

fn mutate_once(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let place = random.stretch(input.len());
    match random.below(8) {
        0 => {
            if let Some(byte) = input.get_mut(place.start) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(place.start) {
                *byte = random.bits() as u8;
            }
        }
        2 => {
            input.drain(place);
        }
        3 => {
            // Repeats a range, which also nests brackets.
            let piece = input.get(place.clone()).unwrap_or_default().repeat(1 + random.below(40));
            input.splice(place.start..place.start, piece);
        }
        4 | 5 => {
            let piece = random.one_of(PIECES).copied().unwrap_or_default();
            input.splice(place, piece.iter().copied());
        }
        6 => {
            // Inserts a range of another seed.
            let other = random.one_of(seeds).cloned().unwrap_or_default();
            let from = random.stretch(other.len());
            input.splice(place, other.get(from).unwrap_or_default().iter().copied());
        }
        _ => input.truncate(place.start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_same_seed_breaks_in_the_same_way_and_another_in_another() {
        let seeds = vec![b"{\"a\":{\"N\":\"12\"}}".to_vec(), b"SET a = :b".to_vec()];
        let run = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| mutate(&seeds, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let distinct: HashSet<_> = run(1).into_iter().collect();
        assert!(distinct.len() > 150, "{} distinct inputs of 200", distinct.len());
    }

    #[test]
    fn nothing_is_made_of_nothing_without_harm() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            assert!(mutate(&[], &mut random).len() <= LENGTH_MAX);
        }
    }
}
