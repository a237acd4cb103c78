//! A minimal HTTP/1.1 client with keep-alive.

use singlet_testing::generator::STORY;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Timeout for an answer. Both endpoints take less than a second.
const PATIENCE: Duration = Duration::from_secs(240);
/// An answer is at most a page of 1 MB, which JSON may double.
const BODY_BYTES_MAX: usize = 16 << 20;

/// A persistent connection.
pub(crate) struct Connection {
    address: String,
    stream: BufReader<TcpStream>,
    /// Replaces [`STORY`] in requests and responses.
    alias: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Connection {
    /// Connects to an endpoint such as `127.0.0.1:8000`.
    pub(crate) fn open(address: &str) -> Result<Self, String> {
        let failed = |error| format!("{address} cannot be reached: {error}");
        let stream = TcpStream::connect(address).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let stream = BufReader::new(stream);
        Ok(Self { address: address.to_owned(), stream, alias: STORY.to_owned() })
    }

    /// Changes the names of tables and tokens: Local remembers streams and tokens of deleted
    /// tables.
    pub(crate) fn rename(&mut self, alias: &str) {
        self.alias = alias.to_owned();
    }

    /// Sends a request without waiting for the answer.
    pub(crate) fn send(&mut self, operation: &str, body: &str) -> Result<(), String> {
        let service = match operation {
            "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
                "DynamoDBStreams_20120810"
            }
            _ => "DynamoDB_20120810",
        };
        let body = body.replace(STORY, &self.alias);
        // Neither endpoint checks signatures.
        let head = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: {service}.{operation}\r\n\
             Content-Type: application/x-amz-json-1.0\r\n\
             X-Amz-Date: 20260101T000000Z\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/dynamodb/\
             aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let stream = self.stream.get_mut();
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .map_err(|error| format!("{}: {operation} could not be sent: {error}", self.address))
    }

    /// Waits for the answer to the last request.
    pub(crate) fn receive(&mut self) -> Result<Response, String> {
        let received = self.read_response();
        received.map_err(|problem| format!("{} answered badly: {problem}", self.address))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, operation: &str, body: &str) -> Result<Response, String> {
        self.send(operation, body)?;
        self.receive()
    }

    fn read_response(&mut self) -> Result<Response, String> {
        let status_line = self.read_line()?;
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| format!("no status in `{status_line}`"))?;
        let mut length = 0;
        loop {
            let line = self.read_line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| format!("`{line}`"))?;
            }
        }
        if length > BODY_BYTES_MAX {
            return Err(format!("a body of {length} bytes"));
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).map_err(|error| error.to_string())?;
        let body = String::from_utf8(body).map_err(|_| "a body that is not UTF-8".to_owned())?;
        Ok(Response { status, body: body.replace(&self.alias, STORY) })
    }

    fn read_line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).map_err(|error| error.to_string())?;
        match read {
            0 => Err("the connection was closed".to_owned()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}
