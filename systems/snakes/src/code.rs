//! The codes by which games are shared.

use crate::design::Code;
use singlet_web::random::{Random, RandomUnavailable};

/// What codes are written with: of letters and digits that look or sound alike (0 O, 1 I, 2 Z, 5 S,
/// 6 G, 8 B, U V) at most one of each pair, so that they can be read out.
const ALPHABET: &str = "ACDEFHJKLMNPQRTWXY3479";
/// How long a code is: short enough to say, long enough that nobody finds a game by trying.
const LEN: usize = 6;

/// A code for a new game.
pub(crate) fn new_code(random: &Random) -> Result<Code, RandomUnavailable> {
    Code::new(random.code(ALPHABET, LEN)?).map_err(|_| RandomUnavailable)
}

/// A code as people type it: small letters, blanks and dashes do not matter. `None` if no game can
/// have it.
///
/// ```
/// use snakes::code::parse_code;
///
/// assert_eq!(parse_code(" abc 234 ").unwrap().as_str(), "ABC234");
/// assert_eq!(parse_code("abc-234").unwrap().as_str(), "ABC234");
/// assert_eq!(parse_code("ABC#34"), None);
/// assert_eq!(parse_code("ABC2345"), None);
/// ```
#[must_use]
pub fn parse_code(text: &str) -> Option<Code> {
    let mut code = String::with_capacity(LEN);
    for character in text.chars().filter(|one| !one.is_whitespace() && *one != '-') {
        // Any letter and digit, since the source's own example has a 1.
        if code.len() == LEN || !character.is_ascii_alphanumeric() {
            return None;
        }
        code.push(character.to_ascii_uppercase());
    }
    (code.len() == LEN).then(|| Code::new(code).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_no_characters_that_look_or_sound_alike() {
        for alike in ["0O", "1I", "2Z", "5S", "6G", "8B", "UV"] {
            let used = alike.chars().filter(|one| ALPHABET.contains(*one)).count();
            assert!(used <= 1, "{alike}");
        }
        let code = new_code(&Random::new()).unwrap();
        assert!(code.as_str().chars().all(|one| ALPHABET.contains(one)), "{code}");
        assert_eq!(parse_code(code.as_str()), Some(code));
    }
}
