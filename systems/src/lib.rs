//! The systems that come with Singlet.
//!
//! The list is made by build.rs from this package's manifest.

include!(concat!(env!("OUT_DIR"), "/systems.rs"));
