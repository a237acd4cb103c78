//! The routes.

use singlet_web::System;

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new("fus", "FUS", "A catalogue of sites with ratings and comments, and a squash club.")
}
