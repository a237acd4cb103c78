//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::Design;
use singlet::design::check::Severity;
use snakes::design::Snakes;

/// An acceptance that no longer matches anything is itself a finding.
#[test]
fn the_check_finds_nothing_but_the_list_of_all_games() {
    let open: Vec<String> = snakes::system()
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
        "/../../crates/singlet/tests/designs/built/snakes.json"
    );
    let source = Design::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut differences = Snakes::design().differences(&source);
    differences.retain(|line| !line.ends_with(": only in the first"));
    assert_eq!(differences, [] as [&str; 0]);
}
