//! Every DynamoDB error, declared once: name, HTTP status, default message.

use crate::json::value::read_answered;
use crate::json::{Reader, Writer};
use crate::stored::Attributes;
use std::borrow::Cow;
use std::fmt;

/// Maximum length of an error message. Texts quoted from a request are truncated one by one; this
/// bounds their sum.
pub const MESSAGE_SIZE_MAX: usize = 64 * 1024;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! error_kinds {
    ($($(#[$doc:meta])+ $kind:ident = $name:literal, $status:literal, $text:literal;)+) => {
        /// The error kinds, by their names in SDKs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])+ $kind,)+
        }

        impl ErrorKind {
            /// All kinds, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// The full name, as in `__type`.
            #[must_use]
            pub fn qualified_name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// The HTTP status.
            #[must_use]
            pub fn status(self) -> u16 {
                match self {
                    $(Self::$kind => $status,)+
                }
            }

            /// The service's default message.
            #[must_use]
            pub fn usual_text(self) -> &'static str {
                match self {
                    $(Self::$kind => $text,)+
                }
            }
        }
    };
}

error_kinds! {
    /// The request is well-formed but invalid.
    Validation = "com.amazon.coral.validate#ValidationException", 400, "";
    /// The request is not JSON of the right shape.
    Serialization = "com.amazon.coral.service#SerializationException", 400, "";
    /// There is no operation of this name.
    UnknownOperation = "com.amazon.coral.service#UnknownOperationException", 400, "";
    /// The request is not signed.
    MissingAuthenticationToken = "com.amazon.coral.service#MissingAuthenticationTokenException", 400, "Request is missing Authentication Token";
    /// The signature is incomplete or malformed.
    IncompleteSignature = "com.amazon.coral.service#IncompleteSignatureException", 400, "";
    /// The signature does not match the request, or has expired.
    InvalidSignature = "com.amazon.coral.service#InvalidSignatureException", 400, "";
    /// The access key is unknown.
    UnrecognizedClient = "com.amazon.coral.service#UnrecognizedClientException", 400, "";
    /// The caller may not do this, or not to this resource.
    AccessDenied = "com.amazon.coral.service#AccessDeniedException", 400, "Access Denied";
    /// The server is overloaded.
    Throttling = "com.amazon.coral.availability#ThrottlingException", 400, "Rate of requests exceeds the allowed throughput.";
    /// The table, index, stream or tag does not exist.
    ResourceNotFound = "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", 400, "Requested resource not found";
    /// The table exists already, or is being changed.
    ResourceInUse = "com.amazonaws.dynamodb.v20120810#ResourceInUseException", 400, "The resource which you are attempting to change is in use.";
    /// Too many tables or indexes, or too many changes at once.
    LimitExceeded = "com.amazonaws.dynamodb.v20120810#LimitExceededException", 400, "";
    /// The condition of a write did not hold.
    ConditionalCheckFailed = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", 400, "The conditional request failed";
    /// An item collection of a table with local indexes passed 10 GB.
    ItemCollectionSizeLimitExceeded = "com.amazonaws.dynamodb.v20120810#ItemCollectionSizeLimitExceededException", 400, "Collection size exceeded.";
    /// A request exceeded the provisioned throughput of a table or index.
    ProvisionedThroughputExceeded = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", 400, "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.";
    /// At least one action of a transaction failed, so none took effect.
    TransactionCanceled = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", 400, "";
    /// The item is part of another transaction in progress.
    TransactionConflict = "com.amazonaws.dynamodb.v20120810#TransactionConflictException", 400, "Transaction is ongoing for the item";
    /// The transaction with this token is in progress.
    TransactionInProgress = "com.amazonaws.dynamodb.v20120810#TransactionInProgressException", 400, "Transaction from previous request is still in progress";
    /// The token was used before, with another request.
    IdempotentParameterMismatch = "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException", 400, "";
    /// The shard iterator is older than 15 minutes.
    ExpiredIterator = "com.amazonaws.dynamodb.v20120810#ExpiredIteratorException", 400, "Shard iterator has expired";
    /// The requested stream records are past their retention.
    TrimmedDataAccess = "com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException", 400, "The data you are trying to access has been trimmed";
    /// The server accepts no more connections at the moment.
    ServiceUnavailable = "com.amazonaws.dynamodb.v20120810#ServiceUnavailable", 503, "The service is currently unavailable or busy.";
    /// The server failed; the request may or may not have taken effect.
    InternalServerError = "com.amazonaws.dynamodb.v20120810#InternalServerError", 500, "Internal server error";
}

