//! Paged lists.

use super::argument::{Argument, read_query};
use super::operation::Operation;
use crate::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use singlet::Cursor;
use std::borrow::Cow;

/// Maximum length of a cursor: table and index keys (1,024 and 2,048 bytes each) in Base64, and a
/// signature.
const CURSOR_CHARS_MAX: usize = 8_448;

/// A page request: the query parameters `limit` and `cursor`. `DEFAULT` applies without a limit,
/// `MAX` is the largest.
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

/// The raw parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct Parameters {
    limit: Option<u32>,
    cursor: Option<String>,
}

impl<const DEFAULT: u32, const MAX: u32> Paging<DEFAULT, MAX> {
    /// A page request with this limit and cursor: for tests of services.
    #[must_use]
    pub fn new(limit: Option<u32>, cursor: Option<String>) -> Self {
        Self(Parameters { limit, cursor })
    }

    /// Maximum number of items to return.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit.unwrap_or(DEFAULT).min(MAX) as usize
    }

    /// Where the page starts; `None` for the first page.
    ///
    /// # Errors
    ///
    /// [`INVALID`](crate::problem::INVALID) if the text is malformed. A cursor of another list, or
    /// a forged one, is rejected by the store with the same problem.
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
        operation.query::<Self, Parameters>();
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

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Maps every item.
    #[must_use]
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }

    /// Filters and maps the items. The page may be shorter than the limit and still have a next
    /// one.
    #[must_use]
    pub fn filter_map<U>(self, f: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page { items: self.items.into_iter().filter_map(f).collect(), next: self.next }
    }
}

impl<T, E> From<singlet::Page<T, E>> for Page<T> {
    fn from(page: singlet::Page<T, E>) -> Self {
        Self { items: page.items, next: page.next.map(|cursor| cursor.to_string()) }
    }
}
