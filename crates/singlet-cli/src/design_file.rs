//! Design files, from the disk.

use crate::failure::Failure;
use singlet::design::Design;
use std::path::Path;

/// Reads a design, or says what is wrong with the file, and where.
pub(crate) fn read(path: &Path) -> Result<Design, String> {
    let file = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
    Design::from_json(&text).map_err(|error| format!("{file}: {error}"))
}

/// A file that cannot be read as a design, and what to do about it.
pub(crate) fn unusable(error: &str) -> Failure {
    let advice = "Name a design file; what one looks like is told in docs/design-file.md.";
    Failure::new(error, advice)
}
