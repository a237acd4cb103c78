//! Checks that every Rust file is part of a crate.
//!
//! A file without a `mod` declaration is never compiled. The search starts at the files that cargo
//! treats as roots.

use std::collections::BTreeSet;

use super::{Finding, Tree, folder, join};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut pending: Vec<String> = roots(tree);
    let mut reached = BTreeSet::new();
    while let Some(path) = pending.pop() {
        let Some(text) = tree.text(&path) else {
            continue;
        };
        if reached.insert(path.clone()) {
            let is_root = is_root(tree, &path);
            pending.extend(named_files(tree, &path, text, is_root));
        }
    }
    tree.with_extension("rs")
        .filter(|file| !reached.contains(&file.path))
        .map(|file| {
            let text = "no module tree reaches this file: name it by `mod`, or remove it";
            Finding::new(&file.path, 0, text)
        })
        .collect()
}

fn roots(tree: &Tree) -> Vec<String> {
    tree.with_extension("rs")
        .filter(|file| is_root(tree, &file.path))
        .map(|file| file.path.clone())
        .collect()
}

/// Whether cargo builds this file as a target, or a compile-fail test does.
fn is_root(tree: &Tree, path: &str) -> bool {
    if path.contains("/tests/") && tree.exists(&path.replace(".rs", ".stderr")) {
        return true;
    }
    tree.manifests().any(|(crate_folder, manifest)| {
        let Some(inside) = path.strip_prefix(crate_folder).and_then(|rest| rest.strip_prefix('/'))
        else {
            return false;
        };
        let parts: Vec<&str> = inside.split('/').collect();
        match parts.as_slice() {
            ["build.rs"] | ["src", "lib.rs" | "main.rs"] => true,
            ["tests" | "examples" | "benches", _]
            | ["src", "bin", _]
            | ["tests" | "examples" | "benches", _, "main.rs"] => true,
            // Targets with a path in the manifest.
            _ => manifest.text.contains(&format!("path = \"{inside}\"")),
        }
    })
}

/// The files that `mod` declarations and `#[path]` attributes in `text` refer to.
fn named_files(tree: &Tree, path: &str, text: &str, is_root: bool) -> Vec<String> {
    let here = folder(path);
    let stem =
        path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    // Modules of `a.rs` are in `a/`; those of a root or a `mod.rs` are beside it.
    let children = if is_root || stem == "mod" {
        here.to_owned()
    } else {
        join(here, stem).unwrap_or_default()
    };
    let mut named = Vec::new();
    let mut explicit: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[path = \"")
            && let Some((target, _)) = rest.split_once('"')
        {
            explicit = join(here, target);
        } else if let Some(name) = declared_module(line) {
            match explicit.take() {
                Some(target) => named.push(target),
                None => {
                    let beside = [format!("{name}.rs"), format!("{name}/mod.rs")];
                    let candidates = beside.iter().filter_map(|file| join(&children, file));
                    named.extend(candidates.filter(|file| tree.exists(file)));
                }
            }
        }
    }
    named
}

/// The name in a line such as `pub(crate) mod name;`.
fn declared_module(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => rest,
        },
        None => line,
    };
    let name = line.trim_start().strip_prefix("mod ")?;
    let (name, _) = name.split_once(';')?;
    Some(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreached(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = vec![("crates/a/Cargo.toml", "")];
        all.extend_from_slice(files);
        let findings = check(&Tree::of(&all));
        findings.into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn modules_are_followed_in_every_form() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\npub(crate) mod two;\n"),
            ("crates/a/src/one.rs", "pub mod inner;"),
            ("crates/a/src/one/inner.rs", ""),
            ("crates/a/src/two/mod.rs", "mod leaf;"),
            ("crates/a/src/two/leaf.rs", ""),
            ("crates/a/tests/story.rs", "#[path = \"shared/setup.rs\"]\nmod setup;"),
            ("crates/a/tests/shared/setup.rs", ""),
            ("crates/a/tests/cases/main.rs", "mod file;"),
            ("crates/a/tests/cases/file.rs", ""),
            ("crates/a/tests/refusals/mistake.rs", ""),
            ("crates/a/tests/refusals/mistake.stderr", "error: no"),
            ("crates/a/examples/tour.rs", ""),
            ("crates/a/src/bin/tool.rs", ""),
            ("crates/a/build.rs", ""),
        ];
        assert_eq!(unreached(&files), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_nothing_names_is_found() {
        let files = [
            ("crates/a/src/lib.rs", "// mod old;\nmod new;\n"),
            ("crates/a/src/new.rs", "mod deep;"),
            ("crates/a/src/old.rs", ""),
            ("crates/a/src/deep.rs", ""),
            ("crates/a/tests/cases/file.rs", ""),
        ];
        assert_eq!(
            unreached(&files),
            ["crates/a/src/old.rs", "crates/a/src/deep.rs", "crates/a/tests/cases/file.rs"]
        );
    }
}
