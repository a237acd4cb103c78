//! ListTagsOfResource: the tags of a table.

use super::tag::ResourceArn;
use crate::arn::Home;
use crate::error::Result;
use crate::json::{Reader, Writer};
use crate::table::{TableDescription, Tags};

/// Lists the tags of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ListTagsOfResource {
    /// The table.
    pub resource_arn: ResourceArn,
}

impl ListTagsOfResource {
    /// Parses a request body. Ignores the token: all tags fit on one page, and the service also
    /// returns the first page for an unknown token.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut resource_arn = None;
        let mut reader = Reader::new(json)?;
        reader.structure("ListTagsOfResourceInput", |reader, member| {
            match member {
                "ResourceArn" => resource_arn = reader.owned_string()?,
                "NextToken" => drop(reader.string()?),
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(Self { resource_arn: ResourceArn::read(resource_arn)? })
    }

    /// Checks the table and returns its tags.
    pub fn answer(
        &self,
        home: &Home,
        table: Option<&TableDescription>,
    ) -> Result<ListTagsOfResourceAnswer> {
        let table = self.resource_arn.check(home, table)?;
        Ok(ListTagsOfResourceAnswer { tags: table.tags.clone() })
    }
}

/// The tags.
#[derive(Clone, Debug, PartialEq)]
pub struct ListTagsOfResourceAnswer {
    /// The tags, by key.
    pub tags: Tags,
}

impl ListTagsOfResourceAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Tags", |writer| {
                writer.array(&self.tags, |writer, (key, value)| {
                    writer.object(|object| {
                        object.string("Key", key);
                        object.string("Value", value);
                    });
                });
            });
        });
    }
}
