//! Checks licences and duplicate versions of dependencies.
//!
//! The policy is cargo-deny's deny.toml, so the rule holds with and without cargo-deny.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Finding, Tree, licence};
use crate::command::Line;

const POLICY: &str = "deny.toml";

/// A dependency.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    name: String,
    version: String,
    licence: String,
}

/// All locked packages for all platforms, including tests and build scripts.
pub(super) fn packages(root: &Path) -> Result<BTreeSet<Package>, String> {
    // `cargo tree` prints one package per line, where `cargo metadata` would need a JSON parser.
    let listed = Line::new("cargo tree --workspace --locked --all-features --target all")
        .argument("--edges=normal,build,dev")
        .argument("--prefix=none")
        .argument("--format={p}|{l}")
        .read(root)?;
    Ok(listed.lines().filter_map(package).collect())
}

/// Parses `name v1.2.3 (where)|licence (*)`.
fn package(line: &str) -> Option<Package> {
    let (identity, licence) = line.split_once('|')?;
    let mut words = identity.split(' ');
    Some(Package {
        name: words.next()?.to_owned(),
        version: words.next()?.trim_start_matches('v').to_owned(),
        licence: licence.trim_end_matches("(*)").trim().to_owned(),
    })
}

/// Finds disallowed licences and unexplained duplicate versions.
pub(super) fn check(tree: &Tree, packages: &BTreeSet<Package>) -> Vec<Finding> {
    let Some(policy) = tree.text(POLICY) else {
        return vec![Finding::new(POLICY, 0, "there is no list of allowed licences")];
    };
    let allowed = allowed_licences(policy);
    let mut findings = Vec::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
        if !licence::is_met(&package.licence, &allowed) {
            let text = format!(
                "{} {} is under `{}`, which is not allowed",
                package.name, package.version, package.licence
            );
            findings.push(Finding::new(POLICY, 0, text));
        }
    }
    let explained = explained_versions(policy, &mut findings);
    for (name, versions) in versions {
        let surplus: Vec<&str> = versions
            .iter()
            .copied()
            .filter(|version| !explained.contains(format!("{name}@{version}").as_str()))
            .collect();
        if surplus.len() > 1 {
            let text = format!(
                "{name} comes in versions {}: align them, or explain one under `skip`",
                surplus.join(" and ")
            );
            findings.push(Finding::new(POLICY, 0, text));
        }
    }
    findings
}

/// The strings of the list `allow`.
fn allowed_licences(policy: &str) -> Vec<String> {
    let list = policy
        .split_once("\nallow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(list, _)| list);
    let uncommented = list.lines().map(|line| line.split('#').next().unwrap_or(""));
    uncommented.flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The duplicate versions in `skip`, each of which needs a reason.
fn explained_versions<'a>(policy: &'a str, findings: &mut Vec<Finding>) -> BTreeSet<&'a str> {
    let mut explained = BTreeSet::new();
    for (index, line) in policy.lines().enumerate() {
        let Some((_, rest)) = line.split_once("{ crate = \"") else {
            continue;
        };
        if line.trim_start().starts_with('#') {
            continue;
        }
        if let Some((package, rest)) = rest.split_once('"') {
            explained.insert(package);
            if !rest.contains("reason = \"") {
                let text = format!("{package} is skipped without a reason");
                findings.push(Finding::new(POLICY, index + 1, text));
            }
        }
    }
    explained
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[licenses]\nallow = [\n    \"MIT\", # short\n    # \"GPL-3.0\",\n]\n";

    fn found(policy: &str, lines: &[&str]) -> Vec<String> {
        let packages = lines.iter().filter_map(|line| package(line)).collect();
        let findings = check(&Tree::of(&[(POLICY, policy)]), &packages);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_line_of_cargo_tree_is_read() {
        let expected = Package {
            name: "serde_derive".to_owned(),
            version: "1.0.2".to_owned(),
            licence: "MIT OR Apache-2.0".to_owned(),
        };
        assert_eq!(
            package("serde_derive v1.0.2 (proc-macro)|MIT OR Apache-2.0 (*)"),
            Some(expected)
        );
        assert_eq!(package(""), None);
    }

    #[test]
    fn a_licence_outside_the_list_is_found() {
        assert_eq!(found(DENY, &["a v1.0.0|MIT"]), Vec::<String>::new());
        assert_eq!(
            found(DENY, &["a v1.0.0|GPL-3.0"]),
            ["deny.toml: a 1.0.0 is under `GPL-3.0`, which is not allowed"]
        );
        assert_eq!(found(DENY, &["a v1.0.0|"]).len(), 1, "no licence at all");
    }

    #[test]
    fn a_second_version_needs_an_explanation() {
        let lines = ["a v1.0.0|MIT", "a v2.0.0|MIT", "a v2.0.0|MIT (*)"];
        assert_eq!(
            found(DENY, &lines),
            ["deny.toml: a comes in versions 1.0.0 and 2.0.0: \
              align them, or explain one under `skip`"]
        );
        let explained = format!("{DENY}skip = [\n{{ crate = \"a@1.0.0\", reason = \"b\" }},\n]\n");
        assert_eq!(found(&explained, &lines), Vec::<String>::new());
        let unexplained = format!("{DENY}skip = [\n{{ crate = \"a@1.0.0\" }},\n]\n");
        assert_eq!(
            found(&unexplained, &lines),
            ["deny.toml:7: a@1.0.0 is skipped without a reason"]
        );
    }
}
