//! DescribeEndpoints: where to send requests.

use crate::error::Result;
use crate::json::{Reader, Writer};

/// Asks where to send requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescribeEndpoints;

impl DescribeEndpoints {
    /// Reads a request's body, which has no members.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(json)?;
        reader.structure("DescribeEndpointsRequest", |reader, _| reader.skip())?;
        reader.end()?;
        Ok(Self)
    }
}

/// One endpoint, which is where the request came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeEndpointsAnswer {
    /// The host, and the port if it is not the usual one.
    pub address: String,
}

impl DescribeEndpointsAnswer {
    /// How long a client may hold on to the answer: a day, as the service says.
    const CACHE_PERIOD_MINUTES: i64 = 24 * 60;

    /// Writes the answer's body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Endpoints", |writer| {
                writer.array([&self.address], |writer, address| {
                    writer.object(|object| {
                        object.string("Address", address);
                        object.integer("CachePeriodInMinutes", Self::CACHE_PERIOD_MINUTES);
                    });
                });
            });
        });
    }
}
