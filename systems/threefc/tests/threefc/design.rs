//! The design of the table, as `singlet check` judges it.

use singlet::Declaration;
use singlet::design::Design;
use singlet::design::check::Severity;
use threefc::design::ThreeFc;

/// An acceptance that no longer matches anything is itself a finding.
#[test]
fn the_check_finds_nothing_but_the_list_of_leagues() {
    let open: Vec<String> = threefc::system()
        .declared()
        .check()
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}

/// The design of the source, as the tests of the model keep it: every entity of it is here, with its
/// keys, its type and all of its attributes.
#[test]
fn everything_that_the_source_stores_is_here() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/singlet/tests/designs/built/threefc.json"
    );
    let source = Design::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let ours = ThreeFc::design();
    let (table, source) = (&ours.tables[0], &source.tables[0]);
    assert_eq!((&table.name, &table.key), (&source.name, &source.key));
    assert_eq!(source.entities.len(), 13);
    for entity in &source.entities {
        let same = |other: &&singlet::design::Entity| other.key == entity.key;
        let same = table.entities.iter().find(same);
        let same = same.unwrap_or_else(|| panic!("no entity has the keys of {}", entity.name));
        assert_eq!(same.discriminator, entity.discriminator, "{}", entity.name);
        assert_eq!(same.payload, entity.payload, "{}", entity.name);
        for attribute in &entity.attributes {
            let is_there = same.attributes.iter().any(|other| other.name == attribute.name);
            assert!(is_there, "{} has no {}", entity.name, attribute.name);
        }
    }
}
