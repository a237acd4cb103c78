//! Reads designs: files, and the systems that come with Singlet.

use crate::failure::Failure;
use singlet::design::Design;
use std::path::Path;

/// Reads a design: a file, or the system of this name if there is no such file. The error names the
/// file, the place and the mistake.
pub(crate) fn read(path: &Path) -> Result<Design, String> {
    if !path.exists()
        && let Some(design) = path.to_str().and_then(of_system)
    {
        return Ok(design);
    }
    let file = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
    Design::from_json(&text).map_err(|error| format!("{file}: {error}"))
}

#[cfg(feature = "systems")]
fn of_system(name: &str) -> Option<Design> {
    let systems = systems::all();
    systems.iter().find(|system| system.name() == name).map(singlet_web::System::declared)
}

#[cfg(not(feature = "systems"))]
fn of_system(_: &str) -> Option<Design> {
    None
}

/// The error for a file that is not a design, with advice.
pub(crate) fn unusable(error: &str) -> Failure {
    let advice = "Pass a design file (see docs/design-file.md), or the name of a system: `snakes`.";
    Failure::new(error, advice)
}
