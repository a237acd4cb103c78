use crate::crowd::send_all;
use crate::round::{Kind, Round};

/// How often an entry is repeated, so that the body has at most 15 MB.
fn filled(entry: &str) -> String {
    let count = (15 << 20) / (entry.len() + 1);
    vec![entry; count].join(",")
}

/// Batches and transactions with hundreds of thousands of entries, where 25 or 100 are allowed. All
/// were read and kept before they were counted, and some errors repeated all of them.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let puts = filled(r#"{"PutRequest":{"Item":{"pk":{"S":"1"}}}}"#);
    let empty = filled("{}");
    let keys = filled(r#"{"pk":{"S":"1"}}"#);
    let transacted = filled(r#"{"Put":{"TableName":"victim","Item":{"pk":{"S":"1"}}}}"#);
    let tables = (0..300_000).map(|n| format!(r#""t{n}":[{{"PutRequest":{{"Item":{{}}}}}}]"#));
    let tables = tables.collect::<Vec<String>>().join(",");
    send_all(
        round,
        Kind::Memory,
        &[
            ("puts", "BatchWriteItem", format!(r#"{{"RequestItems":{{"victim":[{puts}]}}}}"#)),
            ("empty", "BatchWriteItem", format!(r#"{{"RequestItems":{{"victim":[{empty}]}}}}"#)),
            ("tables", "BatchWriteItem", format!(r#"{{"RequestItems":{{{tables}}}}}"#)),
            (
                "keys",
                "BatchGetItem",
                format!(r#"{{"RequestItems":{{"victim":{{"Keys":[{keys}]}}}}}}"#),
            ),
            ("transaction", "TransactWriteItems", format!(r#"{{"TransactItems":[{transacted}]}}"#)),
            ("empty", "TransactWriteItems", format!(r#"{{"TransactItems":[{empty}]}}"#)),
            ("empty", "TransactGetItems", format!(r#"{{"TransactItems":[{empty}]}}"#)),
        ],
    )
}
