//! Malformed bodies get a clear error, and the next client is served as usual.

use crate::client::Client;
use crate::server::Endpoint;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const BODY_BYTES_MAX: usize = 16 << 20;

#[test]
fn a_body_that_ends_too_early() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head("ListTables", 100);
    client.send(head + "{\"Limit\"");
    client.finish_sending();
    let answer = client.answer();
    assert_eq!(
        (answer.status, &*answer.text()),
        (400, "The request body is shorter than Content-Length.\n")
    );
    client.wait_for_end();
    endpoint.assert_serves();
}

#[test]
fn a_body_that_is_longer_than_announced_begins_the_next_request() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head("ListTables", 2);
    client.send(head + "{}xyz\r\n\r\n");
    assert_eq!(client.answer().status, 200);
    assert_eq!(client.answer().status, 400);
    client.wait_for_end();
    endpoint.assert_serves();
}

#[test]
fn a_body_of_the_maximum_size_is_accepted_and_one_byte_more_is_refused() {
    let endpoint = Endpoint::start();
    // JSON allows spaces around a value.
    let mut body = vec![b' '; BODY_BYTES_MAX];
    body[..2].copy_from_slice(b"{}");
    assert_eq!(endpoint.connect().request("ListTables", &body).status, 200);
    body.push(b' ');
    let answer = endpoint.connect().request("ListTables", &body);
    assert_eq!((answer.status, &*answer.text()), (413, "The body is larger than 16 MB.\n"));
    endpoint.assert_serves();
    assert_eq!(endpoint.metric("singlet_held_bytes"), 0);
}

#[test]
fn a_body_without_an_end_is_refused() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head_with("ListTables", "Transfer-Encoding: chunked\r\n");
    client.send(head);
    let chunk = [b"100000\r\n", &[b' '; 1 << 20][..], b"\r\n"].concat();
    for _ in 0..17 {
        client.send(&chunk);
    }
    client.send("0\r\n\r\n");
    assert_eq!(client.answer().status, 413);
    endpoint.assert_serves();
}

#[test]
fn expect_continue_is_refused_before_the_body() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let headers = format!("Content-Length: {}\r\nExpect: 100-continue\r\n", BODY_BYTES_MAX + 1);
    let head = client.head_with("ListTables", &headers);
    client.send(head);
    assert_eq!(client.answer().status, 413);
    client.wait_for_end();
}

#[test]
fn chunks_that_make_no_sense() {
    let endpoint = Endpoint::start();
    for chunks in ["xyz\r\n{}\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "2\r\n{}{}\r\n0\r\n\r\n"] {
        let mut client = endpoint.connect();
        let head = client.head_with("ListTables", "Transfer-Encoding: chunked\r\n");
        client.send(head + chunks);
        let answer = client.answer();
        assert_eq!(answer.status, 400, "{chunks}: {answer:?}");
        client.wait_for_end();
    }
    endpoint.assert_serves();
}

#[test]
fn bodies_that_are_not_json() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let deep_list = "[".repeat(1_000_000);
    let deep_object = r#"{"a":"#.repeat(200_000);
    let bodies: [&[u8]; 10] = [
        b"",
        b"{",
        b"}",
        b"{\"Limit\":}",
        b"{\"Limit\":1}}",
        b"\xff\xfe{\x00}\x00",
        b"{\"ExclusiveStartTableName\":\"\xc3\x28\"}",
        b"{\"\\ud800\":1,}",
        deep_list.as_bytes(),
        deep_object.as_bytes(),
    ];
    for body in bodies {
        let answer = client.request("ListTables", body);
        answer.assert_error(400, "SerializationException");
    }
    // The connection still works.
    assert_eq!(client.request("ListTables", "{}").status, 200);
}

#[test]
fn values_that_nest_too_deep() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let nested = |levels: usize| {
        let value = format!("{}{{\"N\":\"1\"}}{}", r#"{"L":["#.repeat(levels), "]}".repeat(levels));
        format!(r#"{{"TableName":"games","Item":{{"pk":{{"S":"a"}},"v":{value}}}}}"#)
    };
    assert_eq!(endpoint.request("PutItem", &nested(31)).status, 200);
    endpoint.request("PutItem", &nested(32)).assert_error(400, "ValidationException");
    let answer = endpoint.request("PutItem", &nested(100_000));
    assert_eq!(answer.status, 400, "{answer:?}");
    endpoint.assert_serves();
}

#[test]
fn members_that_come_twice() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let answer = endpoint.request("ListTables", r#"{"Limit":0,"Limit":1}"#);
    assert_eq!(answer.text(), r#"{"TableNames":["games"]}"#, "the last one counts");
    let twice = r#"{"TableName":"games","Item":{"pk":{"S":"a"},"pk":{"S":"b"}}}"#;
    let answer = endpoint.request("PutItem", twice);
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn send_gzip(client: &mut Client, body: &[u8]) {
    let headers = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n", body.len());
    let head = client.head_with("ListTables", &headers);
    client.send([head.as_bytes(), body].concat());
}

#[test]
fn a_gzip_bomb_is_rejected() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    // A kilobyte of this inflates to a megabyte. Concatenated gzip members are one body.
    let bomb = gzip(&[b' '; 1 << 20]).repeat(1000);
    assert!(bomb.len() < 2 << 20);
    send_gzip(&mut client, &bomb);
    assert_eq!(client.answer().status, 413);
    assert_eq!(endpoint.metric("singlet_held_bytes"), 0);
    send_gzip(&mut client, &gzip(b"{}"));
    assert_eq!(client.answer().status, 200);
}

#[test]
fn a_body_that_is_not_gzip_is_rejected() {
    let endpoint = Endpoint::start();
    let whole = gzip(b"{}");
    let mut damaged = whole.clone();
    damaged[12] ^= 0xff;
    for body in [b"{}".to_vec(), whole[..whole.len() - 1].to_vec(), damaged] {
        let mut client = endpoint.connect();
        send_gzip(&mut client, &body);
        let answer = client.answer();
        assert_eq!(answer.status, 400);
        assert!(answer.text().starts_with("The body is not valid gzip"));
    }
    endpoint.assert_serves();
}
