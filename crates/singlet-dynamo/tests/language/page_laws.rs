//! Following the pages of a Scan returns every item once, for any page size.

use proptest::prelude::*;
use singlet_dynamo::operation::{PageAnswer, Scan};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Value};

fn schema() -> TableSchema {
    let key = KeySchema::simple(KeyAttribute::new("id", KeyType::N), None);
    TableSchema { name: "games".to_owned(), key, indexes: Vec::new() }
}

/// One page of rows, ordered by number.
fn page(scan: &Scan, rows: &[Item]) -> PageAnswer {
    let schema = schema();
    let plan = scan.check(&schema).unwrap();
    let behind = |row: &&Item| match &plan.start {
        None => true,
        Some(start) => {
            let start = schema.key.attributes_of(&start.table).unwrap();
            match (row.get("id"), start.get("id")) {
                (Some(Value::N(row)), Some(Value::N(start))) => row > start,
                _ => false,
            }
        }
    };
    let mut page = scan.page();
    for row in rows.iter().filter(behind) {
        if page.is_full() {
            break;
        }
        page.add(&StoredItem::from(row), None);
    }
    page.finish(&schema, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pages_show_every_item_once(
        sizes in proptest::collection::vec(0_usize..300_000, 0..20),
        limit in proptest::option::of(1_usize..7),
        wanted in any::<bool>(),
    ) {
        let rows: Vec<Item> = sizes
            .iter()
            .enumerate()
            .map(|(id, size)| {
                let id = i64::try_from(id).unwrap();
                Item::from([
                    ("id", Value::from(id)),
                    ("even", Value::from(id % 2 == 0)),
                    ("payload", Value::from("x".repeat(*size))),
                ])
            })
            .collect();
        let body = match wanted {
            true => r#"{"TableName":"games","FilterExpression":"even = :t","ExpressionAttributeValues":{":t":{"BOOL":true}}}"#,
            false => r#"{"TableName":"games"}"#,
        };
        let mut scan = Scan::from_json(body.as_bytes()).unwrap();
        scan.limit = limit;
        let (mut seen, mut scanned) = (Vec::new(), 0);
        loop {
            let answer = page(&scan, &rows);
            let items = answer.items.unwrap();
            prop_assert_eq!(items.len(), answer.count);
            prop_assert!(limit.is_none_or(|limit| answer.scanned_count <= limit));
            scanned += answer.scanned_count;
            seen.extend(items.iter().map(|item| item.to_item()));
            match answer.last_evaluated_key {
                None => break,
                // A page that is not the last has read something; otherwise the scan would never
                // end.
                Some(key) => {
                    prop_assert!(answer.scanned_count > 0);
                    scan.exclusive_start_key = Some(key);
                }
            }
        }
        prop_assert_eq!(scanned, rows.len());
        let expected: Vec<Item> = rows
            .into_iter()
            .filter(|row| !wanted || row.get("even") == Some(&Value::from(true)))
            .collect();
        prop_assert_eq!(seen, expected);
    }

    #[test]
    fn a_page_ends_with_the_item_that_makes_it_a_megabyte(
        sizes in proptest::collection::vec(1_usize..400_000, 1..12),
    ) {
        let rows: Vec<Item> = sizes
            .iter()
            .enumerate()
            .map(|(id, size)| {
                let id = Value::from(i64::try_from(id).unwrap());
                Item::from([("id", id), ("payload", Value::from("x".repeat(*size)))])
            })
            .collect();
        let answer = page(&Scan::new("games"), &rows);
        let mut sum = 0;
        let fitting = rows.iter().take_while(|row| {
            let has_room = sum < 1024 * 1024;
            sum += row.size();
            has_room
        });
        prop_assert_eq!(answer.count, fitting.count());
    }
}
