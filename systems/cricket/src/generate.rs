//! Plausible matches that were never played: T20, one-day and Test, in the shape of the feed.
//!
//! A match is a tape: JSON Lines, with `t` in milliseconds from the scheduled start. The same name
//! gives the same bytes, on every platform. Everywhere such a match is shown, it is called a
//! generated one.
//!
//! - `dice`: random numbers of a seed. `weights`: probabilities.
//! - `innings`: plays one innings. `fixture`: plays a match. `script`: writes the tape.

mod dice;
mod fixture;
mod innings;
mod script;
mod weights;

pub use fixture::{PlayedMatch, enforces_follow_on, play, uncut_innings};
pub use innings::PlayedInnings;

use crate::rules::Format;
use serde::Deserialize;

/// The tape of this name, such as `t20-20`: a format, and a seed. `None` for other names.
///
/// ```
/// use cricket::generate::tape;
///
/// let text = tape("t20-20").unwrap();
/// assert!(text.starts_with(r#"{"tape":1,"name":"t20-20","seed":20,"format":"T20""#));
/// assert_eq!(tape("chess-1"), None);
/// ```
pub fn tape(name: &str) -> Option<String> {
    let (format, seed) = parse_name(name)?;
    Some(script::write(&play(format, seed)))
}

/// The name of a tape in a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct TapeName(String);

impl TapeName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TapeName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let detail = "must be a tape, such as t20-20, odi-50 or test-5";
        parse_name(&name).map(|_| Self(name)).ok_or(detail)
    }
}

pub fn parse_name(name: &str) -> Option<(Format, u64)> {
    let (format, seed) = name.split_once('-')?;
    let format = match format {
        "t20" => Format::T20,
        "odi" => Format::Odi,
        "test" => Format::Test,
        "fc" => Format::Fc,
        _ => return None,
    };
    let seed = seed.parse().ok().filter(|seed| *seed <= 1_000_000)?;
    // One name for one tape: not `t20-020`.
    (name_of(format, seed)? == name).then_some((format, seed))
}

/// The name of a tape; `None` for formats that are not generated.
pub fn name_of(format: Format, seed: u64) -> Option<String> {
    let format = match format {
        Format::T20 => "t20",
        Format::Odi => "odi",
        Format::Test => "test",
        Format::Fc => "fc",
        Format::T10 | Format::Hundred => return None,
    };
    Some(format!("{format}-{seed}"))
}
