//! The resume position of a reconnecting client.

use super::argument::{Argument, read_query};
use super::operation::Operation;
use crate::problem::Problem;
use crate::validate::FieldLocation;
use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::borrow::Cow;

const HEADER: HeaderName = HeaderName::from_static("last-event-id");

/// The number of the last event the client saw: `Last-Event-ID`, or `?after=` for WebSockets, where
/// pages cannot set headers. `None` for a new client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastEventId(pub Option<u64>);

#[derive(Deserialize)]
struct Parameters {
    after: Option<u64>,
}

impl JsonSchema for LastEventId {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("LastEventId")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "after": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "The number of the last event that the client has seen, if it \
                                    cannot send Last-Event-ID. It gets the events after it, or \
                                    the present state if that is too long ago.",
                },
            },
        })
    }
}

impl Argument for LastEventId {
    fn describe(operation: &mut Operation<'_>) {
        let description = "The id of the last event that the client has seen.";
        operation.header("Last-Event-ID", false, description);
        operation.query::<Self, Parameters>();
    }
}

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Parameters { after } = read_query::<Self, Parameters>(parts)?;
        let Some(header) = parts.headers.get(HEADER) else { return Ok(Self(after)) };
        match header.to_str().ok().and_then(|text| text.parse().ok()) {
            Some(id) => Ok(Self(Some(id))),
            None => {
                let detail = "must be the id of an event of this stream";
                Err(Problem::invalid_field(FieldLocation::Header, HEADER.as_str(), detail))
            }
        }
    }
}
