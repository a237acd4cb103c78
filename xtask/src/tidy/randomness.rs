//! Checks that secrets come from the operating system's random source through `getrandom`.
//!
//! The keys of a standard hasher are random, but drawn once per thread and then incremented: good
//! enough for ids, but guessable. Only listed files may use them.

use super::{Finding, Tree};

/// Sources of guessable numbers. Split so that this file passes its own rule.
const WEAK_SOURCES: &[&str] = &[concat!("Random", "State"), concat!("Random::", "system()")];

/// The files that may use a weak source, and their reasons.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/singlet-engine/src/commit/versions.rs", "a keyed hash of rows"),
    ("crates/singlet-engine/src/options.rs", "ids of tables"),
    (
        "crates/singlet-engine/src/store/disk/log.rs",
        "marks that tell old log records from new ones",
    ),
    ("crates/singlet-wire/src/answer.rs", "request ids"),
];

/// Finds weak sources outside the listed files, and listed files without one.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, ALLOWED)
}

fn check_with(tree: &Tree, allowed: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("rs") {
        let mut lines = file.text.lines().enumerate();
        let found = lines.find(|(_, line)| WEAK_SOURCES.iter().any(|source| line.contains(source)));
        let is_allowed = allowed.iter().any(|(path, _)| *path == file.path);
        match found {
            Some((index, _)) if !is_allowed => findings.push(Finding::new(
                &file.path,
                index + 1,
                "draws numbers that can be guessed: use getrandom, or list the file and say why",
            )),
            None if is_allowed => {
                let text = "is on the list of xtask/src/tidy/randomness.rs, and draws no numbers";
                findings.push(Finding::new(&file.path, 0, text));
            }
            _ => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str, allowed: &[(&str, &str)]) -> Vec<String> {
        let findings = check_with(&Tree::of(&[(path, text)]), allowed);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_weak_source_is_found_unless_it_is_listed() {
        let weak =
            format!("fn secret() -> u64 {{\n    {}::new().hash_one(0)\n}}\n", WEAK_SOURCES[0]);
        let text = "draws numbers that can be guessed: use getrandom, or list the file and say why";
        assert_eq!(found("a.rs", &weak, &[]), [format!("a.rs:2: {text}")]);
        assert_eq!(found("a.rs", &weak, &[("a.rs", "pauses")]), Vec::<String>::new());
        assert_eq!(found("a.md", &weak, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_listed_file_that_needs_no_place_on_the_list_is_found() {
        assert_eq!(found("a.rs", "fn main() {}\n", &[("a.rs", "pauses")]).len(), 1);
        assert_eq!(found("b.rs", "fn main() {}\n", &[("a.rs", "pauses")]), Vec::<String>::new());
    }
}
