//! DNS rebinding: pages in browsers that send requests to this machine.

use crate::server::Endpoint;

fn status(endpoint: &Endpoint, request: &str) -> u16 {
    let mut client = endpoint.connect();
    client.send(request);
    client.answer().status
}

#[test]
fn requests_for_another_host_are_refused() {
    let endpoint = Endpoint::start();
    let get = |headers: &str| status(&endpoint, &format!("GET /metrics HTTP/1.1\r\n{headers}\r\n"));
    assert_eq!(get("Host: localhost:1234\r\n"), 200);
    // Some systems resolve these names by DNS.
    assert_eq!(get("Host: dynamodb.localhost\r\n"), 403);
    assert_eq!(get("Host: localhost.\r\n"), 403);
    assert_eq!(get("Host: [::1]:8000\r\n"), 200);
    assert_eq!(get("Host: attacker.example\r\n"), 403);
    assert_eq!(get("Host: localhost.attacker.example\r\n"), 403);
    assert_eq!(get("Host: localhost\r\nHost: attacker.example\r\n"), 403);
    assert_eq!(get(""), 403);
    assert_eq!(get("Host: localhost\r\nHost: localhost\r\n"), 403);
    // A target with a host must name the same host as the header.
    let whole = |target: &str, host: &str| {
        status(&endpoint, &format!("GET http://{target}/metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    };
    assert_eq!(whole("localhost", "localhost"), 200);
    assert_eq!(whole("attacker.example", "localhost"), 403);
    assert_eq!(whole("localhost", "attacker.example"), 403);
    endpoint.assert_serves();
}

#[test]
fn nothing_is_done_for_another_host() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let mut client = endpoint.connect();
    let body = r#"{"TableName":"games"}"#;
    let head = client.head("DeleteTable", body.len()).replace("127.0.0.1", "attacker.example");
    client.send(head + body);
    let answer = client.answer();
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("names another machine"), "{answer:?}");
    assert!(endpoint.request("ListTables", "{}").text().contains("games"));
}
