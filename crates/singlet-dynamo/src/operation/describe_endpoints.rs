//! DescribeEndpoints: the address to send requests to.

use crate::error::Result;
use crate::json::{Reader, Writer};

/// Asks for the address to send requests to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescribeEndpoints;

impl DescribeEndpoints {
    /// Parses a request body, which has no members.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(json)?;
        reader.structure("DescribeEndpointsRequest", |reader, _| reader.skip())?;
        reader.end()?;
        Ok(Self)
    }
}

/// One endpoint: the one that received the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeEndpointsAnswer {
    /// The host, and the port if it is not the default.
    pub address: String,
}

impl DescribeEndpointsAnswer {
    /// How long a client may cache the response: a day, as in the service.
    const CACHE_PERIOD_MINUTES: i64 = 24 * 60;

    /// Writes the response body.
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
