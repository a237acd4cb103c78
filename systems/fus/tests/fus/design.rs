//! The design of the table, as `singlet check` judges it.

use fus::design::Fus;
use singlet::Declaration;
use singlet::design::check::Severity;
use singlet::design::{Acceptance, Design};

/// SD204: lists in one partition of byEntity, as in the source.
const LISTS: [(&str, &str); 7] = [
    ("Site", "admins alone write sites; ratings and comments change attributes, not the key"),
    ("Group", "admins alone write groups"),
    ("Profile", "a profile is written when somebody signs in or changes it"),
    ("SquashPlayer", "a club has few players, which managers alone write"),
    ("SquashMatch", "managers enter matches by hand; a range of days must be one Query"),
    ("Tag", "a tag is written when an admin gives it to a site"),
    ("Task", "a task is a change of very many tags, or a deletion, by an admin"),
];

/// SD305: queries of byEntity whose list is named by a field, or that could meet such a list. Types
/// do not tell that the field has one value only: SITE, GROUP or SQUASH_MATCH.
const NAMED_BY_FIELD: [(&str, &[&str]); 5] = [
    ("Site::all", &["Profile"]),
    ("Group::all", &["Profile"]),
    ("Profile::people", &["Site", "Group", "SquashMatch"]),
    ("SquashMatch::by_date", &["Site", "Group", "Profile", "SquashPlayer", "Tag", "Task"]),
    ("Task::due", &["Site", "Group", "SquashMatch"]),
];

/// SD305: keys as in the source, where both start with the same prefix.
const UNUSED: [(&str, &str); 2] = [("Rating::of", "Comment"), ("Comment::of", "Rating")];

fn accepted() -> Vec<Acceptance> {
    let of = |code: &str, entity: &str, because: &str| Acceptance {
        code: code.to_owned(),
        entity: Some(entity.to_owned()),
        because: because.to_owned(),
        ..Acceptance::default()
    };
    let in_pattern = |pattern: &str, entity: &str, because: &str| Acceptance {
        pattern: Some(pattern.to_owned()),
        ..of("SD305", entity, because)
    };
    let lists = LISTS.iter().map(|(entity, because)| of("SD204", entity, because));
    let caught = NAMED_BY_FIELD.iter().flat_map(|(pattern, entities)| {
        let because = "the field that names the list has one value, and no other list has it";
        entities.iter().map(move |entity| in_pattern(pattern, entity, because))
    });
    let unused = UNUSED.iter().map(|(pattern, entity)| {
        in_pattern(pattern, entity, "nothing asks so: each has a partition of its own in byEntity")
    });
    let because = "as in the source; the query of a day leaves them out by a filter";
    let participations = of("SD406", "Participation", because);
    lists.chain(caught).chain(unused).chain([participations]).collect()
}

/// Findings are accepted one by one. An acceptance without a finding is itself a finding.
#[test]
fn the_check_finds_nothing_but_what_is_accepted() {
    let design = Design { accepted: accepted(), ..Fus::design() };
    let open: Vec<String> = design
        .check()
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}