impl ErrorKind {
    /// The kind with this SDK name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The name in SDKs: `ResourceNotFoundException`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.qualified_name().rsplit('#').next().unwrap_or_default()
    }
}

/// Why a request failed.
///
/// ```
/// use singlet_dynamo::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::ResourceNotFound);
/// assert_eq!(error.kind().name(), "ResourceNotFoundException");
/// assert_eq!(error.kind().status(), 400);
/// assert_eq!(error.message(), "Requested resource not found");
/// ```
// Boxed: every operation's result contains this type, and errors are rare.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    item: Option<Attributes>,
    reasons: Vec<CancellationReason>,
}

/// The outcome of one action of a cancelled transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CancellationReason {
    /// Why the action failed; `None` if it did not.
    pub failure: Option<CancellationFailure>,
    /// The stored item, if the action requested it with `ReturnValuesOnConditionCheckFailure`.
    pub item: Option<Attributes>,
}

/// Why an action of a transaction failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancellationFailure {
    /// `ConditionalCheckFailed`, `ValidationError`, `ItemCollectionSizeLimitExceeded`, ….
    pub code: Cow<'static, str>,
    /// The message that a single operation would have returned.
    pub message: Cow<'static, str>,
}

impl CancellationReason {
    /// The code as the service lists it; `None` if the action did not fail.
    #[must_use]
    pub fn code(&self) -> &str {
        self.failure.as_ref().map_or("None", |failure| &failure.code)
    }

    /// Converts the error of a single operation into a cancellation reason; `None` for errors that
    /// concern the server or the whole request.
    #[must_use]
    pub fn of(error: &Error) -> Option<Self> {
        let code = match error.kind() {
            ErrorKind::ConditionalCheckFailed => "ConditionalCheckFailed",
            ErrorKind::Validation => "ValidationError",
            ErrorKind::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            ErrorKind::TransactionConflict => "TransactionConflict",
            ErrorKind::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
            ErrorKind::Throttling => "ThrottlingError",
            _ => return None,
        };
        let failure = CancellationFailure { code: code.into(), message: error.0.message.clone() };
        Some(Self { failure: Some(failure), item: error.item().cloned() })
    }
}

impl Error {
    /// An error with its default message.
    #[must_use]
    pub fn new(kind: ErrorKind) -> Self {
        Self::with_message(kind, kind.usual_text())
    }

    /// An error with a message, truncated to [`MESSAGE_SIZE_MAX`] bytes.
    pub fn with_message(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_SIZE_MAX {
            message = cut(&message).into();
        }
        Self(Box::new(Inner { kind, message, item: None, reasons: Vec::new() }))
    }

