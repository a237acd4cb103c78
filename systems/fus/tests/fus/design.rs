//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::check::Severity;
use singlet_fus::design::Fus;

/// Two kinds of findings are meant to be so. SD204: lists in one partition of byEntity, as in the
/// source; admins write rarely. SD305: where a list's name is a field, so that what is sealed can
/// leave the list, types do not tell that the field has one value only.
#[test]
fn the_check_finds_nothing_but_lists_in_one_partition() {
    let open: Vec<String> = Fus::design()
        .check()
        .iter()
        .filter(|finding| finding.severity != Severity::Note)
        .map(ToString::to_string)
        .filter(|text| !text.contains("[SD204]") && !text.contains("[SD305]"))
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}
