//! What a system writes all the time.
//!
//! `delete` and `put` are operations of the store in `singlet::prelude`, so routes are made by
//! [`Route::get`], [`Route::delete`] and so on.

pub use crate::access::Access;
pub use crate::api::{
    Api, Body, Created, IfMatch, Json, LastEventId, NoContent, Page, Paging, Path, Query, RawBody,
    RawKind, Route, Versioned,
};
pub use crate::identity::Caller;
pub use crate::problem::{ApiError, Problem};
pub use crate::validate::FieldLocation;
pub use crate::{assets, problems, roles};
pub use axum::extract::State;
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use std::time::Duration;
