//! The design of the table, as `singlet check` judges it.

use hacktracker::design::HackTracker;
use singlet::Declaration;
use singlet::design::Design;
use singlet::design::check::Severity;

/// An acceptance that no longer matches anything is itself a finding.
#[test]
fn the_check_finds_nothing_but_the_lists_for_admins() {
    let open: Vec<String> = hacktracker::system()
        .declared()
        .check()
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}

/// The design of the source, as the tests of the model keep it with its contradictions mended: all
/// of it is here. What is only here is ours.
#[test]
fn everything_that_the_source_stores_is_here() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/singlet/tests/designs/built/hacktracker.json"
    );
    let source = Design::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut differences = HackTracker::design().differences(&source);
    differences.retain(|line| !line.ends_with(": only in the first"));
    assert_eq!(differences, [] as [&str; 0]);
}

/// The source's order: PK, SK, fields as declared, keys of indexes. DynamoDB keeps none; the document
/// of the design shows it.
#[test]
fn the_document_orders_attributes_as_the_source_does() {
    let document = HackTracker::design().document();
    let mut examples = 0;
    for example in document.split("```json\n").skip(1) {
        let example = example.split("\n```").next().unwrap();
        let keys = example.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next());
        let keys: Vec<&str> = keys.collect();
        assert_eq!(keys[..2], ["PK", "SK"], "{example}");
        let first = keys.iter().position(|key| key.starts_with("GSI")).unwrap_or(keys.len());
        assert!(keys[first..].iter().all(|key| key.starts_with("GSI")), "{example}");
        examples += 1;
    }
    assert_eq!(examples, 9);
    let user = ["userId", "email", "firstName", "lastName", "phoneNumber"];
    let places = user.map(|name| document.find(&format!("| `{name}` |")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}
