//! More load than the endpoint admits.

use crate::server::{Endpoint, eventually};
use std::time::{Duration, Instant};

#[test]
fn too_many_requests_are_shed() {
    let endpoint = Endpoint::start_with(|options| options.limits.requests_max = 0);
    let mut client = endpoint.connect();
    for _ in 0..5 {
        let answer = client.request("ListTables", "{}");
        answer.assert_error(400, "ThrottlingException");
        assert!(answer.text().contains("Rate of requests exceeds the allowed throughput."));
    }
}

/// Requests used to count as in flight before their bodies arrived, so a few open heads locked
/// everyone else out.
#[test]
fn incomplete_requests_do_not_take_places() {
    let endpoint = Endpoint::start_with(|options| options.limits.requests_max = 1);
    let mut waiting: Vec<_> = (0..20).map(|_| endpoint.connect()).collect();
    for client in &mut waiting {
        client.begin("ListTables", 2);
        client.send("{");
    }
    endpoint.assert_serves();
    for client in &mut waiting {
        client.send("}");
        assert_eq!(client.answer().status, 200);
    }
    assert_eq!(endpoint.metric("singlet_requests_in_flight"), 0);
}

/// A client that had opened all connections used to lock everyone else out.
#[test]
fn a_new_connection_replaces_one_that_is_idle() {
    let endpoint = Endpoint::start_with(|options| options.limits.connections.connections_max = 3);
    let mut useful = endpoint.connect();
    assert_eq!(useful.request("ListTables", "{}").status, 200);
    let mut silent = endpoint.connect();
    let mut half = endpoint.connect();
    half.send("POST / HTTP/1.1\r\nHost:");
    // Connections without a request are closed first; the others stay open.
    let mut others = [endpoint.connect(), endpoint.connect()];
    for client in &mut others {
        assert_eq!(client.request("ListTables", "{}").status, 200);
    }
    silent.wait_for_end();
    half.wait_for_end();
    assert_eq!(useful.request("ListTables", "{}").status, 200);
    assert!(endpoint.metric("singlet_connections_replaced_total") >= 2);
}

