//! The live feed: changes to a table as server-sent events.

use crate::Shared;
use crate::answer::failure;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use singlet::backend::{BackendError, Feed, FeedEvent};
use singlet_dynamo::json::Writer;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Buffered events of a slow page. When full, the feed pauses and reports missed events later.
const EVENTS_WAITING_MAX: usize = 64;
/// Interval of keep-alives, which detect closed pages.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(crate) struct Followed {
    table: String,
}

pub(crate) async fn follow(
    State(shared): State<Arc<Shared>>,
    Query(Followed { table }): Query<Followed>,
) -> Response {
    let feed = match shared.backend.changes(&table).await {
        Ok(feed) => feed,
        Err(error) => return refused(&error),
    };
    let (sender, receiver) = mpsc::channel(EVENTS_WAITING_MAX);
    tokio::spawn(forward(feed, sender));
    let body = stream::unfold(receiver, |mut receiver| async move {
        let event = match tokio::time::timeout(KEEP_ALIVE_INTERVAL, receiver.recv()).await {
            Ok(event) => event?,
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((Ok::<_, Infallible>(event), receiver))
    });
    let kind = HeaderValue::from_static("text/event-stream");
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (headers, Body::from_stream(body)).into_response()
}

fn refused(error: &BackendError) -> Response {
    let status = match error {
        BackendError::NoStream { .. } => StatusCode::CONFLICT,
        BackendError::Refused(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::BAD_GATEWAY,
    };
    failure(status, "NoChanges", &error.to_string())
}

/// Forwards events until the feed ends or the page disconnects.
async fn forward(mut feed: Box<dyn Feed>, sender: mpsc::Sender<Bytes>) {
    // Tells the page that it is connected.
    if sender.send(Bytes::from_static(b": connected\n\n")).await.is_err() {
        return;
    }
    loop {
        let event = tokio::select! {
            () = sender.closed() => return,
            event = feed.next() => event,
        };
        let text = match event {
            Some(Ok(event)) => written(&event),
            Some(Err(error)) => {
                let problem = serde_json::json!({ "problem": error.to_string() });
                let _ = sender.send(format!("data: {problem}\n\n").into()).await;
                return;
            }
            None => return,
        };
        if sender.send(text).await.is_err() {
            return;
        }
    }
}

/// An event as a single line of JSON.
fn written(event: &FeedEvent) -> Bytes {
    let mut writer = Writer::with_buffer(b"data: ".to_vec());
    writer.object(|object| match event {
        FeedEvent::Change { old, new, is_expiry } => {
            if let Some(old) = old {
                object.member("old", |writer| old.as_item().write_json(writer));
            }
            if let Some(new) = new {
                object.member("new", |writer| new.as_item().write_json(writer));
            }
            if *is_expiry {
                object.boolean("isExpiry", true);
            }
        }
        FeedEvent::FellBehind { missed } => {
            object.boolean("fellBehind", true);
            if let Some(missed) = missed {
                object.integer("missed", *missed);
            }
        }
    });
    let mut bytes = writer.into_bytes();
    bytes.extend_from_slice(b"\n\n");
    bytes.into()
}
