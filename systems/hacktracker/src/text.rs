//! Values in requests that a schema cannot describe: their types refuse them, and so the field is named.

use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::text::DisplayName;
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What a value must be.
type Rule = Cow<'static, str>;

macro_rules! texts {
    ($($name:ident, $chars_max:literal, $description:literal, $read:expr;)+) => {
        $(
            #[doc = $description]
            #[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
            #[serde(try_from = "String")]
            #[schemars(inline, extend("minLength" = 1, "maxLength" = $chars_max))]
            pub struct $name(String);

            impl TryFrom<String> for $name {
                type Error = Rule;

                fn try_from(text: String) -> Result<Self, Rule> {
                    text.parse()
                }
            }

            impl FromStr for $name {
                type Err = Rule;

                fn from_str(text: &str) -> Result<Self, Rule> {
                    $read(text).map(Self)
                }
            }

            impl From<$name> for String {
                fn from(text: $name) -> Self {
                    text.0
                }
            }
        )+
    };
}

texts! {
    PersonName, 200, "1 to 50 characters.", |text| line(text, 1..=50);
    TeamTitle, 200, "3 to 50 characters.", |text| line(text, 3..=50);
    // An opponent or a place.
    GameLabel, 400, "1 to 100 characters.", |text| line(text, 1..=100);
    SeasonName, 160, "1 to 40 characters.", |text| line(text, 1..=40);
    Email, 254, "An e-mail address.", email;
    PhoneNumber, 16, "As E.164 writes it: +15555551234.", phone_number;
}

/// Characters are counted as readers count them, which may be fewer than the schema does.
fn line(text: &str, characters: RangeInclusive<usize>) -> Result<String, Rule> {
    DisplayName::parse(text, characters).map(DisplayName::into_string)
}

fn email(text: &str) -> Result<String, Rule> {
    let text = text.trim().to_lowercase();
    let is_plain = |one: char| !one.is_whitespace() && !one.is_control();
    let parts = text.split_once('@');
    let is_address = parts
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'));
    match is_address && text.chars().all(is_plain) && text.chars().count() <= 254 {
        true => Ok(text),
        false => Err("must be an e-mail address".into()),
    }
}

fn phone_number(text: &str) -> Result<String, Rule> {
    let digits = text.trim().strip_prefix('+').unwrap_or_default();
    let is_number = (2..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    match is_number {
        true => Ok(format!("+{digits}")),
        false => Err("must be a number such as +15555551234".into()),
    }
}
