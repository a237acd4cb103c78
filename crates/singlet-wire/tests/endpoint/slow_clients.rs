//! Slow clients.

use crate::server::{Endpoint, eventually};
use singlet_wire::Limits;
use std::time::Duration;

fn impatient(change: impl Fn(&mut Limits)) -> Endpoint {
    Endpoint::start_with(|options| change(&mut options.limits))
}

const SOON: Duration = Duration::from_secs(1);

#[test]
fn a_head_that_trickles_in_is_cut_off() {
    let endpoint = impatient(|limits| limits.connections.head_time_max = SOON);
    let mut client = endpoint.connect();
    for byte in b"POST / HTTP/1.1\r\nHost: local" {
        client.send([*byte]);
        std::thread::sleep(Duration::from_millis(50));
    }
    client.wait_for_end();
    assert_eq!(endpoint.metric("singlet_connections_timed_out_total"), 1);
    endpoint.assert_serves();
}

#[test]
fn a_missing_body_times_out() {
    let endpoint = impatient(|limits| limits.body_time_max = SOON);
    let mut client = endpoint.connect();
    let head = client.head("ListTables", 1000);
    client.send(head + "{\"Limit\":");
    let answer = client.answer();
    assert_eq!((answer.status, &*answer.text()), (408, "The body did not arrive in time.\n"));
    client.wait_for_end();
    endpoint.assert_serves();
}

#[test]
fn an_idle_connection_is_closed() {
    let endpoint = impatient(|limits| {
        limits.connections.idle_time_max = SOON;
        limits.connections.stall_time_max = SOON;
    });
    let mut silent = endpoint.connect();
    let mut client = endpoint.connect();
    assert_eq!(client.request("ListTables", "{}").status, 200);
    client.wait_for_end();
    silent.wait_for_end();
    endpoint.assert_serves();
}

#[test]
fn a_half_closed_client_gets_its_response() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head("ListTables", 2);
    client.send(head + "{}");
    client.finish_sending();
    assert_eq!(client.answer().status, 200);
    client.wait_for_end();
}

#[test]
fn a_client_that_goes_away_is_forgotten() {
    let endpoint = Endpoint::start();
    for part in ["", "POST", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"] {
        let mut client = endpoint.connect();
        client.send(part);
    }
    // The connection that reads the metric is open itself.
    eventually("connections end", || endpoint.metric("singlet_connections") == 1);
    assert_eq!(endpoint.metric("singlet_requests_in_flight"), 0);
}

/// Unread responses hold memory.
#[test]
fn a_client_that_never_reads_is_cut_off() {
    let endpoint = impatient(|limits| {
        limits.connections.idle_time_max = SOON;
        limits.connections.stall_time_max = SOON;
    });
    endpoint.make_table("games");
    let filler = "x".repeat(390_000);
    for key in 0..3 {
        let put = format!(
            r#"{{"TableName":"games","Item":{{"pk":{{"S":"{key}"}},"v":{{"S":"{filler}"}}}}}}"#
        );
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
    }
    let mut client = endpoint.connect();
    let scan = r#"{"TableName":"games"}"#;
    let request = client.head("Scan", scan.len()) + scan;
    // 1 MB each: more than the socket buffers hold.
    client.send(request.repeat(100));
    eventually("answers wait", || endpoint.metric("singlet_held_bytes") > 0);
    // Held bytes can also drop to 0 while the first responses are sent, so wait for this first.
    eventually("it is cut off", || endpoint.metric("singlet_connections_timed_out_total") >= 1);
    eventually("they are given up", || endpoint.metric("singlet_held_bytes") == 0);
    client.wait_for_end();
    endpoint.assert_serves();
}
