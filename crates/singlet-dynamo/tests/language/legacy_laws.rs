//! The legacy parameters are equivalent to the expressions that the developer guide gives for them.

use proptest::prelude::*;
use singlet_dynamo::operation::{PutItem, Query, UpdateItem};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Value};
use singlet_testing::strategy::value;

/// Operators with one value, and the equivalent condition.
const OPERATORS: [(&str, &str); 9] = [
    ("EQ", "a = :v"),
    ("NE", "a <> :v"),
    ("LE", "a <= :v"),
    ("LT", "a < :v"),
    ("GE", "a >= :v"),
    ("GT", "a > :v"),
    ("CONTAINS", "contains(a, :v)"),
    ("NOT_CONTAINS", "attribute_exists(a) AND NOT contains(a, :v)"),
    ("BEGINS_WITH", "begins_with(a, :v)"),
];

fn schema() -> TableSchema {
    let attribute = |name: &str| KeyAttribute::new(name, KeyType::S);
    let key = KeySchema::simple(attribute("pk"), Some(attribute("sk")));
    TableSchema { name: "games".to_owned(), key, indexes: Vec::new() }
}

fn json(value: &Value) -> String {
    let item = Item::from([("v", value.clone())]);
    let text = String::from_utf8(item.to_json()).unwrap();
    text.strip_prefix("{\"v\":").unwrap().strip_suffix('}').unwrap().to_owned()
}

