//! The step `lean`: no system compiles the HTTP client again.
//!
//! A non-generic async function is compiled by each crate that awaits it from generic code, so a
//! small change in the kit can put all of hyper's client into every system. The source does not
//! show it; the symbols in a system's library do.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::local;
use crate::steps::Workshop;

/// Parts of mangled names that occur only in hyper's and h2's protocol code.
const FOREIGN: &[&str] =
    &["5hyper5proto", "5hyper6client", "10hyper_util6client", "2h25proto", "2h25codec"];

/// Checks the libraries of all systems, as built for the tests.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = own.with_file_name("deps");
    let mut found = Vec::new();
    for system in local::systems(&workshop.root.join("systems"))? {
        let library = newest(&folder, &system)?;
        let bytes = std::fs::read(&library).map_err(|error| error.to_string())?;
        if let Some(name) = foreign(&bytes) {
            found.push(format!("{system} compiles `{name}`: box the future where it is defined"));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// The most recent build of a system's library.
fn newest(folder: &Path, system: &str) -> Result<PathBuf, String> {
    let prefix = format!("lib{system}-");
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let libraries = entries.flatten().filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(&prefix) && name.ends_with(".rlib")
    });
    let changed = |entry: &std::fs::DirEntry| {
        entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let library = libraries.max_by_key(changed).map(|entry| entry.path());
    library.ok_or_else(|| format!("{system} is not built; run `cargo build --workspace` first"))
}

fn foreign(bytes: &[u8]) -> Option<&'static str> {
    let holds = |name: &&&str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    FOREIGN.iter().find(holds).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_the_client_is_found() {
        let own = b"_ZN3fus7service4listE _ZN5hyper2rt2io4ReadE";
        assert_eq!(foreign(own), None);
        let planted = b"_ZN3fus7serviceE _ZN5hyper5proto2h16client4pollE";
        assert_eq!(foreign(planted), Some("5hyper5proto"));
    }
}
