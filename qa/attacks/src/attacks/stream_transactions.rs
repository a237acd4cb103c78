use crate::crowd::attack_by_one;
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;

const TABLE: &str = "streamed";
/// As many as a transaction may have.
const ITEMS: usize = 100;
/// Half of those that it may have together with their contents, which may have 4 MB. One commit has all
/// of that and twice as much in the stream, and a busy disk may take long for it.
const ALLOWED_ITEMS: usize = 5;
/// Almost as many as an item may have.
const ITEM_BYTES: usize = 395 << 10;

/// One connection with transactions that change a hundred items of 395 KB, or five,
/// in a table whose stream has new and old images. A body of 20 KB made 40 MB of items and 80 MB of
/// images. Puts of others waited for 1.4 s, and the server took 880 MB more than before.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    let mut connection = victim::open(requests)?;
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    let members = json!({"StreamSpecification": stream});
    fixture::create_table_with(&mut connection, requests, TABLE, &members)?;
    let text = "a".repeat(ITEM_BYTES);
    for key in 0..ITEMS {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},"b":{{"S":"{text}"}}}}"#);
        let put = format!(r#"{{"TableName":"{TABLE}","Item":{item}}}"#);
        victim::ask(&mut connection, requests, "PutItem", &put)?;
    }
    let update = |items, number| {
        let update = fixture::updates(TABLE, items, number);
        requests.make("TransactWriteItems", update.to_string())
    };
    let updates = [(ALLOWED_ITEMS, 0), (ITEMS, 1), (ALLOWED_ITEMS, 2), (ITEMS, 3)];
    let updates = updates.map(|(items, number)| update(items, number));
    attack_by_one(round, &mut endpoint, &updates)
}
