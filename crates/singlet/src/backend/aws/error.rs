//! Why DynamoDB refused something, or why nobody knows whether it did.

use super::value::{self, Attributes};
use crate::backend::BackendError;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::CancellationReason as SdkReason;
use singlet_dynamo::error::{CancellationFailure, CancellationReason};
use singlet_dynamo::{self as dynamo, ErrorKind};
use std::error::Error;

/// Something failed that is no refusal of DynamoDB.
pub(super) fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> BackendError {
    BackendError::Failed(error.into())
}

/// What the SDK says of a request that was not carried out, or of which it does not know.
pub(super) fn backend_error<E, R>(error: SdkError<E, R>) -> BackendError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    match error.code().and_then(kind_of) {
        Some(kind) => {
            let text = error.message().unwrap_or_else(|| kind.usual_text()).to_owned();
            BackendError::Refused(dynamo::Error::with_message(kind, text))
        }
        None => failed(error),
    }
}

/// What the language calls an error of this code.
fn kind_of(code: &str) -> Option<ErrorKind> {
    match code {
        // What an account may ask for in all, rather than a table.
        "RequestLimitExceeded" => Some(ErrorKind::Throttling),
        _ => ErrorKind::ALL.iter().copied().find(|kind| kind.name() == code),
    }
}

/// An error of an operation with a condition.
pub(super) trait Conditional {
    /// That the condition did not hold, with the item that is stored if it was asked for.
    fn condition_failed(&self) -> Option<Option<Attributes>>;
}

macro_rules! conditional {
    ($($error:ident)+) => {
        $(impl Conditional for $error {
            fn condition_failed(&self) -> Option<Option<Attributes>> {
                match self {
                    Self::ConditionalCheckFailedException(failure) => Some(failure.item.clone()),
                    _ => None,
                }
            }
        })+
    };
}

conditional! { PutItemError UpdateItemError DeleteItemError }

/// The error of an operation with a condition, which is told with the item if it does not hold.
pub(super) fn write_error<E, R>(error: SdkError<E, R>) -> BackendError
where
    E: Conditional + ProvideErrorMetadata + Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let refusal = match &error {
        SdkError::ServiceError(context) => context.err().condition_failed(),
        _ => None,
    };
    match refusal.map(|item| item.map(value::item).transpose()) {
        Some(Ok(item)) => {
            BackendError::Refused(dynamo::Error::conditional_check_failed(item.map(Into::into)))
        }
        Some(Err(unreadable)) => unreadable,
        None => backend_error(error),
    }
}

/// An error of a transaction.
pub(super) trait Transactional {
    /// That it was cancelled, and what of each action.
    fn cancelled(&self) -> Option<Vec<SdkReason>>;
}

macro_rules! transactional {
    ($($error:ident)+) => {
        $(impl Transactional for $error {
            fn cancelled(&self) -> Option<Vec<SdkReason>> {
                match self {
                    Self::TransactionCanceledException(failure) => {
                        Some(failure.cancellation_reasons().to_vec())
                    }
                    _ => None,
                }
            }
        })+
    };
}

transactional! { TransactWriteItemsError TransactGetItemsError }

/// The error of a transaction, which is told with what became of each action.
pub(super) fn transaction_error<E, R>(error: SdkError<E, R>) -> BackendError
where
    E: Transactional + ProvideErrorMetadata + Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let reasons = match &error {
        SdkError::ServiceError(context) => context.err().cancelled(),
        _ => None,
    };
    let Some(reasons) = reasons else { return backend_error(error) };
    match reasons.into_iter().map(reason).collect() {
        Ok(reasons) => BackendError::Refused(dynamo::Error::transaction_canceled(reasons)),
        Err(unreadable) => unreadable,
    }
}

fn reason(reason: SdkReason) -> Result<CancellationReason, BackendError> {
    let failure = reason.code.filter(|code| code != "None").map(|code| CancellationFailure {
        code: code.into(),
        message: reason.message.unwrap_or_default().into(),
    });
    Ok(CancellationReason {
        failure,
        item: reason.item.map(value::item).transpose()?.map(Into::into),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::error::ErrorMetadata;
    use aws_sdk_dynamodb::operation::get_item::GetItemError;
    use aws_sdk_dynamodb::types::AttributeValue;
    use aws_sdk_dynamodb::types::error::{
        ConditionalCheckFailedException, TransactionCanceledException,
    };
    use singlet_dynamo::{Item, Value};

    fn refused(error: BackendError) -> dynamo::Error {
        match error {
            BackendError::Refused(refused) => refused,
            other => panic!("{other}"),
        }
    }

    fn of_code(code: &str) -> BackendError {
        let metadata = ErrorMetadata::builder().code(code).message("so it says").build();
        backend_error(SdkError::service_error(GetItemError::generic(metadata), ()))
    }

    #[test]
    fn errors_have_the_names_that_the_language_has_for_them() {
        for (code, kind) in [
            ("ResourceNotFoundException", ErrorKind::ResourceNotFound),
            ("ValidationException", ErrorKind::Validation),
            ("ThrottlingException", ErrorKind::Throttling),
            ("RequestLimitExceeded", ErrorKind::Throttling),
            ("InternalServerError", ErrorKind::InternalServerError),
        ] {
            let error = refused(of_code(code));
            assert_eq!((error.kind(), error.message()), (kind, "so it says"));
        }
        assert!(matches!(of_code("NeverHeardOfIt"), BackendError::Failed(_)));
        let unsent: SdkError<GetItemError, ()> = SdkError::timeout_error("too slow");
        assert!(matches!(backend_error(unsent), BackendError::Failed(_)));
    }

    #[test]
    fn a_condition_that_fails_tells_the_item() {
        let failure = ConditionalCheckFailedException::builder()
            .item("PK", AttributeValue::S("a".into()))
            .build();
        let error = PutItemError::ConditionalCheckFailedException(failure);
        let error = refused(write_error(SdkError::service_error(error, ())));
        assert_eq!(error.kind(), ErrorKind::ConditionalCheckFailed);
        assert_eq!(error.item(), Some(&Item::from([("PK", Value::from("a"))]).into()));
    }

    #[test]
    fn reasons_keep_their_order() {
        let reason = |code: &str| SdkReason::builder().code(code).build();
        let failure = TransactionCanceledException::builder()
            .cancellation_reasons(reason("None"))
            .cancellation_reasons(reason("ConditionalCheckFailed"))
            .cancellation_reasons(reason("OfTomorrow"))
            .build();
        let error = TransactWriteItemsError::TransactionCanceledException(failure);
        let error = refused(transaction_error(SdkError::service_error(error, ())));
        let codes: Vec<&str> =
            error.cancellation_reasons().iter().map(CancellationReason::code).collect();
        assert_eq!(codes, ["None", "ConditionalCheckFailed", "OfTomorrow"]);
        assert_eq!(error.cancellation_reasons()[0].failure, None);
    }
}
