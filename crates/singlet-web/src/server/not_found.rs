//! The 404 response.

use crate::page::escape;
use crate::problem::{NOT_FOUND, Problem};
use crate::system::SystemInfo;
use axum::extract::Request;
use axum::http::header::{ACCEPT, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use std::sync::Arc;

/// The systems the page links to.
#[derive(Clone)]
pub(super) struct NotFound {
    /// Names and titles.
    systems: Arc<[(&'static str, &'static str)]>,
}

impl NotFound {
    pub(super) fn new(systems: &[&SystemInfo]) -> Self {
        Self { systems: systems.iter().map(|system| (system.name, system.title)).collect() }
    }

    /// A page for browsers, a problem for other clients.
    pub(super) fn answer(&self, request: &Request) -> Response {
        let mut response = match prefers_page(request.headers()) {
            true => self.page(request.uri().path()),
            false => Problem::new(&NOT_FOUND).into_response(),
        };
        response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
        response
    }

    fn page(&self, path: &str) -> Response {
        let first = path.split('/').nth(1);
        let system = self.systems.iter().find(|(name, _)| Some(*name) == first);
        let link = system.map_or_else(String::new, |(name, title)| {
            format!("<a class=\"button\" href=\"/{name}\">{}</a> ", escape(title))
        });
        let page = include_str!("../../assets/not-found.html").replace("{system}", &link);
        let mut response = (StatusCode::NOT_FOUND, Html(page)).into_response();
        // Counted as a problem.
        response.extensions_mut().insert(Problem::new(&NOT_FOUND));
        response
    }
}

/// Whether the client accepts HTML by name, and JSON no more than that.
fn prefers_page(headers: &HeaderMap) -> bool {
    let page = quality(headers, &["text/html"]);
    page > 0.0 && page >= quality(headers, &["application/json", "application/problem+json"])
}

/// The greatest quality value that `Accept` gives one of these media types by name.
fn quality(headers: &HeaderMap, media_types: &[&str]) -> f32 {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let named = accepted.flat_map(|value| value.split(',')).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next()?;
        let is_named = media_types.iter().any(|one| one.eq_ignore_ascii_case(name));
        let quality = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            key.trim().eq_ignore_ascii_case("q").then(|| value.trim().parse::<f32>().ok())?
        });
        is_named.then_some(quality.unwrap_or(1.0))
    });
    named.fold(0.0, f32::max)
}
