//! Texts and ids that people choose, checked when a request is read.

use crate::design::EventId;
use ring::digest::{SHA256, digest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use singlet_web::random::is_uuid_v7;
use singlet_web::text::DisplayName;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The sign of an e-mail address, and its lookalikes.
const AT_SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];
/// Bytes per character of a text, on average. A game names every player in each of their goals, and
/// must not get larger than an answer can be.
const BYTES_PER_CHARACTER: usize = 4;
const ID_CHARACTERS: RangeInclusive<usize> = 2..=40;
const ID_RULE: &str =
    "must have 2 to 40 characters: small letters, digits and -, and not begin with -";
const THIRD_LENGTHS: [u8; 3] = [20, 25, 30];

/// One line of 1 to `MAX` characters: trimmed, in NFC, without invisible characters, and without
/// `@`, so that no e-mail address becomes public.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Line<const MAX: usize>(String);

/// Two or three capitals and digits that stand for a team.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, extend("minLength" = 2, "maxLength" = 3))]
pub struct TeamCode(String);

/// An id that the client chooses: 2 to 40 small letters, digits and `-`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String", bound = "I: FromStr")]
#[schemars(inline, extend("minLength" = 2, "maxLength" = 40))]
pub struct NewId<I>(#[schemars(with = "String")] pub(crate) I);

/// The event id of a goal: a UUIDv7 that the client makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, extend("minLength" = 36, "maxLength" = 36))]
pub struct NewEventId(#[schemars(with = "String")] pub EventId);

/// The length of a third in minutes: 20, 25 or 30.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "u8")]
pub struct ThirdLength(u8);

/// What a value must be.
type Rule = Cow<'static, str>;

impl<const MAX: usize> FromStr for Line<MAX> {
    type Err = Rule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let line = DisplayName::parse(text, 1..=MAX)?.into_string();
        if line.contains(AT_SIGNS) {
            return Err("must not contain @".into());
        }
        if line.len() > MAX * BYTES_PER_CHARACTER {
            return Err("must have fewer emoji or accents".into());
        }
        Ok(Self(line))
    }
}

impl FromStr for TeamCode {
    type Err = Rule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        match (2..=3).contains(&text.len()) && text.bytes().all(is_allowed) {
            true => Ok(Self(text.to_owned())),
            false => Err("must have 2 or 3 characters: A to Z and digits".into()),
        }
    }
}

impl<I: FromStr> FromStr for NewId<I> {
    type Err = Rule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let is_id = ID_CHARACTERS.contains(&text.len())
            && text.bytes().all(is_allowed)
            && !text.starts_with('-');
        let id = is_id.then(|| text.parse().ok()).flatten().map(Self);
        id.ok_or(Rule::from(ID_RULE))
    }
}

impl FromStr for NewEventId {
    type Err = Rule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = is_uuid_v7(text).then(|| text.parse().ok()).flatten().map(Self);
        id.ok_or(Rule::from("must be a UUID of version 7"))
    }
}

macro_rules! from_string {
    ($($name:ident$([$($generic:tt)+][$argument:ident])?),+) => {
        $(
            impl$(<$($generic)+>)? TryFrom<String> for $name$(<$argument>)? {
                type Error = <Self as FromStr>::Err;

                fn try_from(text: String) -> Result<Self, Self::Error> {
                    text.parse()
                }
            }
        )+
    };
}

from_string!(Line[const MAX: usize][MAX], TeamCode, NewEventId, NewId[I: FromStr][I]);

impl<const MAX: usize> From<Line<MAX>> for String {
    fn from(line: Line<MAX>) -> Self {
        line.0
    }
}

impl From<TeamCode> for String {
    fn from(code: TeamCode) -> Self {
        code.0
    }
}

impl ThirdLength {
    pub(crate) const DEFAULT: Self = Self(20);

    pub(crate) fn minutes(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for ThirdLength {
    type Error = &'static str;

    fn try_from(minutes: u8) -> Result<Self, Self::Error> {
        match THIRD_LENGTHS.contains(&minutes) {
            true => Ok(Self(minutes)),
            false => Err("must be 20, 25 or 30"),
        }
    }
}

impl<const MAX: usize> JsonSchema for Line<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Line{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": MAX * BYTES_PER_CHARACTER,
            "description": format!("1 to {MAX} characters, without @."),
        })
    }
}

impl JsonSchema for ThirdLength {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ThirdLength".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "enum": THIRD_LENGTHS})
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn sha256_hex(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in digest(&SHA256, text.as_bytes()).as_ref() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
