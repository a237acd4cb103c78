use crate::crowd::send_all;
use crate::round::{Kind, Round};

const BYTES: usize = 12 << 20;

/// Mistakes of megabytes in members whose values error messages repeat. Some answers were as large
/// as the request, or larger.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let long = "x".repeat(BYTES);
    let digits = "1".repeat(BYTES);
    let values = vec![r#""y""#; BYTES / 4].join(",");
    let key = r#""Key":{"pk":{"S":"1"}}"#;
    let get = |members: String| format!(r#"{{"TableName":"victim",{key},{members}}}"#);
    let put = |value: String| {
        format!(r#"{{"TableName":"victim","Item":{{"pk":{{"S":"1"}},"v":{value}}}}}"#)
    };
    send_all(
        round,
        Kind::Memory,
        &[
            ("table name", "GetItem", format!(r#"{{"TableName":"{long}",{key}}}"#)),
            ("table ARN", "GetItem", format!(r#"{{"TableName":"arn:aws:{long}",{key}}}"#)),
            ("wrong enum", "GetItem", get(format!(r#""ReturnConsumedCapacity":"{long}""#))),
            ("wrong type", "GetItem", get(format!(r#""ConsistentRead":"{long}""#))),
            ("number", "PutItem", put(format!(r#"{{"N":"{digits}"}}"#))),
            ("text as number", "PutItem", put(format!(r#"{{"N":"{long}"}}"#))),
            ("base64", "PutItem", put(format!(r#"{{"B":"{long}!"}}"#))),
            ("set of the same", "PutItem", put(format!(r#"{{"SS":[{values}]}}"#))),
            ("unknown type", "PutItem", put(format!(r#"{{"{long}":"1"}}"#))),
            ("expression", "GetItem", get(format!(r#""ProjectionExpression":"{long}""#))),
            ("syntax", "GetItem", get(format!(r#""ProjectionExpression":"{long} ? ""#))),
            (
                "placeholder",
                "GetItem",
                get(format!(
                    r##""ProjectionExpression":"#a","ExpressionAttributeNames":{{"{long}":"a"}}"##
                )),
            ),
            (
                "name in a placeholder",
                "GetItem",
                get(format!(
                    r##""ProjectionExpression":"#a","ExpressionAttributeNames":{{"#a":"{long}"}}"##
                )),
            ),
            (
                "key",
                "GetItem",
                format!(r#"{{"TableName":"victim","Key":{{"{long}":{{"S":"1"}}}}}}"#),
            ),
            ("no JSON", "GetItem", long.clone()),
            (
                "key schema",
                "CreateTable",
                format!(
                    r#"{{"TableName":"t","AttributeDefinitions":[{{"AttributeName":"{long}",
                        "AttributeType":"{long:.60000}"}}],"KeySchema":[{{"AttributeName":"pk",
                        "KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST"}}"#
                ),
            ),
            ("table name", "DescribeTimeToLive", format!(r#"{{"TableName":"{long}"}}"#)),
        ],
    )
}
