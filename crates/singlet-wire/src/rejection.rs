//! HTTP-level errors, each declared once: status, text, and label in the metrics.

use hyper::StatusCode;

macro_rules! rejections {
    ($($(#[$doc:meta])+ $name:ident = $label:literal, $status:ident, $text:literal;)+) => {
        /// An error without a DynamoDB equivalent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rejection {
            $($(#[$doc])+ $name,)+
        }

        impl Rejection {
            /// All of them, in declaration order.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)+];

            /// The label in the metrics.
            pub(crate) fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)+
                }
            }

            /// The HTTP status.
            pub(crate) fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)+
                }
            }

            /// The response body.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

rejections! {
    /// The path or method names no operation. The service's own text.
    NoOperation = "no_operation", NOT_FOUND, "<UnknownOperationException/>\n";
    /// The request was sent to another host.
    ForeignHost = "foreign_host", FORBIDDEN, "The Host header names another machine. This endpoint listens on a loopback address and only accepts the hosts localhost, 127.0.0.1 and [::1].\n";
    /// The engine no longer accepts writes.
    Unhealthy = "unhealthy", SERVICE_UNAVAILABLE, "The engine refuses writes because a commit failed or it is shutting down. See the log.\n";
    /// Too many headers.
    TooManyHeaders = "too_many_headers", REQUEST_HEADER_FIELDS_TOO_LARGE, "The request has more than 100 headers.\n";
    /// The body exceeds the limit.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is larger than 16 MB.\n";
    /// The body did not arrive in time.
    BodyTooSlow = "body_too_slow", REQUEST_TIMEOUT, "The body did not arrive in time.\n";
    /// The connection ended before the whole body arrived.
    BodyCutShort = "body_cut_short", BAD_REQUEST, "The request body is shorter than Content-Length.\n";
    /// The body is not valid gzip, though Content-Encoding says so.
    BodyNotGzip = "body_not_gzip", BAD_REQUEST, "The body is not valid gzip, but Content-Encoding says it is.\n";
}
