//! UpdateTimeToLive: enables or disables TTL.

use super::table_name::existing_table;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::{Reader, Writer};
use crate::limits::KEY_ATTRIBUTE_NAME_SIZE_MAX;
use crate::table::TableDescription;

/// Enables or disables TTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateTimeToLive {
    /// The table.
    pub table_name: String,
    /// The TTL attribute: the expiry time in seconds since 1970.
    pub attribute_name: String,
    /// Whether to enable TTL.
    pub enabled: bool,
}

/// The specification, unchecked.
#[derive(Default)]
struct Specification {
    attribute_name: Option<String>,
    enabled: Option<bool>,
}

impl Specification {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("TimeToLiveSpecification", |reader, member| {
            match member {
                "AttributeName" => body.attribute_name = reader.owned_string()?,
                "Enabled" => body.enabled = reader.boolean()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }
}

impl UpdateTimeToLive {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut table_name = None;
        let mut specification = None;
        let mut reader = Reader::new(json)?;
        reader.structure("UpdateTimeToLiveInput", |reader, member| {
            match member {
                "TableName" => table_name = reader.owned_string()?,
                "TimeToLiveSpecification" => specification = Specification::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let table_name = existing_table(table_name)?;
        let mut constraints = Constraints::default();
        constraints.required("timeToLiveSpecification", &specification);
        if let Some(specification) = &specification {
            constraints.required("timeToLiveSpecification.enabled", &specification.enabled);
            let path = "timeToLiveSpecification.attributeName";
            constraints.required(path, &specification.attribute_name);
            if let Some(name) = &specification.attribute_name {
                let len = name.chars().count();
                constraints.length_at_least(path, name, len, 1);
                constraints.length_at_most(path, name, len, KEY_ATTRIBUTE_NAME_SIZE_MAX);
            }
        }
        constraints.finish()?;
        let Specification { attribute_name, enabled } = specification.unwrap_or_default();
        Ok(Self {
            table_name,
            attribute_name: attribute_name.unwrap_or_default(),
            enabled: enabled.unwrap_or_default(),
        })
    }

    /// Checks that the request changes something, and names the current attribute if TTL is
    /// enabled.
    pub fn check(&self, table: &TableDescription) -> Result<()> {
        super::check_idle(table)?;
        match (&table.time_to_live, self.enabled) {
            (Some(present), _) if *present != self.attribute_name => {
                Err(Error::validation(format!(
                    "TimeToLive is active on a different AttributeName: current AttributeName is {present}"
                )))
            }
            (Some(_), true) => Err(Error::validation("TimeToLive is already enabled")),
            (None, false) => Err(Error::validation("TimeToLive is already disabled")),
            (Some(_), false) | (None, true) => Ok(()),
        }
    }

    /// Enables or disables TTL.
    pub fn apply(&self, table: &mut TableDescription) {
        table.time_to_live = self.enabled.then(|| self.attribute_name.clone());
    }

    /// The response, which repeats the request.
    #[must_use]
    pub fn answer(&self) -> UpdateTimeToLiveAnswer {
        UpdateTimeToLiveAnswer {
            attribute_name: self.attribute_name.clone(),
            enabled: self.enabled,
        }
    }
}

/// The request, repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateTimeToLiveAnswer {
    /// The attribute.
    pub attribute_name: String,
    /// Whether TTL is enabled.
    pub enabled: bool,
}

impl UpdateTimeToLiveAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TimeToLiveSpecification", |writer| {
                writer.object(|object| {
                    object.boolean("Enabled", self.enabled);
                    object.string("AttributeName", &self.attribute_name);
                });
            });
        });
    }
}
