//! The kit knows no system: what is in its sources is there for all of them.

use super::{Finding, Tree};
use std::collections::BTreeSet;

/// What must not name a system.
const KIT: &[&str] = &[
    "crates/singlet-web/src/",
    "crates/singlet-web/assets/",
    "crates/singlet-edge/src/",
    "crates/singlet-testing/src/",
];

/// Finds names of systems in the sources of the kit. A system is a folder in `systems/`.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.manifests().map(|(folder, _)| folder);
    let systems: BTreeSet<&str> =
        manifests.filter_map(|folder| folder.strip_prefix("systems/")).collect();
    let mut findings = Vec::new();
    let of_kit = |path: &str| KIT.iter().any(|folder| path.starts_with(folder));
    for file in tree.files.iter().filter(|file| of_kit(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            let lower = line.to_lowercase();
            let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
            if let Some(name) = words.find(|word| systems.contains(word)) {
                let text = format!("names the system {name}: the kit is for all of them");
                findings.push(Finding::new(&file.path, index + 1, text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let findings = check(&Tree::of(&[("systems/chess/Cargo.toml", ""), (path, text)]));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_name_of_a_system_is_found_in_the_kit() {
        let text = "names the system chess: the kit is for all of them";
        let line = "fn main() {}\n// as in Chess\n";
        assert_eq!(
            found("crates/singlet-web/src/page.rs", line),
            [format!("crates/singlet-web/src/page.rs:2: {text}")]
        );
        assert_eq!(
            found("crates/singlet-web/assets/page.js", "import \"/chess/board.js\"").len(),
            1
        );
        assert_eq!(found("crates/singlet-testing/src/lib.rs", "chess_board();").len(), 1);
    }

    #[test]
    fn tests_systems_and_other_words_may_have_it() {
        for path in
            ["crates/singlet-web/tests/web/blobs.rs", "systems/chess/src/lib.rs", "docs/chess.md"]
        {
            assert_eq!(found(path, "chess"), Vec::<String>::new());
        }
        assert_eq!(found("crates/singlet-web/src/page.rs", "// chessboards"), Vec::<String>::new());
    }
}
