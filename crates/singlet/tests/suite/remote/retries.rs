//! Which failed attempts are retried, and how other failures are reported.

use super::scripted::{Received, Reply, serve_http};
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use serde_json::Value;
use singlet::backend::{Aws, Backend, BackendError};
use singlet::dynamo::ErrorKind;
use singlet::dynamo::operation::{Answer, Request};
use singlet_testing::{loader, run};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Records requests and answers them in turn.
#[derive(Clone, Default)]
struct Server {
    received: Arc<Mutex<Vec<Received>>>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
}

const ITEM: &str = r#"{"Item":{"k":{"S":"1"}}}"#;

impl Server {
    fn reply(self, status: u16, headers: &str, body: &str) -> Self {
        let (headers, body) = (headers.to_owned(), body.to_owned());
        self.replies.lock().unwrap().push_back(Reply { status, headers, body });
        self
    }

    fn refuse(self, status: u16, code: &str) -> Self {
        self.reply(status, "X-Amzn-RequestId: ID7\r\n", &format!(r#"{{"__type":"{code}"}}"#))
    }

    /// A backend with three attempts and minimal delays.
    async fn start(&self) -> Aws {
        let server = self.clone();
        let url = serve_http(move |request| {
            server.received.lock().unwrap().push(request);
            let next = server.replies.lock().unwrap().pop_front();
            next.unwrap_or(Reply { status: 200, headers: String::new(), body: ITEM.to_owned() })
        });
        let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
        Aws::new(&loader(&url).retry_config(retries).load().await)
    }

    fn attempts(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

fn get() -> Request {
    Request::from_json("GetItem", br#"{"TableName":"games","Key":{"k":{"S":"1"}}}"#).unwrap()
}

async fn kind(aws: &Aws) -> ErrorKind {
    match aws.execute(get()).await {
        Err(BackendError::Refused(refused)) => refused.kind(),
        other => panic!("{other:?}"),
    }
}

async fn assert_found(aws: &Aws) {
    match aws.execute(get()).await {
        Ok(Answer::GetItem(found)) => assert!(found.item.is_some()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn servers_that_fail_are_asked_again() {
    run(async {
        let server = Server::default().refuse(500, "InternalServerError");
        // From a proxy that does not speak the protocol.
        let server = server.reply(503, "", "<html>Service unavailable</html>");
        assert_found(&server.start().await).await;
        assert_eq!(server.attempts(), 3);
        let received = server.received.lock().unwrap();
        let attempts: Vec<&str> =
            received.iter().map(|one| one.header("amz-sdk-request")).collect();
        assert!(attempts[2].contains("attempt=3; max=3"), "{attempts:?}");
        let same =
            |name: &str| received.iter().all(|one| one.header(name) == received[0].header(name));
        assert!(same("amz-sdk-invocation-id"));
    });
}

#[test]
fn throttling_is_told_after_the_last_attempt() {
    run(async {
        let codes = ["ThrottlingException", "ProvisionedThroughputExceededException"];
        let server = Server::default().refuse(400, codes[0]).refuse(400, codes[1]);
        let server = server.refuse(400, "RequestLimitExceeded");
        assert_eq!(kind(&server.start().await).await, ErrorKind::Throttling);
        assert_eq!(server.attempts(), 3);
    });
}

#[test]
fn refusals_are_not_repeated() {
    run(async {
        let server = Server::default()
            .refuse(400, "ValidationException")
            .refuse(400, "ConditionalCheckFailedException")
            .refuse(400, "TransactionConflictException")
            .refuse(400, "AccessDeniedException");
        let aws = server.start().await;
        assert_eq!(kind(&aws).await, ErrorKind::Validation);
        assert_eq!(kind(&aws).await, ErrorKind::ConditionalCheckFailed);
        assert_eq!(kind(&aws).await, ErrorKind::TransactionConflict);
        assert_eq!(kind(&aws).await, ErrorKind::AccessDenied);
        assert_eq!(server.attempts(), 4);
    });
}

#[test]
fn an_unknown_refusal_names_the_request() {
    run(async {
        let server = Server::default().refuse(400, "com.amazonaws#OfTomorrowException");
        let error = server.start().await.execute(get()).await.unwrap_err();
        let text = "HTTP status 400, OfTomorrowException (request id ID7)";
        assert_eq!(error.to_string(), text);
    });
}

#[test]
fn an_answer_that_was_damaged_on_the_way_is_asked_for_again() {
    run(async {
        let server = Server::default().reply(200, "X-Amz-Crc32: 1\r\n", ITEM);
        assert_found(&server.start().await).await;
        assert_eq!(server.attempts(), 2);
    });
}

#[test]
fn a_body_that_is_no_answer_is_an_error() {
    run(async {
        let server = Server::default().reply(200, "", r#"{"Item":[]}"#);
        let error = server.start().await.execute(get()).await.unwrap_err().to_string();
        assert!(error.starts_with("the answer to GetItem cannot be read: "), "{error}");
    });
}

#[test]
fn a_transaction_keeps_its_token() {
    run(async {
        let server = Server::default().refuse(500, "InternalServerError").reply(200, "", "{}");
        let write =
            br#"{"TransactItems":[{"Delete":{"TableName":"games","Key":{"k":{"S":"1"}}}}]}"#;
        let write = Request::from_json("TransactWriteItems", write).unwrap();
        server.start().await.execute(write).await.unwrap();
        let received = server.received.lock().unwrap();
        let tokens: Vec<&Value> =
            received.iter().map(|one| &one.body["ClientRequestToken"]).collect();
        assert_eq!(tokens.len(), 2);
        assert!(tokens[0].is_string() && tokens[0] == tokens[1], "{tokens:?}");
    });
}

/// If the local clock is wrong, requests are signed with the server's time.
#[test]
fn a_wrong_clock_is_corrected() {
    run(async {
        let server = Server::default().reply(
            400,
            "Date: Fri, 01 Jan 2100 00:00:00 GMT\r\n",
            r#"{"__type":"com.amazon.coral.service#InvalidSignatureException"}"#,
        );
        assert_found(&server.start().await).await;
        let received = server.received.lock().unwrap();
        assert!(!received[0].header("x-amz-date").starts_with("2100"));
        assert!(received[1].header("x-amz-date").starts_with("2100"));
        assert!(received[1].header("authorization").contains("/us-east-1/dynamodb/aws4_request"));
    });
}

#[test]
fn an_attempt_ends_in_time() {
    run(async {
        // The server never responds, so only the timeout ends an attempt.
        let url = serve_http(|_| {
            loop {
                std::thread::park();
            }
        });
        let attempt =
            TimeoutConfig::builder().operation_attempt_timeout(Duration::from_millis(50)).build();
        let retries = RetryConfig::standard().with_max_attempts(2);
        let retries = retries.with_initial_backoff(Duration::from_millis(1));
        let config = loader(&url).timeout_config(attempt).retry_config(retries);
        let error = Aws::new(&config.load().await).execute(get()).await.unwrap_err();
        assert!(matches!(error, BackendError::Failed(_)), "{error}");
    });
}