    /// A `ValidationException`.
    pub fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_message(ErrorKind::Validation, message)
    }

    /// A `ValidationException` with the common prefix.
    #[must_use]
    pub fn invalid_parameter(detail: impl fmt::Display) -> Self {
        Self::validation(format!("One or more parameter values were invalid: {detail}"))
    }

    /// A `SerializationException`.
    pub fn serialization(message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_message(ErrorKind::Serialization, message)
    }

    /// The condition of a write failed; `item` is the stored item, if it was requested.
    #[must_use]
    pub fn conditional_check_failed(item: Option<Attributes>) -> Self {
        let mut error = Self::new(ErrorKind::ConditionalCheckFailed);
        error.0.item = item;
        error
    }

    /// A cancelled transaction, with a reason for each action in order.
    #[must_use]
    pub fn transaction_canceled(reasons: Vec<CancellationReason>) -> Self {
        let codes: Vec<&str> = reasons.iter().map(CancellationReason::code).collect();
        let mut error = Self::with_message(
            ErrorKind::TransactionCanceled,
            format!(
                "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
                codes.join(", ")
            ),
        );
        error.0.reasons = reasons;
        error
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, in the service's words.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The item on which a condition failed, if it was requested.
    #[must_use]
    pub fn item(&self) -> Option<&Attributes> {
        self.0.item.as_ref()
    }

    /// Approximate size of the items in the error, and of their JSON.
    #[must_use]
    pub fn item_bytes(&self) -> usize {
        let of_reasons = self.0.reasons.iter().filter_map(|reason| reason.item.as_ref());
        self.0.item.iter().chain(of_reasons).map(Attributes::held_bytes).sum()
    }

    /// The outcome of each action of a cancelled transaction, in order.
    #[must_use]
    pub fn cancellation_reasons(&self) -> &[CancellationReason] {
        &self.0.reasons
    }

    /// Writes the error as a response body.
    pub fn write_json(&self, writer: &mut Writer) {
        let inner = &*self.0;
        writer.object(|object| {
            object.string("__type", inner.kind.qualified_name());
            if !inner.message.is_empty() {
                // The service capitalises this member in errors of its outer layer.
                let capital = inner.kind == ErrorKind::Serialization
                    || inner.kind == ErrorKind::TransactionCanceled;
                object.string(if capital { "Message" } else { "message" }, &inner.message);
            }
            if let Some(item) = &inner.item {
                object.member("Item", |writer| item.write_json(writer));
            }
            if !inner.reasons.is_empty() {
                object.member("CancellationReasons", |writer| {
                    writer.array(&inner.reasons, |writer, reason| reason.write_json(writer));
                });
            }
        });
    }
}

impl CancellationReason {
    fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.string("Code", self.code());
            if let Some(failure) = &self.failure {
                object.string("Message", &failure.message);
            }
            if let Some(item) = &self.item {
                object.member("Item", |writer| item.write_json(writer));
            }
        });
    }
}

/// A parsed error response, for clients. Its code may be unknown to [`ErrorKind`].
///
/// ```
/// use singlet_dynamo::error::Refusal;
/// use singlet_dynamo::{Error, ErrorKind};
///
/// let body = br#"{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}"#;
/// let refusal = Refusal::from_json(body)?;
/// assert_eq!(refusal.code.as_deref(), Some("ResourceNotFoundException"));
/// assert_eq!(refusal.into_error(), Some(Error::new(ErrorKind::ResourceNotFound)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Refusal {
    /// The code without its namespace: `ResourceNotFoundException`.
    pub code: Option<String>,
    /// The message.
    pub message: Option<String>,
    item: Option<Attributes>,
    reasons: Vec<CancellationReason>,
}

