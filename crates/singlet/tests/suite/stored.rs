//! Reads stored items, bypassing the model.

use singlet::dynamo::operation::{Answer, GetItem};
use singlet::dynamo::{Item, Value};
use singlet::{Db, Declaration};

/// The raw item with this key, from a table with the key (PK, SK).
pub(crate) async fn stored_item<D: Declaration>(
    db: &Db<D>,
    table_name: &str,
    partition: &str,
    sort: &str,
) -> Result<Item, Box<dyn std::error::Error>> {
    let key = Item::from([("PK", Value::from(partition)), ("SK", Value::from(sort))]);
    let mut get = GetItem::new(table_name, key);
    get.consistent_read = true;
    match db.execute(get).await? {
        Answer::GetItem(answer) => Ok(answer.item.ok_or("no item")?.to_item()),
        other => Err(format!("{other:?}").into()),
    }
}
