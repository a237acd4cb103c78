//! The design of the table, as `singlet check` judges it.

use singlet::design::check::Severity;

/// An acceptance that no longer matches anything is itself a finding.
#[test]
fn the_check_finds_nothing_but_what_is_accepted() {
    let open: Vec<String> = fus::system()
        .declared()
        .check()
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}
