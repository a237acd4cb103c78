//! The routes.

use singlet_web::System;

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new(
        "threefc",
        "3FC",
        "Leagues of three-sided football: live scores, standings and leaderboards.",
    )
}
