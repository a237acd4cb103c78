//! The five source designs without their contradictions: all remaining findings are accepted, with
//! reasons. The systems declare these designs as Rust types; their tests
//! (`systems/*/tests/*/design.rs`) check that they include everything in these files.

use singlet::design::Design;
use std::fs;
use std::path::PathBuf;

const NAMES: [&str; 5] = ["cricket", "fus", "hacktracker", "snakes", "threefc"];

fn read(folder: &str, name: &str) -> Design {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/designs")
        .join(folder)
        .join(format!("{name}.json"));
    let text = fs::read_to_string(path).unwrap_or_default();
    match Design::from_json(&text) {
        Ok(design) => design,
        Err(error) => {
            assert_eq!(error.to_string(), "", "{folder}/{name}.json");
            Design::new(name)
        }
    }
}

#[test]
fn nothing_is_found_but_what_is_accepted() {
    for name in NAMES {
        let findings = read("built", name).check();
        let open: Vec<String> = findings
            .iter()
            .filter(|finding| finding.accepted.is_none())
            .map(ToString::to_string)
            .collect();
        assert_eq!(open, Vec::<String>::new(), "{name}");
    }
}

/// The differences between a document and its built design, where the document contradicts itself.
#[test]
fn what_is_built_differs_from_the_document_where_that_is_wrong() {
    let differences = |name| read("sources", name).differences(&read("built", name));
    let cricket = differences("cricket");
    for expected in [
        "table cricket-activity-subscriptions: key (matchId: S, userId: S) or (matchId: S, pushToken: S)",
        "table cricket-state-hashes: key (matchId: S) or (matchTeamKey: S)",
        "table DisplayStateCache: key (matchId: S) or (cacheKey: S)",
    ] {
        assert!(cricket.iter().any(|line| line == expected), "{expected} in {cricket:#?}");
    }
    let fus = differences("fus");
    for expected in [
        "table fus-main, index bySite: only in the second",
        "table fus-main, entity SquashMatch, index byEntity: sort key SQUASH#MATCH#{matchId} or {date}#{matchId}",
    ] {
        assert!(fus.iter().any(|line| line == expected), "{expected} in {fus:#?}");
    }
}

#[test]
fn a_design_does_not_differ_from_itself() {
    for name in NAMES {
        let design = read("built", name);
        assert_eq!(design.differences(&design), Vec::<String>::new(), "{name}");
        let written = Design::from_json(&design.to_json()).map_err(|error| error.to_string());
        assert_eq!(written, Ok(design), "{name}");
    }
}
