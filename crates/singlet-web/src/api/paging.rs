//! Lists that are read part by part.

use super::argument::{Argument, read_query};
use super::operation::Operation;
use crate::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use singlet::Cursor;
use std::borrow::Cow;

/// How many characters a cursor may have: it holds the keys of a table and of an index, which have at
/// most 1,024 and 2,048 bytes each, in base64, and a signature.
const CURSOR_CHARS_MAX: usize = 8_448;

/// Which part of a list is asked for: the query parameters `limit` and `cursor`. `DEFAULT` is the
/// limit of those who name none, `MAX` the greatest that can be asked for.
///
/// ```
/// use singlet_web::api::{Json, Page, Paging};
///
/// async fn list(paging: Paging) -> Json<Page<u32>> {
///     Json(Page { items: (0..paging.limit() as u32).collect(), next: None })
/// }
/// # drop(list(Paging::default()));
/// assert_eq!(Paging::<20, 100>::default().limit(), 20);
/// assert_eq!(Paging::<20, 100>::new(Some(500), None).limit(), 100);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging<const DEFAULT: u32 = 20, const MAX: u32 = 100>(Parameters);

/// The parameters as they come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct Parameters {
    limit: Option<u32>,
    cursor: Option<String>,
}

impl<const DEFAULT: u32, const MAX: u32> Paging<DEFAULT, MAX> {
    /// A page with this limit, from this cursor on: for tests of services.
    #[must_use]
    pub fn new(limit: Option<u32>, cursor: Option<String>) -> Self {
        Self(Parameters { limit, cursor })
    }

    /// How many entries to answer with, at most.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit.unwrap_or(DEFAULT).min(MAX) as usize
    }

    /// Where the part begins; `None` for the first part of the list.
    ///
    /// # Errors
    ///
    /// [`INVALID`](crate::problem::INVALID) for a text that is no cursor. One that was made for
    /// another list, or by somebody else, is refused by the store, with the same problem.
    pub fn cursor<E>(&self) -> Result<Option<Cursor<E>>, Problem> {
        self.0.cursor.as_deref().map(|text| text.parse().map_err(Problem::from)).transpose()
    }
}

impl<const DEFAULT: u32, const MAX: u32> JsonSchema for Paging<DEFAULT, MAX> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Paging")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX,
                    "default": DEFAULT,
                    "description": "How many entries to answer with, at most.",
                },
                "cursor": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": CURSOR_CHARS_MAX,
                    "description": "What the answer before gave as `next`.",
                },
            },
        })
    }
}

impl<const DEFAULT: u32, const MAX: u32> Argument for Paging<DEFAULT, MAX> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<Self>();
    }
}

impl<S: Send + Sync, const DEFAULT: u32, const MAX: u32> FromRequestParts<S>
    for Paging<DEFAULT, MAX>
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        read_query::<Self, Parameters>(parts).map(Self)
    }
}

/// A part of a list, and how to get the next part.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Page<T> {
    /// The entries of this part.
    pub items: Vec<T>,
    /// Pass this as `cursor` to get the next part. It is missing when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// The same part, with every entry changed by `f`.
    #[must_use]
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}

impl<T, E> From<singlet::Page<T, E>> for Page<T> {
    fn from(page: singlet::Page<T, E>) -> Self {
        Self { items: page.items, next: page.next.map(|cursor| cursor.to_string()) }
    }
}
