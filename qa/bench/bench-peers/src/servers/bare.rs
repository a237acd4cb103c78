//! The limit: a server that returns prepared bytes, on the endpoint's HTTP library.

use super::{load, request};
use crate::contender::Task;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, RwLock};
use std::task::{Context, Poll};

const TARGET: &str = "x-amz-target";
/// Prefix of the operation that sets the answer of another.
const TEACH: &str = "Teach.";

type Answers = Arc<RwLock<HashMap<HeaderValue, Bytes>>>;

/// Sets the server's answer to a task.
pub(crate) fn teach(port: u16, task: Task, answer: &[u8]) {
    let operation = task.title().split(' ').next().expect("a word");
    let answer = std::str::from_utf8(answer).expect("JSON is text");
    load::one(port, &request::http(&format!("{TEACH}{operation}"), answer));
}

/// Serves until the process is killed.
pub(crate) async fn serve(port: u16) {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("the port");
    let answers = Answers::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&answers), request));
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    answers: Answers,
    request: Request<Incoming>,
) -> Result<Response<Whole>, Infallible> {
    let (head, mut body) = request.into_parts();
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) =
        std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    let target = head.headers.get(TARGET).cloned().unwrap_or(HeaderValue::from_static(""));
    let name = target.to_str().unwrap_or_default();
    if name.contains(TEACH) {
        let taught = HeaderValue::from_str(&name.replace(TEACH, "")).expect("a name");
        answers.write().expect("no panic").insert(taught, bytes.into());
    }
    let found = answers.read().expect("no panic").get(&target).cloned();
    let mut response = Response::new(Whole(Some(found.unwrap_or(Bytes::from_static(b"{}")))));
    let kind = HeaderValue::from_static("application/x-amz-json-1.0");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// A complete body.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
