//! Checks that identifiers in the documentation and in comments exist in the sources.
//!
//! A code span that looks like a type, a path, a call or a name with an underscore must occur in
//! code. The rule looks up words and does not resolve names, so it misses a removed type if its
//! name occurs elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding, Tree};

/// Identifiers that only prose names: of DynamoDB and other projects, and made up for examples.
const FOREIGN: &[&str] = &[
    "Allow",
    "ConditionCheckItem",
    "CricketFixturesTable",
    "DATE_AND_HOUR",
    "Meta",
    "OrdMap",
    "SSEDescription",
    "Sensitive",
    "TEAM_AND_SCORE",
    "TCP_USER_TIMEOUT",
    "block_in_place",
    "jwks_uri",
];

/// Prefixes of environment variables, which other programs read or which are assembled at run time.
const VARIABLES: &[&str] = &["AWS_", "SINGLET_"];

/// The tests in this file use made-up identifiers.
const OWN_PATH: &str = "xtask/src/tidy/identifiers.rs";

/// Finds unknown identifiers, and unneeded entries of the list.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, FOREIGN)
}

fn check_with(tree: &Tree, foreign: &[&str]) -> Vec<Finding> {
    let index = Index::of(tree);
    let mut findings = Vec::new();
    let mut unused: BTreeSet<&str> = foreign.iter().copied().collect();
    for (page, prose) in tree.files.iter().filter_map(|file| Some((file, prose(file)?))) {
        let (spans, shown) = spans_and_code(&prose);
        for (line, span) in spans {
            let words = identifier(span);
            if index.holds(&words, &shown) {
                continue;
            }
            match words.iter().copied().find(|word| foreign.contains(word)) {
                Some(word) => {
                    unused.remove(word);
                }
                None => {
                    let text = format!("`{span}` is not in the sources");
                    findings.push(Finding::new(&page.path, line, text));
                }
            }
        }
    }
    for word in unused {
        let text = format!("no page needs `{word}` on the list of foreign words");
        findings.push(Finding::new(OWN_PATH, 0, text));
    }
    findings
}

/// A page, or the comments of a Rust file on their lines.
fn prose(file: &File) -> Option<Cow<'_, str>> {
    if file.path.ends_with(".md") {
        return Some(Cow::Borrowed(&file.text));
    }
    if !file.path.ends_with(".rs") || file.path == OWN_PATH {
        return None;
    }
    let comment = |line: &str| line.trim_start().strip_prefix("//").map(str::to_owned);
    let lines: Vec<_> = file.text.lines().map(|line| comment(line).unwrap_or_default()).collect();
    Some(Cow::Owned(lines.join("\n")))
}

/// The code spans of a page with their lines, and the words in its fenced blocks.
fn spans_and_code(text: &str) -> (Vec<(usize, &str)>, BTreeSet<&str>) {
    let (mut spans, mut shown) = (Vec::new(), BTreeSet::new());
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        // Doc comments begin with a third slash or an exclamation mark.
        if line.trim_start_matches(['/', '!', ' ']).starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            shown.extend(words(line));
        } else {
            spans.extend(line.split('`').skip(1).step_by(2).map(|span| (index + 1, span)));
        }
    }
    (spans, shown)
}

/// The words of a span that looks like a Rust identifier; empty for other spans.
fn identifier(span: &str) -> Vec<&str> {
    // Ignore the arguments of a call, a macro or a type.
    let (name, is_call) = match span.split_once(['(', '!', '<']) {
        Some((name, rest)) if rest.is_empty() || rest.ends_with([')', '>']) => (name, true),
        Some(_) => return Vec::new(),
        None => (span, false),
    };
    let parts: Vec<&str> = name.split("::").collect();
    let is_word = |part: &&str| !part.is_empty() && words(part).next() == Some(part);
    let is_path = parts.len() > 1;
    match parts.iter().all(is_word) && (is_call || is_path || is_name(name)) {
        true => parts,
        false => Vec::new(),
    }
}

/// A type, or a name with an underscore; other words are often plain English.
fn is_name(word: &str) -> bool {
    let is_type = word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.contains(|c: char| c.is_ascii_lowercase());
    // A leading underscore marks a suffix, such as `_total`.
    is_type
        || word.trim_start_matches('_').contains('_')
            && !VARIABLES.iter().any(|prefix| word.starts_with(prefix))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_in_word(c)).filter(|word| !word.is_empty())
}

