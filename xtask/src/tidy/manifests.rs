//! Checks that manifests inherit versions and lints, and that folders are named after packages.

use super::{Finding, Tree};

/// Finds dependencies with their own versions, crates without the shared lints, and misnamed
/// folders.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (folder, manifest) in tree.manifests() {
        let folder = folder.rsplit('/').next().unwrap_or(folder);
        let mut shares_lints = false;
        let mut table = String::new();
        for (index, line) in manifest.text.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                table = line.trim_matches(['[', ']']).to_owned();
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            if table == "lints" && key == "workspace" && value == "true" {
                shares_lints = true;
            }
            if table == "package" && key == "name" && value.trim_matches('"') != folder {
                let text = format!("the package {value} is in a folder named `{folder}`");
                findings.push(Finding::new(&manifest.path, index + 1, text));
            }
            let own = match dependency(&table) {
                Some(Place::Table) => {
                    // A nested package may be named by path in one manifest.
                    !key.ends_with(".workspace")
                        && !value.contains("workspace = true")
                        && !value.contains(&format!("path = \"{key}\""))
                }
                // In the table of a single dependency, only its source matters.
                Some(Place::Entry) => matches!(key, "version" | "path" | "git"),
                None => false,
            };
            if own {
                let text = "the version belongs into the workspace's table of dependencies";
                findings.push(Finding::new(&manifest.path, index + 1, text));
            }
        }
        if !shares_lints {
            let text = "the crate lacks the shared lints: [lints] workspace = true";
            findings.push(Finding::new(&manifest.path, 0, text));
        }
    }
    findings
}

enum Place {
    /// A dependency table with one entry per line.
    Table,
    /// The table of one dependency.
    Entry,
}

/// The kind of dependency table, if it is one.
fn dependency(table: &str) -> Option<Place> {
    const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];
    // Versions belong in the workspace's table.
    if table.starts_with("workspace.") {
        return None;
    }
    let last = table.rsplit('.').next().unwrap_or(table);
    if KINDS.contains(&last) {
        return Some(Place::Table);
    }
    let parent = table.rsplit_once('.')?.0;
    let parent = parent.rsplit('.').next().unwrap_or(parent);
    KINDS.contains(&parent).then_some(Place::Entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(manifest: &str) -> Vec<String> {
        let manifest = format!("[lints]\nworkspace = true\n{manifest}");
        let findings = check(&Tree::of(&[("a/Cargo.toml", &manifest)]));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_folder_is_named_for_its_package() {
        assert_eq!(found("[package]\nname = \"a\"\n"), Vec::<String>::new());
        let other = found("[package]\nname = \"singlet-a\"\n");
        assert_eq!(other, ["a/Cargo.toml:4: the package \"singlet-a\" is in a folder named `a`"]);
    }

    #[test]
    fn inherited_dependencies_pass() {
        let manifest = "[dependencies]\none.workspace = true\n\
                        two = { workspace = true, features = [\"x\"] }\n\
                        # three = \"1\"\n\
                        [target.'cfg(unix)'.dev-dependencies.four]\nworkspace = true\n\
                        [workspace.dependencies]\nfive = \"5\"\n\
                        [features]\nx = []\n";
        assert_eq!(found(manifest), Vec::<String>::new());
    }

    #[test]
    fn a_version_of_its_own_is_found() {
        for manifest in [
            "[dependencies]\none = \"1\"",
            "[dev-dependencies]\none = { version = \"1\" }",
            "[target.'cfg(unix)'.build-dependencies]\none = { path = \"../one\" }",
            "[dependencies.one]\nversion = \"1\"",
        ] {
            assert_eq!(
                found(manifest),
                ["a/Cargo.toml:4: the version belongs into the workspace's table of dependencies"]
            );
        }
    }

    #[test]
    fn a_crate_without_the_shared_lints_is_found() {
        let findings = check(&Tree::of(&[("a/Cargo.toml", "[package]\nname = \"a\"\n")]));
        assert_eq!(
            findings,
            [Finding::new(
                "a/Cargo.toml",
                0,
                "the crate lacks the shared lints: [lints] workspace = true"
            )]
        );
    }
}
