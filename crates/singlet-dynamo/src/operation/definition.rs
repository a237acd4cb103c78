//! The parts of a table definition shared by CreateTable and UpdateTable: attribute definitions,
//! keys, projections, indexes, throughputs, the stream.
//!
//! Each part is parsed unchecked, then constrained together with the rest of its request, then
//! converted.

mod index;
mod key;
mod throughput;

pub(super) use index::{IndexBody, IndexMembers};
pub(super) use key::{AttributeDefinitionBody, Definitions, KeyElement, KeyElementBody};
pub(super) use throughput::{CAPACITY_UNITS_MAX, OnDemandBody, ThroughputBody, check_bounds};

use crate::constraint::Constraints;
use crate::error::Result;
use crate::json::Reader;
use crate::json::kept::Kept;
use crate::table::StreamViewType;
use std::collections::HashSet;

/// Reads a list of structures; `None` for `null`. A `null` element is an empty structure.
pub(super) fn read_list<'j, T: Default>(
    reader: &mut Reader<'j>,
    mut read: impl FnMut(&mut Reader<'j>) -> Result<Option<T>>,
) -> Result<Option<Kept<T>>> {
    Kept::read(reader, |reader| Ok(Some(read(reader)?.unwrap_or_default())))
}

/// The first duplicate name. A request can have very many names.
pub(super) fn first_repeated<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

/// A stream specification, unchecked.
#[derive(Default)]
pub(super) struct StreamBody {
    stream_enabled: Option<bool>,
    stream_view_type: Option<String>,
}

/// A stream specification with valid members.
pub(super) struct StreamMembers {
    pub(super) is_enabled: bool,
    pub(super) view_type: Option<StreamViewType>,
}

impl StreamBody {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("StreamSpecification", |reader, member| {
            match member {
                "StreamEnabled" => body.stream_enabled = reader.boolean()?,
                "StreamViewType" => body.stream_view_type = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    pub(super) fn constrain(&self, constraints: &mut Constraints) -> StreamMembers {
        constraints.required("streamSpecification.streamEnabled", &self.stream_enabled);
        let view_type = constraints.one_of(
            "streamSpecification.streamViewType",
            self.stream_view_type.as_deref(),
            &StreamViewType::CHOICES,
        );
        StreamMembers { is_enabled: self.stream_enabled.unwrap_or(false), view_type }
    }
}
