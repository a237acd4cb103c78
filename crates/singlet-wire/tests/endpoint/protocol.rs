//! Behaviour that clients rely on.

use crate::server::{Endpoint, eventually};
use flate2::Compression;
use flate2::write::GzEncoder;
use singlet_engine::Engine;
use std::io::Write;

const PUT: &str = r#"{"TableName":"games","Item":{"pk":{"S":"a"},"n":{"N":"7"}}}"#;
const GET: &str = r#"{"TableName":"games","Key":{"pk":{"S":"a"}}}"#;
const GOT: &str = r#"{"Item":{"n":{"N":"7"},"pk":{"S":"a"}}}"#;

#[test]
fn one_connection_serves_many_requests() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let mut client = endpoint.connect();
    assert_eq!(client.request("PutItem", PUT).text(), "{}");
    for _ in 0..10 {
        let answer = client.request("GetItem", GET);
        assert_eq!(answer.text(), GOT);
        assert_eq!(answer.header("content-type"), Some("application/x-amz-json-1.0"));
        let checksum = crc32fast::hash(&answer.body).to_string();
        assert_eq!(answer.header("x-amz-crc32"), Some(&*checksum));
        assert_eq!(answer.header("x-amzn-requestid").map(str::len), Some(52));
    }
    assert_eq!(endpoint.metric("singlet_requests_total{operation=\"GetItem\",outcome=\"ok\"}"), 10);
}

