//! Checks that the code maps in ARCHITECTURE.md files are correct and complete.
//!
//! Text in backticks with a slash is a path, relative to the root or to the document's folder.
//! Planned paths are not set in backticks.

use super::{Finding, Tree, folder, join};

/// The root document, which names every crate.
const MAP: &str = "ARCHITECTURE.md";

/// Finds missing paths, and crates that the map omits.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let maps = tree.files.iter().filter(|file| file.path.rsplit('/').next() == Some(MAP));
    for map in maps {
        for (line, path) in paths(&map.text) {
            let trimmed = path.trim_end_matches('/');
            let places = [join("", trimmed), join(folder(&map.path), trimmed)];
            if !places.iter().flatten().any(|place| tree.exists(place)) {
                let text = format!("the code map names `{path}`, which does not exist");
                findings.push(Finding::new(&map.path, line, text));
            }
        }
    }
    let Some(map) = tree.text(MAP) else {
        findings.push(Finding::new(MAP, 0, "there is no map of the code"));
        return findings;
    };
    for (crate_folder, _) in tree.manifests() {
        if !map.contains(&format!("`{crate_folder}`")) {
            let text = format!("the code map leaves out `{crate_folder}`");
            findings.push(Finding::new(MAP, 0, text));
        }
    }
    findings
}

/// The paths in backticks, with their lines.
fn paths(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for span in line.split('`').skip(1).step_by(2) {
            let in_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
            if span.contains('/') && span.chars().all(in_path) {
                found.push((index + 1, span));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(map: &str) -> Vec<String> {
        let tree = Tree::of(&[
            (MAP, map),
            ("crates/singlet-dynamo/Cargo.toml", ""),
            ("crates/singlet-dynamo/src/number.rs", ""),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_true_map_passes() {
        let map = "`crates/singlet-dynamo` holds `crates/singlet-dynamo/src/number.rs`, in `crates/`; \
                   a `PutItem`; `a / b`\n";
        assert_eq!(found(map), Vec::<String>::new());
    }

    #[test]
    fn a_path_that_is_gone_is_found() {
        assert_eq!(
            found("`crates/singlet-dynamo`\n`crates/singlet-dynamo/src/decimal.rs`\n"),
            ["ARCHITECTURE.md:2: the code map names `crates/singlet-dynamo/src/decimal.rs`, \
              which does not exist"]
        );
    }

    #[test]
    fn a_crate_that_is_left_out_is_found() {
        assert_eq!(
            found("nothing yet"),
            ["ARCHITECTURE.md: the code map leaves out `crates/singlet-dynamo`"]
        );
        let findings = check(&Tree::of(&[]));
        assert_eq!(findings.len(), 1, "a tree without a map");
    }
}
