//! Refusals that are a matter of HTTP, declared once: status, text, and name in the metrics.

use hyper::StatusCode;

macro_rules! rejections {
    ($($(#[$doc:meta])+ $name:ident = $label:literal, $status:ident, $text:literal;)+) => {
        /// A refusal for which DynamoDB has no error of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rejection {
            $($(#[$doc])+ $name,)+
        }

        impl Rejection {
            /// All of them, in the order of their declaration.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)+];

            /// What the metrics call it.
            pub(crate) fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)+
                }
            }

            /// The status of the answer.
            pub(crate) fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)+
                }
            }

            /// The body of the answer, for whoever looks into it.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

rejections! {
    /// No operation is asked for in this way. The service's own words.
    NoOperation = "no_operation", NOT_FOUND, "<UnknownOperationException/>\n";
    /// The request was meant for another host.
    ForeignHost = "foreign_host", FORBIDDEN, "The Host header names another machine. This endpoint listens on the loopback address, and answers requests for localhost, 127.0.0.1 and [::1] only.\n";
    /// The engine takes no writes any more.
    Unhealthy = "unhealthy", SERVICE_UNAVAILABLE, "The engine refuses writes, because a commit failed or because it is being closed. The log says why.\n";
    /// There are more headers than a request may have.
    TooManyHeaders = "too_many_headers", REQUEST_HEADER_FIELDS_TOO_LARGE, "The request has more than 100 headers.\n";
    /// The body is longer than any request may be.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is larger than 16 MB.\n";
    /// The body did not arrive in time.
    BodyTooSlow = "body_too_slow", REQUEST_TIMEOUT, "The body did not arrive in time.\n";
    /// The body ended before its end.
    BodyCutShort = "body_cut_short", BAD_REQUEST, "The body ended before its end.\n";
    /// The body is said to be compressed, and is not.
    BodyNotGzip = "body_not_gzip", BAD_REQUEST, "The body is not what Content-Encoding says: it is no gzip, or a damaged one.\n";
}
