//! The systems that come with Singlet.

use clap::builder::PossibleValuesParser;
use singlet_web::System;

/// All systems, in the order of the first page. A new one is one line here.
pub(crate) fn all() -> Vec<System> {
    vec![
        snakes::system(),
        threefc::system(),
        hacktracker::system(),
        fus::system(),
        cricket::system(),
    ]
}

/// The systems of these names; all of them if there are no names.
pub(crate) fn named(names: &[String]) -> Vec<System> {
    let is_named = |system: &System| names.iter().any(|name| name == system.name());
    all().into_iter().filter(|system| names.is_empty() || is_named(system)).collect()
}

/// Takes the name of a system.
pub(crate) fn name_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(all().iter().map(System::name))
}
