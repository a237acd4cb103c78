//! A client that sends raw bytes and reads the responses.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// The longest any response may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { address, stream: BufReader::new(stream) }
    }

    /// Sends bytes. Ignores errors if the endpoint has closed the connection.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.get_mut().write_all(bytes.as_ref());
    }

    /// Closes the sending side.
    pub(crate) fn finish_sending(&mut self) {
        self.stream.get_mut().shutdown(Shutdown::Write).unwrap();
    }

    /// The head of a request for an operation, with Content-Length.
    pub(crate) fn head(&self, operation: &str, length: usize) -> String {
        self.head_with(operation, &format!("Content-Length: {length}\r\n"))
    }

    /// The head of a request for an operation, with further headers.
    pub(crate) fn head_with(&self, operation: &str, headers: &str) -> String {
        format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             Content-Type: application/x-amz-json-1.0\r\n{headers}\r\n",
            self.address
        )
    }

    /// Sends the head of a request and waits until the endpoint asks for the body.
    pub(crate) fn begin(&mut self, operation: &str, length: usize) {
        let headers = format!("Content-Length: {length}\r\nExpect: 100-continue\r\n");
        let head = self.head_with(operation, &headers);
        self.send(head);
        assert_eq!(self.answer().status, 100);
    }

    pub(crate) fn request(&mut self, operation: &str, body: impl AsRef<[u8]>) -> Answer {
        let body = body.as_ref();
        let head = self.head(operation, body.len());
        self.send([head.as_bytes(), body].concat());
        self.answer()
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address));
        self.answer()
    }

    /// Reads a response; panics if the connection ended.
    pub(crate) fn answer(&mut self) -> Answer {
        self.try_answer().expect("the connection ended without an answer")
    }

    /// Reads a response; `None` if the connection has ended.
    pub(crate) fn try_answer(&mut self) -> Option<Answer> {
        let line = self.line()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if status == 100 {
            return Some(answer);
        }
        let length: usize = answer.header("content-length").unwrap_or("0").parse().unwrap();
        answer.body.resize(length, 0);
        self.stream.read_exact(&mut answer.body).ok()?;
        Some(answer)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("nothing came: {error}"),
        }
    }

    /// Reads until the endpoint closes the connection.
    pub(crate) fn wait_for_end(&mut self) {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the connection was not ended: {error}"),
        }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// Asserts that this is a DynamoDB error of the given name.
    pub(crate) fn assert_error(&self, status: u16, name: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.text().contains(&format!("#{name}\"")), "{}", self.text());
        assert_eq!(self.header("x-amzn-requestid").map(str::len), Some(52));
    }
}
