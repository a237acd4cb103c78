//! Malformed request heads.

use crate::server::Endpoint;

/// Sends bytes and returns the status of the response; `None` if the connection ended without one.
fn status(endpoint: &Endpoint, bytes: impl AsRef<[u8]>) -> Option<u16> {
    let mut client = endpoint.connect();
    client.send(bytes);
    let answer = client.try_answer();
    client.wait_for_end();
    answer.map(|answer| answer.status)
}

#[test]
fn input_other_than_http_is_refused() {
    let endpoint = Endpoint::start();
    let hello_of_tls = [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], &[0; 64]].concat();
    assert_eq!(status(&endpoint, hello_of_tls), Some(400));
    assert_eq!(status(&endpoint, "\0\0\0\0\r\n\r\n"), Some(400));
    assert_eq!(status(&endpoint, "EHLO example.com\r\n\r\n"), Some(400));
    assert_eq!(status(&endpoint, "POST / HTTP/9.9\r\n\r\n"), Some(400));
    assert_eq!(status(&endpoint, "POST / HTTP/1.1\r\nno colon\r\n\r\n"), Some(400));
    assert_eq!(status(&endpoint, "POST / HTTP/1.1\r\nHost: a\0b\r\n\r\n"), Some(400));
    endpoint.assert_serves();
}

#[test]
fn an_http2_preface_followed_by_garbage_closes_the_connection() {
    let endpoint = Endpoint::start();
    let nonsense = [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &[0xff; 100]].concat();
    let mut client = endpoint.connect();
    client.send(nonsense);
    client.wait_for_end();
    assert_eq!(status(&endpoint, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"), Some(400));
    endpoint.assert_serves();
}

#[test]
fn heads_that_are_too_long_are_refused() {
    let endpoint = Endpoint::start();
    let long = format!("POST / HTTP/1.1\r\nHost: localhost\r\nX: {}", "a".repeat(70_000));
    assert_eq!(status(&endpoint, long), Some(431));
    let many = format!("POST / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: a\r\n".repeat(101));
    assert_eq!(status(&endpoint, many), Some(431));
    let long_target = format!("POST /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70_000));
    assert!(matches!(status(&endpoint, long_target), Some(414 | 431)));
    endpoint.assert_serves();
}

/// Two lengths are used to smuggle requests past a proxy that reads the other one.
#[test]
fn a_body_with_two_lengths_is_refused() {
    let endpoint = Endpoint::start();
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\n";
    let two = format!("{head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}} ");
    assert_eq!(status(&endpoint, two), Some(400));
    let signed = format!("{head}Content-Length: +2\r\n\r\n{{}}");
    assert_eq!(status(&endpoint, signed), Some(400));
    endpoint.assert_serves();
}

#[test]
fn a_chunked_body_with_a_length_ends_the_connection_after_it() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head =
        client.head_with("ListTables", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n");
    client.send(head + "2\r\n{}\r\n0\r\n\r\n");
    if let Some(answer) = client.try_answer() {
        assert!(matches!(answer.status, 200 | 400), "{answer:?}");
    }
    client.wait_for_end();
    endpoint.assert_serves();
}