#[test]
fn large_bodies_are_held_up_to_a_bound() {
    const BODY: usize = 4 << 20;
    let endpoint = Endpoint::start_with(|options| {
        options.limits.large_body_bytes_max = 4 * BODY;
        options.limits.connections.pressed_time_max = Duration::from_secs(60);
    });
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
    // Small requests always find room.
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

/// Bodies that never end used to hold all the room until the body timeout.
#[test]
fn slow_bodies_make_room_for_others() {
    const BODY: usize = 4 << 20;
    let endpoint = Endpoint::start_with(|options| {
        options.limits.large_body_bytes_max = 4 * BODY;
        options.limits.connections.pressed_time_max = Duration::from_millis(100);
        options.limits.connections.pressed_bytes_per_second_min = usize::MAX;
    });
    let mut holding: Vec<_> = (0..3).map(|_| endpoint.connect()).collect();
    for client in &mut holding {
        let head = client.head("ListTables", BODY);
        client.send(head);
        client.send(vec![b' '; BODY - 2]);
    }
    eventually("all are held", || endpoint.metric("singlet_held_bytes") as usize > 3 * BODY - 100);
    let mut body = vec![b' '; BODY];
    body[..2].copy_from_slice(b"{}");
    eventually("there is room", || endpoint.request_bytes("ListTables", &body).status == 200);
    assert!(endpoint.metric("singlet_connections_timed_out_total") > 0);
}

/// Clients that did not read their responses used to hold all the room and block everyone else.
#[test]
fn unread_responses_leave_room_for_small_ones() {
    let endpoint = Endpoint::start_with(|options| {
        options.limits.large_answer_bytes_max = 32 << 20;
        options.limits.connections.pressed_time_max = Duration::from_secs(2);
        options.limits.connections.pressed_bytes_per_second_min = usize::MAX;
    });
    endpoint.make_table("games");
    let filler = "x".repeat(390_000);
    for key in 0..10 {
        let put = format!(
            r#"{{"TableName":"games","Item":{{"pk":{{"S":"{key}"}},"v":{{"S":"{filler}"}}}}}}"#
        );
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
    }
    let keys: Vec<String> = (0..10).map(|key| format!(r#"{{"pk":{{"S":"{key}"}}}}"#)).collect();
    let large = format!(r#"{{"RequestItems":{{"games":{{"Keys":[{}]}}}}}}"#, keys.join(","));
    let mut silent: Vec<_> = (0..20).map(|_| endpoint.connect()).collect();
    for client in &mut silent {
        // Pipelined, because a socket buffers some megabytes before a write blocks.
        let request = client.head("BatchGetItem", large.len()) + &large;
        client.send(request.repeat(12));
    }
    eventually("answers wait", || endpoint.metric("singlet_held_bytes") > 4 << 20);
    let small = r#"{"TableName":"games","Key":{"pk":{"S":"none"}}}"#;
    for _ in 0..100 {
        assert_eq!(endpoint.request("GetItem", small).status, 200);
        assert!(endpoint.metric("singlet_held_bytes") <= 32 << 20);
    }
    // Large requests are served again, at the latest when the clients that do not read are cut off.
    eventually("there is room", || endpoint.request("BatchGetItem", &large).status == 200);
}

/// A committed write cannot be refused: its response waits for room, then exceeds it within a
/// limit.
#[test]
fn the_response_to_a_committed_write_waits_for_room() {
    let endpoint = Endpoint::start_with(|options| {
        options.limits.large_answer_bytes_max = 100_000;
        options.limits.room_time_max = Duration::from_millis(300);
    });
    endpoint.make_table("games");
    let put = |text: &str| {
        let item = format!(r#"{{"pk":{{"S":"1"}},"v":{{"S":"{text}"}}}}"#);
        let put = format!(r#"{{"TableName":"games","ReturnValues":"ALL_OLD","Item":{item}}}"#);
        endpoint.request("PutItem", &put)
    };
    let filler = "x".repeat(300_000);
    assert_eq!(put(&filler).status, 200);
    // A read can be repeated, so it is refused at once.
    let get = r#"{"TableName":"games","Key":{"pk":{"S":"1"}}}"#;
    endpoint.request("GetItem", get).assert_error(400, "ThrottlingException");
    let begin = Instant::now();
    let answer = put("new");
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains(&filler));
    assert!(begin.elapsed() >= Duration::from_millis(300), "{:?}", begin.elapsed());
    assert!(endpoint.request("GetItem", get).text().contains("new"));
    assert_eq!(endpoint.metric("singlet_held_bytes"), 0);
}

/// Writes that return large items had no limit: each was committed, and its response waited in
/// memory.
#[test]
fn returned_items_are_bounded() {
    let endpoint = Endpoint::start_with(|options| {
        // Two items of 100 KB, and once more the size of one of them.
        options.limits.returned_item_bytes_max = 310_000;
        options.limits.large_answer_bytes_max = 1;
        // Longer than the test runs.
        options.limits.room_time_max = Duration::from_secs(60);
    });
    endpoint.make_table("games");
    let filler = "x".repeat(100_000);
    for (key, filler) in [&filler, &filler, &filler, &"x".repeat(250_000)].iter().enumerate() {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},"n":{{"N":"1"}},"v":{{"S":"{filler}"}}}}"#);
        let put = format!(r#"{{"TableName":"games","Item":{item}}}"#);
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
    }
    let update = |key: usize, returned: &str| {
        format!(
            r#"{{"TableName":"games","Key":{{"pk":{{"S":"{key}"}}}},
            "UpdateExpression":"SET n = :n","ExpressionAttributeValues":{{":n":{{"N":"2"}}}},
            "ReturnValues":"{returned}"}}"#
        )
    };
    let number = |key: usize| {
        let get = format!(
            r#"{{"TableName":"games","Key":{{"pk":{{"S":"{key}"}}}},"ProjectionExpression":"n"}}"#
        );
        endpoint.request("GetItem", &get).text()
    };
    let begin = |key: usize, held: u64| {
        let mut client = endpoint.connect();
        let body = update(key, "ALL_NEW");
        client.send(client.head("UpdateItem", body.len()) + &body);
        eventually("it waits for room", || endpoint.metric("singlet_held_bytes") >= held);
        client
    };
    let mut waiting = vec![begin(0, 100_000)];
    // The size of the item is known when the write is evaluated, and then it can still be refused.
    let check_refused = |key: usize| {
        let refused = endpoint.request("UpdateItem", &update(key, "ALL_NEW"));
        refused.assert_error(400, "ThrottlingException");
        assert_eq!(number(key), r#"{"Item":{"n":{"N":"1"}}}"#, "it was refused, and is not done");
    };
    check_refused(3);
    waiting.push(begin(1, 200_000));
    check_refused(2);
    // A failed condition that returns the item needs room as well.
    let put = r#"{"TableName":"games","Item":{"pk":{"S":"2"}},"ConditionExpression":"n = pk",
        "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"#;
    endpoint.request("PutItem", put).assert_error(400, "ThrottlingException");
    // Writes that return little or nothing need no room.
    let old = endpoint.request("UpdateItem", &update(2, "UPDATED_OLD"));
    assert_eq!((old.status, &*old.text()), (200, r#"{"Attributes":{"n":{"N":"1"}}}"#));
    let kept = endpoint.request("UpdateItem", &update(2, "NONE"));
    assert_eq!((kept.status, &*kept.text()), (200, "{}"));
    drop(waiting);
    eventually("all is given back", || endpoint.metric("singlet_held_bytes") == 0);
}

/// A response more than twice as long as its stored items was refused every time if it exceeded 3
/// MB.
#[test]
fn responses_with_long_json_get_the_room_they_need() {
    const ITEMS: usize = 40;
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let texts = vec![r#"{"S":""}"#; 45_000].join(",");
    for key in 0..ITEMS {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},"l":{{"L":[{texts}]}}}}"#);
        let put = format!(r#"{{"TableName":"games","Item":{item}}}"#);
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
    }
    let keys: Vec<String> = (0..ITEMS).map(|key| format!(r#"{{"pk":{{"S":"{key}"}}}}"#)).collect();
    let batch = format!(r#"{{"RequestItems":{{"games":{{"Keys":[{}]}}}}}}"#, keys.join(","));
    let answer = endpoint.request("BatchGetItem", &batch);
    assert_eq!(answer.status, 200, "{}", answer.body.len());
    assert!(answer.body.len() > ITEMS * texts.len());
    assert!(answer.text().ends_with(r#""UnprocessedKeys":{}}"#));
    eventually("all is given back", || endpoint.metric("singlet_held_bytes") == 0);
}

/// A cancelled transaction whose reasons had more than 3 MB of items was reported as throttled, so
/// clients retried it.
#[test]
fn a_cancelled_transaction_returns_all_its_items() {
    const ITEMS: usize = 9;
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let filler = "x".repeat(390_000);
    let mut actions = Vec::new();
    for key in 0..ITEMS {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},"v":{{"S":"{filler}"}}}}"#);
        let put = format!(r#"{{"TableName":"games","Item":{item}}}"#);
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
        actions.push(format!(
            r#"{{"Put":{{"TableName":"games","Item":{{"pk":{{"S":"{key}"}}}},
            "ConditionExpression":"attribute_not_exists(pk)",
            "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}}"#
        ));
    }
    let body = format!(r#"{{"TransactItems":[{}]}}"#, actions.join(","));
    let answer = endpoint.request("TransactWriteItems", &body);
    answer.assert_error(400, "TransactionCanceledException");
    assert_eq!(answer.text().matches(&filler).count(), ITEMS);
    eventually("all is given back", || endpoint.metric("singlet_held_bytes") == 0);
}

/// Requests refused because of their own client's share used to cut off everyone else's slow
/// transfers.
#[test]
fn a_slow_body_completes_while_another_client_asks_for_too_much() {
    const ROOM: usize = 1 << 20;
    let endpoint = Endpoint::start_with(|options| {
        options.limits.large_body_bytes_max = ROOM;
        options.limits.connections.pressed_time_max = Duration::from_millis(100);
        options.limits.connections.pressed_bytes_per_second_min = usize::MAX;
    });
    let mut slow = endpoint.connect();
    let head = slow.head("ListTables", 150_000);
    slow.send(head);
    slow.send(vec![b' '; 140_000]);
    for _ in 0..20 {
        let refused = endpoint.request_bytes("ListTables", &vec![b' '; 3 * ROOM / 4]);
        refused.assert_error(400, "ThrottlingException");
        std::thread::sleep(Duration::from_millis(50));
    }
    slow.send(vec![b' '; 9_998]);
    slow.send("{}");
    assert_eq!(slow.answer().status, 200);
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
