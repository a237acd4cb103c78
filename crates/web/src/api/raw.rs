//! Bodies that are not JSON.

use super::argument::{Argument, read_body};
use super::operation::Operation;
use crate::problem::{MALFORMED, Problem, TOO_LARGE, UNAVAILABLE, UNSUPPORTED_TYPE};
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use singlet_edge::{Reservation, Room, Shares};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// How many bytes of raw bodies are in memory at most, of all requests together: 32 images of 8 MiB.
const ROOM_BYTES: usize = 256 << 20;

/// The memory for raw bodies, of the whole program.
static ROOM: LazyLock<Room> = LazyLock::new(|| Room::new(ROOM_BYTES));

/// What a raw body may be.
///
/// ```
/// use singlet_web::api::{NoContent, RawBody, RawKind};
///
/// struct Avatar;
///
/// impl RawKind for Avatar {
///     const BYTES_MAX: usize = 2 << 20;
///     const MEDIA_TYPES: &'static [&'static str] = &["image/png", "image/jpeg"];
/// }
///
/// async fn upload(image: RawBody<Avatar>) -> NoContent {
///     assert!(image.bytes.len() <= Avatar::BYTES_MAX);
///     NoContent
/// }
/// # drop(upload);
/// ```
pub trait RawKind: Send + Sync + 'static {
    /// How many bytes it may have. It replaces the server's own bound for bodies.
    const BYTES_MAX: usize;
    /// The media types that it may have, without parameters and in small letters.
    const MEDIA_TYPES: &'static [&'static str];
}

/// A body that is not JSON: bytes of a declared media type. The type is what the client says: look at
/// the bytes before you believe it.
pub struct RawBody<K: RawKind> {
    /// The bytes.
    pub bytes: Bytes,
    /// One of the media types of the kind.
    pub media_type: &'static str,
    /// The memory that the bytes take, until this is dropped.
    _reservation: Option<Arc<Reservation>>,
    kind: PhantomData<K>,
}

impl<K: RawKind> fmt::Debug for RawBody<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, media_type, .. } = self;
        write!(f, "RawBody({media_type}, {} bytes)", bytes.len())
    }
}

impl<K: RawKind> Argument for RawBody<K> {
    fn describe(operation: &mut Operation<'_>) {
        let schema = json!({"type": "string", "format": "binary", "maxLength": K::BYTES_MAX});
        let content: Map<String, Value> = K::MEDIA_TYPES
            .iter()
            .map(|media_type| ((*media_type).to_owned(), json!({"schema": schema})))
            .collect();
        operation.body = Some(json!({"required": true, "content": content}));
        operation.body_bytes_max = Some(K::BYTES_MAX);
        for problem_type in [&MALFORMED, &UNSUPPORTED_TYPE, &TOO_LARGE, &UNAVAILABLE] {
            operation.add_problem(problem_type);
        }
    }
}

impl<K: RawKind, S: Send + Sync> FromRequest<S> for RawBody<K> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let media_type = media_type_of::<K>(&request).ok_or_else(|| {
            let detail = format!("the body must be {}", K::MEDIA_TYPES.join(" or "));
            Problem::new(&UNSUPPORTED_TYPE).detail(detail)
        })?;
        let reservation = request.extensions().get().cloned();
        let bytes = read_body(request, state).await?;
        Ok(Self { bytes, media_type, _reservation: reservation, kind: PhantomData })
    }
}

/// Reserves memory for the body of a request to a route that takes up to so many bytes: before
/// anything of it is read, and all of it for clients that do not say how much they send. It is
/// kept in the request's extensions.
pub(super) fn reserve(headers: &HeaderMap, bytes_max: usize) -> Result<Arc<Reservation>, Problem> {
    let len = headers.get(CONTENT_LENGTH).and_then(|len| len.to_str().ok()?.parse().ok());
    let len: usize = len.unwrap_or(bytes_max);
    if len > bytes_max {
        return Err(Problem::new(&TOO_LARGE));
    }
    let mut reservation = ROOM.hold(&Shares::default());
    if !reservation.add(len) {
        let wait = Duration::from_secs(1);
        return Err(Problem::new(&UNAVAILABLE).retry_after(wait).safe_to_retry());
    }
    Ok(Arc::new(reservation))
}

/// The media type of the request, if it is one of the kind.
fn media_type_of<K: RawKind>(request: &Request) -> Option<&'static str> {
    let given = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = given.split(';').next().unwrap_or_default().trim();
    K::MEDIA_TYPES.iter().copied().find(|known| essence.eq_ignore_ascii_case(known))
}
