//! Pages and assets: plain HTML, CSS and ES modules, embedded in the program.
//!
//! Browsers revalidate each time and usually get a 304. This is simpler than versioned URLs, and a
//! new program takes effect at once.

use crate::etag;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::get;
use std::borrow::Cow;
use std::sync::Arc;

/// An embedded file.
#[derive(Clone, Debug)]
pub struct Asset {
    /// The path. Its extension determines the media type; pages have none.
    pub path: &'static str,
    /// The content.
    pub content: Cow<'static, [u8]>,
}

/// Embeds files at their paths.
///
/// ```
/// // The files are relative to this one, as for `include_bytes!`.
/// let assets = singlet_web::assets! { "/list.rs" => "page.rs" };
/// assert_eq!(assets[0].path, "/list.rs");
/// # mod page {}
/// ```
#[macro_export]
macro_rules! assets {
    ($($path:literal => $file:literal),+ $(,)?) => {
        vec![$(
            $crate::page::Asset {
                path: $path,
                content: $crate::page::file(file!(), $file, include_bytes!($file)),
            }
        ),+]
    };
}

/// The content of an embedded file. `source` is the Rust file that names it.
///
/// In debug builds, `SINGLET_ASSETS_DIR` can name the workspace root to read files from at startup,
/// so that editing pages needs no rebuild.
#[doc(hidden)]
#[must_use]
pub fn file(source: &str, name: &str, content: &'static [u8]) -> Cow<'static, [u8]> {
    if cfg!(debug_assertions)
        && let Some(root) = std::env::var_os("SINGLET_ASSETS_DIR")
        && let Some(folder) = std::path::Path::new(&root).join(source).parent()
        && let Ok(content) = std::fs::read(folder.join(name))
    {
        return Cow::Owned(content);
    }
    Cow::Borrowed(content)
}

/// The shared style and modules.
#[must_use]
pub fn shared() -> Vec<Asset> {
    let with_console = singlet_console::SHARED.iter().map(|asset| {
        let name = asset.path.replacen("/assets", "../assets/shared", 1);
        let content = file("crates/singlet-console/src/assets.rs", &name, asset.content);
        Asset { path: asset.path, content }
    });
    let own = crate::assets! {
        "/assets/form.js" => "../assets/form.js",
        "/assets/header.js" => "../assets/header.js",
        "/assets/http.js" => "../assets/http.js",
        "/assets/list.js" => "../assets/list.js",
        "/assets/live.js" => "../assets/live.js",
        "/assets/qr.js" => "../assets/qr.js",
        "/assets/queue.js" => "../assets/queue.js",
        "/assets/reference.css" => "../assets/reference.css",
        "/assets/reference.js" => "../assets/reference.js",
        "/assets/session.js" => "../assets/session.js",
        "/assets/share.js" => "../assets/share.js",
        "/assets/tabs.js" => "../assets/tabs.js",
        "/assets/time.js" => "../assets/time.js",
    };
    with_console.chain(own).collect()
}

/// Fills in the shared parts of a system's page: `{head}`, `{header}` and `{base}` (the system's
/// path), and the system and sign-in attributes of `<html>`. Other files are left unchanged.
pub(crate) fn fill(asset: Asset, name: &str, title: &str, sign_in: Option<&str>) -> Asset {
    if !kind(asset.path).starts_with("text/html") {
        return asset;
    }
    let head = file(file!(), "../assets/head.html", include_bytes!("../assets/head.html"));
    let header = file(file!(), "../assets/header.html", include_bytes!("../assets/header.html"));
    let sign_in = sign_in.map_or_else(String::new, |path| format!(" data-sign-in=\"{path}\""));
    let header = String::from_utf8_lossy(&header).replace("{title}", &escape(title));
    let page = String::from_utf8_lossy(&asset.content)
        .replacen("<html", &format!("<html data-system=\"{name}\"{sign_in}"), 1)
        .replace("{head}", &String::from_utf8_lossy(&head))
        .replace("{header}", &header.replace("{name}", name))
        .replace("{base}", &format!("/{name}"));
    Asset { content: Cow::Owned(page.into_bytes()), ..asset }
}

/// A router that serves these files.
pub fn router<S: Clone + Send + Sync + 'static>(
    assets: impl IntoIterator<Item = Asset>,
) -> Router<S> {
    assets.into_iter().fold(Router::new(), |router, asset| {
        let path = asset.path;
        let ready = Arc::new(Ready::new(asset));
        router.route(path, get(move |headers: HeaderMap| async move { ready.answer(&headers) }))
    })
}

/// A file with its response headers.
struct Ready {
    content: axum::body::Bytes,
    kind: HeaderValue,
    tag: HeaderValue,
}

impl Ready {
    fn new(asset: Asset) -> Self {
        let tag = etag::of_content(&asset.content);
        Self {
            content: match asset.content {
                Cow::Borrowed(content) => axum::body::Bytes::from_static(content),
                Cow::Owned(content) => content.into(),
            },
            kind: HeaderValue::from_static(kind(asset.path)),
            tag,
        }
    }

    fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        let mut response = if etag::is_known(asked.get(IF_NONE_MATCH), &self.tag) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.content.clone()));
            response.headers_mut().insert(CONTENT_TYPE, self.kind.clone());
            response
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, self.tag.clone());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}

fn kind(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/html; charset=utf-8",
    }
}

/// Escapes text for HTML, between tags and in quoted attributes.
///
/// ```
/// assert_eq!(singlet_web::page::escape("<b>\"Ann\" & Bob</b>"), "&lt;b&gt;&quot;Ann&quot; &amp; Bob&lt;/b&gt;");
/// ```
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Escapes text for HTML and renders backticks as code.
pub(crate) fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => html.push_str(&escape(part)),
            _ => html.extend(["<code>", &escape(part), "</code>"]),
        }
    }
    html
}
