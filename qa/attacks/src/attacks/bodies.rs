//! Requests that are wrong: too large, too deep, packed, hidden in others, or meant for another host.

use crate::dynamodb::wrong_signature;
use crate::frames::{self, END_HEADERS, END_STREAM};
use crate::http::Connection;
use crate::load::Hostile;
use crate::round::{Kind, Round, Target};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

/// Makes the body of a request, by the attacker and the number of the request.
type Bodies = Box<dyn Fn(usize, u32) -> Vec<u8> + Sync>;

/// Requests to the endpoint: what each attacks, its operation and its body.
fn hostile<const N: usize>(
    target: &Target,
    bodies: [(&'static str, &str, String); N],
) -> Vec<Hostile> {
    let make = |(what, operation, body): (_, &str, String)| Hostile {
        what,
        bytes: target.requests.make(operation, body),
    };
    bodies.into_iter().map(make).collect()
}

/// The body of a PutItem with this value.
fn put(value: &str) -> String {
    format!(r#"{{"TableName":"victim","Item":{{"pk":{{"S":"1"}},"v":{value}}}}}"#)
}

/// A known access key and a wrong signature, whose `SignedHeaders` name one long header again and
/// again. The canonical request repeated the header each time and the error repeated the canonical
/// request: one such request took 4 to 7 s and 1.5 GB, and was answered with 392 MB.
pub(super) fn signed_headers(target: &Target) -> Result<Vec<Hostile>, String> {
    // The head has 56 KB.
    let long = format!("A: {}\r\n", "x".repeat(28_000));
    let signed = "a;".repeat(14_000) + "host;x-amz-date;x-amz-target";
    let head = target.requests.head("ListTables", 2, &(long + &wrong_signature(&signed)));
    let make = |what| Hostile { what, bytes: (head.clone() + "{}").into_bytes() };
    Ok(["first", "second"].map(make).into())
}

/// Wrong signatures on small bodies.
pub(super) fn wrong_signatures(target: &Target) -> Result<Vec<Hostile>, String> {
    let headers = wrong_signature("host;x-amz-date;x-amz-target");
    let request = target.requests.head("ListTables", 2, &headers) + "{}";
    Ok(vec![Hostile { what: "wrong signature", bytes: request.into_bytes() }])
}

/// Expressions that use one value of 1 MB a thousand times. Each use had a copy: one Scan took 1.1 GB
/// and 18 s on a table without items, and one UpdateItem that was too large in the end as much, while
/// all other writes waited.
pub(super) fn repeated_values(target: &Target) -> Result<Vec<Hostile>, String> {
    target.requests.create_table("empty")?;
    let values = json!({":v": {"S": "a".repeat(1_000_000)}});
    // `IN` takes a hundred values, and an expression of 4 KB has room for ten of them.
    let list = format!("b IN ({})", vec![":v"; 100].join(","));
    let scan = json!({
        "TableName": "empty",
        "FilterExpression": vec![list; 10].join(" OR "),
        "ExpressionAttributeValues": values,
    });
    let set: Vec<String> = (0..300).map(|index| format!("a{index} = :v")).collect();
    let update = json!({
        "TableName": "empty",
        "Key": {"pk": {"S": "0"}},
        "UpdateExpression": format!("SET {}", set.join(",")),
        "ExpressionAttributeValues": values,
    });
    let bodies =
        [("filter", "Scan", scan.to_string()), ("update", "UpdateItem", update.to_string())];
    Ok(hostile(target, bodies))
}

/// Tables with five million indexes of three bytes each, as many as a body of 16 MB can hold. All of
/// them were read before they were counted, and each took a hundred bytes: eight requests took
/// gigabytes.
pub(super) fn many_indexes(target: &Target) -> Result<Vec<Hostile>, String> {
    let body = format!(
        r#"{{"TableName":"bomb","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],
            "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST",
            "GlobalSecondaryIndexes":[{}{{}}]}}"#,
        "{},".repeat(5_200_000 - 1)
    );
    let bytes = target.requests.make("CreateTable", body);
    Ok((0..8).map(|_| Hostile { what: "five million indexes", bytes: bytes.clone() }).collect())
}

/// Batches and transactions with hundreds of thousands of entries, where 25 or 100 are allowed. All
/// were read and kept before they were counted, and some errors repeated all of them.
pub(super) fn many_writes(target: &Target) -> Result<Vec<Hostile>, String> {
    let filled = |entry: &str| vec![entry; (15 << 20) / (entry.len() + 1)].join(",");
    let puts = filled(r#"{"PutRequest":{"Item":{"pk":{"S":"1"}}}}"#);
    let empty = filled("{}");
    let keys = filled(r#"{"pk":{"S":"1"}}"#);
    let transacted = filled(r#"{"Put":{"TableName":"victim","Item":{"pk":{"S":"1"}}}}"#);
    let tables = (0..300_000).map(|n| format!(r#""t{n}":[{{"PutRequest":{{"Item":{{}}}}}}]"#));
    let tables = tables.collect::<Vec<String>>().join(",");
    let batch = |members: String| format!(r#"{{"RequestItems":{{{members}}}}}"#);
    let transaction = |entries: &str| format!(r#"{{"TransactItems":[{entries}]}}"#);
    let bodies = [
        ("puts", "BatchWriteItem", batch(format!(r#""victim":[{puts}]"#))),
        ("empty puts", "BatchWriteItem", batch(format!(r#""victim":[{empty}]"#))),
        ("tables", "BatchWriteItem", batch(tables)),
        ("keys", "BatchGetItem", batch(format!(r#""victim":{{"Keys":[{keys}]}}"#))),
        ("transacted puts", "TransactWriteItems", transaction(&transacted)),
        ("empty writes", "TransactWriteItems", transaction(&empty)),
        ("empty reads", "TransactGetItems", transaction(&empty)),
    ];
    Ok(hostile(target, bodies))
}

/// Values that nest deeper than any stack. Parsers keep their own stacks, so this never did harm.
pub(super) fn deep_values(target: &Target) -> Result<Vec<Hostile>, String> {
    const LEVELS: usize = 100_000;
    let list = r#"{"L":["#.repeat(LEVELS) + &"]}".repeat(LEVELS);
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let unclosed = r#"{"M":{"a":"#.repeat(LEVELS);
    let bodies = [
        ("deep list", "PutItem", put(&list)),
        ("deep arrays", "PutItem", format!(r#"{{"Unknown":{arrays},"TableName":"victim"}}"#)),
        ("unclosed maps", "PutItem", put(&unclosed)),
    ];
    Ok(hostile(target, bodies))
}

/// Values with a million members. An empty list takes nine bytes in a body and many times that in
/// memory, reading them held a thread for seconds, and an error repeated a list of names of 8 MB.
pub(super) fn wide_values(target: &Target) -> Result<Vec<Hostile>, String> {
    const MEMBERS: usize = 900_000;
    let wide = vec![r#"{"L":[]}"#; MEMBERS].join(",");
    let maps = vec![r#"{"M":{}}"#; MEMBERS].join(",");
    let members = (0..MEMBERS).map(|n| format!(r#""{n:x}":{{"N":"1"}}"#));
    let members = members.collect::<Vec<String>>().join(",");
    let strings = (0..MEMBERS).map(|n| format!(r#""{n:x}""#)).collect::<Vec<String>>().join(",");
    let names = vec![r#""a""#; MEMBERS * 3].join(",");
    let get = format!(
        r#"{{"TableName":"victim","Key":{{"pk":{{"S":"1"}}}},"AttributesToGet":[{names}]}}"#
    );
    let scan = format!(
        r#"{{"TableName":"victim","FilterExpression":"a = :a","ExpressionAttributeValues":{{{members}}}}}"#
    );
    let bodies = [
        ("wide list", "PutItem", put(&format!(r#"{{"L":[{wide}]}}"#))),
        ("wide list of maps", "PutItem", put(&format!(r#"{{"L":[{maps}]}}"#))),
        ("wide map", "PutItem", put(&format!(r#"{{"M":{{{members}}}}}"#))),
        ("wide set", "PutItem", put(&format!(r#"{{"SS":[{strings}]}}"#))),
        ("names", "GetItem", get),
        ("values", "Scan", scan),
    ];
    Ok(hostile(target, bodies))
}

/// Mistakes of megabytes in members whose values error messages repeat. Some answers were as large
/// as the request, or larger.
pub(super) fn echoed_errors(target: &Target) -> Result<Vec<Hostile>, String> {
    const BYTES: usize = 12 << 20;
    let long = "x".repeat(BYTES);
    let digits = "1".repeat(BYTES);
    let values = vec![r#""y""#; BYTES / 4].join(",");
    let key = r#""Key":{"pk":{"S":"1"}}"#;
    let get = |members: String| format!(r#"{{"TableName":"victim",{key},{members}}}"#);
    let named = |names: String| {
        get(format!(r##""ProjectionExpression":"#a","ExpressionAttributeNames":{{{names}}}"##))
    };
    let table = format!(
        r#"{{"TableName":"t","AttributeDefinitions":[{{"AttributeName":"{long}",
            "AttributeType":"{long:.60000}"}}],"KeySchema":[{{"AttributeName":"pk",
            "KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST"}}"#
    );
    let other_key = format!(r#"{{"TableName":"victim","Key":{{"{long}":{{"S":"1"}}}}}}"#);
    let bodies = [
        ("table name", "GetItem", format!(r#"{{"TableName":"{long}",{key}}}"#)),
        ("table ARN", "GetItem", format!(r#"{{"TableName":"arn:aws:{long}",{key}}}"#)),
        ("wrong enum", "GetItem", get(format!(r#""ReturnConsumedCapacity":"{long}""#))),
        ("wrong type", "GetItem", get(format!(r#""ConsistentRead":"{long}""#))),
        ("number", "PutItem", put(&format!(r#"{{"N":"{digits}"}}"#))),
        ("text as number", "PutItem", put(&format!(r#"{{"N":"{long}"}}"#))),
        ("base64", "PutItem", put(&format!(r#"{{"B":"{long}!"}}"#))),
        ("set of the same", "PutItem", put(&format!(r#"{{"SS":[{values}]}}"#))),
        ("unknown type", "PutItem", put(&format!(r#"{{"{long}":"1"}}"#))),
        ("expression", "GetItem", get(format!(r#""ProjectionExpression":"{long}""#))),
        ("syntax", "GetItem", get(format!(r#""ProjectionExpression":"{long} ? ""#))),
        ("placeholder", "GetItem", named(format!(r#""{long}":"a""#))),
        ("name in a placeholder", "GetItem", named(format!(r##""#a":"{long}""##))),
        ("key", "GetItem", other_key),
        ("not JSON", "GetItem", long.clone()),
        ("key schema", "CreateTable", table),
        ("table name", "DescribeTimeToLive", format!(r#"{{"TableName":"{long}"}}"#)),
    ];
    Ok(hostile(target, bodies))
}

/// Spaces, packed.
fn gzip(megabytes: usize) -> Result<Vec<u8>, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let spaces = vec![b' '; 1 << 20];
    for _ in 0..megabytes {
        encoder.write_all(&spaces).map_err(|error| error.to_string())?;
    }
    encoder.finish().map_err(|error| error.to_string())
}

/// Bodies of 64 KB that become 64 MB. Decompression ends at the 16 MB that a body may have.
pub(super) fn gzip_bombs(target: &Target) -> Result<Vec<Hostile>, String> {
    let body = gzip(64)?;
    let head = target.requests.head("PutItem", body.len(), "Content-Encoding: gzip\r\n");
    Ok(vec![Hostile { what: "bomb", bytes: [head.as_bytes(), &body].concat() }])
}

/// Bodies of 15 KB that become 15 MB, 120 on each connection. They waited in one queue with the large
/// requests of everybody else, which took seconds then.
pub(super) fn gzip_streams(target: &Target) -> Result<Bodies, String> {
    let body = gzip(15)?;
    let mut block = frames::request_block(&target.requests, "PutItem");
    block.extend(frames::block([("content-encoding", "gzip")]));
    Ok(Box::new(move |_, stream| {
        let mut request = frames::headers(stream, &block, END_HEADERS);
        request.extend(frames::data(stream, &body, END_STREAM));
        request
    }))
}

/// Heads of megabytes: in one header, in thousands of headers, and in the path.
pub(super) fn large_heads(target: &Target) -> Result<Vec<Hostile>, String> {
    const BYTES: usize = 4 << 20;
    let address = target.address();
    let line = |path: &str| format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n");
    let heads = [
        ("one header", line("/") + &format!("X-A: {}\r\n\r\n", "b".repeat(BYTES))),
        ("many headers", line("/") + &"X-A: b\r\n".repeat(BYTES / 8) + "\r\n"),
        ("empty headers", line("/") + &"a:\r\n".repeat(10_000) + "\r\n"),
        ("path", line(&("/".to_owned() + &"a".repeat(BYTES))) + "\r\n"),
        ("method", "a".repeat(BYTES)),
    ];
    Ok(heads.map(|(what, head)| Hostile { what, bytes: head.into_bytes() }).into())
}

/// A foreign host name that resolves to this machine, in every place where a request can name a host
/// ("DNS rebinding"). Both servers answer to names of this machine only.
pub(super) fn other_hosts(round: &mut Round, target: Target) -> Result<(), String> {
    let pages = round.start(Kind::Pages)?;
    let servers = [(target.address(), "/metrics"), (pages.address(), "/snakes/games")];
    let requests = servers.into_iter().flat_map(|(server, path)| {
        misdirected(server, path).into_iter().map(move |request| (server, request.into_bytes()))
    });
    super::check_refused(round, target, 400..500, requests.collect())
}

fn misdirected(server: SocketAddr, path: &str) -> Vec<String> {
    let host = |headers: String| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let port = server.port();
    vec![
        host(format!("Host: attacker.example:{port}\r\n")),
        host(format!("Host: localhost.attacker.example:{port}\r\n")),
        host(format!("Host: 127.0.0.1.attacker.example:{port}\r\n")),
        host(format!("Host: 127.0.0.1:{port}@attacker.example\r\n")),
        host(format!("Host: {server}\r\nHost: attacker.example\r\n")),
        host(format!("Host: attacker.example\r\nHost: {server}\r\n")),
        host("Host: \r\n".to_owned()),
        host(String::new()),
        format!("GET http://attacker.example{path} HTTP/1.1\r\nHost: {server}\r\n\r\n"),
        format!("GET http://attacker.example:{port}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!(
            "POST http://attacker.example{path} HTTP/1.1\r\nHost: {server}\r\n\
             Content-Length: 0\r\n\r\n"
        ),
    ]
}

/// Requests whose length can be read in two ways, with another request in the part about which the
/// readings differ. A proxy that reads one way and a server that reads the other way would let an
/// attacker put requests into the connections of others. The hidden request deletes a table.
pub(super) fn smuggling(round: &mut Round, mut target: Target) -> Result<(), String> {
    const TABLE: &str = "hidden";
    let requests = target.requests;
    requests.create_table(TABLE)?;
    let body = json!({"TableName": TABLE}).to_string();
    let hidden = String::from_utf8_lossy(&requests.make("DeleteTable", body)).into_owned();
    let chunks = format!("2\r\n{{}}\r\n0\r\n\r\n{hidden}");
    // Who goes by the length takes the hidden request for a part of the body.
    let (all, both) = (chunks.len(), 2 + hidden.len());
    let plain = format!("{{}}{hidden}");
    let shapes = [
        (format!("Content-Length: {all}\r\nTransfer-Encoding: chunked\r\n"), &chunks),
        (format!("Transfer-Encoding: chunked\r\nContent-Length: {all}\r\n"), &chunks),
        (format!("Content-Length: 2\r\nContent-Length: {both}\r\n"), &plain),
        (format!("Content-Length: 2, {both}\r\n"), &plain),
        ("Content-Length: +2\r\n".to_owned(), &plain),
        // Lines that are folded.
        (
            format!(
                "Content-Length: {all}\r\nX-A: b\r\n Transfer-Encoding: chunked\r\n\
                 Transfer-Encoding:\r\n chunked\r\n"
            ),
            &chunks,
        ),
        ("Content-Length: 2\r\nTransfer-Encoding: xchunked\r\n".to_owned(), &plain),
        (format!("Content-Length: {all}\r\nTransfer-Encoding : chunked\r\n"), &chunks),
        // A bare line feed.
        (format!("Content-Length: {all}\r\nX-A: b\nTransfer-Encoding: chunked\r\n"), &chunks),
        // A chunk with a length of 65 bits.
        (
            "Transfer-Encoding: chunked\r\n".to_owned(),
            &format!("10000000000000002\r\n{{}}\r\n0\r\n\r\n{hidden}"),
        ),
    ];
    let has_table = || {
        let tables = requests.ask_json("ListTables", &json!({}))?;
        let mut names = tables["TableNames"].as_array().into_iter().flatten();
        Ok::<bool, String>(names.any(|name| name.as_str() == Some(TABLE)))
    };
    let smuggled = round.attack(&mut target, |_| {
        let mut smuggled = Vec::new();
        for (lengths, body) in &shapes {
            let request = format!(
                "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\
                 Content-Type: application/x-amz-json-1.0\r\n{lengths}\r\n{body}",
                requests.address
            );
            let opened = Connection::open(requests.address, Duration::from_millis(300));
            let mut connection = opened.map_err(|error| error.to_string())?;
            // It ends when the server closes the connection, or has nothing more to say.
            if connection.send(request.as_bytes()).is_ok() {
                while connection.answer().is_ok() {}
            }
            if !has_table()? {
                smuggled.push(format!("the hidden request was carried out after {lengths:?}"));
                requests.create_table(TABLE)?;
            }
        }
        Ok(smuggled)
    })?;
    round.faults.extend(smuggled);
    Ok(())
}
