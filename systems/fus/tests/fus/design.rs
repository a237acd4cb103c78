//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::check::Severity;
use singlet::design::{Acceptance, Design};
use singlet_fus::design::Fus;

/// Findings that are meant to be so. Should one no longer be found, its acceptance is found instead.
#[test]
fn the_check_finds_nothing_but_lists_in_one_partition() {
    let design = Design { accepted: accepted(), ..Fus::design() };
    let open: Vec<String> = design
        .check()
        .iter()
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}

fn accepted() -> Vec<Acceptance> {
    let one = |entity: &str, index: &str, because: &str| Acceptance {
        code: "SD204".to_owned(),
        entity: Some(entity.to_owned()),
        index: Some(index.to_owned()),
        because: because.to_owned(),
        ..Acceptance::default()
    };
    vec![
        one("Profile", "byEntity", "one item for each person, written when they sign in"),
        one("SquashPlayer", "byEntity", "a club has some dozens of players"),
        one("Tag", "byEntity", "admins give tags, and rarely"),
        one("Task", "byEntity", "there is a task while a site or a group is being deleted"),
    ]
}
