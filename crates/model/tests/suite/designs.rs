//! Designs as Rust types: what they declare, and what they store. That of 3FC is in its system.

#[path = "../designs/cricket.rs"]
mod cricket;
#[path = "../designs/fus.rs"]
mod fus;
#[path = "../designs/hacktracker.rs"]
mod hacktracker;
#[path = "../designs/snakes.rs"]
mod snakes;

mod items;

use singlet::Declaration;
use singlet::design::Design;
use singlet::design::check::Severity;
use std::path::Path;

/// What the types declare beside what the file of the design says, apart from descriptions,
/// examples and patterns.
fn differences<D: Declaration>(name: &str) -> Vec<String> {
    D::design().differences(&file(name))
}

/// The design as its file has it.
fn file(name: &str) -> Design {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/designs/built");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    Design::from_json(&text).unwrap()
}

#[test]
fn the_types_declare_what_the_files_say() {
    assert_eq!(differences::<snakes::Snakes>("snakes"), [] as [&str; 0]);
    assert_eq!(differences::<hacktracker::HackTracker>("hacktracker"), [] as [&str; 0]);
    assert_eq!(differences::<cricket::Cricket>("cricket"), [] as [&str; 0]);
    assert_eq!(differences::<fus::Fus>("fus"), [] as [&str; 0]);
}

/// The check finds nothing in what compiles but what the files accept, each with its reason, and
/// what is of no account to the types: they tell entities apart by their keys.
#[test]
fn what_compiles_stands_the_check() {
    assert_eq!(open_findings::<snakes::Snakes>("snakes"), [] as [&str; 0]);
    assert_eq!(open_findings::<hacktracker::HackTracker>("hacktracker"), [] as [&str; 0]);
    assert_eq!(open_findings::<cricket::Cricket>("cricket"), [] as [&str; 0]);
    assert_eq!(
        open_findings::<fus::Fus>("fus"),
        [
            "error[SD305] pattern 'Rating::of', operation 1, entity 'Comment': the query is for `Rating`, and catches items of `Comment` too",
            "error[SD305] pattern 'Comment::of', operation 1, entity 'Rating': the query is for `Comment`, and catches items of `Rating` too",
        ]
    );
}

/// What the check finds in the types and the file of the design does not accept.
fn open_findings<D: Declaration>(name: &str) -> Vec<String> {
    let accepted = file(name).accepted.into_iter();
    let design = Design {
        // Patterns have other names in the types.
        accepted: accepted.filter(|acceptance| acceptance.pattern.is_none()).collect(),
        ..D::design()
    };
    let findings = design.check();
    let open = findings.iter().filter(|finding| finding.accepted.is_none());
    // How large attributes get, and what refers to what, types do not tell: of the one are notes,
    // and SD901 says that a file accepts what is not found.
    let open = open.filter(|one| one.severity != Severity::Note && one.code != "SD901");
    open.map(ToString::to_string).collect()
}
