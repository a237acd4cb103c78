//! No parsed design makes this crate panic.

use proptest::prelude::*;
use serde_json::Value as Json;
use singlet::design::Design;
use singlet_dynamo::Timestamp;

/// Texts that often break templates, names and expressions.
const TEXTS: [&str; 16] = [
    "",
    "#",
    "{",
    "}}",
    "{}",
    "{code}",
    "{code:038}",
    "{a}{b}",
    "PK",
    "games-{env}-{env}",
    "Game",
    "byStars",
    "é\u{10ffff}`|\n",
    "SET a = list_append(a, :b) REMOVE c",
    "NOT (a = :b OR (c",
    "99999999999999999999",
];

/// A mutation of a JSON tree.
#[derive(Clone, Debug)]
enum Change {
    Text(&'static str),
    Number(i64),
    Remove,
    /// Renames a member.
    Rename(&'static str),
    Nest,
}

fn any_change() -> impl Strategy<Value = Change> {
    let text = || prop::sample::select(TEXTS.to_vec());
    prop_oneof![
        4 => text().prop_map(Change::Text),
        1 => prop::sample::select(vec![0, -1, 1, i64::MIN, i64::MAX]).prop_map(Change::Number),
        1 => Just(Change::Remove),
        2 => text().prop_map(Change::Rename),
        1 => Just(Change::Nest),
    ]
}

/// Mutates the node at a position, in document order.
fn change(node: &mut Json, place: &mut usize, what: &Change) {
    let elements: Vec<&mut Json> = match node {
        Json::Object(members) => {
            if *place < members.len() && matches!(what, Change::Remove | Change::Rename(_)) {
                let name = members.keys().nth(*place).cloned().unwrap_or_default();
                let value = members.remove(&name);
                if let (Change::Rename(name), Some(value)) = (what, value) {
                    members.insert((*name).to_owned(), value);
                }
                *place = usize::MAX;
                return;
            }
            members.values_mut().collect()
        }
        Json::Array(elements) => elements.iter_mut().collect(),
        leaf => {
            if *place == 0 {
                match what {
                    Change::Text(text) => *leaf = Json::from(*text),
                    Change::Number(number) => *leaf = Json::from(*number),
                    Change::Nest => {
                        *leaf = (0..100).fold(leaf.take(), |inner, _| Json::Array(vec![inner]));
                    }
                    Change::Remove | Change::Rename(_) => {}
                }
                *place = usize::MAX;
            } else {
                *place -= 1;
            }
            return;
        }
    };
    for element in elements {
        if *place != usize::MAX {
            change(element, place, what);
        }
    }
}

/// Calls everything that takes a design.
fn use_up(design: &Design) -> usize {
    let mut size = design.check().len() + design.document().len() + design.to_json().len();
    size += design.cloud_formation().len();
    size += design.workbench("test", Timestamp::from_millis(i64::MIN)).len();
    size += design.differences(&Design::new("")).len();
    for table in &design.tables {
        size += table.create_table_json("é{}").len();
        size += usize::from(table.create_table("test").is_ok());
    }
    size
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_design_with_anything_in_it_is_checked_and_written(
        which in 0..3_usize,
        changes in prop::collection::vec((0..400_usize, any_change()), 1..6),
    ) {
        let text = [
            include_str!("../designs/everything.json"),
            include_str!("../designs/built/fus.json"),
            include_str!("../designs/sources/cricket.json"),
        ][which];
        let mut tree: Json = serde_json::from_str(text).unwrap_or_default();
        for (place, what) in &changes {
            change(&mut tree, &mut place.clone(), what);
        }
        if let Ok(design) = Design::from_json(&tree.to_string()) {
            prop_assert!(use_up(&design) > 0);
            let again = Design::from_json(&design.to_json()).map_err(|error| error.to_string());
            prop_assert_eq!(again, Ok(design));
        }
    }
}
