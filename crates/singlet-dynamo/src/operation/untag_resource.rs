//! UntagResource: removes tags from a table.

use super::definition::read_list;
use super::tag::{ResourceArn, check_count, check_key};
use crate::arn::Home;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::kept::Kept;
use crate::json::{Reader, Writer};
use crate::table::TableDescription;

/// Removes tags from a table by their keys; missing keys are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct UntagResource {
    /// The table.
    pub resource_arn: ResourceArn,
    /// The keys of the tags.
    pub tag_keys: Vec<String>,
}

impl UntagResource {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut resource_arn = None;
        let mut tag_keys: Option<Kept<String>> = None;
        let mut reader = Reader::new(json)?;
        reader.structure("UntagResourceInput", |reader, member| {
            match member {
                "ResourceArn" => resource_arn = reader.owned_string()?,
                "TagKeys" => tag_keys = read_list(reader, Reader::owned_string)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let resource_arn = ResourceArn::read(resource_arn)?;
        let mut constraints = Constraints::default();
        constraints.required("tagKeys", &tag_keys);
        constraints.finish()?;
        let tag_keys = tag_keys.unwrap_or_default();
        if tag_keys.is_empty() {
            return Err(Error::validation("Atleast one Tag Key needs to be provided as Input."));
        }
        let count = tag_keys.len();
        let tag_keys = tag_keys.into_vec();
        let tag_keys =
            tag_keys.into_iter().map(|key| check_key(Some(key))).collect::<Result<Vec<_>>>()?;
        check_count(count)?;
        Ok(Self { resource_arn, tag_keys })
    }

    /// Checks the table.
    pub fn check(&self, home: &Home, table: Option<&TableDescription>) -> Result<()> {
        self.resource_arn.check(home, table).map(|_| ())
    }

    /// Removes the tags.
    pub fn apply(&self, table: &mut TableDescription) {
        table.tags.retain(|key, _| !self.tag_keys.contains(key));
    }
}

/// An empty response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UntagResourceAnswer;

impl UntagResourceAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|_| {});
    }
}
