//! The console's static files, embedded in the binary.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::routing::get;

/// An embedded file.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The path it is served at.
    pub path: &'static str,
    /// Its content.
    pub content: &'static [u8],
}

macro_rules! assets {
    ($($path:literal => $file:literal,)+) => {
        &[$(Asset { path: $path, content: include_bytes!(concat!("../assets/", $file)) },)+]
    };
}

/// Files shared with the pages of a site: styles, dialogs, charts.
pub const SHARED: &[Asset] = assets! {
    "/assets/singlet.css" => "shared/singlet.css",
    "/assets/icon.svg" => "shared/icon.svg",
    "/assets/chart.js" => "shared/chart.js",
    "/assets/dialog.js" => "shared/dialog.js",
    "/assets/dom.js" => "shared/dom.js",
};

pub(crate) const OWN: &[Asset] = assets! {
    "/console" => "console.html",
    "/console/console.css" => "console.css",
    "/console/main.js" => "main.js",
    "/console/changes.js" => "changes.js",
    "/console/client.js" => "client.js",
    "/console/design.js" => "design.js",
    "/console/item.js" => "item.js",
    "/console/items.js" => "items.js",
    "/console/palette.js" => "palette.js",
    "/console/snippet.js" => "snippet.js",
    "/console/value.js" => "value.js",
};

/// Adds a route for each file. Browsers revalidate their copy on each use.
pub(crate) fn add(router: Router, assets: &'static [Asset]) -> Router {
    assets.iter().fold(router, |router, asset| {
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(kind(asset.path))),
            (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        router.route(asset.path, get(move || async move { (headers, asset.content) }))
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    }
}
