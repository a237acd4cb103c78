//! The step `tidy`: rules about the tree that the compiler does not check.
//!
//! Every rule is a function from the [`Tree`] to its findings, so that tests can run it on a tree
//! with a violation. The dependency rules also read the output of `cargo tree`.

mod architecture;
mod dependencies;
mod identifiers;
mod licence;
mod links;
mod manifests;
mod modules;
mod randomness;
mod systems;
mod text;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crate::command::Line;
use crate::steps::Workshop;

/// A violation of a rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    /// Counted from 1; 0 for the whole file.
    line: usize,
    text: String,
}

impl Finding {
    fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.text),
            line => write!(f, "{}:{line}: {}", self.path, self.text),
        }
    }
}

/// A text file of the project.
pub(crate) struct File {
    /// Relative to the root, separated by `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The project's files: tracked by git, or new and not ignored.
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    /// All paths, including folders and binary files.
    paths: BTreeSet<String>,
}

impl Tree {
    /// Reads the tree below `root`.
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
        let listed = Line::new("git ls-files --cached --others --exclude-standard").read(root)?;
        let mut files = Vec::new();
        for path in listed.lines() {
            match std::fs::read(root.join(path)) {
                // The text of a binary file is empty.
                Ok(bytes) => files.push((path, String::from_utf8(bytes).unwrap_or_default())),
                // Deleted, but not committed yet.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{path}: {error}")),
            }
        }
        Ok(Self::from_files(files))
    }

    fn from_files<'a>(files: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let files: Vec<File> =
            files.into_iter().map(|(path, text)| File { path: path.to_owned(), text }).collect();
        let mut paths = BTreeSet::from([String::new()]);
        for file in &files {
            let mut path = file.path.as_str();
            while paths.insert(path.to_owned()) {
                path = folder(path);
            }
        }
        Self { files, paths }
    }

    /// A tree for tests.
    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        Self::from_files(files.iter().map(|(path, text)| (*path, (*text).to_owned())))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    fn exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn with_extension(&self, extension: &str) -> impl Iterator<Item = &File> {
        let extension = format!(".{extension}");
        self.files.iter().filter(move |file| file.path.ends_with(&extension))
    }

    /// The manifests of crates, with their folders.
    fn manifests(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().filter_map(|file| {
            let folder = file.path.strip_suffix("/Cargo.toml")?;
            Some((folder, file))
        })
    }
}

/// The parent folder of a path; empty at the root.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves a relative path. `None` if it leaves the tree.
fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let tree = Tree::load(workshop.root)?;
    let mut findings = Vec::new();
    findings.extend(links::check(&tree));
    findings.extend(modules::check(&tree));
    findings.extend(architecture::check(&tree));
    findings.extend(identifiers::check(&tree));
    findings.extend(text::check(&tree));
    findings.extend(randomness::check(&tree));
    findings.extend(systems::check(&tree));
    findings.extend(manifests::check(&tree));
    let packages = dependencies::packages(workshop.root)?;
    findings.extend(dependencies::check(&tree, &packages));
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err("one finding, above".to_owned()),
        many => Err(format!("{many} findings, above")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_exist_when_a_file_is_in_them() {
        let tree = Tree::of(&[("docs/decisions/0001.md", "")]);
        assert!(tree.exists("docs/decisions"));
        assert!(tree.exists("docs"));
        assert!(!tree.exists("docs/decisions/0002.md"));
    }

    #[test]
    fn relative_paths_are_followed_within_the_tree_only() {
        assert_eq!(join("docs/decisions", "../format.md").as_deref(), Some("docs/format.md"));
        assert_eq!(join("", "./README.md").as_deref(), Some("README.md"));
        assert_eq!(join("docs", "../../outside.md"), None);
    }

    #[test]
    fn a_finding_shows_where_it_is() {
        assert_eq!(Finding::new("a.rs", 3, "bad").to_string(), "a.rs:3: bad");
        assert_eq!(Finding::new("a.rs", 0, "bad").to_string(), "a.rs: bad");
    }
}
