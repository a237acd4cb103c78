//! Bodies other than JSON.

use super::argument::{Argument, read_body};
use super::operation::Operation;
use crate::problem::{MALFORMED, Problem, TOO_LARGE, UNAVAILABLE, UNSUPPORTED_TYPE};
use crate::server::ConnectionGuard;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use serde_json::{Map, Value, json};
use singlet_edge::{Reservation, Room, Shares};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Memory for raw bodies of all requests: 32 images of 8 MiB. A connection gets at most half of it,
/// and so does an address.
const ROOM_BYTES: usize = 256 << 20;

/// Memory for raw bodies, shared by the process.
static ROOM: LazyLock<Room> = LazyLock::new(|| Room::new(ROOM_BYTES));

/// Memory for raw bodies. The server watches it to cut off slow clients under pressure.
pub(crate) fn room() -> &'static Room {
    &ROOM
}

/// The size limit of a route with a raw body, as a request extension.
#[derive(Clone, Copy)]
pub(super) struct RawBound(pub(super) usize);

/// A kind of raw body.
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
    /// Maximum size. Overrides the server's limit.
    const BYTES_MAX: usize;
    /// Accepted media types, in lower case and without parameters.
    const MEDIA_TYPES: &'static [&'static str];
}

/// A body of a declared media type. The type is the client's claim: check the bytes before trusting
/// it.
pub struct RawBody<K: RawKind> {
    /// The content.
    pub bytes: Bytes,
    /// One of the media types of the kind.
    pub media_type: &'static str,
    /// The memory reservation, released on drop.
    _reservation: Arc<Reservation>,
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

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let media_type = media_type_of::<K>(&request).ok_or_else(|| {
            let detail = format!("the body must be {}", K::MEDIA_TYPES.join(" or "));
            Problem::new(&UNSUPPORTED_TYPE).detail(detail)
        })?;
        // An idempotent request has reserved its memory already.
        let reservation = match request.extensions().get::<Arc<Reservation>>() {
            Some(reservation) => Arc::clone(reservation),
            None => reserve(request.headers(), request.extensions(), K::BYTES_MAX)?,
        };
        let bytes = read_body(request).await?;
        Ok(Self { bytes, media_type, _reservation: reservation, kind: PhantomData })
    }
}

/// Reserves memory for a raw body that is read before the function is called, and stores the
/// reservation in the request's extensions.
pub(crate) fn reserve_early(parts: &mut Parts) -> Result<(), Problem> {
    if let Some(RawBound(bytes_max)) = parts.extensions.get().copied() {
        let reservation = reserve(&parts.headers, &parts.extensions, bytes_max)?;
        parts.extensions.insert(reservation);
    }
    Ok(())
}

/// Reserves memory for a body before reading it: its `Content-Length`, or `bytes_max` if unknown.
fn reserve(
    headers: &HeaderMap,
    extensions: &Extensions,
    bytes_max: usize,
) -> Result<Arc<Reservation>, Problem> {
    let shares = extensions.get::<ConnectionGuard>().map(ConnectionGuard::shares);
    reserve_in(&ROOM, &shares.cloned().unwrap_or_default(), headers, bytes_max)
}

fn reserve_in(
    room: &Room,
    shares: &Shares,
    headers: &HeaderMap,
    bytes_max: usize,
) -> Result<Arc<Reservation>, Problem> {
    let len = headers.get(CONTENT_LENGTH).and_then(|len| len.to_str().ok()?.parse().ok());
    let len: usize = len.unwrap_or(bytes_max);
    if len > bytes_max {
        return Err(Problem::new(&TOO_LARGE));
    }
    let mut reservation = room.hold(shares);
    if !reservation.add(len) {
        let wait = Duration::from_secs(1);
        return Err(Problem::new(&UNAVAILABLE).retry_after(wait).safe_to_retry());
    }
    Ok(Arc::new(reservation))
}

/// The media type of the request, if the kind accepts it.
fn media_type_of<K: RawKind>(request: &Request) -> Option<&'static str> {
    let given = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = given.split(';').next().unwrap_or_default().trim();
    K::MEDIA_TYPES.iter().copied().find(|known| essence.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use singlet_edge::Share;

    /// Regression: one address could take all the memory over many connections.
    #[test]
    fn one_address_leaves_room_for_others() {
        let (room, headers) = (Room::new(100), HeaderMap::new());
        let address = Some(Share::default());
        let of_address = || Shares { address: address.clone(), ..Shares::default() };
        let held: Vec<_> =
            (0..10).map_while(|_| reserve_in(&room, &of_address(), &headers, 10).ok()).collect();
        assert_eq!(held.len(), 5);
        let refused = reserve_in(&room, &of_address(), &headers, 10).unwrap_err();
        assert_eq!((refused.problem_type(), refused.is_safe_to_retry()), (&UNAVAILABLE, true));
        assert!(reserve_in(&room, &Shares::default(), &headers, 10).is_ok());
        drop(held);
        assert!(reserve_in(&room, &of_address(), &headers, 10).is_ok());
    }
}
