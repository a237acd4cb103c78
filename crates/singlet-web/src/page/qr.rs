//! QR codes of links, so that a page can be handed to a phone.

use crate::problem::Problem;
use crate::validate::FieldLocation;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;
use percent_encoding::percent_decode_str;
use qrcode::QrCode;
use qrcode::render::svg;

/// The longest text: any link that people share. Longer ones make codes that phones cannot read
/// from a screen.
const TEXT_BYTES_MAX: usize = 512;
/// The least width of the drawing. Pages scale it.
const PIXELS_MIN: u32 = 240;

/// `GET /assets/qr.svg?text=…`: a text as a QR code.
pub(crate) async fn show(RawQuery(query): RawQuery) -> Response<Body> {
    let text = query.as_deref().and_then(|query| query.strip_prefix("text="));
    let text = text.and_then(|text| percent_decode_str(text).decode_utf8().ok());
    match text.and_then(|text| draw(&text)) {
        Some(drawing) => {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
            // The same text is the same code for ever; the text may be for one person only.
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400"));
            (headers, drawing).into_response()
        }
        None => {
            let detail = "must have 1 to 512 bytes";
            Problem::invalid_field(FieldLocation::Query, "text", detail).into_response()
        }
    }
}

/// Dark on light, with the quiet zone that readers need; `None` for a text that is too long.
fn draw(text: &str) -> Option<String> {
    if text.is_empty() || text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let code = QrCode::new(text).ok()?;
    Some(code.render::<svg::Color<'_>>().min_dimensions(PIXELS_MIN, PIXELS_MIN).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_drawn_and_long_texts_are_not() {
        let drawing = draw("http://127.0.0.1:8080/hello/ACD347").unwrap();
        assert!(drawing.contains("<svg") && drawing.contains("</svg>"), "{drawing}");
        assert!(draw(&"x".repeat(TEXT_BYTES_MAX)).is_some());
        assert!(draw(&"x".repeat(TEXT_BYTES_MAX + 1)).is_none());
        assert!(draw("").is_none());
        // What looks like markup is a text like any other.
        assert!(!draw("<script>alert(1)</script>").unwrap().contains("script"));
    }
}
