//! `AttributesToGet`: the names of the attributes to return.

use crate::constraint::{Constraints, JavaList};
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::expression::{Path, Projection};
use crate::json::Reader;
use crate::json::kept::Kept;

const LEN_MAX: usize = 255;

/// Attribute names, unchecked.
pub(crate) struct AttributesToGet(Kept<String>);

impl AttributesToGet {
    /// Reads the member `AttributesToGet`.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(Kept::read(reader, Reader::owned_string)?.map(Self))
    }

    /// Adds the violations of the member's constraints. `path` is its position.
    pub(crate) fn constrain(&self, constraints: &mut Constraints, path: &str) {
        let (shown, len) =
            (JavaList { elements: self.0.as_slice(), count: self.0.len() }, self.0.len());
        constraints.length_at_least(path, &shown, len, 1);
        constraints.length_at_most(path, &shown, len, LEN_MAX);
    }

    /// Refuses duplicate names.
    pub(crate) fn check(&self) -> Result<()> {
        let mut sorted: Vec<&str> = self.0.as_slice().iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find_map(|pair| match pair {
            [one, other] if one == other => Some(*one),
            _ => None,
        });
        match twice {
            None => Ok(()),
            Some(name) => Err(Error::invalid_parameter(format_args!(
                "Duplicate value in attribute name: {}",
                Excerpt(name)
            ))),
        }
    }

    /// The projection on these attributes.
    pub(crate) fn into_projection(self) -> Result<Projection> {
        let paths =
            self.0.into_vec().into_iter().map(Path::attribute).collect::<Result<Vec<_>, _>>();
        paths.and_then(Projection::new).map_err(|fault| Error::validation(fault.to_string()))
    }
}