#[test]
fn an_index_of_several_attributes_is_queried_page_by_page() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let mut client = endpoint.connect();
    let answer = client.request(
        "UpdateTable",
        r#"{"TableName":"games",
        "AttributeDefinitions":[{"AttributeName":"tenant","AttributeType":"S"},
        {"AttributeName":"region","AttributeType":"N"},{"AttributeName":"state","AttributeType":"S"},
        {"AttributeName":"points","AttributeType":"N"}],
        "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byState","KeySchema":[
        {"AttributeName":"tenant","KeyType":"HASH"},{"AttributeName":"region","KeyType":"HASH"},
        {"AttributeName":"state","KeyType":"RANGE"},{"AttributeName":"points","KeyType":"RANGE"}],
        "Projection":{"ProjectionType":"KEYS_ONLY"}}}]}"#,
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    for (pk, points) in [("a", 3), ("b", -1), ("c", 20)] {
        let body = format!(
            r#"{{"TableName":"games","Item":{{"pk":{{"S":"{pk}"}},"tenant":{{"S":"t"}},"region":{{"N":"7"}},
            "state":{{"S":"open"}},"points":{{"N":"{points}"}},"note":{{"S":"not projected"}}}}}}"#
        );
        assert_eq!(client.request("PutItem", &body).text(), "{}");
    }
    let query = |condition: &str, values: &str, more: &str| {
        let body = format!(
            r##"{{"TableName":"games","IndexName":"byState","KeyConditionExpression":"{condition}",
            "ExpressionAttributeNames":{{"#r":"region","#s":"state"}},
            "ExpressionAttributeValues":{{":t":{{"S":"t"}},":r":{{"N":"7"}},":s":{{"S":"open"}}{values}}}{more}}}"##
        );
        endpoint.request("Query", &body)
    };
    let condition = "tenant = :t AND #r = :r AND #s = :s AND points > :n";
    eventually("the index is filled", || {
        !endpoint.request("DescribeTable", r#"{"TableName":"games"}"#).text().contains("CREATING")
    });
    let values = r#",":n":{"N":"0"}"#;
    let row = |pk: &str, points: i64| {
        format!(
            r#"{{"pk":{{"S":"{pk}"}},"points":{{"N":"{points}"}},"region":{{"N":"7"}},"state":{{"S":"open"}},"tenant":{{"S":"t"}}}}"#
        )
    };
    let first = query(condition, values, r#","Limit":1"#).text();
    let (a, c) = (row("a", 3), row("c", 20));
    assert_eq!(
        first,
        format!(r#"{{"Count":1,"Items":[{a}],"LastEvaluatedKey":{a},"ScannedCount":1}}"#)
    );
    let next = format!(r#","ExclusiveStartKey":{a}"#);
    let second = query(condition, values, &next).text();
    assert_eq!(second, format!(r#"{{"Count":1,"Items":[{c}],"ScannedCount":1}}"#));

    let refused = query("tenant = :t AND #s = :s AND #r > :r", "", "");
    assert_eq!(refused.status, 400);
    let text = "HASH key attributes region must have equality conditions specified in the query";
    assert!(refused.text().contains(text), "{refused:?}");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let mut client = endpoint.connect();
    let mut all = String::new();
    for n in 0..50 {
        let body = format!(
            r#"{{"TableName":"games","Key":{{"pk":{{"S":"a"}}}},"ReturnValues":"ALL_NEW",
            "UpdateExpression":"SET n = :n","ExpressionAttributeValues":{{":n":{{"N":"{n}"}}}}}}"#
        );
        all.push_str(&client.head("UpdateItem", body.len()));
        all.push_str(&body);
    }
    client.send(all);
    for n in 0..50 {
        let text = client.answer().text();
        assert!(text.contains(&format!(r#""n":{{"N":"{n}"}}"#)), "{n}: {text}");
    }
}

#[test]
fn a_body_may_come_in_pieces() {
    let endpoint = Endpoint::start();
    endpoint.make_table("games");
    let mut client = endpoint.connect();
    let mut chunked = client.head_with("PutItem", "Transfer-Encoding: chunked\r\n");
    for piece in PUT.as_bytes().chunks(7) {
        let piece = std::str::from_utf8(piece).unwrap();
        chunked.push_str(&format!("{:x}\r\n{piece}\r\n", piece.len()));
    }
    chunked.push_str("0\r\n\r\n");
    client.send(chunked);
    assert_eq!(client.answer().text(), "{}");
    // Byte by byte, including the head.
    for byte in format!("{}{GET}", client.head("GetItem", GET.len())).bytes() {
        client.send([byte]);
    }
    assert_eq!(client.answer().text(), GOT);
}

#[test]
fn a_body_may_be_compressed() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"{\"Limit\":1}").unwrap();
    let body = encoder.finish().unwrap();
    let headers = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n", body.len());
    let head = client.head_with("ListTables", &headers);
    client.send([head.as_bytes(), &body].concat());
    assert_eq!(client.answer().text(), r#"{"TableNames":[]}"#);
}

#[test]
fn a_client_may_ask_before_it_sends_a_body() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head_with("ListTables", "Content-Length: 2\r\nExpect: 100-continue\r\n");
    client.send(head);
    assert_eq!(client.answer().status, 100);
    client.send("{}");
    assert_eq!(client.answer().status, 200);
}

#[test]
fn get_and_head_requests_are_answered() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let answer = client.get("/");
    assert_eq!(answer.text(), "healthy: dynamodb.us-east-1.amazonaws.com ");
    assert_eq!(answer.header("x-amz-crc32"), Some("3128867991"));
    assert_eq!(client.get("/health").text(), "ok\n");
    let metrics = client.get("/metrics").text();
    assert!(metrics.contains("\n# TYPE singlet_requests_total counter\n"), "{metrics}");
    assert!(metrics.contains("\nsinglet_connections 1\n"), "{metrics}");
}

/// The service's responses to requests without an operation, as recorded by its clients.
#[test]
fn requests_without_an_operation_are_rejected() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let mut send = |method: &str, kind: &str, target: &str, body: &str| {
        let header = |name: &str, value: &str| match value {
            "" => String::new(),
            _ => format!("{name}: {value}\r\n"),
        };
        client.send(format!(
            "{method} / HTTP/1.1\r\nHost: localhost\r\n{}{}Content-Length: {}\r\n\r\n{body}",
            header("Content-Type", kind),
            header("X-Amz-Target", target),
            body.len()
        ));
        let answer = client.answer();
        let kind = answer.header("content-type").unwrap().to_owned();
        (answer.status, answer.text(), kind)
    };
    let text = "text/plain; charset=utf-8".to_owned();
    let no_operation = (404, "<UnknownOperationException/>\n".to_owned(), text);
    assert_eq!(send("PUT", "", "", ""), no_operation);
    assert_eq!(send("DELETE", "", "", ""), no_operation);
    assert_eq!(send("OPTIONS", "", "", ""), no_operation);
    assert_eq!(send("POST", "", "", "hi"), no_operation);
    assert_eq!(send("POST", "application/x-amz-json-1.1", "", "hi"), no_operation);
    assert_eq!(send("POST", "application/jsonasdf", "", "hi"), no_operation);

    let error = |name: &str, kind: &str| {
        (400, format!(r#"{{"__type":"com.amazon.coral.service#{name}"}}"#), kind.to_owned())
    };
    let serialization = |kind| error("SerializationException", kind);
    let unknown = |kind| error("UnknownOperationException", kind);
    let (json, json_1_0) = ("application/json", "application/x-amz-json-1.0");
    assert_eq!(send("POST", json, "", "hi"), serialization(json));
    assert_eq!(send("POST", "application/json  ;  asfd", "", "hi"), serialization(json));
    assert_eq!(send("POST", json_1_0, "", "hi"), serialization(json_1_0));
    assert_eq!(send("POST", "", "", ""), unknown(json));
    assert_eq!(send("POST", json, "", "{}"), unknown(json));
    assert_eq!(send("POST", json_1_0, "whatever", "{}"), unknown(json_1_0));
    assert_eq!(send("POST", json_1_0, "DynamoDB_20120810.ListTables", ""), serialization(json_1_0));

    let (status, unoffered, _) = send("POST", json, "DynamoDB_20120810.ExecuteStatement", "{}");
    assert_eq!(status, 400);
    assert_eq!(
        unoffered,
        "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\",\
         \"message\":\"Singlet does not offer the operation ExecuteStatement.\"}"
    );
}

#[test]
fn streams_are_behind_the_same_endpoint() {
    let endpoint = Endpoint::start();
    let mut client = endpoint.connect();
    let head = client.head("ListStreams", 2).replace("DynamoDB_", "DynamoDBStreams_");
    client.send(head + "{}");
    assert_eq!(client.answer().text(), r#"{"Streams":[]}"#);
}

#[test]
fn an_engine_that_refuses_writes_is_not_healthy() {
    let engine = Engine::memory().unwrap();
    let endpoint = Endpoint::start_on(engine.clone(), |_| {});
    assert_eq!(endpoint.connect().get("/health").status, 200);
    engine.close().unwrap();
    let answer = endpoint.connect().get("/health");
    assert_eq!(answer.status, 503);
    assert!(answer.text().starts_with("The engine refuses writes"), "{answer:?}");
    endpoint.request("ListTables", "{}").assert_error(500, "InternalServerError");
}
