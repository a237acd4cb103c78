//! The design of the table, as `singlet check` judges it.

use hacktracker::design::HackTracker;
use singlet::Declaration;
use singlet::design::Design;
use singlet::design::check::Severity;

/// GSI2 lists all entities of a type in one partition: the source has it so, and admins alone read
/// it.
#[test]
fn the_check_finds_nothing_but_the_lists_for_admins() {
    let findings = HackTracker::design().check();
    let open: Vec<String> = findings
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.severity != Severity::Note)
        .map(ToString::to_string)
        .filter(|text| !(text.contains("SD204") && text.contains("GSI2")))
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
