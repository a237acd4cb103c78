//! Why DynamoDB refused a request, or why its outcome is unknown.

use crate::backend::BackendError;
use aws_smithy_runtime_api::client::interceptors::context;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::{ErrorMetadata, ProvideErrorMetadata};
use singlet_dynamo as dynamo;
use singlet_dynamo::error::Refusal;
use std::error::Error;
use std::fmt;

/// A failure other than a rejection by DynamoDB.
pub(super) fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> BackendError {
    BackendError::Failed(error.into())
}

/// A response with an error status.
#[derive(Debug)]
pub(super) struct ServiceError {
    status: u16,
    /// The error code, which decides about retries, and the message.
    metadata: ErrorMetadata,
    request_id: Option<String>,
    /// The error as the language's type, if it has this code.
    refusal: Option<dynamo::Error>,
}

impl ServiceError {
    pub(super) fn read(response: &HttpResponse, body: &[u8]) -> Self {
        // A proxy may answer something other than JSON.
        let mut refusal = Refusal::from_json(body).unwrap_or_default();
        if refusal.code.is_none() {
            let header = response.headers().get("x-amzn-errortype");
            refusal.code = header.map(Refusal::code_of);
        }
        let mut metadata = ErrorMetadata::builder();
        if let Some(code) = &refusal.code {
            metadata = metadata.code(code);
        }
        if let Some(message) = &refusal.message {
            metadata = metadata.message(message);
        }
        Self {
            status: response.status().as_u16(),
            metadata: metadata.build(),
            request_id: response.headers().get("x-amzn-requestid").map(str::to_owned),
            refusal: refusal.into_error(),
        }
    }
}

impl ProvideErrorMetadata for ServiceError {
    fn meta(&self) -> &ErrorMetadata {
        &self.metadata
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP status {}", self.status)?;
        if let Some(code) = self.metadata.code() {
            write!(f, ", {code}")?;
        }
        if let Some(message) = self.metadata.message() {
            write!(f, ": {message}")?;
        }
        match &self.request_id {
            Some(id) => write!(f, " (request id {id})"),
            None => Ok(()),
        }
    }
}

impl Error for ServiceError {}

/// Maps an error of the SDK's runtime; without a `ServiceError` the outcome is unknown.
pub(super) fn service_error(error: SdkError<context::Error, HttpResponse>) -> BackendError {
    let SdkError::ServiceError(context) = error else { return failed(error) };
    match context.into_err().downcast::<ServiceError>() {
        Ok(error) => match error.refusal {
            Some(refusal) => BackendError::Refused(refusal),
            None => failed(error),
        },
        Err(other) => failed(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_smithy_types::body::SdkBody;
    use singlet_dynamo::ErrorKind;

    fn answered(status: u16, header: Option<&'static str>, body: &'static str) -> ServiceError {
        let mut response = HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
        response.headers_mut().insert("x-amzn-requestid", "ID7");
        if let Some(code) = header {
            response.headers_mut().insert("x-amzn-errortype", code);
        }
        ServiceError::read(&response, body.as_bytes())
    }

    #[test]
    fn a_code_stands_in_the_body_or_in_a_header() {
        let body = r#"{"__type":"com.amazon.coral.availability#ThrottlingException"}"#;
        let throttled = answered(400, None, body);
        assert_eq!(throttled.meta().code(), Some("ThrottlingException"));
        assert_eq!(throttled.refusal.map(|error| error.kind()), Some(ErrorKind::Throttling));
        let internal = answered(500, Some("InternalServerError:http://a.b"), "{}");
        let kind = internal.refusal.map(|error| error.kind());
        assert_eq!(kind, Some(ErrorKind::InternalServerError));
    }

    #[test]
    fn an_unknown_error_tells_all_that_is_known() {
        let error = answered(400, None, r#"{"__type":"NeverHeardOfIt","Message":"no"}"#);
        let text = "HTTP status 400, NeverHeardOfIt: no (request id ID7)";
        assert_eq!(error.to_string(), text);
        let proxy = answered(502, None, "<html>Bad gateway</html>");
        assert_eq!(proxy.to_string(), "HTTP status 502 (request id ID7)");
        assert!(proxy.refusal.is_none());
    }
}
