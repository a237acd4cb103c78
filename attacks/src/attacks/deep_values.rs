use crate::crowd::send_all;
use crate::round::{Kind, Round};

const LEVELS: usize = 100_000;
const MEMBERS: usize = 900_000;

/// Values that nest deeper than any stack, and values of a million members. Parsers keep stacks of
/// their own, so depth never did harm; but an empty list takes nine bytes in a body and many times
/// that in memory.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let put = |value: String| {
        format!(r#"{{"TableName":"victim","Item":{{"pk":{{"S":"1"}},"v":{value}}}}}"#)
    };
    let list = r#"{"L":["#.repeat(LEVELS) + &"]}".repeat(LEVELS);
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let unclosed = r#"{"M":{"a":"#.repeat(LEVELS);
    let wide = vec![r#"{"L":[]}"#; MEMBERS].join(",");
    let maps = vec![r#"{"M":{}}"#; MEMBERS].join(",");
    let members = (0..MEMBERS).map(|n| format!(r#""{n:x}":{{"N":"1"}}"#));
    let members = members.collect::<Vec<String>>().join(",");
    let strings = (0..MEMBERS).map(|n| format!(r#""{n:x}""#)).collect::<Vec<String>>().join(",");
    let names = vec![r#""a""#; MEMBERS * 3].join(",");
    send_all(
        round,
        Kind::Memory,
        &[
            ("deep list", "PutItem", put(list)),
            ("deep arrays", "PutItem", format!(r#"{{"Unknown":{arrays},"TableName":"victim"}}"#)),
            ("unclosed maps", "PutItem", put(unclosed)),
            ("wide list", "PutItem", put(format!(r#"{{"L":[{wide}]}}"#))),
            ("wide list of maps", "PutItem", put(format!(r#"{{"L":[{maps}]}}"#))),
            ("wide map", "PutItem", put(format!(r#"{{"M":{{{members}}}}}"#))),
            ("wide set", "PutItem", put(format!(r#"{{"SS":[{strings}]}}"#))),
            (
                "names",
                "GetItem",
                format!(
                    r#"{{"TableName":"victim","Key":{{"pk":{{"S":"1"}}}},"AttributesToGet":[{names}]}}"#
                ),
            ),
            (
                "values",
                "Scan",
                format!(
                    r#"{{"TableName":"victim","FilterExpression":"a = :a",
                        "ExpressionAttributeValues":{{{members}}}}}"#
                ),
            ),
        ],
    )
}
