//! The life of one request, from its head to its answer.

use crate::answer::{self, RequestIds};
use crate::body::{self, Body, Refused};
use crate::limits::Limits;
use crate::target;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use singlet_dynamo::json::Writer;
use singlet_dynamo::{Error, ErrorKind, operation};
use singlet_engine::Engine;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) ids: RequestIds,
    /// What the endpoint is called by those who only ask whether it is there.
    pub(crate) name: String,
}

/// Answers a request, whatever it is. A mistake of ours is an answer too.
pub(crate) async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    let id = shared.ids.next();
    let mut work = pin!(dispatch(shared, request, id.clone()));
    poll_fn(|context| {
        // What one request brings down must not bring down the connection or the process: what
        // all requests share is changed in single steps, none of which can be left half done.
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))).unwrap_or_else(|_| {
            let error = Error::new(ErrorKind::InternalServerError);
            Poll::Ready(answer::error(&error, id.clone()))
        })
    })
    .await
}

async fn dispatch(shared: &Shared, request: Request<Incoming>, id: HeaderValue) -> Response<Body> {
    let (head, body) = request.into_parts();
    if head.method == Method::GET {
        return match head.uri.path() {
            "/health" => answer::text(StatusCode::OK, "ok\n", id),
            _ => answer::text(StatusCode::OK, format!("healthy: {} ", shared.name), id),
        };
    }
    let body = match body::read(body, shared.limits.body_bytes_max).await {
        Ok(body) => body,
        Err(refused) => return unread(&refused, id),
    };
    if head.method != Method::POST || !(body.is_empty() || is_json(&head.headers)) {
        return answer::text(StatusCode::NOT_FOUND, "<UnknownOperationException/>\n", id);
    }
    match carry_out(shared, &head.headers, &body).await {
        Ok(json) => answer::json(StatusCode::OK, json, id),
        Err(error) => answer::error(&error, id),
    }
}

async fn carry_out(shared: &Shared, headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Error> {
    let target = headers.get(TARGET).map_or(&b""[..], HeaderValue::as_bytes);
    let Some(operation) = target::operation(target) else {
        return Err(Error::new(ErrorKind::UnknownOperation));
    };
    let request = operation::Request::from_json(operation, body)?;
    let answer = shared.engine.execute_async(request).await.map_err(|error| error.to_dynamo())?;
    let mut writer = Writer::new();
    answer.write_json(&mut writer);
    Ok(writer.into_bytes())
}

/// Whether the body is of a kind that the service takes.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    kind == b"application/x-amz-json-1.0" || kind == b"application/json"
}

fn unread(refused: &Refused, id: HeaderValue) -> Response<Body> {
    let (status, text) = match refused {
        Refused::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, ""),
        Refused::CutShort => (StatusCode::BAD_REQUEST, ""),
    };
    answer::text(status, text, id)
}