impl Refusal {
    /// Parses a response body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut refusal = Self::default();
        Reader::new(json)?.request(|reader, member| {
            match member {
                "__type" => refusal.code = reader.string()?.map(|name| Self::code_of(&name)),
                "message" | "Message" => refusal.message = reader.owned_string()?,
                "Item" => refusal.item = read_answered(reader)?.map(Into::into),
                "CancellationReasons" => {
                    refusal.reasons = reader.elements(CancellationReason::read)?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(refusal)
    }

    /// The code in `namespace#Code:http://address`, where only the code is required.
    #[must_use]
    pub fn code_of(name: &str) -> String {
        let name = name.rsplit('#').next().unwrap_or_default();
        name.split(':').next().unwrap_or_default().to_owned()
    }

    /// The error, if [`ErrorKind`] has its code.
    #[must_use]
    pub fn into_error(self) -> Option<Error> {
        let kind = match self.code.as_deref()? {
            // An account-wide limit rather than a table's.
            "RequestLimitExceeded" => ErrorKind::Throttling,
            code => ErrorKind::from_name(code)?,
        };
        let mut error = match self.message {
            Some(message) => Error::with_message(kind, message),
            None => Error::new(kind),
        };
        error.0.item = self.item;
        error.0.reasons = self.reasons;
        Some(error)
    }
}

impl CancellationReason {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let (mut code, mut message, mut item) = (None, None, None);
        reader.structure("CancellationReason", |reader, member| {
            match member {
                "Code" => code = reader.owned_string()?,
                "Message" => message = reader.owned_string()?,
                "Item" => item = read_answered(reader)?.map(Into::into),
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let failure = code.filter(|code| code != "None").map(|code| CancellationFailure {
            code: code.into(),
            message: message.unwrap_or_default().into(),
        });
        Ok(Self { failure, item })
    }
}

/// The beginning of a long message, with an ellipsis.
fn cut(message: &str) -> String {
    const MARK: &str = "...";
    let end = message.floor_char_boundary(MESSAGE_SIZE_MAX - MARK.len());
    format!("{}{MARK}", message.get(..end).unwrap_or_default())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind().name(), self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// An invalid number is a validation error with the number's message.
impl From<crate::NumberError> for Error {
    fn from(error: crate::NumberError) -> Self {
        Self::validation(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Value};

    fn body(error: &Error) -> String {
        let mut writer = Writer::new();
        error.write_json(&mut writer);
        String::from_utf8(writer.into_bytes()).unwrap()
    }

    #[test]
    fn a_long_message_is_cut() {
        let longest = "x".repeat(MESSAGE_SIZE_MAX);
        assert_eq!(Error::validation(longest.clone()).message(), longest);
        let cut = Error::validation(longest + "é");
        assert_eq!(cut.message().len(), MESSAGE_SIZE_MAX);
        assert!(cut.message().ends_with("xxx..."));
    }

    #[test]
    fn errors_are_written_as_the_service_writes_them() {
        assert_eq!(
            body(&Error::validation("no")),
            r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}"#
        );
        assert_eq!(
            body(&Error::serialization("")),
            r#"{"__type":"com.amazon.coral.service#SerializationException"}"#
        );
        let reasons = vec![
            CancellationReason::default(),
            CancellationReason {
                failure: Some(CancellationFailure {
                    code: "ConditionalCheckFailed".into(),
                    message: "The conditional request failed".into(),
                }),
                item: Some(Item::from([("pk", Value::from("a"))]).into()),
            },
        ];
        assert_eq!(
            body(&Error::transaction_canceled(reasons)),
            concat!(
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","#,
                r#""Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]","#,
                r#""CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","#,
                r#""Message":"The conditional request failed","Item":{"pk":{"S":"a"}}}]}"#
            )
        );
    }

    #[test]
    fn errors_are_read_as_they_were_written() {
        let item = || Item::from([("pk", Value::from("a"))]).into();
        let failure = CancellationFailure { code: "OfTomorrow".into(), message: "no".into() };
        for error in [
            Error::validation("no"),
            Error::new(ErrorKind::InternalServerError),
            Error::conditional_check_failed(Some(item())),
            Error::transaction_canceled(vec![
                CancellationReason::default(),
                CancellationReason { failure: Some(failure), item: Some(item()) },
            ]),
        ] {
            let refusal = Refusal::from_json(body(&error).as_bytes()).unwrap();
            assert_eq!(refusal.into_error(), Some(error));
        }
    }

    #[test]
    fn codes_of_errors_come_in_several_forms() {
        for name in ["Throttled", "aws#Throttled", "Throttled:http://a.b", "aws#Throttled:http://"]
        {
            assert_eq!(Refusal::code_of(name), "Throttled");
        }
        let read = |code: &str| {
            let body = format!(r#"{{"__type":"{code}","message":"slow down"}}"#);
            Refusal::from_json(body.as_bytes()).unwrap().into_error()
        };
        let throttled = Error::with_message(ErrorKind::Throttling, "slow down");
        assert_eq!(read("RequestLimitExceeded"), Some(throttled));
        assert_eq!(read("NeverHeardOfIt"), None);
    }
}
