//! A request to another service, and its response.

use super::breaker::Breaker;
use super::retry::{Retry, is_worth_retrying, retry_after};
use super::{Client, OutboundError, OutboundErrorKind, check_address};
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::Uri;
use hyper::{HeaderMap, Method, Request};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use singlet::backend::BoxFuture;
use std::fmt;
use std::io::Read as _;
use std::time::{Duration, Instant, SystemTime};

/// Percent-encodes all but the unreserved characters of RFC 3986. Some services compare parameter
/// names before decoding.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request builder. Errors are reported by [`send`](Self::send).
#[must_use = "a request does nothing until it is sent"]
pub struct OutboundRequest {
    client: Client,
    method: Method,
    address: Result<Uri, OutboundError>,
    query: String,
    /// The last path segment, never shown.
    secret_segment: String,
    headers: HeaderMap,
    body: Bytes,
    retry: Retry,
    breaker: Option<Breaker>,
    is_idempotent: bool,
}

impl OutboundRequest {
    pub(super) fn new(client: &Client, method: Method, url: &str) -> Self {
        let is_idempotent = method.is_safe();
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        Self {
            client: client.clone(),
            method,
            address: check_address(url),
            query: String::new(),
            secret_segment: String::new(),
            headers,
            body: Bytes::new(),
            retry: Retry::none(),
            breaker: None,
            is_idempotent,
        }
    }

    /// Adds a header.
    pub fn header(self, name: &'static str, value: &str) -> Self {
        self.with_header(name, value, false)
    }

    /// Adds a header whose value is hidden in logs and errors.
    pub fn secret_header(self, name: &'static str, value: &str) -> Self {
        self.with_header(name, value, true)
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        if !self.query.is_empty() {
            self.query.push('&');
        }
        self.query.extend(utf8_percent_encode(name, RESERVED));
        self.query.push('=');
        self.query.extend(utf8_percent_encode(value, RESERVED));
        self
    }

    /// Adds a secret query parameter. The query is never shown.
    pub fn secret_query(self, name: &str, value: &str) -> Self {
        self.query(name, value)
    }

    /// Adds a secret as the last path segment, such as a device token. Logs and errors omit it.
    pub fn secret_segment(mut self, segment: &str) -> Self {
        self.secret_segment.extend(utf8_percent_encode(segment, RESERVED));
        self
    }

