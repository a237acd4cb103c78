//! TagResource: adds tags to a table.

use super::definition::read_list;
use super::tag::{ResourceArn, TagBody, check_count, tags_of};
use crate::arn::Home;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::kept::Kept;
use crate::json::{Reader, Writer};
use crate::table::{TableDescription, Tags};

/// Adds tags to a table; an existing key gets the new value.
#[derive(Clone, Debug, PartialEq)]
pub struct TagResource {
    /// The table.
    pub resource_arn: ResourceArn,
    /// The tags.
    pub tags: Tags,
}

impl TagResource {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut resource_arn = None;
        let mut tags: Option<Kept<TagBody>> = None;
        let mut reader = Reader::new(json)?;
        reader.structure("TagResourceInput", |reader, member| {
            match member {
                "ResourceArn" => resource_arn = reader.owned_string()?,
                "Tags" => tags = read_list(reader, TagBody::read)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let resource_arn = ResourceArn::read(resource_arn)?;
        let mut constraints = Constraints::default();
        constraints.required("tags", &tags);
        constraints.finish()?;
        let tags = tags_of(tags.unwrap_or_default())?;
        if tags.is_empty() {
            return Err(Error::validation("Atleast one Tag needs to be provided as Input."));
        }
        Ok(Self { resource_arn, tags })
    }

    /// Checks the table and its number of tags afterwards.
    pub fn check(&self, home: &Home, table: Option<&TableDescription>) -> Result<()> {
        let table = self.resource_arn.check(home, table)?;
        let added = self.tags.keys().filter(|key| !table.tags.contains_key(*key)).count();
        check_count(table.tags.len() + added)
    }

    /// Adds the tags.
    pub fn apply(&self, table: &mut TableDescription) {
        table.tags.extend(self.tags.clone());
    }
}

/// An empty response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagResourceAnswer;

impl TagResourceAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|_| {});
    }
}
