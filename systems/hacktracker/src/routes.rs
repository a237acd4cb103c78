//! The routes.

use singlet_web::System;

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new(
        "hacktracker",
        "HackTracker",
        "Softball teams: rosters, games scored at-bat by at-bat, and statistics.",
    )
}
