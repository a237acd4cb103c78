//! Accepted findings of `singlet check`.

use singlet::design::Acceptance;

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

/// They are accepted one by one: an acceptance without a finding is itself a finding.
#[must_use]
pub fn accepted() -> Vec<Acceptance> {
    let lists = LISTS.map(|(entity, because)| Acceptance::new("SD204", because).entity(entity));
    let in_pattern = |pattern: &str, entity: &str, because: &str| {
        Acceptance::new("SD305", because).pattern(pattern).entity(entity)
    };
    let caught = NAMED_BY_FIELD.iter().flat_map(|(pattern, entities)| {
        let because = "the field that names the list has one value, and no other list has it";
        entities.iter().map(move |entity| in_pattern(pattern, entity, because))
    });
    let unused = UNUSED.map(|(pattern, entity)| {
        in_pattern(pattern, entity, "nothing asks so: each has a partition of its own in byEntity")
    });
    let because = "as in the source; the query of a day leaves them out by a filter";
    let participations = Acceptance::new("SD406", because).entity("Participation");
    lists.into_iter().chain(caught).chain(unused).chain([participations]).collect()
}
