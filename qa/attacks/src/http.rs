//! As much of HTTP/1.1 as the victims and the attackers need.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long anybody waits for a connection or an answer that must come. It takes microseconds or
/// milliseconds unless the machine is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// No head of an answer is longer.
const HEAD_BYTES_MAX: u64 = 64 << 10;
/// How much of a body is kept. The rest is counted.
const KEPT_BYTES_MAX: usize = 1 << 20;
/// Nothing beyond this is read of one answer.
const ANSWER_BYTES_MAX: u64 = 1 << 30;

/// A connection to a server.
pub(crate) struct Connection(BufReader<TcpStream>);

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    /// The body, or its beginning if it is larger than 1 MB.
    pub(crate) body: Vec<u8>,
    /// How many bytes the body had.
    pub(crate) body_bytes: u64,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The status with the beginning of the body, for a line in a report.
    pub(crate) fn shown(&self) -> String {
        let text: String = self.text().chars().take(160).collect();
        format!("{} {}", self.status, text.trim())
    }
}

impl Connection {
    /// Connects. Neither reading nor writing may take longer than `patience`.
    pub(crate) fn open(address: SocketAddr, patience: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        let connection = Self(BufReader::new(stream));
        connection.set_patience(patience)?;
        Ok(connection)
    }

    /// A connection that is open already.
    pub(crate) fn of(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// From now on, neither reading nor writing may take longer than this.
    pub(crate) fn set_patience(&self, patience: Duration) -> io::Result<()> {
        let stream = self.0.get_ref();
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request)?;
        self.answer()
    }

    /// Waits for an answer.
    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        let head = self.head()?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| invalid("the answer has no status"))?;
        let mut answer = Answer { status, head, body: Vec::new(), body_bytes: 0 };
        let value = |name: &str| {
            let mut lines = answer.head.lines().filter_map(|line| line.split_once(':'));
            let found = lines.find(|(header, _)| header.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim().to_owned())
        };
        if status == 101 || status == 204 || status == 304 {
            return Ok(answer);
        }
        let (length, coding) = (value("content-length"), value("transfer-encoding"));
        match (length, coding) {
            (Some(length), _) => {
                let length = length.parse().map_err(|_| invalid("a length that is no number"))?;
                self.take_body(&mut answer, length)?;
            }
            (None, Some(_)) => loop {
                let mut line = String::new();
                self.0.by_ref().take(HEAD_BYTES_MAX).read_line(&mut line)?;
                let length = u64::from_str_radix(line.trim(), 16);
                let length = length.map_err(|_| invalid("a chunk without its length"))?;
                self.take_body(&mut answer, length)?;
                line.clear();
                self.0.by_ref().take(HEAD_BYTES_MAX).read_line(&mut line)?;
                if length == 0 {
                    break;
                }
            },
            (None, None) => while self.take_some(&mut answer, u64::MAX)? > 0 {},
        }
        Ok(answer)
    }

    /// Waits until an answer begins, and leaves it unread.
    pub(crate) fn wait_for_beginning(&mut self) -> io::Result<()> {
        self.0.fill_buf().map(drop)
    }

    /// The underlying socket. Buffered bytes are lost.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.0.into_inner()
    }

    fn head(&mut self) -> io::Result<String> {
        let mut head = String::new();
        let mut rest = self.0.by_ref().take(HEAD_BYTES_MAX);
        loop {
            let length = head.len();
            if rest.read_line(&mut head)? == 0 {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed without answer"));
            }
            if head.get(length..).is_some_and(|line| line.trim().is_empty()) {
                return Ok(head);
            }
        }
    }

    fn take_body(&mut self, answer: &mut Answer, length: u64) -> io::Result<()> {
        let end = answer.body_bytes + length;
        while answer.body_bytes < end {
            if self.take_some(answer, end - answer.body_bytes)? == 0 {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a body cut short"));
            }
        }
        Ok(())
    }

    fn take_some(&mut self, answer: &mut Answer, most: u64) -> io::Result<usize> {
        let bytes = self.0.fill_buf()?;
        let count = bytes.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        let room = KEPT_BYTES_MAX.saturating_sub(answer.body.len());
        answer.body.extend(bytes.iter().take(count.min(room)));
        answer.body_bytes += count as u64;
        self.0.consume(count);
        if answer.body_bytes > ANSWER_BYTES_MAX {
            return Err(invalid("an answer of more than 1 GB"));
        }
        Ok(count)
    }
}

/// A GET of a path.
pub(crate) fn get(address: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()
}

/// A POST of JSON. `headers` are whole lines.
pub(crate) fn post(address: SocketAddr, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}");
    let kind = "Content-Type: application/json";
    format!("{head}{kind}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
