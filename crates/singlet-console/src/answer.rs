//! DynamoDB requests from the pages, executed by the backend.

use crate::Shared;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use singlet::backend::BackendError;
use singlet_dynamo::json::Writer;
use singlet_dynamo::operation::Request;
use std::sync::Arc;
use std::time::Instant;

/// Names the operation, as in DynamoDB. A custom header forces a CORS preflight on other sites.
const TARGET: &str = "x-amz-target";
/// How long the backend took, in microseconds.
const TIME: HeaderName = HeaderName::from_static("console-time-us");

/// The operations that only read.
const READS: &[&str] = &[
    "BatchGetItem",
    "DescribeEndpoints",
    "DescribeLimits",
    "DescribeStream",
    "DescribeTable",
    "DescribeTimeToLive",
    "GetItem",
    "GetRecords",
    "GetShardIterator",
    "ListStreams",
    "ListTables",
    "ListTagsOfResource",
    "Query",
    "Scan",
    "TransactGetItems",
];

pub(crate) async fn execute(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let target = headers.get(TARGET).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit_once('.').map_or("", |(_, operation)| operation);
    if shared.about.is_read_only && !READS.contains(&operation) {
        return failure(
            StatusCode::FORBIDDEN,
            "ReadOnly",
            "This console is read-only. Start it without --read-only to change items.",
        );
    }
    let request = match Request::from_json(operation, &body) {
        Ok(request) => request,
        Err(error) => return refusal(&error),
    };
    let start = Instant::now();
    let outcome = shared.backend.execute(request).await;
    let micros = start.elapsed().as_micros();
    let mut response = match outcome {
        Ok(answer) => {
            let mut writer = Writer::new();
            answer.write_json(&mut writer);
            json(writer.into_bytes())
        }
        Err(BackendError::Refused(error)) => refusal(&error),
        Err(error) => failure(StatusCode::BAD_GATEWAY, "Unreachable", &error.to_string()),
    };
    if let Ok(micros) = HeaderValue::from_str(&micros.to_string()) {
        response.headers_mut().insert(TIME, micros);
    }
    response
}

pub(crate) fn json(body: impl Into<Body>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (headers, body.into()).into_response()
}

fn refusal(error: &singlet_dynamo::Error) -> Response {
    let mut writer = Writer::new();
    error.write_json(&mut writer);
    let mut response = json(writer.into_bytes());
    *response.status_mut() =
        StatusCode::from_u16(error.kind().status()).unwrap_or(StatusCode::BAD_REQUEST);
    response
}

/// An error of the console itself, in DynamoDB's form.
pub(crate) fn failure(status: StatusCode, kind: &str, message: &str) -> Response {
    let mut response = json(json!({ "__type": kind, "message": message }).to_string());
    *response.status_mut() = status;
    response
}
