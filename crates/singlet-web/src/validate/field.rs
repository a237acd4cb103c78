//! Field types with rules that a schema cannot describe.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use singlet::Timestamp;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::str::FromStr;

/// A list of `MIN` to `MAX` different entries.
///
/// ```
/// use singlet_web::validate::Distinct;
///
/// let teams: Distinct<&str, 3, 3> = ["red", "blue", "white"].try_into().unwrap();
/// assert_eq!(teams.len(), 3);
/// assert!(Distinct::<&str, 3, 3>::try_from(vec!["red", "blue", "red"]).is_err());
/// assert!(Distinct::<&str, 0, 1>::try_from(vec!["red", "blue"]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "Vec<T>",
    bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de> + PartialEq")
)]
pub struct Distinct<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Default for Distinct<T, 0, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MIN: usize, const MAX: usize> Deref for Distinct<T, MIN, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: PartialEq, const MIN: usize, const MAX: usize> TryFrom<Vec<T>> for Distinct<T, MIN, MAX> {
    type Error = String;

    fn try_from(entries: Vec<T>) -> Result<Self, String> {
        if !(MIN..=MAX).contains(&entries.len()) {
            return Err(format!("must have {MIN} to {MAX} entries"));
        }
        let is_repeated =
            |(index, entry): (usize, &T)| entries.iter().skip(index + 1).any(|one| one == entry);
        match entries.iter().enumerate().any(is_repeated) {
            true => Err("must be different".to_owned()),
            false => Ok(Self(entries)),
        }
    }
}

impl<T: PartialEq, const N: usize, const MIN: usize, const MAX: usize> TryFrom<[T; N]>
    for Distinct<T, MIN, MAX>
{
    type Error = String;

    fn try_from(entries: [T; N]) -> Result<Self, String> {
        Vec::from(entries).try_into()
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for Distinct<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Distinct{MIN}To{MAX}{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({"type": "array", "items": items, "minItems": MIN, "maxItems": MAX})
    }
}

/// The years 2000 to 2099.
const PLANNED: Range<Timestamp> =
    Timestamp::from_millis(946_684_800_000)..Timestamp::from_millis(4_102_444_800_000);

/// A moment that people plan for, such as the start of a game: in the years 2000 to 2099. Any other
/// year is a typing mistake, and would sort first or last for good.
///
/// ```
/// use singlet_web::validate::PlannedTime;
///
/// assert!("2026-05-03T14:00:00Z".parse::<PlannedTime>().is_ok());
/// assert!("0026-05-03T14:00:00Z".parse::<PlannedTime>().is_err());
/// assert!("9999-12-31T23:59:59Z".parse::<PlannedTime>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Timestamp")]
pub struct PlannedTime(Timestamp);

impl TryFrom<Timestamp> for PlannedTime {
    type Error = PlannedTimeError;

    fn try_from(moment: Timestamp) -> Result<Self, PlannedTimeError> {
        match PLANNED.contains(&moment) {
            true => Ok(Self(moment)),
            false => Err(PlannedTimeError),
        }
    }
}

impl FromStr for PlannedTime {
    type Err = PlannedTimeError;

    fn from_str(text: &str) -> Result<Self, PlannedTimeError> {
        text.parse::<Timestamp>().map_err(|_| PlannedTimeError)?.try_into()
    }
}

impl From<PlannedTime> for Timestamp {
    fn from(planned: PlannedTime) -> Self {
        planned.0
    }
}

impl JsonSchema for PlannedTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Timestamp::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Timestamp::json_schema(generator)
    }
}

/// The moment is not in the years 2000 to 2099.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedTimeError;

impl fmt::Display for PlannedTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be in the years 2000 to 2099")
    }
}

impl std::error::Error for PlannedTimeError {}
