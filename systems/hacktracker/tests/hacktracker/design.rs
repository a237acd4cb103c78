//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::check::Severity;
use singlet_hacktracker::design::HackTracker;

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
