use crate::crowd::send_all;
use crate::round::{Kind, Round};

const MEMBERS: usize = 900_000;

/// Values with a million members. An empty list takes nine bytes in a body and many times that in
/// memory, reading them held a thread for seconds, and an error repeated a list of names of 8 MB.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let put = |value: String| {
        format!(r#"{{"TableName":"victim","Item":{{"pk":{{"S":"1"}},"v":{value}}}}}"#)
    };
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
