//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::check::Severity;
use singlet::design::{Acceptance, Design};
use singlet_threefc::design::ThreeFc;

/// What is found is meant to be so. Should it no longer be found, its acceptance is found instead.
#[test]
fn the_check_finds_nothing_but_the_list_of_leagues() {
    let hot_partition = Acceptance {
        code: "SD204".to_owned(),
        entity: Some("Listing".to_owned()),
        because: "a listing is written only when a league is created, renamed or hidden".to_owned(),
        ..Acceptance::default()
    };
    let design = Design { accepted: vec![hot_partition], ..ThreeFc::design() };
    let findings = design.check();
    let open: Vec<String> = findings
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}