    /// Sets a JSON body.
    pub fn json(mut self, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.body = body.into(),
            Err(_) => self.fail(),
        }
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self
    }

    /// Marks the request as safe to repeat, so that it can be retried.
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Sets the retry policy.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Checks this breaker before every attempt.
    pub fn breaker(mut self, breaker: &Breaker) -> Self {
        self.breaker = Some(breaker.clone());
        self
    }

    /// Sends the request and reads the whole response.
    ///
    /// # Errors
    ///
    /// If the last attempt gets no response. Any status is a response.
    #[inline(never)]
    pub fn send(self) -> BoxFuture<'static, Result<OutboundResponse, OutboundError>> {
        Box::pin(async move {
            let target = target(&self.address.clone()?);
            let uri = self.uri()?;
            let mut attempts = 0;
            loop {
                attempts += 1;
                let permit = match &self.breaker {
                    None => None,
                    Some(breaker) => Some(breaker.admit().map_err(|until| {
                        OutboundError::new(OutboundErrorKind::BreakerOpen { until }, &target)
                    })?),
                };
                let start = Instant::now();
                let outcome = self.attempt(&uri, &target).await;
                let (took_ms, method) = (start.elapsed().as_millis() as u64, self.method.as_str());
                let status = outcome.as_ref().map(|response| response.status).unwrap_or_default();
                match &outcome {
                    Ok(_) => {
                        tracing::debug!(target, method, status, took_ms, "asked another service")
                    }
                    Err(error) => tracing::debug!(%error, method, took_ms, "asked another service"),
                }
                if let Some(permit) = permit {
                    permit.report(outcome.is_err() || status == 429 || status >= 500);
                }
                let (is_worth_it, asked) = match &outcome {
                    Ok(response) => (is_worth_retrying(response.status), response.retry_after()),
                    Err(error) => {
                        let kinds = [OutboundErrorKind::Connect, OutboundErrorKind::Timeout];
                        (kinds.contains(&error.kind), None)
                    }
                };
                let wait = self.retry.wait(attempts, asked);
                match wait.filter(|_| is_worth_it && self.is_idempotent) {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => return outcome,
                }
            }
        })
    }

    async fn attempt(&self, uri: &Uri, target: &str) -> Result<OutboundResponse, OutboundError> {
        let timeout = self.client.0.options.request_time_max;
        let error = |kind| OutboundError::new(kind, target);
        match tokio::time::timeout(timeout, self.exchange(uri, target)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(error(OutboundErrorKind::Timeout)),
        }
    }

    async fn exchange(&self, uri: &Uri, target: &str) -> Result<OutboundResponse, OutboundError> {
        let error = |kind| OutboundError::new(kind, target);
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = self.headers.clone();
        let answer = self.client.pool()?.request(request).await;
        let answer = answer.map_err(|why| error(OutboundErrorKind::Connect).because(&why))?;
        let (head, body) = answer.into_parts();
        let bytes_max = self.client.0.options.body_bytes_max;
        let body = match Limited::new(body, bytes_max).collect().await {
            Ok(body) => body.to_bytes(),
            Err(why) if why.is::<LengthLimitError>() => {
                return Err(error(OutboundErrorKind::TooLarge));
            }
            Err(why) => return Err(error(OutboundErrorKind::Connect).because(&*why)),
        };
        let encoding = head.headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
        let body = match encoding {
            None | Some(b"identity") => body,
            Some(b"gzip") => unpack(&body, bytes_max).map_err(error)?,
            Some(_) => return Err(error(OutboundErrorKind::Unreadable)),
        };
        Ok(OutboundResponse {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
            target: target.to_owned(),
        })
    }

    /// The full address.
    fn uri(&self) -> Result<Uri, OutboundError> {
        let uri = self.address.clone()?;
        if self.query.is_empty() && self.secret_segment.is_empty() {
            return Ok(uri);
        }
        let text = uri.to_string();
        let text = text.split('#').next().unwrap_or_default();
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let queries: Vec<&str> =
            [query, &self.query].into_iter().filter(|query| !query.is_empty()).collect();
        let sign = if queries.is_empty() { "" } else { "?" };
        let segment = &self.secret_segment;
        let slash = if segment.is_empty() || path.ends_with('/') { "" } else { "/" };
        let whole = format!("{path}{slash}{segment}{sign}{}", queries.join("&")).parse();
        whole.map_err(|_| OutboundError::new(OutboundErrorKind::Request, &target(&uri)))
    }

    fn with_header(mut self, name: &'static str, value: &str, is_secret: bool) -> Self {
        match (HeaderName::try_from(name), HeaderValue::from_str(value)) {
            (Ok(name), Ok(mut value)) => {
                value.set_sensitive(is_secret);
                self.headers.insert(name, value);
            }
            _ => self.fail(),
        }
        self
    }

    fn fail(&mut self) {
        if let Ok(uri) = &self.address {
            self.address = Err(OutboundError::new(OutboundErrorKind::Request, &target(uri)));
        }
    }
}

impl fmt::Debug for OutboundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.address.as_ref().map(target).unwrap_or_default();
        f.debug_struct("OutboundRequest")
            .field("method", &self.method)
            .field("target", &target)
            // Sensitive header values print as `Sensitive`.
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// Host and path.
fn target(uri: &Uri) -> String {
    format!("{}{}", uri.authority().map_or("", |authority| authority.as_str()), uri.path())
}

/// Decompresses gzip, up to the size limit.
fn unpack(packed: &[u8], bytes_max: usize) -> Result<Bytes, OutboundErrorKind> {
    let mut body = Vec::new();
    let bound = bytes_max as u64 + 1;
    let read = MultiGzDecoder::new(packed).take(bound).read_to_end(&mut body);
    read.map_err(|_| OutboundErrorKind::Unreadable)?;
    if body.len() > bytes_max { Err(OutboundErrorKind::TooLarge) } else { Ok(body.into()) }
}

/// A response of another service.
#[derive(Clone)]
pub struct OutboundResponse {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
    target: String,
}

impl OutboundResponse {
    /// The status code.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the status is 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A header, if present and text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The delay requested by `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers, SystemTime::now())
    }

    /// The decompressed body.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    ///
    /// [`OutboundErrorKind::Unreadable`] with line and column, without any of the body.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, OutboundError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let mut failure = OutboundError::new(OutboundErrorKind::Unreadable, &self.target);
            failure.reason = format!("JSON, line {} column {}", error.line(), error.column());
            failure
        })
    }
}

impl fmt::Debug for OutboundResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundResponse")
            .field("target", &self.target)
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
