//! Checks that the kit does not mention a system, and that systems use only the model and the kit,
//! so that they run on every backend.

use super::{Finding, Tree};
use std::collections::BTreeSet;

/// Sources that must not name a system.
const KIT: &[&str] = &[
    "crates/singlet-web/src/",
    "crates/singlet-web/assets/",
    "crates/singlet-edge/src/",
    "crates/singlet-testing/src/",
];

/// Layers below the model. The second part of a path may follow `singlet::{`.
const BELOW_THE_MODEL: &[&str] = &[
    "singlet::engine",
    "singlet::dynamo",
    "singlet_engine",
    "singlet_dynamo",
    "singlet_wire",
    "engine::",
    "dynamo::",
    // Items are decoded by the model.
    "singlet::item",
    "item::decode",
    "decode_item",
];

/// Finds system names in the kit, and engine paths in the systems. A system is a folder in
/// `systems/`.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = names_in_kit(tree);
    findings.extend(engine_in_systems(tree));
    findings
}

fn engine_in_systems(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("rs") {
        let below = file.path.strip_prefix("systems/").and_then(|path| path.split_once('/'));
        if !below.is_some_and(|(_, path)| path.starts_with("src/")) {
            continue;
        }
        for (index, line) in file.text.lines().enumerate() {
            if let Some(path) = BELOW_THE_MODEL.iter().find(|path| has_path(line, path)) {
                let path = path.trim_end_matches(':');
                let text = format!("names {path}: a system uses the model and the kit");
                findings.push(Finding::new(&file.path, index + 1, text));
            }
        }
    }
    findings
}

/// Whether a line contains a path that is not the end of a longer word.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line.get(..start).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

fn names_in_kit(tree: &Tree) -> Vec<Finding> {
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
    fn a_system_does_not_see_the_engine() {
        let text = "names singlet::engine: a system uses the model and the kit";
        assert_eq!(
            found("systems/chess/src/clock.rs", "use std::time;\nuse singlet::engine::Clock;\n"),
            [format!("systems/chess/src/clock.rs:2: {text}")]
        );
        for line in [
            "use singlet::{Db, dynamo::Item};",
            "singlet_wire::serve()",
            "engine::open()",
            "use singlet::item;",
            "let lock: Lock = item::decode_item(&stored)?;",
        ] {
            assert_eq!(found("systems/chess/src/lib.rs", line).len(), 1, "{line}");
        }
        for line in ["use singlet::Clock;", "search_engine::find()", "// a chess engine"] {
            assert_eq!(found("systems/chess/src/lib.rs", line), Vec::<String>::new(), "{line}");
        }
        for path in ["systems/chess/tests/chess/main.rs", "crates/singlet/src/db.rs"] {
            assert_eq!(found(path, "use singlet::engine::Engine;"), Vec::<String>::new());
        }
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
