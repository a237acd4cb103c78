//! As much of HTTP as it takes to send a request to DynamoDB Local.

use std::fmt;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Where the step `local` of `cargo xtask test` says that it started it.
const VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// An address that speaks DynamoDB.
pub(crate) struct Endpoint {
    address: String,
    /// Told by the access key. DynamoDB Local keeps a database for each.
    user: usize,
}

/// What came back.
pub(crate) struct Response {
    pub(crate) status: u16,
    body: String,
}

impl Response {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.body)
    }
}

impl Endpoint {
    pub(crate) fn from_environment() -> Self {
        let address = std::env::var(VARIABLE).expect("the address of DynamoDB Local");
        Self { address, user: 0 }
    }

    /// Whoever calls from now on has no tables, and no streams of tables that are gone.
    pub(crate) fn become_another_user(&mut self) {
        self.user += 1;
    }

    pub(crate) fn call(&self, operation: &str, body: &str) -> Response {
        let service = match operation {
            "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
                "DynamoDBStreams"
            }
            _ => "DynamoDB",
        };
        // HTTP/1.0, so that the answer ends with the connection. Any signature will do.
        let head = format!(
            "POST / HTTP/1.0\r\nHost: {}\r\n\
             X-Amz-Target: {service}_20120810.{operation}\r\n\
             Content-Type: application/x-amz-json-1.0\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential=AKIA{}X{}/20260101/us-east-1/dynamodb/\
             aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            std::process::id(),
            self.user,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Response { status: status.expect("a status"), body: body.to_owned() }
    }
}
