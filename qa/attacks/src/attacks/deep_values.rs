use crate::crowd::send_all;
use crate::round::{Kind, Round};

const LEVELS: usize = 100_000;

/// Values that nest deeper than any stack. Parsers keep stacks of their own, so this never did harm.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let put = |value: String| {
        format!(r#"{{"TableName":"victim","Item":{{"pk":{{"S":"1"}},"v":{value}}}}}"#)
    };
    let list = r#"{"L":["#.repeat(LEVELS) + &"]}".repeat(LEVELS);
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let unclosed = r#"{"M":{"a":"#.repeat(LEVELS);
    send_all(
        round,
        Kind::Memory,
        &[
            ("deep list", "PutItem", put(list)),
            ("deep arrays", "PutItem", format!(r#"{{"Unknown":{arrays},"TableName":"victim"}}"#)),
            ("unclosed maps", "PutItem", put(unclosed)),
        ],
    )
}
