//! The codes by which games are shared.

use crate::design::Code;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::random::{Random, RandomUnavailable};
use std::ops::Deref;

/// Without characters that look or sound alike: 0 O, 1 I, 2 Z, 5 S, 6 G, 8 B, U V.
const ALPHABET: &str = "ACDEFHJKLMNPQRTWXY3479";
/// Short enough to say, long enough that games are not found by guessing.
const LEN: usize = 6;

pub(crate) fn new_code(random: &Random) -> Result<Code, RandomUnavailable> {
    Code::new(random.code(ALPHABET, LEN)?).map_err(|_| RandomUnavailable)
}

/// Reads a code as people type it: case, blanks and dashes do not matter.
///
/// ```
/// use snakes::code::parse_code;
///
/// assert_eq!(parse_code(" abc-234 ").unwrap().as_str(), "ABC234");
/// assert_eq!(parse_code("ABC#34"), None);
/// assert_eq!(parse_code("ABC2345"), None);
/// ```
pub fn parse_code(text: &str) -> Option<Code> {
    let is_kept = |one: &char| !one.is_whitespace() && *one != '-';
    let code: String = text.chars().filter(is_kept).take(LEN + 1).collect();
    // All letters and digits, since the source's own example has a 1.
    let is_code = code.len() == LEN && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| Code::new(code.to_ascii_uppercase()).ok())?
}

/// A code in the path of a request.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub(crate) struct TypedCode(pub(crate) Code);

impl Deref for TypedCode {
    type Target = Code;

    fn deref(&self) -> &Code {
        &self.0
    }
}

impl TryFrom<String> for TypedCode {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        parse_code(&text).map(Self).ok_or("must have six letters and digits")
    }
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