/// Whether the condition of a put with these members holds for the stored item; `None` if the
/// request is invalid.
fn passes(members: &str, stored: &Item) -> Option<bool> {
    let body = format!(r#"{{"TableName":"games","Item":{{"pk":{{"S":"p"}}}},{members}}}"#);
    let request = PutItem::from_json(body.as_bytes()).ok()?;
    Some(request.decide(Some(&StoredItem::from(stored))).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn expected_is_a_condition(
        (operator, condition) in proptest::sample::select(OPERATORS.to_vec()),
        stored in proptest::option::of(value()),
        other in value(),
        same in any::<bool>(),
    ) {
        let compared = stored.clone().filter(|_| same).unwrap_or(other);
        let item: Item = stored.into_iter().map(|value| ("a".to_owned(), value)).collect();
        let value = json(&compared);
        let legacy = format!(
            r#""Expected":{{"a":{{"ComparisonOperator":"{operator}","AttributeValueList":[{value}]}}}}"#
        );
        let modern = format!(
            r#""ConditionExpression":"{condition}","ExpressionAttributeValues":{{":v":{value}}}"#
        );
        // The legacy operators support fewer types than expressions do.
        if let Some(legacy) = passes(&legacy, &item) {
            prop_assert_eq!(Some(legacy), passes(&modern, &item), "{} {}", operator, value);
        }
    }

    #[test]
    fn attribute_updates_are_an_update(
        stored in proptest::option::of(value()),
        given in value(),
        (action, expression) in proptest::sample::select(vec![
            ("PUT", "SET a = :v"),
            ("ADD", "ADD a :v"),
            ("DELETE", "DELETE a :v"),
        ]),
    ) {
        let mut old = Item::from([("pk", Value::from("p")), ("sk", Value::from("s"))]);
        if let Some(stored) = stored {
            old.insert("a", stored);
        }
        let update = |members: &str| {
            let key = r#""Key":{"pk":{"S":"p"},"sk":{"S":"s"}}"#;
            let body = format!(r#"{{"TableName":"games",{key},{members}}}"#);
            let request = UpdateItem::from_json(body.as_bytes()).ok()?;
            request.decide(Some(&StoredItem::from(&old)), &schema()).ok()?.item
        };
        let value = json(&given);
        let legacy = update(&format!(
            r#""AttributeUpdates":{{"a":{{"Action":"{action}","Value":{value}}}}}"#
        ));
        // Expressions cannot add to lists, so the legacy parameter is compared to an append.
        let modern = if action == "ADD" && matches!(given, Value::L(_)) {
            update(&format!(
                r#""UpdateExpression":"SET a = list_append(if_not_exists(a, :e), :v)","ExpressionAttributeValues":{{":v":{value},":e":{{"L":[]}}}}"#
            ))
        } else {
            update(&format!(
                r#""UpdateExpression":"{expression}","ExpressionAttributeValues":{{":v":{value}}}"#
            ))
        };
        prop_assert_eq!(legacy, modern);
    }

    #[test]
    fn key_conditions_are_a_key_condition(
        (operator, comparator) in proptest::sample::select(vec![
            ("EQ", "="), ("LE", "<="), ("LT", "<"), ("GE", ">="), ("GT", ">"),
        ]),
        bound in "[a-c]{1,2}",
        sort in "[a-c]{1,2}",
    ) {
        let query = |members: &str| {
            let body = format!(r#"{{"TableName":"games",{members}}}"#);
            Query::from_json(body.as_bytes()).unwrap()
        };
        let legacy = query(&format!(
            r#""KeyConditions":{{"pk":{{"ComparisonOperator":"EQ","AttributeValueList":[{{"S":"p"}}]}},"sk":{{"ComparisonOperator":"{operator}","AttributeValueList":[{{"S":"{bound}"}}]}}}}"#
        ));
        let modern = query(&format!(
            r#""KeyConditionExpression":"pk = :p AND sk {comparator} :s","ExpressionAttributeValues":{{":p":{{"S":"p"}},":s":{{"S":"{bound}"}}}}"#
        ));
        let schema = schema();
        let range = |query: &Query| query.check(&schema).unwrap().range;
        prop_assert_eq!(range(&legacy), range(&modern));
        let naive = match operator {
            "EQ" => sort == bound,
            "LE" => sort <= bound,
            "LT" => sort < bound,
            "GE" => sort >= bound,
            _ => sort > bound,
        };
        let item = Item::from([("pk", Value::from("p")), ("sk", Value::from(sort))]);
        prop_assert_eq!(range(&modern).contains(&schema.key.key_of_item(&item).unwrap()), naive);
    }
}

/// The service limits the operators of expressions, and the operands of `IN` there. The same limits
/// used to apply to legacy parameters, which are not expressions.
#[test]
fn expression_limits_do_not_apply_to_legacy_parameters() {
    let members = |count: usize, member: &str| {
        let members: Vec<String> = (0..count).map(|at| format!(r#""a{at}":{member}"#)).collect();
        members.join(",")
    };
    let item: Item = (0..160).map(|at| (format!("a{at}"), Value::from(1))).collect();
    for operator in ["AND", "OR"] {
        let expected =
            members(160, r#"{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}"#);
        let put = format!(r#""Expected":{{{expected}}},"ConditionalOperator":"{operator}""#);
        assert_eq!(passes(&put, &item), Some(true), "{operator}");
        let never = put.replace(r#"{"N":"1"}"#, r#"{"N":"2"}"#);
        assert_eq!(passes(&never, &item), Some(false), "{operator}");
    }

    let values = vec![r#"{"N":"2"}"#; 101].join(",");
    let among = |value: &str| {
        format!(
            r#""Expected":{{"a0":{{"ComparisonOperator":"IN","AttributeValueList":[{values},{value}]}}}}"#
        )
    };
    assert_eq!(passes(&among(r#"{"N":"1"}"#), &item), Some(true));
    assert_eq!(passes(&among(r#"{"N":"3"}"#), &item), Some(false));

    let updates = members(200, r#"{"Action":"ADD","Value":{"L":[{"N":"1"}]}}"#);
    let body = format!(
        r#"{{"TableName":"games","Key":{{"pk":{{"S":"p"}},"sk":{{"S":"s"}}}},"AttributeUpdates":{{{updates}}}}}"#
    );
    let request = UpdateItem::from_json(body.as_bytes()).unwrap();
    let updated = request.decide(None, &schema()).unwrap().item.unwrap().as_item().to_item();
    assert_eq!(updated.get("a199"), Some(&Value::L(vec![Value::from(1)])));
}
