//! Items are read back by key, by partition, by index and by segment.

use singlet_dynamo::operation::*;
use singlet_dynamo::{Item, Map};
use singlet_engine::{Clock, Engine, Options};

fn engine() -> Engine {
    let options =
        Options { clock: Clock::fixed(1_767_225_600_000), background: false, ..Options::default() };
    let engine = Engine::memory_with(options).unwrap();
    let tables = include_str!("../../../singlet-dynamo/tests/cases/tables.json");
    for line in tables.lines().filter(|line| line.starts_with('{')) {
        let request = CreateTable::from_json(line.trim_end_matches(',').as_bytes()).unwrap();
        engine.create_table(request).unwrap();
    }
    engine.maintain().unwrap();
    engine
}

fn item(json: &str) -> Item {
    Map::from_json(json.as_bytes()).unwrap()
}

#[test]
fn items_are_put_read_queried_and_scanned() {
    let engine = engine();
    for n in 0..50 {
        let json = format!(
            r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"s{n:02}"}},"gpk":{{"S":"g"}},"gsk":{{"N":"{}"}},"note":{{"S":"n"}},"x":{{"N":"{n}"}}}}"#,
            n % 3,
            50 - n
        );
        engine.put_item(PutItem::new("Indexed", item(&json))).unwrap();
    }
    let query = |json: &str| engine.query(&Query::from_json(json.as_bytes()).unwrap()).unwrap();
    let answer = query(
        r#"{"TableName":"Indexed","KeyConditionExpression":"pk = :p AND begins_with(sk, :s)","ExpressionAttributeValues":{":p":{"S":"p1"},":s":{"S":"s1"}},"ScanIndexForward":false}"#,
    );
    let keys: Vec<_> =
        answer.items.unwrap().iter().map(|i| i.to_item().get("sk").cloned().unwrap()).collect();
    assert_eq!(keys, ["s19".into(), "s16".into(), "s13".into(), "s10".into()]);
    let answer = query(
        r#"{"TableName":"Indexed","IndexName":"byAll","KeyConditionExpression":"gpk = :g","ExpressionAttributeValues":{":g":{"S":"g"}},"Limit":3}"#,
    );
    assert_eq!(answer.count, 3);
    assert_eq!(answer.items.as_ref().unwrap()[0].to_item().get("gsk"), Some(&1.into()));
    assert!(answer.last_evaluated_key.is_some());
    let answer = query(
        r#"{"TableName":"Indexed","IndexName":"byKeys","KeyConditionExpression":"gpk = :g","ExpressionAttributeValues":{":g":{"S":"g"}},"Limit":1}"#,
    );
    assert_eq!(answer.items.unwrap()[0].to_item().len(), 3);
    let mut seen = 0;
    for segment in 0..4 {
        let json = format!(r#"{{"TableName":"Indexed","Segment":{segment},"TotalSegments":4}}"#);
        seen += engine.scan(&Scan::from_json(json.as_bytes()).unwrap()).unwrap().count;
    }
    assert_eq!(seen, 50);
}
