//! More than the endpoint takes on.

use crate::server::{Endpoint, eventually};

#[test]
fn too_many_requests_are_shed_and_then_served_again() {
    let endpoint = Endpoint::start_with(|options| options.limits.requests_max = 2);
    let mut waiting = [endpoint.connect(), endpoint.connect()];
    for client in &mut waiting {
        // In flight, because the body is not there yet.
        let head = client.head("ListTables", 2);
        client.send(head + "{");
    }
    eventually("both are in flight", || endpoint.metric("singlet_requests_in_flight") == 2);
    let mut client = endpoint.connect();
    for _ in 0..5 {
        let answer = client.request("ListTables", "{}");
        answer.assert_error(400, "ThrottlingException");
        assert!(answer.text().contains("Rate of requests exceeds the allowed throughput."));
    }
    for client in &mut waiting {
        client.send("}");
        assert_eq!(client.answer().status, 200);
    }
    // The same connection that was refused.
    assert_eq!(client.request("ListTables", "{}").status, 200);
}

#[test]
fn too_many_connections_are_told_so() {
    let endpoint = Endpoint::start_with(|options| options.limits.connections_max = 3);
    let mut clients: Vec<_> = (0..3).map(|_| endpoint.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.request("ListTables", "{}").status, 200);
    }
    let mut refused = endpoint.connect();
    let answer = refused.request("ListTables", "{}");
    answer.assert_error(503, "ServiceUnavailable");
    assert_eq!(answer.header("connection"), Some("close"));
    refused.wait_for_end();
    // Those who were there first notice nothing, and whoever comes when one has gone is served.
    assert_eq!(clients[0].request("ListTables", "{}").status, 200);
    clients.pop();
    eventually("there is room", || endpoint.request("ListTables", "{}").status == 200);
}

#[test]
fn large_bodies_are_held_up_to_a_bound() {
    const BODY: usize = 4 << 20;
    let endpoint = Endpoint::start_with(|options| options.limits.held_bytes_max = 3 * BODY);
    let almost = vec![b' '; BODY - 2];
    let mut holding: Vec<_> = (0..3).map(|_| endpoint.connect()).collect();
    for client in &mut holding {
        let head = client.head("ListTables", BODY);
        client.send(head);
        client.send(&almost);
    }
    eventually("all are held", || endpoint.metric("singlet_held_bytes") as usize > 3 * BODY - 100);
    let mut refused = endpoint.connect();
    let answer = refused.request("ListTables", vec![b' '; BODY]);
    answer.assert_error(400, "ThrottlingException");
    // What is small finds room always.
    endpoint.assert_serves();
    assert!(endpoint.metric("singlet_held_bytes") as usize <= 3 * BODY);
    for client in &mut holding {
        client.send("{}");
        assert_eq!(client.answer().status, 200);
    }
    assert_eq!(endpoint.metric("singlet_held_bytes"), 0);
    let mut body = almost;
    body[..2].copy_from_slice(b"{}");
    assert_eq!(refused.request("ListTables", &body).status, 200);
}

#[test]
fn many_clients_at_once_get_their_own_answers() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    std::thread::scope(|scope| {
        for worker in 0..16 {
            let endpoint = &endpoint;
            scope.spawn(move || {
                let mut client = endpoint.connect();
                for n in 0..50 {
                    let put = format!(
                        r#"{{"TableName":"games","Item":{{"pk":{{"S":"{worker}"}},"n":{{"N":"{n}"}}}}}}"#
                    );
                    assert_eq!(client.request("PutItem", put).text(), "{}");
                    let get =
                        format!(r#"{{"TableName":"games","Key":{{"pk":{{"S":"{worker}"}}}}}}"#);
                    assert_eq!(
                        client.request("GetItem", get).text(),
                        format!(r#"{{"Item":{{"n":{{"N":"{n}"}},"pk":{{"S":"{worker}"}}}}}}"#)
                    );
                }
            });
        }
    });
    assert_eq!(endpoint.metric("singlet_requests_in_flight"), 0);
}
