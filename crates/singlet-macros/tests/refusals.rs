//! What does not compile, and what the compiler says then: a macro's words are part of what it is.
//!
//! With `TRYBUILD=overwrite` the texts are written anew.

use std::process::Command;

/// Beside our words the texts hold those of the compiler, which differ from version to version.
/// They are compared with what this one says.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn what_contradicts_the_design_does_not_compile() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().map(|output| output.stdout);
    let version = String::from_utf8(version.unwrap_or_default()).unwrap_or_default();
    if !version.starts_with(COMPILER) {
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refusals/*.rs");
}
