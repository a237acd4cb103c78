//! Requests in flight when the endpoint stops.

use crate::server::{Endpoint, eventually};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn stopping_answers_requests_in_flight_and_accepts_no_others() {
    let mut endpoint = Endpoint::start();
    let mut idle = endpoint.connect();
    assert_eq!(idle.request("ListTables", "{}").status, 200);
    let mut client = endpoint.connect();
    client.begin("ListTables", 2);
    client.send("{");

    endpoint.begin_stop();
    idle.wait_for_end();
    eventually("nobody listens", || TcpStream::connect(endpoint.address).is_err());
    assert!(!endpoint.has_stopped());
    client.send("}");
    assert_eq!(client.answer().status, 200);
    client.wait_for_end();
    eventually("it has stopped", || endpoint.has_stopped());
}

#[test]
fn a_request_that_never_ends_does_not_keep_the_endpoint_from_stopping() {
    let mut endpoint = Endpoint::start_with(|options| {
        options.limits.connections.stop_time_max = Duration::from_millis(200);
    });
    let mut client = endpoint.connect();
    client.begin("ListTables", 2);
    client.send("{");
    endpoint.begin_stop();
    client.wait_for_end();
    eventually("it has stopped", || endpoint.has_stopped());
}
