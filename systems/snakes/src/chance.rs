//! Everything that nobody may foresee: dice, codes, ids and secrets.

use crate::rules::Roll;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What codes are written with: of letters and digits that look or sound alike (0 O, 1 I, 2 Z, 5 S,
/// 6 G, 8 B, U V) none but one of each pair at most, so that they can be read out.
const CODE_LETTERS: &[u8; 22] = b"ACDEFHJKLMNPQRTWXY3479";
/// How long a code is: short enough to say, long enough that nobody finds a game by trying.
pub const CODE_LEN: usize = 6;

/// The operating system gave no random numbers. Without them there is no fair game and no secret.
#[derive(Debug, PartialEq, Eq)]
pub struct RandomUnavailable;

/// Where chance comes from: the operating system, unless a test loads the dice.
#[derive(Clone)]
pub struct Chance {
    /// Rolls that come in turn, and again from the start.
    dice: Option<Arc<Mutex<VecDeque<Roll>>>>,
    /// Codes that come first.
    codes: Arc<Mutex<VecDeque<String>>>,
}

impl Chance {
    /// Real randomness.
    #[must_use]
    pub fn system() -> Self {
        Self { dice: None, codes: Arc::default() }
    }

    /// Dice that fall as they are told, over and over. All else is still random.
    #[must_use]
    pub fn loaded(rolls: impl IntoIterator<Item = Roll>) -> Self {
        let rolls = rolls.into_iter().collect();
        Self { dice: Some(Arc::new(Mutex::new(rolls))), ..Self::system() }
    }

    /// Gives games these codes first.
    #[must_use]
    pub fn with_codes<'a>(self, codes: impl IntoIterator<Item = &'a str>) -> Self {
        let codes = codes.into_iter().map(str::to_owned).collect();
        Self { codes: Arc::new(Mutex::new(codes)), ..self }
    }

    /// Throws the die.
    ///
    /// # Errors
    ///
    /// If there is no randomness to be had.
    pub fn roll(&self) -> Result<Roll, RandomUnavailable> {
        if let Some(dice) = &self.dice {
            let mut dice = dice.lock().unwrap_or_else(PoisonError::into_inner);
            let next = dice.pop_front().ok_or(RandomUnavailable)?;
            dice.push_back(next);
            return Ok(next);
        }
        Roll::new(Self::below(6)? + 1).ok_or(RandomUnavailable)
    }

    /// A code for a game.
    pub(crate) fn code(&self) -> Result<String, RandomUnavailable> {
        let listed = self.codes.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(code) = listed {
            return Ok(code);
        }
        let mut code = String::with_capacity(CODE_LEN);
        for _ in 0..CODE_LEN {
            let letter = CODE_LETTERS.get(usize::from(Self::below(CODE_LETTERS.len() as u8)?));
            code.push(char::from(*letter.ok_or(RandomUnavailable)?));
        }
        Ok(code)
    }

    /// An id as the source has it: a random UUID.
    pub(crate) fn uuid(&self) -> Result<String, RandomUnavailable> {
        let number = u128::from_be_bytes(Self::bytes()?);
        Ok(format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            number >> 96,
            number >> 80 & 0xffff,
            number >> 64 & 0xfff,
            number >> 48 & 0x3fff | 0x8000,
            number & 0xffff_ffff_ffff
        ))
    }

    /// 128 bits that nobody can guess, as text.
    pub(crate) fn secret(&self) -> Result<String, RandomUnavailable> {
        Ok(BASE64_URL_SAFE_NO_PAD.encode(Self::bytes::<16>()?))
    }

    /// A number below this one, each as likely as the others: bytes that would make the small
    /// numbers likelier are thrown away.
    fn below(bound: u8) -> Result<u8, RandomUnavailable> {
        let fair = u8::MAX - u8::MAX % bound;
        loop {
            let [byte] = Self::bytes()?;
            if byte < fair {
                return Ok(byte % bound);
            }
        }
    }

    fn bytes<const N: usize>() -> Result<[u8; N], RandomUnavailable> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|_| RandomUnavailable)?;
        Ok(bytes)
    }
}

/// A code as people type it: small letters, blanks and dashes do not matter. `None` if no game can have it.
///
/// ```
/// use singlet_snakes::chance::read_code;
///
/// assert_eq!(read_code(" abc 234 ").as_deref(), Some("ABC234"));
/// assert_eq!(read_code("abc-234").as_deref(), Some("ABC234"));
/// assert_eq!(read_code("ABC#34"), None);
/// ```
#[must_use]
pub fn read_code(text: &str) -> Option<String> {
    let mut code = String::with_capacity(CODE_LEN);
    for character in
        text.chars().filter(|character| !character.is_whitespace() && *character != '-')
    {
        // Any letter and digit, since the source's own example has a 1.
        if code.len() == CODE_LEN || !character.is_ascii_alphanumeric() {
            return None;
        }
        code.push(character.to_ascii_uppercase());
    }
    (code.len() == CODE_LEN).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_die_is_fair() {
        let chance = Chance::system();
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[usize::from(chance.roll().unwrap().eyes()) - 1] += 1;
        }
        // Seven standard deviations: it fails by chance once in a hundred thousand million runs.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 640), "{counts:?}");
    }

    #[test]
    fn codes_can_be_read_out_and_read_back() {
        let chance = Chance::system();
        let codes: BTreeSet<String> = (0..1_000).map(|_| chance.code().unwrap()).collect();
        assert!(codes.len() > 990);
        for code in codes {
            assert!(!code.contains(['0', 'O', '1', 'I', 'L']), "{code}");
            assert_eq!(read_code(&code.to_lowercase()), Some(code));
        }
    }

    #[test]
    fn ids_and_secrets_do_not_repeat() {
        let chance = Chance::system();
        let made: BTreeSet<String> =
            (0..1_000).flat_map(|_| [chance.uuid().unwrap(), chance.secret().unwrap()]).collect();
        assert_eq!(made.len(), 2_000);
        let uuid = chance.uuid().unwrap();
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
        assert_eq!(chance.secret().unwrap().len(), 22);
    }

    #[test]
    fn loaded_dice_fall_as_told() {
        let chance = Chance::loaded([6, 1].into_iter().filter_map(Roll::new));
        let eyes: Vec<u8> = (0..5).map(|_| chance.roll().unwrap().eyes()).collect();
        assert_eq!(eyes, [6, 1, 6, 1, 6]);
        assert_eq!(Chance::loaded([]).roll(), Err(RandomUnavailable));
    }

    #[test]
    fn what_cannot_be_a_code_is_none() {
        for wrong in ["", "ABC12", "ABC1234", "ABC-12", "ÄBC123", "GAME#1", &"A".repeat(1 << 20)] {
            assert_eq!(read_code(wrong), None);
        }
    }
}
