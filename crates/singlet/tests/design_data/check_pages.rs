//! Every rule has a page, and its examples have the stated findings.

use singlet::design::Design;
use singlet::design::check::RULES;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks")
}

/// A rule's page: first line, headings and the two designs.
struct Page {
    title: String,
    headings: Vec<String>,
    designs: Vec<Design>,
}

fn page(code: &str) -> Page {
    let path = folder().join(format!("{code}.md"));
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(!text.is_empty(), "there is no page {}", path.display());
    let design = |block: &str| match Design::from_json(block) {
        Ok(design) => Some(design),
        Err(error) => {
            assert_eq!(error.to_string(), "", "{code}");
            None
        }
    };
    let blocks = text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    Page {
        title: text.lines().next().unwrap_or_default().to_owned(),
        headings: text.lines().filter(|line| line.starts_with("## ")).map(str::to_owned).collect(),
        designs: blocks.filter_map(design).collect(),
    }
}

fn codes(design: &Design) -> BTreeSet<&'static str> {
    design.check().iter().map(|finding| finding.code).collect()
}

#[test]
fn each_rule_has_a_page_with_an_example_that_is_found_and_one_that_is_not() {
    for rule in &RULES {
        let page = page(rule.code);
        assert_eq!(page.title, format!("# {}: {}", rule.code, rule.title));
        assert_eq!(page.headings, ["## Why it hurts", "## An example", "## How to mend it"]);
        let [wrong, mended] = page.designs.as_slice() else {
            assert_eq!(page.designs.len(), 2, "{}: one design before and one after", rule.code);
            continue;
        };
        assert_eq!(codes(wrong), BTreeSet::from([rule.code]), "{}: the example", rule.code);
        let left: Vec<String> = mended.check().iter().map(ToString::to_string).collect();
        assert_eq!(left, Vec::<String>::new(), "{}: what is mended is mended", rule.code);
    }
}

#[test]
fn codes_are_in_order_and_used_once() {
    let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert!(codes.is_sorted_by(|one, other| one < other), "{codes:?}");
}

#[test]
fn no_page_is_left_over_and_the_index_has_all_of_them() {
    let mut pages: Vec<String> = fs::read_dir(folder())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    pages.sort();
    let expected: Vec<String> = RULES.iter().map(|rule| format!("{}.md", rule.code)).collect();
    assert_eq!(pages, expected);
    let index = fs::read_to_string(folder().join("README.md")).unwrap_or_default();
    for rule in &RULES {
        let line = format!("- [{0}]({0}.md): {1}", rule.code, rule.title);
        assert!(index.lines().any(|found| found == line), "README.md lacks {line}");
    }
}
