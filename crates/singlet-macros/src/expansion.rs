//! Snapshot tests of the macros' output, so that changes in generated code are visible in review.
//!
//! Each file in `expansion/` holds a declaration, a separator line, and its expansion, formatted by
//! rustfmt. `UPDATE_EXPECT=1` rewrites the expansions.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a panic here is a failing test")]

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use syn::ItemStruct;

const LINE: &str = "// becomes\n";

/// Compares the expansion of a declaration with its snapshot.
fn check(name: &str, expand: impl Fn(TokenStream) -> syn::Result<TokenStream>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/expansion/{name}.txt"));
    let kept = fs::read_to_string(&path).unwrap();
    let (declaration, expected) = kept.split_once(LINE).unwrap();
    let expanded = expand(declaration.parse().unwrap()).unwrap();
    let becomes = laid_out(&expanded.to_string());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, format!("{declaration}{LINE}{becomes}")).unwrap();
        return;
    }
    assert_eq!(becomes, expected, "{}", path.display());
}

/// Formats code with rustfmt's defaults, ignoring the project's configuration.
fn laid_out(code: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    rustfmt.stdin.take().unwrap().write_all(code.as_bytes()).unwrap();
    let output = rustfmt.wait_with_output().unwrap();
    assert!(output.status.success(), "rustfmt refuses what was generated:\n{code}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_table() {
    check("table", |declaration| {
        let mut item: ItemStruct = syn::parse2(declaration)?;
        let arguments = item.attrs.remove(0).parse_args()?;
        crate::table::expand(arguments, item.into_token_stream())
    });
}

#[test]
fn an_entity() {
    check("entity", |declaration| Ok(crate::entity::expand(declaration)));
}

/// Only keys and fields managed by the library are stored outside of the JSON payload.
#[test]
fn an_entity_with_a_payload() {
    check("payload", |declaration| Ok(crate::entity::expand(declaration)));
}

#[test]
fn a_collection() {
    check("collection", crate::collection::expand);
}

#[test]
fn a_projection() {
    check("projection", crate::projection::expand);
}

#[test]
fn attributes() {
    check("map", crate::attribute::expand);
    check("choice", crate::attribute::expand);
    check("newtype", crate::attribute::expand);
    check("tagged", crate::attribute::expand);
}
