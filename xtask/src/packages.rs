//! Packages of other languages, installed into folders that git does not see.
//!
//! What was installed is noted beside it, as a copy of what asked for it, so that a second run
//! has nothing to do until one of them changes.

use std::path::{Path, PathBuf};

use crate::command::Line;

/// Installs what the Python suites use, and returns the folder. A folder of its own rather than
/// a virtual environment: some systems have pip and lack what makes environments, and a folder
/// is all that the interpreter needs.
pub(crate) fn python(root: &Path, suites: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let site = scratch.join("python");
    // Some packages are compiled for one version of the interpreter.
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

/// Installs what the Node suites use, beside them, which is where Node looks.
pub(crate) fn node(suites: &Path, scratch: &Path) -> Result<(), String> {
    let note = scratch.join("node.installed");
    if !suites.join("node_modules").exists() {
        remove(&note)?;
    }
    let wanted = text(&suites.join("package-lock.json"))?;
    once(&wanted, &note, || Line::new("npm ci --no-audit --no-fund").run(suites))
}

/// Installs unless the note says that exactly this is installed.
fn once(
    wanted: &str,
    note: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if std::fs::read_to_string(note).is_ok_and(|noted| noted == wanted) {
        return Ok(());
    }
    // Whatever is there now is changed from here on, and is nothing whole if this fails.
    remove(note)?;
    install()?;
    std::fs::write(note, wanted).map_err(|error| format!("{}: {error}", note.display()))
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Removes a file or a folder, if it is there.
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
        // What was there before may be half replaced, so asking for it again installs it.
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
