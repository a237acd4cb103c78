//! Checks for long files, code that rustfmt gave up on, and traces of development machines.

use super::{Finding, Tree};

/// A longer file should be split.
const RUST_LINES_MAX: usize = 800;

/// Package registries. The sources must not name one, because builds may use a mirror. Split so
/// that this file passes its own rule.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("yarnpkg", ".com"),
    concat!("deb.debian", ".org"),
    concat!("maven", ".org"),
    concat!("maven.apache", ".org"),
    concat!("golang", ".org"),
];

/// Home and checkout folders of development machines.
const MACHINE_FOLDERS: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tmp", "/wt"),
];

/// The engine's data folder. One was committed by accident.
const DATA_FOLDER: &str = "singlet-data";

/// Finds data folders, long files, calls that rustfmt skipped, registry hosts, and paths of
/// development machines.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if file.path.split('/').any(|part| part == DATA_FOLDER) {
            findings.push(Finding::new(&file.path, 0, "is data of a run; remove it from git"));
        }
        let lines = file.text.lines().count();
        if file.path.ends_with(".rs") && lines > RUST_LINES_MAX {
            let text = format!("{lines} lines, and {RUST_LINES_MAX} are the most");
            findings.push(Finding::new(&file.path, 0, text));
        }
        // Cargo writes the registry's name into lock files.
        if file.path.ends_with("Cargo.lock") {
            continue;
        }
        for (index, line) in file.text.lines().enumerate() {
            // rustfmt silently skips a call chain with an overlong string.
            if file.path.ends_with(".rs") && line.starts_with('.') {
                let text =
                    "is not formatted: is a text in this chain of calls too long for a line?";
                findings.push(Finding::new(&file.path, index + 1, text));
            }
            let lower = line.to_lowercase();
            if let Some(host) = HOSTS.iter().find(|host| lower.contains(**host)) {
                let text = format!("names the package registry {host}");
                findings.push(Finding::new(&file.path, index + 1, text));
            }
            if let Some(place) = MACHINE_FOLDERS.iter().find(|place| holds(line, place)) {
                let text = format!("names a place on one machine, below {place}");
                findings.push(Finding::new(&file.path, index + 1, text));
            }
        }
    }
    findings
}

/// Whether the line contains an absolute path below `place`, rather than the end of a longer path
/// or address.
fn holds(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.~/}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let findings = check(&Tree::of(&[(path, text)]));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_long_rust_file_is_found() {
        assert_eq!(found("a.rs", &"\n".repeat(800)), Vec::<String>::new());
        assert_eq!(found("a.rs", &"\n".repeat(801)), ["a.rs: 801 lines, and 800 are the most"]);
        assert_eq!(found("a.txt", &"\n".repeat(801)), Vec::<String>::new());
    }

    #[test]
    fn data_of_a_run_is_found() {
        assert_eq!(found("cli/singlet-data/lock", "").len(), 1);
        assert_eq!(found("docs/singlet-data.md", "").len(), 0);
    }

    #[test]
    fn a_call_at_the_margin_is_found() {
        let chain = "fn a() {\n    one()\n.two();\n}\n";
        assert_eq!(found("a.rs", chain).len(), 1);
        assert_eq!(found("a.css", ".two { color: red }\n"), Vec::<String>::new());
    }

    #[test]
    fn a_registry_host_is_found() {
        let line = format!("index = \"https://{}/simple\"", HOSTS[1]);
        assert_eq!(found("a.toml", &line).len(), 1);
        assert_eq!(found("Cargo.lock", &line).len(), 0);
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        let line = format!("see {}someone/notes.md", MACHINE_FOLDERS[1]);
        assert_eq!(found("a.md", &line).len(), 1);
        assert_eq!(found("a.md", &format!("docs{}x", MACHINE_FOLDERS[3])).len(), 0);
    }
}
