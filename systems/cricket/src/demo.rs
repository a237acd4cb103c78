//! STUB by CR-T, so that routes compile: CR-J overwrites it.

use singlet_web::{Demo, DemoError, Persona, Resources};

/// The people of the demo data.
pub const PERSONAS: &[Persona] = &[];

/// Stub.
pub async fn load(_: Resources, _: Demo) -> Result<(), DemoError> {
    Ok(())
}
