//! The API page and the document it is made from.

use crate::page::{self, Asset, escape, prose};
use axum::Router;
use serde_json::Value;
use std::borrow::Cow;

/// Routes for the OpenAPI document and the page.
pub(super) fn router(name: &str, document: &Value) -> Router {
    let description =
        document.pointer("/info/description").and_then(Value::as_str).unwrap_or_default();
    let page = include_str!("../../assets/reference.html")
        .replace("{name}", &escape(name))
        .replace("{about}", &prose(description));
    page::router([
        Asset { path: "/openapi.json", content: Cow::Owned(document.to_string().into_bytes()) },
        Asset { path: "/api", content: Cow::Owned(page.into_bytes()) },
    ])
}
