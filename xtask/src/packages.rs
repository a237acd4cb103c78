//! Installs Python and Node packages into folders that git ignores.
//!
//! A copy of the requirements beside the packages makes a second run a no-op until they change.

use std::path::{Path, PathBuf};

use crate::command::Line;

/// Installs the Python packages and returns their folder. A plain folder works on systems that have
/// pip but lack venv.
pub(crate) fn python(root: &Path, suites: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let site = scratch.join("python");
    // Some packages are compiled for one Python version.
    let version = Line::new("python3 --version").read(root)?;
    let wanted = format!("{version}{}", text(&suites.join("requirements.txt"))?);
    once(&wanted, &scratch.join("python.installed"), || {
        remove(&site)?;
        Line::new("python3 -m pip install --quiet --no-deps --only-binary :all:")
            .argument("--disable-pip-version-check")
            .argument("--root-user-action=ignore")
            .argument("--requirement=requirements.txt")
            .argument(&format!("--target={}", site.display()))
            .run(suites)
    })?;
    Ok(site)
}

/// Installs the Node packages beside the suites, where Node looks for them.
pub(crate) fn node(suites: &Path, scratch: &Path) -> Result<(), String> {
    let note = scratch.join("node.installed");
    if !suites.join("node_modules").exists() {
        remove(&note)?;
    }
    let wanted = text(&suites.join("package-lock.json"))?;
    once(&wanted, &note, || Line::new("npm ci --no-audit --no-fund").run(suites))
}

/// Installs unless the note matches.
fn once(
    wanted: &str,
    note: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if std::fs::read_to_string(note).is_ok_and(|noted| noted == wanted) {
        return Ok(());
    }
    // The note is invalid from here on, even if the installation fails.
    remove(note)?;
    install()?;
    std::fs::write(note, wanted).map_err(|error| format!("{}: {error}", note.display()))
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Removes a file or folder, if it exists.
fn remove(path: &Path) -> Result<(), String> {
    let removed = match path.symlink_metadata() {
        Err(_) => return Ok(()),
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
    };
    removed.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn note(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("singlet-{name}-{}", std::process::id()));
        remove(&path).unwrap();
        path
    }

    #[test]
    fn what_is_installed_is_installed_once() {
        let (note, count) = (note("once"), Cell::new(0));
        let install = || {
            count.set(count.get() + 1);
            Ok(())
        };
        once("a==1", &note, install).unwrap();
        once("a==1", &note, install).unwrap();
        assert_eq!(count.get(), 1);
        once("a==2", &note, install).unwrap();
        assert_eq!(count.get(), 2);
        remove(&note).unwrap();
    }

    #[test]
    fn what_failed_half_way_is_installed_again() {
        let note = note("failed");
        once("a==1", &note, || Ok(())).unwrap();
        let failed = once("a==2", &note, || Err("no network".to_owned()));
        assert_eq!(failed, Err("no network".to_owned()));
        // A failed installation may leave a mix, so the old version is installed again too.
        let mut installed = false;
        once("a==1", &note, || {
            installed = true;
            Ok(())
        })
        .unwrap();
        assert!(installed);
        remove(&note).unwrap();
    }
}
