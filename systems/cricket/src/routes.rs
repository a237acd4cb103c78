//! The routes.

use singlet_web::System;

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new("cricket", "Cricket", "Live cricket scores, matches to follow, and pushes.")
}
