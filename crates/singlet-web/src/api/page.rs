//! The page that shows an interface, and the document it is made from.

use crate::page::{self, Asset, escape};
use axum::Router;
use serde_json::Value;
use std::borrow::Cow;

/// Two routes beside those of the system: the document for programs, the page for people.
pub(super) fn router(name: &str, document: &Value) -> Router {
    let description =
        document.pointer("/info/description").and_then(Value::as_str).unwrap_or_default();
    let page = include_str!("../../assets/reference.html")
        .replace("{name}", &escape(name))
        .replace("{about}", &escape(description));
    page::router([
        Asset { path: "/openapi.json", content: Cow::Owned(document.to_string().into_bytes()) },
        Asset { path: "/api", content: Cow::Owned(page.into_bytes()) },
    ])
}