/// The files that contain each word, by number.
struct Index<'t>(BTreeMap<&'t str, BTreeSet<usize>>);

impl<'t> Index<'t> {
    fn of(tree: &'t Tree) -> Self {
        let mut files: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (number, file) in tree.files.iter().enumerate().filter(|(_, file)| is_source(file)) {
            // Comments may be outdated too.
            let code = file.text.lines().filter(|line| !line.trim_start().starts_with("//"));
            // A module is named by its file.
            for word in code.flat_map(words).chain(words(&file.path)) {
                files.entry(word).or_default().insert(number);
            }
        }
        Self(files)
    }

    /// Whether all words of a path occur, and the last two in one file. Types declared on the page
    /// itself may have methods of any trait.
    fn holds(&self, path: &[&str], shown: &BTreeSet<&str>) -> bool {
        let occurs = |word: &&str| shown.contains(word) || self.0.contains_key(word);
        if !path.iter().all(occurs) {
            return false;
        }
        match path {
            [.., first, second] if !shown.contains(first) => {
                let files = (self.0.get(first), self.0.get(second));
                matches!(files, (Some(first), Some(second)) if !first.is_disjoint(second))
            }
            _ => true,
        }
    }
}

fn is_source(file: &File) -> bool {
    let is_code = [".rs", ".js", ".toml"].iter().any(|end| file.path.ends_with(end));
    is_code && file.path != OWN_PATH
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// As Retired did.\npub struct Queue;\n\
                          impl Queue {\n    pub fn submit(&self) {}\n}\nconst JOBS_MAX: u8 = 32;\n";

    fn found(page: &str, foreign: &[&str]) -> Vec<String> {
        let tree = Tree::of(&[
            ("docs/queue.md", page),
            ("queue.rs", SOURCE),
            ("other.rs", "fn lead() {}"),
            (OWN_PATH, "Planted"),
        ]);
        check_with(&tree, foreign).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn identifiers_in_the_sources_pass() {
        let page = "`Queue`, `Queue::submit`, `Queue<T>`, `submit()`, `lead(…)` and `JOBS_MAX`\n";
        assert_eq!(found(page, &[]), Vec::<String>::new());
    }

    #[test]
    fn an_identifier_that_is_gone_is_found() {
        for span in ["Answer<T>", "Fault", "Retired", "Planted", "QUEUE_MAX", "jobs_max", "leads()"]
        {
            let expected = format!("docs/queue.md:2: `{span}` is not in the sources");
            assert_eq!(found(&format!("\nA `{span}`.\n"), &[]), [expected]);
        }
    }

    #[test]
    fn comments_are_checked_on_their_lines() {
        let source = "fn lead() {}\n\n    /// Unlike `Retired`, `lead` returns.\n    /// ```\n    \
                      /// struct Shown;\n    /// ```\n    // A `Shown` is fine.\nfn more() {}\n";
        let tree = Tree::of(&[("queue.rs", source)]);
        let findings: Vec<_> = check_with(&tree, &[]).iter().map(ToString::to_string).collect();
        assert_eq!(findings, ["queue.rs:3: `Retired` is not in the sources"]);
    }

    #[test]
    fn the_words_of_a_path_are_in_one_file() {
        let expected = "docs/queue.md:1: `Queue::lead` is not in the sources";
        assert_eq!(found("`Queue::lead`\n", &[]), [expected]);
    }

    #[test]
    fn other_spans_and_fenced_code_are_not_identifiers() {
        let page = "`a sentence`, `--port`, `PutItem: {}`, `lastEvent`, `GAME#{code}`\n\
                    ```\nstruct `Gone`;\n```\nThe block declares `Gone`.\n";
        assert_eq!(found(page, &[]), Vec::<String>::new());
    }

    #[test]
    fn foreign_words_are_listed_and_needed() {
        assert_eq!(found("`EventSource`\n", &["EventSource"]), Vec::<String>::new());
        assert_eq!(found("`Queue`\n", &["Queue"]).len(), 1);
    }
}
