//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::check::Severity;
use singlet::design::{Acceptance, Design};
use snakes::design::Snakes;

/// One finding is meant to be so. Should it no longer be found, its acceptance is found instead.
#[test]
fn the_check_finds_nothing_but_the_list_of_all_games() {
    let hot_partition = Acceptance {
        code: "SD204".to_owned(),
        entity: Some("Game".to_owned()),
        index: Some("GSI1".to_owned()),
        because: "the source lists all games in one partition, and a few are created in a minute"
            .to_owned(),
        ..Acceptance::default()
    };
    let design = Design { accepted: vec![hot_partition], ..Snakes::design() };
    let findings = design.check();
    assert!(findings.iter().any(|finding| finding.accepted.is_some()), "{findings:?}");
    let open: Vec<String> = findings
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
