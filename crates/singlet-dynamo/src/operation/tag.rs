//! Tags and resource ARNs, for the tag operations and CreateTable.

use crate::arn::{Arn, Home};
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::Excerpt;
use crate::json::Reader;
use crate::json::kept::Kept;
use crate::table::{TableDescription, Tags};

/// Maximum number of tags on a table.
const TAGS_MAX: usize = 50;
const KEY_LEN_MAX: usize = 128;
const VALUE_LEN_MAX: usize = 256;

/// A tag, unchecked.
#[derive(Default)]
pub(super) struct TagBody {
    key: Option<String>,
    value: Option<String>,
}

impl TagBody {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("Tag", |reader, member| {
            match member {
                "Key" => body.key = reader.owned_string()?,
                "Value" => body.value = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }
}

/// The tags of a request, checked.
pub(super) fn tags_of(bodies: Kept<TagBody>) -> Result<Tags> {
    let mut tags = Tags::new();
    let count = bodies.len();
    for TagBody { key, value } in bodies.into_vec() {
        let key = check_key(key)?;
        let value = match value {
            Some(value) if fits(&value, 0, VALUE_LEN_MAX) => value,
            value => {
                return Err(Error::validation(format!(
                    "The Tag Value provided is invalid, Value: {}",
                    Excerpt(value.as_deref().unwrap_or("null"))
                )));
            }
        };
        if tags.contains_key(&key) {
            return Err(Error::validation(format!(
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )));
        }
        tags.insert(key, value);
    }
    // Keys are distinct, so there are as many tags as elements.
    check_count(count)?;
    Ok(tags)
}

/// Checks a tag's key.
pub(super) fn check_key(key: Option<String>) -> Result<String> {
    match key {
        Some(key) if !fits(&key, 1, KEY_LEN_MAX) => {
            let shown = Excerpt(key);
            Err(Error::validation(format!("The Tag Key provided is invalid, Key: {shown}")))
        }
        None => Err(Error::validation("The Tag Key provided is invalid, Key: null")),
        Some(key) if key.starts_with("aws:") => {
            Err(Error::validation(format!("Tag Key cannot be prefixed with aws:, Key: {key}")))
        }
        Some(key) => Ok(key),
    }
}

/// Letters, digits and spaces of all scripts, and some punctuation.
fn fits(text: &str, len_min: usize, len_max: usize) -> bool {
    let is_space = |c: char| c.is_whitespace() && !c.is_control();
    (len_min..=len_max).contains(&text.chars().count())
        && text.chars().all(|c| c.is_alphanumeric() || is_space(c) || "+-=._:/@".contains(c))
}

/// Checks how many tags a table would have, or a request removes.
pub(super) fn check_count(count: usize) -> Result<()> {
    if count > TAGS_MAX {
        return Err(Error::validation(
            "Number of Tags exceed the current limit for the provided ResourceArn",
        ));
    }
    Ok(())
}

/// The ARN of a tagged table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceArn {
    text: String,
    table_name: String,
}

impl ResourceArn {
    /// Parses the member `ResourceArn`.
    pub(super) fn read(text: Option<String>) -> Result<Self> {
        let text = text.ok_or_else(|| Error::validation("Invalid TableArn"))?;
        Self::parse(text)
    }

    /// Parses an ARN. One of an untaggable resource gets the service's error.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if !text.starts_with("arn:") {
            return Err(Error::invalid_parameter(format_args!(
                "ARNs must start with 'arn:': {}",
                Excerpt(text)
            )));
        }
        let Some(arn) = Arn::parse(&text).filter(|arn| arn.service == "dynamodb") else {
            return Err(Error::invalid_parameter(format_args!(
                "Provided Arn is not a DynamoDB resource arn: {}",
                Excerpt(text)
            )));
        };
        match arn.table_name() {
            Some(name) if !name.is_empty() => Ok(Self { table_name: name.to_owned(), text }),
            _ => Err(Error::invalid_parameter(format_args!(
                "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {}",
                Excerpt(text)
            ))),
        }
    }

    /// The ARN as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the table.
    #[must_use]
    pub fn table_name(&self) -> &str {
        &self.table_name
    }

    /// Checks that the ARN belongs to this server and that the table exists; `table` is the one
    /// with the name.
    pub fn check<'t>(
        &self,
        home: &Home,
        table: Option<&'t TableDescription>,
    ) -> Result<&'t TableDescription> {
        let arn = Arn::parse(&self.text);
        if arn.is_none_or(|arn| arn.account != home.account) {
            // The account is checked first, so that nothing about other accounts is revealed.
            return Err(Error::with_message(ErrorKind::AccessDenied, "Access is denied"));
        }
        if arn.is_none_or(|arn| arn.region != home.region) {
            return Err(Error::validation(format!(
                "Invalid TableArn: Invalid ResourceArn provided as input {}",
                Excerpt(&self.text)
            )));
        }
        table.ok_or_else(|| {
            Error::with_message(
                ErrorKind::ResourceNotFound,
                format!(
                    "Requested resource not found: ResourceArn: {} not found",
                    Excerpt(&self.text)
                ),
            )
        })
    }
}
