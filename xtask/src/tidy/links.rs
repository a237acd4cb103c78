//! Checks links in Markdown files.

use std::collections::BTreeSet;

use super::{Finding, Tree, folder, join};

/// Finds relative links to missing files or headings.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("md") {
        for (line, target) in links(&file.text) {
            // Skip external links.
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = match target.split_once('#') {
                Some((path, anchor)) => (path, Some(anchor)),
                None => (target.as_str(), None),
            };
            let full = if path.is_empty() {
                Some(file.path.clone())
            } else {
                join(folder(&file.path), path)
            };
            let Some(full) = full.filter(|full| tree.exists(full)) else {
                let text = format!("the link to `{target}` leads nowhere");
                findings.push(Finding::new(&file.path, line, text));
                continue;
            };
            if let (Some(anchor), true) = (anchor, full.ends_with(".md"))
                && !headings(tree.text(&full).unwrap_or_default()).contains(anchor)
            {
                let text = format!("`{full}` has no heading for `#{anchor}`");
                findings.push(Finding::new(&file.path, line, text));
            }
        }
    }
    findings
}

/// The targets of all links outside code, with line numbers.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, prose) in prose(text) {
        let mut rest = prose.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let target = after.split([')', ' ']).next().unwrap_or_default();
            found.push((line, target.to_owned()));
            rest = after;
        }
        // A definition: `[name]: target`.
        if let Some((name, target)) = prose.split_once("]: ")
            && name.starts_with('[')
        {
            found.push((line, target.trim().to_owned()));
        }
    }
    found
}

/// The lines outside fenced code, with code spans blanked out.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            lines.push((index + 1, outside));
        }
    }
    lines
}

/// The anchors of a document's headings.
fn headings(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            anchors.insert(anchor(line.trim_start_matches('#').trim()));
        }
    }
    anchors
}

/// A heading's anchor: lower case, hyphens for spaces, no punctuation.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str) -> Vec<String> {
        let tree = Tree::of(&[
            ("docs/page.md", page),
            ("docs/format.md", "# Keys, and how they sort\n"),
            ("README.md", ""),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let page = "# Top\n[up](../README.md) [folder](../docs) [self](#top) \
                    [web](https://example.org/x) [part](format.md#keys-and-how-they-sort)\n\
                    [by name][f]\n\n[f]: format.md\n";
        assert_eq!(found(page), Vec::<String>::new());
    }

    #[test]
    fn a_link_to_nowhere_is_found() {
        assert_eq!(
            found("one\n[old](removed.md)\n"),
            ["docs/page.md:2: the link to `removed.md` leads nowhere"]
        );
        assert_eq!(
            found("[by name][f]\n\n[f]: removed.md\n"),
            ["docs/page.md:3: the link to `removed.md` leads nowhere"]
        );
    }

    #[test]
    fn a_link_to_a_missing_heading_is_found() {
        assert_eq!(
            found("[old](format.md#values)"),
            ["docs/page.md:1: `docs/format.md` has no heading for `#values`"]
        );
    }

    #[test]
    fn code_is_not_prose() {
        let page = "`[a](b.md)`\n```rust\nlet x = map[i](nowhere.md);\n```\n";
        assert_eq!(found(page), Vec::<String>::new());
    }
}
